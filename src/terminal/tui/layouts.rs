//! Laid-out lines, kept until their content changes: of a long answer only new text costs anything.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use ratatui::text::Line;

use crate::terminal::sections::{Body, Section, framed};
use crate::terminal::text::Theme;

/// The laid-out lines of the last redraws.
#[derive(Default)]
pub struct Layouts {
    kept: HashMap<u64, (u64, Arc<[Line<'static>]>)>,
    /// The number of this redraw.
    look: u64,
}

impl Layouts {
    /// Another redraw begins: sections that the last one did not need are dropped.
    pub fn begin(&mut self) {
        let last = self.look;
        self.kept.retain(|_, (look, _)| *look == last);
        self.look += 1;
    }

    /// The section in a frame of so many columns.
    pub fn framed(
        &mut self,
        section: &Section,
        member: usize,
        columns: usize,
        theme: &Theme,
    ) -> Arc<[Line<'static>]> {
        let mut hasher = DefaultHasher::new();
        (member, columns, &section.title, &section.notes, section.kind as u8).hash(&mut hasher);
        match &section.body {
            Body::Markdown(text) => text.hash(&mut hasher),
            Body::Lines(lines) => lines.hash(&mut hasher),
            Body::Table { heading, rows } => (heading, rows).hash(&mut hasher),
        }
        let look = self.look;
        let kept = self.kept.entry(hasher.finish());
        let (used, lines) = kept.or_insert_with(|| (look, framed(section, member, columns, theme).into()));
        *used = look;
        lines.clone()
    }
}
