//! Parse, build, run; nothing else.

use std::process::ExitCode;

use llm_council::cli::Cli;

/// Small and fast under many short-lived buffers.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    Cli::read().run()
}
