//! The dialect of formats without names of their own.

use serde_json::json;

use super::dialect::{Dialect, Turn};
use super::event::{CallMetrics, DebateEvent, ParticipantResponse, ParticipantsRound};
use super::neutral_event::RoundStart;
use super::speaker::Speaker;
use super::statement::{DebateRound, Statement};
use crate::council::any_event::AnyEvent;
use crate::council::stages::synthesis::Synthesis;
use crate::council::token::TokenHead;
use crate::llm::CallError;

/// See the module.
pub struct Rounds;

impl Dialect for Rounds {
    fn round_start(&self, start: RoundStart) -> AnyEvent {
        DebateEvent::RoundStart(start).into()
    }

    fn asked(&self, turn: Turn<'_>) -> Option<AnyEvent> {
        let event = DebateEvent::ModelStart {
            round_number: turn.round_number,
            model: turn.speaker.member.model.clone(),
            member: turn.speaker.member.name().to_owned(),
            label: turn.speaker.label.clone(),
        };
        Some(event.into())
    }

    fn token(&self, turn: Turn<'_>) -> TokenHead {
        TokenHead::with_text_in("token", &turn.fields(), "token")
    }

    fn said(&self, turn: Turn<'_>, statement: &Statement) -> AnyEvent {
        DebateEvent::ModelComplete {
            round_number: turn.round_number,
            round_type: turn.round_type.to_owned(),
            model: statement.model.clone(),
            member: statement.member.clone(),
            label: statement.label.clone(),
            data: Box::new(statement.clone()),
        }
        .into()
    }

    fn round_complete(&self, round: &DebateRound) -> AnyEvent {
        let response = |statement: &Statement| ParticipantResponse {
            participant: statement.label.clone(),
            model: statement.model.clone(),
            response: statement.text.clone(),
            metrics: CallMetrics {
                cost: statement.cost,
                total_tokens: statement.usage.map(|usage| usage.total_tokens),
                latency_ms: statement.latency_ms,
            },
        };
        let good = round.responses.iter().filter(|statement| statement.is_good());
        DebateEvent::RoundComplete {
            round_number: round.round_number,
            round_type: round.round_type.clone(),
            responses: round.responses.clone(),
            data: ParticipantsRound {
                round_number: round.round_number,
                round_type: round.round_type.clone(),
                responses: good.map(response).collect(),
            },
        }
        .into()
    }

    fn judgment_start(&self, model: &str, started_at: String) -> AnyEvent {
        DebateEvent::SynthesisStart { model: model.to_owned(), started_at: Some(started_at) }.into()
    }

    fn judgment_token(&self, model: &str) -> TokenHead {
        TokenHead::new("synthesis_token", &json!({ "model": model }))
    }

    fn judgment_error(&self, model: &str, error: &CallError) -> AnyEvent {
        DebateEvent::SynthesisError {
            model: model.to_owned(),
            error: error.message.clone(),
            error_kind: error.kind,
            error_fact: error.fact.clone(),
        }
        .into()
    }

    fn judged(&self, synthesis: &Synthesis, speakers: &[Speaker], _rounds: &[DebateRound]) -> Vec<AnyEvent> {
        let mapping = |speaker: &Speaker| (speaker.label.clone(), speaker.member.model.clone());
        let complete = DebateEvent::SynthesisComplete {
            data: Box::new(synthesis.into()),
            participant_mapping: speakers.iter().map(mapping).collect(),
        };
        vec![complete.into()]
    }
}
