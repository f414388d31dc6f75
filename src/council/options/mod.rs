//! Options of a run, one file each.

pub mod adversary;
pub mod confidence;
pub mod consensus;
pub mod cot;
pub mod escalation;
pub mod multi_chairman;
pub mod refinement;
pub mod routing;
