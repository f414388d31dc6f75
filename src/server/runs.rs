//! Runs: read one, follow its events, stop it.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{RefOr, Schema};

use super::app::App;
use super::attachments::chosen::Chosen;
use super::extract::{Body, Caller, asked_by, id};
use super::idempotency::{self, Target};
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::Cancelled;
use super::{shape, sse};
use crate::council::Deliberation;
use crate::council::features;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::ranking::self_votes::SelfVotes;
use crate::council::rerun::{Part, RerunScope};
use crate::council::settings::Member;
use crate::id::{ConversationId, MessageId, ProjectId, RunId};
use crate::identity::Permission;
use crate::runs::Retry;
use crate::store::RunStatus;
use crate::store::StoreError;
use crate::store::runs::RunRow;

/// A question for the council, with the fields of its options.
#[derive(Debug)]
pub struct MessageRequest;

impl utoipa::ToSchema for MessageRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Question::schemas(schemas);
    }
}

impl utoipa::PartialSchema for MessageRequest {
    fn schema() -> RefOr<Schema> {
        let mut schema = Question::schema();
        if let RefOr::T(Schema::Object(question)) = &mut schema {
            for part in features::request_fields() {
                let RefOr::T(Schema::Object(part)) = part else { continue };
                question.properties.extend(part.properties);
            }
        }
        schema
    }
}

/// A question for the council. Unknown fields are ignored; a known option that this server does
/// not offer is refused when it is switched on.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
struct Question {
    /// The question, 1 to 100,000 characters.
    content: String,
    /// Whether the question begins its conversation, under an id that the client has chosen (a random
    /// UUID): it is made together with the run, and not at all where the question is refused.
    #[schema(default = false)]
    new_conversation: Option<bool>,
    /// The project that the conversation is begun in, where the question begins it: its instructions stand before the system
    /// prompt, and its settings and options are in force where this request says nothing else, nor names a preset.
    project_id: Option<ProjectId>,
    /// The answer that the question goes on from; `null`: it begins the conversation. By default it goes on from the
    /// end of the branch that was looked at last. With the parent of an earlier question it becomes that question's
    /// sibling: nothing is overwritten.
    #[schema(nullable)]
    parent_message_id: Option<MessageId>,
    /// The files that the question comes with, as `POST /api/attachments` has taken them: their ids, or objects with
    /// them. What the members read of them is frozen with the run.
    #[schema(default = json!([]), nullable = false)]
    attachments: Option<Vec<Chosen>>,
    /// The format; only `council` is offered so far.
    #[schema(default = "council")]
    mode: Option<String>,
    /// A system message for every member without one of its own.
    system_prompt: Option<String>,
    /// The council for this run only.
    models: Option<Vec<Member>>,
    /// The chairman for this run only.
    chairman_model: Option<String>,
    /// A preset of the caller's, for this run only: its settings, and its options where this
    /// request leaves them out.
    preset_id: Option<String>,
    /// Whether reviewers' ballots count by what earlier runs say about them.
    #[schema(default = true)]
    use_weighted_consensus: Option<bool>,
    /// What a reviewer's place for its own answer counts: corrected by how much that model has preferred itself
    /// before, as it was cast, or nothing. With fewer than three answers it counts as it was cast.
    #[schema(default = "adjusted")]
    self_votes: Option<SelfVotes>,
    /// `self_votes` as a flag: `counted` where true, `left_out` where false. `self_votes` wins.
    count_self_votes: Option<bool>,
    /// How many members must have answered before the reviews begin, 1 to the number of members;
    /// by default all. A failed member does not count: when too few can still answer, all are
    /// waited for. A late answer is shown and given to the chairman if it comes before the
    /// reviews are over; it is not reviewed. Of each tier, where the run may escalate.
    #[schema(minimum = 1, maximum = 7)]
    quorum: Option<u8>,
    /// How long the others are waited for once the quorum has answered, in milliseconds.
    #[schema(default = 0, minimum = 0, maximum = 600_000)]
    straggler_grace_ms: Option<u32>,
    /// Whether members answer and speak one after another, in the order of their seats, to be read along: in every
    /// format; reviews and ballots stay at once. Each call then takes at most 120 seconds, counted from being sent. The
    /// quorum leaves nobody behind who has not been asked: `straggler_grace_ms` begins when the last one is.
    #[schema(default = false)]
    one_at_a_time: Option<bool>,
    /// How much the process monitor says in `process` events: 0 nothing, 1 the stages, 2 the models
    /// too, 3 everything.
    #[schema(default = 0, minimum = 0, maximum = 3)]
    verbosity: Option<u8>,
}

/// A run, and what it has found out once it is over.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RunResult {
    pub run_id: RunId,
    pub conversation_id: ConversationId,
    pub message_id: MessageId,
    pub status: RunStatus,
    /// `council`, …
    pub format: String,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Why it failed, or who has stopped it where that was not its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The kind of that error: `no_answers`, `internal`, `abandoned`, `unreadable_plan`, `picture_gone`,
    /// `picture_unreadable` or `stopped_by_administrator`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    #[serde(flatten)]
    pub deliberation: Deliberation,
}

impl From<RunRow> for RunResult {
    fn from(row: RunRow) -> Self {
        Self {
            run_id: row.id,
            conversation_id: row.conversation,
            message_id: row.message,
            status: row.status,
            format: row.format,
            created_at: shape::naive(row.created_at),
            finished_at: row.finished_at.map(shape::naive),
            error: row.error.as_ref().and_then(shape::message_of),
            error_kind: row.error.as_ref().and_then(shape::kind_of),
            deliberation: row.body.map(shape::deliberation).unwrap_or_default(),
        }
    }
}

/// A run that goes on without this server, in answer to a question that it was to answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RunGoesOn {
    pub run_id: RunId,
    /// In a sentence.
    pub detail: &'static str,
    /// The address of the run's state, and of its result once it is over; also in the header `Location`.
    pub location: String,
}

impl RunGoesOn {
    pub(super) fn of(run_id: RunId) -> Self {
        let detail = "this server is going away and the question is being answered without it; do not ask \
                      again, read the answer at `location` when the run is over";
        Self { run_id, detail, location: format!("/api/runs/{run_id}") }
    }

    /// 202, without anything that would make a client send the question again.
    pub(super) fn response(&self) -> HttpResponse {
        HttpResponse::Accepted().insert_header((header::LOCATION, self.location.clone())).json(self)
    }
}

/// A run's state, and its result once it is over.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = RunResult), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/runs/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RunResult>, Problem> {
    caller.may(Permission::Read)?;
    let run = crate::store::runs::find(&app.db, &caller.scope(), id(&path, "Run")?).await.map_err(named)?;
    Ok(web::Json(run.into()))
}

/// Where to go on reading.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct EventsQuery {
    /// The number of the last event seen; `Last-Event-ID` says the same. The larger one counts: browsers that reconnect
    /// send the header as well as the address that they began with.
    after: Option<u64>,
}

/// A run's events after the last one seen: what was missed, then live, from any moment on.
#[utoipa::path(tag = "runs", params(("id" = String, Path), EventsQuery), responses(
    (status = 200, content_type = "text/event-stream", body = crate::council::Event),
    (status = 204, description = "The run is over, and the event seen was its last"),
    (status = 401, body = ProblemBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/runs/{id}/events")]
pub(super) async fn events(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query<EventsQuery>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let run: RunId = id(&path, "Run")?;
    let header = match request.headers().get("last-event-id").map(|value| value.to_str()) {
        None => None,
        Some(Ok("")) => None,
        Some(value) => {
            let number = value.ok().and_then(|text| text.trim().parse::<u64>().ok());
            Some(number.ok_or_else(|| Problem::field("Last-Event-ID", "must be the number of an event"))?)
        }
    };
    let after = query.after.max(header).unwrap_or(0);
    let mut subscription = app.runs.subscribe(&caller.user, run, after).await.map_err(named)?;
    if subscription.is_over().await.map_err(named)? {
        // A browser's `EventSource` comes back after every end of a stream, until it is answered this.
        return Ok(HttpResponse::NoContent().finish());
    }
    Ok(sse::respond(&app, &request, subscription))
}

/// Stops a run, wherever it is executed. Its calls end at once.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Cancelled), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/cancel")]
pub(super) async fn cancel(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<Cancelled>, Problem> {
    caller.may(Permission::Ask)?;
    let stopped = app.runs.cancel(&caller.user, id(&path, "Run")?).await.map_err(named)?;
    Ok(web::Json(stopped.into()))
}

/// What of a run is to be asked again. Without either field: what failed, or was not reached.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub(super) struct RetryRequest {
    /// The seat that is to answer again; what follows from its answer is asked again too.
    member: Option<String>,
    /// The round of a debate in which it is to speak again, or the part of the question that it is to answer
    /// again, from 1; the first where only the seat is named.
    round: Option<u32>,
    /// From where on everything is asked again.
    from: Option<Part>,
}

/// The run that replaces an answer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Retried {
    pub run_id: RunId,
    /// The run whose answer it replaces; that one stays readable.
    pub replaces: RunId,
}

/// Asks again, with the same plan, what of a run failed, one member, or everything from a stage on. What
/// stays is taken over and not paid again. The new run takes the place of the answer; follow it with
/// `GET /api/runs/{id}/events`. Only the last answer of a branch, once its run is over.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), request_body = RetryRequest, responses(
    (status = 200, body = Retried), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody),
    (status = 429, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/retry")]
pub(super) async fn retry(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<Retried>, Problem> {
    caller.may(Permission::Ask)?;
    let run: RunId = id(&path, "Run")?;
    let idempotency_key = idempotency::key(&request, Target::Retry(run), &body.0)?;
    let scope = scope(&body.0)?;
    app.admit()?;
    let groups = caller.groups_from_proxy().map(<[String]>::to_vec);
    let tells_devices = caller.is_in_person();
    let (user, asked_by) = (caller.user.clone(), asked_by(&request));
    let retry = Retry { user, run, scope, groups, tells_devices, idempotency_key, asked_by };
    let asked = app.runs.retry(retry).await.map_err(|error| Problem::from(error).naming("Run"))?;
    Ok(web::Json(Retried { run_id: asked.run, replaces: run }))
}

fn scope(body: &Value) -> Result<RerunScope, Problem> {
    let mut fields = Fields::of(body)?;
    let member: Option<String> = fields.take("member", "the name of a seat");
    let from: Option<Part> = fields.take("from", "one of stage1, stage2, stage3");
    if member.is_some() && from.is_some() {
        fields.refuse("from", FieldErrorKind::Value, "leave out either this or `member`");
    }
    let round: Option<u32> = fields.take("round", "a whole number from 1");
    if round.is_some() && member.is_none() {
        fields.refuse("round", FieldErrorKind::Value, "needs `member`, whose round it is");
    }
    Ok(fields.finish(|| match (member, from) {
        (Some(member), _) => match round {
            Some(round) => RerunScope::Speaker { member, round },
            None => RerunScope::Member(member),
        },
        (None, Some(from)) => RerunScope::From(from),
        (None, None) => RerunScope::Failed,
    })?)
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Run")
}
