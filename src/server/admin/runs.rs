//! Which runs there were, without what was said in them.

use actix_web::{get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::id::RunId;
use crate::server::app::App;
use crate::server::extract::{Caller, id};
use crate::server::filter;
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::admin::{RunRow, Runs};
use crate::store::{Scope, audit, runs, usage};

/// Which runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct RunsQuery {
    /// Only runs that failed or in which a call did.
    failures: Option<bool>,
    /// Only this person's.
    user: Option<String>,
}

/// The latest runs: who, when, how they ended, what they cost.
#[utoipa::path(tag = "admin", params(RunsQuery, PageQuery), responses(
    (status = 200, body = Runs), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/runs")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<RunsQuery>,
    page: Query<PageQuery>,
) -> Result<web::Json<Runs>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let failures_only = query.failures.unwrap_or(false);
    let user = filter::user(query.user.as_deref())?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let rows = usage::recent_runs(&mut tx, user.as_ref(), failures_only, limit, offset).await?;
    Ok(web::Json(Runs { runs: rows.into_iter().map(RunRow::from).collect() }))
}

/// Whether there was anything to stop.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CancelledByAdmin {
    pub cancelled: bool,
}

/// Stops anybody's run, wherever it is executed. Its owner sees that it was stopped, and keeps what there is of it.
#[utoipa::path(tag = "admin", params(("id" = String, Path)), responses(
    (status = 200, body = CancelledByAdmin), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/admin/runs/{id}/cancel")]
pub(in crate::server) async fn cancel(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<CancelledByAdmin>, Problem> {
    caller.admin()?;
    let run: RunId = id(&path, "Run")?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let cancelled = runs::request_cancel_of_any(&mut tx, run)
        .await
        .map_err(|error| Problem::from(error).naming("Run"))?;
    if cancelled {
        audit::append(&mut tx, &caller.user, "run.stop", Some(&run.to_string()), &json!({})).await?;
    }
    tx.commit().await?;
    Ok(web::Json(CancelledByAdmin { cancelled }))
}
