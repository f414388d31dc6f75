//! Personal access tokens: a secret that is shown once and stored as a hash.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// How every token begins, so that people and secret scanners know it.
pub const PREFIX: &str = "lc_";
const HEX_DIGITS: usize = 64;

/// A new secret: 244 random bits, as hexadecimal digits.
#[must_use]
pub fn generate() -> String {
    format!("{PREFIX}{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

/// What is stored of a secret. It has enough randomness of its own to need no salt.
#[must_use]
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Whether this can be a token at all: junk never reaches the database.
#[must_use]
pub fn is_well_formed(secret: &str) -> bool {
    secret
        .strip_prefix(PREFIX)
        .is_some_and(|rest| rest.len() == HEX_DIGITS && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_well_formed_and_never_the_same() {
        let (one, two) = (generate(), generate());
        assert!(is_well_formed(&one) && is_well_formed(&two));
        assert_ne!(hash(&one), hash(&two));
        for junk in
            ["", "lc_", "lc_xyz", one.trim_start_matches('l'), &format!("{one}0"), &one.replace("lc_", "LC_")]
        {
            assert!(!is_well_formed(junk), "{junk}");
        }
    }
}
