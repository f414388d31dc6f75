//! A provider's configured headers and API key, ready to be sent.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;

use super::settings::ProviderSettings;

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

/// What no message may show: the key, and the values of headers.
pub(super) fn secrets(settings: &ProviderSettings) -> impl Iterator<Item = String> {
    key(settings).map(str::to_owned).into_iter().chain(settings.headers.values().cloned())
}
