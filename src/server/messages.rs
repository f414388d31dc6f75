//! Asking the council: with the answer as JSON at the end, or streamed.

use actix_web::{HttpRequest, HttpResponse, post, web};
use serde::Serialize;
use serde_json::Value;

use super::app::App;
use super::asking::{self, Question};
use super::connection::Presence;
use super::conversations::named;
use super::extract::{Body, Caller, id};
use super::idempotency::{self, Target};
use super::missing::MissingModel;
use super::problem::{Problem, ProblemBody, over_budget_detail};
use super::shape::Cancelled;
use super::{budgets, runs, sse};
use crate::config::OnDisconnect;
use crate::council::budget::BudgetState;
use crate::council::estimate::{Estimate, Kept};
use crate::council::formats;
use crate::id::ConversationId;
use crate::identity::Permission;
use crate::runs::{StartedRun, budget_state};

/// Asks the council and answers with the whole deliberation when it is over. If this server shuts down
/// before that, the run goes on at another: 202 says where to read it. Do not ask again then.
#[utoipa::path(tag = "messages", params(("id" = String, Path)), request_body = runs::MessageRequest, responses(
    (status = 200, body = runs::RunResult), (status = 202, body = runs::RunGoesOn), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody),
    (status = 429, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/conversations/{id}/message")]
pub(super) async fn ask_whole(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let asked = start(&app, &caller, &request, &path, &body.0).await?;
    let stops_without = app.config.runs.on_disconnect == OnDisconnect::Cancel;
    let _present = if stops_without { Presence::of(&request) } else { None };
    let waited = asking::wait(&app, &caller, asked.run).await;
    // Whatever is wrong now, the question was taken: asked again without a key, it would be paid twice.
    Ok(match waited.map_err(|problem| problem.with_run(asked.run))? {
        Some(run) => HttpResponse::Ok().json(runs::RunResult::from(run)),
        None => runs::RunGoesOn::of(asked.run).response(),
    })
}

/// Asks the council and streams what happens (see the schema `CouncilEvent`).
#[utoipa::path(tag = "messages", params(("id" = String, Path)), request_body = runs::MessageRequest, responses(
    (status = 200, content_type = "text/event-stream", body = crate::council::Event),
    (status = 401, body = ProblemBody), (status = 402, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody),
    (status = 503, body = ProblemBody)))]
#[post("/conversations/{id}/message/stream")]
pub(super) async fn ask_streaming(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let asked = start(&app, &caller, &request, &path, &body.0).await?;
    let events = app.runs.subscribe(&caller.user, asked.run, 0).await;
    let events = events.map_err(|error| Problem::from(error).with_run(asked.run))?;
    Ok(sse::respond(&app, &request, events))
}

/// What a question will probably cost, and how it fits into the budgets that bind the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MessageEstimate {
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The models that it would ask although they are not on their provider's list, and those that it would ask
    /// instead of a model of the built-in council that is not.
    pub missing_models: Vec<MissingModel>,
    pub budgets: Vec<BudgetState>,
    /// The budgets that the question would nearly use up (80 %), with what it needs among `reserved_usd`; none where it
    /// would be refused.
    pub nearly_used_up: Vec<BudgetState>,
    /// Why it would be refused (402) if it were asked now; absent when it would be let in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<BudgetRefusal>,
}

/// A budget that a question does not fit into.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BudgetRefusal {
    /// In a sentence, as the refusal itself says it.
    pub detail: String,
    pub budget: BudgetState,
    /// USD; absent when that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_usd: Option<f64>,
}

/// What this question will probably cost; nothing is asked. Takes the body of a question, and refuses
/// what that would refuse.
#[utoipa::path(tag = "messages", params(("id" = String, Path)), request_body = runs::MessageRequest, responses(
    (status = 200, body = MessageEstimate), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 413, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[post("/conversations/{id}/message/estimate")]
pub(super) async fn estimate(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<MessageEstimate>, Problem> {
    Ok(web::Json(estimate_in(&app, &caller, Some(id(&path, "Conversation")?), &body.0).await?))
}

/// What the first question of a new conversation will probably cost; nothing is asked, and nothing made.
#[utoipa::path(tag = "messages", request_body = runs::MessageRequest, responses(
    (status = 200, body = MessageEstimate), (status = 401, body = ProblemBody), (status = 413, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/estimate")]
pub(super) async fn estimate_first(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<MessageEstimate>, Problem> {
    Ok(web::Json(estimate_in(&app, &caller, None, &body.0).await?))
}

/// What a question will probably cost in a conversation, or in a new one; nothing is asked.
///
/// # Errors
/// What is wrong with the question.
pub(super) async fn estimate_in(
    app: &App,
    caller: &Caller,
    conversation: Option<ConversationId>,
    body: &Value,
) -> Result<MessageEstimate, Problem> {
    caller.may(Permission::Ask)?;
    let plan = asking::plan(app, caller, conversation, body, None).await?;
    let expected = app.runs.estimate(&plan, &Kept::default());
    let asked = formats::models(&plan, &Kept::default());
    let mut missing_models = app.missing_models(&plan.brief().settings);
    missing_models.retain(|missing| {
        let name = if missing.replaced { missing.nearest.as_ref() } else { Some(&missing.model) };
        name.is_some_and(|name| asked.contains(name))
    });
    let states = budgets::binding(app, caller).await?;
    let budgets = states.iter().cloned().map(budget_state).collect();
    let (nearly_used_up, refusal) = match app.runs.check_budgets(&expected, states) {
        Ok(nearly_used_up) => (nearly_used_up, None),
        Err(over) => {
            let detail = over_budget_detail(&over);
            (Vec::new(), Some(BudgetRefusal { detail, budget: over.budget, needed_usd: over.needed_usd }))
        }
    };
    Ok(MessageEstimate { estimate: expected, missing_models, budgets, nearly_used_up, refusal })
}

/// Stops the conversation's run, if there is one. Its calls end at once.
#[utoipa::path(tag = "messages", params(("id" = String, Path)), responses(
    (status = 200, body = Cancelled), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 503, body = ProblemBody)))]
#[post("/conversations/{id}/message/cancel")]
pub(super) async fn cancel(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<Cancelled>, Problem> {
    caller.may(Permission::Ask)?;
    let conversation = id(&path, "Conversation")?;
    let stopped = app.runs.cancel_in(&caller.user, conversation).await.map_err(named)?;
    Ok(web::Json(stopped.into()))
}

async fn start(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    path: &str,
    body: &Value,
) -> Result<StartedRun, Problem> {
    let conversation: ConversationId = id(path, "Conversation")?;
    let idempotency_key = idempotency::key(request, Target::Question(conversation), body)?;
    asking::ask(
        app,
        caller,
        request,
        Question {
            conversation,
            body,
            history: None,
            idempotency_key,
            is_attended: true,
            program: None,
            firing: None,
        },
    )
    .await
}
