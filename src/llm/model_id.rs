//! Ids of models: whether one names a provider.

use super::SEARCH_PREFIX;
use super::kinds;
use super::presets;

/// Names of services that are also names of models (Ollama's `mistral:7b`).
const ALSO_MODELS: &[&str] = &["mistral"];
/// Prefix of an Amazon resource name, which has both `:` and `/`.
const RESOURCE_NAME: &str = "arn";

/// The provider that a model's id names, if there is no such provider. `llama3:8b` and `x/y:free` name none: the part
/// before the `:` counts as a provider only if it looks like a provider's name and the rest has a maker
/// (`nope:some/model`), or if it is a known service (`openai:gpt-5.1`).
#[must_use]
pub fn unknown_provider(model: &str, is_provider: impl Fn(&str) -> bool) -> Option<&str> {
    let (name, id) = model.split_once(':')?;
    if !is_name(name) || is_provider(name) || name == RESOURCE_NAME || model.starts_with(SEARCH_PREFIX) {
        return None;
    }
    let is_known =
        (presets::NAMES.contains(&name) || kinds::named(name).is_some()) && !ALSO_MODELS.contains(&name);
    (is_known || id.contains('/')).then_some(name)
}

/// Whether a provider may have this name, which becomes part of model ids, keys and variables.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_meant_as_a_provider_is_one() {
        let unknown = |model| unknown_provider(model, |name| name == "ours");
        for bare in [
            "ours:some/model",
            "ours:x",
            "llama3:8b",
            "mistral:7b",
            "gpt-oss:20b",
            "x/y:free",
            "hf.co/some/model:Q4_K_M",
            "registry.local:5000/x",
            "amazon.nova-pro-v1:0",
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
            "search:tavily",
            "gpt-4o",
            ":x/y",
            "",
        ] {
            assert_eq!(unknown(bare), None, "{bare}");
        }
        for (model, name) in
            [("nope:some/model", "nope"), ("openai:gpt-5.1", "openai"), ("openrouter:x/y:free", "openrouter")]
        {
            assert_eq!(unknown(model), Some(name));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(model: String) {
            if let Some(name) = unknown_provider(&model, |_| false) {
                prop_assert!(model.starts_with(name));
            }
        }
    }
}
