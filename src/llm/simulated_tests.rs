use super::super::purpose::ANY;
use super::super::reply::ToolCall;
use super::super::request::ChatMessage;
use super::super::settings::ProviderSettings;
use super::*;
use crate::llm::{Schema, Tool};
use proptest::prelude::*;
use serde_json::json;

fn request(model: &str, prompt: &str) -> ChatRequest {
    ChatRequest { seed: 7, ..ChatRequest::new(model, &ANY, vec![ChatMessage::user(prompt)]) }
}

fn provider(tokens_per_second: u32) -> Simulated {
    let settings = ProviderSettings::new("sim", &KIND);
    Simulated::new(&settings.with("tokens_per_second", tokens_per_second).with("first_token_ms", 300))
        .unwrap()
}

async fn chunks(provider: &Simulated, request: &ChatRequest) -> Vec<Result<Chunk, CallError>> {
    provider.open(request).await.unwrap().collect().await
}

#[tokio::test]
async fn a_schema_is_answered_with_json_alone() {
    let schema = Schema::new("yes", json!({"type": "object", "properties": {"yes": {"type": "boolean"}}}));
    let request = ChatRequest { schema: Some(schema), ..request("cedar/pro", "Which?") };
    let items = chunks(&provider(0), &request).await;
    let text: String = items
        .into_iter()
        .filter_map(|item| if let Chunk::Text(text) = item.unwrap() { Some(text) } else { None })
        .collect();
    assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["yes"].is_boolean(), "{text}");
}

#[tokio::test]
async fn the_same_seed_writes_the_same_and_another_model_something_else() {
    let provider = provider(0);
    let once = chunks(&provider, &request("a/one", "Why?")).await;
    assert_eq!(once, chunks(&provider, &request("a/one", "Why?")).await);
    assert_ne!(once, chunks(&provider, &request("b/two", "Why?")).await);
}

#[tokio::test]
async fn parts_of_a_model_id_make_it_misbehave() {
    let provider = provider(0);
    let failure = provider.open(&request("a/fails", "Why?")).await.err().unwrap();
    assert_eq!(failure.kind, ErrorKind::Overloaded);
    let cut = chunks(&provider, &request("a/cut", "Why?")).await;
    assert_eq!(cut.last().unwrap().as_ref().unwrap_err().kind, ErrorKind::BadResponse);
    assert!(cut.len() > 10);
    let reasons = chunks(&provider, &request("a/reasons", "Why?")).await;
    assert!(matches!(reasons[0], Ok(Chunk::Reasoning(_))));
}

#[tokio::test]
async fn it_searches_once_and_cites_what_came_back() {
    let tool = Tool { name: "search_web".into(), description: String::new(), parameters: json!({}) };
    let asked = ChatRequest { tools: vec![tool], ..request("a/one", "Question: why is the sky blue?") };
    let first = chunks(&provider(0), &asked).await;
    let Ok(Chunk::ToolCall { id: Some(id), name: Some(name), arguments, .. }) = &first[0] else {
        panic!("{first:?}")
    };
    assert_eq!(arguments, r#"{"query":"why is the sky blue"}"#);
    let call = ToolCall { id: id.clone(), name: name.clone(), arguments: arguments.clone() };
    let mut again = asked;
    again.messages.push(ChatMessage::calling("", vec![call], None));
    again.messages.push(ChatMessage::tool(id.clone(), "[3] Rayleigh\n[x] no\n[4] Tyndall\n[5] More"));
    let said: String = chunks(&provider(0), &again)
        .await
        .into_iter()
        .filter_map(|chunk| if let Ok(Chunk::Text(text)) = chunk { Some(text) } else { None })
        .collect();
    assert!(said.ends_with("[3][4]."), "{said}");
}

#[tokio::test(start_paused = true)]
async fn words_come_at_the_pace() {
    for (model, slowness) in [("a/one", 1), ("a/slow", 10)] {
        let request = request(model, "Why?");
        let started = Instant::now();
        let mut stream = provider(10).open(&request).await.unwrap();
        assert!(stream.next().await.is_some());
        assert_eq!(started.elapsed(), Duration::from_millis(300 * slowness));
        assert!(stream.next().await.is_some());
        assert_eq!(started.elapsed(), Duration::from_millis(400 * slowness));
    }
}

#[test]
fn pace_nought_needs_no_clock() {
    // Outside a runtime every timer would panic.
    let items = futures_util::FutureExt::now_or_never(async {
        chunks(&provider(0), &request("a/one", "Why?")).await
    });
    let usage = items
        .unwrap()
        .into_iter()
        .find_map(|item| if let Chunk::Usage(usage) = item.unwrap() { Some(usage) } else { None });
    let usage = usage.unwrap();
    assert_eq!(usage.cost_usd, Some(0.0));
    assert!(usage.completion_tokens > 20 && usage.prompt_tokens == 1);
}

proptest! {
    #[test]
    fn any_prompt_is_answered(prompt in any::<String>(), model in any::<String>(), seed: u64) {
        let request = ChatRequest { seed, ..request(&model, &prompt) };
        prop_assert!(!text::write(&request).trim().is_empty());
    }

    #[test]
    fn words_join_to_the_text(text in any::<String>()) {
        prop_assert_eq!(words(&text).collect::<String>(), text);
    }
}
