//! The text of a DOCX: the paragraphs of `word/document.xml`, which is read as it is unpacked. Nothing is fetched, and
//! only the entities that XML predefines are resolved.

use std::io::{BufRead, BufReader, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::problem::Unreadable;
use super::text::{NotRead, Text};

/// The most that the document may unpack to, in bytes.
const MAX_XML_BYTES: u64 = 64 << 20;
const DOCUMENT: &str = "word/document.xml";

/// The text of these bytes.
pub(super) fn text(bytes: &[u8]) -> Result<Text, NotRead> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| NotRead::OfAnotherKind)?;
    let document = match zip.by_name(DOCUMENT) {
        Ok(document) => document,
        Err(ZipError::FileNotFound) => return Err(NotRead::OfAnotherKind),
        Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword) => {
            return Err(Unreadable::Encrypted.into());
        }
        Err(_) => return Err(Unreadable::Damaged.into()),
    };
    let mut document = document.take(MAX_XML_BYTES);
    let read = paragraphs(BufReader::new(&mut document));
    // The limit was reached before the end of the document.
    let is_cut = document.limit() == 0 && !read.as_ref().is_ok_and(Text::is_full);
    if is_cut { Err(Unreadable::TooLarge.into()) } else { read }
}

/// The text inside the text elements, one line per paragraph.
fn paragraphs(document: impl BufRead) -> Result<Text, NotRead> {
    let mut reader = Reader::from_reader(document);
    let (mut text, mut buffer) = (Text::default(), Vec::new());
    let mut in_text = false;
    while !text.is_full() {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|_| Unreadable::Damaged)?;
        match event {
            Event::Start(tag) if tag.local_name().as_ref() == "t" => in_text = true,
            Event::End(tag) => match tag.local_name().as_ref() {
                "t" => in_text = false,
                "p" => text.push("\n"),
                "tc" => text.push("\t"),
                _ => {}
            },
            Event::Empty(tag) => match tag.local_name().as_ref() {
                "br" | "cr" | "p" => text.push("\n"),
                "tab" => text.push("\t"),
                _ => {}
            },
            Event::Text(piece) if in_text => {
                text.push(&piece.xml10_content());
            }
            Event::GeneralRef(name) if in_text => {
                text.push(character(&name).map_or_else(String::new, String::from).as_str());
            }
            Event::CData(piece) if in_text => text.push(&piece.xml10_content()),
            Event::Eof => break,
            Event::Start(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    Ok(text)
}

/// The character that a reference stands for: by its number, or one of XML's five. Entities that the document declares
/// itself are left out.
fn character(name: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(character)) = name.resolve_char_ref() {
        return Some(character);
    }
    match &**name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => None,
    }
}
