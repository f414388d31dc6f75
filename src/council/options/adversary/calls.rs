//! What the calls of the devil's advocate are for.

use super::simulated;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// Where the answer is attacked, and revised against the attack.
pub const STAGE: Stage = Stage::named("adversary");
/// The devil's advocate's attack on a draft.
pub static ATTACK: Purpose = Purpose { name: "adversary", usual_tokens: 800, simulated: simulated::attack };
