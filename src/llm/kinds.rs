//! The kinds of providers there are. A new one is its own file, or folder, and a line here.

use super::kind::ProviderKind;
use super::{openai_compatible, openrouter, simulated};

/// All of them, in the order in which they are named.
pub const KINDS: [&ProviderKind; 3] = [&openrouter::KIND, &openai_compatible::KIND, &simulated::KIND];

/// What they are called.
pub static NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// The kind that is called so.
#[must_use]
pub fn named(name: &str) -> Option<&'static ProviderKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

/// The kind of a provider of this name that does not say it.
#[must_use]
pub fn implied_by(name: &str) -> Option<&'static ProviderKind> {
    KINDS.into_iter().find(|kind| kind.name == name || kind.implied_by.contains(&name))
}
