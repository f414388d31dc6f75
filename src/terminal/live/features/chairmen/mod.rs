//! Several chairmen: drafts side by side, and the chairman's choice among them.

pub mod section;
pub mod shape;

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::{Failure, Piece};
use crate::terminal::live::state::Run;
use shape::{Chairmen, Draft};

/// The drafts, in the order of their labels.
fn drafts<'a>(fields: impl Iterator<Item = Fields<'a>>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = fields.map(draft).collect();
    drafts.sort_by(|one, other| one.label.cmp(&other.label));
    drafts
}

fn draft(fields: Fields) -> Draft {
    Draft { label: fields.string("label"), piece: Piece::ended(fields, "response") }
}

impl FeatureState for Option<Chairmen> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        let fields = event.fields;
        let data = fields.within("data");
        match event.kind {
            "multi_synthesis_start" => {
                *begun(self, run) = Chairmen { models: fields.texts("models"), ..Chairmen::default() };
            }
            // Without a label it is another format's answer itself.
            "synthesis_complete" if data.has("label") => {
                let chairmen = begun(self, run);
                let new = draft(data);
                chairmen.drafts.retain(|known| known.label != new.label);
                chairmen.drafts.push(new);
                chairmen.drafts.sort_by(|one, other| one.label.cmp(&other.label));
            }
            "multi_synthesis_complete" => {
                let chairmen = begun(self, run);
                if fields.has_value("syntheses") {
                    chairmen.drafts = drafts(fields.each("syntheses"));
                }
            }
            "selection_start" => {
                let chairmen = begun(self, run);
                chairmen.selector = fields.owned("model");
                chairmen.evaluation.clear();
            }
            "selection_token" => {
                if let Some(text) = fields.words("content") {
                    let chairmen = begun(self, run);
                    if chairmen.selected.is_none() {
                        chairmen.evaluation.push_str(text);
                    }
                }
            }
            "selection_complete" if data.is_there() => {
                let chairmen = begun(self, run);
                chairmen.selector = data.owned("model");
                chairmen.selected = data.owned("selected_synthesis");
                chairmen.evaluation = data.string("evaluation");
                chairmen.reasoning = data.owned("selection_reasoning");
            }
            "selection_error" => run.final_answer.failures.push(Failure::of(fields)),
            "stage3_complete" => chosen(self, data),
            "call_restarted" if fields.text("stage") == Some("stage3") && is_choosing(self.as_ref()) => {
                begun(self, run).evaluation.clear();
            }
            _ => {}
        }
    }
}

fn is_choosing(own: Option<&Chairmen>) -> bool {
    own.is_some_and(|chairmen| chairmen.selected.is_none())
}

fn begun<'a>(own: &'a mut Option<Chairmen>, run: &mut Run) -> &'a mut Chairmen {
    "stage3".clone_into(&mut run.phase);
    own.get_or_insert_default()
}

/// Reads the drafts from the answer that was chosen among them.
fn chosen(own: &mut Option<Chairmen>, result: Fields) {
    let drafts: Vec<Draft> = result.each("syntheses").map(draft).collect();
    if !drafts.is_empty() {
        *own = Some(Chairmen {
            models: drafts.iter().map(|draft| draft.piece.seat.model.clone()).collect(),
            drafts,
            selector: result.owned("selected_by"),
            evaluation: result.string("evaluation"),
            selected: result.owned("selected_synthesis"),
            reasoning: result.owned("selection_reasoning"),
        });
    }
}
