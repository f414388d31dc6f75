//! A frame around lines, with a title and notes.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::width::{Align, pad_line, width};
use super::{Frames, Theme, one_line, truncate, wrap};

/// Below this width a panel has no frame.
pub const MIN_FRAME_WIDTH: usize = 20;

/// The content of a panel, and its styles.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    pub title: String,
    pub title_style: Style,
    /// Short notes at the right, the most important first: where there is no room beside the title they stand at the
    /// bottom, and there the last are left out.
    pub notes: Vec<String>,
    pub lines: Vec<Line<'static>>,
    pub border: Style,
}

/// Columns for the lines of a panel that is `columns` wide.
#[must_use]
pub fn inner_width(columns: usize, theme: &Theme) -> usize {
    if is_framed(columns, theme) { columns - 4 } else { columns.max(1) }
}

fn is_framed(columns: usize, theme: &Theme) -> bool {
    columns >= MIN_FRAME_WIDTH && theme.frames != Frames::Plain
}

/// The panel in exactly `columns`; without frames, in at most so many. Lines that are too wide are wrapped.
#[must_use]
pub fn panel(panel: &Panel, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let title = one_line(&panel.title);
    let notes: Vec<_> =
        panel.notes.iter().map(|note| one_line(note)).filter(|note| !note.is_empty()).collect();
    let separator = theme.frames.pick(" · ", ", ");
    let inner = inner_width(columns, theme);
    let body = panel.lines.iter().flat_map(|line| wrap(line, inner));
    if !is_framed(columns, theme) {
        let heading = Span::styled(format!("== {title} =="), panel.title_style.add_modifier(Modifier::BOLD));
        let mut lines = wrap(&Line::from(heading), inner);
        if !notes.is_empty() {
            lines.extend(wrap(&Line::styled(notes.join(separator), theme.dim), inner));
        }
        lines.extend(body);
        return lines;
    }
    let all_notes = notes.join(separator);
    // Corner, line and space on both sides of the text in the border.
    let room = columns - 6;
    let fits_top = notes.is_empty() || width(&title) + width(&all_notes) + 3 <= room;
    let top_notes = if fits_top { all_notes.as_str() } else { "" };
    let mut shown = notes.as_slice();
    while width(&shown.join(separator)) > room && shown.len() > 1 {
        shown = shown.split_last().map_or(&[], |(_, rest)| rest);
    }
    let bottom_notes =
        if fits_top { String::new() } else { truncate(&shown.join(separator), room).into_owned() };
    let corners = theme.frames.pick(["╭", "╮", "╰", "╯"], ["+", "+", "+", "+"]);
    let side = Span::styled(theme.frames.pick("│", "|"), panel.border);

    let mut lines =
        vec![border(corners[0], corners[1], (&title, panel.title_style), top_notes, columns, panel, theme)];
    for line in body {
        let mut spans = vec![side.clone(), Span::raw(" ")];
        spans.extend(pad_line(line, inner, Align::Left).spans);
        spans.extend([Span::raw(" "), side.clone()]);
        lines.push(Line::from(spans));
    }
    lines.push(border(corners[2], corners[3], ("", Style::new()), &bottom_notes, columns, panel, theme));
    lines
}

/// One border with `title` at its left and `notes` at its right.
fn border(
    left: &'static str,
    right: &'static str,
    (title, title_style): (&str, Style),
    notes: &str,
    columns: usize,
    panel: &Panel,
    theme: &Theme,
) -> Line<'static> {
    let dash = theme.frames.pick("─", "-");
    let mut middle = columns - 4;
    let mut spans = vec![Span::styled(format!("{left}{dash}"), panel.border)];
    let notes_width = if notes.is_empty() { 0 } else { width(notes) + 2 };
    if !title.is_empty() {
        let title = truncate(title, middle.saturating_sub(notes_width + 2));
        middle -= width(&title) + 2;
        spans.push(Span::styled(format!(" {title} "), title_style.add_modifier(Modifier::BOLD)));
    }
    spans.push(Span::styled(dash.repeat(middle.saturating_sub(notes_width)), panel.border));
    if !notes.is_empty() {
        spans.push(Span::styled(format!(" {notes} "), theme.dim));
    }
    spans.push(Span::styled(format!("{dash}{right}"), panel.border));
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Background, Depth, ansi, line_width};
    use super::*;

    fn shown(columns: usize, frames: Frames) -> String {
        let theme = Theme::new(Depth::None, Background::Auto, frames);
        let notes = ["3.2 s", "512 tokens", "$0.0041"].map(str::to_owned).to_vec();
        let lines = vec![Line::from("The answer is 42, as everybody knows who has read the book.")];
        let what = Panel { title: "Basil · anthropic/claude".to_owned(), notes, lines, ..Panel::default() };
        ansi::to_string(&panel(&what, columns, &theme), Depth::None)
    }

    #[test]
    fn a_panel_has_its_title_left_and_its_notes_right() {
        assert_eq!(
            shown(80, Frames::Unicode),
            "\
╭─ Basil · anthropic/claude ──────────────────── 3.2 s · 512 tokens · $0.0041 ─╮
│ The answer is 42, as everybody knows who has read the book.                  │
╰──────────────────────────────────────────────────────────────────────────────╯
"
        );
        assert_eq!(
            shown(40, Frames::Unicode),
            "\
╭─ Basil · anthropic/claude ───────────╮
│ The answer is 42, as everybody knows │
│ who has read the book.               │
╰─────── 3.2 s · 512 tokens · $0.0041 ─╯
"
        );
    }

    #[test]
    fn a_panel_is_drawn_with_plain_characters_or_without_a_frame() {
        assert_eq!(
            shown(24, Frames::Ascii),
            "\
+- Basil · anthropic… -+
| The answer is 42, as |
| everybody knows who  |
| has read the book.   |
+-- 3.2 s, 512 tokens -+
"
        );
        assert_eq!(
            shown(40, Frames::Plain),
            "\
== Basil · anthropic/claude ==
3.2 s, 512 tokens, $0.0041
The answer is 42, as everybody knows who
has read the book.
"
        );
    }

    proptest! {
        #[test]
        fn every_line_of_a_frame_has_its_width(
            title in "[a-z 漢👍\u{1b}\n]{0,40}",
            notes in prop::collection::vec("[a-z 漢]{0,20}", 0..4),
            text in "[a-z 漢👍]{0,80}",
            columns in 0usize..90,
        ) {
            let theme = Theme::new(Depth::None, Background::Auto, Frames::Unicode);
            let what = Panel { title, notes, lines: vec![Line::from(text)], ..Panel::default() };
            for line in panel(&what, columns, &theme) {
                let is_right = if columns < MIN_FRAME_WIDTH {
                    line_width(&line) <= columns.max(1)
                } else {
                    line_width(&line) == columns
                };
                prop_assert!(is_right, "{line:?}");
            }
        }
    }
}
