//! The same scripts as Bedrock says them: Converse, and frames written from the public specification of
//! `application/vnd.amazon.eventstream`. Nothing here is the client's code, so that a mistake shows.

use serde_json::{Map, Value, json};

use super::RecordedRequest;
use super::script::Step;

/// A header's value is text.
const TEXT: u8 = 7;

/// The model that a path names, where it is one of Bedrock's: `/model/{id}/converse-stream`.
pub fn model_of(path: &str) -> Option<String> {
    asked_for(path, &["converse", "converse-stream"])
}

/// The same where a model is asked in a form of its own: `/model/{id}/invoke`.
pub fn invoked(path: &str) -> Option<String> {
    asked_for(path, &["invoke"])
}

fn asked_for(path: &str, actions: &[&str]) -> Option<String> {
    let (_, rest) = path.split('?').next()?.split_once("/model/")?;
    let (id, action) = rest.split_once('/')?;
    actions
        .contains(&action)
        .then(|| percent_encoding::percent_decode_str(id).decode_utf8_lossy().into_owned())
}

/// Whether a reply is asked for in one piece.
pub fn is_whole(request: &RecordedRequest) -> bool {
    request.path.ends_with("/converse")
}

/// What a message says, its blocks of text joined.
pub fn text_of(content: &Value) -> Option<String> {
    let blocks = content.as_array()?;
    Some(blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"))
}

/// CRC-32 as in Ethernet and zip, a bit at a time.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

fn u32_of(length: usize) -> u32 {
    length.try_into().expect("a short frame")
}

/// One frame: lengths, their checksum, headers, payload, the checksum of all.
pub(super) fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).expect("a short name"));
        block.extend(name.as_bytes());
        block.push(TEXT);
        block.extend(u16::try_from(value.len()).expect("a short value").to_be_bytes());
        block.extend(value.as_bytes());
    }
    let mut frame = Vec::new();
    frame.extend(u32_of(12 + block.len() + payload.len() + 4).to_be_bytes());
    frame.extend(u32_of(block.len()).to_be_bytes());
    frame.extend(checksum(&frame).to_be_bytes());
    frame.extend(block);
    frame.extend(payload);
    frame.extend(checksum(&frame).to_be_bytes());
    frame
}

/// A piece of a reply.
pub(super) fn event(kind: &str, body: &Value) -> Step {
    let headers = [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")];
    Step::Send(frame(&headers, body.to_string().as_bytes()))
}

/// A failure in the middle of a reply.
pub(super) fn exception(kind: &str, message: &str) -> Step {
    let headers =
        [(":exception-type", kind), (":content-type", "application/json"), (":message-type", "exception")];
    Step::Send(frame(&headers, json!({ "message": message }).to_string().as_bytes()))
}

/// A failure of the connection itself.
pub(super) fn error(code: &str, message: &str) -> Step {
    Step::Send(frame(&[(":message-type", "error"), (":error-code", code), (":error-message", message)], b""))
}

/// The events of a `delta` of chat completions. Text is block 0, reasoning block 1, calls from 2 on.
pub(super) fn of_delta(delta: &Value) -> Vec<Step> {
    let mut steps = Vec::new();
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        let index = call["index"].as_u64().unwrap_or(0) + 2;
        let function = &call["function"];
        if let Some(name) = function["name"].as_str() {
            let begun = json!({"toolUse": {"toolUseId": call["id"], "name": name}});
            steps.push(event("contentBlockStart", &json!({"contentBlockIndex": index, "start": begun})));
        }
        if let Some(input) = function["arguments"].as_str().filter(|input| !input.is_empty()) {
            steps.push(of_block(index, &json!({"toolUse": {"input": input}})));
        }
    }
    steps
}

/// A piece of one block.
pub(super) fn of_block(index: u64, delta: &Value) -> Step {
    event("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta, "p": "abcdefgh"}))
}

/// Why a model stopped, as Converse says it; what it does not know stays as it is.
pub(super) fn stop_reason(finish: &str) -> &str {
    match finish {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        "content_filter" => "content_filtered",
        other => other,
    }
}

/// Token counts of chat completions as Converse says them; its own stay as they are.
pub(super) fn usage(counts: &Value) -> Value {
    if counts.get("inputTokens").is_some() {
        return counts.clone();
    }
    json!({
        "inputTokens": counts["prompt_tokens"],
        "outputTokens": counts["completion_tokens"],
        "totalTokens": counts["total_tokens"],
    })
}

/// A whole reply as one document.
pub(super) fn document(content: &[Value], finish: Option<&str>, counts: Option<&Value>) -> Value {
    let mut document = Map::new();
    document.insert("output".into(), json!({"message": {"role": "assistant", "content": content}}));
    if let Some(finish) = finish {
        document.insert("stopReason".into(), stop_reason(finish).into());
    }
    if let Some(counts) = counts {
        document.insert("usage".into(), usage(counts));
    }
    document.insert("metrics".into(), json!({"latencyMs": 1}));
    document.into()
}

#[test]
fn the_checksum_is_that_of_the_specification() {
    assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    // The shortest frame there is, as it stands in public test vectors.
    assert_eq!(hex::encode(frame(&[], b"")), "000000100000000005c248eb7d98c8ff");
}
