//! The reasoning of a model as blocks (`reasoning_details`), which some models want back with the next request.

use serde_json::Value;

/// Adds details to those that have arrived. Streams send their blocks in pieces: a piece that continues the last block (same type and
/// index) is joined to it; everything else is kept as it came.
pub(super) fn add(all: &mut Option<Value>, details: &Value) {
    let Some(known) = all else {
        *all = Some(details.clone());
        return;
    };
    match (known, details) {
        (Value::Array(blocks), Value::Array(more)) => {
            for block in more {
                if !blocks.last_mut().is_some_and(|last| continues(last, block)) {
                    blocks.push(block.clone());
                }
            }
        }
        (Value::Array(blocks), other) => blocks.push(other.clone()),
        (Value::String(text), Value::String(more)) => text.push_str(more),
        (known, other) => {
            let mut blocks = vec![known.take()];
            match other {
                Value::Array(more) => blocks.extend(more.iter().cloned()),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                    blocks.push(other.clone());
                }
            }
            *known = Value::Array(blocks);
        }
    }
}

/// Joins `piece` to `last` if it is its continuation.
fn continues(last: &mut Value, piece: &Value) -> bool {
    let (Some(last), Some(piece)) = (last.as_object_mut(), piece.as_object()) else {
        return false;
    };
    let Some(field) = (match piece.get("type").and_then(Value::as_str) {
        Some("reasoning.text") => Some("text"),
        Some("reasoning.summary") => Some("summary"),
        Some(_) | None => None,
    }) else {
        return false;
    };
    if last.get("type") != piece.get("type") || last.get("index") != piece.get("index") {
        return false;
    }
    for (name, value) in piece {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) if name == field => text.push_str(more),
            (_, Value::Null) => {}
            _ => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasoning_blocks_that_continue_each_other_are_joined() {
        let mut all = None;
        for piece in [
            json!([{"type": "reasoning.text", "text": "a", "index": 0, "signature": null}]),
            json!([{"type": "reasoning.text", "text": "b", "index": 0, "signature": "s"}]),
            json!([{"type": "reasoning.text", "text": "c", "index": 1}, {"type": "reasoning.encrypted", "data": "x"}]),
            json!([{"type": "reasoning.encrypted", "data": "y"}]),
        ] {
            add(&mut all, &piece);
        }
        assert_eq!(
            all,
            Some(json!([
                {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
                {"type": "reasoning.text", "text": "c", "index": 1},
                {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.encrypted", "data": "y"},
            ]))
        );
    }

    #[test]
    fn reasoning_blocks_of_other_shapes_are_kept_as_they_came() {
        let joined = |pieces: &[Value]| {
            let mut all = None;
            pieces.iter().for_each(|piece| add(&mut all, piece));
            all.unwrap()
        };
        assert_eq!(joined(&[json!({"a": 1})]), json!({"a": 1}));
        assert_eq!(joined(&[json!("a"), json!("b")]), json!("ab"));
        assert_eq!(
            joined(&[json!({"a": 1}), json!({"b": 2}), json!(["c"])]),
            json!([{"a": 1}, {"b": 2}, "c"])
        );
    }
}
