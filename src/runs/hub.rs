//! Reading a run's events: from memory while it is live here and the reader keeps up, from the
//! log otherwise. A reader pulls; nothing is ever queued for it.

use std::sync::Arc;
use std::time::Duration;

use super::frame::{Frame, from_log};
use super::live::{LiveRun, Recent};
use crate::id::RunId;
use crate::store::{Db, Scope, StoreError, runs};

/// How often the log is asked about a run that another process executes.
const POLL: Duration = Duration::from_millis(250);

/// One reader's place in a run's events.
pub struct Subscription {
    db: Db,
    scope: Scope,
    run: RunId,
    live: Option<Arc<LiveRun>>,
    after: u64,
    ended: bool,
}

impl Subscription {
    pub(super) fn new(db: Db, scope: Scope, run: RunId, live: Option<Arc<LiveRun>>, after: u64) -> Self {
        Self { db, scope, run, live, after, ended: false }
    }

    /// The run that is read.
    #[must_use]
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The number of the last event that was handed out.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.after
    }

    /// The next events, in order and exactly once; waits until there are some. `None` after the
    /// run's last event.
    ///
    /// # Errors
    /// When the log cannot be read; asking again goes on at the same place.
    pub async fn next(&mut self) -> Result<Option<Vec<Frame>>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        loop {
            let frames = match self.recent() {
                Some(Recent::Frames(frames)) => frames,
                Some(Recent::Behind) | None => self.logged().await?,
            };
            if !frames.is_empty() {
                self.after = frames.last().map_or(self.after, |frame| frame.seq);
                self.ended = frames.iter().any(|frame| frame.ends);
                return Ok(Some(frames));
            }
            // A reader beyond the last event would wait for ever on a run that has ended here.
            if self.live.take_if(|live| live.progress().borrow().over).is_some() {
                continue;
            }
            if self.live.is_none() && runs::find(&self.db, &self.scope, self.run).await?.status.is_over() {
                // The last event may have been committed between the two questions.
                let frames = self.logged().await?;
                self.ended = true;
                self.after = frames.last().map_or(self.after, |frame| frame.seq);
                return Ok(Some(frames).filter(|frames| !frames.is_empty()));
            }
            self.wait().await;
        }
    }

    fn recent(&mut self) -> Option<Recent> {
        let live = self.live.as_ref()?;
        let lost = live.progress().borrow().lost;
        if lost {
            // Another process has it: from here on the log is the only truth.
            self.live = None;
            return None;
        }
        Some(live.recent(self.after))
    }

    async fn logged(&self) -> Result<Vec<Frame>, StoreError> {
        let rows = runs::events_after(&self.db, &self.scope, self.run, self.after).await?;
        let frames = rows.iter().flat_map(|text| from_log(text)).flatten();
        Ok(frames.filter(|frame| frame.seq > self.after).collect())
    }

    async fn wait(&self) {
        match &self.live {
            None => tokio::time::sleep(POLL).await,
            Some(live) => {
                let mut progress = live.progress();
                let after = self.after;
                let more = progress
                    .wait_for(|progress| progress.shown_to > after || progress.lost || progress.over)
                    .await;
                drop(more);
            }
        }
    }
}
