//! Pages of long lists.

use serde::Deserialize;

/// A page of a list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(in crate::server) struct PageQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

impl PageQuery {
    /// The first page.
    pub(super) const FIRST: Self = Self { limit: None, offset: None };

    pub(in crate::server) fn bounds(&self) -> (u32, u32) {
        (self.limit.unwrap_or(100).clamp(1, 500), self.offset.unwrap_or(0))
    }
}
