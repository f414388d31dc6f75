//! Folders: groups of the caller's own conversations, in their list alone.

use actix_web::{delete, get, patch, post, web};
use serde::Serialize;
use serde_json::json;

use super::app::App;
use super::extract::{Body, Caller, id};
use super::page::WholeQuery;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::{Status, naive};
use crate::council::field::{FieldErrorKind, Fields, name_problem};
use crate::id::{ConversationId, FolderId};
use crate::identity::Permission;
use crate::store::folders::{self, Folder};
use crate::store::{StoreError, Tx, audit};

/// The field of a request, and of a query, that names a folder.
pub(super) const FIELD: &str = "folder_id";
/// How many folders one person may have.
const MOST: i64 = 200;
const MAX_NAME_CHARS: usize = 60;
const WHAT: &str = "Folder";

/// A folder.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FolderView {
    pub id: FolderId,
    pub name: String,
    /// How many conversations are in it, without those that are archived or deleted.
    pub conversation_count: i64,
    /// Naive UTC with microseconds.
    pub created_at: String,
}

impl From<Folder> for FolderView {
    fn from(folder: Folder) -> Self {
        Self {
            id: folder.id,
            name: folder.name,
            conversation_count: folder.conversation_count,
            created_at: naive(folder.created_at),
        }
    }
}

/// The caller's folders.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FolderList {
    /// By name; one person can have 200.
    pub folders: Vec<FolderView>,
    /// Over all pages.
    pub total: u64,
}

/// A folder that was deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeletedFolder {
    pub status: Status,
    pub id: FolderId,
}

/// What a folder is to be called.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct FolderRequest {
    /// 1 to 60 characters, and no other folder's, whatever its case.
    name: String,
}

fn name_of(body: &Body) -> Result<String, Problem> {
    let mut fields = Fields::of(&body.0)?;
    let name: Option<String> = fields.take("name", "a string");
    let name = name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    match &name {
        Some(name) => {
            if let Some(problem) = name_problem(name, MAX_NAME_CHARS) {
                fields.refuse("name", FieldErrorKind::Value, problem);
            }
        }
        None if !fields.has("name") => fields.refuse("name", FieldErrorKind::Missing, "a name is required"),
        None => {}
    }
    Ok(fields.finish(|| name.unwrap_or_default())?)
}

/// The caller's folders, by name.
#[utoipa::path(tag = "conversations", params(WholeQuery), responses(
    (status = 200, body = FolderList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/folders")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<WholeQuery>,
) -> Result<web::Json<FolderList>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let (rows, total) = folders::list(&mut app.db.begin(&caller.scope()).await?, limit, offset).await?;
    Ok(web::Json(FolderList { folders: rows.into_iter().map(FolderView::from).collect(), total }))
}

/// Makes an empty folder.
#[utoipa::path(tag = "conversations", request_body = FolderRequest, responses(
    (status = 200, body = FolderView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The caller has as many folders as there can be"),
    (status = 422, body = ProblemBody)))]
#[post("/folders")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<FolderView>, Problem> {
    caller.may(Permission::Ask)?;
    let name = name_of(&body)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let made = folders::create(&mut tx, &name, MOST).await.map_err(named)?;
    let made = made.ok_or_else(|| Problem::too_many_folders(MOST))?;
    let folder = folders::find(&mut tx, made).await?;
    tx.commit().await?;
    Ok(web::Json(folder.into()))
}

/// Gives a folder another name.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), request_body = FolderRequest, responses(
    (status = 200, body = FolderView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/folders/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<FolderView>, Problem> {
    caller.may(Permission::Ask)?;
    let id: FolderId = id(&path, WHAT)?;
    let name = name_of(&body)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    folders::rename(&mut tx, id, &name).await.map_err(named)?;
    let folder = folders::find(&mut tx, id).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(folder.into()))
}

/// Deletes a folder. The conversations in it stay, in no folder.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), responses(
    (status = 200, body = DeletedFolder), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/folders/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<DeletedFolder>, Problem> {
    caller.may(Permission::Ask)?;
    let id: FolderId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    folders::delete(&mut tx, id).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "folder.delete", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(DeletedFolder { status: Status::Ok, id }))
}

/// Puts a conversation of the caller's into a folder, or takes it out of the one that it is in.
///
/// # Errors
/// 422 where there is no such folder of the caller's; 404 where the conversation is not theirs.
pub(super) async fn put(
    tx: &mut Tx,
    conversation: ConversationId,
    to: Option<FolderId>,
) -> Result<(), Problem> {
    if let Some(to) = to
        && !folders::hold(tx, to).await?
    {
        return Err(Problem::field(FIELD, "must be the id of a folder of yours"));
    }
    folders::put(tx, conversation, to).await.map_err(|error| Problem::from(error).naming("Conversation"))
}

fn named(error: StoreError) -> Problem {
    if matches!(error, StoreError::AlreadyExists) {
        return Problem::field("name", "is the name of another folder of yours");
    }
    Problem::from(error).naming(WHAT)
}
