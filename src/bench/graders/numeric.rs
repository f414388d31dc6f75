//! Numbers as people and models write them: `1,234.50`, `1 234,5`, `$42`, `75 %`, `3/4`, `\frac{3}{4}`, `1.5 million`,
//! `2 \times 10^{6}`, `2^{10}`.

use super::candidates::{braced, candidates};
use super::grader::{Grader, Grading, Verdict};
use crate::bench::question::Question;

pub(super) static GRADER: Grader = Grader {
    name: "numeric",
    ending: Some("End with a line of its own: \"Answer: \" and the number alone."),
    problem: |question| {
        let are_numbers =
            !question.answers.is_empty() && question.answers.iter().all(|text| read(text).is_some());
        (!are_numbers).then(|| "its answer is not a number".to_owned())
    },
    grading: Grading::Text(grade),
};

/// How far two numbers may be apart that are the same, as a part of the larger one: for what was rounded while it was
/// computed, not for what was rounded when it was written down.
const SAME: f64 = 1e-6;

/// A number in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    pub value: f64,
    /// It is followed by a per cent sign; the value is what stands before it.
    pub is_percent: bool,
}

fn grade(question: &Question, text: &str) -> Verdict {
    let marked = candidates(text);
    let said = marked.iter().find_map(|candidate| read(candidate)).or_else(|| numbers(text).pop());
    let Some(said) = said else { return Verdict::Unreadable };
    let expected = question.answers.iter().filter_map(|answer| read(answer));
    Verdict::of(expected.into_iter().any(|expected| same(expected, said, question.tolerance)))
}

fn same(expected: Number, said: Number, tolerance: Option<f64>) -> bool {
    let near = |one: f64, other: f64| {
        let room = tolerance.unwrap_or(SAME * one.abs().max(other.abs()));
        (one - other).abs() <= room.max(f64::EPSILON)
    };
    if near(expected.value, said.value) {
        return true;
    }
    // 75 % is 0.75 as well.
    let part = |number: Number| if number.is_percent { number.value / 100.0 } else { number.value };
    expected.is_percent != said.is_percent && near(part(expected), part(said))
}

/// The number that a short text gives: what comes after its last "=", else its first one.
#[must_use]
pub fn read(text: &str) -> Option<Number> {
    let result = text.rsplit('=').next().and_then(|part| numbers(part).into_iter().next());
    result.or_else(|| numbers(text).into_iter().next())
}

/// Every number of a text, in order.
#[must_use]
pub fn numbers(text: &str) -> Vec<Number> {
    let chars: Vec<char> = tidy(text).chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let begins = chars[at].is_ascii_digit()
            || (chars[at] == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit));
        // Not the digits of a name: `x2`, `H2O`.
        let in_a_word = at > 0 && (chars[at - 1].is_alphabetic() || chars[at - 1] == '_');
        if !begins {
            at += 1;
            continue;
        }
        let (value, mut end) = unsigned(&chars, at);
        if in_a_word || chars.get(end).is_some_and(|next| next.is_ascii_alphabetic() && is_name(&chars, end))
        {
            at = end.max(at + 1);
            continue;
        }
        let mut value = if is_negative(&chars, at) { -value } else { value };
        (value, end) = scaled(&chars, value, end);
        let is_percent = chars.iter().skip(end).find(|c| **c != ' ' && **c != '\\') == Some(&'%');
        if value.is_finite() {
            found.push(Number { value, is_percent });
        }
        at = end.max(at + 1);
    }
    found
}

/// LaTeX's ways of writing separators and fractions, and signs, in their plain form.
fn tidy(text: &str) -> String {
    let mut text =
        text.replace(['−', '–'], "-").replace("{,}", ",").replace("\\,", "\u{a0}").replace("\\!", "");
    for name in ["\\dfrac", "\\tfrac", "\\frac"] {
        while let Some(start) = text.find(name) {
            let (before, rest) = text.split_at(start);
            let rest = rest.strip_prefix(name).unwrap_or_default();
            let over = braced(rest);
            let under = over.as_ref().and_then(|over| braced(rest.get(over.len() + 2..)?));
            let (Some(over), Some(under)) = (over, under) else {
                // Left out, or it would be found again.
                text = format!("{before} {rest}");
                continue;
            };
            let after = rest.get(over.len() + under.len() + 4..).unwrap_or_default();
            text = format!("{before}{over}/{under}{after}");
        }
    }
    text
}

/// Whether letters right behind a number make it part of a name (`3D`, `2nd`), and are not a unit (`5km`, `3x`, `2e5`).
fn is_name(chars: &[char], at: usize) -> bool {
    let word: String =
        chars.iter().skip(at).take_while(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    ["st", "nd", "rd", "th", "d"].contains(&word.as_str())
}

/// A minus before a number: at the beginning, or behind something that is no number itself.
fn is_negative(chars: &[char], at: usize) -> bool {
    let mut before =
        chars.iter().take(at).rev().skip_while(|c| matches!(c, '$' | '€' | '£' | '¥' | ' ' | '\\'));
    let is_minus = before.next() == Some(&'-');
    let joins = before.next().is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '%'));
    let touches = at == 0 || chars[at - 1] != ' ';
    is_minus && !joins && (touches || at == 2)
}

/// Reads digits with their separators; the place behind them.
fn unsigned(chars: &[char], start: usize) -> (f64, usize) {
    let digits = |from: usize| chars.iter().skip(from).take_while(|c| c.is_ascii_digit()).count();
    let mut groups = vec![digits(start)];
    let mut marks = Vec::new();
    let mut end = start + groups[0];
    while let Some(mark) = chars.get(end).copied().filter(|mark| is_separator(*mark)) {
        let next = digits(end + 1);
        // A space only joins whole groups of three.
        if next == 0 || (is_blank(mark) && (next != 3 || groups.last().is_some_and(|last| *last > 3))) {
            break;
        }
        if is_blank(mark) && (marks.contains(&'.') || marks.contains(&',')) {
            break;
        }
        marks.push(mark);
        groups.push(next);
        end += 1 + next;
    }
    let decimal = decimal_mark(&chars[start..end], &groups, &marks);
    let mut text = String::new();
    let mut place = start;
    for (index, group) in groups.iter().enumerate() {
        text.extend(chars.iter().skip(place).take(*group));
        place += group + 1;
        if Some(index) == decimal {
            text.push('.');
        }
    }
    (text.parse().unwrap_or(f64::NAN), end)
}

fn is_blank(mark: char) -> bool {
    matches!(mark, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

fn is_separator(mark: char) -> bool {
    matches!(mark, '.' | ',' | '\'' | '’' | '_') || is_blank(mark)
}

/// Which of the marks begins the decimals, if one does. A single comma before exactly three digits separates
/// thousands; a single full stop never does.
fn decimal_mark(chars: &[char], groups: &[usize], marks: &[char]) -> Option<usize> {
    let last = marks.len().checked_sub(1)?;
    let mark = marks[last];
    if !matches!(mark, '.' | ',') {
        return None;
    }
    let is_mixed = marks.iter().any(|other| *other != mark);
    let is_alone = marks.len() == 1;
    let are_thousands = groups.iter().skip(1).all(|digits| *digits == 3) && (1..=3).contains(&groups[0]);
    let begins_with_zero = chars.first() == Some(&'0');
    let is_decimal = match mark {
        '.' => is_alone || is_mixed || !are_thousands,
        _ => is_mixed || !are_thousands || begins_with_zero,
    };
    is_decimal.then_some(last)
}

/// A fraction, a power of ten or a word such as "million" behind a number.
fn scaled(chars: &[char], value: f64, end: usize) -> (f64, usize) {
    if let Some((over, after)) = fraction(chars, end) {
        return (value / over, after);
    }
    // 1 1/2
    if chars.get(end) == Some(&' ') && chars.get(end + 1).is_some_and(char::is_ascii_digit) {
        let (over, after) = unsigned(chars, end + 1);
        if let Some((under, after)) = fraction(chars, after)
            && over < under
        {
            return (value + over / under * value.signum(), after);
        }
    }
    let rest: String = chars.iter().skip(end).take(24).collect();
    if let Some((power, length)) = power(&rest) {
        // The sign is that of the whole.
        return (value.signum() * value.abs().powi(power), end + length);
    }
    if let Some((power, length)) = power_of_ten(&rest) {
        return (value * 10f64.powi(power), end + length);
    }
    let word = rest.trim_start().to_lowercase();
    let spaces = rest.chars().count() - rest.trim_start().chars().count();
    for (name, power) in [("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12)] {
        if spaces < 2 && word.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)) {
            return (value * 10f64.powi(power), end + spaces + name.len());
        }
    }
    (value, end)
}

/// `/4` after a number: what it is divided by.
fn fraction(chars: &[char], at: usize) -> Option<(f64, usize)> {
    let rest = chars.iter().skip(at).take(3).collect::<String>();
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    if chars.get(at + spaces) != Some(&'/') {
        return None;
    }
    let start = (at + spaces + 1..at + spaces + 3).find(|place| chars.get(*place) != Some(&' '))?;
    if !chars.get(start)?.is_ascii_digit() {
        return None;
    }
    let (under, end) = unsigned(chars, start);
    // A date or a path is none: 1/2/2024.
    (under != 0.0 && chars.get(end) != Some(&'/')).then_some((under, end))
}

/// The digits of a power, with their sign: the power and how many characters it takes.
fn digits(text: &str) -> Option<(i32, usize)> {
    let sign = text.starts_with(['-', '+']);
    let count = text.chars().skip(usize::from(sign)).take_while(char::is_ascii_digit).count();
    let length = usize::from(sign) + count;
    let power: i32 = text.get(..length)?.parse().ok()?;
    (count > 0 && power.abs() <= 300).then_some((power, length))
}

/// `^6`, `^{-6}` right behind a number: the power and how many characters it takes. `45^\circ` has none.
fn power(rest: &str) -> Option<(i32, usize)> {
    let after = rest.strip_prefix('^')?;
    let (open, after) = after.strip_prefix('{').map_or((0, after), |after| (1, after));
    let (power, length) = digits(after)?;
    Some((power, 1 + 2 * open + length))
}

/// `e6`, `×10^6`, `\times 10^{-6}`, `*10^6`: the power and how many characters it takes.
fn power_of_ten(rest: &str) -> Option<(i32, usize)> {
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        return digits(after).map(|(power, length)| (power, length + 1));
    }
    let trimmed = rest.trim_start();
    let signs = ["\\times", "\\cdot", "×", "·", "*", "x"];
    let after = signs.iter().find_map(|sign| trimmed.strip_prefix(sign))?.trim_start();
    let after = after.strip_prefix("10")?;
    let before = rest.chars().count() - after.chars().count();
    power(after).map(|(power, length)| (power, before + length))
}
