//! The council's final answer while it may still change.

use super::stages::synthesis::Synthesis;

/// An answer that may still be improved.
#[derive(Debug, Clone)]
pub struct Draft {
    pub synthesis: Synthesis,
    /// Whether nothing more is to be done with it: the council agreed, or nobody could write.
    pub settled: bool,
}
