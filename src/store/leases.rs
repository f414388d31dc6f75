//! Who executes which run: leases, takeover, and the queue of runs that wait for a place.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::budgets::State;
use super::journal::ids_and_attempts;
use super::notify::{self, Notice};
use super::plans::whole_plan;
use super::runs::Reservation;
use super::{Db, Limits, Scope, StoreError};
use crate::id::{ConversationId, MessageId, RunId, UserId};

/// What a person requests of a run while it is executed, as its row holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequests {
    /// The members it is to go on without, as a JSON list.
    pub skips: Value,
    /// The members that are to be asked again, as a JSON list.
    pub retries: Value,
    /// What is to be added to its question, as a JSON list.
    pub corrections: Value,
}

impl StoredRequests {
    fn of(row: &PgRow) -> Result<Self, StoreError> {
        Ok(Self {
            skips: row.try_get("skips")?,
            retries: row.try_get("retries")?,
            corrections: row.try_get("corrections")?,
        })
    }
}

/// A run that is this process's to execute now.
#[derive(Debug)]
pub struct Claimed {
    pub id: RunId,
    pub user: UserId,
    pub conversation: ConversationId,
    pub message: MessageId,
    pub plan: Value,
    /// 1 for the first execution.
    pub attempt: i32,
    /// How many owners vanished without giving it up.
    pub crashes: i32,
    pub cancel_requested: bool,
    pub requests: StoredRequests,
    /// What it holds of the budgets, if any bound it when it was admitted.
    pub reservation: Option<Reservation>,
}

macro_rules! claimed_columns {
    () => {
        concat!(
            "runs.id, runs.user_id, runs.conversation_id, runs.message_id, ",
            whole_plan!("runs"),
            ", runs.attempt, runs.crashes, runs.cancel_requested_at IS NOT NULL AS cancel, runs.skips, runs.retries, runs.corrections,
         runs.groups,
         (SELECT jsonb_build_object('granted_usd', r.granted_usd, 'warnings', r.warnings)
          FROM reservations r WHERE r.run_id = runs.id) AS held"
        )
    };
}

/// What a reservation's row holds.
#[derive(Deserialize)]
struct ReservationRow {
    granted_usd: f64,
    warnings: Vec<State>,
}

fn claimed(row: &PgRow) -> Result<Claimed, StoreError> {
    let held: Option<Json<ReservationRow>> = row.try_get("held")?;
    let groups = row.try_get("groups")?;
    Ok(Claimed {
        reservation: held.map(|Json(ReservationRow { granted_usd, warnings })| Reservation {
            groups,
            granted_usd,
            warnings,
        }),
        id: RunId(row.try_get("id")?),
        user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
        conversation: ConversationId(row.try_get("conversation_id")?),
        message: MessageId(row.try_get("message_id")?),
        plan: row.try_get("plan")?,
        attempt: row.try_get("attempt")?,
        crashes: row.try_get("crashes")?,
        cancel_requested: row.try_get("cancel")?,
        requests: StoredRequests::of(row)?,
    })
}

/// The plans that this process can read: it takes no run of another kind, which stays for one that can.
#[derive(Debug, Clone, Copy)]
pub struct Readable {
    pub formats: &'static [&'static str],
    /// The newest version; every one before it is known as well.
    pub version: i32,
}

/// Where a run of this process stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseState {
    pub run: RunId,
    /// The attempt is still the current one.
    pub ours: bool,
    /// Whether the run is to be stopped.
    pub cancel: bool,
    pub requests: StoredRequests,
}

/// A heartbeat that takes longer is retried: otherwise the leases would run out.
const HEARTBEAT_LIMITS: Limits = Limits { statement_ms: 5_000, lock_ms: 0, is_frequent: true };

/// Prolongs leases and reads the state of their runs. The rows are locked in the order in which the journal locks them: in
/// any other the two wait for each other.
macro_rules! prolong {
    ($locked:literal) => {
        concat!(
            "WITH mine AS MATERIALIZED (
                 SELECT runs.id, runs.attempt = mine.attempt AS ours, runs.cancel_requested_at IS NOT NULL AS cancel,
                        runs.skips, runs.retries, runs.corrections
                 FROM runs JOIN unnest($1::uuid[], $2::int[]) AS mine (id, attempt) ON runs.id = mine.id
                 ORDER BY runs.id FOR NO KEY UPDATE OF runs",
            $locked,
            "
             ), prolonged AS (
                 UPDATE runs SET lease_until = now() + make_interval(secs => $3)
                 FROM mine WHERE runs.id = mine.id AND mine.ours AND runs.status = 'running'
             )
             SELECT id, ours, cancel, skips, retries, corrections FROM mine"
        )
    };
}

/// Prolongs the leases of those of these runs whose rows nobody has locked; returns the state of each of them. So a run whose
/// row stays locked, as while its end waits for another lock, does not keep the others waiting until their leases run out.
pub async fn heartbeat(
    db: &Db,
    runs: &[(RunId, i32)],
    lease: Duration,
) -> Result<Vec<LeaseState>, StoreError> {
    prolong(db, runs, lease, HEARTBEAT_LIMITS, prolong!(" SKIP LOCKED")).await
}

/// Prolongs the leases of all of these runs, like [`heartbeat`]: waits for locked rows, but no longer than `patience`.
pub async fn heartbeat_of_locked(
    db: &Db,
    runs: &[(RunId, i32)],
    lease: Duration,
    patience: Duration,
) -> Result<Vec<LeaseState>, StoreError> {
    // 0 would be no limit.
    let statement_ms = u32::try_from(patience.as_millis()).unwrap_or(u32::MAX);
    let statement_ms = statement_ms.clamp(1, HEARTBEAT_LIMITS.statement_ms);
    prolong(db, runs, lease, Limits { statement_ms, ..HEARTBEAT_LIMITS }, prolong!("")).await
}

async fn prolong(
    db: &Db,
    runs: &[(RunId, i32)],
    lease: Duration,
    limits: Limits,
    sql: &'static str,
) -> Result<Vec<LeaseState>, StoreError> {
    let (ids, attempts) = ids_and_attempts(runs);
    let mut tx = db.begin_for_leases(limits).await?;
    let rows =
        sqlx::query(sql).bind(ids).bind(attempts).bind(lease.as_secs_f64()).fetch_all(&mut *tx).await?;
    tx.commit().await?;
    rows.iter()
        .map(|row| {
            let run = RunId(row.try_get("id")?);
            Ok(LeaseState {
                run,
                ours: row.try_get("ours")?,
                cancel: row.try_get("cancel")?,
                requests: StoredRequests::of(row)?,
            })
        })
        .collect()
}

/// Gives up this process's leases and notifies the others, so that one of them takes its runs at once.
pub async fn release(db: &Db, owner: &str) -> Result<u64, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let done = sqlx::query(
        "WITH mine AS MATERIALIZED (
             SELECT id FROM runs WHERE owner = $1 AND status = 'running' ORDER BY id FOR NO KEY UPDATE
         )
         UPDATE runs SET lease_until = now(), owner = NULL FROM mine WHERE runs.id = mine.id",
    )
    .bind(owner)
    .execute(&mut *tx)
    .await?;
    notify::send(&mut tx, &Notice::Work).await?;
    tx.commit().await?;
    Ok(done.rows_affected())
}

/// Gives up what this process has claimed and cannot begin: the leases run out by themselves, and no owner is counted as
/// crashed then.
pub async fn give_back(db: &Db, runs: &[(RunId, i32)]) -> Result<(), StoreError> {
    let (ids, attempts) = ids_and_attempts(runs);
    let mut tx = db.begin(&Scope::Engine).await?;
    sqlx::query(
        "WITH mine AS MATERIALIZED (
             SELECT runs.id FROM runs JOIN unnest($1::uuid[], $2::int[]) AS mine (id, attempt)
               ON runs.id = mine.id AND runs.attempt = mine.attempt
             WHERE runs.status = 'running' ORDER BY runs.id FOR NO KEY UPDATE OF runs
         )
         UPDATE runs SET owner = NULL FROM mine WHERE runs.id = mine.id",
    )
    .bind(ids)
    .bind(attempts)
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// The runs that other servers own, or that nobody owns any more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elsewhere {
    /// How many of them have a lease that has run out, as far as they were counted.
    pub abandoned: usize,
    /// How long until the next of the other leases runs out, unless its owner prolongs it.
    pub next: Option<Duration>,
}

/// Looks at the runs whose plan is `readable`, other than those that are executed `here`; counts at most `limit`
/// abandoned ones.
pub async fn elsewhere(
    db: &Db,
    limit: usize,
    here: &[RunId],
    readable: Readable,
) -> Result<Elsewhere, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let row = sqlx::query(
        "WITH elsewhere AS NOT MATERIALIZED (
             SELECT lease_until FROM runs
             WHERE status = 'running' AND id <> ALL ($2) AND format = ANY ($3) AND plan_version <= $4
         )
         SELECT (SELECT count(*) FROM (SELECT FROM elsewhere WHERE lease_until <= now() LIMIT $1) AS counted) AS abandoned,
                (SELECT extract(epoch FROM min(lease_until) - now())::float8
                 FROM elsewhere WHERE lease_until > now()) AS next",
    )
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(here.iter().map(|run| run.0).collect::<Vec<Uuid>>())
    .bind(readable.formats)
    .bind(readable.version)
    .fetch_one(&mut *tx)
    .await?;
    let abandoned: i64 = row.try_get("abandoned")?;
    let next: Option<f64> = row.try_get("next")?;
    Ok(Elsewhere {
        abandoned: usize::try_from(abandoned).unwrap_or(limit),
        next: next.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    })
}

/// Takes over at most `limit` runs whose lease has run out and whose plan is `readable`, other than those
/// that are executed `here`. The higher attempt fences the old owner's writes.
///
/// `here` is read once the moment is fixed before which a lease must have run out. Whatever this process begins after that
/// has a lease from after that, so it never takes a run from itself, however long any of this takes.
pub async fn claim_abandoned(
    db: &Db,
    owner: &str,
    lease: Duration,
    limit: usize,
    here: impl FnOnce() -> Vec<RunId>,
    readable: Readable,
) -> Result<Vec<Claimed>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let here: Vec<Uuid> = here().into_iter().map(|run| run.0).collect();
    let rows = sqlx::query(concat!(
        "UPDATE runs SET attempt = attempt + 1, owner = $1, lease_until = now() + make_interval(secs => $2),
                crashes = crashes + (owner IS NOT NULL)::int
         WHERE id IN (SELECT id FROM runs WHERE status = 'running' AND lease_until <= now() AND id <> ALL ($4)
                        AND format = ANY ($5) AND plan_version <= $6
                      ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED)
         RETURNING ",
        claimed_columns!()
    ))
    .bind(owner)
    .bind(lease.as_secs_f64())
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(here)
    .bind(readable.formats)
    .bind(readable.version)
    .fetch_all(&mut *tx)
    .await?;
    if !rows.is_empty() && rows.len() == limit {
        // There may be more: others are to take their share.
        notify::send(&mut tx, &Notice::Work).await?;
    }
    tx.commit().await?;
    rows.iter().map(claimed).collect()
}

/// Begins another execution of a run that this process has: what the one before could not write, nobody
/// writes any more. `None` when it has another owner.
pub async fn begin_again(
    db: &Db,
    run: RunId,
    attempt: i32,
    lease: Duration,
) -> Result<Option<Claimed>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let row = sqlx::query(concat!(
        "UPDATE runs SET attempt = attempt + 1, lease_until = now() + make_interval(secs => $3)
         WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING ",
        claimed_columns!()
    ))
    .bind(run.0)
    .bind(attempt)
    .bind(lease.as_secs_f64())
    .fetch_optional(&mut *tx)
    .await?;
    tx.commit().await?;
    row.as_ref().map(claimed).transpose()
}

/// The queued runs that can be read ($1, $2) and whose turn it is: nobody waits behind one that only another
/// server can take. A run's turn is how many runs of its user are under way or
/// ahead of it, itself included: so the second question of one waits behind everybody's first.
macro_rules! waiting {
    () => {
        "busy AS (
             SELECT user_id, count(*) AS running FROM runs WHERE status = 'running' GROUP BY user_id
         ), waiting AS (
             SELECT r.id, r.created_at, r.cancel_requested_at IS NOT NULL AS cancelled,
                    coalesce(busy.running, 0)
                        + row_number() OVER (PARTITION BY r.user_id ORDER BY r.created_at, r.id) AS turn
             FROM runs r LEFT JOIN busy USING (user_id)
             WHERE r.status = 'queued' AND r.format = ANY ($1) AND r.plan_version <= $2
         )"
    };
}

/// Takes up to `limit` queued runs that are `readable` and whose turn it is, with at most `per_user` of one user under
/// way; and all queued runs that are to be stopped.
pub async fn claim_queued(
    db: &Db,
    owner: &str,
    lease: Duration,
    per_user: u32,
    limit: usize,
    readable: Readable,
) -> Result<Vec<Claimed>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(concat!(
        "WITH ",
        waiting!(),
        ", next AS (
             (SELECT id FROM waiting WHERE cancelled)
             UNION ALL
             (SELECT id FROM waiting WHERE NOT cancelled AND turn <= $5 ORDER BY turn, created_at, id LIMIT $6)
         )
         UPDATE runs SET status = 'running', attempt = attempt + 1, owner = $3, started_at = now(),
                lease_until = now() + make_interval(secs => $4)
         WHERE id IN (SELECT r.id FROM runs r JOIN next USING (id) WHERE r.status = 'queued'
                      FOR UPDATE OF r SKIP LOCKED)
         RETURNING ",
        claimed_columns!()
    ))
    .bind(readable.formats)
    .bind(readable.version)
    .bind(owner)
    .bind(lease.as_secs_f64())
    .bind(i64::from(per_user))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(&mut *tx)
    .await?;
    tx.commit().await?;
    rows.iter().map(claimed).collect()
}

/// A run that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    pub run: RunId,
    /// Whether it is to be stopped: no other run waits behind it.
    pub cancelled: bool,
}

/// The runs that wait and are `readable`, next one first.
pub async fn queue(db: &Db, readable: Readable) -> Result<Vec<Waiting>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(concat!(
        "WITH ",
        waiting!(),
        " SELECT id, cancelled FROM waiting ORDER BY turn, created_at, id"
    ))
    .bind(readable.formats)
    .bind(readable.version)
    .fetch_all(&mut *tx)
    .await?;
    rows.iter()
        .map(|row| Ok(Waiting { run: RunId(row.try_get("id")?), cancelled: row.try_get("cancelled")? }))
        .collect()
}
