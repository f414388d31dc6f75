//! The person at the terminal: where their file is, and how errors are shown to them.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::terminal::profile;
use crate::terminal::session::Trouble;

/// The person's own file, if there is a place for one.
pub(super) fn profile_path() -> Option<PathBuf> {
    profile::path(|name| std::env::var_os(name).map(PathBuf::from))
}

/// Prints an error to standard error.
pub(super) fn print_error(trouble: &Trouble) -> ExitCode {
    eprintln!("llm-council: {trouble}");
    ExitCode::from(trouble.exit_code())
}
