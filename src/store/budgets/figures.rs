//! What of a budget is spent and reserved: sums over everybody's ledger, so only for those who may see
//! it. Nothing but sums leaves this file.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use sqlx::Row as _;

use super::{Budget, BudgetOwner, Period, State};
use crate::id::RunId;
use crate::store::{Scope, StoreError, Tx, TxConnection, time};

/// How much of these budgets is used. Needs the engine's or the admins' scope.
pub async fn states(tx: &mut Tx, budgets: &[Budget]) -> Result<Vec<State>, StoreError> {
    match tx.scope() {
        Scope::Engine | Scope::Admin => {}
        Scope::User(_) | Scope::Access { .. } => return Err(StoreError::WrongScope { needed: "engine" }),
    }
    sums(tx, budgets, None).await
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    usd: f64,
    /// Calls that count as zero, since neither their cost nor their price is known.
    unknown: i64,
}

/// The figures of one whose spending is limited.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    day: Spent,
    month: Spent,
    reserved_usd: f64,
}

/// The periods that are under way.
#[derive(Debug, Clone, Copy)]
struct Now {
    today: Timestamp,
    month: Timestamp,
    /// The days of this month before this one are added up already.
    closed_until: Timestamp,
}

impl Now {
    /// By the database's clock, which all servers share.
    async fn read(connection: &mut TxConnection) -> Result<Self, StoreError> {
        let row = sqlx::query(
            "SELECT date_trunc('day', now(), 'UTC') AS today, date_trunc('month', now(), 'UTC') AS month,
                    greatest(date_trunc('month', now(), 'UTC'), (SELECT until FROM spent_until)) AS closed_until",
        )
        .fetch_one(connection)
        .await?;
        Ok(Self {
            today: time(&row, "today")?,
            month: time(&row, "month")?,
            closed_until: time(&row, "closed_until")?,
        })
    }
}

/// How much of these budgets is used. The reservation of the run `but` is left out, but not its spending.
pub(super) async fn sums(
    connection: &mut TxConnection,
    budgets: &[Budget],
    but: Option<RunId>,
) -> Result<Vec<State>, StoreError> {
    // A budget for each run has no spending by others.
    let shared: Vec<&Budget> = budgets.iter().filter(|budget| budget.period != Period::Run).collect();
    let mut sums: BTreeMap<&BudgetOwner, Sums> =
        shared.iter().map(|budget| (&budget.owner, Sums::default())).collect();
    let now = if sums.is_empty() { None } else { Some(Now::read(connection).await?) };
    if let Some(now) = &now {
        // Read before the spending: a call that ends in between is then counted twice rather than never.
        reserved(connection, &mut sums, but).await?;
        for scope in ["instance", "group", "user"] {
            let of_scope = shared.iter().filter(|budget| budget.owner.scope() == scope);
            let monthly = of_scope.clone().any(|budget| budget.period == Period::Month);
            if of_scope.count() > 0 {
                spent(connection, &mut sums, scope, monthly, now).await?;
            }
        }
    }
    Ok(budgets.iter().map(|budget| state(budget, sums.get(&budget.owner), now.as_ref())).collect())
}

async fn reserved(
    connection: &mut TxConnection,
    sums: &mut BTreeMap<&BudgetOwner, Sums>,
    but: Option<RunId>,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "WITH held AS MATERIALIZED (
             SELECT user_id, groups, greatest(granted_usd - coalesce(
                        (SELECT sum(coalesce(cost_usd, assumed_usd)) FROM calls WHERE calls.run_id = reservations.run_id), 0), 0) AS usd
             FROM reservations WHERE run_id IS DISTINCT FROM $3
         )
         SELECT asked.scope, asked.name, sum(held.usd) AS usd
         FROM unnest($1::text[], $2::text[]) AS asked (scope, name)
         JOIN held ON CASE asked.scope WHEN 'instance' THEN true WHEN 'user' THEN held.user_id = asked.name
                                       ELSE asked.name = ANY (held.groups) END
         GROUP BY 1, 2",
    )
    .bind(sums.keys().map(|owner| owner.scope()).collect::<Vec<_>>())
    .bind(sums.keys().map(|owner| owner.name()).collect::<Vec<_>>())
    .bind(but.map(|run| run.0))
    .fetch_all(connection)
    .await?;
    for row in rows {
        let owner = BudgetOwner::read(row.try_get("scope")?, row.try_get("name")?)?;
        if let Some(sums) = sums.get_mut(&owner) {
            sums.reserved_usd = row.try_get("usd")?;
        }
    }
    Ok(())
}

/// The bounds are parameters, so that the planner knows how little of the ledger they select.
async fn spent(
    connection: &mut TxConnection,
    sums: &mut BTreeMap<&BudgetOwner, Sums>,
    scope: &'static str,
    monthly: bool,
    now: &Now,
) -> Result<(), StoreError> {
    macro_rules! added_up {
        ($from:literal, $closed:literal) => {
            concat!(
                "SELECT asked.name, open.*, closed.*
                 FROM unnest($1::text[]) AS asked (name)
                 CROSS JOIN LATERAL (
                     SELECT coalesce(sum(usd), 0) AS open_usd,
                            count(*) FILTER (WHERE usd IS NULL AND reached) AS open_unknown,
                            coalesce(sum(usd) FILTER (WHERE finished_at >= $2), 0) AS day_usd,
                            count(*) FILTER (WHERE usd IS NULL AND reached AND finished_at >= $2) AS day_unknown
                     FROM (SELECT coalesce(c.cost_usd, c.assumed_usd) AS usd, c.latency_ms IS NOT NULL AS reached,
                                  c.finished_at FROM ",
                $from,
                " c.finished_at >= $3) AS call
                 ) AS open
                 CROSS JOIN LATERAL (
                     SELECT coalesce(sum(usd), 0) AS closed_usd,
                            coalesce(sum(unknown_cost_calls), 0)::bigint AS closed_unknown
                     FROM spent_days WHERE $4 AND day >= ($5 AT TIME ZONE 'UTC')::date
                                           AND day < ($3 AT TIME ZONE 'UTC')::date AND ",
                $closed,
                ") AS closed"
            )
        };
    }
    let sql = match scope {
        "instance" => added_up!("calls c WHERE", "true"),
        "user" => added_up!("calls c WHERE c.user_id = asked.name AND", "user_id = asked.name"),
        _ => added_up!(
            "runs r JOIN calls c ON c.run_id = r.id
             WHERE r.groups <> '{}' AND asked.name = ANY (r.groups)
               AND coalesce(r.finished_at, 'infinity') >= $3 AND",
            "asked.name = ANY (groups)"
        ),
    };
    let since = if monthly { now.closed_until } else { now.today };
    let names: Vec<&str> =
        sums.keys().filter(|owner| owner.scope() == scope).map(|owner| owner.name()).collect();
    let rows = sqlx::query(sql)
        .bind(names)
        .bind(jiff_sqlx::Timestamp::from(now.today))
        .bind(jiff_sqlx::Timestamp::from(since))
        .bind(monthly)
        .bind(jiff_sqlx::Timestamp::from(now.month))
        .fetch_all(connection)
        .await?;
    for row in rows {
        let owner = BudgetOwner::read(scope, row.try_get("name")?)?;
        let Some(sums) = sums.get_mut(&owner) else { continue };
        let open = Spent { usd: row.try_get("open_usd")?, unknown: row.try_get("open_unknown")? };
        let closed = Spent { usd: row.try_get("closed_usd")?, unknown: row.try_get("closed_unknown")? };
        sums.day = Spent { usd: row.try_get("day_usd")?, unknown: row.try_get("day_unknown")? };
        sums.month = Spent { usd: open.usd + closed.usd, unknown: open.unknown + closed.unknown };
    }
    Ok(())
}

fn state(budget: &Budget, sums: Option<&Sums>, now: Option<&Now>) -> State {
    let mut state = State {
        budget: budget.clone(),
        spent_usd: 0.0,
        reserved_usd: 0.0,
        unknown_cost_calls: 0,
        resets_at: None,
    };
    let Some((sums, now)) = sums.zip(now) else { return state };
    let today = now.today.to_zoned(TimeZone::UTC).date();
    let (spent, ends) = match budget.period {
        Period::Run => return state,
        Period::Day => (sums.day, today.tomorrow()),
        Period::Month => (sums.month, today.first_of_month().checked_add(1.month())),
    };
    state.spent_usd = spent.usd;
    state.unknown_cost_calls = spent.unknown;
    state.reserved_usd = sums.reserved_usd;
    // Only the last month that can be represented has no next one.
    state.resets_at = ends.ok().and_then(midnight);
    state
}

fn midnight(day: Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
