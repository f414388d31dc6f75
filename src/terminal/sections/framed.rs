//! How a section looks on a terminal.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::section::{Body, Kind, Section};
use crate::terminal::text::{
    Align, Column, Panel, Theme, inner_width, markdown, one_line, panel, table, wrap,
};

/// The section in a frame of so many columns; `member` is its member's place in the council, from 0.
#[must_use]
pub fn framed(section: &Section, member: usize, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
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
        return lines.into_iter().map(|line| line.style(theme.dim)).collect();
    }
    let title = section.title.clone();
    panel(&Panel { title, title_style, notes: section.notes.clone(), lines, border }, columns, theme)
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
    let align = if matches!(name, "Member" | "Stage") { Align::Left } else { Align::Right };
    Column { name: name.to_owned(), align, is_optional: matches!(name, "Ballots" | "First places") }
}
