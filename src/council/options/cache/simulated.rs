//! What a simulated model says when it is asked for a vector in words.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// Says that there is none: a vector is requested in another way.
pub fn embedding(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    format!("Simulated: there are no words for {}.", prompt.topic())
}
