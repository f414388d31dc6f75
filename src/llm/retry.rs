//! When a failed try is worth another one, and how long to wait before it.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::dice::Dice;
use super::error::{CallError, ErrorKind};

/// Tries and pauses of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    pub max_tries: u32,
    /// Upper bound of the first pause; it doubles with each further one.
    pub base: Duration,
    /// Upper bound of every pause that the provider did not ask for.
    pub cap: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_tries: 3, base: Duration::from_millis(500), cap: Duration::from_secs(8) }
    }
}

impl RetryPolicy {
    /// One try only.
    pub const NEVER: Self = Self { max_tries: 1, base: Duration::ZERO, cap: Duration::ZERO };

    /// The pause before the next try, or `None` when this failure ends the call. `arrived` says
    /// that text, reasoning or a tool call had reached the sink: what was shown is never taken
    /// back. `remaining` is what is left of the call's total time.
    pub(super) fn pause(
        &self,
        error: &CallError,
        tries: u32,
        arrived: bool,
        remaining: Duration,
        dice: &mut Dice,
    ) -> Option<Duration> {
        if arrived || tries >= self.max_tries || !is_worth_retrying(error) {
            return None;
        }
        // Full jitter: members that were refused together do not come back together.
        let ceiling = self.base.saturating_mul(1 << (tries - 1).min(16)).min(self.cap);
        let jitter = ceiling.mul_f64(dice.unit());
        let pause = match error.retry_after_ms {
            Some(asked) => Duration::from_millis(asked).saturating_add(jitter.min(Duration::from_secs(1))),
            None => jitter,
        };
        (pause < remaining).then_some(pause)
    }
}

fn is_worth_retrying(error: &CallError) -> bool {
    match error.kind {
        // 402 is no credit: waiting does not refill it, unless the provider says when.
        ErrorKind::RateLimited => error.status != Some(402) || error.retry_after_ms.is_some(),
        ErrorKind::Overloaded | ErrorKind::Timeout => true,
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONG: Duration = Duration::from_secs(300);

    fn error(kind: ErrorKind, retry_after_ms: Option<u64>) -> CallError {
        CallError { retry_after_ms, ..CallError::new(kind, "no") }
    }

    fn pause(error: &CallError, tries: u32, arrived: bool, remaining: Duration) -> Option<Duration> {
        RetryPolicy::default().pause(error, tries, arrived, remaining, &mut Dice::new(7, "m"))
    }

    #[test]
    fn only_passing_failures_before_the_first_token_are_retried() {
        let overloaded = error(ErrorKind::Overloaded, None);
        assert!(pause(&overloaded, 1, false, LONG).is_some());
        assert!(pause(&overloaded, 3, false, LONG).is_none(), "three tries in all");
        assert!(pause(&overloaded, 1, true, LONG).is_none(), "a token was shown");
        for kind in [ErrorKind::Auth, ErrorKind::Refused, ErrorKind::BadResponse, ErrorKind::ContextTooLong] {
            assert!(pause(&error(kind, None), 1, false, LONG).is_none(), "{kind:?}");
        }
    }

    #[test]
    fn a_longer_wait_than_the_call_has_left_ends_it_at_once() {
        let limited = error(ErrorKind::RateLimited, Some(20_000));
        assert!(pause(&limited, 1, false, Duration::from_secs(10)).is_none());
        assert!(pause(&limited, 1, false, LONG) >= Some(Duration::from_secs(20)));
    }

    #[test]
    fn no_credit_is_not_retried() {
        let broke = CallError { status: Some(402), ..error(ErrorKind::RateLimited, None) };
        assert!(pause(&broke, 1, false, LONG).is_none());
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let now: Timestamp = "2026-11-21T07:28:00Z".parse().unwrap();
        let read = |value| parse_retry_after(value, now);
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(read("Sat, 21 Nov 2026 07:28:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Fri, 20 Nov 2026 07:28:30 GMT"), Some(Duration::ZERO), "a date in the past");
        for junk in ["", "-1", "NaN", "inf", "soon", "1e400"] {
            assert_eq!(read(junk), None, "{junk}");
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_panic(value in any::<String>()) {
            parse_retry_after(&value, Timestamp::UNIX_EPOCH);
        }

        #[test]
        fn a_pause_stays_under_its_ceiling(seed: u64, tries in 1u32..50) {
            let policy = RetryPolicy { max_tries: 100, ..RetryPolicy::default() };
            let failure = error(ErrorKind::Overloaded, None);
            let pause = policy.pause(&failure, tries, false, LONG, &mut Dice::new(seed, "m")).unwrap();
            prop_assert!(pause <= policy.cap);
            prop_assert!(pause <= policy.base.saturating_mul(1 << (tries - 1).min(16)));
        }
    }
}
