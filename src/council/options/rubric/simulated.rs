//! What a simulated model drafts.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;

/// Criteria that fit any question, with words of this one.
pub fn draft(prompt: &Prompt<'_>, _: &mut SeededRng) -> String {
    let topic = prompt.topic();
    format!(
        "- Right: what it says of {topic} is true, and where it is not sure it says so\n\
         - Complete: it leaves out nothing that whoever asks needs to act\n\
         - Clear: a colleague understands it at the first reading"
    )
}
