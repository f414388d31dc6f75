//! The object store as the rest of the program uses it: files are put there and read.

use std::sync::Arc;

use bytes::Bytes;

use super::client::Client;
use super::error::{NotDone, ObjectError, SetupError};
use super::settings::Settings;
use crate::id::ObjectKey;
use crate::store::Tx;
use crate::store::objects::{self, Content, Stored};

/// The object store, or that there is none. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    pub(super) client: Option<Arc<Client>>,
}

impl Objects {
    /// With an object store.
    ///
    /// # Errors
    /// When the settings are no address, or the machine has no certificates.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        Ok(Self { client: Some(Arc::new(Client::new(settings)?)) })
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.client.is_some()
    }

    /// Whether a file of so many bytes is kept there, and not in the database.
    #[must_use]
    pub fn takes(&self, bytes: usize) -> bool {
        self.client.as_ref().is_some_and(|client| client.takes(bytes))
    }

    /// Puts a file there, by its SHA-256. A transaction of its own records the object first: whatever happens from then
    /// on, the object is removed unless a file comes to point to it.
    ///
    /// # Errors
    /// When the database or the object store is unavailable.
    pub async fn put(&self, mut tx: Tx, hash: &str, bytes: &Bytes) -> Result<ObjectKey, NotDone> {
        let client = self.client()?;
        let key = ObjectKey::generate();
        objects::announce(&mut tx, key).await?;
        tx.commit().await?;
        client.put(key, hash, bytes).await?;
        Ok(key)
    }

    /// The bytes of what `find` finds, wherever they are; it holds no transaction open. `find` is called once more
    /// where the object is gone: the file may be gone too, or uploaded anew.
    ///
    /// # Errors
    /// What `find` says, or why its object cannot be read.
    pub async fn read<T, E, F>(&self, find: impl Fn() -> F) -> Result<(T, Vec<u8>), E>
    where
        F: Future<Output = Result<(T, Content), E>>,
        E: From<ObjectError>,
    {
        let (found, content) = find().await?;
        let stored = match content {
            Content::InRow(bytes) => return Ok((found, bytes)),
            Content::InObject(stored) => stored,
        };
        match self.get(&stored).await {
            Err(ObjectError::Missing) => {}
            read => return Ok((found, read?)),
        }
        let (found, content) = find().await?;
        match content {
            Content::InRow(bytes) => Ok((found, bytes)),
            Content::InObject(again) if again.key == stored.key => Err(ObjectError::Missing.into()),
            Content::InObject(again) => Ok((found, self.get(&again).await?)),
        }
    }

    async fn get(&self, stored: &Stored) -> Result<Vec<u8>, ObjectError> {
        self.client()?.get(stored).await
    }

    pub(super) fn client(&self) -> Result<&Client, ObjectError> {
        self.client.as_deref().ok_or(ObjectError::NotConfigured)
    }
}
