//! The audit log.

use actix_web::{get, web};
use serde::Deserialize;

use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::shape::admin::{AuditEntry, AuditPage};
use crate::store::{Scope, audit};

/// A page of the audit log.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct AuditQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// Only entries before this one's id.
    before: Option<i64>,
}

/// The audit log, newest first.
#[utoipa::path(tag = "admin", params(AuditQuery), responses(
    (status = 200, body = AuditPage), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/audit")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: web::Query<AuditQuery>,
) -> Result<web::Json<AuditPage>, Problem> {
    caller.admin()?;
    let limit = query.limit.unwrap_or(100).clamp(1, 500);
    let rows = audit::list(&mut app.db.begin(&Scope::Admin).await?, None, query.before, limit).await?;
    Ok(web::Json(AuditPage { entries: rows.into_iter().map(AuditEntry::from).collect() }))
}
