use secrecy::ExposeSecret;

use super::tests::{errors, load};
use crate::llm::ProviderSettings;

const COUNCIL: &str = "[council]\nmodels = [\"one\", \"two\"]\nchairman = \"one\"\n";

fn only(toml: &str, env: &[(&str, &str)]) -> ProviderSettings {
    let config = load(&format!("{toml}\n{COUNCIL}"), env).unwrap();
    assert_eq!(config.providers.list.len(), 1);
    config.providers.list[0].clone()
}

fn key(provider: &ProviderSettings) -> Option<&str> {
    provider.api_key.as_ref().map(ExposeSecret::expose_secret)
}

#[test]
fn a_key_alone_is_straico_or_perplexity_and_of_others_only_where_they_are_configured() {
    for (variable, name) in [("STRAICO_API_KEY", "straico"), ("PERPLEXITY_API_KEY", "perplexity")] {
        let provider = only("", &[(variable, "sk-1")]);
        assert_eq!((provider.name.as_str(), key(&provider)), (name, Some("sk-1")));
        assert_eq!(provider.kind.name, "openai_compatible");
    }
    let config =
        load("", &[("OPENAI_API_KEY", "sk-1"), ("STRAICO_API_BASE", "http://s.example/v0")]).unwrap();
    assert_eq!(
        config.providers.default, "simulated",
        "a key that is there for other programs configures nothing"
    );
    let toml = "[providers.openai]\npreset = \"openai\"";
    assert_eq!(key(&only(toml, &[("OPENAI_API_KEY", "sk-1")])), Some("sk-1"));
    let own = [("OPENAI_API_KEY", "sk-1"), ("LLM_COUNCIL__PROVIDERS__OPENAI__API_KEY", "sk-2")];
    assert_eq!(key(&only(toml, &own)), Some("sk-2"), "our own name wins");
    let straico = [("STRAICO_API_KEY", "sk-1"), ("STRAICO_API_BASE", "http://s.example/v0")];
    assert_eq!(only("", &straico).base_url.as_deref(), Some("http://s.example/v0"));
}

#[test]
fn the_key_of_a_service_goes_to_no_provider_of_another_name() {
    let toml = "[providers.gate]\npreset = \"openai\"\nbase_url = \"http://gate.example/v1\"";
    assert_eq!(key(&only(toml, &[("OPENAI_API_KEY", "sk-1")])), None);
}

#[test]
fn a_preset_or_its_name_says_the_kind_and_what_is_missing_is_named() {
    assert_eq!(only("[providers.gate]\npreset = \"ollama\"", &[]).kind.name, "openai_compatible");
    assert_eq!(only("[providers.ollama]", &[]).kind.name, "openai_compatible", "a table with nothing in it");
    let named = only("[providers.groq]", &[("GROQ_API_KEY", "sk-hidden")]);
    assert!(named.api_key.is_some(), "its usual variable counts");
    assert_eq!(only("[providers.vllm]\nmax_in_flight = 4", &[]).kind.name, "openai_compatible");
    let text = errors(
        "[providers]\ndefault = \"groq\"\n[providers.groq]\npreset = \"groq\"\n[providers.azure]\nstream = true\n\
         [providers.gate]\npreset = \"none\"\napi_version = \"2024-10-21\"\n[providers.odd]\npreset = \"nonsense\"",
        &[],
    );
    for wrong in [
        "providers.groq.api_key: is required: set GROQ_API_KEY or LLM_COUNCIL__PROVIDERS__GROQ__API_KEY",
        "providers.azure.base_url: is required: the resource's address",
        "providers.gate.base_url: is required",
        "providers.gate.api_version (from config.toml): goes with preset = \"azure\"",
        "providers.odd.preset (from config.toml): must be",
    ] {
        assert!(text.contains(wrong), "{wrong}: {text}");
    }
    assert!(!text.contains("providers.odd.kind") && !text.contains("providers.odd.base_url"), "{text}");
}

#[test]
fn a_model_of_a_provider_that_is_not_there_is_refused_and_a_bare_id_is_not() {
    let toml = "[providers]\ndefault = \"ollama\"\n[providers.ollama]\npreset = \"ollama\"\n[council]\n\
                models = [\"llama3:8b\", \"x/y:free\", \"ollama:a/b\"]\n";
    for (model, name) in [("nope:some/model", "nope"), ("openai:gpt-4o", "openai")] {
        let text = errors(&format!("{toml}chairman = {model:?}"), &[]);
        let wrong = format!("chairman (from config.toml): there is no provider {name:?} for {model:?}");
        assert!(text.contains(&wrong) && text.contains("name one of ollama"), "{text}");
        assert!(!text.contains("llama3"), "{text}");
        let text = errors(&format!("{toml}[search]\nmodel = {model:?}"), &[]);
        let wrong = format!("search.model (from config.toml): there is no provider {name:?} for {model:?}");
        assert!(text.contains(&wrong), "{text}");
    }
}
