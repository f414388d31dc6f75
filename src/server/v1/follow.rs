//! Following a run to its end, for an answer in one piece or a stream.

use std::time::Duration;

use super::course::{Course, Step};
use crate::council::Plan;
use crate::id::RunId;
use crate::runs::{Frame, Next, Runs, Subscription};
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::shutdown::Shutdown;
use crate::store::StoreError;
use crate::store::runs::{self, AskedByProgram};

/// How soon the log is asked again while the database is away.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// The longest pause in what a stream sends: clients and proxies give up on silence.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);

/// A run on its way to a program.
pub(super) struct Follower {
    pub course: Course,
    /// What was asked.
    pub asked: AskedByProgram,
    subscription: Subscription,
    batch: std::vec::IntoIter<Frame>,
    runs: Runs,
    shutdown: Shutdown,
    silence: Duration,
}

/// What was asked, and what has come of it so far.
#[derive(Clone, Copy)]
pub(super) struct Told<'t> {
    pub asked: &'t AskedByProgram,
    pub course: &'t Course,
}

/// What comes next of a run.
pub(super) enum Heard {
    /// An event, and what it means.
    Event(Box<Frame>, Vec<Step>),
    /// The run waits for a place.
    Queued,
    /// Nothing, for as long as a stream may be silent.
    Silence,
    /// This server goes away, and the run goes on.
    Leaves,
}

impl Follower {
    /// Follows a run of the caller's from its beginning. With a `grace` the run is cancelled so soon after this reader
    /// has gone, unless another one is there.
    ///
    /// # Errors
    /// When the run is not there, not theirs, or no program asked for it.
    pub async fn of(
        app: &App,
        caller: &Caller,
        run: RunId,
        grace: Option<Duration>,
    ) -> Result<Self, Problem> {
        let named = |error| Problem::from(error).naming("Response");
        let asked = runs::asked_by_program(&app.db, &caller.scope(), run).await.map_err(named)?;
        // A plan that a newer version made is followed all the same.
        let plan: Result<Plan, _> = serde_json::from_value(asked.plan.clone());
        let course = Course::of(plan.ok().as_ref());
        let mut subscription = app.runs.subscribe(&caller.user, run, 0).await.map_err(named)?;
        if let Some(grace) = grace {
            subscription = subscription.waited_for(grace);
        }
        Ok(Self {
            course,
            asked,
            subscription,
            batch: Vec::new().into_iter(),
            runs: app.runs.clone(),
            shutdown: app.shutdown.clone(),
            silence: app.config.server.heartbeat().min(LONGEST_SILENCE),
        })
    }

    /// What was asked, and what has come of it so far.
    pub fn told(&self) -> Told<'_> {
        Told { asked: &self.asked, course: &self.course }
    }

    /// What comes next for a stream; nothing after the run's last event.
    pub async fn next(&mut self) -> Option<Heard> {
        if let Some(heard) = self.next_of_batch() {
            return Some(heard);
        }
        loop {
            let (shutdown, silence) = (self.shutdown.clone(), self.silence);
            let next = tokio::select! {
                biased;
                next = self.subscription.next() => next,
                () = shutdown.stopping() => return Some(Heard::Leaves),
                () = tokio::time::sleep(silence) => return Some(Heard::Silence),
            };
            match next {
                Ok(Some(Next::Frames(frames))) => {
                    self.batch = frames.into_iter();
                    if let Some(heard) = self.next_of_batch() {
                        return Some(heard);
                    }
                }
                Ok(Some(Next::Queued(_))) => return Some(Heard::Queued),
                // Its reader's data is being erased, or has been: nothing will come any more.
                Ok(None) | Err(StoreError::Erasing | StoreError::Blocked | StoreError::NotFound) => {
                    return None;
                }
                Err(error) => {
                    // The stream stays open; the log is asked again.
                    tracing::warn!(run.id = %self.subscription.run(), %error, "a program's stream cannot read the event log");
                    tokio::time::sleep(ASK_AGAIN).await;
                    return Some(Heard::Silence);
                }
            }
        }
    }

    /// Follows the run to its end; false when this server goes away before that, and the run goes on. `each` hears
    /// what each event means.
    pub async fn follow_to_end(&mut self, mut each: impl FnMut(Told<'_>, &Frame, Vec<Step>)) -> bool {
        loop {
            while let Some(frame) = self.batch.next() {
                let steps = self.course.take(&frame);
                each(self.told(), &frame, steps);
            }
            let (runs, run) = (self.runs.clone(), self.subscription.run());
            let next = tokio::select! {
                biased;
                next = self.subscription.next() => next,
                () = runs.leaves(run) => return false,
            };
            match next {
                Ok(Some(Next::Frames(frames))) => self.batch = frames.into_iter(),
                Ok(Some(Next::Queued(_))) => {}
                Ok(None) | Err(StoreError::Erasing | StoreError::Blocked | StoreError::NotFound) => {
                    return true;
                }
                Err(error) => {
                    tracing::warn!(run.id = %run, %error, "a program's answer waits for the database");
                    tokio::time::sleep(ASK_AGAIN).await;
                }
            }
        }
    }

    fn next_of_batch(&mut self) -> Option<Heard> {
        let frame = self.batch.next()?;
        let steps = self.course.take(&frame);
        Some(Heard::Event(Box::new(frame), steps))
    }
}
