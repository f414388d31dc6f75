//! What a run searches with, frozen with its plan: another backend on another day would find something else.

use serde::{Deserialize, Serialize};

use crate::council::field::{FieldErrorKind, Fields};
use crate::llm::{SearchBackend, Timeouts};

/// The longest a search may take, tries and pauses included, in milliseconds.
const PATIENCE_MS: u64 = 30_000;

/// Why a request that needs a search is refused where there is none.
pub const NOT_CONFIGURED: &str = "needs a search backend, and this server has none: switch it off, or let an \
    administrator set search.tavily.api_key, search.searxng.base_url or search.model (docs/research.md)";

/// What requests that search are read against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchContext {
    pub backend: SearchBackend,
    /// The day of the request (UTC, ISO 8601).
    pub today: String,
}

impl SearchContext {
    /// The context of a placeholder backend, to validate requests.
    #[must_use]
    pub fn any() -> Self {
        let backend = SearchBackend { model: String::new(), name: "any", simulated: true };
        Self { backend, today: String::new() }
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPlan {
    /// The model that is asked: a search backend's, or one that cites.
    pub model: String,
    /// The backend's name, for people.
    pub backend: String,
    /// Whether what is found is made up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The day of the request (UTC, ISO 8601): models do not know it.
    pub today: String,
    /// Whether something is looked up before the first round.
    #[serde(default)]
    pub background: bool,
}

impl SearchPlan {
    /// Of what is configured.
    #[must_use]
    pub fn of(context: &SearchContext, background: bool) -> Self {
        Self {
            model: context.backend.model.clone(),
            backend: context.backend.name.to_owned(),
            simulated: context.backend.simulated,
            today: context.today.clone(),
            background,
        }
    }

    /// The limits of one search: a run does not wait long for a search.
    #[must_use]
    pub fn timeouts(&self, set: Timeouts) -> Timeouts {
        Timeouts {
            first_token_ms: set.first_token_ms.min(PATIENCE_MS),
            idle_ms: set.idle_ms.min(PATIENCE_MS),
            total_ms: set.total_ms.min(PATIENCE_MS),
        }
    }
}

/// Reads an option that needs a search; refuses it where there is none to be had.
pub fn flag(fields: &mut Fields<'_>, field: &str, search: Option<&SearchContext>) -> bool {
    let on = fields.take(field, "true or false").unwrap_or(false);
    if on && search.is_none() {
        fields.refuse(field, FieldErrorKind::Unavailable, NOT_CONFIGURED);
    }
    on && search.is_some()
}
