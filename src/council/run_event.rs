//! The events of the run itself: its beginning, its end, and what can happen to any call.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::any_event::FeatureEvent;
use super::asking::Asking;
use super::correction::Correction;
use super::costs::Costs;
use super::note::{EVERYTHING, MODELS, Note, NoteCategory, costs};
use super::options::rubric::Rubric;
use super::pictures::PicturesInfo;
use super::prompts::own::OwnPrompt;
use super::seat::Seat;
use super::stage::Stage;
use crate::id::{ConversationId, MessageId, RunId};
use crate::llm::fact::known;

/// An option that was switched on and does not apply, because of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Ignored {
    /// The request's field.
    pub field: String,
    /// Why, for people.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub reason_fact: Option<IgnoredFact>,
}

impl Ignored {
    /// An option of this field that does not apply, for this reason.
    #[must_use]
    pub fn because(field: impl Into<String>, fact: IgnoredFact) -> Self {
        Self { field: field.into(), reason: fact.to_string(), reason_fact: Some(fact) }
    }
}

/// Why an option does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum IgnoredFact {
    /// The request names its models itself.
    ModelsNamed,
    /// No kind of question has two models of its own.
    NoPools,
    /// Routing chooses who answers.
    Routed,
    /// The final answer is written, whatever the ballots say (`final: write`).
    Written,
    /// The ballots' first answer is taken word for word: nothing is written (`final: select`).
    Selected,
    /// The option depends on ballots, and nobody reviews (`use_reviews: false`).
    Unreviewed,
    /// One seat alone is asked (`direct_to`).
    Alone,
    /// The final answer has a form that only its writer is asked for, so it is written.
    Formed,
    /// The option is one of the council, and the run has another format.
    CouncilOnly {
        /// The run's `mode`.
        mode: String,
    },
    /// The option is one of the council, which answers only where the question is not taken apart.
    TakenApart,
    /// The option applies only where the question is taken apart, and not to the council.
    PartsOnly,
    /// The option is on by default, and does not fit the request.
    UnfitDefault {
        /// What is wrong with it, in English.
        problem: String,
    },
}

impl fmt::Display for IgnoredFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelsNamed => f.write_str("the request names its models itself"),
            Self::NoPools => f.write_str("routing_pools names no two models for any kind of question"),
            Self::Routed => f.write_str("dynamic routing chooses who answers"),
            Self::Written => f.write_str("the final answer is to be written, whatever the ballots say"),
            Self::Selected => f.write_str(
                "the answer that the ballots put first is taken word for word, and nothing is written",
            ),
            Self::Unreviewed => f.write_str("nobody reviews the answers, so there are no ballots to go by"),
            Self::Alone => f.write_str("one seat alone is asked, without the council"),
            Self::Formed => f.write_str("only whoever writes the final answer is asked for its form"),
            Self::CouncilOnly { mode } => {
                write!(f, "it is an option of the council; the format of this run is {mode}")
            }
            Self::TakenApart => f.write_str(
                "it is an option of the council, and applies only if the question is not taken apart",
            ),
            Self::PartsOnly => f.write_str("it applies only if the question is taken apart"),
            Self::UnfitDefault { problem } => {
                write!(f, "the default does not fit this request: it {problem}")
            }
        }
    }
}

/// The events of the run itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run waits in the queue, at this position; may come again with another position, always
    /// before `run_started`. It has no event id.
    RunQueued { run_id: RunId, position: u32 },
    /// Always the first event.
    RunStarted {
        run_id: RunId,
        conversation_id: ConversationId,
        message_id: MessageId,
        /// Options that were switched on and do not apply to this run, each with its reason.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ignored: Vec<Ignored>,
        /// The texts of its prompts that are the administrator's own.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        prompts: Vec<OwnPrompt>,
        /// The criteria by which its reviewers judge, where the request has given some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rubric: Option<Rubric>,
        /// The pictures of the question, and which models are shown them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pictures: Option<PicturesInfo>,
        /// The corrections added to the question in earlier runs, where this run asks it again.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        corrections: Vec<Correction>,
    },
    /// A call was lost with the server that made it and is made again: clear its partial text.
    CallRestarted(CallRestarted),
    /// The run's owner asked to go on without this member: what it was being asked for counts as failed.
    /// Its error follows, with what had arrived.
    MemberSkipped {
        /// The seat's name; for a chairman, the model.
        member: String,
        model: String,
        stage: Stage,
    },
    /// The run's owner wants this failed member asked again while others still answer: clear what it had written.
    /// The events of its answer follow, as for a member that is asked for the first time.
    MemberRetried {
        /// The seat's name.
        member: String,
        model: String,
        stage: Stage,
        /// Which of its retries in this run it is, from 1.
        retry: u32,
        /// When it is asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// The run's owner has added something to the question while its members answer. Those who review, write and
    /// improve the answer read it with the question.
    CorrectionAdded { data: Correction },
    /// What the run cost, by stage; after everything that costs. Also in a run that failed or was cancelled,
    /// if it had made a call; a call that was cut off counts as one of unknown cost.
    CostsComplete { data: Costs },
    /// The run is over and stored. Always last.
    Complete {},
    /// The run failed; what it had is stored. Always last.
    Error {
        /// One plain sentence.
        message: String,
        /// Why, in one word: `no_answers`, `internal`, `abandoned`, `unreadable_plan`, `picture_gone` or
        /// `picture_unreadable`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
    },
    /// The run was cancelled; what it had is stored. Always last.
    Cancelled {
        /// One plain sentence, where the run was cancelled by another person than its owner.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// Who cancelled it, in one word: `stopped_by_administrator`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
    },
    /// This server is shutting down; the run goes on. Reconnect with the id of the last event seen.
    /// Always last on its stream, without an event id.
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
            Self::Complete {} | Self::Error { .. } | Self::Cancelled { .. } => true,
            Self::RunQueued { .. }
            | Self::RunStarted { .. }
            | Self::CallRestarted(_)
            | Self::MemberSkipped { .. }
            | Self::MemberRetried { .. }
            | Self::CorrectionAdded { .. }
            | Self::CostsComplete { .. }
            | Self::ServerShutdown { .. } => false,
        }
    }

    fn asking(&self) -> Option<Asking> {
        if let Self::MemberRetried { member, model, stage, .. } = self {
            let seat = Seat { model: model.clone(), member: member.clone(), alias: None };
            return Some(Asking::Again { stage: stage.clone(), seat });
        }
        None
    }
}

/// The process monitor's notes on the run itself.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum RunNote {
    Asked {
        name: String,
    },
    /// What the run adds to the analytics.
    FiguresKept {
        answers: usize,
        ballots: usize,
        /// The model that wrote the final answer; absent where none did.
        #[serde(skip_serializing_if = "Option::is_none")]
        chairman: Option<String>,
    },
    /// A model is asked again, since the server that asked it first is gone.
    AskedAgain {
        name: String,
    },
    /// The run goes on without a member, at a person's request.
    NotWaitedFor {
        member: String,
    },
    /// A failed member is asked again, at a person's request.
    AskedOnceMore {
        member: String,
        /// Which of its retries it is, from 1.
        retry: u32,
    },
    /// A person has added something to the question.
    Corrected,
    RunCosts {
        calls: u32,
        tokens: u64,
        /// USD over the calls whose cost is known; absent when none is.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        unknown_cost_calls: u32,
    },
}

impl fmt::Display for RunNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked { name } => write!(f, "{name} is asked"),
            Self::FiguresKept { answers, ballots, chairman } => {
                write!(f, "Analytics: {answers} answers and {ballots} ballots are recorded")?;
                match chairman {
                    Some(model) => write!(f, ", and {model} as chairman"),
                    None => Ok(()),
                }
            }
            Self::AskedAgain { name } => {
                write!(f, "{name} is asked again: the server that asked it first is gone")
            }
            Self::NotWaitedFor { member } => {
                write!(f, "{member} is not waited for any longer, as was asked for")
            }
            Self::AskedOnceMore { member, retry } => {
                write!(f, "{member} is asked again, as was asked for (retry {retry})")
            }
            Self::Corrected => {
                f.write_str("A correction is added to the question, for whoever reads it from now on")
            }
            Self::RunCosts { calls, tokens, cost, unknown_cost_calls } => {
                write!(f, "{calls} calls, {tokens} tokens, {}", costs(*cost, *unknown_cost_calls))
            }
        }
    }
}

fn note(event: &RunEvent) -> Option<Note> {
    match event {
        RunEvent::CallRestarted(call) => {
            let name = call.member.as_ref().unwrap_or(&call.model).clone();
            let details = json!({ "stage": call.stage, "model": call.model });
            Some(Note::of(MODELS, NoteCategory::Warning, &RunNote::AskedAgain { name }).with(details))
        }
        RunEvent::MemberSkipped { member, model, stage } => {
            let fact = RunNote::NotWaitedFor { member: member.clone() };
            let details = json!({ "stage": stage, "model": model });
            Some(Note::of(MODELS, NoteCategory::Warning, &fact).with(details))
        }
        RunEvent::MemberRetried { member, model, stage, retry, .. } => {
            let fact = RunNote::AskedOnceMore { member: member.clone(), retry: *retry };
            let details = json!({ "stage": stage, "model": model });
            Some(Note::of(MODELS, NoteCategory::Model, &fact).with(details))
        }
        RunEvent::CorrectionAdded { data } => {
            Some(Note::of(MODELS, NoteCategory::Stage, &RunNote::Corrected).with(json!({ "id": data.id })))
        }
        RunEvent::CostsComplete { data } => {
            let calls: u32 = data.by_stage.values().map(|stage| stage.calls).sum();
            let fact = RunNote::RunCosts {
                calls,
                tokens: data.total_tokens,
                cost: data.total_cost,
                unknown_cost_calls: data.unknown_cost_calls,
            };
            let details = json!({
                "total_cost": data.total_cost, "unknown_cost_calls": data.unknown_cost_calls,
                "total_tokens": data.total_tokens, "calls": calls,
            });
            Some(Note::of(EVERYTHING, NoteCategory::Data, &fact).with(details))
        }
        // The beginning and the end of the stream need no note.
        RunEvent::RunQueued { .. }
        | RunEvent::RunStarted { .. }
        | RunEvent::Complete {}
        | RunEvent::Error { .. }
        | RunEvent::Cancelled { .. }
        | RunEvent::ServerShutdown { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_made_of_its_fact() {
        let reason = |fact| Ignored::because("use_escalation", fact).reason;
        assert_eq!(reason(IgnoredFact::ModelsNamed), "the request names its models itself");
        assert_eq!(
            reason(IgnoredFact::NoPools),
            "routing_pools names no two models for any kind of question"
        );
        assert_eq!(reason(IgnoredFact::Routed), "dynamic routing chooses who answers");
        assert_eq!(
            reason(IgnoredFact::Written),
            "the final answer is to be written, whatever the ballots say"
        );
        assert_eq!(
            reason(IgnoredFact::Selected),
            "the answer that the ballots put first is taken word for word, and nothing is written"
        );
        assert_eq!(
            reason(IgnoredFact::TakenApart),
            "it is an option of the council, and applies only if the question is not taken apart"
        );
        assert_eq!(reason(IgnoredFact::PartsOnly), "it applies only if the question is taken apart");
        assert_eq!(
            reason(IgnoredFact::UnfitDefault { problem: "must be at most 3".into() }),
            "the default does not fit this request: it must be at most 3"
        );
    }
}
