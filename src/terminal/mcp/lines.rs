//! Standard input and output, one message per line, each on a thread of its own: a read cannot be cancelled, and must
//! not keep the program from ending.

use std::io::{BufRead as _, Read as _, Write as _};

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// How many lines may wait to be passed on.
const LINES: usize = 64;

/// The lines of the input, without empty ones. A longer one is cut, so that it is no longer valid JSON.
pub(super) fn read(max_bytes: usize) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match input.by_ref().take(max_bytes as u64).read_until(b'\n', &mut line) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => {
                    eprintln!("llm-council: the input cannot be read: {error}");
                    return;
                }
            }
            let is_blank = line.iter().all(u8::is_ascii_whitespace);
            if !is_blank && send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Writes each message as a line; ends after the last one, or when nobody reads any more.
pub(super) fn write(mut written: mpsc::Receiver<Value>) -> oneshot::Receiver<()> {
    let (ended, end) = oneshot::channel();
    std::thread::spawn(move || {
        while let Some(message) = written.blocking_recv() {
            if write_line(&message).is_err() {
                break;
            }
        }
        if ended.send(()).is_err() {
            tracing::debug!("the program ends without its last line");
        }
    });
    end
}

/// Writes a line; nothing else goes to the standard output.
fn write_line(answer: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}
