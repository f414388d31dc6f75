//! The files of a request: how much of them a body may have, which of them the question comes with, and how those that came as
//! data are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actix_web::http::header;
use actix_web::{HttpRequest, web};
use serde_json::{Value, json};

use super::api::RequestContext;
use super::files::{InlineFile, InlineFiles, MessageFile};
use crate::config::Attachments;
use crate::council::attached::MAX_IMAGES;
use crate::server::app::App;
use crate::server::attachments::uploading::{ARRIVAL, keep};
use crate::server::extract::{Caller, read_json};
use crate::server::problem::Problem;
use crate::server::upload_slots::UploadPermit;
use crate::store::attachments::{self, Attachment};
use crate::store::{StoreError, users};

/// The most that the files of one request may have, in bytes, however many there may be.
const MOST_BYTES: usize = 24 << 20;
/// How many of the slots for uploads one body takes at most.
const MOST_PLACES: usize = 8;

/// The files of a request that are in memory.
pub(super) struct ReceivedFiles<'a> {
    pub inline: InlineFiles,
    /// Their slots among the uploads in progress; freed when dropped, once the files are kept or refused.
    _slots: Option<UploadPermit<'a>>,
}

/// The body of a request, without the data of its files, and these.
///
/// # Errors
/// Where it is too large, too slow, or no JSON; where too many files are under way.
pub(super) async fn read<'a>(
    app: &'a App,
    caller: &Caller,
    request: &HttpRequest,
    payload: web::Payload,
    list: &'static str,
) -> Result<(Value, ReceivedFiles<'a>), Problem> {
    let (server, limits) = (&app.config.server, app.config.attachments.clone());
    // A body without a stated length may be no longer than any other: slots are taken before it is read.
    let long = announced(request).filter(|bytes| *bytes > server.body_limit_bytes && limits.are_taken());
    let Some(announced) = long else {
        let mut body =
            read_json(request, payload.into_inner(), server.body_limit_bytes, server.body_timeout()).await?;
        let inline = InlineFiles::out_of(&mut body, list, &limits);
        return Ok((body, ReceivedFiles { inline, _slots: None }));
    };
    let slots = slots(app, caller, announced)?;
    let limit = server.body_limit_bytes.saturating_add(room(&limits));
    let timeout: Duration = server.body_timeout().max(ARRIVAL);
    let body = read_json(request, payload.into_inner(), limit, timeout).await?;
    // Hashing large files takes a moment, and everybody's events go through this thread.
    let read = web::block(move || {
        let mut body = body;
        let inline = InlineFiles::out_of(&mut body, list, &limits);
        (body, inline)
    });
    let (body, inline) = read.await.map_err(|_| Problem::unavailable("this server is shutting down"))?;
    // The room is for files: what else there is may be no longer than in any other body.
    if announced.saturating_sub(inline.length) > server.body_limit_bytes {
        return Err(Problem::too_large(server.body_limit_bytes));
    }
    Ok((body, ReceivedFiles { inline, _slots: Some(slots) }))
}

/// How much of files a body may have, as Base64, in bytes.
fn room(limits: &Attachments) -> usize {
    let files = limits.max_bytes.saturating_mul(limits.max_per_question).min(MOST_BYTES);
    files.div_ceil(3) * 4
}

fn announced(request: &HttpRequest) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Slots among the uploads in progress, by how much memory this one takes: its text, and the decoded data.
fn slots<'a>(app: &'a App, caller: &Caller, announced: usize) -> Result<UploadPermit<'a>, Problem> {
    let slots = announced.saturating_mul(2).div_ceil(app.config.attachments.max_bytes.max(1));
    let slots = slots.clamp(1, MOST_PLACES);
    let taken = app.uploads.take(&caller.user, slots);
    taken.ok_or_else(|| Problem::full("too many files are being uploaded just now; try again in a moment"))
}

/// Which of the files in the messages the question comes with, each once, and the places of those that are ignored: of
/// what came with earlier questions the latest, as far as there is room.
pub(super) fn chosen(said: &[MessageFile], limits: &Attachments) -> (Vec<MessageFile>, Vec<String>) {
    // A file that is sent again keeps its first name.
    let mut first: BTreeMap<&str, &MessageFile> = BTreeMap::new();
    for file in said {
        first.entry(&file.id).or_insert(file);
    }
    let (mut pictures, mut seen) = (0, BTreeSet::new());
    let (mut chosen, mut passed_over) = (Vec::new(), Vec::new());
    for file in said.iter().rev() {
        if !seen.insert(file.id.as_str()) {
            continue;
        }
        let has_room = chosen.len() < limits.max_per_question && (!file.is_picture || pictures < MAX_IMAGES);
        if file.is_earlier && !has_room {
            passed_over.push(file.field.clone());
        } else {
            pictures += usize::from(file.is_picture);
            let first = first.get(file.id.as_str()).copied().unwrap_or(file);
            chosen.push(MessageFile { filename: first.filename.clone(), ..file.clone() });
        }
    }
    chosen.reverse();
    passed_over.reverse();
    (chosen, passed_over)
}

/// Keeps those of these files that came as data.
///
/// # Errors
/// Where there is no room for one, or something that it needs is unavailable.
pub(super) async fn keep_all(
    context: RequestContext<'_>,
    files: &[MessageFile],
    inline: &InlineFiles,
) -> Result<(), Problem> {
    for file in files {
        if let Some(inline) = inline.find(&file.id) {
            keep_one(context, inline).await?;
        }
    }
    Ok(())
}

async fn keep_one(
    RequestContext { app, caller, .. }: RequestContext<'_>,
    inline: &InlineFile,
) -> Result<Attachment, Problem> {
    let file = &inline.file;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let filename = if inline.is_named {
        file.filename.clone()
    } else {
        // One that is there keeps its name.
        match attachments::find(&mut tx, &file.id).await {
            Ok(known) => known.filename,
            Err(StoreError::NotFound) => file.filename.clone(),
            Err(error) => return Err(error.into()),
        }
    };
    if let Some(known) = attachments::upload_again(&mut tx, &file.id, &filename).await? {
        tx.commit().await?;
        return Ok(known);
    }
    let was_remembered = users::is_remembered(&mut tx).await?;
    drop(tx);
    keep(app, caller, file, was_remembered).await
}

/// The files in the form in which a question names them.
pub(super) fn named(files: &[MessageFile]) -> Value {
    files.iter().map(|file| json!({"id": file.id, "filename": file.filename})).collect()
}
