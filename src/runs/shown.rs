//! The pictures that a run shows: loaded once for each execution, and shared by its calls.

use std::sync::Arc;
use std::time::Duration;

use super::live::LiveRun;
use super::store_retry::until_answered;
use crate::council::brief::Brief;
use crate::council::pictures::{self, Pictures};
use crate::llm::Image;
use crate::objects::{ObjectError, Objects};
use crate::store::{Db, Scope, StoreError, attachments};

/// The pauses after which an unavailable object store is asked again, in addition to the shorter retries of its client.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(3)];

/// Why a run cannot be executed with its pictures.
pub(super) enum NotShown {
    /// This picture is no longer there: its conversation, or its owner, is being deleted.
    Gone(String),
    /// This picture cannot be read from the object store.
    Unreadable(String, ObjectError),
    Store(StoreError),
}

/// Why one picture could not be read.
enum Unread {
    Store(StoreError),
    Object(ObjectError),
}

impl From<ObjectError> for Unread {
    fn from(error: ObjectError) -> Self {
        Self::Object(error)
    }
}

/// Loads the pictures attached to the question; `None` if there are none.
pub(super) async fn load(
    db: &Db,
    objects: &Objects,
    live: &LiveRun,
    brief: &Brief,
) -> Result<Option<Pictures>, NotShown> {
    let mut images = Vec::new();
    for file in pictures::of(&brief.attachments) {
        let Some(size) = file.image else { continue };
        let name = || file.filename.clone();
        let bytes = bytes(db, objects, live, &file.id).await.map_err(|error| match error {
            Unread::Store(StoreError::NotFound) | Unread::Object(ObjectError::Missing) => {
                NotShown::Gone(name())
            }
            Unread::Store(error) => NotShown::Store(error),
            Unread::Object(error) => NotShown::Unreadable(name(), error),
        })?;
        images.push(Arc::new(Image::new(&file.id, &file.file_type, (size.width, size.height), &bytes)));
    }
    Ok((!images.is_empty()).then(|| Pictures::new(brief, images)))
}

/// The bytes of a picture. Waits for an unavailable database as long as it takes, for an object store a few seconds.
async fn bytes(db: &Db, objects: &Objects, live: &LiveRun, id: &str) -> Result<Vec<u8>, Unread> {
    let find = || async {
        let read = || async {
            let mut tx = db.begin(&Scope::User(live.user.clone())).await?;
            attachments::content(&mut tx, id).await
        };
        let content = until_answered("the pictures of a question", read).await.map_err(Unread::Store)?;
        Ok(((), content))
    };
    let mut pauses = PAUSES.into_iter();
    loop {
        match objects.read(find).await {
            Ok(((), bytes)) => return Ok(bytes),
            Err(Unread::Object(error)) if error.may_pass() => {
                let Some(pause) = pauses.next() else { return Err(Unread::Object(error)) };
                tracing::warn!(run.id = %live.id, %error, "a run waits for the object store");
                tokio::time::sleep(pause).await;
            }
            Err(error) => return Err(error),
        }
    }
}
