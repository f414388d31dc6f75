//! A council that agrees needs no chairman, over HTTP.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};

const UNANIMOUS: &str =
    "All were read.\n\nFINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n4. Response D";
const CONTRARY: &str =
    "All were read.\n\nFINAL RANKING:\n1. Response D\n2. Response C\n3. Response B\n4. Response A";

fn review(request: &RecordedRequest, ranking: &str) -> Option<Script> {
    (request.asked_for() == AskedFor::Review).then(|| Script::answer(ranking))
}

/// Everything after the reviews, in order.
fn after_the_reviews(events: &[Event]) -> Vec<&str> {
    kinds(events).into_iter().skip_while(|kind| *kind != "stage2_complete").skip(1).collect()
}

fn asked(app: &TestApp, what: AskedFor) -> usize {
    app.models.records().iter().filter(|record| record.request.asked_for() == what).count()
}

async fn ask(app: &TestApp, body: &Value) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, body.clone()).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    (events, stored)
}

#[tokio::test]
async fn the_answer_that_all_agree_on_is_the_final_one_and_nobody_writes_another() {
    let app = TestApp::start().await;
    app.models.rule(|request| review(request, UNANIMOUS));
    let (events, stored) = ask(&app, &json!({"content": "Why?", "use_early_consensus": true})).await;
    assert_eq!(
        after_the_reviews(&events),
        ["consensus_detected", "stage3_complete", "costs_complete", "title_complete", "complete"]
    );
    assert_eq!(asked(&app, AskedFor::Synthesis), 0, "no chairman was paid");

    let winner = &find(&events, "stage2_complete")["metadata"]["label_to_model"]["Response A"];
    let response = format!("A scripted answer of {}.", winner.as_str().unwrap());
    let info = &find(&events, "consensus_detected")["data"];
    assert_eq!(
        (&info["is_consensus"], &info["consensus_model"], &info["consensus_response"]),
        (&json!(true), winner, &json!(response))
    );
    // Its author's own vote counts too.
    assert_eq!(
        info["metrics"],
        json!({"average_rank": 1.0, "first_place_votes": 4.0, "total_voters": 4, "agreement_ratio": 1.0,
               "average_confidence": 8.0})
    );
    let reason = info["reason"].as_str().unwrap();
    assert!(reason.starts_with("4 of 4 reviewers put the answer of"), "{reason}");
    assert!(!reason.contains("their own left aside"), "{reason}");

    let complete = find(&events, "stage3_complete");
    assert_eq!((&complete["is_consensus"], &complete["consensus_info"]), (&json!(true), info));
    assert_eq!((&complete["data"]["model"], &complete["data"]["response"]), (winner, &json!(response)));
    assert_eq!(
        complete["data"]["heading"],
        format!("The council agreed: the answer of {}", winner.as_str().unwrap())
    );
    assert_eq!(complete["data"]["cost"], 0.0);
    assert_eq!(stored["stage3"], complete["data"]);
    assert_eq!(stored["metadata"]["consensus_info"], *info);
    assert_eq!(stored["metadata"]["early_exit"], true);
    app.close().await;
}

#[tokio::test]
async fn a_council_that_does_not_agree_has_a_chairman_and_says_why() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        let ranking = if matches!(request.model.as_str(), "m/one" | "m/two") { UNANIMOUS } else { CONTRARY };
        review(request, ranking)
    });
    let (events, stored) = ask(&app, &json!({"content": "Why?", "use_early_consensus": true})).await;
    assert_eq!(
        after_the_reviews(&events),
        ["stage3_start", "stage3_complete", "costs_complete", "title_complete", "complete"]
    );
    let complete = find(&events, "stage3_complete");
    assert!(complete.get("is_consensus").is_none());
    let info = &complete["consensus_info"];
    assert_eq!((&info["is_consensus"], &info["consensus_model"]), (&json!(false), &json!(null)));
    assert!(info["reason"].as_str().unwrap().starts_with("No consensus: "), "{info}");
    assert_eq!(stored["metadata"]["consensus_info"], *info);
    assert_eq!(stored["stage3"]["model"], "m/chair");
    app.close().await;
}

#[tokio::test]
async fn members_that_are_unsure_or_say_nothing_of_it_are_no_consensus() {
    for (answer, average, reason) in [
        (
            "Perhaps.\n\nCONFIDENCE: 6",
            json!(6.0),
            "No consensus: the members' average confidence is 6, at least 7 is needed.",
        ),
        ("Because.", json!(null), "No consensus: no member said how sure it is."),
    ] {
        let app = TestApp::start().await;
        app.models.rule(move |request| {
            let is_answer = request.asked_for() == AskedFor::Answer;
            if is_answer { Some(Script::answer(answer)) } else { review(request, UNANIMOUS) }
        });
        let (_, stored) = ask(&app, &json!({"content": "Why?", "use_early_consensus": true})).await;
        let info = &stored["metadata"]["consensus_info"];
        assert_eq!((&info["metrics"]["average_confidence"], &info["reason"]), (&average, &json!(reason)));
        assert_eq!(stored["stage3"]["model"], "m/chair");
        app.close().await;
    }
}

#[tokio::test]
async fn a_council_that_lost_a_member_says_so_over_what_it_agrees_on() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", _) => Some(Script::status(404, "gone")),
        _ => review(request, "FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C"),
    });
    let (events, stored) = ask(&app, &json!({"content": "Why?", "use_early_consensus": true})).await;
    let winner = stored["metadata"]["label_to_model"]["Response A"].as_str().unwrap();
    assert_eq!(find(&events, "consensus_detected")["data"]["metrics"]["total_voters"], 3);
    assert_eq!(
        stored["stage3"]["heading"],
        format!("The 3 of 4 members that answered agreed: the answer of {winner}")
    );
    assert!(stored["stage3"]["notes"][0].as_str().unwrap().starts_with("m/two gave no answer"));
    app.close().await;
}

#[tokio::test]
async fn reviewers_that_fail_leave_too_few_to_agree() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one" | "m/two" | "m/three", AskedFor::Review) => Some(Script::status(404, "gone")),
        _ => review(request, UNANIMOUS),
    });
    let (_, stored) = ask(&app, &json!({"content": "Why?", "use_early_consensus": true})).await;
    let info = &stored["metadata"]["consensus_info"];
    assert_eq!(info["is_consensus"], false);
    assert!(info["reason"].as_str().unwrap().contains("only one ballot judges"), "{info}");
    app.close().await;
}

#[tokio::test]
async fn nobody_looks_for_a_consensus_unless_asked_to() {
    let app = TestApp::start().await;
    app.models.rule(|request| review(request, UNANIMOUS));
    let (events, stored) = ask(&app, &json!({"content": "Why?"})).await;
    assert!(find(&events, "stage3_complete").get("consensus_info").is_none());
    assert!(stored["metadata"].get("consensus_info").is_none());
    assert_eq!(stored["stage3"]["model"], "m/chair");
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    let wrong = json!({"content": "Why?", "use_early_consensus": "yes"});
    assert_eq!(ann.post(&path, wrong).await.wrong_fields(), ["use_early_consensus"]);
    app.close().await;
}
