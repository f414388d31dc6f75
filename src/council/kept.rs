//! What an earlier run leaves for one that asks again.

use super::estimate::Kept;
use super::features::Deliberation;
use super::fork::{Again, Part};
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
        let (part, but) = match self {
            Self::Failed => (Part::Stage3, None),
            Self::Member(name) => (Part::Stage2, Some(name)),
            // What is kept of other formats is not counted.
            Self::Speaker { .. } => return Kept::default(),
            Self::From(part) => (*part, None),
        };
        if part == Part::Stage1 {
            return Kept::default();
        }
        let answers = earlier.stage1.as_deref().unwrap_or_default();
        let reviews = earlier.stage2.as_deref().unwrap_or_default();
        // An answer that is there or in time now, and was not, changes what the reviewers read.
        let were_read = |answer: &Answer| answer.is_good() && !answer.late;
        let stays = |answer: &&Answer| answer.is_good() && but != Some(&answer.member);
        Kept {
            answers: answers.iter().filter(stays).map(|answer| answer.member.clone()).collect(),
            reviews: part == Part::Stage3
                && !answers.is_empty()
                && answers.iter().all(were_read)
                // They were held to their end, and everybody who was to review did.
                && earlier.metadata.aggregate.is_some()
                && earlier.metadata.abstained.is_empty()
                && reviews.iter().all(|review| review.error.is_none()),
        }
    }
}
