//! Characters that nobody sees. They make two names look like one, turn a line around, and hide sentences that a
//! model reads all the same. Imports no other room.

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use serde_json::Value;

/// Zero-width characters, those that turn the direction of a line around, and the tags in which whole sentences
/// have been hidden; without the [joiners](is_joiner).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The joiners: scripts and emoji need them within a text, a name does not.
#[must_use]
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Everything other than white space that shows as nothing or as a blank: [hidden](is_hidden) characters,
/// [joiners](is_joiner), fillers, variation selectors, line separators.
#[must_use]
pub fn is_blank(c: char) -> bool {
    is_hidden(c)
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2800}')
}

/// Whether a text is empty, or has nothing but white space and [blank](is_blank) characters.
#[must_use]
pub fn shows_nothing(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_blank(c))
}

/// Whether U+0000, which Postgres cannot store, occurs in a string or a key of this JSON.
#[must_use]
pub fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(name, item)| name.contains('\0') || holds_nul(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_needs_is_not_hidden_but_blank() {
        for c in ['\u{200c}', '\u{200d}', '\u{fe0f}', '\u{3164}', '\u{2800}', '\u{2028}'] {
            assert!(!is_hidden(c) && is_blank(c), "{c:?}");
        }
        for c in ['\u{200b}', '\u{202e}', '\u{feff}', '\u{e0041}', '\u{fff9}'] {
            assert!(is_hidden(c) && is_blank(c), "{c:?}");
        }
        for c in [' ', 'a', 'ß', '漢', '\u{300}', '😀', '\n'] {
            assert!(!is_hidden(c) && !is_blank(c), "{c:?}");
        }
    }

    #[test]
    fn a_text_of_blanks_and_of_what_nobody_sees_shows_nothing() {
        for text in ["", " \n", "\u{200b}", " \u{2800}\u{feff}\n\u{3164}", "\u{a0}\u{200d}"] {
            assert!(shows_nothing(text), "{text:?}");
        }
        for text in ["a", " . ", "\u{200b}漢", "👨\u{200d}👩"] {
            assert!(!shows_nothing(text), "{text:?}");
        }
    }
}
