//! Styled lines in a width, broken between words.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::width::{TOO_WIDE, grapheme_width, spans_width};

/// `line` as lines of at most `columns` (at least 1): broken between words, within a word only where it is wider than
/// a line, and between any two characters of Chinese, Japanese and Korean.
#[must_use]
pub fn wrap(line: &Line<'_>, columns: usize) -> Vec<Line<'static>> {
    wrap_hanging(line, columns, &[], &[])
}

/// [`wrap`] with `first` before the first line and `rest` before the others, as for lists and quotes. If they would
/// leave no room, they are left out.
#[must_use]
pub fn wrap_hanging(
    line: &Line<'_>,
    columns: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    let cells = cells(line);
    let mut lines = Vec::new();
    let mut from = 0;
    loop {
        let prefix = if lines.is_empty() { first } else { rest };
        let indent = spans_width(prefix);
        let (prefix, room) =
            if indent < columns { (prefix, columns - indent) } else { (&[][..], columns.max(1)) };
        let (until, next) = cut(&cells, from, room);
        let mut spans = prefix.to_vec();
        append(&mut spans, cells.get(from..until).unwrap_or_default(), room);
        lines.push(Line { style: Style::default(), alignment: line.alignment, spans });
        from = next;
        if from >= cells.len() {
            return lines;
        }
    }
}

struct Cell<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

impl Cell<'_> {
    /// A space at which a line may be broken: a no-break space is not one.
    fn is_space(&self) -> bool {
        matches!(
            self.text.chars().next(),
            Some(
                ' '
                | '\u{1680}'
                | '\u{2000}'..='\u{2006}'
                | '\u{2008}'..='\u{200a}'
                | '\u{205f}'
                | '\u{3000}',
            )
        )
    }

    /// Columns it takes where there are only `room` columns at all.
    fn width_in(&self, room: usize) -> usize {
        if self.width > room { 1 } else { self.width }
    }
}

fn cells<'a>(line: &'a Line<'_>) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for text in span.content.graphemes(true) {
            cells.push(Cell { text, style, width: grapheme_width(text) });
        }
    }
    cells
}

/// Where the line that begins at `from` ends, and where the next one begins.
fn cut(cells: &[Cell<'_>], from: usize, room: usize) -> (usize, usize) {
    let mut taken = 0;
    // The last place where the line may end, and where the next one would begin.
    let mut place = None;
    let mut at = from;
    while let Some(cell) = cells.get(at) {
        if cell.is_space() {
            let next =
                cells.iter().skip(at).position(|cell| !cell.is_space()).map_or(cells.len(), |n| at + n);
            let spaces: usize = cells.iter().take(next).skip(at).map(|cell| cell.width_in(room)).sum();
            // Spaces at the beginning of a line are its indentation.
            if at > from {
                place = Some((at, next));
            }
            if taken + spaces > room {
                return place.unwrap_or((at, next));
            }
            taken += spaces;
            at = next;
            continue;
        }
        if at > from && !cells.get(at - 1).is_some_and(Cell::is_space) && may_break(cells, at) {
            place = Some((at, at));
        }
        taken += cell.width_in(room);
        if taken > room {
            return place.unwrap_or((at, at));
        }
        at += 1;
    }
    (cells.len(), cells.len())
}

/// Whether a line may end between the characters before and at `at`, neither of which is a space.
fn may_break(cells: &[Cell<'_>], at: usize) -> bool {
    let char_at = |at: usize| cells.get(at).and_then(|cell| cell.text.chars().next());
    let (Some(before), Some(after)) = (at.checked_sub(1).and_then(char_at), char_at(at)) else {
        return false;
    };
    if closes(after) || opens(before) {
        return false;
    }
    let is_wide = |at: usize| cells.get(at).is_some_and(|cell| cell.width > 1);
    if is_wide(at) || is_wide(at - 1) || before == '—' {
        return true;
    }
    // After the hyphen in a word, but not after a minus.
    before == '-'
        && after.is_alphabetic()
        && at.checked_sub(2).and_then(char_at).is_some_and(char::is_alphabetic)
}

/// Marks that no line begins with.
fn closes(c: char) -> bool {
    matches!(
        c,
        '、' | '。'
            | '，'
            | '．'
            | '：'
            | '；'
            | '？'
            | '！'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '］'
            | '｝'
            | '’'
            | '”'
            | '…'
            | ','
            | '.'
            | ':'
            | ';'
            | '?'
            | '!'
            | ')'
            | ']'
            | '}'
            | 'ー'
            | '々'
            | '»'
    )
}

/// Marks that no line ends with.
fn opens(c: char) -> bool {
    matches!(c, '「' | '『' | '（' | '【' | '《' | '〈' | '［' | '｛' | '‘' | '“' | '(' | '[' | '{' | '«')
}

fn append(spans: &mut Vec<Span<'static>>, cells: &[Cell<'_>], room: usize) {
    let mut text = String::new();
    let mut style = None;
    for cell in cells {
        if style.is_some_and(|style| style != cell.style) {
            spans.push(Span::styled(std::mem::take(&mut text), style.unwrap_or_default()));
        }
        style = Some(cell.style);
        text.push_str(if cell.width > room { TOO_WIDE } else { cell.text });
    }
    if !text.is_empty() {
        spans.push(Span::styled(text, style.unwrap_or_default()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Stylize;

    use super::super::width::line_width;
    use super::*;

    fn lines(text: &str, columns: usize) -> Vec<String> {
        wrap(&Line::from(text.to_owned()), columns).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(lines("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(lines("the quick brown fox", 9), ["the quick", "brown fox"]);
        assert_eq!(lines("a abcdefghijkl b", 5), ["a", "abcde", "fghij", "kl b"]);
        assert_eq!(lines("a well-known fact", 9), ["a well-", "known", "fact"]);
        assert_eq!(lines("run --no-color", 9), ["run --no-", "color"]);
        assert_eq!(lines("-1 -2", 3), ["-1", "-2"]);
        assert_eq!(lines("", 9), [""]);
        assert_eq!(lines("  indented text", 10), ["  indented", "text"]);
        assert_eq!(lines("no\u{a0}break here", 9), ["no\u{a0}break", "here"]);
    }

    #[test]
    fn chinese_breaks_anywhere_but_before_a_stop() {
        assert_eq!(lines("漢字漢字。漢字", 8), ["漢字漢", "字。漢字"]);
        assert_eq!(lines("ab漢字", 4), ["ab漢", "字"]);
        assert_eq!(lines("漢字", 1), ["\u{fffd}", "\u{fffd}"]);
    }

    #[test]
    fn the_indentation_hangs_and_styles_go_on() {
        let line = Line::from(vec!["one ".into(), "two three".bold()]);
        let wrapped = wrap_hanging(&line, 9, &["• ".into()], &["  ".into()]);
        let texts: Vec<String> = wrapped.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["• one two", "  three"]);
        assert_eq!(wrapped[1].spans[1].style, Style::new().bold());
        assert_eq!(wrap_hanging(&line, 2, &["• ".into()], &["  ".into()]).len(), 7);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_width(
            texts in prop::collection::vec("[a-z \\-.(漢。👍é\u{301}\u{200d}🇩]{0,20}", 0..5),
            columns in 1usize..30,
            indent in 0usize..4,
        ) {
            let line = Line::from(texts.iter().cloned().map(Span::raw).collect::<Vec<_>>());
            let prefix = [Span::raw(" ".repeat(indent))];
            let wrapped = wrap_hanging(&line, columns, &prefix, &prefix);
            for line in &wrapped {
                prop_assert!(line_width(line) <= columns, "{line:?}");
            }
            if columns > 8 {
                let plain = |text: &str| text.replace([' ', '\u{301}', '\u{200d}'], "");
                let all: String = wrapped.iter().map(ToString::to_string).collect();
                prop_assert_eq!(plain(&all), plain(&texts.concat()));
            }
        }
    }
}
