//! What a single ballot shows of its author's leanings: for its own answer, for what it reads first, for long answers
//! and for its maker's models. One ballot says little; the ledger has the means over many.
//!
//! Places are fractions: 0 the first, 1 the last. All leanings but that for the position are measured against what
//! the other reviewers of the same answers say, since an answer may be long, or one's own, and good.

use super::certainty::{Correlations, correlations};
use super::methods::{Places, count, mean};
use crate::llm::family;

/// An answer as reviewers saw it.
#[derive(Debug, Clone)]
pub struct Seen<'a> {
    /// The seat's name.
    pub member: &'a str,
    /// The model that wrote it.
    pub model: &'a str,
    /// Its length in characters.
    pub length: usize,
}

/// A counted ballot over such answers, by their numbers.
#[derive(Debug, Clone)]
pub struct Cast<'a> {
    pub member: &'a str,
    pub model: &'a str,
    /// Best first, ties together.
    pub tiers: Vec<Vec<usize>>,
    /// The answers as they were read.
    pub order: Vec<usize>,
}

/// What one ballot shows. Absent where it cannot be told.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Leanings {
    /// How much better it places its own answer than the others do.
    pub own: Option<f64>,
    /// How much worse it places what it read last than what it read first.
    pub position: Option<f64>,
    /// How much better than the others it places the longest answer, beside the shortest.
    pub length: Option<f64>,
    /// How much better than the others it places other models of its own maker.
    pub family: Option<f64>,
}

/// What the ballots of one run show.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effects {
    /// One for each ballot.
    pub leanings: Vec<Leanings>,
    pub correlations: Option<Correlations>,
}

/// When each answer was read: 0 first, 1 last.
#[must_use]
pub fn reading(answers: usize, order: &[usize]) -> Vec<Option<f64>> {
    let last = count(order.len().saturating_sub(1)).max(1.0);
    let place = |answer| order.iter().position(|one| *one == answer).map(|place| count(place) / last);
    (0..answers).map(place).collect()
}

/// Looks at the ballots of one run.
#[must_use]
pub fn effects(answers: &[Seen<'_>], ballots: &[Cast<'_>]) -> Effects {
    let n = answers.len();
    let places: Vec<Places> = ballots.iter().map(|cast| Places::new(n, &cast.tiers, None, 1.0)).collect();
    let fractions: Vec<Vec<Option<f64>>> = places.iter().map(Places::fractions).collect();
    let read: Vec<Vec<Option<f64>>> = ballots.iter().map(|cast| reading(n, &cast.order)).collect();
    let lengths = longest_first(answers);
    let leanings = ballots
        .iter()
        .enumerate()
        .map(|(at, cast)| {
            let better_than_others = |answer: usize| {
                let others: Vec<f64> = fractions
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .filter_map(|(_, of)| of[answer])
                    .collect();
                Some(mean(&others)? - fractions[at][answer]?)
            };
            let own = answers.iter().position(|answer| answer.member == cast.member);
            let kin: Vec<f64> = (0..n)
                .filter(|one| Some(*one) != own && family(answers[*one].model) == family(cast.model))
                .filter_map(better_than_others)
                .collect();
            let slopes: Vec<f64> = fractions
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .filter_map(|(_, of)| slope(of, &lengths))
                .collect();
            Leanings {
                own: own.and_then(better_than_others),
                position: slope(&fractions[at], &read[at]),
                length: slope(&fractions[at], &lengths).and_then(|of_it| Some(of_it - mean(&slopes)?)),
                family: mean(&kin),
            }
        })
        .collect();
    Effects { leanings, correlations: correlations(&places, &read) }
}

/// The place of each answer by its length, 0 the longest; equal ones share theirs.
fn longest_first(answers: &[Seen<'_>]) -> Vec<Option<f64>> {
    let last = count(answers.len().saturating_sub(1)).max(1.0);
    answers
        .iter()
        .map(|answer| {
            let longer = answers.iter().filter(|other| other.length > answer.length).count();
            let same = answers.iter().filter(|other| other.length == answer.length).count();
            Some((count(longer) + (count(same) - 1.0) / 2.0) / last)
        })
        .collect()
}

/// The least-squares slope of one set of places over another; none where the other does not vary.
fn slope(places: &[Option<f64>], over: &[Option<f64>]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = places.iter().zip(over).filter_map(|(y, x)| Some(((*y)?, (*x)?))).collect();
    let y_mean = mean(&pairs.iter().map(|(y, _)| *y).collect::<Vec<_>>())?;
    let x_mean = mean(&pairs.iter().map(|(_, x)| *x).collect::<Vec<_>>())?;
    let both: f64 = pairs.iter().map(|(y, x)| (y - y_mean) * (x - x_mean)).sum();
    let spread: f64 = pairs.iter().map(|(_, x)| (x - x_mean).powi(2)).sum();
    (spread > 1e-12).then(|| both / spread)
}

#[cfg(test)]
#[path = "effects_tests.rs"]
mod tests;
