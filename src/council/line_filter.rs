//! Lines that a model writes for this program and not for the reader (`CONFIDENCE: 8`, `COUNCIL NOTES:`),
//! taken out of a text even while it streams: such a line never flashes on the screen. Inside a code block
//! or a quotation it is part of a text about such lines, and stays.

use super::view::TextFilter;

/// Which lines are not for the reader.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Whether more text could still turn this beginning of a line into such a line.
    pub may_become: fn(&str) -> bool,
    /// Whether this is such a line.
    pub is: fn(&str) -> bool,
    /// Whether this is such a line if nothing but blanks follows it.
    pub is_at_the_end: fn(&str) -> bool,
    /// Whether everything after such a line is not for the reader either.
    pub and_all_after: bool,
    /// The longest such line, in bytes: a longer one is shown to the reader, whatever it contains. A model
    /// that writes spaces or dashes without end would otherwise be read again from the beginning with each
    /// of them, and shown only at its end.
    pub longest: usize,
}

/// The longest line that consists of a few words.
pub const SHORT: usize = 100;

/// Takes lines out of a text that arrives in pieces.
#[derive(Debug)]
pub struct LineFilter {
    rule: Rule,
    /// The current line so far.
    line: String,
    /// The beginning of the current line, whether or not it was shown; see [`MAX_FENCE`].
    beginning: String,
    /// The fence of the code block around the current line.
    code: Option<Fence>,
    /// Whether the current line is for the reader: it has been shown up to here.
    released: bool,
    after: bool,
    /// Lines that are not for the reader if nothing but blanks follows them.
    last: String,
    taken: String,
}

impl LineFilter {
    /// A filter at the beginning of a text.
    #[must_use]
    pub fn new(rule: Rule) -> Self {
        Self {
            rule,
            line: String::new(),
            beginning: String::new(),
            code: None,
            released: false,
            after: false,
            last: String::new(),
            taken: String::new(),
        }
    }

    /// Splits a whole text into what is for the reader and what is not.
    #[must_use]
    pub fn split(rule: Rule, text: &str) -> (String, String) {
        let mut filter = Self::new(rule);
        let mut shown = filter.push(text);
        shown.push_str(&filter.finish());
        (shown, filter.taken)
    }

    /// What has been taken out so far.
    #[must_use]
    pub fn taken(&self) -> &str {
        &self.taken
    }

    fn end_line(&mut self, shown: &mut String) {
        let line = std::mem::take(&mut self.line);
        let fence = Fence::read(&std::mem::take(&mut self.beginning));
        let in_code = self.code.is_some();
        match (self.code, fence) {
            (None, Some(fence)) => self.code = Some(fence),
            (Some(open), Some(fence)) if fence.closes(open) => self.code = None,
            (_, _) => {}
        }
        if std::mem::take(&mut self.released) {
            return;
        }
        let text = line.trim();
        let may_be = !in_code && !text.starts_with('>');
        if may_be && (self.rule.is)(text) {
            self.taken.push_str(&std::mem::take(&mut self.last));
            self.taken.push_str(&line);
            self.after = self.rule.and_all_after;
        } else if may_be && (self.rule.is_at_the_end)(text) || text.is_empty() && !self.last.is_empty() {
            self.last.push_str(&line);
        } else {
            self.show(&line, shown);
        }
    }

    fn show(&mut self, line: &str, shown: &mut String) {
        shown.push_str(&std::mem::take(&mut self.last));
        shown.push_str(line);
    }
}

impl TextFilter for LineFilter {
    fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for piece in text.split_inclusive('\n') {
            if self.after {
                self.taken.push_str(piece);
                continue;
            }
            let ends = piece.ends_with('\n');
            self.beginning.extend(piece.chars().take(MAX_FENCE.saturating_sub(self.beginning.len())));
            if self.released {
                shown.push_str(piece);
            } else {
                self.line.push_str(piece);
                let long = self.line.trim_end_matches('\n').len() > self.rule.longest;
                if long || !ends && !(self.rule.may_become)(self.line.trim()) {
                    self.released = true;
                    let line = std::mem::take(&mut self.line);
                    self.show(&line, &mut shown);
                }
            }
            if ends {
                self.end_line(&mut shown);
            }
        }
        shown
    }

    fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.end_line(&mut shown);
        self.taken.push_str(&std::mem::take(&mut self.last));
        shown
    }

    fn restart(&mut self) {
        *self = Self::new(self.rule);
    }
}

/// How much of a line decides whether it is a fence.
const MAX_FENCE: usize = 100;

/// A line that opens or closes a code block.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    /// Whether nothing follows the marks.
    bare: bool,
}

impl Fence {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = line.trim_start_matches(mark);
        let length = line.len() - info.len();
        // Further backticks on the line make it inline code.
        let fence = length >= 3 && !(mark == '`' && info.contains('`'));
        fence.then_some(Self { mark, length, bare: info.is_empty() })
    }

    fn closes(self, open: Self) -> bool {
        self.bare && self.mark == open.mark && self.length >= open.length
    }
}

/// The content of the code block that a text ends with, into which models put lines that were to
/// stand alone.
#[must_use]
pub fn last_block(text: &str) -> Option<&str> {
    let body = text.trim_end().strip_suffix("```")?.strip_suffix('\n')?;
    let (before, inside) = body.rsplit_once("```")?;
    let (_info, inside) = inside.split_once('\n')?;
    (before.is_empty() || before.ends_with('\n')).then_some(inside)
}

/// A line without the marks that models like to put around it.
#[must_use]
pub fn bare(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '`' | '>' | '-' | '—'))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Pushes a text in pieces of the given sizes (in characters, repeated).
    pub fn in_pieces(filter: &mut dyn TextFilter, text: &str, sizes: &[usize]) -> String {
        let mut shown = String::new();
        let chars: Vec<char> = text.chars().collect();
        let mut rest = &chars[..];
        let mut sizes = sizes.iter().cycle();
        while !rest.is_empty() {
            let size = sizes.next().copied().unwrap_or(1).clamp(1, rest.len());
            let (piece, more) = rest.split_at(size);
            shown.push_str(&filter.push(&piece.iter().collect::<String>()));
            rest = more;
        }
        shown + &filter.finish()
    }

    const ENDLESS: Rule = Rule {
        may_become: |line| {
            assert!(line.len() <= SHORT, "{} bytes were looked at once more", line.len());
            true
        },
        is: |_| true,
        is_at_the_end: |_| false,
        and_all_after: false,
        longest: SHORT,
    };

    #[test]
    fn a_line_that_goes_on_and_on_is_shown_before_it_ends_and_looked_at_no_more() {
        for piece in ["-", "   ", "`_*"] {
            let mut filter = LineFilter::new(ENDLESS);
            let shown: usize = (0..1_000).map(|_| filter.push(piece).len()).sum();
            assert_eq!(shown, 1_000 * piece.len(), "{piece:?}");
            assert_eq!(filter.line.len(), 0);
        }
    }

    #[test]
    fn what_is_such_a_line_only_at_the_end_is_shown_where_more_follows() {
        let rule = Rule { is: |line| line == "x", is_at_the_end: |line| line == "y", ..ENDLESS };
        for (text, shown) in [
            ("a\ny", "a\n"),
            ("a\ny\n \n\n", "a\n"),
            ("a\ny\n\nb\n", "a\ny\n\nb\n"),
            ("y\ny\nx\nb", "b"),
            ("a\ny\n\ny\n", "a\n"),
            ("```\ny\n```\n", "```\ny\n```\n"),
            ("> y", "> y"),
        ] {
            for sizes in [&[1][..], &[2, 3], &[1_000]] {
                assert_eq!(in_pieces(&mut LineFilter::new(rule), text, sizes), shown, "{text:?} {sizes:?}");
            }
        }
    }

    #[test]
    fn what_was_hidden_before_a_text_began_anew_hides_nothing_of_it() {
        let rule = Rule {
            may_become: |line| "NOTES:".starts_with(line),
            is: |line| line == "NOTES:",
            and_all_after: true,
            ..ENDLESS
        };
        let mut filter = LineFilter::new(rule);
        assert_eq!(filter.push("Hm.\n```\nNOTES:\n```\nNOTES:\nnone\nNO"), "Hm.\n```\nNOTES:\n```\n");
        filter.restart();
        assert_eq!(filter.push("Yes.\nNOTES:\nnone"), "Yes.\n");
        assert_eq!((filter.finish().as_str(), filter.taken()), ("", "NOTES:\nnone"));
    }

    #[test]
    fn how_long_a_held_line_may_be_does_not_hang_on_its_pieces() {
        for (length, taken) in [(SHORT, true), (SHORT + 1, false)] {
            let text = format!("{}\nend", "-".repeat(length));
            for sizes in [&[1][..], &[7], &[1_000]] {
                let shown = in_pieces(&mut LineFilter::new(ENDLESS), &text, sizes);
                assert_eq!(shown.is_empty(), taken, "{length} bytes in pieces of {sizes:?}");
            }
        }
    }
}
