//! HTTP/1.1 by hand over one connection: to see every chunk as it comes, and to send what no
//! client library would.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::app::TestApp;

/// How long a test waits for something; far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A connection from 127.0.0.1, where the trusted proxy lives.
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
    host: String,
}

/// The status line and the headers of an answer.
#[derive(Debug)]
pub struct Head {
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// The only value of a header, or nothing.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} twice: {self:?}");
        value
    }
}

impl Wire {
    pub async fn open(app: &TestApp) -> Self {
        let host = app.url("").trim_start_matches("http://").to_owned();
        Self::on(TcpStream::connect(host).await.unwrap())
    }

    /// A connection that was made elsewhere.
    pub fn on(stream: TcpStream) -> Self {
        let host = stream.peer_addr().expect("it is connected").to_string();
        Self { stream, buffer: Vec::new(), host }
    }

    /// Sends bytes as they stand. A server that has closed already is seen by what it answered.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.ok();
    }

    /// Sends a whole request of a user, with more header lines.
    pub async fn request(&mut self, method: &str, path: &str, user: &str, headers: &[&str], body: &str) {
        let host = &self.host;
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nremote-user: {user}\r\n");
        for header in headers {
            text.push_str(header);
            text.push_str("\r\n");
        }
        text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        self.send(text).await;
    }

    /// Sends a whole request of a user, and with it that nothing more comes from this side.
    pub async fn last_request(&mut self, method: &str, path: &str, user: &str, headers: &[&str], body: &str) {
        // Both in one packet: the server cannot have begun its answer between them.
        #[cfg(target_os = "linux")]
        socket2::SockRef::from(&self.stream).set_tcp_cork(true).expect("an option of the system");
        self.request(method, path, user, headers, body).await;
        self.hang_up().await;
    }

    /// The head of the next answer; `None` when the server closed instead.
    pub async fn head(&mut self) -> Option<Head> {
        let end = self.find(b"\r\n\r\n").await?;
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head).expect("headers are ASCII");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().expect("a status");
        let headers = lines.map(|line| line.split_once(':').expect("name: value"));
        let headers = headers.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
        Some(Head { status, headers })
    }

    /// The next chunk of a chunked body; `None` at its proper end.
    pub async fn chunk(&mut self) -> Option<Vec<u8>> {
        let end = self.find(b"\r\n").await.expect("a body that is not torn");
        let size: Vec<u8> = self.buffer.drain(..end + 2).collect();
        let size = std::str::from_utf8(&size).unwrap().trim();
        let size = usize::from_str_radix(size, 16).expect("a chunk's size");
        while self.buffer.len() < size + 2 {
            assert!(self.read().await, "a body that is not torn");
        }
        let mut chunk: Vec<u8> = self.buffer.drain(..size + 2).collect();
        assert_eq!(chunk.split_off(size), b"\r\n");
        (size > 0).then_some(chunk)
    }

    /// The body of an answer that says its length, as JSON.
    pub async fn json(&mut self, head: &Head) -> Value {
        let length: usize = head.header("content-length").expect("a length").parse().unwrap();
        while self.buffer.len() < length {
            assert!(self.read().await, "a body that is not torn");
        }
        let body: Vec<u8> = self.buffer.drain(..length).collect();
        serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{error}: {body:?}"))
    }

    /// Says that nothing more comes from this side.
    pub async fn hang_up(&mut self) {
        self.stream.shutdown().await.ok();
    }

    /// Waits until the server has closed.
    pub async fn closed(&mut self) {
        while self.read().await {}
    }

    /// How much comes until the server has closed.
    pub async fn rest(&mut self) -> usize {
        self.closed().await;
        self.buffer.len()
    }

    async fn find(&mut self, what: &[u8]) -> Option<usize> {
        loop {
            if let Some(at) = self.buffer.windows(what.len()).position(|window| window == what) {
                return Some(at);
            }
            if !self.read().await {
                assert!(self.buffer.is_empty(), "the answer is torn: {:?}", self.buffer);
                return None;
            }
        }
    }

    /// Reads more; false at the end.
    async fn read(&mut self) -> bool {
        let read = tokio::time::timeout(TIMEOUT, self.stream.read_buf(&mut self.buffer));
        read.await.expect("bytes in time").is_ok_and(|bytes| bytes > 0)
    }
}
