//! The shape of GSM8K: `{"question", "answer": "… #### 42"}`, the worked solution before the mark.

use serde_json::{Map, Value};

use super::line::{Source, question, text};
use crate::bench::question::Question;

const MARK: &str = "####";

pub(super) static SOURCE: Source = Source { name: "gsm8k", is, read };

fn is(object: &Map<String, Value>) -> bool {
    object.get("answer").and_then(Value::as_str).is_some_and(|answer| answer.contains(MARK))
}

fn read(object: &Map<String, Value>) -> Result<Question, String> {
    let answer = text(object, "answer")?.unwrap_or_default();
    let number = answer.rsplit(MARK).next().unwrap_or_default().trim();
    Ok(Question {
        text: question(object)?,
        answers: vec![number.to_owned()],
        grader: "numeric".to_owned(),
        ..Question::default()
    })
}
