//! `council.*`: its settings, as far as they are configured, and the built-in models for the rest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::layers::parse_toml;
use super::reader::Reader;
use super::tree::{Council, Providers};
use crate::council::field::FieldError;
use crate::council::setting::{Kind, Setting};
use crate::council::settings::Settings;
use crate::llm::{ProviderKind, Purpose, Sampling, Timeouts};

/// Who set what nobody else did.
const BUILT_IN: &str = "config.default.toml";

/// The council, completed by the built-in models where the default provider has some.
pub(super) fn council(read: &mut Reader, providers: &Providers) -> Council {
    let built_in = fill_in(read, providers);
    let all = Settings::all();
    let mut given: Map<String, Value> = Map::new();
    for setting in &all {
        given.extend(value(read, setting).map(|value| (setting.name.to_owned(), value)));
    }
    let settings = settings(read, given.clone(), &all);
    for setting in &all {
        if let (Some(key), Some(why)) = (setting.key(), setting.required)
            && read.is_blank(&key)
        {
            read.error(&key, format!("the provider {:?} has {why}", providers.default));
        }
    }
    for problem in settings.problems() {
        let (name, place) = problem.field.split_once('.').unwrap_or((&problem.field, ""));
        // What nobody set has been said to be missing, or stands for something else.
        if let Some(setting) = all.iter().find(|setting| setting.name == name && given.contains_key(name)) {
            refuse(read, setting, place, &problem);
        }
    }
    Council { settings, built_in }
}

/// Sets the keys that are left to the built-in models, and says which those are.
fn fill_in(read: &mut Reader, providers: &Providers) -> BTreeSet<String> {
    let default = providers.list.iter().find(|provider| provider.name == providers.default);
    let section = match default.map(|provider| provider.kind) {
        Some(ProviderKind::OpenRouter) => "council.",
        Some(ProviderKind::Simulated) => "simulated.",
        Some(ProviderKind::OpenAiCompatible) | None => return BTreeSet::new(),
    };
    let models = parse_toml(BUILT_IN, include_str!("config.default.toml"))
        .unwrap_or_else(|why| unreachable!("a test reads the built-in models: {why}"));
    let keys = models.into_iter().filter_map(|(name, value)| {
        let key = format!("council.{}", name.strip_prefix(section)?);
        read.fill(&key, value).then_some(key)
    });
    keys.collect()
}

/// What is configured of a setting; nothing where the configuration does not say.
fn value(read: &Reader, setting: &Setting) -> Option<Value> {
    let key = setting.key()?;
    match setting.kind {
        Kind::Flag => Some(read.bool(&key).into()),
        Kind::Number(..) => read.number::<u64>(&key).map(Value::from),
        Kind::Decimal(..) => read.decimal(&key).map(Value::from),
        Kind::Name | Kind::Model => read.text(&key).map(Value::from),
        Kind::Models(_) | Kind::Fallbacks => read.is_set(&key).then(|| read.list(&key).into()),
        Kind::Members => read.is_set(&key).then(|| json!(read.seats(&key))),
        Kind::ModelsUnder(words) => {
            Some(words.iter().map(|word| (*word, read.list(&under(&key, word)))).collect())
        }
        Kind::Options | Kind::PerCall => None,
    }
}

/// This key of a table with this word in the place of the one in angle brackets.
fn under(key: &str, word: &str) -> String {
    key.split_once('<').map_or_else(|| key.to_owned(), |(section, _)| format!("{section}{word}"))
}

/// The settings in force by what is configured.
fn settings(read: &Reader, mut given: Map<String, Value>, all: &[&Setting]) -> Settings {
    for setting in all {
        if !given.contains_key(setting.name)
            && let Some(other) = setting.or.and_then(|name| given.get(name))
        {
            given.insert(setting.name.to_owned(), other.clone());
        }
    }
    let settings = serde_json::from_value(Value::Object(given)).unwrap_or_else(|error| {
        read.error("council", error.to_string());
        Settings::default()
    });
    Settings {
        sampling: by_purpose(|purpose| sampling(read, purpose)),
        timeouts: by_purpose(|purpose| timeouts(read, purpose)),
        ..settings
    }
}

/// Notes what is wrong with a setting, or at a place in it.
fn refuse(read: &Reader, setting: &Setting, place: &str, problem: &FieldError) {
    let Some(key) = setting.key() else { return };
    let (key, place) = if matches!(setting.kind, Kind::ModelsUnder(_)) {
        let (word, place) = place.split_once('.').unwrap_or((place, ""));
        (under(&key, word), place)
    } else {
        (key, place)
    };
    let (item, part) = place.split_once('.').unwrap_or((place, ""));
    let at = match item.parse::<usize>() {
        Ok(index) if part.is_empty() => format!("item {}: ", index + 1),
        Ok(index) => format!("item {}, {part}: ", index + 1),
        Err(_) => String::new(),
    };
    read.error(&key, format!("{at}{}", problem.message));
}

fn by_purpose<T>(read: impl Fn(&str) -> T) -> BTreeMap<Purpose, T> {
    Purpose::ALL.into_iter().map(|purpose| (purpose, read(purpose.as_str()))).collect()
}

fn sampling(read: &Reader, purpose: &str) -> Sampling {
    Sampling {
        temperature: read.decimal(&format!("council.sampling.{purpose}.temperature")),
        max_tokens: read.number(&format!("council.sampling.{purpose}.max_tokens")),
    }
}

fn timeouts(read: &Reader, purpose: &str) -> Timeouts {
    let key = |field: &str| format!("council.timeouts.{purpose}.{field}");
    let total_ms: u64 = read.number(&key("total_ms")).unwrap_or_default();
    // Whoever only shortens the whole means the parts as well.
    let part = |field: &str| {
        let ms: u64 = read.number(&key(field)).unwrap_or_default();
        if read.is_set(&key(field)) { ms } else { ms.min(total_ms) }
    };
    let limits = Timeouts { first_token_ms: part("first_token_ms"), idle_ms: part("idle_ms"), total_ms };
    if total_ms < limits.first_token_ms.max(limits.idle_ms) {
        read.error(&key("total_ms"), "must not be shorter than first_token_ms and idle_ms");
    }
    limits
}
