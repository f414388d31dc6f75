//! Tools that a model may call.

use std::borrow::Cow;

use serde_json::Value;

/// A function that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: Cow<'static, str>,
    /// What it does and when to call it, for the model.
    pub description: String,
    /// The JSON schema of its arguments: one object.
    pub parameters: Value,
}
