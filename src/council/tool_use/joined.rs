//! Several turns of a model as one reply.

use crate::llm::{CallError, Citation, CostSource, Reply, Usage};

/// The turns so far in which the model called tools.
#[derive(Debug, Default)]
pub(in crate::council) struct Joined {
    turns: u32,
    tries: u32,
    latency_ms: u64,
    /// The time to the first token of the first turn.
    ttft_ms: Option<u64>,
    usage: Option<Usage>,
    /// Reasoning, and what was written before a call.
    thoughts: Vec<String>,
    citations: Vec<Citation>,
}

impl Joined {
    /// Takes in a turn after which the conversation goes on.
    pub fn add_turn(&mut self, reply: Reply) {
        self.add(&reply);
        self.thoughts.extend(reply.reasoning);
        self.thoughts.push(reply.text);
        self.citations.extend(reply.citations);
    }

    /// The whole, with the text of the last turn.
    pub fn end(mut self, last: Reply) -> Reply {
        if self.turns == 0 {
            return last;
        }
        self.add(&last);
        self.thoughts.extend(last.reasoning);
        self.citations.extend(last.citations);
        let thoughts: Vec<&str> =
            self.thoughts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        Reply {
            reasoning: (!thoughts.is_empty()).then(|| thoughts.join("\n\n")),
            citations: self.citations,
            usage: self.usage,
            latency_ms: self.latency_ms,
            ttft_ms: self.ttft_ms,
            tries: self.tries,
            ..last
        }
    }

    /// A failure of the last turn, with what had arrived in all of them.
    pub fn fail(self, mut error: CallError) -> CallError {
        if self.turns > 0 {
            let last = error.partial.take().map(|reply| *reply);
            // A turn that reached no model took no tokens; its cost is none.
            let last = last.unwrap_or_else(|| Reply { usage: Some(nothing()), ..Reply::default() });
            error.partial = Some(Box::new(self.end(last)));
        }
        error
    }

    fn add(&mut self, reply: &Reply) {
        let is_first = self.turns == 0;
        self.turns += 1;
        self.tries += reply.tries;
        self.latency_ms += reply.latency_ms;
        if is_first {
            self.ttft_ms = reply.ttft_ms;
            self.usage = reply.usage;
        } else {
            self.usage = both(self.usage, reply.usage);
        }
    }
}

fn nothing() -> Usage {
    Usage { cost_usd: Some(0.0), ..Usage::default() }
}

/// What two requests took together. A cost is only known where both are; so is a count.
pub(in crate::council) fn both(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    let (Some(one), Some(other)) = (one, other) else {
        // What one of them used is still a part of the total.
        return one.or(other).map(|usage| Usage { cost_usd: None, cost_source: None, ..usage });
    };
    let cost_usd = one.cost_usd.zip(other.cost_usd).map(|(one, other)| one + other);
    Some(Usage {
        prompt_tokens: one.prompt_tokens + other.prompt_tokens,
        completion_tokens: one.completion_tokens + other.completion_tokens,
        reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
        cached_tokens: one.cached_tokens + other.cached_tokens,
        cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
        total_tokens: one.total_tokens + other.total_tokens,
        cost_usd,
        cost_source: cost_usd.and_then(|_| weaker(one.cost_source, other.cost_source)),
        cache_saved_usd: match (one.cache_saved_usd, other.cache_saved_usd) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        },
    })
}

/// A sum with an estimate in it is an estimate.
fn weaker(one: Option<CostSource>, other: Option<CostSource>) -> Option<CostSource> {
    [CostSource::BuiltIn, CostSource::Listed, CostSource::Reported]
        .into_iter()
        .find(|source| one == Some(*source) || other == Some(*source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ErrorKind;

    fn turn(text: &str, reasoning: Option<&str>, cost_usd: Option<f64>) -> Reply {
        Reply {
            text: text.into(),
            reasoning: reasoning.map(str::to_owned),
            usage: Some(Usage {
                prompt_tokens: 10,
                completion_tokens: 5,
                total_tokens: 15,
                cost_usd,
                cost_source: Some(CostSource::Reported),
                ..Usage::default()
            }),
            latency_ms: 100,
            ttft_ms: Some(20),
            tries: 1,
            ..Reply::default()
        }
    }

    #[test]
    fn turns_are_one_reply_with_the_sums_of_all_and_the_text_of_the_last() {
        let mut joined = Joined::default();
        joined.add_turn(turn("Let me look.", Some("Hm."), Some(0.25)));
        joined.add_turn(turn("", None, Some(0.5)));
        let whole = joined.end(Reply { ttft_ms: Some(70), ..turn("The answer.", Some("So."), Some(1.0)) });
        let usage = whole.usage.unwrap();
        assert_eq!(whole.text, "The answer.");
        assert_eq!(whole.reasoning.as_deref(), Some("Hm.\n\nLet me look.\n\nSo."));
        assert_eq!((whole.latency_ms, whole.ttft_ms, whole.tries), (300, Some(20), 3));
        assert_eq!((usage.prompt_tokens, usage.total_tokens, usage.cost_usd), (30, 45, Some(1.75)));
    }

    #[test]
    fn a_sum_with_something_unknown_is_unknown() {
        let mut joined = Joined::default();
        joined.add_turn(turn("", None, None));
        let usage = joined.end(turn("x", None, Some(1.0))).usage.unwrap();
        assert_eq!((usage.total_tokens, usage.cost_usd, usage.cost_source), (30, None, None));
        let mut joined = Joined::default();
        joined.add_turn(Reply { usage: None, ..turn("", None, None) });
        let usage = joined.end(turn("x", None, Some(1.0))).usage.unwrap();
        assert_eq!((usage.total_tokens, usage.cost_usd), (15, None));
    }

    #[test]
    fn a_failure_keeps_what_the_turns_before_it_took() {
        let mut joined = Joined::default();
        joined.add_turn(turn("Let me look.", None, Some(0.5)));
        let error = joined.fail(CallError::new(ErrorKind::Overloaded, "down"));
        let partial = error.partial.unwrap();
        assert_eq!((partial.text.as_str(), partial.usage.and_then(|usage| usage.cost_usd)), ("", Some(0.5)));
        assert_eq!(partial.reasoning.as_deref(), Some("Let me look."));
        let error = Joined::default().fail(CallError::new(ErrorKind::Overloaded, "down"));
        assert_eq!(error.partial, None);
    }
}
