//! Earlier answers to the same question: what a run asks of the store that keeps them.

use serde::{Deserialize, Serialize};

use crate::cache::guard::Difference;
use crate::id::RunId;

/// The hash of everything but the question that an answer depends on: only within one scope can an answer be given
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope(pub [u8; 32]);

impl Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut hash = [0; 32];
        hex::decode_to_slice(&text, &mut hash).map_err(serde::de::Error::custom)?;
        Ok(Self(hash))
    }
}

/// A question as a vector, and its origin: only vectors of one origin can be compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Embedded {
    /// Made by this embedding model.
    Model { model: String, vector: Vec<f32> },
    /// Made by hashing the text: it finds exact and nearly exact matches only.
    Hash(Vec<f32>),
}

impl Embedded {
    /// The components.
    #[must_use]
    pub fn vector(&self) -> &[f32] {
        match self {
            Self::Model { vector, .. } | Self::Hash(vector) => vector,
        }
    }

    /// The model that made it; `None` for a hash.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Model { model, .. } => Some(model),
            Self::Hash(_) => None,
        }
    }
}

/// The earlier answer to look for.
#[derive(Debug, Clone, Copy)]
pub struct EarlierQuery<'w> {
    pub scope: Scope,
    pub question: &'w str,
    /// The question's vector, and the cosine from which on questions count as the same; `None` to find the same text
    /// only.
    pub near: Option<(&'w Embedded, f64)>,
}

/// An answer that could be given again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierAnswer {
    /// The entry's id.
    pub id: String,
    /// The run whose answer it is.
    pub run: RunId,
    /// Whether it belongs to the user who asks now.
    pub own: bool,
    /// The earlier question; absent if another user asked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The final answer's text.
    pub answer: String,
    /// The cosine of the two questions; 1 for the same text.
    pub similarity: f64,
    /// Whether the two questions are the same text.
    pub exact: bool,
    /// When the earlier question was asked (RFC 3339).
    pub created_at: String,
    /// How often it has been given again so far.
    pub hit_count: u32,
    /// What its run cost, in USD, where that is known. This and `took_ms`, how long the run took, is what is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    pub took_ms: u64,
}

/// The outcome of looking for an earlier answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum EarlierLookup {
    Answer(Box<EarlierAnswer>),
    Nothing {
        /// The cosine of the nearest question of this scope, if there is one to compare with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        best: Option<f64>,
        /// Why the nearest question above the threshold asks something else all the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        difference: Option<Difference>,
    },
    /// The store could not be asked.
    Unavailable,
}

/// An answer to be kept.
#[derive(Debug, Clone, Copy)]
pub struct AnswerToKeep<'k> {
    pub scope: Scope,
    pub question: &'k str,
    pub embedded: &'k Embedded,
    /// What the run cost in USD, where it is known.
    pub cost_usd: Option<f64>,
    /// Whether other users may be given it, where answers are shared: not where it reveals the question.
    pub may_be_shared: bool,
}

/// The outcome of keeping an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kept", rename_all = "snake_case")]
pub enum KeepOutcome {
    /// Kept under this id; the user has `size` entries now.
    As { id: String, size: u64 },
    /// Not kept, since a part of it is missing: another time it may be complete.
    Incomplete,
    /// The store could not be asked.
    Unavailable,
}
