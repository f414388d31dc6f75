//! Which runs there were, without what was said in them.

use actix_web::{get, web};
use serde::Deserialize;

use super::page::PageQuery;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::shape::admin::{RunRow, Runs};
use crate::store::{Scope, usage};

/// Which runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct RunsQuery {
    /// Only runs that failed or in which a call did.
    failures: Option<bool>,
}

/// The latest runs: who, when, how they ended, what they cost.
#[utoipa::path(tag = "admin", params(RunsQuery, PageQuery), responses(
    (status = 200, body = Runs), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/runs")]
pub(in crate::server) async fn list(
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
