//! Chat completions: what is read of a request, and what comes back.

use std::time::Duration;

use serde_json::{Value, json};

use super::{CHAT, Sent, asks, asks_with, program, refused, runs, stream};
use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, Script};
use crate::support::money::set_prices;

/// The pieces of a stream: content, progress, and the rest of it.
fn told(sent: &[Sent]) -> (String, String) {
    let (mut content, mut progress) = (String::new(), String::new());
    for one in sent.iter().filter(|one| one.data != "[DONE]") {
        let json = one.json();
        assert_eq!(json["object"], "chat.completion.chunk", "{json}");
        let Some(delta) = json["choices"].get(0).map(|choice| choice["delta"].clone()) else { continue };
        content.push_str(delta["content"].as_str().unwrap_or_default());
        assert_eq!(delta["reasoning"], delta["reasoning_content"]);
        progress.push_str(delta["reasoning"].as_str().unwrap_or_default());
    }
    (content, progress)
}

#[tokio::test]
async fn a_question_is_answered_by_the_whole_council_and_kept_as_a_conversation() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let answer = tool.post(CHAT, asks("Why is the sky blue?")).await;
    let json = answer.ok();
    assert_eq!(json["object"], "chat.completion");
    assert!(json["id"].as_str().unwrap().starts_with("chatcmpl-"));
    let choice = &json["choices"][0];
    assert_eq!((&choice["index"], &choice["finish_reason"]), (&json!(0), &json!("stop")));
    assert_eq!(choice["message"]["role"], "assistant");
    // Four answers, four reviews, the final answer and the title.
    let calls = app.models.records().len();
    assert_eq!(calls, 10);
    assert_eq!(json["usage"]["prompt_tokens"], 10 * calls);
    assert_eq!(json["usage"]["completion_tokens"], 5 * calls);
    assert_eq!(json["usage"]["total_tokens"], 15 * calls);
    assert!(json.get("council").is_none());

    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(
        (list[0]["origin"].as_str(), &list[0]["tags"]),
        (Some("chat_completions"), &json!(["program"]))
    );
    let id = list[0]["id"].as_str().unwrap();
    let stored = app.user("ann").get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][0]["content"], "Why is the sky blue?");
    assert_eq!(stored["messages"][1]["stage3"]["response"], choice["message"]["content"]);
    assert_eq!(answer.header("x-run-id"), stored["messages"][1]["run_id"].as_str().unwrap());
    assert_eq!(answer.header("cache-control"), "no-store");
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_is_given_as_nobody_can_be_offered_it() {
    let app = TestApp::start().await;
    let defaults = json!({"default_options": {"use_cache": true, "cache_mode": "offer"}});
    app.user("ann").put("/api/config", defaults).await.ok();
    let tool = program(&app).await;
    tool.post(CHAT, asks("Why?")).await.ok();
    let calls = app.models.records().len();
    let again = tool.post(CHAT, asks_with("Why?", &json!({"user": "another"}))).await.ok();
    assert_eq!(again["choices"][0]["message"]["content"], "A scripted synthesis by m/chair.");
    assert_eq!(app.models.records().len(), calls, "nobody was asked again");
    app.close().await;
}

#[tokio::test]
async fn a_stream_is_chunks_with_progress_and_the_answer_as_it_is_written() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let words = || Script::answer("The sky ").hold(&held).text("is blue.");
        (request.asked_for() == AskedFor::Synthesis).then(words)
    });
    let mut live = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await;
    assert_eq!(live.header("x-accel-buffering"), "no");
    let first = live.next().await.unwrap();
    assert_eq!(first.name, None);
    assert_eq!(first.json()["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    let part = live.until("sky").await;
    assert!(part.json()["choices"][0]["delta"]["content"].is_string(), "while it is being written");
    gate.open();
    let rest = live.rest().await;
    assert_eq!(rest.last().unwrap().data, "[DONE]");
    let finish = rest[rest.len() - 2].json();
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert!(rest.iter().all(|one| one.data == "[DONE]" || one.json().get("usage").is_none()));

    let whole = stream(&tool, CHAT, &asks_with("Why else?", &json!({"stream": true}))).await.rest().await;
    let (content, progress) = told(&whole);
    assert_eq!(content, "The sky is blue.");
    for line in ["Stage 1: 4 members are asked", "3 of 4 have answered", "4 of 4 have reviewed"] {
        assert!(progress.lines().any(|one| one == line), "{line} is not in {progress}");
    }
    let deltas: Vec<Value> = whole
        .iter()
        .filter(|one| one.data != "[DONE]")
        .map(|one| one.json()["choices"][0]["delta"].clone())
        .collect();
    let first =
        deltas.iter().position(|delta| delta["content"].as_str().is_some_and(|text| !text.is_empty()));
    let after = &deltas[first.expect("an answer")..];
    assert!(
        after.iter().all(|delta| delta.get("reasoning").is_none()),
        "an answer is not interrupted: {after:?}"
    );
    let ids: std::collections::BTreeSet<String> = whole
        .iter()
        .filter(|one| one.data != "[DONE]")
        .map(|one| one.json()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 1);
    app.close().await;
}

#[tokio::test]
async fn the_usage_comes_in_a_chunk_of_its_own_only_where_it_is_asked_for() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let body = asks_with("Why?", &json!({"stream": true, "stream_options": {"include_usage": true}}));
    let sent = stream(&tool, CHAT, &body).await.rest().await;
    let usage = sent[sent.len() - 2].json();
    assert_eq!((&usage["choices"], &usage["usage"]["total_tokens"]), (&json!([]), &json!(150)));
    for one in &sent[..sent.len() - 2] {
        assert_eq!(one.json()["usage"], Value::Null, "{}", one.data);
    }
    app.close().await;
}

#[tokio::test]
async fn a_silent_council_sends_something_all_the_same() {
    let app = TestApp::with("[server]\nheartbeat_seconds = 1\n").await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await;
    live.until("Stage 1").await;
    for _ in 0..2 {
        let sign = live.next().await.unwrap().json();
        assert_eq!(sign["choices"][0]["delta"], json!({}), "{sign}");
    }
    gate.open();
    live.rest().await;
    app.close().await;
}

#[tokio::test]
async fn a_council_whose_members_write_without_end_sends_something_all_the_same() {
    let app = TestApp::with("[server]\nheartbeat_seconds = 1\n").await;
    let tool = program(&app).await;
    // A program is told nothing of the members' words, which come all the time.
    app.models.rule(|request| {
        let answers = request.asked_for() == AskedFor::Answer;
        answers.then(|| Script::answer(&"word ".repeat(120)).in_chunks(120).paced(Duration::from_millis(50)))
    });
    let mut live = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await;
    live.until("Stage 1").await;
    for _ in 0..3 {
        let sign = live.next().await.unwrap().json();
        assert_eq!(sign["choices"][0]["delta"], json!({}), "{sign}");
    }
    app.close().await;
}

#[tokio::test]
async fn messages_become_a_system_prompt_a_history_and_a_question() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let body = json!({"model": "council", "messages": [
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "?"}]},
        {"role": "assistant", "content": "Aye, one."},
        {"role": "developer", "content": "And briefly."},
        {"role": "user", "content": "Two?"}
    ], "temperature": 0.25, "max_tokens": 77});
    tool.post(CHAT, body).await.ok();
    let answering = app.models.records().into_iter().map(|record| record.request);
    let mut seen = 0;
    for request in answering {
        let body = &request.body;
        match request.asked_for() {
            AskedFor::Answer => {
                let said: Vec<(&str, &str)> = body["messages"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| (one["role"].as_str().unwrap(), one["content"].as_str().unwrap()))
                    .collect();
                assert_eq!(said[0], ("system", "Answer like a pirate.\n\nAnd briefly."));
                assert_eq!(said[1..3], [("user", "One?"), ("assistant", "Aye, one.")]);
                assert!(said[3].1.starts_with("Two?"), "{said:?}");
                assert_eq!(body.get("temperature"), None, "it is for whoever writes the final answer");
                seen += 1;
            }
            AskedFor::Synthesis => {
                assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.25), &json!(77)));
                seen += 1;
            }
            AskedFor::Review
            | AskedFor::Selection
            | AskedFor::Title
            | AskedFor::Routing
            | AskedFor::Critique
            | AskedFor::Revision
            | AskedFor::Attack
            | AskedFor::Severity => {}
        }
    }
    assert_eq!(seen, 5);
    app.close().await;
}

#[tokio::test]
async fn the_long_instructions_of_programs_that_write_code_reach_every_member() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let instructions = "You are a coding agent.".repeat(2_000);
    let list = json!({"messages": [
        {"role": "system", "content": instructions},
        {"role": "user", "content": "Why?"}
    ]});
    tool.post(CHAT, asks_with("", &list)).await.ok();
    let asked = app.models.records().into_iter().map(|record| record.request);
    let members: Vec<_> = asked.filter(|request| request.asked_for() == AskedFor::Answer).collect();
    assert_eq!(members.len(), 4);
    for member in members {
        let first = &member.body["messages"][0];
        assert_eq!((&first["role"], first["content"].as_str()), (&json!("system"), Some(&*instructions)));
    }
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_by_its_name_and_what_is_passed_over_is_named() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let picture = json!({"messages": [{"role": "user", "content": [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
    ]}]});
    for (param, more) in [
        ("messages[0].content[1]", picture),
        ("n", json!({"n": 2})),
        ("tool_choice", json!({"tool_choice": "required"})),
        ("response_format.type", json!({"response_format": {"type": "yaml"}})),
        ("temperature", json!({"temperature": 9})),
        ("messages", json!({"messages": []})),
        ("messages", json!({"messages": [{"role": "user", "content": "x".repeat(100_001)}]})),
        ("web_search_options", json!({"web_search_options": {}})),
    ] {
        let answer = tool.post(CHAT, asks_with("Why?", &more)).await;
        assert_eq!(refused(&answer), (400, "invalid_value".into(), json!(param)), "{}", answer.text);
        assert_eq!(answer.header("x-should-retry"), "false");
    }
    for body in [json!([]), json!("Why?"), json!(null)] {
        assert_eq!(tool.post(CHAT, body).await.status, 400);
    }
    let text = tool.request("POST", CHAT).header("content-type", "text/plain").body("{}");
    assert_eq!(refused(&crate::support::app::read(text).await).0, 415);
    let torn = tool.request("POST", CHAT).header("content-type", "application/json").body("{");
    assert_eq!(refused(&crate::support::app::read(torn).await).0, 400);
    assert_eq!(runs(&app).await, 0);
    assert_eq!(app.models.records().len(), 0);

    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    let more = json!({"seed": 1, "top_p": 0.5, "user": "u", "tools": tools, "tool_choice": "auto"});
    let answer = tool.post(CHAT, asks_with("Why?", &more)).await;
    answer.ok();
    assert_eq!(answer.header("x-ignored-parameters"), "seed, top_p, tools");
    assert!(app.models.records().iter().all(|record| record.request.body.get("tools").is_none()));
    app.close().await;
}

#[tokio::test]
async fn what_each_seat_said_comes_with_the_answer_where_it_is_asked_for() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let more = json!({"include": ["council"]});
    let whole = tool.post(CHAT, asks_with("Why?", &more)).await.ok()["council"].clone();
    let more = json!({"include": ["council"], "stream": true});
    let sent = stream(&tool, CHAT, &asks_with("Why else?", &more)).await.rest().await;
    let streamed = sent[sent.len() - 2].json()["council"].clone();
    for council in [whole, streamed] {
        let seats = council["seats"].as_array().unwrap();
        assert_eq!(seats.len(), 4);
        assert_eq!(seats[0]["member"], "m/one");
        assert!(seats.iter().all(|seat| seat["response"].is_string() && seat["rank"].is_u64()), "{council}");
        assert_eq!(council["writer"], "m/chair");
        let run = council["run_id"].as_str().unwrap();
        app.user("ann").get(&format!("/api/runs/{run}")).await.ok();
    }
    app.close().await;
}

#[tokio::test]
async fn cited_sources_are_annotations_with_their_place_in_the_text() {
    let (app, _search) = TestApp::searching("tavily", "").await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        let text = "Ja \u{fc}ber Blau [1].";
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer(text))
    });
    let more = json!({"web_search_options": {}});
    let message = tool.post(CHAT, asks_with("Why?", &more)).await.ok()["choices"][0]["message"].clone();
    let citation = &message["annotations"][0];
    assert_eq!(citation["type"], "url_citation", "{message}");
    let text: Vec<char> = message["content"].as_str().unwrap().chars().collect();
    let place = |name: &str| usize::try_from(citation["url_citation"][name].as_u64().unwrap()).unwrap();
    let cited: String = text[place("start_index")..place("end_index")].iter().collect();
    assert_eq!(cited, "[1]");
    assert!(citation["url_citation"]["url"].as_str().unwrap().starts_with("http"));
    app.close().await;
}

#[tokio::test]
async fn a_cost_that_is_known_in_part_is_not_told_as_the_whole() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let body = |question: &str| asks_with(question, &json!({"include": ["council"]}));
    set_prices(&app, |model| (model == "m/one").then_some(1e-6)).await;
    let answer = tool.post(CHAT, body("Why?")).await.ok();
    assert!(answer["usage"].get("cost").is_none(), "{answer}");
    let council = &answer["council"];
    assert!(council["cost"].as_f64() > Some(0.0) && council["unknown_cost_calls"].as_u64() > Some(0));
    set_prices(&app, |_| Some(1e-6)).await;
    let answer = tool.post(CHAT, body("Why else?")).await.ok();
    assert!(answer["usage"]["cost"].as_f64() > Some(0.0), "{answer}");
    assert_eq!(answer["council"]["unknown_cost_calls"], 0, "{answer}");
    app.close().await;
}

#[tokio::test]
async fn a_text_that_is_bettered_later_is_told_when_it_is_final() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let preset = json!({"name": "checked", "options": {"use_adversary": true}});
    app.user("ann").post("/api/settings/presets", preset).await.ok();
    app.models.rule(|request| match request.asked_for() {
        AskedFor::Synthesis => Some(Script::answer("A first draft.")),
        AskedFor::Attack => Some(Script::answer("It is wrong.\n\nSEVERITY: critical")),
        AskedFor::Revision => Some(Script::answer("A better text.")),
        AskedFor::Answer
        | AskedFor::Review
        | AskedFor::Selection
        | AskedFor::Title
        | AskedFor::Routing
        | AskedFor::Critique
        | AskedFor::Severity => None,
    });
    let more = json!({"model": "council/checked", "stream": true});
    let sent = stream(&tool, CHAT, &asks_with("Why?", &more)).await.rest().await;
    assert_eq!(told(&sent).0, "A better text.");
    app.close().await;
}

#[tokio::test]
async fn a_writer_that_fails_in_the_middle_leaves_its_piece_above_the_whole_answer() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Synthesis, "m/chair") => Some(Script::answer("Half an ").cut()),
        (AskedFor::Synthesis, _) => Some(Script::answer("The whole answer.")),
        _ => None,
    });
    let sent = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await.rest().await;
    let (content, _) = told(&sent);
    assert!(content == "Half an\n\n---\n\nThe whole answer." || content == "The whole answer.", "{content}");
    app.close().await;
}

#[tokio::test]
async fn after_a_writer_that_fails_with_nothing_but_white_space_the_next_is_streamed() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Synthesis, "m/chair") => Some(Script::answer(" \n\n ").cut()),
        (AskedFor::Synthesis, _) => Some(Script::answer("The sky ").hold(&held).text("is blue.")),
        _ => None,
    });
    let mut live = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await;
    live.until("sky").await;
    gate.open();
    live.rest().await;
    app.close().await;
}

#[tokio::test]
async fn a_chat_goes_on_in_its_conversation_with_what_a_writer_took_back() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer("The whole answer."))
    });
    tool.post(CHAT, asks("One?")).await.ok();
    let streamed = "Half an\n\n---\n\nThe whole answer.";
    let list = json!({"messages": [
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": streamed},
        {"role": "user", "content": "Two?"}
    ]});
    tool.post(CHAT, asks_with("", &list)).await.ok();
    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["message_count"]), (1, &json!(4)));
    app.close().await;
}

#[tokio::test]
async fn a_council_without_any_answer_is_an_error_that_nobody_pays_twice() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::status(400, "{\"error\": {\"message\": \"no\"}}")));
    let answer = tool.post(CHAT, asks("Why?")).await;
    assert_eq!(refused(&answer), (500, "no_answer".into(), Value::Null));
    assert_eq!(answer.header("x-should-retry"), "false");
    let sent = stream(&tool, CHAT, &asks_with("Why?", &json!({"stream": true}))).await.rest().await;
    assert_eq!(sent.last().unwrap().json()["error"]["code"], "no_answer");
    app.close().await;
}

#[tokio::test]
async fn a_budget_that_is_used_up_is_a_quota_with_its_figures() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 0.0\n").await;
    let tool = program(&app).await;
    let answer = tool.post(CHAT, asks("Why?")).await;
    assert_eq!(refused(&answer), (429, "insufficient_quota".into(), Value::Null), "{}", answer.text);
    assert_eq!(answer.header("x-should-retry"), "false");
    let error = answer.json()["error"].clone();
    assert_eq!(error["type"], "insufficient_quota");
    assert_eq!(error["budget"]["limit_usd"], 0.0, "{error}");
    assert_eq!(app.models.records().len(), 0);
    app.close().await;
}
