//! Benches, to look at: they are begun on the command line.

use actix_web::{get, web};
use serde::Serialize;

use super::app::App;
use super::extract::{Caller, id};
use super::page::PageQuery;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::naive;
use crate::bench::report::{Report, Status};
use crate::bench::stored;
use crate::id::BenchId;
use crate::identity::Permission;
use crate::store::StoreError;
use crate::store::benches::{self, BenchRow};

/// A bench in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BenchSummary {
    pub id: BenchId,
    pub name: String,
    pub status: Status,
    pub questions: i32,
    pub variants: i32,
    /// Answers that are there, over all variants.
    pub done: i64,
    /// What was paid so far, grading included, in USD, by the calls whose cost is known.
    pub spent_usd: f64,
    /// Calls so far whose cost is not known.
    pub unpriced_calls: i64,
    /// The most that it may cost, in USD.
    pub max_cost_usd: f64,
    /// Naive UTC with microseconds.
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

/// A page of the caller's benches.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BenchList {
    /// The newest first.
    pub benches: Vec<BenchSummary>,
    /// Over all pages.
    pub total: u64,
}

/// One bench with its table.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct BenchView {
    pub id: BenchId,
    /// Naive UTC with microseconds.
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    pub report: Report,
}

fn summary(row: BenchRow) -> BenchSummary {
    BenchSummary {
        id: row.id,
        status: Status::of(&row.status),
        name: row.name,
        questions: row.questions,
        variants: row.variants,
        done: row.done,
        spent_usd: row.spent_usd,
        unpriced_calls: row.unpriced_calls,
        max_cost_usd: row.max_cost_usd,
        created_at: naive(row.created_at),
        finished_at: row.finished_at.map(naive),
    }
}

/// The caller's benches: councils and models measured by questions with known answers. They are begun by
/// `llm-council bench`.
#[utoipa::path(tag = "analytics", params(PageQuery), responses(
    (status = 200, body = BenchList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/bench")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<BenchList>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let (rows, total) = benches::list(&mut app.db.begin(&caller.scope()).await?, limit, offset).await?;
    Ok(web::Json(BenchList { benches: rows.into_iter().map(summary).collect(), total }))
}

/// One of the caller's benches: how often each variant was right, with the range in which the true share probably lies,
/// what it cost, and how it compares with its best member.
#[utoipa::path(tag = "analytics", params(("id" = String, Path)), responses(
    (status = 200, body = BenchView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/bench/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<BenchView>, Problem> {
    caller.may(Permission::Read)?;
    let id: BenchId = id(&path, "Bench")?;
    let named = |error: StoreError| Problem::from(error).naming("Bench");
    let mut tx = app.db.begin(&caller.scope()).await?;
    let row = benches::find(&mut tx, id).await.map_err(named)?;
    let items = benches::items(&mut tx, id).await?;
    drop(tx);
    let (created_at, finished_at) = (naive(row.created_at), row.finished_at.map(naive));
    let report = stored::report(row, items).map_err(|error| {
        tracing::error!(bench = %id, error = &error as &dyn std::error::Error, "a stored bench cannot be read");
        Problem::internal()
    })?;
    Ok(web::Json(BenchView { id, created_at, finished_at, report }))
}
