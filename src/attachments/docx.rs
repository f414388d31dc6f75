//! The text of a DOCX: the paragraphs of its main document, which is read as it is unpacked. Nothing is fetched, and only the
//! entities that XML predefines are resolved.

use std::io::{BufRead, BufReader, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::problem::Unreadable;
use super::text::{NotRead, Text};

/// The most that the document may unpack to, in bytes.
const MAX_XML_BYTES: u64 = 64 << 20;

/// The text of these bytes.
pub(super) fn text(bytes: &[u8]) -> Result<Text, NotRead> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|_| NotRead::OfAnotherKind)?;
    let place = zip.file_names_raw().position(is_main_document).ok_or(NotRead::OfAnotherKind)?;
    let document = match zip.by_index(place) {
        Ok(document) => document,
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

/// Whether this is the name of the main document: `word/document.xml`, or with a number, as Word in a browser calls it.
fn is_main_document(name: &[u8]) -> bool {
    let number = name.strip_prefix(b"word/document").and_then(|rest| rest.strip_suffix(b".xml"));
    number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
}

/// The text inside the text elements, one line per paragraph.
fn paragraphs(document: impl BufRead) -> Result<Text, NotRead> {
    let mut reader = Reader::from_reader(document);
    // Some programs write `<w:tab></w:tab>` for `<w:tab/>`.
    reader.config_mut().expand_empty_elements = true;
    let (mut text, mut buffer, mut passed_over) = (Text::default(), Vec::new(), Vec::new());
    let mut in_text = false;
    // How long the text was at the beginning of each choice that is open.
    let mut choices = Vec::new();
    while !text.is_full() {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|_| Unreadable::Damaged)?;
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "t" => in_text = true,
                // A text box, in the middle of the paragraph that it is anchored to.
                "txbxContent" => text.push("\n"),
                "AlternateContent" => choices.push(text.as_str().len()),
                name => {
                    let is_said = choices.last().is_some_and(|before| *before < text.as_str().len());
                    if is_left_out(name, is_said) {
                        reader
                            .read_to_end_into(tag.name(), &mut passed_over)
                            .map_err(|_| Unreadable::Damaged)?;
                    }
                }
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                "t" => in_text = false,
                "p" | "br" | "cr" => text.push("\n"),
                "tc" | "tab" => text.push("\t"),
                "noBreakHyphen" => text.push("-"),
                "AlternateContent" => {
                    choices.pop();
                }
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
            Event::Empty(_)
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

/// Whether an element is passed over: what was deleted or moved elsewhere, how a paragraph looks (its tab stops have the name of
/// tabs), and the same content once more for other programs, such as the older form of a text box.
fn is_left_out(name: &str, is_said: bool) -> bool {
    match name {
        "del" | "moveFrom" | "pPr" => true,
        "Choice" | "Fallback" => is_said,
        _ => false,
    }
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
