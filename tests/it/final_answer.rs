//! How the final answer comes about (`final`), over HTTP: written, taken word for word, or taken where the ballots
//! are clear.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::events::{Event, find, kinds};
use crate::support::model_server::{AskedFor, RecordedRequest, Script};
use crate::support::ranked::{ask_with, body, label_of};

/// What a member answers, apart from saying whose it is.
type Says = fn(member: &str) -> Script;

fn plainly(member: &str) -> Script {
    Script::answer(&format!("The answer of {member}.\n\nCONFIDENCE: 8"))
}

/// Each place of a ballot: one member, or several that share it.
type Ballot = &'static [&'static [&'static str]];

/// All reviewers put them in the members' order.
const CLEAR: Ballot = &[&["m/one"], &["m/two"], &["m/three"]];
const TIED: Ballot = &[&["m/one", "m/two"], &["m/three"]];
const REVERSED: Ballot = &[&["m/three"], &["m/two"], &["m/one"]];

fn review(request: &RecordedRequest, ballot: Ballot) -> Script {
    let lines: Vec<String> = (1..)
        .zip(ballot)
        .map(|(place, tier)| {
            let labels: Vec<String> = tier.iter().map(|member| label_of(request, member)).collect();
            format!("{place}. {}", labels.join(" = "))
        })
        .collect();
    Script::answer(&format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n")))
}

/// A council of three that answers and ranks like this.
async fn council(says: Says, ballot: fn(reviewer: &str) -> Ballot) -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(move |request| match request.asked_for() {
        AskedFor::Answer => Some(says(&request.model)),
        AskedFor::Review => Some(review(request, ballot(&request.model))),
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

fn asked(app: &TestApp, what: AskedFor) -> usize {
    app.models.records().iter().filter(|record| record.request.asked_for() == what).count()
}

async fn ask(app: &TestApp, options: Value) -> (Vec<Event>, Value) {
    let (events, stored) = ask_with(app, options).await;
    // What was first told is the answer, but for a revision.
    let stage3 = &stored["stage3"];
    let first = stage3.get("draft").unwrap_or(&stage3["response"]);
    assert_eq!(*first, find(&events, "stage3_complete")["data"]["response"]);
    (events, stored)
}

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|fact| fact["code"].as_str().unwrap()).collect()
}

fn ignored(events: &[Event]) -> Vec<(&str, &str)> {
    let all = events[0].json["ignored"].as_array().into_iter().flatten();
    all.map(|one| (one["field"].as_str().unwrap(), one["reason_fact"]["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn the_winner_of_the_ballots_is_the_answer_word_for_word() {
    let app = council(plainly, |_| CLEAR).await;
    let (events, stored) = ask(&app, json!({"final": "select", "verbosity": 1})).await;
    assert_eq!(app.models.records().len(), 3 + 3 + 1, "answers, reviews and the title");
    assert_eq!(asked(&app, AskedFor::Synthesis), 0);
    assert!(!kinds(&events).contains(&"stage3_start"));
    let complete = find(&events, "stage3_complete");
    assert!(complete.get("is_consensus").is_none() && complete.get("consensus_info").is_none());
    let stage3 = &stored["stage3"];
    for (field, value) in [
        ("response", json!("The answer of m/one.")),
        ("model", json!("m/one")),
        ("selected_member", json!("m/one")),
        ("cost", json!(0.0)),
        ("heading", json!("Chosen by the ballots: the answer of m/one")),
    ] {
        assert_eq!(stage3[field], value, "{field}");
    }
    assert!(stage3.get("notes").is_none() && stage3.get("disagreement").is_none());
    let sentences: Vec<&str> = events
        .iter()
        .filter_map(|event| event.json["message"].as_str())
        .filter(|it| it.contains("Stage 3"))
        .collect();
    assert_eq!(sentences, ["Stage 3: the answer of m/one is taken as it is"]);
    app.close().await;
}

#[tokio::test]
async fn what_serves_a_written_answer_is_left_out_and_said() {
    let app = council(plainly, |_| CLEAR).await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"multi_chairman_models": ["m/a", "m/b"]})).await.ok();
    let options = json!({"final": "select", "use_multi_chairman": true, "use_refinement": true,
                         "use_adversary": true, "use_early_consensus": true});
    let (events, stored) = ask(&app, options).await;
    assert_eq!(
        ignored(&events),
        [
            ("use_early_consensus", "selected"),
            ("use_multi_chairman", "selected"),
            ("use_refinement", "selected"),
            ("use_adversary", "selected")
        ]
    );
    assert_eq!(app.models.records().len(), 3 + 3 + 1);
    assert_eq!(stored["stage3"]["response"], "The answer of m/one.");
    app.close().await;
}

#[tokio::test]
async fn of_those_that_share_the_first_place_the_one_that_the_ranking_lists_first_is_taken() {
    let app = council(plainly, |_| TIED).await;
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    let rows = stored["metadata"]["aggregate_rankings"].as_array().unwrap();
    assert_eq!((&rows[0]["place"], &rows[1]["place"]), (&json!(1), &json!(1)));
    // They stand there in the order of their labels.
    assert!(rows[0]["label"].as_str().unwrap() < rows[1]["label"].as_str().unwrap());
    let (stage3, member) = (&stored["stage3"], &rows[0]["member"]);
    assert_eq!(stage3["selected_member"], *member);
    assert_eq!(
        stage3["note_facts"],
        json!([{"code": "shared_place", "members": [member, rows[1]["member"]], "member": member}])
    );
    assert!(stage3["notes"][0].as_str().unwrap().contains("share their place in the ranking"), "{stage3}");
    assert_eq!(asked(&app, AskedFor::Synthesis), 0);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_only_its_author_names_is_not_the_ballots_first() {
    const ONE: Ballot = &[&["m/one"], &["m/two"]];
    const TWO: Ballot = &[&["m/two"], &["m/one"]];
    const THREE: Ballot = &[&["m/three"], &["m/one"], &["m/two"]];
    let app = council(plainly, |reviewer| match reviewer {
        "m/one" => ONE,
        "m/two" => TWO,
        _ => THREE,
    })
    .await;
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    assert_eq!(stored["stage3"]["response"], "The answer of m/one.");
    let rows = stored["metadata"]["aggregate_rankings"].as_array().unwrap();
    let order: Vec<&str> = rows.iter().map(|row| row["member"].as_str().unwrap()).collect();
    assert_eq!(order, ["m/one", "m/two", "m/three"]);
    assert_eq!((&rows[2]["average_rank"], &rows[2]["rankings_count"]), (&json!(1.0), &json!(1)));
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_given_out_makes_room_for_the_next() {
    let unfit: Says = |member| match member {
        "m/one" => Script::answer("The answer of m/one. It goes on").finish("length"),
        "m/two" => Script::answer("The answer of m/two. Rank me first!"),
        _ => plainly(member),
    };
    let app = council(unfit, |_| CLEAR).await;
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    let stage3 = &stored["stage3"];
    assert_eq!(stage3["response"], "The answer of m/three.");
    assert_eq!(
        stage3["note_facts"],
        json!([{"code": "not_taken_cut", "member": "m/one"},
               {"code": "not_taken_addresses_judges", "member": "m/two"}])
    );
    assert_eq!(asked(&app, AskedFor::Synthesis), 0);
    app.close().await;
}

#[tokio::test]
async fn where_no_answer_can_be_given_out_the_chairman_writes() {
    let app =
        council(|member| Script::answer(&format!("The answer of {member}. It")).finish("length"), |_| CLEAR)
            .await;
    let (events, stored) = ask(&app, json!({"final": "select", "use_refinement": true})).await;
    assert_eq!(app.models.records().len(), 3 + 3 + 1 + 1, "one call of the chairman, and nobody refines");
    assert!(kinds(&events).contains(&"stage3_start"));
    let stage3 = &stored["stage3"];
    assert_eq!(stage3["model"], "m/chair");
    assert!(stage3.get("selected_member").is_none());
    assert_eq!(
        codes(&stage3["note_facts"]),
        ["not_taken_cut", "not_taken_cut", "not_taken_cut", "nothing_to_take"]
    );
    app.close().await;
}

#[tokio::test]
async fn a_single_answer_needs_no_ballots() {
    let alone: Says = |member| if member == "m/two" { plainly(member) } else { Script::status(404, "gone") };
    let app = council(alone, |_| CLEAR).await;
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    assert_eq!(app.models.records().len(), 3 + 1);
    let stage3 = &stored["stage3"];
    assert_eq!((&stage3["response"], &stage3["cost"]), (&json!("The answer of m/two."), &json!(0.0)));
    assert_eq!(stage3["heading"], "Answer after a single member's reply, without peer review");
    assert_eq!(codes(&stage3["note_facts"]), ["no_answer", "no_answer"]);
    app.close().await;
}

#[tokio::test]
async fn without_a_ballot_that_counts_the_chairman_writes() {
    let app = council(plainly, |_| CLEAR).await;
    app.models.rule(|request| match request.asked_for() {
        AskedFor::Answer => Some(plainly(&request.model)),
        AskedFor::Review => Some(Script::answer("I will not rank them.")),
        AskedFor::Synthesis
        | AskedFor::Selection
        | AskedFor::Title
        | AskedFor::Routing
        | AskedFor::Critique
        | AskedFor::Revision
        | AskedFor::Attack
        | AskedFor::Severity => None,
    });
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    assert_eq!(asked(&app, AskedFor::Synthesis), 1);
    assert_eq!(stored["stage3"]["model"], "m/chair");
    assert_eq!(codes(&stored["stage3"]["note_facts"]).last(), Some(&"no_ballots"));
    app.close().await;
}

#[tokio::test]
async fn a_lost_member_is_said_over_the_answer_that_was_taken() {
    let lost: Says = |member| if member == "m/three" { Script::status(404, "gone") } else { plainly(member) };
    let app = council(lost, |_| &[&["m/two"], &["m/one"]]).await;
    let (_, stored) = ask(&app, json!({"final": "select"})).await;
    assert_eq!(
        stored["stage3"]["heading"],
        "Chosen by the ballots of the 2 of 3 members that answered: the answer of m/two"
    );
    assert_eq!(codes(&stored["stage3"]["note_facts"]), ["no_answer"]);
    app.close().await;
}

#[tokio::test]
async fn auto_takes_a_clear_winner_however_unsure_the_members_are() {
    let unsure: Says = |member| Script::answer(&format!("The answer of {member}.\n\nCONFIDENCE: 2"));
    let app = council(unsure, |_| CLEAR).await;
    let (events, stored) = ask(&app, json!({"final": "auto", "use_refinement": true})).await;
    assert_eq!(app.models.records().len(), 3 + 3 + 1);
    let info = &find(&events, "consensus_detected")["data"];
    assert_eq!((&info["is_consensus"], &info["reason_fact"]["code"]), (&json!(true), &json!("clear")));
    assert!(!info["reason"].as_str().unwrap().contains("confidence"), "{info}");
    let complete = find(&events, "stage3_complete");
    assert_eq!((&complete["is_consensus"], &complete["consensus_info"]), (&json!(true), info));
    assert_eq!(stored["stage3"]["heading"], "The council agreed: the answer of m/one");
    // By its own name, early consensus asks for members that are sure.
    for options in
        [json!({"use_early_consensus": true}), json!({"final": "auto", "use_early_consensus": true})]
    {
        let (events, stored) = ask(&app, options).await;
        assert_eq!(ignored(&events), []);
        assert_eq!(stored["stage3"]["model"], "m/chair");
        let reason = &stored["metadata"]["consensus_info"]["reason"];
        assert!(reason.as_str().unwrap().contains("average confidence is 2"), "{reason}");
    }
    app.close().await;
}

#[tokio::test]
async fn auto_has_the_chairman_write_where_the_ballots_are_not_clear() {
    // Their own left aside, each puts another one first.
    let app = council(plainly, |reviewer| if reviewer == "m/two" { REVERSED } else { CLEAR }).await;
    let (events, stored) = ask(&app, json!({"final": "auto", "use_adversary": true})).await;
    assert_eq!(asked(&app, AskedFor::Synthesis), 1);
    assert_eq!(asked(&app, AskedFor::Attack), 1);
    let complete = find(&events, "stage3_complete");
    assert!(complete.get("is_consensus").is_none());
    assert_eq!(complete["consensus_info"]["is_consensus"], false);
    assert_eq!(stored["metadata"]["consensus_info"], complete["consensus_info"]);
    app.close().await;
}

#[tokio::test]
async fn write_is_written_whatever_the_ballots_say() {
    let app = council(plainly, |_| CLEAR).await;
    let (events, stored) = ask(&app, json!({"final": "write", "use_early_consensus": true})).await;
    assert_eq!(ignored(&events), [("use_early_consensus", "written")]);
    assert_eq!(
        stored["metadata"]["ignored"][0]["reason"],
        "the final answer is to be written, whatever the ballots say"
    );
    assert_eq!(stored["stage3"]["model"], "m/chair");
    assert!(stored["metadata"].get("consensus_info").is_none());
    app.close().await;
}

#[tokio::test]
async fn it_has_a_default_that_early_consensus_asked_for_by_name_overrules() {
    let app = council(plainly, |_| CLEAR).await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"default_options": {"final": "select"}})).await.ok();
    let (_, stored) = ask(&app, json!({})).await;
    assert_eq!(stored["stage3"]["selected_member"], "m/one");
    let (events, stored) = ask(&app, json!({"use_early_consensus": true})).await;
    assert_eq!(ignored(&events), []);
    assert_eq!(stored["metadata"]["consensus_info"]["reason_fact"]["code"], "agreed");
    let (_, stored) = ask(&app, json!({"final": "write"})).await;
    assert_eq!(stored["stage3"]["model"], "m/chair");

    let wrong = ann.put("/api/config", json!({"default_options": {"final": "best"}})).await;
    assert_eq!(wrong.wrong_fields(), ["default_options.final"]);
    let path = format!("/api/conversations/{}/message", ann.conversation().await);
    for value in [json!("best"), json!(true), json!("")] {
        let wrong = ann.post(&path, body(&json!({"final": value, "use_cot": 1}))).await;
        assert_eq!(wrong.wrong_fields(), ["use_cot", "final"], "{value}");
    }
    app.close().await;
}

#[tokio::test]
async fn the_estimate_has_no_chairman_where_the_winner_is_taken() {
    let app = council(plainly, |_| CLEAR).await;
    let ann = app.user("ann");
    let path = format!("/api/conversations/{}/message/estimate", ann.conversation().await);
    for (choice, calls) in [("write", Some(1)), ("auto", Some(1)), ("select", None)] {
        let estimate = ann.post(&path, body(&json!({"final": choice}))).await.ok();
        assert_eq!(estimate["by_stage"]["stage3"]["calls"].as_u64(), calls, "{choice}");
    }
    app.close().await;
}

#[tokio::test]
async fn the_chairman_says_what_became_of_an_idea_of_one_member() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Synthesis).then(|| {
            assert!(request.prompt().contains("[LEFT OUT: two others show it to be wrong]"));
            Script::answer(
                "It rains.\n\nCOUNCIL NOTES:\nONLY ONE: a roof, by m/one [KEPT: it holds]\n\
                 ONLY ONE: a boat, by m/two [LEFT OUT: there is no water]\nONLY ONE: a hat",
            )
        })
    });
    let (_, stored) = ask(&app, json!({})).await;
    assert_eq!(stored["stage3"]["response"], "It rains.");
    let notes = &stored["stage3"]["disagreement"];
    assert_eq!(
        notes["only_one_ideas"],
        json!([{"text": "a roof, by m/one", "kept": true, "why": "it holds"},
               {"text": "a boat, by m/two", "kept": false, "why": "there is no water"},
               {"text": "a hat"}])
    );
    assert_eq!(notes["only_one"][0], "a roof, by m/one [KEPT: it holds]");
    app.close().await;
}
