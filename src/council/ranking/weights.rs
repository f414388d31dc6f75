//! What a model's earlier runs say about it, and how much its ballot weighs for that (SPEC section 11).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::methods::count;
use super::weight_facts::{WeightBound, WeightFact, WeightPart, WeightsFact};
use crate::llm::fact::known;
use crate::llm::{family, floats};

/// What every model begins with.
const BASE: f64 = 1.0;
/// What a model gets that always came first.
const FOR_WINS: f64 = 1.5;
/// What a model gets whose average rank is 1; divided by the rank.
const FOR_RANK: f64 = 0.5;
/// What a model gets that is always certain.
const FOR_CONFIDENCE: f64 = 0.1;
/// No ballot weighs less, before weights are evened out.
const LEAST: f64 = 0.3;
/// No ballot weighs more, before weights are evened out.
const MOST: f64 = 2.5;
/// With fewer runs than this a record says too little.
const MIN_RUNS: u32 = 2;

/// One model's record over the newest 2,000 ranked answers that one user's councils gave: what its
/// weight is made of.
///
/// A run counts once for each seat the model had in it, and only where its answer was ranked: late
/// answers, and those that no counted ballot places, say nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Record {
    /// Its ranked answers.
    pub runs: u32,
    /// How many of them came first, in percent, 0 to 100. A shared first place is a part of one: a
    /// half of two, a third of three.
    pub win_rate: f64,
    /// The mean over those runs of its average rank, 1 the best; absent without any.
    pub average_rank: Option<f64>,
    /// The mean of the confidences it gave, 1 to 10; absent where it never gave one.
    pub average_confidence: Option<f64>,
}

/// The records of the models that may take part in a run, as they were when it began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Weighing {
    #[serde(default)]
    pub records: BTreeMap<String, Record>,
}

/// What one model's ballot weighs, and why. Figures are rounded to 4 decimals, and the votes are counted with the
/// rounded ones: readers of the figures can count again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ModelWeight {
    pub model: String,
    /// Its ranked answers so far.
    pub runs: u32,
    /// `runs` under the name that other llm-council servers have for it.
    #[serde(default)]
    pub total_queries: u32,
    /// How many of them came first, in percent.
    pub win_rate: f64,
    /// The mean of its average ranks; absent without a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_rank: Option<f64>,
    /// The mean of the confidences it gave; absent where it never gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_confidence: Option<f64>,
    /// Whether it has runs enough to be weighed by them.
    pub has_history: bool,
    /// What the formula gives.
    pub raw_weight: f64,
    /// The raw weight within its bounds, 0.3 to 2.5.
    pub weight: f64,
    /// The weight over the average of all participants: what its ballot counts.
    pub normalized_weight: f64,
    /// The sum in words and figures.
    pub weight_explanation: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub weight_explanation_fact: Option<WeightFact>,
}

/// What the ballots of several models weigh, in the fields that existing clients read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WeightsInfo {
    /// By model id; a model with two seats stands here once.
    pub weights: BTreeMap<String, ModelWeight>,
    /// Whether any of them has runs enough to be weighed by them.
    pub has_historical_data: bool,
    pub models_with_history: u32,
    pub total_models_tracked: u32,
    pub weight_range: WeightRange,
    pub explanation: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub explanation_fact: Option<WeightsFact>,
}

/// The smallest and the largest weight, before they are evened out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WeightRange {
    pub min: f64,
    pub max: f64,
}

impl Weighing {
    /// The records of these models, out of all.
    #[must_use]
    pub fn of<'a>(records: &BTreeMap<String, Record>, models: impl IntoIterator<Item = &'a str>) -> Self {
        let may_take_part = may_take_part(models);
        let records = records.iter().filter(|(model, _)| may_take_part(model));
        Self { records: records.map(|(model, record)| (model.clone(), *record)).collect() }
    }

    /// Weighs the participants, one entry per seat; their normalised weights average 1.
    #[must_use]
    pub fn weigh<'a>(&self, participants: impl IntoIterator<Item = &'a str>) -> WeightsInfo {
        let mut weights = BTreeMap::new();
        let mut seats = Vec::new();
        for model in participants {
            let weighed = || self.one(model);
            let weight = weights.entry(model.to_owned()).or_insert_with(weighed);
            seats.push(weight.weight);
        }
        let average = seats.iter().sum::<f64>() / count(seats.len().max(1));
        for weight in weights.values_mut() {
            weight.normalized_weight = rounded(weight.weight / average);
        }
        WeightsInfo::over(weights)
    }

    fn one(&self, model: &str) -> ModelWeight {
        let record = self.records.get(model).copied().unwrap_or_default();
        let (raw, fact) = formula(&record);
        let weight = raw.clamp(LEAST, MOST);
        ModelWeight {
            model: model.to_owned(),
            runs: record.runs,
            total_queries: record.runs,
            win_rate: rounded(record.win_rate),
            average_rank: record.average_rank.map(rounded),
            average_confidence: record.average_confidence.map(rounded),
            has_history: record.runs >= MIN_RUNS,
            raw_weight: rounded(raw),
            weight: rounded(weight),
            normalized_weight: BASE,
            weight_explanation: fact.to_string(),
            weight_explanation_fact: Some(fact),
        }
    }
}

/// Whether a model may be one of these. Which model a floating name stands for is known only once it has answered: it
/// may be any model of that maker.
pub(super) fn may_take_part<'a>(models: impl IntoIterator<Item = &'a str>) -> impl Fn(&str) -> bool {
    let models: BTreeSet<&str> = models.into_iter().collect();
    let makers: BTreeSet<&str> = models.iter().filter(|id| floats(id)).map(|id| family(id)).collect();
    move |model| models.contains(model) || makers.contains(family(model))
}

/// The weight before its bounds, and how it comes about.
fn formula(record: &Record) -> (f64, WeightFact) {
    if record.runs < MIN_RUNS {
        return (BASE, WeightFact::TooFewRuns { weight: BASE, runs: record.runs, needed: MIN_RUNS });
    }
    let win_rate = record.win_rate;
    let mut parts = vec![
        WeightPart::Base { weight: BASE },
        WeightPart::Wins { weight: win_rate / 100.0 * FOR_WINS, win_rate },
    ];
    if let Some(average_rank) = record.average_rank {
        // No rank is better than the first; a smaller figure would weigh without bound.
        parts.push(WeightPart::Rank { weight: FOR_RANK / average_rank.max(1.0), average_rank });
    }
    if let Some(average_confidence) = record.average_confidence {
        let weight = (average_confidence - 1.0) / 9.0 * FOR_CONFIDENCE;
        parts.push(WeightPart::Confidence { weight, average_confidence });
    }
    let raw = parts.iter().map(|part| part.weight()).sum();
    let bound = if raw > MOST {
        Some(WeightBound::AtMost { weight: MOST })
    } else if raw < LEAST {
        Some(WeightBound::AtLeast { weight: LEAST })
    } else {
        None
    };
    (raw, WeightFact::Sum { parts, raw, bound })
}

impl WeightsInfo {
    fn over(weights: BTreeMap<String, ModelWeight>) -> Self {
        let with_history = weights.values().filter(|weight| weight.has_history).count();
        let all = || weights.values().map(|weight| weight.weight);
        let range = WeightRange {
            min: all().min_by(f64::total_cmp).unwrap_or(BASE),
            max: all().max_by(f64::total_cmp).unwrap_or(BASE),
        };
        let fact = if with_history == 0 {
            WeightsFact::NoRecords { needed: MIN_RUNS }
        } else {
            let (with_records, models) = (with_history, weights.len());
            WeightsFact::Weighed { with_records, models, min: range.min, max: range.max }
        };
        Self {
            has_historical_data: with_history > 0,
            models_with_history: small(with_history),
            total_models_tracked: small(weights.len()),
            weight_range: range,
            explanation: fact.to_string(),
            explanation_fact: Some(fact),
            weights,
        }
    }

    /// What the ballot of this model counts; 1 for one that is not among them.
    #[must_use]
    pub fn of(&self, model: &str) -> f64 {
        self.weights.get(model).map_or(BASE, |weight| weight.normalized_weight)
    }
}

fn small(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;
