//! Waiting for an unavailable database.

use std::time::Duration;

use crate::store::StoreError;

const PAUSE: Duration = Duration::from_millis(500);

/// Repeats a query until the database answers: the run cannot go on without it. `what` says in the log what
/// the run waits for.
pub(super) async fn until_answered<T, F>(what: &str, mut query: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        match query().await {
            Err(error @ StoreError::Unavailable(_)) => {
                tracing::warn!(%error, what, "a run waits for the database");
                tokio::time::sleep(PAUSE).await;
            }
            result => return result,
        }
    }
}
