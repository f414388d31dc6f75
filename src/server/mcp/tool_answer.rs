//! What a tool answers: a text for the model, and the same as JSON for the program around it.

use serde_json::Value;

pub(super) struct ToolAnswer {
    pub text: String,
    /// As the tool's output schema says it.
    pub structured: Value,
}
