//! Decomposition over HTTP: a question with parts is taken apart, one without goes to the council.

use std::collections::BTreeMap;

use llm_council::council::formats;
use llm_council::council::plan::Context;
use llm_council::council::rerun::{Part, RerunScope};
use llm_council::council::{Deliberation, Plan};
use serde_json::{Value, json};

use crate::replay::harness;
use crate::support::app::TestApp;
use crate::support::events::{Event, kinds};
use crate::support::model_server::{Record, RecordedRequest, Script};

const QUESTION: &str = "Compare tea and coffee. What does each cost?";
const PARTS: &str = "1. What are tea and coffee?\n2. What does each cost?";
const YES: &str = "SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9\nREASONING: It has two parts.";
const MEMBERS: [&str; 3] = ["m/one", "m/two", "m/three"];

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Complexity,
    Split,
    Answer,
    Ballot,
    Repair,
    Merge,
    Other,
}

fn asked(request: &RecordedRequest) -> Asked {
    let prompt = request.prompt();
    let begins = |words: &str| prompt.starts_with(words);
    if begins("Say whether the question") {
        Asked::Complexity
    } else if begins("Split the question") {
        Asked::Split
    } else if begins("The question below is one part") {
        Asked::Answer
    } else if begins("You are judging") && prompt.contains("Give no reasons") {
        Asked::Ballot
    } else if begins("You have reviewed") {
        Asked::Repair
    } else if begins("You are the chairman") && prompt.contains("taken apart") {
        Asked::Merge
    } else {
        Asked::Other
    }
}

/// The number of the part that is asked.
fn part(request: &RecordedRequest) -> usize {
    if request.prompt().contains("What are tea and coffee?") { 1 } else { 2 }
}

/// What a model says that does as it is asked. m/three's answers come first in every ballot.
fn sensible(request: &RecordedRequest) -> Option<Script> {
    let text = match asked(request) {
        Asked::Complexity => YES.to_owned(),
        Asked::Split => PARTS.to_owned(),
        Asked::Answer => {
            let sure = if request.model == "m/two" { 9 } else { 5 };
            format!("Part {} by {}.\n\nCONFIDENCE: {sure}", part(request), request.model)
        }
        Asked::Ballot | Asked::Repair => {
            let mut labels = request.labels();
            let prompt = request.prompt();
            let is_best = |label: &String| {
                let after = prompt.split_once(&format!("[{label}] BEGIN")).map_or("", |(_, after)| after);
                after.split("END").next().is_some_and(|text| text.contains("m/three"))
            };
            labels.sort_by_key(|label| !is_best(label));
            let lines: Vec<String> = (1..).zip(&labels).map(|(at, label)| format!("{at}. {label}")).collect();
            format!("FINAL RANKING:\n{}", lines.join("\n"))
        }
        Asked::Merge => "Tea is cheaper.".to_owned(),
        Asked::Other => return None,
    };
    Some(Script::answer(&text))
}

async fn app_but(
    other: impl Fn(&RecordedRequest, Asked) -> Option<Script> + Send + Sync + 'static,
) -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(move |request| other(request, asked(request)).or_else(|| sensible(request)));
    app
}

async fn ask(app: &TestApp, more: Value) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut body = json!({"content": QUESTION, "models": MEMBERS, "mode": "decomposition"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let events = ann.ask(&id, body).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    (events, stored["messages"][1].clone())
}

#[track_caller]
fn one<'e>(events: &'e [Event], kind: &str) -> &'e Value {
    let mut all = events.iter().filter(|event| event.kind() == kind);
    let first = all.next().unwrap_or_else(|| panic!("no {kind} in {:?}", kinds(events)));
    assert!(all.next().is_none(), "{kind} comes twice");
    &first.json
}

fn count(app: &TestApp, wanted: Asked) -> usize {
    app.models.records().iter().filter(|record| asked(&record.request) == wanted).count()
}

#[tokio::test]
async fn a_question_with_parts_is_taken_apart_answered_by_all_and_put_together() {
    let app = app_but(|_, _| None).await;
    let (events, stored) = ask(&app, json!({})).await;
    let analyzed = one(&events, "complexity_analyzed");
    assert_eq!(
        (&analyzed["is_complex"], &analyzed["should_decompose"], &analyzed["confidence"]),
        (&json!(true), &json!(true), &json!(0.9))
    );
    assert_eq!(analyzed["indicators"], json!(["compare"]));
    assert_eq!(one(&events, "sub_questions_generated")["count"], json!(2));
    let starts: Vec<&Value> =
        events.iter().filter(|event| event.kind() == "sub_council_start").map(|event| &event.json).collect();
    assert_eq!(starts.len(), 2);
    assert!(starts.iter().all(|start| start["index"] == start["sub_index"]));
    let responses = events.iter().filter(|event| event.kind() == "sub_council_response").count();
    assert_eq!(responses, 6, "each member answers each part");
    let results = one(&events, "all_sub_councils_complete")["results"].clone();
    assert_eq!(results[1]["sub_question"], "What does each cost?");
    assert_eq!(results[1]["best_model"], "m/three");
    assert_eq!(
        results[1]["best_answer"], "Part 2 by m/three.\n\nCONFIDENCE: 5",
        "nobody asked for a confidence"
    );
    let complete = one(&events, "decomposition_complete");
    assert_eq!(complete["final_response"], "Tea is cheaper.");
    assert_eq!(complete["sub_results"], results);
    assert_eq!(one(&events, "merge_start")["chairman_model"], complete["chairman_model"]);

    // 3 + 2kn, and the title.
    assert_eq!(app.models.records().len(), 3 + 2 * 2 * 3 + 1);
    let counts = [Asked::Complexity, Asked::Split, Asked::Answer, Asked::Ballot, Asked::Merge]
        .map(|it| count(&app, it));
    assert_eq!(counts, [1, 1, 6, 6, 1]);
    assert_eq!(stored["mode"], "decomposition");
    assert_eq!(stored["stage3"]["heading"], "Answer put together from 2 parts of the question");
    assert_eq!(stored["synthesis"]["content"], "Tea is cheaper.");
    let parts = stored["decomposition"]["sub_results"].as_array().unwrap();
    assert!(
        parts
            .iter()
            .all(|part| part["picked_by"] == "ballot" && part["ballots"].as_array().unwrap().len() == 3)
    );
    assert_eq!(parts[0]["best_member"], "m/three");
    let chairmen = app.user("ann").get("/api/analytics/chairman").await.ok();
    assert_eq!(chairmen["models"]["m/chair"]["times_used"], 1, "{chairmen}");
}

#[tokio::test]
async fn the_most_confident_member_can_have_the_best_answer_without_ballots() {
    let app = app_but(|_, _| None).await;
    let (events, stored) = ask(&app, json!({"pick": "confidence"})).await;
    // 3 + kn, and the title.
    assert_eq!(app.models.records().len(), 3 + 2 * 3 + 1);
    let results = one(&events, "all_sub_councils_complete")["results"].clone();
    assert_eq!(results[0]["best_model"], "m/two");
    assert_eq!(results[0]["best_answer"], "Part 1 by m/two.", "the line is not for the reader");
    assert_eq!(stored["decomposition"]["sub_results"][0]["picked_by"], "confidence");
}

#[tokio::test]
async fn a_question_that_is_not_taken_apart_goes_to_the_council_with_all_its_options() {
    for (reply, code) in [
        ("SHOULD_DECOMPOSE: NO\nCONFIDENCE: 0.9\nREASONING: It is one question.", "not_complex"),
        ("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.5\nREASONING: Perhaps.", "not_sure"),
        ("SHOULD_DECOMPOSE: YES\nREASONING: Perhaps.", "not_sure"),
        ("I cannot say.", "judgment_unread"),
    ] {
        let app = app_but(move |_, asked| (asked == Asked::Complexity).then(|| Script::answer(reply))).await;
        let (events, stored) = ask(&app, json!({"use_adversary": true})).await;
        assert_eq!(one(&events, "decomposition_skip")["reason_fact"]["code"], code, "{reply}");
        assert_eq!(one(&events, "stage1_complete")["data"].as_array().unwrap().len(), 3);
        one(&events, "adversary_complete");
        assert_eq!(stored["decomposition"]["skip_fact"]["code"], code);
        assert!(stored["stage1"].is_array() && stored["stage3"]["error"].is_null());
        let told = json!([{"field": "use_adversary", "reason_fact": {"code": "taken_apart"},
            "reason": "it is an option of the council, and applies only if the question is not taken apart"}]);
        assert_eq!(one(&events, "run_started")["ignored"], told, "whether it will apply is not known yet");
    }
}

#[tokio::test]
async fn what_only_the_council_does_is_told_before_the_question_is_taken_apart() {
    let app = app_but(|_, _| None).await;
    let ann = app.user("ann");
    let settings = json!({"multi_chairman_models": ["m/one", "m/two"],
        "tier1_models": ["m/one", "m/two"], "tier2_models": ["m/three"]});
    ann.put("/api/config", settings).await.ok();
    let options = json!({
        "use_escalation": true, "use_early_consensus": true, "use_multi_chairman": true, "use_refinement": true,
        "use_adversary": true, "use_weighted_consensus": true, "use_second_reading": true,
        "reviewer_models": ["m/one", "m/two"], "reviews_per_answer": 1, "quorum": 2, "straggler_grace_ms": 5,
    });
    let mut body = options.clone();
    // Whoever names models leaves escalation nothing to do.
    body["models"] = json!(null);
    let (events, stored) = ask(&app, body).await;
    let ignored = one(&events, "run_started")["ignored"].as_array().expect("a list").clone();
    let mut fields: Vec<&str> = ignored.iter().map(|one| one["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    let mut expected: Vec<&str> = options.as_object().unwrap().keys().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(fields, expected);
    assert!(ignored.iter().all(|one| one["reason_fact"]["code"] == "taken_apart"), "{ignored:?}");
    assert_eq!(stored["metadata"]["ignored"], json!(ignored));
    one(&events, "decomposition_complete");
    for never in ["tier1_start", "multi_synthesis_start", "refinement_start", "adversary_start"] {
        assert!(!kinds(&events).contains(&never), "{never}");
    }

    let mut told = Vec::new();
    for more in [
        json!({"final": "select"}),
        json!({"use_reviews": false}),
        json!({"rubric": {"text": "- Right"}, "pick": "confidence"}),
        json!({"rubric": {"text": "- Right"}}),
        json!({"use_weighted_consensus": false, "use_cot": true, "use_reviews": true}),
    ] {
        let (events, _) = ask(&app, more).await;
        let ignored = one(&events, "run_started")["ignored"].as_array().cloned().unwrap_or_default();
        told.push(ignored.iter().map(|one| one["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>());
    }
    let expected: [&[&str]; 5] = [&["final"], &["use_reviews"], &["rubric"], &[], &[]];
    assert_eq!(told, expected);
    app.close().await;
}

#[tokio::test]
async fn the_answers_to_parts_show_their_steps_where_that_is_asked_for() {
    let steps = "**THINKING:**\nleaves\n\n**ANALYSIS:**\nprices\n\n**CONCLUSION:**\nTea.\n\nCONFIDENCE: 7";
    let app = app_but(move |_, asked| (asked == Asked::Answer).then(|| Script::answer(steps))).await;
    for pick in ["ballot", "confidence"] {
        let before = app.models.records().len();
        let (_, stored) = ask(&app, json!({"use_cot": true, "pick": pick})).await;
        let records = app.models.records().split_off(before);
        let told = |record: &&Record| record.request.prompt().contains("**ANALYSIS:**");
        let answers = records.iter().filter(|record| asked(&record.request) == Asked::Answer);
        assert_eq!(answers.filter(told).count(), 6);
        let steps = &stored["decomposition"]["sub_results"][1]["responses"][0]["cot"];
        assert_eq!((&steps["thinking"], &steps["analysis"]), (&json!("leaves"), &json!("prices")));
        let conclusion = steps["conclusion"].as_str().unwrap();
        assert!(conclusion.starts_with("Tea."), "{conclusion}");
        assert_eq!(conclusion == "Tea.", pick == "confidence", "the line is read where it is asked for");
    }
    let (_, stored) = ask(&app, json!({})).await;
    assert!(stored["decomposition"]["sub_results"][0]["responses"][0].get("cot").is_none());
    app.close().await;
}

#[tokio::test]
async fn a_list_of_parts_that_cannot_be_read_is_asked_for_once_more() {
    let app =
        app_but(|_, asked| (asked == Asked::Split).then(|| Script::answer("I would not split this."))).await;
    let (events, _) = ask(&app, json!({})).await;
    assert_eq!(one(&events, "decomposition_skip")["reason_fact"]["code"], "parts_unread");
    assert_eq!(count(&app, Asked::Split), 2);
    one(&events, "stage3_complete");

    let app = app_but(|_, asked| (asked == Asked::Split).then(|| Script::answer("1. What is tea?"))).await;
    let (events, _) = ask(&app, json!({})).await;
    assert_eq!(
        one(&events, "decomposition_skip")["reason_fact"],
        json!({"code": "too_few_parts", "count": 1})
    );
    assert_eq!(count(&app, Asked::Split), 1);
}

#[tokio::test]
async fn a_utility_model_that_fails_leaves_the_question_to_the_council() {
    let refuse = || Script::status(400, r#"{"error":{"message":"not today"}}"#);
    let app = app_but(move |_, asked| (asked == Asked::Complexity).then(refuse)).await;
    let (events, _) = ask(&app, json!({})).await;
    assert_eq!(one(&events, "decomposition_skip")["reason_fact"]["code"], "not_judged");
    one(&events, "stage3_complete");
}

#[tokio::test]
async fn a_part_without_an_answer_is_named_and_the_others_are_put_together() {
    let refuse = || Script::status(400, r#"{"error":{"message":"not today"}}"#);
    let app =
        app_but(move |request, asked| (asked == Asked::Answer && part(request) == 2).then(refuse)).await;
    let (events, stored) = ask(&app, json!({})).await;
    assert_eq!(one(&events, "all_sub_councils_complete")["results"][1]["best_answer"], Value::Null);
    assert_eq!(stored["stage3"]["heading"], "Answer put together from 1 of 2 parts of the question");
    assert_eq!(
        stored["stage3"]["note_facts"],
        json!([{"code": "part_unanswered", "sub_question": "What does each cost?"}])
    );

    let app = app_but(move |_, asked| (asked == Asked::Answer).then(refuse)).await;
    let (events, _) = ask(&app, json!({})).await;
    let end = &events.last().unwrap().json;
    assert_eq!((&end["type"], &end["error_kind"]), (&json!("error"), &json!("no_answers")));
}

#[tokio::test]
async fn who_answered_no_part_is_not_asked_to_rank_it_and_a_single_answer_is_not_ranked() {
    let refuse = || Script::status(400, r#"{"error":{"message":"not today"}}"#);
    let app = app_but(move |request, asked| {
        (asked == Asked::Answer
            && (request.model == "m/one" || part(request) == 1 && request.model == "m/two"))
            .then(refuse)
    })
    .await;
    let (_, stored) = ask(&app, json!({})).await;
    let parts = &stored["decomposition"]["sub_results"];
    assert_eq!((&parts[0]["picked_by"], &parts[0]["best_member"]), (&json!("only"), &json!("m/three")));
    assert_eq!(parts[1]["ballots"].as_array().unwrap().len(), 2);
    assert_eq!(count(&app, Asked::Ballot), 2);
}

#[tokio::test]
async fn an_unreadable_ballot_is_asked_for_once_more() {
    let app = app_but(|request, asked| {
        let bad = asked == Asked::Ballot && request.model == "m/one" && part(request) == 1;
        bad.then(|| Script::answer("Response B, I think, then Response A and Response B."))
    })
    .await;
    let (_, stored) = ask(&app, json!({})).await;
    assert_eq!(count(&app, Asked::Repair), 1);
    assert_eq!(stored["decomposition"]["sub_results"][0]["ballots"][0]["repaired"], true);
}

#[tokio::test]
async fn the_ballots_over_each_part_go_by_a_rubric() {
    let app = app_but(|_, _| None).await;
    let (_, stored) = ask(&app, json!({"rubric": {"text": "- Quokkas first"}})).await;
    let records = app.models.records();
    let told = records.iter().filter(|record| record.request.prompt().contains("- Quokkas first"));
    let told: Vec<Asked> = told.map(|record| asked(&record.request)).collect();
    assert_eq!(told, [Asked::Ballot; 6]);
    assert_eq!(stored["metadata"]["rubric"]["text"], "- Quokkas first");
    assert_eq!(stored["decomposition"]["sub_results"][0]["best_model"], "m/three");
}

#[tokio::test]
async fn what_serves_the_parts_stays_where_the_council_would_do_without_it() {
    let (app, _search) = TestApp::searching("tavily", "").await;
    app.models.rule(sensible);
    let told = |events: &[Event]| -> Vec<(Value, Value)> {
        let ignored = one(events, "run_started")["ignored"].as_array().expect("a list").clone();
        ignored.iter().map(|one| (one["field"].clone(), one["reason_fact"]["code"].clone())).collect()
    };
    let reads = |text: &str, wanted: Asked| -> Vec<bool> {
        let records = app.models.records();
        let those = records.iter().filter(|record| asked(&record.request) == wanted);
        those.map(|record| record.request.body.to_string().contains(text)).collect()
    };
    let (events, stored) =
        ask(&app, json!({"rubric": {"text": "- Quokkas first"}, "use_reviews": false})).await;
    let expected = [("use_reviews", "taken_apart"), ("rubric", "parts_only")];
    assert_eq!(told(&events), expected.map(|(field, code)| (json!(field), json!(code))));
    assert_eq!(stored["metadata"]["rubric"]["text"], "- Quokkas first");
    assert_eq!(reads("- Quokkas first", Asked::Ballot), [true; 6]);

    let (events, _) = ask(&app, json!({"final": "select", "use_react": true})).await;
    let expected = [("final", "taken_apart"), ("use_react", "parts_only")];
    assert_eq!(told(&events), expected.map(|(field, code)| (json!(field), json!(code))));
    assert_eq!(reads("search_web", Asked::Merge), [false, true], "who puts the answers together may check");
    app.close().await;
}

#[tokio::test]
async fn a_chairman_that_fails_is_replaced() {
    let app = app_but(|request, asked| {
        (asked == Asked::Merge && request.model == "m/chair")
            .then(|| Script::status(400, r#"{"error":{"message":"not today"}}"#))
    })
    .await;
    let (events, stored) = ask(&app, json!({"chairman_model": "m/chair"})).await;
    one(&events, "merge_error");
    assert_eq!(stored["stage3"]["fallback_for"], "m/chair");
    assert_eq!(stored["stage3"]["response"], "Tea is cheaper.");
}

#[tokio::test]
async fn one_answer_can_be_asked_for_again_and_only_what_read_it_is_asked_anew() {
    let app = app_but(|_, _| None).await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let body = json!({"content": QUESTION, "models": MEMBERS, "mode": "decomposition"});
    let run = ann.ask(&id, body).await.rest().await[0].json["run_id"].clone();
    let before = app.models.records().len();
    let retry = format!("/api/runs/{}/retry", run.as_str().unwrap());
    let again = ann.post(&retry, json!({"member": "m/one", "round": 2})).await.ok();
    let again = again["run_id"].as_str().unwrap().to_owned();
    ann.events(&again, 0).await.rest().await;
    // The same text comes again, so nobody has anything new to read.
    assert_eq!(app.models.records().len(), before + 1);
    let wrong = ann.post(&format!("/api/runs/{again}/retry"), json!({"member": "m/none", "round": 2})).await;
    assert_eq!(wrong.status, 422);
    let wrong = ann.post(&format!("/api/runs/{again}/retry"), json!({"round": 2})).await;
    assert_eq!(wrong.status, 422);
}

/// How many calls each stage is expected to take when this answer is asked for again.
fn expected(stored: &Value, scope: &RerunScope) -> BTreeMap<String, u32> {
    let body = json!({"content": QUESTION, "models": MEMBERS, "mode": "decomposition"});
    let context = Context { settings: harness::settings(), first: false, ..Context::default() };
    let plan = Plan::parse(&body, context).unwrap();
    let earlier: Deliberation = serde_json::from_value(stored.clone()).unwrap();
    let estimate = formats::estimate(&plan, &scope.kept(&earlier), |_, _| None);
    estimate.by_stage.into_iter().map(|(stage, calls)| (stage.as_str().to_owned(), calls.calls)).collect()
}

#[tokio::test]
async fn what_stays_of_the_parts_is_not_expected_to_be_asked_again() {
    let of = |stages: &[(&str, u32)]| -> BTreeMap<String, u32> {
        stages.iter().map(|(stage, calls)| ((*stage).to_owned(), *calls)).collect()
    };
    let failing = |request: &RecordedRequest| request.model == "m/two" && part(request) == 2;
    let app = app_but(move |request, asked| {
        (asked == Asked::Answer && failing(request)).then(|| Script::status(400, "not today"))
    })
    .await;
    let (_, stored) = ask(&app, json!({})).await;
    let again = expected(&stored, &RerunScope::Failed);
    assert_eq!(again, of(&[("sub2", 1 + 3), ("stage3", 1)]), "its ballots had less to rank");

    let app = app_but(|_, _| None).await;
    let (_, stored) = ask(&app, json!({})).await;
    let speaker = RerunScope::Speaker { member: "m/one".to_owned(), round: 1 };
    assert_eq!(expected(&stored, &speaker), of(&[("sub1", 1 + 3), ("stage3", 1)]));
    for part in [Part::Stage2, Part::Stage3] {
        assert_eq!(expected(&stored, &RerunScope::From(part)), of(&[("stage3", 1)]));
    }
    let everything = expected(&stored, &RerunScope::From(Part::Stage1));
    assert_eq!(
        (everything["decomposition"], everything["sub5"]),
        (2, 6),
        "as if it were asked for the first time"
    );

    // It stays whole, and what the council has done stays as well.
    let app = app_but(|_, asked| {
        (asked == Asked::Complexity).then(|| Script::answer("SHOULD_DECOMPOSE: NO\nCONFIDENCE: 0.9"))
    })
    .await;
    let (_, stored) = ask(&app, json!({})).await;
    assert_eq!(expected(&stored, &RerunScope::From(Part::Stage3)), of(&[("stage3", 1)]));
    let member = RerunScope::Member("m/two".to_owned());
    assert_eq!(expected(&stored, &member), of(&[("stage1", 1), ("stage2", 3), ("stage3", 1)]));

    // Whether it has parts is asked again where that could not be asked.
    let app =
        app_but(|_, asked| (asked == Asked::Complexity).then(|| Script::status(400, "not today"))).await;
    let (_, stored) = ask(&app, json!({})).await;
    assert_eq!(expected(&stored, &RerunScope::Failed)["decomposition"], 2);
}

#[tokio::test]
async fn what_a_decomposition_is_can_be_read_before_asking() {
    let app = TestApp::start().await;
    let config = app.user("ann").get("/api/decomposition/config").await.ok();
    assert_eq!(
        (&config["default_max_sub_questions"], &config["complexity_threshold"]),
        (&json!(5), &json!(0.6))
    );
    let debate = app.user("ann").get("/api/debate/config").await.ok();
    assert_eq!((&debate["default_num_rounds"], &debate["include_rebuttal"]), (&json!(3), &json!(true)));
    let settings = app.user("ann").get("/api/config").await.ok();
    assert_eq!(settings["arena"], json!({"default_rounds": 3, "min_rounds": 2, "max_rounds": 10}));
    assert_eq!(settings["features"]["arena"], true);
    assert_eq!(settings["modes"], json!(["council", "debate", "arena", "decomposition"]));
}
