//! Notifications of the ends of runs: to programs by [`webhooks`], and to people's devices by [`push`], which also hear
//! of runs that wait for their person. Messages stand in an outbox in the database ([`crate::store::outbox`]), written
//! together with the change to the run; any server sends them from there, each at least once.
//!
//! Sent nowhere but to public addresses unless the operator allows others, and never redirected.

mod address;
mod pauses;
pub mod push;
mod receiver;
pub mod webhooks;
mod work;

pub use address::UrlProblem;
