//! What is said of the three stages and the title.

use serde_json::json;

use super::{MODELS, Note, NoteCategory, STAGES, failed, seconds};
use crate::council::stages::answers::{Answer, AnswersEvent, AnswersMetadata, Seat};
use crate::council::stages::reviews::{Review, ReviewsEvent, ReviewsMetadata};
use crate::council::stages::synthesis::{Synthesis, SynthesisEvent};
use crate::council::stages::title::TitleEvent;

pub(super) fn of_answers(event: &AnswersEvent) -> Option<Note> {
    Some(match event {
        AnswersEvent::Stage1Start { members, .. } => stage_of("Stage 1", "are asked", members),
        AnswersEvent::Stage1ModelComplete { member, data, .. } => answered(member, data),
        AnswersEvent::Stage1Error { member, model, error, .. } => {
            failed(MODELS, member, model, "gave no answer", error)
        }
        AnswersEvent::Stage1Complete { data, metadata } => stage1_over(data, metadata),
        AnswersEvent::Stage1Token { .. } | AnswersEvent::Stage1ReasoningToken { .. } => return None,
    })
}

fn stage_of(stage: &str, are_asked: &str, members: &[Seat]) -> Note {
    let names: Vec<&str> = members.iter().map(|seat| seat.member.as_str()).collect();
    let message = match names.len() {
        0 => format!("{stage}: nobody is asked"),
        count => format!("{stage}: {count} members {are_asked}"),
    };
    Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "members": names }))
}

fn answered(member: &str, answer: &Answer) -> Note {
    let late = if answer.late { ", late" } else { "" };
    let sure = answer.confidence.map_or_else(String::new, |score| format!(", confidence {score} of 10"));
    let took = seconds(answer.latency_ms);
    let details = json!({
        "model": answer.model, "confidence": answer.confidence, "latency_ms": answer.latency_ms,
        "tokens": answer.usage.map(|usage| usage.total_tokens),
    });
    Note::new(MODELS, NoteCategory::Success, format!("{member} answered{took}{sure}{late}")).with(details)
}

fn stage1_over(answers: &[Answer], metadata: &AnswersMetadata) -> Note {
    let good = answers.iter().filter(|answer| answer.is_good()).count();
    let pending = answers.iter().filter(|answer| answer.pending).count();
    let still = if pending > 0 { format!(", {pending} still at it") } else { String::new() };
    let confidence = &metadata.aggregate_confidence;
    let sure =
        confidence.average.map_or_else(String::new, |average| format!(", confidence {average:.1} of 10"));
    let category = if good == answers.len() { NoteCategory::Success } else { NoteCategory::Warning };
    let details = json!({
        "answered": good, "asked": answers.len(), "pending": pending, "average_confidence": confidence.average,
    });
    let message = format!("Stage 1: {good} of {} members answered{still}{sure}", answers.len());
    Note::new(STAGES, category, message).with(details)
}

pub(super) fn of_reviews(event: &ReviewsEvent) -> Note {
    match event {
        ReviewsEvent::Stage2Start { members } => {
            stage_of("Stage 2", "review the answers without knowing whose they are", members)
        }
        ReviewsEvent::Stage2ModelComplete { member, data, .. } => reviewed(member, data),
        ReviewsEvent::Stage2Complete { data, metadata } => stage2_over(data, metadata),
    }
}

fn reviewed(member: &str, review: &Review) -> Note {
    if let Some(error) = &review.error {
        return failed(MODELS, member, &review.model, "gave no review", error);
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

pub(super) fn of_synthesis(event: &SynthesisEvent) -> Option<Note> {
    Some(match event {
        // What follows tells of it.
        SynthesisEvent::Stage3Start { use_multi_chairman: true, .. } => return None,
        SynthesisEvent::Stage3Start { model, .. } => {
            Note::new(STAGES, NoteCategory::Stage, format!("Stage 3: {model} writes the answer"))
                .with(json!({ "model": model }))
        }
        SynthesisEvent::Stage3Error { model, error, .. } => {
            failed(STAGES, model, model, "could not write the answer", error)
        }
        SynthesisEvent::Stage3Complete { is_consensus: true, .. } => return None,
        SynthesisEvent::Stage3Complete { data, .. } => written(data),
        SynthesisEvent::Stage3Token { .. } | SynthesisEvent::Stage3ReasoningToken { .. } => return None,
    })
}

fn written(synthesis: &Synthesis) -> Note {
    if synthesis.error.is_some() {
        return Note::new(STAGES, NoteCategory::Error, "Stage 3: nobody could write the answer");
    }
    let took = seconds(synthesis.latency_ms);
    let message = format!("Stage 3: {} has written the answer{took}", synthesis.model);
    Note::new(STAGES, NoteCategory::Success, message)
        .with(json!({ "model": synthesis.model, "latency_ms": synthesis.latency_ms }))
}

pub(super) fn of_title(event: &TitleEvent) -> Note {
    let TitleEvent::TitleComplete { data } = event;
    Note::new(MODELS, NoteCategory::Success, format!("The conversation is called “{}”", data.title))
}
