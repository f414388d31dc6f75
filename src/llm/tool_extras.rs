//! Extra data that a server sends with a tool call and wants back with it. It is kept among the reasoning blocks of the
//! reply.
//!
//! - `extra_content` of a call: Gemini 3 signs its thoughts there, and refuses a conversation with a call whose
//!   signature is missing (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
//! - `reasoning_content` of the message: DeepSeek and Kimi refuse a conversation in which a message with calls lacks
//!   the thoughts that came before them (<https://api-docs.deepseek.com/guides/thinking_mode#tool-calls>).

use std::borrow::Cow;

use serde_json::{Value, json};

/// The type of a block that holds a call's `extra_content`.
const TYPE: &str = "tool_call.extra_content";
/// The type of the block that records that reasoning came as `reasoning_content`; only then is it sent back so, since
/// other servers refuse the field.
const THOUGHTS_TYPE: &str = "message.reasoning_content";

/// The block for the `extra_content` of this part of a call, if it has any. `index` is the call's position in the
/// reply.
pub(super) fn block(part: &Value, index: u32) -> Option<Value> {
    let extra = part.get("extra_content").filter(|extra| extra.is_object())?;
    Some(json!({"type": TYPE, "index": index, "extra_content": extra}))
}

/// The `extra_content` of the call at this position, from the reasoning blocks of its reply.
pub(super) fn of_call(details: &Value, at: usize) -> Option<&Value> {
    let is_of_call = |block: &Value| {
        is_of_type(block, TYPE)
            && block.get("index").and_then(Value::as_u64).is_some_and(|index| u64::try_from(at) == Ok(index))
    };
    details.as_array()?.iter().find(|block| is_of_call(block))?.get("extra_content")
}

/// The block of a reply with calls whose reasoning came as `reasoning_content`.
pub(super) fn thoughts_block() -> Value {
    json!({"type": THOUGHTS_TYPE})
}

/// The reasoning blocks of a reply for the message that hands it back: with the text of its reasoning, if the server
/// wants it.
pub(super) fn with_thoughts(mut details: Value, thoughts: &str) -> Value {
    let blocks = details.as_array_mut().into_iter().flatten();
    for block in blocks.filter(|block| has_thoughts(block)) {
        *block = json!({"type": THOUGHTS_TYPE, "text": thoughts});
    }
    details
}

/// The `reasoning_content` of a message with these reasoning blocks.
pub(super) fn thoughts(details: &Value) -> Option<&str> {
    details.as_array()?.iter().find(|block| has_thoughts(block))?.get("text").and_then(Value::as_str)
}

/// Whether this block records that reasoning came as `reasoning_content`.
pub(super) fn has_thoughts(block: &Value) -> bool {
    is_of_type(block, THOUGHTS_TYPE)
}

/// The reasoning blocks without the extra data, if any are left.
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
    is_of_type(block, TYPE) || has_thoughts(block)
}

fn is_of_type(block: &Value, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(kind)
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
    fn thoughts_go_back_where_a_block_asks_for_them() {
        let reasoning = json!({"type": "reasoning.text", "text": "r"});
        let details = with_thoughts(json!([reasoning, thoughts_block()]), "Hm.");
        assert_eq!(thoughts(&details), Some("Hm."));
        assert_eq!(*without_extras(&details).unwrap(), json!([reasoning]));
        assert_eq!(thoughts(&with_thoughts(json!([thoughts_block()]), "")), Some(""), "there were none");
        for other in [json!([reasoning]), json!("text"), json!(null)] {
            let kept = with_thoughts(other.clone(), "Hm.");
            assert_eq!((thoughts(&kept), &kept), (None, &other));
        }
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
