//! Refinement: the members criticise the draft, whoever wrote it revises it, until fewer than two
//! find something or the iterations are used up.

mod calls;
pub mod critique;
pub(in crate::council) mod estimate;
pub mod facts;
mod notes;
mod simulated;
pub mod view;

pub use calls::{CRITIQUE, MIN_SUBSTANTIVE, STAGE};
use futures_util::stream::{FuturesOrdered, StreamExt as _};
pub use notes::RefinementNote;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::council::draft::Draft;
use crate::council::field::Fields;
use crate::council::prompts::template::Template;
use crate::council::revision::{self, Revision};
use crate::council::round::Round;
use crate::council::run::{Run, UnderWay};
use crate::council::seat::Seat;
use crate::council::token::TokenHead;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind};
use critique::Critique;
use facts::RefinementFact;

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&critique::PROMPT, &revision::PROMPT];

/// The most iterations, where the request does not say.
pub const DEFAULT_ITERATIONS: u8 = 2;
/// The most that a request may ask for.
pub const MAX_ITERATIONS: u8 = 5;

/// Refinement as a run does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefinementOptions {
    /// 1 to [`MAX_ITERATIONS`].
    pub max_iterations: u8,
}

impl RefinementOptions {
    /// Reads a request's fields; `None` when it is off.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        let on = fields.take("use_refinement", "true or false").unwrap_or(false);
        let max_iterations =
            fields.take_in("refinement_max_iterations", 1..=MAX_ITERATIONS).unwrap_or(DEFAULT_ITERATIONS);
        on.then_some(Self { max_iterations })
    }
}

/// One round of critiques, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Iteration {
    /// From 1.
    pub iteration: u8,
    /// In the members' order once all are there.
    pub critiques: Vec<Critique>,
    /// How many of them name faults.
    pub substantive_count: usize,
    /// The same under the name that an existing client reads.
    pub substantive_critique_count: usize,
    /// The draft after this iteration; absent when it stayed as it was.
    pub revision: Option<String>,
    /// The last iteration: it ended without a revision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Why, in a plain sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub stop_reason_fact: Option<RefinementFact>,
    /// What had arrived of a revision when the run was cancelled in it. It is not the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished_revision: Option<String>,
}

/// A draft's refinement as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Refinement {
    /// The most iterations there could have been.
    pub max_iterations: u8,
    pub iterations: Vec<Iteration>,
    /// The draft after the last revision; the draft itself where there was none.
    pub final_response: String,
    /// How many iterations began, the last one without a revision included.
    pub total_iterations: usize,
    /// Whether it ended because fewer than two critics found something.
    pub converged: bool,
    /// USD over the calls whose cost is known; absent when none is.
    pub total_cost: Option<f64>,
    /// Calls that reached a model and whose cost nobody told: not in the sum.
    pub unknown_cost_calls: u32,
}

/// The events of refinement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RefinementEvent {
    RefinementStart {
        max_iterations: u8,
    },
    IterationStart {
        iteration: u8,
    },
    /// The members are asked for critiques of the draft.
    CritiquesStart {
        iteration: u8,
        model_count: usize,
        #[serde(default)]
        members: Vec<Seat>,
    },
    /// A critic has answered, or failed (`error`).
    CritiqueComplete {
        iteration: u8,
        #[serde(flatten)]
        data: Box<Critique>,
    },
    /// Every critic has answered or failed.
    CritiquesComplete {
        iteration: u8,
        substantive_count: usize,
        critiques: Vec<Critique>,
    },
    /// Whoever wrote the draft revises it.
    RevisionStart {
        iteration: u8,
        model: String,
    },
    /// A piece of the revision.
    RevisionToken {
        iteration: u8,
        content: String,
        model: String,
    },
    /// The revision is whole, and is the answer from now on.
    RevisionComplete {
        iteration: u8,
        model: String,
        content: String,
        /// USD; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        latency_ms: u64,
    },
    /// There is no revision: the draft before it stands, and refinement ends.
    RevisionError {
        iteration: u8,
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The iteration is over, but for one that converged. Without a revision it is the last, and
    /// `stop_reason` says why.
    IterationComplete {
        iteration: u8,
        revision: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        stop_reason_fact: Option<RefinementFact>,
    },
    /// Fewer than two critics found something: the draft is good.
    RefinementConverged {
        iteration: u8,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        reason_fact: Option<RefinementFact>,
        final_response: String,
    },
    /// Refinement is over.
    RefinementComplete(Box<Refinement>),
}

impl RefinementEvent {
    /// The text that is the answer after this event, if it changes it.
    #[must_use]
    pub fn new_answer(&self) -> Option<&str> {
        if let Self::RevisionComplete { content, .. } = self {
            Some(content)
        } else if let Self::RefinementComplete(refinement) = self {
            Some(&refinement.final_response)
        } else {
            None
        }
    }
}

/// Refines a draft.
pub async fn refine(run: &Run, round: &Round<'_>, options: &RefinementOptions, mut draft: Draft) -> Draft {
    let max_iterations = options.max_iterations;
    run.emit("refine/start", RefinementEvent::RefinementStart { max_iterations }).await;
    let mut refinement = Refinement { max_iterations, ..Refinement::default() };
    for _ in 0..max_iterations {
        let (iteration, converged) = iterate(run, round, &refinement.iterations, &mut draft).await;
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
async fn iterate(run: &Run, round: &Round<'_>, before: &[Iteration], draft: &mut Draft) -> (Iteration, bool) {
    let number = before.last().map_or(1, |last| last.iteration + 1);
    let start = RefinementEvent::IterationStart { iteration: number };
    run.emit(&format!("refine/{number}/start"), start).await;
    let mut iteration = Iteration { iteration: number, ..Iteration::default() };
    iteration.set_critiques(critiques(run, round, (number, before), &draft.synthesis.response).await);

    let answered = iteration.critiques.iter().filter(|critique| critique.error.is_none()).count();
    if answered >= MIN_SUBSTANTIVE && iteration.substantive_count < MIN_SUBSTANTIVE {
        let fact =
            RefinementFact::converged(iteration.substantive_count, iteration.critiques.len(), answered);
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
    if answered < MIN_SUBSTANTIVE {
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
    let prompt = &critique::prompt(run, round, draft);
    let calls = critics.into_iter().map(|member| async move {
        let key = format!("refine/{number}/critique/{}", member.name());
        let data = Box::new(critique::ask(run, round, member, &key, prompt).await);
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

impl Iteration {
    fn set_critiques(&mut self, critiques: Vec<Critique>) {
        self.substantive_count = critiques.iter().filter(|critique| critique.is_substantive).count();
        self.substantive_critique_count = self.substantive_count;
        self.critiques = critiques;
    }

    fn stop(&mut self, fact: RefinementFact) {
        self.stop_because(fact.to_string(), Some(fact));
    }

    fn stop_because(&mut self, reason: String, fact: Option<RefinementFact>) {
        self.stopped = true;
        self.stop_reason = Some(reason);
        self.stop_reason_fact = fact;
    }
}

impl Refinement {
    /// Takes in one event, so that a run that ends in the middle keeps what it had.
    pub fn apply(&mut self, event: &RefinementEvent) {
        match event {
            RefinementEvent::RefinementStart { max_iterations } => self.max_iterations = *max_iterations,
            RefinementEvent::IterationStart { iteration } => {
                self.iterations.push(Iteration { iteration: *iteration, ..Iteration::default() });
                self.total_iterations = self.iterations.len();
            }
            RefinementEvent::CritiqueComplete { data, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.critiques.push((**data).clone());
                }
            }
            RefinementEvent::CritiquesComplete { critiques, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.set_critiques(critiques.clone());
                }
            }
            RefinementEvent::RevisionComplete { content, .. } => {
                self.final_response.clone_from(content);
                if let Some(last) = self.iterations.last_mut() {
                    last.revision = Some(content.clone());
                }
            }
            RefinementEvent::IterationComplete {
                stop_reason: Some(reason), stop_reason_fact: fact, ..
            }
            | RefinementEvent::RefinementConverged { reason, reason_fact: fact, .. } => {
                if let Some(last) = self.iterations.last_mut() {
                    last.stop_because(reason.clone(), fact.clone());
                }
            }
            RefinementEvent::RefinementComplete(whole) => *self = (**whole).clone(),
            RefinementEvent::CritiquesStart { .. }
            | RefinementEvent::RevisionStart { .. }
            | RefinementEvent::RevisionToken { .. }
            | RefinementEvent::RevisionError { .. }
            | RefinementEvent::IterationComplete { stop_reason: None, .. } => {}
        }
    }

    /// Keeps what had been shown of a call that never ended; it ended the iteration.
    pub fn keep_unfinished(&mut self, call: &UnderWay, fact: &CallFact) {
        let Some(last) = self.iterations.last_mut() else { return };
        if *call.purpose == revision::REVISION {
            last.unfinished_revision = Some(call.text.clone()).filter(|text| !text.is_empty());
        } else {
            last.critiques.push(Critique {
                model: call.model.clone(),
                member: call.member.clone().unwrap_or_else(|| call.model.clone()),
                error: Some(fact.to_string()),
                error_kind: Some(ErrorKind::Cancelled),
                error_fact: Some(fact.clone()),
                ..Critique::default()
            });
        }
        last.stop(RefinementFact::Unfinished);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::Event;
    use crate::llm::Usage;

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
            assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event, "{json}");
        }
    }
}
