//! What is told and stored of a debate, under the names that existing clients know.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

fn mapping(format: &Format, members: usize) -> Value {
    let pairs: BTreeMap<String, &str> = (0..members).map(|at| (format.label(at), MODELS[at])).collect();
    json!(pairs)
}

#[tokio::test]
async fn a_rotation_is_told_in_the_words_of_the_client_that_knows_it() {
    let app = debating().await;
    let format = rotation(true);
    let debated = Debated::of(&app, format.request(3, &json!({}))).await;
    let start = debated.one("debate_start");
    assert_eq!(start["models"], json!(["m/one", "m/two", "m/three"]));
    assert_eq!((&start["chairman"], &start["num_rounds"]), (&json!("m/chair"), &json!(3)));
    assert_eq!((&start["include_rebuttal"], &start["debate_style"]), (&json!(true), &json!("rotation")));
    assert_eq!(start["round_types"], json!(format.rounds));
    assert_eq!(start["model_to_label"], json!({"m/one": "A", "m/two": "B", "m/three": "C"}));
    assert_eq!(start["label_to_model"], mapping(&format, 3));
    for (round, name) in [(1, "Positions"), (2, "Critiques"), (3, "Rebuttals")] {
        let start = debated.one(&format!("round{round}_start"));
        assert_eq!(
            (&start["round"], &start["round_number"], &start["name"]),
            (&json!(round), &json!(round), &json!(name))
        );
        assert_eq!(
            (&start["model_count"], &start["round_type"]),
            (&json!(3), &json!(format.rounds[round - 1]))
        );
        assert!(start["started_at"].is_string());
    }
    let replies = |round: usize| {
        let start = debated.one(&format!("round{round}_start"));
        column(start["speakers"].as_array().unwrap(), "replies_to").into_iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(replies(1), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(replies(2), [json!(["B"]), json!(["C"]), json!(["A"])]);
    assert_eq!(replies(3), [json!(["C"]), json!(["A"]), json!(["B"])]);
    let pairs = &debated.one("round2_start")["critique_pairs"];
    let pair = json!({"critic": "m/one", "critic_label": "A", "target": "m/two", "target_label": "B"});
    assert_eq!((&pairs[0], pairs.as_array().unwrap().len()), (&pair, 3));
    assert_eq!(debated.one("round1_start").get("critique_pairs"), None);

    let row = |kind: &str| {
        let all = debated.all(kind);
        assert_eq!(all.len(), 3, "{kind}");
        all.into_iter().find(|event| event["data"]["member"] == "m/one").unwrap()
    };
    let position = row("position_complete");
    let critique = row("debate_critique_complete");
    let rebuttal = row("rebuttal_complete");
    let positions = debated.one("round1_complete")["positions"].clone();
    assert_eq!(
        positions[0],
        json!({"label": "A", "model": "m/one", "position": sentence(1, 0), "cost": 0.25})
    );
    let critiques = debated.one("round2_complete")["critiques"].clone();
    assert_eq!(
        critiques[0],
        json!({"critic": "m/one", "critic_label": "A", "target": "m/two", "target_label": "B", "critique": sentence(2, 0), "cost": 0.25})
    );
    let rebuttals = debated.one("round3_complete")["rebuttals"].clone();
    assert_eq!(
        rebuttals[0],
        json!({"label": "A", "model": "m/one", "rebuttal": sentence(3, 0), "cost": 0.25})
    );
    for (event, row) in [(position, &positions[0]), (critique, &critiques[0]), (rebuttal, &rebuttals[0])] {
        for (name, value) in row.as_object().unwrap() {
            assert_eq!(event[name], *value, "{name} of {event}");
        }
    }
    for round in 1..=3 {
        assert_eq!(debated.one(&format!("round{round}_complete"))["total_cost"], 0.75);
        let said = debated.all(format.said(round));
        for statement in debated.round(round) {
            assert!(said.iter().any(|event| event["data"] == *statement && event["round_number"] == round));
        }
    }
    let judgment = debated.one("judgment_complete");
    assert_eq!(
        (&judgment["model"], &judgment["judgment"], &judgment["cost"]),
        (&json!("m/chair"), &json!(JUDGMENT), &json!(0.25))
    );
    assert_eq!(judgment["data"], debated.stored["stage3"]);
    let complete = debated.one("debate_complete");
    assert_eq!(
        (&complete["positions"], &complete["critiques"], &complete["rebuttals"]),
        (&positions, &critiques, &rebuttals)
    );
    assert_eq!(
        (&complete["judgment"], &complete["num_rounds"], &complete["total_cost"]),
        (&json!(JUDGMENT), &json!(3), &json!(2.5))
    );
    assert_eq!(
        (&complete["model_to_label"], &complete["label_to_model"]),
        (&start["model_to_label"], &start["label_to_model"])
    );

    let short = Debated::of(&app, rotation(false).request(3, &json!({}))).await;
    let complete = short.one("debate_complete");
    assert_eq!(
        (&complete["num_rounds"], &complete["rebuttals"], &complete["total_cost"]),
        (&json!(2), &json!([]), &json!(1.75))
    );
    assert_eq!(short.one("debate_start")["include_rebuttal"], false);
    app.close().await;
}

#[tokio::test]
async fn arenas_and_debates_of_all_with_all_are_told_in_the_words_of_the_client_that_knows_arenas() {
    let app = debating().await;
    for (format, start) in [(arena(3), "arena_start"), (all_to_all(2), "debate_start")] {
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let start = debated.one(start);
        let labels = [0, 1, 2].map(|at| format.label(at));
        if !format.is_all_to_all() {
            let expected = json!({"participant_count": 3, "round_count": 3, "participants": labels});
            assert_eq!(start["data"], expected);
        }
        assert_eq!(
            (&start["label_to_model"], &start["round_types"]),
            (&mapping(&format, 3), &json!(format.rounds))
        );
        assert_eq!(start["num_rounds"], if format.is_all_to_all() { 2 } else { 3 });
        let (starts, ends) = (debated.all("round_start"), debated.all("round_complete"));
        for round in 1..=3 {
            let (start, end) = (starts[round - 1], ends[round - 1]);
            let expected = (&json!(round), &json!(format.rounds[round - 1]));
            assert_eq!((&start["round_number"], &start["round_type"]), expected);
            assert_eq!((&end["round_number"], &end["round_type"]), expected);
            assert_eq!(end["responses"], debated.stored["rounds"][round - 1]["responses"]);
            assert_eq!((&end["data"]["round_number"], &end["data"]["round_type"]), expected);
            let rows = end["data"]["responses"].as_array().unwrap();
            assert_eq!(column(rows, "participant"), labels.iter().collect::<Vec<_>>());
            assert_eq!(column(rows, "model"), ["m/one", "m/two", "m/three"]);
            assert_eq!(column(rows, "response"), column(debated.round(round), "text"));
            assert_eq!(
                (&rows[0]["metrics"]["cost"], &rows[0]["metrics"]["total_tokens"]),
                (&json!(0.25), &json!(15))
            );
            let said = debated.all("model_complete");
            for statement in debated.round(round) {
                assert!(
                    said.iter().any(|event| event["data"] == *statement && event["round_number"] == round)
                );
            }
            let others = |at: usize| -> Value {
                (0..3).filter(|other| *other != at).map(|other| format.label(other)).collect()
            };
            for (at, speaker) in start["speakers"].as_array().unwrap().iter().enumerate() {
                let expected = if round == 1 { Value::Null } else { others(at) };
                assert_eq!(speaker["replies_to"], expected, "{format:?}, round {round}");
                assert_eq!(debated.round(round)[at]["replies_to"], expected);
            }
        }
        let complete = debated.one("synthesis_complete");
        assert_eq!(
            (&complete["data"]["content"], &complete["data"]["response"]),
            (&json!(JUDGMENT), &json!(JUDGMENT))
        );
        assert_eq!(
            (&complete["data"]["model"], &complete["data"]["metrics"]["cost"]),
            (&json!("m/chair"), &json!(0.25))
        );
        assert_eq!(complete["participant_mapping"], mapping(&format, 3));
    }
    app.close().await;
}

#[tokio::test]
async fn a_debate_is_stored_as_it_was_told() {
    let app = debating().await;
    for format in every() {
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let stored = &debated.stored;
        let mode = &format.options["mode"];
        assert_eq!((&stored["mode"], &stored["status"]), (mode, &json!("complete")));
        let style =
            if format.is_rotation() { json!("rotation") } else { format.options["debate_style"].clone() };
        assert_eq!(stored["debate_style"], style);
        assert_eq!(stored["round_types"], json!(format.rounds));
        let types: Vec<&Value> = column(stored["rounds"].as_array().unwrap(), "round_type");
        assert_eq!(types, format.rounds);
        for round in 1..=3 {
            assert_eq!(stored["rounds"][round - 1]["round_number"], round);
            for (at, statement) in debated.round(round).iter().enumerate() {
                assert_eq!(
                    (&statement["label"], &statement["model"], &statement["member"]),
                    (&json!(format.label(at)), &json!(MODELS[at]), &json!(MODELS[at]))
                );
                assert_eq!(
                    (&statement["cost"], &statement["usage"]["total_tokens"]),
                    (&json!(0.25), &json!(15))
                );
                assert!(statement["latency_ms"].is_u64() && statement.get("error").is_none(), "{statement}");
                assert!(statement.get("pending").is_none(), "{statement}");
                let target = (format.is_rotation() && round == 2).then(|| json!(format.label((at + 1) % 3)));
                assert_eq!(statement.get("critique_of"), target.as_ref());
            }
        }
        assert_eq!(
            (&stored["participant_mapping"], &stored["label_to_model"]),
            (&mapping(&format, 3), &mapping(&format, 3))
        );
        assert_eq!(stored["format_ballots"], true);
        let judgment = &stored["stage3"];
        assert_eq!((&judgment["response"], &judgment["model"]), (&json!(JUDGMENT), &json!("m/chair")));
        assert_eq!(judgment["heading_fact"]["code"], "debate", "{judgment}");
        assert_eq!(judgment.get("fallback_for"), None);
        assert_eq!(
            judgment["verdict"],
            json!({"most_convincing": ["B, by far"], "settled": ["that it rains"], "open": ["how much"], "minority": ["it is dry"]})
        );
        let ballots = debated.one("format_ballots_complete");
        assert_eq!(stored["stage2"], ballots["data"]);
        for field in ["label_to_model", "label_to_member", "aggregate_rankings", "aggregate"] {
            assert_eq!(stored["metadata"][field], ballots["metadata"][field], "{field}");
        }
        assert_eq!(stored["metadata"]["costs"], debated.one("costs_complete")["data"]);
        let run =
            app.user("ann").get(&format!("/api/runs/{}", stored["run_id"].as_str().unwrap())).await.ok();
        for field in ["mode", "rounds", "stage2", "stage3", "metadata"] {
            assert_eq!(run[field], stored[field], "{field}");
        }
        // The log tells it once more.
        let again = app.user("ann").events(stored["run_id"].as_str().unwrap(), 0).await.rest().await;
        crate::support::follower::assert_same_structure(&debated.events, &again, "the stream and the log");
    }
    app.close().await;
}

#[tokio::test]
async fn a_debate_is_found_and_exported() {
    let app = debating().await;
    let ann = app.user("ann");
    for (format, word) in every().into_iter().zip(["rotating", "crossing", "fighting"]) {
        let question = format!("Why does it rain while {word}?");
        let debated = Debated::of(&app, format.request(3, &json!({"content": question}))).await;
        let id = &debated.conversation;
        for query in [word, "water"] {
            let hits = ann.get(&format!("/api/search?q={query}")).await.ok();
            assert!(
                hits.as_array()
                    .unwrap()
                    .iter()
                    .any(|hit| hit["conversation_id"] == **id || hit["id"] == **id),
                "{query}: {hits}"
            );
        }
        let exported = ann.get(&format!("/api/conversations/{id}/export?format=json")).await.ok();
        let message = &exported["messages"][1];
        for field in ["mode", "rounds", "participant_mapping", "stage2", "stage3"] {
            assert_eq!(message[field], debated.stored[field], "{field}");
        }
        let text = ann.get(&format!("/api/conversations/{id}/export?format=md")).await.text;
        assert!(text.contains(&question) && text.contains(JUDGMENT), "{text}");
    }
    app.close().await;
}

#[tokio::test]
async fn every_event_of_a_debate_is_in_the_document() {
    let app =
        debating_but(|request, asked| (asked == Asked::Round(2) && request.model == "m/two").then(refusal))
            .await;
    let schema = crate::combinations::schema();
    for format in [rotation(true), all_to_all(3), arena(4)] {
        let debated = Debated::of(&app, format.request(4, &json!({"verbosity": 3}))).await;
        for event in &debated.events {
            if let Some(error) = schema.iter_errors(&event.json).next() {
                panic!("{} is not in the document: {error}: {}", event.kind(), event.json);
            }
        }
        let said = debated.all("process");
        let codes: Vec<&Value> = said.iter().map(|event| &event["fact"]["code"]).collect();
        assert!(codes.len() > 10, "{codes:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn reasoning_is_shown_apart() {
    let app = debating_but(|request, asked| {
        matches!(asked, Asked::Round(_) | Asked::Judgment).then(|| {
            Script::answer("")
                .reasoning("Let me see. ")
                .text(&format!("It rains on {}.", request.model.len()))
        })
    })
    .await;
    for format in every() {
        let debated = Debated::of(&app, format.request(2, &json!({}))).await;
        for round in 1..=3 {
            for statement in debated.round(round) {
                assert_eq!(statement["reasoning"], "Let me see. ", "{statement}");
            }
        }
        let tokens = debated.all("reasoning_token");
        assert!(tokens.iter().any(|token| token["round_number"] == 3 && token["label"] == *format.label(1)));
        assert!(!debated.all("synthesis_reasoning_token").is_empty());
        assert_eq!(debated.stored["stage3"]["reasoning"], "Let me see. ");
    }
    app.close().await;
}
