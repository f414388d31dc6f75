//! The one canonical form of a user's name.

use crate::id::UserId;

const MAX_BYTES: usize = 255;

/// Makes a user id of the name a proxy gave: lower case, nothing else changed. Directories compare
/// names without regard to case, so `Ann` and `ann` must be one person here too. A name that is
/// empty, longer than 255 bytes, or has spaces at its ends is none. Applied once, at the door; the
/// form of a form is itself.
#[must_use]
pub fn canonical(name: &str) -> Option<UserId> {
    if name.is_empty() || name.trim() != name {
        return None;
    }
    // Some capitals have lower-case forms that lower-case further (`İ`): go on until it is stable.
    let mut form = name.to_lowercase();
    loop {
        let next = form.to_lowercase();
        if next == form {
            break;
        }
        form = next;
    }
    (form.len() <= MAX_BYTES).then(|| UserId::from_canonical(form))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_is_the_only_thing_that_is_changed() {
        assert_eq!(canonical("Ann.Lee@Example.com").unwrap().as_str(), "ann.lee@example.com");
        for name in ["", " ann", "ann ", &"a".repeat(256)] {
            assert_eq!(canonical(name), None, "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn the_form_of_a_form_is_itself(name in any::<String>()) {
            if let Some(user) = canonical(&name) {
                prop_assert_eq!(canonical(user.as_str()), Some(user.clone()));
            }
        }
    }
}
