//! What is kept of a run for the analytics: how its answers were placed, which ballots counted, who
//! wrote the final answer. No content and no name that a user has given, so it may outlive the
//! conversation.

use super::features::Deliberation;
use super::ranking::aggregate::AggregateRow;
use super::ranking::ballots::{OwnPlace, counted_tiers};
use super::ranking::bradley_terry::Ballot;
use super::ranking::certainty::Correlations;
use super::ranking::effects::{self, Cast, Effects, Leanings, Seen};
use super::ranking::label::Label;
use super::stages::answers::Answer;
use super::stages::reviews::Review;

/// What a run adds to the analytics.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The model that wrote the final answer; `None` when writing it failed, or a member's answer was
    /// taken over as it was.
    pub chairman: Option<String>,
    /// Whether it wrote in place of a chairman that failed; choosing among drafts is not writing.
    pub stood_in: bool,
    /// The ballots as they were counted.
    pub ballots: Vec<Ballot>,
    /// The leanings that each counted ballot shows, with its author's model.
    pub leanings: Vec<(String, Leanings)>,
    /// How far the ballots, and the orders in which they were read, agree.
    pub correlations: Option<Correlations>,
    /// The computed probability that the first answer is the best, not yet calibrated by people's picks.
    pub first_is_best: Option<f64>,
    /// The answers, including late and unranked ones.
    pub placings: Vec<Placing>,
}

/// How one answer was placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Placing {
    /// Its place in the stored list of answers, from 0.
    pub seat: usize,
    pub model: String,
    /// 1 to 10, where the member stated one.
    pub confidence: Option<u8>,
    /// `None` when no counted ballot places it.
    pub standing: Option<Standing>,
}

/// Where the reviewers put an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its place in the headline order, 1 the best; answers that share a place have the same number.
    pub place: u32,
    /// The mean of its places over the ballots that place it.
    pub average_rank: f64,
    /// The Borda score, 0 to 1; `None` when nothing could be compared.
    pub borda: Option<f64>,
    pub first_place_votes: f64,
    /// Its share of the first place: 1 alone, 0.5 of two, 0 behind.
    pub won: f64,
}

impl Figures {
    /// The figures of a deliberation; `None` when nobody answered.
    #[must_use]
    pub fn of(deliberation: &Deliberation) -> Option<Self> {
        // An earlier answer given again counts for the run that gave it first.
        if deliberation.is_repeated() {
            return None;
        }
        let answers = deliberation.answers();
        let rows = &deliberation.metadata.aggregate_rankings;
        let placings: Vec<Placing> = answers
            .iter()
            .enumerate()
            .filter(|(_, answer)| answer.is_good())
            .map(|(seat, answer)| Placing {
                seat,
                model: answer.counted_as().to_owned(),
                confidence: answer.confidence,
                standing: standing(rows, &answer.member),
            })
            .collect();
        let written = deliberation.stage3.as_ref().filter(|synthesis| {
            let is_taken_over =
                |answer: &Answer| answer.model == synthesis.model && answer.response == synthesis.response;
            synthesis.error.is_none() && !answers.iter().any(is_taken_over)
        });
        // Of a question that was taken apart there is only the writer of the final answer.
        if placings.is_empty() && written.is_none() {
            return None;
        }
        let reviews = deliberation.stage2.as_deref().unwrap_or_default();
        let counted: Vec<&Review> = reviews.iter().filter(|review| review.counts).collect();
        let effects = shown_by(deliberation, &counted);
        let authors = counted.iter().map(|review| review.counted_as().to_owned());
        let certainty = deliberation.metadata.aggregate.as_ref().and_then(|facts| facts.certainty.as_ref());
        Some(Self {
            chairman: written.map(|synthesis| synthesis.counted_as().to_owned()),
            stood_in: written.is_some_and(|synthesis| synthesis.fallback_for.is_some()),
            ballots: reviews.iter().filter_map(|review| ballot(deliberation, review)).collect(),
            placings,
            leanings: authors.zip(effects.leanings).collect(),
            correlations: effects.correlations,
            first_is_best: certainty.map(|certainty| certainty.uncalibrated),
        })
    }
}

/// The effects that these reviews show, with their ballots as cast.
fn shown_by(deliberation: &Deliberation, counted: &[&Review]) -> Effects {
    let metadata = &deliberation.metadata;
    let answers = deliberation.answers();
    let ranked: Vec<(Label, &Answer)> = metadata
        .label_to_member
        .iter()
        .filter_map(|(label, member)| Some((*label, answers.iter().find(|answer| answer.member == *member)?)))
        .collect();
    let seen: Vec<Seen<'_>> = ranked
        .iter()
        .map(|(_, answer)| Seen {
            member: &answer.member,
            model: answer.counted_as(),
            length: answer.response.chars().count(),
        })
        .collect();
    let numbers = |labels: &[Label]| -> Vec<usize> {
        labels.iter().filter_map(|label| ranked.iter().position(|(known, _)| known == label)).collect()
    };
    let cast: Vec<Cast<'_>> = counted
        .iter()
        .map(|review| Cast {
            member: &review.member,
            model: review.counted_as(),
            tiers: review.tiers.iter().map(|tier| numbers(tier)).collect(),
            order: numbers(review.reading_order()),
        })
        .collect();
    effects::effects(&seen, &cast)
}

fn standing(rows: &[AggregateRow], member: &str) -> Option<Standing> {
    let row = rows.iter().find(|row| row.member == member)?;
    // 0 in rows of versions that did not store places yet.
    if row.place == 0 {
        return None;
    }
    let firsts = rows.iter().filter(|row| row.place == 1).count();
    Some(Standing {
        place: row.place,
        average_rank: row.average_rank,
        borda: row.borda,
        first_place_votes: row.first_place_votes,
        won: if row.place == 1 { 1.0 / u32::try_from(firsts).map_or(f64::MAX, f64::from) } else { 0.0 },
    })
}

/// A review's ballot over models, as the headline counts it; `None` when it compares nothing.
fn ballot(deliberation: &Deliberation, review: &Review) -> Option<Ballot> {
    let metadata = &deliberation.metadata;
    let ranked = metadata.label_to_member.len();
    let own =
        metadata.aggregate.as_ref().map_or(OwnPlace::AsCast, |facts| facts.own_place(&review.member, ranked));
    let answers = deliberation.answers();
    let is_own = |label: &Label| metadata.label_to_member.get(label) == Some(&review.member);
    let model = |label: &Label| {
        let member = metadata.label_to_member.get(label)?;
        answers.iter().find(|answer| answer.member == *member).map(|answer| answer.counted_as().to_owned())
    };
    let tiers: Ballot = counted_tiers(&review.tiers, is_own, own)
        .iter()
        .map(|tier| tier.iter().filter_map(model).collect::<Vec<_>>())
        .filter(|tier| !tier.is_empty())
        .collect();
    (review.counts && tiers.len() > 1).then_some(tiers)
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
