//! Access to a user's conversations: one administrator requests it, a second one approves, and the user is told.

use actix_web::{get, post, web};
use serde::Serialize;

use super::holds;
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::{AccessId, ConversationId};
use crate::server::app::App;
use crate::server::extract::{Body, Caller, id};
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::own_data::AccessView;
use crate::server::shape::{Conversation, ConversationSummary};
use crate::store::access::{self, Approved, NewRequest};
use crate::store::conversations::{self, Filter};
use crate::store::{Scope, StoreError, Tx};

const MAX_HOURS: i32 = 24;

/// A page of the requests there are.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AccessRequests {
    /// The newest first.
    pub requests: Vec<AccessView>,
    /// Over all pages.
    pub total: u64,
}

/// Access to ask for.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct AccessRequest {
    user: String,
    /// 1 to 1000 characters. The user reads it.
    reason: String,
    /// 1 to 24, from the approval on.
    hours: i32,
}

/// The conversations of one user.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ReadConversations {
    pub conversations: Vec<ConversationSummary>,
    /// How many there are in all.
    pub total: i64,
}

/// Every request, and what was read with it.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = AccessRequests), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/admin/access-requests")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<AccessRequests>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let (rows, total) = access::list(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(AccessRequests { requests: rows.into_iter().map(AccessView::from).collect(), total }))
}

/// Asks for access to a user's conversations, for reading only. Another administrator has to approve it.
#[utoipa::path(tag = "admin", request_body = AccessRequest, responses(
    (status = 200, body = AccessView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "This user's data is being deleted"),
    (status = 422, body = ProblemBody)))]
#[post("/admin/access-requests")]
pub(in crate::server) async fn ask(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<AccessView>, Problem> {
    caller.admin()?;
    let mut fields = Fields::of(&body.0)?;
    let user = holds::read_user(&app, &mut fields).await?;
    if user.as_ref() == Some(&caller.user) {
        fields.refuse("user", FieldErrorKind::Value, "must be somebody else: your own you can read anyway");
    }
    let reason = holds::reason(&mut fields);
    let hours: i32 = fields.take("hours", "a whole number of hours").unwrap_or_default();
    if !(1..=MAX_HOURS).contains(&hours) {
        fields.refuse("hours", FieldErrorKind::Value, format!("must be 1 to {MAX_HOURS}"));
    }
    fields.finish(|| ())?;
    // A missing field has been refused already.
    let user = user.ok_or_else(Problem::internal)?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let new = NewRequest { user: &user, reason: &reason, hours, by: &caller.user };
    let Some(request) = access::ask(&mut tx, &new).await? else {
        return Err(Problem::in_the_way("this user's data is being deleted"));
    };
    tx.commit().await?;
    Ok(web::Json(request.into()))
}

/// Approves another administrator's request: both may read from now on, and the user is told.
#[utoipa::path(tag = "admin", params(("id" = String, Path)), responses(
    (status = 200, body = AccessView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "Whoever asked cannot approve, or it is decided already")))]
#[post("/admin/access-requests/{id}/approve")]
pub(in crate::server) async fn approve(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AccessView>, Problem> {
    caller.admin()?;
    let request: AccessId = id(&path, "Request")?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    match access::approve(&mut tx, request, &caller.user).await.map_err(named)? {
        Approved::Yes => {}
        Approved::NotByThem => {
            return Err(Problem::in_the_way(
                "another administrator has to approve it: neither who asked, nor whom it is about",
            ));
        }
        Approved::Over => return Err(Problem::in_the_way("it was approved or taken back already")),
    }
    finished(tx, request).await
}

/// Ends a request or the access at once, whichever administrator wants it.
#[utoipa::path(tag = "admin", params(("id" = String, Path)), responses(
    (status = 200, body = AccessView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/admin/access-requests/{id}/revoke")]
pub(in crate::server) async fn revoke(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AccessView>, Problem> {
    caller.admin()?;
    let request: AccessId = id(&path, "Request")?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    access::revoke(&mut tx, request, &caller.user).await.map_err(named)?;
    finished(tx, request).await
}

async fn finished(mut tx: Tx, request: AccessId) -> Result<web::Json<AccessView>, Problem> {
    let after = access::find(&mut tx, request).await?;
    tx.commit().await?;
    Ok(web::Json(after.into()))
}

/// The user's conversations, newest first, for those two administrators while the access is open. Each look is noted, and
/// the user sees it.
#[utoipa::path(tag = "admin", params(("id" = String, Path), PageQuery), responses(
    (status = 200, body = ReadConversations), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody, description = "There is no such access, or it is not open to the caller")))]
#[get("/admin/access/{id}/conversations")]
pub(in crate::server) async fn read_list(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    page: Query<PageQuery>,
) -> Result<web::Json<ReadConversations>, Problem> {
    caller.admin()?;
    let request: AccessId = id(&path, "Access")?;
    let (limit, offset) = page.bounds();
    let mut tx = enter(&app, &caller, request).await?;
    access::note_read(&mut tx, None).await.map_err(closed)?;
    let page = conversations::list(&mut tx, &Filter::default(), limit, offset).await?;
    tx.commit().await?;
    let conversations = page.conversations.into_iter().map(ConversationSummary::from).collect();
    Ok(web::Json(ReadConversations { conversations, total: page.total }))
}

/// One of the user's conversations with its messages, likewise.
#[utoipa::path(tag = "admin", params(("id" = String, Path), ("conversation" = String, Path)), responses(
    (status = 200, body = Conversation), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[get("/admin/access/{id}/conversations/{conversation}")]
pub(in crate::server) async fn read_one(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<Conversation>, Problem> {
    caller.admin()?;
    let request: AccessId = id(&path.0, "Access")?;
    let conversation: ConversationId = id(&path.1, "Conversation")?;
    let mut tx = enter(&app, &caller, request).await?;
    access::note_read(&mut tx, Some(conversation)).await.map_err(closed)?;
    let named = |error| Problem::from(error).naming("Conversation");
    let row = conversations::head(&mut tx, conversation).await.map_err(named)?;
    let tree = conversations::tree(&mut tx, conversation).await.map_err(named)?;
    let all: Vec<_> = tree.all().collect();
    let messages = conversations::messages(&mut tx, conversation, &all).await?;
    tx.commit().await?;
    Ok(web::Json(Conversation::new(row, &tree, messages)))
}

/// A transaction in which row level security lets the caller read what the request is about.
async fn enter(app: &App, caller: &Caller, request: AccessId) -> Result<Tx, Problem> {
    let subject = access::find(&mut app.db.begin(&Scope::Admin).await?, request).await.map_err(closed)?.user;
    Ok(app.db.begin(&Scope::Access { admin: caller.user.clone(), request, subject }).await?)
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Request")
}

fn closed(error: StoreError) -> Problem {
    Problem::from(error).naming("Access")
}
