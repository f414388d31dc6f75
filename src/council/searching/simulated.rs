//! What a simulated model says when it is asked to search.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// Says that it has found nothing: a made-up result would look like a real finding.
pub fn search(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    format!("Simulated: nothing was searched for {}.", prompt.topic())
}
