//! What makes two questions the same text.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_compatible;

use super::code::looks_like_code;
use crate::invisible::{is_blank, is_joiner};

/// After this emoji, tag characters are part of the picture: the flags of England and Scotland differ in nothing else.
const BLACK_FLAG: char = '\u{1f3f4}';

/// The form in which two questions are compared: two with the same form are the same question.
///
/// Not seen are: how a character is encoded, invisible characters, the kind of quotation marks and dashes, white space,
/// a capital at the beginning of a word, quotation marks around the whole, and `?`, `.` or `!` at the end. What could mean
/// something stays: `10²` is not `102`, `5 mW` is not `5 MW`, `5!` is not `5`, and `US` is not `us`. Of what may be
/// [code](looks_like_code), only line ends, white space around it and invisible characters are not seen.
///
/// Normalising a normal form changes nothing. Only an empty text, or one of white space and invisible characters, has
/// an empty form.
#[must_use]
pub fn normalised(text: &str) -> String {
    let seen = visible(text);
    let folded = folded(&seen);
    if looks_like_code(&folded) {
        return verbatim(&seen);
    }
    stripped(&lower_cased(&folded))
}

/// SHA-256 of a question's [`normalised`] form: the same for two questions that are the same.
#[must_use]
pub fn digest(question: &str) -> [u8; 32] {
    Sha256::digest(normalised(question).as_bytes()).into()
}

/// The text without what nobody sees.
pub(super) fn visible(text: &str) -> String {
    let keeps_tags = text.contains(BLACK_FLAG);
    let seen = text.chars().filter_map(|c| match c {
        '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{2800}' => Some(' '),
        '\u{e0020}'..='\u{e007f}' if keeps_tags => Some(c),
        c => (!is_blank(c) || is_joiner(c)).then_some(c),
    });
    seen.nfc().collect()
}

/// One character for those that look alike or mean the same: full width, ligatures, quotation marks, dashes.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '’' | '‘' | '‚' | '‛' | 'ʼ' | '´' | '‹' | '›' => folded.push('\''),
            '“' | '”' | '„' | '‟' | '«' | '»' => folded.push('"'),
            '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => folded.push('-'),
            c if loses_meaning(c) => folded.push(c),
            c => decompose_compatible(c, |part| folded.push(part)),
        }
    }
    folded.nfc().collect()
}

/// Whether the plain form of a character means something else next to others: `10²` would become `102`, and `1½`
/// `11⁄2`.
fn loses_meaning(c: char) -> bool {
    if matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}') || c.is_ascii() {
        return false;
    }
    let is_raised =
        matches!(c, 'ª' | 'º' | '\u{2b0}'..='\u{2b8}' | '\u{2070}'..='\u{209f}' | '\u{1d2c}'..='\u{1d6a}');
    let mut has_digit = false;
    decompose_compatible(c, |part| has_digit |= part.is_ascii_digit());
    is_raised || has_digit
}

/// Code keeps everything but the white space at the ends of its lines and around it.
fn verbatim(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Words separated by one space, in lower case where a word has a capital only at its beginning.
fn lower_cased(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_number = false;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        if !after_number && is_capitalised(word) {
            out.extend(word.chars().flat_map(char::to_lowercase));
        } else {
            out.push_str(word);
        }
        after_number = word.chars().next_back().is_some_and(char::is_numeric);
    }
    out.nfc().collect()
}

/// Whether a word says the same in small letters: not `US`, `mW` or `C`, but `I` and `A`.
fn is_capitalised(word: &str) -> bool {
    if word.chars().any(char::is_numeric) {
        return false;
    }
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let Some(first) = letters.next() else { return false };
    let rest: Vec<char> = letters.collect();
    let is_one = rest.is_empty() && !matches!(first, 'I' | 'A') && first.is_ascii();
    first.is_uppercase() && !is_one && !rest.iter().any(|c| c.is_uppercase())
}

/// The text without the quotation marks around it and the punctuation at its ends, unless nothing else is there.
fn stripped(text: &str) -> String {
    let mut rest = text.trim();
    loop {
        let shorter = without_quotes(without_punctuation(rest)).trim();
        if shorter.is_empty() || shorter == rest {
            return rest.to_owned();
        }
        rest = shorter;
    }
}

fn without_quotes(text: &str) -> &str {
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    inner.unwrap_or(text)
}

fn without_punctuation(text: &str) -> &str {
    let text = text.trim_start_matches(['¿', '¡']);
    let shorter = text.strip_suffix(['?', '.', '。', '؟', '।']).or_else(|| {
        let before = text.strip_suffix('!')?;
        (!is_factor(before)).then_some(before)
    });
    shorter.unwrap_or(text).trim()
}

/// Whether what stands before a `!` may be a factor of which the factorial is meant: `5!`, `n!`, `(n+1)!`.
fn is_factor(text: &str) -> bool {
    let mut back = text.chars().rev();
    match back.next() {
        Some(last) if last.is_numeric() || matches!(last, ')' | '!') => true,
        Some(last) => last.is_alphabetic() && back.next().is_none_or(|before| !before.is_alphanumeric()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_nobody_means_is_not_seen() {
        for same in [
            "What is Rust?",
            "  what  is\nrust ",
            "\u{feff}What is\u{a0}Ru\u{ad}st?!",
            "\"What is Rust?\"",
            "„What is Rust“",
            "Ｗhat is Rust.",
            "'What is Rust'?",
        ] {
            assert_eq!(normalised(same), "what is rust", "{same}");
        }
        assert_eq!(normalised("Don’t I?"), "don't i");
        assert_eq!(normalised("¿Qué es?"), "qué es");
    }

    #[test]
    fn what_could_mean_something_stays() {
        for (one, other) in [
            ("Is C++ hard?", "Is C# hard?"),
            ("What is 10²?", "What is 102?"),
            ("What is 1½?", "What is 11/2?"),
            ("How much is 5 mW?", "How much is 5 MW?"),
            ("What is 5!", "What is 5?"),
            ("What is n!", "What is n?"),
            ("What does ls -R do?", "What does ls -r do?"),
            ("if a:\n    b\nc", "if a:\n    b\n    c"),
            ("What is a String in f(a: &String)?", "What is a string in f(a: &String)?"),
            ("Tell us about the US", "Tell us about the us"),
            ("\"a\" or \"b\"", "a\" or \"b"),
            ("?", "!"),
            (
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            ),
        ] {
            assert_ne!(normalised(one), normalised(other), "{one}");
        }
    }

    #[test]
    fn the_digest_is_that_of_the_form() {
        assert_eq!(digest("Why do tides turn?"), digest(" why do  Tides turn"));
        let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex::encode(digest("")), of_nothing);
    }

    proptest! {
        #[test]
        fn the_form_of_a_form_is_the_form(
            text in prop_oneof![".{0,40}", "[aAIİßẞ\"'“„?!.¿5²½ \n\u{200b}\u{301}\u{200d}—-]{0,12}"],
        ) {
            let form = normalised(&text);
            prop_assert_eq!(normalised(&form), form);
        }
    }
}
