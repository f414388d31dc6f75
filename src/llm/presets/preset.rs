//! The fields of a preset.

/// A service that speaks chat completions, and how it differs from what every such server understands.
#[derive(Debug)]
pub struct Preset {
    /// The value of `providers.<name>.preset`. A provider of this name has it without saying so.
    pub name: &'static str,
    /// The part of the address before `/chat/completions`; `None` if it differs from customer to customer.
    pub base_url: Option<&'static str>,
    /// The environment variable that sets `base_url` of the provider of this name.
    pub base_url_variable: Option<&'static str>,
    /// The environment variables that set `api_key` of the provider of this name; the first that is set counts.
    pub key_variables: &'static [&'static str],
    /// Whether one of `key_variables` alone configures the provider.
    pub by_key_alone: bool,
    /// Whether every request needs a key.
    pub needs_key: bool,
    pub key_header: KeyHeader,
    pub addresses: Addresses,
    /// Whether replies come token by token.
    pub streams: bool,
    /// Whether `stream_options` is accepted; other services report the usage of a stream on their own, or not at all.
    pub stream_options: bool,
    /// Whether the bound on tokens is called `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// Id prefixes of models that refuse a temperature.
    pub without_temperature: &'static [&'static str],
    /// Whether tools may be offered.
    pub tools: bool,
    /// Whether a reply can be held to a JSON schema. A model that refuses it is asked again without.
    pub structured_outputs: bool,
    /// Whether there is `POST /embeddings`, with vectors of numbers.
    pub embeddings: bool,
    /// Whether there is `GET /models`, with the models that can be asked.
    pub lists_models: bool,
    /// The models that are known where there is no such list: suggestions only, others may be asked as well.
    pub models: &'static [&'static str],
    /// Patterns of the ids of models that accept images, for lists that do not say so.
    pub image_models: &'static [&'static str],
    /// Id prefixes of models that search the web for every request, so that they are not fit for titles,
    /// classifications and other small tasks.
    pub unfit_for_utility: &'static [&'static str],
}

/// Where the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// The bare key, in a header of this name, which is in lower case.
    Named(&'static str),
}

/// How addresses are built from the base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// `{base}/chat/completions`
    Plain,
    /// Azure's: `{base}/openai/v1/chat/completions`, or with an `api_version`
    /// `{base}/openai/deployments/{model}/chat/completions?api-version=…`.
    Azure,
}

impl Preset {
    /// Nothing beyond what every such server understands.
    pub const PLAIN: Self = Self {
        name: "none",
        base_url: None,
        base_url_variable: None,
        key_variables: &[],
        by_key_alone: false,
        needs_key: false,
        key_header: KeyHeader::Bearer,
        addresses: Addresses::Plain,
        streams: true,
        stream_options: true,
        max_completion_tokens: false,
        without_temperature: &[],
        tools: true,
        structured_outputs: false,
        embeddings: true,
        lists_models: true,
        models: &[],
        image_models: &[],
        unfit_for_utility: &[],
    };
}
