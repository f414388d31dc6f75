//! How often a debate asks, and in which order it tells.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::*;
use crate::support::events::kinds;

const MEMBERS: [usize; 4] = [2, 3, 5, 7];

fn every_number_of_rounds() -> Vec<Format> {
    let rotations = [rotation(true), rotation(false)];
    rotations.into_iter().chain((2..=6).map(all_to_all)).chain((2..=10).map(arena)).collect()
}

/// The structural events in their order, but for ballots, which end beside the rounds.
fn order(format: &Format, members: usize) -> Vec<String> {
    let start = if format.rounds[0] == "opening" { "arena_start" } else { "debate_start" };
    let mut order = vec!["run_started".to_owned(), start.to_owned()];
    for round in 1..=format.rounds.len() {
        let event = |what: &str| {
            if format.is_rotation() { format!("round{round}_{what}") } else { format!("round_{what}") }
        };
        order.push(event("start"));
        order.extend(vec![format.said(round).to_owned(); members]);
        order.push(event("complete"));
    }
    let end: &[&str] = if format.is_rotation() {
        &["judgment_start", "judgment_complete", "debate_complete"]
    } else {
        &["synthesis_start", "synthesis_complete"]
    };
    let tail = ["costs_complete", "title_complete", "complete"];
    order.extend(end.iter().chain(&tail).map(|kind| (*kind).to_owned()));
    order
}

#[track_caller]
fn is_told_in_order(debated: &Debated, format: &Format, members: usize) {
    let told: Vec<&str> = kinds(&debated.events)
        .into_iter()
        .filter(|kind| *kind != "model_start" && !kind.starts_with("format_ballots_"))
        .collect();
    assert_eq!(told, order(format, members), "{format:?}");
    let ids: Vec<u64> = debated.events.iter().map(|event| event.id.unwrap()).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "numbered without gaps");
    let place = |kind: &str| debated.events.iter().position(|event| event.kind() == kind).unwrap();
    let ballots = place("format_ballots_complete");
    let first = if format.is_rotation() { "round1_complete" } else { "round_complete" };
    assert!(place(first) < ballots && ballots < place("costs_complete"), "{format:?}");
    // Everybody is asked for a ballot, then each has cast it, then they are counted.
    let of_ballots = kinds(&debated.events).into_iter().filter(|kind| kind.starts_with("format_ballots_"));
    let cast = vec!["format_ballots_model_complete"; members];
    let expected = [vec!["format_ballots_start"], cast, vec!["format_ballots_complete"]].concat();
    assert_eq!(of_ballots.collect::<Vec<_>>(), expected, "{format:?}");
    assert!(place(first) < place("format_ballots_start"), "{format:?}");
    let asked = column(debated.one("format_ballots_start")["members"].as_array().unwrap(), "member");
    assert_eq!(asked, MODELS[..members], "{format:?}");
    // Each is asked before it has spoken, once a round.
    let mut open: Vec<&Value> = Vec::new();
    for event in &debated.events {
        match event.kind() {
            "model_start" => open.push(&event.json["member"]),
            "model_complete" => {
                let at = open.iter().position(|member| **member == event.json["member"]);
                open.remove(at.expect("it was asked"));
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// How many requests of each kind a case has made.
fn made(records: &[Record], case: &str) -> BTreeMap<Asked, usize> {
    let mut made = BTreeMap::new();
    for record in records.iter().filter(|record| record.request.prompt().contains(case)) {
        *made.entry(asked(&record.request)).or_default() += 1;
    }
    made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_asks_and_tells_exactly_what_it_says_for_every_number_of_members_and_rounds() {
    let app = debating().await;
    let ann = &app.user("ann");
    let formats = every_number_of_rounds();
    let cases = formats.iter().flat_map(|format| MEMBERS.map(|members| (format, members)));
    let cases: Vec<(String, &Format, usize)> = (0..)
        .zip(cases)
        .map(|(nth, (format, members))| (format!("case-{nth:03}"), format, members))
        .collect();
    let runs = stream::iter(&cases).map(|(case, format, members)| async move {
        let body = format.request(*members, &json!({"content": format!("Why does it rain, {case}?")}));
        let id = ann.conversation().await;
        let path = format!("/api/conversations/{id}/message/estimate");
        let estimate = ann.post(&path, body.clone()).await.ok();
        (case, *format, *members, estimate, Debated::ask(ann, &id, body).await)
    });
    let runs: Vec<_> = runs.buffer_unordered(4).collect().await;
    assert_eq!(runs.len(), (2 + 5 + 9) * MEMBERS.len());
    let records = app.models.records();
    for (case, format, members, estimate, debated) in runs {
        is_told_in_order(&debated, format, members);
        let rounds = (1..=format.rounds.len()).map(|round| (Asked::Round(round), members));
        let beside = [(Asked::Judgment, 1), (Asked::Ballot, members), (Asked::Title, 1)];
        let expected: BTreeMap<Asked, usize> = rounds.chain(beside).collect();
        assert_eq!(made(&records, case), expected, "{format:?}");

        let calls = format.rounds.len() * members + 1 + members + 1;
        assert_eq!(estimate["calls"], calls, "{format:?}: {estimate}");
        let by_stage = &debated.one("costs_complete")["data"]["by_stage"];
        let mut stages: BTreeMap<String, usize> =
            (1..=format.rounds.len()).map(|round| (format!("round{round}"), members)).collect();
        stages.extend([("stage2".to_owned(), members), ("stage3".to_owned(), 1), ("title".to_owned(), 1)]);
        for (stage, calls) in &stages {
            assert_eq!(by_stage[stage]["calls"], *calls, "{format:?}: {by_stage}");
            assert_eq!(by_stage[stage]["cost"], 0.25 * *calls as f64, "{stage}");
            assert_eq!(estimate["by_stage"][stage]["calls"], *calls, "{format:?}: {estimate}");
        }
        assert_eq!(by_stage.as_object().unwrap().len(), stages.len(), "{by_stage}");
        assert_eq!(debated.stored["status"], "complete");
        assert_eq!(debated.stored["metadata"]["costs"]["total_cost"], 0.25 * calls as f64);
    }
    app.close().await;
}

/// The numbers that people are told.
#[test]
fn five_members_take_so_many_calls() {
    let calls = |format: Format| format.rounds.len() * 5 + 1;
    assert_eq!((calls(rotation(true)), calls(rotation(false))), (16, 11));
    assert_eq!((calls(all_to_all(2)), calls(all_to_all(3)), calls(all_to_all(6))), (16, 21, 36));
    assert_eq!((calls(arena(2)), calls(arena(3)), calls(arena(10))), (11, 16, 51));
}

#[tokio::test]
async fn without_ballots_nobody_ranks_and_a_second_question_makes_no_title() {
    let app = debating().await;
    let ann = app.user("ann");
    for format in every() {
        let id = ann.conversation().await;
        let body = format.request(3, &json!({"format_ballots": false}));
        let before = app.models.records().len();
        let first = Debated::ask(&ann, &id, body.clone()).await;
        assert_eq!(app.models.records().len() - before, 9 + 1 + 1, "nine speeches, the end, a title");
        assert!(first.all("format_ballots_complete").is_empty());
        assert_eq!(first.stored["stage2"], Value::Null, "{}", first.stored);
        let path = format!("/api/conversations/{id}/message/estimate");
        assert_eq!(ann.post(&path, body.clone()).await.ok()["calls"], 10);
        let before = app.models.records().len();
        let second = Debated::ask(&ann, &id, body).await;
        assert_eq!(app.models.records().len() - before, 9 + 1);
        assert!(second.all("title_complete").is_empty());
        assert_eq!(second.end()["type"], "complete");
    }
    app.close().await;
}

#[tokio::test]
async fn each_ballot_that_cannot_be_read_is_asked_for_once_more() {
    let app = debating_but(|request, asked| {
        let unreadable = asked == Asked::Ballot && ["m/one", "m/three"].contains(&request.model.as_str());
        unreadable.then(|| Script::answer("Response B, then Response A, and Response B again."))
    })
    .await;
    for format in every() {
        let before = app.models.records().len();
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let records = app.models.records().split_off(before);
        assert_eq!(requests(&records, Asked::Repair).len(), 2, "{format:?}");
        assert_eq!(records.len(), 9 + 1 + 3 + 2 + 1);
        let ballots = debated.one("format_ballots_complete");
        assert_eq!(column(ballots["data"].as_array().unwrap(), "counts"), [true, true, true]);
        assert_eq!(ballots["data"][0]["repaired"], true);
        assert_eq!(debated.one("costs_complete")["data"]["by_stage"]["stage2"]["calls"], 5);
    }
    app.close().await;
}

#[tokio::test]
async fn a_jury_ranks_the_openings_in_the_members_place_and_so_many_of_it_as_were_asked_for() {
    let app = debating().await;
    for format in every() {
        let before = app.models.records().len();
        let more = json!({"reviewer_models": ["m/five", "m/six", "m/seven"], "reviews_per_answer": 2});
        let body = format.request(3, &more);
        let ann = app.user("ann");
        let id = ann.conversation().await;
        let path = format!("/api/conversations/{id}/message/estimate");
        let estimate = ann.post(&path, body.clone()).await.ok();
        let debated = Debated::ask(&ann, &id, body).await;
        let records = app.models.records().split_off(before);
        let ballots = requests(&records, Asked::Ballot);
        assert_eq!(ballots.len(), 2, "{format:?}");
        assert!(ballots.iter().all(|request| seat(&request.model) >= 4));
        assert_eq!((records.len(), &estimate["calls"]), (9 + 1 + 2 + 1, &json!(13)));
        assert_eq!(debated.one("format_ballots_complete")["data"].as_array().unwrap().len(), 2);
    }
    app.close().await;
}
