//! All kinds of providers. A new kind is a file or folder of its own, and a line here.

use super::kind::Variable;
use super::settings::ProviderKind;
use super::{bedrock, openai_compatible, openrouter, simulated};

/// All kinds, in the order in which they are shown.
pub const KINDS: [&ProviderKind; 4] =
    [&openrouter::KIND, &openai_compatible::KIND, &bedrock::KIND, &simulated::KIND];

/// The names of [`KINDS`].
pub static NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// The kind with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static ProviderKind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

/// The kind of a provider that does not state its kind, but has a key that only one kind has.
#[must_use]
pub fn implied_by_key(has: impl Fn(&str) -> bool) -> Option<&'static ProviderKind> {
    has(openai_compatible::PRESET).then_some(&openai_compatible::KIND)
}

/// Environment variables that set a key of a provider, if other settings configure that provider.
pub fn variables_beside() -> impl Iterator<Item = Variable> {
    openai_compatible::variables_beside()
}

/// The kind of a provider of this name that does not state its kind.
#[must_use]
pub fn implied_by(name: &str) -> Option<&'static ProviderKind> {
    KINDS.into_iter().find(|kind| kind.name == name || kind.implied_by.contains(&name))
}
