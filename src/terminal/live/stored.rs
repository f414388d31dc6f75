//! A stored assistant message as the events of its run.

use serde_json::{Value, json};

use super::event::Fields;

/// The events that would have led to this message; what the run did not reach is left out.
pub(super) fn events(message: Fields) -> Vec<Value> {
    let metadata = message.within("metadata");
    let mut events = vec![json!({
        "type": "run_started",
        "run_id": message.text("run_id"),
        "conversation_id": message.text("conversation_id"),
        "message_id": message.text("id"),
        "ignored": metadata.values("ignored"),
    })];
    if message.has_value("stage1") {
        let data = message.values("stage1");
        // If no confidence is stored, nobody stated one.
        let said = metadata.value("aggregate_confidence");
        let confidence = if said.is_null() { json!({ "count": 0 }) } else { said.clone() };
        events.push(json!({ "type": "stage1_start", "members": data }));
        events.push(json!({
            "type": "stage1_complete", "data": data, "metadata": { "aggregate_confidence": confidence },
        }));
    }
    if message.has_value("stage2") {
        let data = message.values("stage2");
        events.push(json!({ "type": "stage2_start", "members": data }));
        events.push(json!({
            "type": "stage2_complete", "data": data, "metadata": message.value("metadata"),
        }));
    }
    if message.has_value("stage3") {
        events.push(json!({ "type": "stage3_complete", "data": message.value("stage3") }));
    }
    if metadata.has_value("costs") {
        events.push(json!({ "type": "costs_complete", "data": metadata.value("costs") }));
    }
    match message.text("status") {
        Some("queued" | "running") => {}
        Some(status @ ("cancelled" | "failed")) => events.push(json!({
            "type": if status == "failed" { "error" } else { status },
            "message": message.text("error"), "error_kind": message.text("error_kind"),
        })),
        // A conversation that was imported from elsewhere had no run here.
        _ => events.push(json!({ "type": "complete" })),
    }
    events
}
