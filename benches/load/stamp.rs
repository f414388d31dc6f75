//! The moment at which the scripted model sent a token, carried in the token's own text, so that
//! whoever reads it at the other end knows how long it was on its way. Both ends run on one machine
//! and read the same clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// What a stamped token begins with; no other text of the scripted models has it.
pub const MARK: u8 = b'~';
/// Digits of a stamp; microseconds in base 62 wrap around after a quarter of an hour.
const DIGITS: usize = 5;
/// Bytes of a stamped token: the mark, the stamp and a space, about as long as a real token.
pub const TOKEN_BYTES: usize = DIGITS + 2;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ROUND: u32 = 62 * 62 * 62 * 62 * 62;

/// Now, in microseconds, modulo a quarter of an hour.
pub fn now() -> u32 {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    u32::try_from(micros % u128::from(ROUND)).unwrap_or(0)
}

/// Writes a token that says when it was sent.
pub fn push(out: &mut Vec<u8>, moment: u32) {
    let mut token = [MARK; TOKEN_BYTES];
    let mut rest = moment;
    for place in token[1..=DIGITS].iter_mut().rev() {
        *place = ALPHABET[(rest % 62) as usize];
        rest /= 62;
    }
    token[TOKEN_BYTES - 1] = b' ';
    out.extend_from_slice(&token);
}

/// How many microseconds ago each stamped token in `text` was sent.
pub fn ages(text: &[u8], now: u32) -> impl Iterator<Item = u32> + '_ {
    text.split(|byte| *byte == MARK).skip(1).filter_map(move |after| {
        let digits = after.get(..DIGITS)?;
        let mut moment = 0u32;
        for digit in digits {
            moment = moment * 62 + value(*digit)?;
        }
        Some((now + ROUND - moment) % ROUND)
    })
}

fn value(digit: u8) -> Option<u32> {
    match digit {
        b'0'..=b'9' => Some(u32::from(digit - b'0')),
        b'A'..=b'Z' => Some(u32::from(digit - b'A') + 10),
        b'a'..=b'z' => Some(u32::from(digit - b'a') + 36),
        _ => None,
    }
}
