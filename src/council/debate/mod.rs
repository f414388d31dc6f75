//! A debate: rounds in which the members speak to each other, and a chairman who concludes. A format says who
//! speaks in a round, what each reads and what it is asked; everything else is here: streaming, failures, what
//! fits into a context, the ballots over the openings, the judgment.
//!
//! Start at [`transcript::Debate`] and [`course`]. A speaker that fails is out of the rounds that follow; the others go on while two
//! are left.

pub mod ballots;
mod course;
pub mod dialect;
pub(in crate::council) mod estimate;
pub mod event;
pub mod fold;
pub mod headings;
pub mod judgment;
mod kept;
pub mod kind;
pub mod material;
pub mod neutral_event;
pub mod notes;
pub mod options;
pub mod position;
pub mod rounds;
mod simulated;
pub mod speaker;
mod speaking;
pub mod statement;
pub mod transcript;

use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::stages::verdict;

/// Everything that the engine itself asks models with.
pub static TEMPLATES: &[&Template] =
    &[&fence::RULE, &position::SUFFIX, &judgment::PROMPT, &verdict::INSTRUCTIONS];
