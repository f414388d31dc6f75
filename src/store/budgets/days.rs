//! Days that are over, added up once, so that a month's budget stays quick to look at. Derived from the ledger, only
//! for speed.

use sqlx::Row as _;

use crate::store::{Db, Scope, StoreError, time};

/// Adds up the days of this month that are over and are not added up yet; returns how many. Any number
/// of processes may do so side by side.
///
/// # Errors
/// [`StoreError`]; what was done stays done.
pub async fn close_days(db: &Db) -> Result<u32, StoreError> {
    let mut closed = 0;
    while close_day(db).await? {
        closed += 1;
    }
    Ok(closed)
}

/// The first such day, if there is one.
async fn close_day(db: &Db) -> Result<bool, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "INSERT INTO spent_until (until) VALUES (date_trunc('month', now(), 'UTC')) ON CONFLICT DO NOTHING",
    )
    .execute(&mut *tx)
    .await?;
    // A commit that began before midnight may end a little after it.
    let row = sqlx::query(
        "SELECT greatest(until, date_trunc('month', now(), 'UTC')) AS day,
                greatest(until, date_trunc('month', now(), 'UTC')) + interval '24 hours 10 minutes' <= now() AS is_over
         FROM spent_until FOR UPDATE SKIP LOCKED",
    )
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(false) };
    if !row.try_get::<bool, _>("is_over")? {
        return Ok(false);
    }
    let day = jiff_sqlx::Timestamp::from(time(&row, "day")?);
    sqlx::query("DELETE FROM spent_days WHERE day < date_trunc('month', $1 AT TIME ZONE 'UTC')")
        .bind(day)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO spent_days (user_id, day, groups, usd, unknown_cost_calls)
         SELECT c.user_id, ($1 AT TIME ZONE 'UTC')::date, r.groups, coalesce(sum(coalesce(c.cost_usd, c.assumed_usd)), 0),
                count(*) FILTER (WHERE c.cost_usd IS NULL AND c.assumed_usd IS NULL AND c.latency_ms IS NOT NULL)
         FROM calls c JOIN runs r ON r.id = c.run_id
         WHERE c.finished_at >= $1 AND c.finished_at < $1 + interval '24 hours' GROUP BY 1, 3",
    )
    .bind(day)
    .execute(&mut *tx)
    .await?;
    sqlx::query("UPDATE spent_until SET until = $1 + interval '24 hours'")
        .bind(day)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(true)
}
