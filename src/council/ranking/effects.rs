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
    /// How much better than the others it places the longest answer, compared with the shortest.
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
    let leanings = (0..ballots.len())
        .map(|at| {
            let own = answers.iter().position(|answer| answer.member == ballots[at].member);
            Leanings {
                own: own.and_then(|own| better_than_others(&fractions, at, own)),
                position: slope(&fractions[at], &read[at]),
                ..leanings_to_others(answers, ballots, at, own)
            }
        })
        .collect();
    Effects { leanings, correlations: correlations(&places, &read) }
}

/// What a ballot shows besides, its author's own answer left aside on all of them: it would be taken for a leaning to
/// whatever that answer is like.
fn leanings_to_others(answers: &[Seen<'_>], ballots: &[Cast<'_>], at: usize, own: Option<usize>) -> Leanings {
    let n = answers.len();
    let fractions: Vec<Vec<Option<f64>>> =
        ballots.iter().map(|cast| Places::new(n, &cast.tiers, own, 1.0).fractions()).collect();
    let lengths = longest_first(answers, own);
    let (kin, strangers): (Vec<usize>, Vec<usize>) = (0..n)
        .filter(|one| Some(*one) != own)
        .partition(|one| family(answers[*one].model) == family(ballots[at].model));
    // Favouring some answers puts others lower: where all are of one maker the mean is zero by definition.
    let kin: Vec<f64> = if strangers.is_empty() { Vec::new() } else { kin }
        .into_iter()
        .filter_map(|one| better_than_others(&fractions, at, one))
        .collect();
    let others: Vec<f64> =
        others(&fractions, at).filter_map(|fractions| slope(fractions, &lengths)).collect();
    Leanings {
        length: slope(&fractions[at], &lengths).and_then(|of_it| Some(of_it - mean(&others)?)),
        family: mean(&kin),
        ..Leanings::default()
    }
}

fn others(fractions: &[Vec<Option<f64>>], at: usize) -> impl Iterator<Item = &Vec<Option<f64>>> {
    fractions.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, of)| of)
}

/// How much better a ballot places an answer than the others do.
fn better_than_others(fractions: &[Vec<Option<f64>>], at: usize, answer: usize) -> Option<f64> {
    let by_others: Vec<f64> = others(fractions, at).filter_map(|of| of[answer]).collect();
    Some(mean(&by_others)? - fractions[at][answer]?)
}

/// The place of each answer but this one by length, 0 the longest; equal ones share a place.
fn longest_first(answers: &[Seen<'_>], but_for: Option<usize>) -> Vec<Option<f64>> {
    let ranked: Vec<usize> = (0..answers.len()).filter(|one| Some(*one) != but_for).collect();
    let last = count(ranked.len().saturating_sub(1)).max(1.0);
    let length = |one: usize| answers[one].length;
    let mut places = vec![None; answers.len()];
    for one in &ranked {
        let longer = ranked.iter().filter(|other| length(**other) > length(*one)).count();
        let same = ranked.iter().filter(|other| length(**other) == length(*one)).count();
        places[*one] = Some((count(longer) + (count(same) - 1.0) / 2.0) / last);
    }
    places
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
