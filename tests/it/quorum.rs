//! Runs that go on before everybody has answered, over HTTP.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find};
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};

fn place_of(events: &[Event], wanted: impl Fn(&Event) -> bool) -> usize {
    events.iter().position(wanted).expect("such an event")
}

fn of<'a>(answers: &'a Value, member: &str) -> &'a Value {
    answers.as_array().unwrap().iter().find(|answer| answer["member"] == member).expect("the member")
}

/// The stored message says what the stream said, late answers in their places.
fn check_stored(stored: &Value, events: &[Event]) {
    let message = &stored["messages"][1];
    assert_eq!(message["status"], "complete");
    let mut answers = find(events, "stage1_complete")["data"].clone();
    let complete = place_of(events, |event| event.kind() == "stage1_complete");
    for event in &events[complete..] {
        if matches!(event.kind(), "stage1_model_complete" | "stage1_error") {
            let places = answers.as_array_mut().unwrap();
            let place = places.iter_mut().find(|answer| answer["member"] == event.json["member"]);
            *place.expect("its place") = event.json["data"].clone();
        }
    }
    assert_eq!(message["stage1"], answers);
    assert_eq!(message["stage3"], find(events, "stage3_complete")["data"]);
    assert!(!message.to_string().contains("\"pending\""));
}

#[tokio::test]
async fn a_slow_member_is_left_behind_when_the_ballots_close() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "m/two" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("Half a thought ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "quorum": 3})).await;
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");

    let answers = &find(&events, "stage1_complete")["data"];
    assert_eq!(answers.as_array().unwrap().len(), 4, "in the council's order, whoever is missing");
    assert_eq!(
        *of(answers, "m/two"),
        json!({"model": "m/two", "member": "m/two", "response": "",
                                             "confidence": null, "pending": true})
    );
    let stopped = find(&events, "stage1_error");
    assert_eq!((&stopped["member"], &stopped["error_kind"]), (&json!("m/two"), &json!("cancelled")));
    assert_eq!(stopped["error"], "stopped: the council went on without it after 3 answers");
    assert!(stopped["data"]["response"].as_str().unwrap().starts_with("Half a"), "{stopped}");
    let reviewed = find(&events, "stage2_complete");
    assert_eq!(reviewed["data"].as_array().unwrap().len(), 3, "who is still answering does not review");
    assert_eq!(reviewed["metadata"]["label_to_member"].as_object().unwrap().len(), 3);
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["heading"], "Answer of 3 of 4 members");
    let costs = &find(&events, "costs_complete")["data"];
    assert_eq!(costs["by_stage"]["stage1"]["calls"], 4, "the stopped call is in the ledger");
    check_stored(&ann.get(&format!("/api/conversations/{id}")).await.ok(), &events);
    // The request upstream was closed.
    app.models
        .until(|records| {
            records
                .iter()
                .any(|record| record.request.model == "m/two" && record.outcome == Outcome::ClientGone)
        })
        .await;
    let (outcome, cost): (String, Option<f64>) =
        sqlx::query_as("SELECT outcome, cost_usd::float8 FROM calls WHERE key = 'stage1/m/two'")
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
    assert_eq!((outcome.as_str(), cost), ("cancelled", None));
    app.close().await;
}

#[tokio::test]
async fn a_late_answer_is_welcome_until_the_ballots_close() {
    let app = TestApp::start().await;
    let (late, ballots) = (Gate::new(), Gate::new());
    let (held, closed) = (late.clone(), ballots.clone());
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", AskedFor::Answer) => Some(Script::answer("Better late.\n\nCONFIDENCE: 9").hold(&held)),
        ("m/one", AskedFor::Review) => {
            Some(Script::answer("FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C").hold(&closed))
        }
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "quorum": 3})).await;
    let mut events = Vec::new();
    loop {
        let event = stream.next().await.unwrap();
        let kind = event.kind().to_owned();
        let member = event.json["member"].clone();
        events.push(event);
        match kind.as_str() {
            "stage2_start" => late.open(),
            "stage1_model_complete" if member == "m/two" => ballots.open(),
            "complete" => break,
            _ => {}
        }
    }
    let late = &events[place_of(&events, |event| {
        event.kind() == "stage1_model_complete" && event.json["member"] == "m/two"
    })];
    assert_eq!(
        (&late.json["data"]["late"], &late.json["data"]["response"]),
        (&json!(true), &json!("Better late."))
    );
    assert!(find(&events, "stage1_complete")["data"][1]["pending"] == true);
    let metadata = &find(&events, "stage2_complete")["metadata"];
    assert_eq!(metadata["label_to_member"].as_object().unwrap().len(), 3, "nobody reviewed it");
    let records = app.models.records();
    let chairman = records.iter().find(|record| record.request.model == "m/chair").unwrap();
    assert!(chairman.request.prompt().contains("came late"), "the chairman reads it and knows");
    assert!(chairman.request.prompt().contains("Better late."));
    let synthesis = &find(&events, "stage3_complete")["data"];
    assert_eq!(synthesis["heading"], "Final answer of the council");
    assert_eq!(synthesis["notes"], json!(["m/two answered late: its answer was not reviewed."]));
    check_stored(&ann.get(&format!("/api/conversations/{id}")).await.ok(), &events);
    app.close().await;
}

#[tokio::test]
async fn the_grace_lets_a_slow_member_in() {
    let app = TestApp::start().await;
    let slow = Gate::new();
    let held = slow.clone();
    app.models.rule(move |request| {
        (request.model == "m/two" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("I needed a moment.").hold(&held))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": "Why?", "quorum": 3, "straggler_grace_ms": 600_000});
    let mut stream = ann.ask(&id, body).await;
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    slow.open();
    let events = stream.rest().await;
    let answers = &find(&events, "stage1_complete")["data"];
    assert!(answers.as_array().unwrap().iter().all(|answer| answer.get("pending").is_none()));
    assert!(of(answers, "m/two").get("late").is_none());
    assert_eq!(find(&events, "stage2_complete")["data"].as_array().unwrap().len(), 4);
    app.close().await;
}

#[tokio::test]
async fn the_grace_is_as_long_as_it_was_asked_for() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.model == "m/two" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("").stall())
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let before = std::time::Instant::now();
    let body = json!({"content": "Why?", "quorum": 3, "straggler_grace_ms": 700});
    let answer = ann.post(&format!("/api/conversations/{id}/message"), body).await.ok();
    assert!(before.elapsed().as_millis() >= 700);
    assert_eq!(of(&answer["stage1"], "m/two")["error_kind"], "cancelled");
    app.close().await;
}

#[tokio::test]
async fn when_too_many_fail_for_the_quorum_all_others_are_waited_for() {
    let app = TestApp::start().await;
    let slow = Gate::new();
    let held = slow.clone();
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/one" | "m/four", AskedFor::Answer) => Some(Script::status(404, "gone")),
        ("m/two", AskedFor::Answer) => Some(Script::answer("At last.").hold(&held)),
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "quorum": 3})).await;
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let event = stream.next().await.unwrap();
        if matches!(event.kind(), "stage1_error" | "stage1_model_complete") {
            seen.push(event.json["member"].clone());
        }
    }
    slow.open();
    let events = stream.rest().await;
    let answers = &find(&events, "stage1_complete")["data"];
    assert_eq!(of(answers, "m/two")["response"], "At last.");
    assert_eq!(find(&events, "stage3_complete")["data"]["heading"], "Answer of 2 of 4 members");
    app.close().await;
}

#[tokio::test]
async fn stopping_a_run_with_a_straggler_keeps_what_it_had_written_once() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", AskedFor::Answer) => Some(Script::answer("Some words that come ").in_chunks(3).stall()),
        (_, AskedFor::Review) => Some(Script::answer("").stall()),
        _ => None,
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?", "quorum": 3})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage2_start").await;
    app.models
        .until(|records| {
            records.iter().filter(|record| record.request.asked_for() == AskedFor::Review).count() == 3
        })
        .await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let answers = &stored["messages"][1]["stage1"];
    assert_eq!(answers.as_array().unwrap().len(), 4);
    assert_eq!(of(answers, "m/two")["error_kind"], "cancelled");
    assert!(of(answers, "m/two").get("pending").is_none());
    app.close().await;
}

#[tokio::test]
async fn a_quorum_out_of_range_is_refused_by_name() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    for quorum in [json!(0), json!(-1), json!(5), json!(2.5), json!("3"), json!(true)] {
        let answer = ann.post(&path, json!({"content": "Why?", "quorum": quorum})).await;
        assert_eq!(answer.wrong_fields(), ["quorum"], "{quorum}");
    }
    let answer = ann.post(&path, json!({"content": "Why?", "quorum": 5})).await;
    assert_eq!(answer.json()["errors"][0]["message"], "must be from 1 to 4, the number of members; it is 5");
    let three = json!({"content": "Why?", "models": ["m/one", "m/two", "m/three"], "quorum": 4});
    assert_eq!(ann.post(&path, three).await.wrong_fields(), ["quorum"], "of this run's members");
    for grace in [json!(-1), json!(600_001), json!("1"), json!(0.5)] {
        let answer = ann.post(&path, json!({"content": "Why?", "straggler_grace_ms": grace})).await;
        assert_eq!(answer.wrong_fields(), ["straggler_grace_ms"], "{grace}");
    }
    let both = json!({"content": "", "quorum": 9, "straggler_grace_ms": -5});
    assert_eq!(ann.post(&path, both).await.wrong_fields(), ["content", "quorum", "straggler_grace_ms"]);
    app.close().await;
}
