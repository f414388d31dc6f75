//! What the chairman looked up before it wrote.

use super::shape::Check;
use crate::terminal::live::piece::CallStatus;
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Body, Kind, Section};

/// The heading of a final answer for which something was looked up.
#[must_use]
pub fn heading(checks: &[Check]) -> Option<&'static str> {
    (!checks.is_empty()).then_some("CHAIRMAN'S SYNTHESIS")
}

/// All steps, line by line.
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
        // If the writer fails, its stand-in checks as well.
        ready: run.final_answer.piece.status == CallStatus::Done || !run.status.is_live(),
    })
}
