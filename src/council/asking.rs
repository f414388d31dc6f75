//! What events say of who is being asked.

use super::seat::Seat;
use super::stage::Stage;

/// What an event says of who is being asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asking {
    /// These are asked in a stage.
    Begins { stage: Stage, seats: Vec<Seat> },
    /// This one, which has failed, is asked again.
    Again { stage: Stage, seat: Seat },
    /// This one has answered or failed.
    Ends { stage: Stage, member: String },
    /// Nobody is asked in this stage any more.
    Over { stage: Stage },
}

impl Asking {
    /// These are asked.
    #[must_use]
    pub fn begins(stage: Stage, seats: &[Seat]) -> Self {
        Self::Begins { stage, seats: seats.to_vec() }
    }

    /// This one has answered or failed.
    #[must_use]
    pub fn ends(stage: Stage, member: &str) -> Self {
        Self::Ends { stage, member: member.to_owned() }
    }
}
