//! The events of the semantic cache, and what is stored of it.

use serde::{Deserialize, Serialize};

use super::{CacheMode, CachePlan, DEFAULT_THRESHOLD};
use crate::cache::guard::Difference;
use crate::council::earlier::EarlierAnswer;
use crate::id::RunId;

/// How a question became a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingMethod {
    /// By an embedding model.
    Api,
    /// From the text itself: exact and nearly exact matches only.
    Hash,
}

/// An earlier answer, as it is offered and given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CachedAnswer)]
pub struct Cached {
    /// The cosine of the two questions; 1 for the same text.
    pub similarity: f64,
    /// Whether it is the same text.
    pub exact: bool,
    /// What was asked; absent where another person asked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_query: Option<String>,
    pub cache_id: String,
    /// The run that gave the answer; absent where it is another person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub cached_run_id: Option<RunId>,
    /// When it was asked (RFC 3339).
    pub created_at: String,
    /// How often it has been given again, this time included.
    pub hit_count: u32,
    /// What the run of that answer cost, in USD; null where that is not known.
    pub cost_saved: Option<f64>,
    /// How long that run took.
    pub time_saved_ms: u64,
    /// Whether the asking person asked it.
    pub own: bool,
}

impl Cached {
    pub(super) fn of(answer: &EarlierAnswer) -> Self {
        Self {
            similarity: answer.similarity,
            exact: answer.exact,
            cached_query: answer.question.clone(),
            cache_id: answer.id.clone(),
            cached_run_id: Some(answer.run).filter(|_| answer.own),
            created_at: answer.created_at.clone(),
            hit_count: answer.hit_count,
            cost_saved: answer.cost_usd,
            time_saved_ms: answer.took_ms,
            own: answer.own,
        }
    }
}

/// Why no earlier answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CacheMissReason)]
pub enum MissReason {
    /// Nothing was asked in the same circumstances.
    Empty,
    /// What was asked is not like this question.
    BelowThreshold,
    /// The nearest question is alike, and asks something else (`difference`).
    Differs,
    /// The person wants a new answer.
    Refused,
    /// The person did not say in time.
    Expired,
    /// Only the very same text was looked for: no model could be asked for a vector.
    EmbeddingFailed,
    /// Only the very same text was looked for: the question is too long for a vector.
    TooLong,
    /// What is kept could not be asked; the run goes on without it.
    Unavailable,
}

/// Why an answer is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotStored {
    /// A member failed, or another model stood in: asked again, the answer may be whole.
    Incomplete,
    /// Something was added to the question while it was answered.
    Corrected,
    /// It could not be stored.
    Unavailable,
}

/// The events of the semantic cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CacheEvent {
    /// An earlier answer is looked for.
    CacheCheckStart {
        #[serde(default)]
        mode: CacheMode,
        #[serde(default = "default_threshold")]
        threshold: f64,
    },
    /// One was found, and the person is asked whether to take it: until `expires_at` (RFC 3339) the run waits for
    /// `POST /api/runs/{id}/cache`. `cache_hit` or `cache_miss` follows.
    CacheOffer {
        #[serde(flatten)]
        cached: Cached,
        expires_at: String,
    },
    /// One is given: the events that tell its results follow, as they were.
    CacheHit {
        #[serde(flatten)]
        cached: Cached,
        /// The final answer's text.
        cached_response: String,
    },
    /// No earlier answer is given: the run goes on.
    CacheMiss {
        reason: MissReason,
        /// The similarity of the nearest question, where there was one to compare with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        best_similarity: Option<f64>,
        /// In what it differs, where it is alike.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        difference: Option<Difference>,
    },
    /// The answer is kept, to be given again.
    CacheStored {
        cache_id: String,
        embedding_method: EmbeddingMethod,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        embedding_model: Option<String>,
        /// How many answers the person has there now.
        cache_size: u64,
    },
    /// The answer is not kept.
    CacheNotStored { reason: NotStored },
}

fn default_threshold() -> f64 {
    DEFAULT_THRESHOLD
}

/// How looking for an earlier answer stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CacheOutcome)]
pub enum Outcome {
    #[default]
    Looking,
    /// The person is being asked.
    Offered,
    /// The message's answer is the earlier one.
    Hit,
    Miss,
}

/// What is kept of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CacheStoredAs)]
pub struct StoredAs {
    pub cache_id: String,
    pub embedding_method: EmbeddingMethod,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
    pub cache_size: u64,
}

/// What a message says of the semantic cache.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CacheInfo {
    #[serde(default)]
    pub mode: CacheMode,
    #[serde(default = "default_threshold")]
    pub threshold: f64,
    #[serde(default)]
    pub outcome: Outcome,
    /// The earlier answer that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Cached>,
    /// Until when the person is asked (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Why none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<MissReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_similarity: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The entry that this answer is kept as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<StoredAs>,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_stored: Option<NotStored>,
}

impl CacheInfo {
    /// Whether the message's answer is an earlier one.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.outcome == Outcome::Hit
    }

    /// Takes in an event.
    pub fn apply(&mut self, event: &CacheEvent) {
        match event {
            CacheEvent::CacheCheckStart { mode, threshold } => {
                (self.mode, self.threshold) = (*mode, *threshold);
            }
            CacheEvent::CacheOffer { cached, expires_at } => {
                self.outcome = Outcome::Offered;
                self.cached = Some(cached.clone());
                self.expires_at = Some(expires_at.clone());
            }
            CacheEvent::CacheHit { cached, .. } => {
                self.outcome = Outcome::Hit;
                self.cached = Some(cached.clone());
            }
            CacheEvent::CacheMiss { reason, best_similarity, difference } => {
                self.outcome = Outcome::Miss;
                self.reason = Some(*reason);
                self.best_similarity = *best_similarity;
                self.difference = *difference;
            }
            CacheEvent::CacheStored { cache_id, embedding_method, embedding_model, cache_size } => {
                self.stored = Some(StoredAs {
                    cache_id: cache_id.clone(),
                    embedding_method: *embedding_method,
                    embedding_model: embedding_model.clone(),
                    cache_size: *cache_size,
                });
            }
            CacheEvent::CacheNotStored { reason } => self.not_stored = Some(*reason),
        }
    }
}

impl CacheEvent {
    pub(super) fn start(plan: &CachePlan) -> Self {
        Self::CacheCheckStart { mode: plan.mode, threshold: plan.threshold }
    }

    pub(super) fn miss(reason: MissReason) -> Self {
        Self::CacheMiss { reason, best_similarity: None, difference: None }
    }
}
