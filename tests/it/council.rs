//! A whole run over HTTP, against models that answer, fail, break off and dawdle.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, Gate, Script, plausible};
use crate::support::ranked::label_of;

#[tokio::test]
async fn a_question_is_answered_reviewed_and_summed_up() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": "Why is the sky blue?"})).await;
    let events = events.rest().await;

    let seen = kinds(&events);
    for (kind, count) in [("stage1_model_complete", 4), ("stage2_model_complete", 4), ("complete", 1)] {
        assert_eq!(seen.iter().filter(|one| **one == kind).count(), count, "{kind}: {seen:?}");
    }
    let order: Vec<&str> = seen.into_iter().filter(|kind| !kind.ends_with("_model_complete")).collect();
    assert_eq!(
        order,
        [
            "run_started",
            "stage1_start",
            "stage1_complete",
            "stage2_start",
            "stage2_complete",
            "stage3_start",
            "stage3_complete",
            "costs_complete",
            "title_complete",
            "complete"
        ]
    );
    let ids: Vec<u64> = events.iter().map(|event| event.id.unwrap()).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "numbered without gaps");
    let tokens: String = events
        .iter()
        .filter(|event| event.kind() == "stage1_token" && event.json["member"] == "m/one")
        .map(|event| event.json["content"].as_str().unwrap())
        .collect();
    let answers = &find(&events, "stage1_complete")["data"];
    assert_eq!(tokens.trim_end(), answers[0]["response"], "what streams is what is stored");
    assert_eq!(answers[0]["response"], "A scripted answer of m/one.");
    assert_eq!(answers[0]["confidence"], 8, "read and taken out of the text");
    let confidence = &find(&events, "stage1_complete")["metadata"]["aggregate_confidence"];
    assert_eq!(confidence["average"], 8.0);
    assert_eq!(confidence["bands"], json!({"high": 4, "medium": 0, "low": 0}));
    let costs = &find(&events, "costs_complete")["data"];
    let sum = |of: &str, field: &str| {
        costs[of].as_object().unwrap().values().map(|part| part[field].as_u64().unwrap()).sum::<u64>()
    };
    for (field, total) in [
        ("tokens", "total_tokens"),
        ("prompt_tokens", "total_prompt_tokens"),
        ("completion_tokens", "total_completion_tokens"),
    ] {
        assert!(costs[total].as_u64().unwrap() > 0, "{costs}");
        assert_eq!(sum("by_stage", field), costs[total].as_u64().unwrap(), "{costs}");
        assert_eq!(sum("by_model", field), costs[total].as_u64().unwrap(), "{costs}");
    }
    let parts = costs["by_stage"].as_object().unwrap().values();
    let percent: f64 = parts.map(|stage| stage["tokens_percent"].as_f64().unwrap()).sum();
    assert!((percent - 100.0).abs() < 0.5, "{costs}");

    // The stored conversation says what the stream said.
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["title"], find(&events, "title_complete")["data"]["title"]);
    assert_eq!(stored["messages"].as_array().unwrap().len(), 2);
    let answer = &stored["messages"][1];
    assert_eq!(answer["status"], "complete");
    assert_eq!(answer["stage1"], *answers);
    assert_eq!(answer["stage2"], find(&events, "stage2_complete")["data"]);
    assert_eq!(answer["stage3"], find(&events, "stage3_complete")["data"]);
    assert_eq!(answer["stage3"]["heading"], "Final answer of the council");
    let metadata = &find(&events, "stage2_complete")["metadata"];
    for field in ["label_to_model", "aggregate_rankings", "aggregate"] {
        assert_eq!(answer["metadata"][field], metadata[field], "{field}");
    }
    assert_eq!(metadata["aggregate_rankings"].as_array().unwrap().len(), 4);
    assert_eq!(app.models.records().len(), 10, "four answers, four reviews, a synthesis, a title");
    app.close().await;
}

#[tokio::test]
async fn a_council_that_loses_members_ends_complete_and_says_so() {
    let app = TestApp::start().await;
    let slow = Gate::new();
    let gate = slow.clone();
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", _) => Some(Script::status(500, "boom")),
        ("m/two", AskedFor::Answer) => {
            Some(Script::answer("Half of an answer that goes on ").in_chunks(4).cut())
        }
        ("m/three", AskedFor::Answer) => Some(Script::answer("Late.\n\nCONFIDENCE: 6").hold(&gate)),
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    // The others are through before the slow one begins.
    let mut before = Vec::new();
    while !["m/one", "m/two", "m/four"].iter().all(|member| {
        before.iter().any(|event: &Event| {
            event.json["member"] == *member
                && matches!(event.kind(), "stage1_error" | "stage1_model_complete")
        })
    }) {
        before.push(stream.next().await.unwrap());
    }
    slow.open();
    let events: Vec<Event> = before.into_iter().chain(stream.rest().await).collect();

    let answers = find(&events, "stage1_complete")["data"].as_array().unwrap();
    let members: Vec<_> = answers.iter().map(|answer| answer["member"].as_str().unwrap()).collect();
    assert_eq!(members, ["m/one", "m/two", "m/three", "m/four"], "in the council's order");
    assert_eq!(answers[0]["error_kind"], "overloaded");
    assert_eq!(answers[1]["error_kind"], "bad_response");
    assert!(answers[1]["response"].as_str().unwrap().starts_with("Half of"), "what had arrived is kept");
    assert_eq!(answers[2]["response"], "Late.");
    assert!(answers[3].get("error").is_none());
    let metadata = &find(&events, "stage2_complete")["metadata"];
    assert_eq!(metadata["label_to_model"].as_object().unwrap().len(), 2);
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["heading"], "Answer of 2 of 4 members");
    assert!(
        synthesis["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|note| note.as_str().unwrap().contains("m/one gave no answer"))
    );
    assert_eq!(events.last().unwrap().kind(), "complete");
    let text: String = events.iter().map(|event| event.json.to_string()).collect();
    assert!(!text.contains("sk-secret-of-the-test"), "no key in any event");
    app.close().await;
}

#[tokio::test]
async fn a_council_without_any_answer_fails_with_every_reason() {
    let app = TestApp::start().await;
    app.models
        .rule(|request| (request.asked_for() == AskedFor::Answer).then(|| Script::status(401, "bad key")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let last = events.last().unwrap();
    assert_eq!(last.kind(), "error");
    assert_eq!(last.json["message"], "No model answered: the provider refused the server's key.");
    assert_eq!(last.json["error_kind"], "no_answers");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "failed");
    assert_eq!(stored["messages"][1]["error"], last.json["message"]);
    assert_eq!(stored["messages"][1]["error_kind"], last.json["error_kind"]);
    assert_eq!(stored["messages"][1]["stage1"].as_array().unwrap().len(), 4, "what it had is kept");
    assert_eq!(stored["title"], "Why?", "named after the question all the same");
    app.close().await;
}

#[tokio::test]
async fn when_the_chairman_fails_the_best_ranked_member_writes() {
    let app = TestApp::start().await;
    app.models.script("m/chair", [Script::status(404, "no such model")]);
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(find(&events, "stage3_error")["model"], "m/chair");
    let best = &find(&events, "stage2_complete")["metadata"]["aggregate_rankings"][0]["model"];
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["model"], *best);
    assert_eq!(synthesis["fallback_for"], "m/chair");
    assert_eq!(synthesis["heading"], "Answer of the council, written by a stand-in for the chairman");
    app.close().await;
}

#[tokio::test]
async fn a_chairman_with_a_short_context_is_asked_again_without_the_reviews() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis && request.prompt().contains("[Review by ")).then(|| {
            Script::status(400, r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#)
        })
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["model"], "m/chair");
    assert_eq!(synthesis["response"], "A scripted synthesis by m/chair.");
    let notes = synthesis["notes"].to_string();
    assert!(notes.contains("did not fit"), "{notes}");
    app.close().await;
}

#[tokio::test]
async fn a_member_with_a_short_context_is_told_the_turns_that_fit() {
    let app = TestApp::start().await;
    let list: Vec<Value> = ["m/one", "m/two", "m/three", "m/four", "m/chair", "m/title"]
        .map(
            |id| json!({"id": id, "name": id, "context_length": if id == "m/one" { 8_000 } else { 200_000 }}),
        )
        .into();
    app.models.models(Script::raw("application/json", json!({"data": list}).to_string()));
    let ann = app.user("ann");
    app.app.models.refresh_models().await;
    let id = ann.conversation().await;
    for question in ["Long? ".repeat(4_000).as_str(), "Short?", "And now?"] {
        ann.ask(&id, json!({"content": question})).await.rest().await;
    }
    let asked = |model: &str| {
        let records = app.models.records();
        let mut answers = records.iter().filter(|record| record.request.asked_for() == AskedFor::Answer);
        let last = answers.rfind(|record| record.request.model == model).unwrap();
        last.request.body["messages"].as_array().unwrap().len()
    };
    assert_eq!(asked("m/two"), 5, "two turns and the question");
    assert_eq!(asked("m/one"), 3, "the turn that does not fit is left out");
    app.close().await;
}

#[tokio::test]
async fn a_ballot_that_cannot_be_read_is_asked_for_once_more_in_a_short_call() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let again = request.prompt().contains("could not be read");
        match (request.model.as_str(), request.asked_for(), again) {
            // Names one answer twice, so that only the second call can make it count.
            ("m/one" | "m/two", AskedFor::Review, false) => {
                Some(Script::answer("Response B, then Response A, and Response A again."))
            }
            // Small models leave the heading out even then.
            ("m/one", AskedFor::Review, true) => {
                Some(Script::answer("1. Response D\n2. Response C\n3. Response B\n4. Response A"))
            }
            ("m/two", AskedFor::Review, true) => Some(Script::answer("Response B, I think.")),
            _ => None,
        }
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let question = "Why? ".repeat(500);
    let events = ann.ask(&id, json!({"content": question})).await.rest().await;
    let reviews = &find(&events, "stage2_complete")["data"];
    assert_eq!(reviews[0]["parsed_ranking"], json!(["Response D", "Response C", "Response B", "Response A"]));
    assert_eq!((&reviews[0]["counts"], &reviews[0]["repaired"]), (&json!(true), &json!(true)));
    assert_eq!(reviews[1]["counts"], false, "shown, and not counted");
    assert_eq!(reviews[1]["parsed_ranking"], json!(["Response B", "Response A"]));
    let facts = &find(&events, "stage2_complete")["metadata"]["aggregate"];
    assert_eq!((&facts["ballots"], &facts["abstentions"]), (&json!(3), &json!(1)));
    let records = app.models.records();
    let mut repairs = records.iter().filter(|r| r.request.prompt().contains("could not be read"));
    assert!(repairs.clone().count() == 2 && repairs.all(|r| r.request.prompt().len() < question.len()));
    app.close().await;
}

#[tokio::test]
async fn a_review_says_what_both_of_its_requests_took() {
    let app = TestApp::start().await;
    let used = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.25});
    app.models.rule(move |request| {
        let again = request.prompt().contains("could not be read");
        let script = match (request.model.as_str(), request.asked_for(), again) {
            ("m/one" | "m/two", AskedFor::Review, false) => {
                Script::answer("Response B, then Response A, and Response A again.")
            }
            ("m/two", AskedFor::Review, true) => return Some(Script::answer("Response B, I").cut()),
            _ => plausible(request),
        };
        Some(script.usage(used.clone()))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let reviews = &find(&events, "stage2_complete")["data"];
    let took = |index: usize| {
        let review = &reviews[index];
        (review["cost"].clone(), review["usage"]["cost_usd"].clone(), review["usage"]["total_tokens"].clone())
    };
    assert_eq!(took(0), (json!(0.5), json!(0.5), json!(30)), "it was asked for its ballot once more");
    assert_eq!(took(1), (Value::Null, Value::Null, json!(15)), "nobody knows what the second one cost");
    assert_eq!(took(2), (json!(0.25), json!(0.25), json!(15)));
    app.close().await;
}

#[tokio::test]
async fn a_council_whose_reviews_hold_no_ranking_says_so_above_the_answer() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Review).then(|| Script::answer("All of them are lovely."))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    let complete = &find(&events, "stage2_complete");
    assert_eq!(complete["metadata"]["aggregate_rankings"], json!([]));
    assert_eq!(complete["metadata"]["aggregate"]["abstentions"], 4);
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["heading"], "Answer of the council, without a ranking");
    assert_eq!(synthesis["notes"].as_array().unwrap().len(), 4);
    app.close().await;
}

#[tokio::test]
async fn a_member_that_rejects_system_prompts_is_asked_without_one() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let with_system =
            request.body["messages"].as_array()?.iter().any(|message| message["role"] == "system");
        (request.model == "m/two" && with_system)
            .then(|| Script::status(400, r#"{"error":{"message":"system role not supported"}}"#))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "system_prompt": "Be brief."});
    let events = ann.ask(&id, body).await.rest().await;
    let answers = &find(&events, "stage1_complete")["data"];
    assert_eq!(answers[1]["system_prompt_dropped"], true);
    assert!(answers[1].get("error").is_none());
    assert!(answers[0].get("system_prompt_dropped").is_none());
    app.close().await;
}

#[tokio::test]
async fn the_next_turn_knows_the_last_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let first = ann.post(&path, json!({"content": "What is an aardvark?"})).await.ok();
    ann.post(&path, json!({"content": "And a badger?"})).await.ok();
    let last =
        app.models.records().into_iter().rev().find(|record| record.request.asked_for() == AskedFor::Answer);
    let messages = last.unwrap().request.body["messages"].as_array().unwrap().clone();
    assert_eq!(messages[0]["content"], "What is an aardvark?");
    assert_eq!(messages[1]["content"], first["stage3"]["response"]);
    assert!(messages[2]["content"].as_str().unwrap().starts_with("And a badger?"));
    app.close().await;
}

#[tokio::test]
async fn one_conversation_has_one_run_at_a_time() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Yes.").hold(&held)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let started = stream.until("run_started").await;
    let second = ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "And?"})).await;
    assert_eq!(second.status, 409);
    assert_eq!(second.json()["run_id"], started.json["run_id"]);
    assert!(second.json()["detail"].is_string());
    gate.open();
    stream.until("complete").await;
    app.close().await;
}

#[tokio::test]
async fn the_same_key_is_the_same_run_and_pays_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("idempotency-key", "k-1");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let first = ann.post(&path, json!({"content": "Why?"})).await.ok();
    let calls = app.models.records().len();
    let second = ann.post(&path, json!({"content": "Why?"})).await.ok();
    assert_eq!(first["run_id"], second["run_id"]);
    assert_eq!(first["stage3"], second["stage3"]);
    assert_eq!(app.models.records().len(), calls);
    // Another user's key is another key.
    let bob = app.user("bob").with("idempotency-key", "k-1");
    let theirs = bob.conversation().await;
    let other =
        bob.post(&format!("/api/conversations/{theirs}/message"), json!({"content": "Why?"})).await.ok();
    assert_ne!(other["run_id"], first["run_id"]);
    app.close().await;
}

#[tokio::test]
async fn a_run_in_which_nobody_answers_tells_what_it_cost_before_it_ends() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Answer).then(|| match request.model.as_str() {
            "m/one" => Script::answer("").without_usage(),
            _ => Script::status(404, "gone"),
        })
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(kinds(&events[events.len() - 2..]), ["costs_complete", "error"]);
    let costs = &find(&events, "costs_complete")["data"];
    assert_eq!(costs["by_stage"]["stage1"]["calls"], 4);
    assert_eq!(costs["by_stage"]["stage1"]["unknown_cost_calls"], 1, "an empty answer may be charged for");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["metadata"]["costs"], *costs);
    app.close().await;
}

#[tokio::test]
async fn stop_closes_upstream_keeps_what_arrived_and_says_cancelled_last() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Answer && request.model != "m/four")
            .then(|| Script::answer("Some words that arrive ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let mut arrived: std::collections::BTreeMap<String, String> = Default::default();
    while arrived.values().filter(|text| text.starts_with("Some words")).count() < 3 {
        let token = stream.until("stage1_token").await.json;
        let text = arrived.entry(token["member"].to_string()).or_default();
        text.push_str(token["content"].as_str().unwrap());
    }
    let answer = ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(answer["cancelled"], true);
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    app.models
        .until(|records| {
            use crate::support::model_server::Outcome;
            records.iter().filter(|record| record.outcome == Outcome::ClientGone).count() >= 3
        })
        .await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let message = &stored["messages"][1];
    assert_eq!(message["status"], "cancelled");
    let kept =
        message["stage1"].as_array().unwrap().iter().filter(|answer| answer["error_kind"] == "cancelled");
    assert!(
        kept.clone().count() >= 3
            && kept.clone().any(|answer| answer["response"].as_str().unwrap().starts_with("Some words")),
        "{message}"
    );
    // The conversation is free again.
    app.models.rule(|_| None);
    ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Again?"})).await.ok();
    app.close().await;
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_stop_the_run_and_finds_it_again() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Yes.").hold(&held)));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let seen = stream.until("stage1_model_complete").await.id.unwrap();
    drop(stream);
    let mut again = ann.events(&run, seen).await;
    gate.open();
    let rest = again.rest().await;
    assert_eq!(rest.first().unwrap().id, Some(seen + 1), "exactly what was missed, in order");
    assert_eq!(rest.last().unwrap().kind(), "complete");
    // Afterwards the whole of it can be read from any place.
    let whole = ann.events(&run, 0).await.rest().await;
    assert_eq!(whole[usize::try_from(seen).unwrap()..], rest[..]);
    app.close().await;
}

#[tokio::test]
async fn a_run_whose_server_died_goes_on_without_paying_again() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| Script::answer("In the end.").hold(&held))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage2_complete").await;
    app.models
        .until(|records| records.iter().any(|record| record.request.asked_for() == AskedFor::Synthesis))
        .await;
    // The process drops its runs and gives up its leases, as at the end of a drain; here its streams
    // live on and follow the run to where it goes on.
    app.app.runs.hand_over().await.unwrap();
    app.app.runs.idle().await;
    gate.open();
    let other = llm_council::runs::Runs::new(
        app.db.db().clone(),
        app.app.models.clone(),
        app.app.objects.clone(),
        app.app.shutdown.tasks(),
        Default::default(),
    );
    app.app.shutdown.tasks().spawn_background(other.clone().write(app.db.db().clone()));
    app.app.shutdown.tasks().spawn_background(other.clone().work());
    let rest = tokio::time::timeout(Duration::from_secs(30), stream.rest()).await.unwrap();
    assert_eq!(rest.last().unwrap().kind(), "complete");
    assert!(rest.iter().any(|event| event.kind() == "call_restarted"));
    let asked =
        |kind: AskedFor| app.models.records().iter().filter(|r| r.request.asked_for() == kind).count();
    assert_eq!(asked(AskedFor::Answer), 4, "no answer was paid twice");
    assert_eq!(asked(AskedFor::Review), 4, "no review was paid twice");
    assert_eq!(asked(AskedFor::Synthesis), 2, "the lost call was made again");
    let stored = ann.get(&format!("/api/runs/{run}")).await.ok();
    assert_eq!(stored["status"], "complete");
    assert_eq!(stored["stage3"]["response"], "In the end.");
    app.close().await;
}

#[tokio::test]
async fn what_models_should_not_write_loses_no_stage() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Answer) => Some(Script::answer("nul \u{0} and bell \u{7}")),
        ("m/two", AskedFor::Answer) => {
            Some(Script::answer("x").event(r#"{"choices":[{"delta":{"content":"lone \ud800 surrogate"}}]}"#))
        }
        ("m/three", AskedFor::Answer) => Some(Script::answer("ünïcödé 🦀 \u{202e}rtl")),
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let answers = stored["messages"][1]["stage1"].as_array().unwrap();
    assert!(answers.iter().all(|answer| answer.get("error").is_none()), "{answers:?}");
    assert_eq!(answers[2]["response"], "ünïcödé 🦀 \u{202e}rtl");
    app.close().await;
}

#[tokio::test]
async fn an_export_says_whose_each_answer_was_and_ranks_by_what_decided() {
    let app = TestApp::start().await;
    // All have one order, so that the members' records differ.
    app.models.rule(|request| {
        let ranking = || {
            let members = ["m/one", "m/two", "m/three", "m/four"].iter().zip(1..);
            let lines = members.map(|(member, place)| format!("{place}. {}", label_of(request, member)));
            format!("FINAL RANKING:\n{}", lines.collect::<Vec<_>>().join("\n"))
        };
        (request.asked_for() == AskedFor::Review).then(|| Script::answer(&ranking()))
    });
    let ann = app.user("ann");
    let mut id = String::new();
    // From the third run on ballots are weighed.
    for _ in 0..3 {
        id = ann.conversation().await;
        ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    }
    let stored = &ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1]["metadata"];
    let text = ann.get(&format!("/api/conversations/{id}/export?format=md")).await.text;
    for (label, member) in stored["label_to_member"].as_object().unwrap() {
        assert!(text.contains(&format!("{label} is {}", member.as_str().unwrap())), "{text}");
    }
    assert!(text.contains("| Member | Weighted average rank | Ballots | First places |"), "{text}");
    for row in stored["aggregate_rankings"].as_array().unwrap() {
        assert_eq!(row["weights_applied"], true);
        let rank = row["weighted_average_rank"].as_f64().unwrap();
        assert!(text.contains(&format!("| {} | {rank:.2} |", row["member"].as_str().unwrap())), "{text}");
    }
    app.close().await;
}

#[tokio::test]
async fn in_an_export_the_names_of_members_are_harmless() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    // A conversation that somebody shares has the names that they have given.
    let name = "![x](https://evil.example/x)";
    let members = json!([{"model": "m/one", "alias": name}, "m/two"]);
    ann.ask(&id, json!({"content": "Why?", "models": members})).await.rest().await;
    let text = ann.get(&format!("/api/conversations/{id}/export?format=md")).await.text;
    let escaped = format!("\\{name}");
    for before in ["### Answer by ", "### Review by ", " is ", "| "] {
        assert!(text.contains(&format!("{before}{escaped}")), "{before}: {text}");
    }
    assert_eq!(text.matches(name).count(), text.matches(&escaped).count(), "{text}");
    app.close().await;
}
