//! What stands before every line of a quote, an item or a footnote.

use ratatui::text::Span;

use super::super::width::spans_width;

struct Level {
    first: Span<'static>,
    rest: Span<'static>,
    is_begun: bool,
}

/// The quotes, items and notes around the text. Those for which there is no room are only counted.
pub(super) struct Prefix {
    levels: Vec<Level>,
    hidden: usize,
    /// The mark of the innermost hidden item, which still stands before its first line.
    pending: Option<Span<'static>>,
    /// Columns that all levels may take.
    most: usize,
    taken: usize,
}

impl Prefix {
    pub fn new(columns: usize) -> Self {
        Self { levels: Vec::new(), hidden: 0, pending: None, most: columns / 2, taken: 0 }
    }

    /// Begins a level with `first` before its first line and `rest` before the others, which are equally wide.
    pub fn open(&mut self, first: Span<'static>, rest: Span<'static>) {
        let width = spans_width(std::slice::from_ref(&rest));
        if self.hidden > 0 || self.taken + width > self.most {
            self.hidden += 1;
            self.pending = (first != rest && width <= self.most).then_some(first);
            return;
        }
        self.taken += width;
        self.levels.push(Level { first, rest, is_begun: false });
    }

    pub fn close(&mut self) {
        if self.hidden > 0 {
            self.hidden -= 1;
            self.pending = None;
        } else if let Some(level) = self.levels.pop() {
            self.taken -= spans_width(std::slice::from_ref(&level.rest));
        }
    }

    /// Replaces the mark of an item that has no line yet.
    pub fn mark(&mut self, first: Span<'static>, rest: Span<'static>) {
        self.close();
        self.open(first, rest);
    }

    /// Whether the innermost level has a mark that no line shows yet.
    pub fn is_unmarked(&self) -> bool {
        if self.hidden > 0 {
            return self.pending.is_some();
        }
        self.levels.last().is_some_and(|level| !level.is_begun && level.first != level.rest)
    }

    /// What stands before the next line, and before those after it.
    pub fn next(&mut self) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
        let rest = self.rest();
        let mut first = Vec::with_capacity(self.levels.len() + 1);
        for level in &mut self.levels {
            let is_begun = std::mem::replace(&mut level.is_begun, true);
            first.push(if is_begun { level.rest.clone() } else { level.first.clone() });
        }
        first.extend(self.pending.take());
        (first, rest)
    }

    /// What stands before a line that is not the first of an item.
    pub fn rest(&self) -> Vec<Span<'static>> {
        self.levels.iter().map(|level| level.rest.clone()).collect()
    }

    /// Columns that all levels take before a line that is not their first.
    pub fn width(&self) -> usize {
        self.taken
    }
}
