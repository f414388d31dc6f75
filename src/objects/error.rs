//! Why an object is not put, read or removed.

use crate::store::StoreError;

/// What went wrong with an object. No text has anything of its content, nor a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    #[error("no object store is configured (attachments.s3), and the file is in one")]
    NotConfigured,
    /// It may be there again in a moment.
    #[error("the object store cannot be used: {0}")]
    Away(String),
    /// Trying again changes nothing.
    #[error("the object store refuses: {0}")]
    Refused(String),
    #[error("the object is not in the object store")]
    Missing,
    #[error("the object was changed in the object store: it is not the file that was put there")]
    Changed,
}

impl ObjectError {
    /// Whether a retry may succeed a little later.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Away(_))
    }
}

/// Why something that takes the database and the object store was not done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    #[error("the database could not be used")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Why an object store cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("endpoint and bucket do not make a valid address")]
    Address,
    #[error("the client for it could not be set up")]
    Client(#[from] reqwest::Error),
}
