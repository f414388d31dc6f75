//! `/v1/responses`: asking, reading a response again, following it from any place on, stopping and deleting it.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::Serialize;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::api::{Addressee, Api, Continuation, Names, Place, RequestContext};
use super::ask;
use super::direct;
use super::files::{InlineFiles, MessageFile};
use super::follow::{Follower, find};
use super::gate::{may_ask, may_look};
use super::references;
use super::refusal::{ErrorBody, Refusal};
use super::request::ParsedRequest;
use super::response_object::{self, Typed, run_of};
use super::response_request::{self, CreateResponseRequest, ParsedResponseRequest};
use super::start::grace;
use super::stream::{self, StreamFormat as _};
use crate::council::field::FieldError;
use crate::council::prompts::history;
use crate::id::RunId;
use crate::runs::StartedRun;
use crate::server::app::App;
use crate::server::asking;
use crate::server::connection::Presence;
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::server::single_calls::Name;
use crate::store::attachments::Attached;
use crate::store::runs::{self, AskedByProgram};
use crate::store::{RunStatus, StoreError, audit, conversations};

/// How long a request to stop waits for the run's end, to return its final state.
const END_OF_STOPPED: Duration = Duration::from_secs(3);

/// Asks a council, as responses do it: in one piece, streamed in typed events, or in the background.
#[utoipa::path(tag = "programs", request_body = CreateResponseRequest, responses(
    (status = 200, body = Object), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 500, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/responses")]
pub(in crate::server) async fn create(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    ask::respond::<ParsedResponseRequest>(&app, &caller, &request, payload).await
}

impl Api for ParsedResponseRequest {
    const ORIGIN: &'static str = "responses";
    const PATH: &'static str = "/v1/responses";
    const NAMES: Names =
        Names { question: "input", instructions: "instructions", form: "text.format", search: "tools" };
    const IS_FOUND_BY_QUESTION: bool = false;

    async fn fill_in(context: RequestContext<'_>, body: &mut Value) -> Result<(), Refusal> {
        references::fill_in(context, body).await
    }

    fn read(body: &Value, inline: &InlineFiles) -> Result<Self, Refusal> {
        response_request::read(body, inline)
    }

    fn parsed(&self) -> &ParsedRequest {
        &self.parsed
    }

    fn ignored(&self) -> &[String] {
        &self.ignored
    }

    fn kept(&self) -> Value {
        self.repeated(Self::ORIGIN)
    }

    async fn place(&self, context: RequestContext<'_>) -> Result<Place, Refusal> {
        let mut place = match &self.previous {
            Some(previous) => place_after(context.app, context.caller, previous).await?,
            None => Place { continuation: None, history: Vec::new(), files: Vec::new() },
        };
        place.history.extend(self.parsed.messages.turns.clone());
        Ok(place)
    }

    async fn answer_directly(
        &self,
        context: RequestContext<'_>,
        addressee: Addressee<'_>,
        name: Name,
    ) -> Result<HttpResponse, Refusal> {
        if self.demands_search {
            let why = "demands a search, and a single model makes none: ask a council";
            return Err(Refusal::of_fields(&[FieldError::value("tool_choice", why)], &[]));
        }
        let mut before = Vec::new();
        if let Some(previous) = &self.previous {
            let place = place_after(context.app, context.caller, previous).await?;
            if !place.files.is_empty() && matches!(addressee, Addressee::Seat(_)) {
                let why = "came with a picture or a file, and a single seat takes none: ask a council";
                return Err(Refusal::of_fields(&[FieldError::value("previous_response_id", why)], &[]));
            }
            before = history::cut(place.history, history::BUDGET_CHARS);
        }
        direct::response(context, self, &before, (addressee, name)).await
    }

    async fn answer(&self, context: RequestContext<'_>, asked: StartedRun) -> Result<HttpResponse, Refusal> {
        let RequestContext { app, caller, request } = context;
        let includes_council = self.parsed.includes_council;
        if self.background && !self.parsed.stream {
            let run = find(app, caller, asked.run).await?;
            return Ok(HttpResponse::Ok().json(current(app, caller, &run, includes_council).await?));
        }
        let patience = (!self.background).then(|| grace(app));
        let follower = Follower::of_request(app, caller, asked, self.kept(), patience).await?;
        if self.parsed.stream {
            let typed = Typed::new(follower.requested.clone(), includes_council, None);
            return Ok(stream::respond(app, request, follower, typed));
        }
        let _present = Presence::of(request);
        let mut whole = whole(follower, includes_council).await.ok_or_else(Refusal::still_running)?;
        response_object::say_when(&mut whole, find(app, caller, asked.run).await?.finished_at);
        Ok(HttpResponse::Ok().json(whole))
    }
}

/// The place of a response, if nothing has been said after it since, and what was said until then.
async fn place_after(app: &App, caller: &Caller, previous: &str) -> Result<Place, Refusal> {
    let refused = |why: &str| Refusal::of_fields(&[FieldError::value("previous_response_id", why)], &[]);
    let gone = "is not there: it must be the id of a response of yours";
    let run = run_of(previous).ok_or_else(|| refused(gone))?;
    let asked = match runs::asked_by_program(&app.db, &caller.scope(), run).await {
        Err(StoreError::NotFound) => return Err(refused(gone)),
        asked => asked.map_err(Problem::from)?,
    };
    if asked.status != RunStatus::Complete {
        return Err(refused("has no answer to go on from: wait until it is completed"));
    }
    let mut own = runs::answers_to_programs(&app.db, &caller.scope(), &[run]).await.map_err(Problem::from)?;
    let mut tx = app.db.begin(&caller.scope()).await.map_err(Problem::from)?;
    let conversation = asked.conversation;
    let tree = conversations::tree(&mut tx, conversation).await.map_err(Problem::from)?;
    let answer = tree.find(asked.message).ok_or_else(|| refused(gone))?;
    let path = tree.path(answer);
    let messages = conversations::messages(&mut tx, conversation, &path).await.map_err(Problem::from)?;
    let texts = conversations::texts(&mut tx, conversation, &path).await.map_err(Problem::from)?;
    let is_shown = messages.last().is_some_and(|last| last.run_id == Some(run));
    let is_last = is_shown && tree.after(Some(answer)).is_empty();
    let asked_with = messages.iter().rev().find(|message| message.role == "user");
    let files =
        asked_with.map(|question| question.attachments.iter().map(carried).collect()).unwrap_or_default();
    let mut history = asking::history(texts);
    // Asked for again in a browser, its place shows another answer now, or none.
    if let (Some(last), Some(own)) = (history.last_mut(), own.remove(&run)) {
        last.answer = own;
    }
    Ok(Place {
        continuation: is_last.then_some(Continuation { conversation, after: answer.id }),
        history,
        files,
    })
}

/// A file of the question before.
fn carried(file: &Attached) -> MessageFile {
    MessageFile {
        field: "previous_response_id".to_owned(),
        id: file.id.clone(),
        filename: Some(file.filename.clone()),
        is_earlier: true,
        is_picture: file.width.is_some(),
    }
}

/// The run that a path names.
fn in_path(id: &str) -> Result<RunId, Refusal> {
    run_of(id).ok_or_else(|| Problem::not_found("Response").into())
}

/// A response as it is now.
async fn current(
    app: &App,
    caller: &Caller,
    asked: &AskedByProgram,
    includes_council: bool,
) -> Result<Value, Refusal> {
    if !asked.status.is_over() {
        return Ok(response_object::under_way(asked));
    }
    let follower = Follower::of(app, caller, asked).await?;
    let mut response = whole(follower, includes_council).await.ok_or_else(Refusal::still_running)?;
    response_object::say_when(&mut response, asked.finished_at);
    Ok(response)
}

/// The response of a run at its end; `None` when this server shuts down before that.
async fn whole(mut follower: Follower, includes_council: bool) -> Option<Value> {
    let mut typed = Typed::new(follower.requested.clone(), includes_council, None);
    let ended = follower.follow_to_end(|view, frame, steps| drop(typed.run_event(view, frame, steps))).await;
    ended.then(|| typed.into_object()).flatten()
}

/// What a request to read a response says.
#[derive(Default)]
struct Reading {
    stream: bool,
    after: Option<u64>,
    includes_council: bool,
}

impl Reading {
    fn of(query: &str) -> Result<Self, Refusal> {
        let mut reading = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "stream" => reading.stream = value == "true",
                "starting_after" => {
                    let number = value.parse().map_err(|_| {
                        let error = FieldError::value("starting_after", "must be the number of an event");
                        Refusal::of_fields(&[error], &[])
                    })?;
                    reading.after = Some(number);
                }
                "include" | "include[]" => reading.includes_council |= value == "council",
                _ => {}
            }
        }
        Ok(reading)
    }
}

/// A response: as it is now, or with `stream=true` its events after `starting_after`, what was missed and then live.
#[utoipa::path(tag = "programs", params(("id" = String, Path),
        ("stream" = Option<bool>, Query), ("starting_after" = Option<u64>, Query), ("include" = Option<String>, Query)),
    responses((status = 200, body = Object), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/responses/{id}")]
pub(in crate::server) async fn read(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    path: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    may_look(&caller)?;
    let asked = find(&app, &caller, in_path(&path)?).await?;
    let reading = Reading::of(request.query_string())?;
    let includes_council = reading.includes_council || asked.request["includes_council"] == true;
    if !reading.stream {
        return Ok(HttpResponse::Ok().json(current(&app, &caller, &asked, includes_council).await?));
    }
    let follower = Follower::of(&app, &caller, &asked).await?;
    let typed = Typed::new(follower.requested.clone(), includes_council, reading.after);
    Ok(stream::respond(&app, &request, follower, typed))
}

/// Stops the run of a response. What has ended stays as it is.
#[utoipa::path(tag = "programs", params(("id" = String, Path)), responses((status = 200, body = Object),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
#[post("/responses/{id}/cancel")]
pub(in crate::server) async fn cancel(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Refusal> {
    may_ask(&caller)?;
    let asked = find(&app, &caller, in_path(&path)?).await?;
    app.runs.cancel(&caller.user, asked.id).await.map_err(Problem::from)?;
    let includes_council = asked.request["includes_council"] == true;
    let follower = Follower::of(&app, &caller, &asked).await?;
    let ended = tokio::time::timeout(END_OF_STOPPED, whole(follower, includes_council)).await;
    let mut response = ended.ok().flatten().unwrap_or_else(|| response_object::under_way(&asked));
    // It may have been completed in the meantime.
    response_object::say_when(&mut response, find(&app, &caller, asked.id).await?.finished_at);
    Ok(HttpResponse::Ok().json(response))
}

/// Confirms that a response is deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ResponseDeleted {
    pub id: String,
    /// `response.deleted`.
    pub object: &'static str,
    pub deleted: bool,
}

/// Deletes a response: its conversation, where nothing else was said in it. The conversation stands in the app for its owner to
/// bring back, as one deleted there does, for some days.
#[utoipa::path(tag = "programs", params(("id" = String, Path)), responses((status = 200, body = ResponseDeleted),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody)))]
#[delete("/responses/{id}")]
pub(in crate::server) async fn delete(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ResponseDeleted>, Refusal> {
    may_ask(&caller)?;
    let asked = find(&app, &caller, in_path(&path)?).await?;
    if !asked.status.is_over() {
        return Err(Refusal::conflict("in_progress", "the response is under way: cancel it first"));
    }
    let mut tx = app.db.begin(&caller.scope()).await.map_err(Problem::from)?;
    let tree = conversations::tree(&mut tx, asked.conversation).await.map_err(Problem::from)?;
    let answers: Vec<_> = tree.all().filter(|node| !node.is_question).collect();
    let messages =
        conversations::messages(&mut tx, asked.conversation, &answers).await.map_err(Problem::from)?;
    let is_its_own = |message: &conversations::Message| {
        message.run_id == Some(asked.id) && message.earlier_runs.is_empty()
    };
    let why = "more was said in the conversation of this response, and it is kept with that: delete the conversation in the \
               app";
    if answers.len() != 1 || !messages.last().is_some_and(is_its_own) {
        return Err(Refusal::conflict("not_alone", why));
    }
    let live = conversations::delete(&mut tx, asked.conversation).await.map_err(Problem::from)?;
    if live.is_some() {
        // It was asked after the messages were read. Nothing is deleted then.
        return Err(Refusal::conflict("not_alone", why));
    }
    let what = asked.conversation.to_string();
    let logged = audit::append(&mut tx, &caller.user, "conversation.delete", Some(&what), &json!({})).await;
    logged.map_err(Problem::from)?;
    tx.commit().await.map_err(Problem::from)?;
    Ok(web::Json(ResponseDeleted { id: path.into_inner(), object: "response.deleted", deleted: true }))
}
