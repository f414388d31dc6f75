//! Asking a member that has failed again, in the same run.

use actix_web::{post, web};
use serde::{Deserialize, Serialize};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::Status;
use crate::council::field::Fields;
use crate::council::stage::Stage;
use crate::identity::Permission;
use crate::runs::RetryMemberError;

/// Whom to ask again.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub(super) struct RetryMemberRequest {
    /// The seat's name.
    member: String,
}

/// Who is being asked again.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MemberRetried {
    pub status: Status,
    pub member: String,
    pub model: String,
    /// What it is asked for.
    pub stage: Stage,
    /// Which of its retries in this run it is, from 1.
    pub retry: u32,
}

/// Asks a member again whose answer has failed, in the same run, while others still answer: its answer joins theirs, and is
/// waited for like theirs. `member_retried` is among the run's events by the time of the answer. Up to three times for one
/// member, in runs of the council; not one that was skipped. Once the run is over, `/api/runs/{id}/retry` asks it in a new one.
#[utoipa::path(tag = "runs", params(("id" = String, Path)), request_body = RetryMemberRequest, responses(
    (status = 200, body = MemberRetried), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/retry-member")]
pub(super) async fn retry_member(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<MemberRetried>, Problem> {
    caller.may(Permission::Ask)?;
    let run = id(&path, "Run")?;
    let mut fields = Fields::of(&body.0)?;
    let member: Option<String> = fields.take("member", "the name of a seat");
    let member = fields.finish(|| member)?;
    let member = member.ok_or_else(|| Problem::field("member", "must name whom to ask again"))?;
    let begun = app.runs.retry_member(&caller.user, run, &member).await?;
    Ok(web::Json(MemberRetried {
        status: Status::Ok,
        model: begun.model,
        member: begun.retry.member,
        stage: begun.retry.stage,
        retry: begun.retry.number,
    }))
}

impl From<RetryMemberError> for Problem {
    fn from(error: RetryMemberError) -> Self {
        match error {
            RetryMemberError::Over => Self::not_retried(
                "this run is over, or an earlier version of this server has begun it; when it is over, the member can be \
                 asked again in a new one",
            ),
            RetryMemberError::NotAnswering => Self::not_retried(
                "a member is asked again only while others are waited for with it: the answers are not asked for yet, or \
                 the run has gone on with those that are there",
            ),
            RetryMemberError::BeingAsked => Self::not_retried("this member is being asked"),
            RetryMemberError::Answered => Self::not_retried("this member has answered"),
            RetryMemberError::Skipped => Self::not_retried(
                "the run was told to go on without this member; it can be asked when the run is over",
            ),
            RetryMemberError::TooOften => {
                Self::not_retried("this member was asked again three times already")
            }
            RetryMemberError::NoSuchMember(seats) => {
                Self::field("member", &format!("must be a seat of this run: {}", seats.join(", ")))
            }
            RetryMemberError::Unanswered => Self::unavailable(
                "this is noted, but the server of the run has not said yet whether it came in time; send the request \
                 again to find out",
            ),
            RetryMemberError::Store(error) => Self::from(error).naming("Run"),
        }
    }
}
