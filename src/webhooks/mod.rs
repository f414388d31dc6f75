//! Webhooks: other programs are told when runs end. Deliveries stand in an outbox in the database ([`crate::store::webhooks`]),
//! written with the run's end; any server takes them from there, at least once each.
//!
//! Signed as Standard Webhooks says (<https://www.standardwebhooks.com>), sent nowhere but to public addresses unless the
//! operator allows others, and never redirected.

mod address;
mod body;
mod pauses;
mod sender;
mod signature;

pub use address::UrlProblem;
pub use sender::Sender;
pub use signature::{new_secret, shown};

/// The event of a test: it is about no run.
pub const TEST_EVENT: &str = "webhook.test";
