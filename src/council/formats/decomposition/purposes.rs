//! What calls of a decomposition are for, and their stages.

use super::bounds::MAX_PARTS;
use super::simulated;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// What requests call this format.
pub const MODE: &str = "decomposition";
/// The flag by which older clients ask for it.
pub const FLAG: &str = "use_decomposition";

/// Where the question is judged and taken apart.
pub static STAGE: Stage = Stage::named("decomposition");
/// The stages in which the parts are answered, in order.
pub static PARTS: [Stage; MAX_PARTS] = [
    Stage::named("sub1"),
    Stage::named("sub2"),
    Stage::named("sub3"),
    Stage::named("sub4"),
    Stage::named("sub5"),
];

/// Whether the question has parts.
pub static COMPLEXITY: Purpose =
    Purpose { name: "complexity", usual_tokens: 80, simulated: simulated::complexity };
/// What they are.
pub static SPLIT: Purpose = Purpose { name: "split", usual_tokens: 150, simulated: simulated::split };
/// A member's answer to a part.
pub static SUB_ANSWER: Purpose =
    Purpose { name: "sub_answer", usual_tokens: 800, simulated: simulated::sub_answer };
/// A member's ranking of the answers to a part.
pub static PICK: Purpose = Purpose { name: "sub_ballot", usual_tokens: 60, simulated: simulated::ballot };
/// The answer that is put together from the parts.
pub static MERGE: Purpose = Purpose { name: "merge", usual_tokens: 2_000, simulated: simulated::merge };
/// What its calls are for.
pub static PURPOSES: [&Purpose; 5] = [&COMPLEXITY, &SPLIT, &SUB_ANSWER, &PICK, &MERGE];

/// The stage of a part, from 0.
pub(super) fn stage(index: usize) -> Stage {
    PARTS[index.min(MAX_PARTS - 1)].clone()
}
