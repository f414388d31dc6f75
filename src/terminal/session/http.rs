//! A council over HTTP: at a server by its address, or in this process by a socket of its own.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url, redirect};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::following::Following;
use super::reconnecting::{Reconnecting, Source};
use super::trouble::{Refused, Trouble};
use super::{Place, Question, Session};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A server that is silent for this long is dead: a stream has a heartbeat every 15 s, and a tool that waits for an
/// answer (`mcp`) says something after 45 s.
const SILENCE: Duration = Duration::from_secs(60);
/// How long a plain answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a file may take: two minutes to arrive, which a server waits, and nearly one to be read.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(180);
/// How often a question is sent that cannot have arrived.
const TRIES: u32 = 4;
/// What is said where no answer came to a question that was sent.
const PERHAPS_ASKED: &str = "the question may have arrived before that: look for it with `llm-council runs` before you ask \
                             again, which would be paid for once more";
/// The wait before a request is sent again that did not arrive, or was refused without saying for how long.
const PAUSE: Duration = Duration::from_millis(500);
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_secs(1);
/// The longest wait that a refusal may ask for; a server waits as long for a provider by default.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The address of a server in the one form that all ways of writing it have.
#[must_use]
pub fn address(written: &str) -> Option<Url> {
    let with_scheme = if written.contains("://") { written.to_owned() } else { format!("https://{written}") };
    let url = Url::parse(with_scheme.trim_end_matches('/')).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// See the module.
#[derive(Clone)]
pub struct Http {
    place: Place,
    base: Url,
    client: reqwest::Client,
    /// The same without a limit on silence: the library counts the time in which a file is sent as silence.
    uploads: reqwest::Client,
}

impl Http {
    /// The server at this address, in the name of the token's owner.
    ///
    /// # Errors
    /// When the address or the token is not valid.
    pub fn server(address: &str, token: Option<&SecretString>) -> Result<Self, Trouble> {
        let wrong = |problem: String| Trouble::Wrong(vec![problem]);
        let base = self::address(address).ok_or_else(|| {
            wrong(format!("{address:?} is no address of a server, as https://council.example.com is"))
        })?;
        let is_here = base.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"));
        if base.scheme() == "http" && !is_here && token.is_some() {
            return Err(wrong(format!(
                "{address} is not encrypted: everybody on the way could read the token; use https"
            )));
        }
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).map_err(|_| {
                    wrong("the token contains characters that cannot be part of a token".to_owned())
                })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Self::new(Place::Server(base.to_string().trim_end_matches('/').to_owned()), base, |client| {
            let client = client.default_headers(headers.clone());
            // What is sent to this machine leaves it through no proxy of the environment, which could read the token.
            if is_here { client.no_proxy() } else { client }
        })
    }

    /// A server of this process that listens at this path.
    ///
    /// # Errors
    /// When a client cannot be built.
    pub fn over_socket(socket: &Path) -> Result<Self, Trouble> {
        let base = Url::parse("http://localhost").map_err(|error| Trouble::Failed(error.to_string()))?;
        Self::new(Place::Here, base, |client| client.unix_socket(socket))
    }

    fn new(
        place: Place,
        base: Url,
        with: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<Self, Trouble> {
        let client = || {
            with(reqwest::Client::builder())
                .user_agent(concat!("llm-council/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(CONNECT_TIMEOUT)
                // A proxy would redirect to its sign-in page, which is of no use to a program.
                .redirect(redirect::Policy::none())
        };
        let failed = |error: reqwest::Error| Trouble::Failed(error.to_string());
        let uploads = client().build().map_err(failed)?;
        let client = client().read_timeout(SILENCE).build().map_err(failed)?;
        Ok(Self { place, base, client, uploads })
    }

    fn to(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, self.url(path))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base.as_str().trim_end_matches('/'))
    }

    /// Sends, and refuses everything but a success.
    async fn send(&self, request: RequestBuilder) -> Result<Response, Refused> {
        let response = request.send().await.map_err(|error| self.not_sent(&error))?;
        let status = response.status();
        if let Some(trouble) = self.sign_in(&response) {
            return Err(trouble.into());
        }
        if status.is_success() {
            return Ok(response);
        }
        let wait = wait_of(response.headers());
        let problem: Option<Value> = response.json().await.ok();
        // A gateway answers with the last two while the server behind it starts.
        let again = matches!(
            status,
            StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::GATEWAY_TIMEOUT
        );
        let trouble = Trouble::refused(status, problem.as_ref());
        Err(Refused { trouble, again: again.then_some(wait), may_have_arrived: false })
    }

    /// The JSON of an answer, or `null` where it has no body.
    async fn read(&self, response: Response) -> Result<Value, Trouble> {
        let bytes = response.bytes().await.map_err(|error| self.not_sent(&error).trouble)?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes)
            .map_err(|_| Trouble::Failed(format!("what {} answers cannot be read", self.place)))
    }

    fn not_sent(&self, error: &reqwest::Error) -> Refused {
        let why = if error.is_timeout() {
            "it does not answer in time".to_owned()
        } else {
            // The innermost cause says what happened; the outer ones only name our own parts.
            let mut cause: &dyn std::error::Error = error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            cause.to_string()
        };
        let trouble = match &self.place {
            Place::Server(address) => Trouble::NotReachable(format!(
                "{address} cannot be reached: {why}. Is it the right address, and is the server up?"
            )),
            Place::Here | Place::Ephemeral => {
                Trouble::NotReachable(format!("the council of this process cannot be reached: {why}"))
            }
        };
        Refused { trouble, again: Some(PAUSE), may_have_arrived: !error.is_connect() && !error.is_builder() }
    }

    /// Asks; the same question again is the same run, by its idempotency key. Returns the run and its stream.
    async fn ask_once(&self, question: &Question) -> Result<(String, Response), Refused> {
        let mut body = question.body.clone();
        if question.begins {
            body.insert("new_conversation".to_owned(), Value::Bool(true));
        }
        let request = self
            .to(Method::POST, &format!("/api/conversations/{}/message/stream", question.conversation))
            .header(ACCEPT, "text/event-stream")
            .header("Idempotency-Key", &question.key)
            .json(&body);
        let response = self.send(request).await?;
        let run = response.headers().get("x-run-id").and_then(|run| run.to_str().ok()).map(str::to_owned);
        let run = run.ok_or_else(|| {
            Trouble::Failed(format!("{} does not say which run answers: is it an LLM Council?", self.place))
        })?;
        Ok((run, response))
    }

    /// The content at this path, to be read piece by piece for as long as it takes.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn download(&self, path: &str) -> Result<Response, Trouble> {
        self.send(self.to(Method::GET, path)).await.map_err(|refused| refused.trouble)
    }

    /// Sends a message of another protocol; the answer is returned unchanged, whatever it is.
    ///
    /// # Errors
    /// When there is no answer, or a sign-in page instead.
    pub async fn message(
        &self,
        path: &str,
        headers: &[(&'static str, String)],
        message: &Value,
    ) -> Result<Response, Trouble> {
        let request = headers
            .iter()
            .fold(self.to(Method::POST, path), |request, (name, value)| request.header(*name, value));
        let response = request.json(message).send().await.map_err(|error| self.not_sent(&error).trouble)?;
        match self.sign_in(&response) {
            Some(trouble) => Err(trouble),
            None => Ok(response),
        }
    }

    /// The error for an answer that breaks off.
    #[must_use]
    pub fn broken(&self, error: &reqwest::Error) -> Trouble {
        self.not_sent(error).trouble
    }

    /// The error for an HTML page instead of an answer: behind a proxy its sign-in page.
    fn sign_in(&self, response: &Response) -> Option<Trouble> {
        let status = response.status();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
        // Gateways also send their own refusals as HTML pages.
        let is_refusal = status.is_server_error()
            || matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS);
        if !status.is_redirection() && (!is_page || is_refusal) {
            return None;
        }
        let Place::Server(address) = &self.place else {
            return Some(Trouble::Failed(format!("the answer is {status} and a page")));
        };
        Some(Trouble::NotSignedIn(format!(
            "{address} answers with a page to sign in: its proxy lets only browsers in. Ask whoever runs it for an address \
             that takes tokens (docs/terminal.md), or check the address"
        )))
    }

    /// Opens a run's stream after an event.
    async fn open(&self, run: &str, after: u64) -> Result<Response, Refused> {
        let request = self
            .to(Method::GET, &format!("/api/runs/{run}/events?after={after}"))
            .header(ACCEPT, "text/event-stream");
        self.send(request).await
    }

    fn stream_of(&self, origin: Origin) -> RunStream {
        RunStream { http: self.clone(), origin }
    }
}

/// How long a refusal asks to wait. A gateway that is being maintained may ask for hours, in which nobody would see why
/// nothing happens.
fn wait_of(headers: &HeaderMap) -> Duration {
    let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let asked = asked.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
    asked.map_or(PAUSE_AFTER_REFUSAL, |wait| wait.min(LONGEST_WAIT))
}

#[async_trait]
impl Session for Http {
    fn place(&self) -> &Place {
        &self.place
    }

    async fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Trouble> {
        let request = self.to(method, path).timeout(ANSWER_TIMEOUT);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        self.read(self.send(request).await.map_err(|refused| refused.trouble)?).await
    }

    async fn upload(&self, name: &str, bytes: Vec<u8>) -> Result<Value, Trouble> {
        let mut tries = 0;
        loop {
            tries += 1;
            let part = Part::bytes(bytes.clone()).file_name(name.to_owned());
            let request = self.uploads.post(self.url("/api/attachments")).timeout(UPLOAD_TIMEOUT);
            let request = request.multipart(Form::new().part("file", part));
            // Uploading the same file again is harmless.
            match self.send(request).await {
                Ok(response) => return self.read(response).await,
                Err(Refused { again: Some(wait), .. }) if tries < TRIES => tokio::time::sleep(wait).await,
                Err(refused) => return Err(refused.trouble),
            }
        }
    }

    async fn text(&self, path: &str) -> Result<String, Trouble> {
        let request = self.to(Method::GET, path).timeout(ANSWER_TIMEOUT);
        let response = self.send(request).await.map_err(|refused| refused.trouble)?;
        response.text().await.map_err(|error| self.not_sent(&error).trouble)
    }

    async fn ask(&self, question: Question) -> Result<Following, Trouble> {
        let (mut tries, mut is_perhaps_asked) = (0, false);
        loop {
            tries += 1;
            match self.ask_once(&question).await {
                Ok((run, response)) => {
                    return Ok(Reconnecting::follow(self.stream_of(Origin::Run(run)), 0, response));
                }
                Err(Refused { trouble, again, may_have_arrived }) => {
                    is_perhaps_asked |= may_have_arrived;
                    match again {
                        Some(wait) if tries < TRIES => tokio::time::sleep(wait).await,
                        // Its run may be under way by now, and is paid for: it is followed once the server is back.
                        Some(_) if is_perhaps_asked => {
                            let source = self.stream_of(Origin::Question(question));
                            return Ok(Reconnecting::follow_lost(source, trouble.to_string()));
                        }
                        Some(_) | None => return Err(trouble),
                    }
                }
            }
        }
    }

    async fn follow(&self, run: &str, after: u64) -> Result<Following, Trouble> {
        let response = self.open(run, after).await.map_err(|refused| refused.trouble)?;
        Ok(Reconnecting::follow(self.stream_of(Origin::Run(run.to_owned())), after, response))
    }
}

/// What a stream is opened for.
enum Origin {
    Run(String),
    /// A question of which it is not known whether it has become a run. It is asked again.
    Question(Question),
}

/// The stream of one run over HTTP.
struct RunStream {
    http: Http,
    origin: Origin,
}

#[async_trait]
impl Source for RunStream {
    async fn open(&mut self, after: u64) -> Result<Response, Refused> {
        match &self.origin {
            Origin::Run(run) => self.http.open(run, after).await,
            Origin::Question(question) => {
                let (run, response) = self.http.ask_once(question).await?;
                self.origin = Origin::Run(run);
                Ok(response)
            }
        }
    }

    fn broken(&self, error: &reqwest::Error) -> Trouble {
        self.http.broken(error)
    }

    fn given_up(&self, trouble: Trouble) -> Trouble {
        match (&self.origin, trouble) {
            (Origin::Question(_), Trouble::NotReachable(why)) => {
                Trouble::NotReachable(format!("{why} ({PERHAPS_ASKED})"))
            }
            (_, trouble) => trouble,
        }
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
