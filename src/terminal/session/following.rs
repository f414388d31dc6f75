//! The events of a run as they come, across interruptions.

use std::pin::Pin;

use futures_util::Stream;
use futures_util::StreamExt as _;
use serde_json::Value;

use super::Trouble;

/// The next step in following a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// An event, with its number in the run's log; `None` if it belongs to the stream alone.
    Event { seq: Option<u64>, event: Value },
    /// The connection is lost, for this reason; reconnecting is tried.
    Lost(String),
    /// Events arrive again.
    Back,
    /// Reconnecting is given up; the run goes on without us.
    Gone(Trouble),
}

/// The events of one run, from the requested one to the last.
pub struct Following(Pin<Box<dyn Stream<Item = Step> + Send>>);

impl Following {
    /// Wraps a stream that ends after the run's last event, or after [`Step::Gone`].
    pub fn new(steps: impl Stream<Item = Step> + Send + 'static) -> Self {
        Self(Box::pin(steps))
    }

    /// The next step; `None` after the last.
    pub async fn next(&mut self) -> Option<Step> {
        self.0.next().await
    }
}

impl std::fmt::Debug for Following {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Following")
    }
}

/// Whether a run's stream ends with this event.
#[must_use]
pub fn ends(event: &Value) -> bool {
    matches!(event.get("type").and_then(Value::as_str), Some("complete" | "error" | "cancelled"))
}
