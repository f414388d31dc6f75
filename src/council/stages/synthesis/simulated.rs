//! What a simulated chairman writes.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, body};

pub fn synthesis(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let mut text = format!("{LABEL}\n\n{}", body(prompt, rng));
    if prompt.asks_for("COUNCIL NOTES:") {
        text.push_str(
            "\n\nCOUNCIL NOTES:\n\
             AGREEMENT: The members agree that the hardest constraint should be settled first.\n\
             AGREEMENT: All of them prefer steps that can be undone.\n\
             CONTRADICTION: They disagree on whether to measure first or to begin at once.\n\
             ONLY ONE: Only one member asks who carries the cost. [KEPT: nobody denies that somebody has to]\n\
             NOT COVERED: None of them gives figures.\n\
             MINORITY: One member would do nothing at all for now.",
        );
    }
    text
}
