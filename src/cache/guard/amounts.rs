//! Numbers, in figures and in words.

use super::language::Language;
use super::lists::{MULTIPLE_OF, NUMBER_OF};
use super::tokens::{Kind, Token};

/// "One" is often no number: "which one".
const SOFT: &[&str] = &["one", "once", "eins"];

/// A number of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// The number in figures. Versions and the like stay as they are written.
    pub value: String,
    /// Of its last token.
    pub at: usize,
    /// "One", which is often no number.
    pub is_soft: bool,
}

pub type Amounts = Vec<Amount>;

/// The numbers of a text in order. Their tokens are marked as used; those that are used already are not read.
pub fn read(tokens: &[Token], language: Option<Language>, used: &mut [bool]) -> Amounts {
    let mut amounts = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_used = used.get(at).copied().unwrap_or_default();
        let found = (!is_used).then(|| number(tokens, at, language)).flatten();
        let Some((value, length, is_soft)) = found else {
            at += 1;
            continue;
        };
        let (value, length) = multiplied(tokens, at, value, length, language);
        let sign = if is_negative(tokens, at) { "-" } else { "" };
        used.iter_mut().skip(at).take(length).for_each(|used| *used = true);
        at += length;
        amounts.push(Amount { value: format!("{sign}{value}"), at: at - 1, is_soft });
    }
    amounts
}

/// A number, how many tokens it takes, and whether it may be none.
fn number(tokens: &[Token], at: usize, language: Option<Language>) -> Option<(String, usize, bool)> {
    let token = tokens.get(at)?;
    let next = tokens.get(at + 1);
    match token.kind {
        Kind::Number => {
            let is_ordinal = next.is_some_and(|next| {
                next.is_glued
                    && matches!(next.small.as_str(), "st" | "nd" | "rd" | "th" | "er" | "ème" | "º" | "ª")
            });
            Some((in_figures(&token.small, language), if is_ordinal { 2 } else { 1 }, false))
        }
        Kind::Word if token.is_code => None,
        Kind::Word => {
            let numeral = in_words(&token.small, language);
            if let Some(value) = numeral {
                // "Twenty-one", "twenty one".
                let is_hyphen = next.is_some_and(|next| next.written == "-" && next.is_glued);
                let length = if is_hyphen { 3 } else { 2 };
                let ones = tokens.get(at + length - 1).and_then(|ones| in_words(&ones.small, language));
                let is_tens = value % 10 == 0 && (20..100).contains(&value);
                return match ones.filter(|ones| is_tens && (1..10).contains(ones)) {
                    Some(ones) => Some(((value + ones).to_string(), length, false)),
                    _ => Some((value.to_string(), 1, SOFT.contains(&token.small.as_str()))),
                };
            }
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            roman(token, before).map(|value| (value.to_string(), 1, false))
        }
        Kind::Sign => None,
    }
}

/// Whether a minus stands before a number and nothing that it could be taken from.
fn is_negative(tokens: &[Token], at: usize) -> bool {
    let Some(sign) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return false };
    let before = at.checked_sub(2).and_then(|before| tokens.get(before));
    let is_glued = tokens.get(at).is_some_and(|token| token.is_glued);
    let is_minus = (sign.written == "-" && is_glued && !sign.is_glued) || sign.small == "minus";
    is_minus && before.is_none_or(|before| before.kind != Kind::Number && before.written != ")")
}

/// Figures without thousands separators and with a point before decimals. `1.000` is a thousand where a comma separates
/// decimals.
fn in_figures(written: &str, language: Option<Language>) -> String {
    let has_decimal_comma =
        language.is_some_and(|language| matches!(language, "de" | "fr" | "es" | "it" | "pt" | "nl"));
    let groups: Vec<&str> = written.split(['.', ',', '\'']).collect();
    let separators: Vec<char> = written.chars().filter(|c| matches!(c, '.' | ',' | '\'')).collect();
    if written.contains(':') {
        return written.to_owned();
    }
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return written.to_owned() };
    let in_threes = |groups: &[&str]| groups.iter().skip(1).all(|group| group.len() == 3) && first.len() <= 3;
    let decimals = match separators.as_slice() {
        [] => false,
        [one] => {
            let may_be_thousand = last.len() == 3 && first.len() <= 3 && *first != "0";
            let is_decimal_sign = match one {
                '.' => !has_decimal_comma,
                ',' => has_decimal_comma,
                _ => false,
            };
            !may_be_thousand || is_decimal_sign
        }
        [rest @ .., decimal]
            if !rest.contains(decimal) && rest.windows(2).all(|two| two.first() == two.last()) =>
        {
            true
        }
        _ if separators.windows(2).all(|two| two.first() == two.last()) && in_threes(&groups) => false,
        // A version, an address.
        _ => return written.to_owned(),
    };
    if !decimals {
        return groups.concat();
    }
    let whole = groups.split_last().map_or(String::new(), |(_, whole)| whole.concat());
    // "5.00" is 5; but "3.10" is not "3.1", since it may be a version.
    if last.bytes().all(|digit| digit == b'0') { whole } else { format!("{whole}.{last}") }
}

/// A number times the thousand or million after it.
fn multiplied(
    tokens: &[Token],
    at: usize,
    value: String,
    length: usize,
    language: Option<Language>,
) -> (String, usize) {
    let Some(next) = tokens.get(at + length).filter(|next| next.kind == Kind::Word) else {
        return (value, length);
    };
    let is_german = language == Some("de");
    let by = match next.written.as_str() {
        "k" | "K" if next.is_glued => Some(1e3),
        "M" if next.is_glued => Some(1e6),
        "bn" => Some(1e9),
        _ => MULTIPLE_OF
            .get(next.small.as_str())
            .and_then(|multiples| multiples.first())
            .map(|(english, german)| if is_german { *german } else { *english }),
    };
    match (by, value.parse::<f64>()) {
        (Some(by), Ok(number)) => ((number * by).to_string(), length + 1),
        _ => (value, length),
    }
}

/// A number in one word, from 0 to 90, or the first, the second, ….
fn in_words(word: &str, language: Option<Language>) -> Option<u32> {
    let may_be =
        |of: Language| language.is_none_or(|language| of == language || of == "en" && !is_romance(language));
    let whole = NUMBER_OF.get(word).and_then(|numbers| numbers.iter().find(|(of, _)| may_be(of)));
    // "Einundzwanzig".
    let of_two = || {
        let in_german =
            |word: &str| NUMBER_OF.get(word)?.iter().find(|(of, _)| *of == "de").map(|(_, value)| *value);
        let (ones, tens) = word.split_once("und")?;
        let ones = if ones == "ein" { 1 } else { in_german(ones)? };
        let tens = in_german(tens)?;
        (ones < 10 && tens % 10 == 0 && tens >= 20).then_some(ones + tens)
    };
    whole.map(|(_, value)| *value).or_else(of_two)
}

fn is_romance(language: Language) -> bool {
    matches!(language, "fr" | "es" | "it" | "pt")
}

/// The number of a king, a war or a chapter: of I, V and X only, and of one letter only after a name.
fn roman(token: &Token, before: Option<&Token>) -> Option<u32> {
    let written = token.written.as_str();
    if !written.bytes().all(|letter| matches!(letter, b'I' | b'V' | b'X')) {
        return None;
    }
    let after_name = before.is_some_and(|before| {
        let is_name =
            before.written.starts_with(char::is_uppercase) && before.written.contains(char::is_lowercase);
        before.kind == Kind::Word && !before.begins_sentence && is_name
    });
    if written.len() < 2 && !after_name {
        return None;
    }
    let digits: Vec<u32> = written
        .bytes()
        .map(|letter| match letter {
            b'I' => 1,
            b'V' => 5,
            _ => 10,
        })
        .collect();
    let value = digits.iter().enumerate().fold(0_i64, |sum, (at, digit)| {
        let is_less = digits.get(at + 1).is_some_and(|next| next > digit);
        sum + if is_less { -i64::from(*digit) } else { i64::from(*digit) }
    });
    u32::try_from(value).ok()
}

/// Whether both have the same numbers in the same order, except for each "one" that the other may have left out.
pub fn agree(one: &Amounts, other: &Amounts) -> bool {
    let hard = |amounts: &Amounts| -> Vec<String> {
        amounts.iter().filter(|amount| !amount.is_soft).map(|amount| amount.value.clone()).collect()
    };
    let all =
        |amounts: &Amounts| -> Vec<String> { amounts.iter().map(|amount| amount.value.clone()).collect() };
    hard(one) == hard(other) || all(one) == all(other)
}
