//! Several chairmen: each writes the council's answer, and the chairman chooses among the drafts
//! without knowing whose they are (SPEC section 6).

mod calls;
mod choice;
pub(in crate::council) mod estimate;
mod event;
pub mod info;
mod notes;
mod selection;
pub mod settings;
mod simulated;

pub use calls::{LETTER, PROMPT, SELECTION};
pub use event::{MultiChairmanEvent, Selection};
use futures_util::stream::{FuturesOrdered, StreamExt as _};
pub use info::SynthesisDraft;
pub use notes::MultiChairmanNote;

use crate::council::field::{FieldErrorKind, Fields};
use crate::council::prompts::template::Template;
use crate::council::round::Round;
use crate::council::run::{Run, UnderWay};
use crate::council::run_event::{Ignored, IgnoredFact};
use crate::council::settings::{MAX_MEMBERS, MIN_MEMBERS, Settings};
use crate::council::stages::synthesis::{
    self, Author, HeadingFact, NoteFact, Shown, Synthesis, SynthesisEvent,
};
use crate::llm::{CallFact, ErrorKind, Reason};

const DRAFT_KEY: &str = "multi_chairman/draft";

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&PROMPT, &LETTER];

/// Reads a request's fields: the models that each write a draft; none when it is off. Where it does not apply, for the
/// reason `why_not`, none are needed.
pub(in crate::council) fn parse(
    fields: &mut Fields<'_>,
    settings: &Settings,
    why_not: Option<IgnoredFact>,
    ignored: &mut Vec<Ignored>,
) -> Vec<String> {
    let models = &settings.options.multi_chairman.multi_chairman_models;
    if !fields.take("use_multi_chairman", "true or false").unwrap_or(false) {
        return Vec::new();
    }
    if let Some(why_not) = why_not.filter(|_| models.len() < MIN_MEMBERS) {
        ignored.push(Ignored::because("use_multi_chairman", why_not));
        return Vec::new();
    }
    if models.len() < MIN_MEMBERS {
        let message = format!(
            "needs {MIN_MEMBERS} to {MAX_MEMBERS} models in the setting `multi_chairman_models`; there {} {}",
            if models.len() == 1 { "is" } else { "are" },
            models.len()
        );
        fields.refuse("use_multi_chairman", FieldErrorKind::Value, message);
    }
    models.clone()
}

/// Lets each of these write, and the chairman choose; none when there are none. When all of them fail,
/// the chairman writes alone.
pub async fn write(run: &Run, round: &Round<'_>, models: &[String]) -> Option<Synthesis> {
    if models.is_empty() {
        return None;
    }
    let chairman = round.brief().settings.chairman_model.clone();
    let start = SynthesisEvent::Stage3Start {
        model: chairman,
        use_multi_chairman: true,
        started_at: Some(run.now()),
    };
    run.emit("stage3/start", start).await;
    let start = MultiChairmanEvent::MultiSynthesisStart { models: models.to_vec() };
    run.emit("multi_chairman/start", start).await;
    let writing = models.iter().enumerate().map(|(place, model)| draft(run, round, place, model));
    let drafts: Vec<SynthesisDraft> = writing.collect::<FuturesOrdered<_>>().collect().await;
    let complete = MultiChairmanEvent::MultiSynthesisComplete { syntheses: drafts.clone() };
    run.emit("multi_chairman/complete", complete).await;

    let good: Vec<&SynthesisDraft> = drafts.iter().filter(|draft| draft.error.is_none()).collect();
    let mut synthesis = match good[..] {
        [] => synthesis::write(run, round).await,
        [only] => {
            let mut synthesis = Synthesis { cost: Some(0.0), ..choice::taken(only) };
            let by = Author::OnlyDraft { drafts: drafts.len() };
            synthesis.name(HeadingFact::of(round, Some(by)));
            for note in synthesis::losses(round).into_iter().chain([NoteFact::NothingToChoose]) {
                synthesis.note(note);
            }
            synthesis
        }
        _ => choice::choose(run, round, &good).await,
    };
    for draft in &drafts {
        if let Some(error) = &draft.error {
            let reason = Reason::of(draft.error_kind, draft.error_fact.as_ref(), error);
            let (model, label) = (draft.model.clone(), draft.label.clone());
            synthesis.note(NoteFact::NoDraft { model, label, reason });
        }
    }
    if synthesis.model == round.brief().settings.chairman_model {
        synthesis.alias.clone_from(&round.brief().settings.chairman_alias);
    }
    synthesis.simulated = run.is_simulated(&synthesis.model);
    synthesis.syntheses = drafts;
    Some(synthesis)
}

fn label(place: usize) -> char {
    ('A'..='Z').nth(place).unwrap_or('Z')
}

async fn draft(run: &Run, round: &Round<'_>, place: usize, model: &str) -> SynthesisDraft {
    let label = label(place).to_string();
    let key = format!("{DRAFT_KEY}/{label}");
    let draft = match synthesis::ask(run, round, model, &key, Shown::Later).await {
        Ok(written) => SynthesisDraft {
            label: label.clone(),
            model: written.model,
            served_by: written.served_by,
            response: written.response,
            disagreement: written.disagreement,
            reasoning: written.reasoning,
            usage: written.usage,
            cost: written.cost,
            latency_ms: written.latency_ms,
            truncated: written.truncated,
            notes: written.notes,
            note_facts: written.note_facts,
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
            error_fact: error.fact,
            ..SynthesisDraft::default()
        },
    };
    let event = MultiChairmanEvent::SynthesisComplete { data: Box::new(draft.clone()) };
    run.emit(&format!("multi_chairman/{label}/complete"), event).await;
    draft
}

/// Keeps what was written so far, for a run that ends before its answer is.
pub fn keep(stage3: &mut Option<Synthesis>, event: &MultiChairmanEvent) {
    let unfinished = || Synthesis::unfinished(CallFact::NotChosen);
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

/// In the order of the labels, whichever was finished first.
fn put(drafts: &mut Vec<SynthesisDraft>, draft: SynthesisDraft) {
    let place = drafts.partition_point(|known| known.label < draft.label);
    drafts.insert(place, draft);
}

/// Keeps what had been shown of a call that never ended; whether it was one of these.
pub fn keep_unfinished(stage3: &mut Option<Synthesis>, call: &UnderWay, fact: &CallFact) -> bool {
    let of_draft = call.key.strip_prefix(DRAFT_KEY).and_then(|place| place.get(1..2));
    if of_draft.is_none() && *call.purpose != SELECTION {
        return false;
    }
    let synthesis = stage3.get_or_insert_default();
    synthesis.name(HeadingFact::Unfinished);
    synthesis.fail(fact.clone().into());
    if let Some(label) = of_draft {
        // What it has written is shown to nobody before it is whole.
        let draft = SynthesisDraft {
            label: label.to_owned(),
            model: call.model.clone(),
            error: Some(fact.to_string()),
            error_kind: Some(ErrorKind::Cancelled),
            error_fact: Some(fact.clone()),
            ..SynthesisDraft::default()
        };
        put(&mut synthesis.syntheses, draft);
    } else {
        synthesis.model.clone_from(&call.model);
        synthesis.evaluation = Some(call.text.clone());
    }
    true
}

/// What a request may say of several chairmen.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct MultiChairmanFields {
    /// Whether the models of the setting `multi_chairman_models` each write a draft, from which the
    /// chairman chooses.
    #[schema(default = false)]
    use_multi_chairman: Option<bool>,
}
