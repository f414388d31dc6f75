//! What a shape of line is, and the fields that they share.

use serde_json::{Map, Value};

use crate::bench::question::Question;

/// One shape of line.
pub struct Source {
    pub name: &'static str,
    /// Whether a line is of this shape.
    pub(super) is: fn(&Map<String, Value>) -> bool,
    /// Reads such a line, or says what is wrong with it. The id may be left empty.
    pub(super) read: fn(&Map<String, Value>) -> Result<Question, String>,
}

/// A field that is text, where it is there.
pub(super) fn text(object: &Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{field:?} is not a text")),
    }
}

/// A field that is text or a number, as text.
pub(super) fn text_or_number(object: &Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            plain(value).map(Some).ok_or_else(|| format!("{field:?} is neither a text nor a number"))
        }
    }
}

pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The question itself, which every shape calls so.
pub(super) fn question(object: &Map<String, Value>) -> Result<String, String> {
    match text(object, "question")? {
        Some(text) if !text.trim().is_empty() => Ok(text),
        Some(_) => Err("\"question\" is empty".to_owned()),
        None => Err("\"question\" is missing".to_owned()),
    }
}

/// A list of texts or numbers.
pub(super) fn list(object: &Map<String, Value>, field: &str) -> Result<Vec<String>, String> {
    let problem = || format!("{field:?} is not a list of texts");
    match object.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(plain).collect::<Option<_>>().ok_or_else(problem),
        Some(_) => Err(problem()),
    }
}
