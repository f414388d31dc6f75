//! Parts that several prompts share.

pub mod fence;
pub mod history;
pub mod judges;
pub mod line;
pub mod own;
pub mod structured;
pub mod template;
