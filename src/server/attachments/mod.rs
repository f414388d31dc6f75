//! Files that come with questions: uploaded, listed, downloaded unchanged, and deleted.

pub(super) mod chosen;
mod receive;
pub(super) mod uploading;

use actix_web::http::header::{
    self, Charset, ContentDisposition, DispositionParam, DispositionType, ExtendedValue, HeaderValue,
};
use actix_web::{HttpResponse, delete, get, web};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::app::App;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::{Status, naive};
use crate::attachments::{Kind, Unreadable};
use crate::council::attached::{MAX_IMAGES, MEMBERS_CHARS};
use crate::identity::Permission;
use crate::store::attachments::{self, Attachment, Removed};
use crate::store::audit;

/// What a browser may do with a file that it opens in spite of everything: nothing.
const INERT: &str = "sandbox; default-src 'none'";
const MAX_PER_PAGE: u32 = 500;

/// What may come with questions here.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AttachmentLimits {
    /// The largest file, in bytes.
    pub max_bytes: usize,
    /// The largest picture, in bytes; 0 where none are taken.
    pub max_image_bytes: usize,
    /// The most pictures of one question.
    pub max_images_per_question: usize,
    /// The most files of one question.
    pub max_per_question: usize,
    /// What all files of one user may take up, in bytes.
    pub max_bytes_per_user: u64,
    /// How much of all files of a question the members read, in characters.
    pub max_characters_read: usize,
    /// The most files of one project; 0 where projects have none.
    pub max_per_project: usize,
    /// What all files of one project may take up, in bytes; 0 where projects have none.
    pub max_bytes_per_project: u64,
}

impl AttachmentLimits {
    /// This server's limits; `None` where it accepts no files.
    #[must_use]
    pub fn of(app: &App) -> Option<Self> {
        let limits = &app.config.attachments;
        let room = limits.room_in_projects();
        limits.are_taken().then_some(Self {
            max_bytes: limits.max_bytes,
            max_image_bytes: limits.max_image_bytes.min(limits.max_bytes),
            max_images_per_question: MAX_IMAGES,
            max_per_question: limits.max_per_question,
            max_bytes_per_user: limits.max_bytes_per_user,
            max_characters_read: MEMBERS_CHARS,
            max_per_project: room.map_or(0, |(files, _)| files),
            max_bytes_per_project: room.map_or(0, |(_, bytes)| bytes),
        })
    }
}

/// Whether a question may come with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentState {
    Ready,
    /// Nothing can be read of it.
    Failed,
}

/// A file of the caller's.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Attachment)]
pub struct AttachmentView {
    /// The hash of its content (SHA-256): the same file has the same id, however often it is uploaded.
    pub id: String,
    /// Its name at its last upload.
    pub filename: String,
    /// The name that its content suggests.
    pub stored_name: String,
    /// `text`, `json`, `pdf`, `docx`, `png`, `jpeg`, `webp` or `gif`, by what is in it.
    pub file_type: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    pub state: AttachmentState,
    /// How long its text is.
    pub characters: u64,
    /// Whether there is more in it than is kept of its text (2 MiB).
    pub text_is_cut: bool,
    /// Why nothing can be read of it, and what to do; absent where it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The kind of that problem: `encrypted`, `damaged`, `too_many_pages`, `too_large`, `no_text` or `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_kind: Option<String>,
    /// Of a picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Whether a question came with it: then it stays as long as that conversation.
    pub used: bool,
    /// Naive UTC with microseconds.
    pub created_at: String,
}

impl From<Attachment> for AttachmentView {
    fn from(row: Attachment) -> Self {
        let extension = Kind::parse(&row.file_type).map_or("bin", Kind::extension);
        let problem = row.problem.as_deref().map(Unreadable::parse);
        Self {
            stored_name: format!("{}.{extension}", row.id),
            id: row.id,
            filename: row.filename,
            file_type: row.file_type,
            mime_type: row.mime_type,
            size: row.size.unsigned_abs(),
            state: if problem.is_some() { AttachmentState::Failed } else { AttachmentState::Ready },
            characters: row.characters.unsigned_abs(),
            text_is_cut: row.text_is_cut,
            width: row.pixels.map(|(width, _)| width.unsigned_abs()),
            height: row.pixels.map(|(_, height)| height.unsigned_abs()),
            problem: problem.map(Unreadable::sentence),
            problem_kind: row.problem,
            used: row.is_used,
            created_at: naive(row.created_at),
        }
    }
}

/// A page of the caller's files.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AttachmentList {
    /// The one uploaded last comes first.
    pub attachments: Vec<AttachmentView>,
    /// How many there are.
    pub total: u64,
}

/// Which files to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// The caller's files.
#[utoipa::path(tag = "attachments", params(ListQuery), responses(
    (status = 200, body = AttachmentList), (status = 401, body = ProblemBody)))]
#[get("/attachments")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<ListQuery>,
) -> Result<web::Json<AttachmentList>, Problem> {
    caller.may(Permission::Read)?;
    let limit = query.limit.unwrap_or(100).clamp(1, MAX_PER_PAGE);
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (rows, total) = attachments::list(&mut tx, limit, query.offset.unwrap_or(0)).await?;
    Ok(web::Json(AttachmentList { attachments: rows.into_iter().map(AttachmentView::from).collect(), total }))
}

/// The metadata of a file.
#[utoipa::path(tag = "attachments", params(("id" = String, Path)), responses(
    (status = 200, body = AttachmentView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/attachments/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AttachmentView>, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let row = attachments::find(&mut tx, id(&path)?).await.map_err(named)?;
    Ok(web::Json(row.into()))
}

/// The file itself, byte for byte, to be saved and never to be shown: no browser runs anything in it.
#[utoipa::path(tag = "attachments", params(("id" = String, Path)), responses(
    (status = 200, description = "The bytes", content_type = "application/octet-stream"),
    (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 503, body = ProblemBody, description = "The store that it is kept in cannot be used")))]
#[get("/attachments/{id}/content")]
pub(super) async fn content(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let id = id(&path)?;
    let find = || async {
        let mut tx = app.db.begin(&caller.scope()).await?;
        let row = attachments::find(&mut tx, id).await.map_err(named)?;
        let content = attachments::content(&mut tx, id).await.map_err(named)?;
        Ok::<_, Problem>((row, content))
    };
    let (row, bytes) = app.objects.read(find).await?;
    Ok(handed_out(&row.mime_type, &row.filename, bytes))
}

/// A file's bytes, to be saved and never to be shown.
pub(super) fn handed_out(mime_type: &str, filename: &str, bytes: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, mime_type))
        .insert_header(saved_as(filename))
        .insert_header((header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(INERT)))
        .body(bytes)
}

/// To be saved under this name, which may be in any script.
fn saved_as(name: &str) -> ContentDisposition {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') { c } else { '_' };
    let ascii: String = name.chars().map(plain).collect();
    let exact = ExtendedValue {
        charset: Charset::Ext("UTF-8".to_owned()),
        language_tag: None,
        value: name.as_bytes().to_vec(),
    };
    ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::Filename(ascii), DispositionParam::FilenameExt(exact)],
    }
}

/// A file that is deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AttachmentDeleted {
    pub status: Status,
    pub id: String,
}

/// Deletes a file that no question came with. One that did goes with its conversation.
#[utoipa::path(tag = "attachments", params(("id" = String, Path)), responses(
    (status = 200, body = AttachmentDeleted), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "A question came with it, or there is a hold on the caller's data")))]
#[delete("/attachments/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<AttachmentDeleted>, Problem> {
    caller.may(Permission::Ask)?;
    let id = id(&path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    match attachments::delete(&mut tx, id).await.map_err(named)? {
        Removed::Yes => {}
        Removed::InUse => {
            let detail = "a question came with this file: it goes when the conversation is deleted for good";
            return Err(Problem::in_the_way(detail));
        }
        Removed::Held => return Err(Problem::held()),
    }
    audit::append(&mut tx, &caller.user, "attachment.delete", Some(id), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(AttachmentDeleted { status: Status::Ok, id: id.to_owned() }))
}

/// An id from the path. Anything that is not an id counts as not found.
pub(super) fn id(path: &str) -> Result<&str, Problem> {
    if is_id(path) { Ok(path) } else { Err(Problem::not_found("File")) }
}

/// Whether this can be the hash of a content.
fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

pub(super) fn named(error: crate::store::StoreError) -> Problem {
    Problem::from(error).naming("File")
}
