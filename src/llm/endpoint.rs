//! One chat-completions server: sends the request and turns whatever comes back into chunks.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use serde_json::Value;
use url::Url;

use super::Chunks;
use super::chat_completions::{self, Dialect};
use super::embedding_call::{self, MAX_REPLY_BYTES};
use super::embeddings_json;
use super::error::{CallError, ErrorKind};
use super::exchange;
use super::headers;
use super::incoming::Incoming;
use super::request::ChatRequest;
use super::settings::ProviderSettings;
use super::upstream_error::{ErrorContext, Secrets};

/// Longest page of a list of models.
const MAX_LIST_BYTES: usize = 16 << 20;
/// The most pages that are read of a list, and how many models are asked for on each but the first.
const MAX_LIST_PAGES: usize = 10;
const LIST_PAGE: &str = "1000";
/// How long a list of models may take.
const LIST_TIME: Duration = Duration::from_secs(15);

/// A configured server.
#[derive(Debug)]
pub(super) struct Endpoint {
    provider: String,
    client: reqwest::Client,
    base: Url,
    headers: HeaderMap,
    has_key: bool,
    needs_key: bool,
    stream: bool,
    dialect: Dialect,
    paths: Paths,
    secrets: Secrets,
}

/// How addresses are built from the base.
#[derive(Debug, Clone)]
pub(super) enum Paths {
    /// `{base}/chat/completions`, `{base}/embeddings`
    Plain,
    /// `{base}/openai/deployments/{model}/chat/completions?api-version={version}`, and the same with `embeddings`
    Deployments { version: String },
}

/// How a server differs from others.
#[derive(Debug)]
pub(super) struct Server {
    /// Headers that yield to the configured ones.
    pub headers: &'static [(&'static str, &'static str)],
    /// The header of the key, in lower case, where it is not `Authorization: Bearer …`.
    pub key_header: Option<&'static str>,
    pub paths: Paths,
    pub dialect: Dialect,
    /// Whether replies may come token by token.
    pub streams: bool,
}

impl Server {
    /// Nothing beyond what every server understands.
    pub const PLAIN: Self =
        Self { headers: &[], key_header: None, paths: Paths::Plain, dialect: Dialect::PLAIN, streams: true };
}

impl Endpoint {
    /// Checks the settings.
    ///
    /// # Errors
    /// Every wrong setting, by name and without its value.
    pub fn new(
        settings: &ProviderSettings,
        client: reqwest::Client,
        base_url: &str,
        server: Server,
    ) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut headers = HeaderMap::new();
        for (name, value) in server.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.extend(headers::configured(settings, &mut problems));
        let key = headers::key(settings);
        if let Some(key) = key {
            let (name, value) = match server.key_header {
                Some(name) => (HeaderName::from_static(name), key.to_owned()),
                None => (AUTHORIZATION, format!("Bearer {key}")),
            };
            match headers::of_key(value) {
                Ok(value) => {
                    headers.insert(name, value);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let base = check_base_url(base_url).map_err(|problem| problems.push(problem));
        let (Ok(base), true) = (base, problems.is_empty()) else {
            return Err(problems);
        };
        let is_openai = base.host_str().is_some_and(|host| host == "api.openai.com");
        let max_completion_tokens = server.dialect.max_completion_tokens || is_openai;
        Ok(Self {
            provider: settings.name.clone(),
            client,
            base,
            headers,
            has_key: key.is_some(),
            needs_key: false,
            stream: settings.stream && server.streams,
            dialect: Dialect { max_completion_tokens, ..server.dialect },
            paths: server.paths,
            secrets: headers::secrets(settings).collect(),
        })
    }

    /// Makes calls without a key fail at once, for a server that is known to require one.
    pub fn needing_key(mut self) -> Self {
        self.needs_key = true;
        self
    }

    pub fn streams(&self) -> bool {
        self.stream
    }

    /// The part of the address before `/chat/completions`, with its query if it has one.
    pub fn base(&self) -> Url {
        self.base.clone()
    }

    fn context(&self, model: &str) -> ErrorContext {
        ErrorContext {
            provider: self.provider.clone(),
            model: model.to_owned(),
            secrets: self.secrets.clone(),
        }
    }

    /// The address of `path` under the base; a query in the base (Azure's `api-version`) stays.
    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.path_segments_mut().expect("checked to be http(s)").pop_if_empty().extend(path);
        url
    }

    /// The address of a model's operation; `what` is the operation's path.
    fn model_url(&self, model: &str, what: &[&str]) -> Url {
        match &self.paths {
            Paths::Plain => self.url(what),
            Paths::Deployments { version } => {
                let mut url = self.url(&[&["openai", "deployments", model], what].concat());
                url.query_pairs_mut().append_pair("api-version", version);
                url
            }
        }
    }

    /// Asks for a reply; see [`super::Provider::open`].
    pub async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let context = self.context(&request.model);
        let body = chat_completions::body(request, self.stream, self.dialect).map_err(|error| {
            CallError::new(ErrorKind::Refused, format!("the request cannot be written as JSON: {error}"))
        })?;
        let accept = if self.stream { "text/event-stream, application/json" } else { "application/json" };
        let url = self.model_url(&request.model, &["chat", "completions"]);
        let response = self.post(&context, url, accept, body.into_reqwest()).await?;
        Ok(stream::unfold(Incoming::new(response, context), |mut incoming| async move {
            incoming.next().await.map(|item| (item, incoming))
        })
        .boxed())
    }

    /// Asks for a vector; see [`super::Provider::embed`].
    pub async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let context = self.context(&request.model);
        let body = embeddings_json::body(&request.model, &embedding_call::text_of(request)?);
        let url = self.model_url(&request.model, &["embeddings"]);
        let response = self.post(&context, url, "application/json", body.into()).await?;
        let document =
            exchange::read_json(response, MAX_REPLY_BYTES, &context, "the reply with the embedding").await?;
        let chunks = embeddings_json::read(&document, &context)?;
        Ok(stream::iter(chunks.into_iter().map(Ok)).boxed())
    }

    /// Sends a request; returns only successful responses.
    async fn post(
        &self,
        context: &ErrorContext,
        url: Url,
        accept: &'static str,
        body: reqwest::Body,
    ) -> Result<Response, CallError> {
        if self.needs_key && !self.has_key {
            return Err(CallError::new(
                ErrorKind::Auth,
                format!("{0} has no key: set providers.{0}.api_key", self.provider),
            ));
        }
        let sent = self
            .client
            .post(url)
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, accept)
            .body(body)
            .send();
        let response = sent.await.map_err(|error| context.transport(error))?;
        if response.status() == StatusCode::NO_CONTENT {
            return Err(CallError {
                status: Some(204),
                ..context.bad_response("an empty answer (HTTP 204)")
            });
        }
        if !response.status().is_success() {
            let refusal = exchange::refusal(response).await;
            return Err(context.refused(refusal.status, refusal.retry_after, &refusal.body));
        }
        Ok(response)
    }

    /// The JSON of `GET {base}/models`, with the entries of all pages if there are several, as at Anthropic
    /// (<https://platform.claude.com/docs/en/api/models-list>).
    pub async fn list(&self) -> Result<Value, CallError> {
        let reading = async {
            let mut list = self.list_page(None).await?;
            let mut last = last_of_page(&list);
            for _ in 1..MAX_LIST_PAGES {
                let Some(after) = last else { break };
                let mut page = self.list_page(Some(&after)).await?;
                last = last_of_page(&page).filter(|last| *last != after);
                let more = page.get_mut("data").and_then(Value::as_array_mut);
                if let (Some(all), Some(more)) = (list.get_mut("data").and_then(Value::as_array_mut), more) {
                    all.append(more);
                }
            }
            Ok(list)
        };
        tokio::time::timeout(LIST_TIME, reading).await.unwrap_or_else(|_| {
            let message = format!("{} did not send its list of models in time", self.provider);
            Err(CallError::new(ErrorKind::Timeout, message))
        })
    }

    /// One page of the list of models, beginning after the model `after`.
    async fn list_page(&self, after: Option<&str>) -> Result<Value, CallError> {
        let context = self.context("/models");
        let mut url = self.url(&["models"]);
        if let Some(after) = after {
            url.query_pairs_mut().append_pair("after_id", after).append_pair("limit", LIST_PAGE);
        }
        let sent = self.client.get(url).headers(self.headers.clone()).send();
        let response = sent.await.map_err(|error| context.transport(error))?;
        match response.status() {
            status @ (StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
                let message = format!("{} offers no list of models", self.provider);
                let none = CallError::new(ErrorKind::Refused, message);
                return Err(CallError { status: Some(status.as_u16()), ..none });
            }
            status if !status.is_success() => {
                let refusal = exchange::refusal(response).await;
                return Err(context.refused(refusal.status, refusal.retry_after, &refusal.body));
            }
            _ => {}
        }
        exchange::read_json(response, MAX_LIST_BYTES, &context, "the list of models").await
    }
}

/// The last model of a page, if more pages follow.
fn last_of_page(page: &Value) -> Option<String> {
    let goes_on = page.get("has_more").and_then(Value::as_bool) == Some(true);
    page.get("last_id").and_then(Value::as_str).filter(|_| goes_on).map(str::to_owned)
}

/// Parses a base URL and checks that requests may go to it.
///
/// # Errors
/// What is wrong with it, without repeating it.
pub(super) fn check_base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("base_url: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("base_url: must begin with http:// or https:// and name a host".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("base_url: holds a user or password; put the key into api_key".into());
    }
    if url.path().trim_end_matches('/').ends_with("/chat/completions") {
        return Err("base_url: must be the part before /chat/completions".into());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_checked_without_repeating_it() {
        for good in [
            "http://localhost:11434/v1",
            "https://gate.example/openai/x?api-version=1",
            " https://a.example/v1/ ",
        ] {
            assert!(check_base_url(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "localhost:11434",
            "ftp://hidden.example",
            "https://me:hidden@gate.example/v1",
            "https://hidden.example/v1/chat/completions",
        ] {
            let problem = check_base_url(bad).unwrap_err();
            assert!(problem.starts_with("base_url: ") && !problem.contains("hidden"), "{problem}");
        }
    }
}
