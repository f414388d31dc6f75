//! Speakers, reviewers and chairmen that fail.

use serde_json::{Value, json};

use super::*;

/// A debate of so many in which these seats fail in this round, and what was asked in it.
async fn failing(
    app: &TestApp,
    format: &Format,
    members: usize,
    (round, seats): (usize, &'static [usize]),
) -> (Vec<Record>, Debated) {
    app.models.rule(move |request| {
        let fails = asked(request) == Asked::Round(round) && seats.contains(&seat(&request.model));
        Some(if fails { refusal() } else { speak(request) })
    });
    let before = app.models.records().len();
    let debated = Debated::of(app, format.request(members, &json!({}))).await;
    (app.models.records().split_off(before), debated)
}

fn seats_asked(records: &[Record], round: usize) -> Vec<usize> {
    requests(records, Asked::Round(round)).iter().map(|request| seat(&request.model)).collect()
}

fn notes(debated: &Debated) -> Vec<&Value> {
    let notes = debated.stored["stage3"]["note_facts"].as_array();
    column(notes.map_or(&[][..], Vec::as_slice), "code")
}

#[tokio::test]
async fn a_speaker_that_fails_is_out_of_the_rounds_that_follow_and_the_others_go_on() {
    let app = TestApp::start().await;
    for format in every() {
        for round in 1..=3 {
            let (records, debated) = failing(&app, &format, 4, (round, &[1])).await;
            let what = format!("{format:?}, round {round}");
            for other in 1..=3 {
                let expected = match other {
                    _ if other <= round => vec![0, 1, 2, 3],
                    // Its critic is gone, so there is nothing to answer.
                    3 if format.is_rotation() && round == 2 => vec![0, 3],
                    _ => vec![0, 2, 3],
                };
                assert_eq!(seats_asked(&records, other), expected, "{what}: {other}");
            }
            let ballots = requests(&records, Asked::Ballot);
            assert_eq!(ballots.len(), if round == 1 { 3 } else { 4 }, "{what}");

            let error = debated.one("model_error");
            assert_eq!(
                (&error["round_number"], &error["member"], &error["label"]),
                (&json!(round), &json!("m/two"), &json!(format.label(1)))
            );
            assert_eq!(
                (&error["error_kind"], &error["round_type"]),
                (&json!("refused"), &json!(format.rounds[round - 1]))
            );
            let failed = &debated.round(round)[1];
            assert_eq!((&error["data"], &error["error"]), (failed, &failed["error"]), "{what}");
            assert_eq!(failed["error_kind"], "refused");
            assert_eq!(
                debated.all(format.said(round)).len(),
                if format.is_rotation() { 3 } else { debated.all("model_start").len() - 1 }
            );

            let judgment = &debated.stored["stage3"];
            assert_eq!(
                judgment["heading_fact"],
                json!({"code": "part_of_debate", "left": 3, "asked": 4}),
                "{what}"
            );
            assert_eq!(notes(&debated), ["left_debate"], "{what}: {judgment}");
            assert_eq!(
                (&judgment["note_facts"][0]["member"], &judgment["note_facts"][0]["round"]),
                (&json!("m/two"), &json!(round))
            );
            assert_eq!(debated.end()["type"], "complete");
            let chairman = &requests(&records, Asked::Judgment)[0];
            let failed = format!(" by {}, round {round}", format.label(1));
            assert!(!titles_in(chairman).iter().any(|title| title.ends_with(&failed)), "{what}");
        }
    }
    app.close().await;
}

#[tokio::test]
async fn in_a_rotation_the_next_one_standing_is_criticised_where_one_has_failed() {
    let app = TestApp::start().await;
    let (records, debated) = failing(&app, &rotation(true), 4, (1, &[1])).await;
    let critics = requests(&records, Asked::Round(2));
    let targets: Vec<Vec<String>> = critics.iter().map(titles_in).collect();
    assert_eq!(targets[0], ["Question", "Position by C, round 1"]);
    assert_eq!(targets[1], ["Question", "Position by D, round 1"]);
    assert_eq!(targets[2], ["Question", "Position by A, round 1"]);
    assert_eq!(column(debated.round(2), "critique_of"), ["C", "D", "A"]);
    assert_eq!(
        debated.one("round1_complete")["positions"].as_array().unwrap().len(),
        3,
        "rows of those that spoke"
    );
    let pairs = debated.one("round2_start")["critique_pairs"].as_array().unwrap();
    assert_eq!(column(pairs, "target_label"), ["C", "D", "A"]);
    app.close().await;
}

/// A critic that fails leaves the one that it was to criticise without anything to answer.
#[tokio::test]
async fn a_rotation_in_which_nobody_was_criticised_that_is_left_has_no_round_without_speakers() {
    let app = TestApp::start().await;
    let (records, debated) = failing(&app, &rotation(true), 4, (2, &[1, 3])).await;
    assert_eq!(seats_asked(&records, 3), Vec::<usize>::new());
    assert!(debated.all("round3_start").is_empty() && debated.all("round3_complete").is_empty());
    assert_eq!(debated.stored["rounds"].as_array().unwrap().len(), 2);
    let judgment = &debated.stored["stage3"];
    assert_eq!(judgment["heading_fact"], json!({"code": "part_of_debate", "left": 2, "asked": 4}));
    assert_eq!(notes(&debated), ["left_debate", "left_debate", "nothing_to_answer"]);
    assert_eq!(debated.one("debate_complete")["num_rounds"], 2);
    assert_eq!(debated.end()["type"], "complete");
    app.close().await;
}

#[tokio::test]
async fn a_debate_that_one_or_nobody_is_left_of_is_broken_off_and_judged_by_what_was_said() {
    let app = TestApp::start().await;
    for format in every() {
        for round in 2..=3 {
            for (seats, left) in [(&[0, 2, 3][..], 1), (&[0, 1, 2, 3], 0)] {
                let (records, debated) = failing(&app, &format, 4, (round, seats)).await;
                let what = format!("{format:?}, round {round}, {left} left");
                assert!(round == 3 || seats_asked(&records, 3).is_empty(), "{what}");
                assert_eq!(debated.stored["rounds"].as_array().unwrap().len(), round, "{what}");
                let judgment = &debated.stored["stage3"];
                assert_eq!(judgment["heading_fact"], json!({"code": "broken_off_debate"}), "{what}");
                assert_eq!(judgment["response"], JUDGMENT);
                let early = notes(&debated).into_iter().filter(|code| **code == "debate_ended_early").count();
                assert_eq!(early, usize::from(round < 3), "{what}");
                assert_eq!(notes(&debated).len() - early, seats.len(), "{what}");
                assert_eq!(debated.all("model_error").len(), seats.len());
                assert_eq!(debated.end()["type"], "complete");
                assert_eq!(requests(&records, Asked::Judgment).len(), 1);
                assert_eq!(debated.one("format_ballots_complete")["data"].as_array().unwrap().len(), 4);
            }
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_debate_needs_two_openings() {
    let app = TestApp::start().await;
    for format in every() {
        for (seats, message, kind) in [
            (
                &[0, 1, 3][..],
                "Only one of 4 models answered: a debate needs two. Ask again, or ask the council.",
                "too_few_speakers",
            ),
            (&[0, 1, 2, 3], "No model answered: the provider refused the request.", "no_answers"),
        ] {
            let (records, debated) = failing(&app, &format, 4, (1, seats)).await;
            let end = debated.end();
            assert_eq!((&end["type"], &end["error_kind"]), (&json!("error"), &json!(kind)), "{end}");
            assert!(
                end["message"].as_str().unwrap().starts_with(message.split(':').next().unwrap()),
                "{end}"
            );
            assert!(kind == "no_answers" || end["message"] == *message, "{end}");
            assert_eq!(
                (&debated.stored["status"], &debated.stored["error"]),
                (&json!("failed"), &end["message"])
            );
            assert_eq!(debated.round(1).len(), 4, "what it had is kept");
            assert!(debated.round(1).iter().all(|statement| statement.get("pending").is_none()));
            assert!(
                requests(&records, Asked::Ballot).is_empty()
                    && requests(&records, Asked::Judgment).is_empty()
            );
            assert_eq!(debated.one("costs_complete")["data"]["by_stage"]["round1"]["calls"], 4);
        }
    }
    app.close().await;
}

#[tokio::test]
async fn when_the_chairman_fails_a_fallback_judges_and_after_it_the_first_speaker_that_stayed() {
    for format in every() {
        let app = debating_but(|request, asked| {
            let failed = asked == Asked::Judgment && request.model == "m/chair"
                || asked == Asked::Round(1) && request.model == "m/one";
            failed.then(refusal)
        })
        .await;
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let judgment = &debated.stored["stage3"];
        assert_eq!((&judgment["model"], &judgment["fallback_for"]), (&json!("m/two"), &json!("m/chair")));
        assert_eq!(
            judgment["heading_fact"],
            json!({"code": "part_of_debate", "left": 2, "asked": 3, "by": {"code": "stand_in"}})
        );
        assert_eq!(notes(&debated), ["left_debate", "no_final_answer"]);
        let error = debated.one(if format.is_rotation() { "judgment_error" } else { "synthesis_error" });
        assert_eq!((&error["model"], &error["error_kind"]), (&json!("m/chair"), &json!("refused")));
        assert_eq!(debated.end()["type"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn when_nobody_can_judge_the_debate_is_kept_and_the_answer_says_so() {
    for format in every() {
        let app = TestApp::start().await;
        let ann = app.user("ann");
        ann.put("/api/config", json!({"chairman_fallbacks": ["m/seven"]})).await.ok();
        app.models
            .rule(|request| Some(if asked(request) == Asked::Judgment { refusal() } else { speak(request) }));
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let judges = requests(&app.models.records(), Asked::Judgment);
        let mut judges: Vec<&str> = judges.iter().map(|request| request.model.as_str()).collect();
        judges.sort_unstable();
        assert_eq!(judges, ["m/chair", "m/one", "m/seven"], "each once");
        let judgment = &debated.stored["stage3"];
        assert_eq!(judgment["heading_fact"]["code"], "no_answer", "{judgment}");
        assert!(judgment["error"].is_string(), "{judgment}");
        assert_eq!(debated.stored["rounds"].as_array().unwrap().len(), 3);
        assert_eq!(debated.stored["stage2"].as_array().unwrap().len(), 3);
        assert_eq!(debated.one(format.judged())["data"]["error"], judgment["error"]);
        assert_eq!(debated.end()["type"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn reviewers_that_fail_change_nothing_in_the_debate() {
    for format in every() {
        let app = debating_but(|_, asked| (asked == Asked::Ballot).then(refusal)).await;
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let ballots = debated.one("format_ballots_complete");
        let reviews = ballots["data"].as_array().unwrap();
        assert_eq!(reviews.len(), 3);
        assert!(
            reviews.iter().all(|review| review["error_kind"] == "refused" && review["counts"] == false),
            "{reviews:?}"
        );
        assert_eq!(ballots["metadata"]["aggregate_rankings"], json!([]));
        let judgment = &debated.stored["stage3"];
        assert_eq!(judgment["heading_fact"], json!({"code": "debate"}));
        assert_eq!(notes(&debated), Vec::<&Value>::new());
        assert_eq!(debated.round(3).len(), 3, "whoever could not rank goes on speaking");
        assert_eq!(debated.end()["type"], "complete");
        app.close().await;
    }
}

#[tokio::test]
async fn a_speech_that_breaks_off_is_kept_as_far_as_it_came_and_nobody_reads_it() {
    for format in every() {
        let app = debating_but(|request, asked| {
            (asked == Asked::Round(2) && request.model == "m/three")
                .then(|| Script::answer("Half of a speech that goes on ").in_chunks(4).cut())
        })
        .await;
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let failed = &debated.round(2)[2];
        assert!(failed["text"].as_str().unwrap().starts_with("Half of a"), "{failed}");
        assert_eq!(failed["error_kind"], "bad_response");
        assert!(failed.get("critiques").is_none() && failed.get("position").is_none(), "{failed}");
        let later =
            app.models.records().into_iter().filter(|record| !record.request.prompt().contains("Half of"));
        assert_eq!(later.count(), app.models.records().len());
        app.close().await;
    }
}

#[tokio::test]
async fn a_member_whose_provider_rejects_system_prompts_speaks_without_one_in_every_round() {
    for format in every() {
        let app = debating_but(|request, asked| {
            let system = request.body["messages"][0]["role"] == "system";
            let rejects = matches!(asked, Asked::Round(_) | Asked::Judgment);
            (rejects && system && ["m/two", "m/chair"].contains(&request.model.as_str()))
                .then(|| Script::status(400, r#"{"error":{"message":"system role not supported"}}"#))
        })
        .await;
        let debated = Debated::of(&app, format.request(3, &json!({"system_prompt": "Be kind."}))).await;
        let records = app.models.records();
        for round in 1..=3 {
            let of_two: Vec<_> = requests(&records, Asked::Round(round))
                .into_iter()
                .filter(|one| one.model == "m/two")
                .collect();
            assert_eq!(of_two.len(), 2, "{format:?}, round {round}");
            assert_eq!(of_two[0].prompt(), of_two[1].prompt());
            let dropped = column(debated.round(round), "system_prompt_dropped");
            assert_eq!(dropped, [&Value::Null, &json!(true), &Value::Null]);
            let others =
                requests(&records, Asked::Round(round)).into_iter().filter(|one| one.model != "m/two");
            assert!(others.into_iter().all(|one| one.body["messages"][0]["content"] == "Be kind."));
        }
        assert_eq!(requests(&records, Asked::Judgment).len(), 2);
        assert_eq!(debated.stored["stage3"]["heading_fact"], json!({"code": "debate"}));
        app.close().await;
    }
}
