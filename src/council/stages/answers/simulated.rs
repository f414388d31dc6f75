//! What a simulated member answers.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, body};

pub fn answer(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let body = body(prompt, rng);
    let mut text = if prompt.asks_for("THINKING") && prompt.asks_for("CONCLUSION") {
        format!(
            "{LABEL}\n\n**THINKING:**\nThe question is about {}. What matters is what is fixed and what is free.\n\n\
             **ANALYSIS:**\nThe candidates differ in cost, in risk, and in how easily they can be undone.\n\n\
             **CONCLUSION:**\n{body}",
            prompt.topic()
        )
    } else {
        format!("{LABEL}\n\n{body}")
    };
    if prompt.asks_for("CONFIDENCE:") {
        text.push_str(&format!("\n\nCONFIDENCE: {}", 5 + rng.below(5)));
    }
    text
}
