//! How a format tells of its rounds: existing clients know the same things under different names.

use serde_json::{Value, json};

use super::event::DebateEvent;
use super::neutral_event::RoundStart;
use super::speaker::Speaker;
use super::statement::{DebateRound, Statement};
use crate::council::any_event::AnyEvent;
use crate::council::stages::synthesis::Synthesis;
use crate::council::token::TokenHead;
use crate::llm::{CallError, ErrorKind};

/// One speaker's part in one round.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'t> {
    /// From 1.
    pub round_number: u32,
    pub round_type: &'t str,
    pub speaker: &'t Speaker,
}

impl Turn<'_> {
    /// The fields that every piece of its text has apart from the text.
    #[must_use]
    pub fn fields(&self) -> Value {
        json!({
            "round_number": self.round_number,
            "model": self.speaker.member.model,
            "member": self.speaker.member.name(),
            "label": self.speaker.label,
        })
    }
}

/// See the module.
pub trait Dialect: Send + Sync {
    /// A round begins.
    fn round_start(&self, start: RoundStart) -> AnyEvent;

    /// A speaker is asked, in formats that have an event for that.
    fn asked(&self, _turn: Turn<'_>) -> Option<AnyEvent> {
        None
    }

    /// A piece of what a speaker says.
    fn token(&self, turn: Turn<'_>) -> TokenHead;

    /// A speaker has spoken.
    fn said(&self, turn: Turn<'_>, statement: &Statement) -> AnyEvent;

    /// A speaker has failed.
    fn failed(&self, turn: Turn<'_>, statement: &Statement) -> AnyEvent {
        DebateEvent::ModelError {
            round_number: turn.round_number,
            round_type: turn.round_type.to_owned(),
            model: statement.model.clone(),
            member: statement.member.clone(),
            label: statement.label.clone(),
            error: statement.error.clone().unwrap_or_default(),
            error_kind: statement.error_kind.unwrap_or(ErrorKind::BadResponse),
            data: Box::new(statement.clone()),
        }
        .into()
    }

    /// Every speaker of a round has spoken or failed.
    fn round_complete(&self, round: &DebateRound) -> AnyEvent;

    /// A chairman begins to write the answer.
    fn judgment_start(&self, model: &str, started_at: String) -> AnyEvent;

    /// A piece of the answer.
    fn judgment_token(&self, model: &str) -> TokenHead;

    /// A chairman failed.
    fn judgment_error(&self, model: &str, error: &CallError) -> AnyEvent;

    /// The answer is whole, and with it the debate.
    fn judged(&self, synthesis: &Synthesis, speakers: &[Speaker], rounds: &[DebateRound]) -> Vec<AnyEvent>;
}
