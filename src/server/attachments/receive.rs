//! One file from a form, read as it comes and refused once it gets too large.

use std::pin::Pin;

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::HttpRequest;
use actix_web::error::PayloadError;
use actix_web::http::header;
use actix_web::web::{self, Bytes};
use futures_util::{Stream, StreamExt as _};

use crate::attachments::name;
use crate::council::field::{FieldError, FieldErrorKind};
use crate::server::extract::is_encoded;
use crate::server::problem::Problem;

/// What the form around the file may take, in bytes.
const FORM_BYTES: usize = 64 << 10;
/// The field that has the file.
const FIELD: &str = "file";

/// A file as it came.
#[derive(Debug)]
pub(super) struct Received {
    /// What it is called, as it is kept.
    pub filename: String,
    pub bytes: Bytes,
}

/// Reads the one file of a form, of so many bytes at most; no more than that is ever in memory.
///
/// # Errors
/// 413 as soon as it is too large, 415 where the body is compressed or not a form, 422 for everything that is wrong with it.
pub(super) async fn receive(
    request: &HttpRequest,
    payload: web::Payload,
    max_bytes: usize,
) -> Result<Received, Problem> {
    let most = max_bytes.saturating_add(FORM_BYTES);
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > most as u64) {
        return Err(Problem::file_too_large(max_bytes));
    }
    if is_encoded(request.headers()) {
        return Err(Problem::encoded());
    }
    let mut form = Multipart::new(request.headers(), bounded(payload, most));
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    while let Some(field) = form.next().await {
        let mut field = field.map_err(|error| refusal(&error, max_bytes))?;
        let named = field.name() == Some(FIELD);
        let Some(given) = file_name(&field).filter(|_| named) else { continue };
        if !files.is_empty() {
            problems.push(FieldError::value(FIELD, "must be one file: send each in a request of its own"));
            break;
        }
        let bytes = bytes_of(&mut field, max_bytes).await?;
        if bytes.is_empty() {
            problems.push(FieldError::value(FIELD, "is empty: choose a file with something in it"));
        }
        match name::clean(&given) {
            Ok(name) => files.push((name, bytes)),
            Err(bad) => {
                problems.push(FieldError::value("filename", bad.message()));
                files.push((String::new(), bytes));
            }
        }
    }
    let Some((filename, bytes)) = files.pop() else {
        return Err(vec![FieldError {
            field: FIELD.to_owned(),
            kind: FieldErrorKind::Missing,
            message: "is missing: send one file with its name in this field".to_owned(),
        }]
        .into());
    };
    if problems.is_empty() { Ok(Received { filename, bytes: bytes.into() }) } else { Err(problems.into()) }
}

async fn bytes_of(field: &mut Field, max_bytes: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.next().await {
        let piece = piece.map_err(|error| refusal(&error, max_bytes))?;
        if bytes.len() + piece.len() > max_bytes {
            return Err(Problem::file_too_large(max_bytes));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// What the form says that the file is called; `None` where the field is not a file.
fn file_name(field: &Field) -> Option<String> {
    let disposition = field.content_disposition()?;
    let extended = disposition.get_filename_ext().and_then(|name| String::from_utf8(name.value.clone()).ok());
    extended.or_else(|| disposition.get_filename().map(str::to_owned))
}

/// A body that ends with an error once it is longer than this.
fn bounded(payload: web::Payload, most: usize) -> Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> {
    let mut left = most;
    Box::pin(payload.map(move |piece| {
        let piece = piece?;
        left = left.checked_sub(piece.len()).ok_or(PayloadError::Overflow)?;
        Ok(piece)
    }))
}

fn refusal(error: &MultipartError, max_bytes: usize) -> Problem {
    use MultipartError::{ContentTypeIncompatible, ContentTypeMissing, ContentTypeParse, Payload};

    if matches!(error, Payload(PayloadError::Overflow)) {
        Problem::file_too_large(max_bytes)
    } else if matches!(error, ContentTypeMissing | ContentTypeParse | ContentTypeIncompatible) {
        Problem::no_form()
    } else {
        Problem::field("body", "is not a form with a file in it (multipart/form-data), or it was cut off")
    }
}
