//! Who is blocked.

use actix_web::{delete, get, post, web};
use serde::{Deserialize, Serialize};

use super::holds::{read_user, reason};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::UserId;
use crate::identity::user;
use crate::server::app::App;
use crate::server::extract::{Body, Caller};
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::admin::BlockView;
use crate::store::Scope;
use crate::store::blocks::{self, Blocked};

/// A page of those who are blocked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Blocks {
    /// The latest first.
    pub blocks: Vec<BlockView>,
    /// Over all pages.
    pub total: u64,
}

/// A user to be blocked.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct BlockRequest {
    user: String,
    /// 1 to 1000 characters, for administrators.
    reason: String,
}

/// A block that has come into force.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct NewBlock {
    #[serde(flatten)]
    pub block: BlockView,
    /// How many runs of theirs were under way, and are being stopped.
    pub stopped_runs: usize,
}

/// Whose block.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct BlockQuery {
    user: String,
}

/// A user whose block has ended.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Unblocked {
    #[schema(value_type = String)]
    pub user: UserId,
}

/// Everybody who is blocked, the latest first.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = Blocks), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/blocks")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<Blocks>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let (rows, total) = blocks::list(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(Blocks { blocks: rows.into_iter().map(BlockView::from).collect(), total }))
}

/// Blocks a user: from now on every server refuses their requests, with a token too; their runs are stopped, and their
/// scheduled questions wait. Their data is kept. They are told that they are blocked, not why.
#[utoipa::path(tag = "admin", request_body = BlockRequest, responses(
    (status = 200, body = NewBlock), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "They are blocked already, or their data is being deleted"),
    (status = 422, body = ProblemBody)))]
#[post("/admin/blocks")]
pub(in crate::server) async fn place(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<NewBlock>, Problem> {
    caller.admin()?;
    let mut fields = Fields::of(&body.0)?;
    let user = read_user(&app, &mut fields).await?;
    if user.as_ref() == Some(&caller.user) {
        fields.refuse("user", FieldErrorKind::Value, "must be somebody else: nobody can block themselves");
    }
    let reason = reason(&mut fields);
    fields.finish(|| ())?;
    // A missing field has been refused already.
    let user = user.ok_or_else(Problem::internal)?;
    match blocks::place(&app.db, &user, &reason, &caller.user).await? {
        Blocked::Now(block, stopped_runs) => Ok(web::Json(NewBlock { block: block.into(), stopped_runs })),
        Blocked::Before => Err(Problem::in_the_way("this user is blocked already")),
        Blocked::Erasing => Err(Problem::in_the_way("this user's data is being deleted")),
    }
}

/// Ends a user's block.
#[utoipa::path(tag = "admin", params(BlockQuery), responses(
    (status = 200, body = Unblocked), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/admin/blocks")]
pub(in crate::server) async fn lift(
    app: web::Data<App>,
    caller: Caller,
    query: Query<BlockQuery>,
) -> Result<web::Json<Unblocked>, Problem> {
    caller.admin()?;
    let user = user::canonical(&query.user).ok_or_else(|| Problem::not_found("Block"))?;
    blocks::lift(&app.db, &user, &caller.user).await.map_err(|error| Problem::from(error).naming("Block"))?;
    app.scheduled.notify_one();
    Ok(web::Json(Unblocked { user }))
}
