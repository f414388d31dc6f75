//! Providers with regions: which regions there are, and a model's id in another one.

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
        /// Ids of the most similar models there, the most similar first; at most three.
        nearest: Vec<String>,
    },
}

impl Moved {
    /// The ids to call there instead, the best first.
    #[must_use]
    pub fn instead(self) -> Vec<String> {
        match self {
            Self::To(id) => vec![id],
            Self::Lacking { nearest } => nearest,
        }
    }
}

/// A provider with regions. Ids come without the provider's prefix.
pub trait Regional: Send + Sync {
    /// The region of model ids that name none.
    fn default_region(&self) -> &str;

    /// The regions that users may choose.
    fn regions(&self) -> Vec<Region>;

    /// The region of a model's id: the one it names, else the default.
    fn region_of<'i>(&'i self, id: &'i str) -> &'i str;

    /// A model's id in one of these regions, as far as is known without a request.
    fn moved(&self, id: &str, region: &str) -> Moved;
}
