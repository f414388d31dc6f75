//! Owns the runs of this process: starts them, executes them, stops them, hands them over.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::StartError;
use super::hub::Subscription;
use super::journal::{Journal, Memory};
use super::live::{LiveRun, Record};
use super::log::Log;
use crate::council::run::{FinishedCall, Host, UnderWay};
use crate::council::stages::title;
use crate::council::{self, Deliberation, Event, Plan, Run, RunEvent};
use crate::id::{ConversationId, RunId, UserId};
use crate::llm::{CallError, ErrorKind, Models, Reply};
use crate::shutdown::Tasks;
use crate::store::journal::{self, FinishedRow};
use crate::store::runs::{self, Claimed, NewRun, RunStatus};
use crate::store::{Db, Scope, StoreError};

/// Every run of this process. Cheap to clone.
#[derive(Clone)]
pub struct Runs {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    models: Arc<dyn Models>,
    log: Arc<Log>,
    tasks: Tasks,
    /// This process, in `runs.owner`.
    owner: String,
    live: Mutex<HashMap<RunId, Arc<LiveRun>>>,
    /// A run has left the table.
    left: Notify,
    /// No new runs are taken.
    closed: CancellationToken,
    /// Runs under way are dropped where they are.
    dropped: CancellationToken,
}

/// A run that was asked for.
pub struct Ask {
    pub user: UserId,
    pub conversation: ConversationId,
    pub plan: Plan,
    pub idempotency_key: Option<String>,
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
    pub fn new(db: Db, models: Arc<dyn Models>, tasks: Tasks) -> Self {
        let log = Arc::new(Log::default());
        let inner = Inner {
            db,
            models,
            log,
            tasks,
            owner: uuid::Uuid::new_v4().to_string(),
            live: Mutex::default(),
            left: Notify::new(),
            closed: CancellationToken::new(),
            dropped: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Does the background work (the writer, heartbeats, recovery) until it is dropped.
    pub async fn work(self) {
        let writer = self.inner.log.clone().write(self.inner.db.clone());
        futures_util::future::join(writer, super::recovery::watch(&self)).await;
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
        let new = NewRun {
            id,
            conversation: ask.conversation,
            question: ask.plan.question.clone(),
            plan: serde_json::to_value(&ask.plan).expect("a plan is plain data with string keys"),
            format: "council".to_owned(),
            idempotency_key: ask.idempotency_key,
            owner: self.inner.owner.clone(),
        };
        let message = match runs::start(&self.inner.db, &scope, &new).await? {
            runs::Started::New { message } => message,
            runs::Started::Known(run) => return Ok(Asked { run, known: true }),
            runs::Started::Busy(run) => return Err(StartError::Busy(run)),
        };
        let live =
            LiveRun::new((id, ask.conversation, message), ask.user, 1, 0, std::collections::HashSet::new());
        tracing::info!(run.id = %id, "run started");
        self.execute(live, ask.plan, Memory::default());
        Ok(Asked { run: id, known: false })
    }

    /// Goes on with a run that another process left.
    pub(super) async fn take_over(&self, claimed: Claimed) {
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
        let live = LiveRun::new(ids, claimed.user, claimed.attempt, memory.last_seq, known);
        if claimed.cancel_requested {
            live.cancel.cancel();
        }
        tracing::info!(run.id = %claimed.id, attempt = claimed.attempt, calls = memory.calls.len(), "going on with an abandoned run");
        match serde_json::from_value::<Plan>(claimed.plan) {
            Ok(plan) => self.execute(live, plan, memory),
            Err(error) => {
                tracing::error!(run.id = %claimed.id, %error, "a stored plan cannot be read");
                let live = Arc::new(live);
                let journal = Arc::new(self.journal(&live, memory));
                let failed = Ending::failed(
                    "unreadable_plan",
                    "this server cannot read the run's plan; ask again".to_owned(),
                );
                let inner = self.inner.clone();
                self.inner.tasks.spawn(async move {
                    finish(&inner, &live, &journal, failed).await;
                });
            }
        }
    }

    fn journal(&self, live: &Arc<LiveRun>, memory: Memory) -> Journal {
        Journal::new(live.clone(), self.inner.log.clone(), memory.calls, memory.decisions)
    }

    fn execute(&self, live: LiveRun, plan: Plan, memory: Memory) {
        let live = Arc::new(live);
        self.live().insert(live.id, live.clone());
        let journal = Arc::new(self.journal(&live, memory));
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
            inner.leave(live.id);
            live.retire();
        });
    }

    /// Reads a run's events after `after`.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not this user's.
    pub async fn subscribe(&self, user: &UserId, run: RunId, after: u64) -> Result<Subscription, StoreError> {
        let scope = Scope::User(user.clone());
        let live = self.live().get(&run).cloned();
        match &live {
            Some(live) if live.user == *user => {}
            Some(_) => return Err(StoreError::NotFound),
            None => {
                runs::find(&self.inner.db, &scope, run).await?;
            }
        }
        Ok(Subscription::new(self.inner.db.clone(), scope, run, live, after))
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

    /// Drops what is still under way and gives up its leases: another process, or the next start,
    /// goes on with it.
    ///
    /// # Errors
    /// When the leases could not be given up; they run out by themselves then.
    pub async fn hand_over(&self) -> Result<u64, StoreError> {
        self.inner.dropped.cancel();
        runs::release(&self.inner.db, &self.inner.owner).await
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
    fn live(&self) -> MutexGuard<'_, HashMap<RunId, Arc<LiveRun>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, run: RunId) {
        self.live().remove(&run);
        self.left.notify_waiters();
    }
}

/// How a run ends.
struct Ending {
    status: RunStatus,
    event: RunEvent,
    /// Why a run failed, as operators see it: it outlives the run's texts.
    error_kind: Option<&'static str>,
    /// A title for the conversation, if the run found none.
    title: Option<String>,
    /// Calls that were sent and never ended.
    under_way: Vec<UnderWay>,
}

impl Ending {
    fn failed(kind: &'static str, message: String) -> Self {
        Self {
            status: RunStatus::Failed,
            event: RunEvent::Error { message },
            error_kind: Some(kind),
            title: None,
            under_way: Vec::new(),
        }
    }
}

async fn drive(inner: &Inner, live: &Arc<LiveRun>, journal: &Arc<Journal>, plan: &Plan) {
    let host: Arc<dyn Host> = journal.clone();
    let run = Run::new(live.id, host, inner.models.clone());
    let started = RunEvent::RunStarted {
        run_id: live.id,
        conversation_id: live.conversation,
        message_id: live.message,
    };
    run.emit("start", started).await;
    let ended = tokio::select! {
        biased;
        () = live.cancel.cancelled() => None,
        ended = AssertUnwindSafe(council::deliberate(&run, plan)).catch_unwind() => Some(ended),
    };
    let mut ending = match ended {
        Some(Ok(Ok(()))) => Ending {
            status: RunStatus::Complete,
            event: RunEvent::Complete {},
            error_kind: None,
            title: None,
            under_way: Vec::new(),
        },
        Some(Ok(Err(failure))) => Ending::failed(failure.kind(), failure.to_string()),
        // The panic itself has been reported by the panic hook, with its place.
        Some(Err(_panic)) => {
            Ending::failed("internal", "an internal error ended the run; what it had is kept".to_owned())
        }
        None => Ending {
            status: RunStatus::Cancelled,
            event: RunEvent::Cancelled {},
            error_kind: None,
            title: None,
            under_way: Vec::new(),
        },
    };
    ending.under_way = run.under_way();
    // A first question that was stopped or failed still gives its conversation a name.
    ending.title = plan.title.then(|| title::fallback(&plan.question).title);
    finish(inner, live, journal, ending).await;
}

async fn finish(inner: &Inner, live: &Arc<LiveRun>, journal: &Arc<Journal>, ending: Ending) {
    for call in &ending.under_way {
        // Whether the provider charges for a dropped call is unknown: it is in the ledger, with
        // its cost unknown.
        journal.commit_call(dropped(call)).await;
    }
    let mut deliberation = journal.deliberation();
    if ending.status != RunStatus::Complete {
        deliberation.keep_unfinished(&ending.under_way, "stopped before it was finished");
    }
    let row = FinishedRow {
        run: live.id,
        status: ending.status,
        error: match &ending.event {
            RunEvent::Error { message } => {
                Some(serde_json::json!({ "kind": ending.error_kind, "message": message }))
            }
            RunEvent::RunStarted { .. }
            | RunEvent::CallRestarted(_)
            | RunEvent::CostsComplete { .. }
            | RunEvent::Complete {}
            | RunEvent::Cancelled {}
            | RunEvent::ServerShutdown { .. } => None,
        },
        message: live.message,
        conversation: live.conversation,
        body: stored(&deliberation),
        text: deliberation.answer_text().map(str::to_owned),
        title: deliberation.metadata.title.clone().or(ending.title),
    };
    metrics::counter!("llm_council_runs_total", "status" => ending.status.as_str()).increment(1);
    tracing::info!(run.id = %live.id, status = ending.status.as_str(), "run ended");
    let event = Event::from(ending.event);
    let record = Record::Finish(Box::new(row));
    journal.record(Some(record), Some((super::frame::END_KEY, &event))).await;
    inner.leave(live.id);
}

fn stored(deliberation: &Deliberation) -> serde_json::Value {
    serde_json::to_value(deliberation).expect("a deliberation is plain data with string keys")
}

fn dropped(call: &UnderWay) -> FinishedCall {
    let partial = Reply { text: call.text.clone(), ..Reply::default() };
    let mut error = CallError::new(ErrorKind::Cancelled, "stopped before it was finished");
    error.partial = Some(Box::new(partial));
    FinishedCall {
        key: call.key.clone(),
        stage: call.stage,
        model: call.model.clone(),
        purpose: call.purpose,
        fingerprint: call.fingerprint.clone(),
        result: Err(error),
    }
}
