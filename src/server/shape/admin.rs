//! The JSON shapes of what administrators see.

use serde::Serialize;
use serde_json::Value;

use super::naive;
use crate::id::{RunId, UserId};
use crate::identity::Gate;
use crate::store::{audit, blocks, usage};

/// Usage, added up.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UsageReport {
    /// `user`, `model`, `day` or `format`.
    pub by: String,
    /// The dearest first; days: the newest first.
    pub rows: Vec<UsageRow>,
    /// How many lines there are, over all pages.
    pub total: u64,
}

/// One line of a usage report.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UsageRow {
    /// The user, model, day or format.
    pub name: String,
    pub runs: i64,
    pub calls: i64,
    pub failed_calls: i64,
    pub prompt_tokens: i64,
    pub completion_tokens: i64,
    /// The sum of the known costs in USD; null when none is known.
    pub cost_usd: Option<f64>,
    /// Calls whose cost is unknown, and which are therefore not in the sum.
    pub unpriced_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_calls: i64,
}

impl From<usage::Usage> for UsageRow {
    fn from(row: usage::Usage) -> Self {
        Self {
            name: row.key,
            runs: row.runs,
            calls: row.calls,
            failed_calls: row.failed_calls,
            prompt_tokens: row.prompt_tokens,
            completion_tokens: row.completion_tokens,
            cost_usd: row.cost_usd,
            unpriced_calls: row.unpriced_calls,
            estimated_calls: row.estimated_calls,
        }
    }
}

/// A page of users.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Users {
    pub users: Vec<UserRow>,
}

/// A user who has been here.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UserRow {
    #[schema(value_type = String)]
    pub id: UserId,
    pub email: Option<String>,
    pub name: Option<String>,
    /// The groups that they were in when the proxy last said so.
    pub groups: Vec<String>,
    /// Whether the configuration makes them an administrator, by name or by one of these groups.
    pub is_admin: bool,
    pub created_at: String,
    /// The last visit, to the minute.
    pub last_seen_at: String,
    /// Since when they are blocked; absent where they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_at: Option<String>,
}

impl UserRow {
    pub(in crate::server) fn of(row: usage::UserLine, gate: &Gate) -> Self {
        Self {
            is_admin: gate.is_admin(&row.id, &row.groups),
            id: row.id,
            email: row.email,
            name: row.name,
            groups: row.groups,
            created_at: naive(row.created_at),
            last_seen_at: naive(row.last_seen_at),
            blocked_at: row.blocked_at.map(naive),
        }
    }
}

/// A block.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BlockView {
    #[schema(value_type = String)]
    pub user: UserId,
    pub reason: String,
    #[schema(value_type = String)]
    pub blocked_by: UserId,
    /// Naive UTC with microseconds.
    pub blocked_at: String,
}

impl From<blocks::Block> for BlockView {
    fn from(row: blocks::Block) -> Self {
        Self {
            user: row.user,
            reason: row.reason,
            blocked_by: row.blocked_by,
            blocked_at: naive(row.blocked_at),
        }
    }
}

/// A page of runs.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Runs {
    pub runs: Vec<RunRow>,
}

/// A run without anything of its content.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RunRow {
    pub id: RunId,
    #[schema(value_type = String)]
    pub user: UserId,
    pub format: String,
    /// `queued`, `running`, `complete`, `failed`, `cancelled`.
    pub status: String,
    /// Why it failed, in one word.
    pub error_kind: Option<String>,
    pub created_at: String,
    pub finished_at: Option<String>,
    pub calls: i64,
    pub failed_calls: i64,
    pub cost_usd: Option<f64>,
    pub unpriced_calls: i64,
    /// Calls in the sum whose cost was worked out from list prices.
    pub estimated_calls: i64,
    /// How often it was taken up.
    pub attempt: i32,
}

impl From<usage::RunLine> for RunRow {
    fn from(row: usage::RunLine) -> Self {
        Self {
            id: row.id,
            user: row.user,
            format: row.format,
            status: row.status,
            error_kind: row.error_kind,
            created_at: naive(row.created_at),
            finished_at: row.finished_at.map(naive),
            calls: row.calls,
            failed_calls: row.failed_calls,
            cost_usd: row.cost_usd,
            unpriced_calls: row.unpriced_calls,
            estimated_calls: row.estimated_calls,
            attempt: row.attempt,
        }
    }
}

/// A page of the audit log, newest first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
}

/// Who did what, and to what; never content.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AuditEntry {
    pub id: i64,
    pub at: String,
    #[schema(value_type = String)]
    pub user: UserId,
    /// `noun.verb`: `conversation.delete`.
    pub action: String,
    pub target: Option<String>,
    #[schema(value_type = Object)]
    pub details: Value,
}

impl From<audit::Entry> for AuditEntry {
    fn from(row: audit::Entry) -> Self {
        Self {
            id: row.id,
            at: naive(row.at),
            user: row.user,
            action: row.action,
            target: row.target,
            details: row.details,
        }
    }
}
