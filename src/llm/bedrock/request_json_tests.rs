use proptest::prelude::*;

use super::*;
use crate::llm::purpose::ANY;
use crate::llm::request::Sampling;

fn request(messages: Vec<ChatMessage>) -> ChatRequest {
    ChatRequest::new("m", &ANY, messages)
}

#[test]
fn a_question_is_one_message_and_a_system_prompt_stands_apart() {
    let asked = request(vec![ChatMessage::system("Be brief."), ChatMessage::user("Why?")]);
    assert_eq!(
        body(&asked, false),
        json!({"messages": [{"role": "user", "content": [{"text": "Why?"}]}], "system": [{"text": "Be brief."}]})
    );
    assert_eq!(
        body(&asked, true),
        json!({"messages": [{"role": "user", "content": [{"text": "Be brief."}, {"text": "Why?"}]}]})
    );
}

#[test]
fn pictures_stand_before_the_text() {
    let image = crate::llm::Image::new("a", "webp", (1, 1), b"x").into();
    let asked = request(vec![ChatMessage { images: vec![image], ..ChatMessage::user("What is this?") }]);
    assert_eq!(
        body(&asked, false)["messages"],
        json!([{"role": "user", "content": [
            {"image": {"format": "webp", "source": {"bytes": "eA=="}}}, {"text": "What is this?"},
        ]}])
    );
}

#[test]
fn sampling_is_brought_into_bounds() {
    let sampling = Sampling { temperature: Some(1.7), max_tokens: Some(0) };
    let asked = ChatRequest { sampling, ..request(vec![ChatMessage::user("Why?")]) };
    assert_eq!(body(&asked, false)["inferenceConfig"], json!({"temperature": 1.0, "maxTokens": 1}));
}

#[test]
fn a_prompt_that_comes_again_is_marked_where_the_model_keeps_it() {
    let asked = |model: &str, continues| {
        let request = request(vec![ChatMessage::system("Be brief."), ChatMessage::user("Why?")]);
        body(&ChatRequest { model: model.into(), continues, ..request }, false)["messages"][0]["content"]
            .clone()
    };
    let plain = json!([{"text": "Why?"}]);
    let marked = json!([{"text": "Why?"}, {"cachePoint": {"type": "default"}}]);
    assert_eq!(asked("eu.anthropic.claude-sonnet-4-6", true), marked);
    assert_eq!(asked("eu.anthropic.claude-sonnet-4-6", false), plain);
    assert_eq!(asked("anthropic.claude-3-haiku-20240307-v1:0", true), plain);
    assert_eq!(asked("us.amazon.nova-pro-v1:0", true), plain);
}

#[test]
fn calls_their_reasoning_and_their_results_are_handed_back() {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: "search web".into(),
        arguments: arguments.into(),
    };
    let details = json!([
        {"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0},
        {"type": "reasoning.text", "text": "unsigned"},
        {"type": "reasoning.encrypted", "data": "x", "index": 1},
        {"type": "reasoning.summary", "summary": "y"},
    ]);
    let tool = Tool {
        name: "search_web".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object"}),
    };
    let messages = vec![
        ChatMessage::user("Why?"),
        ChatMessage::calling(" ", vec![call("a", "{\"q\": 1}"), call("b", "{\"q\"")], Some(details)),
        ChatMessage::tool("a", "found"),
        ChatMessage::tool("b", ""),
        ChatMessage::user("And now?"),
    ];
    let asked = ChatRequest { tools: vec![tool], ..request(messages) };
    let body = body(&asked, false);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"text": "Why?"}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}},
                {"reasoningContent": {"redactedContent": "x"}},
                {"toolUse": {"toolUseId": "a", "name": "search_web", "input": {"q": 1}}},
                {"toolUse": {"toolUseId": "b", "name": "search_web", "input": {}}},
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "a", "content": [{"text": "found"}]}},
                {"toolResult": {"toolUseId": "b", "content": [{"text": "…"}]}},
                {"text": "And now?"},
            ]},
        ])
    );
    assert_eq!(
        body["toolConfig"],
        json!({"tools": [{"toolSpec": {
            "name": "search_web", "description": "Finds.", "inputSchema": {"json": {"type": "object"}}}}]})
    );
}

fn message() -> impl Strategy<Value = ChatMessage> {
    (0..4, prop_oneof!["", " ", "[a-z]{1,5}"]).prop_map(|(role, text)| match role {
        0 => ChatMessage::system(text),
        1 => ChatMessage::user(text),
        2 => ChatMessage::assistant(text),
        _ => ChatMessage::tool("a", text),
    })
}

proptest! {
    #[test]
    fn turns_alternate_from_the_user_on_and_nothing_is_blank(
        messages in proptest::collection::vec(message(), 0..8), folded: bool)
    {
        let body = body(&request(messages), folded);
        let turns = body["messages"].as_array().unwrap();
        prop_assert!(!turns.is_empty());
        for (at, turn) in turns.iter().enumerate() {
            prop_assert_eq!(turn["role"].as_str(), Some(if at % 2 == 0 { "user" } else { "assistant" }));
            for block in turn["content"].as_array().unwrap() {
                let text = block["text"].as_str().or(block["toolResult"]["content"][0]["text"].as_str());
                prop_assert!(!text.unwrap().trim().is_empty());
            }
        }
    }
}
