//! The table of a bench, made from the outcomes alone: the same outcomes give the same table, in whatever order
//! they came.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::graders::Verdict;
use super::outcome::{Outcome, Spent};
use super::statistics::{Interval, count, difference, median, share};

/// Where a bench stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BenchStatus)]
pub enum Status {
    /// It is under way.
    Running,
    /// It was stopped, or its process has died; it can be resumed.
    Stopped,
    /// What was left of its budget, or of its user's, was not enough for the next question; it can be resumed.
    OverBudget,
    /// Every question was asked of every variant.
    Complete,
}

impl Status {
    /// Reads the name in the database; one of a newer version is taken for stopped.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let all = [Self::Running, Self::Stopped, Self::OverBudget, Self::Complete];
        all.into_iter().find(|status| status.as_str() == name).unwrap_or(Self::Stopped)
    }

    /// The name in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::OverBudget => "over_budget",
            Self::Complete => "complete",
        }
    }
}

/// What is compared: a council with its options, or one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BenchVariantKind)]
pub enum VariantKind {
    Council,
    /// One model asked alone, with one call.
    Model,
}

/// How many answers were right, and what became of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchScore)]
pub struct Score {
    /// The answers that count: all but those that nobody could grade.
    pub counted: usize,
    pub right: usize,
    /// Of the wrong ones: those in which no answer was found.
    pub unreadable: usize,
    /// Of the wrong ones: those about which the judge said one thing and then the other.
    pub undecided: usize,
    /// Of the wrong ones: those that did not come.
    pub failed: usize,
    /// Not counted: the judge did not answer, or a budget was used up in the middle.
    pub ungraded: usize,
    /// The share of right ones; absent when nothing counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Interval>,
}

impl Score {
    fn of(verdicts: impl Iterator<Item = Verdict>) -> Self {
        let mut score = Self::default();
        for verdict in verdicts {
            match verdict {
                Verdict::Correct | Verdict::Wrong => {}
                Verdict::Unreadable => score.unreadable += 1,
                Verdict::Undecided => score.undecided += 1,
                Verdict::Failed => score.failed += 1,
                Verdict::Ungraded => score.ungraded += 1,
            }
            score.counted += usize::from(verdict.counts().is_some());
            score.right += usize::from(verdict == Verdict::Correct);
        }
        score.accuracy = share(score.right, score.counted);
        score
    }
}

/// A member of a council by itself: its answers in the same runs, before anybody reviewed them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchMember)]
pub struct MemberRow {
    pub member: String,
    pub model: String,
    #[serde(flatten)]
    pub score: Score,
    pub spent: Spent,
    /// Right answers for a dollar; absent when that is not known, or nothing was paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_per_usd: Option<f64>,
}

/// A council compared with the member that had the most right answers, over the same questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchAgainstBest)]
pub struct AgainstBest {
    pub member: String,
    /// The questions that count for both.
    pub questions: usize,
    /// The council was right and the member was not.
    pub only_council: usize,
    /// The member was right and the council was not.
    pub only_member: usize,
    /// By how much the council's share of right answers is larger, negative where it is smaller; absent when nothing
    /// counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Interval>,
}

/// The questions that no member answered rightly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchAllMissed)]
pub struct AllMissed {
    pub questions: usize,
    /// The questions whose members' answers count.
    pub of: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Interval>,
    /// How many of them the council got right all the same.
    pub council_right: usize,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchVariant)]
pub struct VariantRow {
    pub name: String,
    pub kind: VariantKind,
    /// Answers that are there.
    pub done: usize,
    #[serde(flatten)]
    pub score: Score,
    /// What the answers cost, without their grading.
    pub spent: Spent,
    /// Right answers for a dollar; absent when that is not known, or nothing was paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_per_usd: Option<f64>,
    /// How long models were at work on half of the questions, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// A council's members, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub members: Vec<MemberRow>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against_best: Option<AgainstBest>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub all_missed: Option<AllMissed>,
}

/// The table of a bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchReport)]
pub struct Report {
    pub name: String,
    pub status: Status,
    pub questions: usize,
    /// The questions that every variant has answered.
    pub done: usize,
    /// Everything that was paid, grading included.
    pub spent: Spent,
    /// Of that, for grading.
    pub grading: Spent,
    /// The most that it may cost, in USD.
    pub max_cost_usd: f64,
    /// No model was asked for some answers: the simulated provider made them up.
    pub simulated: bool,
    pub variants: Vec<VariantRow>,
}

/// What a report is made of, apart from the outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub name: String,
    pub status: Status,
    pub questions: usize,
    pub max_cost_usd: f64,
    pub simulated: bool,
    pub variants: Vec<(String, VariantKind)>,
}

impl Report {
    /// The table of these outcomes, each with the places of its question and its variant.
    #[must_use]
    pub fn new(frame: Frame, outcomes: &BTreeMap<(usize, usize), Outcome>) -> Self {
        let variants = frame.variants.len();
        let of = |variant: usize| -> Vec<&Outcome> {
            (0..frame.questions).filter_map(|question| outcomes.get(&(question, variant))).collect()
        };
        let is_done =
            |question: &usize| (0..variants).all(|variant| outcomes.contains_key(&(*question, variant)));
        let grading = outcomes.values().fold(Spent::default(), |sum, outcome| sum.plus(outcome.grading));
        let rows = frame.variants.iter().enumerate();
        Self {
            done: (0..frame.questions).filter(is_done).count(),
            spent: outcomes.values().fold(grading, |sum, outcome| sum.plus(outcome.spent)),
            grading,
            variants: rows.map(|(at, (name, kind))| row(name, *kind, &of(at))).collect(),
            name: frame.name,
            status: frame.status,
            questions: frame.questions,
            max_cost_usd: frame.max_cost_usd,
            simulated: frame.simulated,
        }
    }
}

fn row(name: &str, kind: VariantKind, outcomes: &[&Outcome]) -> VariantRow {
    let score = Score::of(outcomes.iter().map(|outcome| outcome.verdict));
    let spent = outcomes.iter().fold(Spent::default(), |sum, outcome| sum.plus(outcome.spent));
    let members = members(outcomes);
    VariantRow {
        name: name.to_owned(),
        kind,
        done: outcomes.len(),
        score,
        spent,
        right_per_usd: right_per_usd(&score, spent),
        median_ms: median(outcomes.iter().map(|outcome| outcome.time_ms).collect()),
        against_best: best(&members).map(|best| against_best(outcomes, best)),
        all_missed: (!members.is_empty()).then(|| all_missed(outcomes)),
        members,
    }
}

fn right_per_usd(score: &Score, spent: Spent) -> Option<f64> {
    (spent.usd > 0.0 && spent.unpriced_calls == 0).then(|| count(score.right) / spent.usd)
}

/// The members, the best first; equal ones by name.
fn members(outcomes: &[&Outcome]) -> Vec<MemberRow> {
    let mut by_name: BTreeMap<&str, (&str, Vec<Verdict>, Spent)> = BTreeMap::new();
    for member in outcomes.iter().flat_map(|outcome| &outcome.members) {
        let (_, verdicts, spent) =
            by_name.entry(&member.member).or_insert((&member.model, Vec::new(), Spent::default()));
        verdicts.push(member.verdict);
        // A member that failed before it reached a model has cost nothing, and says so.
        spent.add(member.cost_usd);
    }
    let mut rows: Vec<MemberRow> = by_name
        .into_iter()
        .map(|(name, (model, verdicts, spent))| {
            let score = Score::of(verdicts.into_iter());
            MemberRow {
                member: name.to_owned(),
                model: model.to_owned(),
                right_per_usd: right_per_usd(&score, spent),
                score,
                spent,
            }
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.score.right));
    rows
}

/// The member with the most right answers: one that sat in as many runs as any, where not all sat in all.
fn best(members: &[MemberRow]) -> Option<&str> {
    let seen = |row: &MemberRow| row.score.counted + row.score.ungraded;
    let most = members.iter().map(seen).max()?;
    members.iter().find(|row| seen(row) == most).map(|row| row.member.as_str())
}

fn against_best(outcomes: &[&Outcome], best: &str) -> AgainstBest {
    let pairs = outcomes.iter().filter_map(|outcome| {
        let member = outcome.members.iter().find(|member| member.member == best)?;
        Some((outcome.verdict.counts()?, member.verdict.counts()?))
    });
    let pairs: Vec<(bool, bool)> = pairs.collect();
    let only = |wanted: (bool, bool)| pairs.iter().filter(|pair| **pair == wanted).count();
    let (only_council, only_member) = (only((true, false)), only((false, true)));
    AgainstBest {
        member: best.to_owned(),
        questions: pairs.len(),
        only_council,
        only_member,
        difference: difference(only_council, only_member, pairs.len()),
    }
}

fn all_missed(outcomes: &[&Outcome]) -> AllMissed {
    let counting = |outcome: &&&Outcome| {
        !outcome.members.is_empty() && outcome.members.iter().all(|member| member.verdict.counts().is_some())
    };
    let counted: Vec<&&Outcome> = outcomes.iter().filter(counting).collect();
    let missed =
        |outcome: &&&&Outcome| outcome.members.iter().all(|member| member.verdict.counts() == Some(false));
    let missed: Vec<&&&Outcome> = counted.iter().filter(missed).collect();
    AllMissed {
        questions: missed.len(),
        of: counted.len(),
        share: share(missed.len(), counted.len()),
        council_right: missed.iter().filter(|outcome| outcome.verdict == Verdict::Correct).count(),
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
