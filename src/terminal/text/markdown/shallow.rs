//! A bound for nesting: the parser looks at every open quote and list again with every line.

use std::borrow::Cow;

/// Most quotes and lists that one line may open.
const MAX_LEVELS: usize = 64;

/// `text` with marks escaped that would open more levels on one line.
pub(super) fn shallow(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| excess(line).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        match excess(line).and_then(|at| line.split_at_checked(at)) {
            Some((before, after)) => {
                out.push_str(before);
                out.push('\\');
                out.push_str(after);
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

/// Where in `line` the mark stands that opens one level too many.
fn excess(line: &str) -> Option<usize> {
    let mut levels = 0;
    let mut digits = 0;
    let mut bytes = line.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let is_item = bytes.peek().is_none_or(|(_, next)| matches!(next, b' ' | b'\n'));
        match byte {
            b' ' if digits == 0 => continue,
            b'0'..=b'9' if digits < 9 => {
                digits += 1;
                continue;
            }
            b'>' if digits == 0 => {}
            b'-' | b'*' | b'+' if digits == 0 && is_item => {}
            b'.' | b')' if digits > 0 && is_item => digits = 0,
            _ => return None,
        }
        levels += 1;
        if levels > MAX_LEVELS {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nests_too_deep_is_escaped() {
        for text in ["> - 1. x\n", "----------", "1. x", "", "2.5 and *x*"] {
            assert!(matches!(shallow(text), Cow::Borrowed(_)));
        }
        for mark in [">", "> ", "- ", "1. "] {
            let text = format!("{}x\ny", mark.repeat(100));
            assert_eq!(shallow(&text).len(), text.len() + 1, "{mark}");
            assert_eq!(shallow(&text).replace('\\', ""), text);
        }
    }
}
