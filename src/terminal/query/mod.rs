//! `query`: one question, its deliberation as it goes on, and the answer.

mod deliberation;
mod offer;
mod out;
mod output_style;
mod progress;
mod region;
mod view;
mod watch;

pub use output_style::for_pipe;
pub use region::Region;
pub use watch::{Interrupts, STOPPING, Watched, ask, follow};

use std::fs::File;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::live::features::without_offers;
use super::session::{Method, Question, Session, Trouble};
use super::text::amounts;
use super::{arguments, files};

/// The longest question that a server takes, in bytes, with room to spare: longer ones are refused before they are
/// sent.
pub const MAX_QUESTION_BYTES: u64 = 1 << 20;

/// Asks the question of the command line; returns the exit code.
///
/// # Errors
/// Why there is no answer.
pub async fn run(session: Arc<dyn Session>, arguments: &arguments::Query) -> Result<u8, Trouble> {
    let content = question(arguments)?;
    let mut body = body(session.as_ref(), &arguments.council, content, !arguments.output.can_ask()).await?;
    if arguments.output.stream {
        body.insert("one_at_a_time".to_owned(), json!(true));
    }
    let files = files::attach(session.as_ref(), &arguments.attach, 0).await?;
    if !files.is_empty() {
        body.insert(files::FIELD.to_owned(), files::field(&files));
    }
    if let Some(max) = arguments.output.max_cost {
        affordable(session.as_ref(), &body, max).await?;
    }
    watch::ask(session, Question::first(body), &arguments.output).await.ended
}

/// The question: from the command line, from a file, or piped in.
fn question(arguments: &arguments::Query) -> Result<String, Trouble> {
    let wrong = |problem: String| Trouble::Wrong(vec![problem]);
    let of_file = |path: &Path| {
        let read = if path == Path::new("-") {
            read(std::io::stdin().lock())
        } else {
            File::open(path).and_then(read)
        };
        read.map_err(|error| wrong(format!("{}: {error}", path.display())))
    };
    let text = match (&arguments.question, &arguments.file) {
        (Some(question), None) => question.clone(),
        (Some(question), Some(path)) => format!("{}\n\n{}", question.trim(), of_file(path)?),
        (None, Some(path)) => of_file(path)?,
        (None, None) if std::io::stdin().is_terminal() => {
            return Err(wrong("there is no question: llm-council query \"Why is the sky blue?\"".to_owned()));
        }
        (None, None) => of_file(Path::new("-"))?,
    };
    let text = text.trim();
    if text.is_empty() {
        return Err(wrong("the question is empty".to_owned()));
    }
    Ok(text.to_owned())
}

fn read(source: impl std::io::Read) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    source.take(MAX_QUESTION_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_QUESTION_BYTES {
        return Err(std::io::Error::other("it is longer than a question may be"));
    }
    String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not UTF-8 text"))
}

/// The body of the request.
///
/// # Errors
/// Everything that is wrong with it, as far as that is known here.
pub async fn body(
    session: &dyn Session,
    council: &arguments::Council,
    content: String,
    alone: bool,
) -> Result<Map<String, Value>, Trouble> {
    let mut fields = council.fields().map_err(Trouble::Wrong)?;
    if let Some(name) = &council.preset {
        fields.insert("preset_id".to_owned(), preset(session, name).await?);
    }
    Ok(with_question(fields, &content, alone))
}

/// The body of a request with these fields. `alone` says that nobody could take an offer, so that none is made.
#[must_use]
pub fn with_question(mut fields: Map<String, Value>, content: &str, alone: bool) -> Map<String, Value> {
    if alone {
        without_offers(&mut fields);
    }
    fields.insert("content".to_owned(), json!(content));
    fields
}

/// The id of a preset.
///
/// # Errors
/// If there is no preset of this name; the message names those that there are.
pub async fn preset(session: &dyn Session, name: &str) -> Result<Value, Trouble> {
    let presets = session.get("/api/settings/presets").await?;
    let presets: Vec<&Value> =
        presets.get("presets").and_then(Value::as_array).into_iter().flatten().collect();
    let called = |preset: &&&Value| preset.get("name").and_then(Value::as_str) == Some(name);
    // The user's own preset comes before a shared one of the same name.
    let mut found: Vec<&&Value> = presets.iter().filter(called).collect();
    found.sort_by_key(|preset| preset.get("shared").and_then(Value::as_bool).unwrap_or(false));
    if let Some(id) = found.first().and_then(|preset| preset.get("id")) {
        return Ok(id.clone());
    }
    let names: Vec<&str> =
        presets.iter().filter_map(|preset| preset.get("name").and_then(Value::as_str)).collect();
    let there =
        if names.is_empty() { "you have none".to_owned() } else { format!("there is {}", names.join(", ")) };
    Err(Trouble::Wrong(vec![format!("there is no preset {name:?}; {there}")]))
}

/// Refuses a question that will probably cost more than `max`.
async fn affordable(session: &dyn Session, body: &Map<String, Value>, max: f64) -> Result<(), Trouble> {
    let body = Value::Object(body.clone());
    let estimate = session.request(Method::POST, "/api/estimate", Some(&body)).await?;
    match too_dear(&estimate, max) {
        None => Ok(()),
        Some(why) => Err(Trouble::OverBudget(format!("nothing was asked: {why}"))),
    }
}

/// Why a question with this estimate may cost more than `max`. Models without a price are not in its sum, so any of
/// them may exceed it.
fn too_dear(estimate: &Value, max: f64) -> Option<String> {
    let unknown = estimate.get("unknown_price_models").and_then(Value::as_array).into_iter().flatten();
    let unknown: Vec<&str> = unknown.filter_map(Value::as_str).collect();
    match estimate.get("cost_usd").and_then(Value::as_f64) {
        Some(usd) if usd > max => Some(format!(
            "it will probably cost {}, and --max-cost is {}",
            amounts::usd(Some(usd)),
            amounts::usd(Some(max))
        )),
        Some(_) if unknown.is_empty() => None,
        Some(_) => Some(format!(
            "what it costs is not known, for want of a price of {}, and --max-cost was given",
            unknown.join(", ")
        )),
        None => Some("what it costs is not known, and --max-cost was given".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_too_dear_where_it_costs_more_or_any_of_its_models_has_no_price() {
        let estimate = |usd: Option<f64>, unknown: &[&str]| {
            let mut estimate = json!({"calls": 10, "unknown_price_models": unknown});
            if let Some(usd) = usd {
                estimate["cost_usd"] = json!(usd);
            }
            estimate
        };
        assert_eq!(too_dear(&estimate(Some(0.25), &[]), 0.25), None);
        assert_eq!(
            too_dear(&estimate(Some(0.3), &["m/two"]), 0.00001).as_deref(),
            Some("it will probably cost $0.3000, and --max-cost is <$0.0001")
        );
        let known_in_part = too_dear(&estimate(Some(0.01), &["m/two", "m/three"]), 0.25).unwrap();
        assert!(known_in_part.contains("m/two, m/three"), "{known_in_part}");
        assert!(too_dear(&estimate(None, &["m/one"]), 0.25).is_some());
    }
}
