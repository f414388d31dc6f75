//! Who reviews (`reviewer_models`, `reviews_per_answer`) and how often (`use_second_reading`), over HTTP.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{find, kinds};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};
use crate::support::ranked::{MEMBERS, ask_with as ask, body, label_of};

fn asked(app: &TestApp, what: AskedFor) -> Vec<String> {
    let records = app.models.records();
    let mut models: Vec<String> = records
        .iter()
        .filter(|record| record.request.asked_for() == what)
        .map(|record| record.request.model.clone())
        .collect();
    models.sort();
    models
}

/// Reviews that rank these members, best first.
fn review(request: &RecordedRequest, order: &[&str]) -> Script {
    let lines: Vec<String> =
        (1..).zip(order).map(|(place, member)| format!("{place}. {}", label_of(request, member))).collect();
    Script::answer(&format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n")))
}

/// A council of three, whose reviewers rank as this says; none falls back on the order in which they read.
async fn council(rank: fn(&RecordedRequest) -> Option<Vec<&'static str>>) -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(move |request| match request.asked_for() {
        AskedFor::Answer => {
            Some(Script::answer(&format!("The answer of {}.\n\nCONFIDENCE: 8", request.model)))
        }
        AskedFor::Review => rank(request).map(|order| review(request, &order)),
        AskedFor::Synthesis
        | AskedFor::Selection
        | AskedFor::Title
        | AskedFor::Routing
        | AskedFor::Critique
        | AskedFor::Revision
        | AskedFor::Attack
        | AskedFor::Severity => None,
    });
    app
}

fn in_order(_: &RecordedRequest) -> Option<Vec<&'static str>> {
    Some(MEMBERS.to_vec())
}

fn of<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|one| one[field].as_str().unwrap()).collect()
}

#[tokio::test]
async fn outside_reviewers_review_in_the_members_place() {
    let app = council(in_order).await;
    let jury = json!(["j/one", {"model": "j/two", "alias": "Judy", "system_prompt": "Be strict."}]);
    let (events, stored) = ask(&app, json!({"reviewer_models": jury})).await;
    assert_eq!(asked(&app, AskedFor::Answer), ["m/one", "m/three", "m/two"]);
    assert_eq!(asked(&app, AskedFor::Review), ["j/one", "j/two"]);
    assert_eq!(of(&find(&events, "stage2_start")["members"], "member"), ["j/one", "Judy"]);
    assert_eq!(of(&stored["stage2"], "member"), ["j/one", "Judy"]);
    let strict = app.models.records().into_iter().find(|record| record.request.model == "j/two").unwrap();
    assert_eq!(strict.request.body["messages"][0]["content"], "Be strict.");
    let metadata = &stored["metadata"];
    assert!(metadata.get("abstained").is_none());
    let rows = metadata["aggregate_rankings"].as_array().unwrap();
    // Nobody has judged its own answer, so every ballot counts for every answer.
    for (row, member) in rows.iter().zip(MEMBERS) {
        assert_eq!(
            (&row["member"], &row["voters"], &row["self_rank"]),
            (&json!(member), &json!(2), &json!(null))
        );
    }
    assert_eq!(metadata["aggregate"]["ballots"], 2);
    app.close().await;
}

#[tokio::test]
async fn one_outside_reviewer_is_enough() {
    let app = council(in_order).await;
    let (_, stored) = ask(&app, json!({"reviewer_models": ["j/one"], "final": "select"})).await;
    assert_eq!(app.models.records().len(), 3 + 1 + 1);
    assert_eq!(stored["stage3"]["response"], "The answer of m/one.");
    app.close().await;
}

#[tokio::test]
async fn a_reviewer_of_a_members_model_is_that_member() {
    let app = council(in_order).await;
    let models = json!([{"model": "m/one", "alias": "Ada"}, "m/two", "m/three"]);
    let options = json!({"models": models, "reviewer_models": ["m/one", "j/one", "m/three"]});
    let (_, stored) = ask(&app, options).await;
    assert_eq!(of(&stored["stage2"], "member"), ["Ada", "j/one", "m/three"]);
    let rows = stored["metadata"]["aggregate_rankings"].as_array().unwrap();
    let own = |member: &str| {
        rows.iter()
            .find(|row| row["member"] == member)
            .map(|row| (&row["self_rank"], &row["peer_rank"]))
            .unwrap()
    };
    assert_eq!(own("Ada").0, &json!(1.0), "its place for its own answer is known as one");
    assert_eq!(own("m/two").0, &json!(null));
    assert_eq!(own("m/three").0, &json!(3.0));
    app.close().await;
}

#[tokio::test]
async fn a_member_that_failed_reviews_nothing_and_a_failed_reviewer_is_said() {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", _) | ("j/one", _) => Some(Script::status(404, "gone")),
        (_, AskedFor::Answer) => Some(Script::answer(&format!("The answer of {}.", request.model))),
        (_, AskedFor::Review) => Some(review(request, &["m/three", "m/one"])),
        _ => None,
    });
    let (events, stored) = ask(&app, json!({"reviewer_models": ["m/two", "j/one", "j/two"]})).await;
    assert_eq!(asked(&app, AskedFor::Review), ["j/one", "j/two"]);
    let abstained = json!([{"model": "m/two", "member": "m/two", "reason": "no_answer"}]);
    assert_eq!(find(&events, "stage2_start")["abstained"], abstained);
    assert_eq!(stored["metadata"]["aggregate_rankings"][0]["member"], "m/three");
    let notes = stored["stage3"]["note_facts"].as_array().unwrap();
    let codes: Vec<_> = notes.iter().map(|note| (note["code"].as_str(), note["member"].as_str())).collect();
    assert_eq!(codes, [(Some("no_answer"), Some("m/two")), (Some("no_review"), Some("j/one"))]);
    app.close().await;
}

#[tokio::test]
async fn the_settings_name_reviewers_that_a_request_may_replace() {
    let app = council(in_order).await;
    let ann = app.user("ann");
    let config = ann.put("/api/config", json!({"reviewer_models": ["j/one"]})).await.ok();
    assert_eq!(config["reviewer_models"], json!([{"model": "j/one"}]));
    ask(&app, json!({})).await;
    assert_eq!(asked(&app, AskedFor::Review), ["j/one"]);
    let (_, stored) = ask(&app, json!({"reviewer_models": []})).await;
    assert_eq!(of(&stored["stage2"], "member"), MEMBERS);

    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    for (options, calls) in [
        (json!({}), 1),
        (json!({"reviewer_models": []}), 3),
        (json!({"reviewer_models": ["a", "b"], "use_second_reading": true}), 4),
        (json!({"reviewer_models": ["a", "b", "c"], "reviews_per_answer": 2}), 2),
    ] {
        let estimate = ann.post(&path, body(&options)).await.ok();
        assert_eq!(estimate["by_stage"]["stage2"]["calls"], calls, "{options}");
    }
    let many: Vec<String> = (0..8).map(|n| format!("j/{n}")).collect();
    assert_eq!(
        ann.put("/api/config", json!({"reviewer_models": many})).await.wrong_fields(),
        ["reviewer_models"]
    );
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    for (wrong, fields) in [
        (json!({"reviewer_models": many}), vec!["reviewer_models"]),
        (json!({"reviewer_models": "j/one"}), vec!["reviewer_models"]),
        (
            json!({"reviewer_models": ["", "j/one", "j/one"]}),
            vec!["reviewer_models.0.model", "reviewer_models.2"],
        ),
        (json!({"reviewer_models": ["a", "b"], "reviews_per_answer": 3}), vec!["reviews_per_answer"]),
        (json!({"reviewer_models": [], "reviews_per_answer": 4}), vec!["reviews_per_answer"]),
        (
            json!({"reviews_per_answer": 0, "use_second_reading": 1}),
            vec!["reviews_per_answer", "use_second_reading"],
        ),
    ] {
        assert_eq!(ann.post(&path, body(&wrong)).await.wrong_fields(), fields, "{wrong}");
    }
    app.close().await;
}

#[tokio::test]
async fn in_a_debate_without_ballots_who_would_review_is_left_out_and_told() {
    let app = TestApp::start().await;
    let without_ballots = json!({
        "mode": "debate", "format_ballots": false, "reviewer_models": ["j/one", "j/two"], "reviews_per_answer": 1,
    });
    let (_, stored) = ask(&app, without_ballots).await;
    let ignored = &stored["metadata"]["ignored"];
    assert_eq!(of(ignored, "field"), ["reviewer_models", "reviews_per_answer"]);
    let mut why = ignored.as_array().unwrap().iter().map(|one| &one["reason_fact"]["code"]);
    assert!(why.all(|code| code == "unreviewed"), "{ignored}");
    app.close().await;
}

#[tokio::test]
async fn so_many_of_the_reviewers_are_drawn_as_were_asked_for() {
    let app = council(in_order).await;
    let jury = json!(["j/1", "j/2", "j/3", "j/4", "j/5"]);
    let mut drawn = BTreeSet::new();
    for _ in 0..8 {
        let (events, stored) = ask(&app, json!({"reviewer_models": jury, "reviews_per_answer": 2})).await;
        let members = of(&find(&events, "stage2_start")["members"], "member");
        assert_eq!((members.len(), &members), (2, &of(&stored["stage2"], "member")));
        assert!(members.is_sorted(), "they stay in their order");
        drawn.extend(members.iter().map(|&member| member.to_owned()));
    }
    assert_eq!(asked(&app, AskedFor::Review).len(), 16);
    // Two of five, eight times: that only two were ever drawn would be one chance in ten million.
    assert!(drawn.len() > 2, "{drawn:?}");
    app.close().await;
}

#[tokio::test]
async fn where_the_ballots_disagree_each_reviewer_reads_again_in_the_reverse_order() {
    // Whatever stands first is the best: what they owe to the order alone.
    let app = council(|_| None).await;
    let jury = json!(["j/1", "j/2", "j/3"]);
    let options = json!({"use_second_reading": true, "verbosity": 1, "reviewer_models": jury});
    let (events, stored) = ask(&app, options).await;
    assert_eq!(asked(&app, AskedFor::Review).len(), 6);
    let told: Vec<&str> = kinds(&events)
        .into_iter()
        .filter(|kind| kind.starts_with("stage2") || kind.starts_with("second"))
        .collect();
    assert_eq!(
        told,
        [
            "stage2_start",
            "stage2_model_complete",
            "stage2_model_complete",
            "stage2_model_complete",
            "second_reading_start",
            "second_reading_model_complete",
            "second_reading_model_complete",
            "second_reading_model_complete",
            "stage2_complete"
        ]
    );
    let start = find(&events, "second_reading_start");
    assert_eq!(start["members"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&start["data"]["held"], &stored["metadata"]["second_reading"]),
        (&json!(true), &start["data"])
    );
    for review in stored["stage2"].as_array().unwrap() {
        let mut reversed = review["order_shown"].as_array().unwrap().clone();
        reversed.reverse();
        assert_eq!(review["second"]["order_shown"], json!(reversed));
        assert_eq!(review["second"]["parsed_ranking"], json!(reversed));
        // First and last have the same mean place, and the one between too.
        assert_eq!(review["tiers"].as_array().unwrap().len(), 1, "{review}");
        assert_eq!(review["first_tiers"].as_array().unwrap().len(), 3);
        assert_eq!(review["counts"], true);
    }
    let rows = stored["metadata"]["aggregate_rankings"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["place"] == 1), "{rows:?}");
    let sentence =
        events.iter().filter_map(|event| event.json["message"].as_str()).find(|it| it.contains("read again"));
    assert!(
        sentence.unwrap().starts_with("Stage 2: 3 reviewers read again. The first ballots"),
        "{sentence:?}"
    );
    app.close().await;
}

#[tokio::test]
async fn where_the_ballots_agree_nobody_reads_again() {
    let app = council(in_order).await;
    let (events, stored) = ask(&app, json!({"use_second_reading": true})).await;
    assert_eq!(asked(&app, AskedFor::Review).len(), 3);
    assert!(!kinds(&events).contains(&"second_reading_start"));
    let info = &stored["metadata"]["second_reading"];
    assert_eq!((&info["held"], &info["reason_fact"]["code"]), (&json!(false), &json!("agreed")));
    let (_, stored) = ask(&app, json!({})).await;
    assert!(stored["metadata"].get("second_reading").is_none(), "nobody asked for it");
    app.close().await;
}

#[tokio::test]
async fn a_second_reading_that_fails_leaves_the_first_one() {
    let app = TestApp::start().await;
    let reviews = AtomicUsize::new(0);
    app.models.rule(move |request| {
        let is_its = request.model == "j/1" && request.asked_for() == AskedFor::Review;
        (is_its && reviews.fetch_add(1, Ordering::SeqCst) == 1).then(|| Script::status(404, "gone"))
    });
    let options = json!({"use_second_reading": true, "reviewer_models": ["j/1", "j/2", "j/3"]});
    let (_, stored) = ask(&app, options).await;
    let reviews = stored["stage2"].as_array().unwrap();
    assert!(reviews[0]["second"]["error"].is_string());
    assert!(reviews[0].get("error").is_none() && reviews[0].get("first_tiers").is_none());
    let places: Vec<usize> = reviews.iter().map(|review| review["tiers"].as_array().unwrap().len()).collect();
    assert_eq!(places, [3, 1, 1], "its first ballot stands, those of the others are of both");
    // The others have no preference left, so its ballot decides.
    let first = &reviews[0]["parsed_ranking"][0];
    assert_eq!(stored["metadata"]["aggregate_rankings"][0]["label"], *first);
    assert_eq!(stored["metadata"]["aggregate"]["ballots"], 3);
    app.close().await;
}
