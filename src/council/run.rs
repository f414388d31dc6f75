//! What a deliberation stands on. Every way out of the deterministic code goes through [`Run`]:
//! [`Run::call`] asks a model, [`Run::decide`] remembers a fact, [`Run::emit`] tells the client.
//!
//! After a crash the whole deliberation is executed again from the top: finished keys are answered
//! from the journal, so the second execution runs through the finished part in milliseconds and
//! goes on where the first one died.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::any_event::AnyEvent;
use super::costs::{Costs, Spent};
use super::fingerprint::Fingerprint;
use super::pricing;
use super::run_event::{CallRestarted, RunEvent};
use super::skip::Skip;
use super::stage::Stage;
use super::token::Token;
use super::view::View;
use crate::id::RunId;
use crate::llm::{
    CallError, CallFact, ChatRequest, Chunk, DeltaSink, ErrorKind, Models, Purpose, Reply, Usage, counted_as,
};

/// A model call that is over, well or badly: what the journal keeps and answers from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedCall {
    /// The call's place in the deliberation (`stage1/openai/gpt-5.1`), the same in every execution.
    pub key: String,
    pub stage: Stage,
    pub model: String,
    /// What it was for: the name of its [`Purpose`].
    pub purpose: Cow<'static, str>,
    /// What it asked, comparable with a request: see [`Fingerprint`].
    pub fingerprint: String,
    /// What it was expected to cost, in USD; absent where the model's price was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_usd: Option<f64>,
    pub result: Result<Reply, CallError>,
}

impl FinishedCall {
    /// The model that it counts for: the one that answered, where a floating name was asked.
    #[must_use]
    pub fn counted_as(&self) -> &str {
        let reply = self.result.as_ref().map_or_else(|error| error.partial.as_deref(), Some);
        counted_as(&self.model, reply.and_then(|reply| reply.served_by.as_deref()))
    }

    /// What budgets take it to have cost: what was expected of it, where it reached a model and nobody
    /// told its cost. Absent for all others.
    #[must_use]
    pub fn assumed_usd(&self) -> Option<f64> {
        let is_unknown = Spent::on(&self.stage, &self.result).is_unknown();
        self.expected_usd.filter(|_| is_unknown)
    }
}

/// The journal and the event log under a run. Implemented by `runs` over Postgres, and in memory.
///
/// A host that has lost the run (fenced by another owner, or shutting down) never returns from a
/// commit: the run's future waits there until it is dropped.
#[async_trait]
pub trait Host: Send + Sync {
    /// The finished call under this key, if an earlier execution made it.
    fn finished_call(&self, key: &str) -> Option<FinishedCall>;

    /// The finished call under this key of the run that this one goes on from, if it asked just this.
    fn carried_call(&self, _key: &str, _fingerprint: Fingerprint<'_>) -> Option<FinishedCall> {
        None
    }

    /// A second execution asks something else under this key than the first one did, whose answer stands.
    fn asks_something_else(&self, _key: &str) {}

    /// The fact decided under this key, if an earlier execution did.
    fn decision(&self, key: &str) -> Option<Value>;

    /// Makes a finished call durable; returns when it is.
    async fn commit_call(&self, call: FinishedCall);

    /// Makes a fact durable; returns when it is.
    async fn commit_decision(&self, key: &str, value: Value);

    /// Logs a structural event: written once under its key, and shown only when it and every earlier
    /// record of the run are durable.
    async fn publish(&self, key: &str, event: AnyEvent);

    /// Logs a token of this call: shown at once. Tokens of one text that nobody has read yet may
    /// become one.
    async fn stream(&self, call: &str, token: Token);

    /// Which execution this is, 1 for the first.
    fn attempt(&self) -> u32;

    /// What time it is. Only for what is written once under its key, as events are: the next
    /// execution finds another time.
    fn now(&self) -> Timestamp;

    /// Takes what a call is expected to cost, in USD (unknown when absent), out of the budgets that
    /// bind the run, before it is sent; [`Host::commit_call`] settles it. Without budgets nothing is
    /// taken.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`] when it does not fit: the call is over, without having been sent.
    async fn reserve(&self, _call: &str, _usd: Option<f64>) -> Result<(), CallError> {
        Ok(())
    }
}

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
    /// How much the process monitor says; nothing until it is told.
    verbosity: OnceLock<u8>,
    /// Members that a stage goes on without.
    stopped: watch::Sender<BTreeMap<(Stage, String), Stopped>>,
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
}

/// A call that has been sent and is not over: what is kept of it when the run is cancelled.
#[derive(Debug, Clone)]
pub struct UnderWay {
    pub key: String,
    pub stage: Stage,
    pub model: String,
    /// The seat's name, where the call belongs to one.
    pub member: Option<String>,
    pub purpose: &'static Purpose,
    pub fingerprint: String,
    /// What it will probably cost, in USD, where that is known.
    pub expected_usd: Option<f64>,
    /// The text shown so far.
    pub text: String,
    /// Whether the request has gone out, in this execution or perhaps in an earlier one. Until then it
    /// waits for its place at the provider, and costs nothing.
    pub(super) sent: bool,
    /// The model is done with it; the result only waits for its commit.
    pub(super) in_hand: bool,
}

impl UnderWay {
    /// The call's result when nobody waits for its end any more. Whether the provider charges for one
    /// that was sent is unknown, unless the model is free, as the simulated ones are.
    #[must_use]
    pub fn dropped(&self, fact: CallFact) -> CallError {
        let is_free = self.expected_usd.is_some_and(|usd| usd <= 0.0);
        let usage = is_free.then(|| Usage { cost_usd: Some(0.0), ..Usage::default() });
        let arrived = || Box::new(Reply { text: self.text.clone(), usage, ..Reply::default() });
        CallError {
            reached: self.sent,
            partial: self.sent.then(arrived),
            tries: u32::from(self.sent),
            ..CallError::from(fact)
        }
    }
}

impl Run {
    /// A run over this journal and these models.
    pub fn new(id: RunId, host: Arc<dyn Host>, models: Arc<dyn Models>) -> Self {
        Self {
            id,
            seed: id,
            host,
            models,
            state: Mutex::default(),
            places: OnceLock::new(),
            verbosity: OnceLock::new(),
            stopped: watch::Sender::default(),
        }
    }

    /// Repeats the random choices of another run.
    #[must_use]
    pub fn choosing_like(self, seed: RunId) -> Self {
        Self { seed, ..self }
    }

    /// Lets at most `most` calls be in flight at once from now on; the first limit stands.
    pub fn limit_calls(&self, most: usize) {
        self.places.get_or_init(|| Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
    }

    /// Lets the process monitor say what goes on from now on, up to this level; the first one stands.
    pub fn explain(&self, verbosity: u8) {
        self.verbosity.get_or_init(|| verbosity);
    }

    /// A request to a model, to be sent by [`Call::send`]. `key` names its place in the
    /// deliberation, never a counter of arrival.
    pub fn call(&self, stage: Stage, key: impl Into<String>, request: ChatRequest) -> Call<'_> {
        Call { run: self, stage, key: key.into(), request, member: None, view: None, needs_place: true }
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
        match serde_json::to_value(&fact) {
            Ok(value) => self.host.commit_decision(key, value).await,
            Err(error) => tracing::error!(run.id = %self.id, key, %error, "a decision cannot be stored"),
        }
        fact
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

    /// The same because a person asks for it; the client is told for each call that it ends.
    pub fn skip(&self, skip: &Skip) {
        self.end_calls(&skip.stage, &skip.member, Stopped { fact: CallFact::Skipped, skipped: true });
    }

    fn end_calls(&self, stage: &Stage, member: &str, why: Stopped) {
        self.stopped.send_modify(|stopped| {
            stopped.entry((stage.clone(), member.to_owned())).or_insert(why);
        });
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
        self.host.publish(key, event).await;
        if let Some(note) = note.filter(|note| note.level <= verbosity) {
            let event = note.at(self.host.now());
            self.host.publish(&format!("{key}/process"), event.into()).await;
        }
    }

    /// Runs `side` beside `main` without ever delaying it, so `main` comes first wherever they meet: the
    /// result of `side` if it was there when `main` ended, which is remembered under `key`.
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
        let in_time = self.decide(key, async { made.is_some() }).await;
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

    /// Whether this model is on offer, as far as is known now. It may come out otherwise in another
    /// execution: what depends on it is decided by [`Run::decide`].
    #[must_use]
    pub fn is_available(&self, model: &str) -> bool {
        self.models.is_available(model)
    }

    /// What the calls cost, by stage. A call that is not over counts as one that is dropped now.
    #[must_use]
    pub fn costs(&self) -> Costs {
        let state = self.state();
        let mut spent = state.spent.clone();
        for call in state.under_way.values() {
            let dropped = || Spent::on(&call.stage, &Err(call.dropped(CallFact::Unfinished)));
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

/// One request on its way out; see [`Run::call`].
pub struct Call<'r> {
    run: &'r Run,
    stage: Stage,
    key: String,
    request: ChatRequest,
    member: Option<String>,
    view: Option<View>,
    needs_place: bool,
}

impl<'r> Call<'r> {
    /// Takes none of the run's places for calls: what goes on beside the run keeps nobody waiting.
    #[must_use]
    pub fn beside_the_run(self) -> Self {
        Self { needs_place: false, ..self }
    }

    /// Shows the reply while it arrives.
    #[must_use]
    pub fn stream(self, view: View) -> Self {
        Self { view: Some(view), ..self }
    }

    /// Says which seat it belongs to.
    #[must_use]
    pub fn of_member(mut self, name: &str) -> Self {
        self.member = Some(name.to_owned());
        self
    }

    /// The result: from the journal if an earlier execution has it, else from the model.
    ///
    /// # Errors
    /// The call's own failure, after retries: a value like any other.
    pub async fn send(self) -> Result<Reply, CallError> {
        let Self { run, stage, key, mut request, member, view, needs_place } = self;
        request.seed = seed_of(run.id, &key);
        let fingerprint = Fingerprint::of(&request);
        if let Some(finished) = run.host.finished_call(&key) {
            if !fingerprint.is(&finished.fingerprint) {
                run.host.asks_something_else(&key);
                metrics::counter!("llm_council_journal_mismatches_total").increment(1);
                tracing::warn!(run.id = %run.id, key, "a second execution asks something else; the first answer stands");
            }
            run.state().spent.insert(key, Spent::on(&stage, &finished.result));
            return finished.result;
        }
        // Paid by the run before this one, so it is none of this one's costs.
        if let Some(carried) = run.host.carried_call(&key, fingerprint) {
            return carried.result;
        }

        let fingerprint = fingerprint.text();
        let streamed = view.is_some();
        let expected_usd = pricing::of_request(&request, run.models.as_ref());
        let call = UnderWay {
            key: key.clone(),
            stage: stage.clone(),
            model: request.model.clone(),
            member: member.clone(),
            purpose: request.purpose,
            fingerprint: fingerprint.clone(),
            expected_usd,
            text: String::new(),
            sent: run.host.attempt() > 1,
            in_hand: false,
        };
        let mut sink = Showing { run, key: &key, view };
        let asking = async {
            let _place = if needs_place { run.place().await } else { None };
            run.host.reserve(&key, expected_usd).await?;
            if streamed && run.host.attempt() > 1 {
                let event = CallRestarted {
                    stage: stage.clone(),
                    model: request.model.clone(),
                    member: member.clone(),
                };
                let restart = format!("restart/{}/{key}", run.host.attempt());
                run.emit(&restart, RunEvent::CallRestarted(event)).await;
            }
            run.state().under_way.insert(key.clone(), call.clone());
            run.models.chat(&request, &mut sink).await
        };
        let asked = tokio::select! {
            biased;
            reason = run.stopped(&stage, member.as_deref()) => Err(reason),
            result = asking => Ok(result),
        };
        sink.end().await;
        let result = match asked {
            Ok(result) => result,
            Err(stopped) => {
                if stopped.skipped {
                    let (member, model) = (member.unwrap_or_default(), request.model.clone());
                    let event = RunEvent::MemberSkipped { member, model, stage: stage.clone() };
                    run.emit(&format!("skip/{key}"), event).await;
                }
                let known = run.state().under_way.get(&key).cloned();
                Err(known.unwrap_or(call).dropped(stopped.fact))
            }
        };
        if result.as_ref().is_err_and(|error| error.kind == ErrorKind::Auth) {
            // Nobody but the operator can help, so it is for them, not only for who asked.
            tracing::error!(run.id = %run.id, model = request.model, "a provider refused this server's key");
        }
        {
            let mut state = run.state();
            state.spent.insert(key.clone(), Spent::on(&stage, &result));
            if let Some(call) = state.under_way.get_mut(&key) {
                call.in_hand = true;
            }
        }
        run.host
            .commit_call(FinishedCall {
                key: key.clone(),
                stage,
                model: request.model,
                purpose: request.purpose.name.into(),
                fingerprint,
                expected_usd,
                result: result.clone(),
            })
            .await;
        run.state().under_way.remove(&key);
        result
    }
}

struct Showing<'a> {
    run: &'a Run,
    key: &'a str,
    view: Option<View>,
}

impl Showing<'_> {
    async fn show(&mut self, token: Option<Token>) {
        let Some(token) = token else { return };
        if let Some(view) = &mut self.view {
            let shown = view.take_shown();
            if let Some(call) = self.run.state().under_way.get_mut(self.key) {
                call.text.push_str(&shown);
            }
        }
        self.run.host.stream(self.key, token).await;
    }

    async fn end(&mut self) {
        let token = self.view.as_mut().and_then(View::end);
        self.show(token).await;
    }
}

#[async_trait]
impl DeltaSink for Showing<'_> {
    fn sent(&mut self) {
        if let Some(call) = self.run.state().under_way.get_mut(self.key) {
            call.sent = true;
        }
    }

    async fn push(&mut self, chunk: &Chunk) {
        let token = self.view.as_mut().and_then(|view| view.chunk(chunk));
        self.show(token).await;
    }
}

fn seed_of(id: RunId, key: &str) -> u64 {
    let mut hash = Sha256::new();
    hash.update(id.0.as_bytes());
    hash.update(key.as_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    digest.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
