//! Which version this is, from which commit it was built, and when.

use std::sync::LazyLock;

use jiff::Timestamp;

/// The value where the build did not provide one.
const UNKNOWN: &str = "unknown";
/// The length of a short commit id.
const SHORT: usize = 7;

/// The version, as in the names of releases.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version with commit and time of the build, in one line.
pub static LINE: LazyLock<String> =
    LazyLock::new(|| format!("{VERSION} (commit {}, built {})", short(commit()), build_time()));

/// The commit it was built from, or `unknown`.
#[must_use]
pub fn commit() -> &'static str {
    known(env!("LLM_COUNCIL_COMMIT"))
}

/// The short form of a commit id; `unknown` stays whole.
#[must_use]
pub fn short(commit: &str) -> &str {
    if commit == UNKNOWN { commit } else { commit.get(..SHORT).unwrap_or(commit) }
}

/// When it was built (RFC 3339, UTC), or `unknown`: the time that the builder named (`SOURCE_DATE_EPOCH`), else that of
/// the commit.
#[must_use]
pub fn build_time() -> String {
    time(env!("LLM_COUNCIL_BUILD_EPOCH"))
}

fn known(built_in: &'static str) -> &'static str {
    if built_in.is_empty() { UNKNOWN } else { built_in }
}

/// Seconds since 1970 as a time; `unknown` where they are none.
fn time(seconds: &str) -> String {
    let time = seconds.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| UNKNOWN.to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_build_without_a_commit_or_a_time_says_that_they_are_unknown() {
        assert_eq!((known(""), known("4f266ac")), (UNKNOWN, "4f266ac"));
        assert_eq!(short(UNKNOWN), UNKNOWN);
        assert_eq!(short("4f266acd0e3b6dd5d6"), "4f266ac");
        assert_eq!(short("abc"), "abc");
        assert_eq!(time("1763949600"), "2025-11-24T02:00:00Z");
        assert_eq!(time("0"), "1970-01-01T00:00:00Z");
        for wrong in ["", "yesterday", "99999999999999999999", "9999999999999999"] {
            assert_eq!(time(wrong), UNKNOWN, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_them_stumble(text in ".*") {
            prop_assert!(!time(&text).is_empty());
            prop_assert!(text.starts_with(short(&text)));
        }
    }
}
