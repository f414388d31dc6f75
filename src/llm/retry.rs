//! When a failed try is worth another one, and how long to wait before it.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::error::{CallError, ErrorKind};
use super::seeded_rng::SeededRng;

/// How often a call is tried, and how long the pauses are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    pub max_tries: u32,
    /// Upper bound of the first pause; it doubles with each further one.
    pub base: Duration,
    /// Upper bound of every pause that the provider did not ask for.
    pub cap: Duration,
    /// The longest pause that a provider may ask for: if it asks for more, the call fails.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Tries, and waits that the provider had asked other calls for.
    pub rounds: u32,
    /// Tries to which the model said nothing until the limit for its first token.
    pub silences: u32,
    /// Text, reasoning or a tool call has reached the sink: what was shown is never taken back.
    pub arrived: bool,
}

impl RetryPolicy {
    /// What a call over a network gets.
    pub const DEFAULT: Self = Self {
        max_tries: 3,
        base: Duration::from_millis(500),
        cap: Duration::from_secs(8),
        longest_wait: Duration::from_secs(30),
    };

    /// One try only.
    pub const NEVER: Self =
        Self { max_tries: 1, base: Duration::ZERO, cap: Duration::ZERO, longest_wait: Duration::ZERO };

    /// The pause before the next try, or `None` when this failure ends the call. `remaining` is what
    /// is left of the call's total time.
    pub(super) fn pause(
        &self,
        error: &CallError,
        progress: Progress,
        remaining: Duration,
        rng: &mut SeededRng,
    ) -> Option<Duration> {
        let Progress { rounds, silences, arrived } = progress;
        let is_over = arrived || rounds >= self.max_tries || silences >= MAX_SILENT_TRIES;
        if is_over || !is_worth_retrying(error) || self.asks_too_long(error) {
            return None;
        }
        // Full jitter: members that were refused together do not come back together.
        let ceiling = self.base.saturating_mul(1 << (rounds - 1).min(16)).min(self.cap);
        let jitter = ceiling.mul_f64(rng.unit());
        let pause = match error.retry_after_ms {
            Some(asked) => Duration::from_millis(asked).saturating_add(jitter.min(Duration::from_secs(1))),
            None => jitter,
        };
        (pause < remaining).then_some(pause)
    }

    fn asks_too_long(&self, error: &CallError) -> bool {
        error.retry_after_ms.is_some_and(|asked| Duration::from_millis(asked) > self.longest_wait)
    }

    /// The error that ends a call; its message says so if the provider asked for too long a wait.
    pub(super) fn explained(&self, mut error: CallError) -> CallError {
        let asked = error.retry_after_ms.filter(|_| self.max_tries > 1 && is_worth_retrying(&error));
        if let Some(asked) = asked.filter(|_| self.asks_too_long(&error)) {
            // The breaker's error already says how long the wait is.
            let wait = if error.tries == 0 {
                String::new()
            } else {
                format!("; it asked to wait {} s", asked.div_ceil(1000))
            };
            let most = self.longest_wait.as_secs_f64();
            error.message.push_str(&format!("{wait}, and a call waits {most} s at most"));
        }
        error
    }
}

/// The most tries that may end in silence: a model that is silent twice is not asked a third time, even if a try is
/// left.
const MAX_SILENT_TRIES: u32 = 2;

/// Whether the next try may succeed. `docs/options.md` has this as a table, which a test compares.
pub(super) fn is_worth_retrying(error: &CallError) -> bool {
    match error.kind {
        ErrorKind::RateLimited | ErrorKind::Overloaded | ErrorKind::Timeout => match error.status {
            Some(status) => matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 524 | 529),
            // A lost connection, silence, or an error in the place of an answer.
            None => true,
        },
        ErrorKind::Auth
        | ErrorKind::ContextTooLong
        | ErrorKind::Refused
        | ErrorKind::BadResponse
        | ErrorKind::Budget
        | ErrorKind::Cancelled => false,
    }
}

/// How long a `Retry-After` value asks to wait: seconds (also with a fraction) or an HTTP date.
pub(super) fn parse_retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
