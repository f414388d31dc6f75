//! The sentences of the process monitor.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::llm::budget::Cost;
use crate::llm::{CallFact, ErrorKind, Reason};

/// How much of an error's text a sentence repeats, in characters; the event itself has all of it.
pub(super) const ERROR_CHARS: usize = 200;

/// The lowest verbosities at which sentences are sent.
pub(super) const STAGES: u8 = 1;
pub(super) const MODELS: u8 = 2;
pub const EVERYTHING: u8 = 3;

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

/// A sentence of the process monitor about an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub message: String,
    /// The sentence as a code with parameters.
    pub fact: Value,
    pub category: NoteCategory,
    /// The lowest verbosity at which it is sent: 1, 2 or 3.
    pub level: u8,
    /// The figures and names in the sentence, for programs.
    pub details: Option<Value>,
}

impl Note {
    /// The sentence of a fact: the text is its `Display`; serialised, it is the `code` and its parameters.
    #[must_use]
    pub fn of<F: Serialize + fmt::Display>(level: u8, category: NoteCategory, fact: &F) -> Self {
        let message = fact.to_string();
        let fact = serde_json::to_value(fact).expect("a fact is plain data with string keys");
        Self { message, fact, category, level, details: None }
    }

    pub(super) fn with(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }
}

/// Why something failed, short enough for a sentence.
pub(super) fn reason(kind: Option<ErrorKind>, fact: Option<&CallFact>, error: &str) -> Reason {
    let reason = Reason::of(kind, fact, error);
    Reason { error: short(&reason.error), ..reason }
}

/// How many members are asked in a stage, as a sentence.
pub(super) fn asked_in(stage: &str, asked: usize, are_asked: &str) -> String {
    match asked {
        0 => format!("{stage}: nobody is asked"),
        count => format!("{stage}: {count} members {are_asked}"),
    }
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
    let known = known.map(|cost| Cost(cost).to_string());
    match (known, unknown_calls) {
        (Some(cost), 0) => cost,
        (Some(cost), unknown) => format!("{cost} and the unknown cost of {unknown} calls"),
        (None, 0) => "no cost".to_owned(),
        (None, _) => "cost unknown".to_owned(),
    }
}
