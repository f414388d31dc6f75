//! S3, as far as files need it: an object is put, read and deleted under a key that nothing else ever has, so each may be
//! done again. Whatever the store says is bounded, and redirects are not followed.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::{Method, Response, StatusCode};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use url::Url;

use super::error::{ObjectError, SetupError};
use super::metrics::{self, Operation};
use super::settings::Settings;
use crate::id::ObjectKey;
use crate::sigv4::{self, Body, Keys, Service, ToSign};
use crate::store::objects::Stored;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit of one try, from its beginning to the last byte of the answer.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The pauses between tries.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(600)];
/// How many requests there are at once; each may have a file in memory.
const AT_ONCE: usize = 32;
/// How long one waits for its turn.
const TURN: Duration = Duration::from_secs(30);
/// How much is read of what the store says is wrong.
const MAX_ERROR_BYTES: usize = 4 << 10;
/// The longest name of an error, and of a cause, that goes to the log, in characters.
const REASON_CHARS: usize = 200;

/// See the module.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    settings: Settings,
    /// The address that keys are appended to.
    base: String,
    turns: Semaphore,
}

/// A request to be sent.
struct RequestBody<'a> {
    hash: &'a str,
    bytes: Bytes,
}

impl Client {
    /// # Errors
    /// When endpoint and bucket are no address, or the machine has no certificates.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let base = base(&settings).ok_or(SetupError::Address)?;
        let http = reqwest::Client::builder()
            .user_agent(concat!("llm-council/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // No decompression: what is read is what was put, byte for byte.
            .no_gzip()
            .tcp_nodelay(true)
            .build()?;
        metrics::begin();
        Ok(Self { http, settings, base, turns: Semaphore::new(AT_ONCE) })
    }

    /// Whether a file of so many bytes is kept there.
    pub fn takes(&self, bytes: usize) -> bool {
        bytes >= self.settings.from_bytes
    }

    /// Puts what has this hash.
    pub async fn put(&self, key: ObjectKey, hash: &str, bytes: &Bytes) -> Result<(), ObjectError> {
        let put = || async {
            let response =
                self.send(Operation::Put, key, Some(RequestBody { hash, bytes: bytes.clone() })).await?;
            if response.status().is_success() { Ok(()) } else { Err(refused(Operation::Put, response).await) }
        };
        self.tried(Operation::Put, put).await
    }

    /// Reads an object, if it is the one that was put.
    pub async fn get(&self, stored: &Stored) -> Result<Vec<u8>, ObjectError> {
        let get = || async {
            let response = self.send(Operation::Get, stored.key, None).await?;
            if response.status() != StatusCode::OK {
                return Err(refused(Operation::Get, response).await);
            }
            read(response, stored).await
        };
        self.tried(Operation::Get, get).await
    }

    /// Removes an object. One that is not there is removed.
    pub async fn delete(&self, key: ObjectKey) -> Result<(), ObjectError> {
        let delete = || async {
            let response = self.send(Operation::Delete, key, None).await?;
            if response.status().is_success() {
                return Ok(());
            }
            let error = refused(Operation::Delete, response).await;
            if error == ObjectError::Missing { Ok(()) } else { Err(error) }
        };
        self.tried(Operation::Delete, delete).await
    }

    async fn tried<T, F>(&self, operation: Operation, once: impl Fn() -> F) -> Result<T, ObjectError>
    where
        F: Future<Output = Result<T, ObjectError>>,
    {
        let turn = tokio::time::timeout(TURN, self.turns.acquire()).await;
        let result = if let Ok(Ok(_turn)) = turn {
            let mut pauses = PAUSES.into_iter();
            loop {
                match once().await {
                    Err(ObjectError::Away(reason)) => match pauses.next() {
                        // A call that has waited for its turn this long once must not do so three times.
                        Some(pause) if reason != TOO_SLOW => tokio::time::sleep(pause).await,
                        Some(_) | None => break Err(ObjectError::Away(reason)),
                    },
                    result => break result,
                }
            }
        } else {
            Err(ObjectError::Away("too much is asked of it at once".to_owned()))
        };
        metrics::ended(operation, &result);
        result
    }

    async fn send(
        &self,
        operation: Operation,
        key: ObjectKey,
        body: Option<RequestBody<'_>>,
    ) -> Result<Response, ObjectError> {
        let url: Url = format!("{}{key}", self.base)
            .parse()
            .map_err(|_| ObjectError::Refused("its address is not valid".to_owned()))?;
        let method: Method = operation.method();
        let keys = Keys {
            access_key_id: &self.settings.access_key_id,
            secret_access_key: &self.settings.secret_access_key,
            session_token: None,
        };
        let to_sign = ToSign {
            service: Service::S3,
            region: &self.settings.region,
            method: method.as_str(),
            url: &url,
            headers: &[],
            body: body.as_ref().map_or(Body::Bytes(&[]), |body| Body::Hash(body.hash)),
        };
        let headers = sigv4::headers(&keys, &to_sign, SystemTime::now()).map_err(ObjectError::Refused)?;
        let mut request = self.http.request(method, url).headers(headers);
        if let Some(RequestBody { bytes, .. }) = body {
            request = request.body(bytes);
        }
        request.send().await.map_err(|error| away(&error))
    }
}

/// The address that keys are appended to; `None` where it would not be a valid one.
fn base(settings: &Settings) -> Option<String> {
    let Settings { endpoint, bucket, prefix, path_style, .. } = settings;
    let mut url = endpoint.clone();
    if !path_style {
        let host = format!("{bucket}.{}", url.host_str()?);
        url.set_host(Some(&host)).ok()?;
    }
    let before = url.path().trim_end_matches('/');
    let path = if *path_style { format!("{before}/{bucket}/{prefix}") } else { format!("{before}/{prefix}") };
    url.set_path(&path);
    // The URL parser must not have normalised any of it.
    (url.path() == path).then(|| url.into())
}

const TOO_SLOW: &str = "it did not answer in time";

/// The cause without the address, which is in the configuration; the innermost cause is the one that helps.
fn away(error: &reqwest::Error) -> ObjectError {
    if error.is_timeout() {
        return ObjectError::Away(TOO_SLOW.to_owned());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string().chars().filter(|c| !c.is_control()).take(REASON_CHARS).collect();
    ObjectError::Away(text)
}

/// The object, if it is as long as it has to be and has the hash.
async fn read(mut response: Response, stored: &Stored) -> Result<Vec<u8>, ObjectError> {
    let size = usize::try_from(stored.size).map_err(|_| ObjectError::Changed)?;
    if response.content_length().is_some_and(|length| length != stored.size) {
        return Err(ObjectError::Changed);
    }
    let mut bytes = Vec::with_capacity(size);
    // Piece by piece, so that a large file does not hold up everybody else on this thread.
    let mut hash = Sha256::new();
    while let Some(piece) = response.chunk().await.map_err(|error| away(&error))? {
        if bytes.len() + piece.len() > size {
            return Err(ObjectError::Changed);
        }
        hash.update(&piece);
        bytes.extend_from_slice(&piece);
    }
    if hex::encode(hash.finalize()) == stored.hash { Ok(bytes) } else { Err(ObjectError::Changed) }
}

/// What the store reports: its status and the name of its error, and nothing else of what it sent.
async fn refused(operation: Operation, mut response: Response) -> ObjectError {
    let status = response.status();
    let mut body = Vec::new();
    while body.len() < MAX_ERROR_BYTES {
        let Ok(Some(piece)) = response.chunk().await else { break };
        body.extend(piece.iter().take(MAX_ERROR_BYTES - body.len()));
    }
    let code = code(&String::from_utf8_lossy(&body));
    let is_of_bucket = code.as_deref() == Some("NoSuchBucket");
    let named = code.map(|code| format!(" ({code})")).unwrap_or_default();
    let reason = format!("{} was answered with {}{named}", operation.method(), status.as_u16());
    match status {
        StatusCode::NOT_FOUND if operation != Operation::Put && !is_of_bucket => ObjectError::Missing,
        StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT
        | StatusCode::TOO_MANY_REQUESTS => ObjectError::Away(reason),
        _ => ObjectError::Refused(reason),
    }
}

/// The name of an error in what the store says of it.
fn code(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_name = code.len() <= REASON_CHARS && code.chars().all(|c| c.is_ascii_alphanumeric());
    (is_name && !code.is_empty()).then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(endpoint: &str, prefix: &str, path_style: bool) -> Settings {
        Settings {
            endpoint: endpoint.parse().unwrap(),
            bucket: "files".to_owned(),
            region: "us-east-1".to_owned(),
            prefix: prefix.to_owned(),
            access_key_id: "AK".to_owned(),
            secret_access_key: "hidden".into(),
            path_style,
            from_bytes: 0,
        }
    }

    #[test]
    fn the_bucket_stands_in_the_path_or_before_the_host() {
        for (endpoint, prefix, path_style, expected) in [
            ("http://127.0.0.1:9000", "", true, "http://127.0.0.1:9000/files/"),
            ("http://127.0.0.1:9000/", "a/b-", true, "http://127.0.0.1:9000/files/a/b-"),
            ("https://x.example/storage/v1/s3", "c/", true, "https://x.example/storage/v1/s3/files/c/"),
            (
                "https://s3.eu-central-1.amazonaws.com",
                "c/",
                false,
                "https://files.s3.eu-central-1.amazonaws.com/c/",
            ),
        ] {
            assert_eq!(base(&settings(endpoint, prefix, path_style)).as_deref(), Some(expected));
        }
        assert_eq!(base(&settings("http://127.0.0.1:9000", "", false)), None, "no part of an address");
        assert_eq!(base(&settings("http://a.example", "../b/", true)), None, "another bucket");
    }

    #[test]
    fn of_what_a_store_says_only_the_name_of_the_error_is_taken() {
        let denied =
            "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>hidden</Message></Error>";
        assert_eq!(code(denied).as_deref(), Some("AccessDenied"));
        for none in ["", "<Code>", "<Code></Code>", "<Code>a b</Code>", "<Code>a\u{1b}[0m</Code>"] {
            assert_eq!(code(none), None, "{none}");
        }
        assert_eq!(code(&format!("<Code>{}</Code>", "x".repeat(300))), None);
    }

    #[test]
    fn its_debug_shows_no_secret() {
        let client = Client::new(settings("http://127.0.0.1:9000", "", true)).unwrap();
        assert!(!format!("{client:?}").contains("hidden"));
    }
}
