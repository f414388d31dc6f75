//! Items that a request names by their ids instead of repeating them, as some libraries do: the messages of earlier
//! responses. They are put in their places before the list is read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::api::RequestContext;
use super::refusal::Refusal;
use super::response_object::{is_reasoning, run_of_message};
use crate::council::field::FieldError;
use crate::id::RunId;
use crate::server::problem::Problem;
use crate::store::runs;

/// How many a list may have: each becomes a whole answer.
const MOST: usize = 400;

/// Puts what is named into the `input` of a body.
///
/// # Errors
/// Every name that stands for nothing of the caller's.
pub(super) async fn fill_in(
    RequestContext { app, caller, .. }: RequestContext<'_>,
    body: &mut Value,
) -> Result<(), Refusal> {
    let Some(items) = body.get_mut("input").and_then(Value::as_array_mut) else { return Ok(()) };
    let named: Vec<&str> = items.iter().filter_map(name_of).collect();
    if named.is_empty() {
        return Ok(());
    }
    if named.len() > MOST {
        let why = format!("must have at most {MOST} items of the type item_reference");
        return Err(Refusal::of_fields(&[FieldError::value("input", why)], &[]));
    }
    let of: BTreeSet<RunId> = named.into_iter().filter_map(run_of_message).collect();
    let of: Vec<RunId> = of.into_iter().collect();
    let answers = runs::answers_to_programs(&app.db, &caller.scope(), &of).await.map_err(Problem::from)?;
    // They count as if they stood there: an id is short, and may name the same long answer again and again.
    let limit = app.config.server.body_limit_bytes;
    let mut length = 0;
    let mut errors = Vec::new();
    for (place, item) in items.iter_mut().enumerate() {
        let Some(id) = name_of(item) else { continue };
        if is_reasoning(id) {
            *item = json!({"type": "reasoning"});
        } else if let Some(answer) = run_of_message(id).and_then(|run| answers.get(&run)) {
            length += answer.len();
            if length > limit {
                let why = format!("names answers of more than {limit} bytes together; leave out the oldest");
                return Err(Refusal::of_fields(&[FieldError::value("input", why)], &[]));
            }
            *item = json!({"type": "message", "role": "assistant", "content": answer});
        } else {
            let why = "is not there: it must be the id of a message in a response of yours; else send the message itself";
            errors.push(FieldError::value(format!("input[{place}].id"), why));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Refusal::of_fields(&errors, &[])) }
}

/// The id that stands for an item.
fn name_of(item: &Value) -> Option<&str> {
    let is_name = item.get("type").and_then(Value::as_str) == Some("item_reference");
    is_name.then(|| item.get("id").and_then(Value::as_str).unwrap_or_default())
}
