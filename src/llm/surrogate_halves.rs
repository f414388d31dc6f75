//! Rejoins characters that a server has cut in two. A server that escapes everything outside ASCII writes an emoji as a
//! surrogate pair (`\ud83d\ude00`), and one that counts text in UTF-16 units may end a piece between the two. Half a
//! pair is not text, so the halves are joined in the JSON of the pieces, before it is parsed.

use std::borrow::Cow;

use super::Chunk;

/// The fields whose text comes in pieces.
const FIELDS: [&str; 6] = ["content", "text", "reasoning", "reasoning_content", "thinking", "arguments"];

/// The first halves of surrogate pairs, in one reply, that wait for their second halves.
#[derive(Debug, Default)]
pub(super) struct SurrogateHalves {
    /// Each at the place of its field in [`FIELDS`].
    held: [Option<u16>; FIELDS.len()],
}

impl SurrogateHalves {
    /// The JSON of the next piece. A first half at the end of a text is held back, and is put before the second half
    /// that begins the next text of the same field. If that text begins otherwise, U+FFFD replaces the half.
    pub fn join<'j>(&mut self, json: &'j str) -> Cow<'j, str> {
        let has_halves = json.contains("\\ud") || json.contains("\\uD");
        if !has_halves && !self.are_held() {
            return Cow::Borrowed(json);
        }
        let mut out = String::with_capacity(json.len() + 16);
        let mut rest = json;
        let mut named = None;
        while let Some((before, string)) = rest.split_once('"') {
            let Some((inside, after)) = split_string(string) else { break };
            out.push_str(before);
            out.push('"');
            // A string right after a field's name is its value.
            if let Some(field) = named.take().filter(|_| before.trim() == ":") {
                self.copy(field, inside, &mut out);
            } else {
                named = FIELDS.iter().position(|field| *field == inside);
                out.push_str(inside);
            }
            out.push('"');
            rest = after;
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// Copies the text of a field.
    fn copy(&mut self, field: usize, text: &str, out: &mut String) {
        // Between two pieces some servers send empty ones.
        if text.is_empty() {
            return;
        }
        let mut text = text;
        if let Some(first) = self.held[field].take() {
            if let Some((second @ 0xDC00..=0xDFFF, rest)) = first_unit(text) {
                out.push_str(&format!("\\u{first:04x}\\u{second:04x}"));
                text = rest;
            } else {
                out.push_str("\\ufffd");
            }
        }
        if let Some((before, first)) = first_half_at_the_end(text) {
            self.held[field] = Some(first);
            text = before;
        }
        out.push_str(text);
    }

    /// Whether any half still waits for its second one.
    pub fn are_held(&self) -> bool {
        self.held.iter().any(Option::is_some)
    }

    /// What is left at the end of a reply: U+FFFD for each half whose second half never came. Tool arguments that end
    /// this way are cut off anyway, and get none.
    pub fn end(&mut self) -> [Option<Chunk>; 2] {
        let held = std::mem::take(&mut self.held);
        let lost = |fields: &[&str]| {
            let is_held =
                FIELDS.iter().zip(held).any(|(field, half)| half.is_some() && fields.contains(field));
            is_held.then(|| char::REPLACEMENT_CHARACTER.to_string())
        };
        let reasoning = lost(&["reasoning", "reasoning_content", "thinking"]);
        [reasoning.map(Chunk::Reasoning), lost(&["content", "text"]).map(Chunk::Text)]
    }
}

/// Splits after the opening quotation mark of a JSON string: its content, and what follows it; `None` if it does not
/// end.
fn split_string(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// The UTF-16 unit that a text begins with as an escape (`\ud83d`), and what follows it.
fn first_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.strip_prefix("\\u")?.split_at_checked(4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)?, rest))
}

/// The first half of a pair at the end of a text, and what stands before it.
fn first_half_at_the_end(text: &str) -> Option<(&str, u16)> {
    let (before, last) = text.split_at_checked(text.len().checked_sub("\\ud83d".len())?)?;
    let (unit, _) = first_unit(last)?;
    // A backslash that another one escapes begins nothing.
    let backslashes = before.len() - before.trim_end_matches('\\').len();
    ((0xD800..=0xDBFF).contains(&unit) && backslashes.is_multiple_of(2)).then_some((before, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These pieces as they are handed on.
    fn joined(pieces: &[&str]) -> Vec<String> {
        let mut halves = SurrogateHalves::default();
        pieces.iter().map(|piece| halves.join(piece).into_owned()).collect()
    }

    #[test]
    fn halves_that_follow_each_other_are_joined() {
        assert_eq!(
            joined(&[r#"{"content":"a\ud83d"}"#, r#"{"content": "\uDE00b"}"#]),
            [r#"{"content":"a"}"#, r#"{"content": "\ud83d\ude00b"}"#]
        );
        let between = [r#"{"content":"\uD83D"}"#, r#"{"content":"","x":"y"}"#, r#"{"content":null}"#];
        let pieces = [&between[..], &[r#"{"content":"\ude00\ud83d"}"#, r#"{"content":"\ude00"}"#]].concat();
        assert_eq!(
            joined(&pieces)[3..],
            [r#"{"content":"\ud83d\ude00"}"#.to_owned(), r#"{"content":"\ud83d\ude00"}"#.to_owned()]
        );
    }

    #[test]
    fn each_field_has_its_own() {
        assert_eq!(
            joined(&[
                r#"{"reasoning":"\ud83d","reasoning_content":"\ud83d","id":"\ud83d"}"#,
                r#"{"content":"\ude00","reasoning":"\ude00","reasoning_content":"\ude00"}"#,
            ]),
            [
                r#"{"reasoning":"","reasoning_content":"","id":"\ud83d"}"#,
                r#"{"content":"\ude00","reasoning":"\ud83d\ude00","reasoning_content":"\ud83d\ude00"}"#,
            ],
            "what is left alone is cleaned afterwards"
        );
    }

    #[test]
    fn half_a_character_that_stays_so_is_replaced() {
        assert_eq!(
            joined(&[r#"{"content":"a\ud83d"}"#, r#"{"content":"\n\ud83d"}"#, r#"{"content":"b"}"#]),
            [r#"{"content":"a"}"#, r#"{"content":"\ufffd\n"}"#, r#"{"content":"\ufffdb"}"#]
        );
        let mut halves = SurrogateHalves::default();
        halves.join(r#"{"content":"a\ud83d","reasoning":"b\ud83d","arguments":"c\ud83d"}"#);
        let [reasoning, text] = halves.end();
        assert_eq!(reasoning, Some(Chunk::Reasoning("\u{fffd}".into())));
        assert_eq!(text, Some(Chunk::Text("\u{fffd}".into())));
        assert_eq!(halves.end(), [None, None]);
    }

    #[test]
    fn what_is_no_half_at_the_end_of_a_text_is_left_as_it_is() {
        for json in [
            r#"{"content":"a\\ud83d"}"#,
            r#"{"content":"\ud83d\ude00"}"#,
            r#"{"content":"\ud83d."}"#,
            r#"{"content":["\ud83d"]}"#,
            r#"{"model":"\ud83d","content":"\"content\":\"\\ud83d"}"#,
            r#"{"content":"\ud83d"#,
            r#"{"content":"\u+83d \ud8"}"#,
        ] {
            let mut halves = SurrogateHalves::default();
            assert_eq!(halves.join(json), json);
            assert_eq!(halves.end(), [None, None], "{json}");
        }
        let json = r#"{"content":"\u00fc"}"#;
        assert!(matches!(SurrogateHalves::default().join(json), Cow::Borrowed(_)));
    }
}
