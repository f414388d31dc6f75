//! `ask_council`.

use std::time::Duration;

use serde_json::{Value, json};

use super::offer::{Effect, Offer, schema};
use super::{question, run_view};
use crate::council::field::Fields;
use crate::id::ConversationId;
use crate::server::asking::{self, Question};
use crate::server::idempotency::{self, Target};
use crate::server::mcp::asker::Asker;
use crate::server::mcp::progress::Listener;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::mcp::waiting::{self, LONGEST_SECONDS};
use crate::server::problem::Problem;

pub(super) const NAME: &str = "ask_council";

/// The process monitor's sentences about stages and models, which progress messages are made from.
const VERBOSITY: u8 = 2;

pub(super) fn offer() -> Offer {
    let mut properties = question::properties();
    properties.insert("wait_seconds".to_owned(), wait_seconds());
    properties.insert(
        "idempotency_key".to_owned(),
        json!({
            "type": "string", "minLength": 1, "maxLength": 200,
            "description": "A name of your choice for this one question. The same call with the same key joins the run that \
                            there is and does not pay twice; use it wherever you may have to send the call again."
        }),
    );
    Offer {
        name: NAME,
        title: "Ask the council",
        description: "Asks a council of language models one question. They answer it independently, review each other's answers \
                      blind, and a chairman writes the final answer. It takes one to several minutes and costs money (estimate \
                      says how much). Waits up to 45 seconds; where the answer is not there by then the result has the status \
                      \"running\" or \"queued\" and a run_id: call wait_run with it until the run is over. Do not ask again, \
                      that would pay twice: the run goes on by itself, also when you stop waiting. If this call fails without \
                      an answer (a time limit, a lost connection), repeat it with the same idempotency_key.",
        effect: Effect::Asks,
        input: schema(Value::Object(properties), &["question"]),
        output: run_view::output(),
    }
}

/// How long a tool waits.
pub(super) fn wait_seconds() -> Value {
    json!({
        "type": "integer", "minimum": 0, "maximum": LONGEST_SECONDS, "default": LONGEST_SECONDS,
        "description": "How long to wait for the answer before a run_id is given instead."
    })
}

/// Reads it.
pub(super) fn patience(fields: &mut Fields<'_>) -> Duration {
    let seconds = fields.take_in("wait_seconds", 0..=LONGEST_SECONDS).unwrap_or(LONGEST_SECONDS);
    Duration::from_secs(seconds.into())
}

pub(super) async fn call(
    asker: &Asker,
    arguments: &Value,
    listener: &Listener,
) -> Result<ToolAnswer, Problem> {
    let mut fields = Fields::of(arguments)?;
    let at_most = patience(&mut fields);
    let key: Option<String> = fields.take("idempotency_key", "a text");
    let question = question::read(asker, &mut fields).await?;
    let mut body = question.body;
    fields.finish(|| ())?;
    let target = question.conversation.map_or(Target::FirstQuestion, Target::Question);
    let key = match key {
        None => None,
        Some(key) => {
            Some(idempotency::in_field("idempotency_key", &key, target, &Value::Object(body.clone()))?)
        }
    };
    body.entry("verbosity").or_insert(json!(VERBOSITY));
    let conversation = question.conversation.unwrap_or_else(|| {
        body.insert("new_conversation".to_owned(), json!(true));
        ConversationId::generate()
    });
    let body = Value::Object(body);
    let question = Question {
        conversation,
        body: &body,
        history: None,
        idempotency_key: key,
        is_attended: false,
        program: None,
        firing: None,
    };
    let asked = asking::ask_for(&asker.app, &asker.caller, asker.asked_by.clone(), question).await?;
    let waited = waiting::wait(asker, asked.run, at_most, listener).await;
    // Whatever is wrong now, the question was taken: asked again, it would be paid twice.
    let run = waited.map_err(|problem| problem.with_run(asked.run))?;
    Ok(run_view::render(run))
}
