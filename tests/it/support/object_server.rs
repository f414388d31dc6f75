//! An object store over real HTTP that speaks as S3 does: it keeps objects in memory, checks signatures by an arithmetic of its own, and fails,
//! stalls, cuts and lies as it is told. It stops when it is dropped.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use llm_council::config::{Config, Overrides};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub const BUCKET: &str = "council-files";
pub const KEY_ID: &str = "AKOFTHETEST";
pub const SECRET: &str = "secret-of-the-object-store/with+signs";
const REGION: &str = "eu-test-1";
const PREFIX: &str = "council/";

/// What to do with a request instead of what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Answers so, with the name of an error.
    Status(u16, &'static str),
    /// Does it, and closes the connection without a word.
    Cut,
    /// Never answers.
    Stall,
    /// Hands out something else, as long as it was.
    Changed,
    /// Hands out more than there was.
    Longer,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    /// Without bucket and prefix.
    pub key: String,
}

type Rule = dyn Fn(&Asked) -> Option<Fault> + Send + Sync;

#[derive(Default)]
struct State {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    asked: Mutex<Vec<Asked>>,
    rule: Mutex<Option<Arc<Rule>>>,
    /// What was wrong with requests that were refused.
    unsigned: Mutex<Vec<String>>,
    changes: watch::Sender<()>,
}

/// See the file's head.
pub struct ObjectServer {
    address: SocketAddr,
    state: Arc<State>,
    /// The accepting task; dropping it ends every connection.
    _accepting: JoinSet<()>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ObjectServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(State::default());
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _accepting: accepting }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The configuration of a server that keeps files of so many bytes and more here.
    pub fn toml(&self, from_bytes: usize) -> String {
        format!(
            "\n[attachments.s3]\nendpoint = \"{}\"\nbucket = \"{BUCKET}\"\nregion = \"{REGION}\"\nprefix = \"{PREFIX}\"\n\
             access_key_id = \"{KEY_ID}\"\nsecret_access_key = \"{SECRET}\"\nfrom_bytes = {from_bytes}\n",
            self.endpoint()
        )
    }

    /// The same as keys and values.
    pub fn settings(&self, from_bytes: usize) -> [(&'static str, String); 7] {
        [
            ("attachments.s3.endpoint", self.endpoint()),
            ("attachments.s3.bucket", BUCKET.to_owned()),
            ("attachments.s3.region", REGION.to_owned()),
            ("attachments.s3.prefix", PREFIX.to_owned()),
            ("attachments.s3.access_key_id", KEY_ID.to_owned()),
            ("attachments.s3.secret_access_key", SECRET.to_owned()),
            ("attachments.s3.from_bytes", from_bytes.to_string()),
        ]
    }

    /// A way in beside the app's own, as a second server has.
    pub fn objects_of_another_server(&self) -> llm_council::objects::Objects {
        let config = Config::from_parts(&self.toml(0), &Default::default(), &Overrides::default());
        let s3 = config.expect("the test's configuration").attachments.s3;
        let settings = llm_council::objects::Settings {
            endpoint: s3.endpoint.expect("an address"),
            bucket: s3.bucket.expect("a bucket"),
            region: s3.region,
            prefix: s3.prefix,
            access_key_id: s3.access_key_id.expect("an id"),
            secret_access_key: s3.secret_access_key.expect("a secret"),
            path_style: s3.path_style,
            from_bytes: s3.from_bytes,
        };
        llm_council::objects::Objects::new(settings).expect("a client")
    }

    /// Asks `rule` about every request from now on; what it gives is done.
    pub fn fails(&self, rule: impl Fn(&Asked) -> Option<Fault> + Send + Sync + 'static) {
        *lock(&self.state.rule) = Some(Arc::new(rule));
    }

    /// Every request of this kind fails so.
    pub fn fails_at(&self, method: &'static str, fault: Fault) {
        self.fails(move |asked| (asked.method == method).then_some(fault));
    }

    /// Does what it is asked again.
    pub fn heals(&self) {
        *lock(&self.state.rule) = None;
    }

    /// All objects, by key.
    pub fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        lock(&self.state.objects).clone()
    }

    /// The content of all objects, in no order that means anything.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        self.objects().into_values().collect()
    }

    /// How many requests of this kind there were.
    pub fn count(&self, method: &str) -> usize {
        lock(&self.state.asked).iter().filter(|asked| asked.method == method).count()
    }

    /// Waits until there are so many objects.
    pub async fn until(&self, objects: usize) {
        let mut changes = self.state.changes.subscribe();
        let waiting = async {
            while self.objects().len() != objects {
                changes.changed().await.expect("the server lives");
            }
        };
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(120), waiting).await;
        assert!(in_time.is_ok(), "not {objects} objects, but {:?}", self.objects().keys());
    }

    /// Waits until there were so many requests of this kind.
    pub async fn until_asked(&self, method: &str, times: usize) {
        let mut changes = self.state.changes.subscribe();
        let waiting = async {
            while self.count(method) < times {
                changes.changed().await.expect("the server lives");
            }
        };
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(120), waiting).await;
        assert!(in_time.is_ok(), "only {} of {times} {method}", self.count(method));
    }

    /// Every request was signed as it has to be.
    #[track_caller]
    pub fn all_were_signed(&self) {
        assert_eq!(*lock(&self.state.unsigned), [""; 0]);
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&state)));
    }
}

struct Request {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    let mut unread = Vec::new();
    while let Some(request) = next(&mut stream, &mut unread).await {
        if answer(&mut stream, &state, request).await.is_none() {
            return;
        }
    }
}

/// Reads more, if there is more.
async fn more(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<()> {
    let mut piece = [0; 16 << 10];
    let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
    unread.extend_from_slice(&piece[..count]);
    Some(())
}

async fn next(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(at) = unread.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, unread).await?;
    };
    let head: Vec<u8> = unread.drain(..end).collect();
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while unread.len() < length {
        more(stream, unread).await?;
    }
    let body = unread.drain(..length).collect();
    Some(Request { method, path, headers, body })
}

/// Answers; nothing where the connection is to be closed.
async fn answer(stream: &mut TcpStream, state: &State, request: Request) -> Option<()> {
    let before = format!("/{BUCKET}/{PREFIX}");
    let asked = Asked {
        method: request.method.clone(),
        key: request.path.strip_prefix(&before).unwrap_or(&request.path).to_owned(),
    };
    lock(&state.asked).push(asked.clone());
    state.changes.send_replace(());
    let rule = lock(&state.rule).clone();
    let fault = rule.and_then(|rule| rule(&asked));
    let (status, body) = match fault {
        Some(Fault::Status(status, code)) => (status, error(code)),
        Some(Fault::Stall) => {
            while more(stream, &mut Vec::new()).await.is_some() {}
            return None;
        }
        Some(Fault::Cut | Fault::Changed | Fault::Longer) | None => done(state, &request, &asked.key),
    };
    let body = match fault {
        Some(Fault::Cut) => return None,
        Some(Fault::Changed) => body.iter().map(|byte| byte ^ 1).collect(),
        Some(Fault::Longer) => [body, b"and more".to_vec()].concat(),
        Some(_) | None => body,
    };
    // Without a length where it lies about that: it is for the reader to stop.
    let length = match fault {
        Some(Fault::Longer) => "connection: close".to_owned(),
        Some(_) | None => format!("content-length: {}", body.len()),
    };
    let head = format!("HTTP/1.1 {status} Scripted\r\n{length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    if status != 204 {
        stream.write_all(&body).await.ok()?;
    }
    (fault != Some(Fault::Longer)).then_some(())
}

fn error(code: &str) -> Vec<u8> {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>words-of-the-store</Message></Error>"
    );
    text.into_bytes()
}

/// Does what is asked for.
fn done(state: &State, request: &Request, key: &str) -> (u16, Vec<u8>) {
    if let Err(problem) = is_signed(request) {
        lock(&state.unsigned).push(format!("{} {}: {problem}", request.method, request.path));
        return (403, error("SignatureDoesNotMatch"));
    }
    let mut objects = lock(&state.objects);
    let answer = match request.method.as_str() {
        "PUT" => {
            objects.insert(key.to_owned(), request.body.clone());
            (200, Vec::new())
        }
        "GET" => objects.get(key).map_or_else(|| (404, error("NoSuchKey")), |bytes| (200, bytes.clone())),
        "DELETE" => {
            objects.remove(key);
            (204, Vec::new())
        }
        _ => (405, error("MethodNotAllowed")),
    };
    drop(objects);
    state.changes.send_replace(());
    answer
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// RFC 2104, by hand: what the program signs with is not what it is checked with.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    let key = if key.len() > 64 { sha256(key).to_vec() } else { key.to_vec() };
    block[..key.len()].copy_from_slice(&key);
    let inner = sha256(&[&block.map(|byte| byte ^ 0x36)[..], text].concat());
    sha256(&[&block.map(|byte| byte ^ 0x5c)[..], &inner].concat())
}

/// Checks AWS's signature of a request, after its documentation for S3.
fn is_signed(request: &Request) -> Result<(), String> {
    let header = |name: &str| request.headers.get(name).ok_or(format!("{name} is missing"));
    let authorization = header("authorization")?;
    let rest = authorization.strip_prefix("AWS4-HMAC-SHA256 ").ok_or("another algorithm")?;
    let parts: BTreeMap<&str, &str> =
        rest.split(',').filter_map(|part| part.trim().split_once('=')).collect();
    let part = |name: &str| parts.get(name).copied().ok_or(format!("{name} is missing"));
    let (time, hash) = (header("x-amz-date")?, header("x-amz-content-sha256")?);
    if *hash != hex::encode(sha256(&request.body)) {
        return Err("the hash is another body's".to_owned());
    }
    let day = time.get(..8).ok_or("no day")?;
    let scope = format!("{day}/{REGION}/s3/aws4_request");
    if part("Credential")? != format!("{KEY_ID}/{scope}") {
        return Err(format!("not for {scope}"));
    }
    let signed = part("SignedHeaders")?;
    for needed in ["host", "x-amz-content-sha256", "x-amz-date"] {
        if !signed.split(';').any(|name| name == needed) {
            return Err(format!("{needed} is not signed"));
        }
    }
    let mut headers = String::new();
    for name in signed.split(';') {
        headers.push_str(&format!("{name}:{}\n", header(name)?));
    }
    let canonical = format!("{}\n{}\n\n{headers}\n{signed}\n{hash}", request.method, request.path);
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex::encode(sha256(canonical.as_bytes())));
    let mut key = hmac(format!("AWS4{SECRET}").as_bytes(), day.as_bytes());
    for text in [REGION, "s3", "aws4_request"] {
        key = hmac(&key, text.as_bytes());
    }
    if part("Signature")? == hex::encode(hmac(&key, to_sign.as_bytes())) {
        Ok(())
    } else {
        Err("another signature".to_owned())
    }
}
