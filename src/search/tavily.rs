//! Tavily: a search engine made for programs, with an answer of its own next to the results.

use async_trait::async_trait;
use reqwest::RequestBuilder;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};

use crate::llm::exchange::Refusal;
use crate::llm::upstream_error::ErrorContext;
use crate::llm::{CallError, ErrorKind};

use super::exchange::{self, Failed};
use super::results::{Raw, answer, cleaned};
use super::settings::{KeyIn, TavilySettings};
use super::{Found, Query, Search};

/// What it is called in the ids of searches.
pub(super) const NAME: &str = "tavily";

/// See the module.
pub(super) struct Tavily {
    client: reqwest::Client,
    base_url: String,
    key: SecretString,
    key_in: KeyIn,
    context: ErrorContext,
}

impl Tavily {
    /// # Errors
    /// What is wrong with the settings, beginning with the key.
    pub fn new(settings: &TavilySettings, client: reqwest::Client) -> Result<Self, String> {
        // Keys come from files and env, often with a line end.
        let key = settings.api_key.as_ref().map(|key| key.expose_secret().trim()).unwrap_or_default();
        if key.is_empty() {
            return Err("search.tavily.api_key: is missing".to_owned());
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("search.tavily.api_key: holds characters that cannot be sent in a header".to_owned());
        }
        let context = ErrorContext {
            provider: NAME.to_owned(),
            model: "search".to_owned(),
            secrets: std::iter::once(key.to_owned()).collect(),
        };
        Ok(Self {
            client,
            base_url: settings.base_url.clone(),
            key: key.to_owned().into(),
            key_in: settings.key_in,
            context,
        })
    }

    fn with_bearer(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.key.expose_secret())
    }

    fn body(&self, query: &Query) -> Value {
        let mut body: Map<String, Value> = Map::new();
        if matches!(self.key_in, KeyIn::Body | KeyIn::Both) {
            body.insert("api_key".into(), self.key.expose_secret().into());
        }
        body.insert("query".into(), query.text.as_str().into());
        body.insert("max_results".into(), json!(query.max_results));
        body.insert("search_depth".into(), "basic".into());
        body.insert("include_answer".into(), true.into());
        body.insert("include_raw_content".into(), false.into());
        Value::Object(body)
    }

    fn failed(&self, failed: Failed) -> CallError {
        match failed {
            Failed::Lost(error) => error,
            Failed::Refused(refusal) => self.refused(&refusal),
        }
    }

    fn refused(&self, refusal: &Refusal) -> CallError {
        let (kind, sentence) = match refusal.status {
            401 => (ErrorKind::Auth, "refused the server's key; check search.tavily.api_key"),
            403 => (ErrorKind::Auth, "does not let the server's key search; check its rights there"),
            // Waiting a moment helps with neither, so these statuses are not tried again.
            432 => (ErrorKind::RateLimited, "says that the plan of the server's key is used up"),
            433 => {
                (ErrorKind::RateLimited, "says that the pay-as-you-go limit of the server's key is reached")
            }
            _ => return exchange::usual_refusal(&self.context, refusal),
        };
        exchange::refused(&self.context, kind, refusal, sentence)
    }
}

#[async_trait]
impl Search for Tavily {
    async fn search(&self, query: &Query) -> Result<Found, CallError> {
        let request = self.client.post(format!("{}/search", self.base_url)).json(&self.body(query));
        let request = match self.key_in {
            KeyIn::Header | KeyIn::Both => self.with_bearer(request),
            KeyIn::Body => request,
        };
        let said = exchange::json(&self.context, request).await.map_err(|failed| self.failed(failed))?;
        read(&said, query.max_results)
            .ok_or_else(|| self.context.bad_response("its answer holds no list of results"))
    }

    /// What the key has used: that costs no credit.
    async fn check(&self) -> Result<(), CallError> {
        let request = self.with_bearer(self.client.get(format!("{}/usage", self.base_url)));
        match exchange::json(&self.context, request).await {
            Ok(_) => Ok(()),
            // A gateway that offers only searches.
            Err(Failed::Refused(Refusal { status: 404 | 405, .. })) => Ok(()),
            Err(failed) => Err(self.failed(failed)),
        }
    }
}

/// Reads an answer; `None` where it is not one of Tavily's.
fn read(said: &Value, max_results: usize) -> Option<Found> {
    let results = said.get("results")?.as_array()?;
    let raw = results.iter().map(|result| {
        let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
        Raw {
            url: text("url"),
            title: text("title"),
            snippet: text("content"),
            published: text("published_date"),
        }
    });
    let own = said.get("answer").and_then(Value::as_str).unwrap_or_default();
    Some(Found { answer: answer(own), results: cleaned(raw, max_results) })
}

#[cfg(test)]
#[path = "tavily_tests.rs"]
mod tests;
