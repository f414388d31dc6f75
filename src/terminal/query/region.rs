//! Lines at the bottom of a terminal that are drawn again and again, and go when they are no longer needed.

use std::io::{self, IsTerminal as _, Write as _};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::text::Line;

use crate::terminal::text::{Depth, ansi, is_dumb, line_width, truncate_line};

/// Lines at the bottom of a terminal, on the error output: the standard output may go elsewhere.
pub struct Region {
    depth: Depth,
    drawn: Vec<Line<'static>>,
}

impl Region {
    /// A region without lines. `None` if the error output is not a terminal whose cursor can be moved.
    #[must_use]
    pub fn new(depth: Depth) -> Option<Self> {
        let can_move = io::stderr().is_terminal() && !is_dumb(|name| std::env::var(name).ok());
        can_move.then(|| Self { depth, drawn: Vec::new() })
    }

    /// The terminal's columns, or fewer if `COLUMNS` says so, and its rows.
    #[must_use]
    pub fn size() -> (usize, usize) {
        let wished = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        size(crossterm::terminal::size().ok(), wished)
    }

    /// Draws these lines instead of the previous ones: the last that there is room for, each cut to the width.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, lines: Vec<Line<'static>>) -> io::Result<()> {
        let (columns, rows) = Self::size();
        let skipped = lines.len().saturating_sub(rows - 1);
        let lines: Vec<_> = lines
            .into_iter()
            .skip(skipped)
            .map(|line| truncate_line(line, columns.saturating_sub(1)))
            .collect();
        if lines == self.drawn {
            return Ok(());
        }
        self.replace(lines, columns)
    }

    /// Removes the lines.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn clear(&mut self) -> io::Result<()> {
        if self.drawn.is_empty() {
            return Ok(());
        }
        self.replace(Vec::new(), Self::size().0)
    }

    /// Writes over what was drawn, line by line: clearing the screen instead would fill the history of some terminals.
    fn replace(&mut self, lines: Vec<Line<'static>>, columns: usize) -> io::Result<()> {
        let mut out = io::stderr().lock();
        queue!(out, BeginSynchronizedUpdate)?;
        let before = rows(self.drawn.iter().map(line_width), columns);
        up(&mut out, before)?;
        for line in &lines {
            out.write_all(ansi::line(line, self.depth).as_bytes())?;
            queue!(out, Clear(ClearType::UntilNewLine))?;
            out.write_all(b"\n")?;
        }
        let left = before.saturating_sub(lines.len());
        for _ in 0..left {
            queue!(out, Clear(ClearType::CurrentLine))?;
            out.write_all(b"\n")?;
        }
        up(&mut out, left)?;
        queue!(out, EndSynchronizedUpdate)?;
        out.flush()?;
        self.drawn = lines;
        Ok(())
    }
}

/// The size to use for a terminal that reports this one. Some do not know theirs, such as serial lines, and report 0.
fn size(terminal: Option<(u16, u16)>, wished: Option<usize>) -> (usize, usize) {
    let (columns, rows) = terminal.unwrap_or_default();
    let wished = wished.filter(|columns| *columns > 0);
    let columns = match (usize::from(columns), wished) {
        (0, wished) => wished.unwrap_or(80),
        (columns, wished) => wished.unwrap_or(columns).min(columns),
    };
    (columns, if rows == 0 { 24 } else { usize::from(rows).max(2) })
}

fn up(out: &mut impl io::Write, rows: usize) -> io::Result<()> {
    match u16::try_from(rows) {
        Ok(rows) if rows > 0 => queue!(out, MoveUp(rows), MoveToColumn(0)),
        _ => Ok(()),
    }
}

/// How many rows lines of these widths take now: a terminal that became narrower has wrapped them.
fn rows(widths: impl Iterator<Item = usize>, columns: usize) -> usize {
    widths.map(|width| width.max(1).div_ceil(columns)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_as_wide_as_it_says_or_less_where_that_is_wished() {
        for (terminal, wished, expected) in [
            (Some((120, 40)), None, (120, 40)),
            (Some((120, 40)), Some(60), (60, 40)),
            (Some((120, 40)), Some(200), (120, 40)),
            (Some((120, 40)), Some(0), (120, 40)),
            (Some((0, 0)), None, (80, 24)),
            (Some((0, 0)), Some(132), (132, 24)),
            (Some((1, 1)), None, (1, 2)),
            (None, None, (80, 24)),
        ] {
            assert_eq!(size(terminal, wished), expected, "{terminal:?} {wished:?}");
        }
    }

    #[test]
    fn a_narrower_terminal_has_wrapped_what_was_drawn() {
        assert_eq!(rows([0, 39, 40, 80].into_iter(), 80), 4);
        assert_eq!(rows([0, 39, 40, 80].into_iter(), 40), 5);
        assert_eq!(rows([7].into_iter(), 2), 4);
        assert_eq!(rows(std::iter::empty(), 80), 0);
    }
}
