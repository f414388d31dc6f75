//! Bedrock over HTTP: its address in each region, and authenticated requests to it.

use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response};
use secrecy::ExposeSecret as _;
use url::Url;

use super::credentials::{Renewing, Source};
use super::failure::{self, Call};
use super::settings::Settings;
use super::sign::{self, ToSign};
use crate::llm::endpoint::check_base_url;
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::exchange;
use crate::llm::headers;
use crate::llm::settings::ProviderSettings;
use crate::llm::upstream_error::ErrorContext;

/// Characters that are escaped in a path, as AWS does it: all but letters, digits, `-`, `.`, `_` and `~`.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// How long a list of models may take.
pub(super) const LIST_TIME: Duration = Duration::from_secs(15);

/// How requests are authenticated.
#[derive(Debug)]
enum Entry {
    Bearer(HeaderValue),
    Signed(Box<Renewing>),
}

/// Bedrock as it is configured.
#[derive(Debug)]
pub(super) struct Server {
    provider: String,
    client: Client,
    /// Used instead of AWS's own addresses.
    base: Option<Url>,
    control: Option<Url>,
    headers: HeaderMap,
    entry: Entry,
    /// Never to be shown: the key, and the values of headers.
    secrets: Vec<String>,
}

/// A request without its authentication.
pub(super) struct Request<'a> {
    pub method: Method,
    pub url: Url,
    pub region: &'a str,
    pub body: Vec<u8>,
    pub accept: &'static str,
}

impl Server {
    /// # Errors
    /// Every wrong setting, by name and without its value.
    pub fn new(settings: &ProviderSettings, own: &Settings, client: Client) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let headers = headers::configured(settings, &mut problems);
        let mut address = |key: &str, url: Option<&str>| {
            let url = url.map(check_base_url).transpose();
            url.unwrap_or_else(|problem| {
                problems.push(problem.replacen("base_url", key, 1));
                None
            })
        };
        let base = address("base_url", settings.base_url.as_deref());
        let control = address("control_url", own.control_url.as_deref());
        let entry = match Source::new(own) {
            Ok(Some(source)) => Ok(Entry::Signed(Box::new(Renewing::new(source)))),
            Ok(None) => match headers::key(settings) {
                Some(key) => headers::of_key(format!("Bearer {key}")).map(Entry::Bearer),
                None => Err("api_key: is missing, and credentials does not say what else to use".to_owned()),
            },
            Err(problem) => Err(format!("credentials: {problem}")),
        };
        let entry = entry.map_err(|problem| problems.push(problem));
        let secrets = headers::secrets(settings).collect();
        match (entry, problems.is_empty()) {
            (Ok(entry), true) => {
                Ok(Self { provider: settings.name.clone(), client, base, control, headers, entry, secrets })
            }
            (_, _) => Err(problems),
        }
    }

    /// What error messages about this model are made of.
    pub fn context(&self, model: &str) -> ErrorContext {
        ErrorContext {
            provider: self.provider.clone(),
            model: model.to_owned(),
            secrets: self.secrets.iter().cloned().collect(),
        }
    }

    pub fn has_bearer(&self) -> bool {
        matches!(self.entry, Entry::Bearer(_))
    }

    /// Whether lists are asked for at a configured address, which belongs to one region.
    pub fn has_own_control(&self) -> bool {
        self.control.is_some()
    }

    /// The address of an action of a model.
    pub fn model_url(&self, region: &str, model: &str, action: &str) -> Result<Url, CallError> {
        self.url(self.base.as_ref(), "bedrock-runtime", region, &["model", model, action])
    }

    /// The base URL of this region's models.
    pub fn address(&self, region: &str) -> Option<Url> {
        self.url(self.base.as_ref(), "bedrock-runtime", region, &[]).ok()
    }

    /// The address of a list of models.
    pub fn control_url(&self, region: &str, list: &str) -> Result<Url, CallError> {
        self.url(self.control.as_ref(), "bedrock", region, &[list])
    }

    fn url(&self, own: Option<&Url>, service: &str, region: &str, path: &[&str]) -> Result<Url, CallError> {
        let mut url = match own {
            Some(base) => base.clone(),
            // A region has been checked to be one, so this cannot lead elsewhere.
            None => Url::parse(&format!("https://{service}.{region}.amazonaws.com")).map_err(|_| {
                CallError::new(ErrorKind::Refused, format!("{}: `{region}` is not a region", self.provider))
            })?,
        };
        let path: String =
            path.iter().map(|part| format!("/{}", utf8_percent_encode(part, IN_PATH))).collect();
        let before = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{before}{path}"));
        Ok(url)
    }

    /// Sends a request. If the keys have expired, they are renewed and it is sent once more. The [`ErrorContext`] that it
    /// returns also redacts the keys that were used.
    pub async fn send(
        &self,
        context: &ErrorContext,
        request: &Request<'_>,
    ) -> Result<(Response, ErrorContext), CallError> {
        match self.send_once(context, request).await? {
            SendOutcome::Response(response, context) => Ok((response, context)),
            SendOutcome::Expired(_) => match self.send_once(context, request).await? {
                SendOutcome::Response(response, context) => Ok((response, context)),
                SendOutcome::Expired(error) => Err(error),
            },
        }
    }

    async fn send_once(
        &self,
        context: &ErrorContext,
        request: &Request<'_>,
    ) -> Result<SendOutcome, CallError> {
        let Request { method, url, region, body, accept } = request;
        let is_post = *method == Method::POST;
        let content_type = is_post.then_some("application/json");
        let (lets_in, keys) = match &self.entry {
            Entry::Bearer(value) => (HeaderMap::from_iter([(AUTHORIZATION, value.clone())]), None),
            Entry::Signed(renewing) => {
                let keys = renewing.keys().await.map_err(|problem| self.no_keys(&problem))?;
                let to_sign = ToSign { method: method.as_str(), url, content_type, body, region };
                let headers = sign::headers(&keys, &to_sign, SystemTime::now())
                    .map_err(|problem| self.no_keys(&problem))?;
                (headers, Some((renewing, keys)))
            }
        };
        // The secrets of keys that are fetched are known only now.
        let mut secrets = self.secrets.clone();
        if let Some((_, keys)) = &keys {
            secrets.push(keys.secret_access_key.expose_secret().to_owned());
            secrets.extend(keys.session_token.as_ref().map(|token| token.expose_secret().to_owned()));
        }
        let context = ErrorContext { secrets: secrets.into_iter().collect(), ..context.clone() };
        let mut sending = self.client.request(method.clone(), url.clone());
        sending = sending.headers(self.headers.clone()).headers(lets_in).header(ACCEPT, *accept);
        if let Some(content_type) = content_type {
            sending = sending.header(CONTENT_TYPE, content_type).body(body.clone());
        }
        let response = sending.send().await.map_err(|error| context.transport(error))?;
        if response.status().is_success() {
            return Ok(SendOutcome::Response(response, context));
        }
        let named = response.headers().get("x-amzn-errortype").and_then(|name| name.to_str().ok());
        let named = named.map(str::to_owned);
        let call = Call { context: &context, region, has_bearer: self.has_bearer() };
        let refusal = exchange::refusal(response).await;
        let error =
            failure::refused(&call, refusal.status, named.as_deref(), refusal.retry_after, &refusal.body);
        match keys {
            Some((renewing, keys)) if failure::says_expired(named.as_deref()) && renewing.refused(&keys) => {
                Ok(SendOutcome::Expired(error))
            }
            Some(_) | None => Err(error),
        }
    }

    fn no_keys(&self, problem: &str) -> CallError {
        CallError::new(ErrorKind::Auth, format!("{} has no credentials: {problem}", self.provider))
    }
}

/// How a try to send ended, if that is no final failure.
enum SendOutcome {
    Response(Response, ErrorContext),
    /// The keys have expired, and others can be fetched.
    Expired(CallError),
}
