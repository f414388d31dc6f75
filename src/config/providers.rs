//! `providers.*`: the backends of models.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use super::keys;
use super::tree::Providers;
use super::values::Values;
use crate::llm::{ProviderKind, ProviderSettings, RetryPolicy};

/// `providers.<name>`, as it is configured.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    kind: Option<ProviderKind>,
    base_url: Option<String>,
    api_key: Option<SecretString>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    stream: bool,
    max_in_flight: usize,
    structured_outputs: bool,
    tokens_per_second: u32,
    first_token_ms: u64,
}

/// Every configured provider, and which is the default; a simulated one if there is none. `public_url` is where
/// people reach this server.
pub(super) fn providers(values: &Values, public_url: Option<&Url>) -> Providers {
    let mut names = values.children("providers");
    names.remove("default");
    if names.is_empty() {
        names.insert("simulated".to_owned());
    }
    let list: Vec<ProviderSettings> = names.iter().map(|name| provider(values, name, public_url)).collect();
    let default = match values.value::<String>("providers.default") {
        Some(name) => {
            if !names.contains(&name) {
                let message = format!(
                    "there is no provider {name:?}; set providers.{name}.kind, or name one of {}",
                    join(&names)
                );
                values.error("providers.default", message);
            }
            name
        }
        None if names.contains("openrouter") => "openrouter".to_owned(),
        None => {
            if names.len() > 1 {
                let message = format!("there are several providers; name one of {}", join(&names));
                values.error("providers.default", message);
            }
            names.first().cloned().unwrap_or_default()
        }
    };
    Providers { default, list }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn provider(values: &Values, name: &str, public_url: Option<&Url>) -> ProviderSettings {
    let section = format!("providers.{name}");
    let key = |field: &str| format!("{section}.{field}");
    let Provider {
        kind,
        base_url,
        api_key,
        mut headers,
        stream,
        max_in_flight,
        structured_outputs,
        tokens_per_second,
        first_token_ms,
    } = values.section(&section);
    let kind = kind.or(match name {
        "openrouter" => Some(ProviderKind::OpenRouter),
        "simulated" => Some(ProviderKind::Simulated),
        _ => None,
    });
    if kind.is_none() && values.is_blank(&key("kind")) {
        values.error(&key("kind"), "is required: openrouter, openai_compatible or simulated");
    }
    if kind == Some(ProviderKind::OpenAiCompatible) && values.is_blank(&key("base_url")) {
        values.error(
            &key("base_url"),
            "is required: the part of the provider's address before /chat/completions",
        );
    }
    // Another base URL may be a gateway of one's own that asks for no key.
    if kind == Some(ProviderKind::OpenRouter) && base_url.is_none() && values.is_blank(&key("api_key")) {
        let usual = if name == "openrouter" { "OPENROUTER_API_KEY or " } else { "" };
        values.error(&key("api_key"), format!("is required: set {usual}{}", keys::env_name(&key("api_key"))));
    }
    // OpenRouter shows apps by the address they name.
    if kind == Some(ProviderKind::OpenRouter)
        && let Some(url) = public_url
    {
        headers.entry("HTTP-Referer".to_owned()).or_insert_with(|| url.to_string());
    }
    let usual = ProviderSettings::new(name, kind.unwrap_or(ProviderKind::Simulated));
    let longest_wait = values.value("council.max_retry_after_ms").unwrap_or_default();
    ProviderSettings {
        base_url,
        api_key,
        headers,
        stream,
        max_in_flight,
        structured_outputs,
        tokens_per_second,
        first_token_ms,
        retry: RetryPolicy { longest_wait: Duration::from_millis(longest_wait), ..usual.retry },
        ..usual
    }
}
