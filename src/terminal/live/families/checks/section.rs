//! What the chairman looked up before it wrote.

use super::shape::Check;
use crate::terminal::live::piece::CallStatus;
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Body, Kind, Section};

/// What the final answer is called then.
#[must_use]
pub fn heading(checks: &[Check]) -> Option<&'static str> {
    (!checks.is_empty()).then_some("CHAIRMAN'S SYNTHESIS")
}

/// Line by line.
#[must_use]
pub fn reasoning(checks: &[Check], run: &Run) -> Option<Section> {
    if checks.is_empty() {
        return None;
    }
    let lines = checks.iter().flat_map(|check| {
        let action = check.action.as_deref().map(|action| match check.query.as_str() {
            "" => format!("Action: {action}"),
            query => format!("Action: {action}(\"{query}\")"),
        });
        let thought = Some(&check.thought).filter(|thought| !thought.is_empty());
        let thought = thought.map(|thought| format!("Thought: {thought}"));
        let observation = check.observation.as_ref().map(|seen| format!("Observation: {seen}"));
        let failed = check.error.as_ref().map(|error| format!("Failed: {error}"));
        [thought, action, observation, failed].into_iter().flatten()
    });
    Some(Section {
        key: "reasoning".to_owned(),
        title: "CHAIRMAN'S REASONING".to_owned(),
        notes: Vec::new(),
        body: Body::Lines(lines.collect()),
        kind: Kind::Reasoning,
        // Where the one that writes fails, its stand-in checks as well.
        ready: run.final_answer.piece.status == CallStatus::Done || !run.status.is_live(),
    })
}
