//! What the bodies of both APIs have in common, read field by field: what is understood, what cannot be done, and what
//! is ignored.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::messages::ParsedMessages;
use super::refusal::Refusal;
use crate::council::answer_form::AnswerForm;
use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::llm::Sampling;

/// The most tokens that a request may allow, as the configuration has it.
const MOST_TOKENS: u64 = 1_000_000;
const MAX_TEMPERATURE: f64 = 2.0;
/// The longest name of a model, and other names that only pass through.
const MAX_NAME_CHARS: usize = 300;
/// How many names of ignored parameters a header has at most: proxies refuse answers with long heads.
pub(super) const MOST_NAMES: usize = 40;

/// What a program asks, whichever API it speaks.
#[derive(Debug, Clone)]
pub(super) struct ParsedRequest {
    pub model: String,
    pub messages: ParsedMessages,
    pub sampling: Sampling,
    /// The form of the final answer, where that is not to be a text.
    pub form: Option<AnswerForm>,
    /// Whether the web may be searched first.
    pub searches: bool,
    pub stream: bool,
    /// Whether what each seat said is to come with the answer.
    pub includes_council: bool,
}

/// Reads a body, and remembers which of its fields were read.
pub(super) struct Reader<'b> {
    fields: Fields<'b>,
    body: &'b Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'b> Reader<'b> {
    pub fn of(body: &'b Value) -> Result<Self, Refusal> {
        let refused = |errors: Vec<FieldError>| Refusal::of_fields(&errors, &[]);
        let fields = Fields::of(body).map_err(refused)?;
        let Some(object) = body.as_object() else { return Err(refused(Vec::new())) };
        Ok(Self { fields, body: object, known: Vec::new() })
    }

    /// A field's value, if it is there; a wrong one is noted.
    pub fn take<T: DeserializeOwned>(&mut self, name: &'static str, expected: &str) -> Option<T> {
        self.known.push(name);
        self.fields.take(name, expected)
    }

    /// A field as it stands.
    pub fn raw(&mut self, name: &'static str) -> Option<&'b Value> {
        self.known.push(name);
        self.body.get(name).filter(|value| !value.is_null())
    }

    /// Notes what is wrong with a parameter.
    pub fn refuse(&mut self, name: impl Into<String>, why: impl Into<String>) {
        self.fields.refuse(name, FieldErrorKind::Value, why);
    }

    pub fn refuse_all(&mut self, errors: impl IntoIterator<Item = FieldError>) {
        self.fields.refuse_all(errors);
    }

    /// Refuses a parameter whose value asks for something that cannot be done.
    pub fn cannot(&mut self, name: &'static str, asks: impl Fn(&Value) -> bool, why: &str) {
        if self.raw(name).is_some_and(asks) {
            self.refuse(name, why);
        }
    }

    /// The model's name.
    pub fn model(&mut self) -> String {
        let model: Option<String> = self.take("model", "a string");
        match model.filter(|model| !model.trim().is_empty()) {
            Some(model) if model.chars().count() > MAX_NAME_CHARS || model.contains('\0') => {
                self.refuse("model", format!("must be at most {MAX_NAME_CHARS} characters, without U+0000"));
                String::new()
            }
            Some(model) => model,
            None => {
                self.refuse("model", "is required: the name of a model, such as council");
                String::new()
            }
        }
    }

    /// How the final answer is to be written; its length stands under the first of these names that is there.
    pub fn sampling(&mut self, lengths: &[&'static str]) -> Sampling {
        let temperature: Option<f64> = self.take("temperature", "a number");
        if temperature.is_some_and(|value| !(0.0..=MAX_TEMPERATURE).contains(&value)) {
            self.refuse("temperature", format!("must be from 0 to {MAX_TEMPERATURE}"));
        }
        let mut max_tokens = None;
        for name in lengths {
            let given: Option<u64> = self.take(name, "a whole number from 1");
            if given.is_some_and(|value| !(1..=MOST_TOKENS).contains(&value)) {
                self.refuse(*name, format!("must be from 1 to {MOST_TOKENS}"));
            }
            max_tokens = max_tokens.or(given.and_then(|value| u32::try_from(value).ok()));
        }
        Sampling { temperature, max_tokens }
    }

    /// Whether `include` asks for what each seat said. Its other words ask for things that come anyway or do not exist.
    pub fn includes_council(&mut self) -> bool {
        let words: Vec<String> = self.take("include", "a list of strings").unwrap_or_default();
        words.iter().any(|word| word == "council")
    }

    /// Notes the names of these parameters as ignored where they are set.
    pub fn passed_over(&mut self, names: &[&'static str]) {
        let says_nothing = |name: &&&'static str| !self.body.get(**name).is_some_and(is_filled);
        self.known.extend(names.iter().filter(says_nothing));
    }

    /// Marks parameters as read that change nothing here and need not be reported.
    pub fn without_effect(&mut self, names: &[&'static str]) {
        self.known.extend(names);
    }

    /// The result of `value`, with the names of the parameters that are ignored.
    ///
    /// # Errors
    /// Everything that is wrong with the body.
    pub fn finish<T>(self, value: impl FnOnce() -> T) -> Result<(T, Vec<String>), Refusal> {
        let Self { fields, body, known } = self;
        let passed_over = |(name, value): &(&String, &Value)| {
            !value.is_null() && !known.contains(&name.as_str()) && is_plain(name)
        };
        let ignored =
            body.iter().filter(passed_over).map(|(name, _)| name.clone()).take(MOST_NAMES).collect();
        let value = fields.finish(value).map_err(|errors| Refusal::of_fields(&errors, &[]))?;
        Ok((value, ignored))
    }
}

/// Whether a name can stand in a header.
fn is_plain(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Whether a list or an object says something.
pub(super) fn is_filled(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Whether a choice of tools makes the model call one.
pub(super) fn demands_a_tool(choice: &Value) -> bool {
    // A choice among some of them also leaves open whether any is called.
    let mode = choice.get("mode").or(choice.get("allowed_tools").and_then(|among| among.get("mode")));
    let choice = mode.filter(|_| choice.get("type") == Some(&Value::from("allowed_tools"))).unwrap_or(choice);
    !matches!(choice.as_str(), Some("none" | "auto"))
}

/// The refusal of a `tool_choice` that demands a tool.
pub(super) const NO_TOOLS: &str =
    "must be auto or none: a council calls no tools of the program, and answers without";
