//! Ballots as they were cast and as they count: own votes left out or corrected, position effects taken out.

use serde::{Deserialize, Serialize};

use super::certainty::{Certainty, Evidence, certainty, correlations};
use super::effects::reading;
use super::label::Label;
use super::methods::{self, Places};
use super::records::ReviewerRecords;
use super::self_votes::SelfVotes;

/// An answer that is ranked.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub label: Label,
    pub model: String,
    /// The seat's name.
    pub member: String,
}

/// A reviewer's ballot.
#[derive(Debug, Clone)]
pub struct Vote {
    pub model: String,
    /// The seat's name.
    pub member: String,
    /// The model by whose record its leanings are known.
    pub counted_as: String,
    /// Best first; empty: an abstention.
    pub tiers: Vec<Vec<Label>>,
    /// The answers in the order in which they were read.
    pub order_shown: Vec<Label>,
    /// How much the ballot counts where weights are on; see [`super::weights`].
    pub weight: f64,
}

/// How ballots are counted.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    pub self_votes: SelfVotes,
    /// What is known of the reviewers.
    pub records: &'a ReviewerRecords,
    /// Whether the weights make the order. Where all ballots weigh the same they change nothing, and
    /// the order is the plain one to the last digit.
    pub weights_on: bool,
}

/// What a reviewer's place for its own answer counts, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Correction {
    /// The reviewer, whose answer it is too.
    pub member: String,
    /// The model by whose record it is corrected.
    pub model: String,
    /// Where the reviewer put its own answer; 1 is the first.
    pub place: f64,
    /// The place as it counts, to 2 decimals.
    pub counted_place: f64,
    /// How many places better than the others do this model puts its own answers, to 2 decimals.
    pub preference: f64,
    /// From how many ballots of this user's runs that is known,
    pub ballots: u32,
    /// and from how many of other users' runs.
    pub others_ballots: u32,
}

/// Where a reviewer's own answer stands on its ballot, as it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OwnPlace {
    /// Nowhere.
    LeftOut,
    AsCast,
    /// This many places further down (or up, if negative): whole ones, so that a small correction breaks no tie, except
    /// where the ballot ends before.
    Moved(f64),
}

/// A ballot as it counts: with its author's own answer at its place. Tiers without an answer are gone.
#[must_use]
pub fn counted_tiers(
    tiers: &[Vec<Label>],
    is_own: impl Fn(&Label) -> bool,
    own: OwnPlace,
) -> Vec<Vec<Label>> {
    let mut placed: Vec<(f64, Label)> = Vec::new();
    let mut taken = 0.0;
    for tier in tiers {
        let size = methods::count(tier.len());
        let shared = taken + (size + 1.0) / 2.0;
        taken += size;
        for label in tier {
            match own {
                OwnPlace::LeftOut if is_own(label) => {}
                OwnPlace::Moved(places) if is_own(label) => placed.push((shared + places, *label)),
                OwnPlace::LeftOut | OwnPlace::AsCast | OwnPlace::Moved(_) => {
                    placed.push((shared, *label));
                }
            }
        }
    }
    placed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    placed
        .chunk_by(|(a, _), (b, _)| a == b)
        .map(|tier| tier.iter().map(|(_, label)| *label).collect())
        .collect()
}

/// The ballots that were cast, by the numbers of the candidates.
pub(super) struct Ballots {
    /// As they were cast.
    pub whole: Vec<Places>,
    /// As they count.
    pub counted: Vec<Places>,
    /// As they count where only the order matters: own answers are moved by whole places, so that a small correction
    /// breaks no tie, and nothing else is moved.
    pub ordered: Vec<Places>,
    /// As they would count without corrections.
    pub uncorrected: Vec<Places>,
    /// When each reviewer read each answer, 0 first to 1 last.
    pub reading: Vec<Vec<Option<f64>>>,
    pub corrections: Vec<Correction>,
    pub position_corrected: bool,
}

impl Ballots {
    pub fn of(candidates: &[Candidate], cast: &[&Vote], settings: Settings<'_>) -> Self {
        let without_own = settings.self_votes == SelfVotes::LeftOut;
        let places = |without_own| -> Vec<Places> {
            cast.iter().map(|vote| places(candidates, vote, without_own)).collect()
        };
        let uncorrected = places(without_own);
        let index = |label: &Label| candidates.iter().position(|candidate| candidate.label == *label);
        let read = |vote: &&Vote| {
            let order: Vec<usize> = vote.order_shown.iter().filter_map(index).collect();
            reading(candidates.len(), &order)
        };
        let mut ballots = Self {
            whole: places(false),
            counted: uncorrected.clone(),
            ordered: uncorrected.clone(),
            uncorrected,
            reading: cast.iter().map(read).collect(),
            corrections: Vec::new(),
            position_corrected: false,
        };
        if settings.self_votes == SelfVotes::Adjusted {
            ballots.correct(candidates, cast, settings.records);
        }
        ballots
    }

    /// Takes out what is known of each reviewer: of its preference for its own answer, and, where the orders of
    /// reading do not cancel it, of its position effect.
    fn correct(&mut self, candidates: &[Candidate], cast: &[&Vote], records: &ReviewerRecords) {
        let balanced = is_balanced(&self.reading, candidates.len());
        for (at, vote) in cast.iter().enumerate() {
            let places = &mut self.counted[at];
            let effect = if balanced { 0.0 } else { records.position_effect(&vote.counted_as) };
            if effect.abs() > 1e-9 {
                self.position_corrected = true;
                for (answer, read) in self.reading[at].iter().enumerate() {
                    places.move_by(answer, read.map_or(0.0, |read| -effect * (read - 0.5)));
                }
            }
            let own = candidates.iter().position(|candidate| candidate.member == vote.member);
            let known = records.own_preference(&vote.counted_as);
            let Some((own, place)) = own.and_then(|own| Some((own, self.whole[at].of[own]?))) else {
                continue;
            };
            let last = methods::count(candidates.len()) - 1.0;
            let preference = rounded(known.value * last);
            if preference == 0.0 {
                continue;
            }
            // By the rounded figure, so that readers can check the result.
            places.move_by(own, preference / last);
            self.ordered[at].move_by(own, preference.round() / last);
            self.corrections.push(Correction {
                member: vote.member.clone(),
                model: vote.counted_as.clone(),
                place,
                counted_place: rounded(places.of[own].unwrap_or(place)),
                preference,
                ballots: known.ballots,
                others_ballots: known.others_ballots,
            });
        }
    }

    pub fn is_corrected(&self) -> bool {
        self.position_corrected || !self.corrections.is_empty()
    }

    /// How certain it is that the first of this order is the best.
    pub fn certainty(&self, cast: &[&Vote], order: &[usize], settings: Settings<'_>) -> Option<Certainty> {
        let weights: Vec<f64> =
            cast.iter().map(|vote| if settings.weights_on { vote.weight } else { 1.0 }).collect();
        let borda = if settings.weights_on { methods::weighted_borda } else { methods::borda };
        let places: Vec<f64> =
            order.iter().filter_map(|answer| Some(1.0 - borda(&self.counted, *answer)?)).collect();
        let effects: Vec<f64> =
            cast.iter().map(|vote| settings.records.position_effect(&vote.counted_as)).collect();
        let evidence = Evidence {
            places: &places,
            weights: &weights,
            correlations: correlations(&self.whole, &self.reading),
            position_effect: methods::mean(&effects).unwrap_or_default(),
        };
        certainty(&evidence, settings.records)
    }
}

/// Whether every answer was read as late as every other one, on the average.
fn is_balanced(reading: &[Vec<Option<f64>>], answers: usize) -> bool {
    let mean = |answer: usize| {
        let read: Vec<f64> = reading.iter().filter_map(|order| order[answer]).collect();
        methods::mean(&read)
    };
    let means: Vec<Option<f64>> = (0..answers).map(mean).collect();
    means.windows(2).all(|pair| match (pair[0], pair[1]) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a.is_none() && b.is_none(),
    })
}

/// A vote's places; without the reviewer's own answer when self-votes are left out.
fn places(candidates: &[Candidate], vote: &Vote, without_own: bool) -> Places {
    let index = |label: &Label| candidates.iter().position(|candidate| candidate.label == *label);
    let tiers: Vec<Vec<usize>> =
        vote.tiers.iter().map(|tier| tier.iter().filter_map(index).collect()).collect();
    let own = candidates.iter().position(|candidate| candidate.member == vote.member);
    Places::new(candidates.len(), &tiers, own.filter(|_| without_own), vote.weight)
}

/// To 2 decimals.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
