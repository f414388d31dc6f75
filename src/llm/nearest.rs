//! Finds a replacement for a model that is gone: the nearest name of its family among those on offer.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::model_list::{family, floats};

/// Words that say how finished a model is, not which one.
const STATES: [&str; 7] = ["latest", "preview", "exp", "experimental", "beta", "stable", "chat"];

/// A model's id, taken apart: `google/gemini-3.1-pro-preview` is version 3.1 of the line `gemini pro`.
struct Name<'i> {
    line: BTreeSet<&'i str>,
    version: Option<(u32, u32)>,
}

impl<'i> Name<'i> {
    fn of(id: &'i str) -> Self {
        let own = id.rsplit_once('/').map_or(id, |(_, own)| own);
        let mut name = Self { line: BTreeSet::new(), version: None };
        for word in own.split(['-', ':', '_', ' ']).filter(|word| !word.is_empty()) {
            // The `k` of `kimi-k2.6` belongs to the name of the line.
            let number = word.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(word);
            let letter = word.strip_suffix(number).unwrap_or_default();
            match version(number) {
                // A second number is a date, or another thing that makes it a model of its own.
                Some(version) if name.version.is_none() => {
                    name.version = Some(version);
                    name.line.extend((!matches!(letter, "" | "v")).then_some(letter));
                }
                _ if STATES.contains(&word) => {}
                _ => {
                    name.line.insert(word);
                }
            }
        }
        name
    }
}

/// `4` or `4.5`, but not a year.
fn version(number: &str) -> Option<(u32, u32)> {
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    let major: u32 = major.parse().ok().filter(|major| *major < 1000)?;
    Some((major, minor.parse().ok()?))
}

/// The nearest to `gone` of these ids, all of one provider: of the same maker and, if possible, the same line; a
/// floating name first, since it stays valid; then the next newer version, else the newest. Of equally near ids, the
/// first.
pub(super) fn nearest<'i>(gone: &str, present: impl Iterator<Item = &'i str>) -> Option<&'i str> {
    let Name { line, version } = Name::of(gone);
    present.filter(|id| *id != gone && family(id) == family(gone)).min_by_key(|id| {
        let other = Name::of(id);
        let is_older = version.zip(other.version).is_some_and(|(own, its)| its < own);
        // Of the newer ones the oldest, of the others the newest.
        let (next, newest) = match version {
            Some(_) if !is_older => (other.version, None),
            Some(_) | None => (None, other.version),
        };
        (line.symmetric_difference(&other.line).count(), !floats(id), is_older, next, Reverse(newest))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of OpenRouter's list of July 2026.
    const PRESENT: [&str; 26] = [
        "openai/gpt-5.5-pro",
        "openai/gpt-5.5",
        "openai/gpt-5.4-mini",
        "openai/gpt-5.4",
        "openai/gpt-5.2",
        "openai/gpt-5-mini",
        "openai/gpt-4o-2024-11-20",
        "openai/gpt-4o",
        "openai/o3",
        "anthropic/claude-opus-4.8",
        "anthropic/claude-sonnet-5",
        "anthropic/claude-sonnet-4.6",
        "anthropic/claude-haiku-4.5",
        "google/gemini-3.5-flash",
        "google/gemini-3.1-pro-preview-customtools",
        "google/gemini-3.1-pro-preview",
        "google/gemini-3-flash-preview",
        "google/gemini-2.5-pro",
        "google/gemma-4-31b-it:free",
        "x-ai/grok-4.20",
        "x-ai/grok-4.3",
        "x-ai/grok-build-0.1",
        "moonshotai/kimi-k2-thinking",
        "moonshotai/kimi-k2.5",
        "moonshotai/kimi-k2.6",
        "moonshotai/kimi-k2.7-code",
    ];

    #[test]
    fn the_nearest_name_is_of_the_same_line_and_the_next_newer_version() {
        for (gone, near) in [
            ("google/gemini-3-pro-preview", "google/gemini-3.1-pro-preview"),
            ("google/gemini-2.5-flash", "google/gemini-3-flash-preview"),
            ("google/gemini-4-flash", "google/gemini-3.5-flash"),
            ("x-ai/grok-4", "x-ai/grok-4.3"),
            ("openai/gpt-5.1", "openai/gpt-5.2"),
            ("anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.6"),
            ("~openai/gpt-latest", "openai/gpt-5.5"),
            ("~openai/gpt-mini-latest", "openai/gpt-5.4-mini"),
            ("~google/gemini-pro-latest", "google/gemini-3.1-pro-preview"),
            ("~anthropic/claude-sonnet-latest", "anthropic/claude-sonnet-5"),
            ("~moonshotai/kimi-latest", "moonshotai/kimi-k2.6"),
            ("moonshotai/kimi-k2", "moonshotai/kimi-k2.5"),
        ] {
            assert_eq!(nearest(gone, PRESENT.into_iter()), Some(near), "{gone}");
        }
    }

    #[test]
    fn a_floating_name_of_the_line_comes_before_its_versions() {
        let present = || PRESENT.into_iter().chain(["~google/gemini-pro-latest", "~openai/gpt-mini-latest"]);
        assert_eq!(nearest("google/gemini-3-pro-preview", present()), Some("~google/gemini-pro-latest"));
        assert_eq!(nearest("openai/gpt-5.1", present()), Some("openai/gpt-5.2"), "of another line");
    }

    #[test]
    fn a_family_without_any_model_has_no_nearest() {
        assert_eq!(nearest("mistralai/mistral-large", PRESENT.into_iter()), None);
        assert_eq!(nearest("llama3:8b", ["llama3.1:8b", "qwen3:8b"].into_iter()), Some("llama3.1:8b"));
        let of_google = ["models/gemini-2.5-pro", "models/gemini-2.5-flash"];
        assert_eq!(nearest("gemini-2.0-flash", of_google.into_iter()), Some("models/gemini-2.5-flash"));
    }

    proptest! {
        #[test]
        fn any_name_has_a_nearest_of_its_own_family(gone in "~?[a-z]{0,3}/?[a-z0-9.:-]{0,12}", present in prop::collection::vec("~?[a-z]{0,3}/?[a-z0-9.:-]{0,12}", 0..5)) {
            let near = nearest(&gone, present.iter().map(String::as_str));
            let relatives = present.iter().filter(|id| **id != gone && family(id) == family(&gone)).count();
            prop_assert_eq!(near.is_some(), relatives > 0);
            prop_assert!(near.is_none_or(|near| family(near) == family(&gone)));
        }
    }
}
