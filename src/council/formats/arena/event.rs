//! The one event that only an arena has: its beginning.

use serde::{Deserialize, Serialize};

use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::debate::neutral_event::{DebateStart, NeutralEvent};
use crate::council::debate::notes;
use crate::council::note::Note;

/// Who takes part, as one existing client reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ArenaStart {
    pub participant_count: usize,
    pub round_count: u32,
    pub participants: Vec<String>,
}

/// The events of an arena, in addition to those of every debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ArenaEvent {
    /// The arena begins.
    ArenaStart {
        #[serde(flatten)]
        start: Box<DebateStart>,
        data: ArenaStart,
    },
}

impl ArenaEvent {
    pub(super) fn start(start: DebateStart) -> Self {
        let data = ArenaStart {
            participant_count: start.speakers.len(),
            round_count: start.num_rounds,
            participants: start.speakers.iter().map(|speaker| speaker.label.clone()).collect(),
        };
        Self::ArenaStart { start: Box::new(start), data }
    }

    /// What it says of the debate, in no format's words.
    #[must_use]
    pub fn neutral(&self) -> Option<NeutralEvent<'_>> {
        let Self::ArenaStart { start, .. } = self;
        Some(NeutralEvent::Begins(start))
    }
}

impl FeatureEvent for ArenaEvent {
    fn note(&self) -> Option<Note> {
        self.neutral().and_then(notes::note)
    }

    fn asking(&self) -> Option<Asking> {
        self.neutral().and_then(notes::asking)
    }
}
