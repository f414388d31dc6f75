//! Which files a question comes with: `attachments` in its body.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::is_id;
use crate::attachments::{Unreadable, name};
use crate::config::Attachments;
use crate::council::attached::{Attached, MAX_IMAGES, MEMBERS_CHARS, Pixels};
use crate::council::field::{FieldError, FieldErrorKind};
use crate::store::attachments::Attachment;
use crate::store::{StoreError, Tx, attachments};

/// A file of a question: its id, or an object with it. What else the object has (`file_type`) is not read: the kind of a
/// file is known from its content.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
#[schema(as = ChosenAttachment)]
pub enum Chosen {
    Id(String),
    Named {
        /// As `POST /api/attachments` gave it.
        id: String,
        /// What it is to be called with this question; by default as it was uploaded.
        #[serde(default)]
        filename: Option<String>,
    },
}

/// The files that a request names, each with as much of its text as the members read of all.
///
/// # Errors
/// [`StoreError`] when the database is unavailable; inside it everything that is wrong with the list.
pub(in crate::server) async fn chosen(
    tx: &mut Tx,
    limits: &Attachments,
    body: &Value,
) -> Result<Result<Vec<Attached>, Vec<FieldError>>, StoreError> {
    let given = body.get("attachments").filter(|given| !given.is_null());
    let Some(given) = given else { return Ok(Ok(Vec::new())) };
    let chosen_files = match chosen_files(given, limits) {
        Ok(chosen_files) if chosen_files.is_empty() => return Ok(Ok(Vec::new())),
        Ok(chosen_files) => chosen_files,
        Err(problems) => return Ok(Err(problems)),
    };
    let ids: Vec<String> =
        chosen_files.iter().filter_map(|file| file.as_ref().ok()).map(|(id, _)| id.clone()).collect();
    let most = i32::try_from(MEMBERS_CHARS).unwrap_or(i32::MAX);
    let found = attachments::beginnings(tx, &ids, most).await?;
    let (mut files, mut problems, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (place, file) in chosen_files.into_iter().enumerate() {
        match file.and_then(|(id, filename)| resolve(&found, &mut seen, &id, filename)) {
            Ok(file) => files.push(file),
            Err(message) => problems.push(FieldError::value(format!("attachments.{place}"), message)),
        }
    }
    let images = files.iter().filter(|file: &&Attached| file.image.is_some()).count();
    if images > MAX_IMAGES {
        let message = format!("has {images} pictures; at most {MAX_IMAGES} may come with one question");
        problems.push(FieldError::value("attachments", message));
    }
    Ok(if problems.is_empty() { Ok(files) } else { Err(problems) })
}

/// A file of the list, or what is wrong with it there.
type ChosenFile = Result<(String, Option<String>), String>;

fn chosen_files(given: &Value, limits: &Attachments) -> Result<Vec<ChosenFile>, Vec<FieldError>> {
    let refuse =
        |kind, message: String| Err(vec![FieldError { field: "attachments".to_owned(), kind, message }]);
    let Some(list) = given.as_array() else {
        return refuse(
            FieldErrorKind::Type,
            "must be a list of files: ids, or objects with an id".to_owned(),
        );
    };
    if !list.is_empty() && !limits.are_taken() {
        return refuse(
            FieldErrorKind::Unavailable,
            "files are switched off on this server; leave them out".to_owned(),
        );
    }
    if let Some(message) = too_many(list.len(), limits) {
        return refuse(FieldErrorKind::Value, message);
    }
    Ok(list.iter().map(of_list).collect())
}

/// Why so many files cannot come with one question, if they cannot.
pub(in crate::server) fn too_many(files: usize, limits: &Attachments) -> Option<String> {
    let most = limits.max_per_question;
    (files > most).then(|| format!("has {files} files; at most {most} may come with one question"))
}

fn of_list(given: &Value) -> ChosenFile {
    match Chosen::deserialize(given) {
        Ok(Chosen::Id(id)) => Ok((id, None)),
        Ok(Chosen::Named { id, filename }) => {
            let filename = filename.map(|given| name::clean(&given)).transpose();
            Ok((id, filename.map_err(|bad| format!("has a filename that {}", bad.message()))?))
        }
        Err(_) => Err("must be the id of a file, or an object with its id".to_owned()),
    }
}

fn resolve(
    found: &[(Attachment, Option<String>)],
    seen: &mut BTreeSet<String>,
    id: &str,
    filename: Option<String>,
) -> Result<Attached, String> {
    let unknown = || "is not one of your files: upload it first (POST /api/attachments)".to_owned();
    let (row, text) = found.iter().find(|(row, _)| is_id(id) && row.id == id).ok_or_else(unknown)?;
    if !seen.insert(id.to_owned()) {
        return Err(format!("is {} once more: name each file once", row.filename));
    }
    let image = row
        .pixels
        .map(|(width, height)| Pixels { width: width.unsigned_abs(), height: height.unsigned_abs() });
    let Some(text) = text.clone().or_else(|| image.map(|_| String::new())) else {
        let why = row.problem.as_deref().map_or(Unreadable::Damaged, Unreadable::parse);
        return Err(format!("cannot be read ({}): {}", row.filename, why.sentence()));
    };
    Ok(Attached {
        id: row.id.clone(),
        filename: filename.unwrap_or_else(|| row.filename.clone()),
        file_type: row.file_type.clone(),
        mime_type: row.mime_type.clone(),
        size: row.size.unsigned_abs(),
        characters: usize::try_from(row.characters).unwrap_or_default(),
        text,
        image,
        of_project: false,
    })
}
