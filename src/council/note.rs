//! A sentence of the process monitor, and what such sentences have in common.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::seat::Seat;

/// How much of a failure's text a sentence repeats, in characters; the event itself has all of it.
pub(super) const ERROR_CHARS: usize = 200;

/// From which verbosity on a sentence is sent.
pub(super) const STAGES: u8 = 1;
pub(super) const MODELS: u8 = 2;
pub(super) const EVERYTHING: u8 = 3;

/// The kind of a sentence, for colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteCategory {
    /// A stage begins.
    Stage,
    /// A model is asked.
    Model,
    Info,
    /// Something ended well.
    Success,
    Warning,
    Error,
    /// A figure.
    Data,
}

/// A sentence about an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub message: String,
    pub category: NoteCategory,
    /// The verbosity from which on it is sent: 1, 2 or 3.
    pub level: u8,
    /// Figures and names of the sentence, for programs.
    pub details: Option<Value>,
}

impl Note {
    pub(super) fn new(level: u8, category: NoteCategory, message: impl Into<String>) -> Self {
        Self { message: message.into(), category, level, details: None }
    }

    pub(super) fn with(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

/// That a stage begins, and with whom.
pub(super) fn stage_of(stage: &str, are_asked: &str, members: &[Seat]) -> Note {
    let names: Vec<&str> = members.iter().map(|seat| seat.member.as_str()).collect();
    let message = match names.len() {
        0 => format!("{stage}: nobody is asked"),
        count => format!("{stage}: {count} members {are_asked}"),
    };
    Note::new(STAGES, NoteCategory::Stage, message).with(json!({ "members": names }))
}

/// That a model failed at something, and why.
pub(super) fn failed(level: u8, name: &str, model: &str, what: &str, error: &str) -> Note {
    Note::new(level, NoteCategory::Error, format!("{name} {what}: {}", short(error)))
        .with(json!({ "model": model }))
}

/// A text from elsewhere, cut where it is long.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(ERROR_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// How long it took, as the end of a sentence.
pub(super) fn seconds(latency_ms: Option<u64>) -> String {
    latency_ms.map_or_else(String::new, |ms| format!(" in {}.{} s", ms / 1000, ms % 1000 / 100))
}

/// A cost in words.
pub(super) fn costs(known: Option<f64>, unknown_calls: u32) -> String {
    let known = known.map(|cost| format!("${cost:.4}"));
    match (known, unknown_calls) {
        (Some(cost), 0) => cost,
        (Some(cost), unknown) => format!("{cost} and the unknown cost of {unknown} calls"),
        (None, 0) => "no cost".to_owned(),
        (None, _) => "cost unknown".to_owned(),
    }
}
