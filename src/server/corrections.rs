//! Adding something to a question while its members answer.

use actix_web::{post, web};
use serde::{Deserialize, Serialize};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::Status;
use crate::council::correction::{Correction, MAX_CORRECTION_CHARS};
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::plan::text_problem;
use crate::identity::Permission;
use crate::runs::CorrectError;

/// What is added to a question.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub(super) struct CorrectionRequest {
    /// In plain words, 1 to 4,000 characters.
    content: String,
}

/// What was added to a question.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Corrected {
    pub status: Status,
    pub correction: Correction,
}

/// Adds something to the question of a run whose reviews have not begun: those who review, write and improve the answer
/// read it with the question; the members, who have been asked already, do not. `correction_added` is among the run's events
/// by the time of the answer, or will be the first thing that a waiting run tells. Up to five, in runs of the council. Sent
/// twice it is added once.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), request_body = CorrectionRequest, responses(
    (status = 200, body = Corrected), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/corrections")]
pub(super) async fn correct(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<Corrected>, Problem> {
    caller.may(Permission::Ask)?;
    let run = id(&path, "Run")?;
    let mut fields = Fields::of(&body.0)?;
    let content: Option<String> = fields.take("content", "a text");
    match content.as_deref().map(|text| text_problem(text, 1, MAX_CORRECTION_CHARS)) {
        None if !fields.has("content") => {
            fields.refuse("content", FieldErrorKind::Missing, "must say what is to be added to the question");
        }
        Some(Some(problem)) => fields.refuse("content", FieldErrorKind::Value, problem),
        None | Some(None) => {}
    }
    let content = fields.finish(|| content.unwrap_or_default())?;
    let correction = Correction::new(content.trim());
    app.runs.correct(&caller.user, run, &correction).await?;
    Ok(web::Json(Corrected { status: Status::Ok, correction }))
}

impl From<CorrectError> for Problem {
    fn from(error: CorrectError) -> Self {
        match error {
            CorrectError::Over => Self::not_correctable("this run is over; ask a new question"),
            CorrectError::TooLate => Self::not_correctable(
                "too late: the answers are being judged already; ask a new question when the run is over",
            ),
            CorrectError::NotHere => Self::not_correctable(
                "only a question to the whole council can be corrected, before its reviews begin",
            ),
            CorrectError::TooMany => Self::not_correctable(
                "this question has been corrected five times already; stop the run and ask anew",
            ),
            CorrectError::Unanswered => Self::unavailable(
                "the correction is noted, but the server of the run has not said yet whether it came in time; \
                 send it again to find out",
            ),
            CorrectError::Store(error) => Self::from(error).naming("Run"),
        }
    }
}
