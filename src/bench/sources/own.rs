//! This program's own shape, documented in docs/bench.md: `{"question", "answer" | "answers" | "rubric", …}`.

use serde_json::{Map, Value};

use super::line::{Source, list, question, text, text_or_number};
use crate::bench::graders::numeric;
use crate::bench::question::Question;

pub(super) static SOURCE: Source = Source { name: "own", is, read };

fn is(object: &Map<String, Value>) -> bool {
    let has = |field: &str| object.get(field).is_some_and(|value| !value.is_null());
    has("question") && (has("answer") || has("answers") || has("rubric"))
}

fn read(object: &Map<String, Value>) -> Result<Question, String> {
    let mut answers = list(object, "answers")?;
    answers.splice(0..0, text_or_number(object, "answer")?);
    if answers.iter().any(|answer| answer.trim().is_empty()) {
        return Err("an answer is empty".to_owned());
    }
    let rubric = text(object, "rubric")?.filter(|rubric| !rubric.trim().is_empty());
    if answers.is_empty() && rubric.is_none() {
        return Err("there is neither an answer nor a rubric".to_owned());
    }
    let tolerance = match object.get("tolerance") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let number = value.as_f64().filter(|number| *number >= 0.0);
            Some(number.ok_or("\"tolerance\" is not a number from 0 up")?)
        }
    };
    let grader = if rubric.is_some() {
        "judge"
    } else if answers.iter().all(|answer| numeric::read(answer).is_some()) {
        "numeric"
    } else {
        "exact"
    };
    Ok(Question {
        text: question(object)?,
        answers,
        rubric,
        tolerance,
        grader: grader.to_owned(),
        ..Question::default()
    })
}
