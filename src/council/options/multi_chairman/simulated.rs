//! What a simulated chairman chooses.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, body};

pub fn selection(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let drafts: Vec<char> = ('A'..='G')
        .filter(|label| {
            prompt.asks_for(&format!("[Draft {label}")) || prompt.asks_for(&format!("Draft {label}]"))
        })
        .collect();
    let selected = drafts.get(rng.below(drafts.len().max(1))).copied().unwrap_or('A');
    format!(
        "EVALUATION:\nEach draft is right in the main; they differ in order and in what they leave out. (Simulated.)\n\n\
         SELECTED: {selected}\n\nREASONING:\nIt names the hardest constraint first.\n\nFINAL RESPONSE:\n{LABEL}\n\n{}",
        body(prompt, rng)
    )
}
