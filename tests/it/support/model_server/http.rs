//! Just enough HTTP/1.1 to answer, and to misbehave at any byte.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::script::{Rendered, Step};
use super::{Outcome, RecordedRequest, bedrock, last_of_user};

/// Requests over this are not read further.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// One client's connection.
pub(super) struct Connection {
    read: OwnedReadHalf,
    write: OwnedWriteHalf,
    /// Bytes read and not yet used.
    unread: Vec<u8>,
}

impl Connection {
    pub fn new(stream: tokio::net::TcpStream) -> Self {
        // Without it small writes would be joined, and cuts would not fall where they are scripted.
        stream.set_nodelay(true).expect("a fresh socket takes the option");
        let (read, write) = stream.into_split();
        Self { read, write, unread: Vec::new() }
    }

    /// The next request, or nothing when the client is done (or writes no HTTP).
    pub async fn request(&mut self) -> Option<RecordedRequest> {
        let head_end = loop {
            if let Some(at) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more().await?;
        };
        let head: Vec<u8> = self.unread.drain(..head_end).collect();
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut lines = head.lines();
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        while self.unread.len() < length {
            self.read_more().await?;
        }
        let bytes: Vec<u8> = self.unread.drain(..length).collect();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let model = bedrock::model_of(&path).or_else(|| bedrock::invoked(&path)).unwrap_or(model);
        let blocks = last_of_user(&body).and_then(bedrock::text_of);
        Some(RecordedRequest { method, path, headers, body, bytes, model, blocks })
    }

    async fn read_more(&mut self) -> Option<()> {
        let mut piece = [0; 16 << 10];
        let count = self.read.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        self.unread.extend_from_slice(&piece[..count]);
        (self.unread.len() <= MAX_REQUEST_BYTES).then_some(())
    }

    /// Returns when the client has closed its side.
    async fn gone(&mut self) {
        while self.read_more().await.is_some() {}
    }

    /// Answers; says how it ended, and whether the connection can take another request.
    pub async fn answer(&mut self, response: &Rendered) -> (Outcome, bool) {
        let Rendered { status, headers, steps, close_delimited } = response;
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let chunked = !close_delimited && *status != 204;
        head.push_str(match (close_delimited, chunked) {
            (true, _) => "connection: close\r\n\r\n",
            (false, true) => "transfer-encoding: chunked\r\n\r\n",
            (false, false) => "\r\n",
        });
        if self.write.write_all(head.as_bytes()).await.is_err() {
            return (Outcome::ClientGone, false);
        }
        for step in steps {
            let done = match step {
                Step::Send(bytes) if *status == 204 || bytes.is_empty() => true,
                Step::Send(bytes) => self.send(bytes, chunked).await,
                Step::Pause(pause) => {
                    tokio::select! {
                        () = tokio::time::sleep(*pause) => true,
                        () = self.gone() => false,
                    }
                }
                Step::Hold(gate) => {
                    tokio::select! {
                        () = gate.opened() => true,
                        () = self.gone() => false,
                    }
                }
                Step::Stall => {
                    self.gone().await;
                    false
                }
                Step::Cut => return (Outcome::Cut, false),
            };
            if !done {
                return (Outcome::ClientGone, false);
            }
        }
        if chunked && self.write.write_all(b"0\r\n\r\n").await.is_err() {
            return (Outcome::ClientGone, false);
        }
        (Outcome::Finished, !close_delimited)
    }

    async fn send(&mut self, bytes: &[u8], chunked: bool) -> bool {
        let mut frame = Vec::with_capacity(bytes.len() + 16);
        if chunked {
            frame.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
        }
        frame.extend_from_slice(bytes);
        if chunked {
            frame.extend_from_slice(b"\r\n");
        }
        self.write.write_all(&frame).await.is_ok()
    }
}
