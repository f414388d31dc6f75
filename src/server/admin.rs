//! For administrators: usage, users, runs, the audit log. Never other people's content.

use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use super::app::App;
use super::days;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use super::shape::admin::{AuditEntry, AuditPage, RunRow, Runs, UsageReport, UsageRow, UserRow, Users};
use crate::store::usage::{self, By, Span};
use crate::store::{Scope, audit};

/// What to add up.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct UsageQuery {
    /// First day (`2026-11-01`), UTC; 30 days ago when left out.
    from: Option<String>,
    /// Last day, UTC; today when left out.
    to: Option<String>,
    /// `user`, `model`, `day` or `format`.
    by: Option<String>,
    /// `json` (default) or `csv`.
    format: Option<String>,
}

/// Usage by user, model, day or format.
#[utoipa::path(tag = "admin", params(UsageQuery), responses(
    (status = 200, body = UsageReport), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/usage")]
pub(super) async fn usage_report(
    app: web::Data<App>,
    caller: Caller,
    query: web::Query<UsageQuery>,
) -> Result<HttpResponse, Problem> {
    caller.admin()?;
    let by = match query.by.as_deref().unwrap_or("user") {
        "user" => By::User,
        "model" => By::Model,
        "day" => By::Day,
        "format" => By::Format,
        _ => return Err(Problem::field("by", "must be user, model, day or format")),
    };
    let as_csv = match query.format.as_deref().unwrap_or("json") {
        "json" => false,
        "csv" => true,
        _ => return Err(Problem::field("format", "must be json or csv")),
    };
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let rows = usage::usage(&mut tx, by, span(&query)?).await?;
    // What people used is theirs: who looked at it is noted.
    audit::append(
        &mut tx,
        &caller.user,
        "usage.read",
        None,
        &json!({ "by": query.by, "from": query.from, "to": query.to }),
    )
    .await?;
    tx.commit().await?;
    if as_csv {
        return Ok(HttpResponse::Ok()
            .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
            .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"usage.csv\""))
            .body(csv(&rows)));
    }
    Ok(HttpResponse::Ok().json(UsageReport {
        by: query.by.clone().unwrap_or_else(|| "user".to_owned()),
        rows: rows.into_iter().map(UsageRow::from).collect(),
    }))
}

fn span(query: &UsageQuery) -> Result<Span, Problem> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let month_ago = today.checked_sub(jiff::Span::new().days(30)).unwrap_or(today);
    let from = days::read("from", query.from.as_deref())?.unwrap_or(month_ago);
    let to = days::read("to", query.to.as_deref())?.unwrap_or(today);
    days::span(Some(from), Some(to), "to")
}

/// Cells are quoted, and those that a spreadsheet would take for a formula are defused.
fn csv(rows: &[usage::Usage]) -> String {
    let mut text = String::from(
        "name,runs,calls,failed_calls,prompt_tokens,completion_tokens,cost_usd,unpriced_calls,estimated_calls\n",
    );
    for row in rows {
        let formula = row.key.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let name = format!("\"{}{}\"", if formula { "'" } else { "" }, row.key.replace('"', "\"\""));
        let cost = row.cost_usd.map(|cost| cost.to_string()).unwrap_or_default();
        text.push_str(&format!(
            "{name},{},{},{},{},{},{cost},{},{}\n",
            row.runs,
            row.calls,
            row.failed_calls,
            row.prompt_tokens,
            row.completion_tokens,
            row.unpriced_calls,
            row.estimated_calls
        ));
    }
    text
}

/// A page of a list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct PageQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

impl PageQuery {
    /// The first page.
    pub(super) const FIRST: Self = Self { limit: None, offset: None };

    pub(super) fn bounds(&self) -> (u32, u32) {
        (self.limit.unwrap_or(100).clamp(1, 500), self.offset.unwrap_or(0))
    }
}

/// The users of this server.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = Users), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/users")]
pub(super) async fn users(
    app: web::Data<App>,
    caller: Caller,
    page: web::Query<PageQuery>,
) -> Result<web::Json<Users>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let rows = usage::users(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(Users { users: rows.into_iter().map(UserRow::from).collect() }))
}

/// Which runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct RunsQuery {
    /// Only runs that failed or in which a call did.
    failures: Option<bool>,
}

/// The latest runs: who, when, how they ended, what they cost.
#[utoipa::path(tag = "admin", params(RunsQuery, PageQuery), responses(
    (status = 200, body = Runs), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/runs")]
pub(super) async fn runs(
    app: web::Data<App>,
    caller: Caller,
    query: web::Query<RunsQuery>,
    page: web::Query<PageQuery>,
) -> Result<web::Json<Runs>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let failures_only = query.failures.unwrap_or(false);
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let rows = usage::recent_runs(&mut tx, failures_only, limit, offset).await?;
    Ok(web::Json(Runs { runs: rows.into_iter().map(RunRow::from).collect() }))
}

/// A page of the audit log.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct AuditQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// Only entries before this one's id.
    before: Option<i64>,
}

/// The audit log, newest first.
#[utoipa::path(tag = "admin", params(AuditQuery), responses(
    (status = 200, body = AuditPage), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/audit")]
pub(super) async fn audit_log(
    app: web::Data<App>,
    caller: Caller,
    query: web::Query<AuditQuery>,
) -> Result<web::Json<AuditPage>, Problem> {
    caller.admin()?;
    let limit = query.limit.unwrap_or(100).clamp(1, 500);
    let rows = audit::list(&mut app.db.begin(&Scope::Admin).await?, None, query.before, limit).await?;
    Ok(web::Json(AuditPage { entries: rows.into_iter().map(AuditEntry::from).collect() }))
}
