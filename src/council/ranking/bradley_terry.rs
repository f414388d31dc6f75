//! Strengths from comparisons (Bradley and Terry, 1952): the chance that a is put above b is
//! p(a) / (p(a) + p(b)). The strengths are those that make what was seen most likely. How far they can be
//! trusted comes from drawing the runs again, with replacement (the bootstrap): what one run says is one
//! thing, since its ballots judge the same answers.
//!
//! Every model also has one drawn game against an imagined opponent of average strength. Without it
//! a model that has never lost would be infinitely strong; after a dozen runs it hardly weighs.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A ballot in models: places, best first; models in one place are tied.
pub type Ballot = Vec<Vec<String>>;

/// The rating of average strength; 400 more means ten times as strong, as in chess.
pub const AVERAGE: f64 = 1000.0;
const TENFOLD: f64 = 400.0;
/// The games against the imagined opponent.
const IMAGINED: f64 = 1.0;
const MAX_ROUNDS: usize = 200;
/// The longest step: far from the top Newton's own would overshoot it.
const LONGEST_STEP: f64 = 2.0;
/// The step below which the strengths count as converged: far below anything a rating shows.
const STILL: f64 = 1e-9;

/// What runs have said, each by itself.
#[derive(Debug, Default)]
pub struct Tally {
    models: BTreeMap<String, usize>,
    /// The games of all runs, one run after the other: they are read thousands of times, in this order.
    games: Vec<Game>,
    /// Where each run's games end.
    ends: Vec<usize>,
}

/// How often, in one run, the first model was put above the second; a tie is half of one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Game {
    above: usize,
    below: usize,
    times: f64,
}

/// A model on the leaderboard.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    pub model: String,
    /// [`AVERAGE`] for average strength.
    pub rating: f64,
    /// The middle 95 % of the ratings over the draws lie from here …
    pub low: f64,
    /// … to here.
    pub high: f64,
    /// Comparisons with other models.
    pub comparisons: u64,
    /// How many of them it won; a tie is half of one.
    pub wins: f64,
    /// Runs that compare it with another model.
    pub runs: u64,
}

impl Tally {
    /// Takes in one run's ballots. A model that sits twice is not compared with itself.
    pub fn add(&mut self, ballots: &[Ballot]) {
        let mut games: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for ballot in ballots {
            let placed: Vec<(usize, usize)> = ballot
                .iter()
                .enumerate()
                .flat_map(|(place, models)| models.iter().map(move |model| (place, model)))
                .map(|(place, model)| (place, self.index(model)))
                .collect();
            for (at, (place, a)) in placed.iter().enumerate() {
                for (other, b) in placed.iter().skip(at + 1).filter(|(_, b)| a != b) {
                    if place == other {
                        *games.entry((*a, *b)).or_default() += 0.5;
                        *games.entry((*b, *a)).or_default() += 0.5;
                    } else {
                        *games.entry((*a, *b)).or_default() += 1.0;
                    }
                }
            }
        }
        if !games.is_empty() {
            self.games.extend(games.into_iter().map(|((above, below), times)| Game { above, below, times }));
            self.ends.push(self.games.len());
        }
    }

    /// How many runs compare anything.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.ends.len()
    }

    /// The games of each run.
    fn each_run(&self) -> impl Iterator<Item = &[Game]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.games[start..*end])
    }

    fn index(&mut self, model: &str) -> usize {
        if let Some(known) = self.models.get(model) {
            return *known;
        }
        let next = self.models.len();
        self.models.insert(model.to_owned(), next);
        next
    }

    /// The models that were compared, the strongest first, with intervals from so many draws. The same
    /// seed gives the same intervals.
    #[must_use]
    pub fn leaderboard(&self, draws: usize, seed: u64) -> Vec<Rated> {
        let whole = Wins::of(self.models.len(), self.each_run().map(|games| (games, 1.0)));
        let ratings = ratings(&whole, IMAGINED);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(draws); self.models.len()];
        let mut times = vec![0.0; self.runs()];
        for _ in 0..draws {
            times.fill(0.0);
            for _ in 0..self.runs() {
                times[below(&mut rng, self.runs())] += 1.0;
            }
            let again = Wins::of(self.models.len(), self.each_run().zip(times.iter().copied()));
            for (model, rating) in self::ratings(&again, IMAGINED).iter().enumerate() {
                drawn[model].push(*rating);
            }
        }
        let mut rated: Vec<Rated> = self
            .models
            .iter()
            .map(|(model, index)| {
                let sorted = &mut drawn[*index];
                sorted.sort_by(f64::total_cmp);
                let (comparisons, wins) = whole.games_of(*index);
                Rated {
                    model: model.clone(),
                    rating: ratings[*index],
                    low: quantile(sorted, 0.025).unwrap_or(ratings[*index]),
                    high: quantile(sorted, 0.975).unwrap_or(ratings[*index]),
                    comparisons,
                    wins,
                    runs: self.runs_with(*index),
                }
            })
            .filter(|rated| rated.comparisons > 0)
            .collect();
        rated.sort_by(|a, b| b.rating.total_cmp(&a.rating).then_with(|| a.model.cmp(&b.model)));
        rated
    }

    fn runs_with(&self, model: usize) -> u64 {
        let with = |games: &&[Game]| games.iter().any(|game| game.above == model || game.below == model);
        self.each_run().filter(with).count() as u64
    }
}

/// How often each model was put above each of the others.
struct Wins {
    models: usize,
    of: Vec<f64>,
}

impl Wins {
    /// Each run's games, as often as it says.
    fn of<'a>(models: usize, runs: impl Iterator<Item = (&'a [Game], f64)>) -> Self {
        let mut wins = Self { models, of: vec![0.0; models * models] };
        for (games, times) in runs {
            for game in games {
                wins.of[game.above * models + game.below] += game.times * times;
            }
        }
        wins
    }

    fn above(&self, a: usize, b: usize) -> f64 {
        self.of[a * self.models + b]
    }

    /// Games with another model, and how many were won.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ties come in two halves: a whole number that is not negative"
    )]
    fn games_of(&self, model: usize) -> (u64, f64) {
        let wins: f64 = (0..self.models).map(|other| self.above(model, other)).sum();
        let losses: f64 = (0..self.models).map(|other| self.above(other, model)).sum();
        ((wins + losses).round() as u64, wins)
    }
}

fn ratings(wins: &Wins, imagined: f64) -> Vec<f64> {
    let tenfold = |strength: f64| strength / std::f64::consts::LN_10;
    strengths(wins, imagined).into_iter().map(|strength| AVERAGE + TENFOLD * tenfold(strength)).collect()
}

/// The logarithms of the most likely strengths, with so many games drawn against an opponent of strength
/// 1 (logarithm 0).
///
/// By Newton's method. The usual way, the MM algorithm (Hunter, 2004), takes thousands of rounds where two
/// groups of models hardly met, as before and after a change of the whole council: it then seems to have converged long
/// before it has.
fn strengths(wins: &Wins, imagined: f64) -> Vec<f64> {
    let n = wins.models;
    let mut strengths = vec![0.0; n];
    for _ in 0..MAX_ROUNDS {
        // Wins seen less wins expected, and how fast the expected ones change.
        let mut missing = vec![0.0; n];
        let mut change = vec![0.0; n * n];
        for i in 0..n {
            let chance = chance(strengths[i], 0.0);
            missing[i] += imagined * (0.5 - chance);
            change[i * n + i] += imagined * chance * (1.0 - chance);
            for j in i + 1..n {
                let games = wins.above(i, j) + wins.above(j, i);
                let chance = self::chance(strengths[i], strengths[j]);
                let surprise = wins.above(i, j) - games * chance;
                missing[i] += surprise;
                missing[j] -= surprise;
                let bend = games * chance * (1.0 - chance);
                change[i * n + i] += bend;
                change[j * n + j] += bend;
                change[j * n + i] -= bend;
            }
        }
        let step = solve(change, missing);
        let longest = step.iter().fold(0.0, |longest: f64, one| longest.max(one.abs()));
        let shorter = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
        strengths.iter_mut().zip(&step).for_each(|(strength, one)| *strength += one * shorter);
        if longest < STILL {
            break;
        }
    }
    strengths
}

/// The chance that the first wins, by the logarithms of the strengths.
fn chance(first: f64, second: f64) -> f64 {
    1.0 / (1.0 + (second - first).exp())
}

/// Solves `matrix * x = right` for a symmetric positive definite matrix, of which the lower half is read
/// (Cholesky).
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for column in 0..n {
        for row in column..n {
            let done: f64 = (0..column).map(|k| matrix[row * n + k] * matrix[column * n + k]).sum();
            let rest = matrix[row * n + column] - done;
            matrix[row * n + column] = if row == column {
                // Rounding may turn a tiny probability into 0.
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[column * n + column]
            };
        }
    }
    for row in 0..n {
        let done: f64 = (0..row).map(|k| matrix[row * n + k] * right[k]).sum();
        right[row] = (right[row] - done) / matrix[row * n + row];
    }
    for row in (0..n).rev() {
        let done: f64 = (row + 1..n).map(|k| matrix[k * n + row] * right[k]).sum();
        right[row] = (right[row] - done) / matrix[row * n + row];
    }
    right
}

/// A number below `n`, which is not 0. The bias of the modulo is far below what intervals show.
fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    usize::try_from(rng.next_u64() % (n as u64)).unwrap_or(0)
}

/// The value below which this share of the sorted values lies (nearest rank); `None` without values.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "an index into a list of draws"
)]
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

#[cfg(test)]
#[path = "bradley_terry_tests.rs"]
mod tests;
