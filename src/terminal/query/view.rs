//! What is shown of a run while it goes on and when it is over.

use std::io;

use serde_json::Value;

use super::out::Out;
use super::output_style::for_pipe;
use crate::terminal::live::{CallStatus, LiveRun, RunStatus};
use crate::terminal::text::harmless_json;

/// Shows a run. Results go to its output, progress to the error output.
pub trait View: Send {
    /// An event was folded into the run.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn event(&mut self, run: &LiveRun, event: &Value) -> io::Result<()>;

    /// Some time has passed.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn tick(&mut self, _run: &LiveRun) -> io::Result<()> {
        Ok(())
    }

    /// Prints a sentence that is not part of the run.
    fn say(&mut self, sentence: &str);

    /// Removes moving parts.
    fn clear(&mut self) {}

    /// The run is over. `message` is its stored message, if that is to be printed.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn end(&mut self, run: &LiveRun, message: Option<&Value>) -> io::Result<()>;
}

fn tell(quiet: bool, sentence: &str) {
    if !quiet {
        eprintln!("llm-council: {sentence}");
    }
}

/// Prints the events as they come, one a line.
pub(super) struct Events {
    pub out: Out,
    pub quiet: bool,
}

impl View for Events {
    fn event(&mut self, _run: &LiveRun, event: &Value) -> io::Result<()> {
        self.out.write(&format!("{}\n", harmless_json(&event.to_string())))
    }

    fn say(&mut self, sentence: &str) {
        tell(self.quiet, sentence);
    }

    fn end(&mut self, _run: &LiveRun, _message: Option<&Value>) -> io::Result<()> {
        self.out.finish()
    }
}

/// Prints nothing until the end, and then the message or the final answer.
pub(super) struct Whole {
    pub out: Out,
    pub quiet: bool,
    pub json: bool,
}

impl View for Whole {
    fn event(&mut self, _run: &LiveRun, _event: &Value) -> io::Result<()> {
        Ok(())
    }

    fn say(&mut self, sentence: &str) {
        tell(self.quiet, sentence);
    }

    fn end(&mut self, run: &LiveRun, message: Option<&Value>) -> io::Result<()> {
        if self.json {
            let Some(message) = message else { return Ok(()) };
            self.out.write(&format!("{}\n", harmless_json(&format!("{message:#}"))))?;
            return self.out.finish();
        }
        let piece = &run.final_answer.piece;
        // Nothing of a run that was stopped or failed: on its own, half an answer looks like a whole one.
        let is_whole = run.status == RunStatus::Complete || piece.status == CallStatus::Done;
        if piece.text.is_empty() || !is_whole {
            return Ok(());
        }
        self.out.write(&format!("{}\n", for_pipe(&piece.text).trim_end()))?;
        self.out.finish()
    }
}
