//! Typed readings of the merged layers. A reading that fails notes why and gives what the caller
//! can go on with, so that one pass finds every problem.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

use config::{Value, ValueKind};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::error::ConfigError;
use super::keys::{self, Key, Kind};
use super::layers::Layers;
use crate::council::settings::Member;

pub(super) struct Reader {
    entries: BTreeMap<String, Value>,
    errors: RefCell<Vec<ConfigError>>,
}

impl Reader {
    pub(super) fn new(layers: Layers) -> Self {
        let (entries, errors) = layers.merge();
        Self { entries, errors: RefCell::new(errors) }
    }

    /// Notes a problem with a key, naming who set it.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) {
        let source = self.entries.get(key).and_then(Value::origin).unwrap_or_default().to_owned();
        self.errors.borrow_mut().push(ConfigError { key: key.to_owned(), source, message: message.into() });
    }

    /// All that was noted, by key.
    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        let mut errors = self.errors.into_inner();
        errors.sort_by(|a, b| (&a.key, &a.message).cmp(&(&b.key, &b.message)));
        errors.dedup();
        errors
    }

    /// Whether somebody set this key.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Whether nobody set this key, or only to blank text.
    pub(super) fn is_blank(&self, key: &str) -> bool {
        self.kind(key).is_none_or(|kind| text_of(kind).is_some_and(|text| text.trim().is_empty()))
    }

    /// Sets a key that is blank, and says whether it was.
    pub(super) fn fill(&mut self, key: &str, value: Value) -> bool {
        let blank = self.is_blank(key);
        if blank {
            self.entries.insert(key.to_owned(), value);
        }
        blank
    }

    /// The different names that follow this section's: those of its keys and sub-sections.
    pub(super) fn children(&self, section: &str) -> BTreeSet<String> {
        let below = |name: &String| Some(name.strip_prefix(section)?.strip_prefix('.')?.to_owned());
        let first = |rest: String| rest.split('.').next().map(str::to_owned);
        self.entries.keys().filter_map(below).filter_map(first).collect()
    }

    /// The text of a key, if anybody set it or it has a default. Blank text is no text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let text = match self.kind(key) {
            Some(ValueKind::String(text)) => text.trim().to_owned(),
            Some(other) => return self.refuse(key, format!("must be text, not {}", type_of(other))),
            None => known(key).default.clone().into_owned(),
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// A secret, exactly as it was written: what looks like a stray blank may be part of it.
    pub(super) fn secret(&self, key: &str) -> Option<SecretString> {
        let kind = self.kind(key)?;
        match text_of(kind) {
            Some(text) => Some(SecretString::from(text)).filter(|_| !text.is_empty()),
            None => self.refuse(key, format!("must be text in quotes, not {}", type_of(kind))),
        }
    }

    /// A secret that must also parse. The parser's error may quote it, so it is not shown.
    pub(super) fn checked_secret(
        &self,
        key: &str,
        expected: &str,
        is_valid: impl Fn(&str) -> bool,
    ) -> Option<SecretString> {
        let secret = self.secret(key)?;
        if is_valid(secret.expose_secret()) {
            Some(secret)
        } else {
            self.refuse(key, format!("must be {expected} (the value is not shown)"))
        }
    }

    /// The text of a key, parsed.
    pub(super) fn parsed<T: FromStr>(&self, key: &str, expected: &str) -> Option<T>
    where
        T::Err: Display,
    {
        let text = self.text(key)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => self.refuse(key, format!("{text:?} is not {expected}: {error}")),
        }
    }

    pub(super) fn bool(&self, key: &str) -> bool {
        let text = match self.kind(key) {
            Some(ValueKind::Boolean(value)) => return *value,
            Some(_) | None => self.text(key).unwrap_or_default(),
        };
        match text.to_lowercase().as_str() {
            "true" => true,
            "false" => false,
            _ => {
                self.error(key, format!("{text:?} is neither true nor false"));
                false
            }
        }
    }

    /// A whole number inside the key's bounds; absent only when the key has no default. After a
    /// problem, the default or nothing.
    pub(super) fn number<T: TryFrom<u64>>(&self, key: &str) -> Option<T> {
        let Kind::Number(low, high) = known(key).kind else {
            unreachable!("{key} is not a number in the table")
        };
        let expected = format!("a whole number from {low} to {high}");
        let number = match self.kind(key) {
            Some(ValueKind::I64(number)) => u64::try_from(*number).ok(),
            Some(ValueKind::Float(_)) => None,
            Some(_) | None => self.text(key)?.parse().ok(),
        };
        match number
            .filter(|number| (low..=high).contains(number))
            .and_then(|number| T::try_from(number).ok())
        {
            Some(number) => Some(number),
            None => self.refuse(key, format!("must be {expected}{}", self.shown(key))),
        }
    }

    /// A number inside the key's bounds; absent only when the key has no default.
    pub(super) fn decimal(&self, key: &str) -> Option<f64> {
        let Kind::Decimal(low, high) = known(key).kind else {
            unreachable!("{key} is not a decimal in the table")
        };
        let number = match self.kind(key) {
            Some(ValueKind::Float(number)) => Some(*number),
            #[expect(
                clippy::cast_precision_loss,
                reason = "the bounds are small; a large number is refused anyway"
            )]
            Some(ValueKind::I64(number)) => Some(*number as f64),
            Some(_) | None => self.text(key)?.parse().ok(),
        };
        match number.filter(|number| (low..=high).contains(number)) {
            Some(number) => Some(number),
            None => self.refuse(key, format!("must be a number from {low} to {high}{}", self.shown(key))),
        }
    }

    /// One of the key's words, with what each of them means here.
    pub(super) fn choice<T: Copy>(&self, key: &str, meanings: &[(&str, T)]) -> Option<T> {
        let text = match self.text(key) {
            None if self.is_set(key) => String::new(),
            text => text?,
        };
        if let Some((_, meaning)) = meanings.iter().find(|(word, _)| *word == text) {
            return Some(*meaning);
        }
        let words: Vec<&str> = meanings.iter().map(|(word, _)| *word).collect();
        self.refuse(key, format!("must be {}, not {text:?}", words.join(" or ")))
    }

    /// A list: a TOML array of text, or one comma-separated text. Blank items are dropped. Only ASCII
    /// blanks are: a group's name is compared exactly.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let Some(ValueKind::Array(items)) = self.kind(key) else {
            return split(&self.text(key).unwrap_or_default());
        };
        let mut list = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match text_of(&item.kind) {
                Some(text) => list.push(text.trim_ascii().to_owned()),
                None => {
                    self.error(key, format!("item {} must be text, not {}", index + 1, type_of(&item.kind)));
                }
            }
        }
        list.retain(|item| !item.is_empty());
        list
    }

    /// A list of members: model ids, or in TOML also tables.
    pub(super) fn seats(&self, key: &str) -> Vec<Member> {
        let Some(ValueKind::Array(items)) = self.kind(key) else {
            return self.list(key).into_iter().map(Member::plain).collect();
        };
        let read = |(index, item): (usize, &Value)| match (text_of(&item.kind), &item.kind) {
            (Some(model), _) => Some(Member::plain(model.trim())),
            (None, ValueKind::Table(_)) => match item.clone().try_deserialize::<Seat>() {
                Ok(Seat { model, alias, system_prompt }) => Some(Member { model, alias, system_prompt }),
                Err(error) => self.refuse(key, format!("item {}: {error}", index + 1)),
            },
            (None, other) => {
                let kind = type_of(other);
                self.refuse(key, format!("item {} must be a model id or a table, not {kind}", index + 1))
            }
        };
        items.iter().enumerate().filter_map(read).collect()
    }

    fn kind(&self, key: &str) -> Option<&ValueKind> {
        self.entries.get(key).map(|value| &value.kind)
    }

    fn shown(&self, key: &str) -> String {
        match self.kind(key) {
            Some(ValueKind::String(text)) => format!(", not {text:?}"),
            Some(other) => format!(", not {other}"),
            None => String::new(),
        }
    }

    fn refuse<T>(&self, key: &str, message: String) -> Option<T> {
        self.error(key, message);
        None
    }
}

/// A member as a table. Unlike in a request, an unknown key is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seat {
    model: String,
    alias: Option<String>,
    system_prompt: Option<String>,
}

fn text_of(kind: &ValueKind) -> Option<&str> {
    if let ValueKind::String(text) = kind { Some(text) } else { None }
}

/// What TOML calls this kind of value.
fn type_of(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Nil => "nothing",
        ValueKind::Boolean(_) => "boolean",
        ValueKind::I64(_) | ValueKind::I128(_) | ValueKind::U64(_) | ValueKind::U128(_) => "integer",
        ValueKind::Float(_) => "float",
        ValueKind::String(_) => "string",
        ValueKind::Table(_) => "table",
        ValueKind::Array(_) => "array",
    }
}

/// Splits a comma-separated text.
pub(super) fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::trim_ascii).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn known(key: &str) -> &'static Key {
    keys::find(key).unwrap_or_else(|| unreachable!("{key} is read but is not in the table of keys"))
}
