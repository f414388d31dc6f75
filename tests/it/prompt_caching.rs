//! Prompts that come again are written so that providers can keep them, are marked where a provider wants that, and what
//! it saves is shown.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{RecordedRequest, Script, plausible, text_of};
use crate::support::search_server::SearchServer;

const MARKING: &str = "anthropic/claude-test";
const BY_ITSELF: &str = "openai/gpt-test";
const SEARCHES: usize = 2;

/// The messages of a request as they count for a cache: without the marks.
fn parts(request: &RecordedRequest) -> Vec<Value> {
    let messages = request.body["messages"].as_array().expect("messages");
    let plain = |message: &Value| {
        let mut message = message.clone();
        if message["content"].is_array() {
            message["content"] = text_of(&message["content"]).into();
        }
        message
    };
    messages.iter().map(plain).collect()
}

fn is_marked(message: &Value) -> bool {
    message["content"][0]["cache_control"] == json!({"type": "ephemeral"})
}

/// A token for every four characters.
fn tokens(parts: &[Value]) -> u64 {
    parts.iter().map(|part| part.to_string().len() as u64 / 4).sum()
}

/// A provider that keeps prompts: the whole messages that a request has in common with an earlier one of its model
/// come from the cache; a model that wants marks keeps only what was marked.
#[derive(Clone, Default)]
struct Cache(Arc<Mutex<Vec<Kept>>>);

/// A prompt of this model.
type Kept = (String, Vec<Value>);

impl Cache {
    fn usage(&self, request: &RecordedRequest) -> Value {
        let parts = parts(request);
        let mut kept = self.0.lock().unwrap();
        let common = |earlier: &[Value]| parts.iter().zip(earlier).take_while(|(a, b)| a == b).count();
        let of_model = kept.iter().filter(|(model, _)| *model == request.model);
        let longest = of_model.map(|(_, earlier)| common(earlier)).max().unwrap_or(0);
        let marked = request.body["messages"].as_array().unwrap().iter().any(is_marked);
        if marked || request.model == BY_ITSELF {
            kept.push((request.model.clone(), parts.clone()));
        }
        json!({
            "prompt_tokens": tokens(&parts), "completion_tokens": 10, "total_tokens": tokens(&parts) + 10,
            "prompt_tokens_details": {"cached_tokens": tokens(&parts[..longest])},
        })
    }
}

#[tokio::test]
async fn the_turns_of_a_member_with_tools_are_read_from_the_providers_cache() {
    let price = json!({"prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000001"});
    let list: Vec<Value> =
        [MARKING, BY_ITSELF].iter().map(|id| json!({"id": id, "pricing": price})).collect();
    let search = SearchServer::start().await;
    let council = format!(
        "{}\n[council]\nmodels = [\"{MARKING}\", \"{BY_ITSELF}\"]\nchairman = \"{BY_ITSELF}\"\n\
         title_model = \"{BY_ITSELF}\"\n",
        search.toml("tavily", "")
    );
    let app = TestApp::openrouter_with(&json!(list), &council).await;
    let cache = Cache::default();
    app.models.rule(move |request| {
        let offered = request.body["tools"].is_array();
        let turn = parts(request).iter().filter(|message| message["tool_calls"].is_array()).count();
        let script = if offered && turn < SEARCHES {
            Script::answer("").search(&format!("call_{turn}"), &format!("blue sky {turn}"))
        } else {
            plausible(request)
        };
        Some(script.usage(cache.usage(request)))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let question = json!({"content": "Why is the sky blue?", "use_tools": true});
    let events = ann.ask(&id, question).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");

    for model in [MARKING, BY_ITSELF] {
        let records = app.models.records().into_iter().map(|record| record.request);
        let turns: Vec<RecordedRequest> =
            records.filter(|request| request.model == model && request.body["tools"].is_array()).collect();
        assert_eq!(turns.len(), SEARCHES + 1, "{model}");
        for pair in turns.windows(2) {
            let (earlier, later) = (parts(&pair[0]), parts(&pair[1]));
            assert_eq!(later[..earlier.len()], earlier, "{model}: what was there stays at the beginning");
            assert_eq!(pair[0].body["tools"], pair[1].body["tools"], "{model}: so do the tools");
        }
        for turn in &turns {
            let messages = turn.body["messages"].as_array().unwrap();
            let marks: Vec<usize> = (0..messages.len()).filter(|at| is_marked(&messages[*at])).collect();
            let wanted = if model == MARKING { vec![messages.len() - 1] } else { vec![] };
            assert_eq!(marks, wanted, "{model}");
        }
        let last = turns.last().unwrap();
        let kept = tokens(&parts(&turns[SEARCHES - 1]));
        let message = &ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1];
        let answer = message["stage1"].as_array().unwrap().iter().find(|answer| answer["model"] == model);
        let usage = &answer.unwrap()["usage"];
        let first = tokens(&parts(&turns[0]));
        assert_eq!(usage["cached_tokens"], kept + first, "{model}: {last:?}");
        #[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
        let saved = (kept + first) as f64 * 0.000_000_9;
        assert!((usage["cache_saved_usd"].as_f64().unwrap() - saved).abs() < 1e-12, "{usage}");
    }
    for request in app.models.records().into_iter().map(|record| record.request) {
        let marked = request.body["messages"].as_array().unwrap().iter().any(is_marked);
        assert!(!marked || request.body["tools"].is_array(), "only what comes again is marked: {request:?}");
    }

    let figures = ann.get("/api/analytics").await.ok();
    let of_models = figures["models"].as_object().unwrap().values();
    let sum: u64 = of_models.map(|model| model["cached_tokens"].as_u64().unwrap()).sum();
    assert_eq!(figures["summary"]["cached_tokens"], sum);
    #[expect(clippy::cast_precision_loss, reason = "a few thousand tokens")]
    let saved = sum as f64 * 0.000_000_9;
    assert!((figures["summary"]["cache_saved_usd"].as_f64().unwrap() - saved).abs() < 1e-12, "{figures}");
    app.close().await;
}

/// A call that only writes to a cache has no cached tokens.
#[tokio::test]
async fn what_writing_to_a_cache_cost_is_taken_off_what_it_saved() {
    let price = json!({
        "prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000001",
        "input_cache_write": "0.00000125",
    });
    let list: Vec<Value> =
        [MARKING, BY_ITSELF].iter().map(|id| json!({"id": id, "pricing": price})).collect();
    let council = format!(
        "\n[council]\nmodels = [\"{MARKING}\", \"{BY_ITSELF}\"]\nchairman = \"{BY_ITSELF}\"\n\
         title_model = \"{BY_ITSELF}\"\n"
    );
    let app = TestApp::openrouter_with(&json!(list), &council).await;
    app.models.rule(|request| {
        let (read, written) = if request.model == MARKING { (0, 1000) } else { (500, 0) };
        let usage = json!({
            "prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010,
            "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": written},
        });
        Some(plausible(request).usage(usage))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ann.ask(&id, json!({"content": "Why is the sky blue?"})).await.rest().await;
    let figures = ann.get("/api/analytics").await.ok();
    let of = |model: &str, field: &str| figures["models"][model][field].as_f64().unwrap();
    // Writing costs a quarter more for each token, reading a tenth.
    let wrote = of(MARKING, "total_calls") * 1000.0 * -0.000_000_25;
    let read = of(BY_ITSELF, "total_calls") * 500.0 * 0.000_000_9;
    assert!((of(MARKING, "cache_saved_usd") - wrote).abs() < 1e-12, "{figures}");
    assert!((of(BY_ITSELF, "cache_saved_usd") - read).abs() < 1e-12, "{figures}");
    let sum = figures["summary"]["cache_saved_usd"].as_f64().unwrap();
    assert!((sum - wrote - read).abs() < 1e-12, "{figures}");
    app.close().await;
}
