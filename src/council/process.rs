//! The process monitor: what goes on, in one plain sentence per event, if the request asks for it.
//!
//! A sentence is defined with its event ([`FeatureEvent::note`]), and sent after it.

use jiff::{Timestamp, Unit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::Ref;

use super::any_event::FeatureEvent;
use super::field::Fields;
use super::note::{EVERYTHING, Note, NoteCategory};

/// Reads how much a request wants to be told: 0 nothing, 1 the stages, 2 the models as well, 3 everything.
pub(super) fn verbosity(fields: &mut Fields<'_>) -> u8 {
    fields.take_in("verbosity", 0..=EVERYTHING).unwrap_or_default()
}

/// The event of the process monitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProcessEvent {
    /// A sentence about the event before it; only with a `verbosity` of at least `level`.
    Process {
        message: String,
        /// The sentence as a code with parameters; absent where an older version said it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(schema_with = process_fact)]
        message_fact: Option<Value>,
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

/// One of the facts in the list of features, opaque to the code that carries it.
fn process_fact() -> Ref {
    Ref::from_schema_name("ProcessFact")
}

impl Note {
    /// The note as an event at this time.
    #[must_use]
    pub fn at(self, now: Timestamp) -> ProcessEvent {
        let Self { message, fact, category, level, details } = self;
        let now = now.round(Unit::Millisecond).unwrap_or(now);
        ProcessEvent::Process {
            message,
            message_fact: Some(fact),
            category,
            level,
            timestamp: format!("{now:.3}"),
            details,
        }
    }
}

// A sentence of the monitor has no sentence of its own.
impl FeatureEvent for ProcessEvent {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::council::Event;
    use crate::council::costs::Costs;
    use crate::council::note::{ERROR_CHARS, MODELS, STAGES};
    use crate::council::options::refinement::RefinementEvent;
    use crate::council::run_event::{CallRestarted, RunEvent};
    use crate::council::stage::Stage;
    use crate::council::stages::synthesis::SynthesisEvent;
    use crate::llm::ErrorKind;

    #[derive(Serialize)]
    #[serde(tag = "code", rename_all = "snake_case")]
    enum So {
        ItIs,
    }

    impl std::fmt::Display for So {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("So it is.")
        }
    }

    fn sentence(event: &impl FeatureEvent) -> String {
        event.note().unwrap().message
    }

    #[test]
    fn a_sentence_is_made_of_its_event() {
        let restarted =
            CallRestarted { stage: Stage::named("stage3"), model: "a/chair".into(), member: None };
        assert_eq!(
            sentence(&RunEvent::CallRestarted(restarted)),
            "a/chair is asked again: the server that asked it first is gone"
        );
        let data =
            Costs { total_cost: Some(0.0123), total_tokens: 40, unknown_cost_calls: 2, ..Costs::default() };
        assert_eq!(
            sentence(&RunEvent::CostsComplete { data }),
            "0 calls, 40 tokens, $0.0123 and the unknown cost of 2 calls"
        );
        let event = RefinementEvent::RevisionComplete {
            iteration: 1,
            model: "a/chair".into(),
            content: "Better.".into(),
            cost: None,
            latency_ms: 2345,
        };
        let note = event.note().unwrap();
        assert_eq!(note.message, "a/chair has revised the draft in 2.3 s");
        assert_eq!((note.level, note.category), (2, NoteCategory::Success));
    }

    #[test]
    fn tokens_and_its_own_events_are_not_spoken_of() {
        let token = SynthesisEvent::Stage3Token { model: "a".into(), content: "b".into() };
        assert_eq!(token.note(), None);
        let own = Note::of(STAGES, NoteCategory::Info, &So::ItIs).at(Timestamp::UNIX_EPOCH);
        assert_eq!(own.note(), None);
    }

    #[test]
    fn a_long_failure_is_cut_between_characters() {
        let error = "ü".repeat(ERROR_CHARS + 1);
        let event = SynthesisEvent::Stage3Error {
            model: "m".into(),
            error,
            error_kind: ErrorKind::Budget,
            error_fact: None,
        };
        let message = sentence(&event);
        assert!(message.ends_with("ü…") && message.chars().count() < ERROR_CHARS + 60, "{message}");
    }

    #[test]
    fn the_time_is_utc_with_milliseconds_and_a_logged_sentence_is_read_back() {
        let now: Timestamp = "2025-03-01T12:00:00.9876543+02:00".parse().unwrap();
        let details = json!({ "model": "a", "latency_ms": null, "cost": 0.5 });
        let event = Event::from(Note::of(MODELS, NoteCategory::Data, &So::ItIs).with(details).at(now));
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(
            json,
            json!({"type": "process", "message": "So it is.", "message_fact": {"code": "it_is"}, "category": "data", "level": 2,
                   "timestamp": "2025-03-01T10:00:00.988Z",
                   "details": {"model": "a", "latency_ms": null, "cost": 0.5}})
        );
        assert_eq!(Event::read(json.to_string().as_bytes()).unwrap(), event);
    }
}
