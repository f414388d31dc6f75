//! The deliberation for people: sections as they are ready, with the progress below them. Where the output is no
//! terminal, the same sections, all at the end and in their order, so that the same run prints the same text.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};

use serde_json::Value;

use super::out::Out;
use super::output_style::OutputStyle;
use super::progress::Progress;
use super::region::Region;
use super::view::View;
use crate::terminal::arguments::Output;
use crate::terminal::live::LiveRun;
use crate::terminal::sections::{Kind, Section, sections};
use crate::terminal::text::{Theme, one_line};

/// Shows a deliberation to people.
pub struct Deliberation {
    out: Out,
    output_style: OutputStyle,
    progress: Progress,
    /// Where progress is drawn; `None` if nothing is to move.
    region: Option<Region>,
    theme: Theme,
    /// The text that is being written is shown as it comes.
    streams: bool,
    final_only: bool,
    quiet: bool,
    /// Sections are printed as soon as they are ready.
    live: bool,
    printed: BTreeSet<String>,
}

impl Deliberation {
    /// A view that prints to `out` as the command line asks for it.
    #[must_use]
    pub fn new(out: Out, output: &Output) -> Self {
        let live = output.is_for_people();
        let output_style =
            if live { OutputStyle::of_terminal(output.no_color, output.plain) } else { OutputStyle::Plain };
        let moves = !output.quiet && !output.plain;
        Self {
            out,
            progress: Progress::default(),
            region: if moves { Region::new(output_style.depth()) } else { None },
            theme: output_style.theme(),
            output_style,
            streams: output.stream,
            final_only: output.final_only,
            quiet: output.quiet || !io::stderr().is_terminal(),
            live,
            printed: BTreeSet::new(),
        }
    }

    fn print_ready(&mut self, run: &LiveRun, is_over: bool) -> io::Result<()> {
        for (member, section) in sections(run).into_iter().enumerate() {
            let is_last = matches!(section.kind, Kind::Final) || section.key.starts_with("final/");
            let wanted = is_last || !self.final_only;
            if wanted && (section.ready || is_over) && !self.printed.contains(&section.key) {
                self.print(&section, member)?;
                self.printed.insert(section.key);
            } else if !section.ready && !is_over {
                // A member that failed is asked again: what it says then is printed as well.
                self.printed.remove(&section.key);
            }
        }
        Ok(())
    }

    fn print(&mut self, section: &Section, member: usize) -> io::Result<()> {
        self.clear();
        self.out.write(&self.output_style.section(section, member))
    }
}

impl View for Deliberation {
    fn event(&mut self, run: &LiveRun, event: &Value) -> io::Result<()> {
        // These events come only if `verbosity` asks for them.
        if event.get("type").and_then(Value::as_str) == Some("process")
            && let Some(note) = run.notes.last()
        {
            self.say(&one_line(&note.message));
        }
        if self.live { self.print_ready(run, false) } else { Ok(()) }
    }

    fn tick(&mut self, run: &LiveRun) -> io::Result<()> {
        let Some(region) = &mut self.region else { return Ok(()) };
        let (columns, rows) = Region::size();
        let lines = if self.streams {
            self.progress.text(run, &self.theme, columns - 1, rows)
        } else {
            self.progress.table(run, &self.theme)
        };
        region.draw(lines)
    }

    fn say(&mut self, sentence: &str) {
        if !self.quiet {
            self.clear();
            eprintln!("{sentence}");
        }
    }

    fn clear(&mut self) {
        if let Some(Err(error)) = self.region.as_mut().map(Region::clear) {
            tracing::debug!(%error, "the terminal is gone");
        }
    }

    fn end(&mut self, run: &LiveRun, _message: Option<&Value>) -> io::Result<()> {
        self.clear();
        self.print_ready(run, true)?;
        self.out.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_member_says_when_it_is_asked_again_is_printed_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("said.md");
        let mut view = Deliberation {
            out: Out::open(Some(&path)).unwrap(),
            output_style: OutputStyle::Plain,
            progress: Progress::default(),
            region: None,
            theme: OutputStyle::Plain.theme(),
            streams: false,
            final_only: false,
            quiet: true,
            live: true,
            printed: BTreeSet::new(),
        };
        let mut run = LiveRun::default();
        let answer = json!({"model": "m/one", "response": "It scatters."});
        for event in [
            json!({"type": "stage1_start", "members": [{"model": "m/one"}]}),
            json!({"type": "stage1_error", "model": "m/one", "error": "too slow"}),
            json!({"type": "member_retried", "stage": "stage1", "model": "m/one"}),
            json!({"type": "stage1_model_complete", "model": "m/one", "data": answer}),
            json!({"type": "complete"}),
        ] {
            run.apply(&event);
            view.event(&run, &event).unwrap();
        }
        view.end(&run, None).unwrap();
        let said = std::fs::read_to_string(&path).unwrap();
        assert!(said.contains("too slow") && said.contains("It scatters."), "{said}");
    }
}
