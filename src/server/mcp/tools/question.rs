//! The arguments that say what is asked, of whom and how: those of a question, and of its estimate.

use serde_json::{Map, Value, json};

use crate::council::field::{FieldErrorKind, Fields};
use crate::council::formats::list::MODES;
use crate::id::ConversationId;
use crate::server::mcp::asker::Asker;
use crate::server::presets::{self, PresetView};
use crate::server::problem::Problem;

/// Fields of a question that have arguments of their own, or that only this server sets.
const NOT_OPTIONS: [&str; 6] =
    ["content", "mode", "models", "chairman_model", "preset_id", "new_conversation"];

/// What is asked.
pub(super) struct QuestionArguments {
    /// The conversation that it goes on; a new one otherwise.
    pub conversation: Option<ConversationId>,
    /// As `POST /api/conversations/{id}/message` takes it.
    pub body: Map<String, Value>,
}

/// The arguments' schema.
pub(super) fn properties() -> Map<String, Value> {
    let properties = json!({
        "question": {
            "type": "string", "minLength": 1, "maxLength": 100_000,
            "description": "The whole question, with everything that is needed to answer it: the council sees nothing else of \
                            what you know (only what was said before in the same council conversation)."
        },
        "conversation_id": {
            "type": "string",
            "description": "Go on in this conversation with the council. Leave it out to begin a new one."
        },
        "format": {
            "type": "string", "enum": MODES,
            "description": "How they deliberate; council (answers, blind reviews, synthesis) unless set otherwise. See list_councils."
        },
        "preset": {
            "type": "string",
            "description": "The name of a preset: a council with its options. See list_councils."
        },
        "models": {
            "type": "array", "items": {"type": "string"}, "minItems": 1,
            "description": "The members for this question only, as models are called here (openai/gpt-5.1)."
        },
        "chairman": {"type": "string", "description": "The model that writes the final answer."},
        "options": {
            "type": "object",
            "description": "Any other field of a question by its name, as {\"quorum\": 3} or {\"system_prompt\": \"…\"}. A wrong one is \
                            refused with what would be right. Leave it out unless the person asks for it."
        }
    });
    if let Value::Object(properties) = properties { properties } else { Map::new() }
}

/// Reads them.
///
/// # Errors
/// With everything that is wrong with them, before anything is asked; what is wrong with an option shows when the question
/// is planned.
pub(super) async fn read(asker: &Asker, fields: &mut Fields<'_>) -> Result<QuestionArguments, Problem> {
    let question: Option<String> = fields.take("question", "a text");
    let conversation: Option<String> = fields.take("conversation_id", "the id of a conversation");
    let format: Option<String> = fields.take("format", "a text");
    let preset: Option<String> = fields.take("preset", "the name of a preset");
    let models: Option<Vec<String>> = fields.take("models", "a list of names of models");
    let chairman: Option<String> = fields.take("chairman", "the name of a model");
    let options: Option<Map<String, Value>> = fields.take("options", "an object");
    let mut body = options.unwrap_or_default();
    for name in NOT_OPTIONS.into_iter().filter(|name| body.contains_key(*name)) {
        let message = "is said by an argument of its own, not as an option";
        fields.refuse(format!("options.{name}"), FieldErrorKind::Value, message);
    }
    if !fields.has("question") {
        fields.refuse("question", FieldErrorKind::Missing, "is required: what the council is to answer");
    }
    if let Some(format) = format.as_ref().filter(|format| !MODES.contains(&format.as_str())) {
        let message = format!("{format:?} is none; there are {}", MODES.join(", "));
        fields.refuse("format", FieldErrorKind::Value, message);
    }
    let preset = match preset {
        None => None,
        Some(name) => match preset_of(presets::views(&asker.app, &asker.caller).await?, &name) {
            Ok(preset) => Some(preset.id),
            Err(message) => {
                fields.refuse("preset", FieldErrorKind::Value, message);
                None
            }
        },
    };
    let mut add = |name: &str, value: Value| drop(body.insert(name.to_owned(), value));
    add("content", json!(question));
    for (name, value) in [
        ("mode", format.map(|format| json!(format))),
        ("preset_id", preset.map(|preset| json!(preset))),
        ("models", models.map(|models| json!(models))),
        ("chairman_model", chairman.map(|chairman| json!(chairman))),
    ] {
        if let Some(value) = value {
            add(name, value);
        }
    }
    let conversation = match conversation {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| Problem::not_found("Conversation"))?),
    };
    Ok(QuestionArguments { conversation, body })
}

/// The preset of this name or id; the caller's own before everybody's.
fn preset_of(presets: Vec<PresetView>, wanted: &str) -> Result<PresetView, String> {
    let names = presets.iter().map(|preset| format!("{:?}", preset.name)).collect::<Vec<_>>().join(", ");
    let mut found: Vec<PresetView> = presets
        .into_iter()
        .filter(|preset| preset.id.to_string() == wanted || preset.name.eq_ignore_ascii_case(wanted.trim()))
        .collect();
    found.sort_by_key(|preset| (preset.name != wanted, preset.shared));
    found.into_iter().next().ok_or_else(|| {
        if names.is_empty() {
            format!("{wanted:?} is none; there are no presets, leave it out")
        } else {
            format!("{wanted:?} is none; there are {names}")
        }
    })
}
