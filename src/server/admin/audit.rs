//! The audit log.

use actix_web::{get, web};
use serde::Deserialize;

use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::admin::{AuditEntry, AuditPage};
use crate::server::{days, filter};
use crate::store::{Scope, audit};

/// A page of the audit log.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct AuditQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// Only entries before this one's id.
    before: Option<i64>,
    /// Only what this person did.
    user: Option<String>,
    /// Only this action, or all of one noun: `conversation.delete`, `conversation`.
    action: Option<String>,
    /// Only what was done to this: an id, or a user.
    target: Option<String>,
    /// First day (`2026-11-01`), UTC.
    from: Option<String>,
    /// Last day, UTC. `until` says the same.
    #[serde(alias = "until")]
    to: Option<String>,
}

/// The audit log, newest first.
#[utoipa::path(tag = "admin", params(AuditQuery), responses(
    (status = 200, body = AuditPage), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/audit")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<AuditQuery>,
) -> Result<web::Json<AuditPage>, Problem> {
    caller.admin()?;
    let limit = query.limit.unwrap_or(100).clamp(1, 500);
    let user = filter::user(query.user.as_deref())?;
    let filter = audit::Filter {
        user: user.as_ref(),
        action: filter::text("action", query.action.as_deref())?,
        target: filter::text("target", query.target.as_deref())?,
        span: days::span(
            days::read("from", query.from.as_deref())?,
            days::read("to", query.to.as_deref())?,
            "to",
        )?,
        before: query.before,
    };
    let rows = audit::list(&mut app.db.begin(&Scope::Admin).await?, filter, limit).await?;
    Ok(web::Json(AuditPage { entries: rows.into_iter().map(AuditEntry::from).collect() }))
}
