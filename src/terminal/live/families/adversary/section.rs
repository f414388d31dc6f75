//! The attack, and what came of it.

use super::shape::Adversary;
use crate::terminal::live::state::Run;
use crate::terminal::sections::section::{Body, Kind, Section};

/// What the devil's advocate says, or why it does not.
#[must_use]
pub fn attack(adversary: &Adversary, run: &Run) -> Section {
    let mut notes: Vec<String> = adversary.severity.iter().cloned().collect();
    if adversary.revised {
        notes.push("the answer was revised".to_owned());
    }
    let failed = adversary.error.as_ref();
    Section {
        key: "adversary".to_owned(),
        title: format!("Devil's advocate: {}", adversary.model),
        notes,
        body: Body::Markdown(failed.unwrap_or(&adversary.critique).clone()),
        kind: if failed.is_some() { Kind::Failed } else { Kind::Answer },
        ready: !run.status.is_live(),
    }
}
