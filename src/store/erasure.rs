//! Deletes everything of one person's, and takes the name off everything that has to stay.
//!
//! Its beginning is recorded as a row: from its commit on nobody writes in this person's name any more (`enter_as` in
//! migration 30), and any process that finds the row goes on where another one died. Each step is a short transaction
//! that leaves less to do and may be done again. The row goes with the last one.
//!
//! [`ERASED`] and [`KEPT`] know every table that says whose a row is; a test compares them with the database.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use crate::id::{RunId, UserId};

use super::notify::{self, Notice};
use super::{Db, Scope, StoreError, Tx, TxConnection, projects};

/// Tables whose rows go, and the column that says whose they are; tables that refer to others come before these.
pub const ERASED: [(&str, &str); 36] = [
    ("access_reads", "user_id"),
    ("access_requests", "user_id"),
    ("cache_lookups", "user_id"),
    ("cache_entries", "user_id"),
    ("message_versions", "user_id"),
    ("message_attachments", "user_id"),
    ("messages", "user_id"),
    ("attachments", "user_id"),
    ("shares", "user_id"),
    ("conversations", "user_id"),
    ("folders", "user_id"),
    ("run_events", "user_id"),
    ("decisions", "user_id"),
    ("feedback", "user_id"),
    ("placings", "user_id"),
    ("leanings", "user_id"),
    ("run_figures", "user_id"),
    ("reservations", "user_id"),
    ("analytics_cleared", "user_id"),
    ("bench_items", "user_id"),
    ("benches", "user_id"),
    ("schedule_results", "user_id"),
    ("schedules", "user_id"),
    ("webhook_deliveries", "user_id"),
    ("webhooks", "user_id"),
    ("push_subscriptions", "user_id"),
    ("tokens", "user_id"),
    ("library_versions", "user_id"),
    ("library_entries", "user_id"),
    ("presets", "user_id"),
    ("user_settings", "user_id"),
    ("user_caps", "user_id"),
    ("budgets", "name"),
    ("project_members", "name"),
    ("kept_users", "id"),
    ("users", "id"),
];

/// Tables whose rows stay without the name; also the erasure itself, and holds and blocks, which do not exist during
/// one.
pub const KEPT: [&str; 7] =
    ["runs", "calls", "spent_days", "audit_log", "erasures", "legal_holds", "blocked_users"];

/// How many rows one statement deletes or changes.
const AT_ONCE: i64 = 500;
/// How often it is checked whether the stopped runs are over.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How often abandoned erasures are looked for.
const TAKE_UP_EVERY: Duration = Duration::from_secs(10);
/// How long each of them waits for runs to end before the next has its turn.
const RUNS_END_WITHIN: Duration = Duration::from_secs(5);

/// The outcome of a request to erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseOutcome {
    /// It has begun, now or before.
    Yes,
    /// There is a hold on this person's data.
    Held,
}

/// Begins it: what is written in this person's name is refused from here on. Waits for the transactions of theirs
/// that are under way.
pub async fn begin(db: &Db, user: &UserId) -> Result<EraseOutcome, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    wait_for_their_transactions(&mut tx, user).await?;
    let row = sqlx::query(
        "SELECT EXISTS (SELECT FROM legal_holds WHERE user_id = $1) AS held,
                EXISTS (SELECT FROM blocked_users WHERE user_id = $1) AS blocked",
    )
    .bind(user.as_str())
    .fetch_one(&mut *tx)
    .await?;
    if row.try_get("blocked")? {
        return Err(StoreError::Blocked);
    }
    if row.try_get("held")? {
        return Ok(EraseOutcome::Held);
    }
    let audit_name: Option<String> = sqlx::query_scalar(
        "INSERT INTO erasures (user_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING audit_name",
    )
    .bind(user.as_str())
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(name) = audit_name {
        sqlx::query("INSERT INTO audit_log (user_id, action) VALUES ($1, 'user.erase')")
            .bind(name)
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(EraseOutcome::Yes)
}

/// Whether this person's data is being erased. Until this transaction ends, none of theirs is under way, and no erasure begins.
pub(super) async fn is_under_way(tx: &mut Tx, user: &UserId) -> Result<bool, StoreError> {
    wait_for_their_transactions(tx, user).await?;
    let found = sqlx::query_scalar("SELECT EXISTS (SELECT FROM erasures WHERE user_id = $1)");
    Ok(found.bind(user.as_str()).fetch_one(&mut **tx).await?)
}

/// Excludes other transactions of this person's while this one lasts, see `enter_as`.
async fn wait_for_their_transactions(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('own_data/' || $1, 0))")
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Finishes what [`begin`] began. Any number of processes may do so side by side.
///
/// # Errors
/// When the database is unavailable; what is done stays done.
pub async fn finish(db: &Db, user: &UserId) -> Result<(), StoreError> {
    end_runs(db, user).await?;
    while step(db, user).await? {}
    Ok(())
}

/// Finishes erasures that their processes have abandoned, again and again until it is dropped.
pub async fn finish_all(db: Db) {
    let mut ticks = tokio::time::interval(TAKE_UP_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = take_up(&db).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "it is not known whose erasures are under way; trying again soon"
            );
        }
    }
}

async fn take_up(db: &Db) -> Result<(), StoreError> {
    for user in under_way(db).await? {
        // One that does not come to its end keeps nobody else's waiting.
        if let Err(error) = take_up_one(db, &user).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "an erasure of a user's data could not be completed; trying again soon"
            );
        }
    }
    Ok(())
}

async fn take_up_one(db: &Db, user: &UserId) -> Result<(), StoreError> {
    let Ok(ended) = tokio::time::timeout(RUNS_END_WITHIN, end_runs(db, user)).await else {
        tracing::warn!(
            "an erasure waits for runs that do not end, as when no server is of a version that can read them"
        );
        return Ok(());
    };
    ended?;
    while step(db, user).await? {}
    Ok(())
}

/// Whose erasure is under way, the oldest first.
async fn under_way(db: &Db) -> Result<Vec<UserId>, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let names: Vec<String> =
        sqlx::query_scalar("SELECT user_id FROM erasures ORDER BY begun_at").fetch_all(&mut *tx).await?;
    Ok(names.into_iter().map(UserId::from_canonical).collect())
}

/// Stops this person's runs, and waits until they are over.
async fn end_runs(db: &Db, user: &UserId) -> Result<(), StoreError> {
    while stop_runs(db, user).await? > 0 {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// Tells every server to stop this person's runs; returns how many are not over.
async fn stop_runs(db: &Db, user: &UserId) -> Result<usize, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    let rows = sqlx::query(
        "WITH live AS (
             SELECT id, cancel_requested_at IS NULL AS is_news FROM runs
             WHERE user_id = $1 AND status IN ('queued', 'running')
               AND EXISTS (SELECT FROM erasures WHERE user_id = $1)
         ), told AS (
             UPDATE runs SET cancel_requested_at = now() FROM live WHERE runs.id = live.id AND live.is_news
         )
         SELECT id, is_news FROM live",
    )
    .bind(user.as_str())
    .fetch_all(&mut *tx)
    .await?;
    for row in &rows {
        if row.try_get("is_news")? {
            notify::send(&mut tx, &Notice::Stop(RunId(row.try_get("id")?))).await?;
        }
    }
    tx.commit().await?;
    Ok(rows.len())
}

/// Does a part of what is left to do; false once nothing is.
async fn step(db: &Db, user: &UserId) -> Result<bool, StoreError> {
    let mut tx = db.begin(&Scope::Engine).await?;
    // One process at a time, so that no two wait for each other's rows.
    let names = sqlx::query("SELECT ledger_name, audit_name FROM erasures WHERE user_id = $1 FOR UPDATE")
        .bind(user.as_str())
        .fetch_optional(&mut *tx)
        .await?;
    let Some(names) = names else { return Ok(false) };
    let (ledger, audit): (String, String) = (names.try_get("ledger_name")?, names.try_get("audit_name")?);
    let mut done = projects::hand_over(&mut tx, user).await?;
    if done == 0 {
        done = delete_some(&mut tx, user).await?;
    }
    if done == 0 {
        done = withdraw_requests(&mut tx, user).await?;
    }
    if done == 0 {
        wait_for_sums(&mut tx).await?;
        done = unname_some(&mut tx, user, &ledger, &audit).await?;
    }
    if done == 0 {
        sqlx::query("DELETE FROM erasures WHERE user_id = $1").bind(user.as_str()).execute(&mut *tx).await?;
    }
    tx.commit().await?;
    Ok(done > 0)
}

/// Deletes a portion of the first table that has rows of this person's; returns how many there were.
async fn delete_some(tx: &mut TxConnection, user: &UserId) -> Result<u64, StoreError> {
    for (table, owner) in ERASED {
        let whose = match table {
            // Of these only some are named after a user.
            "budgets" => "scope = 'user' AND ",
            "project_members" => "kind = 'user' AND ",
            // The largest tables, without an index by user: found by their runs, of which the first may have lost the name.
            "run_events" | "decisions" => {
                "run_id IN (SELECT id FROM runs WHERE user_id IN
                     ($1, (SELECT ledger_name FROM erasures e WHERE e.user_id = $1))) AND "
            }
            _ => "",
        };
        let sql = format!(
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM {table} WHERE {whose}{owner} = $1 LIMIT {AT_ONCE}))"
        );
        let done = sqlx::query(AssertSqlSafe(sql)).bind(user.as_str()).execute(&mut *tx).await?;
        if done.rows_affected() > 0 {
            return Ok(done.rows_affected());
        }
    }
    Ok(0)
}

/// Takes back what this person, as an administrator, has asked to read and nobody has approved yet: without their name
/// on it they could come back and approve it themselves. Returns how many requests that were.
async fn withdraw_requests(tx: &mut Tx, user: &UserId) -> Result<u64, StoreError> {
    // What becomes of requests is for administrators to say, not for the engine.
    tx.set_role(Scope::Admin.role()).await?;
    let done = sqlx::query(
        "UPDATE access_requests SET revoked_by = $1, revoked_at = now()
         WHERE requested_by = $1 AND approved_at IS NULL AND revoked_at IS NULL",
    )
    .bind(user.as_str())
    .execute(&mut **tx)
    .await?;
    tx.see_own_rows().await?;
    Ok(done.rows_affected())
}

/// Waits until no day is being summed up, and lets nobody begin before the transaction ends: a sum that has read the
/// ledger under the old name would bring it back.
async fn wait_for_sums(tx: &mut TxConnection) -> Result<(), StoreError> {
    // Of the first sum of all, the row itself is not committed yet.
    sqlx::query(
        "INSERT INTO spent_until (until) VALUES (date_trunc('month', now(), 'UTC'))
         ON CONFLICT (singleton) DO UPDATE SET until = spent_until.until",
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What takes the name (`$1`) out of the ledger and puts another one there (`$2`), `$3` rows at a time.
const IN_THE_LEDGER: [&str; 3] = [
    // Everything that sums over the ledger do not need goes: what was asked, with which key, in which conversation, and
    // why it failed. The groups stay, or people who erase their data would give a group its budget back.
    "UPDATE runs SET user_id = $2, conversation_id = gen_random_uuid(), message_id = gen_random_uuid(),
            plan = '{}', program = NULL, skips = '[]', retries = '[]', corrections = '[]', idempotency_key = NULL,
            request_digest = NULL,
            error = CASE WHEN error_kind IS NOT NULL THEN jsonb_build_object('kind', error_kind) END
     WHERE id = ANY (ARRAY(SELECT id FROM runs WHERE user_id = $1 AND finished_at IS NOT NULL LIMIT $3))",
    "UPDATE calls SET user_id = $2, result = NULL, fingerprint = ''
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM calls WHERE user_id = $1 LIMIT $3))",
    "UPDATE spent_days SET user_id = $2
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM spent_days WHERE user_id = $1 LIMIT $3))",
];

/// What replaces the name in the audit log, and wherever this person acted as an administrator. A rename uses the same
/// statements.
pub(super) const IN_THE_LOG: [&str; 10] = [
    "UPDATE audit_log SET user_id = $2
     WHERE id = ANY (ARRAY(SELECT id FROM audit_log WHERE user_id = $1 LIMIT $3))",
    // What administrators did about this person, and owners of projects: `ann`, `user/ann/day`; `{"from": "ann"}`,
    // `{"member": "user/ann"}`.
    "UPDATE audit_log
     SET target = CASE WHEN target = $1 THEN $2
                       WHEN starts_with(target, 'user/' || $1 || '/')
                       THEN 'user/' || $2 || substr(target, length('user/' || $1) + 1)
                       ELSE target END,
         details = CASE WHEN details ->> 'from' = $1 THEN jsonb_set(details, '{from}', to_jsonb($2))
                        WHEN details ->> 'member' = 'user/' || $1
                        THEN jsonb_set(details, '{member}', to_jsonb('user/' || $2))
                        ELSE details END
     WHERE id = ANY (ARRAY(SELECT id FROM audit_log
                           WHERE target = $1 OR starts_with(target, 'user/' || $1 || '/') OR details ->> 'from' = $1
                              OR details ->> 'member' = 'user/' || $1
                           LIMIT $3))",
    "UPDATE budgets SET updated_by = $2 WHERE updated_by = $1 AND $3 > 0",
    "UPDATE instance_settings SET updated_by = $2 WHERE updated_by = $1 AND $3 > 0",
    "UPDATE retention SET chosen_by = $2 WHERE chosen_by = $1 AND $3 > 0",
    "UPDATE projects SET retention_by = $2 WHERE retention_by = $1 AND $3 > 0",
    "UPDATE legal_holds SET placed_by = $2 WHERE placed_by = $1 AND $3 > 0",
    "UPDATE blocked_users SET blocked_by = $2 WHERE blocked_by = $1 AND $3 > 0",
    "UPDATE access_reads SET read_by = $2 WHERE read_by = $1 AND $3 > 0",
    "UPDATE access_requests
     SET requested_by = CASE WHEN requested_by = $1 THEN $2 ELSE requested_by END,
         approved_by = CASE WHEN approved_by = $1 THEN $2 ELSE approved_by END,
         revoked_by = CASE WHEN revoked_by = $1 THEN $2 ELSE revoked_by END
     WHERE $1 IN (requested_by, approved_by, revoked_by) AND $3 > 0",
];

/// Takes the name out of a portion of what stays; returns how many rows had it.
async fn unname_some(
    tx: &mut TxConnection,
    user: &UserId,
    ledger: &str,
    audit: &str,
) -> Result<u64, StoreError> {
    let in_the_ledger = IN_THE_LEDGER.into_iter().map(|sql| (sql, ledger));
    let in_the_log = IN_THE_LOG.into_iter().map(|sql| (sql, audit));
    for (sql, name) in in_the_ledger.chain(in_the_log) {
        let done = sqlx::query(sql).bind(user.as_str()).bind(name).bind(AT_ONCE).execute(&mut *tx).await?;
        if done.rows_affected() > 0 {
            return Ok(done.rows_affected());
        }
    }
    Ok(0)
}
