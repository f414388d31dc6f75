//! What the process monitor says of its events, and who is being asked by them.

use serde_json::json;

use super::{Review, ReviewsEvent, ReviewsMetadata, STAGE};
use crate::council::any_event::FeatureEvent;
use crate::council::asking::Asking;
use crate::council::note::{MODELS, Note, NoteCategory, STAGES, failed, stage_of};
use crate::llm::ErrorKind;

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
            stage_of("Stage 2", "review the answers without knowing whose they are", members)
        }
        ReviewsEvent::Stage2ModelComplete { member, data, .. } => reviewed(member, data),
        ReviewsEvent::Stage2Complete { data, metadata } => stage2_over(data, metadata),
    }
}

fn reviewed(member: &str, review: &Review) -> Note {
    if let Some(error) = &review.error {
        let reason = ErrorKind::reason_or(review.error_kind, error);
        return failed(MODELS, member, &review.model, "gave no review", reason);
    }
    let tiers: Vec<String> = review
        .tiers
        .iter()
        .map(|tier| tier.iter().map(ToString::to_string).collect::<Vec<_>>().join(" = "))
        .collect();
    let details = json!({ "model": review.model, "ranking": review.parsed_ranking, "counts": review.counts });
    let note = if review.counts {
        Note::new(MODELS, NoteCategory::Success, format!("{member} ranked: {}", tiers.join(" > ")))
    } else {
        let message = format!("{member} reviewed; its text holds no ballot that counts");
        Note::new(MODELS, NoteCategory::Warning, message)
    };
    note.with(details)
}

fn stage2_over(reviews: &[Review], metadata: &ReviewsMetadata) -> Note {
    let ballots = reviews.iter().filter(|review| review.counts).count();
    let Some(first) = metadata.aggregate_rankings.first().filter(|_| ballots > 0) else {
        return Note::new(STAGES, NoteCategory::Warning, "Stage 2: no ranking".to_owned());
    };
    let details = json!({
        "ballots": ballots, "asked": reviews.len(), "first": first.member, "average_rank": first.average_rank,
    });
    let tie = metadata.aggregate.as_ref().is_some_and(|facts| facts.winner_is_tie);
    let verdict =
        if tie { "the first place is shared".to_owned() } else { format!("{} is first", first.member) };
    let message = format!("Stage 2: {ballots} of {} ballots count, {verdict}", reviews.len());
    Note::new(STAGES, NoteCategory::Success, message).with(details)
}
