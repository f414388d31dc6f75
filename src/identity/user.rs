//! The one canonical form of a user's name.

use precis_profiles::UsernameCaseMapped;
use precis_profiles::precis_core::profile::PrecisFastInvocation as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::id::UserId;

/// The one user of a server without sign-in. No proxy can give a user this name.
pub const LOCAL: &str = "local";

const MAX_BYTES: usize = 255;

/// Words that programs write where they have no name, whatever brackets or quotes they put around it.
const PLACEHOLDERS: [&str; 8] =
    ["none", "null", "nil", "undefined", "anonymous", "unauthenticated", "unknown", "no value"];

/// Makes a user id of the name that a proxy gave: RFC 8265's `UsernameCaseMapped`, which is lower case in Unicode's
/// composed form, and stricter. What the profile would replace by another character is refused, and so is whatever is
/// not a name: a list, a placeholder, a combining mark on nothing. Applied once, as it comes in; applying it again
/// changes nothing.
#[must_use]
pub fn canonical(name: &str) -> Option<UserId> {
    let form = enforce(name)?;
    let stands = enforce(&form).as_deref() == Some(form.as_str());
    (stands && form.len() <= MAX_BYTES && is_a_name(&form)).then(|| UserId::from_canonical(form))
}

/// The profile, for each of the parts that single spaces separate.
fn enforce(name: &str) -> Option<String> {
    // The profile allows joiners depending on their neighbours, but nobody sees them.
    if name.len() > 4 * MAX_BYTES || name.contains(['\u{200c}', '\u{200d}']) {
        return None;
    }
    // Compatibility characters (wide, narrow, ligatures, KELVIN SIGN): refused, not replaced.
    if !name.nfkd().eq(name.nfd()) {
        return None;
    }
    let parts: Option<Vec<_>> = name.split(' ').map(enforce_part).collect();
    Some(parts?.join(" "))
}

fn enforce_part(part: &str) -> Option<String> {
    UsernameCaseMapped::prepare(part).ok()?;
    // The profile maps letter by letter, but a final sigma depends on the letters around it.
    Some(UsernameCaseMapped::enforce(part.to_lowercase()).ok()?.into_owned())
}

fn is_a_name(form: &str) -> bool {
    let bare = form.trim_matches(|c: char| c.is_ascii_punctuation());
    let mut before = None;
    let marks_stand_on_letters = form.chars().all(|c| {
        let stands = !is_combining_mark(c)
            || before.is_some_and(|before: char| before.is_alphanumeric() || is_combining_mark(before));
        before = Some(c);
        stands
    });
    // Proxies and servers join repeated headers by commas.
    !form.contains(',')
        && bare.chars().any(char::is_alphanumeric)
        && !PLACEHOLDERS.contains(&bare)
        && marks_stand_on_letters
}

#[cfg(test)]
#[path = "user_tests.rs"]
mod tests;
