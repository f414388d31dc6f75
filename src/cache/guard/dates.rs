//! Dates, times of day, and words of the calendar.

use std::mem::discriminant;

use super::lists::{DAY_OF, MONTH_OF};
use super::tokens::{Kind, Token};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Date {
    /// Year, month and day, as far as they are given.
    Day(Option<u32>, Option<u32>, Option<u32>),
    /// Three numbers of which nobody can say which is the month.
    Unclear(u32, u32, u32),
    /// Minutes since midnight.
    Time(u32),
    Decade(u32),
    /// A word of the calendar: a weekday, a season, "today".
    Word(&'static str),
}

/// The dates of a text in order. Their tokens are marked as used.
pub fn read(tokens: &[Token], used: &mut [bool]) -> Vec<Date> {
    let mut dates = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let rest = tokens.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let found = in_figures(rest)
            .or_else(|| day_first(rest))
            .or_else(|| month_first(rest))
            .or_else(|| time(rest))
            .or_else(|| decade(rest))
            .or_else(|| year(rest, before))
            .or_else(|| word(rest));
        if let Some((date, length)) = found {
            // "In the year 2014" is "in 2014".
            if matches!(date, Date::Day(Some(_), None, None))
                && before.is_some_and(|token| is_year_word(&token.small))
            {
                used.iter_mut().skip(at - 1).take(1).for_each(|used| *used = true);
            }
            dates.push(date);
            used.iter_mut().skip(at).take(length).for_each(|used| *used = true);
            at += length;
        } else {
            at += 1;
        }
    }
    dates
}

fn is_year_word(word: &str) -> bool {
    matches!(word, "year" | "jahr" | "jahre" | "année" | "año" | "anno")
}

fn small(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.small.as_str())
}

/// A number without separators that is at most this.
fn up_to(tokens: &[Token], at: usize, most: u32) -> Option<u32> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Number)?;
    token.small.parse().ok().filter(|number| (1..=most).contains(number))
}

fn year_at(tokens: &[Token], at: usize) -> Option<u32> {
    let number = up_to(tokens, at, 2999)?;
    (number >= 1000 && tokens.get(at).is_some_and(|token| token.written.len() == 4)).then_some(number)
}

fn month_at(tokens: &[Token], at: usize) -> Option<u32> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Word)?;
    MONTH_OF.get(token.small.as_str())?.first().copied()
}

fn day_at(tokens: &[Token], at: usize) -> Option<(u32, usize)> {
    let day = up_to(tokens, at, 31)?;
    let is_suffix = matches!(small(tokens, at + 1), "st" | "nd" | "rd" | "th" | ".")
        && tokens.get(at + 1).is_some_and(|token| token.is_glued);
    Some((day, if is_suffix { 2 } else { 1 }))
}

/// `2024-01-15`, `9.11.1989`, `1/15/2024`.
fn in_figures(tokens: &[Token]) -> Option<(Date, usize)> {
    let parts: Option<Vec<u32>> = small(tokens, 0).split('.').map(|part| part.parse().ok()).collect();
    if let [day, month, year] = parts.unwrap_or_default()[..]
        && (1..=31).contains(&day)
        && (1..=12).contains(&month)
        && (1000..3000).contains(&year)
    {
        return Some((Date::Day(Some(year), Some(month), Some(day)), 1));
    }
    let sign = small(tokens, 1);
    if !matches!(sign, "-" | "/")
        || small(tokens, 3) != sign
        || (1..5).any(|at| !tokens.get(at).is_some_and(|token| token.is_glued))
    {
        return None;
    }
    if let Some(year) = year_at(tokens, 0) {
        let (month, day) = (up_to(tokens, 2, 12)?, up_to(tokens, 4, 31)?);
        return Some((Date::Day(Some(year), Some(month), Some(day)), 5));
    }
    let (first, second, year) = (up_to(tokens, 0, 31)?, up_to(tokens, 2, 31)?, year_at(tokens, 4)?);
    let date = match (first > 12, second > 12) {
        (false, true) => Date::Day(Some(year), Some(first), Some(second)),
        (true, false) => Date::Day(Some(year), Some(second), Some(first)),
        _ if first == second => Date::Day(Some(year), Some(first), Some(first)),
        _ => Date::Unclear(first, second, year),
    };
    Some((date, 5))
}

/// `3 May 1945`, `the 3rd of May`, `3. Oktober 1990`.
fn day_first(tokens: &[Token]) -> Option<(Date, usize)> {
    let (day, mut length) = day_at(tokens, 0)?;
    if small(tokens, length) == "of" {
        length += 1;
    }
    let month = month_at(tokens, length)?;
    length += 1;
    Some(with_year(tokens, length, month, Some(day)))
}

/// `May 3, 1945`, `May 1945`, and a month alone where it is written as one.
fn month_first(tokens: &[Token]) -> Option<(Date, usize)> {
    let month = month_at(tokens, 0)?;
    if year_at(tokens, 1).is_none()
        && let Some((day, length)) = day_at(tokens, 1)
    {
        return Some(with_year(tokens, 1 + length, month, Some(day)));
    }
    let first = tokens.first()?;
    // "may" and "march" are verbs as well.
    let is_written =
        !matches!(first.small.as_str(), "may" | "march" | "mar" | "dec" | "sept" | "oct" | "mai" | "jan")
            || (first.written.starts_with(char::is_uppercase) && !first.begins_sentence)
            || year_at(tokens, 1).is_some();
    is_written.then(|| with_year(tokens, 1, month, None))
}

fn with_year(tokens: &[Token], mut at: usize, month: u32, day: Option<u32>) -> (Date, usize) {
    let comma = usize::from(small(tokens, at) == ",");
    let year = year_at(tokens, at + comma);
    if year.is_some() {
        at += comma + 1;
    }
    (Date::Day(year, Some(month), day), at)
}

/// `6:30`, `6 pm`, `18 Uhr`.
fn time(tokens: &[Token]) -> Option<(Date, usize)> {
    let written = tokens.first().filter(|token| token.kind == Kind::Number)?.small.as_str();
    let (hours, minutes) = written.split_once([':', '.']).unwrap_or((written, ""));
    let (hour, minute): (u32, u32) =
        (hours.parse().ok()?, if minutes.is_empty() { 0 } else { minutes.parse().ok()? });
    if hour > 24 || minute > 59 || !matches!(minutes.len(), 0 | 2) {
        return None;
    }
    let (half, length) = match small(tokens, 1) {
        "am" => (Some(0), 2),
        "pm" => (Some(12), 2),
        "uhr" | "o'clock" => (None, 2),
        _ if written.contains(':') => (None, 1),
        _ => return None,
    };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    Some((Date::Time(hour * 60 + minute), length))
}

/// `1980s`, `80s`, `1980er`.
fn decade(tokens: &[Token]) -> Option<(Date, usize)> {
    let is_suffix = matches!(small(tokens, 1), "s" | "er" | "ern") && tokens.get(1)?.is_glued;
    let number = up_to(tokens, 0, 2990)?;
    let is_decade = number % 10 == 0 && (number >= 1000 || (20..100).contains(&number));
    let start = if number < 100 { 1900 + number } else { number };
    (is_suffix && is_decade).then_some((Date::Decade(start), 2))
}

/// A year by itself: four digits from 1500 to 2099 that nothing counts.
fn year(tokens: &[Token], before: Option<&Token>) -> Option<(Date, usize)> {
    let year = year_at(tokens, 0).filter(|year| (1500..2100).contains(year))?;
    let is_price = before
        .is_some_and(|token| matches!(token.small.as_str(), "$" | "€" | "£" | "-") && !token.begins_sentence);
    let is_price = is_price || matches!(small(tokens, 1), "$" | "€" | "£" | "¥" | "%" | "°");
    let is_glued = tokens.get(1).is_some_and(|next| next.is_glued && next.kind == Kind::Word);
    (!is_price && !is_glued).then_some((Date::Day(Some(year), None, None), 1))
}

fn word(tokens: &[Token]) -> Option<(Date, usize)> {
    let token = tokens.first().filter(|token| token.kind == Kind::Word)?;
    let day = DAY_OF.get(token.small.as_str())?.first()?;
    Some((Date::Word(day), 1))
}

/// Two dates of one kind have to keep their order: from Monday to Friday is not from Friday to Monday.
pub fn agree(one: &[Date], other: &[Date]) -> bool {
    let of_kind = |dates: &[Date], kind: &Date| -> Vec<Date> {
        dates.iter().filter(|date| discriminant(*date) == discriminant(kind)).cloned().collect()
    };
    one.len() == other.len() && one.iter().all(|date| of_kind(one, date) == of_kind(other, date))
}
