//! The texts of a decomposition.

use super::{complexity, merge, split, sub_council};
use crate::council::options::confidence;
use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::stages::reviews;

/// Everything that this asks models with, besides the council that answers where it is skipped.
pub static TEMPLATES: &[&Template] = &[
    &complexity::PROMPT,
    &split::PROMPT,
    &sub_council::ANSWER_PROMPT,
    &sub_council::BALLOT_PROMPT,
    &merge::PROMPT,
    &fence::RULE,
    &reviews::REPAIR,
    &confidence::SUFFIX,
];
