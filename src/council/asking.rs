//! Which members are being asked, as far as an event tells it.

use super::seat::Seat;
use super::stage::Stage;

/// What an event tells about which members are being asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asking {
    /// These seats are asked in a stage.
    Begins { stage: Stage, seats: Vec<Seat> },
    /// A seat that has failed is asked again.
    Again { stage: Stage, seat: Seat },
    /// This member has answered or failed.
    Ends { stage: Stage, member: String },
    /// Nobody is asked in this stage any more.
    Over { stage: Stage },
}

impl Asking {
    /// See [`Asking::Begins`].
    #[must_use]
    pub fn begins(stage: Stage, seats: &[Seat]) -> Self {
        Self::Begins { stage, seats: seats.to_vec() }
    }

    /// See [`Asking::Ends`].
    #[must_use]
    pub fn ends(stage: Stage, member: &str) -> Self {
        Self::Ends { stage, member: member.to_owned() }
    }
}
