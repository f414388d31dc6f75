//! What the chairman checks before it writes (ReAct): a thought, a search, what was found, and again.

use crate::terminal::live::event::Fields;
use serde::Serialize;

/// One search, with the thought before it, or the decision to write.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// Who checks: the chairman, or whoever writes in its place.
    pub model: String,
    /// The turn, from 1. A turn with several searches has several checks.
    pub iteration: i64,
    pub thought: String,
    /// `search_web` or `synthesize`; `None` until it has decided.
    pub action: Option<String>,
    pub query: String,
    /// `None` as long as nothing came back.
    pub observation: Option<String>,
    /// Numbers of sources.
    pub found: Vec<i64>,
    pub error: Option<String>,
}

impl Check {
    pub(in crate::terminal::live) fn of(fields: Fields) -> Self {
        let iteration = fields.whole("iteration").unwrap_or_default();
        Self { model: fields.string("model"), iteration, ..Self::default() }
    }

    pub(in crate::terminal::live) fn is_of(&self, turn: &Self) -> bool {
        self.model == turn.model && self.iteration == turn.iteration
    }

    /// A check as it is stored with a message.
    pub(in crate::terminal::live) fn stored(step: Fields) -> Self {
        Self {
            thought: step.string("thought"),
            action: step.owned("action"),
            query: step.string("query"),
            observation: step.owned("observation"),
            found: step.numbers("sources"),
            error: step.owned("error"),
            ..Self::of(step)
        }
    }
}
