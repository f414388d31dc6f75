//! What an answer depends on besides its question. Everything that a plan says is in it, but for what is listed here:
//! so a new field causes misses until somebody has decided about it.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::council::earlier::Scope;

/// What a plan says, and an answer does not depend on: the question itself, which is compared; what is said about the run;
/// and what is known of the models today, which changes with every run.
const IRRELEVANT: [&str; 11] = [
    "question",
    "cache",
    // The texts themselves are in the plan.
    "own_prompts",
    "title",
    "verbosity",
    "remarks",
    "ignored",
    "fork",
    "weighing",
    "reviewer_records",
    // When the members are asked, and not what.
    "one_at_a_time",
];
/// The fields of the settings in force that do not matter.
const IRRELEVANT_SETTINGS: [&str; 9] = [
    // What a request leaves out is in the plan.
    "default_options",
    "title_model",
    "embedding_model",
    "use_api_embeddings",
    // Time limits, and how many calls are in flight.
    "timeouts",
    "calls_in_flight",
    // Display names of the page.
    "chairman_alias",
    // In the plan by its results.
    "count_self_votes",
    // A region is part of the models' ids.
    "region",
];

/// The scope of a plan, which is given as JSON.
#[must_use]
pub fn of(mut plan: Value) -> Scope {
    if let Some(plan) = plan.as_object_mut() {
        // Whether ballots are weighted by records is kept.
        let weighs = plan.get("weighing").is_some_and(|weighing| !weighing.is_null());
        plan.retain(|name, _| !IRRELEVANT.contains(&name.as_str()));
        plan.insert("weighs".to_owned(), Value::Bool(weighs));
        if let Some(settings) = plan.get_mut("settings").and_then(Value::as_object_mut) {
            settings.retain(|name, _| !IRRELEVANT_SETTINGS.contains(&name.as_str()));
        }
    }
    let mut hash = Sha256::new();
    absorb(&mut hash, &plan);
    Scope(hash.finalize().into())
}

/// Hashes a value: the same bytes for equal values, whatever the order of their fields, and for no others.
fn absorb(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update("n"),
        Value::Bool(value) => hash.update(if *value { "t" } else { "f" }),
        Value::Number(number) => hash.update(format!("#{number};")),
        Value::String(text) => {
            hash.update(format!("s{}:", text.len()));
            hash.update(text);
        }
        Value::Array(items) => {
            hash.update(format!("a{}:", items.len()));
            items.iter().for_each(|item| absorb(hash, item));
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            hash.update(format!("o{}:", fields.len()));
            for (name, value) in fields {
                hash.update(format!("{}:{name}", name.len()));
                absorb(hash, value);
            }
        }
    }
}
