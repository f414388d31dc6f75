//! What the calls of refinement are for.

use super::simulated;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// Where the draft is criticised and revised.
pub const STAGE: Stage = Stage::named("refinement");
/// A member's critique of a draft.
pub static CRITIQUE: Purpose =
    Purpose { name: "critique", usual_tokens: 800, simulated: simulated::critique };
