//! Several chairmen: drafts side by side, and the chairman's choice among them.

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::piece::{Failure, Piece};
use crate::terminal::live::state::LiveRun;
use shape::{Chairmen, Draft};

/// In the order of their labels.
fn drafts<'a>(told: impl Iterator<Item = Fields<'a>>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = told.map(draft).collect();
    drafts.sort_by(|one, other| one.label.cmp(&other.label));
    drafts
}

fn draft(told: Fields) -> Draft {
    Draft { label: told.string("label"), piece: Piece::ended(told, "response") }
}

pub(super) fn apply(run: &mut LiveRun, event: Event) {
    let told = event.fields;
    let data = told.within("data");
    match event.kind {
        "multi_synthesis_start" => {
            *begun(run) = Chairmen { models: told.texts("models"), ..Chairmen::default() };
        }
        // Without a label it is another format's answer itself.
        "synthesis_complete" if data.has("label") => {
            let chairmen = begun(run);
            let new = draft(data);
            chairmen.drafts.retain(|known| known.label != new.label);
            chairmen.drafts.push(new);
            chairmen.drafts.sort_by(|one, other| one.label.cmp(&other.label));
        }
        "multi_synthesis_complete" => {
            let chairmen = begun(run);
            if told.tells("syntheses") {
                chairmen.drafts = drafts(told.each("syntheses"));
            }
        }
        "selection_start" => {
            let chairmen = begun(run);
            chairmen.selector = told.owned("model");
            chairmen.evaluation.clear();
        }
        "selection_token" => {
            if let Some(text) = told.words("content") {
                let chairmen = begun(run);
                if chairmen.selected.is_none() {
                    chairmen.evaluation.push_str(text);
                }
            }
        }
        "selection_complete" if data.is_there() => {
            let chairmen = begun(run);
            chairmen.selector = data.owned("model");
            chairmen.selected = data.owned("selected_synthesis");
            chairmen.evaluation = data.string("evaluation");
            chairmen.reasoning = data.owned("selection_reasoning");
        }
        "selection_error" => run.final_answer.failures.push(Failure::of(told)),
        "stage3_complete" => chosen(run, data),
        "call_restarted" if told.text("stage") == Some("stage3") && is_choosing(run) => {
            begun(run).evaluation.clear();
        }
        _ => {}
    }
}

fn is_choosing(run: &LiveRun) -> bool {
    run.chairmen.as_ref().is_some_and(|chairmen| chairmen.selected.is_none())
}

fn begun(run: &mut LiveRun) -> &mut Chairmen {
    "stage3".clone_into(&mut run.phase);
    run.chairmen.get_or_insert_default()
}

pub mod shape;

/// As an answer that was chosen from drafts tells it.
fn chosen(run: &mut LiveRun, result: Fields) {
    let drafts: Vec<Draft> = result.each("syntheses").map(draft).collect();
    if !drafts.is_empty() {
        run.chairmen = Some(Chairmen {
            models: drafts.iter().map(|draft| draft.piece.seat.model.clone()).collect(),
            drafts,
            selector: result.owned("selected_by"),
            evaluation: result.string("evaluation"),
            selected: result.owned("selected_synthesis"),
            reasoning: result.owned("selection_reasoning"),
        });
    }
}
