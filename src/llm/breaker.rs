//! A circuit breaker for a provider and each of its models, and a budget for retries. Together they keep the extra
//! calls that an outage causes far below a fifth.
//!
//! A model that fails [`MODEL_FAILURES`] times in a row is left alone for [`OPEN_FIRST`]; a
//! provider when [`PROVIDER_MODELS`] of its models have failed [`PROVIDER_FAILURES`] times and
//! none has answered in between. A call that comes in that time fails at once. Afterwards one call
//! probes while the others wait for its result: so that a question right after the outage gets the whole council, not
//! one member. A probe that fails doubles the time, up to [`OPEN_MAX`].
//!
//! A provider's circuit opens again only when the probes of [`PROBE_MODELS`] different models have
//! failed: a single dead model that happens to be asked first must not keep the others away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::error::{CallError, ErrorKind};

/// Failed tries in a row that open a model's circuit: more than a single call makes.
const MODEL_FAILURES: u32 = 5;
/// Failed tries in a row, over all its models, that open a provider's circuit.
const PROVIDER_FAILURES: u32 = 10;
/// How many different models must have failed among these.
const PROVIDER_MODELS: usize = 3;
/// How many different models must fail their probe before the provider's circuit opens again.
const PROBE_MODELS: usize = 2;
/// The first open time: short, since a person who asks again should get an answer.
const OPEN_FIRST: Duration = Duration::from_secs(5);
/// The longest open time.
const OPEN_MAX: Duration = Duration::from_secs(60);
/// The longest `Retry-After` that is believed.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);
/// A failure this long after the one before begins a new series.
const STALE: Duration = Duration::from_secs(300);
/// The most models remembered per provider. Ids come from requests, so there must be a bound.
const MODELS: usize = 1000;
/// How many model ids the metrics name; further ones become `other`.
const LABELS: usize = 50;
/// The most retries in the budget, which starts full.
const RETRY_RESERVE: f64 = 10.0;
/// What each call adds to the budget, in retries.
const RETRY_SHARE: f64 = 0.1;
/// How long the budget takes to regain one retry without any calls.
const RETRY_REFILL: Duration = Duration::from_secs(30);

/// The circuits and the retry budget of one provider.
#[derive(Debug)]
pub(super) struct Breaker {
    /// The provider's configured name.
    provider: String,
    state: Mutex<State>,
    /// Changes whenever a circuit opens or closes or a probe ends.
    changes: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    provider: Circuit,
    /// Models that have failed since the provider last answered; no more than are needed to open the circuit.
    failing: BTreeSet<String>,
    /// Models whose probes have failed since the provider's circuit became half open.
    probed: BTreeSet<String>,
    /// Only models with something to remember.
    models: BTreeMap<String, Circuit>,
    labels: BTreeSet<String>,
    last_probe: u64,
    retries: f64,
    refilled: Instant,
}

#[derive(Debug, Clone, Default)]
struct Circuit {
    /// Failed tries in a row.
    failures: u32,
    last_failure: Option<Instant>,
    open: Option<OpenCircuit>,
}

#[derive(Debug, Clone)]
struct OpenCircuit {
    until: Instant,
    length: Duration,
    reason: Reason,
    /// The probe under way, once the time is over.
    probe: Option<u64>,
}

/// Why a circuit is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Failing,
    /// The provider said when to come back.
    Limited,
}

/// What a try says about the model and its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It answers: a first token came, or a refusal that is about the request.
    Alive,
    /// It is down, overloaded or silent.
    Failed,
    /// It asks callers to wait this long.
    Limited(Duration),
    /// The try says nothing about it.
    Unknown,
}

impl Verdict {
    /// The verdict on a try that failed before its first token.
    pub fn on(error: &CallError) -> Self {
        match (error.kind, error.retry_after_ms) {
            (ErrorKind::Overloaded | ErrorKind::Timeout, _) => Self::Failed,
            // Missing credit does not come back with time, nor does a key's own limit.
            (ErrorKind::RateLimited, Some(ms)) if !matches!(error.status, Some(402 | 403)) => {
                Self::Limited(Duration::from_millis(ms))
            }
            (ErrorKind::Auth | ErrorKind::Refused | ErrorKind::ContextTooLong, _) => Self::Alive,
            (
                ErrorKind::RateLimited | ErrorKind::BadResponse | ErrorKind::Budget | ErrorKind::Cancelled,
                _,
            ) => Self::Unknown,
        }
    }
}

/// The answer to a call that wants to be sent.
pub(super) enum Admission<'b> {
    /// Send it, and report through the pass how it went.
    Go(Pass<'b>),
    /// Do not send it.
    Refused(Refusal),
    /// Another call probes: ask again after the next change.
    Wait,
}

/// A call that is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    whole_provider: bool,
    failures: u32,
    reason: Reason,
    wait: Duration,
}

impl Refusal {
    /// Whether the provider asked for the wait, so that waiting is the thing to do.
    pub fn is_a_limit(&self) -> bool {
        self.reason == Reason::Limited
    }
}

/// The right to send one try. If it is dropped without a verdict, it says nothing about the provider, and
/// lets the next one probe.
#[derive(Debug)]
pub(super) struct Pass<'b> {
    breaker: &'b Breaker,
    model: &'b str,
    /// Set when this try probes the provider, the model or both.
    probe: Option<u64>,
    settled: bool,
}

impl Pass<'_> {
    /// Reports that the first token has arrived; only the first report counts.
    pub fn answered(&mut self) {
        self.settle(Verdict::Alive);
    }

    /// The try is over; a verdict after the first changes nothing.
    pub fn settle(&mut self, verdict: Verdict) {
        if !std::mem::replace(&mut self.settled, true) {
            self.breaker.settle(self.model, self.probe, verdict);
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.settle(Verdict::Unknown);
    }
}

impl Breaker {
    /// The breaker of this provider, with all circuits closed.
    pub fn new(provider: &str) -> Self {
        let state = State {
            provider: Circuit::default(),
            failing: BTreeSet::new(),
            probed: BTreeSet::new(),
            models: BTreeMap::new(),
            labels: BTreeSet::new(),
            last_probe: 0,
            retries: RETRY_RESERVE,
            refilled: Instant::now(),
        };
        Self { provider: provider.to_owned(), state: Mutex::new(state), changes: watch::Sender::new(()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes whenever a call that waits should ask for admission again.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Why a call of this model would be refused now, if it would.
    pub fn refusal(&self, model: &str) -> Option<Refusal> {
        self.state().refusal(model, Instant::now())
    }

    /// Asks for permission to send a try.
    pub fn admit<'b>(&'b self, model: &'b str) -> Admission<'b> {
        let now = Instant::now();
        let mut state = self.state();
        if let Some(refusal) = state.refusal(model, now) {
            return Admission::Refused(refusal);
        }
        let state = &mut *state;
        let mut half_open: Vec<&mut OpenCircuit> = [Some(&mut state.provider), state.models.get_mut(model)]
            .into_iter()
            .flatten()
            .filter_map(|circuit| circuit.open.as_mut())
            .collect();
        if half_open.iter().any(|open| open.probe.is_some()) {
            return Admission::Wait;
        }
        let mut probe = None;
        for open in &mut half_open {
            open.probe = Some(*probe.get_or_insert_with(|| {
                state.last_probe += 1;
                state.last_probe
            }));
        }
        Admission::Go(Pass { breaker: self, model, probe, settled: false })
    }

    /// The error of a call that was not sent.
    pub fn refused(&self, refusal: Refusal, model: &str) -> CallError {
        let provider = &self.provider;
        let seconds = refusal.wait.as_millis().div_ceil(1000).max(1);
        let (kind, what) = match refusal {
            Refusal { reason: Reason::Limited, .. } => (
                ErrorKind::RateLimited,
                format!("{provider} limits the rate of requests to `{model}` and asked to wait"),
            ),
            Refusal { whole_provider: true, .. } => (
                ErrorKind::Overloaded,
                format!("{provider} fails for one model after the other, so `{model}` was not asked"),
            ),
            Refusal { failures, .. } => (
                ErrorKind::Overloaded,
                format!("{provider}: `{model}` failed {failures} times in a row, so it was not asked"),
            ),
        };
        CallError {
            retry_after_ms: u64::try_from(refusal.wait.as_millis()).ok(),
            tries: 0,
            ..CallError::new(kind, format!("{what}; it will be tried again in {seconds} s"))
        }
    }

    /// Adds the share of a retry that a call earns when it is sent for the first time.
    pub fn credit_retry(&self) {
        let mut state = self.state();
        state.retries = (state.retries + RETRY_SHARE).min(RETRY_RESERVE);
    }

    /// The provider's name in metrics and log lines.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Takes one retry out of the budget, if there is one.
    pub fn spend_retry(&self) -> bool {
        let mut state = self.state();
        let now = Instant::now();
        let back = (now - state.refilled).as_secs_f64() / RETRY_REFILL.as_secs_f64();
        state.refilled = now;
        state.retries = (state.retries + back).min(RETRY_RESERVE);
        let granted = state.retries >= 1.0;
        if granted {
            state.retries -= 1.0;
        }
        drop(state);
        let outcome = if granted { "sent" } else { "over_budget" };
        metrics::counter!("llm_council_retries_total", "provider" => self.provider.clone(), "outcome" => outcome)
            .increment(1);
        granted
    }

    fn settle(&self, model: &str, probe: Option<u64>, verdict: Verdict) {
        let mut state = self.state();
        let changes: Vec<(Change, String)> = state
            .settle(model, probe, verdict, Instant::now())
            .into_iter()
            .map(|change| {
                let label = match change {
                    Change::Provider(_) => String::new(),
                    Change::Model(_) => state.label(model),
                };
                (change, label)
            })
            .collect();
        drop(state);
        for (change, label) in &changes {
            self.report(change, model, label);
        }
        if probe.is_some() || !changes.is_empty() {
            self.changes.send_replace(());
        }
    }

    /// One log line and one count per change.
    fn report(&self, change: &Change, model: &str, label: &str) {
        let provider = self.provider.as_str();
        let state = match change {
            Change::Provider(Some(open_for)) => {
                let open_ms = open_for.as_millis();
                tracing::warn!(
                    provider,
                    open_ms,
                    "a provider fails for several models: its circuit is open, calls to it are not sent for now"
                );
                "open"
            }
            Change::Provider(None) => {
                tracing::info!(provider, "a provider answers again: its circuit is closed");
                "closed"
            }
            Change::Model(Some(open_for)) => {
                let open_ms = open_for.as_millis();
                tracing::warn!(
                    provider,
                    model,
                    open_ms,
                    "a model fails: its circuit is open, calls to it are not sent for now"
                );
                "open"
            }
            Change::Model(None) => {
                tracing::info!(provider, model, "a model answers again: its circuit is closed");
                "closed"
            }
        };
        metrics::counter!("llm_council_breaker_changes_total",
            "provider" => self.provider.clone(), "model" => label.to_owned(), "state" => state)
        .increment(1);
    }
}

/// A circuit that opened for this long, or closed (`None`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Provider(Option<Duration>),
    Model(Option<Duration>),
}

impl State {
    fn refusal(&self, model: &str, now: Instant) -> Option<Refusal> {
        [(Some(&self.provider), true), (self.models.get(model), false)].into_iter().find_map(
            |(circuit, whole_provider)| {
                let circuit = circuit?;
                let open = circuit.open.as_ref().filter(|open| now < open.until)?;
                Some(Refusal {
                    whole_provider,
                    failures: circuit.failures,
                    reason: open.reason,
                    wait: open.until - now,
                })
            },
        )
    }

    fn settle(&mut self, model: &str, probe: Option<u64>, verdict: Verdict, now: Instant) -> Vec<Change> {
        // What this try probed, if nothing else has settled that since.
        let probes = |circuit: Option<&mut Circuit>| {
            let open = circuit.and_then(|circuit| circuit.open.as_mut());
            let own = open.filter(|open| probe.is_some() && open.probe == probe);
            own.map(|open| open.probe = None).is_some()
        };
        let of_provider = probes(Some(&mut self.provider));
        let of_model = probes(self.models.get_mut(model));
        match verdict {
            Verdict::Alive => self.alive(model, of_model),
            Verdict::Limited(hold) => {
                let mut changes = self.alive(model, of_model);
                let hold = hold.min(MAX_RETRY_AFTER);
                if !hold.is_zero()
                    && let Some(circuit) = self.circuit(model, now)
                {
                    let open =
                        OpenCircuit { until: now + hold, length: hold, reason: Reason::Limited, probe: None };
                    circuit.open = Some(open);
                    changes.push(Change::Model(Some(hold)));
                }
                changes
            }
            Verdict::Failed => {
                let mut changes = Vec::new();
                // A probe for the provider is one for its model too.
                let enough = if of_provider { 1 } else { MODEL_FAILURES };
                let length = self.circuit(model, now).and_then(|circuit| circuit.fail(now, of_model, enough));
                changes.extend(length.map(|length| Change::Model(Some(length))));
                let length = self.provider_fails(model, of_provider, now);
                changes.extend(length.map(|length| Change::Provider(Some(length))));
                changes
            }
            Verdict::Unknown => Vec::new(),
        }
    }

    /// The provider answers: earlier failures of its models were the provider's own, and are forgotten.
    fn alive(&mut self, model: &str, probed: bool) -> Vec<Change> {
        let mut changes = Vec::new();
        let was_limited =
            |circuit: &Circuit| circuit.open.as_ref().is_some_and(|open| open.reason == Reason::Limited);
        // A wait that the provider asked for is not undone by a call that was already under way.
        if self.models.get(model).is_some_and(|circuit| probed || !was_limited(circuit))
            && let Some(circuit) = self.models.remove(model)
            && circuit.open.is_some()
        {
            changes.push(Change::Model(None));
        }
        self.failing.clear();
        self.probed.clear();
        let provider = std::mem::take(&mut self.provider);
        if provider.open.is_some() {
            changes.push(Change::Provider(None));
            self.models.retain(|_, circuit| was_limited(circuit));
        }
        changes
    }

    /// For how long the provider is left alone now, if this failure opens its circuit.
    fn provider_fails(&mut self, model: &str, probed: bool, now: Instant) -> Option<Duration> {
        if probed {
            self.probed.insert(model.to_owned());
            if self.probed.len() < PROBE_MODELS {
                return None;
            }
            self.probed.clear();
            return self.provider.fail(now, true, PROVIDER_FAILURES);
        }
        if self.provider.is_stale(now) {
            self.failing.clear();
        }
        if self.failing.len() < PROVIDER_MODELS {
            self.failing.insert(model.to_owned());
        }
        let enough = if self.failing.len() < PROVIDER_MODELS { u32::MAX } else { PROVIDER_FAILURES };
        self.provider.fail(now, false, enough)
    }

    /// The model's circuit, made if there is room for it.
    fn circuit(&mut self, model: &str, now: Instant) -> Option<&mut Circuit> {
        if !self.models.contains_key(model) {
            if self.models.len() >= MODELS {
                self.models.retain(|_, circuit| !circuit.is_stale(now));
            }
            if self.models.len() >= MODELS {
                return None;
            }
        }
        Some(self.models.entry(model.to_owned()).or_default())
    }

    fn label(&mut self, model: &str) -> String {
        if self.labels.contains(model) || self.labels.len() < LABELS {
            self.labels.insert(model.to_owned());
            model.to_owned()
        } else {
            "other".to_owned()
        }
    }
}

impl Circuit {
    /// Records a failure; returns for how long the circuit opens, if it does. `probe` says that the failed try was
    /// this circuit's own probe, `enough` how many failures in a row open it.
    fn fail(&mut self, now: Instant, probe: bool, enough: u32) -> Option<Duration> {
        if self.is_stale(now) {
            self.failures = 0;
        }
        self.last_failure = Some(now);
        self.failures = self.failures.saturating_add(1);
        let length = match &self.open {
            Some(open) if probe && open.reason == Reason::Failing => (open.length * 2).min(OPEN_MAX),
            Some(_) if probe => OPEN_FIRST,
            // Sent before it opened: known already.
            Some(_) => return None,
            None if self.failures >= enough => OPEN_FIRST,
            None => return None,
        };
        self.open = Some(OpenCircuit { until: now + length, length, reason: Reason::Failing, probe: None });
        Some(length)
    }

    /// Whether nothing in it matters any more.
    fn is_stale(&self, now: Instant) -> bool {
        let long_ago = |at: Instant| now.saturating_duration_since(at) > STALE;
        self.last_failure.is_none_or(long_ago)
            && self.open.as_ref().is_none_or(|open| open.probe.is_none() && long_ago(open.until))
    }
}

#[cfg(test)]
#[path = "breaker_tests.rs"]
mod tests;
