//! Options of a run, one file each.

pub mod confidence;
pub mod cot;
pub mod escalation;
pub mod routing;
