//! Several chairmen: each writes the council's answer, and the chairman chooses among the drafts
//! without knowing whose they are (SPEC section 6).

mod choice;
mod selection;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde::{Deserialize, Serialize};

use crate::council::round::Round;
use crate::council::run::{Run, UnderWay};
use crate::council::stages::answers::is_false;
use crate::council::stages::editorial::Editorial;
use crate::council::stages::synthesis::{self, Prompts, Shown, Synthesis, SynthesisEvent};
use crate::llm::{ErrorKind, Purpose, Usage};

const DRAFT_KEY: &str = "multi_chairman/draft";

/// One chairman's draft of the answer, or why there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SynthesisDraft {
    /// `A`, `B`, … in the order of the settings.
    pub label: String,
    pub model: String,
    pub response: String,
    /// Where the members agree and differ, as this chairman saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<Editorial>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// The writer stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// What its chairman had to go without, in plain sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
}

/// The chairman's choice among the drafts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Selection {
    /// Who chose.
    pub model: String,
    /// The label of the chosen draft; of the first one when no choice could be read.
    pub selected_synthesis: String,
    /// Who wrote that draft.
    pub selected_model: String,
    /// Whether a choice could be read.
    pub is_read: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection_reasoning: Option<String>,
    /// Everything the chairman wrote before its final response, as it came.
    pub evaluation: String,
    /// The final answer: the chairman's own text, or the chosen draft where it left that as it is.
    pub response: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD, with that of a second request for the letter; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// The events of several chairmen, between `stage3_start` and `stage3_complete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MultiChairmanEvent {
    /// The chairmen are asked, in the order of their labels.
    MultiSynthesisStart { models: Vec<String> },
    /// A chairman has written its draft or failed.
    SynthesisComplete { data: Box<SynthesisDraft> },
    /// Every chairman has written or failed.
    MultiSynthesisComplete { syntheses: Vec<SynthesisDraft> },
    /// The chairman begins to choose; a second one means that the first failed: clear its text.
    SelectionStart { model: String },
    /// A piece of the chairman's text, its final response included.
    SelectionToken { model: String, content: String },
    /// The choice is made.
    SelectionComplete { data: Box<Selection> },
    /// A chairman could not choose.
    SelectionError { model: String, error: String, error_kind: ErrorKind },
}

impl MultiChairmanEvent {
    /// See [`Event::join`](crate::council::Event::join).
    pub fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::SelectionToken { content, .. }, Self::SelectionToken { content: more, .. }) => {
                content.push_str(more);
                true
            }
            _ => false,
        }
    }
}

/// Lets the plan's chairmen write, and the chairman choose; none when the plan has none. When all of
/// them fail, the chairman writes alone.
pub async fn write(run: &Run, round: &Round<'_>) -> Option<Synthesis> {
    let models = &round.plan.chairmen;
    if models.is_empty() {
        return None;
    }
    let chairman = round.plan.settings.chairman_model.clone();
    run.emit("stage3/start", SynthesisEvent::Stage3Start { model: chairman, use_multi_chairman: true }).await;
    let start = MultiChairmanEvent::MultiSynthesisStart { models: models.clone() };
    run.emit("multi_chairman/start", start).await;
    let prompts = Prompts::of(run, round);
    let writing = models.iter().enumerate().map(|(place, model)| draft(run, round, place, model, &prompts));
    let drafts: Vec<SynthesisDraft> = writing.collect::<FuturesOrdered<_>>().collect().await;
    let complete = MultiChairmanEvent::MultiSynthesisComplete { syntheses: drafts.clone() };
    run.emit("multi_chairman/complete", complete).await;

    let good: Vec<&SynthesisDraft> = drafts.iter().filter(|draft| draft.error.is_none()).collect();
    let mut synthesis = match good[..] {
        [] => synthesis::write(run, round).await,
        [only] => {
            let mut synthesis = Synthesis { cost: Some(0.0), ..taken(only) };
            let by = format!("by the only one of {} chairmen that did not fail", drafts.len());
            synthesis.heading = synthesis::heading(round, Some(&by));
            synthesis.notes.extend(synthesis::losses(round));
            synthesis.notes.push("There was nothing to choose from: nobody was asked to.".to_owned());
            synthesis
        }
        _ => choice::choose(run, round, &good).await,
    };
    for draft in &drafts {
        if let Some(error) = &draft.error {
            synthesis.notes.push(format!("{} could not write draft {}: {error}", draft.model, draft.label));
        }
    }
    if synthesis.model == round.plan.settings.chairman_model {
        synthesis.alias.clone_from(&round.plan.settings.chairman_alias);
    }
    synthesis.simulated = run.is_simulated(&synthesis.model);
    synthesis.syntheses = drafts;
    Some(synthesis)
}

fn label(place: usize) -> char {
    ('A'..='Z').nth(place).unwrap_or('Z')
}

async fn draft(run: &Run, round: &Round<'_>, place: usize, model: &str, prompts: &Prompts) -> SynthesisDraft {
    let label = label(place).to_string();
    let key = format!("{DRAFT_KEY}/{label}");
    let draft = match synthesis::ask(run, round, model, &key, prompts, Shown::Later).await {
        Ok(written) => SynthesisDraft {
            label: label.clone(),
            model: written.model,
            response: written.response,
            disagreement: written.disagreement,
            reasoning: written.reasoning,
            usage: written.usage,
            cost: written.cost,
            latency_ms: written.latency_ms,
            truncated: written.truncated,
            notes: written.notes,
            ..SynthesisDraft::default()
        },
        Err(error) => SynthesisDraft {
            label: label.clone(),
            model: model.to_owned(),
            latency_ms: error.partial.as_ref().map(|reply| reply.latency_ms),
            usage: error.partial.as_ref().and_then(|reply| reply.usage),
            cost: error.partial.as_ref().and_then(|reply| reply.usage?.cost_usd),
            response: error.partial.map(|reply| reply.text).unwrap_or_default(),
            error: Some(error.message),
            error_kind: Some(error.kind),
            ..SynthesisDraft::default()
        },
    };
    let event = MultiChairmanEvent::SynthesisComplete { data: Box::new(draft.clone()) };
    run.emit(&format!("multi_chairman/{label}/complete"), event).await;
    draft
}

/// A draft as the final answer.
fn taken(draft: &SynthesisDraft) -> Synthesis {
    Synthesis {
        model: draft.model.clone(),
        response: draft.response.clone(),
        disagreement: draft.disagreement.clone(),
        truncated: draft.truncated,
        notes: draft.notes.clone(),
        selected_synthesis: Some(draft.label.clone()),
        selected_model: Some(draft.model.clone()),
        ..Synthesis::default()
    }
}

/// Keeps what was written so far, for a run that ends before its answer is.
pub fn keep(stage3: &mut Option<Synthesis>, event: &MultiChairmanEvent) {
    let unfinished = || Synthesis {
        heading: "Not finished".to_owned(),
        error: Some("The run ended before the answer was chosen.".to_owned()),
        error_kind: Some(ErrorKind::Cancelled),
        ..Synthesis::default()
    };
    match event {
        MultiChairmanEvent::SynthesisComplete { data } => {
            put(&mut stage3.get_or_insert_with(unfinished).syntheses, (**data).clone());
        }
        MultiChairmanEvent::MultiSynthesisComplete { syntheses } => {
            stage3.get_or_insert_with(unfinished).syntheses.clone_from(syntheses);
        }
        MultiChairmanEvent::MultiSynthesisStart { .. }
        | MultiChairmanEvent::SelectionStart { .. }
        | MultiChairmanEvent::SelectionToken { .. }
        | MultiChairmanEvent::SelectionComplete { .. }
        | MultiChairmanEvent::SelectionError { .. } => {}
    }
}

/// In the order of the labels, whoever was first.
fn put(drafts: &mut Vec<SynthesisDraft>, draft: SynthesisDraft) {
    let place = drafts.partition_point(|known| known.label < draft.label);
    drafts.insert(place, draft);
}

/// Keeps what had been shown of a call that never ended; whether it was one of these.
pub fn keep_unfinished(stage3: &mut Option<Synthesis>, call: &UnderWay, reason: &str) -> bool {
    let of_draft = call.key.strip_prefix(DRAFT_KEY).and_then(|place| place.get(1..2));
    if of_draft.is_none() && call.purpose != Purpose::Selection {
        return false;
    }
    let synthesis = stage3.get_or_insert_default();
    synthesis.heading = "Not finished".to_owned();
    synthesis.error = Some(reason.to_owned());
    synthesis.error_kind = Some(ErrorKind::Cancelled);
    if let Some(label) = of_draft {
        // What it has written is shown to nobody before it is whole.
        let draft = SynthesisDraft {
            label: label.to_owned(),
            model: call.model.clone(),
            error: Some(reason.to_owned()),
            error_kind: Some(ErrorKind::Cancelled),
            ..SynthesisDraft::default()
        };
        put(&mut synthesis.syntheses, draft);
    } else {
        synthesis.model.clone_from(&call.model);
        synthesis.evaluation = Some(call.text.clone());
    }
    true
}
