//! The exit codes of commands (docs/terminal.md).

pub const ANSWERED: u8 = 0;
pub const FAILED: u8 = 1;
pub const WRONG_USAGE: u8 = 2;
/// Answered, although members failed; only with `--strict`.
pub const PARTIAL: u8 = 6;
/// Stopped by the person, as after SIGINT.
pub const CANCELLED: u8 = 130;
/// The reader of our output has gone, as after SIGPIPE.
pub const PIPE_CLOSED: u8 = 141;
