//! What each speaker reads: no more than its format says, in fences, and nobody's name.

use serde_json::{Value, json};

use super::*;

fn pair(title: &str, text: &str) -> (String, String) {
    (title.to_owned(), text.to_owned())
}

fn question() -> (String, String) {
    pair("Question", "Why does it rain?")
}

#[tokio::test]
async fn in_a_rotation_a_critic_reads_one_position_and_who_answers_its_own_and_the_critique_of_it() {
    let app = debating().await;
    Debated::of(&app, rotation(true).request(4, &json!({}))).await;
    let records = app.models.records();
    for (at, request) in requests(&records, Asked::Round(1)).iter().enumerate() {
        assert!(request.prompt().starts_with(&format!("You are {},", rotation(true).label(at))));
        assert!(request.prompt().ends_with("\n\nQuestion:\nWhy does it rain?"), "{}", request.prompt());
        assert_eq!(request.body["messages"].as_array().unwrap().len(), 1);
    }
    let critics = requests(&records, Asked::Round(2));
    let answering = requests(&records, Asked::Round(3));
    assert_eq!((critics.len(), answering.len()), (4, 4));
    for (at, label) in ["A", "B", "C", "D"].into_iter().enumerate() {
        let (next, before) = ((at + 1) % 4, (at + 3) % 4);
        let target = rotation(true).label(next);
        let position = pair(&format!("Position by {target}, round 1"), &sentence(1, next));
        assert_eq!(read_in(&critics[at]), [question(), position], "{label}");
        assert!(critics[at].prompt().contains(&format!("Write to {target},")), "{label}");
        let own = pair(&format!("Position by {label}, round 1"), &sentence(1, at));
        let critic = rotation(true).label(before);
        let critique = pair(&format!("Critique by {critic}, round 2"), &sentence(2, before));
        assert_eq!(read_in(&answering[at]), [question(), own, critique], "{label}");
    }
    app.close().await;
}

#[tokio::test]
async fn with_all_against_all_everybody_reads_every_latest_answer_and_the_critiques_of_itself_alone() {
    let app = debating().await;
    let format = all_to_all(4);
    Debated::of(&app, format.request(3, &json!({}))).await;
    let records = app.models.records();
    let label = |nth| format.label(nth);
    for at in 0..3 {
        let others: Vec<usize> = (0..3).filter(|other| *other != at).collect();
        let critique = |round: usize, latest: &str| -> Vec<(String, String)> {
            let answers = others.iter().map(|other| {
                pair(
                    &format!("{latest} by {}, round {}", label(*other), round - 1),
                    &sentence(round - 1, *other),
                )
            });
            std::iter::once(question()).chain(answers).collect()
        };
        let defense = |round: usize, latest: &str| -> Vec<(String, String)> {
            let own =
                pair(&format!("{latest} by {}, round {}", label(at), round - 2), &sentence(round - 2, at));
            let critiques = others.iter().map(|other| {
                pair(
                    &format!("Critique by {}, round {}", label(*other), round - 1),
                    &of_another(round - 1, *other, &label(at)),
                )
            });
            [question(), own].into_iter().chain(critiques).collect()
        };
        for (round, expected) in [
            (2, critique(2, "Answer")),
            (3, defense(3, "Answer")),
            (4, critique(4, "Revised answer")),
            (5, defense(5, "Revised answer")),
        ] {
            let request = &requests(&records, Asked::Round(round))[at];
            assert_eq!(read_in(request), expected, "{} in round {round}", label(at));
            let asked_for: Vec<String> = others.iter().map(|other| label(*other)).collect();
            let headings = super::headings(request.prompt());
            assert_eq!(headings, if round % 2 == 0 { asked_for } else { Vec::new() });
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_text_without_the_headings_that_were_asked_for_is_read_whole() {
    let app = debating_but(|request, asked| {
        let text = match asked {
            Asked::Round(2) if request.model == "m/two" => "All of you are wrong.",
            Asked::Round(3) if request.model == "m/two" => "I stay dry.\n\nPOSITION: UNCHANGED",
            Asked::Round(_) | Asked::Judgment | Asked::Ballot | Asked::Repair | Asked::Title => return None,
        };
        Some(Script::answer(text))
    })
    .await;
    let debated = Debated::of(&app, all_to_all(3).request(3, &json!({}))).await;
    let records = app.models.records();
    let whole = pair("Critique by Participant B, round 2", "All of you are wrong.");
    let answering = requests(&records, Asked::Round(3));
    for at in [0, 2] {
        assert!(read_in(&answering[at]).contains(&whole), "{at}");
    }
    assert!(!read_in(&answering[1]).contains(&whole));
    let stays = pair("Revised answer by Participant B, round 3", "I stay dry.");
    assert!(read_in(&requests(&records, Asked::Round(4))[0]).contains(&stays));
    assert_eq!(debated.round(2)[1].get("critiques"), None);
    assert_eq!(debated.round(2)[0]["critiques"].as_array().unwrap().len(), 2);
    let (with, without) = (&debated.round(3)[0], &debated.round(3)[1]);
    assert_eq!(
        (&with["addressed"], &with["revised_answer"]),
        (&json!("Granted in 3.0."), &json!(sentence(3, 0)))
    );
    assert_eq!((without.get("addressed"), without.get("revised_answer")), (None, None));
    app.close().await;
}

#[tokio::test]
async fn in_an_arena_everybody_reads_everything() {
    let app = debating().await;
    let format = arena(4);
    Debated::of(&app, format.request(3, &json!({}))).await;
    let records = app.models.records();
    let titles = ["Opening statement", "Rebuttal", "Rebuttal", "Closing statement"];
    let said = |before: usize| -> Vec<(String, String)> {
        let rounds = (1..before).flat_map(|round| (0..3).map(move |at| (round, at)));
        let piece = |(round, at): (usize, usize)| {
            pair(
                &format!("{} by {}, round {round}", titles[round - 1], format.label(at)),
                &sentence(round, at),
            )
        };
        std::iter::once(question()).chain(rounds.map(piece)).collect()
    };
    for round in 2..=4 {
        for request in requests(&records, Asked::Round(round)) {
            assert_eq!(read_in(&request), said(round), "{} in round {round}", request.model);
        }
    }
    assert_eq!(read_in(&requests(&records, Asked::Judgment)[0]), said(5), "the chairman as well");
    app.close().await;
}

#[tokio::test]
async fn the_chairman_reads_everything_that_was_said_in_every_format() {
    let app = debating().await;
    for format in every() {
        let before = app.models.records().len();
        Debated::of(&app, format.request(3, &json!({}))).await;
        let records = app.models.records().split_off(before);
        let chairman = &requests(&records, Asked::Judgment)[0];
        let read = read_in(chairman);
        assert_eq!(read.len(), 1 + 9);
        for round in 1..=3 {
            for at in 0..3 {
                let by = format!(" by {}, round {round}", format.label(at));
                let text = &read.iter().find(|(title, _)| title.ends_with(&by)).expect(&by).1;
                assert!(text.contains(&sentence(round, at)), "{by}: {text}");
                assert!(!text.contains("POSITION"), "{text}");
            }
        }
        assert!(chairman.prompt().contains("DEBATE NOTES:"));
    }
    app.close().await;
}

#[tokio::test]
async fn nobody_is_told_which_model_speaks_unless_names_are_asked_for() {
    let app = debating().await;
    for format in every() {
        Debated::of(&app, format.request(4, &json!({}))).await;
    }
    for record in app.models.records() {
        assert!(!record.request.prompt().contains("m/"), "{}", record.request.prompt());
    }
    let before = app.models.records().len();
    let mut body = all_to_all(2).request(3, &json!({"debate_names": "models"}));
    body["models"] =
        json!(["m/one", {"model": "m/two", "alias": "Basil"}, {"model": "m/two", "alias": "Cleo"}]);
    let debated = Debated::of(&app, body).await;
    let records = app.models.records().split_off(before);
    let critic = &requests(&records, Asked::Round(2))[0];
    assert!(critic.prompt().starts_with("You are m/one, one of several"));
    assert_eq!(super::headings(critic.prompt()), ["Basil", "Cleo"]);
    assert_eq!(titles_in(critic), ["Question", "Answer by Basil, round 1", "Answer by Cleo, round 1"]);
    assert_eq!(column(debated.round(2), "label"), ["m/one", "Basil", "Cleo"]);
    assert_eq!(column(debated.round(2)[0]["critiques"].as_array().unwrap(), "of"), ["Basil", "Cleo"]);
    assert_eq!(debated.end()["type"], "complete");
    for ballot in requests(&records, Asked::Ballot) {
        assert!(!ballot.prompt().contains("Basil"), "ballots stay blind");
    }
    app.close().await;
}

#[tokio::test]
async fn the_openings_are_ranked_blind_and_the_debate_does_not_go_by_it() {
    let app = debating().await;
    for format in every() {
        let before = app.models.records().len();
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let records = app.models.records().split_off(before);
        for ballot in requests(&records, Asked::Ballot) {
            let mut read = read_in(&ballot);
            read.sort();
            let titles: Vec<&str> = read.iter().map(|(title, _)| title.as_str()).collect();
            assert_eq!(titles, ["Question", "Response A", "Response B", "Response C"]);
            let mut texts: Vec<&str> = read[1..].iter().map(|(_, text)| text.as_str()).collect();
            texts.sort_unstable();
            assert_eq!(texts, [0, 1, 2].map(|at| sentence(1, at)));
        }
        let later = records
            .iter()
            .filter(|record| matches!(asked(&record.request), Asked::Round(_) | Asked::Judgment));
        for record in later {
            let prompt = record.request.prompt();
            assert!(!prompt.contains("Response A") && !prompt.contains("All were read."), "{prompt}");
        }
        let stored = &debated.stored;
        assert_eq!(stored["stage1"], Value::Null, "the openings are in their round");
        assert_eq!(stored["stage2"].as_array().unwrap().len(), 3);
        assert_eq!(stored["metadata"]["aggregate_rankings"].as_array().unwrap().len(), 3);
    }
    app.close().await;
}

#[tokio::test]
async fn who_moved_is_read_where_it_is_asked_and_the_line_is_never_shown() {
    let app = debating_but(|request, asked| {
        (asked == Asked::Round(3) && request.model == "m/three").then(|| Script::answer("I do not say."))
    })
    .await;
    for format in every() {
        let before = app.models.records().len();
        let debated = Debated::of(&app, format.request(3, &json!({}))).await;
        let records = app.models.records().split_off(before);
        let a = format.label(0);
        for round in 1..=3 {
            let asks = format.asks_position(round);
            for request in requests(&records, Asked::Round(round)) {
                assert_eq!(
                    request.prompt().contains("POSITION: UNCHANGED"),
                    asks,
                    "{format:?}, round {round}"
                );
            }
            for (at, statement) in debated.round(round).iter().enumerate() {
                let expected = match (asks, at, round) {
                    (false, _, _) => Value::Null,
                    (true, 2, 3) => json!({}),
                    (true, 0, _) => json!({"changed": true, "after": [format.label(1)], "why": "it rains"}),
                    (true, 1, _) => json!({"changed": true, "after": [a], "why": "it rains"}),
                    (true, _, _) => json!({"changed": true, "after": [format.label(1)], "why": "it rains"}),
                };
                assert_eq!(statement["position"], expected, "{format:?}, round {round}");
                assert_eq!(streamed(&debated, round, at), statement["text"], "what streams is what is kept");
            }
        }
        let shown = debated.events.iter().filter(|event| event.is_token());
        assert!(shown.into_iter().all(|event| !event.json.to_string().contains("POSITION")));
    }
    app.close().await;
}

/// The pieces of a seat's speech in a round, joined.
fn streamed(debated: &Debated, round: usize, at: usize) -> String {
    let of_it = |event: &&Event| {
        event.is_token() && event.json["round_number"] == round && event.json["model"] == MODELS[at]
    };
    let piece = |event: &Event| {
        let text = event.json.get("token").or_else(|| event.json.get("content")).expect("a piece");
        text.as_str().unwrap().to_owned()
    };
    let text: String = debated.events.iter().filter(of_it).map(piece).collect();
    text.trim_end().to_owned()
}

#[tokio::test]
async fn reasoning_in_steps_is_asked_of_openings_alone() {
    let steps = "**THINKING:**\nHm.\n\n**ANALYSIS:**\nIt is wet.\n\n**CONCLUSION:**\nIt rains.";
    let app = debating_but(move |_, asked| (asked == Asked::Round(1)).then(|| Script::answer(steps))).await;
    for format in every() {
        let before = app.models.records().len();
        let debated = Debated::of(&app, format.request(3, &json!({"use_cot": true}))).await;
        let records = app.models.records().split_off(before);
        for round in 1..=3 {
            for request in requests(&records, Asked::Round(round)) {
                let asks = request.prompt().rsplit("END ").next().unwrap().contains("**CONCLUSION:**");
                assert_eq!(asks, round == 1, "{format:?}, round {round}");
            }
            for statement in debated.round(round) {
                assert_eq!(statement["cot"]["conclusion"] == "It rains.", round == 1, "{statement}");
            }
        }
    }
    app.close().await;
}

#[tokio::test]
async fn a_second_question_is_debated_in_the_light_of_the_first_answer() {
    let app = debating().await;
    let ann = app.user("ann");
    let asked_before = "Conversation so far";
    for format in every() {
        let id = ann.conversation().await;
        Debated::ask(&ann, &id, format.request(3, &json!({}))).await;
        let before = app.models.records().len();
        Debated::ask(&ann, &id, format.request(3, &json!({"content": "And snow?"}))).await;
        let records = app.models.records().split_off(before);
        for request in requests(&records, Asked::Round(1)) {
            let messages = request.body["messages"].as_array().unwrap();
            assert_eq!(column(messages, "role"), ["user", "assistant", "user"]);
            assert_eq!(
                (&messages[0]["content"], &messages[1]["content"]),
                (&json!("Why does it rain?"), &json!(JUDGMENT))
            );
        }
        for wanted in [Asked::Round(2), Asked::Round(3), Asked::Judgment] {
            for request in requests(&records, wanted) {
                let read = read_in(&request);
                assert_eq!(read[0], pair("Question", "And snow?"), "{wanted:?}");
                assert_eq!(read[1].0, asked_before, "{wanted:?}");
                assert!(read[1].1.contains("Why does it rain?") && read[1].1.contains(JUDGMENT));
            }
        }
        for request in requests(&records, Asked::Ballot) {
            assert!(request.prompt().contains(JUDGMENT), "{}", request.prompt());
        }
    }
    app.close().await;
}
