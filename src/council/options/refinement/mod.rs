//! Refinement: the members criticise the draft and its author revises it, until too few of them find something or the
//! iterations are used up.

mod calls;
pub mod critique;
pub(in crate::council) mod estimate;
mod event;
pub mod facts;
mod notes;
mod simulated;
pub mod view;

pub use calls::{CRITIQUE, STAGE};
pub use event::{Iteration, Refinement, RefinementEvent};
use futures_util::stream::{FuturesOrdered, StreamExt as _};
pub use notes::RefinementNote;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::council::draft::Draft;
use crate::council::field::Fields;
use crate::council::prompts::template::Template;
use crate::council::revision::{self, Revision};
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::seat::Seat;
use crate::council::token::TokenHead;
use critique::Critique;
use facts::RefinementFact;

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&critique::PROMPT, &revision::PROMPT];

/// The most iterations, where the request does not say.
pub const DEFAULT_ITERATIONS: u8 = 2;
/// The most that a request may ask for.
pub const MAX_ITERATIONS: u8 = 5;

/// How many critics must name a fault for a revision, where the request does not say.
pub const DEFAULT_MIN_CRITIQUES: u8 = 2;
/// The most that a request may ask for: as many as a council has members.
pub const MAX_MIN_CRITIQUES: u8 = 7;

/// What a plan of an earlier version meant.
fn usual_critiques() -> u8 {
    DEFAULT_MIN_CRITIQUES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_usual(critiques: &u8) -> bool {
    *critiques == DEFAULT_MIN_CRITIQUES
}

/// Refinement as a run does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefinementOptions {
    /// 1 to [`MAX_ITERATIONS`].
    pub max_iterations: u8,
    /// How many critics must name a fault for a revision, 1 to [`MAX_MIN_CRITIQUES`]. Not stored where it is the
    /// default, so that stored plans do not change.
    #[serde(default = "usual_critiques", skip_serializing_if = "is_usual")]
    pub min_critiques: u8,
}

impl RefinementOptions {
    /// Reads a request's fields; `None` when it is off.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        let on = fields.take("use_refinement", "true or false").unwrap_or(false);
        let max_iterations =
            fields.take_in("refinement_max_iterations", 1..=MAX_ITERATIONS).unwrap_or(DEFAULT_ITERATIONS);
        let min_critiques = fields
            .take_in("refinement_min_critiques", 1..=MAX_MIN_CRITIQUES)
            .unwrap_or(DEFAULT_MIN_CRITIQUES);
        on.then_some(Self { max_iterations, min_critiques })
    }
}

/// Refines a draft.
pub async fn refine(run: &Run, round: &Round<'_>, options: &RefinementOptions, mut draft: Draft) -> Draft {
    let max_iterations = options.max_iterations;
    run.emit("refine/start", RefinementEvent::RefinementStart { max_iterations }).await;
    let mut refinement = Refinement { max_iterations, ..Refinement::default() };
    for _ in 0..max_iterations {
        let (iteration, converged) = iterate(run, round, *options, &refinement.iterations, &mut draft).await;
        refinement.converged = converged;
        let stopped = iteration.stopped;
        refinement.iterations.push(iteration);
        if stopped {
            break;
        }
    }
    let costs = run.costs_of(&STAGE);
    refinement.total_cost = costs.total_cost;
    refinement.unknown_cost_calls = costs.unknown_cost_calls;
    refinement.total_iterations = refinement.iterations.len();
    refinement.final_response.clone_from(&draft.synthesis.response);
    run.emit("refine/complete", RefinementEvent::RefinementComplete(Box::new(refinement))).await;
    draft
}

/// One iteration, and whether it converged.
async fn iterate(
    run: &Run,
    round: &Round<'_>,
    options: RefinementOptions,
    before: &[Iteration],
    draft: &mut Draft,
) -> (Iteration, bool) {
    let needed = usize::from(options.min_critiques);
    let number = before.last().map_or(1, |last| last.iteration + 1);
    let start = RefinementEvent::IterationStart { iteration: number };
    run.emit(&format!("refine/{number}/start"), start).await;
    let mut iteration = Iteration { iteration: number, ..Iteration::default() };
    iteration.set_critiques(critiques(run, round, (number, before), &draft.synthesis.response).await);

    let answered = iteration.critiques.iter().filter(|critique| critique.error.is_none()).count();
    if answered >= needed && iteration.substantive_count < needed {
        let asked = iteration.critiques.len();
        let fact = RefinementFact::Converged {
            found: iteration.substantive_count,
            asked,
            failed: asked - answered,
            needed,
        };
        let event = RefinementEvent::RefinementConverged {
            iteration: number,
            reason: fact.to_string(),
            reason_fact: Some(fact.clone()),
            final_response: draft.synthesis.response.clone(),
        };
        run.emit(&format!("refine/{number}/converged"), event).await;
        iteration.stop(fact);
        return (iteration, true);
    }
    if answered < needed {
        iteration.stop(RefinementFact::TooFewCritics { answered, asked: iteration.critiques.len() });
    } else {
        match revise(run, round, &iteration, draft).await {
            Ok(revision) => {
                draft.synthesis.replace(&revision);
                iteration.revision = Some(revision);
            }
            Err(fact) => iteration.stop(fact),
        }
    }
    let event = RefinementEvent::IterationComplete {
        iteration: number,
        revision: iteration.revision.clone(),
        stop_reason: iteration.stop_reason.clone(),
        stop_reason_fact: iteration.stop_reason_fact.clone(),
    };
    run.emit(&format!("refine/{number}/complete"), event).await;
    (iteration, false)
}

async fn critiques(
    run: &Run,
    round: &Round<'_>,
    (number, before): (u8, &[Iteration]),
    draft: &str,
) -> Vec<Critique> {
    let before: Vec<&Critique> = before.iter().flat_map(|iteration| &iteration.critiques).collect();
    let critics = critique::critics(round, &before);
    let start = RefinementEvent::CritiquesStart {
        iteration: number,
        model_count: critics.len(),
        members: critics.iter().map(|member| Seat::from(*member)).collect(),
    };
    run.emit(&format!("refine/{number}/critiques/start"), start).await;
    let calls = critics.into_iter().map(|member| async move {
        let key = format!("refine/{number}/critique/{}", member.name());
        let data = Box::new(critique::ask(run, round, member, &key, draft).await);
        let event = RefinementEvent::CritiqueComplete { iteration: number, data: data.clone() };
        run.emit(&format!("{key}/complete"), event).await;
        *data
    });
    let critiques: Vec<Critique> = calls.collect::<FuturesOrdered<_>>().collect().await;
    let complete = RefinementEvent::CritiquesComplete {
        iteration: number,
        substantive_count: critiques.iter().filter(|critique| critique.is_substantive).count(),
        critiques: critiques.clone(),
    };
    run.emit(&format!("refine/{number}/critiques/complete"), complete).await;
    critiques
}

/// The revision's text, or why there is none.
async fn revise(
    run: &Run,
    round: &Round<'_>,
    iteration: &Iteration,
    draft: &Draft,
) -> Result<String, RefinementFact> {
    let number = iteration.iteration;
    let key = format!("refine/{number}/revision");
    let model = draft.synthesis.model.clone();
    let start = RefinementEvent::RevisionStart { iteration: number, model: model.clone() };
    run.emit(&format!("{key}/start"), start).await;
    let substantive = iteration.critiques.iter().filter(|critique| critique.is_substantive);
    let revision = Revision {
        stage: STAGE,
        key: key.clone(),
        writer: &model,
        draft: &draft.synthesis.response,
        objections: substantive
            .map(|critique| (format!("Critique by {}", critique.member), critique.critique.as_str()))
            .collect(),
    };
    let token = TokenHead::new("revision_token", &json!({ "iteration": number, "model": model }));
    match revision.write(run, round, token).await {
        Ok(revised) => {
            let event = RefinementEvent::RevisionComplete {
                iteration: number,
                model: model.clone(),
                content: revised.text.clone(),
                cost: revised.cost,
                latency_ms: revised.latency_ms,
            };
            run.emit(&format!("{key}/complete"), event).await;
            Ok(revised.text)
        }
        Err(failure) => {
            let fact = RefinementFact::NotRevised { model: model.clone(), reason: failure.reason() };
            let event = RefinementEvent::RevisionError {
                iteration: number,
                model,
                error: failure.message,
                error_kind: failure.kind,
                error_fact: failure.fact,
            };
            run.emit(&format!("{key}/error"), event).await;
            Err(fact)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::Event;
    use crate::llm::{ErrorKind, Usage};

    #[test]
    fn logged_events_are_read_back() {
        let usage = Usage { total_tokens: 7, cost_usd: Some(0.25), ..Usage::default() };
        let good = Critique {
            model: "a/one".into(),
            member: "one".into(),
            critique: "The year is wrong.".into(),
            is_substantive: true,
            usage: Some(usage),
            cost: Some(0.25),
            latency_ms: Some(5),
            ..Critique::default()
        };
        let failed = Critique {
            error: Some("too slow".into()),
            error_kind: Some(ErrorKind::Timeout),
            ..Critique::default()
        };
        let mut iteration = Iteration { iteration: 1, ..Iteration::default() };
        iteration.set_critiques(vec![good.clone(), failed.clone()]);
        iteration.stop(RefinementFact::Unfinished);
        let whole = Refinement {
            max_iterations: 2,
            iterations: vec![iteration],
            final_response: "Better.".into(),
            total_iterations: 1,
            converged: true,
            total_cost: Some(0.25),
            unknown_cost_calls: 1,
        };
        for event in [
            RefinementEvent::CritiqueComplete { iteration: 1, data: Box::new(good) },
            RefinementEvent::CritiqueComplete { iteration: 1, data: Box::new(failed) },
            RefinementEvent::RefinementComplete(Box::new(whole)),
        ] {
            let event = Event::from(event);
            let json = serde_json::to_string(&event).unwrap();
            assert_eq!(Event::read(json.as_bytes()).unwrap(), event, "{json}");
        }
    }
}
