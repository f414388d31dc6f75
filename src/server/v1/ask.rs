//! The way of a request to its answer, whichever API it came by: who may ask, what the model's name stands for, a chore
//! or a seat in one call, a council as a run that is started or joined, and the headers. What differs between the APIs
//! each says itself ([`Api`](super::api::Api)).

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use serde_json::Value;

use super::api::{Api, From, Place, Whom};
use super::chores;
use super::gate::may_ask;
use super::offer::{self, Asks};
use super::refusal::Refusal;
use super::start::{Start, start};
use crate::council::field::FieldError;
use crate::runs::Asked;
use crate::server::app::App;
use crate::server::extract::{Body, Caller};

/// The names of parameters that were passed over.
const IGNORED: HeaderName = HeaderName::from_static("x-ignored-parameters");
const RUN: HeaderName = HeaderName::from_static("x-run-id");
/// That the request has joined a run that was asked for before.
const JOINED: HeaderName = HeaderName::from_static("x-run-joined");

/// Answers a request.
///
/// # Errors
/// Whatever keeps it from an answer.
pub(super) async fn respond<A: Api>(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    may_ask(caller)?;
    let Body(body) = Body::from_request(request, &mut payload.into_inner()).await?;
    let api = A::read(&body)?;
    let offer = offer::find(app, caller, &api.wanted().model).await?;
    let from = From { app, caller, request };
    let mut response = match offer.asks {
        Asks::Council(_) if chores::is_one(&api.wanted().said, &app.config.programs.chores) => {
            api.answer_directly(from, Whom::Utility).await?
        }
        Asks::Council(options) => ask(from, &api, &body, &options).await?,
        Asks::Seat(member) => api.answer_directly(from, Whom::Seat(&member)).await?,
    };
    say_ignored(&mut response, api.ignored());
    Ok(response)
}

async fn ask<A: Api>(
    from: From<'_>,
    api: &A,
    body: &Value,
    options: &Value,
) -> Result<HttpResponse, Refusal> {
    let wanted = api.wanted();
    if wanted.form.is_some() && options.get("final").is_some_and(|choice| choice == "select") {
        let why = "is only known to whoever writes the final answer, and this model takes a member's word for word: ask \
                   the model council";
        return Err(Refusal::of_fields(&[FieldError::value(A::NAMES.form, why)], &[]));
    }
    let Place { goes_on, history } = api.place(from).await?;
    let question = Start {
        path: A::PATH,
        origin: A::ORIGIN,
        body,
        wanted,
        options,
        goes_on,
        history,
        kept: api.kept(),
        is_found_by_question: A::IS_FOUND_BY_QUESTION,
        names: A::NAMES,
    };
    let asked = start(from, question).await?;
    let mut response = api.answer(from, asked).await?;
    say_run(&mut response, asked);
    Ok(response)
}

/// Names what was passed over in a header.
fn say_ignored(response: &mut HttpResponse, ignored: &[String]) {
    if !ignored.is_empty()
        && let Ok(value) = HeaderValue::from_str(&ignored.join(", "))
    {
        response.headers_mut().insert(IGNORED, value);
    }
}

/// Names the run in a header.
fn say_run(response: &mut HttpResponse, asked: Asked) {
    if let Ok(run) = HeaderValue::from_str(&asked.run.to_string()) {
        response.headers_mut().insert(RUN, run);
    }
    if asked.begun.is_none() {
        response.headers_mut().insert(JOINED, HeaderValue::from_static("true"));
    }
}
