//! What every request passes before a handler sees it.

pub mod gate;
pub mod head;
pub mod headers;
