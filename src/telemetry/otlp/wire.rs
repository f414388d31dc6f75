//! The transport: this program's own HTTP client, on the sending thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::{Builder, Runtime};

use crate::telemetry::TelemetryError;

/// The most that is read of what a collector answers.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// See the module.
#[derive(Debug)]
pub(super) struct Wire {
    client: reqwest::Client,
    /// The SDK's threads have no runtime.
    runtime: Runtime,
    /// For the log.
    endpoint: String,
    /// The last export was not accepted, which is logged once.
    is_failing: AtomicBool,
}

impl Wire {
    /// A client for this endpoint, with headers as `name=value,name=value`, their values percent-encoded.
    ///
    /// # Errors
    /// When the headers are not valid, or the machine has no TLS.
    pub(super) fn new(
        endpoint: &str,
        headers: Option<&SecretString>,
        timeout: Duration,
    ) -> Result<Self, TelemetryError> {
        let headers = match headers {
            Some(text) => headers_of(text.expose_secret()).ok_or(TelemetryError::OtlpHeaders)?,
            None => HeaderMap::new(),
        };
        let client = reqwest::Client::builder()
            .timeout(timeout)
            .default_headers(headers)
            // No redirects: the headers are for this collector only.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(TelemetryError::HttpClient)?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(TelemetryError::Runtime)?;
        Ok(Self { client, runtime, endpoint: endpoint.to_owned(), is_failing: AtomicBool::new(false) })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let mut answer = self.client.execute(request).await?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await? {
            body.extend_from_slice(&part);
            if body.len() > MAX_ANSWER_BYTES {
                return Err("the collector's answer is too long".into());
            }
        }
        Ok(Response::builder().status(status).body(body.into())?)
    }

    /// Logs when the collector is unavailable, and when it is back.
    fn tell(&self, result: &Result<Response<Bytes>, HttpError>) {
        let endpoint = self.endpoint.as_str();
        let status = result.as_ref().ok().map(|answer| answer.status().as_u16());
        if status.is_some_and(|status| (200..300).contains(&status)) {
            if self.is_failing.swap(false, Ordering::Relaxed) {
                tracing::info!(endpoint, "the collector accepts traces and metrics again");
            }
        } else if !self.is_failing.swap(true, Ordering::Relaxed) {
            // Not the error's own text: it may show the address with secrets in it.
            tracing::warn!(
                endpoint,
                status,
                "the collector does not accept traces or metrics; they are dropped until it does"
            );
        }
    }
}

#[async_trait]
impl HttpClient for Wire {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let result = self.runtime.block_on(self.send(request));
        self.tell(&result);
        result
    }
}

/// Reads `name=value,name=value`; `None` for a text that is not such a list.
pub(super) fn headers_of(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = percent_encoding::percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.append(HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headers_are_read_as_the_usual_variable_has_them_and_are_shown_to_nobody() {
        let headers = headers_of("Authorization=Basic%20a2V5, x-tenant = t ,").unwrap();
        assert_eq!(headers["authorization"], "Basic a2V5");
        assert_eq!(headers["x-tenant"], "t");
        assert!(!format!("{headers:?}").contains("a2V5"), "{headers:?}");
        for wrong in ["authorization", "a b=c", "=x", "a=%00", "a=%ff"] {
            assert!(headers_of(wrong).is_none(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_stumble(text in "\\PC*") {
            headers_of(&text);
        }
    }
}
