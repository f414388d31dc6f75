//! From a request to its answer, whichever API it came by: who may ask, what the model's name stands for, a chore or a
//! seat in one call, a council as a run that is started or joined, and the headers. The differences are in each API's
//! [`Api`](super::api::Api).

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::Value;

use super::api::{Addressee, Api, Place, RequestContext};
use super::chores;
use super::files::MessageFile;
use super::gate::may_ask;
use super::keeping::{self, ReceivedFiles};
use super::offer::{self, Asks};
use super::refusal::Refusal;
use super::request::MOST_NAMES;
use super::start::{Start, known_by, start};
use crate::council::field::FieldError;
use crate::runs::StartedRun;
use crate::server::app::App;
use crate::server::attachments::chosen::too_many;
use crate::server::extract::Caller;
use crate::server::single_calls::Name;

/// The names of parameters that were ignored.
const IGNORED: HeaderName = HeaderName::from_static("x-ignored-parameters");
const RUN: HeaderName = HeaderName::from_static("x-run-id");
/// Says that the request has joined a run, or a call, that was requested before.
pub(super) const JOINED: HeaderName = HeaderName::from_static("x-run-joined");

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
    let context = RequestContext { app, caller, request };
    let (mut body, received) = keeping::read(app, caller, request, payload, A::NAMES.question).await?;
    A::fill_in(context, &mut body).await?;
    let api = A::read(&body, &received.inline)?;
    let offer = offer::find(app, caller, &api.parsed().model).await?;
    let files = &api.parsed().messages.files;
    let mut ignored = api.ignored().to_vec();
    let mut response = match offer.asks {
        Asks::Council(_) if chores::is_one(&api.parsed().messages, &app.config.programs.chores) => {
            drop(received);
            ignored.extend(files.iter().map(|file| file.field.clone()));
            pass_over_search(&api, &mut ignored);
            let name = name(context, A::PATH, &body)?;
            api.answer_directly(context, Addressee::Utility, name).await?
        }
        Asks::Council(options) => ask(context, &api, (&body, received), &options, &mut ignored).await?,
        Asks::Seat(_) if !files.is_empty() => return Err(no_files(files)),
        Asks::Seat(member) => {
            drop(received);
            pass_over_search(&api, &mut ignored);
            let name = name(context, A::PATH, &body)?;
            api.answer_directly(context, Addressee::Seat(&member), name).await?
        }
    };
    say_ignored(&mut response, &ignored);
    Ok(response)
}

fn name(context: RequestContext<'_>, path: &'static str, body: &Value) -> Result<Name, Refusal> {
    let (key, digest) = known_by(context, path, body)?;
    Ok(Name::of(&context.caller.user, key, digest))
}

/// 400: a single seat takes only text.
fn no_files(files: &[MessageFile]) -> Refusal {
    let why = "is a picture or a file, and a single seat takes none: ask a council";
    let errors: Vec<_> = files.iter().map(|file| FieldError::value(&file.field, why)).collect();
    Refusal::of_fields(&errors, &[])
}

/// Names the search as ignored: one call by itself looks nothing up.
fn pass_over_search<A: Api>(api: &A, ignored: &mut Vec<String>) {
    let search = A::NAMES.search;
    if api.parsed().searches && !ignored.iter().any(|name| name == search) {
        ignored.push(search.to_owned());
    }
}

async fn ask<A: Api>(
    context: RequestContext<'_>,
    api: &A,
    (body, received): (&Value, ReceivedFiles<'_>),
    options: &Value,
    ignored: &mut Vec<String>,
) -> Result<HttpResponse, Refusal> {
    let parsed = api.parsed();
    if parsed.form.is_some() && options.get("final").is_some_and(|choice| choice == "select") {
        let why = "is only known to whoever writes the final answer, and this model takes a member's word for word: ask \
                   the model council";
        return Err(Refusal::of_fields(&[FieldError::value(A::NAMES.form, why)], &[]));
    }
    let Place { continuation, history, mut files } = api.place(context).await?;
    files.extend(parsed.messages.files.iter().cloned());
    let (files, passed_over) = keeping::chosen(&files, &context.app.config.attachments);
    ignored.extend(passed_over);
    // Before the first of them is kept.
    if let Some(why) = too_many(files.len(), &context.app.config.attachments) {
        return Err(Refusal::of_fields(&[FieldError::value(A::NAMES.question, why)], &[]));
    }
    keeping::keep_all(context, &files, &received.inline).await?;
    // The answer may take minutes.
    drop(received);
    let question = Start {
        path: A::PATH,
        origin: A::ORIGIN,
        body,
        parsed,
        files: &files,
        options,
        continuation,
        history,
        kept: api.kept(),
        is_found_by_question: A::IS_FOUND_BY_QUESTION,
        names: A::NAMES,
    };
    let asked = start(context, question).await?;
    let mut response = api.answer(context, asked).await?;
    say_run(&mut response, asked);
    Ok(response)
}

/// Names ignored parameters in a header, files among them, of which a long chat may have hundreds.
fn say_ignored(response: &mut HttpResponse, ignored: &[String]) {
    let named = ignored.get(..MOST_NAMES).unwrap_or(ignored);
    if !named.is_empty()
        && let Ok(value) = HeaderValue::from_str(&named.join(", "))
    {
        response.headers_mut().insert(IGNORED, value);
    }
}

/// Names the run in a header.
fn say_run(response: &mut HttpResponse, asked: StartedRun) {
    if let Ok(run) = HeaderValue::from_str(&asked.run.to_string()) {
        response.headers_mut().insert(RUN, run);
    }
    if asked.begun.is_none() {
        response.headers_mut().insert(JOINED, HeaderValue::from_static("true"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_is_ignored_the_header_stays_short() {
        let named = |count: usize| {
            let ignored: Vec<String> = (0..count).map(|at| format!("messages[{at}].content[0]")).collect();
            let mut response = HttpResponse::Ok().finish();
            say_ignored(&mut response, &ignored);
            response.headers().get(IGNORED).map(|value| value.to_str().unwrap().split(", ").count())
        };
        assert_eq!([named(0), named(1), named(40), named(30_000)], [None, Some(1), Some(40), Some(40)]);
    }
}
