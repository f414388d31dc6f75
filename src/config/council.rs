//! `council.*`: its settings, as far as they are configured, and the built-in models for the rest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::layers::parse_toml;
use super::tree::{Council, Providers};
use super::values::Values;
use crate::council::features::purposes;
use crate::council::field::FieldError;
use crate::council::plan::settings_problems;
use crate::council::setting::{Kind, Setting};
use crate::council::settings::Settings;
use crate::llm::{Timeouts, unknown_provider};

/// The origin of a value that nobody else has set.
const BUILT_IN: &str = "config.default.toml";

/// The council, completed by the built-in models where the default provider has some.
pub(super) fn council(values: &mut Values, providers: &Providers) -> Council {
    let built_in = fill_in(values, providers);
    let all = Settings::all();
    let mut given: Map<String, Value> = Map::new();
    for setting in &all {
        given.extend(value(values, setting).map(|value| (setting.name.to_owned(), value)));
    }
    let settings = settings(values, given.clone(), &all);
    for setting in &all {
        if let (Some(key), Some(why)) = (setting.key(), setting.required)
            && values.is_blank(&key)
        {
            values.error(&key, format!("the provider {:?} has {why}", providers.default));
        }
    }
    for problem in settings_problems(&settings) {
        let (name, place) = problem.field.split_once('.').unwrap_or((&problem.field, ""));
        // A key that nobody set has been reported as missing, or has another meaning when absent.
        if let Some(setting) = all.iter().find(|setting| setting.name == name && given.contains_key(name)) {
            refuse(values, setting, place, &problem);
        }
    }
    refuse_unknown_providers(values, &settings, &built_in, providers);
    Council { settings, built_in }
}

/// Names each key with a model of a provider that is not configured.
fn refuse_unknown_providers(
    values: &Values,
    settings: &Settings,
    built_in: &BTreeSet<String>,
    providers: &Providers,
) {
    for (key, model) in settings.clone().model_groups().into_iter().flatten() {
        // Keys that nobody set have another meaning when absent.
        if built_in.contains(&key) || !values.is_set(&key) {
            continue;
        }
        if let Some(message) = no_provider(model, providers) {
            values.error(&key, message);
        }
    }
}

/// What is wrong with a model of a provider that is not configured: it would be asked for at the default one.
pub(super) fn no_provider(model: &str, providers: &Providers) -> Option<String> {
    let names = || providers.list.iter().map(|provider| provider.name.as_str());
    let name = unknown_provider(model, |name| names().any(|known| known == name))?;
    let known = names().collect::<Vec<_>>().join(", ");
    Some(format!(
        "there is no provider {name:?} for {model:?}; set providers.{name}.kind, or name one of {known}"
    ))
}

/// Sets the keys that are left to the built-in models, and says which those are.
fn fill_in(values: &mut Values, providers: &Providers) -> BTreeSet<String> {
    let default = providers.list.iter().find(|provider| provider.name == providers.default);
    let Some(section) = default.and_then(|provider| provider.kind.built_in_council) else {
        return BTreeSet::new();
    };
    let models = parse_toml(BUILT_IN, include_str!("config.default.toml"))
        .unwrap_or_else(|why| unreachable!("a test reads the built-in models: {why}"));
    let keys = models.into_iter().filter_map(|(name, value)| {
        let key = format!("council.{}", name.strip_prefix(section)?.strip_prefix('.')?);
        values.fill(&key, value).then_some(key)
    });
    keys.collect()
}

/// What is configured of a setting; nothing where the configuration does not say.
fn value(values: &Values, setting: &Setting) -> Option<Value> {
    let key = setting.key()?;
    let Kind::ModelsUnder(words) = setting.kind else { return values.value(&key) };
    let models = |word: &str| values.value(&under(&key, word)).unwrap_or_else(|| Value::Array(Vec::new()));
    Some(words.iter().map(|word| (*word, models(word))).collect())
}

/// This key of a table with this word in the place of the one in angle brackets.
fn under(key: &str, word: &str) -> String {
    key.split_once('<').map_or_else(|| key.to_owned(), |(section, _)| format!("{section}{word}"))
}

/// The settings in force, as configured.
fn settings(values: &Values, mut given: Map<String, Value>, all: &[&Setting]) -> Settings {
    for setting in all {
        if !given.contains_key(setting.name)
            && let Some(other) = setting.or.and_then(|name| given.get(name))
        {
            given.insert(setting.name.to_owned(), other.clone());
        }
    }
    let settings = serde_json::from_value(Value::Object(given)).unwrap_or_else(|error| {
        values.error("council", error.to_string());
        Settings::default()
    });
    Settings {
        sampling: by_purpose(|purpose| values.section(&format!("council.sampling.{purpose}"))),
        timeouts: by_purpose(|purpose| timeouts(values, purpose)),
        ..settings
    }
}

/// Notes what is wrong with a setting, or at a place in it.
fn refuse(values: &Values, setting: &Setting, place: &str, problem: &FieldError) {
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
    values.error(&key, format!("{at}{}", problem.message));
}

/// What is set for each kind of call, where it differs from the default: every plan has a copy.
fn by_purpose<T: Default + PartialEq>(of: impl Fn(&str) -> T) -> BTreeMap<String, T> {
    let all = purposes().map(|purpose| (purpose.name.to_owned(), of(purpose.name)));
    all.filter(|(_, set)| *set != T::default()).collect()
}

fn timeouts(values: &Values, purpose: &str) -> Timeouts {
    let section = format!("council.timeouts.{purpose}");
    let is_set = |field: &str| values.is_set(&format!("{section}.{field}"));
    let mut limits: Timeouts = values.section(&section);
    // Where only the total is shortened, the parts are shortened with it.
    if !is_set("first_token_ms") {
        limits.first_token_ms = limits.first_token_ms.min(limits.total_ms);
    }
    if !is_set("idle_ms") {
        limits.idle_ms = limits.idle_ms.min(limits.total_ms);
    }
    if limits.total_ms < limits.first_token_ms.max(limits.idle_ms) {
        let key = format!("{section}.total_ms");
        values.error(&key, "must not be shorter than first_token_ms and idle_ms");
    }
    limits
}
