//! The files of a project: everybody with a role in it reads them, its owners add and remove them, and every question in it is read
//! with them.

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web};
use serde::Serialize;
use serde_json::json;

use super::placing::{WHAT, opened};
use super::shape::ProjectDone;
use crate::config::Attachments;
use crate::council::attached::{Attached, MEMBERS_CHARS};
use crate::id::ProjectId;
use crate::identity::Permission;
use crate::server::app::App;
use crate::server::attachments::uploading::{
    Read, Upload, UploadForm, UploadedFile, locate, read, receive_upload, too_late,
};
use crate::server::attachments::{self, handed_out};
use crate::server::extract::{Caller, id};
use crate::server::problem::{NotInProject, Problem, ProblemBody};
use crate::server::shape::{Status, naive};
use crate::store::project_files::{self, Full, NewProjectFile, ProjectFile, Room, Saved};
use crate::store::projects::Role;
use crate::store::{StoreError, Tx, audit};

/// A file of a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ProjectFile)]
pub struct ProjectFileView {
    /// The hash of its content (SHA-256).
    pub id: String,
    /// Its name at its last upload.
    pub filename: String,
    /// `text`, `json`, `pdf` or `docx`, by what is in it.
    pub file_type: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    /// How long its text is.
    pub characters: u64,
    /// Whether there is more in it than is kept of its text (2 MiB).
    pub text_is_cut: bool,
    /// Naive UTC with microseconds.
    pub created_at: String,
}

impl From<ProjectFile> for ProjectFileView {
    fn from(row: ProjectFile) -> Self {
        Self {
            id: row.id,
            filename: row.filename,
            file_type: row.file_type,
            mime_type: row.mime_type,
            size: row.size.unsigned_abs(),
            characters: row.characters.unsigned_abs(),
            text_is_cut: row.text_is_cut,
            created_at: naive(row.created_at),
        }
    }
}

/// The files of a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectFileList {
    /// By name, in the order in which the models read them; at most as many as `attachments.max_per_project` says, 20 by default.
    pub files: Vec<ProjectFileView>,
}

/// The files of a project, for everybody who has a role in it.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), responses(
    (status = 200, body = ProjectFileList), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/projects/{id}/files")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ProjectFileList>, Problem> {
    caller.may(Permission::Read)?;
    let project: ProjectId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Viewer).await?;
    let rows = project_files::list(&mut tx, project).await?;
    Ok(web::Json(ProjectFileList { files: rows.into_iter().map(ProjectFileView::from).collect() }))
}

/// Puts a file into a project, for its owners: text of any kind (UTF-8), PDF or DOCX. Every question in the project is read with it
/// from then on. One that nothing can be read of is not kept. The same file again is the same file.
#[utoipa::path(tag = "projects", params(("id" = String, Path)),
    request_body(content = UploadForm, content_type = "multipart/form-data"), responses(
    (status = 200, body = ProjectFileView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The project has as many files as there can be"),
    (status = 413, body = ProblemBody, description = "The file is too large, or there is no room beside the project's others"),
    (status = 415, body = ProblemBody, description = "No such file is taken"),
    (status = 422, body = ProblemBody, description = "Nothing can be read of it, and why"),
    (status = 503, body = ProblemBody)))]
#[post("/projects/{id}/files")]
pub(in crate::server) async fn add(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<web::Json<ProjectFileView>, Problem> {
    caller.may(Permission::Ask)?;
    let project: ProjectId = id(&path, WHAT)?;
    let owned = async || {
        let mut tx = app.db.begin(&caller.scope()).await?;
        opened(&mut tx, &caller, project, Role::Owner).await?;
        Ok::<Tx, Problem>(tx)
    };
    // Checked before any of the file is read.
    drop(owned().await?);
    let Some((files, bytes)) = app.config.attachments.room_in_projects() else {
        let detail = "projects have no files on this server; whoever runs it has switched them off";
        return Err(Problem::forbidden(detail));
    };
    let Upload { file, slot: _slot } = receive_upload(&app, &caller, &request, payload).await?;
    let mut tx = owned().await?;
    if let Some(known) = project_files::upload_again(&mut tx, project, &file.id, &file.filename).await? {
        tx.commit().await?;
        return Ok(web::Json(known.into()));
    }
    drop(tx);
    let (text, text_is_cut) = text_of(&app, &caller, &file).await?;
    let room = Room { files, bytes };
    let full = |full| match full {
        Full::TooMany => Problem::not_in_project(NotInProject::TooManyFiles(files)),
        Full::NoRoom { used } => Problem::no_room_in_project(used, bytes),
    };
    let size = file.bytes.len() as u64;
    let location = locate(&app, &file.id, &file.bytes, async || {
        let mut tx = owned().await?;
        match project_files::is_full(&mut tx, project, size, room).await? {
            Some(why) => Err(full(why)),
            None => Ok(tx),
        }
    });
    let location = location.await?;
    let new = NewProjectFile {
        id: &file.id,
        filename: &file.filename,
        file_type: file.kind.as_str(),
        mime_type: file.kind.mime(),
        location,
        text: &text,
        text_is_cut,
    };
    // The upload took a while, so it is checked again whether the caller still owns the project.
    let mut tx = owned().await?;
    match project_files::save(&mut tx, project, &new, room).await.map_err(named)? {
        Saved::Kept(row) => {
            noted(&mut tx, &caller, project, ("project.add_file", &row.id)).await?;
            tx.commit().await?;
            Ok(web::Json(row.into()))
        }
        Saved::Full(why) => Err(full(why)),
        Saved::TooLate => Err(too_late()),
    }
}

/// What a file says, and whether there is more than is kept.
async fn text_of(app: &App, caller: &Caller, file: &UploadedFile) -> Result<(String, bool), Problem> {
    let UploadedFile { filename, bytes, kind, .. } = file;
    let picture = || {
        Problem::not_taken(&format!(
            "{filename} is a picture, and a project has none: add it to the questions that are about it"
        ))
    };
    if kind.is_image() {
        return Err(picture());
    }
    match read(app, &caller.user, *kind, bytes, filename).await? {
        Read::Text { text, is_cut } => Ok((text, is_cut)),
        // If it were kept, it would block everybody's questions until an owner removes it.
        Read::Unreadable(why) => Err(Problem::unreadable(why, filename)),
        Read::Picture(_) => Err(picture()),
    }
}

/// The file itself, byte for byte, to be saved and never to be shown, for everybody who has a role in the project.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ("file" = String, Path)), responses(
    (status = 200, description = "The bytes", content_type = "application/octet-stream"),
    (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 503, body = ProblemBody, description = "The store that it is kept in cannot be used")))]
#[get("/projects/{id}/files/{file}/content")]
pub(in crate::server) async fn content(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let (project, file) = &*path;
    let project: ProjectId = id(project, WHAT)?;
    let file = attachments::id(file)?;
    let find = || async {
        let mut tx = app.db.begin(&caller.scope()).await?;
        opened(&mut tx, &caller, project, Role::Viewer).await?;
        project_files::content(&mut tx, project, file).await.map_err(named)
    };
    let (row, bytes) = app.objects.read(find).await?;
    Ok(handed_out(&row.mime_type, &row.filename, bytes))
}

/// Takes a file out of a project, for its owners. Questions are read without it from then on; runs that were asked before keep what
/// they read.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ("file" = String, Path)), responses(
    (status = 200, body = ProjectDone), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/projects/{id}/files/{file}")]
pub(in crate::server) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<ProjectDone>, Problem> {
    caller.may(Permission::Ask)?;
    let (project, file) = &*path;
    let project: ProjectId = id(project, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Owner).await?;
    let file = attachments::id(file)?;
    project_files::remove(&mut tx, project, file).await.map_err(named)?;
    noted(&mut tx, &caller, project, ("project.remove_file", file)).await?;
    tx.commit().await?;
    Ok(web::Json(ProjectDone { status: Status::Ok, id: project }))
}

async fn noted(
    tx: &mut Tx,
    caller: &Caller,
    project: ProjectId,
    (action, file): (&str, &str),
) -> Result<(), Problem> {
    let details = json!({ "file": file });
    Ok(audit::append(tx, &caller.user, action, Some(&project.to_string()), &details).await?)
}

fn named(error: StoreError) -> Problem {
    attachments::named(error)
}

/// The files that every question in the opened project is read with, each file with as much of its text as the members
/// read of all; nothing where projects have no files.
///
/// # Errors
/// When the database is unavailable.
pub(in crate::server) async fn read_with_questions(
    tx: &mut Tx,
    limits: &Attachments,
    project: ProjectId,
) -> Result<Vec<Attached>, StoreError> {
    if limits.room_in_projects().is_none() {
        return Ok(Vec::new());
    }
    let most = i32::try_from(MEMBERS_CHARS).unwrap_or(i32::MAX);
    let files = project_files::beginnings(tx, project, most).await?;
    let attached = |(row, text): (ProjectFile, String)| Attached {
        id: row.id,
        filename: row.filename,
        file_type: row.file_type,
        mime_type: row.mime_type,
        size: row.size.unsigned_abs(),
        characters: usize::try_from(row.characters).unwrap_or_default(),
        text,
        image: None,
        of_project: true,
    };
    Ok(files.into_iter().map(attached).collect())
}
