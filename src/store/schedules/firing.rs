//! Due schedules: finding them, using up a time with the start of its run, and refusals.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;

use super::{Schedule, columns, results, schedule};
use crate::id::{ConversationId, RunId, ScheduleId, ScheduleResultId, UserId};
use crate::store::budgets::reserve::{ExpectedCost, Outcome, UnknownCost, check_room};
use crate::store::budgets::{Budget, BudgetOwner, Period, SetBy, State};
use crate::store::{Db, Scope, StoreError, Tx, refuse_nul, refuse_nul_in_json, time, time_or_null};

/// After this many refusals in a row a schedule is paused.
pub const MAX_REFUSALS: i32 = 5;

/// The tag of conversations that schedules begin.
const TAG: &str = "scheduled";

/// A schedule that is due, without anything of what it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: ScheduleId,
    pub user: UserId,
}

/// A time of a schedule that is to be used up with the start of a run.
#[derive(Debug, Clone)]
pub struct Firing {
    pub schedule: ScheduleId,
    /// What the conversation is called.
    pub title: String,
    /// Absent where its owner asks at another time: nothing is used up then.
    pub times: Option<Times>,
}

/// A time that is due, and the one that comes after it.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub due: Timestamp,
    pub next: Timestamp,
}

/// The outcome of using it up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fired {
    Yes,
    /// It was used up before, or the schedule was changed, paused or removed.
    NotDue,
    /// The run does not fit into what the schedule may spend.
    Over(OverScheduled),
}

/// A run that does not fit into what its schedule may spend in this calendar month (UTC), in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverScheduled {
    pub budget_usd: f64,
    pub spent_usd: f64,
    /// Absent where it is unknown, and what is unknown is refused.
    pub needed_usd: Option<f64>,
}

/// The database's time, which all servers share.
///
/// # Errors
/// When the database is unavailable.
pub async fn now(tx: &mut Tx) -> Result<Timestamp, StoreError> {
    let row = sqlx::query("SELECT now() AS now").fetch_one(&mut **tx).await?;
    Ok(time(&row, "now")?)
}

/// Due schedules of all users, at most `limit`, the longest due first.
///
/// # Errors
/// When the database is unavailable.
pub async fn due(db: &Db, limit: u32) -> Result<Vec<Due>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(
        "SELECT id, user_id FROM schedules s
         WHERE next_at <= now() AND NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = s.user_id)
           AND NOT EXISTS (SELECT FROM blocked_users b WHERE b.user_id = s.user_id)
         ORDER BY next_at, id LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(&mut *tx)
    .await?;
    let due = |row| -> Result<Due, sqlx::Error> {
        let row: &sqlx::postgres::PgRow = row;
        let user: String = row.try_get("user_id")?;
        Ok(Due { id: ScheduleId(row.try_get("id")?), user: UserId::from_canonical(user) })
    };
    Ok(rows.iter().map(due).collect::<Result<_, _>>()?)
}

/// How long it is until the next schedule is due, in seconds; below 0 where one is. `None` where none ever will be.
///
/// # Errors
/// When the database is unavailable.
pub async fn earliest(db: &Db) -> Result<Option<f64>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let row = sqlx::query(
        "SELECT extract(epoch FROM min(next_at) - now())::double precision AS seconds FROM schedules s
         WHERE next_at IS NOT NULL AND NOT EXISTS (SELECT FROM blocked_users b WHERE b.user_id = s.user_id)",
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(row.try_get("seconds")?)
}

/// Takes a schedule of the transaction's user that is due, with the time it is due at and the time now; `None` where another
/// server has it, or it is not due any more. It is this transaction's until that is over.
///
/// # Errors
/// When the database is unavailable.
pub async fn take_due(
    tx: &mut Tx,
    id: ScheduleId,
) -> Result<Option<(Schedule, Timestamp, Timestamp)>, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT now() AS now, ",
        columns!(),
        " FROM schedules WHERE id = $1 AND user_id = $2 AND next_at <= now() FOR UPDATE SKIP LOCKED"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let due = time_or_null(&row, "next_at")?;
    Ok(due.map(|due| Ok::<_, sqlx::Error>((schedule(&row)?, due, time(&row, "now")?))).transpose()?)
}

/// Uses up a time in the transaction that starts its run, which exists already: the schedule becomes due at the next
/// one, the run is added to its results, and the conversation is named after it.
pub(in crate::store) async fn fire(
    tx: &mut Tx,
    firing: &Firing,
    run: RunId,
    conversation: ConversationId,
    need: ExpectedCost,
) -> Result<Fired, StoreError> {
    let user = tx.user()?;
    let row = match firing.times {
        Some(times) => {
            sqlx::query(
                "UPDATE schedules SET next_at = $4, refusals = 0
                 WHERE id = $1 AND user_id = $2 AND next_at = $3 RETURNING budget_usd",
            )
            .bind(firing.schedule.0)
            .bind(user.as_str())
            .bind(jiff_sqlx::Timestamp::from(times.due))
            .bind(jiff_sqlx::Timestamp::from(times.next))
            .fetch_optional(&mut **tx)
            .await?
        }
        // Two at once would both find room for one.
        None => {
            sqlx::query("SELECT budget_usd FROM schedules WHERE id = $1 AND user_id = $2 FOR UPDATE")
                .bind(firing.schedule.0)
                .bind(user.as_str())
                .fetch_optional(&mut **tx)
                .await?
        }
    };
    let Some(row) = row else { return Ok(Fired::NotDue) };
    if let Some(budget_usd) = row.try_get::<Option<f64>, _>("budget_usd")? {
        let spent_usd = results::spent(tx, &[firing.schedule]).await?;
        let spent_usd = spent_usd.get(&firing.schedule).copied().unwrap_or_default();
        if !fits(&user, budget_usd, spent_usd, need) {
            let needed_usd = (need.unknown != UnknownCost::Refused).then_some(need.usd);
            return Ok(Fired::Over(OverScheduled { budget_usd, spent_usd, needed_usd }));
        }
    }
    let noted = sqlx::query(
        "WITH called AS (
             UPDATE conversations SET title = $6, title_is_default = false, tags = ARRAY[$7]
             WHERE id = $5 AND user_id = $3
         )
         INSERT INTO schedule_results (id, schedule_id, user_id, due_at, run_id, expected_usd)
         VALUES ($1, $2, $3, $4, $8, $9) ON CONFLICT (schedule_id, due_at) DO NOTHING",
    )
    .bind(ScheduleResultId::generate().0)
    .bind(firing.schedule.0)
    .bind(user.as_str())
    .bind(firing.times.map(|times| jiff_sqlx::Timestamp::from(times.due)))
    .bind(conversation.0)
    .bind(&firing.title)
    .bind(TAG)
    .bind(run.0)
    .bind(need.usd)
    .execute(&mut **tx)
    .await?;
    // The time was used up before, and the schedule was restored since.
    Ok(if noted.rows_affected() == 1 { Fired::Yes } else { Fired::NotDue })
}

/// Whether the run fits into its budget, by the rules of a user's monthly budget.
fn fits(user: &UserId, limit_usd: f64, spent_usd: f64, need: ExpectedCost) -> bool {
    let owner = BudgetOwner::User(user.as_str().to_owned());
    let budget = Budget { owner, period: Period::Month, limit_usd, set_by: SetBy::Oneself };
    let state = State { budget, spent_usd, reserved_usd: 0.0, unknown_cost_calls: 0, resets_at: None };
    match check_room(vec![state], need) {
        Outcome::Granted { .. } => true,
        Outcome::Refused(_) => false,
    }
}

/// The state of a schedule after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It goes on with the next time.
    GoesOn,
    /// It is paused: that was one too many.
    Paused,
    /// The time has been used up, or the schedule was changed: nothing is recorded.
    NotDue,
}

/// Why nothing could be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// In English.
    pub sentence: String,
    /// The problem that a request would have been answered with.
    pub problem: Value,
}

/// Uses up a time at which nothing could be asked, and notes why; after [`MAX_REFUSALS`] in a row the schedule is paused, for
/// `paused_reason`.
///
/// # Errors
/// When the database is unavailable: it is due as before.
pub async fn refuse(
    tx: &mut Tx,
    id: ScheduleId,
    times: Times,
    why: &Refusal,
    paused_reason: &str,
) -> Result<Refused, StoreError> {
    refuse_nul("the refusal", &why.sentence)?;
    refuse_nul_in_json("the refusal", &why.problem)?;
    let user = tx.user()?;
    let row = sqlx::query(
        "UPDATE schedules SET refusals = refusals + 1,
                next_at = CASE WHEN refusals + 1 < $5 THEN $4 END,
                paused_reason = CASE WHEN refusals + 1 < $5 THEN NULL ELSE $6 END
         WHERE id = $1 AND user_id = $2 AND next_at = $3 RETURNING next_at IS NULL AS paused",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(jiff_sqlx::Timestamp::from(times.due))
    .bind(jiff_sqlx::Timestamp::from(times.next))
    .bind(MAX_REFUSALS)
    .bind(paused_reason)
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(Refused::NotDue) };
    sqlx::query(
        "INSERT INTO schedule_results (id, schedule_id, user_id, due_at, refusal, problem) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (schedule_id, due_at) DO NOTHING",
    )
    .bind(ScheduleResultId::generate().0)
    .bind(id.0)
    .bind(user.as_str())
    .bind(jiff_sqlx::Timestamp::from(times.due))
    .bind(&why.sentence)
    .bind(&why.problem)
    .execute(&mut **tx)
    .await?;
    Ok(if row.try_get("paused")? { Refused::Paused } else { Refused::GoesOn })
}

/// Pauses a schedule for a reason that is not its owner's wish.
///
/// # Errors
/// When the database is unavailable.
pub async fn pause(tx: &mut Tx, id: ScheduleId, reason: &str) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query("UPDATE schedules SET next_at = NULL, paused_reason = $3 WHERE id = $1 AND user_id = $2")
        .bind(id.0)
        .bind(user.as_str())
        .bind(reason)
        .execute(&mut **tx)
        .await?;
    Ok(())
}
