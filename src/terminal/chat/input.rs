//! Where the lines of a chat come from: an editor at a terminal, or one line after another of what is piped in.

use std::io::{self, BufRead as _, Read as _, Write as _};
use std::sync::mpsc;

use async_trait::async_trait;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::terminal::query::MAX_QUESTION_BYTES;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum InputEvent {
    Line(String),
    /// Ctrl-C; `idle` if nothing had been typed.
    Interrupt {
        idle: bool,
    },
    /// Ctrl-D, or the end of the input.
    End,
    /// The chat is to end at once.
    Terminated,
}

/// A source of lines.
#[async_trait]
pub trait Input: Send {
    /// The next line, after this prompt.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn next(&mut self, prompt: &str) -> io::Result<InputEvent>;
}

/// SIGTERM, by which a shell or a supervisor asks for the end. It is listened for from the beginning: a run that it
/// stops has received the same signal, and the chat must end after it.
pub struct Termination(Option<Signal>);

impl Termination {
    /// Listens for it from now on.
    #[must_use]
    pub fn listen() -> Self {
        let signal = signal(SignalKind::terminate());
        if let Err(error) = &signal {
            tracing::error!(%error, "signals cannot be received: a request to end takes effect at once");
        }
        Self(signal.ok())
    }

    /// Waits until the end is asked for.
    pub async fn asked(&mut self) {
        match &mut self.0 {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }
}

/// A line that is read, or none at the end.
type Read = io::Result<Option<String>>;

/// Lines as they come, without an editor.
pub struct Plain {
    /// Reads on a thread of its own: a line that never comes must not keep the program from ending.
    reader: mpsc::Sender<oneshot::Sender<Read>>,
    /// A read that is under way already.
    pending: Option<oneshot::Receiver<Read>>,
    termination: Termination,
    /// Somebody types: they see the prompt, and a line continues after a backslash.
    prompts: bool,
    /// There is nobody to go on after Ctrl-C.
    alone: bool,
}

impl Plain {
    /// Reads the standard input.
    #[must_use]
    pub fn new(prompts: bool, alone: bool) -> Self {
        let (reader, asked) = mpsc::channel::<oneshot::Sender<Read>>();
        std::thread::spawn(move || {
            for answer in asked {
                // Nobody waits any more when the chat is over.
                drop(answer.send(line(&mut io::stdin().lock())));
            }
        });
        Self { reader, pending: None, termination: Termination::listen(), prompts, alone }
    }

    fn prompt(&self, text: &str) -> io::Result<()> {
        if !self.prompts {
            return Ok(());
        }
        // Not on the standard output: that may go elsewhere.
        let mut out = io::stderr().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }
}

fn line(source: &mut impl io::BufRead) -> Read {
    let mut bytes = Vec::new();
    source.take(MAX_QUESTION_BYTES + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() as u64 > MAX_QUESTION_BYTES {
        return Err(io::Error::other("a line is longer than a question may be"));
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("a line is not UTF-8 text"))
}

#[async_trait]
impl Input for Plain {
    async fn next(&mut self, prompt: &str) -> io::Result<InputEvent> {
        let mut text = String::new();
        self.prompt(&format!("{prompt}> "))?;
        loop {
            let gone = |_| io::Error::other("the input is gone");
            let mut pending = match self.pending.take() {
                Some(pending) => pending,
                None => {
                    let (answer, pending) = oneshot::channel();
                    self.reader.send(answer).map_err(|_| io::Error::other("the input is gone"))?;
                    pending
                }
            };
            let read = tokio::select! {
                biased;
                () = self.termination.asked() => return Ok(InputEvent::Terminated),
                read = &mut pending => read.map_err(gone)??,
                _ = tokio::signal::ctrl_c() => {
                    self.pending = Some(pending);
                    return Ok(if self.alone { InputEvent::Terminated } else { InputEvent::Interrupt { idle: text.is_empty() } });
                }
            };
            let Some(read) = read else {
                return Ok(if text.is_empty() { InputEvent::End } else { InputEvent::Line(text) });
            };
            let read = read.trim_end_matches(['\n', '\r']);
            match read.strip_suffix('\\') {
                Some(begun) if self.prompts => {
                    text.push_str(begun);
                    text.push('\n');
                    self.prompt("… ")?;
                }
                _ => {
                    text.push_str(read);
                    return Ok(InputEvent::Line(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whole_or_refused() {
        let mut source = io::Cursor::new(b"One?\nTw\xC3\xB6?".to_vec());
        assert_eq!(line(&mut source).unwrap().as_deref(), Some("One?\n"));
        assert_eq!(line(&mut source).unwrap().as_deref(), Some("Twö?"));
        assert_eq!(line(&mut source).unwrap(), None);
        assert!(line(&mut io::Cursor::new(b"\xFF\n".to_vec())).is_err());
        let long = vec![b'a'; usize::try_from(MAX_QUESTION_BYTES).unwrap() + 1];
        assert!(line(&mut io::Cursor::new(long)).is_err());
    }
}
