//! Whether a text holds code, where case, white space and punctuation carry meaning.

/// Signs that prose has hardly ever.
const SIGNS: &[char] = &['`', '{', '}', '[', ']', '<', '>', '=', '|', '&', '\\', '^', '~', '_', '$'];

/// Whether something in the text may be code: a sign that prose has hardly ever, a call, a path, an option of a command,
/// or an indented line. Errs on the side of code, since code that is taken for prose would lose its meaning.
pub fn looks_like_code(text: &str) -> bool {
    let text = text.trim();
    text.contains(SIGNS)
        || ["::", "()", "->", "//", "/*"].iter().any(|part| text.contains(part))
        || text.lines().skip(1).any(|line| line.starts_with('\t') || line.starts_with("  "))
        || names_option(text)
}

/// Whether a word begins with a dash, as in `ls -R`, or with a slash, as in `/etc`.
fn names_option(text: &str) -> bool {
    let mut before = ' ';
    let mut dash = false;
    for c in text.chars() {
        if dash && c.is_alphabetic() {
            return true;
        }
        dash = (matches!(c, '-' | '/') && !before.is_alphanumeric()) || (dash && c == '-');
        before = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_prose() {
        for code in
            ["a && b", "What does x() do?", "ls -R", "if a:\n    b", "see /etc/hosts", "`x`", "git --help"]
        {
            assert!(looks_like_code(code), "{code}");
        }
        for prose in ["Is C++ hard?", "What is 5 - 3?", "and/or", "A well-known fact", "It costs 5%."] {
            assert!(!looks_like_code(prose), "{prose}");
        }
    }
}
