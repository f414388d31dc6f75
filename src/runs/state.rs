//! The runs of this process: the state that the parts of this room share. It knows none of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::live::LiveRun;
use super::log::Log;
use super::metrics;
use super::queue::Queue;
use super::settings::{BudgetRules, RunSettings};
use super::starting::StartingRuns;
use super::waiters::LogWaiters;
use crate::id::{ConversationId, RunId};
use crate::llm::Models;
use crate::objects::Objects;
use crate::shutdown::Tasks;
use crate::store::Db;

/// How many answers about readers on other servers are kept for those who wait for one. Each is read at once.
const READ_ELSEWHERE: usize = 64;

/// Every run of this process. Cheap to clone.
#[derive(Clone)]
pub struct Runs {
    pub(super) shared: Arc<Shared>,
}

/// The state behind [`Runs`].
pub(super) struct Shared {
    pub(super) db: Db,
    pub(super) models: Arc<dyn Models>,
    /// The object store.
    pub(super) objects: Objects,
    pub(super) settings: RunSettings,
    pub(super) tasks: Tasks,
    /// The id of this process, as in the column `runs.owner`.
    pub(super) owner: String,
    pub(super) log: Arc<Log>,
    pub(super) waiters: Arc<LogWaiters>,
    pub(super) queue: Queue,
    live: Mutex<HashMap<RunId, Arc<LiveRun>>>,
    pub(super) starting: StartingRuns,
    /// Notified when a run has left the table of live runs.
    run_left: Notify,
    /// How many readers each run has here.
    readers: Mutex<HashMap<RunId, usize>>,
    /// Runs that somebody reads on another server, as that server has just said.
    pub(super) read_elsewhere: broadcast::Sender<RunId>,
    /// Notified when there may be a run that nobody executes.
    pub(super) work: Notify,
    /// The row of a live run has a new request: the next heartbeat is due at once.
    pub(super) skip_requested: Notify,
    /// Locked while runs that nobody executes are looked for and claimed.
    pub(super) claiming: tokio::sync::Mutex<()>,
    /// Until then an expired lease may only mean that the database was unavailable, so nothing is taken over.
    takeovers_suspended_until: Mutex<Option<Instant>>,
    /// Cancelled when no new runs are accepted any more.
    pub(super) closed: CancellationToken,
    /// Cancelled when runs under way are dropped, for another process to take over.
    pub(super) handed_over: CancellationToken,
}

impl Runs {
    /// The runs of one process over this database, these models and this object store.
    #[must_use]
    pub fn new(
        db: Db,
        models: Arc<dyn Models>,
        objects: Objects,
        tasks: Tasks,
        settings: RunSettings,
    ) -> Self {
        metrics::begin();
        let shared = Shared {
            db,
            models,
            objects,
            settings,
            tasks,
            owner: uuid::Uuid::new_v4().to_string(),
            log: Arc::default(),
            waiters: Arc::default(),
            queue: Queue::new(settings.max_live),
            live: Mutex::default(),
            starting: StartingRuns::default(),
            run_left: Notify::new(),
            readers: Mutex::default(),
            read_elsewhere: broadcast::Sender::new(READ_ELSEWHERE),
            work: Notify::new(),
            skip_requested: Notify::new(),
            claiming: tokio::sync::Mutex::default(),
            takeovers_suspended_until: Mutex::default(),
            closed: CancellationToken::new(),
            handed_over: CancellationToken::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The rules of budgets in this process.
    #[must_use]
    pub fn budget_rules(&self) -> BudgetRules {
        self.shared.settings.budgets
    }

    /// Refuses new runs from now on.
    pub fn close(&self) {
        self.shared.closed.cancel();
    }

    /// Whether new runs are refused.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// How many runs are under way here.
    #[must_use]
    pub fn live_count(&self) -> usize {
        self.shared.live().len()
    }

    /// Waits until no run is under way here.
    pub async fn idle(&self) {
        loop {
            let left = self.shared.run_left.notified();
            if self.live_count() == 0 {
                return;
            }
            left.await;
        }
    }

    /// Waits until this process, while shutting down, gives up this run or its readers: from the beginning of the
    /// shutdown if the run is executed elsewhere or queued, otherwise when the live runs are handed over.
    pub async fn released(&self, run: RunId) {
        self.shared.closed.cancelled().await;
        if self.shared.live().contains_key(&run) {
            self.shared.handed_over.cancelled().await;
        }
    }
}

impl Shared {
    /// The runs that are executed here.
    pub(super) fn live(&self) -> MutexGuard<'_, HashMap<RunId, Arc<LiveRun>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runs that are executed here, or are about to be.
    pub(super) fn here(&self) -> Vec<RunId> {
        // In this order: a run is among the live ones before it is no longer a starting one.
        let mut here = self.starting.ids();
        here.extend(self.live().keys().copied());
        here
    }

    /// Notes that a person has named the conversation, or for `None` that the notice of any name may have been missed.
    pub(super) fn mark_renamed(&self, conversation: Option<ConversationId>) {
        // In this order: a run is among the live ones before it is no longer a starting one.
        self.starting.mark_renamed(conversation);
        let live = self.live();
        let of_it = |live: &&Arc<LiveRun>| conversation.is_none_or(|named| named == live.conversation);
        live.values().filter(of_it).for_each(|live| live.mark_renamed());
    }

    /// The run, if it is executed here.
    pub(super) fn live_run(&self, run: RunId) -> Option<Arc<LiveRun>> {
        self.live().get(&run).cloned()
    }

    pub(super) fn readers(&self) -> MutexGuard<'_, HashMap<RunId, usize>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes an execution from the table of live runs. A later one of the same run stays.
    pub(super) fn remove_live(&self, run: &Arc<LiveRun>) {
        let mut live = self.live();
        if live.get(&run.id).is_some_and(|here| Arc::ptr_eq(here, run)) {
            live.remove(&run.id);
        }
        drop(live);
        self.run_left.notify_waiters();
    }

    /// Looks at once for runs that nobody executes.
    pub(super) fn look_for_work(&self) {
        self.work.notify_one();
    }

    /// Takes no runs over for a while: the database was unavailable, so an expired lease need not mean that its owner
    /// is gone.
    pub(super) fn suspend_takeovers(&self) {
        let until = Instant::now() + self.settings.lease / 2;
        *self.takeovers_suspended_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Whether an expired lease means that its owner is gone, so that its run may be taken over.
    pub(super) fn may_take_over(&self) -> bool {
        let until = *self.takeovers_suspended_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_none_or(|until| until <= Instant::now())
    }
}
