//! What a run that asks again keeps of the earlier one.

use super::estimate::Kept;
use super::features::{Deliberation, Lookups};
use super::formats::decomposition::stored::StoredDecomposition;
use super::rerun::{Part, RerunScope};
use super::stages::answers::Answer;

impl RerunScope {
    /// Adapts it to the format of the earlier answer: in one with rounds, a member is the speaker of the first round.
    #[must_use]
    pub fn in_format_of(self, earlier: &Deliberation) -> Self {
        match self {
            Self::Member(member) if earlier.stage1.is_none() && earlier.format.has_rounds() => {
                Self::Speaker { member, round: 1 }
            }
            Self::Member(_) | Self::Speaker { .. } | Self::Failed | Self::From(_) => self,
        }
    }

    /// What is kept of the earlier answer.
    #[must_use]
    pub fn kept(&self, earlier: &Deliberation) -> Kept {
        if *self == Self::From(Part::Stage1) {
            return Kept::default();
        }
        let but = match self {
            Self::Speaker { member, round } => Some((member.as_str(), *round)),
            Self::Failed | Self::Member(_) | Self::From(_) => None,
        };
        let answers = earlier.stage1.as_deref().unwrap_or_default();
        let stays = |answer: &&Answer| answer.is_good() && *self != Self::Member(answer.member.clone());
        Kept {
            answers: answers.iter().filter(stays).map(|answer| answer.member.clone()).collect(),
            reviews: self.keeps_what_is_reviewed() && has_whole_reviews(earlier),
            rounds: earlier.format.kept(but),
            parts: earlier.format.decomposition.as_ref().and_then(StoredDecomposition::kept_parts),
            looked_up: Lookups::kept(earlier),
        }
    }

    /// Whether neither answers or openings nor the reviews themselves are asked for again.
    fn keeps_what_is_reviewed(&self) -> bool {
        match self {
            Self::Failed | Self::From(Part::Stage3) => true,
            Self::Speaker { round, .. } => *round > 1,
            Self::Member(_) | Self::From(Part::Stage1 | Part::Stage2) => false,
        }
    }
}

/// Whether the requests for reviews, or for ballots on the openings of a debate, will be the same as before.
fn has_whole_reviews(earlier: &Deliberation) -> bool {
    let answers = earlier.answers();
    let reviews = earlier.stage2.as_deref().unwrap_or_default();
    // An answer that was missing or late before changes what the reviewers read.
    let were_read = |answer: &Answer| answer.is_good() && !answer.late;
    !answers.is_empty()
        && answers.iter().all(were_read)
        // The reviews were completed, and everybody who was to review did.
        && earlier.metadata.aggregate.is_some()
        && earlier.metadata.abstained.is_empty()
        && reviews.iter().all(|review| review.error.is_none())
}
