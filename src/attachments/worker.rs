//! What the process does that reads one file: takes its bytes from standard input, writes its text to standard output, and
//! ends. How it ends says why there is no text. It may die in any way; the parent takes that for a damaged file.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use super::kind::Kind;
use super::problem::Unreadable;
use super::text::NotRead;
use super::{docx, pdf};

/// How much memory it may ask for, in bytes.
#[cfg(target_os = "linux")]
const MEMORY_BYTES: u64 = 1 << 30;
/// How much CPU time it may use, in seconds, in case nobody is left to end it.
#[cfg(target_os = "linux")]
const CPU_SECONDS: u64 = 30;
/// The largest file that can be configured.
const MAX_FILE_BYTES: u64 = 100 << 20;

/// The exit code for a file that is not of this kind at all.
pub(super) const OF_ANOTHER_KIND: u8 = 3;
const FAILED: u8 = 1;

/// Reads the file of this kind that comes on standard input.
#[must_use]
pub fn run(kind: Kind) -> ExitCode {
    // Damage is reported by the exit status, and nobody reads a panic message.
    std::panic::set_hook(Box::new(|_| {}));
    if confine().is_err() {
        return ExitCode::from(FAILED);
    }
    let mut bytes = Vec::new();
    if io::stdin().lock().take(MAX_FILE_BYTES).read_to_end(&mut bytes).is_err() {
        return ExitCode::from(FAILED);
    }
    let text = match kind {
        Kind::Pdf => pdf::text(&bytes),
        Kind::Docx => docx::text(&bytes),
        Kind::Text | Kind::Json | Kind::Image(_) => Err(NotRead::OfAnotherKind),
    };
    match text {
        Ok(text) if text.as_str().trim().is_empty() => ExitCode::from(Unreadable::NoText.exit_code()),
        Ok(text) => match write(text.as_str()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(FAILED),
        },
        Err(NotRead::OfAnotherKind) => ExitCode::from(OF_ANOTHER_KIND),
        Err(NotRead::Unreadable(why)) => ExitCode::from(why.exit_code()),
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Gives up whatever reading a file does not need.
#[cfg(target_os = "linux")]
fn confine() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, to(MEMORY_BYTES))?;
    setrlimit(Resource::Cpu, to(CPU_SECONDS))?;
    // It writes no files, starts nothing and leaves no core dump behind.
    setrlimit(Resource::Fsize, to(0))?;
    setrlimit(Resource::Core, to(0))?;
    setrlimit(Resource::Nofile, to(16))?;
    Ok(())
}

/// Elsewhere only its time is limited, by the process that started it.
#[cfg(not(target_os = "linux"))]
fn confine() -> io::Result<()> {
    Ok(())
}
