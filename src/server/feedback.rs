//! What the caller thinks of a run.

use actix_web::{delete, get, put, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::{self, Status, naive};
use crate::council::Deliberation;
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::RunId;
use crate::identity::Permission;
use crate::store::feedback::{self, Opinion, Thumb};
use crate::store::runs::RunRow;
use crate::store::{StoreError, audit, runs};

/// Which answer was the best of all: `"council"`, or `{"member": "m/one"}` by the seat's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Better)]
pub enum BetterAnswer {
    /// The final answer.
    Council,
    /// The answer of this member, by its seat's name.
    Member(String),
}

/// What the caller thinks of a run.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FeedbackView {
    pub run_id: RunId,
    /// `up` or `down`, of the final answer; null when nothing was said.
    pub thumb: Option<&'static str>,
    /// Which answer was the best of all; null when nothing was said.
    pub better: Option<BetterAnswer>,
    /// What was wrong, in the caller's words, with a thumb down; null when nothing was said.
    pub comment: Option<String>,
    /// Null when there is no feedback.
    pub updated_at: Option<String>,
}

impl FeedbackView {
    fn new(run: &RunRow, found: Option<feedback::Feedback>) -> Self {
        let updated_at = found.as_ref().map(|found| naive(found.updated_at));
        let opinion = found.map(|found| found.opinion);
        let better = opinion.as_ref().and_then(|opinion| opinion.better).and_then(|better| match better {
            feedback::BetterAnswer::Council => Some(BetterAnswer::Council),
            feedback::BetterAnswer::Seat(seat) => {
                let deliberation = deliberation(run);
                let answers = deliberation.answers();
                let answer = usize::try_from(seat).ok().and_then(|seat| answers.get(seat));
                answer.map(|answer| BetterAnswer::Member(answer.member.clone()))
            }
        });
        Self {
            run_id: run.id,
            thumb: opinion.as_ref().and_then(|opinion| opinion.thumb).map(Thumb::as_str),
            better,
            comment: opinion.and_then(|opinion| opinion.comment),
            updated_at,
        }
    }
}

/// The longest comment, in characters.
const MAX_COMMENT_CHARS: usize = 2_000;

/// Feedback to be stored; a thumb, or the better answer, or both.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct FeedbackRequest {
    /// `up` or `down`, of the final answer.
    thumb: Option<String>,
    /// Which answer was the best of all.
    better: Option<BetterAnswer>,
    /// What was wrong, with a thumb down: at most 2,000 characters. Blank is the same as absent.
    comment: Option<String>,
}

/// What the caller thinks of a run, if they have said it.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = FeedbackView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/runs/{id}/feedback")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<FeedbackView>, Problem> {
    caller.may(Permission::Read)?;
    let run = find(&app, &caller, &path).await?;
    let found = feedback::find(&mut app.db.begin(&caller.scope()).await?, run.id).await?;
    Ok(web::Json(FeedbackView::new(&run, found)))
}

/// Says what the caller thinks of a run that is over, in the place of what they said before.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), request_body = FeedbackRequest, responses(
    (status = 200, body = FeedbackView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[put("/runs/{id}/feedback")]
pub(super) async fn say(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<FeedbackView>, Problem> {
    caller.may(Permission::Ask)?;
    let run = find(&app, &caller, &path).await?;
    if !run.status.is_over() {
        return Err(Problem::not_over(run.id));
    }
    let opinion = opinion(&body.0, &run)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let stored = feedback::put(&mut tx, run.id, opinion).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(FeedbackView::new(&run, Some(stored))))
}

fn opinion(body: &Value, run: &RunRow) -> Result<Opinion, Problem> {
    let mut fields = Fields::of(body)?;
    let thumb: Option<String> = fields.take("thumb", "up or down");
    let thumb = thumb.and_then(|name| {
        let thumb = Thumb::parse(&name);
        if thumb.is_none() {
            fields.refuse("thumb", FieldErrorKind::Value, "must be up or down");
        }
        thumb
    });
    let better: Option<BetterAnswer> = fields.take("better", "\"council\" or {\"member\": a seat's name}");
    let better = better.and_then(|better| match better {
        BetterAnswer::Council => Some(feedback::BetterAnswer::Council),
        BetterAnswer::Member(name) => {
            let seat = seat(&deliberation(run), &name);
            if seat.is_none() {
                let rule = "must be the name of a seat that answered in this run";
                fields.refuse("better.member", FieldErrorKind::Value, rule);
            }
            seat.map(feedback::BetterAnswer::Seat)
        }
    });
    let comment: Option<String> = fields.take("comment", "text");
    let comment = comment.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if let Some(text) = &comment {
        let chars = text.chars().count();
        if chars > MAX_COMMENT_CHARS {
            let rule = format!("must have at most {MAX_COMMENT_CHARS} characters; it has {chars}");
            fields.refuse("comment", FieldErrorKind::Value, rule);
        } else if text.contains('\0') {
            fields.refuse("comment", FieldErrorKind::Value, "must not contain the character U+0000");
        }
        if thumb != Some(Thumb::Down) {
            fields.refuse("comment", FieldErrorKind::Value, "goes with the thumb down only");
        }
    }
    if !fields.has("thumb") && !fields.has("better") {
        fields.refuse("thumb", FieldErrorKind::Missing, "say a thumb, or which answer was better, or both");
    }
    Ok(fields.finish(|| Opinion { thumb, better, comment })?)
}

/// The position of this seat's answer in the stored list.
fn seat(deliberation: &Deliberation, name: &str) -> Option<i16> {
    let answers = deliberation.answers();
    let place = answers.iter().position(|answer| answer.member == name && answer.is_good())?;
    i16::try_from(place).ok()
}

fn deliberation(run: &RunRow) -> Deliberation {
    run.body.clone().map(shape::deliberation).unwrap_or_default()
}

/// Confirms that feedback was withdrawn.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Withdrawn {
    pub status: Status,
    pub run_id: RunId,
    /// Whether there was any.
    pub deleted: bool,
}

/// Takes back what the caller said of a run.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), responses(
    (status = 200, body = Withdrawn), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[delete("/runs/{id}/feedback")]
pub(super) async fn withdraw(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<Withdrawn>, Problem> {
    caller.may(Permission::Ask)?;
    let run = find(&app, &caller, &path).await?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let deleted = feedback::remove(&mut tx, run.id).await?;
    if deleted {
        audit::append(&mut tx, &caller.user, "feedback.withdraw", Some(&run.id.to_string()), &json!({}))
            .await?;
    }
    tx.commit().await?;
    Ok(web::Json(Withdrawn { status: Status::Ok, run_id: run.id, deleted }))
}

async fn find(app: &App, caller: &Caller, path: &str) -> Result<RunRow, Problem> {
    runs::find(&app.db, &caller.scope(), id(path, "Run")?).await.map_err(named)
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Run")
}
