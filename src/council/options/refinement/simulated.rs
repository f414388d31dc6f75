//! What a simulated critic says.

use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, OBJECTIONS};

pub fn critique(_: &Prompt<'_>, rng: &mut SeededRng) -> String {
    // Now and then there is nothing to say, so that a demonstration also shows an end.
    if rng.below(3) == 0 {
        return format!("{LABEL}\n\nNo major issues. The draft is accurate, complete and clear.");
    }
    format!("{LABEL}\n\n{} {}", rng.pick(OBJECTIONS), rng.pick(OBJECTIONS))
}
