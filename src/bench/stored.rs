//! A bench as the database has it: what it compares, its questions, and what came of them so far.

use std::collections::{BTreeMap, VecDeque};

use super::outcome::{Outcome, Spent};
use super::question::Question;
use super::report::{Frame, Report, Status};
use super::suite::Suite;
use crate::id::{BenchId, UserId};
use crate::runs::StartError;
use crate::store::benches::{self, BenchRow, ItemRow};
use crate::store::{Db, Scope, StoreError};

/// A bench as it is worked on.
#[derive(Debug, Clone)]
pub struct Bench {
    pub id: BenchId,
    pub user: UserId,
    pub name: String,
    pub suite: Suite,
    pub questions: Vec<Question>,
    /// Of what it was asked to do ([`digest`](super::suite::digest)).
    pub digest: Vec<u8>,
    /// The most that it may cost, in USD, over all processes that work on it.
    pub max_cost_usd: f64,
    /// The outcomes that are there already.
    pub outcomes: BTreeMap<(usize, usize), Outcome>,
}

/// Why work on a bench ended early.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Another process works on it.
    #[error("another process works on this bench; wait for it, or stop it")]
    Held,
    /// This process was stopped.
    #[error("stopped")]
    Stopped,
    /// It was made by a newer version of this program.
    #[error("this bench was begun by a newer version of this program")]
    Newer,
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Bench {
    /// Reads a stored bench with its questions and what came of them.
    ///
    /// # Errors
    /// [`BenchError::Newer`] where this version cannot read it.
    pub async fn load(db: &Db, user: &UserId, row: BenchRow) -> Result<Self, BenchError> {
        let mut tx = db.begin(&Scope::User(user.clone())).await?;
        let questions = benches::questions(&mut tx, row.id).await?;
        let outcomes = outcomes(benches::items(&mut tx, row.id).await?)?;
        let newer = |_| BenchError::Newer;
        Ok(Self {
            id: row.id,
            user: user.clone(),
            name: row.name,
            suite: serde_json::from_value(row.suite).map_err(newer)?,
            questions: serde_json::from_value(questions).map_err(newer)?,
            digest: row.digest,
            max_cost_usd: row.max_cost_usd,
            outcomes,
        })
    }

    /// The places where an answer is missing, question by question, so that what is there at any time compares the
    /// variants over the same questions.
    #[must_use]
    pub fn missing(&self) -> VecDeque<(usize, usize)> {
        let all = (0..self.questions.len())
            .flat_map(|question| (0..self.suite.variants.len()).map(move |variant| (question, variant)));
        all.filter(|place| !self.outcomes.contains_key(place)).collect()
    }

    /// What was paid so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let paid = |outcome: &Outcome| outcome.spent.plus(outcome.grading);
        self.outcomes.values().fold(Spent::default(), |sum, outcome| sum.plus(paid(outcome)))
    }

    /// Its table.
    #[must_use]
    pub fn report(&self, status: Status) -> Report {
        Report::new(
            frame(&self.name, status, self.questions.len(), self.max_cost_usd, &self.suite),
            &self.outcomes,
        )
    }
}

/// The table of a stored bench.
///
/// # Errors
/// [`BenchError::Newer`] where this version cannot read it.
pub fn report(row: BenchRow, items: Vec<ItemRow>) -> Result<Report, BenchError> {
    let suite: Suite = serde_json::from_value(row.suite).map_err(|_| BenchError::Newer)?;
    let questions = usize::try_from(row.questions).unwrap_or_default();
    let frame = frame(&row.name, Status::of(&row.status), questions, row.max_cost_usd, &suite);
    Ok(Report::new(frame, &outcomes(items)?))
}

/// What a table needs, apart from the outcomes.
fn frame(name: &str, status: Status, questions: usize, max_cost_usd: f64, suite: &Suite) -> Frame {
    let variants = suite.variants.iter().map(|variant| (variant.name.clone(), variant.asks.kind()));
    Frame {
        name: name.to_owned(),
        status,
        questions,
        max_cost_usd,
        simulated: suite.simulated,
        variants: variants.collect(),
    }
}

/// Reads stored outcomes.
///
/// # Errors
/// [`BenchError::Newer`] where this version cannot read them.
pub fn outcomes(items: Vec<ItemRow>) -> Result<BTreeMap<(usize, usize), Outcome>, BenchError> {
    let place = |number: i32| usize::try_from(number).unwrap_or_default();
    let read = |item: ItemRow| {
        let outcome = serde_json::from_value(item.outcome).map_err(|_| BenchError::Newer)?;
        Ok(((place(item.question), place(item.variant)), outcome))
    };
    items.into_iter().map(read).collect()
}
