//! The form in which the final answer was requested: one JSON document, either of a schema or any object.

use jsonschema::{PatternOptions, Validator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::prompts::fence;
use super::prompts::template::Template;
use crate::invisible::holds_nul;
use crate::llm::Schema;

/// The longest schema, in bytes: it is sent with every try to write the answer.
pub const MAX_SCHEMA_BYTES: usize = 32 << 10;
/// How many subschemas a schema may have once every reference is followed: each adds to a document's checking time.
const MAX_SCHEMAS: usize = 10_000;
/// How deep schemas may be nested.
const MAX_DEPTH: usize = 64;
/// The largest compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 256 << 10;
/// The most patterns: each takes about a millisecond to compile, anew for every document, and blocks everything else.
const MAX_PATTERNS: usize = 100;
/// How many faults of a document are reported.
const MOST_FAULTS: usize = 5;
const MAX_FAULT_CHARS: usize = 200;

/// The instruction on the form for the writer of the answer.
pub static INSTRUCTIONS: Template = Template {
    name: "answer_form",
    about: "What whoever writes the final answer is told where a program wants it as JSON; it stands after what else it is asked.",
    text: "\n\nThe program that asks reads the answer as JSON. Write it as one JSON document and nothing else: no code \
        fence, no word before or after it. {shape}",
    places: &["shape"],
    marks: &[],
};
/// The shape of an answer without a schema.
pub static ANY_OBJECT: Template = Template {
    name: "answer_form_object",
    about: "The form of an answer that may be any JSON object.",
    text: "It must be an object.",
    places: &[],
    marks: &[],
};
/// The shape of an answer with a schema.
pub static OF_SCHEMA: Template = Template {
    name: "answer_form_schema",
    about: "The form of an answer that has to fit a JSON schema.",
    text: "It must fit this JSON schema:\n\n{schema}",
    places: &["schema"],
    marks: &[],
};
/// The instruction on the form for a chairman that chooses among drafts and may write a version of its own.
pub static OF_CHOICE: Template = Template {
    name: "answer_form_choice",
    about: "What a chairman that chooses among drafts is told of their form.",
    text: "\n\nThe answer has to be one JSON document, as the drafts are. A version of your own must be such a document as \
        well, whole, and nothing else. {shape}",
    places: &["shape"],
    marks: &[],
};
/// What a writer is asked whose text does not have the form.
pub static REPAIR: Template = Template {
    name: "answer_form_repair",
    about: "What a writer is asked whose final answer is not of the form that was asked for.",
    text: "The text below was to be one JSON document. It {problem}.\n\n{text}\n\n{rule}\n\n\
        Write what the text says as one JSON document and nothing else: no code fence, no word before or after it. Leave \
        nothing out and add nothing that the text does not say. {shape}",
    places: &["problem", "text", "rule", "shape"],
    marks: &[],
};

/// All templates that answers of a form need.
pub static TEMPLATES: &[&Template] =
    &[&INSTRUCTIONS, &ANY_OBJECT, &OF_SCHEMA, &OF_CHOICE, &REPAIR, &fence::RULE];

/// The requested form of the final answer. Frozen with the plan when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerForm {
    /// The schema's name, given by the asker: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// The JSON schema that the document must fit; `None` for any object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Whether the provider is to enforce the schema, which it can for a part of JSON Schema only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

impl AnswerForm {
    /// The form of any JSON object.
    #[must_use]
    pub fn any_object() -> Self {
        Self { name: "answer".to_owned(), schema: None, strict: false }
    }

    /// The form of a document that fits this schema.
    ///
    /// # Errors
    /// Why documents cannot be checked against it, as the end of a sentence that begins with the schema's name.
    pub fn of_schema(name: &str, schema: &Value, strict: bool) -> Result<Self, String> {
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            return Err(format!("is {bytes} bytes long; at most {MAX_SCHEMA_BYTES} are accepted"));
        }
        // It is stored with the run.
        if holds_nul(schema) {
            return Err("contains the character U+0000, which cannot be stored".to_owned());
        }
        Unfolding::of(schema)?;
        let patterns = patterns(schema);
        if patterns > MAX_PATTERNS {
            return Err(format!("has {patterns} patterns; at most {MAX_PATTERNS} are accepted"));
        }
        validator(schema).map_err(|problem| format!("is not a valid JSON schema: {problem}"))?;
        Ok(Self { name: name.to_owned(), schema: Some(schema.clone()), strict })
    }

    /// The schema for the provider, where that can enforce one.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let schema = self.schema.clone().unwrap_or_else(|| json!({"type": "object"}));
        Schema { strict: self.strict, from_asker: true, ..Schema::new(&self.name, schema) }
    }

    /// Finds the document in a text: the whole text, or what is in a code fence, or from the first brace to the last.
    ///
    /// # Errors
    /// What is wrong with the text, as the end of a sentence.
    pub fn read(&self, text: &str) -> Result<String, String> {
        let mut found = None;
        let mut problem = None;
        for candidate in candidates(text) {
            match serde_json::from_str::<Value>(candidate) {
                Ok(document) => {
                    found = Some((candidate, document));
                    break;
                }
                Err(error) => drop(problem.get_or_insert_with(|| error.to_string())),
            }
        }
        let Some((text, document)) = found else {
            return Err(format!("is no JSON: {}", problem.unwrap_or_else(|| "it is empty".to_owned())));
        };
        match &self.schema {
            None if document.is_object() => Ok(text.to_owned()),
            None => Err("is no JSON object".to_owned()),
            Some(schema) => {
                let faults = faults(schema, &document);
                if faults.is_empty() {
                    return Ok(text.to_owned());
                }
                Err(format!("does not fit the schema: {}", faults.join("; ")))
            }
        }
    }
}

/// The parts of a text that may be the document, the likeliest first.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.trim();
    let fenced = whole.split_once("```").and_then(|(_, rest)| {
        let (_, rest) = rest.split_once('\n')?;
        rest.rsplit_once("```").map(|(inside, _)| inside.trim())
    });
    let braced = whole.find(['{', '[']).and_then(|start| {
        let end = whole.rfind(['}', ']'])?;
        whole.get(start..=end)
    });
    [Some(whole), fenced, braced].into_iter().flatten().filter(|text| !text.is_empty())
}

/// How many patterns a schema has. What only looks like one counts as well.
fn patterns(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(patterns).sum(),
        Value::Object(fields) => {
            let own = |name: &str, value: &Value| match (name, value) {
                ("pattern", Value::String(_)) => 1,
                ("patternProperties", Value::Object(named)) => named.len(),
                _ => 0,
            };
            fields.iter().map(|(name, value)| own(name, value) + patterns(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// A validator for a schema. Its patterns take time linear in the text, whoever wrote them.
fn validator(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
    let built = jsonschema::options().with_pattern_options(patterns).build(schema);
    built.map_err(|error| short(&error.to_string()))
}

fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let validator = match validator(schema) {
        Ok(validator) => validator,
        // The schema was valid when the run was started.
        Err(problem) => return vec![problem],
    };
    let fault = |error: jsonschema::ValidationError<'_>| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "the document".to_owned() } else { place };
        short(&format!("at {place}, {}", error.masked()))
    };
    validator.iter_errors(document).take(MOST_FAULTS).map(fault).collect()
}

fn short(text: &str) -> String {
    text.chars().take(MAX_FAULT_CHARS).collect()
}

/// Counts the subschemas once references are followed, so that nobody can write a small schema that takes for ever.
struct Unfolding<'s> {
    root: &'s Value,
    left: usize,
    /// The references that are being followed.
    within: Vec<&'s str>,
}

impl<'s> Unfolding<'s> {
    fn of(root: &'s Value) -> Result<(), String> {
        if !root.is_object() {
            return Err("must be an object: a JSON schema".to_owned());
        }
        let mut unfolding = Self { root, left: MAX_SCHEMAS, within: Vec::new() };
        unfolding.walk(root, 0)
    }

    fn walk(&mut self, value: &'s Value, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("is nested more than {MAX_DEPTH} levels deep"));
        }
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            format!("has more than {MAX_SCHEMAS} subschemas once its references are followed")
        })?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.walk(item, depth + 1)),
            Value::Object(fields) => self.object(fields, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn object(&mut self, fields: &'s Map<String, Value>, depth: usize) -> Result<(), String> {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("$ref", Value::String(reference)) => self.follow(reference, depth)?,
                (
                    "$dynamicRef" | "$recursiveRef" | "$id" | "id" | "$anchor" | "$dynamicAnchor",
                    Value::String(_),
                ) => {
                    return Err(format!(
                        "must not contain {name:?}: refer to parts of the schema by \"#/…\""
                    ));
                }
                // Definitions are checked where they are referred to, and data is not a schema.
                ("$defs" | "definitions", Value::Object(_)) if depth == 0 => {}
                ("const" | "enum" | "default" | "examples", _) => {}
                // Their names are the asker's own, so one called "default" is a schema like the others.
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies",
                    Value::Object(named),
                ) => named.values().try_for_each(|schema| self.walk(schema, depth + 2))?,
                _ => self.walk(value, depth + 1)?,
            }
        }
        Ok(())
    }

    fn follow(&mut self, reference: &'s str, depth: usize) -> Result<(), String> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err("refers to another document; only \"#/…\" can be followed".to_owned());
        };
        if pointer.is_empty() || self.within.contains(&reference) {
            return Err("refers to itself: its documents could be nested without limit".to_owned());
        }
        let root = self.root;
        let Some(target) = root.pointer(pointer) else {
            return Err(format!("refers to {}, which is not there", short(reference)));
        };
        self.within.push(reference);
        self.walk(target, depth + 1)?;
        self.within.pop();
        Ok(())
    }
}

#[cfg(test)]
#[path = "answer_form_tests.rs"]
mod tests;
