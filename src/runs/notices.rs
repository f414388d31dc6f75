//! Listening for notices of the other servers: a log has grown, a run is to stop or has a request, there is work,
//! somebody reads a run, a conversation has got a name.

use std::time::Duration;

use super::state::Runs;
use super::{readers, skip, stop};
use crate::id::ConversationId;
use crate::store::StoreError;
use crate::store::notify::{Listener, Notice};

/// How long the listener waits before it connects again.
const RECONNECT: Duration = Duration::from_secs(1);

impl Runs {
    /// Tells the run of a conversation, if it is executed or started here, that a person has named the conversation. Other servers
    /// learn of it by a notice.
    pub fn named(&self, conversation: ConversationId) {
        self.shared.mark_renamed(Some(conversation));
    }
}

/// Listens until it is dropped.
pub(super) async fn listen(runs: &Runs) {
    let waiters = &runs.shared.waiters;
    let mut warned = false;
    loop {
        let lost = listen_once(runs).await;
        let was_notified = waiters.set_notified(false);
        runs.shared.mark_renamed(None);
        if was_notified || !warned {
            warned = true;
            tracing::warn!(error = %lost, "notices of the other servers cannot be received; polling instead");
        }
        waiters.wake_all();
        tokio::time::sleep(RECONNECT).await;
    }
}

/// Listens until the connection is lost and cannot be made again; returns the reason.
async fn listen_once(runs: &Runs) -> StoreError {
    let (shared, waiters) = (&runs.shared, &runs.shared.waiters);
    let mut listener = match Listener::open(&shared.db).await {
        Ok(Some(listener)) => listener,
        // This database cannot notify: readers poll.
        Ok(None) => std::future::pending().await,
        Err(error) => return error,
    };
    loop {
        if !waiters.set_notified(true) {
            shared.mark_renamed(None);
            waiters.wake_all();
            shared.look_for_work();
        }
        match listener.next().await {
            Ok(Some(Notice::Log(grown))) => grown.into_iter().for_each(|run| waiters.wake(run)),
            Ok(Some(Notice::Stop(run))) => stop::stop_if_live(shared, run),
            Ok(Some(Notice::Skip(run))) => skip::read_soon(shared, run),
            Ok(Some(Notice::Work)) => shared.look_for_work(),
            Ok(Some(Notice::IsRead(run))) => readers::answer(runs, run),
            // Nobody may be waiting to hear it.
            Ok(Some(Notice::Read(run))) => drop(shared.read_elsewhere.send(run)),
            Ok(Some(Notice::Named(conversation))) => runs.named(conversation),
            // The connection was lost and is made again by the next call.
            Ok(None) => {
                waiters.set_notified(false);
                shared.mark_renamed(None);
            }
            Err(error) => return error,
        }
    }
}
