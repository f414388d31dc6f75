//! What kind of question it is, without a run.

use actix_web::{FromRequest, HttpRequest, post, web};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::app::App;
use super::budgets;
use super::extract::{Body, Caller};
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use crate::council::options::routing::{self, RoutingInfo};
use crate::council::plan;
use crate::council::prompts::fence::Fence;
use crate::identity::Permission;
use crate::llm::{Models, Reply, Usage};

/// The ledger's format for questions that are only classified.
const CLASSIFICATION: &str = "classification";

/// A question to classify, in the query or in the body.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct ClassifyQuery {
    /// The question, 1 to 100,000 characters.
    query: Option<String>,
}

/// A question to classify.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub struct ClassifyRequest {
    /// The question, 1 to 100,000 characters.
    query: Option<String>,
}

/// Where a question would go, and what it cost to find out.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Classified {
    #[serde(flatten)]
    pub routing: RoutingInfo,
    /// The model that was asked.
    pub utility_model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Says what kind of question it is, and who would answer it. It makes one call to the utility
/// model, for which budgets hold and which the ledger has under the format `classification`.
#[utoipa::path(tag = "insight", params(ClassifyQuery), request_body = Option<ClassifyRequest>, responses(
    (status = 200, body = Classified), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/routing/classify")]
pub(super) async fn classify(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    query: Query<ClassifyQuery>,
    payload: web::Payload,
) -> Result<web::Json<Classified>, Problem> {
    caller.may(Permission::Ask)?;
    let question = match query.into_inner().query {
        Some(question) => question,
        None => {
            let Body(body) = Body::from_request(&request, &mut payload.into_inner()).await?;
            let given = body.get("query").and_then(serde_json::Value::as_str);
            given.ok_or_else(|| Problem::field("query", "the question is required, as text"))?.to_owned()
        }
    };
    if let Some(problem) = plan::question_problem(&question) {
        return Err(Problem::field("query", &problem));
    }
    let (settings, _) = app.settings(&caller.scope()).await?;
    // Nobody who wrote the question could know the marker.
    let fence = Fence::new(&Uuid::new_v4().simple().to_string());
    let request = routing::request(
        &settings,
        &app.config.prompts.in_force(routing::TEMPLATES.iter().copied()),
        &fence,
        &question,
        None,
    );
    let payer = budgets::payer(&app, &caller).await?;
    let result = app.runs.call_once(payer, CLASSIFICATION, routing::STAGE, request).await?;
    let reply: Option<&Reply> = result.as_ref().map_or_else(|error| error.partial.as_deref(), Some);
    let usage = reply.and_then(|reply| reply.usage);
    let judged = routing::judge(result, &settings.utility_model, &question);
    let pool = settings.options.routing.routing_pools.get(&judged.0.category).map_or(&[][..], Vec::as_slice);
    let available = routing::available(pool, |model| app.models.is_available(model));
    Ok(web::Json(Classified {
        routing: routing::pick(judged, pool, available, &settings.council_models),
        utility_model: settings.utility_model,
        usage,
        cost: usage.and_then(|usage| usage.cost_usd),
    }))
}
