//! `POST /v1/chat/completions`.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, post, web};
use serde_json::{Value, json};

use super::chat_object::{self, Chunks, Head};
use super::chat_request::{self, ChatCompletionRequest, ChatWanted};
use super::course::Step;
use super::direct::{self, Whom};
use super::follow::Follower;
use super::gate::may_ask;
use super::offer::{self, Asks};
use super::refusal::{ErrorBody, Refusal};
use super::start::{Start, grace, start};
use super::{chores, conversation, stream};
use crate::runs::Asked;
use crate::server::app::App;
use crate::server::extract::{Body, Caller};

/// As conversations are marked that are begun here.
const ORIGIN: &str = "chat_completions";
const PATH: &str = "/v1/chat/completions";
/// The names of parameters that were passed over.
const IGNORED: HeaderName = HeaderName::from_static("x-ignored-parameters");
const RUN: HeaderName = HeaderName::from_static("x-run-id");
/// That the request has joined a run that was asked for before.
const JOINED: HeaderName = HeaderName::from_static("x-run-joined");

/// Asks a council, as chat completions do it: with the answer in one piece, or streamed in chunks that end with
/// `[DONE]`. The same request again, while it is being answered or within ten minutes after, is the same run.
#[utoipa::path(tag = "programs", request_body = ChatCompletionRequest, responses(
    (status = 200, body = Object), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 500, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/chat/completions")]
pub(in crate::server) async fn complete(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    may_ask(&caller)?;
    let Body(body) = Body::from_request(&request, &mut payload.into_inner()).await?;
    let chat = chat_request::read(&body)?;
    let offer = offer::find(&app, &caller, &chat.wanted.model).await?;
    let mut response = match offer.asks {
        Asks::Council(_) if chores::is_one(&chat.wanted.said, &app.config.programs.chores) => {
            direct::completion(&app, &caller, &request, &chat, Whom::Utility).await?
        }
        Asks::Council(options) => ask(&app, &caller, &request, &body, &chat, &options).await?,
        Asks::Seat(member) => direct::completion(&app, &caller, &request, &chat, Whom::Seat(&member)).await?,
    };
    say_ignored(&mut response, &chat.ignored);
    Ok(response)
}

/// Names what was passed over in a header.
pub(super) fn say_ignored(response: &mut HttpResponse, ignored: &[String]) {
    if !ignored.is_empty()
        && let Ok(value) = HeaderValue::from_str(&ignored.join(", "))
    {
        response.headers_mut().insert(IGNORED, value);
    }
}

/// Names the run in a header.
pub(super) fn say_run(response: &mut HttpResponse, asked: Asked) {
    if let Ok(run) = HeaderValue::from_str(&asked.run.to_string()) {
        response.headers_mut().insert(RUN, run);
    }
    if asked.known {
        response.headers_mut().insert(JOINED, HeaderValue::from_static("true"));
    }
}

async fn ask(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    body: &Value,
    chat: &ChatWanted,
    options: &Value,
) -> Result<HttpResponse, Refusal> {
    let wanted = &chat.wanted;
    let asks = Start {
        path: PATH,
        origin: ORIGIN,
        body,
        wanted,
        options,
        conversation: conversation::of(app, caller, ORIGIN, &wanted.said).await?,
        history: wanted.said.turns.clone(),
        kept: json!({"api": ORIGIN, "model": wanted.model}),
        is_found_by_question: true,
        names: ("messages", "messages"),
    };
    let asked = start(app, caller, request, asks).await?;
    let mut follower = Follower::of(app, caller, asked.run, Some(grace(app))).await?;
    let head = Head::of(asked.run, follower.asked.created_at.as_second(), &wanted.model);
    let includes_council = wanted.includes_council;
    let mut response = if wanted.stream {
        let chunks = Chunks { head, includes_usage: chat.includes_usage, includes_council };
        stream::respond(app, request, follower, chunks)
    } else {
        let mut progress = String::new();
        let whole = follower.follow_to_end(|_, _, steps| {
            for step in steps {
                if let Step::Progress(line) = step {
                    progress.push_str(&line);
                    progress.push('\n');
                }
            }
        });
        if !whole.await {
            return Err(Refusal::goes_on());
        }
        HttpResponse::Ok().json(chat_object::whole(&head, follower.told(), &progress, includes_council)?)
    };
    say_run(&mut response, asked);
    Ok(response)
}
