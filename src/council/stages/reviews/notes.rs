//! What the process monitor says of its events, and who is being asked by them.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{Labelled, Review, ReviewsEvent, ReviewsMetadata, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{EVERYTHING, MODELS, Note, NoteCategory, STAGES, asked_in, reason};
use crate::council::ranking::label::Label;
use crate::council::run::Run;
use crate::council::seat;
use crate::llm::Reason;

/// The process monitor's notes on the reviews.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ReviewsNote {
    ReviewersAsked {
        asked: usize,
    },
    Ranked {
        member: String,
        /// The answers' labels from the first place on; those of one place together.
        places: Vec<Vec<String>>,
    },
    /// There is a review, and no ballot in it that counts.
    NoBallot {
        member: String,
    },
    NotReviewed {
        member: String,
        reason: Reason,
    },
    /// The answers go to the reviewers without names.
    LabelsAssigned {
        labels: Vec<String>,
    },
    NoRanking,
    BallotsCounted {
        counted: usize,
        asked: usize,
        /// Absent where the first place is shared.
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<String>,
    },
}

impl fmt::Display for ReviewsNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReviewersAsked { asked } => {
                let review = "review the answers without knowing whose they are";
                f.write_str(&asked_in("Stage 2", *asked, review))
            }
            Self::Ranked { member, places } => {
                let places: Vec<String> = places.iter().map(|labels| labels.join(" = ")).collect();
                write!(f, "{member} ranked: {}", places.join(" > "))
            }
            Self::NoBallot { member } => {
                write!(f, "{member} reviewed; its text holds no ballot that counts")
            }
            Self::NotReviewed { member, reason } => write!(f, "{member} gave no review: {reason}"),
            Self::LabelsAssigned { labels } => {
                write!(f, "The answers go to the reviewers as {}, drawn at random", labels.join(", "))
            }
            Self::NoRanking => f.write_str("Stage 2: no ranking"),
            Self::BallotsCounted { counted, asked, first } => {
                write!(f, "Stage 2: {counted} of {asked} ballots count, ")?;
                match first {
                    Some(member) => write!(f, "{member} is first"),
                    None => f.write_str("the first place is shared"),
                }
            }
        }
    }
}

impl FeatureEvent for ReviewsEvent {
    fn note(&self) -> Option<Note> {
        Some(note(self))
    }

    fn asking(&self) -> Option<Asking> {
        match self {
            Self::Stage2Start { members, .. } => Some(Asking::begins(STAGE, members)),
            Self::Stage2ModelComplete { member, .. } => Some(Asking::ends(STAGE, member)),
            Self::Stage2Complete { .. } => None,
        }
    }
}

fn note(event: &ReviewsEvent) -> Note {
    match event {
        ReviewsEvent::Stage2Start { members, .. } => {
            let fact = ReviewsNote::ReviewersAsked { asked: members.len() };
            Note::of(STAGES, NoteCategory::Stage, &fact).with(json!({ "members": seat::names(members) }))
        }
        ReviewsEvent::Stage2ModelComplete { data, .. } => reviewed(data),
        ReviewsEvent::Stage2Complete { data, metadata } => stage2_over(data, metadata),
    }
}

/// The note on these labels, under which a reviewer reads.
pub(in crate::council) async fn remark_labels(run: &Run, key: &str, labelled: &[Labelled<'_>]) {
    run.remark(key, || {
        let mut labels: Vec<Label> = labelled.iter().map(|entry| entry.label).collect();
        labels.sort_unstable();
        let labels = labels.iter().map(ToString::to_string).collect();
        Note::of(EVERYTHING, NoteCategory::Info, &ReviewsNote::LabelsAssigned { labels })
    })
    .await;
}

/// The note on one review.
pub(in crate::council) fn reviewed(review: &Review) -> Note {
    let member = review.member.clone();
    if let Some(error) = &review.error {
        let reason = reason(review.error_kind, review.error_fact.as_ref(), error);
        return Note::of(MODELS, NoteCategory::Error, &ReviewsNote::NotReviewed { member, reason })
            .with(json!({ "model": review.model }));
    }
    let (category, fact) = if review.counts {
        let places = review.tiers.iter().map(|tier| tier.iter().map(ToString::to_string).collect()).collect();
        (NoteCategory::Success, ReviewsNote::Ranked { member, places })
    } else {
        (NoteCategory::Warning, ReviewsNote::NoBallot { member })
    };
    Note::of(MODELS, category, &fact)
        .with(json!({ "model": review.model, "ranking": review.parsed_ranking, "counts": review.counts }))
}

fn stage2_over(reviews: &[Review], metadata: &ReviewsMetadata) -> Note {
    let (counted, asked) = (reviews.iter().filter(|review| review.counts).count(), reviews.len());
    let Some(first) = metadata.aggregate_rankings.first().filter(|_| counted > 0) else {
        return Note::of(STAGES, NoteCategory::Warning, &ReviewsNote::NoRanking);
    };
    let details = json!({
        "ballots": counted, "asked": asked, "first": first.member, "average_rank": first.average_rank,
    });
    let tie = metadata.aggregate.as_ref().is_some_and(|facts| facts.winner_is_tie);
    let first = Some(first.member.clone()).filter(|_| !tie);
    let fact = ReviewsNote::BallotsCounted { counted, asked, first };
    Note::of(STAGES, NoteCategory::Success, &fact).with(details)
}
