//! Makes text from providers harmless as it comes in: JSON escapes that the database refuses, and excerpts of a
//! provider's own error text that are fit to be shown.

use std::borrow::Cow;

use crate::invisible::{is_hidden, is_joiner};

/// Longest excerpt of a provider's error text, in characters.
const MAX_EXCERPT_CHARS: usize = 300;

/// JSON text in which every character that would make the whole value unusable is replaced by U+FFFD: escaped and raw
/// U+0000 (Postgres refuses it) and lone surrogate escapes (`serde_json` refuses them). Other raw control characters in
/// strings, which some servers forget to escape, are escaped.
pub fn json(text: &str) -> Cow<'_, str> {
    let suspicious = text.bytes().any(|byte| byte < 0x20) || text.contains("\\u");
    if !suspicious {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => escape(&mut chars, &mut out),
            '\0' => out.push('\u{fffd}'),
            c if in_string && c < '\u{20}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Copies the escape sequence whose backslash was just read.
fn escape(chars: &mut std::str::Chars<'_>, out: &mut String) {
    let Some(unit) = take_unit(chars) else {
        out.push('\\');
        // The escaped character belongs to the sequence, so that `\"` does not end the string.
        if let Some(c) = chars.next() {
            out.push(if c == '\0' { '\u{fffd}' } else { c });
        }
        return;
    };
    match unit {
        0 => out.push('\u{fffd}'),
        0xD800..=0xDBFF => {
            let mut ahead = chars.clone();
            let low = (ahead.next() == Some('\\')).then(|| take_unit(&mut ahead)).flatten();
            match low {
                Some(low @ 0xDC00..=0xDFFF) => {
                    *chars = ahead;
                    out.push_str(&format!("\\u{unit:04x}\\u{low:04x}"));
                }
                Some(_) | None => out.push('\u{fffd}'),
            }
        }
        0xDC00..=0xDFFF => out.push('\u{fffd}'),
        unit => out.push_str(&format!("\\u{unit:04x}")),
    }
}

/// Reads `uXXXX`, or nothing.
fn take_unit(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut ahead = chars.clone();
    if ahead.next() != Some('u') {
        return None;
    }
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit * 16 + ahead.next()?.to_digit(16)?;
    }
    *chars = ahead;
    Some(unit)
}

/// A provider's error text as one short line: secrets redacted, control and invisible characters
/// dropped, white space joined, at most 300 characters.
pub fn excerpt<'s>(text: &str, secrets: impl IntoIterator<Item = &'s str>) -> String {
    let mut text = Cow::Borrowed(text);
    for secret in secrets {
        // Shorter values are not secrets, and replacing them would garble the text.
        if secret.len() >= 6 && text.contains(secret) {
            text = Cow::Owned(text.replace(secret, "[redacted]"));
        }
    }
    let mut out = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if count > 0 {
            out.push(' ');
            count += 1;
        }
        for c in word.chars().filter(|c| !is_hidden(*c) && !is_joiner(*c)) {
            if count >= MAX_EXCERPT_CHARS - 1 {
                out.push('…');
                return out;
            }
            out.push(c);
            count += 1;
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(&json(text)).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn clean_json_is_not_copied() {
        assert!(matches!(json(r#"{"a":"b\n"}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn nul_and_lone_surrogates_become_replacement_characters() {
        assert_eq!(read(r#""a\u0000b""#), "a\u{fffd}b");
        assert_eq!(read("\"a\0b\""), "a\u{fffd}b");
        assert_eq!(read(r#""\ud800""#), "\u{fffd}");
        assert_eq!(read(r#""\ud800\ud800\udc00""#), "\u{fffd}\u{10000}");
        assert_eq!(read(r#""\udc00x""#), "\u{fffd}x");
        assert_eq!(read(r#""\ud800\n""#), "\u{fffd}\n");
        assert_eq!(read(r#""\uD83D\uDE00""#), "😀");
    }

    #[test]
    fn an_escaped_backslash_before_u_is_left_alone() {
        assert_eq!(read(r#""\\u0000 \\ud800""#), "\\u0000 \\ud800");
        assert_eq!(read(r#""\"\u0000""#), "\"\u{fffd}");
    }

    #[test]
    fn raw_control_characters_in_strings_are_escaped() {
        assert_eq!(read("{\n\t\"a\": \"b\u{1}\tc\"\r\n}")["a"], "b\u{1}\tc");
    }

    #[test]
    fn an_excerpt_is_one_short_line_without_the_key() {
        let text =
            format!("bad key sk-secret-123\r\n\u{1b}[31m\u{202e}again sk-secret-123 {}", "x".repeat(900));
        let excerpt = excerpt(&text, ["sk-secret-123"]);
        assert!(excerpt.starts_with("bad key [redacted] [31magain [redacted] xxx"), "{excerpt}");
        assert!(excerpt.ends_with('…'));
        assert_eq!(excerpt.chars().count(), MAX_EXCERPT_CHARS);
    }

    proptest! {
        #[test]
        fn valid_json_keeps_its_meaning(text in any::<String>(), ascii in any::<bool>()) {
            let mut encoded = serde_json::to_string(&text).unwrap();
            if ascii {
                let escape = |c: char| {
                    if c.is_ascii() { return c.to_string(); }
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                };
                encoded = encoded.chars().map(escape).collect();
            }
            let got: String = serde_json::from_str(&json(&encoded)).unwrap();
            prop_assert_eq!(got, text.replace('\0', "\u{fffd}"));
        }

        #[test]
        fn strings_of_any_escapes_can_be_read(units in proptest::collection::vec(prop_oneof![
            Just(0u16), 0xD700u16..0xE100, any::<u16>()], 0..20))
        {
            let body: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let got: String = serde_json::from_str(&json(&format!("\"{body}\""))).unwrap();
            prop_assert_eq!(got, String::from_utf16_lossy(&units).replace('\0', "\u{fffd}"));
        }

        #[test]
        fn any_text_is_cleaned_without_panic(text in any::<String>()) {
            json(&text);
            prop_assert!(excerpt(&text, ["secret"]).chars().count() <= MAX_EXCERPT_CHARS);
        }
    }
}
