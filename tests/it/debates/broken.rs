//! Debates that are stopped, that go on without somebody, and whose texts do not fit into a context.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::support::model_server::Outcome;

/// A member that begins to speak in this round and never ends.
fn silence_one(app: &TestApp, round: usize, ballots_too: bool) {
    app.models.rule(move |request| {
        let asked = asked(request);
        let is_silent =
            asked == Asked::Round(round) && request.model == "m/two" || ballots_too && asked == Asked::Ballot;
        let breaks_off = || Script::answer("Some words that come ").in_chunks(3).stall();
        Some(if is_silent { breaks_off() } else { speak(request) })
    });
}

/// Whether anybody in a stored message is still waited for.
fn is_pending(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            fields.get("pending") == Some(&json!(true)) || fields.values().any(is_pending)
        }
        Value::Array(items) => items.iter().any(is_pending),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[tokio::test]
async fn a_debate_that_is_stopped_in_any_round_keeps_what_it_had_and_tells_its_costs() {
    let app = TestApp::start().await;
    for format in every() {
        for round in 1..=3 {
            silence_one(&app, round, true);
            let ann = app.user("ann");
            let id = ann.conversation().await;
            let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
            let mut events = Vec::new();
            let is_there = |events: &[Event], member: &str| {
                let said = |event: &&Event| {
                    event.kind() == format.said(round) && event.json["round_number"] == round
                };
                events.iter().filter(said).any(|event| event.json["data"]["member"] == member)
            };
            let begun = |events: &[Event]| {
                let tokens =
                    events.iter().filter(|event| event.is_token() && event.json["round_number"] == round);
                tokens.into_iter().any(|event| event.json["member"] == "m/two")
            };
            while !(is_there(&events, "m/one") && is_there(&events, "m/three") && begun(&events)) {
                events.push(stream.next().await.expect("an event"));
            }
            let run = events[0].json["run_id"].as_str().unwrap().to_owned();
            let stopped = ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
            assert_eq!(stopped["cancelled"], true);
            events.extend(stream.rest().await);
            app.models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;

            let debated = Debated::over(&ann, &id, events).await;
            let what = format!("{format:?}, round {round}");
            assert_eq!(debated.end()["type"], "cancelled", "{what}");
            assert_eq!(debated.stored["status"], "cancelled");
            assert!(!is_pending(&debated.stored), "{what}: {}", debated.stored);
            assert_eq!(debated.stored["rounds"].as_array().unwrap().len(), round, "{what}");
            let broken = &debated.round(round)[1];
            assert_eq!(broken["error_kind"], "cancelled", "{what}: {broken}");
            assert!(broken["text"].as_str().unwrap().starts_with("Some words"), "{what}: {broken}");
            assert!(debated.round(round)[0].get("error").is_none());
            let by_stage = &debated.one("costs_complete")["data"]["by_stage"];
            assert_eq!(by_stage[format!("round{round}")]["calls"], 3, "{what}: {by_stage}");
            assert_eq!(by_stage[format!("round{round}")]["unknown_cost_calls"], 1, "{what}: {by_stage}");
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_debate_that_is_stopped_while_it_is_judged_keeps_its_rounds() {
    for format in every() {
        let app = debating_but(|_, asked| {
            (asked == Asked::Judgment).then(|| Script::answer("Half a judgment that ").in_chunks(3).stall())
        })
        .await;
        let ann = app.user("ann");
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
        let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
        stream.until(if format.is_rotation() { "judgment_token" } else { "synthesis_token" }).await;
        ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
        let debated = Debated::over(&ann, &id, stream.rest().await).await;
        assert_eq!(debated.end()["type"], "cancelled");
        assert!(!is_pending(&debated.stored));
        assert!(debated.round(3).iter().all(|statement| statement.get("error").is_none()));
        let judgment = &debated.stored["stage3"];
        assert!(judgment["response"].as_str().unwrap().starts_with("Half a"), "{judgment}");
        assert_eq!(judgment["error_kind"], "cancelled", "{judgment}");
        app.close().await;
    }
}

#[tokio::test]
async fn a_debate_goes_on_without_a_speaker_that_is_not_to_be_waited_for() {
    let app = TestApp::start().await;
    for format in every() {
        for round in 1..=3 {
            silence_one(&app, round, false);
            let ann = app.user("ann");
            let before = app.models.records().len();
            let id = ann.conversation().await;
            let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
            let mut events = Vec::new();
            let start =
                |event: &Event| event.json["round_number"] == round && event.kind().ends_with("_start");
            while !events.last().is_some_and(start) {
                events.push(stream.next().await.expect("an event"));
            }
            let run = events[0].json["run_id"].as_str().unwrap().to_owned();
            let skip = ann.post(&format!("/api/runs/{run}/skip"), json!({"member": "m/two"})).await.ok();
            assert_eq!(skip["stage"], format!("round{round}"));
            events.extend(stream.rest().await);
            app.models.until(|records| records.iter().all(|record| record.outcome != Outcome::Open)).await;
            let debated = Debated::over(&ann, &id, events).await;
            assert_eq!(debated.one("member_skipped")["stage"], format!("round{round}"));
            assert_eq!(debated.one("model_error")["error_kind"], "cancelled");
            let skipped = &debated.round(round)[1];
            assert_eq!(
                (&skipped["error_kind"], &skipped["error_fact"]["code"]),
                (&json!("cancelled"), &json!("skipped"))
            );
            let records = app.models.records().split_off(before);
            let asked_later = (round + 1..=3).flat_map(|later| requests(&records, Asked::Round(later)));
            assert!(
                asked_later.into_iter().all(|request| request.model != "m/two"),
                "{format:?}, round {round}"
            );
            assert_eq!(
                debated.stored["stage3"]["heading_fact"],
                json!({"code": "part_of_debate", "left": 2, "asked": 3})
            );
            assert_eq!(debated.end()["type"], "complete");
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_debate_ends_without_a_reviewer_of_its_openings_that_is_not_to_be_waited_for() {
    let app = debating_but(|request, asked| {
        (asked == Asked::Ballot && request.model == "m/two").then(|| Script::answer("").stall())
    })
    .await;
    for format in every() {
        let ann = app.user("ann");
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
        let mut events = Vec::new();
        let mut until = async |kind: &str, times: usize| {
            while events.iter().filter(|event: &&Event| event.kind() == kind).count() < times {
                events.push(stream.next().await.expect("an event"));
            }
        };
        until("format_ballots_model_complete", 2).await;
        // All that is left to wait for.
        until(format.judged(), 1).await;
        let run = events[0].json["run_id"].as_str().unwrap().to_owned();
        let path = format!("/api/runs/{run}/skip");
        let elsewhere = ann.post(&path, json!({"member": "m/two", "stage": "round3"})).await;
        assert_eq!(elsewhere.status, 409, "it has spoken there: {}", elsewhere.text);
        let over = ann.post(&path, json!({"member": "m/one"})).await;
        assert_eq!(over.status, 409, "its ballot is cast: {}", over.text);
        let body = if format.is_rotation() {
            json!({"member": "m/two", "stage": "stage2"})
        } else {
            json!({"member": "m/two"})
        };
        let skipped = ann.post(&path, body).await.ok();
        assert_eq!(skipped, json!({"status": "ok", "member": "m/two", "model": "m/two", "stage": "stage2"}));
        events.extend(stream.rest().await);
        let debated = Debated::over(&ann, &id, events).await;
        assert_eq!(debated.one("member_skipped")["stage"], "stage2");
        let ballots = debated.one("format_ballots_complete");
        let fate = &ballots["data"][1];
        assert_eq!((&fate["member"], &fate["error_kind"]), (&json!("m/two"), &json!("cancelled")), "{fate}");
        let facts = &ballots["metadata"]["aggregate"];
        assert_eq!((&facts["ballots"], &facts["abstentions"]), (&json!(2), &json!(1)));
        assert_eq!(debated.stored["stage2"], ballots["data"]);
        // It is a reviewer that was lost, not a speaker.
        assert!((1..=3).all(|round| debated.round(round)[1].get("error").is_none()), "{format:?}");
        assert_eq!(debated.end()["type"], "complete");
    }
    app.close().await;
}

#[tokio::test]
async fn whoever_speaks_and_ranks_at_the_same_time_is_skipped_where_it_is_meant() {
    let app = debating_but(|request, asked| {
        let is_silent = request.model == "m/two" && matches!(asked, Asked::Ballot | Asked::Round(2));
        is_silent.then(|| Script::answer("").stall())
    })
    .await;
    let ann = app.user("ann");
    for format in every() {
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
        let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
        stream.until("format_ballots_start").await;
        stream.until("format_ballots_model_complete").await;
        let path = format!("/api/runs/{run}/skip");
        let ballot = ann.post(&path, json!({"member": "m/two", "stage": "stage2"})).await.ok();
        assert_eq!(ballot["stage"], "stage2", "{format:?}");
        let speech = ann.post(&path, json!({"member": "m/two"})).await.ok();
        assert_eq!(speech["stage"], "round2", "{format:?}");
        let debated = Debated::over(&ann, &id, stream.rest().await).await;
        assert_eq!(debated.round(2)[1]["error_kind"], "cancelled", "{format:?}");
        assert_eq!(debated.stored["stage2"][1]["error_kind"], "cancelled", "{format:?}");
        assert_eq!(debated.end()["type"], "complete");
    }
    app.close().await;
}

#[tokio::test]
async fn ballots_that_were_cast_before_a_debate_was_stopped_are_kept() {
    let app = debating_but(|request, asked| {
        let is_silent = asked == Asked::Ballot && request.model == "m/two" || asked == Asked::Judgment;
        is_silent.then(|| Script::answer("").stall())
    })
    .await;
    let ann = app.user("ann");
    for format in every() {
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, format.request(3, &json!({}))).await;
        let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
        for _ in 0..2 {
            stream.until("format_ballots_model_complete").await;
        }
        ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
        let debated = Debated::over(&ann, &id, stream.rest().await).await;
        assert_eq!(debated.end()["type"], "cancelled");
        let kept = debated.stored["stage2"].as_array().expect("ballots");
        assert_eq!(column(kept, "counts"), [true, true], "{format:?}: {kept:?}");
        assert_eq!(debated.stored["metadata"]["aggregate"], Value::Null, "nobody has counted them");
    }
    app.close().await;
}

/// A text of some four hundred tokens.
fn long(round: usize, seat: usize) -> String {
    format!("{} {}", sentence(round, seat), "It rains and rains, and there is no end to it. ".repeat(40))
}

fn too_long() -> Script {
    Script::status(400, r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#)
}

/// An app in which everybody speaks at length and some can read no more than so many characters.
async fn with_short_memories(most: usize, who: &'static [&'static str]) -> TestApp {
    debating_but(move |request, asked| {
        if who.contains(&request.model.as_str()) && request.prompt().len() > most {
            return Some(too_long());
        }
        let Asked::Round(round) = asked else { return None };
        let said = sentence(round, seat(&request.model));
        Some(
            Script::answer(&speech(request, round).replace(&said, &long(round, seat(&request.model))))
                .usage(usage()),
        )
    })
    .await
}

#[tokio::test]
async fn whoever_can_read_no_more_reads_less_of_what_it_need_not_answer_and_is_told_what_is_missing() {
    let app = with_short_memories(10_500, &["m/two"]).await;
    let debated = Debated::of(&app, arena(4).request(3, &json!({}))).await;
    assert_eq!(debated.end()["type"], "complete");
    assert!(debated.all("model_error").is_empty(), "{:?}", debated.all("model_error"));
    let records = app.models.records();
    let mut left_out = Vec::new();
    for round in 1..=4 {
        let mut of_two =
            requests(&records, Asked::Round(round)).into_iter().filter(|one| one.model == "m/two");
        let lengths: Vec<usize> = of_two.clone().map(|request| request.prompt().len()).collect();
        assert!(lengths.windows(2).all(|two| two[1] < two[0]), "each time less: {lengths:?}");
        let read = of_two.next_back().unwrap();
        // What the others said last is to be answered, and whole.
        if round > 1 {
            for other in [0, 2] {
                assert!(read.prompt().contains(long(round - 1, other).trim()), "round {round}");
            }
        }
        let statement = &debated.round(round)[1];
        let out = statement.get("left_out").and_then(Value::as_array).cloned().unwrap_or_default();
        assert_eq!(out.is_empty(), lengths.len() == 1, "round {round}: {out:?}");
        for one in &out {
            let title = format!("by {}, round {}", one["label"].as_str().unwrap(), one["round_number"]);
            assert!(read.prompt().contains(&title), "{title}");
            assert!(one["round_number"] != round - 1 || one["label"] == "Participant B", "{one}");
        }
        left_out.push(out.len());
    }
    assert!(left_out[3] > 0, "{left_out:?}");
    for statement in [&debated.round(4)[0], &debated.round(4)[2]] {
        assert_eq!(statement.get("left_out"), None, "the others read it all");
    }
    app.close().await;
}

#[tokio::test]
async fn what_has_to_be_answered_is_never_cut_and_nothing_is_asked_twice_in_the_same_words() {
    for format in every() {
        // Less than the critique of it alone.
        let app = with_short_memories(1_500, &["m/two"]).await;
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let mut asked_so: BTreeMap<String, usize> = BTreeMap::new();
        for record in app.models.records().iter().filter(|one| one.request.model == "m/two") {
            *asked_so.entry(record.request.prompt().to_owned()).or_default() += 1;
        }
        assert!(asked_so.values().all(|times| *times == 1), "{format:?}: {:?}", asked_so.values());
        let failed = &debated.round(2)[1];
        assert_eq!(failed["error_kind"], "context_too_long", "{failed}");
        assert_eq!(debated.stored["stage3"]["heading_fact"]["code"], "part_of_debate");
        assert_eq!(debated.end()["type"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn a_critic_is_answered_by_a_speaker_that_cannot_read_all_of_its_own_position() {
    let app = with_short_memories(4_000, &["m/two"]).await;
    let debated = Debated::of(&app, rotation(true).request(3, &json!({}))).await;
    let answering = requests(&app.models.records(), Asked::Round(3));
    let read = answering.iter().rfind(|request| request.model == "m/two").unwrap();
    assert!(read.prompt().len() <= 4_000);
    assert!(read.prompt().contains(long(2, 0).trim()), "the critique is whole");
    assert!(read.prompt().contains("the middle is left out"));
    let left_out = &debated.round(3)[1]["left_out"];
    assert_eq!(*left_out, json!([{"label": "B", "round_number": 1, "shortened": true}]));
    app.close().await;
}

#[tokio::test]
async fn a_chairman_with_a_short_memory_judges_by_the_last_words_and_says_so() {
    for format in every() {
        let app = with_short_memories(12_000, &["m/chair"]).await;
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let judgment = &debated.stored["stage3"];
        assert_eq!(judgment["model"], "m/chair", "{judgment}");
        let notes = judgment["note_facts"].as_array().unwrap();
        assert_eq!(column(notes, "code"), ["without_all_of_debate"], "{judgment}");
        let judges = requests(&app.models.records(), Asked::Judgment);
        assert!(judges.len() > 1 && judges.last().unwrap().prompt().len() <= 12_000);
        assert!(notes[0]["statements"].as_u64().unwrap() > 0);
        app.close().await;
    }
}
