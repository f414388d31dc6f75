//! What values look like: each is brought into one form, from which `serde` reads it, or refused.

use config::{Value, ValueKind};
use serde::Deserialize;

/// What the value of a key looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    /// What models are asked with: text that is kept with its blanks, and may not be blank.
    Template,
    /// Text that no log, error or `Debug` shows; may also be read from a file (`…_FILE`).
    Secret,
    Bool,
    /// A whole number, both bounds included.
    Number(u64, u64),
    /// A number with a fraction, both bounds included.
    Decimal(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A TOML array of text, or one comma-separated text.
    List,
    /// A list whose TOML items may also be tables `{ model, alias, system_prompt }`.
    Members,
}

/// What a text must be beyond its kind: the text in the form in which it is kept, or what is wrong with it. In a list
/// it holds for every item.
pub(super) type Rule = fn(&str) -> Result<String, String>;

/// A member as a table. Unlike in a request, an unknown key is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberTable {
    #[serde(rename = "model")]
    _model: String,
    #[serde(rename = "alias")]
    _alias: Option<String>,
    #[serde(rename = "system_prompt")]
    _system_prompt: Option<String>,
}

impl Kind {
    /// A value as written in a file or a variable, and everything that is wrong with it. A value that is blank or
    /// wrong becomes [`ValueKind::Nil`]; wrong items of a list are left out.
    pub(super) fn read(self, rule: Rule, written: &ValueKind) -> (ValueKind, Vec<String>) {
        let text = text_of(written);
        if text.is_some_and(|text| self.is_blank(text)) {
            return (ValueKind::Nil, Vec::new());
        }
        if matches!(self, Self::List | Self::Members) {
            if let Some(text) = text {
                return self.items(rule, &split(text));
            }
            if let ValueKind::Array(items) = written {
                return self.items(rule, items);
            }
        }
        match self.scalar(rule, written) {
            Ok(value) => (value, Vec::new()),
            Err(problem) => (ValueKind::Nil, vec![problem]),
        }
    }

    /// Whether this text says nothing. What looks like a stray blank may be part of a secret. A blank word is
    /// refused: one of them may close the server.
    fn is_blank(self, text: &str) -> bool {
        match self {
            Self::Choice(_) | Self::Bool | Self::Template => false,
            Self::Secret => text.is_empty(),
            Self::Text | Self::Number(..) | Self::Decimal(..) | Self::List | Self::Members => {
                text.trim().is_empty()
            }
        }
    }

    fn scalar(self, rule: Rule, written: &ValueKind) -> Result<ValueKind, String> {
        let keeps_blanks = matches!(self, Self::Secret | Self::Template);
        let text = text_of(written).map(|text| if keeps_blanks { text } else { text.trim() });
        let value = match self {
            Self::Text | Self::Template | Self::Secret => text.map(rule).transpose()?.map(ValueKind::String),
            Self::Choice(words) => {
                let word = text.map(rule).transpose()?;
                word.filter(|word| words.contains(&word.as_str())).map(ValueKind::String)
            }
            Self::Bool => flag(written, text).map(ValueKind::Boolean),
            Self::Number(low, high) => {
                whole(written, text).filter(|number| (low..=high).contains(number)).map(ValueKind::U64)
            }
            Self::Decimal(low, high) => {
                decimal(written, text).filter(|number| (low..=high).contains(number)).map(ValueKind::Float)
            }
            Self::List | Self::Members => None,
        };
        value.ok_or_else(|| format!("must be {}, not {}", self.expected(), self.shown(text, written)))
    }

    fn items(self, rule: Rule, items: &[Value]) -> (ValueKind, Vec<String>) {
        let mut read = Vec::new();
        let mut problems = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match self.item(rule, index + 1, item) {
                Ok(item) => read.extend(item),
                Err(problem) => problems.push(problem),
            }
        }
        (ValueKind::Array(read), problems)
    }

    /// An item; nothing where a list of text has a blank one. Only ASCII blanks are taken away: a group's name is
    /// compared exactly.
    fn item(self, rule: Rule, number: usize, item: &Value) -> Result<Option<Value>, String> {
        match (&item.kind, self == Self::Members) {
            (ValueKind::String(text), is_member) => {
                let text = text.trim_ascii();
                if text.is_empty() && !is_member {
                    return Ok(None);
                }
                rule(text).map(|text| Some(Value::new(item.origin().map(str::to_owned).as_ref(), text)))
            }
            (ValueKind::Table(_), true) => match item.clone().try_deserialize::<MemberTable>() {
                Ok(_) => Ok(Some(item.clone())),
                Err(error) => Err(format!("item {number}: {error}")),
            },
            (other, true) => {
                Err(format!("item {number} must be a model id or a table, not {}", type_of(other)))
            }
            (other, false) => Err(format!("item {number} must be text, not {}", type_of(other))),
        }
    }

    fn expected(self) -> String {
        match self {
            Self::Text | Self::Template => "text".to_owned(),
            Self::Secret => "text in quotes".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Number(low, high) => format!("a whole number from {low} to {high}"),
            Self::Decimal(low, high) => format!("a number from {low} to {high}"),
            Self::Choice(words) => words.join(" or "),
            Self::List => "a list of text".to_owned(),
            Self::Members => "a list of members".to_owned(),
        }
    }

    /// A wrong value as an error shows it: where it may be a secret, or long, only its type.
    fn shown(self, text: Option<&str>, written: &ValueKind) -> String {
        match (self, text) {
            (Self::Text | Self::Template | Self::Secret | Self::List | Self::Members, _) => {
                type_of(written).to_owned()
            }
            (_, Some(text)) => format!("{text:?}"),
            (_, None) => written.to_string(),
        }
    }
}

fn text_of(written: &ValueKind) -> Option<&str> {
    if let ValueKind::String(text) = written { Some(text) } else { None }
}

fn flag(written: &ValueKind, text: Option<&str>) -> Option<bool> {
    if let ValueKind::Boolean(flag) = written {
        return Some(*flag);
    }
    text?.to_lowercase().parse().ok()
}

fn whole(written: &ValueKind, text: Option<&str>) -> Option<u64> {
    if let ValueKind::I64(number) = written {
        return u64::try_from(*number).ok();
    }
    text?.parse().ok()
}

#[expect(clippy::cast_precision_loss, reason = "the bounds are small; a large number is refused anyway")]
fn decimal(written: &ValueKind, text: Option<&str>) -> Option<f64> {
    if let ValueKind::Float(number) = written {
        return Some(*number);
    }
    if let ValueKind::I64(number) = written {
        return Some(*number as f64);
    }
    text?.parse().ok()
}

/// Splits a comma-separated text.
fn split(text: &str) -> Vec<Value> {
    let items = text.split(',').map(str::trim_ascii).filter(|item| !item.is_empty());
    items.map(Value::from).collect()
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
