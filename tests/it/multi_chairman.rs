//! Several chairmen write and one chooses, over HTTP.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};

const CHOICE: &str = "EVALUATION:\nA is short, B is right, C is long.\n\nSELECTED: B\n\nREASONING:\nIt is complete.\n\n\
                      FINAL RESPONSE:\n";

fn body() -> Value {
    json!({"content": "Why?", "use_multi_chairman": true})
}

/// Three chairmen that tell nothing of themselves in their drafts.
fn draft(request: &RecordedRequest) -> Option<Script> {
    (request.asked_for() == AskedFor::Synthesis).then(|| {
        let number = match request.model.as_str() {
            "c/one" => "first",
            "c/two" => "second",
            "c/three" => "third",
            _ => "only",
        };
        Script::answer(&format!(
            "The {number} text.\n\nCOUNCIL NOTES:\nAGREEMENT: the {number} says that they agree"
        ))
    })
}

/// This answer to everything of one kind, and drafts as above.
fn on(
    what: AskedFor,
    script: impl Fn(&RecordedRequest) -> Script + Send + Sync + 'static,
) -> impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static {
    move |request| if request.asked_for() == what { Some(script(request)) } else { draft(request) }
}

async fn with_chairmen(app: &TestApp) -> User<'_> {
    let ann = app.user("ann");
    let chairmen = json!({"multi_chairman_models": ["c/one", "c/two", "c/three"]});
    ann.put("/api/config", chairmen).await.ok();
    ann
}

/// Asks, and gives the events and the stored message.
async fn ask(app: &TestApp) -> (Vec<Event>, Value) {
    let ann = with_chairmen(app).await;
    let id = ann.conversation().await;
    let events = ann.ask(&id, body()).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    assert_eq!(stored["stage3"], find(&events, "stage3_complete")["data"]);
    (events, stored)
}

/// Stage 3, in order.
fn stage3(events: &[Event]) -> Vec<&str> {
    let after = kinds(events).into_iter().skip_while(|kind| *kind != "stage2_complete").skip(1);
    after.take_while(|kind| *kind != "costs_complete").collect()
}

fn notes(stored: &Value) -> String {
    let notes = stored["stage3"]["notes"].as_array().cloned().unwrap_or_default();
    notes.iter().map(|note| note.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn prompts(app: &TestApp, what: AskedFor) -> Vec<String> {
    let records = app.models.records();
    let of_kind = records.iter().filter(|record| record.request.asked_for() == what);
    of_kind.map(|record| record.request.prompt().to_owned()).collect()
}

#[tokio::test]
async fn what_the_chosen_answer_cites_is_told_with_it() {
    let (app, _search) = TestApp::searching("tavily", "").await;
    app.models
        .rule(on(AskedFor::Selection, |_| Script::answer(&format!("{CHOICE}The second text [1], not [7]."))));
    let ann = with_chairmen(&app).await;
    let id = ann.conversation().await;
    let mut asked = body();
    asked["use_web_search"] = json!(true);
    let events = ann.ask(&id, asked).await.rest().await;
    let told = &find(&events, "stage3_complete")["data"];
    assert_eq!(told["citations"], json!({"cited": [1], "unknown": [7]}));
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["stage3"], *told);
    app.close().await;
}

#[tokio::test]
async fn all_chairmen_write_and_the_chairman_chooses_and_betters() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |_| {
        Script::answer(&format!("{CHOICE}The second text, and better."))
            .usage(json!({"prompt_tokens": 30, "completion_tokens": 9, "total_tokens": 39, "cost": 0.5}))
    }));
    let (events, stored) = ask(&app).await;
    assert_eq!(
        stage3(&events),
        [
            "stage3_start",
            "multi_synthesis_start",
            "synthesis_complete",
            "synthesis_complete",
            "synthesis_complete",
            "multi_synthesis_complete",
            "selection_start",
            "selection_complete",
            "stage3_complete"
        ]
    );
    let start = find(&events, "stage3_start");
    assert_eq!((&start["model"], &start["use_multi_chairman"]), (&json!("m/chair"), &json!(true)));
    let syntheses = &find(&events, "multi_synthesis_complete")["syntheses"];
    let labelled: Vec<(&str, &str, &str)> = syntheses
        .as_array()
        .unwrap()
        .iter()
        .map(|draft| {
            let text = |field: &str| draft[field].as_str().unwrap();
            (text("label"), text("model"), text("response"))
        })
        .collect();
    assert_eq!(
        labelled,
        [
            ("A", "c/one", "The first text."),
            ("B", "c/two", "The second text."),
            ("C", "c/three", "The third text.")
        ]
    );
    for event in events.iter().filter(|event| event.kind() == "synthesis_complete") {
        assert!(syntheses.as_array().unwrap().contains(&event.json["data"]), "as it comes, and whole");
    }
    let tokens: String = events
        .iter()
        .filter(|event| event.kind() == "selection_token")
        .map(|event| {
            assert_eq!(event.json["model"], "m/chair");
            event.json["content"].as_str().unwrap()
        })
        .collect();
    assert_eq!(tokens, format!("{CHOICE}The second text, and better."));

    let complete = find(&events, "stage3_complete");
    assert_eq!(complete["use_multi_chairman"], true);
    let data = &complete["data"];
    assert_eq!(
        (&data["model"], &data["response"]),
        (&json!("m/chair"), &json!("The second text, and better."))
    );
    assert_eq!(data["syntheses"], *syntheses);
    assert_eq!(
        (&data["selected_synthesis"], &data["selected_model"], &data["selected_by"]),
        (&json!("B"), &json!("c/two"), &json!("m/chair"))
    );
    assert_eq!(data["selection_reasoning"], "It is complete.");
    assert!(data["evaluation"].as_str().unwrap().contains("A is short, B is right"));
    assert_eq!(data["heading"], "Answer of the council, chosen from 3 drafts");
    assert_eq!(data["disagreement"]["agreements"], json!(["the second says that they agree"]));
    assert_eq!(data["cost"], 0.5, "of the choice; each draft has its own");
    assert!(data.get("notes").is_none(), "{data}");
    assert_eq!(find(&events, "costs_complete")["data"]["by_stage"]["stage3"]["calls"], 4);
    assert_eq!(stored["status"], "complete");

    // All chairmen read the same; who wrote which draft is hidden from the one who chooses.
    let drafts = prompts(&app, AskedFor::Synthesis);
    assert!(drafts.len() == 3 && drafts.iter().all(|prompt| *prompt == drafts[0]));
    let choice = &prompts(&app, AskedFor::Selection)[0];
    for label in ["A", "B", "C"] {
        assert!(choice.contains(&format!("[Draft {label}] BEGIN ")), "{choice}");
    }
    assert!(!choice.contains("c/") && !choice.contains("COUNCIL NOTES"), "{choice}");
    app.close().await;
}

#[tokio::test]
async fn a_draft_that_needs_no_change_is_taken_as_it_is() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |_| Script::answer(&format!("{CHOICE}UNCHANGED"))));
    let (events, stored) = ask(&app).await;
    let data = &stored["stage3"];
    assert_eq!((&data["model"], &data["response"]), (&json!("c/two"), &json!("The second text.")));
    assert_eq!(data["selected_by"], "m/chair");
    assert_eq!(find(&events, "selection_complete")["data"]["response"], "The second text.");
    app.close().await;
}

#[tokio::test]
async fn a_chairman_that_fails_is_told_and_the_others_are_chosen_from() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("c/one", _) => Some(Script::status(404, "gone")),
        (_, AskedFor::Selection) => Some(Script::answer("SELECTED: C\nREASONING: Clear.\nFINAL RESPONSE:")),
        _ => draft(request),
    });
    let (events, stored) = ask(&app).await;
    let failed = events
        .iter()
        .find(|event| event.kind() == "synthesis_complete" && event.json["data"]["model"] == "c/one")
        .unwrap();
    assert!(failed.json["data"]["error"].is_string(), "{failed:?}");
    assert_eq!(stored["stage3"]["syntheses"].as_array().unwrap().len(), 3, "the failed one with its error");
    assert_eq!(stored["stage3"]["response"], "The third text.");
    assert_eq!(stored["stage3"]["heading"], "Answer of the council, chosen from 2 drafts");
    assert!(notes(&stored).contains("c/one could not write draft A: "), "{}", notes(&stored));
    assert!(!prompts(&app, AskedFor::Selection)[0].contains("Draft A"));
    app.close().await;
}

#[tokio::test]
async fn a_single_draft_is_the_answer_and_nobody_is_paid_for_choosing_it() {
    let app = TestApp::start().await;
    app.models.rule(|request| match request.model.as_str() {
        "c/one" | "c/three" => Some(Script::status(404, "gone")),
        _ => draft(request),
    });
    let (events, stored) = ask(&app).await;
    assert!(!kinds(&events).contains(&"selection_start"));
    let data = &stored["stage3"];
    assert_eq!((&data["model"], &data["response"]), (&json!("c/two"), &json!("The second text.")));
    assert_eq!((&data["selected_synthesis"], &data["selected_model"]), (&json!("B"), &json!("c/two")));
    assert_eq!(data["heading"], "Answer of the council, by the only one of 3 chairmen that did not fail");
    assert!(notes(&stored).contains("nothing to choose from"));
    app.close().await;
}

#[tokio::test]
async fn without_a_draft_the_chairman_writes_alone() {
    let app = TestApp::start().await;
    app.models.rule(|request| match request.model.as_str() {
        "c/one" | "c/two" | "c/three" => Some(Script::status(404, "gone")),
        _ => draft(request),
    });
    let (events, stored) = ask(&app).await;
    let order = stage3(&events);
    assert_eq!(
        order.iter().filter(|kind| **kind == "stage3_start").count(),
        2,
        "the second clears the first"
    );
    assert_eq!(order.last(), Some(&"stage3_complete"));
    assert!(find(&events, "stage3_complete").get("use_multi_chairman").is_none(), "one chairman wrote");
    let data = &stored["stage3"];
    assert_eq!((&data["model"], &data["response"]), (&json!("m/chair"), &json!("The only text.")));
    assert_eq!(data["heading"], "Final answer of the council");
    assert_eq!(data["syntheses"].as_array().unwrap().len(), 3);
    assert!(data.get("selected_model").is_none());
    for label in ["A", "B", "C"] {
        assert!(notes(&stored).contains(&format!("could not write draft {label}")));
    }
    app.close().await;
}

#[tokio::test]
async fn when_the_chairman_cannot_choose_the_next_in_the_chain_does() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/chair", _) => Some(Script::status(404, "gone")),
        (_, AskedFor::Selection) => Some(Script::answer(&format!("{CHOICE}Better."))),
        _ => draft(request),
    });
    let (events, stored) = ask(&app).await;
    let error = find(&events, "selection_error");
    assert_eq!(error["model"], "m/chair");
    let data = &stored["stage3"];
    assert_eq!((&data["fallback_for"], &data["response"]), (&json!("m/chair"), &json!("Better.")));
    assert_eq!(data["model"], data["selected_by"]);
    assert_eq!(data["heading"], "Answer of the council, chosen from 3 drafts by a stand-in for the chairman");
    assert!(notes(&stored).contains("m/chair could not choose among the drafts"));
    app.close().await;
}

#[tokio::test]
async fn a_draft_that_a_stand_in_chose_as_it_is_was_written_by_no_stand_in() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/chair", _) => Some(Script::status(404, "gone")),
        (_, AskedFor::Selection) => Some(Script::answer(&format!("{CHOICE}UNCHANGED"))),
        _ => draft(request),
    });
    let (_, stored) = ask(&app).await;
    let data = &stored["stage3"];
    assert_eq!((&data["model"], &data["response"]), (&json!("c/two"), &json!("The second text.")));
    assert!(data.get("fallback_for").is_none(), "{data}");
    assert!(notes(&stored).contains("m/chair could not choose among the drafts"));
    let (chairman, stood_in): (String, bool) = sqlx::query_as("SELECT chairman, stood_in FROM run_figures")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!((chairman.as_str(), stood_in), ("c/two", false));
    app.close().await;
}

#[tokio::test]
async fn when_nobody_can_choose_the_first_draft_stands_and_says_so() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |_| Script::status(404, "gone")));
    let (events, stored) = ask(&app).await;
    assert_eq!(kinds(&events).iter().filter(|kind| **kind == "selection_error").count(), 2);
    assert!(!kinds(&events).contains(&"selection_complete"));
    let data = &stored["stage3"];
    assert_eq!((&data["selected_synthesis"], &data["response"]), (&json!("A"), &json!("The first text.")));
    assert_eq!(data["heading"], "Answer of the council, the first of 3 drafts: nobody could choose");
    assert!(data.get("selected_by").is_none() && data.get("error").is_none());
    app.close().await;
}

fn is_for_the_letter(request: &RecordedRequest) -> bool {
    request.prompt().contains("could not be read")
}

#[tokio::test]
async fn a_choice_that_cannot_be_read_is_asked_for_once_more() {
    for (letter, selected, response) in [
        ("SELECTED: C", "C", "My own text."),
        (r#"{"selected": "C"}"#, "C", "My own text."),
        ("Well, all of them.", "A", "The first text."),
    ] {
        let app = TestApp::start().await;
        app.models.rule(on(AskedFor::Selection, move |request| {
            let unclear = "EVALUATION:\nA or C.\n\nSELECTED: A or C\n\nFINAL RESPONSE:\nMy own text.";
            Script::answer(if is_for_the_letter(request) { letter } else { unclear })
        }));
        let (events, stored) = ask(&app).await;
        let data = &stored["stage3"];
        assert_eq!(
            (&data["selected_synthesis"], &data["response"]),
            (&json!(selected), &json!(response)),
            "{letter}"
        );
        let choice = &find(&events, "selection_complete")["data"];
        assert_eq!(choice["is_read"], selected == "C");
        assert_eq!(
            notes(&stored).contains("m/chair's choice could not be read"),
            selected == "A",
            "{letter}"
        );
        if selected == "A" {
            assert_eq!(
                data["heading"],
                "Answer of the council, the first of 3 drafts: no choice could be read"
            );
        }
        let asked = prompts(&app, AskedFor::Selection);
        assert_eq!(asked.len(), 2, "once more and no oftener");
        assert!(asked[1].contains("SELECTED: A or C"), "it sees its own text again");
        assert!(!asked[1].contains("The first text."), "and not all the drafts");
        app.close().await;
    }
}

#[tokio::test]
async fn a_choice_says_what_both_of_its_requests_took() {
    let app = TestApp::start().await;
    let used = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.25});
    app.models.rule(on(AskedFor::Selection, move |request| {
        let text = if is_for_the_letter(request) { "SELECTED: C" } else { "They are all good." };
        Script::answer(text).usage(used.clone())
    }));
    let (_, stored) = ask(&app).await;
    let data = &stored["stage3"];
    assert_eq!((&data["cost"], &data["usage"]["total_tokens"]), (&json!(0.5), &json!(30)));
    assert_eq!(data["usage"]["cost_usd"], 0.5);
    app.close().await;
}

#[tokio::test]
async fn a_second_request_that_fails_is_told() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |request| match is_for_the_letter(request) {
        true => Script::status(404, "gone"),
        false => Script::answer("They are all good."),
    }));
    let (_, stored) = ask(&app).await;
    assert_eq!(stored["stage3"]["response"], "The first text.");
    assert!(notes(&stored).contains("m/chair could not be asked again for its choice"), "{}", notes(&stored));
    assert_eq!(stored["status"], "complete");
    app.close().await;
}

#[tokio::test]
async fn a_final_text_that_was_cut_gives_way_to_the_whole_draft() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |_| {
        Script::answer(&format!("{CHOICE}The second text, and bet")).finish("length")
    }));
    let (_, stored) = ask(&app).await;
    assert_eq!(stored["stage3"]["response"], "The second text.");
    assert!(stored["stage3"].get("truncated").is_none());
    assert!(notes(&stored).contains("broke off at its token limit: draft B stands"));
    app.close().await;
}

#[tokio::test]
async fn a_council_that_agrees_needs_no_chairmen() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Review, |_| {
        Script::answer("FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n4. Response D")
    }));
    let ann = with_chairmen(&app).await;
    let id = ann.conversation().await;
    let both = json!({"content": "Why?", "use_multi_chairman": true, "use_early_consensus": true});
    let events = ann.ask(&id, both).await.rest().await;
    assert_eq!(stage3(&events), ["consensus_detected", "stage3_complete"]);
    assert!(find(&events, "stage3_complete").get("use_multi_chairman").is_none());
    app.close().await;
}

#[tokio::test]
async fn stopping_during_the_choice_keeps_the_drafts() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |_| Script::answer("EVALUATION: ").stall()));
    let ann = with_chairmen(&app).await;
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, body()).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("selection_token").await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    let data = &stored["stage3"];
    assert_eq!((&data["heading"], &data["error_kind"]), (&json!("Not finished"), &json!("cancelled")));
    assert_eq!(data["syntheses"][1]["response"], "The second text.");
    assert_eq!((&data["evaluation"], &data["response"]), (&json!("EVALUATION: "), &json!("")));
    app.close().await;
}

#[tokio::test]
async fn stopping_while_the_letter_alone_is_asked_for_keeps_the_comparison() {
    let app = TestApp::start().await;
    app.models.rule(on(AskedFor::Selection, |request| match is_for_the_letter(request) {
        true => Script::answer("").stall(),
        false => Script::answer("They are all good."),
    }));
    let ann = with_chairmen(&app).await;
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, body()).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    app.models
        .until(|records| {
            let mut choices =
                records.iter().filter(|record| record.request.asked_for() == AskedFor::Selection);
            choices.any(|record| is_for_the_letter(&record.request))
        })
        .await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    assert_eq!(stored["stage3"]["evaluation"], "They are all good.");
    app.close().await;
}

#[tokio::test]
async fn stopping_during_the_drafts_keeps_those_that_are_whole() {
    let app = TestApp::start().await;
    app.models.rule(|request| match request.model.as_str() {
        "c/two" => Some(Script::answer("The second ").stall()),
        _ => draft(request),
    });
    let ann = with_chairmen(&app).await;
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, body()).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("synthesis_complete").await;
    stream.until("synthesis_complete").await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    let drafts: Vec<(&Value, bool)> = stored["stage3"]["syntheses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|draft| (&draft["label"], draft["error"].is_string()))
        .collect();
    assert_eq!(drafts, [(&json!("A"), false), (&json!("B"), true), (&json!("C"), false)]);
    app.close().await;
}

#[tokio::test]
async fn several_chairmen_need_a_setting_and_are_told_which() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let answer = ann.post(&path, body()).await;
    assert_eq!(answer.wrong_fields(), ["use_multi_chairman"]);
    assert_eq!(
        answer.json()["errors"][0]["message"],
        "needs 2 to 7 models in the setting `multi_chairman_models`; there are 0"
    );
    let wrong = json!({"content": "Why?", "use_multi_chairman": 1});
    assert_eq!(ann.post(&path, wrong).await.wrong_fields(), ["use_multi_chairman"]);
    app.close().await;
}
