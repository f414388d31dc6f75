//! The models: what can be asked, what it costs, and that it takes its time.

use actix_web::{get, web};
use serde::Serialize;
use serde_json::json;

use super::gate::may_look;
use super::offer::{self, Asks, Offer};
use super::refusal::{ErrorBody, Refusal};
use crate::council::estimate::Kept;
use crate::server::app::App;
use crate::server::asking;
use crate::server::extract::Caller;
use crate::server::problem::Problem;

/// The question that is estimated: its length counts.
const SAMPLE: &str = "We run a web shop with a monolith in PHP, four developers and a database that is slow at noon. \
                      What should we change first, what can wait, and how would we notice that it helped?";

/// The models, as clients of OpenAI's API read a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AskableModels {
    /// `list`.
    pub object: &'static str,
    pub data: Vec<AskableModel>,
}

/// A model.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AskableModel {
    /// `council`, `council/<preset>`, `debate` …
    pub id: String,
    /// `model`.
    pub object: &'static str,
    /// Seconds since 1970.
    pub created: i64,
    /// `llm-council`.
    pub owned_by: &'static str,
    /// How it comes to an answer, how long that takes, and what a question costs.
    pub description: String,
    /// What a question of some lines will probably cost, in USD; absent where some price is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    /// How many calls of models that takes.
    pub estimated_calls: u32,
}

/// What can be asked under which name.
#[utoipa::path(tag = "programs", responses((status = 200, body = AskableModels), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody)))]
#[get("/models")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<AskableModels>, Refusal> {
    may_look(&caller)?;
    let mut data = Vec::new();
    for offer in offer::all(&app, &caller).await? {
        data.extend(model(&app, &caller, offer).await?);
    }
    Ok(web::Json(AskableModels { object: "list", data }))
}

/// One model.
#[utoipa::path(tag = "programs", params(("model" = String, Path)), responses((status = 200, body = AskableModel),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/models/{model:.*}")]
pub(in crate::server) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AskableModel>, Refusal> {
    may_look(&caller)?;
    let offer = offer::find(&app, &caller, &path).await?;
    let model = model(&app, &caller, offer).await?;
    model.map(web::Json).ok_or_else(|| Refusal::no_model(&path))
}

/// A model with what it costs; `None` for one that cannot be asked with the present settings.
async fn model(app: &App, caller: &Caller, offer: Offer) -> Result<Option<AskableModel>, Problem> {
    let Offer { id, created, about, asks } = offer;
    let (pace, cost_usd, calls) = match asks {
        Asks::Council(mut body) => {
            body["content"] = json!(SAMPLE);
            let plan = match asking::plan(app, caller, None, &body, None).await {
                Ok(plan) => plan,
                Err(problem) if problem.kind() == "invalid" => return Ok(None),
                Err(problem) => return Err(problem),
            };
            let estimate = app.runs.estimate(&plan, &Kept::default());
            ("It thinks for minutes", estimate.whole_cost_usd(), estimate.calls)
        }
        Asks::Seat(_) => ("It answers at the model's own pace", None, 1),
    };
    let price = match cost_usd {
        Some(0.0) => "a question costs nothing".to_owned(),
        Some(usd) if usd < 0.01 => "a question costs less than $0.01".to_owned(),
        Some(usd) => format!("a question costs about ${usd:.2}"),
        None => "what a question costs is not known".to_owned(),
    };
    let description = format!("{about} {pace}; {price}.");
    let owned_by = "llm-council";
    let object = "model";
    Ok(Some(AskableModel {
        id,
        object,
        created,
        owned_by,
        description,
        estimated_cost_usd: cost_usd,
        estimated_calls: calls,
    }))
}
