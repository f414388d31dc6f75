//! In which form a program wants the final answer: `response_format` of chat completions, `text.format` of responses.

use serde_json::Value;

use super::request::Reader;
use crate::council::answer_form::AnswerForm;

const MAX_NAME_CHARS: usize = 64;
const TYPES: &str = "must be text, json_object or json_schema";

/// Reads `response_format`.
pub(super) fn of_chat(reader: &mut Reader<'_>) -> Option<AnswerForm> {
    let format = reader.raw("response_format")?;
    if kind(format) != Some("json_schema") {
        return of_kind(reader, "response_format", format);
    }
    match format.get("json_schema") {
        Some(described) if described.is_object() => {
            of_schema(reader, "response_format.json_schema", described)
        }
        Some(_) | None => {
            reader.refuse("response_format.json_schema", "is required: an object with name and schema");
            None
        }
    }
}

/// Reads `text.format`.
pub(super) fn of_response(reader: &mut Reader<'_>) -> Option<AnswerForm> {
    let text = reader.raw("text")?;
    if !text.is_object() {
        reader.refuse("text", "must be an object");
        return None;
    }
    let format = text.get("format").filter(|format| !format.is_null())?;
    match kind(format) {
        Some("json_schema") => of_schema(reader, "text.format", format),
        _ => of_kind(reader, "text.format", format),
    }
}

fn kind(format: &Value) -> Option<&str> {
    format.get("type").and_then(Value::as_str)
}

fn of_kind(reader: &mut Reader<'_>, field: &str, format: &Value) -> Option<AnswerForm> {
    match kind(format) {
        Some("text") => None,
        Some("json_object") => Some(AnswerForm::any_object()),
        Some(_) | None => {
            reader.refuse(format!("{field}.type"), TYPES);
            None
        }
    }
}

/// Reads a schema with its name.
fn of_schema(reader: &mut Reader<'_>, field: &str, described: &Value) -> Option<AnswerForm> {
    let name = described.get("name").and_then(Value::as_str).filter(|name| is_name(name));
    if name.is_none() {
        let rule = format!("must be 1 to {MAX_NAME_CHARS} letters, digits, _ and -");
        reader.refuse(format!("{field}.name"), rule);
    }
    let strict = match described.get("strict") {
        None | Some(Value::Null) => Some(false),
        Some(strict) => strict.as_bool(),
    };
    if strict.is_none() {
        reader.refuse(format!("{field}.strict"), "must be true or false");
    }
    let Some(schema) = described.get("schema") else {
        reader.refuse(format!("{field}.schema"), "is required: a JSON schema");
        return None;
    };
    match AnswerForm::of_schema(name.unwrap_or_default(), schema, strict.unwrap_or_default()) {
        Ok(form) => Some(form),
        Err(problem) => {
            reader.refuse(format!("{field}.schema"), problem);
            None
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chat(format: &Value) -> Result<Option<AnswerForm>, Value> {
        let body = json!({"response_format": format});
        let mut reader = Reader::of(&body).unwrap();
        let form = of_chat(&mut reader);
        reader.finish(|| form).map(|(form, _)| form).map_err(|refusal| refusal.object())
    }

    #[test]
    fn both_spellings_are_read() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let described = json!({"name": "thing", "schema": schema, "strict": true});
        let form = chat(&json!({"type": "json_schema", "json_schema": described})).unwrap().unwrap();
        assert_eq!((form.name.as_str(), form.strict, form.schema.as_ref()), ("thing", true, Some(&schema)));
        let body = json!({"text": {"format": {"type": "json_schema", "name": "thing", "schema": schema, "strict": true}}});
        let mut reader = Reader::of(&body).unwrap();
        assert_eq!(of_response(&mut reader), Some(form));
        assert_eq!(chat(&json!({"type": "json_object"})), Ok(Some(AnswerForm::any_object())));
        assert_eq!(chat(&json!({"type": "text"})), Ok(None));
        assert_eq!(chat(&Value::Null), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named_where_it_stands() {
        let schema = |described: Value| json!({"type": "json_schema", "json_schema": described});
        for (param, format) in [
            ("response_format.type", json!({"type": "yaml"})),
            ("response_format.type", json!("json_object")),
            ("response_format.json_schema", json!({"type": "json_schema"})),
            ("response_format.json_schema.name", schema(json!({"schema": {}}))),
            ("response_format.json_schema.name", schema(json!({"name": "a b", "schema": {}}))),
            ("response_format.json_schema.strict", schema(json!({"name": "a", "strict": 1, "schema": {}}))),
            ("response_format.json_schema.schema", schema(json!({"name": "a"}))),
            ("response_format.json_schema.schema", schema(json!({"name": "a", "schema": {"type": "thing"}}))),
            ("response_format.json_schema.schema", schema(json!({"name": "a", "schema": {"$ref": "#"}}))),
        ] {
            assert_eq!(chat(&format).unwrap_err()["param"], param, "{format}");
        }
    }
}
