//! `providers.*`: the backends of models.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use secrecy::ExposeSecret as _;
use url::Url;

use super::build::base_url;
use super::keys;
use super::reader::Reader;
use super::tree::Providers;
use crate::llm::{ProviderKind, ProviderSettings, RetryPolicy};

/// Every configured provider, and which is the default; a simulated one if there is none. `public_url` is where
/// people reach this server.
pub(super) fn providers(read: &Reader, public_url: Option<&Url>) -> Providers {
    let mut names = read.children("providers");
    names.remove("default");
    // A name that no key allows is reported as an unknown key already.
    names.retain(|name| keys::find(&format!("providers.{name}.kind")).is_some());
    if names.is_empty() {
        names.insert("simulated".to_owned());
    }
    let list: Vec<ProviderSettings> = names.iter().map(|name| provider(read, name, public_url)).collect();

    let default = match read.text("providers.default") {
        Some(name) => {
            if !names.contains(&name) {
                let message = format!(
                    "there is no provider {name:?}; set providers.{name}.kind, or name one of {}",
                    join(&names)
                );
                read.error("providers.default", message);
            }
            name
        }
        None if names.contains("openrouter") => "openrouter".to_owned(),
        None => {
            if names.len() > 1 {
                let message = format!("there are several providers; name one of {}", join(&names));
                read.error("providers.default", message);
            }
            names.first().cloned().unwrap_or_default()
        }
    };
    Providers { default, list }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn provider(read: &Reader, name: &str, public_url: Option<&Url>) -> ProviderSettings {
    let key = |field: &str| format!("providers.{name}.{field}");
    let kind = provider_kind(read, name, &key("kind"));
    let base = base_url(read, &key("base_url"));
    let api_key = read.secret(&key("api_key"));
    if kind == Some(ProviderKind::OpenAiCompatible) && !read.is_set(&key("base_url")) {
        read.error(
            &key("base_url"),
            "is required: the part of the provider's address before /chat/completions",
        );
    }
    // Another base URL may be a gateway of one's own that asks for no key.
    if kind == Some(ProviderKind::OpenRouter) && api_key.is_none() && base.is_none() {
        let usual = if name == "openrouter" { "OPENROUTER_API_KEY or " } else { "" };
        read.error(&key("api_key"), format!("is required: set {usual}{}", keys::env_name(&key("api_key"))));
    }
    let mut headers = provider_headers(read, &key("headers"));
    // OpenRouter shows apps by the address they name.
    if kind == Some(ProviderKind::OpenRouter)
        && let Some(url) = public_url
    {
        headers.entry("HTTP-Referer".to_owned()).or_insert_with(|| url.to_string());
    }
    let usual = ProviderSettings::new(name, kind.unwrap_or(ProviderKind::Simulated));
    let longest_wait = read.number("council.max_retry_after_ms").unwrap_or_default();
    ProviderSettings {
        base_url: base,
        api_key,
        headers,
        stream: read.bool(&key("stream")),
        max_in_flight: read.number(&key("max_in_flight")).unwrap_or_default(),
        structured_outputs: read.bool(&key("structured_outputs")),
        tokens_per_second: read.number(&key("tokens_per_second")).unwrap_or_default(),
        first_token_ms: read.number(&key("first_token_ms")).unwrap_or_default(),
        retry: RetryPolicy { longest_wait: Duration::from_millis(longest_wait), ..usual.retry },
        ..usual
    }
}

fn provider_kind(read: &Reader, name: &str, key: &str) -> Option<ProviderKind> {
    let kinds = [
        ("openrouter", ProviderKind::OpenRouter),
        ("openai_compatible", ProviderKind::OpenAiCompatible),
        ("simulated", ProviderKind::Simulated),
    ];
    match (read.text(key).as_deref(), name) {
        (Some("bedrock"), _) => {
            read.error(
                key,
                "this version has no Bedrock provider yet; use openrouter, openai_compatible or simulated",
            );
            None
        }
        (Some(_), _) => read.choice(key, &kinds),
        (None, "openrouter") => Some(ProviderKind::OpenRouter),
        (None, "simulated") => Some(ProviderKind::Simulated),
        (None, _) => {
            read.error(key, "is required: openrouter, openai_compatible or simulated");
            None
        }
    }
}

fn provider_headers(read: &Reader, section: &str) -> BTreeMap<String, String> {
    let is_value = |value: &str| value.chars().all(|c| c == '\t' || (' '..='~').contains(&c));
    let mut headers = BTreeMap::new();
    for name in read.children(section) {
        let key = format!("{section}.{name}");
        // A name that no header can have is reported as an unknown key already.
        if keys::find(&key).is_none() {
            continue;
        }
        if let Some(value) = read.checked_secret(&key, "printable ASCII text", is_value) {
            headers.insert(name, value.expose_secret().to_owned());
        }
    }
    headers
}
