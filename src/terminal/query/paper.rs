//! How a section looks: framed and coloured on a terminal, Markdown everywhere else.

use std::io::{self, IsTerminal as _};

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::region::Region;
use super::sections::{Body, Kind, Section};
use crate::terminal::text::{
    Align, Column, Depth, Panel, Theme, ansi, harmless, inner_width, markdown, one_line, panel, table, wrap,
};

/// The widest that a text is set, in columns: longer lines are hard to read.
const MAX_COLUMNS: usize = 110;

/// See the module.
pub enum Paper {
    /// A file or a pipe.
    Plain,
    /// A terminal.
    Terminal(Box<Theme>),
}

impl Paper {
    /// For the terminal of the standard output.
    #[must_use]
    pub fn of_terminal(no_color: bool, plain: bool) -> Self {
        let variable = |name: &str| match name {
            "NO_COLOR" if no_color || plain => Some("1".to_owned()),
            name => std::env::var(name).ok(),
        };
        Self::Terminal(Box::new(Theme::detect(variable, io::stdout().is_terminal(), plain)))
    }

    /// What is drawn beside it.
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
                ansi::to_string(&framed(section, member, columns, theme), theme.depth)
            }
        }
    }
}

fn framed(section: &Section, member: usize, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let width = inner_width(columns, theme);
    let lines = match &section.body {
        Body::Markdown(text) => markdown(text, width, theme),
        Body::Lines(lines) => lines.iter().flat_map(|line| wrap(&spoken(line, theme), width)).collect(),
        Body::Table { heading, rows } => {
            let columns: Vec<_> = heading.iter().map(|name| column(name)).collect();
            let rows: Vec<Vec<_>> = rows
                .iter()
                .map(|row| row.iter().map(|cell| Line::raw(one_line(cell).into_owned())).collect())
                .collect();
            table(&columns, &rows, width, theme)
        }
    };
    let (title_style, border) = match section.kind {
        Kind::Answer => (theme.member(member), theme.border),
        Kind::Failed => (theme.error, theme.error),
        Kind::Ranking | Kind::Figures => (theme.heading, theme.border),
        Kind::Reasoning => (theme.thought, theme.border),
        Kind::Final => (theme.last, theme.last),
    };
    if section.kind == Kind::Figures {
        let lines = lines.into_iter().map(|line| line.style(theme.dim));
        return lines.chain([Line::default()]).collect();
    }
    let title = section.title.clone();
    let mut lines =
        panel(&Panel { title, title_style, notes: section.notes.clone(), lines, border }, columns, theme);
    lines.push(Line::default());
    lines
}

/// A line of a chairman's reasoning, its first word in its colour.
fn spoken(line: &str, theme: &Theme) -> Line<'static> {
    let line = one_line(line);
    let style = |word: &str| match word {
        "Thought" => theme.thought,
        "Action" => theme.action,
        "Observation" => theme.observation,
        "Failed" => theme.error,
        _ => Style::new(),
    };
    match line.split_once(": ") {
        Some((word, rest)) if style(word) != Style::new() => {
            let rest_style = if word == "Observation" { theme.observation } else { Style::new() };
            Line::from(vec![
                Span::styled(format!("{word}: "), style(word)),
                Span::styled(rest.to_owned(), rest_style),
            ])
        }
        _ => Line::raw(line.into_owned()),
    }
}

fn column(name: &str) -> Column {
    let align = if name == "Member" { Align::Left } else { Align::Right };
    Column { name: name.to_owned(), align, is_optional: matches!(name, "Ballots" | "First places") }
}

/// A text without anything that steers a terminal, where it may come to one in the end; tabs stay, for what is copied.
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
