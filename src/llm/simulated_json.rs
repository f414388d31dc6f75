//! What the simulated provider writes when a reply is held to a schema: made-up JSON that fits it.

use serde_json::{Map, Value, json};

use super::seeded_rng::SeededRng;

/// Schemas nest little; one that goes on for ever ends here.
const MAX_DEPTH: usize = 16;
const SENTENCE: &str = "This is simulated: no model was asked.";

/// A value that fits this schema, as far as strict mode supports schemas; `null` beyond that. Values that the reply's
/// text form gives under a property's name (`CATEGORY: coding`) are used.
pub(super) fn fitting(schema: &Value, text: &str, rng: &mut SeededRng) -> Value {
    value(schema, "", text, rng, MAX_DEPTH)
}

fn value(schema: &Value, name: &str, text: &str, rng: &mut SeededRng, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    let said = said(text, name);
    if let Some(choices) = schema.get("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty())
    {
        let same = |choice: &&Value| {
            choice.as_str().zip(said).is_some_and(|(choice, said)| choice.eq_ignore_ascii_case(said))
        };
        return choices.iter().find(same).unwrap_or(&choices[rng.below(choices.len())]).clone();
    }
    if let Some(first) = schema.get("anyOf").and_then(Value::as_array).and_then(|schemas| schemas.first()) {
        return value(first, name, text, rng, depth);
    }
    let kind = schema.get("type");
    let kind = kind.and_then(Value::as_array).and_then(|kinds| kinds.first()).or(kind);
    match kind.and_then(Value::as_str) {
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let made = properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), value(schema, name, text, rng, depth)));
            Value::Object(made.collect::<Map<_, _>>())
        }
        Some("array") => array(schema.get("items").unwrap_or(&Value::Null), text, rng, depth),
        Some("string") => json!(said.unwrap_or(SENTENCE)),
        Some("boolean") => json!(said.map_or_else(
            || rng.below(2) == 1,
            |said| ["yes", "true"].iter().any(|yes| said.eq_ignore_ascii_case(yes))
        )),
        Some("integer") => {
            json!(said.and_then(|said| said.parse::<i64>().ok()).unwrap_or_else(|| integer(schema, rng)))
        }
        Some("number") => {
            let said = said.and_then(|said| said.parse::<f64>().ok());
            json!(said.unwrap_or_else(|| number(schema, rng)))
        }
        _ => Value::Null,
    }
}

/// What a line `NAME: …` of a text says.
fn said<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (heading, said) = line.split_once(':')?;
        let same = heading.trim().replace(' ', "_").eq_ignore_ascii_case(name);
        Some(said.trim()).filter(|said| same && !said.is_empty())
    })
}

fn integer(schema: &Value, rng: &mut SeededRng) -> i64 {
    let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
    let least = bound("minimum").unwrap_or(1);
    let most = bound("maximum").unwrap_or(10).max(least);
    let steps = usize::try_from(most.saturating_sub(least)).unwrap_or(0).saturating_add(1);
    least.saturating_add(i64::try_from(rng.below(steps)).unwrap_or(0))
}

fn number(schema: &Value, rng: &mut SeededRng) -> f64 {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let least = bound("minimum").unwrap_or(0.0);
    let most = bound("maximum").unwrap_or(1.0).max(least);
    ((least + (most - least) * rng.unit()) * 100.0).round() / 100.0
}

/// A list. If its items are a choice, it has each of them once in a seeded order, as a ranking has.
fn array(items: &Value, text: &str, rng: &mut SeededRng, depth: usize) -> Value {
    match items.get("enum").and_then(Value::as_array) {
        Some(choices) => {
            let mut choices = choices.clone();
            rng.shuffle(&mut choices);
            Value::Array(choices)
        }
        None if items.get("type") == Some(&json!("string")) && numbered(text).next().is_some() => {
            Value::Array(numbered(text).map(|line| json!(line)).collect())
        }
        None => Value::Array((0..2).map(|_| value(items, "", text, rng, depth)).collect()),
    }
}

/// The lines of the numbered list in a text.
fn numbered(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (number, said) = line.trim().split_once(". ")?;
        number.parse::<u8>().is_ok().then_some(said)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn made(schema: &Value) -> Value {
        fitting(schema, "", &mut SeededRng::new(7, "cedar/pro"))
    }

    #[test]
    fn a_numbered_list_is_a_list_of_sentences() {
        let schema = json!({"type": "object", "properties": {"parts": {"type": "array", "items": {"type": "string"}}}});
        let made = fitting(&schema, "1. What is it?\n2. Why?", &mut SeededRng::new(7, "cedar/pro"));
        assert_eq!(made, json!({"parts": ["What is it?", "Why?"]}));
    }

    #[test]
    fn the_json_says_what_the_text_would_have_said() {
        let text = "Simulated.\n\nCATEGORY: CREATIVE\nCONFIDENCE: 0.8\nSHOULD DECOMPOSE: yes\nREASONING: By its words.";
        let schema = json!({"type": "object", "properties": {
            "category": {"enum": ["coding", "creative"]},
            "confidence": {"type": "number"},
            "should_decompose": {"type": "boolean"},
            "reasoning": {"type": "string"},
        }});
        assert_eq!(
            fitting(&schema, text, &mut SeededRng::new(1, "m")),
            json!({"category": "creative", "confidence": 0.8, "should_decompose": true, "reasoning": "By its words."})
        );
    }

    #[test]
    fn every_kind_of_value_fits() {
        let value = made(&json!({
            "type": "object",
            "properties": {
                "category": {"type": "string", "enum": ["coding", "creative"]},
                "confidence": {"type": "number", "minimum": 0.5, "maximum": 1},
                "score": {"type": "integer", "minimum": 3, "maximum": 4},
                "reasoning": {"type": ["string", "null"]},
                "split": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
                "ranking": {"type": "array", "items": {"enum": ["Response A", "Response B", "Response C"]}},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
            },
        }));
        assert!(["coding", "creative"].contains(&value["category"].as_str().unwrap()));
        assert!((0.5..=1.0).contains(&value["confidence"].as_f64().unwrap()));
        assert!((3..=4).contains(&value["score"].as_i64().unwrap()));
        assert_eq!((&value["reasoning"], value["split"].is_boolean()), (&json!(SENTENCE), true));
        assert_eq!(value["parts"], json!([{"text": SENTENCE}, {"text": SENTENCE}]));
        let mut ranking: Vec<&str> =
            value["ranking"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
        ranking.sort_unstable();
        assert_eq!(ranking, ["Response A", "Response B", "Response C"]);
    }

    proptest! {
        #[test]
        fn any_schema_gives_some_value(text in "[a-z]{0,3}: ?\\PC{0,9}", kind in "(object|array|string|number|integer|boolean|null|odd)", least: i64, most: i64, of in "[a-z]{0,5}") {
            let plain = json!({"type": kind, "minimum": least, "maximum": most});
            fitting(&json!({"properties": {text.split(':').next().unwrap_or_default(): plain}}), &text, &mut SeededRng::new(7, "m"));
            made(&json!({"type": kind, "items": plain, "properties": {of: plain}, "anyOf": [], "enum": []}));
        }
    }
}
