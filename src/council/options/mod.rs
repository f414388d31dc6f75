//! Options of a run, one file each.

pub mod adversary;
pub mod confidence;
pub mod cot;
pub mod critique;
pub mod escalation;
pub mod refinement;
pub mod routing;
pub mod severity;
