//! Rankings: how reviewers' texts are read, in which order they see the answers, and what the
//! ballots say together. Pure: no model, no clock, no randomness.

pub mod aggregate;
mod agreement;
pub mod ballots;
pub mod bradley_terry;
pub mod certainty;
pub mod effects;
pub mod label;
pub mod methods;
pub mod order;
pub mod parse;
pub mod records;
pub mod self_votes;
pub mod weight_facts;
pub mod weights;
