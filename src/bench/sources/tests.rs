use proptest::prelude::*;
use serde_json::json;

use super::*;

fn one(line: &Value) -> Question {
    read(&line.to_string(), None).unwrap().remove(0)
}

#[track_caller]
fn problem(line: &Value) -> String {
    read(&line.to_string(), None).unwrap_err().remove(0)
}

#[test]
fn a_line_of_gsm8k_is_a_number_to_find() {
    let question =
        one(&json!({"question": "How many?", "answer": "5*2=<<5*2=10>>10\nthen more\n#### 1,234"}));
    assert_eq!((question.answers, question.grader.as_str()), (vec!["1,234".to_owned()], "numeric"));
    assert_eq!(question.id, "1");
}

#[test]
fn a_line_of_mmlu_names_its_answer_by_place_letter_or_text() {
    for answer in [json!(1), json!("B"), json!("b"), json!("Paris"), json!("1")] {
        let question = one(&json!({"question": "Where?", "choices": ["Rome", "Paris"], "answer": answer}));
        assert_eq!(
            (question.answers, question.grader.as_str()),
            (vec!["B".to_owned()], "choice"),
            "{answer}"
        );
    }
    for answer in [json!(2), json!("C"), json!("London"), json!(-1), json!(null), json!([])] {
        let line = json!({"question": "Where?", "choices": ["Rome", "Paris"], "answer": answer});
        assert!(problem(&line).starts_with("line 1: \"answer\" is"), "{answer}");
    }
}

#[test]
fn a_line_of_our_own_says_by_what_it_has_who_grades_it() {
    let grader = |line: Value| one(&line).grader;
    assert_eq!(grader(json!({"question": "?", "answer": 42})), "numeric");
    assert_eq!(grader(json!({"question": "?", "answer": "42 km"})), "numeric");
    assert_eq!(grader(json!({"question": "?", "answers": ["Paris", "City of Paris"]})), "exact");
    assert_eq!(grader(json!({"question": "?", "rubric": "Names two causes."})), "judge");
    assert_eq!(grader(json!({"question": "?", "answer": "42", "grader": "exact"})), "exact");
    let question = one(&json!({"id": 7, "question": "?", "answer": "1.5", "tolerance": 0.1}));
    assert_eq!((question.id.as_str(), question.tolerance), ("7", Some(0.1)));
}

#[test]
fn every_broken_line_is_named_with_its_number() {
    let text = "{\"question\": \"?\", \"answer\": \"1\"}\n\nnot json\n[1]\n{\"question\": \"?\"}\n\
                {\"question\": 3, \"answer\": \"1\"}\n{\"question\": \"?\", \"answer\": \"x\", \"grader\": \"vibes\"}\n\
                {\"question\": \"?\", \"answer\": \"many\", \"grader\": \"numeric\"}\n";
    let problems = read(text, None).unwrap_err();
    let starts = [
        "line 3: is not JSON",
        "line 4: is not a JSON object",
        "line 5: is not a question",
        "line 6: \"question\" is not a text",
        "line 7: there is no grader \"vibes\"",
        "line 8: cannot be graded as numeric",
    ];
    assert_eq!(problems.len(), starts.len(), "{problems:?}");
    for (problem, start) in problems.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem}");
    }
    assert_eq!(read("\n \n", None), Err(vec!["the file holds no question".to_owned()]));
}

#[test]
fn a_thousand_broken_lines_are_counted_and_not_all_named() {
    let problems = read(&"x\n".repeat(1000), None).unwrap_err();
    assert_eq!((problems.len(), problems[20].as_str()), (21, "and 980 more broken lines"));
}

#[test]
fn the_prompt_has_the_options_and_how_to_end() {
    let question = one(&json!({"question": "Where?", "choices": ["Rome", "Paris"], "answer": 0}));
    assert!(
        graders::prompt(&question).starts_with("Where?\n\nA. Rome\nB. Paris\n\nEnd with"),
        "{}",
        graders::prompt(&question)
    );
}

proptest! {
    #[test]
    fn any_text_is_questions_or_numbered_problems(text in "\\PC*(\n\\PC*){0,4}") {
        if let Err(problems) = read(&text, None) {
            prop_assert!(!problems.is_empty());
        }
    }

    #[test]
    fn any_fields_are_a_question_or_a_problem(
        question in "\\PC*", answer in "\\PC*", number in any::<i64>(), choices in prop::collection::vec("\\PC*", 0..5)
    ) {
        for line in [
            json!({"question": question, "answer": answer}),
            json!({"question": question, "answer": number, "choices": choices}),
            json!({"question": question, "answer": answer, "choices": choices}),
            json!({"question": question, "answers": choices, "rubric": answer, "tolerance": number}),
            json!({"question": question, "answer": format!("#### {answer}")}),
        ] {
            match read(&line.to_string(), None) {
                Ok(read) => {
                    prop_assert_eq!(read.len(), 1);
                    prop_assert!(graders::of(&read[0]).is_some());
                }
                Err(problems) => prop_assert!(problems[0].starts_with("line 1: "), "{:?}", problems),
            }
        }
    }
}

#[test]
fn the_files_of_the_documentation_can_be_read() {
    let graders = |text: &str| -> Vec<String> {
        read(text, None).unwrap().into_iter().map(|question| question.grader).collect()
    };
    assert_eq!(graders(include_str!("../../../tests/it/fixtures/bench/gsm8k.jsonl")), ["numeric", "numeric"]);
    assert_eq!(graders(include_str!("../../../tests/it/fixtures/bench/mmlu.jsonl")), ["choice", "choice"]);
    let own = include_str!("../../../tests/it/fixtures/bench/own.jsonl");
    assert_eq!(graders(own), ["exact", "numeric", "choice", "judge"]);
}
