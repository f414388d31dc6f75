//! What a simulated model says when it is asked for a vector in words.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// That it has none: a vector is asked for in another way.
pub fn embedding(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    format!("Simulated: there are no words for {}.", prompt.topic())
}
