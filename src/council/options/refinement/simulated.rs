//! What a simulated critic says.

use crate::llm::dice::Dice;
use crate::llm::simulated_prompt::Prompt;
use crate::llm::simulated_text::{LABEL, OBJECTIONS};

pub fn critique(_: &Prompt<'_>, dice: &mut Dice) -> String {
    // Now and then there is nothing to say, so that a demonstration also shows an end.
    if dice.below(3) == 0 {
        return format!("{LABEL}\n\nNo major issues. The draft is accurate, complete and clear.");
    }
    format!("{LABEL}\n\n{} {}", dice.pick(OBJECTIONS), dice.pick(OBJECTIONS))
}
