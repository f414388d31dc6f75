//! What the chairman checks before it writes (ReAct): a thought, a search, what was found, and again.

use crate::terminal::live::event::{Event, Fields};
use crate::terminal::live::feature_state::FeatureState;
use crate::terminal::live::piece::CallStatus;
use crate::terminal::live::state::Run;
use shape::Check;

pub mod asked;
pub mod section;
pub mod shape;

impl FeatureState for Vec<Check> {
    fn apply(&mut self, run: &mut Run, event: Event) {
        if !event.kind.starts_with("react_") {
            return;
        }
        let fields = event.fields;
        let turn = Check::of(fields);
        let last = self.iter().rposition(|check| check.is_of(&turn));
        match event.kind {
            "react_thought" => self.push(Check { thought: fields.string("thought"), ..turn }),
            "react_action" => {
                let done = (fields.owned("action"), fields.string("query"));
                match last.map(|at| &mut self[at]).filter(|check| check.action.is_none()) {
                    Some(check) => (check.action, check.query) = done,
                    None => self.push(Check { action: done.0, query: done.1, ..turn }),
                }
            }
            "react_observation" => {
                let Some(at) = last else { return };
                let check = &mut self[at];
                check.observation = Some(fields.string("observation"));
                check.found = fields.each("sources").filter_map(|source| source.whole("n")).collect();
                check.error = fields.owned("error");
            }
            _ => return,
        }
        // Checks are shown in the place of the final answer, which counts as being written from then on.
        let piece = &mut run.final_answer.piece;
        if piece.status == CallStatus::Waiting {
            piece.status = CallStatus::Writing;
            "stage3".clone_into(&mut run.phase);
        }
    }

    /// Reads what is stored with a message.
    fn read(&mut self, _run: &mut Run, message: Fields, _is_live: bool) {
        *self = message.within("metadata").each("react").map(Check::stored).collect();
    }
}
