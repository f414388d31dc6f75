//! Starts the process that reads a file, and ends it when its time is over.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, Semaphore};

use super::kind::Kind;
use super::problem::Unreadable;
use super::worker::OF_ANOTHER_KIND;
use super::{MAX_TEXT_BYTES, beginning};

/// How long reading one file may take.
const TIME: Duration = Duration::from_secs(20);
/// How long a file waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many files are read at once.
const AT_ONCE: usize = 2;

/// See the module.
#[derive(Debug)]
pub struct Extractor {
    program: PathBuf,
    time: Duration,
    places: Semaphore,
    /// Of each person one file at a time waits for a place, their others for this: so nobody waits behind all files of
    /// another.
    turns: std::sync::Mutex<HashMap<String, Weak<Mutex<()>>>>,
}

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extracted {
    /// Its text, and whether that was cut.
    Text { text: String, is_cut: bool },
    /// Nothing can be read of it.
    Unreadable(Unreadable),
    /// Its content is not of the kind that its beginning suggests.
    OfAnotherKind,
}

/// Why a file could not be examined at all.
#[derive(Debug, thiserror::Error)]
pub enum NotExtracted {
    #[error("too many files are being read")]
    Full,
    #[error("the process that reads files cannot be started")]
    NotStarted(#[source] io::Error),
    #[error("the process that reads files could not be waited for")]
    Lost(#[source] io::Error),
}

impl Extractor {
    /// An extractor that starts this program for each file.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        let (places, turns) = (Semaphore::new(AT_ONCE), std::sync::Mutex::default());
        Self { program, time: TIME, places, turns }
    }

    /// The extractor with this time limit for each file.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// An extractor that starts the running program itself, even where its file has been replaced since.
    ///
    /// # Errors
    /// When the system does not tell the path of the running program.
    pub fn of_this_program() -> io::Result<Self> {
        let own = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        Ok(Self::new(own))
    }

    /// Reads a file of this kind, of the person with this id. Dropping the future ends the process.
    ///
    /// # Errors
    /// When the file could not be examined at all.
    pub async fn extract(&self, person: &str, kind: Kind, bytes: Bytes) -> Result<Extracted, NotExtracted> {
        let turn = self.turn_of(person);
        let waiting = async {
            let _turn = turn.lock().await;
            self.places.acquire().await
        };
        let place = tokio::time::timeout(PATIENCE, waiting).await;
        let Ok(Ok(_place)) = place else { return Err(NotExtracted::Full) };
        let mut child = self.start(kind).map_err(NotExtracted::NotStarted)?;
        match tokio::time::timeout(self.time, read(&mut child, &bytes)).await {
            Ok(read) => read.map_err(NotExtracted::Lost),
            Err(_) => {
                child.kill().await.map_err(NotExtracted::Lost)?;
                Ok(Extracted::Unreadable(Unreadable::TimedOut))
            }
        }
    }

    fn turn_of(&self, person: &str) -> Arc<Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(person).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        turns.insert(person.to_owned(), Arc::downgrade(&turn));
        turn
    }

    fn start(&self, kind: Kind) -> io::Result<Child> {
        Command::new(&self.program)
            .args(["extract", kind.as_str()])
            .env_clear()
            // Otherwise its allocator starts by reserving a gibibyte of address space, which is its whole limit.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}

async fn read(child: &mut Child, bytes: &Bytes) -> io::Result<Extracted> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let give = async {
        if let Some(mut stdin) = stdin {
            // A process that has read enough, or has died, reads no further: its exit status says which.
            match stdin.write_all(bytes).await {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                given => given,
            }
        } else {
            Ok(())
        }
    };
    let take = async {
        let mut text = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(MAX_TEXT_BYTES as u64 + 4).read_to_end(&mut text).await?;
        }
        Ok::<_, io::Error>(text)
    };
    let (given, text) = tokio::join!(give, take);
    given?;
    let (text, status) = (text?, child.wait().await?);
    Ok(understand(status, &text))
}

fn understand(status: ExitStatus, text: &[u8]) -> Extracted {
    // Output beyond the limit is not read, so the exit status of a process that writes more says nothing.
    if status.success() || text.len() > MAX_TEXT_BYTES {
        let text = String::from_utf8_lossy(text).replace('\0', "\u{fffd}");
        let (text, is_cut) = beginning(&text, MAX_TEXT_BYTES);
        return Extracted::Text { text: text.to_owned(), is_cut };
    }
    let why = match status.code() {
        Some(code) if code == i32::from(OF_ANOTHER_KIND) => return Extracted::OfAnotherKind,
        code => code.and_then(Unreadable::of_exit_code),
    };
    // It has run out of something, the stack for example, or crashed on what is in the file.
    Extracted::Unreadable(why.or_else(|| ran_out(status)).unwrap_or(Unreadable::Damaged))
}

/// What it has run out of, where the signal says so: memory (the process aborted, or the system ended it because a container
/// or a service had no more), or CPU time.
#[cfg(unix)]
fn ran_out(status: ExitStatus) -> Option<Unreadable> {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;

    let signal = status.signal()?;
    if [Signal::ABORT, Signal::KILL].map(Signal::as_raw).contains(&signal) {
        Some(Unreadable::TooLarge)
    } else if signal == Signal::XCPU.as_raw() {
        Some(Unreadable::TimedOut)
    } else {
        None
    }
}

#[cfg(not(unix))]
fn ran_out(_: ExitStatus) -> Option<Unreadable> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A shell script that stands in for this program.
    fn program(script: &str) -> (tempfile::TempDir, Extractor) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its owner's");
        (folder, Extractor::new(path))
    }

    async fn what_comes_of(script: &str) -> Extracted {
        let (_folder, extractor) = program(script);
        extracted_by(&extractor).await
    }

    /// A process that another test starts at this very moment may still hold the script open for writing.
    async fn extracted_by(extractor: &Extractor) -> Extracted {
        let bytes = Bytes::from(vec![b'x'; 1 << 20]);
        loop {
            match extractor.extract("ann", Kind::Pdf, bytes.clone()).await {
                Err(NotExtracted::NotStarted(error)) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                    tokio::task::yield_now().await;
                }
                extracted => return extracted.expect("a program"),
            }
        }
    }

    #[tokio::test]
    async fn how_it_ends_says_why() {
        let text = Extracted::Text { text: "hello".to_owned(), is_cut: false };
        assert_eq!(what_comes_of("cat > /dev/null; printf hello").await, text, "all was read");
        assert_eq!(what_comes_of("printf hello").await, text, "nothing was read");
        for (script, why) in [
            ("exit 10", Unreadable::Encrypted),
            ("exit 12", Unreadable::TooManyPages),
            ("exit 101", Unreadable::Damaged),
            ("kill -SEGV $$", Unreadable::Damaged),
            ("kill -ABRT $$", Unreadable::TooLarge),
            ("kill -KILL $$", Unreadable::TooLarge),
            ("kill -XCPU $$", Unreadable::TimedOut),
        ] {
            assert_eq!(what_comes_of(script).await, Extracted::Unreadable(why), "{script}");
        }
        assert_eq!(what_comes_of("exit 3").await, Extracted::OfAnotherKind);
    }

    #[tokio::test]
    async fn text_without_end_is_cut_and_not_waited_for() {
        let Extracted::Text { text, is_cut } = what_comes_of("exec yes").await else { panic!("no text") };
        assert_eq!((text.len(), is_cut), (MAX_TEXT_BYTES, true));
    }

    #[tokio::test]
    async fn one_that_takes_too_long_is_ended() {
        let (folder, extractor) = program("echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 1000");
        let extractor = extractor.within(Duration::from_millis(500));
        assert_eq!(extracted_by(&extractor).await, Extracted::Unreadable(Unreadable::TimedOut));
        let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
        assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "it is gone");
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_no_fault_of_the_file() {
        let extractor = Extractor::new("/nowhere/at/all".into());
        let result = extractor.extract("ann", Kind::Docx, Bytes::from_static(b"x")).await;
        assert!(matches!(result, Err(NotExtracted::NotStarted(_))));
    }

    #[tokio::test]
    async fn nobody_waits_behind_all_files_of_another() {
        let (folder, extractor) =
            program("cat > /dev/null; echo $2 >> \"$(dirname \"$0\")/order\"; printf x");
        // From now on no other process holds the script open.
        extracted_by(&extractor).await;
        let place = extractor.places.acquire().await.unwrap();
        let _other = extractor.places.acquire().await.unwrap();
        let file = |person, kind| extractor.extract(person, kind, Bytes::from_static(b"x"));
        // The tests' program is given the kind and not whose it is.
        let asked = [Kind::Pdf, Kind::Pdf, Kind::Pdf].map(|kind| file("ann", kind));
        let asked = asked.into_iter().chain([file("bob", Kind::Docx)]);
        let (read, ()) = tokio::join!(futures_util::future::join_all(asked), async { drop(place) });
        assert!(read.iter().all(Result::is_ok), "{read:?}");
        let order = std::fs::read_to_string(folder.path().join("order")).unwrap();
        assert_eq!(order.lines().collect::<Vec<_>>(), ["pdf", "pdf", "docx", "pdf", "pdf"]);
    }
}
