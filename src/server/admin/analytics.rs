//! Analytics over everybody's runs. Each look is recorded.

use actix_web::{get, web};
use serde::Deserialize;
use serde_json::json;

use crate::server::analytics::{
    SpanQuery, beside_the_best, by_chairman, by_day, by_model, by_reviewer, pairs, ranked, ready, source,
};
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::analytics::{Analytics, Chairmen, Days};
use crate::server::shape::comparisons::{AgainstBest, HeadToHead, Leaderboard};
use crate::server::shape::reviewers::Reviewers;
use crate::store::analytics::RowFilter;
use crate::store::{Scope, Tx, audit};

/// A transaction over everybody's figures, and what it counts. Users' activity is private: every look at it is
/// recorded, once for all the parts of a page.
async fn all(app: &App, caller: &Caller, span: &SpanQuery) -> Result<(Tx, RowFilter), Problem> {
    caller.admin()?;
    let mut details = json!({ "from": span.from, "until": span.until });
    if let Some(format) = &span.format {
        details["format"] = json!(format);
    }
    let mut tx = app.db.begin(&Scope::Admin).await?;
    audit::append_once(&mut tx, &caller.user, "analytics.read", None, &details).await?;
    tx.commit().await?;
    ready(app.db.begin(&Scope::Admin).await?, span).await
}

/// What a leaderboard is made of; tags are people's own.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct SourceQuery {
    /// `ballots` (default): the reviewers'; `people`: which answer was called the better one.
    source: Option<String>,
}

/// Figures by model, over everybody.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = Analytics), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics")]
pub(in crate::server) async fn models(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Analytics>, Problem> {
    by_model(all(&app, &caller, &span).await?).await
}

/// What was asked, used and paid by everybody, day by day.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = Days), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/days")]
pub(in crate::server) async fn by_days(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Days>, Problem> {
    by_day(all(&app, &caller, &span).await?).await
}

/// Who wrote everybody's final answers.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = Chairmen), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/chairman")]
pub(in crate::server) async fn chairmen(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Chairmen>, Problem> {
    by_chairman(all(&app, &caller, &span).await?).await
}

/// What models are like as reviewers, over everybody.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = Reviewers), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/reviewers")]
pub(in crate::server) async fn reviewers(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Reviewers>, Problem> {
    by_reviewer(all(&app, &caller, &span).await?).await
}

/// Which model came before which, over everybody.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = HeadToHead), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/head-to-head")]
pub(in crate::server) async fn head_to_head(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<HeadToHead>, Problem> {
    pairs(all(&app, &caller, &span).await?).await
}

/// What the council costs compared with its best member alone, over all users.
#[utoipa::path(tag = "admin", params(SpanQuery), responses(
    (status = 200, body = AgainstBest), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/council")]
pub(in crate::server) async fn council(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<AgainstBest>, Problem> {
    beside_the_best(all(&app, &caller, &span).await?).await
}

/// Models by strength over everybody's runs.
#[utoipa::path(tag = "admin", params(SpanQuery, SourceQuery), responses(
    (status = 200, body = Leaderboard), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/analytics/leaderboard")]
pub(in crate::server) async fn leaderboard(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
    board: Query<SourceQuery>,
) -> Result<web::Json<Leaderboard>, Problem> {
    caller.admin()?;
    let source = source(board.source.as_deref())?;
    ranked(all(&app, &caller, &span).await?, source, None).await
}
