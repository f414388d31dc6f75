//! What is known of reviewers from earlier runs: how much each prefers its own answer and what it reads early, and
//! how far reviewers agree. Shrunk to a prior, so that a few runs move little.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::weights::may_take_part;

/// How much a model prefers itself before anything is known of it: nothing is corrected without evidence.
///
/// Models differ too much for another figure. Against people's judgement, the win rate that a judge gave itself was 10
/// points too high for GPT-4, 25 for Claude-v1 and not too high for GPT-3.5 (Zheng et al. 2023, "Judging
/// LLM-as-a-Judge", section 3.3). A prior of 0.1 instead of 0 changed the share of best answers found by at most 0.2 points
/// in eight settings of the simulation of `benches/judges`, and would give unanimous ballots odd figures.
const OWN_PRIOR: f64 = 0.0;
/// How many ballots that prior is worth: the variance of one ballot's figure (0.17, by simulation of four
/// members) over that of the three figures above about 0 (0.024).
const OWN_STRENGTH: f64 = 7.0;
/// How many ballots the prior of the position effect is worth: one ballot's variance 0.33, that of models' effects
/// about 0.04.
const POSITION_STRENGTH: f64 = 8.0;
/// The correlation of two reviewers' ballots before anything is known: that of reviewers whose noise is one and a half
/// times as large as the spread of the answers.
const AGREEMENT_PRIOR: f64 = 0.3;
/// How many runs that is worth.
const AGREEMENT_STRENGTH: f64 = 20.0;

/// A sum, and how many values are in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    pub count: u32,
    pub sum: f64,
}

impl Tally {
    /// The mean, as if `strength` more values had been `prior`.
    #[must_use]
    pub fn shrunk(self, prior: f64, strength: f64) -> f64 {
        prior.mul_add(strength, self.sum) / (f64::from(self.count) + strength)
    }

    /// The plain mean; `None` without values.
    #[must_use]
    pub fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }

    /// What is left when `part` is taken out of it.
    fn without(self, part: Self) -> Self {
        let count = self.count.saturating_sub(part.count);
        Self { count, sum: if count == 0 { 0.0 } else { self.sum - part.sum } }
    }
}

/// What one model's ballots have in common. Places are fractions here: 0 the first, 1 the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewerRecord {
    /// How much better it places its own answers than the others do.
    pub own: Tally,
    /// How much worse it places what it reads last than what it reads first.
    pub position: Tally,
}

/// What is known of the reviewers of a run, as it was when the run began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReviewerRecords {
    /// By model, over this user's runs.
    #[serde(default)]
    pub user: BTreeMap<String, ReviewerRecord>,
    /// By model, over everybody's runs, this user's among them. No content.
    #[serde(default)]
    pub instance: BTreeMap<String, ReviewerRecord>,
    /// The mean correlation of two ballots, one value for each of this user's runs.
    #[serde(default)]
    pub agreement: Tally,
    /// The mean correlation of two reading orders, one value for each of those runs.
    #[serde(default)]
    pub reading: Tally,
    /// What people picked, against what was said before; see [`super::certainty`].
    #[serde(default)]
    pub picks: Picks,
}

/// How far the probabilities that were said were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Picks {
    /// How many times people said which answer was the best.
    pub count: u32,
    /// What is added to the log odds of a probability.
    pub offset: f64,
}

/// How much a model prefers its own answers, and from how many ballots that is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OwnPreference {
    /// In fractions of the ranking, positive when it places itself better than the others do.
    pub value: f64,
    pub ballots: u32,
    /// The ballots of other users.
    pub others_ballots: u32,
}

impl ReviewerRecords {
    /// The records of the models that may take part in a run.
    #[must_use]
    pub fn of<'a>(&self, models: impl IntoIterator<Item = &'a str>) -> Self {
        let may_take_part = may_take_part(models);
        let kept = |records: &BTreeMap<String, ReviewerRecord>| {
            let kept = records.iter().filter(|(model, _)| may_take_part(model));
            kept.map(|(model, record)| (model.clone(), *record)).collect()
        };
        Self { user: kept(&self.user), instance: kept(&self.instance), ..self.clone() }
    }

    /// How much this model prefers itself: by this user's runs, shrunk to what others' runs say, and that to the
    /// prior (an empirical Bayes estimate, Efron & Morris 1975).
    #[must_use]
    pub fn own_preference(&self, model: &str) -> OwnPreference {
        let (user, others) = self.pair(model, |record| record.own);
        let prior = others.shrunk(OWN_PRIOR, OWN_STRENGTH);
        OwnPreference {
            value: user.shrunk(prior, OWN_STRENGTH).clamp(-1.0, 1.0),
            ballots: user.count,
            others_ballots: others.count,
        }
    }

    /// How much worse this model places what it reads last than what it reads first, in fractions of the ranking.
    #[must_use]
    pub fn position_effect(&self, model: &str) -> f64 {
        let (user, others) = self.pair(model, |record| record.position);
        user.shrunk(others.shrunk(0.0, POSITION_STRENGTH), POSITION_STRENGTH).clamp(-0.9, 0.9)
    }

    /// The correlation to expect of two reviewers' ballots, after a run in which it was `seen`.
    #[must_use]
    pub fn expected_agreement(&self, seen: Option<f64>) -> f64 {
        let Tally { count, sum } = self.agreement;
        let seen_too = Tally { count: count + u32::from(seen.is_some()), sum: sum + seen.unwrap_or(0.0) };
        seen_too.shrunk(AGREEMENT_PRIOR, AGREEMENT_STRENGTH)
    }

    fn pair(&self, model: &str, of: impl Fn(&ReviewerRecord) -> Tally) -> (Tally, Tally) {
        let user = self.user.get(model).map(&of).unwrap_or_default();
        let instance = self.instance.get(model).map(&of).unwrap_or_default();
        (user, instance.without(user))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(count: u32, mean: f64) -> Tally {
        Tally { count, sum: mean * f64::from(count) }
    }

    fn own(count: u32, mean: f64) -> BTreeMap<String, ReviewerRecord> {
        let record = ReviewerRecord { own: tally(count, mean), ..ReviewerRecord::default() };
        [("m/a".to_owned(), record)].into()
    }

    /// Worked by hand: 0.7 from 7 ballots, shrunk to 0 as strongly: 0.35.
    #[test]
    fn a_preference_is_shrunk_to_nothing() {
        let records = ReviewerRecords { user: own(7, 0.7), ..ReviewerRecords::default() };
        let preference = records.own_preference("m/a");
        assert!((preference.value - 0.35).abs() < 1e-12);
        assert_eq!((preference.ballots, preference.others_ballots), (7, 0));
        assert_eq!(records.own_preference("m/unknown"), OwnPreference::default());
    }

    /// Worked by hand: others' 14 ballots of 0.6 make a prior of 14·0.6/21 = 0.4; one's own 7 of 0.2 then
    /// (1.4 + 2.8) / 14 = 0.3.
    #[test]
    fn what_others_saw_is_where_ones_own_runs_begin() {
        let mut instance = own(14, 0.6);
        let all = instance.get_mut("m/a").unwrap();
        all.own = Tally { count: 21, sum: all.own.sum + 1.4 };
        let records = ReviewerRecords { user: own(7, 0.2), instance, ..ReviewerRecords::default() };
        let preference = records.own_preference("m/a");
        assert!((preference.value - 0.3).abs() < 1e-12);
        assert_eq!((preference.ballots, preference.others_ballots), (7, 14));
    }

    #[test]
    fn a_stale_sum_over_everybody_takes_nothing_away() {
        let records =
            ReviewerRecords { user: own(7, 0.7), instance: own(3, 0.9), ..ReviewerRecords::default() };
        assert!((records.own_preference("m/a").value - 0.35).abs() < 1e-12);
    }

    /// Worked by hand: 20 runs of the prior 0.3 and one of 0.93 are (6 + 0.93) / 21 = 0.33.
    #[test]
    fn agreement_begins_at_its_prior() {
        let records = ReviewerRecords::default();
        assert!((records.expected_agreement(None) - 0.3).abs() < 1e-12);
        assert!((records.expected_agreement(Some(0.93)) - 0.33).abs() < 1e-12);
    }
}
