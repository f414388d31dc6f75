//! The process monitor: what goes on, in one plain sentence per event, for those who asked for it.
//!
//! A sentence is made from the event it follows and from nothing else; [`Run::emit`] sends it.
//!
//! [`Run::emit`]: super::run::Run::emit

mod polish;
mod roster;
mod stages;
mod verdicts;

use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::event::{Event, RunEvent};
use super::field::Fields;

/// How much of a failure's text a sentence repeats, in characters; the event itself has all of it.
const ERROR_CHARS: usize = 200;

/// From which verbosity on a sentence is sent.
const STAGES: u8 = 1;
const MODELS: u8 = 2;
const EVERYTHING: u8 = 3;

/// Reads how much a request wants to be told: 0 nothing, 1 the stages, 2 the models too, 3 everything.
pub(super) fn verbosity(fields: &mut Fields<'_>) -> u8 {
    fields.take_in("verbosity", 0..=EVERYTHING).unwrap_or_default()
}

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

/// The event of the process monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProcessEvent {
    /// A sentence about the event before it; only with a `verbosity` of at least `level`.
    Process {
        message: String,
        category: NoteCategory,
        /// 1 stages, 2 models, 3 everything.
        level: u8,
        /// RFC 3339, UTC, with milliseconds.
        timestamp: String,
        /// Figures and names of the sentence, for programs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Object>)]
        details: Option<Value>,
    },
}

impl Note {
    fn new(level: u8, category: NoteCategory, message: impl Into<String>) -> Self {
        Self { message: message.into(), category, level, details: None }
    }

    fn with(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }

    /// The event, said at this time.
    #[must_use]
    pub fn at(self, now: Timestamp) -> ProcessEvent {
        let Self { message, category, level, details } = self;
        let now = now.round(Unit::Millisecond).unwrap_or(now);
        ProcessEvent::Process { message, category, level, timestamp: format!("{now:.3}"), details }
    }
}

/// What there is to say of an event.
#[must_use]
pub fn note(event: &Event) -> Option<Note> {
    match event {
        Event::Run(event) => of_run(event),
        Event::Routing(event) => Some(roster::of_routing(event)),
        Event::Escalation(event) => Some(roster::of_escalation(event)),
        Event::Answers(event) => stages::of_answers(event),
        Event::Reviews(event) => Some(stages::of_reviews(event)),
        Event::Consensus(event) => Some(verdicts::of_consensus(event)),
        Event::MultiChairman(event) => verdicts::of_multi_chairman(event),
        Event::Synthesis(event) => stages::of_synthesis(event),
        Event::Title(event) => Some(stages::of_title(event)),
        Event::Refinement(event) => polish::of_refinement(event),
        Event::Adversary(event) => polish::of_adversary(event),
        // A warning comes from beside the deliberation, and says all there is.
        Event::Budget(_) | Event::Process(ProcessEvent::Process { .. }) => None,
    }
}

fn of_run(event: &RunEvent) -> Option<Note> {
    match event {
        RunEvent::CallRestarted(call) => {
            let name = call.member.as_ref().unwrap_or(&call.model);
            let message = format!("{name} is asked again: the server that asked it first is gone");
            let details = json!({ "stage": call.stage, "model": call.model });
            Some(Note::new(MODELS, NoteCategory::Warning, message).with(details))
        }
        RunEvent::CostsComplete { data } => {
            let calls: u32 = data.by_stage.values().map(|stage| stage.calls).sum();
            let cost = costs(data.total_cost, data.unknown_cost_calls);
            let message = format!("{calls} calls, {} tokens, {cost}", data.total_tokens);
            let details = json!({
                "total_cost": data.total_cost, "unknown_cost_calls": data.unknown_cost_calls,
                "total_tokens": data.total_tokens, "calls": calls,
            });
            Some(Note::new(EVERYTHING, NoteCategory::Data, message).with(details))
        }
        // These are the stream's own beginning and end: they say all there is.
        RunEvent::RunQueued { .. }
        | RunEvent::RunStarted { .. }
        | RunEvent::Complete {}
        | RunEvent::Error { .. }
        | RunEvent::Cancelled {}
        | RunEvent::ServerShutdown { .. } => None,
    }
}

fn failed(level: u8, name: &str, model: &str, what: &str, error: &str) -> Note {
    Note::new(level, NoteCategory::Error, format!("{name} {what}: {}", short(error)))
        .with(json!({ "model": model }))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(ERROR_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn seconds(latency_ms: Option<u64>) -> String {
    latency_ms.map_or_else(String::new, |ms| format!(" in {}.{} s", ms / 1000, ms % 1000 / 100))
}

fn costs(known: Option<f64>, unknown_calls: u32) -> String {
    let known = known.map(|cost| format!("${cost:.4}"));
    match (known, unknown_calls) {
        (Some(cost), 0) => cost,
        (Some(cost), unknown) => format!("{cost} and the unknown cost of {unknown} calls"),
        (None, 0) => "no cost".to_owned(),
        (None, _) => "cost unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::costs::Costs;
    use crate::council::event::CallRestarted;
    use crate::council::options::refinement::RefinementEvent;
    use crate::council::run::Stage;
    use crate::council::stages::synthesis::SynthesisEvent;
    use crate::llm::ErrorKind;

    fn sentence(event: impl Into<Event>) -> String {
        note(&event.into()).unwrap().message
    }

    #[test]
    fn a_sentence_is_made_of_its_event() {
        let restarted = CallRestarted { stage: Stage::Stage3, model: "a/chair".into(), member: None };
        assert_eq!(
            sentence(RunEvent::CallRestarted(restarted)),
            "a/chair is asked again: the server that asked it first is gone"
        );
        let data =
            Costs { total_cost: Some(0.0123), total_tokens: 40, unknown_cost_calls: 2, ..Costs::default() };
        assert_eq!(
            sentence(RunEvent::CostsComplete { data }),
            "0 calls, 40 tokens, $0.0123 and the unknown cost of 2 calls"
        );
        let event = RefinementEvent::RevisionComplete {
            iteration: 1,
            model: "a/chair".into(),
            content: "Better.".into(),
            cost: None,
            latency_ms: 2345,
        };
        let note = note(&event.into()).unwrap();
        assert_eq!(note.message, "a/chair has revised the draft in 2.3 s");
        assert_eq!((note.level, note.category), (2, NoteCategory::Success));
    }

    #[test]
    fn tokens_and_its_own_events_are_not_spoken_of() {
        let token = SynthesisEvent::Stage3Token { model: "a".into(), content: "b".into() };
        assert_eq!(note(&token.into()), None);
        let own = Note::new(STAGES, NoteCategory::Info, "So it is.").at(Timestamp::UNIX_EPOCH);
        assert_eq!(note(&own.into()), None);
    }

    #[test]
    fn a_long_failure_is_cut_between_characters() {
        let error = "ü".repeat(ERROR_CHARS + 1);
        let event =
            SynthesisEvent::Stage3Error { model: "m".into(), error, error_kind: ErrorKind::Overloaded };
        let message = sentence(event);
        assert!(message.ends_with("ü…") && message.chars().count() < ERROR_CHARS + 60, "{message}");
    }

    #[test]
    fn the_time_is_utc_with_milliseconds_and_a_logged_sentence_is_read_back() {
        let now: Timestamp = "2025-03-01T12:00:00.9876543+02:00".parse().unwrap();
        let details = json!({ "model": "a", "latency_ms": null, "cost": 0.5 });
        let event = Event::from(Note::new(MODELS, NoteCategory::Data, "So it is.").with(details).at(now));
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(
            json,
            json!({"type": "process", "message": "So it is.", "category": "data", "level": 2,
                   "timestamp": "2025-03-01T10:00:00.988Z",
                   "details": {"model": "a", "latency_ms": null, "cost": 0.5}})
        );
        assert_eq!(serde_json::from_value::<Event>(json).unwrap(), event);
    }
}
