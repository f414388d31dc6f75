//! Asks scheduled questions when they come due: every server looks for them, and each is asked by one.

use std::time::Duration;

use actix_web::web;
use serde_json::Value;

use super::schedule_input::asked;
use super::when::When;
use crate::id::{ConversationId, RunId};
use crate::identity::Identity;
use crate::runs::AskedBy;
use crate::server::app::App;
use crate::server::asking::{self, Question};
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::store::schedules::{self, Due, Firing, MAX_REFUSALS, Refusal, Refused, Schedule, Times};
use crate::store::{StoreError, Tx};

/// The longest pause between two looks for what is due: schedules that other servers have stored are seen then.
const LOOK_EVERY: Duration = Duration::from_secs(20);
/// The shortest pause before the next look, so that a server that can take nothing now does not spin.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How many are taken in a row before the next look.
const AT_ONCE: u32 = 50;

/// Asks what comes due, until it is dropped. Any number of servers may do so side by side.
pub async fn ask_what_is_due(app: web::Data<App>) {
    app.db.opened().await;
    loop {
        let pause = match round(&app).await {
            Ok(pause) => pause,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "scheduled questions could not be looked for; trying again soon"
                );
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = app.scheduled.notified() => {}
        }
    }
}

/// Asks what is due now; returns how long to wait before the next look.
///
/// # Errors
/// When the database is unavailable: what is due stays due.
pub async fn round(app: &App) -> Result<Duration, StoreError> {
    for due in schedules::due(&app.db, AT_ONCE).await? {
        if app.shutdown.has_begun() {
            break;
        }
        match fire(app, &due).await {
            // The questions of this user are not asked any more.
            Ok(()) | Err(StoreError::Erasing | StoreError::Blocked) => {}
            Err(error @ StoreError::Unavailable(_)) => return Err(error),
            Err(error) => {
                tracing::error!(schedule.id = %due.id, error = &error as &dyn std::error::Error, "a scheduled question failed");
            }
        }
    }
    let until = schedules::earliest(&app.db).await?;
    let until = until.map_or(LOOK_EVERY, |seconds| Duration::from_secs_f64(seconds.clamp(0.0, 3_600.0)));
    Ok(until.clamp(LOOK_AGAIN, LOOK_EVERY))
}

/// Asks one that is due, unless another server does.
async fn fire(app: &App, due: &Due) -> Result<(), StoreError> {
    let caller = Caller(Identity::by_schedule(due.user.clone()));
    let mut tx = app.db.begin_frequent(&caller.scope()).await?;
    let Some((schedule, due_at, now)) = schedules::take_due(&mut tx, due.id).await? else { return Ok(()) };
    let when = When::parse(&schedule.settings.cron, &schedule.settings.time_zone).ok();
    let Some((when, next)) = when.and_then(|when| Some((when.clone(), when.after(now)?))) else {
        // This can happen after a change of the time zone database.
        schedules::pause(&mut tx, due.id, "It is paused: there is no next time at which it could be asked.")
            .await?;
        return tx.commit().await;
    };
    let times = Times { due: due_at, next: next.timestamp() };
    let day = when.shown(due_at).date().to_string();
    let problem = match ask(app, &caller, tx, &schedule, Some(times), &day).await {
        Ok((run, _)) => {
            tracing::info!(schedule.id = %due.id, run.id = %run, "a scheduled question is asked");
            count("asked");
            return Ok(());
        }
        // It stays due, for this server or another one.
        Err(problem) if problem.is_for_now() => {
            tracing::warn!(schedule.id = %due.id, %problem, "a scheduled question has to wait");
            count("postponed");
            return Ok(());
        }
        Err(problem) => problem,
    };
    let why = Refusal { sentence: problem.sentences().join("; "), problem: Value::Object(problem.body()) };
    let paused = format!("It is paused: {MAX_REFUSALS} times in a row nothing could be asked.");
    let mut tx = app.db.begin(&caller.scope()).await?;
    let refused = schedules::refuse(&mut tx, due.id, times, &why, &paused).await?;
    tx.commit().await?;
    if refused != Refused::NotDue {
        count("refused");
    }
    match refused {
        Refused::GoesOn => tracing::info!(schedule.id = %due.id, %problem, "a scheduled question is refused"),
        Refused::Paused => tracing::warn!(schedule.id = %due.id, %problem, "a schedule is paused"),
        Refused::NotDue => {}
    }
    Ok(())
}

fn count(outcome: &'static str) {
    metrics::counter!("llm_council_scheduled_questions_total", "outcome" => outcome).increment(1);
}

/// Asks what a schedule asks, in a conversation of its own that is called after it and the day; the transaction is its owner's
/// and ends with it. Without `times` no due time is used up.
///
/// # Errors
/// Whatever any question would be refused for, or the schedule's own budget.
pub(super) async fn ask(
    app: &App,
    caller: &Caller,
    tx: Tx,
    schedule: &Schedule,
    times: Option<Times>,
    day: &str,
) -> Result<(RunId, ConversationId), Problem> {
    if app.config.schedules.max_per_user == 0 {
        return Err(Problem::forbidden(SWITCHED_OFF));
    }
    app.admit()?;
    let conversation = ConversationId::generate();
    let body = asked(&schedule.settings.request);
    // The day first: in a narrow list the end of a title is cut off.
    let title = format!("{day} · {}", schedule.settings.name);
    let firing = Firing { schedule: schedule.id, title, times };
    let question = Question {
        conversation,
        body: &body,
        history: None,
        idempotency_key: None,
        is_attended: false,
        program: None,
        firing: Some(firing),
    };
    let asked = asking::ask_in(app, caller, tx, AskedBy::default(), question).await?;
    Ok((asked.run, conversation))
}

/// The message where the administrator has switched schedules off.
pub(super) const SWITCHED_OFF: &str = "scheduled questions are switched off on this server";
