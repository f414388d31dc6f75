//! Patterns that select models by their ids.

/// Whether this id fits the pattern, in which `*` stands for any text, including none.
#[must_use]
pub(super) fn fits(pattern: &str, id: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = id.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::presets;
    use super::*;

    #[test]
    fn an_asterisk_stands_for_anything() {
        for (pattern, id, expected) in [
            ("gpt-4o", "gpt-4o", true),
            ("gpt-4o", "gpt-4o-mini", false),
            ("gpt-4o*", "gpt-4o-mini", true),
            ("gpt-4o*", "gpt-4o", true),
            ("*vision*", "grok-2-vision-1212", true),
            ("*-vl", "qwen3-vl", true),
            ("*-vl", "qwen3-vl-8b", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("**", "x", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, id), expected, "{pattern} {id}");
        }
    }

    #[test]
    fn what_is_known_of_services_names_the_models_that_see() {
        let sees = |service: &str, id: &str| {
            presets::named(service).unwrap().image_models.iter().any(|pattern| fits(pattern, id))
        };
        for id in ["gpt-4o-mini", "gpt-5.1", "o1", "o3-2025-04-16", "o4-mini"] {
            assert!(sees("openai", id), "{id}");
        }
        for id in ["gpt-3.5-turbo", "gpt-4", "o1-mini", "o3-mini", "text-embedding-3-small"] {
            assert!(!sees("openai", id), "{id}");
        }
        assert!(sees("anthropic", "claude-sonnet-4-5") && sees("google", "models/gemini-3-pro"));
        assert!(sees("xai", "grok-2-vision-1212") && !sees("xai", "grok-3"));
        assert!(!sees("ollama", "llava"), "nobody says it");
    }

    proptest! {
        #[test]
        fn what_is_put_in_the_place_of_an_asterisk_fits(before in "[a-c]{0,4}", between in "[a-c*é]{0,6}", after in "[a-c]{0,4}") {
            let pattern = format!("{before}*{after}");
            let id = format!("{before}{between}{after}");
            prop_assert!(fits(&pattern, &id));
        }

        #[test]
        fn any_two_texts_are_compared(pattern in any::<String>(), id in any::<String>()) {
            prop_assert!(!fits(&pattern, &id) || pattern.contains('*') || pattern == id);
        }
    }
}
