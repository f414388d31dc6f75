//! What a simulated devil's advocate says.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, OBJECTIONS};

pub fn attack(_: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let severity = rng.pick(&["major", "minor", "none"]);
    let text = if severity == "none" { "No significant issues found." } else { rng.pick(OBJECTIONS) };
    format!("{LABEL}\n\n{text}\n\nSEVERITY: {severity}")
}
