//! What rounds are: their stages, what their calls are for, and the kinds of them that formats have.

use super::simulated;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// The most rounds that a debate of any format has.
pub const MAX_ROUNDS: usize = 10;
/// The fewest speakers that can go on.
pub const MIN_SPEAKERS: usize = 2;

/// The stages of the rounds, in order.
pub static STAGES: [Stage; MAX_ROUNDS] = [
    Stage::named("round1"),
    Stage::named("round2"),
    Stage::named("round3"),
    Stage::named("round4"),
    Stage::named("round5"),
    Stage::named("round6"),
    Stage::named("round7"),
    Stage::named("round8"),
    Stage::named("round9"),
    Stage::named("round10"),
];

/// What a speaker says first, before it has read anybody.
pub static OPENING: Purpose =
    Purpose { name: "debate_opening", usual_tokens: 1_200, simulated: simulated::opening };
/// What a speaker says of others.
pub static CRITIQUE: Purpose =
    Purpose { name: "debate_critique", usual_tokens: 700, simulated: simulated::critique };
/// What a speaker says after it has read others.
pub static REPLY: Purpose =
    Purpose { name: "debate_reply", usual_tokens: 1_200, simulated: simulated::reply };
/// What a chairman makes of a debate.
pub static JUDGMENT: Purpose =
    Purpose { name: "debate_judgment", usual_tokens: 2_000, simulated: simulated::judgment };
/// What calls of a debate are for.
pub static PURPOSES: [&Purpose; 4] = [&OPENING, &CRITIQUE, &REPLY, &JUDGMENT];

/// How the key of a try with less to read ends.
pub(in crate::council) const SHORTER: &str = "/shorter";

/// The stage of the n-th round, from 1.
#[must_use]
pub fn stage(round_number: u32) -> Stage {
    let place = usize::try_from(round_number).unwrap_or(MAX_ROUNDS).clamp(1, MAX_ROUNDS);
    STAGES[place - 1].clone()
}

/// A kind of round.
#[derive(Debug)]
pub struct Kind {
    /// The word for it in events and in what is stored.
    pub round_type: &'static str,
    /// What stands above such a text where others read it, as in `Rebuttal`.
    pub title: &'static str,
    pub purpose: &'static Purpose,
    /// Whether the text is an answer of the speaker's own, written after it has read others: then it is asked
    /// whether they have changed its position.
    pub asks_position: bool,
    /// Whether the speaker has tools in it, where the run has any.
    pub tools: bool,
}
