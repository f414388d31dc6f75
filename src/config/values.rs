//! The merged values, each read by the kind of its key, and everything that is wrong with them. What is wrong counts
//! as not set, so that one pass finds every problem.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use config::{Value, ValueKind};
use serde::de::DeserializeOwned;

use super::error::ConfigError;
use super::keys;
use super::layers::{Layer, Layers};

pub(super) struct Values {
    /// [`ValueKind::Nil`] where a value is blank or wrong.
    set: BTreeMap<String, Value>,
    /// Sections with nothing in them.
    empty: BTreeSet<String>,
    errors: RefCell<Vec<ConfigError>>,
}

impl Values {
    pub(super) fn read(layers: Layers) -> Self {
        let empty = layers.empty.clone();
        let (merged, errors) = layers.merge();
        let mut values = Self { set: merged.clone(), empty, errors: RefCell::new(errors) };
        for (name, mut value) in merged {
            let key = keys::known(&name);
            let (kind, problems) = key.kind.read(key.rule, &value.kind);
            problems.into_iter().for_each(|problem| values.error(&name, problem));
            value.kind = kind;
            values.set.insert(name, value);
        }
        values
    }

    /// Notes a problem with a key, naming who set it.
    pub(super) fn error(&self, key: &str, message: impl Into<String>) {
        let source = self.set.get(key).and_then(Value::origin).unwrap_or_default().to_owned();
        self.errors.borrow_mut().push(ConfigError { key: key.to_owned(), source, message: message.into() });
    }

    /// A key with who set it, as errors name it.
    pub(super) fn named(&self, key: &str) -> String {
        match self.set.get(key).and_then(Value::origin) {
            Some(source) => format!("{key} (from {source})"),
            None => key.to_owned(),
        }
    }

    /// All that was noted, by key.
    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        let mut errors = self.errors.into_inner();
        errors.sort_by(|a, b| (&a.key, &a.message).cmp(&(&b.key, &b.message)));
        errors.dedup();
        errors
    }

    /// Whether this key is set, to whatever.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.set.contains_key(key)
    }

    /// Whether something is wrong with this key.
    pub(super) fn is_wrong(&self, key: &str) -> bool {
        self.errors.borrow().iter().any(|error| error.key == key)
    }

    /// Whether nobody set this key, or only to blank text.
    pub(super) fn is_blank(&self, key: &str) -> bool {
        !self.has_value(key) && !self.is_wrong(key)
    }

    /// Whether this key is set to something other than an empty list.
    pub(super) fn says_something(&self, key: &str) -> bool {
        let is_empty_list =
            |value: &Value| matches!(&value.kind, ValueKind::Array(items) if items.is_empty());
        self.has_value(key) && !self.set.get(key).is_some_and(is_empty_list)
    }

    /// Gives a key that has no value this one, and says whether it was blank.
    pub(super) fn fill(&mut self, key: &str, value: Value) -> bool {
        let is_blank = self.is_blank(key);
        if !self.has_value(key) {
            self.set.insert(key.to_owned(), value);
        }
        is_blank
    }

    fn has_value(&self, key: &str) -> bool {
        self.set.get(key).is_some_and(|value| value.kind != ValueKind::Nil)
    }

    /// The keys that are set.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.set.keys().map(String::as_str)
    }

    /// The different names that follow this section's: those of its keys and sub-sections.
    pub(super) fn children(&self, section: &str) -> BTreeSet<String> {
        let first = |rest: &str| rest.split('.').next().map(str::to_owned);
        let empty = self.empty.iter().map(String::as_str);
        self.keys().chain(empty).filter_map(|key| below(key, section)).filter_map(first).collect()
    }

    /// The value of a key: what it is set to, or else its default.
    pub(super) fn value<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        Some(self.find(key)?.try_deserialize().expect("a value of this kind is one of this type"))
    }

    /// A section as a struct whose fields are its keys.
    pub(super) fn section<T: DeserializeOwned>(&self, section: &str) -> T {
        let defaults = keys::inside(section);
        let set = self.keys().filter_map(|key| below(key, section)).map(str::to_owned);
        let names: BTreeSet<String> = defaults.into_iter().chain(set).collect();
        let mut layer = Layer::default();
        for name in names {
            if let Some(value) = self.find(&format!("{section}.{name}")) {
                layer.0.insert(name, value);
            }
        }
        let all = config::Config::builder().add_source(layer).build();
        all.and_then(config::Config::try_deserialize).expect("values of these kinds are those of this struct")
    }

    fn find(&self, key: &str) -> Option<Value> {
        match self.set.get(key).filter(|value| value.kind != ValueKind::Nil) {
            Some(value) => Some(value.clone()),
            None => keys::known(key).default_value(),
        }
    }
}

/// What follows this section's name in the name of a key.
fn below<'k>(key: &'k str, section: &str) -> Option<&'k str> {
    key.strip_prefix(section)?.strip_prefix('.')
}
