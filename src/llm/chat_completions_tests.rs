use proptest::prelude::*;
use serde_json::json;

use super::super::reply::Usage;
use super::*;

fn reader() -> ReplyReader {
    ReplyReader::new(ErrorContext { provider: "gate".into(), model: "m".into(), secrets: Default::default() })
}

/// The chunks of a stream with these payloads, and the error that ended it.
fn read(payloads: &[&str]) -> (Vec<Chunk>, Option<CallError>) {
    let (mut reader, mut out) = (reader(), Vec::new());
    for payload in payloads {
        if let Err(error) = reader.read_event(payload, &mut out) {
            return (out, Some(error));
        }
    }
    (out, None)
}

fn delta(delta: &Value) -> Vec<Chunk> {
    let (chunks, error) = read(&[&json!({"choices": [{"index": 0, "delta": delta}]}).to_string()]);
    assert_eq!(error, None);
    chunks
}

fn text_of(text: &str) -> Chunk {
    Chunk::Text(text.into())
}

fn reasoning_of(text: &str) -> Chunk {
    Chunk::Reasoning(text.into())
}

#[test]
fn a_plain_stream_is_read_to_its_end() {
    let (chunks, error) = read(&[
        r#"{"model":"acme/one-2","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
        r#"{"model":"acme/one-2","choices":[{"index":0,"delta":{"content":"Hi"}}],"usage":null}"#,
        r#"{"model":"acme/one-2","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}"#,
        "[DONE]",
        r#"{"choices":[{"delta":{"content":"after the end"}}]}"#,
    ]);
    let usage = Usage { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4, ..Usage::default() };
    assert_eq!(error, None);
    assert_eq!(
        chunks,
        [
            Chunk::ServedBy("acme/one-2".into()),
            text_of("Hi"),
            Chunk::Finish("stop".into()),
            Chunk::Usage(usage)
        ]
    );
}

#[test]
fn reasoning_is_read_under_each_of_its_names_and_once() {
    assert_eq!(delta(&json!({"reasoning": "r"})), [reasoning_of("r")]);
    assert_eq!(delta(&json!({"reasoning_content": "r", "content": ""})), [reasoning_of("r")]);
    assert_eq!(delta(&json!({"reasoning_content": "r", "reasoning": "r"})), [reasoning_of("r")]);
    let details = json!([{"type": "reasoning.text", "text": "r", "index": 0}]);
    assert_eq!(
        delta(&json!({"reasoning": "r", "reasoning_details": details})),
        [reasoning_of("r"), Chunk::ReasoningDetails(details.clone())]
    );
    assert_eq!(
        delta(&json!({"reasoning_details": details})),
        [reasoning_of("r"), Chunk::ReasoningDetails(details)],
        "readable text that stands only in the blocks is shown as well"
    );
    assert_eq!(delta(&json!({"reasoning": null, "reasoning_details": []})), []);
}

#[test]
fn content_in_parts_is_read() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}, {"type": "text", "text": "a"}, "b"]);
    assert_eq!(delta(&json!({"content": parts})), [reasoning_of("r"), text_of("a"), text_of("b")]);
}

#[test]
fn a_refusal_is_shown_as_text() {
    assert_eq!(delta(&json!({"content": null, "refusal": "No."})), [text_of("No.")]);
}

#[test]
fn tool_calls_are_numbered_in_the_order_in_which_they_begin() {
    let call = |index, id: Option<&str>, name: Option<&str>, arguments: &str| Chunk::ToolCall {
        index,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: arguments.into(),
    };
    let event = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string();
    let (chunks, _) = read(&[
        &event(
            json!([{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}]),
        ),
        &event(json!([{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}])),
        &event(json!([{"index": 0, "function": {"arguments": "{\"q\":"}}])),
        &event(json!([{"function": {"arguments": "1}"}}])),
        &event(json!([{"id": "c", "function": {"name": "h", "arguments": {"x": 1}}}])),
    ]);
    assert_eq!(
        chunks,
        [
            call(0, Some("a"), Some("f"), ""),
            call(1, Some("b"), Some("g"), "{}"),
            call(0, None, None, "{\"q\":"),
            call(0, None, None, "1}"),
            call(2, Some("c"), Some("h"), "{\"x\":1}"),
        ]
    );
    assert_eq!(
        delta(&json!({"function_call": {"name": "f", "arguments": "{}"}})),
        [call(0, None, Some("f"), "{}")],
        "as it was called before there could be several"
    );
    assert_eq!(delta(&json!({"tool_calls": [null, 7], "function_call": null})), []);
}

#[test]
fn what_stands_beside_a_call_comes_as_a_reasoning_block_with_its_place() {
    let signed = json!({"google": {"thought_signature": "c2ln"}});
    let chunks = delta(&json!({"tool_calls": [
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"index": 1, "id": "b", "function": {"name": "f", "arguments": "{}"}, "extra_content": signed},
    ]}));
    let block = json!([{"type": "tool_call.extra_content", "index": 1, "extra_content": signed}]);
    assert_eq!(chunks.len(), 3, "{chunks:?}");
    assert_eq!(chunks[1], Chunk::ReasoningDetails(block));
}

#[test]
fn what_is_cited_is_told_once_however_often_it_comes() {
    let cited = json!(["https://a.example", "https://b.example"]);
    let event = json!({"citations": cited, "choices": [{"delta": {"content": "x[1]"}}]}).to_string();
    let annotated = json!({"choices": [{"delta": {"content": "y", "annotations": [
        {"type": "url_citation", "url_citation": {"url": "https://c.example", "title": "C"}}
    ]}}]});
    let (chunks, error) = read(&[&event, &event, &annotated.to_string()]);
    let citation = |url: &str, title: Option<&str>| Citation {
        url: url.into(),
        title: title.map(str::to_owned),
        ..Citation::default()
    };
    assert_eq!(error, None);
    assert_eq!(
        chunks,
        [
            text_of("x[1]"),
            Chunk::Citations(vec![citation("https://a.example", None), citation("https://b.example", None)]),
            text_of("x[1]"),
            text_of("y"),
            Chunk::Citations(vec![citation("https://c.example", Some("C"))]),
        ]
    );
}

#[test]
fn a_whole_message_at_the_end_of_a_stream_says_nothing_twice() {
    let piece = |delta: Value| json!({"choices": [{"delta": delta}]}).to_string();
    let call = json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]);
    let message =
        json!({"role": "assistant", "content": "ab", "reasoning_content": "r", "tool_calls": call.clone()});
    let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}],
                       "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    .to_string();
    let count =
        |chunks: &[Chunk], kind: fn(&Chunk) -> bool| chunks.iter().filter(|chunk| kind(chunk)).count();
    let is_text: fn(&Chunk) -> bool = |chunk| matches!(chunk, Chunk::Text(_));
    let is_reasoning: fn(&Chunk) -> bool = |chunk| matches!(chunk, Chunk::Reasoning(_));
    let is_call: fn(&Chunk) -> bool = |chunk| matches!(chunk, Chunk::ToolCall { .. });
    let all = [
        piece(json!({"reasoning_content": "r"})),
        piece(json!({"content": "a"})),
        piece(json!({"content": "b"})),
        piece(json!({"tool_calls": call})),
    ];
    for (came, expected) in [(0, [1, 1, 1]), (1, [1, 1, 1]), (3, [2, 1, 1]), (4, [2, 1, 1])] {
        let payloads: Vec<&str> = all[..came].iter().chain([&whole]).map(String::as_str).collect();
        let (chunks, error) = read(&payloads);
        assert_eq!(error, None);
        assert_eq!([is_text, is_reasoning, is_call].map(|kind| count(&chunks, kind)), expected, "{chunks:?}");
        let text: String = chunks
            .iter()
            .filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(&**text) } else { None })
            .collect();
        assert_eq!(text, "ab");
        assert!(matches!(chunks[chunks.len() - 2..], [Chunk::Finish(_), Chunk::Usage(_)]), "{chunks:?}");
    }
}

#[test]
fn a_reason_to_stop_after_which_more_comes_does_not_make_a_reply_whole() {
    let piece =
        |text: &str| json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}).to_string();
    let plain = json!({"choices": [{"delta": {"content": "b"}}]}).to_string();
    for second in [piece("b"), plain] {
        let (mut reader, mut out) = (reader(), Vec::new());
        reader.read_event(&piece("a"), &mut out).unwrap();
        assert!(reader.is_whole());
        reader.read_event(&second, &mut out).unwrap();
        assert_eq!((reader.is_whole(), reader.is_whole_at_its_end()), (false, true), "{second}");
        reader.read_event("[DONE]", &mut out).unwrap();
        assert!(reader.is_whole());
    }
}

#[test]
fn u0000_and_lone_surrogates_do_not_lose_the_chunk() {
    let (chunks, error) = read(&[r#"{"choices":[{"delta":{"content":"a\u0000b\ud800c\\u0000"}}]}"#]);
    assert_eq!((chunks, error), (vec![text_of("a\u{fffd}b\u{fffd}c\\u0000")], None));
}

#[test]
fn a_character_that_was_cut_between_two_pieces_is_whole_again() {
    let (chunks, error) = read(&[
        r#"{"choices":[{"delta":{"content":"a\ud83d"}}],"usage":{"prompt_tokens":1}}"#,
        r#"{"choices":[{"delta":{"content":"\ude00b\ud83d"}}]}"#,
        r#"{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(error, None);
    let texts: Vec<&Chunk> = chunks.iter().filter(|chunk| matches!(chunk, Chunk::Text(_))).collect();
    assert_eq!(texts, [&text_of("a"), &text_of("😀b"), &text_of("\u{fffd}")]);
    let call = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let (chunks, _) = read(&[&call(r#"{\"q\":\"\ud83d"#), &call(r#"\ude00\"}"#)]);
    let arguments = chunks.iter().map(|chunk| {
        if let Chunk::ToolCall { arguments, .. } = chunk { arguments.as_str() } else { panic!("{chunk:?}") }
    });
    assert_eq!(arguments.collect::<String>(), "{\"q\":\"😀\"}");
}

#[test]
fn half_a_character_that_stays_so_comes_before_the_reason_to_stop() {
    let piece = |text: &str, reason: &str| {
        format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]}}"#)
    };
    let (going_on, stop) = ("null", "\"stop\"");
    for pieces in [
        [piece(r"a\ud83d", going_on), piece("", stop)],
        [piece("a", going_on), piece(r"\ud83d", stop)],
        // One event may hold both.
        [String::new(), piece(r"a\ud83d", going_on) + &piece("", stop)],
    ] {
        let (chunks, error) = read(&[&pieces[0], &pieces[1]]);
        let whole = vec![text_of("a"), text_of("\u{fffd}"), Chunk::Finish("stop".into())];
        assert_eq!((chunks, error), (whole, None), "{pieces:?}");
    }
    // A reason beside every piece does not end an answer, not even in the middle of a character.
    let (chunks, error) = read(&[&piece("a", stop), &piece(r"\ud83d", stop), &piece(r"\ude00b", stop)]);
    let texts: Vec<&Chunk> = chunks.iter().filter(|chunk| chunk.is_token()).collect();
    assert_eq!((texts, error), (vec![&text_of("a"), &text_of("😀b")], None));
}

#[test]
fn several_pieces_in_one_event_are_read_in_order() {
    let (one, two) =
        (r#"{"choices":[{"delta":{"content":"1"}}]}"#, r#"{"choices":[{"delta":{"content":"2"}}]}"#);
    for payload in
        [format!("{one}{two}"), format!("{one}\n{two}\n[DONE]"), format!("data: {one} {two}[DONE]")]
    {
        let (mut reader, mut out) = (reader(), Vec::new());
        reader.read_event(&payload, &mut out).unwrap();
        assert_eq!(
            (&out[..], reader.is_done()),
            (&[text_of("1"), text_of("2")][..], payload.ends_with("[DONE]"))
        );
    }
    let (chunks, error) = read(&[&format!("{one}[")]);
    assert_eq!((chunks, error.unwrap().kind), (vec![text_of("1")], ErrorKind::BadResponse));
    let whole = reader().read_whole(&format!("{one}{two}"), &mut Vec::new());
    assert_eq!(whole.unwrap_err().kind, ErrorKind::BadResponse, "a document is one");
}

#[test]
fn reasons_to_stop_are_known_under_all_their_names() {
    let finish = |reason: &str| json!({"choices": [{"delta": {}, "finish_reason": reason}]}).to_string();
    for (reason, known) in [
        ("stop", "stop"),
        ("model_length", "length"),
        ("max_tokens", "length"),
        ("sensitive", "content_filter"),
        ("refusal", "content_filter"),
        ("content_filter: RECITATION", "content_filter"),
        ("eos_token", "eos_token"),
    ] {
        assert_eq!(read(&[&finish(reason)]), (vec![Chunk::Finish(known.into())], None));
    }
    for reason in [
        "error",
        "abort",
        "network_error",
        "insufficient_system_resource",
        "function_call_filter: MALFORMED_FUNCTION_CALL",
    ] {
        let (chunks, error) = read(&[&finish(reason)]);
        assert_eq!((chunks, error.unwrap().kind), (vec![], ErrorKind::Overloaded), "{reason}");
    }
    let (_, error) = read(&[&finish("model_context_window_exceeded")]);
    assert_eq!(error.unwrap().kind, ErrorKind::ContextTooLong);
    for none in ["", "null", "none"] {
        let (mut reader, mut out) = (reader(), Vec::new());
        reader.read_event(&finish(none), &mut out).unwrap();
        assert_eq!((out, reader.is_whole()), (vec![], false), "{none}");
    }
}

#[test]
fn an_error_in_the_place_of_a_piece_is_one() {
    let bare = [
        r#"{"code":400,"message":"the request exceeds the available context size","type":"invalid_request_error"}"#,
        r#"{"object":"error","message":"maximum context length is 8 tokens"}"#,
    ];
    for payload in bare {
        let (chunks, error) = read(&[payload]);
        assert_eq!((chunks, error.unwrap().kind), (vec![], ErrorKind::ContextTooLong), "{payload}");
        let whole = reader().read_whole(payload, &mut Vec::new());
        assert_eq!(whole.unwrap_err().kind, ErrorKind::ContextTooLong, "{payload}");
    }
    for payload in [
        r#"{"type":"ping"}"#,
        r#"{"code":0,"message":"","choices":[]}"#,
        r#"{"code":0,"message":""}"#,
        r#"{"code":0,"message":"Success"}"#,
        r#"{"code":200,"message":"OK"}"#,
    ] {
        assert_eq!(read(&[payload]), (vec![], None), "{payload}");
    }
}

#[test]
fn an_error_without_a_word_is_none() {
    let silent = json!({"message": "", "type": "", "param": "", "code": null});
    for error in [silent, json!({}), json!(""), json!([]), json!(false), json!({"code": 0, "metadata": {}})] {
        let piece =
            json!({"choices": [{"delta": {"content": "a"}, "error": error}], "error": error}).to_string();
        assert_eq!(read(&[&piece]), (vec![text_of("a")], None), "{error}");
        let whole = json!({"choices": [{"message": {"content": "a"}}], "error": error}).to_string();
        let mut out = Vec::new();
        assert_eq!((reader().read_whole(&whole, &mut out), &out[..]), (Ok(()), &[text_of("a")][..]));
    }
    for error in
        [json!({"message": "", "code": 500}), json!({"type": "server_error"}), json!("no"), json!(true)]
    {
        let (_, failure) = read(&[&json!({ "error": error }).to_string()]);
        assert_eq!(failure.unwrap().kind, ErrorKind::Overloaded, "{error}");
    }
}

#[test]
fn an_error_inside_the_stream_ends_it_and_keeps_the_text_beside_it() {
    let (chunks, error) = read(&[
        r#"{"error":{"code":502,"message":"gone"},"choices":[{"delta":{"content":"last"},"finish_reason":"error"}]}"#,
    ]);
    let error = error.unwrap();
    assert_eq!(chunks, [text_of("last")]);
    assert_eq!((error.kind, error.status), (ErrorKind::Overloaded, Some(502)));
    assert_eq!(error.message, "gate failed to answer for `m` (HTTP 502): gone");

    let (_, error) = read(&[r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#]);
    assert_eq!(error.unwrap().kind, ErrorKind::Overloaded);
    let (_, error) =
        read(&[r#"{"choices":[{"error":{"code":429,"message":"slow"},"finish_reason":"error"}]}"#]);
    assert_eq!(error.unwrap().kind, ErrorKind::RateLimited);
}

#[test]
fn a_malformed_piece_is_an_error_that_shows_its_beginning() {
    for payload in ["{\"choices\":[{", "7", "null", "upstream is down"] {
        let (chunks, error) = read(&[payload]);
        let error = error.unwrap();
        assert_eq!((chunks, error.kind), (vec![], ErrorKind::BadResponse));
        assert!(error.message.starts_with("gate: a malformed piece of the answer: "), "{}", error.message);
    }
}

#[test]
fn a_malformed_piece_shows_no_part_of_a_key() {
    let key = format!("sk-{}", "hidden".repeat(20));
    let asked = ErrorContext {
        provider: "gate".into(),
        model: "m".into(),
        secrets: std::iter::once(key.clone()).collect(),
    };
    let said = format!("Incorrect API key provided: {key}. Find yours in the settings.");
    let of_stream = ReplyReader::new(asked.clone()).read_event(&said, &mut Vec::new());
    let of_document = ReplyReader::new(asked).read_whole(&said, &mut Vec::new());
    for error in [of_stream, of_document].map(Result::unwrap_err) {
        assert!(
            error.message.ends_with("Incorrect API key provided: [redacted]. Find yours in the settings."),
            "{error}"
        );
    }
}

#[test]
fn a_whole_reply_is_read_like_a_stream_of_one() {
    let (mut reader, mut out) = (reader(), Vec::new());
    let body = r#"{"model":"x","choices":[{"message":{"role":"assistant","content":"Hi","reasoning":"r"},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    reader.read_whole(body, &mut out).unwrap();
    assert!(reader.is_whole());
    assert_eq!(
        out[..4],
        [Chunk::ServedBy("x".into()), reasoning_of("r"), text_of("Hi"), Chunk::Finish("length".into())]
    );
    assert!(matches!(out[4], Chunk::Usage(Usage { total_tokens: 3, cost_usd: None, .. })));
}

/// JSON of any shape, often with the field names that matter.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "choices",
        "delta",
        "message",
        "content",
        "text",
        "reasoning",
        "reasoning_details",
        "tool_calls",
        "function_call",
        "citations",
        "search_results",
        "annotations",
        "url",
        "function",
        "arguments",
        "index",
        "id",
        "error",
        "code",
        "metadata",
        "raw",
        "usage",
        "cost",
        "finish_reason",
        "model",
        "prompt_tokens",
        "type",
        "thinking",
    ]);
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_without_panic(value in any_json()) {
        let text = value.to_string();
        read(&[&text, &json!({"choices": [value]}).to_string(), &json!({"choices": [{"delta": value}]}).to_string()]);
        let mut out = Vec::new();
        let whole = reader().read_whole(&text, &mut out);
        prop_assert!(whole.is_ok() || whole.is_err());
    }

    /// The fast path for plain pieces and the general one give the same result.
    #[test]
    fn a_plain_piece_says_what_all_of_it_says(
        value in any_json(),
        (content, reasoning) in (any::<Option<String>>(), any::<Option<String>>()),
    ) {
        let plain = json!({"content": content, "reasoning": reasoning, "role": "assistant"});
        let mut more = plain.clone();
        more.as_object_mut().unwrap().extend(value.as_object().cloned().unwrap_or_default());
        let mut around = json!({"model": "m", "choices": [{"delta": plain, "finish_reason": null}], "error": null});
        around.as_object_mut().unwrap().extend(value.as_object().cloned().unwrap_or_default());
        for payload in [
            json!({"model": "m", "choices": [{"delta": more, "index": 0}]}),
            json!({"choices": [{"delta": plain, "finish_reason": value}]}),
            json!({"choices": [{"delta": {"content": value, "reasoning_content": reasoning}}]}),
            json!({"choices": [value, {"delta": plain}]}),
            around,
        ] {
            let text = payload.to_string();
            let mut out = Vec::new();
            let mut cleaned: Value = serde_json::from_str(&clean::json(&text)).unwrap();
            let long_way = reader().read_object(&mut cleaned, &mut out).err();
            prop_assert_eq!(read(&[&text]), (out, long_way));
        }
    }

    /// A server that escapes everything and cuts between any two units.
    #[test]
    fn a_text_in_escapes_is_whole_wherever_it_was_cut(
        units in proptest::collection::vec(
            prop_oneof![0xD7F0_u16..0xE010, any::<u16>(), Just(u16::from(b'"')), Just(u16::from(b'\\'))], 0..30),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        name in prop::sample::select(vec!["content", "reasoning", "reasoning_content"]),
        usage in prop::sample::select(vec!["null", "{}"]),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(units.len() + 1)).collect();
        ends.push(units.len());
        ends.sort_unstable();
        let mut events = Vec::new();
        let mut from = 0;
        for end in ends {
            let text: String = units[from..end].iter().map(|unit| format!("\\u{unit:04x}")).collect();
            events.push(format!(r#"{{"choices":[{{"delta":{{"{name}":"{text}"}}}}],"usage":{usage}}}"#));
            from = end;
        }
        events.push(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#.to_owned());
        let (chunks, error) = read(&events.iter().map(String::as_str).collect::<Vec<_>>());
        let mut text = String::new();
        for chunk in &chunks {
            if let Chunk::Text(piece) | Chunk::Reasoning(piece) = chunk {
                prop_assert_eq!(matches!(chunk, Chunk::Text(_)), name == "content");
                text.push_str(piece);
            }
        }
        prop_assert_eq!(error, None);
        prop_assert_eq!(text, String::from_utf16_lossy(&units).replace('\0', "\u{fffd}"));
    }

    #[test]
    fn any_text_is_read_without_panic(payloads in proptest::collection::vec(any::<String>(), 0..4)) {
        let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
        read(&payloads);
    }

    #[test]
    fn text_arrives_as_it_was_sent(pieces in proptest::collection::vec(any::<String>(), 0..8)) {
        let events: Vec<String> =
            pieces.iter().map(|piece| json!({"choices": [{"delta": {"content": piece}}]}).to_string()).collect();
        let (chunks, error) = read(&events.iter().map(String::as_str).collect::<Vec<_>>());
        let texts = chunks.iter().filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None });
        let text: String = texts.collect();
        prop_assert_eq!(error, None);
        prop_assert_eq!(text, pieces.concat().replace('\0', "\u{fffd}"));
    }
}
