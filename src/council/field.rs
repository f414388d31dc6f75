//! Reading untrusted JSON bodies field by field, so that one response names every wrong field.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::invisible::{is_hidden, shows_nothing};

/// How many wrong fields a response names. A list in a request's body may have hundreds of thousands of wrong items,
/// and a response that named each would be many times as long as the request.
const MOST_NAMED: usize = 100;

/// One wrong field of a request or of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FieldError {
    /// The field's path, dotted (`council_models.2.model`).
    pub field: String,
    /// A short machine-readable kind (`missing`, `type`, `value`, `unavailable`).
    #[serde(rename = "type")]
    pub kind: FieldErrorKind,
    /// What is wrong and what is accepted, for people.
    pub message: String,
}

/// Why a field was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldErrorKind {
    /// A required field is absent.
    Missing,
    /// The JSON type does not fit.
    Type,
    /// The type fits, the value is out of range or contradicts another.
    Value,
    /// A known option that this server does not offer.
    Unavailable,
}

impl FieldError {
    /// A refused value.
    pub fn value(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), kind: FieldErrorKind::Value, message: message.into() }
    }

    /// The same error of a field inside another one.
    #[must_use]
    pub fn under(self, outer: &str) -> Self {
        Self { field: format!("{outer}.{}", self.field), ..self }
    }
}

/// The errors as a response names them: of very many only the first, and how many more there are.
#[must_use]
pub fn named(errors: &[FieldError]) -> Cow<'_, [FieldError]> {
    // A list that was shortened before has one more, and stays as it is.
    if errors.len() <= MOST_NAMED + 1 {
        return Cow::Borrowed(errors);
    }
    let more = errors.len() - MOST_NAMED;
    let mut named = errors[..MOST_NAMED].to_vec();
    named.push(FieldError::value("body", format!("has {more} more wrong fields")));
    Cow::Owned(named)
}

/// What is wrong with a name that somebody gives to something, if anything. A name has visible characters, and none
/// that hide or that turn a line around; it may have joiners, which scripts and emoji need.
#[must_use]
pub fn name_problem(name: &str, most_chars: usize) -> Option<String> {
    let is_unseen = |c: char| c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}');
    let is_right = !shows_nothing(name) && name.chars().count() <= most_chars && !name.chars().any(is_unseen);
    let rule = || format!("must be 1 to {most_chars} characters without control or invisible characters");
    (!is_right).then(rule)
}

/// The fields of a JSON object, and the errors met while reading them.
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    errors: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    /// Reads `body`, which must be an object.
    ///
    /// # Errors
    /// One error on the field `body` when it is anything else.
    pub fn of(body: &'a Value) -> Result<Self, Vec<FieldError>> {
        body.as_object().map(|object| Self { object, errors: Vec::new() }).ok_or_else(|| {
            vec![FieldError {
                field: "body".into(),
                kind: FieldErrorKind::Type,
                message: "the body must be a JSON object".into(),
            }]
        })
    }

    /// The field's value; absent and `null` are `None`, a wrong type is recorded and `None`.
    pub fn take<T: DeserializeOwned>(&mut self, field: &str, expected: &str) -> Option<T> {
        let value = self.object.get(field).filter(|value| !value.is_null())?;
        match T::deserialize(value) {
            Ok(value) => Some(value),
            Err(_) => {
                self.refuse(field, FieldErrorKind::Type, format!("must be {expected}"));
                None
            }
        }
    }

    /// The field's value, a whole number in this range; a wrong one is recorded and `None`.
    pub fn take_in(&mut self, field: &str, range: std::ops::RangeInclusive<u8>) -> Option<u8> {
        let given: i64 = self.take(field, "a whole number")?;
        let value = u8::try_from(given).ok().filter(|value| range.contains(value));
        if value.is_none() {
            let message = format!("must be from {} to {}; it is {given}", range.start(), range.end());
            self.refuse(field, FieldErrorKind::Value, message);
        }
        value
    }

    /// Whether the field is there and not `null`.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.object.get(field).is_some_and(|value| !value.is_null())
    }

    /// Records a refusal.
    pub fn refuse(&mut self, field: impl Into<String>, kind: FieldErrorKind, message: impl Into<String>) {
        self.errors.push(FieldError { field: field.into(), kind, message: message.into() });
    }

    /// Adds errors found elsewhere.
    pub fn refuse_all(&mut self, errors: impl IntoIterator<Item = FieldError>) {
        self.errors.extend(errors);
    }

    /// All refusals, or `value` when there are none.
    ///
    /// # Errors
    /// Every recorded refusal.
    pub fn finish<T>(self, value: impl FnOnce() -> T) -> Result<T, Vec<FieldError>> {
        if self.errors.is_empty() { Ok(value()) } else { Err(self.errors) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_wrong_fields_the_first_are_named_and_the_others_counted() {
        let errors = |count: usize| -> Vec<FieldError> {
            (0..count).map(|place| FieldError::value(format!("list.{place}"), "is wrong")).collect()
        };
        let few = errors(MOST_NAMED + 1);
        assert_eq!(named(&few), few.as_slice());
        let many = errors(1_000_000);
        let first = named(&many);
        assert_eq!(first.len(), MOST_NAMED + 1);
        assert_eq!(first[..MOST_NAMED], many[..MOST_NAMED]);
        assert_eq!(first[MOST_NAMED], FieldError::value("body", "has 999900 more wrong fields"));
        assert_eq!(named(&first), first, "it says the same when it is shortened again");
    }

    #[test]
    fn a_name_shows_itself_as_it_is() {
        for name in ["a", "Größe 2", "日本語", "👩\u{200d}💻 at work", "می\u{200c}خواهم", &"ü".repeat(20)]
        {
            assert_eq!(name_problem(name, 20), None, "{name}");
        }
        for name in [
            "",
            " ",
            "\u{200b}",
            "\u{3164}",
            "\u{200d}",
            "\u{202e}txt.exe",
            "a\u{feff}b",
            "a\u{2028}b",
            "a\nb",
            "a\0b",
            &"x".repeat(21),
        ] {
            let problem = name_problem(name, 20).unwrap();
            assert_eq!(
                problem, "must be 1 to 20 characters without control or invisible characters",
                "{name:?}"
            );
        }
    }
}
