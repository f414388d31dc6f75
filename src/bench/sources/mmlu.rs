//! The shape of MMLU: `{"question", "choices": […], "answer": index from 0, or letter}`.

use serde_json::{Map, Value};

use super::line::{Source, list, question};
use crate::bench::question::Question;

/// One for each letter.
const MAX_CHOICES: usize = 26;

pub(super) static SOURCE: Source = Source { name: "mmlu", is, read };

fn is(object: &Map<String, Value>) -> bool {
    object.get("choices").is_some_and(|choices| !choices.is_null())
}

fn read(object: &Map<String, Value>) -> Result<Question, String> {
    let choices = list(object, "choices")?;
    if !(2..=MAX_CHOICES).contains(&choices.len()) {
        return Err(format!("\"choices\" has {} options; 2 to {MAX_CHOICES} are needed", choices.len()));
    }
    let answer = object.get("answer").filter(|answer| !answer.is_null()).ok_or("\"answer\" is missing")?;
    let letter = place(answer, &choices)
        .filter(|place| *place < choices.len())
        .and_then(|place| ('A'..='Z').nth(place))
        .ok_or_else(|| format!("\"answer\" is {answer}, which is none of the {} options", choices.len()))?;
    Ok(Question {
        text: question(object)?,
        choices,
        answers: vec![letter.to_string()],
        grader: "choice".to_owned(),
        ..Question::default()
    })
}

/// The option that is meant: by its place, its letter, or its own text.
fn place(answer: &Value, choices: &[String]) -> Option<usize> {
    if let Some(place) = answer.as_u64() {
        return usize::try_from(place).ok();
    }
    let text = answer.as_str()?.trim();
    let mut chars = text.chars();
    match (chars.next()?, chars.next()) {
        (letter, None) if letter.is_ascii_alphabetic() => {
            Some(usize::from(letter.to_ascii_uppercase() as u8 - b'A'))
        }
        // Some files write the index as a text; an option that reads so comes first.
        (_, _) => choices.iter().position(|choice| choice.trim() == text).or_else(|| text.parse().ok()),
    }
}
