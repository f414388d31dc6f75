//! Everything a client is told while a run goes on. Each feature owns its events, in its file;
//! this is their sum. The type stands inside the JSON, as existing clients need it.

use serde::{Deserialize, Serialize};

use super::budget::BudgetEvent;
use super::costs::Costs;
use super::options::adversary::AdversaryEvent;
use super::options::consensus::ConsensusEvent;
use super::options::escalation::EscalationEvent;
use super::options::multi_chairman::MultiChairmanEvent;
use super::options::refinement::RefinementEvent;
use super::options::routing::RoutingEvent;
use super::plan::Ignored;
use super::process::ProcessEvent;
use super::run::Stage;
use super::stages::answers::AnswersEvent;
use super::stages::reviews::ReviewsEvent;
use super::stages::synthesis::SynthesisEvent;
use super::stages::title::TitleEvent;
use crate::id::{ConversationId, MessageId, RunId};

/// One event of a run's stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Event {
    Run(RunEvent),
    Routing(RoutingEvent),
    Escalation(EscalationEvent),
    Answers(AnswersEvent),
    Reviews(ReviewsEvent),
    Consensus(ConsensusEvent),
    Synthesis(SynthesisEvent),
    MultiChairman(MultiChairmanEvent),
    Title(TitleEvent),
    Refinement(RefinementEvent),
    Adversary(AdversaryEvent),
    Process(ProcessEvent),
    Budget(BudgetEvent),
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
    /// What the run cost, by stage; after everything that costs. Also in a run that failed or was
    /// cancelled, where it had made a call; a call that was dropped in it is one of unknown cost.
    CostsComplete { data: Costs },
    /// The run is over and stored. Always last.
    Complete {},
    /// The run failed; what it had is stored. Always last.
    Error { message: String },
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

impl RunEvent {
    /// Whether the stream ends after it.
    #[must_use]
    pub fn ends_the_run(&self) -> bool {
        match self {
            Self::Complete {} | Self::Error { .. } | Self::Cancelled {} => true,
            Self::RunQueued { .. }
            | Self::RunStarted { .. }
            | Self::CallRestarted(_)
            | Self::CostsComplete { .. }
            | Self::ServerShutdown { .. } => false,
        }
    }
}

impl Event {
    /// Takes in the next token of the same call, if both are of one kind: two tokens nobody has seen
    /// yet are one.
    pub fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::Answers(event), Self::Answers(next)) => event.join(next),
            (Self::Synthesis(event), Self::Synthesis(next)) => event.join(next),
            (Self::Refinement(event), Self::Refinement(next)) => event.join(next),
            (Self::Adversary(event), Self::Adversary(next)) => event.join(next),
            (Self::MultiChairman(event), Self::MultiChairman(next)) => event.join(next),
            _ => false,
        }
    }

    /// Whether the stream ends after it.
    #[must_use]
    pub fn ends_the_run(&self) -> bool {
        matches!(self, Self::Run(event) if event.ends_the_run())
    }
}

macro_rules! sum {
    ($($variant:ident($event:ty)),*) => {$(
        impl From<$event> for Event {
            fn from(event: $event) -> Self {
                Self::$variant(event)
            }
        }
    )*};
}

sum!(
    Run(RunEvent),
    Routing(RoutingEvent),
    Escalation(EscalationEvent),
    Answers(AnswersEvent),
    Reviews(ReviewsEvent),
    Consensus(ConsensusEvent),
    Synthesis(SynthesisEvent),
    MultiChairman(MultiChairmanEvent),
    Title(TitleEvent),
    Refinement(RefinementEvent),
    Adversary(AdversaryEvent),
    Process(ProcessEvent),
    Budget(BudgetEvent)
);
