use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn of(schema: &Value) -> AnswerForm {
    AnswerForm::of_schema("thing", schema, false).unwrap()
}

fn why_not(schema: &Value) -> String {
    AnswerForm::of_schema("thing", schema, false).unwrap_err()
}

#[test]
fn a_document_is_found_in_what_stands_around_it() {
    let form = AnswerForm::any_object();
    for text in [
        r#"{"a": "```"}"#,
        "  {\"a\": \"```\"}\n",
        "```json\n{\"a\": \"```\"}\n```",
        "Here it is:\n```\n{\"a\": \"```\"}\n```\nI hope it helps.",
        "Here it is: {\"a\": \"```\"}. I hope it helps.",
    ] {
        assert_eq!(form.read(text).as_deref(), Ok(r#"{"a": "```"}"#), "{text}");
    }
    for (text, problem) in [
        ("", "is no JSON: it is empty"),
        ("No.", "is no JSON: expected value at line 1 column 1"),
        ("[1]", "is no JSON object"),
        ("{\"a\": 1} and {\"a\": 2}", "is no JSON: trailing characters at line 1 column 10"),
    ] {
        assert_eq!(form.read(text), Err(problem.to_owned()), "{text}");
    }
}

#[test]
fn a_document_must_fit_the_schema_and_its_faults_are_named() {
    let form = of(&json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"type": "string", "pattern": "^x+$"}},
        "required": ["a"], "$defs": {"a": {"type": "integer", "minimum": 1}},
    }));
    assert_eq!(form.read(r#"{"a": 1, "b": "xx"}"#).as_deref(), Ok(r#"{"a": 1, "b": "xx"}"#));
    let problem = form.read(r#"{"a": 0, "b": "y"}"#).unwrap_err();
    assert!(problem.contains("at /a, ") && problem.contains("at /b, "), "{problem}");
    let problem = form.read("{}").unwrap_err();
    assert!(problem.starts_with("does not fit the schema: at the document, "), "{problem}");
    assert_eq!(of(&json!({"type": "array"})).read("[1, 2]").as_deref(), Ok("[1, 2]"));
}

#[test]
fn a_schema_that_would_take_for_ever_is_refused() {
    for (schema, problem) in [
        (json!("thing"), "must be an object"),
        (json!({"type": "thing"}), "is not a valid JSON schema"),
        (json!({"pattern": "(a"}), "is not a valid JSON schema"),
        (json!({"pattern": "a{1000000}"}), "is not a valid JSON schema"),
        (json!({"pattern": "(a)\\1"}), "is not a valid JSON schema"),
        (json!({"$ref": "https://example.org/schema"}), "refers to another document"),
        (json!({"$ref": "#/$defs/none"}), "which is not there"),
        (json!({"properties": {"a": {"$ref": "#"}}}), "refers to itself"),
        (json!({"$id": "https://example.org/a"}), "must not contain"),
        (json!({"description": "x".repeat(MAX_SCHEMA_BYTES)}), "bytes long"),
    ] {
        assert!(why_not(&schema).contains(problem), "{schema}: {}", why_not(&schema));
    }
    let step = |next: &str| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
    // Each step is three levels deep: this many are not too deep, so only their number is refused.
    let steps = 18;
    let mut defs = serde_json::Map::new();
    for place in 0..steps {
        defs.insert(format!("d{place}"), step(&format!("#/$defs/d{}", place + 1)));
    }
    defs.insert(format!("d{steps}"), json!({"type": "string"}));
    let doubling = json!({"$ref": "#/$defs/d0", "$defs": defs});
    let too_many = "has more than 10000 subschemas once its references are followed";
    assert_eq!(why_not(&doubling), too_many);
    for (holder, name) in [
        ("properties", "default"),
        ("properties", "enum"),
        ("patternProperties", "const"),
        ("dependentSchemas", "examples"),
    ] {
        let hidden = json!({ holder: { name: {"$ref": "#/$defs/d0"} }, "$defs": doubling["$defs"] });
        assert_eq!(why_not(&hidden), too_many, "{holder}");
    }
    let pattern = json!({"pattern": "^\\w{3}$"});
    assert!(AnswerForm::of_schema("thing", &json!({"allOf": vec![&pattern; MAX_PATTERNS]}), false).is_ok());
    let many = json!({"allOf": vec![&pattern; MAX_PATTERNS], "patternProperties": {"^x": {}}});
    assert_eq!(why_not(&many), "has 101 patterns; at most 100 are accepted");
    let mut deep = json!({"type": "string"});
    for _ in 0..MAX_DEPTH {
        deep = json!({"items": deep});
    }
    assert!(why_not(&deep).contains("levels deep"));
}

#[test]
fn what_only_looks_like_a_reference_is_none() {
    let form = of(&json!({
        "type": "object", "properties": {"$ref": {"const": {"$ref": "#"}}, "id": {"type": "string"}},
    }));
    assert!(form.read(r##"{"$ref": {"$ref": "#"}, "id": "x"}"##).is_ok());
}

/// Schemas made of keywords of JSON Schema and of other words.
fn schemas() -> impl Strategy<Value = Value> {
    let words = ["type", "object", "string", "#", "#/$defs/a", "properties", "items", "pattern", "(", "\0"];
    let names =
        ["$ref", "$defs", "a", "allOf", "anyOf", "items", "properties", "type", "const", "$id", "minimum"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(words.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(names.to_vec()), inner), 0..5).prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_and_no_text_stops_it(schema in schemas(), text in any::<String>(), document in schemas()) {
        if let Ok(form) = AnswerForm::of_schema("thing", &schema, true) {
            let _any = form.read(&text);
            let document = document.to_string();
            if let Ok(read) = form.read(&document) {
                prop_assert_eq!(read, document);
            }
        }
    }

    #[test]
    fn what_is_read_is_json_and_nothing_else(before in ".{0,20}", object in "[a-z\"{}:, ]{0,20}", after in ".{0,20}") {
        if let Ok(read) = AnswerForm::any_object().read(&format!("{before}{object}{after}")) {
            prop_assert!(serde_json::from_str::<Value>(&read).unwrap().is_object());
        }
    }
}
