//! How likely it is that the answer the ballots put first really is the best one.
//!
//! The model: a reviewer's score for an answer is the answer's quality, plus an error that all reviewers share (they
//! were trained on much the same texts), plus one of its own; all three are normal. Two ballots correlate by what
//! reviewers have in common, quality and shared error alike, and that correlation can be seen. Which part of it is
//! error cannot be seen in ballots: it is [`SHARED_ERROR`], until people say which answer was the best.
//!
//! From that follow how much the ballots are worth (Kish 1965: k votes whose errors correlate by ρ are worth
//! k / (1 + (k - 1) ρ) independent ones), the posterior of each answer's quality given its mean place, and the
//! probability that the first is the best of all (Thurstone's comparative judgement, 1927, for more than two).
//! `benches/judges` shows how well the probabilities hold where the truth is known; docs/ballots.md what they leave out.

use serde::{Deserialize, Serialize};

use super::methods::{Places, count};
use super::records::ReviewerRecords;

/// The part of what reviewers agree on that is no quality: a third.
///
/// Where two language models both err on multiple-choice questions they choose the same wrong answer in about 60 % of the
/// cases, where chance gives a third (Kim, Garg, Peng & Garg 2025, "Correlated Errors in Large Language Models").
const SHARED_ERROR: f64 = 1.0 / 3.0;
/// How many people's picks the calibration begins with: its offset is 0 with a standard deviation of a half, in log odds.
const OFFSET_PRECISION: f64 = 4.0;
/// Below this it is a close call.
const LIKELY: f64 = 0.5;
/// From here on it is clear.
const CLEAR: f64 = 0.75;

/// What the ballots of one run are worth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Certainty {
    /// Ballots that count.
    pub ballots: u32,
    /// How many independent ballots they are worth, to one decimal.
    pub worth: f64,
    /// The probability that the answer put first is the best of them, 0 to 1, to 2 decimals.
    pub first_is_best: f64,
    /// That probability before people's picks were taken into account.
    #[serde(default)]
    pub uncalibrated: f64,
    pub verdict: Verdict,
    /// How far two ballots can be expected to agree, the order of reading apart: a correlation, 0 to 1.
    pub agreement: f64,
    /// The earlier runs that say so.
    pub runs: u32,
    /// How often people said which answer was the best, by which the probability is calibrated.
    pub picks: u32,
    /// The certainty in a sentence.
    pub explanation: String,
}

/// The probability in a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Less likely than not.
    #[default]
    CloseCall,
    Likely,
    /// Three in four, or more.
    Clear,
}

/// What there is to judge by. Places are fractions here: 0 the first, 1 the last.
pub struct Evidence<'a> {
    /// Each answer's mean place, the first one of the headline order first.
    pub places: &'a [f64],
    /// The weights of the ballots.
    pub weights: &'a [f64],
    /// How far these ballots, and the orders they were read in, correlate; none of fewer than two.
    pub correlations: Option<Correlations>,
    /// The mean position effect of these reviewers ([`ReviewerRecords::position_effect`]).
    pub position_effect: f64,
}

/// Mean correlations over all pairs of reviewers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlations {
    /// Of their ballots.
    pub ballots: f64,
    /// Of the orders in which they read the answers.
    pub reading: f64,
}

/// How certain the first place is; none where there is nothing to compare.
#[must_use]
pub fn certainty(evidence: &Evidence<'_>, records: &ReviewerRecords) -> Option<Certainty> {
    let answers = evidence.places.len();
    let total: f64 = evidence.weights.iter().sum();
    if answers < 2 || total <= 0.0 {
        return None;
    }
    let squares: f64 = evidence.weights.iter().map(|weight| weight * weight).sum();
    let ballots = total * total / squares;
    let agreement = agreement(evidence, records);
    let model = Model::of(answers, agreement, ballots, evidence.position_effect);
    let plain = model.first_is_best(evidence.places);
    let first_is_best = hundredths(shifted(plain, records.picks.offset));
    let verdict = match first_is_best {
        ..LIKELY => Verdict::CloseCall,
        ..CLEAR => Verdict::Likely,
        _ => Verdict::Clear,
    };
    let mut certainty = Certainty {
        ballots: u32::try_from(evidence.weights.len()).unwrap_or(u32::MAX),
        worth: (model.worth * 10.0).round() / 10.0,
        first_is_best,
        uncalibrated: hundredths(plain),
        verdict,
        agreement: hundredths(agreement),
        runs: records.agreement.count,
        picks: records.picks.count,
        explanation: String::new(),
    };
    certainty.explanation = certainty.in_words();
    Some(certainty)
}

impl Certainty {
    fn in_words(&self) -> String {
        let percent = (self.first_is_best * 100.0).round();
        let (ballots, worth) = (self.ballots, self.worth);
        let call = match self.verdict {
            Verdict::CloseCall => "a close call",
            Verdict::Likely => "likely",
            Verdict::Clear => "clear",
        };
        if ballots == 1 {
            format!("One ballot; {call}: {percent} % that the first answer is the best.")
        } else {
            format!(
                "{ballots} ballots, worth about {worth}; {call}: {percent} % that the first answer is the best."
            )
        }
    }
}

/// The correlation of two ballots without what comes of reading in another order: with a position effect β, ballots
/// correlate by (1 - β²) times the one looked for, plus β² times that of the reading orders.
fn agreement(evidence: &Evidence<'_>, records: &ReviewerRecords) -> f64 {
    let seen = records.expected_agreement(evidence.correlations.map(|of| of.ballots));
    let reading = records.reading;
    let reading = evidence.correlations.map_or(reading.sum, |of| reading.sum + of.reading)
        / f64::from(reading.count + u32::from(evidence.correlations.is_some())).max(1.0);
    let effect = evidence.position_effect.powi(2).min(0.8);
    ((seen - effect * reading) / (1.0 - effect)).clamp(0.02, 0.95)
}

/// The variances of the model, in squared fractions of the ranking.
struct Model {
    /// Of the answers' quality.
    quality: f64,
    /// Of the error of an answer's mean place.
    error: f64,
    /// The ballots in independent ones.
    worth: f64,
}

impl Model {
    fn of(answers: usize, agreement: f64, ballots: f64, position_effect: f64) -> Self {
        let n = count(answers);
        // Of the places 0 to 1 on one ballot; the position effect takes its part of it.
        let total = (n + 1.0) / (12.0 * (n - 1.0)) * (1.0 - position_effect.powi(2));
        let quality = (1.0 - SHARED_ERROR) * agreement * total;
        let shared = SHARED_ERROR * agreement * total;
        let own = (1.0 - agreement) * total;
        let correlation = shared / (shared + own);
        Self {
            quality,
            error: shared + own / ballots,
            worth: ballots / (1.0 + (ballots - 1.0) * correlation),
        }
    }

    /// The probability that the first of these is the best, each mean place being its quality and an error.
    fn first_is_best(&self, places: &[f64]) -> f64 {
        let shrink = self.quality / (self.quality + self.error);
        let sd = (shrink * self.error).sqrt();
        let means: Vec<f64> = places.iter().map(|place| -shrink * place / sd).collect();
        // The trapezoidal rule: for a smooth integrand that vanishes at both ends it is as good as exact.
        let step = 0.1;
        (-60..=60)
            .map(|at| {
                let x = f64::from(at) * step;
                let others = means[1..].iter().map(|mean| normal_cdf(means[0] + x - mean));
                step * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * others.product::<f64>()
            })
            .sum()
    }
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// A probability with something added to its log odds.
fn shifted(probability: f64, offset: f64) -> f64 {
    let odds = probability / (1.0 - probability).max(1e-9) * offset.exp();
    odds / (1.0 + odds)
}

/// What to add to the log odds of probabilities that were said, so that they fit what people picked: for each pick
/// what had been said, and whether the first answer was it. A logistic regression on nothing but an intercept, with
/// a normal prior (Platt scaling, 1999, without the slope).
#[must_use]
pub fn calibration(picks: &[(f64, bool)]) -> f64 {
    let mut offset = 0.0;
    for _ in 0..20 {
        let (mut slope, mut curve) = (-OFFSET_PRECISION * offset, OFFSET_PRECISION);
        for (said, first) in picks {
            let now = shifted(said.clamp(0.01, 0.99), offset);
            slope += f64::from(u8::from(*first)) - now;
            curve += now * (1.0 - now);
        }
        offset += slope / curve;
    }
    offset
}

/// The mean correlations of these ballots and of the orders they were read in, `reading[reviewer][answer]` being when
/// it was read, 0 first to 1 last. None where no two ballots have two answers in common.
#[must_use]
pub fn correlations(ballots: &[Places], reading: &[Vec<Option<f64>>]) -> Option<Correlations> {
    let mut sums = (0.0, 0.0, 0_u32);
    for (a, one) in ballots.iter().enumerate() {
        for (b, other) in ballots.iter().enumerate().skip(a + 1) {
            let common: Vec<usize> =
                (0..one.of.len()).filter(|at| one.of[*at].is_some() && other.of[*at].is_some()).collect();
            let of = |places: &[Option<f64>]| -> Vec<f64> {
                common.iter().filter_map(|at| places.get(*at).copied().flatten()).collect()
            };
            let Some(places) = correlation(&of(&one.of), &of(&other.of)) else { continue };
            let orders = correlation(&of(&reading[a]), &of(&reading[b])).unwrap_or_default();
            sums = (sums.0 + places, sums.1 + orders, sums.2 + 1);
        }
    }
    let pairs = f64::from(sums.2);
    (sums.2 > 0).then(|| Correlations { ballots: sums.0 / pairs, reading: sums.1 / pairs })
}

/// Pearson's correlation; of ranks, Spearman's. None where one of them does not vary.
#[must_use]
pub fn correlation(one: &[f64], other: &[f64]) -> Option<f64> {
    let n = count(one.len().min(other.len()));
    let (mean_one, mean_other) = (one.iter().sum::<f64>() / n, other.iter().sum::<f64>() / n);
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (a, b) in one.iter().zip(other) {
        both += (a - mean_one) * (b - mean_other);
        first += (a - mean_one).powi(2);
        second += (b - mean_other).powi(2);
    }
    let scale = f64::sqrt(first * second);
    (scale > 1e-12).then(|| both / scale)
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
#[path = "certainty_tests.rs"]
mod tests;
