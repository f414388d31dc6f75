//! Taking a file: received, identified, read, and kept in one transaction, or not at all. Every upload goes through
//! here.

use std::time::Duration;

use actix_web::{HttpRequest, post, web};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::AttachmentView;
use super::receive::{Received, receive};
use crate::attachments::picture;
use crate::attachments::{
    Extracted, Kind, MAX_TEXT_BYTES, NotExtracted, NotTaken, Unreadable, beginning, without_mark,
};
use crate::id::UserId;
use crate::identity::Permission;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::upload_slots::UploadPermit;
use crate::store::attachments::{self, Attachment, Contents, NewAttachment, Pixels, Saved};
use crate::store::objects::Location;
use crate::store::{StoreError, Tx, users};

/// How long a file may take to arrive.
pub(in crate::server) const ARRIVAL: Duration = Duration::from_secs(120);

/// A form with a file.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the form, which is read piece by piece")]
pub(in crate::server) struct UploadForm {
    /// The file, with its name.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Takes a file that questions may come with: text of any kind (UTF-8), PDF, DOCX, or a picture (PNG, JPEG, WebP, GIF), told by
/// what is in it. Its text is read at once: the answer says whether that could be done (`state`). The same file again is the same
/// file.
#[utoipa::path(tag = "attachments", request_body(content = UploadForm, content_type = "multipart/form-data"), responses(
    (status = 200, body = AttachmentView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 413, body = ProblemBody, description = "The file is too large, or there is no room beside the caller's others"),
    (status = 415, body = ProblemBody, description = "No such file is taken"), (status = 422, body = ProblemBody),
    (status = 503, body = ProblemBody)))]
#[post("/attachments")]
pub(in crate::server) async fn upload(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<web::Json<AttachmentView>, Problem> {
    caller.may(Permission::Ask)?;
    let limits = &app.config.attachments;
    if !limits.are_taken() {
        return Err(Problem::forbidden("this server takes no files; whoever runs it has switched them off"));
    }
    let was_remembered = users::is_remembered(&mut app.db.begin(&caller.scope()).await?).await?;
    let Upload { file, slot: _slot } = receive_upload(&app, &caller, &request, payload).await?;
    if file.kind.is_image() && limits.max_image_bytes == 0 {
        return Err(Problem::not_taken(&format!("{} {NO_PICTURES}", file.filename)));
    }
    if file.kind.is_image() && file.bytes.len() > limits.max_image_bytes {
        return Err(Problem::picture_too_large(limits.max_image_bytes));
    }
    let mut tx = app.db.begin(&caller.scope()).await?;
    if let Some(known) = attachments::upload_again(&mut tx, &file.id, &file.filename).await? {
        tx.commit().await?;
        return Ok(web::Json(known.into()));
    }
    drop(tx);
    keep(&app, &caller, &file, was_remembered).await.map(|row| web::Json(row.into()))
}

/// Why a picture is refused where none are taken, to follow its name in a sentence.
pub(in crate::server) const NO_PICTURES: &str =
    "is a picture, and this server takes none: describe it in the question";

/// Reads a file of the caller's that is not there yet, and keeps it. `was_remembered` says whether the caller was
/// [remembered](users::is_remembered) when it began to arrive.
///
/// # Errors
/// Where its content is not of its kind after all, where there is no room for it, where the caller's data was erased meanwhile,
/// or where something that it needs is unavailable: nothing is kept then.
pub(in crate::server) async fn keep(
    app: &App,
    caller: &Caller,
    UploadedFile { filename, bytes, kind, id }: &UploadedFile,
    was_remembered: bool,
) -> Result<Attachment, Problem> {
    let read = read(app, &caller.user, *kind, bytes, filename).await?;
    let most = app.config.attachments.max_bytes_per_user;
    let size = bytes.len() as u64;
    let location = locate(app, id, bytes, async || {
        let mut tx = app.db.begin(&caller.scope()).await?;
        match attachments::used_up(&mut tx, (id.as_str(), size), most).await? {
            Some(used) => Err(Problem::no_room(used, most)),
            None => Ok(tx),
        }
    });
    let location = location.await?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    if was_remembered && !users::is_remembered(&mut tx).await? {
        return Err(StoreError::Erasing.into());
    }
    let new = NewAttachment {
        id,
        filename,
        file_type: kind.as_str(),
        mime_type: kind.mime(),
        location,
        contents: match &read {
            Read::Text { text, is_cut } => Contents::Text { text, is_cut: *is_cut },
            Read::Unreadable(why) => Contents::Unread(why.as_str()),
            Read::Picture(pixels) => Contents::Picture(*pixels),
        },
    };
    match attachments::save(&mut tx, &new, most).await? {
        Saved::Kept(row) => {
            tx.commit().await?;
            Ok(row)
        }
        Saved::NoRoom { used } => Err(Problem::no_room(used, most)),
        Saved::TooLate => Err(too_late()),
    }
}

/// Puts a file that came in where it is kept: a large one into the object store, where there is one. `begin` makes sure of its room.
///
/// # Errors
/// What `begin` says; where the database or the object store is unavailable.
pub(in crate::server) async fn locate<'a>(
    app: &App,
    id: &str,
    bytes: &'a Bytes,
    begin: impl AsyncFnOnce() -> Result<Tx, Problem>,
) -> Result<Location<'a>, Problem> {
    if !app.objects.takes(bytes.len()) {
        return Ok(Location::InRow(bytes));
    }
    let key = app.objects.put(begin().await?, id, bytes).await?;
    Ok(Location::InObject { key, size: bytes.len() as u64 })
}

/// 503: its object was put so long ago that it is being removed.
pub(in crate::server) fn too_late() -> Problem {
    Problem::unavailable("keeping the file took too long; send it again")
}

/// A file, and what it is by what is in it.
#[derive(Debug, Clone)]
pub(in crate::server) struct UploadedFile {
    /// What it is called, as it is kept.
    pub filename: String,
    pub bytes: Bytes,
    pub kind: Kind,
    /// The hash of its content.
    pub id: String,
}

/// A file that came in.
pub(in crate::server) struct Upload<'a> {
    pub file: UploadedFile,
    /// Its slot among the files in progress; freed when it is dropped, once the file is stored or refused.
    pub slot: UploadPermit<'a>,
}

/// Receives a file and finds out what it is.
///
/// # Errors
/// Where it is too large, of a kind that is not taken, or arrives too slowly; where too many are in progress.
pub(in crate::server) async fn receive_upload<'a>(
    app: &'a App,
    caller: &Caller,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<Upload<'a>, Problem> {
    let Some(slot) = app.uploads.take(&caller.user, 1) else {
        return Err(Problem::full("too many files are being uploaded just now; try again in a moment"));
    };
    let receiving = receive(request, payload, app.config.attachments.max_bytes);
    let Received { filename, bytes } =
        tokio::time::timeout(ARRIVAL, receiving).await.map_err(|_| Problem::slow_body())??;
    let looked_at = {
        let bytes = bytes.clone();
        // Hashing a large file takes a moment, and everybody's events go through this thread.
        web::block(move || (Kind::of(&bytes), hex::encode(Sha256::digest(&bytes)))).await
    };
    let (kind, id) = looked_at.map_err(|_| Problem::unavailable("this server is shutting down"))?;
    let kind = kind.map_err(|why| not_taken(why, &filename))?;
    Ok(Upload { file: UploadedFile { filename, bytes, kind, id }, slot })
}

/// What there is in a file.
pub(in crate::server) enum Read {
    /// What it says, and whether there is more.
    Text {
        text: String,
        is_cut: bool,
    },
    Unreadable(Unreadable),
    Picture(Pixels),
}

/// Reads a file that came in: a PDF or DOCX in a process of its own.
///
/// # Errors
/// Where its content is not of its kind after all, or too many are being read.
pub(in crate::server) async fn read(
    app: &App,
    whose: &UserId,
    kind: Kind,
    bytes: &Bytes,
    filename: &str,
) -> Result<Read, Problem> {
    if kind.is_image() {
        let (width, height) = picture::size(bytes)
            .map_err(|why| Problem::not_taken(&format!("{filename} {}", why.sentence())))?;
        return Ok(Read::Picture((width.cast_signed(), height.cast_signed())));
    }
    if !kind.has_to_be_extracted() {
        let text = std::str::from_utf8(bytes).map_err(|_| Problem::internal())?;
        let (text, is_cut) = beginning(without_mark(text), MAX_TEXT_BYTES);
        return Ok(Read::Text { text: text.to_owned(), is_cut });
    }
    match app.extractor.extract(whose.as_str(), kind, bytes.clone()).await {
        Ok(Extracted::Text { text, is_cut }) => Ok(Read::Text { text, is_cut }),
        Ok(Extracted::Unreadable(why)) => Ok(Read::Unreadable(why)),
        Ok(Extracted::OfAnotherKind) => Err(not_taken(NotTaken::Other, filename)),
        Err(NotExtracted::Full) => {
            Err(Problem::full("too many files are being read just now; try again in a moment"))
        }
        Err(error @ (NotExtracted::NotStarted(_) | NotExtracted::Lost(_))) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a file could not be read");
            Err(Problem::internal())
        }
    }
}

fn not_taken(why: NotTaken, filename: &str) -> Problem {
    match why {
        NotTaken::Empty => Problem::field("file", why_not(why)),
        NotTaken::OtherEncoding | NotTaken::Other => {
            Problem::not_taken(&format!("{filename} {}", why_not(why)))
        }
    }
}

/// Why a file is not taken, to follow its name in a sentence.
pub(in crate::server) fn why_not(why: NotTaken) -> &'static str {
    match why {
        NotTaken::Empty => "is empty: choose a file with something in it",
        NotTaken::OtherEncoding => {
            "is text in an encoding other than UTF-8: save it as UTF-8 and upload that"
        }
        NotTaken::Other => {
            "is not of a type that is accepted: text of any kind (Markdown, code, CSV, JSON …) in UTF-8, PDF, DOCX, pictures \
             (PNG, JPEG, WebP, GIF)"
        }
    }
}
