//! The services. Each entry names its source; all were read in November 2026.

use super::super::kind::Variable;
use super::preset::{Addresses, KeyHeader, Preset};

/// Id prefixes of reasoning models, which refuse every temperature but the default
/// (<https://platform.openai.com/docs/guides/reasoning>).
const OPENAI_REASONING: &[&str] = &["o1", "o3", "o4", "gpt-5"];

/// Models that accept images (<https://platform.openai.com/docs/models>); older ones, `o1-mini` and `o3-mini` do not.
const OPENAI_WITH_IMAGES: &[&str] = &[
    "gpt-4o*",
    "gpt-4.1*",
    "gpt-4-turbo*",
    "gpt-5*",
    "chatgpt-4o*",
    "o1",
    "o1-20*",
    "o1-pro*",
    "o3",
    "o3-20*",
    "o3-pro*",
    "o4-mini*",
];

/// In alphabetical order, those for one's own machine last.
pub const PRESETS: &[Preset] = &[
    // <https://platform.claude.com/docs/en/api/openai-sdk>: `response_format` is ignored, `temperature` capped at 1,
    // reasoning is not returned; `GET /v1/models` takes the bearer key as well; images as `data:` addresses. No
    // embeddings (<https://platform.claude.com/docs/en/build-with-claude/embeddings>).
    Preset {
        name: "anthropic",
        base_url: Some("https://api.anthropic.com/v1"),
        key_variables: &["ANTHROPIC_API_KEY"],
        needs_key: true,
        // Since Claude 3 all do (<https://docs.claude.com/en/docs/build-with-claude/vision>).
        image_models: &["claude-*"],
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle> (v1: `model` is the deployment's name)
    // and <https://learn.microsoft.com/azure/ai-services/openai/reference> (dated versions: the deployment is in the
    // path). `/models` lists what could be deployed, not what is.
    Preset {
        name: "azure",
        base_url_variable: Some("AZURE_OPENAI_ENDPOINT"),
        key_variables: &["AZURE_OPENAI_API_KEY"],
        needs_key: true,
        key_header: KeyHeader::Named("api-key"),
        addresses: Addresses::Azure,
        max_completion_tokens: true,
        without_temperature: OPENAI_REASONING,
        structured_outputs: true,
        lists_models: false,
        ..Preset::PLAIN
    },
    // <https://api-docs.deepseek.com>: `reasoning_content` next to the answer; JSON without a schema only; no
    // embeddings (<https://github.com/deepseek-ai/DeepSeek-V3/issues/806>).
    Preset {
        name: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
        key_variables: &["DEEPSEEK_API_KEY"],
        needs_key: true,
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://docs.fireworks.ai/tools-sdks/openai-compatibility>
    Preset {
        name: "fireworks",
        base_url: Some("https://api.fireworks.ai/inference/v1"),
        key_variables: &["FIREWORKS_API_KEY"],
        needs_key: true,
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://ai.google.dev/gemini-api/docs/openai>: errors come as a list of one; ids in the list begin with
    // `models/` and are taken with and without it.
    Preset {
        name: "google",
        base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        needs_key: true,
        image_models: &["gemini-*", "models/gemini-*"],
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://console.groq.com/docs/openai>: 400 for `logprobs`, `logit_bias` and names of messages, which are not
    // sent; only some models accept a schema, and their list does not say which; no model for embeddings
    // (<https://github.com/groq/groq-python/issues/96>).
    Preset {
        name: "groq",
        base_url: Some("https://api.groq.com/openai/v1"),
        key_variables: &["GROQ_API_KEY"],
        needs_key: true,
        structured_outputs: true,
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://docs.mistral.ai/api>: what is not in its schema is refused with 422 (`extra_forbidden`),
    // `stream_options` (<https://github.com/avante-corp/avante.nvim/issues/2347>) and `max_completion_tokens`
    // (<https://github.com/editor-code-assistant/eca/issues/231>) among it; a stream ends with its usage all the same.
    Preset {
        name: "mistral",
        base_url: Some("https://api.mistral.ai/v1"),
        key_variables: &["MISTRAL_API_KEY"],
        needs_key: true,
        stream_options: false,
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://platform.openai.com/docs/api-reference/chat/create>: `max_tokens` is deprecated, and refused by
    // reasoning models.
    Preset {
        name: "openai",
        base_url: Some("https://api.openai.com/v1"),
        key_variables: &["OPENAI_API_KEY"],
        needs_key: true,
        image_models: OPENAI_WITH_IMAGES,
        max_completion_tokens: true,
        without_temperature: OPENAI_REASONING,
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://docs.perplexity.ai/docs/sonar/openai-compatibility>: `citations` and `search_results` next to the
    // choices; no list of models, no tools; every model searches. Its vectors are of bytes and at another address
    // (<https://docs.perplexity.ai/docs/embeddings/best-practices>).
    Preset {
        name: "perplexity",
        base_url: Some("https://api.perplexity.ai"),
        key_variables: &["PERPLEXITY_API_KEY"],
        by_key_alone: true,
        needs_key: true,
        tools: false,
        structured_outputs: true,
        lists_models: false,
        models: &["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"],
        unfit_for_utility: &["sonar"],
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://documenter.getpostman.com/view/5900072/2s9YyzddrR>: prices are in coins. A stream stays empty
    // (<https://github.com/anomalyco/opencode/issues/2724>); no tools, no JSON
    // (<https://github.com/ricardokl/straico-proxy>, proxy/new_chat_endpoint.md), no embeddings.
    Preset {
        name: "straico",
        base_url: Some("https://api.straico.com/v0"),
        base_url_variable: Some("STRAICO_API_BASE"),
        key_variables: &["STRAICO_API_KEY"],
        by_key_alone: true,
        needs_key: true,
        streams: false,
        tools: false,
        unfit_for_utility: &["perplexity/sonar"],
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://docs.together.ai/docs/openai-api-compatibility>: its list is a bare array.
    Preset {
        name: "together",
        base_url: Some("https://api.together.xyz/v1"),
        key_variables: &["TOGETHER_API_KEY"],
        needs_key: true,
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://docs.x.ai/docs/api-reference>: `reasoning_content` next to the answer; images by Grok 4 and by those
    // called vision (<https://docs.x.ai/docs/guides/image-understanding>). No model for embeddings is on offer
    // (<https://github.com/mindcraft-bots/mindcraft/pull/317>).
    Preset {
        name: "xai",
        base_url: Some("https://api.x.ai/v1"),
        key_variables: &["XAI_API_KEY"],
        needs_key: true,
        image_models: &["grok-4*", "grok-*vision*"],
        structured_outputs: true,
        embeddings: false,
        ..Preset::PLAIN
    },
    // <https://docs.litellm.ai/docs/proxy/user_keys>: a self-hosted gateway.
    Preset {
        name: "litellm",
        base_url: Some("http://localhost:4000/v1"),
        base_url_variable: Some("LITELLM_BASE_URL"),
        key_variables: &["LITELLM_API_KEY"],
        ..Preset::PLAIN
    },
    // <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>: one model; tools with `--jinja`.
    Preset {
        name: "llamacpp",
        base_url: Some("http://localhost:8080/v1"),
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://lmstudio.ai/docs/developer/openai-compat>
    Preset {
        name: "lmstudio",
        base_url: Some("http://localhost:1234/v1"),
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://docs.ollama.com/api/openai-compatibility>: a key is ignored; `reasoning` next to the answer.
    Preset {
        name: "ollama",
        base_url: Some("http://localhost:11434/v1"),
        structured_outputs: true,
        ..Preset::PLAIN
    },
    // <https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html>: tools with `--enable-auto-tool-choice`.
    Preset {
        name: "vllm",
        base_url: Some("http://localhost:8000/v1"),
        key_variables: &["VLLM_API_KEY"],
        structured_outputs: true,
        ..Preset::PLAIN
    },
];

/// The names of [`PRESETS`].
pub const NAMES: &[&str] = &{
    let mut names = [""; PRESETS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = PRESETS[at].name;
        at += 1;
    }
    names
};

/// What `providers.<name>.preset` may be: the name of a preset, or `none`.
pub const WORDS: &[&str] = &{
    let mut words = [Preset::PLAIN.name; PRESETS.len() + 1];
    let mut at = 0;
    while at < PRESETS.len() {
        words[at] = PRESETS[at].name;
        at += 1;
    }
    words
};

/// The variables that alone configure a provider, as `OPENROUTER_API_KEY` does.
pub const ALONE: &[Variable] = &[
    Variable { name: "PERPLEXITY_API_KEY", provider: "perplexity", key: "api_key" },
    Variable { name: "STRAICO_API_KEY", provider: "straico", key: "api_key" },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use url::Url;

    use super::*;

    #[test]
    fn the_table_goes_together() {
        let mut variables = BTreeSet::new();
        for preset in PRESETS {
            let name = preset.name;
            assert!(
                preset.base_url.is_none_or(|url| Url::parse(url).is_ok() && !url.ends_with('/')),
                "{name}"
            );
            assert_eq!(preset.base_url.is_none(), preset.addresses == Addresses::Azure, "{name}");
            assert!(!preset.needs_key || !preset.key_variables.is_empty(), "{name}");
            assert!(preset.lists_models || !preset.models.is_empty() || preset.base_url.is_none(), "{name}");
            for variable in preset.key_variables.iter().chain(&preset.base_url_variable) {
                assert!(variables.insert(*variable), "{variable} is two services'");
            }
        }
        assert_eq!(NAMES.len(), NAMES.iter().collect::<BTreeSet<_>>().len());
        assert_eq!((WORDS.len(), WORDS.last()), (NAMES.len() + 1, Some(&"none")));
    }

    #[test]
    fn a_variable_alone_is_one_of_its_presets() {
        let said: Vec<&str> =
            PRESETS.iter().filter(|it| it.by_key_alone).flat_map(|it| it.key_variables).copied().collect();
        let table: Vec<&str> = ALONE.iter().map(|variable| variable.name).collect();
        assert_eq!(said, table);
    }
}
