//! One way of asking one model: what its reply says.

use serde_json::Value;

use super::advice::Advice;
pub(super) use super::allowance::Cost;
use super::model_fact::ProbeFact;
use super::prompts::max_tokens;
use super::report::{Probe, ProbeKind, State};
use crate::llm::{CallError, ErrorKind, Reply};

pub use super::prompts::{FORM_TOKENS, WORD_TOKENS};

/// A probe that was made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProbeOutcome {
    pub probe: Probe,
    /// What to do about its failure.
    pub advice: Option<Advice>,
    /// Whether asking in another way will fail alike.
    pub comes_again: bool,
    pub cost: Cost,
}

/// Reads what came of it. `still_offered` says whether the registry still counts the model among those that take what
/// was asked for: it no longer counts those that refused it and answered without.
pub(super) fn read(
    kind: ProbeKind,
    provider: &str,
    result: &Result<Reply, CallError>,
    still_offered: bool,
) -> ProbeOutcome {
    let reply = result.as_ref().map_or_else(|error| error.partial.as_deref(), Some);
    let cost = match (result, reply.and_then(|reply| reply.usage).and_then(|usage| usage.cost_usd)) {
        (_, Some(usd)) => Cost::Usd(usd),
        (Err(error), None) if !error.reached => Cost::Nothing,
        (_, None) => Cost::Unknown,
    };
    let (state, fact, advice, comes_again) = match result {
        Ok(reply) => {
            let (state, fact) = judge(kind, reply, still_offered);
            let advice = (kind == ProbeKind::StructuredOutput && state == State::Failed)
                .then(|| Advice::TurnSchemasOff { provider: provider.to_owned() });
            (state, fact, advice, false)
        }
        Err(error) if is_still_thinking(error) => {
            (State::Ok, ProbeFact::StillThinking { max_tokens: max_tokens(kind) }, None, false)
        }
        Err(error) => {
            let fact = ProbeFact::CallFailed {
                error_kind: error.kind,
                status: error.status,
                error: error.message.clone(),
            };
            (State::Failed, fact, Some(Advice::of(error, provider)), comes_again(error))
        }
    };
    let probe = Probe {
        ttft_ms: reply.and_then(|reply| reply.ttft_ms).filter(|_| kind != ProbeKind::Whole),
        total_ms: reply.map(|reply| reply.latency_ms),
        cost_usd: match cost {
            Cost::Usd(usd) => Some(usd),
            Cost::Nothing | Cost::Unknown => None,
        },
        ..Probe::new(kind, state, fact)
    };
    ProbeOutcome { probe, advice, comes_again, cost }
}

fn judge(kind: ProbeKind, reply: &Reply, still_offered: bool) -> (State, ProbeFact) {
    let is_cut = reply.finish_reason.as_deref() == Some("length");
    let thinking = (State::Ok, ProbeFact::StillThinking { max_tokens: max_tokens(kind) });
    match kind {
        ProbeKind::Streamed | ProbeKind::Whole => (State::Ok, ProbeFact::Answered),
        ProbeKind::StructuredOutput if !still_offered => (State::NotOffered, ProbeFact::Refused),
        ProbeKind::StructuredOutput if fits(&reply.text) => (State::Ok, ProbeFact::Answered),
        ProbeKind::StructuredOutput if is_cut => thinking,
        ProbeKind::StructuredOutput => (State::Failed, ProbeFact::NotTheSchema),
        ProbeKind::Tools if reply.tools_refused || !still_offered => (State::NotOffered, ProbeFact::Refused),
        ProbeKind::Tools if !reply.tool_calls.is_empty() => (State::Ok, ProbeFact::Answered),
        ProbeKind::Tools if is_cut => thinking,
        // The prompt asked for it; nothing forces a model to call a tool.
        ProbeKind::Tools => (State::Warning, ProbeFact::ToolNotCalled),
    }
}

/// Whether a text is the JSON that was asked for and nothing else.
fn fits(text: &str) -> bool {
    let Ok(Value::Object(fields)) = serde_json::from_str(text.trim()) else { return false };
    fields.len() == 1 && fields.get("word").is_some_and(Value::is_string)
}

/// A model that thinks before it writes may use up its token limit without a word, which counts as an answer here.
fn is_still_thinking(error: &CallError) -> bool {
    let is_cut = |reply: &Reply| reply.finish_reason.as_deref() == Some("length");
    error.kind == ErrorKind::BadResponse && error.partial.as_deref().is_some_and(is_cut)
}

/// Whether the same request in another way would fail as well, and so is not paid for.
fn comes_again(error: &CallError) -> bool {
    match error.kind {
        ErrorKind::Auth | ErrorKind::RateLimited | ErrorKind::Budget | ErrorKind::Cancelled => true,
        ErrorKind::Refused => matches!(error.status, Some(404 | 410)),
        // No connection could be made.
        ErrorKind::Overloaded => error.status.is_none() && !error.reached,
        ErrorKind::Timeout | ErrorKind::ContextTooLong | ErrorKind::BadResponse => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{ToolCall, Usage};

    fn reply(text: &str) -> Reply {
        let usage = Usage { cost_usd: Some(0.001), ..Usage::default() };
        Reply { text: text.into(), ttft_ms: Some(7), latency_ms: 9, usage: Some(usage), ..Reply::default() }
    }

    fn state_of(kind: ProbeKind, reply: Reply, still_offered: bool) -> State {
        read(kind, "p", &Ok(reply), still_offered).probe.state
    }

    #[test]
    fn a_reply_is_judged_by_what_was_asked_for() {
        use ProbeKind::{Streamed, StructuredOutput, Tools, Whole};
        assert_eq!(state_of(Streamed, reply("ready"), true), State::Ok);
        assert_eq!(state_of(StructuredOutput, reply(" {\"word\": \"ready\"}\n"), true), State::Ok);
        for other in ["{\"word\": 7}", "{\"word\": \"a\", \"more\": 1}", "ready", "[]"] {
            assert_eq!(state_of(StructuredOutput, reply(other), true), State::Failed, "{other}");
        }
        assert_eq!(state_of(StructuredOutput, reply("ready"), false), State::NotOffered);
        let call = ToolCall { id: "1".into(), name: "report_ready".into(), arguments: "{}".into() };
        assert_eq!(state_of(Tools, Reply { tool_calls: vec![call], ..reply("") }, true), State::Ok);
        assert_eq!(state_of(Tools, reply("ready"), true), State::Warning);
        assert_eq!(state_of(Tools, Reply { tools_refused: true, ..reply("ready") }, true), State::NotOffered);
        let outcome = read(Whole, "p", &Ok(reply("ready")), true);
        assert_eq!(
            (outcome.probe.ttft_ms, outcome.probe.total_ms, outcome.cost),
            (None, Some(9), Cost::Usd(0.001))
        );
    }

    #[test]
    fn thinking_to_the_bound_is_an_answer() {
        let cut = Reply { finish_reason: Some("length".into()), ..reply("") };
        let mut error = CallError::new(ErrorKind::BadResponse, "no word").having_reached();
        error.partial = Some(Box::new(cut));
        let outcome = read(ProbeKind::Streamed, "p", &Err(error), true);
        assert_eq!(outcome.probe.fact, ProbeFact::StillThinking { max_tokens: WORD_TOKENS });
        assert_eq!((outcome.probe.state, outcome.advice), (State::Ok, None));
    }

    #[test]
    fn what_will_come_again_is_known() {
        let refused = |status| CallError { status: Some(status), ..CallError::new(ErrorKind::Refused, "no") };
        assert!(comes_again(&refused(404)) && !comes_again(&refused(400)));
        assert!(comes_again(&CallError::new(ErrorKind::Overloaded, "cannot be reached")));
        assert!(!comes_again(&CallError::new(ErrorKind::Timeout, "silent").having_reached()));
        let unpaid = read(ProbeKind::Whole, "p", &Err(refused(404)), true);
        assert_eq!((unpaid.cost, unpaid.comes_again), (Cost::Nothing, true));
    }
}
