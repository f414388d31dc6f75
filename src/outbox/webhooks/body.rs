//! The body of a delivery: `{"type", "timestamp", "data"}`, as Standard Webhooks says. Without content unless its owner
//! wants it.

use serde::Serialize;
use url::Url;

use crate::store::outbox::webhooks::{Due, EndedRun};

/// See the module.
#[derive(Debug, Serialize)]
pub struct Body<'a> {
    r#type: &'a str,
    /// When it happened; the same in every attempt.
    timestamp: String,
    data: Data<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Data<'a> {
    Run(Box<Run<'a>>),
    Test { message: &'static str },
}

/// A run that is over.
#[derive(Debug, Serialize)]
struct Run<'a> {
    run_id: String,
    conversation_id: String,
    message_id: String,
    /// Whose run it is; only where the webhook is the instance's.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    format: &'a str,
    status: &'static str,
    /// What kind of error ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<&'a str>,
    created_at: String,
    finished_at: Option<String>,
    /// In US dollars, of the calls whose cost is known.
    cost_usd: Option<f64>,
    unknown_cost_calls: u64,
    /// Where people read it; absent where the server does not know how they reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
}

/// The body of a delivery. `names_user` where the webhook hears of several people's runs; `page` is where people reach
/// this server.
pub fn body<'a>(due: &'a Due, names_user: bool, page: Option<&Url>) -> Body<'a> {
    let data = match &due.run {
        Some(run) => Data::Run(Box::new(of_run(run, names_user, page))),
        None => Data::Test { message: "This is a test. LLM Council reaches this address." },
    };
    let happened = due.run.as_ref().and_then(|run| run.finished_at).unwrap_or(due.created_at);
    Body { r#type: &due.event, timestamp: happened.to_string(), data }
}

fn of_run<'a>(run: &'a EndedRun, names_user: bool, page: Option<&Url>) -> Run<'a> {
    let content = run.content.as_ref();
    Run {
        run_id: run.id.to_string(),
        conversation_id: run.conversation.to_string(),
        message_id: run.message.to_string(),
        user: names_user.then(|| run.user.as_str()),
        format: &run.format,
        status: run.status.as_str(),
        error_kind: run.error_kind.as_deref(),
        created_at: run.created_at.to_string(),
        finished_at: run.finished_at.map(|at| at.to_string()),
        cost_usd: run.cost_usd,
        unknown_cost_calls: run.unknown_cost_calls,
        url: page.and_then(|page| page.join(&format!("c/{}", run.conversation)).ok()).map(String::from),
        title: content.map(|content| content.title.as_str()),
        question: content.and_then(|content| content.question.as_deref()),
        answer: content.and_then(|content| content.answer.as_deref()),
    }
}
