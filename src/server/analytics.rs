//! Analytics: figures over the caller's runs, and the code that computes them for anybody.

use actix_web::{delete, get, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::app::App;
use super::days;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::Status;
use super::shape::analytics::{Analytics, Chairmen, Days, Recent, RecentRun};
use super::shape::comparisons::{AgainstBest, HeadToHead, Leaderboard, Pair, Rank, Source};
use super::shape::reviewers::Reviewers;
use crate::council::plan;
use crate::council::ranking::bradley_terry::{Ballot, Tally};
use crate::identity::Permission;
use crate::store::analytics::{self as figures, Preferred, RowFilter};
use crate::store::{Tx, audit};

/// How often the runs are drawn again for the intervals of a leaderboard.
const DRAWS: usize = 200;
/// Fixed, so that the same runs give the same intervals.
const SEED: u64 = 1952;
const MAX_PER_PAGE: u32 = 200;

/// Which runs to count.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct SpanQuery {
    /// First day (`2026-11-01`), UTC; from the beginning when left out.
    pub(super) from: Option<String>,
    /// Last day, UTC; until now when left out. `to` says the same.
    #[serde(alias = "to")]
    pub(super) until: Option<String>,
    /// Only runs of this format: `council`, `debate`, `arena` or `decomposition`.
    pub(super) format: Option<String>,
}

/// A transaction over the caller's own figures, and what it counts.
async fn own(app: &App, caller: &Caller, span: &SpanQuery) -> Result<(Tx, RowFilter), Problem> {
    caller.may(Permission::Read)?;
    ready(app.db.begin(&caller.scope()).await?, span).await
}

pub(super) async fn ready(mut tx: Tx, span: &SpanQuery) -> Result<(Tx, RowFilter), Problem> {
    let from = days::read("from", span.from.as_deref())?;
    let until = days::read("until", span.until.as_deref())?;
    let format = span.format.as_deref();
    if format.is_some_and(|format| !plan::FORMATS.contains(&format)) {
        return Err(Problem::field("format", &format!("must be one of {}", plan::FORMATS.join(", "))));
    }
    let filter = RowFilter::of(&mut tx, days::span(from, until, "until")?).await?;
    Ok((tx, filter.of_format(format)))
}

pub(super) async fn by_model((mut tx, filter): (Tx, RowFilter)) -> Result<web::Json<Analytics>, Problem> {
    let runs = figures::runs(&mut tx, &filter).await?;
    let usage = figures::usage(&mut tx, &filter).await?;
    let places = figures::places(&mut tx, &filter).await?;
    let latencies = figures::latencies(&mut tx, &filter).await?;
    let cached = figures::cached(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(Analytics::new(&filter, runs, usage, places, latencies).with_cached(cached)))
}

pub(super) async fn by_day((mut tx, filter): (Tx, RowFilter)) -> Result<web::Json<Days>, Problem> {
    let days = figures::days(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(Days { days: days.into_iter().map(Into::into).collect() }))
}

pub(super) async fn by_chairman((mut tx, filter): (Tx, RowFilter)) -> Result<web::Json<Chairmen>, Problem> {
    let rows = figures::chairmen(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(rows.into()))
}

pub(super) async fn by_reviewer((mut tx, filter): (Tx, RowFilter)) -> Result<web::Json<Reviewers>, Problem> {
    let rows = figures::leanings(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(rows.into()))
}

pub(super) async fn pairs((mut tx, filter): (Tx, RowFilter)) -> Result<web::Json<HeadToHead>, Problem> {
    let duels = figures::duels(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(HeadToHead { pairs: duels.into_iter().map(Pair::from).collect() }))
}

pub(super) async fn beside_the_best(
    (mut tx, filter): (Tx, RowFilter),
) -> Result<web::Json<AgainstBest>, Problem> {
    let row = figures::against_best(&mut tx, &filter).await?;
    tx.commit().await?;
    Ok(web::Json(row.into()))
}

pub(super) async fn ranked(
    (mut tx, filter): (Tx, RowFilter),
    source: Source,
    tag: Option<String>,
) -> Result<web::Json<Leaderboard>, Problem> {
    let runs: Vec<Vec<Ballot>> = match source {
        Source::Ballots => {
            let stored = figures::ballots(&mut tx, &filter, tag.as_deref()).await?;
            stored.into_iter().filter_map(ballots).collect()
        }
        Source::People => {
            let said = figures::preferences(&mut tx, &filter, tag.as_deref()).await?;
            said.into_iter().map(preferred).collect()
        }
    };
    tx.commit().await?;
    let counted = web::block(move || {
        let mut tally = Tally::default();
        runs.iter().for_each(|ballots| tally.add(ballots));
        (tally.runs(), tally.leaderboard(DRAWS, SEED))
    });
    let (runs, rated) = counted.await.map_err(|_| Problem::unavailable("this server is shutting down"))?;
    Ok(web::Json(Leaderboard { source, runs, draws: DRAWS, models: Rank::of(rated) }))
}

/// The best answer before each of the others, about whose order nothing was said.
fn preferred(one: Preferred) -> Vec<Ballot> {
    one.others.into_iter().map(|other| vec![vec![one.best.clone()], vec![other]]).collect()
}

/// A run's ballots. Ones that cannot be read are left out and logged, so that the rest stays readable.
fn ballots(stored: Value) -> Option<Vec<Ballot>> {
    serde_json::from_value(stored)
        .map_err(|error| tracing::error!(%error, "stored ballots cannot be read"))
        .ok()
}

/// Figures by model: how often each won, how it was ranked, what it used, cost and took.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = Analytics), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics")]
pub(super) async fn models(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Analytics>, Problem> {
    by_model(own(&app, &caller, &span).await?).await
}

/// What was asked, used and paid, day by day.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = Days), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/days")]
pub(super) async fn by_days(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Days>, Problem> {
    by_day(own(&app, &caller, &span).await?).await
}

/// Who wrote the final answers, and what people thought of them.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = Chairmen), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/chairman")]
pub(super) async fn chairmen(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Chairmen>, Problem> {
    by_chairman(own(&app, &caller, &span).await?).await
}

/// What models are like as reviewers: whether they prefer their own answers, what they read first, long answers, or their
/// maker's other models.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = Reviewers), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/reviewers")]
pub(super) async fn reviewers(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<Reviewers>, Problem> {
    by_reviewer(own(&app, &caller, &span).await?).await
}

/// Which model came before which, and how often.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = HeadToHead), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/head-to-head")]
pub(super) async fn head_to_head(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<HeadToHead>, Problem> {
    pairs(own(&app, &caller, &span).await?).await
}

/// What the council costs compared with its best member alone, and which of them people preferred.
#[utoipa::path(tag = "analytics", params(SpanQuery), responses(
    (status = 200, body = AgainstBest), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/council")]
pub(super) async fn council(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
) -> Result<web::Json<AgainstBest>, Problem> {
    beside_the_best(own(&app, &caller, &span).await?).await
}

/// What a leaderboard is made of.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct BoardQuery {
    /// `ballots` (default): the reviewers'; `people`: which answer was called the better one.
    source: Option<String>,
    /// Only runs of conversations with this tag, as long as they are not deleted.
    tag: Option<String>,
}

pub(super) fn source(name: Option<&str>) -> Result<Source, Problem> {
    match name.unwrap_or("ballots") {
        "ballots" => Ok(Source::Ballots),
        "people" => Ok(Source::People),
        _ => Err(Problem::field("source", "must be ballots or people")),
    }
}

/// Models by strength (Bradley–Terry) with 95 % intervals, from ballots or from people.
#[utoipa::path(tag = "analytics", params(SpanQuery, BoardQuery), responses(
    (status = 200, body = Leaderboard), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/leaderboard")]
pub(super) async fn leaderboard(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
    board: Query<BoardQuery>,
) -> Result<web::Json<Leaderboard>, Problem> {
    let source = source(board.source.as_deref())?;
    let tag = board.tag.as_deref().map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    if tag.as_deref().is_some_and(|tag| tag.contains('\0')) {
        return Err(Problem::field("tag", "must not contain U+0000"));
    }
    ranked(own(&app, &caller, &span).await?, source, tag).await
}

/// A page of recent runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct RecentQuery {
    /// How many at most, 1 to 200; 50 when left out.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// The caller's runs with their figures, newest first.
#[utoipa::path(tag = "analytics", params(SpanQuery, RecentQuery), responses(
    (status = 200, body = Recent), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/analytics/recent")]
pub(super) async fn recent(
    app: web::Data<App>,
    caller: Caller,
    span: Query<SpanQuery>,
    page: Query<RecentQuery>,
) -> Result<web::Json<Recent>, Problem> {
    let (mut tx, filter) = own(&app, &caller, &span).await?;
    let limit = page.limit.unwrap_or(50).clamp(1, MAX_PER_PAGE);
    let rows = figures::recent(&mut tx, &filter, limit, page.offset.unwrap_or(0)).await?;
    let total = figures::runs(&mut tx, &filter).await?.runs;
    tx.commit().await?;
    Ok(web::Json(Recent { queries: rows.into_iter().map(RecentRun::from).collect(), total }))
}

/// Confirms that analytics were cleared.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Cleared {
    pub status: Status,
    pub message: &'static str,
}

/// Clears the caller's analytics: rankings, ballots and feedback are removed, for administrators too,
/// and calls made so far no longer show here. What was paid stays in the ledger, where budgets and
/// administrators count it.
#[utoipa::path(tag = "analytics", responses((status = 200, body = Cleared), (status = 401, body = ProblemBody)))]
#[delete("/analytics")]
pub(super) async fn clear(app: web::Data<App>, caller: Caller) -> Result<web::Json<Cleared>, Problem> {
    caller.may(Permission::Ask)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    figures::clear(&mut tx).await?;
    audit::append(&mut tx, &caller.user, "analytics.clear", None, &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(Cleared { status: Status::Ok, message: "Analytics data cleared" }))
}
