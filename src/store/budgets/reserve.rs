//! Reserving: a run's estimate when it is admitted, and more when a call needs more.

use super::figures::sums;
use super::{Budget, BudgetOwner, Defaults, Period, State, binding, lock};
use crate::id::{RunId, UserId};
use crate::store::{Db, Scope, StoreError, Tx};

/// What a run is expected to need.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ExpectedCost {
    /// USD, over the calls whose price is known.
    pub usd: f64,
    pub unknown: UnknownCost,
}

/// Whether a run makes calls whose price is unknown, and how budgets treat them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownCost {
    /// Every price is known.
    #[default]
    None,
    /// Budgets let them through until they are used up.
    Allowed,
    /// Budgets let none through.
    Refused,
}

/// The answer to a request for money from budgets.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It fits; these are nearly used up now.
    Granted { nearly_used_up: Vec<State> },
    /// It does not fit into this budget.
    Refused(Box<State>),
}

/// Whether a new run fits into these budgets, within its starting transaction: from here to its end,
/// nobody else draws on them. What the run itself may hold already does not count.
pub(in crate::store) async fn admit(
    tx: &mut Tx,
    budgets: &[Budget],
    run: RunId,
    need: ExpectedCost,
) -> Result<Outcome, StoreError> {
    lock(tx, &shared(budgets)).await?;
    // Sums over everybody's ledger, which the user may not see.
    tx.see_all_rows().await?;
    let states = sums(tx, budgets, Some(run)).await?;
    tx.see_own_rows().await?;
    Ok(check_room(states, need))
}

/// The budgets that several runs draw on.
fn shared(budgets: &[Budget]) -> Vec<&BudgetOwner> {
    budgets.iter().filter(|budget| budget.period != Period::Run).map(|budget| &budget.owner).collect()
}

/// Whether budgets in these states have room for this cost. What costs nothing always fits.
#[must_use]
pub fn check_room(states: Vec<State>, need: ExpectedCost) -> Outcome {
    let fits = |state: &State| match need.unknown {
        UnknownCost::None => need.usd <= 0.0 || state.fits(need.usd),
        UnknownCost::Allowed => state.fits(need.usd) && !state.is_used_up(),
        UnknownCost::Refused => false,
    };
    if let Some(refused) = states.iter().find(|state| !fits(state)) {
        return Outcome::Refused(Box::new(refused.clone()));
    }
    let after = states.into_iter().map(|mut state| {
        state.reserved_usd += need.usd;
        state
    });
    Outcome::Granted { nearly_used_up: after.filter(State::is_nearly_used_up).collect() }
}

/// A run under way that needs more than it was granted.
#[derive(Debug, Clone)]
pub struct Extension<'a> {
    pub run: RunId,
    /// The execution that asks; an earlier one's is not served.
    pub attempt: i32,
    pub user: &'a UserId,
    pub groups: &'a [String],
    /// USD over its whole life: what it has spent, its calls under way, and the one it asks for.
    pub total_usd: f64,
    /// The one it asks for.
    pub call: ExpectedCost,
}

/// Grants a run more, if it fits into the budgets that bind it now. `None` when the run is not this
/// execution's any more.
pub async fn extend(
    db: &Db,
    more: &Extension<'_>,
    defaults: &Defaults,
) -> Result<Option<Outcome>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let budgets = binding(&mut tx, more.user, more.groups, defaults).await?;
    lock(&mut tx, &shared(&budgets)).await?;
    // Read before the sums: a call that ends in between is then counted twice rather than never.
    let spent_usd: f64 = sqlx::query_scalar(
        "SELECT coalesce(sum(coalesce(cost_usd, assumed_usd)), 0) FROM calls WHERE run_id = $1",
    )
    .bind(more.run.0)
    .fetch_one(&mut *tx)
    .await?;
    let mut states = sums(&mut tx, &budgets, Some(more.run)).await?;
    for state in &mut states {
        if state.budget.period == Period::Run {
            state.spent_usd = spent_usd;
        }
        state.reserved_usd += (more.total_usd - more.call.usd - spent_usd).max(0.0);
    }
    let drawn = check_room(states, more.call);
    if let Outcome::Refused(_) = drawn {
        return Ok(Some(drawn));
    }
    // Only this execution writes the row, and it does not end while a call of its own waits here.
    let done = sqlx::query(
        "UPDATE reservations SET granted_usd = greatest(granted_usd, $3)
         WHERE run_id = $1 AND EXISTS (SELECT FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running')",
    )
    .bind(more.run.0)
    .bind(more.attempt)
    .bind(more.total_usd)
    .execute(&mut *tx)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(drawn))
}

/// The state of the budgets that bind a run, if one is nearly used up: for a run that has spent more than it was
/// granted.
pub async fn nearly_used_up(
    db: &Db,
    user: &UserId,
    groups: &[String],
    run_spent_usd: f64,
    defaults: &Defaults,
) -> Result<Vec<State>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let budgets = binding(&mut tx, user, groups, defaults).await?;
    let mut states = sums(&mut tx, &budgets, None).await?;
    for state in states.iter_mut().filter(|state| state.budget.period == Period::Run) {
        state.spent_usd = run_spent_usd;
    }
    states.retain(State::is_nearly_used_up);
    Ok(states)
}

/// Removes what calls outside of runs still hold whose process died with them, of at most `limit`; returns how many that were.
/// A run that anybody executes has not ended, and one that has ended holds nothing. Needs the engine's scope.
pub(in crate::store) async fn remove_left(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let done = sqlx::query(
        "DELETE FROM reservations WHERE run_id IN (
             SELECT held.run_id FROM reservations held JOIN runs ON runs.id = held.run_id
             WHERE runs.finished_at < now() - interval '1 hour' LIMIT $1)",
    )
    .bind(i64::from(limit))
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}
