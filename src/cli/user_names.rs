//! Names of users that are no longer valid as they are: how they are listed, shown and typed.

use std::fmt::Write as _;

use crate::identity::user;
use crate::store::SetupError;

/// Whether a user who signs in with this name is known by exactly this name.
pub(super) fn is_taken(name: &str) -> bool {
    user::canonical(name).is_some_and(|user| user.as_str() == name)
}

/// What has to be decided before a server can start, for the person who decides.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Undecided(String);

/// What has to be decided before a server can start; any other error as it is.
pub(super) fn explained(error: SetupError) -> anyhow::Error {
    if let SetupError::UserNames(names) = &error { Undecided(listed(names)).into() } else { error.into() }
}

/// The names in a sentence, and what may be done about them.
pub(super) fn listed(names: &[String]) -> String {
    let mut text = String::from("These users' names are no longer valid as they are:\n");
    for name in names {
        let now = match user::canonical(name) {
            Some(user) => format!("a sign-in with this name is now the user {}", shown(user.as_str())),
            None => "nobody can sign in with this name now".to_owned(),
        };
        writeln!(text, "  {}: {now}", shown(name)).expect("a String takes everything");
    }
    text.push_str(
        "Decide about each of them, with the servers stopped:\n  \
         llm-council migrate --rename OLD NEW   gives everything of OLD to NEW, a name that nobody has yet\n  \
         llm-council migrate --keep OLD         leaves it where it is, where nobody reaches it\n\
         All in one command; docs/deploying.md says more.\n",
    );
    text
}

/// A name as it can be read and typed: what is not ASCII as `\u{…}`.
pub(super) fn shown(name: &str) -> String {
    let mut text = String::from("'");
    for c in name.chars() {
        if c.is_ascii_graphic() || c == ' ' {
            text.push(c);
        } else {
            text.extend(c.escape_unicode());
        }
    }
    text.push('\'');
    text
}

/// Takes `\u{…}` for the character it means.
pub(super) fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let character = part.split_once('}').and_then(|(hex, rest)| {
            let character = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)?;
            Some((character, rest))
        });
        match character {
            Some((character, rest)) => {
                name.push(character);
                name.push_str(rest);
            }
            None => {
                name.push_str("\\u{");
                name.push_str(part);
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_shown_can_be_typed() {
        for name in
            ["ann", "mu\u{308}ller", "\u{212a}ate\u{1d173}", "alice, bob", "EXAMPLE\\ann", "a\\u{b", "", "\0"]
        {
            let typed = shown(name);
            assert!(typed.is_ascii(), "{typed}");
            assert_eq!(unescaped(typed.trim_matches('\'')), name);
        }
    }
}
