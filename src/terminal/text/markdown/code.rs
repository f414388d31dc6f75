//! Blocks of code: never wrapped between words, but folded where they are wider than there is room.

use ratatui::text::{Line, Span};

use unicode_segmentation::UnicodeSegmentation;

use super::super::width::{TOO_WIDE, grapheme_width};
use super::super::{Frames, Theme, one_line, truncate};

/// The block in at most `columns`: its language on top, a gutter at its left, with a different sign where a line goes
/// on.
pub(super) fn block(info: &str, text: &str, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let info = one_line(info);
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (top, gutter, more, bottom) = match theme.frames {
        Frames::Unicode => ("╭─ ", "│ ", "↪ ", "╰─"),
        Frames::Ascii => ("+- ", "| ", "\\ ", "+-"),
        Frames::Plain => ("", "    ", "    ", ""),
    };
    // With few columns there is no room for a gutter.
    let indent = if columns >= 8 { gutter.chars().count() } else { 0 };
    let room = (columns - indent).max(1);
    let mut lines = Vec::new();
    if theme.frames == Frames::Plain {
        let name = if language.is_empty() { "code:".to_owned() } else { format!("code in {language}:") };
        lines.push(Line::styled(truncate(&name, columns).into_owned(), theme.dim));
    } else if indent > 0 {
        let name = truncate(language, columns - 3);
        lines.push(Line::styled(format!("{top}{name}").trim_end().to_owned(), theme.dim));
    }
    for line in text.split('\n') {
        for (at, part) in folded(line, room).into_iter().enumerate() {
            let mut spans = Vec::new();
            if indent > 0 {
                spans.push(Span::styled(if at == 0 { gutter } else { more }, theme.dim));
            }
            spans.push(Span::styled(part, theme.code));
            lines.push(Line::from(spans));
        }
    }
    if indent > 0 && !bottom.is_empty() {
        lines.push(Line::styled(bottom, theme.dim));
    }
    lines
}

fn folded(line: &str, room: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut taken = 0;
    for grapheme in line.graphemes(true) {
        let (text, width) = match grapheme_width(grapheme) {
            width if width > room => (TOO_WIDE, 1),
            width => (grapheme, width),
        };
        if taken + width > room {
            parts.push(String::new());
            taken = 0;
        }
        taken += width;
        if let Some(part) = parts.last_mut() {
            part.push_str(text);
        }
    }
    parts
}
