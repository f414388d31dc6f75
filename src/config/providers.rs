//! `providers.*`: the backends of models.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use super::keys;
use super::tree::Providers;
use super::values::Values;
use crate::llm::kind::Problem;
use crate::llm::{ProviderKind, ProviderSettings, RetryPolicy, kinds};

/// What every `providers.<name>` has, as it is configured.
#[derive(Deserialize)]
struct Provider {
    kind: Option<String>,
    base_url: Option<String>,
    api_key: Option<SecretString>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    stream: bool,
    #[serde(default)]
    image_models: Vec<String>,
    max_in_flight: usize,
}

/// Every configured provider, and which is the default; a simulated one if there is none. `public_url` is where
/// people reach this server, `env` the whole environment.
pub(super) fn providers(
    values: &Values,
    public_url: Option<&Url>,
    env: &BTreeMap<String, String>,
) -> Providers {
    let mut names = values.children("providers");
    names.remove("default");
    if names.is_empty() {
        names.insert("simulated".to_owned());
    }
    let list: Vec<ProviderSettings> =
        names.iter().map(|name| provider(values, name, public_url, env)).collect();
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

fn provider(
    values: &Values,
    name: &str,
    public_url: Option<&Url>,
    env: &BTreeMap<String, String>,
) -> ProviderSettings {
    let section = format!("providers.{name}");
    let key = |field: &str| format!("{section}.{field}");
    let Provider { kind, base_url, api_key, headers, stream, image_models, max_in_flight } =
        values.section(&section);
    let said = kind.as_deref().and_then(kinds::named).or_else(|| kinds::implied_by(name));
    // A wrong name is reported together with the kind.
    let says = |own: &str| values.says_something(&key(own)) || values.is_wrong(&key(own));
    let said = said.or_else(|| kinds::implied_by_key(says));
    if said.is_none() && values.is_blank(&key("kind")) {
        values.error(&key("kind"), format!("is required: {}", keys::either(&kinds::NAMES)));
    }
    // Whatever is wrong with the kind has been said.
    let kind = said.unwrap_or(&crate::llm::simulated::KIND);
    let own = |name: &'static str| Some((name.to_owned(), values.value(&key(name))?));
    let settings = ProviderSettings {
        base_url,
        api_key,
        headers,
        stream,
        image_models,
        max_in_flight,
        retry: RetryPolicy {
            longest_wait: Duration::from_millis(
                values.value("council.max_retry_after_ms").unwrap_or_default(),
            ),
            ..kind.retry
        },
        public_url: public_url.map(Url::to_string),
        own: kind.keys.iter().filter_map(|own_key| own(own_key.name)).collect(),
        environment: kind
            .reads
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), env.get(*name)?.clone())))
            .filter(|(_, value)| !value.is_empty())
            .collect(),
        ..ProviderSettings::new(name, kind)
    };
    if said.is_some() {
        refuse_keys_of_others(values, name, kind);
        // What goes with a wrong key cannot be told.
        let is_wrong = kind.keys.iter().any(|own| values.is_wrong(&key(own.name)));
        let problems = if is_wrong { Vec::new() } else { (kind.check)(&settings) };
        for problem in problems.into_iter().filter(|it| !values.is_wrong(&key(it.key))) {
            values.error(&key(problem.key), with_variables(&problem, name, kind));
        }
    }
    settings
}

/// A key that only other kinds have would do nothing.
fn refuse_keys_of_others(values: &Values, name: &str, kind: &ProviderKind) {
    for other in kinds::KINDS.iter().flat_map(|other| other.keys) {
        let key = format!("providers.{name}.{}", other.name);
        let is_own = kind.keys.iter().any(|own| own.name == other.name);
        if !is_own && values.says_something(&key) {
            let of: Vec<&str> = kinds::KINDS
                .iter()
                .filter(|kind| kind.keys.iter().any(|key| key.name == other.name))
                .map(|kind| kind.name)
                .collect();
            let message =
                format!("is for kind {} only; this provider is of kind {}", of.join(" or "), kind.name);
            values.error(&key, message);
        }
    }
}

fn with_variables(problem: &Problem, name: &str, kind: &ProviderKind) -> String {
    if !problem.by_variable {
        return problem.message.clone();
    }
    let all = kind.variables.iter().copied().chain(kinds::variables_beside());
    let usual: BTreeSet<&str> =
        all.filter(|it| it.provider == name && it.key == problem.key).map(|it| it.name).collect();
    let usual: String = usual.into_iter().map(|variable| format!("{variable} or ")).collect();
    let own = keys::env_name(&format!("providers.{name}.{}", problem.key));
    format!("{}: set {usual}{own}", problem.message)
}
