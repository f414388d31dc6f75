//! Providers whose models are asked in regions: which there are, and where a model is to be found in another one.

/// A region, for people to choose.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct Region {
    pub id: String,
    pub name: String,
}

/// What a model's id maps to in another region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// The id there.
    To(String),
    /// It is not on offer there.
    Lacking {
        /// Ids of what is nearest to it there, the nearest first; at most three.
        nearest: Vec<String>,
    },
}

impl Moved {
    /// What to ask there in its place, the best first.
    #[must_use]
    pub fn instead(self) -> Vec<String> {
        match self {
            Self::To(id) => vec![id],
            Self::Lacking { nearest } => nearest,
        }
    }
}

/// A provider of that kind. Ids are without the provider's prefix.
pub trait Regional: Send + Sync {
    /// The region of ids that name none.
    fn default_region(&self) -> &str;

    /// Those that may be chosen.
    fn regions(&self) -> Vec<Region>;

    /// The region that a model's id means.
    fn region_of<'i>(&'i self, id: &'i str) -> &'i str;

    /// A model's id in one of these regions, as far as is known now. Asks nobody.
    fn moved(&self, id: &str, region: &str) -> Moved;
}
