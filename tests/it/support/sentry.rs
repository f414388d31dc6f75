//! A Sentry on this machine that keeps what it is sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// See the module. Its threads end with their connections, the accepting one with the process.
pub struct FakeSentry {
    dsn: String,
    received: Arc<Mutex<Vec<String>>>,
}

impl FakeSentry {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let dsn = format!("http://public@{}/42", listener.local_addr().expect("a bound port"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream);
                    while let Some(text) = read(&mut stream) {
                        kept.lock().expect("nobody panics with it").push(text);
                        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                        if stream.get_mut().write_all(answer).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { dsn, received }
    }

    /// What to configure as `sentry.dsn`.
    pub fn dsn(&self) -> &str {
        &self.dsn
    }

    /// Every request so far, headers and body. Complete once the server that reports has ended: it
    /// sends what it has before it goes.
    pub fn received(&self) -> Vec<String> {
        self.received.lock().expect("nobody panics with it").clone()
    }
}

/// The next request; `None` when the other side is gone.
fn read(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let (mut text, mut length) = (String::new(), 0);
    while !text.ends_with("\r\n\r\n") {
        let start = text.len();
        if stream.read_line(&mut text).ok()? == 0 {
            return None;
        }
        if let Some(value) = text.get(start..)?.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(text + &String::from_utf8_lossy(&body))
}
