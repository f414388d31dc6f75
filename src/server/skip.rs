//! Going on without a member that a run waits for.

use actix_web::{post, web};
use serde::{Deserialize, Serialize};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::Status;
use crate::council::field::Fields;
use crate::council::stage::Stage;
use crate::identity::Permission;
use crate::runs::SkipError;

/// Whom not to wait for any longer.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub(super) struct SkipRequest {
    /// The seat's name; of a chairman the model.
    member: String,
    /// What it is asked for, as `stage1`; needed where that is two things at once, as in a debate whose openings it
    /// ranks: without it the round comes first.
    #[schema(value_type = Option<String>)]
    stage: Option<Stage>,
}

/// Whom the run goes on without.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Skipped {
    pub status: Status,
    pub member: String,
    pub model: String,
    /// What it was being asked for.
    pub stage: Stage,
}

/// Lets a run go on without a member that is being waited for: for its answer, its review, its critique or, of a
/// chairman, the final answer. The call counts as failed and keeps what had arrived; a skipped member is not asked
/// again in this run. `member_skipped` follows.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), request_body = SkipRequest, responses(
    (status = 200, body = Skipped), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/skip")]
pub(super) async fn skip(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<Skipped>, Problem> {
    caller.may(Permission::Ask)?;
    let run = id(&path, "Run")?;
    let mut fields = Fields::of(&body.0)?;
    let member: Option<String> = fields.take("member", "the name of a seat");
    let stage: Option<Stage> = fields.take("stage", "the name of a stage");
    let (member, stage) = fields.finish(|| (member, stage))?;
    let member = member.ok_or_else(|| Problem::field("member", "must name whom to go on without"))?;
    let awaited = app.runs.skip(&caller.user, run, (&member, stage.as_ref())).await?;
    Ok(web::Json(Skipped {
        status: Status::Ok,
        member: awaited.member,
        model: awaited.model,
        stage: awaited.stage,
    }))
}

impl From<SkipError> for Problem {
    fn from(error: SkipError) -> Self {
        match error {
            SkipError::Over => Self::not_awaited("this run is over"),
            SkipError::NotAwaited => Self::not_awaited(
                "nobody is waiting for this member now: it has answered, or is not asked yet",
            ),
            SkipError::NoSuchMember(seats) => {
                Self::field("member", &format!("must be a seat of this run: {}", seats.join(", ")))
            }
            SkipError::Store(error) => Self::from(error).naming("Run"),
        }
    }
}
