//! What was added to the question while it was answered.

use serde::Serialize;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::state::Run;

/// The path at which something is added to the question of a run.
#[must_use]
pub fn path_of_correction(run: &str) -> String {
    format!("/api/runs/{run}/corrections")
}

/// The texts, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Corrections(Vec<String>);

impl Corrections {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A sentence for each.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|text| format!("Correction of the question: {text}"))
    }
}

impl FeatureState for Corrections {
    fn apply(&mut self, _run: &mut Run, event: Event) {
        match event.kind {
            "run_started" => self.0.extend(texts(event.fields)),
            "correction_added" => self.0.push(event.fields.within("data").string("text")),
            _ => {}
        }
    }

    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        self.0 = texts(message.within("metadata")).collect();
    }
}

fn texts(fields: Fields) -> impl Iterator<Item = String> {
    fields.each("corrections").map(|correction| correction.string("text"))
}
