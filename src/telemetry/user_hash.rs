//! Users as logs and reports know them.

use sha2::{Digest as _, Sha256};

use crate::id::UserId;

/// How many hexadecimal digits a hash has.
const DIGITS: usize = 12;

/// A hash of the user's id: equal for one user as long as the salt is, and useless without the salt.
pub(super) fn of(salt: &[u8], user: &UserId) -> String {
    let digest = Sha256::new().chain_update(salt).chain_update(user.as_str()).finalize();
    hex::encode(&digest[..DIGITS / 2])
}

/// Whether [`of`] could have made this.
pub(super) fn is_one(text: &str) -> bool {
    text.len() == DIGITS && text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
}
