//! Responses: objects, typed events that can be gone on with, the background.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, Sent, Stream, asks_with, program, refused, runs, stream, wants};
use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, Script};

fn kinds(sent: &[Sent]) -> Vec<String> {
    sent.iter().map(|one| one.json()["type"].as_str().unwrap().to_owned()).collect()
}

fn text(response: &Value) -> &str {
    let message = response["output"].as_array().unwrap().iter().find(|item| item["type"] == "message");
    message.unwrap_or_else(|| panic!("{response}"))["content"][0]["text"].as_str().unwrap()
}

async fn read(user: &User<'_>, id: &str, query: &str) -> Vec<Sent> {
    Stream::open(user.request("GET", &format!("{RESPONSES}/{id}?stream=true{query}"))).await.rest().await
}

#[tokio::test]
async fn a_response_is_an_object_that_can_be_read_again() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let more = json!({"metadata": {"ticket": "7"}, "temperature": 0.5, "max_output_tokens": 99, "instructions": "Be brief."});
    let response = tool.post(RESPONSES, wants("Why?", &more)).await.ok();
    assert_eq!((&response["object"], &response["status"]), (&json!("response"), &json!("completed")));
    assert!(response["id"].as_str().unwrap().starts_with("resp_"));
    for (name, value) in [
        ("model", json!("council")),
        ("metadata", json!({"ticket": "7"})),
        ("temperature", json!(0.5)),
        ("max_output_tokens", json!(99)),
        ("instructions", json!("Be brief.")),
        ("background", json!(false)),
        ("error", Value::Null),
        ("store", json!(true)),
    ] {
        assert_eq!(response[name], value, "{name}");
    }
    let output = response["output"].as_array().unwrap();
    assert_eq!((&output[0]["type"], &output[1]["type"]), (&json!("reasoning"), &json!("message")));
    assert!(output[0]["summary"][0]["text"].as_str().unwrap().contains("4 of 4 have answered"));
    assert!(!text(&response).is_empty());
    let calls = app.models.records().len();
    assert_eq!(response["usage"]["input_tokens"], 10 * calls);
    assert_eq!(response["usage"]["total_tokens"], 15 * calls);
    let path = format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    let again = tool.get(&path).await.ok();
    assert_eq!(again["output"], response["output"]);
    assert_eq!(again["usage"], response["usage"]);
    // To stop what is completed changes nothing, and says the same.
    let stopped = tool.post(&format!("{path}/cancel"), json!({})).await.ok();
    assert_eq!(stopped, again);
    for whole in [&response, &again, &stopped] {
        assert_eq!(whole["status"], "completed");
        assert!(whole["completed_at"].as_i64().unwrap() >= whole["created_at"].as_i64().unwrap());
    }
    let with_council = tool.get(&format!("{path}?include[]=council")).await.ok();
    assert_eq!(with_council["council"]["seats"].as_array().unwrap().len(), 4);
    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(list[0]["origin"], "responses");
    app.close().await;
}

#[tokio::test]
async fn a_stream_is_typed_events_in_order_with_numbers_that_only_grow() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let sent = stream(&tool, RESPONSES, &wants("Why?", &json!({"stream": true}))).await.rest().await;
    for one in &sent {
        assert_eq!(one.name.as_deref(), one.json()["type"].as_str());
    }
    let numbers: Vec<u64> = sent.iter().map(Sent::number).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let kinds = kinds(&sent);
    let order = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    let mut rest = kinds.iter();
    for kind in order {
        assert!(rest.any(|one| one == kind), "{kind} is not in its place in {kinds:?}");
    }
    assert_eq!(kinds.last().unwrap(), "response.completed");
    let last = sent.last().unwrap().json()["response"].clone();
    assert_eq!(deltas(&sent), text(&last));
    let item = last["output"][1]["id"].clone();
    assert!(
        sent.iter().map(Sent::json).filter(|json| json["type"] == "response.output_text.delta").all(|json| {
            json["item_id"] == item && json["output_index"] == 1 && json["content_index"] == 0
        })
    );
    app.close().await;
}

/// The text of a stream's deltas.
fn deltas(sent: &[Sent]) -> String {
    let sent = sent.iter().map(Sent::json).filter(|json| json["type"] == "response.output_text.delta");
    sent.map(|json| json["delta"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_a_writer_took_back_is_in_its_stream_and_in_no_response() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| match (request.asked_for(), request.model.as_str()) {
        (AskedFor::Synthesis, "m/chair") => Some(Script::answer("Half ").hold(&held).cut()),
        (AskedFor::Synthesis, _) => Some(Script::answer("The whole answer.")),
        _ => None,
    });
    let body = wants("Why?", &json!({"stream": true}));
    let mut live = stream(&tool, RESPONSES, &body).await;
    let id = live.next().await.unwrap().json()["response"]["id"].as_str().unwrap().to_owned();
    let begun = live.until("\"Half\"").await;
    gate.open();
    let rest = live.rest().await;
    let streamed = format!("{}{}", begun.json()["delta"].as_str().unwrap(), deltas(&rest));
    assert_eq!(streamed, "Half\n\n---\n\nThe whole answer.");
    let of_kind = |kind: &str| rest.iter().map(Sent::json).find(|json| json["type"] == kind).unwrap();
    assert_eq!(of_kind("response.output_text.done")["text"], json!(streamed));
    assert_eq!(text(&of_kind("response.completed")["response"]), streamed);
    let again = read(&tool, &id, "").await;
    assert_eq!(deltas(&again), text(&again.last().unwrap().json()["response"]));

    let whole = tool.post(RESPONSES, wants("Why?", &json!({}))).await.ok();
    let stored = tool.get(&format!("{RESPONSES}/{id}")).await.ok();
    for response in [&whole, &stored] {
        assert_eq!(text(response), "The whole answer.");
    }
    tool.post(RESPONSES, wants("And then?", &json!({"previous_response_id": id}))).await.ok();
    let asked = app.models.records().into_iter().map(|record| record.request);
    let mut asked = asked.filter(|request| request.asked_for() == AskedFor::Answer);
    let went_on = asked.find(|request| request.prompt().starts_with("And then?")).unwrap();
    assert_eq!(went_on.body["messages"][1]["content"], "The whole answer.");
    app.close().await;
}

#[tokio::test]
async fn a_stream_that_was_cut_anywhere_goes_on_with_what_was_missed_and_nothing_twice() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let whole = stream(&tool, RESPONSES, &wants("Why?", &json!({"stream": true}))).await.rest().await;
    let id = whole[0].json()["response"]["id"].as_str().unwrap().to_owned();
    let all: Vec<(u64, Value)> = whole.iter().map(|one| (one.number(), one.json())).collect();
    assert_eq!(read(&tool, &id, "").await.len(), whole.len());
    for cut in (0..whole.len()).step_by(3) {
        let rest = read(&tool, &id, &format!("&starting_after={}", all[cut].0)).await;
        let rest: Vec<(u64, Value)> = rest.iter().map(|one| (one.number(), one.json())).collect();
        assert_eq!(rest, all[cut + 1..], "after {cut}");
    }
    let answer = tool.get(&format!("{RESPONSES}/{id}?stream=true&starting_after=x")).await;
    assert_eq!(refused(&answer), (400, "invalid_value".into(), json!("starting_after")));
    app.close().await;
}

#[tokio::test]
async fn a_stream_that_goes_on_in_silence_sends_something_all_the_same() {
    let app = TestApp::with("[server]\nheartbeat_seconds = 1\n").await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = stream(&tool, RESPONSES, &wants("Why?", &json!({"stream": true}))).await;
    let id = live.next().await.unwrap().json()["response"]["id"].as_str().unwrap().to_owned();
    live.until("Stage 1").await;
    live.next().await.unwrap();
    let seen = live.next().await.unwrap().number();
    let path = format!("{RESPONSES}/{id}?stream=true&starting_after={seen}");
    let mut again = Stream::open(tool.request("GET", &path)).await;
    // Its own first sign of life has a lower number than those of the stream before.
    let sign = again.next().await.unwrap();
    assert_eq!(sign.number(), seen, "{}", sign.data);
    gate.open();
    let rest = again.rest().await;
    assert!(rest.iter().all(|one| one.number() >= seen));
    assert_eq!(text(&rest.last().unwrap().json()["response"]), "Late.");
    app.close().await;
}

#[tokio::test]
async fn a_response_in_the_background_is_answered_at_once_and_followed_later() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Synthesis)
            .then(|| Script::answer("The ").hold(&held).text("answer."))
    });
    let response = tool.post(RESPONSES, wants("Why?", &json!({"background": true}))).await.ok();
    let id = response["id"].as_str().unwrap();
    assert!(matches!(response["status"].as_str(), Some("in_progress" | "queued")), "{response}");
    assert_eq!((&response["background"], &response["output"]), (&json!(true), &json!([])));

    let mut live = Stream::open(tool.request("GET", &format!("{RESPONSES}/{id}?stream=true"))).await;
    let seen = live.until("\"The\"").await.number();
    drop(live);
    assert_eq!(tool.get(&format!("{RESPONSES}/{id}")).await.ok()["status"], "in_progress");
    gate.open();
    let rest = read(&tool, id, &format!("&starting_after={seen}")).await;
    let last = rest.last().unwrap().json();
    assert_eq!((last["type"].as_str(), text(&last["response"])), (Some("response.completed"), "The answer."));
    assert!(rest.iter().all(|one| one.number() > seen));
    assert_eq!(tool.get(&format!("{RESPONSES}/{id}")).await.ok()["status"], "completed");
    assert_eq!(runs(&app).await, 1);
    app.close().await;
}

#[tokio::test]
async fn a_cancelled_response_stops_at_once_and_stays_so() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let response = tool.post(RESPONSES, wants("Why?", &json!({"background": true}))).await.ok();
    let path = format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    let live = Stream::open(tool.request("GET", &format!("{path}?stream=true"))).await;
    let cancelled = tool.post(&format!("{path}/cancel"), json!({})).await.ok();
    assert_eq!(cancelled["status"], "cancelled");
    let rest = live.rest().await;
    let last = rest.last().unwrap().json();
    assert_eq!(
        (&last["type"], &last["response"]["status"]),
        (&json!("response.incomplete"), &json!("cancelled"))
    );
    assert_eq!(tool.get(&path).await.ok()["status"], "cancelled");
    assert_eq!(tool.post(&format!("{path}/cancel"), json!({})).await.ok()["status"], "cancelled");
    app.close().await;
}

#[tokio::test]
async fn in_the_background_it_goes_on_also_where_runs_without_readers_are_cancelled() {
    let app = TestApp::with("[runs]\non_disconnect = \"cancel\"\ndisconnect_grace_seconds = 0\n").await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models
        .rule(move |request| (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held)));
    let response = tool.post(RESPONSES, wants("Why?", &json!({"background": true}))).await.ok();
    let path = format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    let mut live = Stream::open(tool.request("GET", &format!("{path}?stream=true"))).await;
    live.next().await.expect("an event");
    drop(live);

    // A later one that its reader leaves is cancelled.
    let bob = app.user("bob");
    let mut stream = bob.ask(&bob.conversation().await, json!({"content": "Why?"})).await;
    let other = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    drop(stream);
    bob.until_cancelled(&other).await;
    gate.open();
    Stream::open(tool.request("GET", &format!("{path}?stream=true"))).await.rest().await;
    assert_eq!(tool.get(&path).await.ok()["status"], "completed");
    app.close().await;
}

#[tokio::test]
async fn a_response_goes_on_from_the_one_before() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let ann = app.user("ann");
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let previous = json!({"previous_response_id": first["id"]});
    let second = tool.post(RESPONSES, wants("Two?", &previous)).await.ok();
    assert_eq!(second["previous_response_id"], first["id"]);
    let list = ann.get("/api/conversations").await.ok();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["message_count"]), (1, &json!(4)));
    let asked = app.models.records().into_iter().map(|record| record.request);
    let mut asked = asked.filter(|request| request.asked_for() == AskedFor::Answer);
    let with_history = asked.find(|request| request.prompt().starts_with("Two?")).unwrap();
    assert_eq!(with_history.body["messages"][0]["content"], "One?");
    assert_eq!(with_history.body["messages"][1]["content"], json!(text(&first)));

    let branch = tool.post(RESPONSES, wants("Or two?", &previous)).await.ok();
    assert_eq!(branch["status"], "completed");
    let list = ann.get("/api/conversations").await.ok();
    assert_eq!(
        list.as_array().unwrap().len(),
        2,
        "the first has gone on since: this is another conversation"
    );
    app.close().await;
}

#[tokio::test]
async fn a_response_is_gone_on_from_as_it_was_whatever_its_place_shows_now() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let ann = app.user("ann");
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let id = ann.get("/api/conversations").await.ok()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/conversations/{id}");
    // Somebody asks for it again in a browser, in vain at first.
    for (kind, script, question) in [
        (AskedFor::Answer, Script::status(400, "not today"), "Two?"),
        (AskedFor::Synthesis, Script::answer("A later answer."), "Or two?"),
    ] {
        let run = ann.get(&path).await.ok()["messages"][1]["run_id"].as_str().unwrap().to_owned();
        app.models.rule(move |request| (request.asked_for() == kind).then(|| script.clone()));
        let again = ann.post(&format!("/api/runs/{run}/retry"), json!({"from": "stage1"})).await.ok();
        ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
        app.models.rule(|_| None);
        tool.post(RESPONSES, wants(question, &json!({"previous_response_id": first["id"]}))).await.ok();
        let asked = app.models.records().into_iter().map(|record| record.request);
        let mut asked = asked.filter(|request| request.asked_for() == AskedFor::Answer);
        let went_on = asked.find(|request| request.prompt().starts_with(question)).unwrap();
        assert_eq!(went_on.body["messages"][0]["content"], "One?");
        assert_eq!(went_on.body["messages"][1]["content"], json!(text(&first)), "{question}");
    }
    app.close().await;
}

#[tokio::test]
async fn items_of_earlier_responses_may_be_named_by_their_ids() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let name = |at: usize| json!({"type": "item_reference", "id": first["output"][at]["id"]});
    let said = |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
    let body = |names: Vec<Value>| {
        let items = [vec![said("One?")], names, vec![said("Two?")]].concat();
        wants("", &json!({"input": items, "store": true, "include": ["reasoning.encrypted_content"]}))
    };
    tool.post(RESPONSES, body(vec![name(0), name(1)])).await.ok();
    let asked = app.models.records().into_iter().map(|record| record.request);
    let mut asked = asked.filter(|request| request.asked_for() == AskedFor::Answer);
    let with_history = asked.find(|request| request.prompt().starts_with("Two?")).unwrap();
    assert_eq!(with_history.body["messages"][0]["content"], "One?");
    assert_eq!(with_history.body["messages"][1]["content"], json!(text(&first)));

    let bob = super::program_of(&app, "bob", &["read", "ask"]).await;
    for (user, names, param) in [
        (&bob, vec![name(0), name(1)], "input[2].id"),
        (&tool, vec![json!({"type": "item_reference", "id": "msg_1"})], "input[1].id"),
        (&tool, vec![json!({"type": "item_reference"})], "input[1].id"),
        (&tool, vec![name(1); 401], "input"),
    ] {
        let answer = user.post(RESPONSES, body(names)).await;
        assert_eq!(refused(&answer), (400, "invalid_value".into(), json!(param)), "{}", answer.text);
    }
    assert_eq!(runs(&app).await, 2);
    app.close().await;
}

#[tokio::test]
async fn answers_that_are_named_by_their_ids_are_no_longer_together_than_a_body_may_be() {
    let app = TestApp::with("[server]\nbody_limit_bytes = 2000\n").await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer(&"x".repeat(900)))
    });
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let message = first["output"].as_array().unwrap().iter().find(|item| item["type"] == "message").unwrap();
    let name = json!({"type": "item_reference", "id": message["id"]});
    let body = |names: usize| {
        let question = json!({"role": "user", "content": "Two?"});
        let input = [vec![name.clone(); names], vec![question]].concat();
        wants("", &json!({"input": input}))
    };
    let answer = tool.post(RESPONSES, body(3)).await;
    assert_eq!(refused(&answer), (400, "invalid_value".into(), json!("input")), "{}", answer.text);
    tool.post(RESPONSES, body(2)).await.ok();
    assert_eq!(runs(&app).await, 2);
    app.close().await;
}

#[tokio::test]
async fn a_response_is_gone_on_from_on_its_branch_whichever_somebody_looks_at() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let ann = app.user("ann");
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let id = ann.get("/api/conversations").await.ok()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/conversations/{id}");
    let edited = json!({"content": "One, otherwise?", "parent_message_id": null});
    ann.post(&format!("{path}/message"), edited).await.ok();
    let previous = json!({"previous_response_id": first["id"]});
    tool.post(RESPONSES, wants("Two?", &previous)).await.ok();
    let stored = ann.get(&path).await.ok();
    let questions: Vec<&str> = (0..4).filter_map(|at| stored["messages"][at]["content"].as_str()).collect();
    assert_eq!((questions, &stored["branches"]), (vec!["One?", "Two?"], &json!(2)));
    assert_eq!(runs(&app).await, 2, "of the program");
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_and_what_is_passed_over_is_named() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    for (param, more) in [
        ("tool_choice", json!({"tool_choice": "required"})),
        ("text.format.type", json!({"text": {"format": {"type": "yaml"}}})),
        ("input", json!({"input": ""})),
        ("instructions", json!({"instructions": "x".repeat(100_001)})),
        ("previous_response_id", json!({"previous_response_id": "resp_x"})),
        ("tools", json!({"tools": [{"type": "web_search"}]})),
    ] {
        let answer = tool.post(RESPONSES, wants("Why?", &more)).await;
        assert_eq!(refused(&answer), (400, "invalid_value".into(), json!(param)), "{}", answer.text);
    }
    let answer = tool.post(RESPONSES, wants("Why?", &json!({"store": false, "top_p": 0.5}))).await;
    assert_eq!(
        (&answer.ok()["store"], answer.header("x-ignored-parameters")),
        (&json!(true), "top_p, store")
    );
    app.close().await;
}

#[tokio::test]
async fn a_program_that_writes_code_is_answered_with_all_that_it_sends() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    // As Codex does, which searches nothing but what OpenAI has indexed unless it is told otherwise.
    let tools = json!([
        {"type": "function", "name": "shell", "strict": false, "parameters": {"type": "object", "properties": {}}},
        {"type": "web_search", "external_web_access": false}
    ]);
    let input = json!([
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Nothing is writable."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]}
    ]);
    let instructions = "You are a coding agent.".repeat(1_000);
    let more = json!({
        "instructions": instructions, "input": input, "tools": tools, "tool_choice": "auto", "parallel_tool_calls": false,
        "reasoning": null, "store": false, "stream": false, "include": [], "prompt_cache_key": "one"
    });
    let answer = tool.post(RESPONSES, wants("", &more)).await;
    assert_eq!(answer.ok()["status"], "completed");
    assert_eq!(answer.header("x-ignored-parameters"), "store, tools");
    let mut asked = app.models.records().into_iter().map(|record| record.request);
    let member = asked.find(|request| request.asked_for() == AskedFor::Answer).unwrap();
    let told = format!("{instructions}\n\nNothing is writable.");
    assert_eq!(member.body["messages"][0]["content"], json!(told));
    app.close().await;
}

#[tokio::test]
async fn who_knows_a_council_hears_its_events_too() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let more = json!({"stream": true, "include": ["council"]});
    let sent = stream(&tool, RESPONSES, &wants("Why?", &more)).await.rest().await;
    let kinds = kinds(&sent);
    for kind in ["council.run_started", "council.stage1_model_complete", "council.stage2_complete"] {
        assert!(kinds.iter().any(|one| one == kind), "{kind} is not in {kinds:?}");
    }
    assert_eq!(sent.last().unwrap().json()["response"]["council"]["seats"].as_array().unwrap().len(), 4);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_cut_at_its_longest_is_incomplete() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer("Half a").finish("length"))
    });
    let response = tool.post(RESPONSES, wants("Why?", &json!({"max_output_tokens": 2}))).await.ok();
    assert_eq!(response["status"], "incomplete");
    assert_eq!(response["incomplete_details"]["reason"], "max_output_tokens");
    let chat = tool.post(super::CHAT, super::asks("Why?")).await.ok();
    assert_eq!(chat["choices"][0]["finish_reason"], "length");
    app.close().await;
}

#[tokio::test]
async fn a_council_without_an_answer_is_a_failed_response() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::status(400, "{\"error\": {\"message\": \"no\"}}")));
    let response = tool.post(RESPONSES, wants("Why?", &json!({}))).await.ok();
    assert_eq!((&response["status"], &response["error"]["code"]), (&json!("failed"), &json!("server_error")));
    let sent = stream(&tool, RESPONSES, &wants("Why?", &json!({"stream": true}))).await.rest().await;
    assert_eq!(sent.last().unwrap().json()["type"], "response.failed");
    app.close().await;
}

#[tokio::test]
async fn a_response_is_deleted_with_its_conversation_unless_more_was_said_in_it() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let path = |response: &Value| format!("{RESPONSES}/{}", response["id"].as_str().unwrap());
    let bob = super::program_of(&app, "bob", &["ask"]).await;
    assert_eq!(refused(&bob.send("DELETE", &path(&first), None).await).0, 404);
    let reader = super::program_of(&app, "ann", &["read"]).await;
    assert_eq!(refused(&reader.send("DELETE", &path(&first), None).await).0, 403);

    let more = json!({"previous_response_id": first["id"]});
    let second = tool.post(RESPONSES, wants("Two?", &more)).await.ok();
    for one in [&first, &second] {
        let refusal = refused(&tool.send("DELETE", &path(one), None).await);
        assert_eq!((refusal.0, refusal.1.as_str()), (409, "not_alone"));
    }
    let alone = tool.post(RESPONSES, wants("Three?", &json!({}))).await.ok();
    let deleted = tool.send("DELETE", &path(&alone), None).await.ok();
    assert_eq!(deleted, json!({"id": alone["id"], "object": "response.deleted", "deleted": true}));
    assert_eq!(tool.get(&path(&alone)).await.status, 404);
    assert_eq!(tool.send("DELETE", &path(&alone), None).await.status, 404);
    assert_eq!(app.user("ann").get("/api/conversations").await.ok().as_array().unwrap().len(), 1);

    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("An ").hold(&held).text("answer.")));
    let running = tool.post(RESPONSES, wants("Four?", &json!({"background": true}))).await.ok();
    let refusal = refused(&tool.send("DELETE", &path(&running), None).await);
    assert_eq!((refusal.0, refusal.1.as_str()), (409, "in_progress"));
    tool.send("POST", &format!("{}/cancel", path(&running)), None).await.ok();
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_single_seat_goes_on_from_a_response_or_says_that_it_is_not_there() {
    let app = TestApp::with("[programs]\nsingle_seats = true\n").await;
    let tool = program(&app).await;
    let first = tool.post(RESPONSES, wants("One?", &json!({}))).await.ok();
    let seat = |question: &str, previous: &Value| {
        wants(question, &json!({"model": "seat/m/two", "previous_response_id": previous}))
    };
    let second = tool.post(RESPONSES, seat("Two?", &first["id"])).await.ok();
    assert_eq!(second["previous_response_id"], first["id"]);
    let mut asked = app.models.records().into_iter().map(|record| record.request);
    let alone = asked.find(|request| request.prompt().starts_with("Two?")).unwrap();
    assert_eq!(alone.body["messages"][0]["content"], "One?");
    assert_eq!(alone.body["messages"][1]["content"], json!(text(&first)));

    // The reply of a seat is kept nowhere: without it the next question would be another one.
    let calls = app.models.records().len();
    let unknown = json!("resp_x");
    for previous in [&second["id"], &unknown] {
        let answer = tool.post(RESPONSES, seat("Three?", previous)).await;
        let param = json!("previous_response_id");
        assert_eq!(refused(&answer), (400, "invalid_value".into(), param), "{}", answer.text);
    }
    assert_eq!(app.models.records().len(), calls);
    app.close().await;
}

#[tokio::test]
async fn a_search_that_a_single_seat_does_not_make_is_named() {
    let app = TestApp::with("[programs]\nsingle_seats = true\n").await;
    let tool = program(&app).await;
    let search = json!({"type": "web_search"});
    let function = json!({"type": "function", "name": "f"});
    for tools in [json!([search]), json!([search, function])] {
        let more = json!({"model": "seat/m/two", "tools": tools});
        let answer = tool.post(RESPONSES, wants("Why?", &more)).await;
        assert_eq!((answer.status, answer.header("x-ignored-parameters")), (200, "tools"));
    }
    let more = json!({"model": "seat/m/two", "tools": [search], "tool_choice": search});
    let answer = tool.post(RESPONSES, wants("Why?", &more)).await;
    assert_eq!(refused(&answer), (400, "invalid_value".into(), json!("tool_choice")), "{}", answer.text);
    let more = json!({"model": "seat/m/two", "web_search_options": {}});
    let answer = tool.post(CHAT, asks_with("Why?", &more)).await;
    assert_eq!((answer.status, answer.header("x-ignored-parameters")), (200, "web_search_options"));
    app.close().await;
}
