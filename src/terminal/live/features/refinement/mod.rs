//! Refinement: critiques of the draft, and its revisions, one iteration after the other.

pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::Piece;
use crate::terminal::live::state::Run;
use shape::{Critique, Iteration, IterationStatus, Refinement};

fn critique(fields: Fields) -> Critique {
    Critique { piece: Piece::ended(fields, "critique"), is_substantive: fields.flag("is_substantive") }
}

fn stored_iteration(fields: Fields) -> Iteration {
    let critiques: Vec<Critique> = fields.each("critiques").map(critique).collect();
    let revision = fields.text("revision");
    Iteration {
        iteration: fields.whole("iteration").unwrap_or_default(),
        asked: critiques.len() as u64,
        critiques,
        text: revision.or(fields.text("unfinished_revision")).unwrap_or_default().to_owned(),
        status: if revision.is_some() { IterationStatus::Done } else { IterationStatus::Stopped },
        reason: fields.words("stop_reason").map(str::to_owned),
    }
}

fn stored(fields: Fields) -> Refinement {
    Refinement {
        max_iterations: fields.count("max_iterations").unwrap_or_default(),
        iterations: fields.each("iterations").map(stored_iteration).collect(),
        converged: fields.flag("converged"),
        done: true,
        cost: fields.number("total_cost"),
    }
}

impl FeatureState for Option<Refinement> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        match event.kind {
            "refinement_start" => {
                let max_iterations = fields.count("max_iterations").unwrap_or_default();
                *begun(self, run) = Refinement { max_iterations, ..Refinement::default() };
            }
            "iteration_start" => _ = iteration(self, run, fields),
            "critiques_start" => {
                iteration(self, run, fields).asked = fields.count("model_count").unwrap_or_default();
            }
            "critique_complete" => {
                let critiques = &mut iteration(self, run, fields).critiques;
                let new = critique(fields);
                critiques.retain(|known| known.piece.seat.member != new.piece.seat.member);
                critiques.push(new);
            }
            "critiques_complete" => {
                let iteration = iteration(self, run, fields);
                if fields.has_value("critiques") {
                    iteration.critiques = fields.each("critiques").map(critique).collect();
                }
            }
            "revision_start" => {
                let iteration = iteration(self, run, fields);
                iteration.status = IterationStatus::Revising;
                iteration.text.clear();
            }
            "revision_token" => {
                if let Some(text) = fields.words("content") {
                    let iteration = iteration(self, run, fields);
                    if iteration.status != IterationStatus::Done {
                        iteration.status = IterationStatus::Revising;
                        iteration.text.push_str(text);
                    }
                }
            }
            "revision_complete" => {
                if let Some(text) = fields.text("content") {
                    let iteration = iteration(self, run, fields);
                    iteration.status = IterationStatus::Done;
                    text.clone_into(&mut iteration.text);
                    run.final_answer.revise(text);
                }
            }
            "revision_error" => {
                let iteration = iteration(self, run, fields);
                iteration.status = IterationStatus::Stopped;
                iteration.reason = Some(fields.string("error"));
            }
            "iteration_complete" => ends(iteration(self, run, fields), fields),
            "refinement_converged" => {
                let iteration = iteration(self, run, fields);
                iteration.status = IterationStatus::Stopped;
                iteration.reason = fields.words("reason").map(str::to_owned);
                begun(self, run).converged = true;
            }
            "refinement_complete" => {
                *begun(self, run) = stored(fields);
                if let Some(text) = fields.text("final_response") {
                    run.final_answer.revise(text);
                }
            }
            "call_restarted" if fields.text("stage") == Some("refinement") => restarts(self, run),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let fields = message.within("metadata").within("refinement");
        if fields.is_there() {
            *self = Some(stored(fields));
        }
    }

    fn settle(&mut self) {
        let Some(refinement) = self.as_mut().filter(|refinement| !refinement.done) else { return };
        refinement.done = true;
        for iteration in &mut refinement.iterations {
            if iteration.status != IterationStatus::Done {
                iteration.status = IterationStatus::Stopped;
            }
        }
    }
}

fn begun<'a>(own: &'a mut Option<Refinement>, run: &mut Run) -> &'a mut Refinement {
    "refinement".clone_into(&mut run.phase);
    own.get_or_insert_default()
}

/// The iteration that an event names, which is added where it is new.
fn iteration<'a>(own: &'a mut Option<Refinement>, run: &mut Run, fields: Fields) -> &'a mut Iteration {
    let iterations = &mut begun(own, run).iterations;
    let number = fields.whole("iteration").unwrap_or_default();
    let at = iterations.iter().position(|one| one.iteration == number).unwrap_or_else(|| {
        iterations.push(Iteration { iteration: number, ..Iteration::default() });
        iterations.len() - 1
    });
    &mut iterations[at]
}

fn ends(iteration: &mut Iteration, fields: Fields) {
    let revision = fields.text("revision");
    iteration.status = if revision.is_some() { IterationStatus::Done } else { IterationStatus::Stopped };
    if let Some(text) = revision {
        text.clone_into(&mut iteration.text);
    }
    if let Some(reason) = fields.words("stop_reason") {
        iteration.reason = Some(reason.to_owned());
    }
}

/// A call that was lost and is made again: a half-written revision goes.
fn restarts(own: &mut Option<Refinement>, run: &mut Run) {
    let last = own.as_mut().and_then(|refinement| refinement.iterations.last_mut());
    if let Some(last) = last.filter(|last| last.status == IterationStatus::Revising) {
        last.text.clear();
        begun(own, run);
    }
}
