//! What the chairman checks before it writes (ReAct): a thought, a search, what was found, and again.

use serde::Serialize;

use super::event::{Event, Fields};
use super::state::{CallStatus, LiveRun};

/// One search, with the thought before it, or the decision to write.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// Who checks: not the chairman alone, where others write in its place.
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
    fn of(told: Fields) -> Self {
        let iteration = told.whole("iteration").unwrap_or_default();
        Self { model: told.string("model"), iteration, ..Self::default() }
    }

    fn is_of(&self, turn: &Self) -> bool {
        self.model == turn.model && self.iteration == turn.iteration
    }

    /// As it is stored with a message.
    pub(super) fn stored(step: Fields) -> Self {
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

pub(super) fn apply(run: &mut LiveRun, event: Event) {
    if !event.kind.starts_with("react_") {
        return;
    }
    let told = event.fields;
    let turn = Check::of(told);
    let last = run.checks.iter().rposition(|check| check.is_of(&turn));
    match event.kind {
        "react_thought" => run.checks.push(Check { thought: told.string("thought"), ..turn }),
        "react_action" => {
            let done = (told.owned("action"), told.string("query"));
            match last.map(|at| &mut run.checks[at]).filter(|check| check.action.is_none()) {
                Some(check) => (check.action, check.query) = done,
                None => run.checks.push(Check { action: done.0, query: done.1, ..turn }),
            }
        }
        "react_observation" => {
            let Some(at) = last else { return };
            let check = &mut run.checks[at];
            check.observation = Some(told.string("observation"));
            check.found = told.each("sources").filter_map(|source| source.whole("n")).collect();
            check.error = told.owned("error");
        }
        _ => return,
    }
    // It happens in the place of the final answer, which is being written from then on.
    let piece = &mut run.final_answer.piece;
    if piece.status == CallStatus::Waiting {
        piece.status = CallStatus::Writing;
        "stage3".clone_into(&mut run.phase);
    }
}
