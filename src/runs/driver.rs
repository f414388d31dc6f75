//! Owns the runs of this process: starts them, executes them, stops them, hands them over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::door;
use super::execution::{Ending, OPENING_KEY, drive, finish, opening};
use super::frame::{self, Frame};
use super::hub::Subscription;
use super::journal::{Journal, Memory};
use super::live::LiveRun;
use super::log::Log;
use super::purse::Purse;
use super::queue::{Place, Queue};
use super::settings::{BudgetRules, RunSettings};
use super::wake::Wake;
use super::{StartError, compaction, recovery};
use crate::council::fork::Kept;
use crate::council::{Event, Plan};
use crate::id::{ConversationId, MessageId, RunId, UserId};
use crate::llm::Models;
use crate::shutdown::Tasks;
use crate::store::journal;
use crate::store::leases::{self, Claimed};
use crate::store::runs::{self, Admission, NewRun, Reservation};
use crate::store::{Db, Scope, StoreError};

/// Every run of this process. Cheap to clone.
#[derive(Clone)]
pub struct Runs {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) db: Db,
    pub(super) models: Arc<dyn Models>,
    pub(super) settings: RunSettings,
    log: Arc<Log>,
    wake: Arc<Wake>,
    queue: Queue,
    readers: Mutex<HashMap<RunId, usize>>,
    /// Somebody knows of a run that nobody executes.
    work: Notify,
    /// Held while runs that nobody executes are looked for and taken.
    pub(super) looking: tokio::sync::Mutex<()>,
    /// Until then leases that have run out say nothing about their owners.
    distrust: Mutex<Option<Instant>>,
    pub(super) tasks: Tasks,
    /// This process, in `runs.owner`.
    owner: String,
    live: Mutex<HashMap<RunId, Arc<LiveRun>>>,
    /// A run has left the table.
    left: Notify,
    /// No new runs are taken.
    pub(super) closed: CancellationToken,
    /// Runs under way are dropped where they are.
    dropped: CancellationToken,
}

/// A run that was asked for.
pub struct Ask {
    pub user: UserId,
    pub conversation: ConversationId,
    pub plan: Plan,
    /// The user's groups; `None` means those they were in when last seen in person.
    pub groups: Option<Vec<String>>,
    pub idempotency_key: Option<String>,
    /// The answer that it replaces; without one the question is a new message.
    pub replaces: Option<Replaces>,
}

/// An answer that is asked for again.
#[derive(Debug, Clone)]
pub struct Replaces {
    pub run: RunId,
    pub message: MessageId,
    /// What of it is not paid again.
    pub kept: Kept,
}

/// The run that answers an [`Ask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub run: RunId,
    /// The key was used before: nothing new was started.
    pub known: bool,
}

impl Runs {
    /// The runs of one process over this database and these models.
    #[must_use]
    pub fn new(db: Db, models: Arc<dyn Models>, tasks: Tasks, settings: RunSettings) -> Self {
        let inner = Inner {
            db,
            models,
            settings,
            log: Arc::default(),
            wake: Arc::default(),
            queue: Queue::new(settings.max_live),
            readers: Mutex::default(),
            work: Notify::new(),
            looking: tokio::sync::Mutex::default(),
            distrust: Mutex::default(),
            tasks,
            owner: uuid::Uuid::new_v4().to_string(),
            live: Mutex::default(),
            left: Notify::new(),
            closed: CancellationToken::new(),
            dropped: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Makes durable what the runs do, through a database connection of its own, until it is dropped.
    /// On a thread of its own, so that a commit never waits for tokens to be handled.
    pub async fn write(self, db: Db) {
        self.inner.log.clone().write(db).await;
    }

    /// Does the other background work (heartbeats, recovery, the queue, news of other servers) until it
    /// is dropped.
    pub async fn work(self) {
        tokio::join!(
            recovery::keep_leases(&self),
            recovery::find_work(&self),
            compaction::keep_compact(&self),
            self.inner.wake.listen(&self, &self.inner.db),
        );
    }

    /// Starts a run. It goes on by itself, whoever watches.
    ///
    /// # Errors
    /// [`StartError`]; nothing is stored then.
    pub async fn start(&self, ask: Ask) -> Result<Asked, StartError> {
        if self.inner.closed.is_cancelled() {
            return Err(StartError::Closing);
        }
        let id = RunId::generate();
        let scope = Scope::User(ask.user.clone());
        let (settings, queue) = (&self.inner.settings, &self.inner.queue);
        let place = queue.place_for_new();
        let (replaces, message, kept) = match ask.replaces {
            Some(earlier) => (Some(earlier.run), earlier.message, earlier.kept),
            None => (None, MessageId::generate(), Kept::default()),
        };
        let ids = (id, ask.conversation, message);
        let opening = Frame::structural(1, OPENING_KEY, &opening(ids, &ask.plan).into());
        let estimate = self.estimate(&ask.plan, &kept);
        let new = NewRun {
            id,
            conversation: ask.conversation,
            message: ids.2,
            question: ask.plan.question.clone(),
            plan: serde_json::to_value(&ask.plan).expect("a plan is plain data with string keys"),
            format: "council".to_owned(),
            idempotency_key: ask.idempotency_key,
            owner: self.inner.owner.clone(),
            lease: settings.lease,
            admission: Admission {
                place: place.is_some(),
                max_per_user: settings.max_per_user,
                may_wait: queue.len() < settings.max_queued as usize,
                max_queued_per_user: settings.max_queued_per_user,
            },
            groups: ask.groups,
            need: self.need(&estimate),
            defaults: settings.budgets.defaults,
            opening: frame::to_row(std::slice::from_ref(&opening)).expect("there is a frame"),
            replaces,
        };
        let reservation = match runs::start(&self.inner.db, &scope, &new).await? {
            runs::Started::New(reservation) => reservation,
            runs::Started::Queued => {
                drop(place);
                tracing::info!(run.id = %id, "run queued");
                self.look_for_work();
                return Ok(Asked { run: id, known: false });
            }
            runs::Started::Known(run) => return Ok(Asked { run, known: true }),
            runs::Started::Busy(run) => return Err(StartError::Busy(run)),
            runs::Started::TooMany => return Err(StartError::TooMany),
            runs::Started::Full => return Err(StartError::Full),
            runs::Started::NotLatest => {
                return Err(StartError::NotAgain("the conversation has gone on since; look at it again"));
            }
            runs::Started::OverBudget(budget) => {
                tracing::info!(
                    user_scope = budget.budget.whose.scope(),
                    "a question does not fit into a budget"
                );
                return Err(StartError::OverBudget(Box::new(door::over(*budget, estimate, new.need))));
            }
        };
        let live = LiveRun::opened(ids, ask.user, opening);
        tracing::info!(run.id = %id, "run started");
        self.execute(live, ask.plan, Memory::default(), reservation, place);
        Ok(Asked { run: id, known: false })
    }

    /// The rules of budgets here.
    #[must_use]
    pub fn budget_rules(&self) -> BudgetRules {
        self.inner.settings.budgets
    }

    /// Executes a run that waited, or goes on with one that another process left.
    pub(super) async fn take_over(&self, claimed: Claimed, place: Option<Place>) {
        let ids = (claimed.id, claimed.conversation, claimed.message);
        let remembered = match journal::remembered(&self.inner.db, claimed.id).await {
            Ok(remembered) => remembered,
            // The lease runs out by itself and the run is claimed again.
            Err(error) => {
                tracing::warn!(run.id = %claimed.id, %error, "an abandoned run could not be read");
                return;
            }
        };
        let mut memory = Memory::read(remembered);
        let known = std::mem::take(&mut memory.known);
        let told = std::mem::take(&mut memory.told);
        let live = LiveRun::new(ids, claimed.user, claimed.attempt, memory.last_seq, known);
        if claimed.cancel_requested {
            live.cancel.cancel();
        }
        tracing::info!(run.id = %claimed.id, attempt = claimed.attempt, crashes = claimed.crashes, calls = memory.calls.len(), "run taken up");
        if claimed.crashes > recovery::MOST_CRASHES {
            tracing::error!(run.id = %claimed.id, crashes = claimed.crashes, "a run is given up: its servers die");
            let message = format!(
                "the run was given up after {} servers stopped in the middle of it; what it had is kept",
                claimed.crashes
            );
            let ending = Ending::failed("abandoned", message);
            return self.give_up(live, memory, claimed.reservation, &told, ending);
        }
        match serde_json::from_value::<Plan>(claimed.plan) {
            Ok(plan) => {
                // They depend on what others spend, so they are not found out again.
                memory.told = told.into_iter().filter(|event| matches!(event, Event::Budget(_))).collect();
                self.execute(live, plan, memory, claimed.reservation, place);
            }
            Err(error) => {
                tracing::error!(run.id = %claimed.id, %error, "a stored plan cannot be read");
                let message = "this server cannot read the run's plan; ask again".to_owned();
                let ending = Ending::failed("unreadable_plan", message);
                self.give_up(live, memory, claimed.reservation, &told, ending);
            }
        }
    }

    /// Ends a run that cannot be executed with what it had `told`.
    fn give_up(
        &self,
        live: LiveRun,
        memory: Memory,
        held: Option<Reservation>,
        told: &[Event],
        ending: Ending,
    ) {
        let live = Arc::new(live);
        let journal = Arc::new(self.journal(&live, memory, held));
        journal.remember(told);
        self.live().insert(live.id, live.clone());
        let inner = self.inner.clone();
        self.inner.tasks.spawn(async move {
            tokio::select! {
                () = finish(&inner, &live, &journal, ending) => {}
                () = live.lost() => {}
                () = inner.dropped.cancelled() => {}
            }
            inner.leave(&live);
            live.retire();
        });
    }

    fn journal(&self, live: &Arc<LiveRun>, memory: Memory, held: Option<Reservation>) -> Journal {
        let purse = held.map(|held| {
            let (db, rules) = (self.inner.db.clone(), self.inner.settings.budgets);
            Purse::new(db, rules, live, held, memory.spent_usd())
        });
        let journal =
            Journal::new(live.clone(), self.inner.log.clone(), memory.calls, memory.decisions, purse);
        journal.remember(&memory.told);
        journal
    }

    fn execute(
        &self,
        live: LiveRun,
        plan: Plan,
        memory: Memory,
        held: Option<Reservation>,
        place: Option<Place>,
    ) {
        let live = Arc::new(live);
        self.live().insert(live.id, live.clone());
        // Whoever read the log so far finds it in memory now.
        self.inner.wake.wake(live.id);
        let journal = Arc::new(self.journal(&live, memory, held));
        let inner = self.inner.clone();
        self.inner.tasks.spawn(async move {
            metrics::gauge!("llm_council_runs_live").increment(1.0);
            tokio::select! {
                () = drive(&inner, &live, &journal, &plan) => {}
                () = live.lost() => {}
                () = inner.dropped.cancelled() => {
                    tracing::info!(run.id = %live.id, "the run is left for another process");
                    live.lose();
                }
            }
            metrics::gauge!("llm_council_runs_live").decrement(1.0);
            inner.leave(&live);
            live.retire();
            drop(place);
            if !inner.queue.is_empty() {
                inner.work.notify_one();
            }
        });
    }

    /// Reads a run's events after `after`.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not this user's.
    pub async fn subscribe(&self, user: &UserId, run: RunId, after: u64) -> Result<Subscription, StoreError> {
        let live = self.live().get(&run).map(|live| live.user == *user);
        match live {
            Some(true) => {}
            Some(false) => return Err(StoreError::NotFound),
            None => {
                runs::find(&self.inner.db, &Scope::User(user.clone()), run).await?;
            }
        }
        Ok(Subscription::new(self.clone(), user.clone(), run, after))
    }

    /// Stops a run, wherever it is executed. Answers whether there was anything to stop.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not this user's.
    pub async fn cancel(&self, user: &UserId, run: RunId) -> Result<bool, StoreError> {
        let live = self.live().get(&run).cloned();
        match live {
            Some(live) if live.user == *user => {
                live.cancel.cancel();
                Ok(true)
            }
            Some(_) => Err(StoreError::NotFound),
            None => {
                let status = runs::request_cancel(&self.inner.db, &Scope::User(user.clone()), run).await?;
                Ok(!status.is_over())
            }
        }
    }

    /// Stops a run if it is executed here; if it waits, it is taken to be ended.
    pub(super) fn stop_here(&self, run: RunId) {
        let live = self.live().get(&run).cloned();
        match live {
            Some(live) => live.cancel.cancel(),
            None => self.look_for_work(),
        }
    }

    /// Takes no new runs from now on.
    pub fn close(&self) {
        self.inner.closed.cancel();
    }

    /// Whether new runs are refused.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.closed.is_cancelled()
    }

    /// How many runs are under way here.
    #[must_use]
    pub fn live_count(&self) -> usize {
        self.live().len()
    }

    /// Ends when no run is under way here.
    pub async fn idle(&self) {
        loop {
            let left = self.inner.left.notified();
            if self.live_count() == 0 {
                return;
            }
            left.await;
        }
    }

    /// Takes no more runs, drops what is still under way and gives up its leases: another process, or
    /// the next start, goes on with it.
    ///
    /// # Errors
    /// When the leases could not be given up; they run out by themselves then.
    pub async fn hand_over(&self) -> Result<u64, StoreError> {
        self.close();
        self.inner.dropped.cancel();
        // What is being taken right now would keep its lease, and nobody would execute it.
        let _looking = self.inner.looking.lock().await;
        leases::release(&self.inner.db, &self.inner.owner).await
    }

    /// Shrinks the logs of runs that ended longer ago than `after` to their structural events; answers
    /// how many. The background work does this every minute.
    ///
    /// # Errors
    /// When the database cannot be asked; what was done stays done.
    pub async fn compact_logs(&self, after: std::time::Duration) -> Result<usize, StoreError> {
        compaction::compact_ended(self, after).await
    }

    /// Looks at once for runs that nobody executes.
    pub(super) fn look_for_work(&self) {
        self.inner.work.notify_one();
    }

    /// Ends when somebody knows of a run that nobody executes.
    pub(super) async fn work_to_do(&self) {
        self.inner.work.notified().await;
    }

    /// The database was away: for a while a lease that has run out says nothing about its owner.
    pub(super) fn distrust_leases(&self) {
        let until = Instant::now() + self.inner.settings.lease / 2;
        *self.inner.distrust.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Whether a lease that has run out means that its owner is gone.
    pub(super) fn trusts_leases(&self) -> bool {
        let until = *self.inner.distrust.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_none_or(|until| until <= Instant::now())
    }

    pub(super) fn settings(&self) -> &RunSettings {
        &self.inner.settings
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.inner.queue
    }

    pub(super) fn wake(&self) -> &Arc<Wake> {
        &self.inner.wake
    }

    pub(super) fn db(&self) -> &Db {
        &self.inner.db
    }

    pub(super) fn owner(&self) -> &str {
        &self.inner.owner
    }

    pub(super) fn live(&self) -> MutexGuard<'_, HashMap<RunId, Arc<LiveRun>>> {
        self.inner.live()
    }
}

impl Inner {
    pub(super) fn readers(&self) -> MutexGuard<'_, HashMap<RunId, usize>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, Arc<LiveRun>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an execution off the table. A later one of the same run stays.
    pub(super) fn leave(&self, run: &Arc<LiveRun>) {
        let mut live = self.live();
        if live.get(&run.id).is_some_and(|here| Arc::ptr_eq(here, run)) {
            live.remove(&run.id);
        }
        drop(live);
        self.left.notify_waiters();
    }
}
