//! Whether the writer of the answer may check facts first (`use_react`). How it works is in
//! [`checking`](crate::council::checking).

pub mod view;

use crate::council::checking::MAX_ITERATIONS;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::searching::plan::{NOT_CONFIGURED, SearchContext};

/// Reads a request's field: how often a writer may check. By default that is allowed only where the format says so and
/// a search backend is configured.
pub(in crate::council) fn parse(
    fields: &mut Fields<'_>,
    by_default: bool,
    search: Option<&SearchContext>,
) -> u8 {
    let asked: Option<bool> = fields.take("use_react", "true or false");
    if asked == Some(true) && search.is_none() {
        fields.refuse("use_react", FieldErrorKind::Unavailable, NOT_CONFIGURED);
    }
    if asked.unwrap_or(by_default) && search.is_some() { MAX_ITERATIONS } else { 0 }
}
