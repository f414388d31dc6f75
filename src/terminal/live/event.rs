//! Events as they are read: forgiving, field by field.
//!
//! A field that is missing, or of another type than it should be, reads as absent. So an event of a newer or an older
//! server is read as far as possible, and none of them is an error.

use serde_json::{Map, Value};

/// The fields of an event, or of an object within it; empty if there is no object.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(Option<&'a Map<String, Value>>);

impl<'a> Fields<'a> {
    #[must_use]
    pub fn of(value: &'a Value) -> Self {
        Self(value.as_object())
    }

    /// The field as it is; null if it is missing.
    #[must_use]
    pub fn value(self, name: &str) -> &'a Value {
        self.get(name).unwrap_or(&Value::Null)
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0?.get(name)
    }

    /// Whether there is an object to read from.
    #[must_use]
    pub fn is_there(self) -> bool {
        self.0.is_some()
    }

    /// Whether the field is there, whatever it holds.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the field holds something other than null.
    #[must_use]
    pub fn has_value(self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_null())
    }

    #[must_use]
    pub fn text(self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    /// A text that says something: not the empty one.
    #[must_use]
    pub fn words(self, name: &str) -> Option<&'a str> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// The text, or the empty one.
    #[must_use]
    pub fn string(self, name: &str) -> String {
        self.text(name).unwrap_or_default().to_owned()
    }

    #[must_use]
    pub fn owned(self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    #[must_use]
    pub fn flag(self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool) == Some(true)
    }

    #[must_use]
    pub fn number(self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// A whole number, negative ones too.
    #[must_use]
    pub fn whole(self, name: &str) -> Option<i64> {
        self.get(name)?.as_i64()
    }

    /// A whole number from 0 on.
    #[must_use]
    pub fn count(self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    #[must_use]
    pub fn within(self, name: &str) -> Self {
        Self(self.get(name).and_then(Value::as_object))
    }

    /// The values of a list; none where it is not a list.
    #[must_use]
    pub fn values(self, name: &str) -> &'a [Value] {
        self.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The objects of a list.
    pub fn each(self, name: &str) -> impl Iterator<Item = Fields<'a>> + use<'a> {
        self.values(name).iter().map(Fields::of).filter(|fields| fields.is_there())
    }

    /// The texts of a list.
    #[must_use]
    pub fn texts(self, name: &str) -> Vec<String> {
        self.values(name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The whole numbers of a list.
    #[must_use]
    pub fn numbers(self, name: &str) -> Vec<i64> {
        self.values(name).iter().filter_map(Value::as_i64).collect()
    }

    /// The fields of an object within, each with its name, in their order.
    pub fn entries(self, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        self.within(name).0.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
    }
}

/// An event: its type, and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub kind: &'a str,
    pub fields: Fields<'a>,
}

impl<'a> Event<'a> {
    /// `None` without a type: that is not an event.
    #[must_use]
    pub fn of(value: &'a Value) -> Option<Self> {
        let fields = Fields::of(value);
        Some(Self { kind: fields.text("type")?, fields })
    }
}

/// The number of a round by the server's name of its stage: `round2` is 2.
pub(super) fn number_of(stage: &str) -> Option<i64> {
    let digits = stage.strip_prefix("round")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The member whose call an event is about.
pub(super) fn member_of(fields: Fields<'_>) -> &str {
    fields.text("member").or(fields.text("model")).unwrap_or_default()
}
