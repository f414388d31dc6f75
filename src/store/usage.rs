//! What admins see: users, runs, tokens and costs, over views that hold no content.

use jiff::Timestamp;
use sqlx::Row as _;

use crate::id::{RunId, UserId};

use super::{StoreError, Tx, time, time_or_null};

/// What the figures are summed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// The person who asked.
    User,
    /// The model that was called.
    Model,
    /// The day (UTC) on which the call ended, as `2026-01-31`.
    Day,
    /// The format of the run.
    Format,
}

/// A span of time: `from` belongs to it, `until` does not. Open where `None`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span {
    /// Its beginning.
    pub from: Option<Timestamp>,
    /// Its end.
    pub until: Option<Timestamp>,
}

/// One line of the usage table.
#[derive(Debug, Clone, PartialEq)]
pub struct Usage {
    /// The user, model, day or format.
    pub key: String,
    /// Runs that made at least one of the calls.
    pub runs: i64,
    /// Finished calls.
    pub calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failed_calls: i64,
    /// Tokens sent, where the provider said.
    pub prompt_tokens: i64,
    /// Tokens received, where the provider said.
    pub completion_tokens: i64,
    /// The sum of the known costs in USD; `None` when none is known.
    pub cost_usd: Option<f64>,
    /// Calls that reached a model and whose cost is unknown: they are not in the sum.
    pub unpriced_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_calls: i64,
}

/// A page of the usage of everyone, or of `user` alone, dearest first (days: newest first); and how many lines there are in all. Needs
/// the admins' scope.
pub async fn usage(
    tx: &mut Tx,
    by: GroupBy,
    span: Span,
    user: Option<&UserId>,
    (limit, offset): (u32, u32),
) -> Result<(Vec<Usage>, u64), StoreError> {
    tx.require_admin()?;
    // The total is returned even when the page is empty.
    macro_rules! grouped {
        ($key:literal, $order:literal) => {
            concat!(
                "WITH lines AS (SELECT ",
                $key,
                " AS key, count(DISTINCT run_id) AS runs, count(*) AS calls,
                        count(*) FILTER (WHERE outcome NOT IN ('ok', 'cancelled')) AS failed_calls,
                        coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
                        coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
                        sum(cost_usd) AS cost_usd,
                        count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL) AS unpriced_calls,
                        count(*) FILTER (WHERE cost_source IN ('listed', 'built_in')) AS estimated_calls
                 FROM admin_calls
                 WHERE ($1::timestamptz IS NULL OR finished_at >= $1)
                   AND ($2::timestamptz IS NULL OR finished_at < $2)
                   AND ($3::text IS NULL OR user_id = $3)
                 GROUP BY 1),
                 page AS (SELECT * FROM lines ORDER BY ",
                $order,
                " LIMIT $4 OFFSET $5)
                 SELECT total.n AS total, page.*
                 FROM (SELECT count(*) AS n FROM lines) total LEFT JOIN page ON true ORDER BY ",
                $order
            )
        };
    }
    let sql = match by {
        GroupBy::User => grouped!("user_id", "cost_usd DESC NULLS LAST, calls DESC, key"),
        GroupBy::Model => grouped!("model", "cost_usd DESC NULLS LAST, calls DESC, key"),
        GroupBy::Day => grouped!("to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "key DESC"),
        GroupBy::Format => grouped!("format", "cost_usd DESC NULLS LAST, calls DESC, key"),
    };
    let rows = sqlx::query(sql)
        .bind(span.from.map(jiff_sqlx::Timestamp::from))
        .bind(span.until.map(jiff_sqlx::Timestamp::from))
        .bind(user.map(UserId::as_str))
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(&mut **tx)
        .await?;
    let total: i64 = rows.first().map_or(Ok(0), |row| row.try_get("total"))?;
    let mut page = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(key) = row.try_get::<Option<String>, _>("key")? else { continue };
        page.push(Usage {
            key,
            runs: row.try_get("runs")?,
            calls: row.try_get("calls")?,
            failed_calls: row.try_get("failed_calls")?,
            prompt_tokens: row.try_get("prompt_tokens")?,
            completion_tokens: row.try_get("completion_tokens")?,
            cost_usd: row.try_get("cost_usd")?,
            unpriced_calls: row.try_get("unpriced_calls")?,
            estimated_calls: row.try_get("estimated_calls")?,
        });
    }
    Ok((page, total.unsigned_abs()))
}

/// Sums over the calls for one purpose.
#[derive(Debug, Clone, PartialEq)]
pub struct PurposeUse {
    /// Finished calls.
    pub calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failed_calls: i64,
    /// The sum of the known costs in USD; `None` when none is known.
    pub cost_usd: Option<f64>,
    /// Calls that reached their target and whose cost is unknown: they are not in the sum.
    pub unpriced_calls: i64,
    /// The median time of the successful ones, in milliseconds.
    pub median_latency_ms: Option<f64>,
}

/// Sums over everybody's calls for one purpose, by the model that was asked, most calls first. Needs the admins'
/// scope.
pub async fn of_purpose(
    tx: &mut Tx,
    purpose: &str,
    span: Span,
) -> Result<Vec<(String, PurposeUse)>, StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT model, count(*) AS calls,
                count(*) FILTER (WHERE outcome NOT IN ('ok', 'cancelled')) AS failed_calls,
                sum(cost_usd) AS cost_usd,
                count(*) FILTER (WHERE cost_usd IS NULL AND latency_ms IS NOT NULL) AS unpriced_calls,
                percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) FILTER (WHERE outcome = 'ok')
                    AS median_latency_ms
         FROM admin_calls
         WHERE purpose = $1
           AND ($2::timestamptz IS NULL OR finished_at >= $2)
           AND ($3::timestamptz IS NULL OR finished_at < $3)
         GROUP BY 1 ORDER BY calls DESC, model",
    )
    .bind(purpose)
    .bind(span.from.map(jiff_sqlx::Timestamp::from))
    .bind(span.until.map(jiff_sqlx::Timestamp::from))
    .fetch_all(&mut **tx)
    .await?;
    rows.iter()
        .map(|row| {
            let used = PurposeUse {
                calls: row.try_get("calls")?,
                failed_calls: row.try_get("failed_calls")?,
                cost_usd: row.try_get("cost_usd")?,
                unpriced_calls: row.try_get("unpriced_calls")?,
                median_latency_ms: row.try_get("median_latency_ms")?,
            };
            Ok((row.try_get("model")?, used))
        })
        .collect::<Result<_, sqlx::Error>>()
        .map_err(Into::into)
}

/// A run as admins see it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    /// Which run.
    pub id: RunId,
    /// Whose.
    pub user: UserId,
    /// `council`, `debate`, …
    pub format: String,
    /// `queued`, `running`, `complete`, `failed`, `cancelled`.
    pub status: String,
    /// Why it failed, in one word.
    pub error_kind: Option<String>,
    /// How often it was taken up.
    pub attempt: i32,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was first taken up.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// Finished calls.
    pub calls: i64,
    /// Calls that ended with an error; stopped ones do not count.
    pub failed_calls: i64,
    /// All tokens, where the providers said.
    pub total_tokens: Option<i64>,
    /// The sum of the known costs in USD.
    pub cost_usd: Option<f64>,
    /// Calls that reached a model and whose cost is unknown.
    pub unpriced_calls: i64,
    /// Calls whose cost was worked out from list prices.
    pub estimated_calls: i64,
}

/// Everyone's runs, or those of `user` alone, newest first; with `failures_only` those that failed or in which a
/// call did. Needs the admins' scope.
pub async fn recent_runs(
    tx: &mut Tx,
    user: Option<&UserId>,
    failures_only: bool,
    limit: u32,
    offset: u32,
) -> Result<Vec<RunLine>, StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT r.id, r.user_id, r.format, r.status, r.error_kind, r.attempt, r.created_at, r.started_at,
                r.finished_at, r.calls, r.total_tokens, r.cost_usd, priced.*
         FROM admin_runs r CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE c.cost_usd IS NULL AND c.latency_ms IS NOT NULL) AS unpriced_calls,
                    count(*) FILTER (WHERE c.cost_source IN ('listed', 'built_in')) AS estimated_calls,
                    count(*) FILTER (WHERE c.outcome NOT IN ('ok', 'cancelled')) AS failed_calls
             FROM calls c WHERE c.run_id = r.id
         ) priced
         WHERE (NOT $3 OR r.status = 'failed' OR priced.failed_calls > 0)
           AND ($4::text IS NULL OR r.user_id = $4)
         ORDER BY r.created_at DESC, r.id LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .bind(failures_only)
    .bind(user.map(UserId::as_str))
    .fetch_all(&mut **tx)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(RunLine {
                id: RunId(row.try_get("id")?),
                user: UserId::from_canonical(row.try_get::<String, _>("user_id")?),
                format: row.try_get("format")?,
                status: row.try_get("status")?,
                error_kind: row.try_get("error_kind")?,
                attempt: row.try_get("attempt")?,
                created_at: time(row, "created_at")?,
                started_at: time_or_null(row, "started_at")?,
                finished_at: time_or_null(row, "finished_at")?,
                calls: row.try_get("calls")?,
                failed_calls: row.try_get("failed_calls")?,
                total_tokens: row.try_get("total_tokens")?,
                cost_usd: row.try_get("cost_usd")?,
                unpriced_calls: row.try_get("unpriced_calls")?,
                estimated_calls: row.try_get("estimated_calls")?,
            })
        })
        .collect::<Result<_, sqlx::Error>>()
        .map_err(Into::into)
}

/// A person as admins see them.
#[derive(Debug, Clone, PartialEq)]
pub struct UserLine {
    /// The canonical name.
    pub id: UserId,
    /// As the proxy last said it.
    pub email: Option<String>,
    /// As the proxy last said it.
    pub name: Option<String>,
    /// The groups that they were in when the proxy last said so.
    pub groups: Vec<String>,
    /// The first visit.
    pub created_at: Timestamp,
    /// The last visit, to the minute.
    pub last_seen_at: Timestamp,
    /// Since when they are blocked.
    pub blocked_at: Option<Timestamp>,
}

/// Everyone who was ever here, last seen first; with `search` those whose id, name or email contains it, in upper
/// or lower case. Needs the admins' scope.
pub async fn users(
    tx: &mut Tx,
    search: Option<&str>,
    limit: u32,
    offset: u32,
) -> Result<Vec<UserLine>, StoreError> {
    tx.require_admin()?;
    let rows = sqlx::query(
        "SELECT u.id, u.email, u.name, u.groups, u.created_at, u.last_seen_at, b.blocked_at
         FROM users u LEFT JOIN blocked_users b ON b.user_id = u.id
         WHERE $3::text IS NULL
            OR strpos(lower(concat_ws(E'\\n', u.id, u.email, u.name)), lower($3)) > 0
         ORDER BY u.last_seen_at DESC, u.id LIMIT $1 OFFSET $2",
    )
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .bind(search)
    .fetch_all(&mut **tx)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(UserLine {
                id: UserId::from_canonical(row.try_get::<String, _>("id")?),
                email: row.try_get("email")?,
                name: row.try_get("name")?,
                groups: row.try_get("groups")?,
                created_at: time(row, "created_at")?,
                last_seen_at: time(row, "last_seen_at")?,
                blocked_at: time_or_null(row, "blocked_at")?,
            })
        })
        .collect::<Result<_, sqlx::Error>>()
        .map_err(Into::into)
}
