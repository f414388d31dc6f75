//! One connection, and its limits for a client that is slow, silent, or gone without closing it.
//!
//! actix-web limits the time for the head of the first request and the pause between two requests. It has no limit for
//! a later head that does not end, for a body that does not end after its answer, or for a client that reads nothing of
//! what is sent. Those limits are kept here, below HTTP, where they hold for everything.
//!
//! A client that ends its side of the connection may have gone, or may have said all it has to say and wait for its answer
//! (`nc -N`, some scripts): the system cannot tell them apart until something is sent. So it gets its answer, unless
//! its leaving means something ([`Presence`]): then it is taken to have gone, at once.

use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::CONTENT_TYPE;
use actix_web::http::{ConnectionType, Version};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use crate::shutdown::Shutdown;

/// The longest time between two checks of a connection's limits.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// How often the system's table is read. The system walks its whole connection table for it, which takes a hundredth of
/// a second on a large machine: done at every check of one connection, that was a fifth of the CPU time of a server
/// with one user.
const TABLE_INTERVAL: Duration = Duration::from_secs(4);
/// A client that has acknowledged nothing for so long, although it was sent something again and again, is
/// gone: three readings of the table, from the first to the last. With the heartbeat of a silent stream (15 s) that is
/// noticed within 30 s.
const UNACKNOWLEDGED_LIMIT: Duration = Duration::from_secs(7);

/// What a client may make the server wait for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may be without a request: silent, or with one that does not end.
    pub idle: Duration,
    /// How long it may read nothing of an answer.
    pub stalled: Duration,
}

/// A client's connection that keeps its [`Limits`].
pub struct Connection {
    io: TcpStream,
    requests: Rc<Requests>,
    limits: Limits,
    unacknowledged: Unacknowledged,
    /// How the system's table names this connection.
    name: String,
    /// Since when the client takes nothing.
    stalled: Option<Instant>,
    /// The client has reset it: nobody is there any more.
    is_reset: bool,
    check: Pin<Box<Sleep>>,
}

/// The requests of a connection that are being answered.
#[derive(Debug)]
pub struct Requests {
    open: Cell<usize>,
    /// When the last one ended.
    ended: Cell<Instant>,
    /// The client has ended its side: it sends nothing more, and may still read.
    half_closed: Cell<bool>,
    /// How many are answered only as long as it has not.
    present: Cell<usize>,
}

impl Requests {
    fn new() -> Self {
        Self {
            open: Cell::new(0),
            ended: Cell::new(Instant::now()),
            half_closed: Cell::new(false),
            present: Cell::new(0),
        }
    }
}

impl Connection {
    pub fn new(io: TcpStream, limits: Limits, unacknowledged: Unacknowledged) -> io::Result<Self> {
        // Without it the second event of an answer waits for the client to acknowledge the first: 40 ms.
        io.set_nodelay(true)?;
        let name = name(io.local_addr()?, io.peer_addr()?);
        let requests = Rc::new(Requests::new());
        let check = Box::pin(sleep(Self::pause(limits)));
        let (stalled, is_reset) = (None, false);
        Ok(Self { io, requests, limits, unacknowledged, name, stalled, is_reset, check })
    }

    pub fn peer(&self) -> Option<SocketAddr> {
        self.io.peer_addr().ok()
    }

    pub fn requests(&self) -> Rc<Requests> {
        self.requests.clone()
    }

    fn pause(limits: Limits) -> Duration {
        (limits.idle.min(limits.stalled) / 4).min(CHECK_INTERVAL)
    }

    /// Checks the limits at intervals, and registers to be woken for the next check.
    fn check_limits(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while self.check.as_mut().poll(context).is_ready() {
            let requests = &self.requests;
            if requests.open.get() == 0 && requests.ended.get().elapsed() >= self.limits.idle {
                return Err(self.abort("idle"));
            }
            if self.stalled.is_some_and(|since| since.elapsed() >= self.limits.stalled) {
                return Err(self.abort("stalled"));
            }
            // Nothing is read any more that would tell of the reset with which a client that has gone answers.
            if self.requests.half_closed.get()
                && let Some(error) = self.io.take_error()?
            {
                return Err(error);
            }
            if self.unacknowledged.known_for(&self.name) >= UNACKNOWLEDGED_LIMIT {
                return Err(self.abort("vanished"));
            }
            let next = Instant::now() + Self::pause(self.limits);
            let cut = self.stalled.map(|since| since + self.limits.stalled);
            self.check.as_mut().reset(cut.map_or(next, |cut| cut.min(next)));
        }
        Ok(())
    }

    /// Resets the connection, so that the system does not go on trying to send what is left.
    fn abort(&self, reason: &'static str) -> io::Error {
        tracing::debug!(reason, "a connection is closed");
        metrics::counter!("llm_council_connections_cut_total", "reason" => reason).increment(1);
        let reset = socket2::SockRef::from(&self.io).set_linger(Some(Duration::ZERO));
        reset.err().unwrap_or_else(|| io::Error::new(io::ErrorKind::TimedOut, reason))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.io).poll_read(context, buffer);
        match &read {
            Poll::Pending => this.check_limits(context)?,
            Poll::Ready(Ok(())) if buffer.filled().len() == before && buffer.remaining() > 0 => {
                this.requests.half_closed.set(true);
            }
            Poll::Ready(Ok(())) => {}
            // It is told this once, and together with a request actix-web takes it for the end of the client's side.
            Poll::Ready(Err(error)) => this.is_reset |= error.kind() == io::ErrorKind::ConnectionReset,
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.io).poll_write(context, bytes);
        if written.is_pending() {
            this.stalled.get_or_insert_with(Instant::now);
            this.check_limits(context)?;
        } else {
            this.stalled = None;
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_reset {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        // Once the client has ended its side nothing is read any more, but everything that is woken comes by here.
        if this.requests.half_closed.get() {
            if this.requests.present.get() > 0 {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            this.check_limits(context)?;
        }
        Pin::new(&mut this.io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }
}

/// Middleware, the outermost: a request is open until its answer has been handed to the connection.
pub async fn count(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let requests = request.conn_data::<Rc<Requests>>().cloned();
    let open = requests.clone().map(OpenRequest::new);
    let mut response = next.call(request).await?;
    close_at_the_end(&mut response);
    // Whether a client is there that has ended its side before its stream began shows when it is sent events.
    let watched = requests.filter(|requests| is_event_stream(&response) && !requests.half_closed.get());
    let present = watched.map(Presence::new);
    Ok(response
        .map_body(|_, body| BoxBody::new(Counted { body: body.boxed(), _open: open, _present: present })))
}

fn is_event_stream<B>(response: &ServiceResponse<B>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// HTTP/1.0 knows no chunks (RFC 9112, 6.1): an answer whose length is not known lasts until its connection is closed.
fn close_at_the_end(response: &mut ServiceResponse<impl MessageBody>) {
    let is_old = response.request().version() < Version::HTTP_11;
    if is_old && response.response().body().size() == BodySize::Stream {
        let head = response.response_mut().head_mut();
        head.no_chunking(true);
        head.set_connection_type(ConnectionType::Close);
    }
}

struct OpenRequest(Rc<Requests>);

impl OpenRequest {
    fn new(requests: Rc<Requests>) -> Self {
        requests.open.set(requests.open.get() + 1);
        Self(requests)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get() - 1);
        self.0.ended.set(Instant::now());
    }
}

/// As long as this is held, a client that ends its side of the connection is taken to have gone, and its request is
/// dropped: events that nobody reads, and answers that take minutes and money.
pub struct Presence(Rc<Requests>);

impl Presence {
    fn new(requests: Rc<Requests>) -> Self {
        requests.present.set(requests.present.get() + 1);
        Self(requests)
    }

    /// Of the client of this request; `None` where it came over no connection.
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.conn_data::<Rc<Requests>>().cloned().map(Self::new)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.present.set(self.0.present.get() - 1);
    }
}

struct Counted {
    body: BoxBody,
    _open: Option<OpenRequest>,
    _present: Option<Presence>,
}

impl MessageBody for Counted {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(context)
    }
}

/// The connections whose other side does not acknowledge what it is sent, by the system's own table: the first and the last
/// of the readings in a row that have shown it. The time since then proves nothing, as the next reading may be late.
///
/// The option that ends such connections (`TCP_USER_TIMEOUT`) also ends those whose client lives and only
/// reads slowly, which is why it has to allow for more time than a client that has vanished should get.
#[derive(Debug, Clone, Default)]
pub struct Unacknowledged(Arc<Mutex<HashMap<String, (Instant, Instant)>>>);

impl Unacknowledged {
    /// For how long the readings have shown it.
    fn known_for(&self, name: &str) -> Duration {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).map_or(Duration::ZERO, |(first, last)| *last - *first)
    }

    /// Takes in a reading.
    fn note(&self, names: impl Iterator<Item = String>, now: Instant) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        let since = |name: &str| before.get(name).map_or(now, |(first, _)| *first);
        known.extend(names.map(|name| {
            let first = since(&name);
            (name, (first, now))
        }));
    }

    /// Reads the table at intervals while there are streams, until it is dropped: that in which the connections are that
    /// come to this address.
    pub async fn watch(self, shutdown: Shutdown, bound: Option<SocketAddr>) {
        let table = table_of(bound);
        loop {
            let mut text = String::new();
            let now = Instant::now();
            if shutdown.streams() > 0 {
                match tokio::fs::read_to_string(table).await {
                    Ok(read) => text = read,
                    Err(error) => tracing::trace!(%error, table, "there is no such table: this is not Linux"),
                }
            }
            self.note(text.lines().filter_map(retransmitting), now);
            drop(text);
            tokio::time::sleep(TABLE_INTERVAL).await;
        }
    }
}

/// The table of the connections that come to this address. One of IPv6 has those of IPv4 that it takes as well.
fn table_of(bound: Option<SocketAddr>) -> &'static str {
    if bound.is_some_and(|address| address.is_ipv6()) { "/proc/net/tcp6" } else { "/proc/net/tcp" }
}

/// The name of the connection in this line of the table, if what it was sent is being sent again. The timer
/// `01` is that of retransmission; a client that lives and takes nothing has `04`, the probe of its window.
fn retransmitting(line: &str) -> Option<String> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, remote) = (fields.next()?, fields.next()?);
    let (timer, again) = (fields.nth(2)?, fields.next()?);
    let again = u32::from_str_radix(again, 16).ok()?;
    (timer.starts_with("01:") && again > 0).then(|| format!("{local} {remote}"))
}

/// How Linux names a connection there: addresses as they lie in memory, word by word.
fn name(local: SocketAddr, remote: SocketAddr) -> String {
    [local, remote].map(end).join(" ")
}

fn end(address: SocketAddr) -> String {
    let octets = match address {
        SocketAddr::V4(address) => address.ip().octets().to_vec(),
        SocketAddr::V6(address) => address.ip().octets().to_vec(),
    };
    let words = octets.as_chunks::<4>().0.iter().map(|word| format!("{:08X}", u32::from_ne_bytes(*word)));
    format!("{}:{:04X}", words.collect::<String>(), address.port())
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::{Ipv4Addr, TcpListener};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// A connection with a request that is being answered, and its client.
    async fn connected() -> (Connection, TcpStream) {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        let limits = Limits { idle: Duration::from_millis(80), stalled: Duration::from_secs(60) };
        let connection = Connection::new(server, limits, Unacknowledged::default()).unwrap();
        connection.requests.open.set(1);
        (connection, client)
    }

    /// The same with a client that has ended its side.
    async fn half_closed() -> (Connection, TcpStream) {
        let (mut connection, mut client) = connected().await;
        client.shutdown().await.unwrap();
        assert_eq!(connection.read(&mut [0]).await.unwrap(), 0);
        (connection, client)
    }

    /// Waits for the end of a connection from which nobody reads.
    async fn ending(connection: &mut Connection) -> io::ErrorKind {
        let end = poll_fn(|context| match Pin::new(&mut *connection).poll_flush(context) {
            Poll::Ready(Err(error)) => Poll::Ready(error.kind()),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Pending,
        });
        tokio::time::timeout(Duration::from_secs(20), end).await.expect("an end")
    }

    #[tokio::test]
    async fn a_client_that_has_ended_its_side_is_answered_while_it_is_there() {
        let (mut connection, mut client) = half_closed().await;
        connection.write_all(b"a").await.unwrap();
        connection.flush().await.unwrap();
        assert_eq!(client.read_u8().await.unwrap(), b'a');
        drop(client);
        // Nobody takes it.
        connection.write_all(b"b").await.unwrap();
        assert_eq!(ending(&mut connection).await, io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_client_that_has_reset_its_connection_has_gone() {
        let (mut connection, client) = connected().await;
        connection.flush().await.unwrap();
        socket2::SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap();
        drop(client);
        assert_eq!(connection.read(&mut [0]).await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(connection.flush().await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_client_that_has_to_be_there_has_gone_when_it_ends_its_side() {
        let (mut connection, _client) = half_closed().await;
        let present = Presence::new(connection.requests());
        assert_eq!(ending(&mut connection).await, io::ErrorKind::ConnectionAborted);
        drop(present);
        connection.flush().await.unwrap();
    }

    #[test]
    fn only_readings_in_a_row_show_that_a_client_has_vanished() {
        let table = Unacknowledged::default();
        let begin = Instant::now();
        let reading = |seconds, shown: &[&str]| {
            table.note(shown.iter().map(|name| (*name).to_owned()), begin + Duration::from_secs(seconds));
            table.known_for("client") >= UNACKNOWLEDGED_LIMIT
        };
        assert!(!reading(0, &["client"]), "one reading, however late the next one is, is no time");
        assert!(!reading(4, &["client", "another"]));
        assert!(!reading(8, &["another"]), "it has acknowledged something meanwhile");
        assert!(!reading(12, &["client"]));
        assert!(!reading(16, &["client"]));
        assert!(reading(20, &["client"]));
        assert_eq!(table.known_for("another"), Duration::ZERO);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_connection_has_its_name_in_the_systems_table() {
        for address in ["127.0.0.1:0", "[::1]:0", "[::]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let bound = listener.local_addr().unwrap();
            // A server on all addresses is reached by IPv4.
            let to = if address == "[::]:0" { "127.0.0.1" } else { address.trim_end_matches(":0") };
            let Ok(_client) = std::net::TcpStream::connect(format!("{to}:{}", bound.port())) else {
                continue;
            };
            let (server, _) = listener.accept().unwrap();
            let name = name(server.local_addr().unwrap(), server.peer_addr().unwrap());
            let table = std::fs::read_to_string(table_of(Some(bound))).unwrap();
            assert!(table.contains(&name), "{address}: {name}");
        }
    }

    #[test]
    fn only_what_is_sent_again_counts_as_unanswered() {
        let line = |timer: &str, again: &str| {
            let local = end((Ipv4Addr::LOCALHOST, 8001).into());
            format!("   3: {local} 0200007F:ABCD 01 0000000F:00000000 {timer}:00000053 {again} 0 0 4711 2")
        };
        assert!(retransmitting(&line("01", "00000003")).is_some_and(|name| name.ends_with(" 0200007F:ABCD")));
        assert_eq!(retransmitting(&line("01", "00000000")), None, "sent for the first time");
        assert_eq!(retransmitting(&line("04", "00000003")), None, "it lives and takes nothing");
        assert_eq!(
            retransmitting("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"),
            None
        );
        assert_eq!(retransmitting(""), None);
    }
}
