//! What was used, added up.

use actix_web::http::header;
use actix_web::{HttpResponse, get, web};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;

use crate::id::UserId;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::page::WholeQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::admin::{UsageReport, UsageRow};
use crate::server::{csv, days, filter};
use crate::store::usage::{self, GroupBy, Span};
use crate::store::{Scope, audit};

/// What to add up.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct UsageQuery {
    /// First day (`2026-11-01`), UTC; 30 days ago when left out.
    from: Option<String>,
    /// Last day, UTC; today when left out. `until` says the same.
    #[serde(alias = "until")]
    to: Option<String>,
    /// `user`, `model`, `day` or `format`.
    by: Option<String>,
    /// `json` (default) or `csv`.
    format: Option<String>,
    /// Only what this person used.
    user: Option<String>,
}

/// Usage by user, model, day or format, of everybody or of one person. A file (`csv`) has all lines, whatever the page.
#[utoipa::path(tag = "admin", params(UsageQuery, WholeQuery), responses(
    (status = 200, body = UsageReport), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/usage")]
pub(in crate::server) async fn report(
    app: web::Data<App>,
    caller: Caller,
    query: Query<UsageQuery>,
    page: Query<WholeQuery>,
) -> Result<HttpResponse, Problem> {
    caller.admin()?;
    let by = match query.by.as_deref().unwrap_or("user") {
        "user" => GroupBy::User,
        "model" => GroupBy::Model,
        "day" => GroupBy::Day,
        "format" => GroupBy::Format,
        _ => return Err(Problem::field("by", "must be user, model, day or format")),
    };
    let is_csv = match query.format.as_deref().unwrap_or("json") {
        "json" => false,
        "csv" => true,
        _ => return Err(Problem::field("format", "must be json or csv")),
    };
    let user = filter::user(query.user.as_deref())?;
    let span = span(&query)?;
    let bounds = if is_csv { (u32::MAX, 0) } else { page.bounds() };
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let (rows, total) = usage::usage(&mut tx, by, span, user.as_ref(), bounds).await?;
    // What users use is private: every look at it is recorded.
    audit::append(
        &mut tx,
        &caller.user,
        "usage.read",
        user.as_ref().map(UserId::as_str),
        &json!({ "by": query.by, "from": query.from, "to": query.to }),
    )
    .await?;
    tx.commit().await?;
    let rows: Vec<UsageRow> = rows.into_iter().map(UsageRow::from).collect();
    if is_csv {
        return Ok(HttpResponse::Ok()
            .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
            .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"usage.csv\""))
            .body(as_csv(&rows)));
    }
    Ok(HttpResponse::Ok().json(UsageReport {
        by: query.by.clone().unwrap_or_else(|| "user".to_owned()),
        rows,
        total,
    }))
}

fn span(query: &UsageQuery) -> Result<Span, Problem> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let month_ago = today.checked_sub(jiff::Span::new().days(30)).unwrap_or(today);
    let from = days::read("from", query.from.as_deref())?.unwrap_or(month_ago);
    let to = days::read("to", query.to.as_deref())?.unwrap_or(today);
    days::span(Some(from), Some(to), "to")
}

fn as_csv(rows: &[UsageRow]) -> String {
    let header = [
        "name",
        "runs",
        "calls",
        "failed_calls",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "unpriced_calls",
        "estimated_calls",
    ];
    let rows = rows.iter().map(|row| {
        [
            row.name.clone(),
            row.runs.to_string(),
            row.calls.to_string(),
            row.failed_calls.to_string(),
            row.prompt_tokens.to_string(),
            row.completion_tokens.to_string(),
            row.cost_usd.map(|cost| cost.to_string()).unwrap_or_default(),
            row.unpriced_calls.to_string(),
            row.estimated_calls.to_string(),
        ]
    });
    csv::table(header, rows)
}
