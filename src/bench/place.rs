//! The place of a question in a bench, and the ids that belong to it: the same in every process that works on the
//! bench, so that what was paid for is found again.

use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::id::{BenchId, ConversationId, RunId};
use crate::store::runs::IdempotencyKey;

/// One question asked of one variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub bench: BenchId,
    /// Both count from 0.
    pub question: usize,
    pub variant: usize,
}

impl Place {
    fn hash(&self, what: &str) -> [u8; 32] {
        let Self { bench, question, variant } = self;
        Sha256::digest(format!("{bench}/{question}/{variant}/{what}")).into()
    }

    fn bytes(&self, what: &str) -> [u8; 16] {
        let hash = self.hash(what);
        let (first, _) = hash.split_at(16);
        first.try_into().expect("16 of 32 bytes")
    }

    /// The conversation that a council is asked in.
    #[must_use]
    pub fn conversation(&self) -> ConversationId {
        ConversationId(Builder::from_random_bytes(self.bytes("conversation")).into_uuid())
    }

    /// The key under which a council is asked once and not again.
    #[must_use]
    pub fn key(&self) -> IdempotencyKey {
        let Self { bench, question, variant } = self;
        IdempotencyKey {
            key: format!("bench/{bench}/{question}/{variant}"),
            request_digest: self.hash("request").to_vec(),
        }
    }

    /// The run of a single call for this purpose.
    #[must_use]
    pub fn single(&self, what: &str) -> RunId {
        RunId(Builder::from_custom_bytes(self.bytes(what)).into_uuid())
    }

    /// A word that nobody knew who wrote an answer here.
    #[must_use]
    pub fn marker(&self) -> String {
        Uuid::from_bytes(self.bytes("marker")).simple().to_string()
    }
}
