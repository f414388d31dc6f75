//! The events of the run itself: its beginning, its end, and what can happen to any call.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::any_event::FeatureEvent;
use super::costs::Costs;
use super::note::{EVERYTHING, MODELS, Note, NoteCategory, costs};
use super::stage::Stage;
use crate::id::{ConversationId, MessageId, RunId};

/// An option that was switched on and does not apply, because of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Ignored {
    /// The request's field.
    pub field: String,
    /// Why, for people.
    pub reason: String,
}

/// The events of the run itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run waits for a place; may come again with another place, always before `run_started`. It
    /// has no id of its own.
    RunQueued { run_id: RunId, position: u32 },
    /// Always the first event.
    RunStarted {
        run_id: RunId,
        conversation_id: ConversationId,
        message_id: MessageId,
        /// Options that were switched on and do not apply to this run, each with its reason.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ignored: Vec<Ignored>,
    },
    /// A call was lost with the server that made it and is made again: clear its partial text.
    CallRestarted(CallRestarted),
    /// Somebody asked to go on without this member: what it was being asked for counts as failed. Its
    /// error follows, with what had arrived.
    MemberSkipped {
        /// The seat's name; of a chairman the model.
        member: String,
        model: String,
        stage: Stage,
    },
    /// What the run cost, by stage; after everything that costs. Also in a run that failed or was
    /// cancelled, where it had made a call; a call that was dropped in it is one of unknown cost.
    CostsComplete { data: Costs },
    /// The run is over and stored. Always last.
    Complete {},
    /// The run failed; what it had is stored. Always last.
    Error {
        /// One plain sentence.
        message: String,
        /// Why, in one word: `no_answers`, `internal`, `abandoned` or `unreadable_plan`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
    },
    /// The run was cancelled; what it had is stored. Always last.
    Cancelled {},
    /// This server is going away; the run goes on. Reconnect with the id of the last event seen.
    /// Always last on its stream, without an id of its own.
    ServerShutdown { message: String, run_id: RunId, last_event_id: u64 },
}

/// See [`RunEvent::CallRestarted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CallRestarted {
    pub stage: Stage,
    pub model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

impl FeatureEvent for RunEvent {
    fn note(&self) -> Option<Note> {
        note(self)
    }

    fn ends_the_run(&self) -> bool {
        match self {
            Self::Complete {} | Self::Error { .. } | Self::Cancelled {} => true,
            Self::RunQueued { .. }
            | Self::RunStarted { .. }
            | Self::CallRestarted(_)
            | Self::MemberSkipped { .. }
            | Self::CostsComplete { .. }
            | Self::ServerShutdown { .. } => false,
        }
    }
}

fn note(event: &RunEvent) -> Option<Note> {
    match event {
        RunEvent::CallRestarted(call) => {
            let name = call.member.as_ref().unwrap_or(&call.model);
            let message = format!("{name} is asked again: the server that asked it first is gone");
            let details = json!({ "stage": call.stage, "model": call.model });
            Some(Note::new(MODELS, NoteCategory::Warning, message).with(details))
        }
        RunEvent::MemberSkipped { member, model, stage } => {
            let message = format!("{member} is not waited for any longer, as was asked for");
            let details = json!({ "stage": stage, "model": model });
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
