//! As much HTTP/1.1 over one TCP connection as the generator needs: it shares the machine with the
//! server it measures, so it parses nothing that it does not use.

use std::io;
use std::net::SocketAddr;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// How much is read at once.
const READ: usize = 64 * 1024;

/// A connection of one user, kept alive between requests.
pub struct Connection {
    stream: TcpStream,
    input: BytesMut,
    user: String,
    host: SocketAddr,
}

/// The beginning of a response.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    pub status: u16,
    body: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Length(usize),
    /// At the size line of a chunk.
    Size,
    /// Within a chunk, with this much to come.
    Chunk(usize),
    /// At the line end behind a chunk.
    ChunkEnd,
    /// At the line end behind the last chunk.
    LastEnd,
    Done,
}

impl Connection {
    /// Connects in the name of `user`. With `receive_buffer` bytes the kernel buffers no more than about twice that for
    /// a slow reader.
    pub async fn open(host: SocketAddr, user: &str, receive_buffer: Option<u32>) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if let Some(bytes) = receive_buffer {
            socket.set_recv_buffer_size(bytes)?;
        }
        let stream = socket.connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, input: BytesMut::new(), user: user.to_owned(), host })
    }

    /// Another connection of the same user to the same server.
    pub async fn again(&self) -> io::Result<Self> {
        Self::open(self.host, &self.user, None).await
    }

    /// Sends a request; the body is JSON.
    pub async fn send(&mut self, method: &str, path: &str, body: &str) -> io::Result<()> {
        let (user, host, length) = (&self.user, self.host, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nremote-user: {user}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).await
    }

    /// Sends a request that a token admits instead of a user.
    pub async fn get_with_token(&mut self, path: &str, token: &str) -> io::Result<()> {
        let host = self.host;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await
    }

    /// Waits for the beginning of the response.
    pub async fn head(&mut self) -> io::Result<Head> {
        let end = loop {
            if let Some(at) = find(&self.input, b"\r\n\r\n") {
                break at + 4;
            }
            self.read(READ).await?;
        };
        let text = String::from_utf8_lossy(&self.input[..end]).to_ascii_lowercase();
        self.input.advance(end);
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| malformed("a status line"))?;
        let header = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let body = match (header("transfer-encoding"), header("content-length")) {
            (Some("chunked"), _) => Body::Size,
            (_, Some(length)) => Body::Length(length.parse().map_err(|_| malformed("a length"))?),
            (_, None) => Body::Length(0),
        };
        Ok(Head { status, body })
    }

    /// Reads the whole body.
    pub async fn body(&mut self, head: &mut Head) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        while self.more(head, &mut out, READ).await? {}
        Ok(out)
    }

    /// Reads at most `most` further bytes from the network and appends what they hold of the body
    /// to `out`. False at the end.
    pub async fn more(&mut self, head: &mut Head, out: &mut Vec<u8>, most: usize) -> io::Result<bool> {
        let before = out.len();
        while out.len() == before {
            self.decode(head, out)?;
            if head.body == Body::Done {
                return Ok(out.len() > before);
            }
            if out.len() == before {
                self.read(most).await?;
            }
        }
        Ok(true)
    }

    async fn read(&mut self, most: usize) -> io::Result<()> {
        self.input.reserve(most);
        let read = (&mut self.stream).take(most as u64).read_buf(&mut self.input).await?;
        if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn decode(&mut self, head: &mut Head, out: &mut Vec<u8>) -> io::Result<()> {
        let input = &mut self.input;
        loop {
            head.body = match head.body {
                Body::Done | Body::Length(0) => {
                    head.body = Body::Done;
                    return Ok(());
                }
                Body::Length(left) => {
                    let taken = pass(input, out, left);
                    if taken == 0 {
                        return Ok(());
                    }
                    Body::Length(left - taken)
                }
                Body::Chunk(0) => Body::ChunkEnd,
                Body::Chunk(left) => {
                    let taken = pass(input, out, left);
                    if taken == 0 {
                        return Ok(());
                    }
                    Body::Chunk(left - taken)
                }
                Body::Size => {
                    let Some(end) = find(input, b"\r\n") else { return Ok(()) };
                    let size = std::str::from_utf8(&input[..end]).ok();
                    let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
                    let size = size.ok_or_else(|| malformed("the size of a chunk"))?;
                    input.advance(end + 2);
                    if size == 0 { Body::LastEnd } else { Body::Chunk(size) }
                }
                Body::ChunkEnd | Body::LastEnd => {
                    if input.len() < 2 {
                        return Ok(());
                    }
                    input.advance(2);
                    if head.body == Body::LastEnd { Body::Done } else { Body::Size }
                }
            };
        }
    }
}

/// Moves up to `left` bytes; returns how many there were.
fn pass(input: &mut BytesMut, out: &mut Vec<u8>, left: usize) -> usize {
    let taken = left.min(input.len());
    out.extend_from_slice(&input[..taken]);
    input.advance(taken);
    taken
}

/// Where `wanted` begins in `bytes`.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the server sent {what} that cannot be read"))
}
