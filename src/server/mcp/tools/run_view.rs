//! A run as tools report it: the answer first, and otherwise how to go on.

use serde_json::{Value, json};

use super::offer::schema;
use crate::council::Deliberation;
use crate::council::budget::Cost;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::shape;
use crate::store::RunStatus;
use crate::store::runs::RunRow;

/// The schema of the report.
pub(super) fn output() -> Value {
    let member = schema(
        json!({
            "member": {"type": "string"},
            "answered": {"type": "boolean"},
            "error": {"type": "string", "description": "Why it did not."}
        }),
        &["member", "answered"],
    );
    let place = schema(
        json!({
            "member": {"type": "string"},
            "place": {"type": "integer", "description": "1 the best."},
            "average_rank": {"type": "number"}
        }),
        &["member", "place", "average_rank"],
    );
    schema(
        json!({
            "run_id": {"type": "string"},
            "conversation_id": {"type": "string"},
            "status": {"type": "string", "enum": ["queued", "running", "complete", "failed", "cancelled"]},
            "format": {"type": "string"},
            "created_at": {"type": "string", "description": "UTC."},
            "finished_at": {"type": "string", "description": "UTC."},
            "answer": {"type": "string", "description": "The final answer, as Markdown."},
            "written_by": {"type": "string", "description": "The model that wrote it."},
            "notes": {"type": "array", "items": {"type": "string"}, "description": "What went wrong on the way."},
            "members": {"type": "array", "items": member},
            "ranking": {"type": "array", "items": place, "description": "By the members' blind reviews of each other."},
            "cost_usd": {"type": "number", "description": "Of the calls whose cost is known."},
            "unknown_cost_calls": {"type": "integer", "description": "How many calls are not in it, as nobody told their cost."},
            "error": {"type": "string", "description": "Why the run failed, or who has stopped it where that was not its owner."},
            "next": {"type": "string", "description": "How to go on, where it is not over."}
        }),
        &["run_id", "conversation_id", "status", "format", "created_at"],
    )
}

/// What there is of the run.
pub(in crate::server::mcp) fn render(row: RunRow) -> ToolAnswer {
    let deliberation = row.body.map(shape::deliberation).unwrap_or_default();
    let error = row.error.as_ref().and_then(shape::message_of);
    let next = (!row.status.is_over()).then(|| {
        format!(
            "The council is still at work. Call wait_run with the run_id {:?} to wait for the answer; do not ask again.",
            row.id.to_string()
        )
    });
    let mut structured = json!({
        "run_id": row.id,
        "conversation_id": row.conversation,
        "status": row.status,
        "format": row.format,
        "created_at": shape::naive(row.created_at),
    });
    let mut add = |name: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            structured[name] = value;
        }
    };
    let writer = deliberation.stage3.as_ref().filter(|written| written.error.is_none());
    add("finished_at", json!(row.finished_at.map(shape::naive)));
    add("answer", json!(deliberation.answer_text()));
    add("written_by", json!(writer.map(|written| &written.model)));
    add("notes", json!(writer.map(|written| &written.notes)));
    add("members", members(&deliberation));
    add("ranking", ranking(&deliberation));
    let costs = deliberation.metadata.costs.as_ref();
    let (usd, unknown) = costs.map_or((None, 0), |costs| (costs.total_cost, costs.unknown_cost_calls));
    add("cost_usd", json!(usd));
    add("unknown_cost_calls", json!((unknown > 0).then_some(unknown)));
    add("error", json!(error));
    add("next", json!(next));
    let head = match (row.status, deliberation.answer_text(), &next, &error) {
        (RunStatus::Complete, Some(answer), ..) => answer.to_owned(),
        (_, _, Some(next), _) => next.clone(),
        (RunStatus::Cancelled, _, _, Some(who)) => who.clone(),
        (RunStatus::Cancelled, ..) => "The run was stopped before there was an answer.".to_owned(),
        (_, _, _, Some(error)) => format!("The run failed: {error}"),
        _ => "The run ended without an answer.".to_owned(),
    };
    let cost = match (usd, unknown) {
        (Some(usd), 0) => format!(", cost {}", Cost(usd)),
        (Some(usd), _) => format!(", cost {} and {unknown} calls of unknown cost", Cost(usd)),
        (None, 0) => String::new(),
        (None, _) => ", cost unknown".to_owned(),
    };
    let text = format!(
        "{head}\n\n(status {}, run_id {}, conversation_id {}{cost})",
        row.status.as_str(),
        row.id,
        row.conversation
    );
    ToolAnswer { text, structured }
}

fn members(deliberation: &Deliberation) -> Value {
    let answers = deliberation.stage1.iter().flatten();
    answers
        .map(|answer| {
            let mut member = json!({"member": answer.member, "answered": answer.error.is_none()});
            if let Some(error) = &answer.error {
                member["error"] = json!(error);
            }
            member
        })
        .collect()
}

fn ranking(deliberation: &Deliberation) -> Value {
    let rows = deliberation.metadata.aggregate_rankings.iter();
    rows.map(|row| json!({"member": row.member, "place": row.place, "average_rank": row.average_rank}))
        .collect()
}
