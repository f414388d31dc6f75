//! Waiting for a run, no longer than a client's own time limit.

use std::time::Duration;

use super::asker::Asker;
use super::progress::Listener;
use crate::id::RunId;
use crate::server::asking;
use crate::server::problem::Problem;
use crate::store::runs::{self, RunRow};

/// The longest wait: client libraries give up a call after 60 s.
pub(super) const LONGEST_SECONDS: u8 = 45;

/// The run when it is over, or as it stands when the time is up, nobody waits any more, or this server shuts down.
///
/// # Errors
/// When the run is not the caller's, or the database does not answer.
pub(super) async fn wait(
    asker: &Asker,
    run: RunId,
    at_most: Duration,
    listener: &Listener,
) -> Result<RunRow, Problem> {
    let over = async {
        let events = asker.app.runs.subscribe(&asker.caller.user, run, 0).await?;
        asking::wait_as(&asker.app, &asker.caller, events.passing()).await
    };
    let over = tokio::time::timeout(at_most, over);
    tokio::select! {
        biased;
        over = over => match over {
            Ok(Ok(Some(row))) => return Ok(row),
            Ok(Ok(None)) | Err(_) => {}
            Ok(Err(problem)) => return Err(problem.naming("Run")),
        },
        () = listener.cancelled() => {}
        () = listener.follow(asker, run) => {}
    }
    find(asker, run).await
}

/// A run of the caller's as it stands.
///
/// # Errors
/// When it is not theirs.
pub(super) async fn find(asker: &Asker, run: RunId) -> Result<RunRow, Problem> {
    let found = runs::find(&asker.app.db, &asker.caller.scope(), run).await;
    found.map_err(|error| Problem::from(error).naming("Run"))
}
