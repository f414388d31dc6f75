//! What a call is for.

use std::fmt;

use super::seeded_rng::SeededRng;
use super::simulated_prompt::Prompt;

/// What a call is for. The feature that makes the call owns it; none of it is sent to a provider. Its name appears in
/// the configuration (`council.sampling.<name>`), the journal and the ledger.
pub struct Purpose {
    /// In snake case; never changed, since it is stored.
    pub name: &'static str,
    /// How many tokens such a reply usually has, reasoning included.
    pub usual_tokens: u64,
    /// Writes the simulated provider's reply.
    pub simulated: fn(&Prompt<'_>, &mut SeededRng) -> String,
}

impl fmt::Debug for Purpose {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl PartialEq for Purpose {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Purpose {}

/// For tests of what does not depend on a call's purpose.
#[cfg(test)]
pub(super) static ANY: Purpose =
    Purpose { name: "any", usual_tokens: 100, simulated: super::simulated_text::plain };
