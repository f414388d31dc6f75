//! What a file is called: the last part of its path, without anything that nobody sees or that turns a line around.

use crate::invisible::is_blank;

/// The longest name, in bytes: what every file system takes.
pub const MAX_BYTES: usize = 255;

/// Why something is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadName {
    /// Nothing is left of it.
    Empty,
    TooLong,
}

impl BadName {
    /// In a sentence that goes on from the field's name.
    #[must_use]
    pub fn message(self) -> String {
        match self {
            Self::Empty => "is not a file name: give it one, such as notes.txt".to_owned(),
            Self::TooLong => format!("is longer than {MAX_BYTES} bytes: give the file a shorter name"),
        }
    }
}

/// The name in the form in which it is kept.
///
/// # Errors
/// Where nothing of a name is left, or too much.
pub fn clean(given: &str) -> Result<String, BadName> {
    let base = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let seen: String = base.chars().filter(|c| !c.is_control() && !is_blank(*c)).collect();
    let name = seen.trim();
    if name.chars().all(|c| c == '.' || c.is_whitespace()) {
        return Err(BadName::Empty);
    }
    if name.len() > MAX_BYTES {
        return Err(BadName::TooLong);
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_what_stands_last_and_can_be_seen() {
        for (given, name) in [
            ("notes.txt", "notes.txt"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\Ann\\report.pdf", "report.pdf"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\r\nb\0c.txt", "abc.txt"),
            ("  Über Öl.md ", "Über Öl.md"),
            (".env", ".env"),
            ("..a", "..a"),
        ] {
            assert_eq!(clean(given).as_deref(), Ok(name));
        }
        for given in ["", "..", ".", "a/..", "dir/", " \u{200b}\u{202e}", "\0"] {
            assert_eq!(clean(given), Err(BadName::Empty), "{given:?}");
        }
        assert_eq!(clean(&"x".repeat(255)).map(|name| name.len()), Ok(255));
        assert_eq!(clean(&"x".repeat(256)), Err(BadName::TooLong));
        assert_eq!(clean(&"ü".repeat(128)), Err(BadName::TooLong));
    }

    proptest! {
        #[test]
        fn no_name_leads_anywhere_or_hides_anything(given in any::<String>()) {
            if let Ok(name) = clean(&given) {
                prop_assert!(!name.is_empty() && name.len() <= MAX_BYTES);
                prop_assert!(!name.contains(['/', '\\']) && name != "." && name != "..");
                prop_assert!(!name.chars().any(|c| c.is_control() || is_blank(c)));
                prop_assert_eq!(clean(&name), Ok(name.clone()), "it stays as it is");
            }
        }
    }
}
