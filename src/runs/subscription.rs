//! Reading a run's events: from memory while the run is live here and the reader keeps up, from the
//! log otherwise. A reader pulls; nothing is ever queued for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::frame::{Frame, from_log};
use super::live::{LiveRun, Recent};
use super::readers::Reader;
use super::state::Runs;
use super::waiters::LogWaiter;
use crate::id::{RunId, UserId};
use crate::store::{RunStatus, Scope, StoreError, runs};

/// How long tokens gather after a reader has got some, so that those of several members go out together: less than
/// a screen takes to refresh. Other events go out at once.
const TOKEN_PACE: Duration = Duration::from_millis(16);

/// What a reader of a run gets next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Events, in order and exactly once.
    Frames(Vec<Frame>),
    /// The run waits for a slot, at this position in the queue, 1 for the next.
    Queued(u32),
}

/// One reader's place in a run's events.
pub struct Subscription {
    runs: Runs,
    user: UserId,
    run: RunId,
    /// The run, if it is or was executed here while this reader was there.
    live: Option<Arc<LiveRun>>,
    after: u64,
    /// Tokens are held back until then.
    tokens_from: Option<Instant>,
    /// Whether the run was over when the reading began. Its last event is in the log then.
    was_over: bool,
    ended: bool,
    waiter: LogWaiter,
    positions: watch::Receiver<Arc<HashMap<RunId, u32>>>,
    /// The position in the queue that was handed out last.
    position: Option<u32>,
    /// Its count among the run's readers; `None` where it only looks into the log.
    reader: Option<Reader>,
}

impl Runs {
    /// Reads a run's events that follow the event number `after`.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not this user's.
    pub async fn subscribe(&self, user: &UserId, run: RunId, after: u64) -> Result<Subscription, StoreError> {
        let mut subscription = self.look_into(user, run, after).await?;
        subscription.reader = Some(Reader::begin(self, user, run));
        Ok(subscription)
    }

    /// Like [`Self::subscribe`], for a request that only waits for one event. It does not count as a reader, so the run
    /// is not cancelled when it leaves.
    ///
    /// # Errors
    /// As [`Self::subscribe`].
    pub(super) async fn look_into(
        &self,
        user: &UserId,
        run: RunId,
        after: u64,
    ) -> Result<Subscription, StoreError> {
        let was_over = match self.shared.live_run(run) {
            Some(live) if live.user == *user => false,
            Some(_) => return Err(StoreError::NotFound),
            None => runs::find(&self.shared.db, &Scope::User(user.clone()), run).await?.status.is_over(),
        };
        Ok(Subscription::new(self.clone(), user.clone(), run, after, was_over))
    }
}

impl Subscription {
    fn new(runs: Runs, user: UserId, run: RunId, after: u64, was_over: bool) -> Self {
        let (waiter, positions) = (runs.shared.waiters.waiter(run), runs.shared.queue.positions());
        Self {
            runs,
            user,
            run,
            live: None,
            after,
            tokens_from: None,
            was_over,
            ended: false,
            waiter,
            positions,
            position: None,
            reader: None,
        }
    }

    /// Marks the reader as one without whom the run is pointless: if it leaves before the run's end, and there is no
    /// other reader on any server, the run is cancelled after `grace`.
    #[must_use]
    pub fn waited_for(mut self, grace: Duration) -> Self {
        if let Some(reader) = &mut self.reader {
            reader.is_waited_for(grace);
        }
        self
    }

    /// Marks the reader as one that comes and goes: the run is not cancelled because it has gone.
    #[must_use]
    pub fn passing(mut self) -> Self {
        if let Some(reader) = &mut self.reader {
            reader.may_go();
        }
        self
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

    /// Whether the run is over and this reader has had its last event, so that nothing more comes.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn is_over(&mut self) -> Result<bool, StoreError> {
        if self.was_over && !self.ended && self.logged().await?.is_empty() {
            self.finished();
        }
        Ok(self.ended)
    }

    /// What comes next; waits until there is something. `None` after the run's last event.
    ///
    /// # Errors
    /// When the log cannot be read; another call goes on at the same place.
    pub async fn next(&mut self) -> Result<Option<Next>, StoreError> {
        if self.ended {
            return Ok(None);
        }
        loop {
            // Any change from here on wakes the wait below.
            self.waiter.mark_read();
            self.positions.mark_unchanged();
            let live = self.live();
            if let Some(live) = &live {
                self.let_tokens_gather(live).await;
            }
            let frames = match live.as_ref().map(|live| live.recent(self.after)) {
                Some(Recent::Frames(frames)) => {
                    let has_tokens = frames.iter().any(Frame::is_token);
                    self.tokens_from = has_tokens.then(|| Instant::now() + TOKEN_PACE);
                    frames
                }
                Some(Recent::Behind) | None => self.logged().await?,
            };
            if !frames.is_empty() {
                return Ok(Some(self.hand_out(frames)));
            }
            if let Some(live) = live {
                if live.progress().borrow().over {
                    // The run has left the table already.
                    self.live = None;
                } else {
                    self.watch(&live).await;
                }
                continue;
            }
            match self.status().await? {
                RunStatus::Queued => {
                    let position = self.positions.borrow().get(&self.run).copied();
                    if position.is_some() && position != self.position {
                        self.position = position;
                        return Ok(position.map(Next::Queued));
                    }
                }
                RunStatus::Running => {}
                RunStatus::Complete | RunStatus::Failed | RunStatus::Cancelled => {
                    // Events may have been committed between the two checks, and more than are read at once.
                    let frames = self.logged().await?;
                    if !frames.is_empty() {
                        return Ok(Some(self.hand_out(frames)));
                    }
                    self.finished();
                    return Ok(None);
                }
            }
            tokio::select! {
                () = self.waiter.wait() => {}
                // The sender lives as long as the runs do.
                _ = self.positions.changed() => {}
            }
        }
    }

    fn hand_out(&mut self, frames: Vec<Frame>) -> Next {
        self.after = frames.last().map_or(self.after, |frame| frame.seq);
        if frames.iter().any(|frame| frame.ends) {
            self.finished();
        }
        Next::Frames(frames)
    }

    fn finished(&mut self) {
        self.ended = true;
        if let Some(reader) = &mut self.reader {
            reader.finished();
        }
    }

    /// The run's events in memory, if this process has them.
    fn live(&mut self) -> Option<Arc<LiveRun>> {
        if self.live.is_none() {
            self.live = self.runs.shared.live_run(self.run);
        }
        // Once another process owns the run, only the log is right.
        self.live = self.live.take().filter(|live| !live.progress().borrow().lost);
        self.live.clone()
    }

    async fn status(&self) -> Result<RunStatus, StoreError> {
        runs::status(&self.runs.shared.db, &Scope::User(self.user.clone()), self.run).await
    }

    async fn logged(&self) -> Result<Vec<Frame>, StoreError> {
        let scope = Scope::User(self.user.clone());
        let rows = runs::events_after(&self.runs.shared.db, &scope, self.run, self.after).await?;
        let frames = rows.iter().flat_map(|text| from_log(text)).flatten();
        Ok(frames.filter(|frame| frame.seq > self.after).collect())
    }

    /// Waits until there is something to hand out, or the run is not here any more.
    async fn watch(&self, live: &LiveRun) {
        let mut shown_to = live.shown_to();
        tokio::select! {
            // The sender lives as long as the run does.
            _ = shown_to.wait_for(|shown_to| *shown_to > self.after) => {}
            () = self.gone(live) => {}
        }
    }

    async fn let_tokens_gather(&self, live: &LiveRun) {
        let Some(tokens_from) = self.tokens_from.filter(|from| *from > Instant::now()) else { return };
        let mut progress = live.progress();
        tokio::select! {
            () = sleep_until(tokens_from) => {}
            _ = progress.wait_for(|progress| progress.structural_to > self.after) => {}
            () = self.gone(live) => {}
        }
    }

    async fn gone(&self, live: &LiveRun) {
        let mut progress = live.progress();
        drop(progress.wait_for(|progress| progress.lost || progress.over).await.map(|_| ()));
    }
}
