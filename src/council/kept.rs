//! What an earlier run leaves for one that asks again.

use super::estimate::Kept;
use super::features::Deliberation;
use super::fork::{Again, Part};
use super::stages::answers::Answer;

impl Again {
    /// What of this answer stays.
    #[must_use]
    pub fn kept(&self, earlier: &Deliberation) -> Kept {
        let (part, but) = match self {
            Self::Failed => (Part::Stage3, None),
            Self::Member(name) => (Part::Stage2, Some(name)),
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
