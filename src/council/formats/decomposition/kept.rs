//! What a question that was taken apart leaves for a run that asks it again.

use std::collections::BTreeSet;

use super::facts::SkipFact;
use super::part::SubResult;
use super::stored::StoredDecomposition;
use crate::council::estimate::KeptRound;

impl StoredDecomposition {
    /// Into how many parts the question is taken again; none where it stays whole. Absent where that is asked anew.
    #[must_use]
    pub fn kept_parts(&self) -> Option<usize> {
        if !self.sub_questions.is_empty() {
            return Some(self.sub_questions.len());
        }
        match self.skip_fact.as_ref()? {
            // The earlier decision stays, whatever it was.
            SkipFact::NotComplex
            | SkipFact::NotSure { .. }
            | SkipFact::JudgmentUnread { .. }
            | SkipFact::PartsUnread { .. }
            | SkipFact::TooFewParts { .. } => Some(0),
            SkipFact::NotJudged { .. } | SkipFact::NotSplit { .. } => None,
        }
    }

    /// What stays of each part, but for what this seat answered to this one, from 1. No part knows of another.
    #[must_use]
    pub fn kept(&self, but: Option<(&str, u32)>) -> Vec<KeptRound> {
        let part = |index: usize| self.sub_results.iter().find(|part| part.index == index);
        let kept = |index| part(index).map_or_else(KeptRound::default, |part| of_part(part, but));
        (0..self.sub_questions.len()).map(kept).collect()
    }
}

fn of_part(part: &SubResult, but: Option<(&str, u32)>) -> KeptRound {
    let is_asked_again = |member: &str| {
        but.is_some_and(|(name, nth)| name == member && u32::try_from(part.index + 1) == Ok(nth))
    };
    let stays = part.responses.iter().filter(|answer| answer.is_good() && !is_asked_again(&answer.member));
    let seats: BTreeSet<String> = stays.map(|answer| answer.member.clone()).collect();
    let ballots = seats.len() == part.responses.len()
        && !part.ballots.is_empty()
        && part.ballots.iter().all(|ballot| ballot.error.is_none());
    KeptRound { seats, ballots }
}
