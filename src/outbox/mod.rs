//! Others are told when runs end: programs by [`webhooks`], and people's devices by [`push`], which hear of runs that wait for
//! their person, too. What is to be told stands in an outbox in the database ([`crate::store::outbox`]), written with what
//! happened to the run; any server takes it from there, at least once each.
//!
//! Sent nowhere but to public addresses unless the operator allows others, and never redirected.

mod address;
mod pauses;
pub mod push;
mod receiver;
pub mod webhooks;
mod work;

pub use address::UrlProblem;
