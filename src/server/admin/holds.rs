//! Holds on people's data.

use actix_web::{delete, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::council::field::{FieldErrorKind, Fields};
use crate::id::UserId;
use crate::identity::user;
use crate::server::app::App;
use crate::server::extract::{Body, Caller};
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::Status;
use crate::server::shape::own_data::HoldView;
use crate::store::holds::{self, HoldOutcome};
use crate::store::{Scope, audit, users};

const MAX_REASON_CHARS: usize = 1000;

/// A page of the holds there are.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Holds {
    /// The newest first.
    pub holds: Vec<HoldView>,
    /// Over all pages.
    pub total: u64,
}

/// A hold to place.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct HoldRequest {
    user: String,
    /// 1 to 1000 characters, for administrators.
    reason: String,
}

/// Whose hold.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct HoldQuery {
    user: String,
}

/// A hold that was lifted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Lifted {
    pub status: Status,
    pub user: String,
}

/// Every hold, the newest first.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = Holds), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/holds")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<Holds>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let (rows, total) = holds::list(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(Holds { holds: rows.into_iter().map(HoldView::from).collect(), total }))
}

/// Places a hold: from now on nothing of this user's is deleted for good, neither by the user nor by a rule of
/// retention. The user is told that there is a hold, not why.
#[utoipa::path(tag = "admin", request_body = HoldRequest, responses(
    (status = 200, body = HoldView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "There is one already, or this user's data is being deleted"),
    (status = 422, body = ProblemBody)))]
#[post("/admin/holds")]
pub(in crate::server) async fn place(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<HoldView>, Problem> {
    caller.admin()?;
    let mut fields = Fields::of(&body.0)?;
    let user = read_user(&app, &mut fields).await?;
    let reason = reason(&mut fields);
    fields.finish(|| ())?;
    // A missing field has been refused already.
    let user = user.ok_or_else(Problem::internal)?;
    match holds::place(&app.db, &user, &reason, &caller.user).await? {
        HoldOutcome::Yes(hold) => Ok(web::Json(hold.into())),
        HoldOutcome::Before(_) => Err(Problem::in_the_way("there is a hold on this user's data already")),
        HoldOutcome::Erasing => Err(Problem::in_the_way("this user's data is being deleted")),
    }
}

/// Lifts a hold.
#[utoipa::path(tag = "admin", params(HoldQuery), responses(
    (status = 200, body = Lifted), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/admin/holds")]
pub(in crate::server) async fn lift(
    app: web::Data<App>,
    caller: Caller,
    query: Query<HoldQuery>,
) -> Result<web::Json<Lifted>, Problem> {
    caller.admin()?;
    let user = user::canonical(&query.user).ok_or_else(|| Problem::not_found("Hold"))?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    holds::lift(&mut tx, &user).await.map_err(|error| Problem::from(error).naming("Hold"))?;
    audit::append(&mut tx, &caller.user, "hold.lift", Some(user.as_str()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(Lifted { status: Status::Ok, user: user.to_string() }))
}

/// The field `user`: it must be a user who has been here, so that a typing error does not go unnoticed.
pub(super) async fn read_user(app: &App, fields: &mut Fields<'_>) -> Result<Option<UserId>, Problem> {
    let name: Option<String> = fields.take("user", "a string");
    let user = name.as_deref().and_then(user::canonical).filter(|user| !user.as_str().contains('\0'));
    let is_known = match &user {
        Some(user) => users::is_known(&mut app.db.begin(&Scope::Admin).await?, user).await?,
        None => false,
    };
    if !is_known {
        fields.refuse("user", FieldErrorKind::Value, "must be the user id of somebody who has been here");
    }
    Ok(user.filter(|_| is_known))
}

/// The field `reason`.
pub(super) fn reason(fields: &mut Fields<'_>) -> String {
    let reason: Option<String> = fields.take("reason", "a string");
    let reason = reason.unwrap_or_default().trim().to_owned();
    let is_control = |c: char| c.is_control() && c != '\n';
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS || reason.chars().any(is_control) {
        let rule = format!("must be 1 to {MAX_REASON_CHARS} characters without control characters");
        fields.refuse("reason", FieldErrorKind::Value, rule);
    }
    reason
}
