//! Scheduled questions: asked again and again, at times that a cron expression says, each in a conversation of its own.

mod firing;
mod schedule_input;
mod shape;
mod when;

use std::collections::BTreeMap;

use actix_web::{delete, get, patch, post, web};
use serde::Deserialize;
use serde_json::json;

use super::app::App;
use super::extract::{Body, Caller, id};
use super::page::WholeQuery;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::Status;
use crate::id::ScheduleId;
use crate::identity::Permission;
use crate::store::schedules::{self, Schedule};
use crate::store::{StoreError, Tx, audit};

pub use firing::{ask_what_is_due, round};
use schedule_input::{ScheduleInput, ScheduleRequest};
use shape::{
    Around, AskedNow, RemovedSchedule, ScheduleList, ScheduleResultList, ScheduleTimes, ScheduleView, TIMES,
};
use when::When;

const WHAT: &str = "Schedule";
/// Tokens may not make schedules: these would go on after the token was revoked.
const MANAGED: &str = "scheduled questions";
const MAX_PER_PAGE: u32 = 200;

/// The caller's schedules.
#[utoipa::path(tag = "schedules", params(WholeQuery), responses(
    (status = 200, body = ScheduleList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/schedules")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<WholeQuery>,
) -> Result<web::Json<ScheduleList>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (rows, total) = schedules::list(&mut tx, limit, offset).await?;
    let rules = &app.config.schedules;
    Ok(web::Json(ScheduleList {
        schedules: views(&mut tx, rows).await?,
        total,
        most: rules.max_per_user,
        min_interval_minutes: rules.min_interval_minutes,
    }))
}

/// Makes a schedule. The question is checked as if it were asked now.
#[utoipa::path(tag = "schedules", request_body = ScheduleRequest, responses(
    (status = 200, body = ScheduleView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/schedules")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<ScheduleView>, Problem> {
    caller.in_person(MANAGED)?;
    let most = app.config.schedules.max_per_user;
    if most == 0 {
        return Err(Problem::forbidden(firing::SWITCHED_OFF));
    }
    let input = ScheduleInput::read(&app, &caller, &body.0, None).await?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let now = schedules::now(&mut tx).await?;
    let next_at = input.when.after(now).filter(|_| !input.paused).map(|next| next.timestamp());
    let Some(made) = schedules::create(&mut tx, &input.settings, next_at, most.into()).await? else {
        let message =
            format!("is one too many: you have {most} scheduled questions already; delete one first");
        return Err(Problem::field("name", &message));
    };
    audit::append(&mut tx, &caller.user, "schedule.create", Some(&made.id.to_string()), &json!({})).await?;
    answer(&app, tx, made).await
}

/// A schedule.
#[utoipa::path(tag = "schedules", params(("id" = String, Path)), responses(
    (status = 200, body = ScheduleView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/schedules/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ScheduleView>, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let row = schedules::find(&mut tx, id(&path, WHAT)?).await.map_err(named)?;
    one(&mut tx, row).await
}

/// Changes a schedule. When it is changed, what it was refused before counts no more; one that is not paused any more goes on with
/// the next time.
#[utoipa::path(tag = "schedules", params(("id" = String, Path)), request_body = ScheduleRequest, responses(
    (status = 200, body = ScheduleView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/schedules/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ScheduleView>, Problem> {
    caller.in_person(MANAGED)?;
    let id: ScheduleId = id(&path, WHAT)?;
    // The schedule is read twice, so that no lock is held while the question is checked; and once more where it was changed in
    // between, because what the request leaves out stays as it is then.
    let mut known = schedules::find(&mut app.db.begin(&caller.scope()).await?, id).await.map_err(named)?;
    let (mut tx, input, before) = loop {
        let input = ScheduleInput::read(&app, &caller, &body.0, Some(&known)).await?;
        let mut tx = app.db.begin(&caller.scope()).await?;
        let before = schedules::find_to_change(&mut tx, id).await.map_err(named)?;
        let state = |of: &Schedule| (of.updated_at, of.next_at.is_none());
        if state(&before) == state(&known) {
            break (tx, input, before);
        }
        known = before;
    };
    let now = schedules::now(&mut tx).await?;
    let next_at = match before.next_at.filter(|_| !input.has_new_times) {
        _ if input.paused => None,
        Some(before) => Some(before),
        None => input.when.after(now).map(|next| next.timestamp()),
    };
    let row = schedules::change(&mut tx, id, &input.settings, next_at).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "schedule.change", Some(&id.to_string()), &json!({})).await?;
    answer(&app, tx, row).await
}

/// Deletes a schedule. The conversations that it began stay.
#[utoipa::path(tag = "schedules", params(("id" = String, Path)), responses(
    (status = 200, body = RemovedSchedule), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/schedules/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RemovedSchedule>, Problem> {
    caller.in_person(MANAGED)?;
    let id: ScheduleId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    schedules::remove(&mut tx, id).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "schedule.remove", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(RemovedSchedule { status: Status::Ok, id }))
}

/// Asks what a schedule asks now, also while it is paused. When it is due next stays as it is.
#[utoipa::path(tag = "schedules", params(("id" = String, Path)), responses(
    (status = 200, body = AskedNow), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 403, body = ProblemBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody),
    (status = 429, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/schedules/{id}/run")]
pub(super) async fn run(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AskedNow>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ScheduleId = id(&path, WHAT)?;
    let mut tx = app.db.begin_frequent(&caller.scope()).await?;
    // Locked before the user's other starts, as when it comes due: in any other order the two wait for each other.
    let schedule = schedules::find_to_change(&mut tx, id).await.map_err(named)?;
    let settings = &schedule.settings;
    let when = When::parse(&settings.cron, &settings.time_zone)?;
    let day = when.shown(schedules::now(&mut tx).await?).date().to_string();
    let (run_id, conversation_id) = firing::ask(&app, &caller, tx, &schedule, None, &day).await?;
    Ok(web::Json(AskedNow { run_id, conversation_id }))
}

/// Which results to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ResultsQuery {
    /// How many at most, 1 to 200.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// What came of a schedule: its runs, and why there were none.
#[utoipa::path(tag = "schedules", params(("id" = String, Path), ResultsQuery), responses(
    (status = 200, body = ScheduleResultList), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/schedules/{id}/results")]
pub(super) async fn results(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    query: Query<ResultsQuery>,
) -> Result<web::Json<ScheduleResultList>, Problem> {
    caller.may(Permission::Read)?;
    let id: ScheduleId = id(&path, WHAT)?;
    let limit = query.limit.unwrap_or(20).clamp(1, MAX_PER_PAGE);
    let mut tx = app.db.begin(&caller.scope()).await?;
    schedules::find(&mut tx, id).await.map_err(named)?;
    let rows = schedules::results(&mut tx, &[id], limit, query.offset.unwrap_or(0)).await?;
    Ok(web::Json(ScheduleResultList { results: rows.into_iter().map(shape::result).collect() }))
}

/// What a cron expression means in a time zone.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TimesQuery {
    /// A cron expression of five fields, or `@daily` and the like.
    cron: String,
    /// A time zone of the IANA database; UTC when left out.
    time_zone: Option<String>,
}

/// When a schedule with this expression would be due next; nothing is stored.
#[utoipa::path(tag = "schedules", params(TimesQuery), responses(
    (status = 200, body = ScheduleTimes), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/schedule-times")]
pub(super) async fn times(
    app: web::Data<App>,
    caller: Caller,
    query: Query<TimesQuery>,
) -> Result<web::Json<ScheduleTimes>, Problem> {
    caller.may(Permission::Read)?;
    let when = When::parse(&query.cron, query.time_zone.as_deref().unwrap_or("UTC"))?;
    let now = schedules::now(&mut app.db.begin(&caller.scope()).await?).await?;
    Ok(web::Json(ScheduleTimes { next_times: shape::shown(&when.next(now, TIMES)) }))
}

/// Commits, wakes the task that waits for what is due next, and answers with the schedule as it is now.
async fn answer(app: &App, mut tx: Tx, row: Schedule) -> Result<web::Json<ScheduleView>, Problem> {
    let view = one(&mut tx, row).await?;
    tx.commit().await?;
    app.scheduled.notify_one();
    Ok(view)
}

async fn one(tx: &mut Tx, row: Schedule) -> Result<web::Json<ScheduleView>, Problem> {
    let view = views(tx, vec![row]).await?.pop();
    view.map(web::Json).ok_or_else(Problem::internal)
}

async fn views(tx: &mut Tx, rows: Vec<Schedule>) -> Result<Vec<ScheduleView>, Problem> {
    let ids: Vec<ScheduleId> = rows.iter().map(|row| row.id).collect();
    let last = schedules::results(tx, &ids, 1, 0).await?;
    let last: BTreeMap<_, _> = last.into_iter().map(|result| (result.schedule, result)).collect();
    let mut around =
        Around { now: schedules::now(tx).await?, spent: schedules::spent(tx, &ids).await?, last };
    Ok(rows.into_iter().map(|row| shape::view(row, &mut around)).collect())
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming(WHAT)
}
