//! A provider's configured headers and API key, ready to be sent.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;

use super::settings::ProviderSettings;

/// The words before a key in the value of a header.
const SCHEMES: [&str; 4] = ["bearer", "basic", "token", "apikey"];

/// The API key, without the line break that files and variables often end with.
pub(super) fn key(settings: &ProviderSettings) -> Option<&str> {
    settings.api_key.as_ref().map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty())
}

/// A header value that holds the API key, marked as sensitive.
///
/// # Errors
/// What is wrong with the key, without repeating it.
pub(super) fn of_key(value: String) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| "api_key: holds characters that cannot be sent in a header".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// The configured headers. Invalid ones are reported to `problems` by name, without their values.
pub(super) fn configured(settings: &ProviderSettings, problems: &mut Vec<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in &settings.headers {
        match (name.parse::<HeaderName>(), HeaderValue::try_from(value)) {
            (Ok(name), Ok(mut value)) => {
                value.set_sensitive(true);
                headers.insert(name, value);
            }
            (Err(_), _) => problems.push(format!("headers: `{}` is not a header name", name.escape_debug())),
            (_, Err(_)) => problems.push(format!("headers.{name}: the value cannot be sent in a header")),
        }
    }
    headers
}

/// What no message may show: the key, and the values of headers. A server that repeats a key repeats it without the word
/// before it.
pub(super) fn secrets(settings: &ProviderSettings) -> impl Iterator<Item = String> {
    let values = settings.headers.values().map(|value| value.trim());
    let keys_in_values = values.clone().filter_map(|value| {
        let (scheme, key) = value.split_once(' ')?;
        SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(key.trim())
    });
    key(settings).into_iter().chain(values).chain(keys_in_values).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::llm::openrouter;

    #[test]
    fn a_key_in_a_header_is_a_secret_with_the_word_before_it_and_without() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let settings = ProviderSettings {
            api_key: Some("sk-one\n".to_owned().into()),
            headers: BTreeMap::from([
                header("Authorization", "Bearer sk-two"),
                header("X-Gate", "basic  dXNlcjpwdw== "),
                header("X-Title", "Our council"),
            ]),
            ..ProviderSettings::new("gate", &openrouter::KIND)
        };
        let secrets: Vec<String> = secrets(&settings).collect();
        assert_eq!(
            secrets,
            ["sk-one", "Bearer sk-two", "basic  dXNlcjpwdw==", "Our council", "sk-two", "dXNlcjpwdw=="]
        );
    }
}
