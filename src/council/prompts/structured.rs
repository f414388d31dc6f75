//! JSON in a model's reply. It follows the free text, which is never forced into JSON: see
//! docs/adr/0008.

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Map, Value};

/// The JSON that a call asks for is short; of a longer reply only the end is read.
const MAX_BYTES: usize = 16 << 10;
/// After this many pieces that begin like JSON but are not, the rest is not worth reading.
const MAX_BROKEN: usize = 256;

/// The last JSON object in a text that reads as a `T`: the whole text, in a code fence, or after
/// other words. An object inside another counts only if the outer one is not valid JSON.
#[must_use]
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    let mut rest = end(text);
    let mut found = None;
    let mut broken = 0;
    while let Some(from) = rest.find('{').and_then(|start| rest.get(start..))
        && broken < MAX_BROKEN
    {
        let mut after = 1;
        if from.get(1..).is_some_and(|inside| inside.trim_start().starts_with(['"', '}'])) {
            let mut objects = Deserializer::from_str(from).into_iter::<Map<String, Value>>();
            if let Some(Ok(object)) = objects.next() {
                found = serde_json::from_value(Value::Object(object)).ok().or(found);
                after = objects.byte_offset();
            } else {
                broken += 1;
            }
        }
        rest = from.get(after..).unwrap_or_default();
    }
    found
}

fn end(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MAX_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Choice {
        category: String,
        #[serde(default)]
        confidence: Option<f64>,
    }

    fn category(text: &str) -> Option<String> {
        read::<Choice>(text).map(|choice| choice.category)
    }

    #[test]
    fn an_object_is_found_wherever_it_stands() {
        for text in [
            r#"{"category": "coding"}"#,
            "```json\n{\n  \"category\": \"coding\"\n}\n```",
            "```\n{\"category\": \"coding\"}\n```\nI hope {that} helps.",
            r#"It's about {code}, so: {"category": "coding", "confidence": 0.9}."#,
            r#"First {"category": "creative"}; no, {"category": "coding"}"#,
            r#"{"category": "creative", "of": {"category": "factual"}} {"category": "coding"} {"other": 1}"#,
            r#"{broken: {"category": "coding"}"#,
            r#"[{"category": "coding"}]"#,
            r#"{"category": "cod\u0069ng", "why": "a } in a string"}"#,
        ] {
            assert_eq!(category(text).as_deref(), Some("coding"), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        for text in
            ["", "coding", "{}", "{\"category\": 7}", "{\"category\": \"coding\"", "\"category\"", "{{{{"]
        {
            assert_eq!(category(text), None, "{text}");
        }
        let outer = r#"{"judge": {"category": "coding"}}"#;
        assert_eq!(category(outer), None, "an object inside another is a part of it");
    }

    #[test]
    fn only_the_end_of_a_long_reply_is_read() {
        let object = r#"{"category": "coding"}"#;
        let long = "ä".repeat(MAX_BYTES);
        assert!(category(&format!("{long}{object}")).is_some());
        assert!(category(&format!("{object}{long}")).is_none());
    }

    #[test]
    fn broken_json_before_it_is_passed_over_and_endless_nesting_is_given_up() {
        let object = r#"{"category": "coding"}"#;
        for piece in ["{", "{ x", "{\"a\":", "{\"a\":[", "{\"a\":[{},", "{\"", "{\"a\":\"\\"] {
            assert!(category(&format!("{}\"}} {object}", piece.repeat(100))).is_some(), "{piece}");
            assert!(category(&piece.repeat(MAX_BYTES / piece.len())).is_none(), "{piece}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>(), pieces in prop::collection::vec(r#"[{}"\\\[\]:,a1 ]{0,6}"#, 0..40)) {
            let _any: Option<Choice> = read(&text);
            let _braces: Option<Value> = read(&pieces.concat());
        }

        #[test]
        fn what_was_written_is_read_among_words(category in any::<String>(), before in "[^{]{0,40}", after in "[^{]{0,40}") {
            let object = json!({"category": &category, "confidence": null});
            let text = format!("{before}{object}{after}");
            prop_assert_eq!(read(&text), Some(Choice { category, confidence: None }));
        }
    }
}
