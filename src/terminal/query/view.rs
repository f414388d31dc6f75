//! What is shown of a run while it goes on and when it is over.

use std::io::{self, IsTerminal as _};

use serde_json::Value;

use super::deliberation::Deliberation;
use super::out::Out;
use super::paper::for_pipe;
use crate::terminal::arguments::Output;
use crate::terminal::live::LiveRun;

/// Shows a run. What is printed goes to its output; what only tells how it goes on to the error output.
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

    /// A sentence beside the run.
    fn say(&mut self, sentence: &str);

    /// What moves goes.
    fn clear(&mut self) {}

    /// The run is over; with the stored message, where that is printed.
    ///
    /// # Errors
    /// When the output cannot be written.
    fn end(&mut self, run: &LiveRun, message: Option<&Value>) -> io::Result<()>;
}

/// The view that was asked for.
#[must_use]
pub fn view(out: Out, output: &Output) -> Box<dyn View> {
    let quiet = output.quiet || !io::stderr().is_terminal();
    if output.jsonl {
        Box::new(Events { out, quiet })
    } else if output.json || output.simple {
        Box::new(Whole { out, quiet, json: output.json })
    } else {
        Box::new(Deliberation::new(out, output))
    }
}

fn tell(quiet: bool, sentence: &str) {
    if !quiet {
        eprintln!("llm-council: {sentence}");
    }
}

/// The events as they come, one a line.
struct Events {
    out: Out,
    quiet: bool,
}

impl View for Events {
    fn event(&mut self, _run: &LiveRun, event: &Value) -> io::Result<()> {
        self.out.write(&format!("{event}\n"))
    }

    fn say(&mut self, sentence: &str) {
        tell(self.quiet, sentence);
    }

    fn end(&mut self, _run: &LiveRun, _message: Option<&Value>) -> io::Result<()> {
        self.out.finish()
    }
}

/// Nothing until the end, and then the message or the final answer.
struct Whole {
    out: Out,
    quiet: bool,
    json: bool,
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
            self.out.write(&format!("{message:#}\n"))?;
            return self.out.finish();
        }
        let answer = &run.final_answer.piece.text;
        if answer.is_empty() {
            return Ok(());
        }
        self.out.write(&format!("{}\n", for_pipe(answer).trim_end()))?;
        self.out.finish()
    }
}
