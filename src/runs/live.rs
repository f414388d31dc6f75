//! A run that this process executes: its numbered events, and its records that are not durable yet.
//!
//! Records enter in order through [`LiveRun::append`]; the writer takes them with
//! [`LiveRun::take`], commits them, and says so with [`LiveRun::committed`]. An event may be shown when it is a token
//! or durable, and everything before it may be shown: so a client never sees a finished stage that a crash could undo,
//! nor events out of order.
//!
//! Tokens of one call are collected in one event until a reader or the writer takes it. At a slow pace each token
//! is an event of its own and leaves at once; under load fewer and longer events carry the same text.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::frame::{self, Frame};
use super::requests::Requests;
use crate::council::Token;
use crate::council::correction::Correction;
use crate::council::member_retry::MemberRetry;
use crate::council::skip::Skip;
use crate::id::{ConversationId, MessageId, RunId, UserId};
use crate::store::RunStatus;
use crate::store::journal::{CallRow, DecisionRow, FinishedRow};
use crate::store::leases::StoredRequests;
use crate::trace::TraceContext;

/// How much of a run's recent events is kept for readers that keep up; the rest is in the log.
const RING_BYTES: usize = 32 * 1024;
/// How much may wait for the writer before the run has to wait as well.
const PENDING_BYTES: usize = 256 * 1024;

/// What a frame takes in memory besides its JSON.
const FRAME_BYTES: usize = 96;

/// What a token counts as until it is taken, its text included: most are shorter.
const TOKEN_BYTES: usize = 64;

/// The gap that each further execution leaves in the numbers of events. Tokens are shown before they are durable,
/// so a reader may have seen numbers that were lost with the first process; if they were reused, the reader
/// would take new events for old ones. The gap is far larger than what can be shown without being durable: two
/// batches of [`PENDING_BYTES`] in events of at least 50 bytes.
const SEQ_GAP: u64 = 100_000;

/// A change to a run that is to be made durable.
#[derive(Debug)]
pub enum Record {
    Call(Box<CallRow>),
    Decision(DecisionRow),
    Finish(Box<FinishedRow>),
    /// The run waits for its owner's decision from now on.
    Waits,
}

/// The state of a run, for those who wait for it to change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// The last event other than a token that may be shown.
    pub structural_to: u64,
    /// Records up to this position are durable.
    pub durable_to: u64,
    /// Another process owns the run: nothing of it will ever become durable here.
    pub lost: bool,
    /// The database refuses its records: this execution is lost.
    pub refused: bool,
    /// It is no longer executed here; all that there is of it is in the log.
    pub over: bool,
    /// The run's status when the request to stop it was recorded; `None` until then.
    pub stop_recorded: Option<RunStatus>,
}

/// What the writer takes from one run at a time.
#[derive(Debug, Default)]
pub struct Pending {
    pub records: Vec<Record>,
    pub frames: Vec<Frame>,
    /// The position of the last record or event in it.
    pub position: u64,
}

/// The request that started a run, so that log lines and traces of the run lead back to it.
#[derive(Debug, Clone, Default)]
pub struct AskedBy {
    /// Its id in the log.
    pub request_id: Option<String>,
    /// Its span, where traces are collected.
    pub context: Option<TraceContext>,
}

/// A run that this process executes: see the module.
#[derive(Debug)]
pub struct LiveRun {
    pub id: RunId,
    pub user: UserId,
    pub conversation: ConversationId,
    pub message: MessageId,
    /// The number of this execution, 1 for the first: the fencing token of every write.
    pub attempt: i32,
    /// The request that started it; empty unless the server that received the request executes the run at once.
    pub asked_by: AskedBy,
    /// Whether the events behind recent frames are kept, for a reader that would otherwise parse their JSON.
    keeps_events: bool,
    /// Cancelled when somebody wants the run to stop.
    pub cancel: CancellationToken,
    /// Requests to go on without a member.
    pub(super) skips: Requests<Skip>,
    /// Requests to ask a member again.
    pub(super) retries: Requests<MemberRetry>,
    /// Requests to add something to the question.
    pub(super) corrections: Requests<Correction>,
    /// Whether a person may have named the run's conversation since the run was started.
    may_be_renamed: AtomicBool,
    state: Mutex<State>,
    progress: watch::Sender<Progress>,
    /// Events up to this number may be shown. Kept apart from the progress, because tokens move it hundreds of times a
    /// second, which must not wake those who wait for anything else.
    shown_to: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    next_seq: u64,
    position: u64,
    /// Keys of structural events that are logged already.
    known: HashSet<String>,
    ring: VecDeque<Frame>,
    ring_bytes: usize,
    pending: Pending,
    pending_bytes: usize,
    /// Tokens that nobody has taken yet; their numbers are the last ones given.
    open: Vec<OpenToken>,
    /// Structural events that are not durable yet, oldest first.
    not_durable: VecDeque<u64>,
    /// The first event of the batch that was committed last; the ring keeps everything from here.
    keep_from: u64,
    /// The last event that only the log has.
    evicted_to: u64,
    /// How soon the writer has been asked to come; `None` where it was not.
    urgency: Option<Urgency>,
    /// The run's outcome is fixed.
    is_ending: bool,
    /// The request to stop is already being recorded.
    records_stop: bool,
}

/// How soon the writer is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Tokens are shown before they are written: with the next batch of tokens.
    Tokens,
    /// Only readers wait: soon, so that what follows at once is written with it.
    Soon,
    /// The run waits: at once.
    Now,
}

/// A token event to which more text may be added.
#[derive(Debug)]
struct OpenToken {
    seq: u64,
    call: String,
    token: Token,
}

/// What to wait for after an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The position of what was appended, to wait for with [`LiveRun::durable`].
    pub position: u64,
    /// How soon the writer has to come for this run; `None` where it comes as soon already.
    pub wake_writer: Option<Urgency>,
    /// Whether so much is waiting that the run should wait before it goes on.
    pub full: bool,
}

/// What a reader finds in memory.
#[derive(Debug, PartialEq, Eq)]
pub enum Recent {
    /// Events after the reader's position, perhaps none yet.
    Frames(Vec<Frame>),
    /// The reader is so far behind that it has to read the log.
    Behind,
}

impl LiveRun {
    /// A run whose log holds events up to `last_seq`, with these structural keys.
    #[must_use]
    pub fn new(
        ids: (RunId, ConversationId, MessageId),
        user: UserId,
        attempt: i32,
        last_seq: u64,
        known: HashSet<String>,
    ) -> Self {
        let (id, conversation, message) = ids;
        let earlier = u64::try_from(attempt).unwrap_or(1).saturating_sub(1);
        let next_seq = last_seq + earlier * SEQ_GAP + 1;
        let progress = Progress { structural_to: last_seq, ..Progress::default() };
        Self {
            id,
            user,
            conversation,
            message,
            attempt,
            asked_by: AskedBy::default(),
            keeps_events: false,
            cancel: CancellationToken::new(),
            skips: Requests::default(),
            retries: Requests::default(),
            corrections: Requests::default(),
            // It has waited, or was executed elsewhere: nobody here listened for a new name.
            may_be_renamed: AtomicBool::new(true),
            state: Mutex::new(State {
                next_seq,
                position: 0,
                known,
                ring: VecDeque::new(),
                ring_bytes: 0,
                pending: Pending::default(),
                pending_bytes: 0,
                open: Vec::new(),
                not_durable: VecDeque::new(),
                keep_from: next_seq,
                evicted_to: last_seq,
                urgency: None,
                is_ending: false,
                records_stop: false,
            }),
            progress: watch::Sender::new(progress),
            shown_to: watch::Sender::new(last_seq),
        }
    }

    /// A run that has just been started, with its first event, which is durable.
    #[must_use]
    pub fn opened(ids: (RunId, ConversationId, MessageId), user: UserId, first: Frame) -> Self {
        let seq = first.seq;
        let new = Self::new(ids, user, 1, seq, HashSet::from([first.key.clone()]));
        let run = Self { may_be_renamed: AtomicBool::new(false), ..new };
        let mut state = run.state();
        state.ring_bytes = first.json.len() + FRAME_BYTES;
        state.ring.push_back(first);
        state.evicted_to = seq - 1;
        drop(state);
        run
    }

    /// Notes that a person has named the conversation, or that the notice of it may have been missed.
    pub fn mark_renamed(&self) {
        self.may_be_renamed.store(true, Ordering::Relaxed);
    }

    /// Whether the conversation's name has to be looked up before the run may give it one.
    #[must_use]
    pub fn may_be_renamed(&self) -> bool {
        self.may_be_renamed.load(Ordering::Relaxed)
    }

    /// Sets the request that started the run.
    #[must_use]
    pub fn asked_by(self, asked_by: AskedBy) -> Self {
        Self { asked_by, ..self }
    }

    /// Sets whether the events behind recent frames are kept, for readers in this process.
    #[must_use]
    pub fn keeping_events(self, keeps_events: bool) -> Self {
        Self { keeps_events, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a record and a structural event, each if given, in one step; the event gets its number here. An event
    /// whose key is logged already is left out, and with it the record that the run waits: an execution after a crash
    /// produces again what the one before has published. `urgency` says how soon it is to be written.
    pub fn append(&self, record: Option<Record>, frame: Option<Frame>, urgency: Urgency) -> Appended {
        let mut state = self.state();
        let is_logged = frame.as_ref().is_some_and(|frame| state.known.contains(&frame.key));
        if let Some(record) = record.filter(|record| !(is_logged && matches!(record, Record::Waits))) {
            state.pending_bytes += size_of_record(&record);
            state.pending.records.push(record);
            state.position += 1;
        }
        if let Some(frame) = frame
            && state.known.insert(frame.key.clone())
        {
            state.seal();
            let seq = state.next_number();
            state.not_durable.push_back(seq);
            state.pending_bytes += frame.json.len();
            let event = frame.event.filter(|_| self.keeps_events);
            state.log(Frame { seq, event, ..frame });
        }
        self.appended(state, urgency)
    }

    /// Appends a token of this call, to the call's open event if it has one.
    pub fn append_token(&self, call: &str, token: Token) -> Appended {
        let mut state = self.state();
        let last = state.open.iter_mut().rev().find(|open| open.call == call);
        let joined = last.is_some_and(|open| open.token.join(&token));
        // The text itself is counted when its event is closed; this bounds what gathers until then.
        state.pending_bytes += TOKEN_BYTES;
        if !joined {
            let seq = state.next_number();
            state.open.push(OpenToken { seq, call: call.to_owned(), token });
        }
        self.appended(state, Urgency::Tokens)
    }

    fn appended(&self, mut state: MutexGuard<'_, State>, wanted: Urgency) -> Appended {
        let pending = &state.pending;
        let nothing = pending.records.is_empty() && pending.frames.is_empty() && state.open.is_empty();
        let wake_writer = Some(wanted).filter(|wanted| !nothing && state.urgency < Some(*wanted));
        state.urgency = state.urgency.max(wake_writer);
        let appended =
            Appended { position: state.position, wake_writer, full: state.pending_bytes > PENDING_BYTES };
        let shown_to = state.shown_to();
        drop(state);
        self.show(shown_to);
        appended
    }

    /// Takes everything that waits to be written.
    #[must_use]
    pub fn take(&self) -> Pending {
        let mut state = self.state();
        state.seal();
        state.urgency = None;
        state.pending_bytes = 0;
        let position = state.position;
        let mut pending = std::mem::take(&mut state.pending);
        pending.position = position;
        pending
    }

    /// Notes that what [`LiveRun::take`] returned is durable.
    pub fn committed(&self, pending: &Pending) {
        let mut state = self.state();
        if let (Some(first), Some(last)) = (pending.frames.first(), pending.frames.last()) {
            // This batch stays in memory until the next one: readers that keep up are just reading it.
            state.keep_from = first.seq;
            while state.not_durable.front().is_some_and(|seq| *seq <= last.seq) {
                state.not_durable.pop_front();
            }
            state.trim();
        }
        let shown_to = state.shown_to();
        drop(state);
        self.show(shown_to);
        let structural = pending.frames.iter().rev().find(|frame| !frame.is_token()).map(|frame| frame.seq);
        self.progress.send_modify(|progress| {
            progress.durable_to = progress.durable_to.max(pending.position);
            progress.structural_to = progress.structural_to.max(structural.unwrap_or_default());
        });
    }

    /// Notes the requests that the run's row holds.
    pub fn read_requests(&self, stored: &StoredRequests) {
        self.read(&self.skips, &stored.skips, "skips");
        self.read(&self.retries, &stored.retries, "retries");
        self.read(&self.corrections, &stored.corrections, "corrections");
    }

    fn read<T: PartialEq + DeserializeOwned>(&self, known: &Requests<T>, stored: &Value, what: &str) {
        match Vec::<T>::deserialize(stored) {
            Ok(requests) => known.note(requests),
            // A newer server may have written them.
            Err(error) => tracing::warn!(run.id = %self.id, %error, "the {what} of a run cannot be read"),
        }
    }

    /// Notes that another process owns the run.
    pub fn mark_lost(&self) {
        self.progress.send_modify(|progress| progress.lost = true);
    }

    /// Whether the run is this user's, and in this conversation.
    #[must_use]
    pub fn is_of(&self, user: &UserId, conversation: ConversationId) -> bool {
        self.user == *user && self.conversation == conversation
    }

    /// Stops the run, unless its outcome is fixed already. Returns whether it ends as stopped.
    pub fn stop(&self) -> bool {
        let state = self.state();
        if state.is_ending && !self.cancel.is_cancelled() {
            return false;
        }
        self.cancel.cancel();
        true
    }

    /// Fixes the run's outcome: from now on nobody can stop it. Returns whether somebody has stopped it before.
    pub fn end(&self) -> bool {
        let mut state = self.state();
        state.is_ending = true;
        self.cancel.is_cancelled()
    }

    /// Whether the caller has to record the request to stop: true for the first caller only.
    pub fn record_stop(&self) -> bool {
        !std::mem::replace(&mut self.state().records_stop, true)
    }

    /// Notes that the request to stop is recorded, and the run's status at that moment.
    pub fn stop_recorded(&self, status: RunStatus) {
        self.state().records_stop = true;
        self.progress.send_modify(|progress| progress.stop_recorded = Some(status));
    }

    /// Notes that the database refuses its records.
    pub fn mark_refused(&self) {
        self.progress.send_modify(|progress| {
            progress.refused = true;
            progress.lost = true;
        });
    }

    /// Notes that it is no longer executed here: a reader that waits for more has to read the log.
    pub fn mark_over(&self) {
        self.progress.send_modify(|progress| progress.over = true);
    }

    /// Waits until everything up to `position` is durable. Never returns when the run is lost: the caller is then
    /// dropped.
    pub async fn durable(&self, position: u64) {
        let mut progress = self.progress.subscribe();
        let reached = |progress: &Progress| progress.durable_to >= position && !progress.lost;
        // The sender lives in `self`: it cannot be gone.
        drop(progress.wait_for(reached).await.map(|_| ()));
    }

    /// Waits until everything appended so far is durable, for at most this long.
    pub async fn written(&self, most: Duration) {
        let position = self.state().position;
        let written = self.durable(position);
        drop(tokio::time::timeout(most, written).await);
    }

    /// Whether the database refuses its records.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.progress.borrow().refused
    }

    /// Waits until the run is lost to another owner.
    pub async fn lost(&self) {
        let mut progress = self.progress.subscribe();
        drop(progress.wait_for(|progress| progress.lost).await.map(|_| ()));
    }

    /// A receiver of the run's progress.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The events after number `after` that may be shown.
    #[must_use]
    pub fn recent(&self, after: u64) -> Recent {
        let shown_to = *self.shown_to.borrow();
        let mut state = self.state();
        if after < shown_to {
            state.seal();
        }
        if after < state.evicted_to {
            return Recent::Behind;
        }
        let first = state.ring.partition_point(|frame| frame.seq <= after);
        Recent::Frames(
            state.ring.iter().skip(first).take_while(|frame| frame.seq <= shown_to).cloned().collect(),
        )
    }

    /// A receiver of the number up to which events may be shown.
    #[must_use]
    pub fn shown_to(&self) -> watch::Receiver<u64> {
        self.shown_to.subscribe()
    }

    fn show(&self, shown_to: u64) {
        self.shown_to.send_if_modified(|known| {
            let further = shown_to > *known;
            *known = shown_to.max(*known);
            further
        });
    }
}

impl State {
    fn next_number(&mut self) -> u64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.position += 1;
        seq
    }

    /// Closes the open token events, because a reader or the writer takes them.
    fn seal(&mut self) {
        for open in std::mem::take(&mut self.open) {
            let json = frame::encode_token(&open.token);
            self.pending_bytes += json.len();
            self.log(Frame::encoded(open.seq, "", json, false));
        }
    }

    fn log(&mut self, frame: Frame) {
        self.ring_bytes += frame.json.len() + FRAME_BYTES;
        self.ring.push_back(frame.clone());
        self.pending.frames.push(frame);
        self.trim();
    }

    /// The last event that may be shown.
    fn shown_to(&self) -> u64 {
        let numbers = || self.ring.iter().map(|frame| frame.seq);
        match self.not_durable.front() {
            // Numbers ascend, and open token events come last.
            None => self.open.last().map(|open| open.seq).or_else(|| numbers().next_back()),
            Some(held) => {
                let shown = self.ring.partition_point(|frame| frame.seq < *held);
                shown.checked_sub(1).and_then(|last| self.ring.get(last)).map(|frame| frame.seq)
            }
        }
        .unwrap_or(self.evicted_to)
    }

    /// Drops old events, except those that only this ring has.
    fn trim(&mut self) {
        while self.ring_bytes > RING_BYTES
            && self.ring.front().is_some_and(|frame| frame.seq < self.keep_from)
        {
            if let Some(frame) = self.ring.pop_front() {
                self.ring_bytes -= frame.json.len() + FRAME_BYTES;
                self.evicted_to = frame.seq;
            }
        }
    }
}

fn size_of_record(record: &Record) -> usize {
    match record {
        Record::Call(row) => row.result.as_ref().map_or(0, String::len),
        Record::Decision(row) => row.value.len(),
        Record::Finish(_) | Record::Waits => 0,
    }
}

#[cfg(test)]
#[path = "live_tests.rs"]
mod tests;
