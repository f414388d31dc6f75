use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The calls that these parts make: id, name, arguments.
fn calls(parts: &[Value]) -> Vec<(String, String, String)> {
    let mut deltas = ToolDeltas::default();
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for part in parts {
        let Chunk::ToolCall { index, id, name, arguments } = deltas.read(part) else { unreachable!() };
        calls.resize(calls.len().max(index as usize + 1), Default::default());
        let call = &mut calls[index as usize];
        if call.0.is_empty() {
            call.0 = id.unwrap_or_default();
        }
        if call.1.is_empty() {
            call.1 = name.unwrap_or_default();
        }
        call.2.push_str(&arguments);
    }
    calls
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.into(), name.into(), arguments.into())
}

#[test]
fn calls_are_told_apart_in_whatever_way_a_server_numbers_them() {
    let two = [call("a", "f", "{\"q\":1}"), call("b", "g", "{}")];
    let function = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let whole = |part: Value, name: &str, arguments: &str| {
        let mut part = part;
        part["function"] = function(name, json!(arguments));
        part
    };
    for (name, parts) in [
        (
            "by index",
            vec![
                whole(json!({"index": 0, "id": "a"}), "f", "{\"q\":1}"),
                whole(json!({"index": 1, "id": "b"}), "g", "{}"),
            ],
        ),
        (
            "without index",
            vec![whole(json!({"id": "a"}), "f", "{\"q\":1}"), whole(json!({"id": "b"}), "g", "{}")],
        ),
        (
            "one index for all",
            vec![
                whole(json!({"index": 0, "id": "a"}), "f", "{\"q\":1}"),
                whole(json!({"index": 0, "id": "b"}), "g", "{}"),
            ],
        ),
        (
            "names in every part",
            vec![
                whole(json!({"index": 0, "id": "a"}), "f", "{\"q\""),
                whole(json!({"index": 0, "id": "a"}), "f", ":1}"),
                whole(json!({"index": 0, "id": "a"}), "f", ""),
                whole(json!({"index": 1, "id": "b"}), "g", "{}"),
            ],
        ),
        (
            "an id of its own in every part",
            vec![
                whole(json!({"index": 0, "id": "a"}), "f", ""),
                json!({"index": 0, "id": "a2", "function": {"arguments": "{\"q\":1}"}}),
                whole(json!({"index": 1, "id": "b"}), "g", "{}"),
            ],
        ),
        (
            "arguments as objects",
            vec![
                json!({"id": "a", "function": function("f", json!({"q": 1}))}),
                json!({"id": "b", "function": function("g", json!({}))}),
            ],
        ),
        (
            "without `function`",
            vec![
                json!({"id": "a", "name": "f", "arguments": {"q": 1}}),
                json!({"id": "b", "name": "g", "arguments": "{}"}),
            ],
        ),
    ] {
        assert_eq!(calls(&parts), two, "{name}");
    }
    let nameless = |id: Value| whole(json!({"id": id}), "f", "{}");
    for id in [json!(null), json!(""), json!(7), json!("same")] {
        assert_eq!(calls(&[nameless(id.clone()), nameless(id.clone())]).len(), 2, "{id}");
    }
}

proptest! {
    /// Wherever the arguments are cut, and whether or not each part has an index, the calls are the same.
    #[test]
    fn pieces_in_any_cut_give_the_same_calls(
        queries in proptest::collection::vec(any::<String>(), 1..4),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        numbered: bool,
        repeats_the_name: bool,
    ) {
        let mut parts = Vec::new();
        let mut expected = Vec::new();
        for (at, query) in queries.iter().enumerate() {
            let (id, arguments) = (format!("id{at}"), json!({"query": query}).to_string());
            expected.push(call(&id, "f", &arguments));
            let characters: Vec<char> = arguments.chars().collect();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
            ends.push(characters.len());
            ends.sort_unstable();
            let mut from = 0;
            for (nth, end) in ends.into_iter().enumerate() {
                let piece: String = characters[from..end].iter().collect();
                from = end;
                let mut part = json!({"function": {"arguments": piece}});
                if nth == 0 || repeats_the_name {
                    part["id"] = json!(id);
                    part["function"]["name"] = json!("f");
                }
                if numbered {
                    part["index"] = json!(at);
                }
                parts.push(part);
            }
        }
        prop_assert_eq!(calls(&parts), expected);
    }
}
