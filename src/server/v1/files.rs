//! Files within messages: as data, which is taken out of the body before anything else is read of it, or by the id of a file
//! that was uploaded before.

use std::collections::BTreeMap;

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::attachments::picture::{self, NoPicture};
use crate::attachments::{Kind, name};
use crate::config::Attachments;
use crate::council::field::FieldError;
use crate::server::attachments::uploading::{NO_PICTURES, UploadedFile, why_not};
use crate::server::problem::mebibytes;

/// Base64 as programs write it, with its padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The placeholder in the body for data that was taken out; the hash of its content follows.
const TAKEN_OUT: &str = "sha256:";
/// The beginning of addresses that contain the file.
const DATA: &str = "data:";

/// A file that a message of the user comes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MessageFile {
    /// Where in the body.
    pub field: String,
    pub id: String,
    /// What it is called with this question; else as it is kept.
    pub filename: Option<String>,
    /// Whether it came with what was asked before.
    pub is_earlier: bool,
    /// Whether it is known to be a picture.
    pub is_picture: bool,
}

/// A file that came as data.
#[derive(Debug, Clone)]
pub(super) struct InlineFile {
    pub file: UploadedFile,
    /// Whether the program gave it its name.
    pub is_named: bool,
}

/// The files that came as data, each by the place of its part in the body, and what is wrong with the others.
#[derive(Debug, Default)]
pub(super) struct InlineFiles {
    are_taken: bool,
    files: BTreeMap<String, Result<InlineFile, String>>,
    /// How much of the body their data was, in bytes.
    pub length: usize,
}

impl InlineFiles {
    /// Takes the data of files out of the messages of a body, and leaves their hashes there.
    pub fn out_of(body: &mut Value, list: &str, limits: &Attachments) -> Self {
        let mut inline = Self { are_taken: limits.are_taken(), ..Self::default() };
        if !inline.are_taken {
            return inline;
        }
        let messages = body.get_mut(list).and_then(Value::as_array_mut);
        for (place, message) in messages.into_iter().flatten().enumerate() {
            let parts = message.get_mut("content").and_then(Value::as_array_mut);
            for (at, part) in parts.into_iter().flatten().enumerate() {
                let filename = name_of(part).map(str::to_owned);
                let Some(text) = data_of(part) else { continue };
                inline.length += text.len();
                let number = inline.files.len() + 1;
                let file = looked_at(filename.as_deref(), std::mem::take(text), number, limits);
                if let Ok(file) = &file {
                    *text = format!("{TAKEN_OUT}{}", file.file.id);
                }
                inline.files.insert(format!("{list}[{place}].content[{at}]"), file);
            }
        }
        inline
    }

    /// The file of a part; `None` where the part is not a file. Without `inline`, files are not accepted.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn file_of(
        this: Option<&Self>,
        field: &str,
        part: &Value,
    ) -> Result<Option<MessageFile>, FieldError> {
        let refuse = |why: &str| Err(FieldError::value(field, why));
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_picture = match kind {
            "image_url" | "input_image" => true,
            "file" | "input_file" => false,
            _ => return Ok(None),
        };
        let Some(this) = this else {
            return refuse("is a picture or a file: only messages of the user can come with one");
        };
        if !this.are_taken {
            return refuse("is a picture or a file, and this server takes none; leave it out");
        }
        let said = |id: &str, filename: Option<String>| MessageFile {
            field: field.to_owned(),
            id: id.to_owned(),
            filename,
            is_earlier: false,
            is_picture: false,
        };
        match this.files.get(field) {
            Some(Ok(InlineFile { file, .. })) => {
                let said = said(&file.id, Some(file.filename.clone()));
                return Ok(Some(MessageFile { is_picture: file.kind.is_image(), ..said }));
            }
            Some(Err(why)) => return refuse(why),
            None => {}
        }
        match part.get("file").unwrap_or(part).get("file_id").and_then(Value::as_str) {
            Some(id) => {
                let filename = cleaned(name_of(part)).map_err(|why| FieldError::value(field, why))?;
                Ok(Some(said(id, filename)))
            }
            None if is_picture => refuse(
                "must be the picture itself as a data: URL (data:image/png;base64,…), or the file_id of one that was uploaded \
                 (POST /api/attachments): this server fetches nothing from elsewhere",
            ),
            None => refuse(
                "must have the file itself in file_data, as Base64, or the file_id of one that was uploaded (POST \
                 /api/attachments): this server fetches nothing from elsewhere",
            ),
        }
    }

    /// The file with this hash.
    pub fn find(&self, id: &str) -> Option<&InlineFile> {
        self.files.values().filter_map(|file| file.as_ref().ok()).find(|inline| inline.file.id == id)
    }
}

/// The file name in a part.
fn name_of(part: &Value) -> Option<&str> {
    part.get("file").unwrap_or(part).get("filename").and_then(Value::as_str)
}

/// A name as it is kept; `None` for a blank one.
fn cleaned(given: Option<&str>) -> Result<Option<String>, String> {
    let given = given.filter(|name| !name.trim().is_empty()).map(name::clean);
    given.transpose().map_err(|bad| format!("has a filename that {}", bad.message()))
}

/// The data of a part, where it has some.
fn data_of(part: &mut Value) -> Option<&mut String> {
    let kind = part.get("type").and_then(Value::as_str)?;
    let is_address = match kind {
        "image_url" | "input_image" => true,
        "file" | "input_file" => false,
        _ => return None,
    };
    let value = if is_address {
        let image = part.get_mut("image_url")?;
        if image.is_object() { image.get_mut("url")? } else { image }
    } else if part.get("file").is_some() {
        part.get_mut("file")?.get_mut("file_data")?
    } else {
        part.get_mut("file_data")?
    };
    let Value::String(text) = value else { return None };
    (!is_address || is_data(text)).then_some(text)
}

fn is_data(address: &str) -> bool {
    address.get(..DATA.len()).is_some_and(|start| start.eq_ignore_ascii_case(DATA))
}

/// The file from the data that was taken out, or what is wrong with it. Without a name it is called by its number.
fn looked_at(
    filename: Option<&str>,
    text: String,
    number: usize,
    limits: &Attachments,
) -> Result<InlineFile, String> {
    let size = |bytes: usize| mebibytes(bytes as u64);
    let bytes = Bytes::from(decoded(text)?);
    if bytes.len() > limits.max_bytes {
        return Err(format!("is larger than {}, the most that is taken of a file", size(limits.max_bytes)));
    }
    let kind = Kind::of(&bytes).map_err(why_not)?;
    if kind.is_image() {
        if limits.max_image_bytes == 0 {
            return Err(NO_PICTURES.to_owned());
        }
        if bytes.len() > limits.max_image_bytes {
            let most = size(limits.max_image_bytes);
            return Err(format!(
                "is larger than {most}, the most that is taken of a picture: make it smaller"
            ));
        }
        picture::size(&bytes).map_err(NoPicture::sentence)?;
    }
    let given = cleaned(filename)?;
    let is_named = given.is_some();
    let filename = given.unwrap_or_else(|| {
        let word = if kind.is_image() { "image" } else { "file" };
        format!("{word}-{number}.{}", kind.extension())
    });
    let id = hex::encode(Sha256::digest(&bytes));
    Ok(InlineFile { file: UploadedFile { filename, bytes, kind, id }, is_named })
}

/// The bytes of a `data:` address, or of plain Base64.
fn decoded(mut text: String) -> Result<Vec<u8>, &'static str> {
    if is_data(&text) {
        let (head, _) = text.split_once(',').ok_or("is a data: URL without data")?;
        if !head.to_ascii_lowercase().ends_with(";base64") {
            return Err("is a data: URL in another form than Base64 (data:image/png;base64,…)");
        }
        text.drain(..=head.len());
    }
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        text.retain(|c| !c.is_ascii_whitespace());
    }
    BASE64.decode(&text).map_err(|_| "is not Base64")
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
