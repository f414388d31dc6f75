//! Asks the questions of a bench, several at a time, until all are answered or its money is spent. Runs are ordinary,
//! durable ones, each with a key of its own; single calls are kept under an id of their own; what came of a question
//! is stored when it is graded. So a process that goes on with a bench finds what was paid for.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

use super::engine::Engine;
use super::outcome::Outcome;
use super::place::Place;
use super::report::Status;
use super::stored::{Bench, BenchError};
use super::{answering, expected};
use crate::runs::StartError;
use crate::store::Scope;
use crate::store::benches::{self, ItemRow};

/// How far a bench is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Answers that are there, over all variants.
    pub done: usize,
    pub of: usize,
    pub spent_usd: f64,
}

/// How work on a bench ended.
#[derive(Debug)]
pub struct WorkOutcome {
    pub status: Status,
    /// Which of the user's own budgets is used up, where it is not the bench's.
    pub over_budget: Option<StartError>,
}

/// Asks what is missing, so many at a time. Dropping this leaves the rest for another time.
///
/// # Errors
/// [`BenchError`]; what is answered until then is stored.
pub async fn work(
    engine: &Engine,
    bench: &mut Bench,
    parallel: usize,
    told: impl FnMut(Progress),
) -> Result<WorkOutcome, BenchError> {
    let fixed = Arc::new(bench.clone());
    // At the same time: an answer may wait for a connection that the heartbeat holds, and the other way round.
    tokio::select! {
        ended = ask(engine, &fixed, bench, parallel, told) => ended,
        () = keep(engine, &fixed) => Err(BenchError::Held),
    }
}

/// Prolongs the right to work on a bench, until another process has it.
async fn keep(engine: &Engine, bench: &Bench) {
    let mut heartbeat = interval(engine.lease / 4);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        heartbeat.tick().await;
        match engine.prolong(bench).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the right to work on a bench could not be prolonged"
            ),
        }
    }
}

async fn ask(
    engine: &Engine,
    fixed: &Arc<Bench>,
    bench: &mut Bench,
    parallel: usize,
    mut told: impl FnMut(Progress),
) -> Result<WorkOutcome, BenchError> {
    let mut missing = bench.missing();
    let of = bench.outcomes.len() + missing.len();
    let mut under_way = FuturesUnordered::new();
    let mut reserved: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut over_budget = None;
    let mut spent_usd = bench.spent().usd;
    loop {
        while over_budget.is_none() && under_way.len() < parallel {
            let Some(&place) = missing.front() else { break };
            let usd = expected_usd(engine, bench, place);
            if spent_usd + reserved.values().sum::<f64>() + usd > bench.max_cost_usd {
                // What is under way may cost less than was expected of it.
                break;
            }
            missing.pop_front();
            reserved.insert(place, usd);
            under_way.push(answer(engine, fixed.clone(), place));
        }
        let Some((place, answered)) = under_way.next().await else { break };
        reserved.remove(&place);
        match answered {
            Ok(outcome) => {
                spent_usd += outcome.spent.usd + outcome.grading.usd;
                bench.outcomes.insert(place, outcome);
            }
            Err(BenchError::Start(error @ StartError::OverBudget(_))) => over_budget = Some(error),
            Err(error) => return Err(error),
        }
        told(Progress { done: bench.outcomes.len(), of, spent_usd });
    }
    let status = if bench.missing().is_empty() { Status::Complete } else { Status::OverBudget };
    Ok(WorkOutcome { status, over_budget })
}

fn expected_usd(engine: &Engine, bench: &Bench, (question, variant): (usize, usize)) -> f64 {
    expected::of_one(&bench.suite, &bench.questions[question], variant, engine.models.as_ref()).usd
}

/// Answers and grades one question and stores what came of it.
async fn answer(
    engine: &Engine,
    bench: Arc<Bench>,
    (question, variant): (usize, usize),
) -> ((usize, usize), Result<Outcome, BenchError>) {
    let place = Place { bench: bench.id, question, variant };
    let result = async {
        let outcome = answering::answer(engine, &bench, place).await?;
        let number = |place: usize| i32::try_from(place).unwrap_or(i32::MAX);
        let item = ItemRow { question: number(question), variant: number(variant), outcome: json!(outcome) };
        let mut tx = engine.db.begin(&Scope::User(bench.user.clone())).await?;
        benches::save_item(&mut tx, bench.id, &item).await?;
        tx.commit().await?;
        Ok(outcome)
    };
    ((question, variant), result.await)
}
