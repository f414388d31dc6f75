//! Query parameters that narrow a list down.

use crate::id::UserId;
use crate::identity::user;
use crate::server::problem::Problem;

/// The longest text that is looked for, in characters.
const MAX_CHARS: usize = 200;

/// The person that `user` names, in any form that the proxy may send; `None` where it is left out or empty, as by a
/// form that is not filled in.
///
/// # Errors
/// 422 that names `user` where it is not a user's name.
pub(super) fn user(name: Option<&str>) -> Result<Option<UserId>, Problem> {
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(None) };
    let user = user::canonical(name).filter(|_| !name.chars().any(char::is_control));
    user.map(Some).ok_or_else(|| Problem::field("user", "must be a user's name"))
}

/// A text to look for; none where it is left out or empty.
///
/// # Errors
/// 422 that names `field` for one that is too long or has control characters.
pub(super) fn text<'a>(field: &str, text: Option<&'a str>) -> Result<Option<&'a str>, Problem> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > MAX_CHARS || text.chars().any(char::is_control) {
        return Err(Problem::field(field, &format!("must be at most {MAX_CHARS} characters in one line")));
    }
    Ok(Some(text))
}
