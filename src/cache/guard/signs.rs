//! Code: fenced blocks, operators, options, identifiers.

use super::reading::Reading;
use super::tokens::{Kind, Token};

/// The operators of a text in order, without the punctuation of prose and the signs of Markdown.
fn operators(tokens: &[Token]) -> Vec<String> {
    let signs = tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Sign);
    signs.filter_map(|(at, token)| operator(tokens, at, token)).collect()
}

fn operator(tokens: &[Token], at: usize, token: &Token) -> Option<String> {
    let next = tokens.get(at + 1);
    let is_between_words = at
        .checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|before| before.kind == Kind::Word)
        && next.is_some_and(|next| next.kind == Kind::Word);
    let touches_next = next.is_some_and(|next| next.is_glued);
    match token.written.as_str() {
        "&" if is_between_words => None,
        "/" if is_between_words && token.is_glued && touches_next => None,
        // A bullet, a heading, bold letters.
        "*" | "#" | "##" | "###" if token.begins_sentence && !touches_next => None,
        "**" if token.is_glued != touches_next => None,
        // An option of a command; else a dash, or a minus, which belongs to its number.
        "-" | "--"
            if !token.is_glued && next.is_some_and(|next| next.is_glued && next.kind == Kind::Word) =>
        {
            Some(token.written.clone())
        }
        // A number in quotation marks is a text.
        "\"" if next.is_some_and(|next| next.is_glued && next.kind == Kind::Number) => {
            Some(token.written.clone())
        }
        "$" | "€" | "£" | "¥" | "%" | "°" | "\"" | "\'" | "`" => None,
        written => {
            // A sentence's final punctuation may be attached to an operator: "C++?", "and ===?".
            let bare = written.trim_end_matches(['?', '!', ':']);
            let bare =
                if next.is_none() || bare.len() == written.len() || bare.is_empty() { bare } else { written };
            let is_meant = bare.contains([
                '&', '|', '=', '<', '>', '+', '*', '^', '~', '#', '@', '\\', '{', '}', '[', ']', '/',
            ]) || bare.contains("::")
                || bare.chars().any(|c| !c.is_ascii() && c.is_numeric())
                || written.starts_with('!') && touches_next;
            is_meant.then(|| bare.to_owned())
        }
    }
}

/// Words whose capitals count: those in backticks, with `_`, with a capital inside, or called.
fn identifiers(reading: &Reading) -> impl Iterator<Item = &Token> {
    reading
        .tokens
        .iter()
        .filter(|token| token.kind == Kind::Word && (token.is_code || has_inner_capital(&token.written)))
}

fn has_inner_capital(word: &str) -> bool {
    let is_mixed = word.chars().any(char::is_lowercase);
    is_mixed && word.chars().skip(1).any(char::is_uppercase)
}

/// Whether the other text has each identifier of the one, in the same letters, or all in small ones.
fn knows_identifiers(one: &Reading, other: &Reading) -> bool {
    identifiers(one).all(|own| {
        let mut same = other.tokens.iter().filter(|token| token.small == own.small).peekable();
        let is_there = same.peek().is_some() || !own.is_code || other.has(&own.small);
        let is_spelt = |token: &Token| {
            token.written == own.written || token.written == token.small || own.written == own.small
        };
        is_there && (same.peek().is_none() || same.any(is_spelt))
    })
}

pub fn agree(one: &Reading, other: &Reading) -> bool {
    one.blocks == other.blocks
        && one.indents == other.indents
        && operators(&one.tokens) == operators(&other.tokens)
        && knows_identifiers(one, other)
        && knows_identifiers(other, one)
}
