use proptest::prelude::*;

use super::super::request::Timeouts;
use super::super::upstream_error::{ErrorContext, Secrets};
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
    let context = ErrorContext { provider: "p".into(), model: "m".into(), secrets: Secrets::default() };
    let answered = |status: u16| context.refused(status, None, b"");
    let midway = |message: &str| context.failed_midway(&serde_json::json!({ "message": message }));
    let passing = statuses(rows[0][0]);
    let others: Vec<CallError> =
        (300..600).filter(|status| !passing.contains(status)).map(answered).collect();
    assert!(statuses(rows[4][0]).iter().all(|status| !passing.contains(status)));

    let wait = Some(RetryPolicy::DEFAULT.longest_wait + Duration::from_millis(1));
    let broke = context.refused(402, Some(Duration::from_millis(1)), b"");
    let outages = vec![midway("upstream is gone"), midway("timed out"), midway("rate limit")];
    let kind = |kind| vec![error(kind, None)];
    let not_silence = |beginning, errors: Vec<CallError>| (beginning, errors, false, false);
    let expected = [
        not_silence("408,", passing.iter().copied().map(answered).collect()),
        not_silence("a lost or refused connection", outages),
        not_silence("the same with a `Retry-After` above", vec![context.refused(429, wait, b"")]),
        ("silence", kind(ErrorKind::Timeout), true, false),
        not_silence("any other status", others.into_iter().chain([broke]).collect()),
        not_silence("204, an HTML page", vec![context.bad_response("no events")]),
        ("a stall in the middle", kind(ErrorKind::Timeout), false, true),
        not_silence("nothing for the reader", vec![context.bad_response("an empty answer")]),
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

    // The figures in the table's rows.
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
