//! What research costs, and what its calls are for.

use super::simulated;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// Before the answers: what is to be searched for.
pub const STAGE: Stage = Stage::named("stage0");
/// Which searches a question needs.
pub static SPLIT: Purpose =
    Purpose { name: "research_split", usual_tokens: 150, simulated: simulated::research_split };
