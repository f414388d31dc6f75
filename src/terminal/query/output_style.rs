//! How a section looks: framed and coloured on a terminal, Markdown everywhere else.

use std::io::{self, IsTerminal as _};

use super::region::Region;
use crate::terminal::sections::{Body, Section, framed};
use crate::terminal::text::{Depth, Theme, ansi, harmless, one_line};

/// The widest that a text is set, in columns: longer lines are hard to read.
const MAX_COLUMNS: usize = 110;

/// How sections are printed.
pub enum OutputStyle {
    /// A file or a pipe.
    Plain,
    /// A terminal.
    Terminal(Box<Theme>),
}

impl OutputStyle {
    /// For the terminal of the standard output.
    #[must_use]
    pub fn of_terminal(no_color: bool, plain: bool) -> Self {
        Self::Terminal(Box::new(Theme::of_output(no_color, io::stdout().is_terminal(), plain)))
    }

    /// The theme for the error output.
    #[must_use]
    pub fn theme(&self) -> Theme {
        match self {
            Self::Terminal(theme) => theme.as_ref().clone(),
            Self::Plain => Theme::detect(|name| std::env::var(name).ok(), io::stderr().is_terminal(), false),
        }
    }

    /// How many colours it has.
    #[must_use]
    pub fn depth(&self) -> Depth {
        self.theme().depth
    }

    /// The section as it is printed; `member` is its member's place in the council.
    #[must_use]
    pub fn section(&self, section: &Section, member: usize) -> String {
        match self {
            Self::Plain => plain(section),
            Self::Terminal(theme) => {
                let columns = Region::size().0.min(MAX_COLUMNS);
                let mut lines = framed(section, member, columns, theme);
                lines.push(ratatui::text::Line::default());
                ansi::to_string(&lines, theme.depth)
            }
        }
    }
}

/// A text without control sequences, where it may end up on a terminal; tabs stay, for copying.
#[must_use]
pub fn for_pipe(text: &str) -> String {
    text.split('\t').map(harmless).collect::<Vec<_>>().join("\t")
}

fn plain(section: &Section) -> String {
    let notes: String = section.notes.iter().map(|note| format!(" · {}", one_line(note))).collect();
    let body = match &section.body {
        Body::Markdown(text) => for_pipe(text).trim().to_owned(),
        Body::Lines(lines) => lines.iter().map(|line| one_line(line)).collect::<Vec<_>>().join("\n"),
        Body::Table { heading, rows } => {
            let row = |cells: &mut dyn Iterator<Item = String>| {
                format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
            };
            let mut lines = vec![
                row(&mut heading.iter().map(|cell| (*cell).to_owned())),
                row(&mut heading.iter().map(|_| "---".to_owned())),
            ];
            let cell = |cell: &String| one_line(cell).replace('|', "\\|");
            lines.extend(rows.iter().map(|cells| row(&mut cells.iter().map(cell))));
            lines.join("\n")
        }
    };
    format!("## {}{notes}\n\n{body}\n\n", one_line(&section.title))
}
