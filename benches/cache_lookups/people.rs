//! The users, their questions and the vectors of these: the same here and in fill.sql.

use llm_council::cache::hash_embedding;
use llm_council::council::earlier::{Embedded, Scope};
use llm_council::id::UserId;
use llm_council::store::cache::Method;
use sha2::{Digest as _, Sha256};

use super::random::Random;

/// Entries of each user: as many as the configuration allows at the most.
pub const ENTRIES: u32 = 1_000;
/// Vectors of each kind; more than one user has, so that all of a user's differ.
pub const POOL: usize = 2_000;
/// From which cosine on two questions are the same by default.
pub const THRESHOLD: f64 = 0.92;
pub const MODEL: &str = "openai/text-embedding-3-small";
const MODEL_DIMENSION: usize = 1_536;

/// The vectors that entries have, and the scope that all are in.
pub struct People {
    pub of_model: Vec<Vec<f32>>,
    pub of_hash: Vec<Vec<f32>>,
    pub scope: Scope,
}

/// Somebody whose looks are measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    pub user: UserId,
    /// The number in fill.sql; 0 is the one whose vectors are a model's.
    number: usize,
}

impl Person {
    pub fn method(&self) -> Method<'static> {
        if self.number == 0 { Method::Model(MODEL) } else { Method::Hash }
    }

    pub fn dimension(&self) -> usize {
        if self.number == 0 { MODEL_DIMENSION } else { hash_embedding::DIMENSION }
    }

    /// What they asked; entries count from 1.
    pub fn question(&self, entry: u32) -> String {
        format!("what is known of thing {entry} of {}", self.user.as_str())
    }

    /// A vector of theirs, to look with.
    pub fn embedded(&self, vector: Vec<f32>) -> Embedded {
        match self.method() {
            Method::Model(model) => Embedded::Model { model: model.to_owned(), vector },
            Method::Hash => Embedded::Hash(vector),
        }
    }
}

impl People {
    pub fn new() -> Self {
        let mut random = Random::new(1);
        let mut pool = |dimension| (0..POOL).map(|_| random.vector(dimension)).collect();
        Self {
            of_model: pool(MODEL_DIMENSION),
            of_hash: pool(hash_embedding::DIMENSION),
            scope: Scope(Sha256::digest("council").into()),
        }
    }

    /// The big one, and one of the others.
    pub fn measured(&self) -> [Person; 2] {
        [
            Person { user: UserId::from_canonical("big"), number: 0 },
            Person { user: UserId::from_canonical("user1"), number: 1 },
        ]
    }

    /// The vector of an entry.
    pub fn vector(&self, person: &Person, entry: u32) -> &[f32] {
        let pool = if person.number == 0 { &self.of_model } else { &self.of_hash };
        &pool[(entry as usize * 7_919 + person.number * 104_729) % POOL]
    }
}
