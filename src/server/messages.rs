//! Asking the council: with the answer as JSON at the end, or streamed.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, post, web};
use serde::Serialize;
use serde_json::Value;

use super::app::App;
use super::conversations::named;
use super::extract::{Body, Caller, asked_by, id};
use super::idempotency::{self, Target};
use super::missing::MissingModel;
use super::presets::{self, InForce};
use super::problem::{Problem, ProblemBody, over_budget_detail};
use super::shape::Cancelled;
use super::{budgets, runs, sse};
use crate::council::budget::BudgetState;
use crate::council::estimate::{Estimate, Kept};
use crate::council::field::{FieldError, Fields};
use crate::council::formats;
use crate::council::plan::{Context, Plan};
use crate::council::prompts::history::Turn;
use crate::id::ConversationId;
use crate::identity::Permission;
use crate::runs::{Ask, Asked, budget_state};
use crate::store::{StoreError, conversations};

/// How soon the log is asked again while the database is away.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Asks the council and answers with the whole deliberation when it is over. Where this server goes away
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
    let mut events = app.runs.subscribe(&caller.user, asked.run, 0).await?;
    loop {
        tokio::select! {
            biased;
            next = events.next() => match next {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // The run waits for the database too; whoever asked goes on waiting for the run.
                Err(error @ StoreError::Unavailable(_)) => {
                    tracing::warn!(run.id = %asked.run, %error, "an answer waits for the database");
                    tokio::time::sleep(ASK_AGAIN).await;
                }
                Err(error) => return Err(error.into()),
            },
            () = app.runs.leaves(asked.run) => break,
        }
    }
    match crate::store::runs::find(&app.db, &caller.scope(), asked.run).await {
        Ok(run) if run.status.is_over() => Ok(HttpResponse::Ok().json(runs::RunResult::from(run))),
        Ok(_) | Err(StoreError::Unavailable(_)) => Ok(runs::RunGoesOn::of(asked.run).response()),
        Err(error) => Err(error.into()),
    }
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
    let events = app.runs.subscribe(&caller.user, asked.run, 0).await?;
    Ok(sse::respond(&app, &request, events))
}

/// What a question will probably cost, and what the budgets that bind whoever asks would say to it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MessageEstimate {
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whom it would ask that is not on its provider's list, and whom in the place of a model of the
    /// built-in council that is not.
    pub missing_models: Vec<MissingModel>,
    pub budgets: Vec<BudgetState>,
    /// Those that it would nearly use up (80 %), with what it needs among `reserved_usd`; none where it
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
    estimate_in(&app, &caller, Some(id(&path, "Conversation")?), &body.0).await
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
    estimate_in(&app, &caller, None, &body.0).await
}

async fn estimate_in(
    app: &App,
    caller: &Caller,
    conversation: Option<ConversationId>,
    body: &Value,
) -> Result<web::Json<MessageEstimate>, Problem> {
    caller.may(Permission::Ask)?;
    let plan = plan(app, caller, conversation, body).await?;
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
    Ok(web::Json(MessageEstimate { estimate: expected, missing_models, budgets, nearly_used_up, refusal }))
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
) -> Result<Asked, Problem> {
    caller.may(Permission::Ask)?;
    let conversation: ConversationId = id(path, "Conversation")?;
    let idempotency_key = idempotency::key(request, Target::Question(conversation), body)?;
    app.admit()?;
    let plan = plan(app, caller, Some(conversation), body).await?;
    let begins_conversation = begins_conversation(body)?;
    let groups = caller.groups_from_proxy().map(<[String]>::to_vec);
    let user = caller.user.clone();
    let asked_by = asked_by(request);
    let replaces = None;
    let ask =
        Ask { user, conversation, begins_conversation, plan, groups, idempotency_key, replaces, asked_by };
    Ok(app.runs.start(ask).await?)
}

/// What a request becomes in a conversation, or in a new one; or everything that is wrong with it.
pub(super) async fn plan(
    app: &App,
    caller: &Caller,
    conversation: Option<ConversationId>,
    body: &Value,
) -> Result<Plan, Problem> {
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (settings, _) = app.settings_in(&mut tx).await?;
    let InForce { settings, options, problems } = presets::in_force(&mut tx, settings, body).await?;
    let records = app.records_in(&mut tx).await?;
    let reviewer_records = app.reviewers.records_in(&mut tx).await?;
    let begins = begins_conversation(body);
    let messages = match conversation {
        Some(conversation) => match conversations::history(&mut tx, conversation).await {
            Err(StoreError::NotFound) if begins != Ok(false) => Vec::new(),
            messages => messages.map_err(named)?,
        },
        None => Vec::new(),
    };
    drop(tx);
    let first = messages.is_empty();
    let search = app.search_context();
    let context = Context { settings, history: history(messages), first, records, reviewer_records, search };
    let plan = Plan::parse_over(body, &options, context);
    let mut problems: Vec<_> = problems.into_iter().chain(begins.err().unwrap_or_default()).collect();
    problems.extend(app.unknown_providers(body));
    if problems.is_empty() {
        return Ok(plan?);
    }
    Err(problems.into_iter().chain(plan.err().unwrap_or_default()).collect::<Vec<_>>().into())
}

/// Whether the conversation is to be made with this question if it is not there.
fn begins_conversation(body: &Value) -> Result<bool, Vec<FieldError>> {
    // A body that is no object is refused for the question that it lacks.
    let Ok(mut fields) = Fields::of(body) else { return Ok(false) };
    let begins = fields.take("new_conversation", "true or false").unwrap_or(false);
    fields.finish(|| begins)
}

/// The turns that have a final answer.
fn history(messages: Vec<(String, Option<String>)>) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut question = None;
    for (role, content) in messages {
        match (role.as_str(), content) {
            ("user", content) => question = content,
            (_, Some(answer)) => {
                turns.extend(question.take().map(|question| Turn { question, answer }));
            }
            (_, None) => question = None,
        }
    }
    turns
}
