//! Rubrics of the library in questions, and one that a model drafts from a question.

use actix_web::{post, web};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::council::member::model_problem;
use crate::council::options::rubric::{FIELD, Named, Rubric, draft as drafting};
use crate::council::plan;
use crate::council::prompts::fence::Fence;
use crate::council::setting::RunOptions;
use crate::council::stages::reviews::STAGE;
use crate::identity::Permission;
use crate::llm::Usage;
use crate::server::app::App;
use crate::server::budgets;
use crate::server::extract::{Body, Caller};
use crate::server::problem::{Problem, ProblemBody};
use crate::store::library::{self, Kind};
use crate::store::{StoreError, Tx};

/// The ledger's format for drafts.
const DRAFT: &str = "rubric_draft";

/// The rubric of the library that a question names, or else its defaults; `None` where they name none, or where it does
/// not exist.
///
/// # Errors
/// When the database is unavailable.
pub(in crate::server) async fn of_question(
    tx: &mut Tx,
    body: &Value,
    options: &RunOptions,
) -> Result<Option<Rubric>, StoreError> {
    let given = body.get(FIELD).filter(|value| !value.is_null());
    let Some(Named { id, version }) = given.or_else(|| options.get(FIELD)).and_then(Named::of) else {
        return Ok(None);
    };
    let found = async {
        let entry = library::find(tx, id).await?;
        if entry.kind != Kind::Rubric {
            return Err(StoreError::NotFound);
        }
        let version = library::find_version(tx, id, version.unwrap_or(entry.version)).await?;
        Ok(Rubric {
            text: version.text,
            name: Some(version.head.name),
            id: Some(id),
            version: Some(version.head.version),
        })
    };
    match found.await {
        Ok(rubric) => Ok(Some(rubric)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a rubric is drafted from.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct RubricDraftRequest {
    /// The question, 1 to 100,000 characters.
    question: String,
    /// Who drafts; the utility model by default.
    model: Option<String>,
}

/// A rubric that nobody has saved.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RubricDraft {
    pub text: String,
    /// The model that was asked.
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Has a model draft a rubric from a question; it is saved by nobody but the caller. It makes one call, for which budgets hold and
/// which the ledger has under the format `rubric_draft`.
#[utoipa::path(tag = "library", request_body = RubricDraftRequest, responses(
    (status = 200, body = RubricDraft), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 422, body = ProblemBody), (status = 502, body = ProblemBody)))]
#[post("/library/rubrics/draft")]
pub(in crate::server) async fn draft(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<RubricDraft>, Problem> {
    caller.may(Permission::Ask)?;
    let mut fields = Fields::of(&body.0)?;
    let question: Option<String> = fields.take("question", "a string");
    match &question {
        None if !fields.has("question") => {
            fields.refuse("question", FieldErrorKind::Missing, "the question is required");
        }
        None => {}
        Some(text) => {
            if let Some(problem) = plan::question_problem(text) {
                fields.refuse("question", FieldErrorKind::Value, problem);
            }
        }
    }
    let model: Option<String> = fields.take("model", "a model id");
    if let Some(model) = &model {
        fields.refuse_all(model_problem("model", model));
        let unknown = app.unknown_providers(&json!({"chairman_model": model}));
        fields.refuse_all(unknown.into_iter().map(|error| FieldError { field: "model".to_owned(), ..error }));
    }
    let question = fields.finish(|| question.unwrap_or_default())?;

    let (settings, _) = app.settings(&caller.scope()).await?;
    let model = model.unwrap_or_else(|| settings.utility_model.clone());
    let prompts = app.config.prompts.in_force(drafting::TEMPLATES.iter().copied());
    // Nobody who wrote the question could know the marker.
    let fence = Fence::new(&Uuid::new_v4().simple().to_string());
    let request = drafting::request(&settings, &prompts, &fence, &question, &model);
    let payer = budgets::payer(&app, &caller).await?;
    let reply = app
        .runs
        .call_once(payer, DRAFT, STAGE, request)
        .await?
        .map_err(|error| Problem::no_draft(&model, error.kind.reason()))?;
    let Some(text) = drafting::read(&reply.text) else {
        return Err(Problem::no_draft(&model, "its reply is empty"));
    };
    let cost = reply.usage.and_then(|usage| usage.cost_usd);
    Ok(web::Json(RubricDraft { text, model, usage: reply.usage, cost }))
}
