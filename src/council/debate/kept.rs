//! What an earlier debate leaves for one that is asked again.

use super::fold::StoredDebate;
use super::statement::DebateRound;
use crate::council::estimate::KeptRound;

impl StoredDebate {
    /// The rounds that stay, except for what this seat said in this round. A speaker that fails in a round is missing
    /// from the next ones: once it speaks, all others have something else to read from there on.
    #[must_use]
    pub fn kept(&self, but: Option<(&str, u32)>) -> Vec<KeptRound> {
        let mut kept = Vec::new();
        for round in &self.rounds {
            let stays = of_round(round, but);
            let is_whole = stays.seats.len() == round.responses.len();
            kept.push(stays);
            if !is_whole {
                break;
            }
        }
        kept
    }
}

fn of_round(round: &DebateRound, but: Option<(&str, u32)>) -> KeptRound {
    let good = round.responses.iter().filter(|statement| statement.is_good());
    let stays = good.filter(|statement| but != Some((statement.member.as_str(), round.round_number)));
    KeptRound { seats: stays.map(|statement| statement.member.clone()).collect(), ballots: false }
}
