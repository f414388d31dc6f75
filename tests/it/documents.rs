//! Documents that are made from the code say what the code does.

use std::collections::BTreeSet;
use std::path::Path;

use llm_council::council::Event;
use serde_json::Value;

#[test]
fn the_openapi_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let made = serde_json::to_value(llm_council::server::routes::openapi()).unwrap();
    assert!(written == made, "make it anew: llm-council openapi > docs/openapi.json");
}

/// The words that `type` can have in a schema and in what it is made of.
fn event_types(schema: &Value, schemas: &Value, types: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        event_types(&schemas[name], schemas, types);
    }
    for way in ["oneOf", "anyOf", "allOf"] {
        for part in schema[way].as_array().into_iter().flatten() {
            event_types(part, schemas, types);
        }
    }
    let words = schema["properties"]["type"]["enum"].as_array().into_iter().flatten();
    types.extend(words.filter_map(Value::as_str).map(str::to_owned));
}

#[test]
fn every_event_has_a_sample_that_can_be_read() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let document: Value =
        serde_json::from_str(&std::fs::read_to_string(docs.join("openapi.json")).unwrap()).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut expected = BTreeSet::new();
    for part in schemas["Event"]["oneOf"].as_array().or(schemas["Event"]["anyOf"].as_array()).unwrap() {
        event_types(part, schemas, &mut expected);
    }
    assert!(expected.len() > 100, "{} events", expected.len());

    let text = std::fs::read_to_string(docs.join("events.md")).unwrap();
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    for section in text.split("\n### `").skip(1) {
        let (name, rest) = section.split_once('`').unwrap();
        let sample = rest.split_once("```json\n").unwrap().1.split_once("\n```").unwrap().0;
        let json: Value = serde_json::from_str(sample).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(json["type"], name);
        // What a server says of itself is no event of a run.
        if name != "server_shutdown" && Event::read(sample.as_bytes()).is_err() {
            wrong.push(sample);
        }
        found.insert(name.to_owned());
    }
    assert!(wrong.is_empty(), "these are no events: {wrong:#?}");
    assert_eq!(found, expected, "docs/events.md has a sample of each event and of nothing else");
}
