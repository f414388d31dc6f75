//! What a simulated model says when it is asked to search.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// That it has found nothing: it cites nobody, and what it would make up would look like a finding.
pub fn search(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    format!("Simulated: nothing was searched for {}.", prompt.topic())
}
