//! Units and currencies, and which number has which.

use super::amounts::Amounts;
use super::lists::UNIT_OF;
use super::tokens::{Kind, Token};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    /// Number and unit, sorted.
    pub of_numbers: Vec<(String, &'static str)>,
    /// Units without a number, in order: to convert miles to kilometres is not to convert kilometres to miles.
    pub alone: Vec<&'static str>,
}

/// The units of a text. Their tokens are marked as used.
pub fn read(tokens: &[Token], amounts: &Amounts, used: &mut [bool]) -> Units {
    let mut units = Units::default();
    for amount in amounts.iter().filter(|amount| !amount.is_soft) {
        let start = tokens.get(..amount.at).unwrap_or_default();
        let before = start.iter().rposition(|token| token.kind == Kind::Sign).filter(|at| at + 2 > amount.at);
        let currency = before.and_then(|at| Some((sign(&tokens.get(at)?.written)?, at, 1)));
        let found = currency
            .or_else(|| at(tokens, amount.at + 1, true).map(|(unit, length)| (unit, amount.at + 1, length)));
        if let Some((unit, at, length)) = found {
            units.of_numbers.push((amount.value.clone(), unit));
            used.iter_mut().skip(at).take(length).for_each(|used| *used = true);
        }
    }
    let mut place = 0;
    while place < tokens.len() {
        let is_used = used.get(place).copied().unwrap_or_default();
        match (!is_used).then(|| at(tokens, place, false)).flatten() {
            Some((unit, length)) => {
                units.alone.push(unit);
                used.iter_mut().skip(place).take(length).for_each(|used| *used = true);
                place += length;
            }
            None => place += 1,
        }
    }
    units.of_numbers.sort_unstable();
    units
}

fn sign(written: &str) -> Option<&'static str> {
    match written {
        "$" => Some("dollar"),
        "€" => Some("euro"),
        // Not a pound, which may be one of weight.
        "£" => Some("sterling"),
        "¥" => Some("yen"),
        "%" => Some("percent"),
        "°" => Some("degree"),
        _ => None,
    }
}

/// The unit at a place and how many tokens it takes: `km/h` takes three, `°C` two. Letters that are words as well, or mean
/// less in small letters, count only after a number.
fn at(tokens: &[Token], place: usize, after_number: bool) -> Option<(&'static str, usize)> {
    let token = tokens.get(place)?;
    let next = tokens.get(place + 1);
    if token.written == "°" {
        let scale = next.filter(|next| next.is_glued || next.written.len() == 1)?;
        return match scale.written.as_str() {
            "C" => Some(("celsius", 2)),
            "F" => Some(("fahrenheit", 2)),
            _ => Some(("degree", 1)),
        };
    }
    if let Some(unit) = sign(&token.written) {
        return (after_number || unit == "percent").then_some((unit, 1));
    }
    if token.kind != Kind::Word {
        return None;
    }
    if matches!(token.small.as_str(), "degree" | "degrees" | "grad")
        && let Some(scale) = next
            .and_then(|next| named(&next.written, false))
            .filter(|unit| matches!(*unit, "celsius" | "fahrenheit" | "kelvin"))
    {
        return Some((scale, 2));
    }
    let per = next.filter(|next| next.written == "/" && next.is_glued).and_then(|_| tokens.get(place + 2));
    if let Some(per) = per.filter(|per| per.is_glued && per.kind == Kind::Word)
        && let Some(unit) = named(&format!("{}/{}", token.written, per.written), after_number)
    {
        return Some((unit, 3));
    }
    named(&token.written, after_number).map(|unit| (unit, 1))
}

/// The unit that a word names: as it is written, or in small letters where it is long.
fn named(written: &str, after_number: bool) -> Option<&'static str> {
    let small = written.to_lowercase();
    let [short, long, of_numbers] = &*UNIT_OF;
    let in_any = || {
        let of_number = || short.get(written).or_else(|| of_numbers.get(small.as_str()));
        long.get(small.as_str()).or_else(|| if after_number { of_number() } else { None })
    };
    in_any()?.first().copied()
}
