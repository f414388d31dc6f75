//! What a server says beside a call of a tool and wants back with it, as `extra_content`: Gemini 3 signs its thoughts
//! there, and refuses a conversation with a call whose signature is missing
//! (<https://ai.google.dev/gemini-api/docs/thought-signatures>). It is kept among the reasoning blocks of its reply.

use std::borrow::Cow;

use serde_json::{Value, json};

/// The type of such a block.
const TYPE: &str = "tool_call.extra_content";

/// The reasoning block for what stands beside this part of a call, if anything does. `index` is the call's place in the
/// reply.
pub(super) fn block(part: &Value, index: u32) -> Option<Value> {
    let extra = part.get("extra_content").filter(|extra| extra.is_object())?;
    Some(json!({"type": TYPE, "index": index, "extra_content": extra}))
}

/// What belongs beside the call at this place, by the reasoning blocks of its reply.
pub(super) fn of_call(details: &Value, at: usize) -> Option<&Value> {
    let is_of_call = |block: &Value| {
        is_extra(block)
            && block.get("index").and_then(Value::as_u64).is_some_and(|index| u64::try_from(at) == Ok(index))
    };
    details.as_array()?.iter().find(|block| is_of_call(block))?.get("extra_content")
}

/// The reasoning blocks that are reasoning, if there are any.
pub(super) fn without_extras(details: &Value) -> Option<Cow<'_, Value>> {
    match details.as_array() {
        Some(blocks) if blocks.iter().any(is_extra) => {
            let rest: Vec<Value> = blocks.iter().filter(|block| !is_extra(block)).cloned().collect();
            (!rest.is_empty()).then(|| Cow::Owned(Value::Array(rest)))
        }
        Some(_) | None => Some(Cow::Borrowed(details)),
    }
}

fn is_extra(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some(TYPE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_beside_a_call_goes_back_beside_it_and_nowhere_else() {
        let signed = json!({"google": {"thought_signature": "c2ln"}});
        let part = json!({"index": 0, "id": "a", "function": {"name": "f"}, "extra_content": signed});
        let extra = block(&part, 1).unwrap();
        let details = json!([{"type": "reasoning.text", "text": "r"}, extra]);
        assert_eq!(of_call(&details, 1), Some(&signed));
        assert_eq!(of_call(&details, 0), None);
        assert_eq!(*without_extras(&details).unwrap(), json!([{"type": "reasoning.text", "text": "r"}]));
        assert_eq!(without_extras(&json!([extra])), None, "nothing else is sent");
    }

    #[test]
    fn other_blocks_are_left_as_they_are() {
        for part in
            [json!({"id": "a"}), json!({"extra_content": null}), json!({"extra_content": "x"}), json!(7)]
        {
            assert_eq!(block(&part, 0), None, "{part}");
        }
        for details in [json!("text"), json!({"type": TYPE}), json!([{"type": "x", "index": 0}]), json!(null)]
        {
            assert_eq!(of_call(&details, 0), None, "{details}");
            assert!(
                matches!(without_extras(&details), Some(Cow::Borrowed(kept)) if *kept == details),
                "{details}"
            );
        }
    }
}
