//! The rounds of a debate in rotation.

use crate::council::debate::kind::{self, Kind};

/// What requests call this kind of debate.
pub const STYLE: &str = "rotation";
/// How many rounds there are with the answers to the critics.
pub const ROUNDS: u8 = 3;
/// And without.
pub const ROUNDS_WITHOUT_REBUTTAL: u8 = 2;

pub static POSITION: Kind = Kind {
    round_type: "position",
    title: "Position",
    purpose: &kind::OPENING,
    asks_position: false,
    tools: true,
};
pub static CRITIQUE: Kind = Kind {
    round_type: "critique",
    title: "Critique",
    purpose: &kind::CRITIQUE,
    asks_position: false,
    tools: false,
};
pub static REBUTTAL: Kind = Kind {
    round_type: "rebuttal",
    title: "Rebuttal",
    purpose: &kind::REPLY,
    asks_position: true,
    tools: true,
};
