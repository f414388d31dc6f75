//! What an earlier run leaves for one that asks again.

use super::estimate::Kept;
use super::features::{Deliberation, Lookups};
use super::fork::{Again, Part};
use super::formats::decomposition::stored::StoredDecomposition;
use super::stages::answers::Answer;

impl Again {
    /// The same of this answer: where it has no answers of a council, a seat is one that speaks in a round.
    #[must_use]
    pub fn in_format_of(self, earlier: &Deliberation) -> Self {
        match self {
            Self::Member(member) if earlier.stage1.is_none() && earlier.format.has_rounds() => {
                Self::Speaker { member, round: 1 }
            }
            Self::Member(_) | Self::Speaker { .. } | Self::Failed | Self::From(_) => self,
        }
    }

    /// What of this answer stays.
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

    /// Whether no answer and no opening is asked for again, nor the reviews themselves.
    fn keeps_what_is_reviewed(&self) -> bool {
        match self {
            Self::Failed | Self::From(Part::Stage3) => true,
            Self::Speaker { round, .. } => *round > 1,
            Self::Member(_) | Self::From(Part::Stage1 | Part::Stage2) => false,
        }
    }
}

/// Whether the reviews, or the ballots over the openings of a debate, come out the same with what is there.
fn has_whole_reviews(earlier: &Deliberation) -> bool {
    let answers = earlier.answers();
    let reviews = earlier.stage2.as_deref().unwrap_or_default();
    // An answer that is there or in time now, and was not, changes what the reviewers read.
    let were_read = |answer: &Answer| answer.is_good() && !answer.late;
    !answers.is_empty()
        && answers.iter().all(were_read)
        // They were held to their end, and everybody who was to review did.
        && earlier.metadata.aggregate.is_some()
        && earlier.metadata.abstained.is_empty()
        && reviews.iter().all(|review| review.error.is_none())
}
