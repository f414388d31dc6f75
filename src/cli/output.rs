//! The standard output of commands. Its reader may have left (`| head`).

use std::io::Write as _;
use std::process::ExitCode;

use crate::terminal::exit;
use crate::terminal::session::Trouble;

/// Prints all of it; a reader who has left needs no more.
pub(super) fn print(text: &str) -> Result<u8, Trouble> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(exit::ANSWERED),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(exit::PIPE_CLOSED),
        Err(error) => Err(Trouble::Failed(format!("the output cannot be written: {error}"))),
    }
}

/// Prints the text of a command that has no session. (`println!` panics where the reader has left.)
pub(super) fn printed(text: &str) -> anyhow::Result<ExitCode> {
    printed_with(text, exit::ANSWERED)
}

/// Like [`printed`], for a command that ends with this code where all of it was printed.
pub(super) fn printed_with(text: &str, code: u8) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::from(match print(text)? {
        exit::ANSWERED => code,
        left => left,
    }))
}
