//! The JSON shapes of what users see of their own data, and administrators of holds and access.

use jiff::Timestamp;
use serde::Serialize;

use super::naive;
use crate::id::{AccessId, ConversationId, UserId};
use crate::store::access::{Read, Request};
use crate::store::holds::Hold;

/// What is kept of the caller, for how long, and who has looked at it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct OwnData {
    /// Since when there is a hold: what is stored stays, and nothing is deleted for good. The reason is not shown.
    pub held_since: Option<String>,
    /// After how many days without activity conversations are deleted for good; absent where they are kept.
    pub retention_days: Option<i32>,
    /// Administrators' access to the caller's conversations, the newest first, 200 at most.
    pub access: Vec<AccessView>,
}

/// A hold.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct HoldView {
    #[schema(value_type = String)]
    pub user: UserId,
    pub reason: String,
    #[schema(value_type = String)]
    pub placed_by: UserId,
    /// Naive UTC with microseconds.
    pub placed_at: String,
}

impl From<Hold> for HoldView {
    fn from(row: Hold) -> Self {
        Self { user: row.user, reason: row.reason, placed_by: row.placed_by, placed_at: naive(row.placed_at) }
    }
}

/// One administrator's request to read a user's conversations, and its outcome.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AccessView {
    pub id: AccessId,
    #[schema(value_type = String)]
    pub user: UserId,
    pub reason: String,
    /// For how long, from the approval on.
    pub hours: i32,
    #[schema(value_type = String)]
    pub requested_by: UserId,
    /// Naive UTC with microseconds, like every time here.
    pub requested_at: String,
    #[schema(value_type = Option<String>)]
    pub approved_by: Option<UserId>,
    pub approved_at: Option<String>,
    pub expires_at: Option<String>,
    #[schema(value_type = Option<String>)]
    pub revoked_by: Option<UserId>,
    pub revoked_at: Option<String>,
    /// Whether conversations can be read with it now.
    pub is_open: bool,
    /// What was read with it, the newest first, 500 at most.
    pub reads: Vec<AccessRead>,
}

/// One look.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AccessRead {
    #[schema(value_type = String)]
    pub by: UserId,
    /// The conversation; absent where the list of them was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    pub at: String,
}

impl From<Read> for AccessRead {
    fn from(row: Read) -> Self {
        Self { by: row.by, conversation_id: row.conversation, at: naive(row.at) }
    }
}

impl From<Request> for AccessView {
    fn from(row: Request) -> Self {
        Self {
            is_open: row.is_open(Timestamp::now()),
            id: row.id,
            user: row.user,
            reason: row.reason,
            hours: row.hours,
            requested_by: row.requested_by,
            requested_at: naive(row.requested_at),
            approved_by: row.approved_by,
            approved_at: row.approved_at.map(naive),
            expires_at: row.expires_at.map(naive),
            revoked_by: row.revoked_by,
            revoked_at: row.revoked_at.map(naive),
            reads: row.reads.into_iter().map(AccessRead::from).collect(),
        }
    }
}
