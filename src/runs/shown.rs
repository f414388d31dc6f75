//! The pictures that a run shows: loaded once for each execution, and shared by its calls.

use std::sync::Arc;

use super::live::LiveRun;
use super::store_retry::until_answered;
use crate::council::brief::Brief;
use crate::council::pictures::{self, Pictures};
use crate::llm::Image;
use crate::store::{Db, Scope, StoreError, attachments};

/// Why a run cannot be held as it was asked.
pub(super) enum NotShown {
    /// This picture is no longer there: its conversation, or its owner, is being deleted.
    Gone(String),
    Store(StoreError),
}

/// Loads those that the question comes with; nothing where it comes with none.
pub(super) async fn load(db: &Db, live: &LiveRun, brief: &Brief) -> Result<Option<Pictures>, NotShown> {
    let mut images = Vec::new();
    for file in pictures::of(&brief.attachments) {
        let Some(size) = file.image else { continue };
        let read = || async {
            let mut tx = db.begin(&Scope::User(live.user.clone())).await?;
            attachments::content(&mut tx, &file.id).await
        };
        let bytes = match until_answered("the pictures of a question", read).await {
            Ok(bytes) => bytes,
            Err(StoreError::NotFound) => return Err(NotShown::Gone(file.filename.clone())),
            Err(error) => return Err(NotShown::Store(error)),
        };
        images.push(Arc::new(Image::new(&file.id, &file.file_type, (size.width, size.height), &bytes)));
    }
    Ok((!images.is_empty()).then(|| Pictures::new(brief, images)))
}
