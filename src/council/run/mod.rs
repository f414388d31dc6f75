//! What a deliberation stands on. Every way out of the deterministic code goes through [`Run`]:
//! [`Run::call`] asks a model, [`Run::decide`] remembers a fact, [`Run::emit`] tells the client.
//!
//! After a crash the whole deliberation is executed again from the top: finished keys are answered
//! from the journal, so the second execution runs through the finished part in milliseconds and
//! goes on where the first one died.

mod call;
mod host;
mod speaking_order;
mod traced;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::FutureExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

pub use call::Call;
pub use host::{FinishedCall, Host, UnderWay};
pub use speaking_order::SpeakingTurn;

use super::any_event::AnyEvent;
use super::correction::{Correction, Corrections};
use super::costs::{Costs, Spent};
use super::earlier::{AnswerToKeep, EarlierAnswer, EarlierLookup, EarlierQuery, KeepOutcome};
use super::member_retry::{MAX_RETRIES, MemberRetry, Retries};
use super::note::{EVERYTHING, Note};
use super::pictures::Pictures;
use super::run_event::RunEvent;
use super::searching::state::Searches;
use super::skip::Skip;
use super::stage::Stage;
use crate::id::RunId;
use crate::llm::{CallFact, Models};
use crate::trace::{Parts, Span};
use speaking_order::SpeakingOrder;

/// One run's connection to the world. Cheap to share by reference; a feature never spawns.
pub struct Run {
    id: RunId,
    /// What random choices are made of: its own id, or that of the run whose choices it repeats.
    seed: RunId,
    host: Arc<dyn Host>,
    models: Arc<dyn Models>,
    state: Mutex<State>,
    /// How many calls may be in flight at once; without a limit until one is set.
    places: OnceLock<Semaphore>,
    /// Where members speak one after another.
    speaking_order: OnceLock<SpeakingOrder>,
    /// How much the process monitor says; nothing until it is set.
    verbosity: OnceLock<u8>,
    /// Whether the process monitor makes remarks in addition to its sentences about events.
    remarks: OnceLock<bool>,
    /// Members that a stage goes on without.
    stopped: watch::Sender<BTreeMap<(Stage, String), Stopped>>,
    /// Members that a person wants asked again.
    wanted: watch::Sender<BTreeSet<MemberRetry>>,
    /// What was added to the question. Locked while one is added and its event is sent.
    corrections: tokio::sync::Mutex<Corrections>,
    /// What was searched for.
    pub(super) searches: Searches,
    /// What the question comes with, where it comes with pictures.
    pictures: Option<Pictures>,
    /// Spans for tracing: the stages before the run, so that they are dropped in this order.
    stages: Parts,
    trace: Span,
}

/// Why a stage goes on without a member.
#[derive(Debug, Clone)]
struct Stopped {
    fact: CallFact,
    /// A person asked for it.
    skipped: bool,
}

#[derive(Default)]
struct State {
    /// By key, so that sums come out the same in every execution.
    spent: BTreeMap<String, Spent>,
    under_way: BTreeMap<String, UnderWay>,
    /// How often members were asked again, in this execution and those before.
    retries: Retries,
}

impl Run {
    /// A run over this journal and these models.
    pub fn new(id: RunId, host: Arc<dyn Host>, models: Arc<dyn Models>) -> Self {
        let corrections = tokio::sync::Mutex::new(host.corrections());
        let state = Mutex::new(State { retries: host.retries(), ..State::default() });
        Self {
            id,
            seed: id,
            host,
            models,
            state,
            places: OnceLock::new(),
            speaking_order: OnceLock::new(),
            verbosity: OnceLock::new(),
            remarks: OnceLock::new(),
            stopped: watch::Sender::default(),
            wanted: watch::Sender::default(),
            corrections,
            searches: Searches::default(),
            pictures: None,
            stages: Parts::default(),
            trace: Span::default(),
        }
    }

    /// Traces what goes on, within this span.
    #[must_use]
    pub fn traced(self, trace: Span) -> Self {
        Self { trace, ..self }
    }

    /// Repeats the random choices of another run.
    #[must_use]
    pub fn choosing_like(self, seed: RunId) -> Self {
        Self { seed, ..self }
    }

    /// Shows these pictures to models that see them, wherever they read the files.
    #[must_use]
    pub fn showing(self, pictures: Pictures) -> Self {
        Self { pictures: Some(pictures), ..self }
    }

    /// Lets at most `most` calls be in flight at once from now on; the first limit stands.
    pub fn limit_calls(&self, most: usize) {
        self.places.get_or_init(|| Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
    }

    /// Lets members speak one after another from now on.
    pub fn one_at_a_time(&self) {
        self.speaking_order.get_or_init(SpeakingOrder::default);
    }

    /// A place among those who speak one after another; none where all speak at once. See [`SpeakingTurn`].
    #[must_use]
    pub fn turn(&self) -> Option<SpeakingTurn<'_>> {
        self.speaking_order.get().map(SpeakingOrder::take)
    }

    /// Whether a member waits for a turn.
    pub(super) fn has_waiting_turns(&self) -> bool {
        self.speaking_order.get().is_some_and(SpeakingOrder::has_waiting)
    }

    /// Ends when nobody waits for a turn any more.
    pub(super) async fn last_turn(&self) {
        if let Some(speaking_order) = self.speaking_order.get() {
            speaking_order.wait_for_last().await;
        }
    }

    /// Lets the process monitor say what goes on from now on, up to this level, with or without remarks; the first
    /// one stands.
    pub fn explain(&self, verbosity: u8, remarks: bool) {
        self.verbosity.get_or_init(|| verbosity);
        self.remarks.get_or_init(|| remarks);
    }

    /// The title that a person has given the conversation during the run, where one has. Only for what is written once
    /// under its key.
    pub async fn own_title(&self) -> Option<String> {
        self.host.own_title().await
    }

    /// Remembers a fact that could come out differently next time, before it is acted upon.
    ///
    /// A stored fact that can no longer be read is decided afresh: that is a programming error of
    /// a release, logged as such.
    pub async fn decide<T, F>(&self, key: &str, fact: F) -> T
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = T>,
    {
        if let Some(known) = self.decided(key) {
            return known;
        }
        let fact = fact.await;
        if let Some(value) = self.to_store(key, &fact) {
            self.host.commit_decision(key, value).await;
        }
        fact
    }

    /// Like [`Self::decide`], where all that follows from the fact is logged by this run: that comes after it in the log,
    /// so nothing waits until it is durable.
    async fn decide_ahead<T: Serialize + DeserializeOwned>(&self, key: &str, fact: T) -> T {
        if let Some(known) = self.decided(key) {
            return known;
        }
        if let Some(value) = self.to_store(key, &fact) {
            self.host.note_decision(key, value).await;
        }
        fact
    }

    fn to_store(&self, key: &str, fact: &impl Serialize) -> Option<Value> {
        let value = serde_json::to_value(fact);
        value
            .inspect_err(|error| {
                tracing::error!(run.id = %self.id, key, %error, "a decision cannot be stored");
            })
            .ok()
    }

    /// What an earlier execution decided under this key.
    pub(super) fn decided<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_value(self.host.decision(key)?)
            .inspect_err(|error| {
                tracing::error!(run.id = %self.id, key, %error, "a stored decision cannot be read");
            })
            .ok()
    }

    /// Ends this member's calls of a stage, those under way and those to come: as failed, with
    /// this fact and what had arrived.
    pub(super) fn stop(&self, stage: &Stage, member: &str, fact: CallFact) {
        self.end_calls(stage, member, Stopped { fact, skipped: false });
    }

    /// Ends a member's calls because a person asks for it; the client is told of each call that ends.
    pub fn skip(&self, skip: &Skip) {
        self.end_calls(&skip.stage, &skip.member, Stopped { fact: CallFact::Skipped, skipped: true });
    }

    fn end_calls(&self, stage: &Stage, member: &str, why: Stopped) {
        self.stopped.send_modify(|stopped| {
            stopped.entry((stage.clone(), member.to_owned())).or_insert(why);
        });
    }

    /// Notes that a person wants a member asked again. It is asked if it has failed and others are still waited for with
    /// it ([`Run::quorum`]).
    pub fn retry(&self, wanted: &MemberRetry) {
        self.wanted.send_if_modified(|known| known.insert(wanted.clone()));
    }

    /// The members that a person wants asked again, as they change.
    pub(super) fn wanted_retries(&self) -> watch::Receiver<BTreeSet<MemberRetry>> {
        self.wanted.subscribe()
    }

    /// Counts a retry as begun, if it is the member's next one. Returns whether it is.
    pub(super) fn begin_retry(&self, wanted: &MemberRetry) -> bool {
        let mut state = self.state();
        let begun = state.retries.entry((wanted.stage.clone(), wanted.member.clone())).or_default();
        let is_next = wanted.number == *begun + 1 && wanted.number <= MAX_RETRIES;
        if is_next {
            *begun = wanted.number;
        }
        is_next
    }

    /// How often a member was asked again, in this execution and those before.
    pub(super) fn retries_of(&self, stage: &Stage, member: &str) -> u32 {
        let seat = (stage.clone(), member.to_owned());
        self.state().retries.get(&seat).copied().unwrap_or_default()
    }

    /// Whether a call of this member has its result, and only waits for the commit.
    pub(super) fn has_result(&self, stage: &Stage, member: &str) -> bool {
        let of_member = |call: &UnderWay| call.stage == *stage && call.member.as_deref() == Some(member);
        self.state().under_way.values().any(|call| call.in_hand && of_member(call))
    }

    /// Ends when calls of this kind are to be stopped; says why.
    async fn stopped(&self, stage: &Stage, member: Option<&str>) -> Stopped {
        let Some(member) = member else { return std::future::pending().await };
        let seat = (stage.clone(), member.to_owned());
        let mut stopped = self.stopped.subscribe();
        match stopped.wait_for(|stopped| stopped.contains_key(&seat)).await {
            Ok(stopped) => stopped[&seat].clone(),
            // The sender lives in `self`.
            Err(_) => unreachable!("the run is gone"),
        }
    }

    /// Ends when a person wants the run to go on without this: here not a seat, but an answer to a question that the
    /// run asks.
    pub(super) async fn skipped(&self, stage: &Stage, name: &str) {
        self.stopped(stage, Some(name)).await;
    }

    /// Begins with what was added to the question in the run that this one goes on from: before anybody can add the same
    /// again.
    pub async fn know_corrections(&self, known: &[Correction]) {
        let mut corrections = self.corrections.lock().await;
        let mut known: Vec<Correction> =
            known.iter().filter(|known| !corrections.has(&known.id)).cloned().collect();
        known.append(&mut corrections.taken);
        corrections.taken = known;
    }

    /// Adds a person's correction to the question, and tells the client, unless it is too late.
    pub async fn correct(&self, correction: &Correction) {
        let mut corrections = self.corrections.lock().await;
        if corrections.closed || corrections.has(&correction.id) {
            return;
        }
        let event = RunEvent::CorrectionAdded { data: correction.clone() };
        self.emit(&format!("correction/{}", correction.id), event).await;
        corrections.taken.push(correction.clone());
    }

    /// What was added to the question. Nothing more is taken in from now on.
    pub(super) async fn take_corrections(&self) -> Vec<Correction> {
        let mut corrections = self.corrections.lock().await;
        corrections.closed = true;
        corrections.taken.clone()
    }

    /// Whether the question is still as it was asked. `closes`: if it is, nothing is taken in from now on.
    pub(super) async fn is_as_asked(&self, closes: bool) -> bool {
        let mut corrections = self.corrections.lock().await;
        let is_as_asked = corrections.taken.is_empty();
        corrections.closed |= is_as_asked && closes;
        is_as_asked
    }

    async fn place(&self) -> Option<SemaphorePermit<'_>> {
        Some(self.places.get()?.acquire().await.expect("the semaphore is never closed"))
    }

    /// Tells the client, once: `key` is the event's place in the deliberation. What the process monitor
    /// has to say of it follows.
    pub async fn emit(&self, key: &str, event: impl Into<AnyEvent>) {
        let event = event.into();
        let verbosity = self.verbosity.get().copied().unwrap_or_default();
        // Made only for those who asked: most runs are silent.
        let note = if verbosity > 0 { event.note() } else { None };
        let remark = if self.makes_remarks() { event.remark() } else { None };
        self.host.publish(key, event).await;
        if let Some(note) = note.filter(|note| note.level <= verbosity) {
            let event = note.at(self.host.now());
            self.host.publish(&format!("{key}/process"), event.into()).await;
        }
        if let Some(note) = remark {
            self.remark(key, || note).await;
        }
    }

    /// Lets the process monitor say what no event shows, at the highest verbosity. `key` is its place in the
    /// deliberation: it is said once.
    pub(super) async fn remark(&self, key: &str, note: impl FnOnce() -> Note) {
        if self.makes_remarks() {
            let event = note().at(self.host.now());
            self.host.publish(&format!("{key}/remark"), event.into()).await;
        }
    }

    fn makes_remarks(&self) -> bool {
        self.verbosity.get() == Some(&EVERYTHING) && self.remarks.get() == Some(&true)
    }

    /// Sends the client an event of an earlier run. The process monitor says nothing about it: it happened then.
    pub async fn repeat(&self, key: &str, event: AnyEvent) {
        self.host.publish(key, event).await;
    }

    /// Looks for an answer that may be given again. The result may be different next time.
    pub async fn earlier(&self, query: &EarlierQuery<'_>) -> EarlierLookup {
        self.host.earlier(query).await
    }

    /// See [`Host::events_of`].
    pub async fn events_of(&self, answer: &EarlierAnswer) -> Option<Vec<Value>> {
        self.host.events_of(answer).await
    }

    /// See [`Host::note_look`].
    pub async fn note_look(&self, hit: Option<&EarlierAnswer>, embedding_failed: bool) -> Option<u32> {
        self.host.note_look(hit, embedding_failed).await
    }

    /// See [`Host::keep`].
    pub async fn keep(&self, keep: &AnswerToKeep<'_>) -> KeepOutcome {
        self.host.keep(keep).await
    }

    /// Runs `side` beside `main` without ever delaying it, so `main` takes precedence. Gives the result of `side` if it
    /// was there when `main` ended, which is remembered under `key`. No model may be asked because of it
    /// ([`Self::decide_ahead`]).
    pub async fn beside<M, S>(
        &self,
        key: &str,
        main: impl Future<Output = M>,
        side: impl Future<Output = S>,
    ) -> (M, Option<S>) {
        let mut side = std::pin::pin!(side);
        let mut made = None;
        let main = {
            let mut main = std::pin::pin!(main);
            loop {
                tokio::select! {
                    biased;
                    result = &mut main => break result,
                    result = &mut side, if made.is_none() => made = Some(result),
                }
            }
        };
        if made.is_none() {
            made = side.as_mut().now_or_never();
        }
        let in_time = self.decide_ahead(key, made.is_some()).await;
        if in_time && made.is_none() {
            // The first execution had it in time: its calls are in the journal.
            made = Some(side.await);
        }
        (main, made.filter(|_| in_time))
    }

    /// Randomness that is the same in every execution: seeded by a run's id and the purpose.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> ChaCha8Rng {
        let mut hash = Sha256::new();
        hash.update(self.seed.0.as_bytes());
        hash.update(purpose.as_bytes());
        ChaCha8Rng::from_seed(hash.finalize().into())
    }

    /// Shuffles in place (Fisher–Yates), the same way in every execution.
    pub fn shuffle<T>(&self, purpose: &str, items: &mut [T]) {
        let mut rng = self.rng(purpose);
        for last in (1..items.len()).rev() {
            // The bias of the modulo over 64 bits is far below anything seven items could show.
            let pick = usize::try_from(rng.next_u64() % (last as u64 + 1)).unwrap_or(0);
            items.swap(last, pick);
        }
    }

    /// A marker that nobody can guess before the run exists, the same in every execution.
    #[must_use]
    pub fn marker(&self) -> String {
        format!("{:016x}", self.rng("fence").next_u64())
    }

    /// The time, as events tell it (RFC 3339, UTC); another in every execution, see [`Host::now`].
    #[must_use]
    pub fn now(&self) -> String {
        format!("{:.3}", self.host.now())
    }

    /// The time; another in every execution, see [`Host::now`].
    #[must_use]
    pub fn time(&self) -> jiff::Timestamp {
        self.host.now()
    }

    /// Whether this model's answers are made up by the simulated provider.
    #[must_use]
    pub fn is_simulated(&self, model: &str) -> bool {
        self.models.is_simulated(model)
    }

    /// Whether this model's replies can be held to a schema, as far as is known now. It may come
    /// out otherwise in another execution: what depends on it is decided by [`Run::decide`]. A
    /// request may carry a schema either way.
    #[must_use]
    pub fn offers_schema(&self, model: &str) -> bool {
        self.models.offers_schema(model)
    }

    /// Whether this model can be offered tools, as far as is known now. It may come out otherwise in another execution:
    /// what depends on it is decided by [`Run::decide`].
    #[must_use]
    pub fn offers_tools(&self, model: &str) -> bool {
        self.models.offers_tools(model)
    }

    /// Whether this model is on offer, as far as is known now. It may come out otherwise in another
    /// execution: what depends on it is decided by [`Run::decide`].
    #[must_use]
    pub fn is_available(&self, model: &str) -> bool {
        self.models.is_available(model)
    }

    /// How many tokens this model can read and write in one call, as far as is known now. It may come out otherwise
    /// in another execution: what depends on it is decided by [`Run::decide`].
    #[must_use]
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        self.models.context_tokens(model)
    }

    /// What the calls cost, by stage. A call that is not over counts as one that is dropped now.
    #[must_use]
    pub fn costs(&self) -> Costs {
        let state = self.state();
        let mut spent = state.spent.clone();
        for call in state.under_way.values() {
            let dropped = || Spent::on(&call.stage, &call.model, &Err(call.dropped(CallFact::Unfinished)));
            spent.entry(call.key.clone()).or_insert_with(dropped);
        }
        Costs::of(spent.values())
    }

    /// What the finished calls of one stage cost.
    #[must_use]
    pub fn costs_of(&self, stage: &Stage) -> Costs {
        Costs::of(self.state().spent.values().filter(|spent| spent.stage() == stage))
    }

    /// The calls that are sent and not over.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay> {
        self.state().under_way.values().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
