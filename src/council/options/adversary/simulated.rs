//! What a simulated devil's advocate says.

use crate::llm::dice::Dice;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, OBJECTIONS};

pub fn attack(_: &Prompt<'_>, dice: &mut Dice) -> String {
    let severity = dice.pick(&["major", "minor", "none"]);
    let text = if severity == "none" { "No significant issues found." } else { dice.pick(OBJECTIONS) };
    format!("{LABEL}\n\n{text}\n\nSEVERITY: {severity}")
}
