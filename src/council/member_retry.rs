//! Asking a failed member again within the same run, at a person's request and while others still answer.
//!
//! The beginning of a retry is an event, so an execution after a crash finds in the log whom to ask how often.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::any_event::AnyEvent;
use super::run_event::RunEvent;
use super::stage::Stage;

/// How often one member can be asked again in a run.
pub const MAX_RETRIES: u32 = 3;

/// How the keys of a retry begin: its number and the key of the first try follow.
const KEY: &str = "retry/";

/// A member that is to be asked again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MemberRetry {
    pub stage: Stage,
    /// The seat's name.
    pub member: String,
    /// Which of its retries it is, from 1.
    pub number: u32,
}

/// How often members were asked again, by stage and seat.
pub type Retries = BTreeMap<(Stage, String), u32>;

/// The retries that a run with these events has begun.
pub fn begun<'e>(events: impl IntoIterator<Item = &'e AnyEvent>) -> Retries {
    let mut begun = Retries::new();
    for event in events {
        if let Some(RunEvent::MemberRetried { member, stage, retry, .. }) = event.get() {
            begun.insert((stage.clone(), member.clone()), *retry);
        }
    }
    begun
}

/// The key of a call at this retry; number 0 is the first try.
#[must_use]
pub fn key(number: u32, place: &str) -> String {
    if number == 0 { place.to_owned() } else { format!("{KEY}{number}/{place}") }
}

/// The key of the first try, given that of any retry.
#[must_use]
pub fn first_key(key: &str) -> &str {
    let retry = key.strip_prefix(KEY).and_then(|rest| rest.split_once('/'));
    match retry {
        Some((number, first)) if number.parse::<u32>().is_ok() => first,
        Some(_) | None => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_has_keys_of_its_own_that_lead_back_to_the_first() {
        let first = "stage1/openai/gpt-5.1/tools/2";
        assert_eq!(key(0, first), first);
        assert_eq!(key(2, first), "retry/2/stage1/openai/gpt-5.1/tools/2");
        assert_eq!(first_key(&key(2, first)), first);
        for other in [first, "retry/", "retry/x/stage1/a", "retry/1"] {
            assert_eq!(first_key(other), other);
        }
    }

    #[test]
    fn the_log_says_who_was_asked_again_how_often() {
        let retried = |member: &str, retry| {
            AnyEvent::from(RunEvent::MemberRetried {
                member: member.to_owned(),
                model: "m/one".to_owned(),
                stage: Stage::named("stage1"),
                retry,
                started_at: None,
            })
        };
        let events = [retried("one", 1), RunEvent::Complete {}.into(), retried("two", 1), retried("one", 2)];
        let of = |member: &str| (Stage::named("stage1"), member.to_owned());
        assert_eq!(begun(&events), Retries::from([(of("one"), 2), (of("two"), 1)]));
    }
}
