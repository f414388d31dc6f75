//! Foreign text made harmless: no escape sequence, no control character but the line break, nothing invisible that
//! turns a line around or hides a sentence.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::invisible;

/// How far a tab goes, in columns.
const TAB: usize = 4;
/// The longest parameters of a control sequence; anything longer is not one.
const MAX_CSI_CHARS: usize = 256;
/// Longest text of a command to the terminal (a title, a hyperlink, the clipboard, a picture). What has not ended by
/// then is taken for text whose beginning happened to look like a command.
const MAX_COMMAND_BYTES: usize = 64 * 1024;
/// Most characters without a width in a row: enough for every script and emoji, too few to draw over other lines.
const MAX_MARKS: usize = 16;

/// `text` without anything that moves the cursor, changes modes or hides text. Escape sequences are removed as a whole;
/// of one that never ends only the beginning is removed, and the text that it would have swallowed stays. Tabs become
/// spaces, every kind of line break becomes `\n`.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut cleaner = Harmless::default();
    let mut out = cleaner.push(text);
    out.push_str(&cleaner.finish());
    Cow::Owned(out)
}

/// [`harmless()`] text on one line, for titles and names: line breaks and runs of spaces become one space, without any
/// at the ends.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    let text = harmless(text);
    let is_one =
        !text.starts_with(' ') && !text.ends_with(' ') && !text.contains('\n') && !text.contains("  ");
    if is_one {
        return text;
    }
    Cow::Owned(text.split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "))
}

/// JSON in which everything is escaped that [`harmless()`] takes out of other text, so that a program still reads the
/// original.
#[must_use]
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    // JSON always escapes the ASCII characters that steer a terminal, except this one.
    let steers =
        |c: char| c == '\u{7f}' || (!c.is_ascii() && (c.is_control() || is_removed(c) || is_break(c)));
    if !json.contains(steers) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if steers(c) {
            // It can only be in a string: the rest of JSON is ASCII.
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_harmless(text: &str) -> bool {
    if text.bytes().all(|b| b == b'\n' || (b' '..=b'~').contains(&b)) {
        return true;
    }
    let mut marks = 0;
    text.chars().all(|c| {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        c == '\n' || (!c.is_control() && !is_removed(c) && !is_break(c) && marks <= MAX_MARKS)
    })
}

/// Whether nobody sees `c` and no script or emoji needs it: joiners, selectors and fillers of syllables stay.
fn is_removed(c: char) -> bool {
    let is_needed = invisible::is_joiner(c)
        || matches!(
            c,
            '\u{fe00}'..='\u{fe0f}'
                | '\u{180b}'..='\u{180d}'
                | '\u{180f}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{3164}'
                | '\u{ffa0}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{2800}'
        );
    !is_needed && !is_break(c) && invisible::is_blank(c)
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.width() == Some(0)
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC and perhaps some of its intermediate characters.
    Escape,
    /// Within a control sequence, with the number of its characters.
    Sequence(usize),
    /// Within a command, whose text is held back.
    Command,
    /// Within a command, after an ESC that may be the first half of its end.
    CommandEscape,
}

/// [`harmless()`] for text that comes in pieces, cut anywhere: all that [`push`](Self::push) and then
/// [`finish`](Self::finish) give is what `harmless` gives for the whole.
#[derive(Debug, Default)]
pub struct Harmless {
    state: State,
    /// The text of a command that has not ended yet.
    held: String,
    /// The last character was a carriage return: a line feed after it is the same break.
    after_return: bool,
    /// Characters since the line began, for tabs.
    column: usize,
    marks: usize,
}

impl Harmless {
    /// What may be shown after `chunk`. What could still be part of an escape sequence is held back.
    #[must_use = "the text that may be shown"]
    pub fn push(&mut self, chunk: &str) -> String {
        let mut out = String::with_capacity(chunk.len());
        for c in chunk.chars() {
            self.step(c, &mut out);
        }
        out
    }

    /// What was held back at the end of the text.
    #[must_use = "the text that may be shown"]
    pub fn finish(mut self) -> String {
        let mut out = String::new();
        self.release(&mut out);
        out
    }

    fn step(&mut self, c: char, out: &mut String) {
        match self.state {
            State::Text => self.text(c, out),
            State::Escape => self.escape(c, out),
            State::Sequence(length) => match c {
                ' '..='?' if length < MAX_CSI_CHARS => self.state = State::Sequence(length + 1),
                '@'..='~' => self.state = State::Text,
                _ => self.text(c, out),
            },
            State::Command => self.command(c, out),
            State::CommandEscape => {
                if c == '\\' {
                    self.end_command();
                } else {
                    self.release(out);
                    self.escape(c, out);
                }
            }
        }
    }

    fn escape(&mut self, c: char, out: &mut String) {
        self.state = match c {
            '[' => State::Sequence(0),
            ']' | 'P' | 'X' | '^' | '_' => State::Command,
            ' '..='/' => State::Escape,
            '0'..='~' => State::Text,
            _ => return self.text(c, out),
        };
    }

    fn command(&mut self, c: char, out: &mut String) {
        match c {
            '\u{7}' | '\u{18}' | '\u{1a}' | '\u{9c}' => self.end_command(),
            '\u{1b}' => self.state = State::CommandEscape,
            '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}' => {
                self.release(out);
                self.text(c, out);
            }
            _ => {
                self.held.push(c);
                if self.held.len() > MAX_COMMAND_BYTES {
                    self.release(out);
                }
            }
        }
    }

    fn end_command(&mut self) {
        self.held.clear();
        self.state = State::Text;
    }

    /// Shows what was held back: it holds no beginning of another sequence.
    fn release(&mut self, out: &mut String) {
        self.state = State::Text;
        for c in std::mem::take(&mut self.held).chars() {
            self.text(c, out);
        }
    }

    fn text(&mut self, c: char, out: &mut String) {
        self.state = State::Text;
        let after_return = std::mem::replace(&mut self.after_return, c == '\r');
        match c {
            '\u{1b}' => self.state = State::Escape,
            '\u{9b}' => self.state = State::Sequence(0),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.state = State::Command,
            '\n' if after_return => {}
            '\t' => {
                let spaces = TAB - self.column % TAB;
                out.extend(std::iter::repeat_n(' ', spaces));
                self.column += spaces;
                self.marks = 0;
            }
            _ if is_break(c) => {
                out.push('\n');
                self.column = 0;
                self.marks = 0;
            }
            _ if c.is_control() || is_removed(c) => {}
            _ if is_mark(c) => {
                if self.marks < MAX_MARKS {
                    out.push(c);
                    self.marks += 1;
                }
            }
            _ => {
                out.push(c);
                self.column += 1;
                self.marks = 0;
            }
        }
    }
}

#[cfg(test)]
#[path = "harmless_tests.rs"]
mod tests;
