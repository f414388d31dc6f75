//! What each family of events adds to the state of a run: its types, which know no run.

pub mod adversary;
pub mod cache;
pub mod chairmen;
pub mod checks;
pub mod choosing;
pub mod final_answer;
pub mod lookups;
pub mod parts;
pub mod refinement;
pub mod reviews;
pub mod rounds;
pub mod searches;
