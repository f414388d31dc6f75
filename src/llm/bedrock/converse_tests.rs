use proptest::prelude::*;

use super::*;
use crate::llm::upstream_error::Secrets;

fn reader() -> ReplyReader {
    ReplyReader::new(ErrorContext {
        provider: "bedrock".into(),
        model: "m".into(),
        secrets: Secrets::default(),
    })
}

/// The chunks of these events, and how they ended.
fn read(events: &[(&str, Value)]) -> (Vec<Chunk>, Result<(), CallError>) {
    let (mut reader, mut out) = (reader(), Vec::new());
    for (kind, body) in events {
        if let Err(error) = reader.read_event(kind, body.to_string().as_bytes(), &mut out) {
            return (out, Err(error));
        }
    }
    (out, if reader.is_whole() { Ok(()) } else { Err(reader.cut()) })
}

fn stop(reason: &str) -> (&'static str, Value) {
    ("messageStop", json!({ "stopReason": reason }))
}

fn delta(index: u64, delta: &Value) -> (&'static str, Value) {
    ("contentBlockDelta", json!({ "contentBlockIndex": index, "delta": delta, "p": "abc" }))
}

#[test]
fn words_a_reason_and_the_counts() {
    let (chunks, ended) = read(&[
        ("messageStart", json!({"role": "assistant"})),
        delta(0, &json!({"text": "So"})),
        delta(0, &json!({"text": ""})),
        delta(0, &json!({"text": " be it."})),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
        stop("end_turn"),
        ("somethingNew", json!({"x": 1})),
        (
            "metadata",
            json!({"usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10, "cacheReadInputTokens": 90,
                             "cacheWriteInputTokens": 5}, "metrics": {"latencyMs": 9}}),
        ),
    ]);
    ended.unwrap();
    let usage = Usage {
        prompt_tokens: 102,
        completion_tokens: 3,
        cached_tokens: 90,
        cache_write_tokens: 5,
        total_tokens: 105,
        ..Usage::default()
    };
    assert_eq!(
        chunks,
        [
            Chunk::Text("So".into()),
            Chunk::Text(" be it.".into()),
            Chunk::Finish("stop".into()),
            Chunk::Usage(usage)
        ]
    );
}

#[test]
fn a_call_comes_in_pieces() {
    let (chunks, ended) = read(&[
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}),
        ),
        delta(1, &json!({"toolUse": {"input": "{\"q\""}})),
        delta(1, &json!({"toolUse": {"input": ": 1}"}})),
        stop("tool_use"),
    ]);
    ended.unwrap();
    let piece = |id: Option<&str>, name: Option<&str>, arguments: &str| Chunk::ToolCall {
        index: 1,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
    };
    assert_eq!(
        chunks,
        [
            piece(Some("t"), Some("f"), ""),
            piece(None, None, "{\"q\""),
            piece(None, None, ": 1}"),
            Chunk::Finish("tool_calls".into())
        ]
    );
}

#[test]
fn reasoning_is_shown_as_it_comes_and_kept_with_its_signature() {
    let reasoning = |piece: Value| json!({ "reasoningContent": piece });
    let (chunks, ended) = read(&[
        delta(0, &reasoning(json!({"text": "Let me "}))),
        delta(0, &reasoning(json!({"text": "see."}))),
        delta(0, &reasoning(json!({"signature": "ab"}))),
        delta(0, &reasoning(json!({"signature": "cd"}))),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
        delta(1, &reasoning(json!({"redactedContent": "Zm8="}))),
        delta(2, &reasoning(json!({"text": "unsigned"}))),
        stop("end_turn"),
    ]);
    ended.unwrap();
    assert_eq!(
        chunks,
        [
            Chunk::Reasoning("Let me ".into()),
            Chunk::Reasoning("see.".into()),
            Chunk::ReasoningDetails(
                json!([{"type": "reasoning.text", "text": "Let me see.", "signature": "abcd", "index": 0}])
            ),
            Chunk::Reasoning("unsigned".into()),
            Chunk::ReasoningDetails(json!([{"type": "reasoning.encrypted", "data": "Zm8=", "index": 1}])),
            Chunk::Finish("stop".into())
        ]
    );
}

#[test]
fn every_reason_to_stop_is_known() {
    for (reason, finish) in [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("something_new", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "tool_calls"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
    ] {
        let (chunks, ended) = read(&[stop(reason)]);
        ended.unwrap();
        assert_eq!(chunks, [Chunk::Finish(finish.into())], "{reason}");
    }
    for (reason, kind) in [
        ("model_context_window_exceeded", ErrorKind::ContextTooLong),
        ("malformed_model_output", ErrorKind::BadResponse),
        ("malformed_tool_use", ErrorKind::BadResponse),
    ] {
        let error = read(&[stop(reason)]).1.unwrap_err();
        assert_eq!((error.kind, error.reached), (kind, true), "{reason}");
    }
}

#[test]
fn a_stream_without_its_end_is_cut() {
    let error = read(&[delta(0, &json!({"text": "So"}))]).1.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadResponse);
}

#[test]
fn a_document_is_read_like_a_stream() {
    let document = json!({
        "output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": "Zm8="}},
            {"text": "Yes."},
            {"toolUse": {"toolUseId": "t", "name": "f", "input": {"q": 1}}},
        ]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    });
    let (mut reader, mut out) = (reader(), Vec::new());
    reader.read_whole(document.to_string().as_bytes(), &mut out).unwrap();
    assert_eq!(
        out[1..],
        [
            Chunk::Reasoning("Hm.".into()),
            Chunk::ReasoningDetails(
                json!([{"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0}])
            ),
            Chunk::ReasoningDetails(json!([{"type": "reasoning.encrypted", "data": "Zm8=", "index": 1}])),
            Chunk::Text("Yes.".into()),
            Chunk::ToolCall {
                index: 3,
                id: Some("t".into()),
                name: Some("f".into()),
                arguments: "{\"q\":1}".into()
            },
            Chunk::Finish("tool_calls".into()),
        ]
    );
    for none in ["{}", "[]", "nothing"] {
        let error = super::tests::reader().read_whole(none.as_bytes(), &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadResponse, "{none}");
    }
}

#[test]
fn what_is_no_json_shows_no_part_of_a_key() {
    let key = format!("AKIA{}", "hidden".repeat(20));
    let secrets: Secrets = std::iter::once(key.clone()).collect();
    let mut reader =
        ReplyReader::new(ErrorContext { provider: "bedrock".into(), model: "m".into(), secrets });
    let said = format!("The security token {key} in the request is invalid.");
    let error = reader.read_whole(said.as_bytes(), &mut Vec::new()).unwrap_err();
    assert!(error.message.ends_with("The security token [redacted] in the request is invalid."), "{error}");
}

proptest! {
    #[test]
    fn any_event_is_read_without_panic(kind in "[a-zA-Z]{0,20}", body in ".{0,60}") {
        for kind in [kind.as_str(), "contentBlockStart", "contentBlockDelta", "messageStop", "metadata"] {
            let _read = reader().read_event(kind, body.as_bytes(), &mut Vec::new());
        }
    }
}
