//! A text as words, numbers and signs.

use super::super::normal::{folded, visible};

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The token as it was written, except for the kind of quotation marks and the like.
    pub written: String,
    /// In small letters; of a word, without what makes it possessive.
    pub small: String,
    pub kind: Kind,
    /// Nothing stands between it and the piece before.
    pub is_glued: bool,
    /// A capital at its beginning says nothing.
    pub begins_sentence: bool,
    /// Stands in backticks or is called, so that it is code.
    pub is_code: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// Begins with a digit, and may have separators between digits: `1,000.5`, `10:30`, `3.10.1`.
    Number,
    /// One sign, or several of operators.
    Sign,
}

/// Fenced code as it stands, and the rest as tokens.
#[derive(Debug, Default)]
pub struct Tokens {
    pub blocks: Vec<String>,
    pub all: Vec<Token>,
}

impl Tokens {
    pub fn of(text: &str) -> Self {
        let text = visible(text);
        let mut tokens = Self::default();
        for (at, part) in text.split("```").enumerate() {
            if at % 2 == 1 {
                let lines: Vec<&str> = part.trim().lines().map(str::trim_end).collect();
                tokens.blocks.push(lines.join("\n"));
                continue;
            }
            for (at, part) in part.split('`').enumerate() {
                let start = tokens.all.len();
                read(&folded(part), &mut tokens.all);
                for token in tokens.all.iter_mut().skip(start) {
                    token.is_code = at % 2 == 1;
                    token.begins_sentence &= start == 0 && !token.is_code;
                }
            }
        }
        mark_calls(&mut tokens.all);
        tokens
    }
}

/// Signs of which several in a row are one operator.
const OPERATORS: &[char] = &['&', '|', '=', '<', '>', '!', '+', '*', '^', '~', ':', '-', '#', '?'];

fn read(text: &str, tokens: &mut Vec<Token>) {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let (mut is_glued, mut begins_sentence) = (false, true);
    while let Some(&c) = chars.get(at) {
        if c.is_whitespace() {
            begins_sentence |= c == '\n';
            is_glued = false;
            at += 1;
            continue;
        }
        let rest = chars.get(at..).unwrap_or_default();
        let (kind, length) = if c.is_ascii_digit() {
            (Kind::Number, number_length(rest))
        } else if is_letter(c) {
            (Kind::Word, word_length(rest))
        } else {
            let length = rest.iter().take_while(|next| **next == c || both_operators(c, **next)).count();
            (Kind::Sign, length.max(1))
        };
        let written: String = rest.iter().take(length).collect();
        let small =
            if kind == Kind::Word { without_possessive(&written.to_lowercase()) } else { written.clone() };
        let ends = kind == Kind::Sign && written.contains(['.', '?', '!', ':', '"', '¿', '¡', '。', '？']);
        tokens.push(Token { written, small, kind, is_glued, begins_sentence, is_code: false });
        begins_sentence = ends || (begins_sentence && kind == Kind::Sign);
        is_glued = true;
        at += length;
    }
}

fn both_operators(one: char, other: char) -> bool {
    OPERATORS.contains(&one) && OPERATORS.contains(&other)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_' || is_mark(c)
}

/// Marks that stand on or after a letter.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Scripts without spaces between words: each character is a word of its own.
fn is_word_by_itself(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

fn word_length(chars: &[char]) -> usize {
    if chars.first().is_some_and(|c| is_word_by_itself(*c)) {
        return 1 + chars.iter().skip(1).take_while(|c| is_mark(**c)).count();
    }
    let mut length = 0;
    while let Some(&c) = chars.get(length) {
        let next_is_letter = chars.get(length + 1).is_some_and(|c| is_letter(*c));
        let is_inner = c == '\'' && length > 0 && next_is_letter;
        // "U.S." and "e.g.": single letters with points.
        let is_point = c == '.' && is_abbreviation(chars, length);
        if !(is_letter(c) && !is_word_by_itself(c) || is_inner || is_point) {
            break;
        }
        length += 1;
    }
    length
}

/// Whether the point at this place is one of `U.N.`, whose letters stand alone before points.
fn is_abbreviation(chars: &[char], at: usize) -> bool {
    let letter = |at: usize| chars.get(at).is_some_and(|c| c.is_alphabetic());
    let point = |at: usize| chars.get(at) == Some(&'.');
    let stands_alone =
        at % 2 == 1 && (0..at).all(|place| if place % 2 == 0 { letter(place) } else { point(place) });
    let goes_on = letter(at + 1) && point(at + 2);
    stands_alone && (goes_on || at >= 3)
}

fn number_length(chars: &[char]) -> usize {
    let mut length = 0;
    while let Some(&c) = chars.get(length) {
        let between =
            matches!(c, '.' | ',' | ':' | '\'') && chars.get(length + 1).is_some_and(char::is_ascii_digit);
        if !c.is_ascii_digit() && !between {
            break;
        }
        length += 1;
    }
    length
}

/// `newton's` is `newton`, `u.n.` is `un`.
fn without_possessive(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    word.chars().filter(|c| *c != '.').collect()
}

/// A word before `(` without a space is called; one with `_`, or beside `<`, `::`, `=` or a point, is an identifier.
fn mark_calls(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let next = tokens
            .get(at + 1)
            .filter(|next| next.is_glued)
            .map(|next| next.written.clone())
            .unwrap_or_default();
        let after_next = tokens.get(at + 2).is_some_and(|token| token.is_glued && token.kind == Kind::Word);
        let before =
            at.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| token.written.clone());
        let Some(token) = tokens.get_mut(at).filter(|token| token.kind == Kind::Word) else { continue };
        let after = before.filter(|_| token.is_glued).unwrap_or_default();
        token.is_code |= token.written.contains('_')
            || next.starts_with(['(', '<', '='])
            || next == "." && after_next
            || next == "::"
            || matches!(after.as_str(), "." | "<" | "::" | "@" | "\\" | "--");
    }
}
