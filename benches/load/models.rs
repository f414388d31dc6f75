//! The scripted models: an OpenAI-compatible server that streams stamped tokens at an even pace and
//! counts what it is asked. It is a process of its own, so that its time and memory are not the
//! server's, and does as little as it can: one thread, no JSON.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::cli::ModelFlags;
use super::http::find;
use super::stamp;

/// What the process says on its standard output when it listens; the port follows.
pub const HELLO: &str = "models on port ";

/// A title never takes longer.
const TITLE: Duration = Duration::from_millis(500);
const TITLE_MODEL: &[u8] = br#""model":"m/title""#;
const CHAIR_MODEL: &[u8] = br#""model":"m/chair""#;
/// Words that only a reviewer's prompt has.
const REVIEW: &[u8] = b"FINAL RANKING:";

const BEFORE: &[u8] =
    br#"data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"scripted","choices":[{"index":0,"delta":{"content":""#;
const AFTER: &[u8] = b"\"},\"finish_reason\":null}]}\n\n";
const END: &[u8] = b"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"scripted\",\
    \"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"scripted\",\"choices\":[],\
    \"usage\":{\"prompt_tokens\":100,\"completion_tokens\":100,\"total_tokens\":200}}\n\n\
    data: [DONE]\n\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// What has been asked so far.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Calls that began.
    pub calls: u64,
    /// Calls whose client left before the end.
    pub broken: u64,
    pub in_flight: u64,
    pub peak_in_flight: u64,
    /// Stamped tokens sent to calls whose tokens are shown (answers and syntheses), and to all.
    pub shown_tokens: u64,
    pub tokens: u64,
    /// How much longer calls took than they should, in microseconds: this process was late, or
    /// the server did not read.
    pub late: Vec<u32>,
}

impl Counts {
    /// Forgets everything but the calls under way.
    fn begin_anew(&mut self) {
        let in_flight = self.in_flight;
        *self = Self { in_flight, peak_in_flight: in_flight, ..Self::default() };
    }
}

type Shared = Rc<RefCell<Counts>>;

/// Serves until the process is killed.
pub fn serve(flags: &ModelFlags) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("no free port")?;
        println!("{HELLO}{}", listener.local_addr()?.port());
        io::stdout().flush()?;
        let counts = Shared::default();
        let padding: Rc<[u8]> = padding(flags.padding).into();
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (stream, _) = accepted.context("out of file descriptors? see `ulimit -n`")?;
                    stream.set_nodelay(true)?;
                    let padding = padding.clone();
                    let connection = Connection { stream, padding, input: BytesMut::new(), output: Vec::new() };
                    connections.spawn_local(connection.serve(counts.clone(), *flags));
                }
                // A connection that broke has counted its call as broken.
                Some(_) = connections.join_next() => {}
            }
        }
    })
}

struct Connection {
    stream: TcpStream,
    padding: Rc<[u8]>,
    input: BytesMut,
    output: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Answer,
    Review,
    Synthesis,
    Title,
}

impl Connection {
    async fn serve(mut self, counts: Shared, flags: ModelFlags) -> io::Result<()> {
        loop {
            let head = loop {
                if let Some(at) = find(&self.input, b"\r\n\r\n") {
                    break self.input.split_to(at + 4);
                }
                self.read().await?;
            };
            let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            while self.input.len() < length {
                self.read().await?;
            }
            let kind = kind(&self.input[..length]);
            self.input.advance(length);
            if head.starts_with("post ") {
                let call = UnderWay::begin(&counts);
                self.answer(kind, &counts, flags).await?;
                call.end();
            } else if head.starts_with("get /counts") {
                let body = serde_json::to_string(&*counts.borrow())?;
                self.plain(200, &body).await?;
            } else if head.starts_with("delete /counts") {
                counts.borrow_mut().begin_anew();
                self.plain(200, "{}").await?;
            } else if head.starts_with("get /v1/models") {
                self.plain(200, r#"{"object":"list","data":[]}"#).await?;
            } else {
                self.plain(404, "{}").await?;
            }
        }
    }

    async fn read(&mut self) -> io::Result<()> {
        self.input.reserve(16 * 1024);
        match self.stream.read_buf(&mut self.input).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    async fn plain(&mut self, status: u16, body: &str) -> io::Result<()> {
        let length = body.len();
        let text = format!(
            "HTTP/1.1 {status} \r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        self.stream.write_all(text.as_bytes()).await
    }

    /// Streams the tokens at an even pace over the time of the call. Overdue tokens are sent in one write.
    async fn answer(&mut self, kind: Kind, counts: &Shared, flags: ModelFlags) -> io::Result<()> {
        let began = Instant::now();
        let whole = Duration::from_millis(flags.call_ms);
        let whole = if kind == Kind::Title { whole.min(TITLE) } else { whole };
        let tokens = if kind == Kind::Title { 1 } else { flags.tokens };
        let due = |token: u32| began + whole * token / (tokens + 1);
        self.stream.write_all(OK).await?;
        let mut sent = 0;
        while sent < tokens {
            tokio::time::sleep_until(due(sent + 1)).await;
            let now = Instant::now();
            self.output.clear();
            let first = sent;
            while sent < tokens && due(sent + 1) <= now {
                sent += 1;
                self.token(kind);
            }
            self.stream.write_all(&self.output).await?;
            let mut counts = counts.borrow_mut();
            let more = u64::from(sent - first);
            counts.tokens += more;
            if matches!(kind, Kind::Answer | Kind::Synthesis) {
                counts.shown_tokens += more;
            }
        }
        tokio::time::sleep_until(began + whole).await;
        self.output.clear();
        let last = match kind {
            Kind::Answer => r"\n\nCONFIDENCE: 8".to_owned(),
            Kind::Review => ranking(flags.answers),
            Kind::Synthesis | Kind::Title => String::new(),
        };
        if !last.is_empty() {
            self.chunk(last.as_bytes());
        }
        framed(&mut self.output, &[END]);
        self.output.extend_from_slice(b"0\r\n\r\n");
        self.stream.write_all(&self.output).await?;
        let late = (began.elapsed() - whole).as_micros();
        counts.borrow_mut().late.push(u32::try_from(late).unwrap_or(u32::MAX));
        Ok(())
    }

    fn token(&mut self, kind: Kind) {
        if kind == Kind::Title {
            return self.chunk(b"A Scripted Title");
        }
        let mut text = Vec::with_capacity(stamp::TOKEN_BYTES);
        stamp::push(&mut text, stamp::now());
        if kind == Kind::Answer {
            text.extend_from_slice(&self.padding);
        }
        self.chunk(&text);
    }

    /// One event that says `text`, which must need no escaping in JSON.
    fn chunk(&mut self, text: &[u8]) {
        framed(&mut self.output, &[BEFORE, text, AFTER]);
    }
}

/// The end of a review that ranks this many answers by their labels, as it stands in JSON.
fn ranking(answers: usize) -> String {
    let lines = ('A'..='Z').zip(1..=answers).map(|(label, place)| format!(r"\n{place}. Response {label}"));
    r"\n\nFINAL RANKING:".to_owned() + &lines.collect::<String>()
}

/// Words of this length in all, with a line end here and there, as they stand in JSON.
fn padding(length: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(length + 16);
    let mut random = 1_u32;
    while text.len() < length {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let letters = random.to_be_bytes().map(|byte| b'a' + byte % 26);
        text.extend_from_slice(&letters);
        text.extend_from_slice(if random.is_multiple_of(12) { br"\n" } else { b" " });
    }
    // Not within a line end.
    text.truncate(length);
    if text.last() == Some(&b'\\') {
        text.pop();
    }
    text
}

fn framed(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let size: usize = parts.iter().map(|part| part.len()).sum();
    out.extend_from_slice(format!("{size:x}\r\n").as_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out.extend_from_slice(b"\r\n");
}

/// What a request asks for, by the model's name and the prompt's words.
fn kind(body: &[u8]) -> Kind {
    // The model stands first in the JSON; the prompt of a review can be long.
    let beginning = &body[..body.len().min(200)];
    if find(beginning, TITLE_MODEL).is_some() {
        Kind::Title
    } else if find(beginning, CHAIR_MODEL).is_some() {
        Kind::Synthesis
    } else if find(&body[body.len().saturating_sub(1_000)..], REVIEW).is_some() {
        Kind::Review
    } else {
        Kind::Answer
    }
}

/// Counts a call as in flight until it is dropped, and as broken unless it has ended.
struct UnderWay {
    counts: Shared,
    ended: bool,
}

impl UnderWay {
    fn begin(counts: &Shared) -> Self {
        let mut now = counts.borrow_mut();
        now.calls += 1;
        now.in_flight += 1;
        now.peak_in_flight = now.peak_in_flight.max(now.in_flight);
        drop(now);
        Self { counts: counts.clone(), ended: false }
    }

    fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut now = self.counts.borrow_mut();
        now.in_flight -= 1;
        now.broken += u64::from(!self.ended);
    }
}
