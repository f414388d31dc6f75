//! Tables in boxes, whose cells are wrapped; where they would be too narrow, lists of `key: value`.

use pulldown_cmark::Alignment;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::super::table::fit;
use super::super::width::{Align, pad_line, spans_width};
use super::super::{Frames, Theme, wrap, wrap_hanging};

/// A cell: the lines between its breaks.
type Cell = Vec<Vec<Span<'static>>>;

/// A column is not made narrower than this.
const MIN_COLUMN: usize = 7;

#[derive(Default)]
pub(super) struct Table {
    pub aligns: Vec<Alignment>,
    /// The first is the head.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn lines(&self, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let count = self.rows.first().map_or(0, Vec::len);
        let mut natural = vec![1; count];
        for (at, cell) in self.rows.iter().flat_map(|row| row.iter().enumerate()) {
            let width = cell.iter().map(|line| spans_width(line)).max().unwrap_or(0);
            if let Some(widest) = natural.get_mut(at) {
                *widest = width.max(*widest);
            }
        }
        let widths = columns.checked_sub(3 * count + 1).and_then(|room| fit(&natural, MIN_COLUMN, room));
        match widths {
            Some(widths) if theme.frames != Frames::Plain => self.grid(&widths, theme),
            _ => self.list(columns, theme),
        }
    }

    fn grid(&self, widths: &[usize], theme: &Theme) -> Vec<Line<'static>> {
        let rule = |[left, middle, right]: [&str; 3]| {
            let dash = theme.frames.pick("─", "-");
            let dashes: Vec<String> = widths.iter().map(|width| dash.repeat(width + 2)).collect();
            Line::styled(format!("{left}{}{right}", dashes.join(middle)), theme.border)
        };
        let ascii = ["+", "+", "+"];
        let mut rows: Vec<Vec<Line<'static>>> =
            self.rows.iter().map(|row| self.row(row, widths, theme)).collect();
        // Where rows take several lines, a rule separates them.
        let is_ruled = rows.iter().skip(1).any(|row| row.len() > 1);
        let mut lines = vec![rule(theme.frames.pick(["┌", "┬", "┐"], ascii))];
        let last = rows.len().saturating_sub(1);
        for (at, row) in rows.iter_mut().enumerate() {
            lines.append(row);
            if at < last && (at == 0 || is_ruled) {
                lines.push(rule(theme.frames.pick(["├", "┼", "┤"], ascii)));
            }
        }
        lines.push(rule(theme.frames.pick(["└", "┴", "┘"], ascii)));
        lines
    }

    fn row(&self, row: &[Cell], widths: &[usize], theme: &Theme) -> Vec<Line<'static>> {
        let wrapped: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(at, width)| {
                let cell = row.get(at).map_or(&[][..], Vec::as_slice);
                cell.iter().flat_map(|line| wrap(&Line::from(line.clone()), *width)).collect()
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let bar = Span::styled(theme.frames.pick("│", "|"), theme.border);
        (0..height)
            .map(|n| {
                let mut spans = vec![bar.clone()];
                for (at, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
                    let align = match self.aligns.get(at) {
                        Some(Alignment::Right) => Align::Right,
                        Some(Alignment::Center) => Align::Center,
                        Some(Alignment::Left | Alignment::None) | None => Align::Left,
                    };
                    spans.push(Span::raw(" "));
                    spans.extend(pad_line(cell.get(n).cloned().unwrap_or_default(), *width, align).spans);
                    spans.extend([Span::raw(" "), bar.clone()]);
                }
                Line::from(spans)
            })
            .collect()
    }

    fn list(&self, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let text = |cell: &Cell| cell.join(&Span::raw(" "));
        let mut lines = Vec::new();
        for row in rows {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            for (key, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let mut spans = text(key);
                if !spans.is_empty() {
                    spans.push(Span::styled(": ", theme.dim.add_modifier(Modifier::BOLD)));
                }
                spans.extend(text(cell));
                lines.extend(wrap_hanging(&Line::from(spans), columns, &[], &[Span::raw("  ")]));
            }
        }
        if lines.is_empty() {
            let names = head
                .iter()
                .flat_map(|key| text(key).into_iter().chain([Span::raw("  ")]))
                .collect::<Vec<_>>();
            lines = wrap(&Line::from(names), columns);
        }
        lines
    }
}
