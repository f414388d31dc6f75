//! Files of questions, one JSON object a line. Each shape of line is a file here and a line in [`SOURCES`].

mod gsm8k;
mod line;
mod mmlu;
mod own;

use serde_json::Value;

use line::{Source, text, text_or_number};

use super::graders::{self, GRADERS};
use super::question::Question;
use crate::council::plan::question_problem;

/// The most questions of a bench.
pub const MAX_QUESTIONS: usize = 10_000;
/// The largest file, in bytes.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// How many broken lines are named; the rest are counted.
const MOST_NAMED: usize = 20;

/// The shapes that are read; the first one that fits a line reads it.
pub static SOURCES: [&Source; 3] = [&mmlu::SOURCE, &gsm8k::SOURCE, &own::SOURCE];

/// Reads a file of questions. With `grader`, that one grades the questions that name none.
///
/// # Errors
/// Every broken line with its number, and every grader that is not known.
pub fn read(text: &str, grader: Option<&str>) -> Result<Vec<Question>, Vec<String>> {
    let mut questions = Vec::new();
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match read_line(line, grader) {
            Ok(question) if question.id.is_empty() => {
                questions.push(Question { id: number.to_string(), ..question });
            }
            Ok(question) => questions.push(question),
            Err(problem) => problems.push(format!("line {number}: {problem}")),
        }
    }
    if problems.len() > MOST_NAMED {
        let more = problems.len() - MOST_NAMED;
        problems.truncate(MOST_NAMED);
        problems.push(format!("and {more} more broken lines"));
    }
    if problems.is_empty() && questions.is_empty() {
        problems.push("the file holds no question".to_owned());
    }
    if questions.len() > MAX_QUESTIONS {
        problems.push(format!("the file holds {} questions; at most {MAX_QUESTIONS}", questions.len()));
    }
    if problems.is_empty() { Ok(questions) } else { Err(problems) }
}

fn read_line(line: &str, grader: Option<&str>) -> Result<Question, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("is not JSON (column {})", error.column()))?;
    let object = value.as_object().ok_or("is not a JSON object")?;
    let source = SOURCES
        .iter()
        .find(|source| (source.is)(object))
        .ok_or("is not a question: it needs \"question\" with \"answer\", \"answers\" or \"rubric\"")?;
    let mut question = (source.read)(object)?;
    question.id = text_or_number(object, "id")?.unwrap_or_default();
    match (text(object, "grader")?, grader) {
        (Some(own), _) => question.grader = own,
        (None, Some(given)) => given.clone_into(&mut question.grader),
        (None, None) => {}
    }
    let grader = graders::of(&question).ok_or_else(|| unknown_grader(&question.grader))?;
    if let Some(problem) = (grader.problem)(&question) {
        return Err(format!("cannot be graded as {}: {problem}", grader.name));
    }
    match question_problem(&graders::prompt(&question)) {
        Some(problem) => Err(format!("the question {problem}")),
        None => Ok(question),
    }
}

/// Says that there is no such grader, and which there are.
#[must_use]
pub fn unknown_grader(name: &str) -> String {
    let known: Vec<&str> = GRADERS.iter().map(|grader| grader.name).collect();
    format!("there is no grader {name:?}; there are {}", known.join(", "))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
