//! Conversations that are shared by a link: one branch as it was, for everybody who may use this server and has the link,
//! or for the members of one project alone.

use actix_web::{HttpResponse, delete, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::app::App;
use super::conversations::{self as conversation_routes, Which};
use super::extract::{Body, Caller, id};
use super::for_others;
use super::problem::{NotToShare, Problem, ProblemBody};
use super::projects::placing;
use super::query::Query;
use super::shape::{ConversationSummary, Message, Status, naive};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::{ConversationId, MessageId, ProjectId, ShareId};
use crate::identity::Permission;
use crate::store::conversations;
use crate::store::shares::{self, NewShare, Share, SharedMessage};
use crate::store::{StoreError, audit};

/// How many links of one user may work at once.
const MOST: i64 = 200;
/// How long a link works by default.
const USUAL_DAYS: u32 = 30;
const MAX_PER_PAGE: u32 = 200;
/// A shared conversation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ShareView {
    pub id: ShareId,
    pub conversation_id: ConversationId,
    /// The project whose members alone can read it; absent where everybody who has the link can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    pub title: String,
    /// Where the web app shows it, on this server.
    #[schema(example = "/s/8b7d0b0e-6d2c-4c6e-9a53-2f6a3f0f7f55")]
    pub path: String,
    /// The number of questions and answers.
    pub message_count: u32,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// When the link works no longer.
    pub expires_at: String,
}

impl From<Share> for ShareView {
    fn from(row: Share) -> Self {
        Self {
            id: row.id,
            conversation_id: row.conversation,
            project_id: row.project,
            title: row.title,
            path: format!("/s/{}", row.id),
            message_count: row.message_count.unsigned_abs(),
            created_at: naive(row.created_at),
            expires_at: naive(row.expires_at),
        }
    }
}

/// What the caller shares.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ShareList {
    /// The links that work, newest first.
    pub shares: Vec<ShareView>,
    /// Over all pages.
    pub total: u64,
    /// For how many days a link may work; 0 where the administrator wants nobody to share.
    pub max_days: u32,
}

/// A shared conversation as it was.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SharedConversation {
    pub id: ShareId,
    pub title: String,
    /// The name of the user who shares it.
    pub shared_by: String,
    /// Whether that is the caller.
    pub is_mine: bool,
    /// The caller's conversation that it was taken from; absent where it is another user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// When the link works no longer.
    pub expires_at: String,
    /// In the order of writing. Answers name no run, and files cannot be read.
    pub messages: Vec<Message>,
}

/// A link that was withdrawn.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RemovedShare {
    pub status: Status,
    pub id: ShareId,
}

/// A conversation that was made of a shared one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CopiedConversation {
    pub status: Status,
    pub conversation: ConversationSummary,
}

/// What is to be shared.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct ShareRequest {
    /// The last message of what is shared; all of the branch that was looked at last when left out.
    branch_end: Option<MessageId>,
    /// For how many days the link works; 30 when left out, or as many as the server allows.
    #[schema(minimum = 1)]
    days: Option<u32>,
    /// A project that the caller is in, whose members alone can read it; everybody who has the link when left out.
    project_id: Option<ProjectId>,
}

/// Shares a branch of a conversation as it is now. What is asked later is not shared with it.
#[utoipa::path(tag = "sharing", params(("id" = String, Path)), request_body = ShareRequest, responses(
    (status = 201, body = ShareView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "An answer is being written, nothing was asked yet, or the caller has as many links as there can be"),
    (status = 422, body = ProblemBody)))]
#[post("/conversations/{id}/shares")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Ask)?;
    let conversation: ConversationId = id(&path, "Conversation")?;
    let max_days = app.config.sharing.max_days;
    let mut fields = Fields::of(&body.0)?;
    let end: Option<MessageId> = fields.take("branch_end", "the id of a message");
    let project: Option<ProjectId> = fields.take(placing::FIELD, "the id of a project");
    let days: Option<i64> = fields.take("days", "a whole number");
    let days = days.map_or(Some(USUAL_DAYS.min(max_days)), |days| {
        u32::try_from(days).ok().filter(|days| (1..=max_days).contains(days))
    });
    if days.is_none() && max_days > 0 {
        fields.refuse("days", FieldErrorKind::Value, format!("must be from 1 to {max_days}"));
    }
    fields.finish(|| ())?;
    let Some(days) = days.filter(|_| max_days > 0) else {
        return Err(Problem::forbidden("sharing is switched off on this server"));
    };

    let mut tx = app.db.begin(&caller.scope()).await?;
    let head = conversations::head(&mut tx, conversation).await.map_err(conversation_routes::named)?;
    let tree = conversations::tree(&mut tx, conversation).await.map_err(conversation_routes::named)?;
    let which = end.map_or(Which::InForce, Which::UpTo);
    let nodes = which.choose(&tree).ok_or_else(|| Problem::not_found("Message"))?;
    if nodes.is_empty() {
        return Err(Problem::not_to_share(NotToShare::Empty));
    }
    if let Some(project) = project {
        placing::to_show_in(&mut tx, &caller, project).await?;
    }
    let messages = conversations::messages(&mut tx, conversation, &nodes).await?;
    let messages: Vec<SharedMessage> = messages.into_iter().map(for_others::snapshot).collect();
    // By what was read with them: one may have been asked for again since the tree was.
    let is_live = |message: &SharedMessage| matches!(message.status.as_deref(), Some("queued" | "running"));
    if messages.iter().any(is_live) {
        return Err(Problem::not_to_share(NotToShare::BeingWritten));
    }
    let title = for_others::title(head.title, head.title_is_default, &messages);
    let new = NewShare {
        conversation,
        project,
        shared_by: caller.name.as_deref().unwrap_or(caller.user.as_str()),
        title: &title,
        messages: &messages,
        days,
    };
    // A deletion withdraws the links that it finds, so it waits for this one, or was first.
    conversations::hold(&mut tx, conversation).await.map_err(conversation_routes::named)?;
    let shared = shares::create(&mut tx, &new, MOST).await.map_err(|error| match project {
        Some(_) => placing::not_in_it(error.into()),
        None => conversation_routes::named(error),
    });
    let Some(share) = shared? else {
        // The role in the project may have ended since.
        if let Some(project) = project {
            placing::to_show_in(&mut tx, &caller, project).await?;
        }
        return Err(Problem::not_to_share(NotToShare::TooMany(MOST)));
    };
    // Not the link itself: readers of the audit log must not be able to open it.
    let mut details = json!({ "days": days });
    if let Some(project) = project {
        details["project"] = json!(project);
    }
    audit::append(&mut tx, &caller.user, "share.create", Some(&conversation.to_string()), &details).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created().json(ShareView::from(share)))
}

/// Which of the caller's links to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// Only those to this conversation.
    conversation_id: Option<ConversationId>,
    /// How many at most, 1 to 200.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// What the caller shares.
#[utoipa::path(tag = "sharing", params(ListQuery), responses(
    (status = 200, body = ShareList), (status = 401, body = ProblemBody)))]
#[get("/shares")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<ListQuery>,
) -> Result<web::Json<ShareList>, Problem> {
    caller.may(Permission::Read)?;
    let limit = query.limit.unwrap_or(50).clamp(1, MAX_PER_PAGE);
    let mut tx = app.db.begin(&caller.scope()).await?;
    let of = query.conversation_id;
    let (rows, total) = shares::list(&mut tx, of, limit, query.offset.unwrap_or(0)).await?;
    let shares = rows.into_iter().map(ShareView::from).collect();
    Ok(web::Json(ShareList { shares, total, max_days: app.config.sharing.max_days }))
}

/// A shared conversation, for everybody who may use this server and has the link, or for the members of its project alone.
#[utoipa::path(tag = "sharing", params(("id" = String, Path)), responses(
    (status = 200, body = SharedConversation), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody, description = "There is none, its link was withdrawn or has expired, or it is for others")))]
#[get("/shares/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<SharedConversation>, Problem> {
    caller.may(Permission::Read)?;
    let share: ShareId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (share, messages) = shares::open(&mut tx, share, caller.groups_from_proxy()).await.map_err(named)?;
    Ok(web::Json(SharedConversation {
        id: share.id,
        title: share.title,
        shared_by: share.shared_by,
        is_mine: share.is_mine,
        conversation_id: share.is_mine.then_some(share.conversation),
        created_at: naive(share.created_at),
        expires_at: naive(share.expires_at),
        messages: for_others::shown(messages),
    }))
}

/// Withdraws a link: it works for nobody any more. Copies that others have made of it are theirs.
#[utoipa::path(tag = "sharing", params(("id" = String, Path)), responses(
    (status = 200, body = RemovedShare), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/shares/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RemovedShare>, Problem> {
    caller.may(Permission::Ask)?;
    let share: ShareId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let conversation = shares::remove(&mut tx, share).await.map_err(named)?;
    let target = conversation.to_string();
    audit::append(&mut tx, &caller.user, "share.remove", Some(&target), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(RemovedShare { status: Status::Ok, id: share }))
}

/// Makes a conversation of the caller's own of a shared one, to go on from. Its files are not copied.
#[utoipa::path(tag = "sharing", params(("id" = String, Path)), responses(
    (status = 201, body = CopiedConversation), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/shares/{id}/copy")]
pub(super) async fn copy(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Ask)?;
    let share: ShareId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (share, messages) = shares::open(&mut tx, share, caller.groups_from_proxy()).await.map_err(named)?;
    let copy = shares::copy(&mut tx, &share.title, &messages, None).await?;
    let conversation = conversations::head(&mut tx, copy).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created()
        .json(CopiedConversation { status: Status::Ok, conversation: conversation.into() }))
}

const WHAT: &str = "Shared conversation";

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming(WHAT)
}
