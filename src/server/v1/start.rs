//! Turns a program's request into a run: a new one, or the one of the same request that is under way.

use std::time::Duration;

use serde_json::{Value, json};

use super::api::{Continuation, Names, RequestContext};
use super::conversation::{self, field_names};
use super::files::MessageFile;
use super::refusal::Refusal;
use super::request::ParsedRequest;
use crate::council::prompts::history::Turn;
use crate::id::ConversationId;
use crate::identity::AuthMethod;
use crate::runs::StartedRun;
use crate::server::app::App;
use crate::server::asking::{self, FromProgram, Question};
use crate::server::idempotency::{self, Target};
use crate::server::problem::Problem;
use crate::store::runs::{IdempotencyKey, Program};

/// Where a question comes from, and where it goes.
pub(super) struct Start<'s> {
    /// The path that it was sent to.
    pub path: &'static str,
    /// By which API, as conversations are marked.
    pub origin: &'static str,
    /// The request's body.
    pub body: &'s Value,
    pub parsed: &'s ParsedRequest,
    /// The files that it comes with.
    pub files: &'s [MessageFile],
    /// The fields of the question's options that the model stands for.
    pub options: &'s Value,
    /// The conversation and message that it follows; `None` begins a new conversation.
    pub continuation: Option<Continuation>,
    /// The history that the models see.
    pub history: Vec<Turn>,
    /// What of the request its answer repeats.
    pub kept: Value,
    /// Whether a later list of messages is to find this conversation.
    pub is_found_by_question: bool,
    /// The API's names for the fields that hold them.
    pub names: Names,
}

/// The fields of a body that do not change what is asked.
const DELIVERY: [&str; 2] = ["stream", "stream_options"];

/// Starts the run, or joins it.
///
/// # Errors
/// Those of asking, in this API's shape.
pub(super) async fn start(context: RequestContext<'_>, start: Start<'_>) -> Result<StartedRun, Refusal> {
    match ask(context, &start, start.continuation).await {
        // Another question is under way in it: this one does not wait for that.
        Err(problem) if start.continuation.is_some() && problem.kind() == "run-under-way" => {
            ask(context, &start, None).await
        }
        asked => asked,
    }
    .map_err(|problem| Refusal::of_question(&problem, &field_names(start.names, start.files)))
}

/// By what the same request is known again: its key, where it has one, or else a digest of the token and of all that it
/// says.
///
/// # Errors
/// When the key is none.
pub(super) fn known_by(
    RequestContext { caller, request, .. }: RequestContext<'_>,
    path: &'static str,
    body: &Value,
) -> Result<(Option<IdempotencyKey>, Vec<u8>), Problem> {
    let target = Target::Program(path);
    let mut named = body.clone();
    if let Some(fields) = named.as_object_mut() {
        fields.retain(|name, _| !DELIVERY.contains(&name.as_str()));
    }
    let token = match &caller.via {
        AuthMethod::Token { id, .. } => Some(id),
        AuthMethod::Proxy | AuthMethod::Local | AuthMethod::Schedule => None,
    };
    let digest = idempotency::digest(target, &json!({"token": token, "body": body}));
    Ok((idempotency::key(request, target, &named)?, digest))
}

async fn ask(
    context: RequestContext<'_>,
    start: &Start<'_>,
    continuation: Option<Continuation>,
) -> Result<StartedRun, Problem> {
    let RequestContext { app, caller, request } = context;
    let parsed = start.parsed;
    let body = conversation::body(parsed, start.files, start.options, continuation);
    let (idempotency_key, digest) = known_by(context, start.path, start.body)?;
    let kept = Program {
        origin: start.origin,
        request: start.kept.clone(),
        digest,
        joins_ended: app.config.programs.joins_ended(),
        question: start.is_found_by_question.then(|| conversation::digest(&parsed.messages.question)),
    };
    let question = Question {
        conversation: continuation
            .map_or_else(ConversationId::generate, |continuation| continuation.conversation),
        body: &body,
        history: Some(start.history.clone()),
        idempotency_key,
        is_attended: false,
        program: Some(FromProgram { sampling: parsed.sampling, form: parsed.form.clone(), kept }),
        firing: None,
    };
    asking::ask(app, caller, request, question).await
}

/// How long a run goes on without the program that waits for it.
pub(super) fn grace(app: &App) -> Duration {
    app.config.programs.disconnect_grace()
}
