//! The regions of configured providers, and the ids of models in other regions.

use super::regional::{Moved, Region};
use super::registry::{Entry, Registry};

/// The regions that users may choose among.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// The configured provider's name.
    pub provider: String,
    /// The region of models whose id names none.
    pub default: String,
    pub regions: Vec<Region>,
}

impl Registry {
    /// The regions of the default provider if it has any, else of the first provider by name that does.
    #[must_use]
    pub fn regions(&self) -> Option<Regions> {
        let default = self.entries.get(&self.default);
        let of = |entry: &Entry| {
            let regional = entry.provider.regional()?;
            let default = regional.default_region().to_owned();
            Some(Regions { provider: entry.name.clone(), default, regions: regional.regions() })
        };
        default.into_iter().chain(self.entries.values()).find_map(of)
    }

    /// A model's id in another region, as far as is known without a request; `None` if its provider has no regions.
    #[must_use]
    pub fn moved(&self, model: &str, region: &str) -> Option<Moved> {
        let (entry, id) = self.resolve(model);
        let full = |id: String| self.full_id(entry, &id);
        Some(match entry.provider.regional()?.moved(id, region) {
            Moved::To(id) => Moved::To(full(id)),
            Moved::Lacking { nearest } => Moved::Lacking { nearest: nearest.into_iter().map(full).collect() },
        })
    }
}
