//! Progress notifications for clients that ask for them while they wait.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::asker::Asker;
use crate::id::RunId;
use crate::runs::{Next, Subscription};

/// The shortest pause between two notifications.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);
/// After how long without news a client is notified that the run goes on.
const AT_LEAST_EVERY: Duration = Duration::from_secs(10);
/// The longest message, in characters.
const MAX_CHARS: usize = 200;

/// A client that waits for the answer to one request.
pub(super) struct Listener {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    left: CancellationToken,
}

impl Listener {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            left: context.ct.clone(),
        }
    }

    /// Waits until the client does not wait any more.
    pub(super) async fn cancelled(&self) {
        self.left.cancelled().await;
    }

    /// Reports how the run goes, as long as it is polled.
    pub(super) async fn follow(&self, asker: &Asker, run: RunId) {
        let Some(token) = &self.token else { return std::future::pending().await };
        let mut reporter = ProgressReporter::new(&self.peer, token);
        reporter.report("the council has the question").await;
        match asker.app.runs.subscribe(&asker.caller.user, run, 0).await {
            Ok(events) => reporter.follow(events.passing()).await,
            // The code that waits for the run itself reports what is wrong.
            Err(error) => {
                tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "progress cannot be read");
            }
        }
        std::future::pending::<()>().await;
    }
}

struct ProgressReporter<'a> {
    peer: &'a Peer<RoleServer>,
    token: &'a ProgressToken,
    began: Instant,
    reported_at: Instant,
}

impl<'a> ProgressReporter<'a> {
    fn new(peer: &'a Peer<RoleServer>, token: &'a ProgressToken) -> Self {
        let now = Instant::now();
        Self { peer, token, began: now, reported_at: now }
    }

    async fn follow(&mut self, mut events: Subscription) {
        let mut latest = "the council deliberates".to_owned();
        let (mut is_new, mut is_open) = (false, true);
        let mut tick = interval(AT_MOST_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                next = events.next(), if is_open => match next {
                    Ok(Some(Next::Frames(frames))) => {
                        if let Some(sentence) = frames.iter().rev().find_map(|frame| sentence(&frame.json)) {
                            latest = sentence;
                            is_new = true;
                        }
                    }
                    Ok(Some(Next::Queued(position))) => {
                        latest = format!("the question is number {position} in the queue");
                        is_new = true;
                    }
                    Ok(None) => is_open = false,
                    Err(error) => {
                        tracing::warn!(run.id = %events.run(), error = &error as &dyn std::error::Error, "progress cannot be read");
                        is_open = false;
                    }
                },
                _ = tick.tick() => {
                    if is_new || self.reported_at.elapsed() >= AT_LEAST_EVERY {
                        self.report(&latest).await;
                        is_new = false;
                    }
                }
            }
        }
    }

    /// Progress is the elapsed time: how much is still to come is not known.
    async fn report(&mut self, sentence: &str) {
        self.reported_at = Instant::now();
        let seconds = self.began.elapsed().as_secs_f64();
        let text: String = format!("{seconds:.0} s: {sentence}").chars().take(MAX_CHARS).collect();
        let progress = ProgressNotificationParam::new(self.token.clone(), seconds).with_message(text);
        if let Err(error) = self.peer.notify_progress(progress).await {
            // The client has left, and the wait ends by itself.
            tracing::debug!(%error, "nobody receives the progress any more");
        }
    }
}

/// What the process monitor says in an event; nothing for other events.
fn sentence(event: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct ProcessNote {
        message: String,
    }
    let is_note = event.starts_with(br#"{"type":"process""#);
    let note: Option<ProcessNote> = is_note.then(|| serde_json::from_slice(event).ok()).flatten();
    note.map(|note| note.message.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn only_what_the_process_monitor_says_is_told() {
        let text = sentence(br#"{"type":"process","message":"One\nhas answered","level":2}"#);
        assert_eq!(text.as_deref(), Some("One has answered"));
        assert_eq!(sentence(br#"{"type":"stage1_token","message":"no"}"#), None);
        assert_eq!(sentence(b"{"), None);
    }
}
