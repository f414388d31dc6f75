//! Following a run to its end, for an answer in one piece or a stream.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use super::followed_run::{FollowedRun, Step};
use crate::council::Plan;
use crate::council::plan::AnswerShape;
use crate::id::{ConversationId, RunId};
use crate::runs::{Frame, Next, RunStart, Runs, StartedRun, Subscription};
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::shutdown::Shutdown;
use crate::store::StoreError;
use crate::store::runs::{self, AskedByProgram};

/// How soon the log is read again while the database is unavailable.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// The longest pause in what a stream sends: clients and proxies give up on silence.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// The facts about a run that its answer names, and the parts of the request that it repeats.
#[derive(Debug, Clone)]
pub(super) struct Requested {
    pub run: RunId,
    pub conversation: ConversationId,
    pub at: Timestamp,
    /// See [`Program::request`](crate::store::runs::Program::request).
    pub kept: Value,
}

impl From<&AskedByProgram> for Requested {
    fn from(asked: &AskedByProgram) -> Self {
        Self {
            run: asked.id,
            conversation: asked.conversation,
            at: asked.created_at,
            kept: asked.request.clone(),
        }
    }
}

/// A run on its way to a program.
pub(super) struct Follower {
    pub followed: FollowedRun,
    pub requested: Requested,
    subscription: Subscription,
    batch: std::vec::IntoIter<Frame>,
    runs: Runs,
    shutdown: Shutdown,
    /// How long a stream may be silent, and since when it is.
    silence: Duration,
    silent_since: Instant,
    /// The log cannot be read, which is logged once.
    is_cut_off: bool,
}

/// What was asked, and what has come of it so far.
#[derive(Clone, Copy)]
pub(super) struct RunView<'r> {
    pub requested: &'r Requested,
    pub followed: &'r FollowedRun,
}

/// What comes next of a run.
pub(super) enum Update {
    /// An event, and what it means.
    Event(Box<Frame>, Vec<Step>),
    /// The run waits for a place.
    Queued,
    /// Nothing, for as long as a stream may be silent.
    Silence,
    /// This server shuts down, and the run goes on.
    Shutdown,
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Response")
}

/// A run of the caller's that a program asked for.
///
/// # Errors
/// When it is not there, not theirs, or no program asked for it.
pub(super) async fn find(app: &App, caller: &Caller, run: RunId) -> Result<AskedByProgram, Problem> {
    runs::asked_by_program(&app.db, &caller.scope(), run).await.map_err(named)
}

impl Follower {
    /// Follows the run of a request from its beginning; `kept` is what its answer repeats of the request. With a
    /// `grace` the run is cancelled that long after this reader has gone, unless there is another one.
    ///
    /// # Errors
    /// When the run is not there any more.
    pub async fn of_request(
        app: &App,
        caller: &Caller,
        asked: StartedRun,
        kept: Value,
        grace: Option<Duration>,
    ) -> Result<Self, Problem> {
        let mut follower = match asked.begun {
            Some(RunStart { at, conversation, answer }) => {
                let requested = Requested { run: asked.run, conversation, at, kept };
                Self::begin(app, caller, requested, answer).await?
            }
            None => Self::of(app, caller, &find(app, caller, asked.run).await?).await?,
        };
        if let Some(grace) = grace {
            follower.subscription = follower.subscription.waited_for(grace);
        }
        Ok(follower)
    }

    /// Follows a run of the caller's from its beginning.
    ///
    /// # Errors
    /// When the run is not there any more.
    pub async fn of(app: &App, caller: &Caller, asked: &AskedByProgram) -> Result<Self, Problem> {
        // A run with a plan from a newer version is followed all the same.
        let plan: Result<Plan, _> = serde_json::from_value(asked.plan.clone());
        let answer = plan.map_or_else(|_| AnswerShape::default(), |plan| plan.answer_shape());
        Self::begin(app, caller, asked.into(), answer).await
    }

    async fn begin(
        app: &App,
        caller: &Caller,
        requested: Requested,
        answer: AnswerShape,
    ) -> Result<Self, Problem> {
        let subscription = app.runs.subscribe(&caller.user, requested.run, 0).await.map_err(named)?;
        Ok(Self {
            followed: FollowedRun::of(answer),
            requested,
            // Programs have a grace of their own, or none: what they ask in the background goes on.
            subscription: subscription.passing(),
            batch: Vec::new().into_iter(),
            runs: app.runs.clone(),
            shutdown: app.shutdown.clone(),
            silence: app.config.server.heartbeat().min(LONGEST_SILENCE),
            silent_since: Instant::now(),
            is_cut_off: false,
        })
    }

    /// Something has been sent. Of most events nothing is: programs do not get members' words.
    pub fn note_sent(&mut self) {
        self.silent_since = Instant::now();
    }

    /// What was asked, and what has come of it so far.
    pub fn view(&self) -> RunView<'_> {
        RunView { requested: &self.requested, followed: &self.followed }
    }

    /// What comes next for a stream; nothing after the run's last event.
    pub async fn next(&mut self) -> Option<Update> {
        let silent_until = self.silent_since + self.silence;
        // Said here as well: while events come all the time, nobody waits below.
        if Instant::now() >= silent_until {
            return Some(Update::Silence);
        }
        if let Some(update) = self.next_of_batch() {
            return Some(update);
        }
        loop {
            let shutdown = self.shutdown.clone();
            let next = tokio::select! {
                biased;
                next = self.subscription.next() => next,
                () = shutdown.stopping() => return Some(Update::Shutdown),
                () = tokio::time::sleep_until(silent_until) => return Some(Update::Silence),
            };
            let was_cut_off = std::mem::replace(&mut self.is_cut_off, next.is_err());
            match next {
                Ok(Some(Next::Frames(frames))) => {
                    self.batch = frames.into_iter();
                    if let Some(update) = self.next_of_batch() {
                        return Some(update);
                    }
                }
                Ok(Some(Next::Queued(_))) => return Some(Update::Queued),
                // The reader's data is being erased or has been: nothing more will come.
                Ok(None) | Err(StoreError::Erasing | StoreError::Blocked | StoreError::NotFound) => {
                    return None;
                }
                Err(error) => {
                    // The stream stays open; the log is asked again.
                    if !was_cut_off {
                        tracing::warn!(run.id = %self.subscription.run(), error = &error as &dyn std::error::Error, "a program's stream cannot read the event log");
                    }
                    tokio::time::sleep(ASK_AGAIN).await;
                    return Some(Update::Silence);
                }
            }
        }
    }

    /// Follows the run to its end; false when this server shuts down before that, and the run goes on. `each` is called
    /// with the meaning of each event.
    pub async fn follow_to_end(&mut self, mut each: impl FnMut(RunView<'_>, &Frame, Vec<Step>)) -> bool {
        loop {
            while let Some(frame) = self.batch.next() {
                let steps = self.followed.take(&frame);
                each(self.view(), &frame, steps);
            }
            let (runs, run) = (self.runs.clone(), self.subscription.run());
            let next = tokio::select! {
                biased;
                next = self.subscription.next() => next,
                () = runs.released(run) => return false,
            };
            let was_cut_off = std::mem::replace(&mut self.is_cut_off, next.is_err());
            match next {
                Ok(Some(Next::Frames(frames))) => self.batch = frames.into_iter(),
                Ok(Some(Next::Queued(_))) => {}
                Ok(None) | Err(StoreError::Erasing | StoreError::Blocked | StoreError::NotFound) => {
                    return true;
                }
                Err(error) => {
                    if !was_cut_off {
                        tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "a program's answer waits for the database");
                    }
                    tokio::time::sleep(ASK_AGAIN).await;
                }
            }
        }
    }

    fn next_of_batch(&mut self) -> Option<Update> {
        let frame = self.batch.next()?;
        let steps = self.followed.take(&frame);
        Some(Update::Event(Box::new(frame), steps))
    }
}
