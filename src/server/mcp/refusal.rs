//! What is wrong, in sentences that a model can act on.

use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use serde_json::Value;

use actix_web::ResponseError as _;
use actix_web::http::StatusCode;

use crate::server::problem::Problem;

/// What fields of a question are called among a tool's arguments.
const ARGUMENTS: [(&str, &str); 5] = [
    ("content ", "question "),
    ("mode ", "format "),
    ("chairman_model ", "chairman "),
    ("preset_id ", "preset "),
    ("Idempotency-Key ", "idempotency_key "),
];

/// A sentence about a field, reworded for the argument that it came from.
fn of_argument(sentence: String) -> String {
    let renamed = ARGUMENTS
        .iter()
        .find_map(|(field, argument)| sentence.strip_prefix(field).map(|rest| format!("{argument}{rest}")));
    renamed.unwrap_or(sentence)
}

/// The result of a tool call that was refused.
pub(super) fn sentences(problem: &Problem) -> String {
    let mut text = problem.sentences().into_iter().map(of_argument).collect::<Vec<_>>().join("; ");
    let body = problem.body();
    let run = body.get("run_id").and_then(Value::as_str);
    match (problem.status_code(), run) {
        (StatusCode::CONFLICT, Some(run)) => {
            text.push_str(&format!(
                ". The run is {run}: wait for it with wait_run, or stop it with cancel_run"
            ));
        }
        (StatusCode::SERVICE_UNAVAILABLE | StatusCode::INTERNAL_SERVER_ERROR, Some(run)) => {
            text.push_str(&format!(
                ". The question was taken all the same: the run is {run}, wait for it with wait_run. Do not ask again, that \
                 would pay twice."
            ));
        }
        (StatusCode::PAYMENT_REQUIRED, _) => {
            text.push_str(" Nothing was asked. A cheaper question fits perhaps: list_councils says what each format and preset \
                           costs, and `models` may name fewer members; else the person has to raise the budget.");
        }
        (StatusCode::TOO_MANY_REQUESTS, _) => text.push_str(". Nothing was asked."),
        (StatusCode::SERVICE_UNAVAILABLE, _) => text.push_str(". Try the same call again in a few seconds."),
        (StatusCode::FORBIDDEN, _) if !problem.is_blocked() => {
            text.push_str(". The person can make another token in the web app, under Settings, Tokens.");
        }
        _ => {}
    }
    text
}

/// The refusal as a protocol error, for requests that are not tool calls.
pub(super) fn error(problem: &Problem) -> ErrorData {
    let code = match problem.status_code() {
        StatusCode::UNPROCESSABLE_ENTITY
        | StatusCode::BAD_REQUEST
        | StatusCode::FORBIDDEN
        | StatusCode::NOT_FOUND => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, sentences(problem), None)
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use crate::id::RunId;
    use crate::server::problem::Problem;

    #[test]
    fn only_what_was_not_taken_is_to_be_called_again() {
        let run = RunId::generate();
        let problem = Problem::unavailable("the database cannot be used right now; try again in a moment");
        let before = sentences(&problem);
        assert!(before.ends_with("Try the same call again in a few seconds."), "{before}");
        let after = sentences(&problem.with_run(run));
        assert!(after.contains(&run.to_string()) && after.contains("Do not ask again"), "{after}");
        assert!(!after.contains("Try the same call"), "{after}");
    }
}
