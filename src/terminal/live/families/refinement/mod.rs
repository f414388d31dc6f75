//! Refinement: critiques of the draft, and its revisions, one iteration after the other.

pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::family::Family;
use crate::terminal::live::piece::Piece;
use crate::terminal::live::state::Run;
use shape::{Critique, Iteration, IterationStatus, Refinement};

fn critique(told: Fields) -> Critique {
    Critique { piece: Piece::ended(told, "critique"), is_substantive: told.flag("is_substantive") }
}

fn stored_iteration(told: Fields) -> Iteration {
    let critiques: Vec<Critique> = told.each("critiques").map(critique).collect();
    let revision = told.text("revision");
    Iteration {
        iteration: told.whole("iteration").unwrap_or_default(),
        asked: critiques.len() as u64,
        critiques,
        text: revision.or(told.text("unfinished_revision")).unwrap_or_default().to_owned(),
        status: if revision.is_some() { IterationStatus::Done } else { IterationStatus::Stopped },
        reason: told.words("stop_reason").map(str::to_owned),
    }
}

fn stored(told: Fields) -> Refinement {
    Refinement {
        max_iterations: told.count("max_iterations").unwrap_or_default(),
        iterations: told.each("iterations").map(stored_iteration).collect(),
        converged: told.flag("converged"),
        done: true,
        cost: told.number("total_cost"),
    }
}

impl Family for Option<Refinement> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let told = event.fields;
        match event.kind {
            "refinement_start" => {
                let max_iterations = told.count("max_iterations").unwrap_or_default();
                *begun(self, run) = Refinement { max_iterations, ..Refinement::default() };
            }
            "iteration_start" => _ = iteration(self, run, told),
            "critiques_start" => {
                iteration(self, run, told).asked = told.count("model_count").unwrap_or_default();
            }
            "critique_complete" => {
                let critiques = &mut iteration(self, run, told).critiques;
                let new = critique(told);
                critiques.retain(|known| known.piece.seat.member != new.piece.seat.member);
                critiques.push(new);
            }
            "critiques_complete" => {
                let iteration = iteration(self, run, told);
                if told.tells("critiques") {
                    iteration.critiques = told.each("critiques").map(critique).collect();
                }
            }
            "revision_start" => {
                let iteration = iteration(self, run, told);
                iteration.status = IterationStatus::Revising;
                iteration.text.clear();
            }
            "revision_token" => {
                if let Some(text) = told.words("content") {
                    let iteration = iteration(self, run, told);
                    if iteration.status != IterationStatus::Done {
                        iteration.status = IterationStatus::Revising;
                        iteration.text.push_str(text);
                    }
                }
            }
            "revision_complete" => {
                if let Some(text) = told.text("content") {
                    let iteration = iteration(self, run, told);
                    iteration.status = IterationStatus::Done;
                    text.clone_into(&mut iteration.text);
                    run.final_answer.revise(text);
                }
            }
            "revision_error" => {
                let iteration = iteration(self, run, told);
                iteration.status = IterationStatus::Stopped;
                iteration.reason = Some(told.string("error"));
            }
            "iteration_complete" => ends(iteration(self, run, told), told),
            "refinement_converged" => {
                let iteration = iteration(self, run, told);
                iteration.status = IterationStatus::Stopped;
                iteration.reason = told.words("reason").map(str::to_owned);
                begun(self, run).converged = true;
            }
            "refinement_complete" => {
                *begun(self, run) = stored(told);
                if let Some(text) = told.text("final_response") {
                    run.final_answer.revise(text);
                }
            }
            "call_restarted" if told.text("stage") == Some("refinement") => restarts(self, run),
            _ => {}
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        let told = message.within("metadata").within("refinement");
        if told.is_there() {
            *self = Some(stored(told));
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
fn iteration<'a>(own: &'a mut Option<Refinement>, run: &mut Run, told: Fields) -> &'a mut Iteration {
    let iterations = &mut begun(own, run).iterations;
    let number = told.whole("iteration").unwrap_or_default();
    let at = iterations.iter().position(|one| one.iteration == number).unwrap_or_else(|| {
        iterations.push(Iteration { iteration: number, ..Iteration::default() });
        iterations.len() - 1
    });
    &mut iterations[at]
}

fn ends(iteration: &mut Iteration, told: Fields) {
    let revision = told.text("revision");
    iteration.status = if revision.is_some() { IterationStatus::Done } else { IterationStatus::Stopped };
    if let Some(text) = revision {
        text.clone_into(&mut iteration.text);
    }
    if let Some(reason) = told.words("stop_reason") {
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
