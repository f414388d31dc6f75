//! Parts that several prompts share.

pub mod fence;
pub mod history;
pub mod judges;
pub mod own;
pub mod seat_history;
pub mod structured;
pub mod template;
