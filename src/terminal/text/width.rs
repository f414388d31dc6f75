//! How many columns a text takes, counted by grapheme clusters.

use std::borrow::Cow;

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What stands for the end of a text that was cut.
pub(super) const ELLIPSIS: &str = "…";
/// What stands for a character that is wider than there is room.
pub(super) const TOO_WIDE: &str = "\u{fffd}";

/// On which side of its column a text stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Align {
    #[default]
    Left,
    Right,
    Center,
}

/// Columns that `text` takes, which has no control characters.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(grapheme_width).sum() }
}

/// Columns that a line takes.
#[must_use]
pub fn line_width(line: &Line<'_>) -> usize {
    spans_width(&line.spans)
}

pub(super) fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// Columns that one character takes.
pub(super) fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.len() == 1 { 1 } else { grapheme.width() }
}

/// `text` in at most `columns`, with `…` where it was cut.
#[must_use]
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut out = head(text, columns - 1).to_owned();
    out.push_str(ELLIPSIS);
    Cow::Owned(out)
}

/// The beginning of `text` that takes at most `columns`.
fn head(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    let end = text
        .grapheme_indices(true)
        .find(|(_, grapheme)| {
            taken += grapheme_width(grapheme);
            taken > columns
        })
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// `line` in at most `columns`, with `…` where it was cut.
#[must_use]
pub fn truncate_line(line: Line<'static>, columns: usize) -> Line<'static> {
    if line_width(&line) <= columns {
        return line;
    }
    let Line { style, alignment, spans } = line;
    let mut out = Vec::new();
    let mut left = columns;
    for span in spans {
        let taken = width(&span.content);
        if taken < left {
            left -= taken;
            out.push(span);
            continue;
        }
        if left > 0 {
            let mut text = head(&span.content, left - 1).to_owned();
            text.push_str(ELLIPSIS);
            out.push(Span::styled(text, span.style));
        }
        break;
    }
    Line { style, alignment, spans: out }
}

/// `text` in exactly `columns`: cut with `…`, or filled with spaces.
#[must_use]
pub fn pad(text: &str, columns: usize, align: Align) -> String {
    let text = truncate(text, columns);
    let (left, right) = margins(columns - width(&text), align);
    format!("{}{text}{}", " ".repeat(left), " ".repeat(right))
}

/// `line` in exactly `columns`.
pub(super) fn pad_line(line: Line<'static>, columns: usize, align: Align) -> Line<'static> {
    let mut line = truncate_line(line, columns);
    let (left, right) = margins(columns.saturating_sub(line_width(&line)), align);
    if left > 0 {
        line.spans.insert(0, Span::raw(" ".repeat(left)));
    }
    if right > 0 {
        line.spans.push(Span::raw(" ".repeat(right)));
    }
    line
}

fn margins(room: usize, align: Align) -> (usize, usize) {
    match align {
        Align::Left => (0, room),
        Align::Right => (room, 0),
        Align::Center => (room / 2, room - room / 2),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_take_the_columns_that_terminals_give_them() {
        for (text, columns) in [
            ("", 0),
            ("abc", 3),
            ("äöü", 3),
            ("e\u{301}", 1),
            ("漢字", 4),
            ("👩‍👩‍👧‍👦", 2),
            ("🇩🇪🇫🇷", 4),
            ("❤️", 2),
            ("👍🏽", 2),
            ("שלום", 4),
            ("한국", 4),
            ("ｶﾞ", 2),
            ("…", 1),
            ("─", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn what_is_too_long_ends_with_an_ellipsis() {
        assert_eq!(truncate("council", 7), "council");
        assert_eq!(truncate("council", 6), "counc…");
        assert_eq!(truncate("漢字漢字", 6), "漢字…");
        assert_eq!(truncate("漢字", 1), "…");
        assert_eq!(truncate("a", 0), "");
        assert_eq!(pad("ab", 5, Align::Right), "   ab");
        assert_eq!(pad("漢字漢", 4, Align::Left), "漢… ");
        assert_eq!(pad("ab", 5, Align::Center), " ab  ");
    }

    proptest! {
        #[test]
        fn padded_text_has_exactly_its_width(text in "[a-z äé漢👍\u{301}]{0,30}", columns in 0usize..40) {
            prop_assert_eq!(width(&pad(&text, columns, Align::Left)), columns);
            prop_assert!(width(&truncate(&text, columns)) <= columns);
            let line = Line::from(vec![Span::raw(text.clone()), Span::raw(text)]);
            prop_assert_eq!(line_width(&pad_line(line, columns, Align::Right)), columns);
        }
    }
}
