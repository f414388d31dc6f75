//! What holds for every key of the table.

use super::keys::{KEYS, env_name};
use super::kind::Kind;
use super::tests::{errors, load, vars};
use super::*;
use crate::llm::kinds;

#[test]
fn no_secret_of_the_table_is_ever_shown() {
    for key in KEYS.iter().filter(|key| key.kind == Kind::Secret) {
        let name = key.name.replace("<name>", "openrouter").replace("<header>", "x-key");
        let env = [(env_name(&name).replace('-', "_"), "hunter2\u{1}".to_owned())];
        let shown = match Config::from_parts("", &env.into_iter().collect(), &Overrides::default()) {
            Ok(config) => format!("{config:?}"),
            Err(errors) => format!("{errors} {errors:?}"),
        };
        assert!(!shown.contains("hunter2"), "{name}: {shown}");
    }
}

/// What an object store needs.
const WHOLE_STORE: [(&str, &str); 4] = [
    ("LLM_COUNCIL__ATTACHMENTS__S3__ENDPOINT", "http://store"),
    ("LLM_COUNCIL__ATTACHMENTS__S3__BUCKET", "files"),
    ("LLM_COUNCIL__ATTACHMENTS__S3__ACCESS_KEY_ID", "AK"),
    ("LLM_COUNCIL__ATTACHMENTS__S3__SECRET_ACCESS_KEY", "hidden"),
];

#[test]
fn every_default_every_word_and_every_bound_of_the_table_is_accepted() {
    let proxy = [("LLM_COUNCIL__AUTH__MODE", "proxy"), ("LLM_COUNCIL__AUTH__TRUSTED_PROXIES", "10.0.0.0/8")];
    // A provider for the keys of each kind.
    let of_kind = |key: &str| {
        let own = key.strip_prefix("providers.<name>.")?;
        kinds::KINDS.iter().find(|kind| kind.keys.iter().any(|key| key.name == own))
    };
    for key in KEYS.iter() {
        let kind = of_kind(&key.name);
        let name = key
            .name
            .replace("<name>", if kind.is_some() { "own" } else { "simulated" })
            .replace("<purpose>", "answer")
            .replace("<category>", "coding")
            .replace("<header>", "x");
        let mut values: Vec<String> = match key.kind {
            // Some kinds of providers and some backends need more than their name.
            Kind::Choice(words) if !["providers.<name>.kind", "search.backend"].contains(&&*key.name) => {
                words.iter().map(|&w| w.to_owned()).collect()
            }
            Kind::Number(low, high) if !key.name.starts_with("council.timeouts") => {
                vec![low.to_string(), high.to_string()]
            }
            Kind::Decimal(low, high) => vec![low.to_string(), high.to_string()],
            Kind::Number(..)
            | Kind::Choice(_)
            | Kind::Text
            | Kind::Secret
            | Kind::Bool
            | Kind::List
            | Kind::Members => vec![],
            // Each has its own rule: tests/it/prompts.rs.
            Kind::Template => continue,
        };
        values.push(key.default.to_string());
        for value in values {
            let without_proxy = value == "none" || key.name == "auth.trusted_proxies";
            let mut env = if without_proxy { vars(&[]) } else { vars(&proxy) };
            env.insert(env_name(&name), value.clone());
            // Whoever says anything of an object store says all that it needs.
            if name.starts_with("attachments.s3.") {
                env.extend(vars(&WHOLE_STORE));
            }
            if let Some(kind) = kind {
                env.insert(env_name("providers.default"), "simulated".to_owned());
                env.insert(env_name("providers.simulated.kind"), "simulated".to_owned());
                env.insert(env_name("providers.own.kind"), kind.name.to_owned());
                env.insert(env_name("providers.own.base_url"), "http://own.example/v1".to_owned());
                if kind.name == "bedrock" && (value.is_empty() || value == "key") {
                    env.insert(env_name("providers.own.api_key"), "sk-own".to_owned());
                }
            }
            let loaded = Config::from_parts("", &env, &Overrides::default());
            assert!(loaded.is_ok(), "{name} = {value:?}: {}", loaded.unwrap_err());
        }
    }
}

#[test]
fn every_number_outside_its_bounds_is_refused() {
    for key in KEYS.iter() {
        let name = key
            .name
            .replace("<name>", "simulated")
            .replace("<purpose>", "answer")
            .replace("<category>", "coding");
        let outside = match key.kind {
            Kind::Number(_, high) => (high + 1).to_string(),
            Kind::Decimal(_, high) => (high + 0.1).to_string(),
            Kind::Bool => "maybe".to_owned(),
            Kind::Choice(_) => "other".to_owned(),
            Kind::Text | Kind::Template | Kind::Secret | Kind::List | Kind::Members => continue,
        };
        let variable = env_name(&name);
        let text = errors("", &[(variable.as_str(), outside.as_str())]);
        assert!(text.contains(&format!("{name} (from {variable})")), "{text}");
    }
}

#[test]
fn the_example_file_is_accepted_as_it_stands_and_with_every_line_switched_on() {
    let example = include_str!("../../config.example.toml");
    load(example, &[]).unwrap();
    let on: String = example
        .lines()
        .map(|line| {
            if line.starts_with("# ") && !line.starts_with("#  ") {
                line
            } else {
                line.trim_start_matches('#')
            }
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(on, example);
    // Secrets are not in it, and one of them goes with what is.
    let loaded = load(&on, &WHOLE_STORE[3..]);
    assert!(loaded.is_ok(), "{}", loaded.unwrap_err());
}

#[test]
fn the_reference_in_docs_is_the_one_of_this_table() {
    let written = include_str!("../../docs/configuration.md");
    assert!(
        written == reference(),
        "out of date; run: cargo run -- config-reference > docs/configuration.md"
    );
}
