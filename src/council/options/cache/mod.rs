//! The semantic cache: an answer that was given to the same question in the same circumstances is given again, if the
//! person wants it. It stands outside the formats: a run looks before it does anything else, and keeps its answer at its end.

pub mod estimate;
pub mod event;
mod look;
pub mod metrics;
mod notes;
pub mod scope;
pub mod settings;
mod simulated;
pub mod view;

use serde::{Deserialize, Serialize};

use crate::council::earlier::Scope;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::stage::Stage;
use crate::llm::Purpose;

pub use look::{ASK_ANYWAY, Lookup, Repeat, TAKE, do_not_keep, keep, look_up};
pub use notes::CacheNote;

/// Looking for an earlier answer; what it costs is the vector.
pub const STAGE: Stage = Stage::named("cache");
/// A question as a vector.
pub static EMBEDDING: Purpose =
    Purpose { name: "embedding", usual_tokens: 0, simulated: simulated::embedding };

/// From which cosine on two questions count as the same, unless a request says otherwise.
pub const DEFAULT_THRESHOLD: f64 = 0.92;
const LEAST_THRESHOLD: f64 = 0.5;

/// What becomes of an earlier answer that is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// It is given.
    #[default]
    Serve,
    /// The person is asked first.
    Offer,
    /// It is given where the very same question was asked, in the same words; nothing is compared.
    Exact,
}

impl CacheMode {
    const NAMES: [(&'static str, Self); 3] =
        [("serve", Self::Serve), ("offer", Self::Offer), ("exact", Self::Exact)];
}

/// What a plan says of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CachePlan {
    pub mode: CacheMode,
    pub threshold: f64,
    /// What the answer depends on besides the question; see [`scope`].
    pub scope: Scope,
    /// Whether an earlier answer is looked for. A retry wants another answer; that one is kept.
    pub looks: bool,
}

impl CachePlan {
    /// Reads a request's fields; absent where the cache is not to be used. The scope is not known yet.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        let on = fields.take("use_cache", "true or false").unwrap_or(false);
        let threshold: f64 =
            fields.take("cache_similarity_threshold", "a number").unwrap_or(DEFAULT_THRESHOLD);
        if !(LEAST_THRESHOLD..=1.0).contains(&threshold) {
            let message = format!("must be from {LEAST_THRESHOLD} to 1; it is {threshold}");
            fields.refuse("cache_similarity_threshold", FieldErrorKind::Value, message);
        }
        let given: Option<String> = fields.take("cache_mode", "a string");
        let mode = given.as_deref().map(|given| {
            let known = CacheMode::NAMES.iter().find(|(name, _)| *name == given).map(|(_, mode)| *mode);
            if known.is_none() {
                let message = format!("must be serve, offer or exact; it is {given:?}");
                fields.refuse("cache_mode", FieldErrorKind::Value, message);
            }
            known.unwrap_or_default()
        });
        on.then(|| Self { mode: mode.unwrap_or_default(), threshold, scope: Scope([0; 32]), looks: true })
    }

    /// For a run that is asked again.
    #[must_use]
    pub fn again(self) -> Self {
        Self { looks: false, ..self }
    }

    /// Where nobody could take an offer, what is found is given.
    #[must_use]
    pub fn without_offers(self) -> Self {
        let mode = if self.mode == CacheMode::Offer { CacheMode::Serve } else { self.mode };
        Self { mode, ..self }
    }
}
