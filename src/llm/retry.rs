//! When a failed try is worth another one, and how long to wait before it.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::error::{CallError, ErrorKind};
use super::seeded_rng::SeededRng;

/// Tries and pauses of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included; at least 1.
    pub max_tries: u32,
    /// Upper bound of the first pause; it doubles with each further one.
    pub base: Duration,
    /// Upper bound of every pause that the provider did not ask for.
    pub cap: Duration,
    /// The longest pause that a provider may ask for: a call that is to wait longer is over.
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
    /// Tries, and waits that the provider had asked of others.
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

    /// An error that ends its call; it says so where the wait that was asked for is the reason.
    pub(super) fn explained(&self, mut error: CallError) -> CallError {
        let asked = error.retry_after_ms.filter(|_| self.max_tries > 1 && is_worth_retrying(&error));
        if let Some(asked) = asked.filter(|_| self.asks_too_long(&error)) {
            // The breaker has said already how long the wait is.
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

/// Tries to which a model may say nothing: who is silent twice is not asked a third time, though
/// other failures would leave a try.
const MAX_SILENT_TRIES: u32 = 2;

/// Whether a failure may have passed by the next try. `docs/options.md` has the same as a table, which a test compares.
fn is_worth_retrying(error: &CallError) -> bool {
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
mod tests {
    use proptest::prelude::*;

    use super::super::request::Timeouts;
    use super::super::upstream_error::{Asked, Secrets};
    use super::*;

    const LONG: Duration = Duration::from_secs(300);

    fn error(kind: ErrorKind, retry_after_ms: Option<u64>) -> CallError {
        CallError { retry_after_ms, ..CallError::new(kind, "no") }
    }

    fn pause(error: &CallError, rounds: u32, arrived: bool, remaining: Duration) -> Option<Duration> {
        let progress = Progress { rounds, arrived, silences: 0 };
        RetryPolicy::default().pause(error, progress, remaining, &mut SeededRng::new(7, "m"))
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
    fn a_longer_wait_than_a_call_waits_ends_it_and_is_the_reason_given() {
        let policy = RetryPolicy::default();
        for asked in [30_000, 30_001, 200_000] {
            let limited = CallError { status: Some(429), ..error(ErrorKind::RateLimited, Some(asked)) };
            let waits = asked <= 30_000;
            assert_eq!(pause(&limited, 1, false, LONG).is_some(), waits, "{asked}");
            assert_eq!(policy.explained(limited).message == "no", waits, "{asked}");
        }
        let asked = CallError { status: Some(503), ..error(ErrorKind::Overloaded, Some(200_000)) };
        assert_eq!(
            policy.explained(asked.clone()).message,
            "no; it asked to wait 200 s, and a call waits 30 s at most"
        );
        let by_the_breaker = CallError { tries: 0, ..asked };
        assert_eq!(policy.explained(by_the_breaker).message, "no, and a call waits 30 s at most");
    }

    #[test]
    fn no_credit_is_not_retried_whatever_wait_is_asked_for() {
        for asked in [None, Some(1)] {
            let broke = CallError { status: Some(402), ..error(ErrorKind::RateLimited, asked) };
            assert!(pause(&broke, 1, false, LONG).is_none());
        }
    }

    #[test]
    fn the_second_silence_is_the_last() {
        let silent = error(ErrorKind::Timeout, None);
        let after = |rounds, silences| {
            let progress = Progress { rounds, silences, arrived: false };
            RetryPolicy::default().pause(&silent, progress, LONG, &mut SeededRng::new(7, "m")).is_some()
        };
        assert!(after(1, 1));
        assert!(after(2, 1), "another failure came before");
        assert!(!after(2, 2));
    }

    #[test]
    fn only_statuses_that_pass_are_retried() {
        let kinds = [ErrorKind::RateLimited, ErrorKind::Overloaded, ErrorKind::Timeout];
        let passes = [408, 429, 500, 502, 503, 504, 524, 529];
        for status in 400..600 {
            for kind in kinds {
                let failure = CallError { status: Some(status), ..error(kind, None) };
                assert_eq!(pause(&failure, 1, false, LONG).is_some(), passes.contains(&status), "{status}");
            }
        }
    }

    /// How often this failure is tried again when every try ends with it.
    fn retries(error: &CallError, is_silence: bool, arrived: bool) -> u32 {
        let mut rounds = 1;
        let goes_on = |rounds| {
            let progress = Progress { rounds, arrived, silences: if is_silence { rounds } else { 0 } };
            let mut rng = SeededRng::new(7, "m");
            RetryPolicy::default().pause(error, progress, LONG, &mut rng).is_some()
        };
        while goes_on(rounds) {
            rounds += 1;
        }
        rounds - 1
    }

    fn statuses(cell: &str) -> Vec<u16> {
        cell.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    }

    #[test]
    fn the_table_in_the_docs_says_what_is_tried_again() {
        let docs = include_str!("../../docs/options.md");
        let section = docs.split_once("\n## When a member fails\n").unwrap().1;
        let section = section.split("\n## ").next().unwrap();
        let rows: Vec<[&str; 3]> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
            .map(|row| row.split(" | ").collect::<Vec<_>>().try_into().expect("three cells"))
            .skip(1)
            .collect();
        let asked = Asked { provider: "p".into(), model: "m".into(), secrets: Secrets::default() };
        let answered = |status: u16| asked.refused(status, None, b"");
        let midway = |message: &str| asked.failed_midway(&serde_json::json!({ "message": message }));
        let passing = statuses(rows[0][0]);
        let others: Vec<CallError> =
            (300..600).filter(|status| !passing.contains(status)).map(answered).collect();
        assert!(statuses(rows[4][0]).iter().all(|status| !passing.contains(status)));

        let wait = Some(RetryPolicy::DEFAULT.longest_wait + Duration::from_millis(1));
        let broke = asked.refused(402, Some(Duration::from_millis(1)), b"");
        let outages = vec![midway("upstream is gone"), midway("timed out"), midway("rate limit")];
        let kind = |kind| vec![error(kind, None)];
        let not_silence = |beginning, errors: Vec<CallError>| (beginning, errors, false, false);
        let expected = [
            not_silence("408,", passing.iter().copied().map(answered).collect()),
            not_silence("a lost or refused connection", outages),
            not_silence("the same with a `Retry-After` above", vec![asked.refused(429, wait, b"")]),
            ("silence", kind(ErrorKind::Timeout), true, false),
            not_silence("any other status", others.into_iter().chain([broke]).collect()),
            not_silence("204, an HTML page", vec![asked.bad_response("no events")]),
            ("a stall in the middle", kind(ErrorKind::Timeout), false, true),
            not_silence("a budget", kind(ErrorKind::Budget)),
            not_silence("skipped", kind(ErrorKind::Cancelled)),
        ];
        assert_eq!(rows.len(), expected.len(), "{rows:?}");
        for ([what, in_the_call, in_the_run], (beginning, errors, is_silence, arrived)) in
            rows.iter().zip(expected)
        {
            assert!(what.starts_with(beginning), "{what}");
            let times = match in_the_call.split([',', ':']).next().unwrap() {
                "no" => 0,
                "once" => 1,
                "twice" => 2,
                other => panic!("{other}"),
            };
            assert!(!errors.is_empty());
            for error in errors {
                assert_eq!(retries(&error, is_silence, arrived), times, "{what}: {error:?}");
            }
            assert_eq!(*in_the_run, "no", "{what}");
        }
        assert!(pause(&answered(503), 1, false, Duration::ZERO).is_none(), "the limit of the whole call");

        // The figures beside them.
        let silence = Timeouts::default().first_token_ms / 1000;
        assert!(rows[2][0].contains(&format!("({} s)", RetryPolicy::DEFAULT.longest_wait.as_secs())));
        assert!(rows[3][0].contains(&format!("({silence} s)")));
        assert!(rows[3][1].contains(&format!("{} s at most", silence * u64::from(MAX_SILENT_TRIES))));
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
            let progress = Progress { rounds: tries, ..Progress::default() };
            let pause = policy.pause(&failure, progress, LONG, &mut SeededRng::new(seed, "m")).unwrap();
            prop_assert!(pause <= policy.cap);
            prop_assert!(pause <= policy.base.saturating_mul(1 << (tries - 1).min(16)));
        }
    }
}
