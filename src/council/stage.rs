//! The stages of a deliberation.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A stage of the deliberation, by which costs are summed: a name that a feature owns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stage(Cow<'static, str>);

impl Stage {
    /// A stage of this name, in snake case. The name must never change, since it is stored.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// The name in JSON and in the ledger.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl utoipa::ToSchema for Stage {}
impl utoipa::PartialSchema for Stage {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        let about = "A stage of the deliberation, as costs are summed.";
        utoipa::openapi::Object::builder()
            .schema_type(utoipa::openapi::Type::String)
            .description(Some(about))
            .into()
    }
}
