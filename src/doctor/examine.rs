//! The examination from beginning to end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;

use super::advice::Advice;
use super::allowance::{Allowance, Grant, Need};
use super::database::{self, Database};
use super::model_fact::ProbeFact;
use super::options::{ExaminationOptions, SeenRequest};
use super::probe::{self, ProbeOutcome};
use super::prompts;
use super::report::{ModelCheck, Price, Probe, ProbeKind, Report, Seat, State};
use super::seats::{self, Seated};
use super::verdict;
use super::{checks, providers};
use crate::config::Config;
use crate::council::pricing;
use crate::identity::Gate;
use crate::llm::{
    CallError, ChatRequest, ErrorKind, Models, ProviderSettings, Registry, RegistryError, Reply, RetryPolicy,
};
use crate::objects::Objects;
use crate::store::Db;

/// How many models are asked at once.
const AT_ONCE: usize = 4;
/// Tokens in USD are given per million.
const MILLION: f64 = 1e6;

/// Makes the calls of an examination, and charges them where there is a ledger.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Asks these models, which are set up for this examination: no retries, and nothing known of earlier failures.
    async fn ask(&self, models: Arc<dyn Models>, request: ChatRequest) -> Result<Reply, CallError>;
}

/// A server, as it is configured.
#[derive(Debug, Clone, Copy)]
pub struct Server<'a> {
    pub config: &'a Config,
    pub gate: &'a Gate,
    pub objects: &'a Objects,
    pub database: &'a Database,
    /// The database, to read the administrators' settings from.
    pub db: Option<&'a Db>,
}

/// Examines a server. `seen` is a request that came to it; `asker` is absent where calls cannot be paid for.
///
/// # Errors
/// [`RegistryError`] where the providers cannot be set up as they are configured.
pub async fn examine(
    server: Server<'_>,
    seen: Option<&SeenRequest>,
    options: &ExaminationOptions,
    asker: Option<&dyn Asker>,
) -> Result<Report, RegistryError> {
    let Server { config, gate, objects, database, db } = server;
    let (began, at) = (Instant::now(), Timestamp::now());
    let models = Pair::new(config)?;
    let ((database, is_readable), providers) =
        tokio::join!(database::examine(database), providers::examine(&models.streamed));
    models.whole.take_lists_of(&models.streamed);
    let db = db.filter(|_| is_readable);
    let settings = seats::settings_in_force(config, &models.streamed, db).await;
    let seated = seats::all(config, &settings, &options.models);
    let (found, cost) = Asking { config, models, options, asker }.all(seated).await;

    let simulated: Vec<String> =
        providers.iter().filter(|it| it.simulated).map(|it| it.name.clone()).collect();
    let mut all = checks::configuration(config, &simulated);
    all.extend(database);
    all.push(checks::storage(&config.data_dir));
    all.extend(checks::object_store(objects, db).await);
    all.extend(checks::identity(config, gate, seen));
    let members: Vec<String> = settings.council_models.iter().map(|member| member.model.clone()).collect();
    let fact = verdict::of(&all, &found, &members);
    Ok(Report {
        council: fact.is_ready(),
        message: fact.to_string(),
        fact,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        at: at.to_string(),
        took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        checks: all,
        providers,
        models: found,
        cost,
    })
}

/// The providers twice, for streams and for whole replies. They are this examination's own: what fails here keeps
/// nobody else from asking, and what failed for others is tried.
struct Pair {
    streamed: Arc<Registry>,
    whole: Arc<Registry>,
}

impl Pair {
    fn new(config: &Config) -> Result<Self, RegistryError> {
        let of = |stream| {
            let asked = |settings: &ProviderSettings| ProviderSettings {
                stream,
                retry: RetryPolicy::NEVER,
                ..settings.clone()
            };
            let providers = config.providers.list.iter().map(asked).collect();
            Registry::new(providers, &config.providers.default).map(Arc::new)
        };
        Ok(Self { streamed: of(true)?, whole: of(false)? })
    }
}

struct Asking<'a> {
    config: &'a Config,
    models: Pair,
    options: &'a ExaminationOptions,
    asker: Option<&'a dyn Asker>,
}

/// A model, and what was found of it so far.
struct Examined {
    seated: Seated,
    provider: String,
    outcomes: BTreeMap<usize, ProbeOutcome>,
    /// A failure that would come again.
    is_hopeless: bool,
}

/// In which order they are tried: what matters most first.
const KINDS: [ProbeKind; 4] =
    [ProbeKind::Streamed, ProbeKind::Whole, ProbeKind::StructuredOutput, ProbeKind::Tools];

impl Asking<'_> {
    async fn all(self, seated: Vec<Seated>) -> (Vec<ModelCheck>, super::report::CheckCost) {
        let mut allowance = Allowance::new(self.options.max_cost_usd);
        let mut models: Vec<Examined> = seated
            .into_iter()
            .map(|seated| {
                let provider = self.models.streamed.provider_of(&seated.model).to_owned();
                Examined { seated, provider, outcomes: BTreeMap::new(), is_hopeless: false }
            })
            .collect();
        for (at, kind) in KINDS.into_iter().enumerate() {
            for examined in &models {
                if self.skipped(examined, kind, false).is_none() {
                    allowance.expect(self.need(&examined.seated.model, kind));
                }
            }
            self.ask_all(&mut models, (at, kind), &mut allowance).await;
        }
        let is_member = |examined: &&Examined| examined.seated.seats.contains(&Seat::Member);
        let members: Vec<String> =
            models.iter().filter(is_member).map(|examined| examined.seated.model.clone()).collect();
        let checks = models.into_iter().map(|examined| self.check(examined, &members)).collect();
        (checks, allowance.cost())
    }

    /// Asks every model in one way, in further rounds for as long as what one round saved pays for more.
    async fn ask_all(
        &self,
        models: &mut [Examined],
        (at, kind): (usize, ProbeKind),
        allowance: &mut Allowance,
    ) {
        let mut refused: BTreeMap<usize, ProbeFact> = BTreeMap::new();
        loop {
            let mut round = Vec::new();
            for (index, examined) in models.iter_mut().enumerate() {
                if examined.outcomes.contains_key(&at) {
                    continue;
                }
                if let Some((state, fact)) = self.skipped(examined, kind, true) {
                    examined.outcomes.insert(at, not_probed(Probe::new(kind, state, fact), None));
                    continue;
                }
                let need = self.need(&examined.seated.model, kind);
                match allowance.reserve(need) {
                    Grant::Yes => round.push((index, examined.seated.model.clone(), need)),
                    Grant::Over { needed_usd, left_usd } => {
                        refused.insert(index, ProbeFact::OverMaxCost { needed_usd, left_usd });
                    }
                    Grant::Unknown => {
                        refused.insert(index, ProbeFact::PriceUnknown);
                    }
                }
            }
            if round.is_empty() {
                break;
            }
            let calls = round
                .into_iter()
                .map(async |(index, model, need)| (index, need, self.ask(&model, kind).await));
            let outcomes: Vec<_> = stream::iter(calls).buffer_unordered(AT_ONCE).collect().await;
            for (index, need, outcome) in outcomes {
                allowance.settle(need, outcome.cost);
                refused.remove(&index);
                models[index].is_hopeless |= outcome.comes_again;
                models[index].outcomes.insert(at, outcome);
            }
        }
        for (index, fact) in refused {
            let advice = if fact == ProbeFact::PriceUnknown {
                Advice::LeaveMaxCostOut
            } else {
                Advice::RaiseMaxCost { needed_usd: allowance.cost().expected_usd }
            };
            models[index]
                .outcomes
                .insert(at, not_probed(Probe::new(kind, State::Skipped, fact), Some(advice)));
        }
    }

    /// Why a model is not asked in this way, where that is known without asking what it costs. `now`: judged also by
    /// the probes made so far, and not only by the configuration.
    fn skipped(&self, examined: &Examined, kind: ProbeKind, now: bool) -> Option<(State, ProbeFact)> {
        let model = examined.seated.model.as_str();
        if self.asker.is_none() {
            return Some((State::Skipped, ProbeFact::NoLedger));
        }
        if kind == ProbeKind::Streamed && !self.streams(model) {
            let fact = if self.models.streamed.streams(model) {
                ProbeFact::StreamOff { provider: examined.provider.clone() }
            } else {
                ProbeFact::NotOffered
            };
            return Some((State::NotOffered, fact));
        }
        if kind != ProbeKind::Streamed && self.options.only_streamed {
            return Some((State::Skipped, ProbeFact::OnlyStreamed));
        }
        let is_form = matches!(kind, ProbeKind::StructuredOutput | ProbeKind::Tools);
        let answered = examined.outcomes.values().any(|outcome| outcome.probe.state == State::Ok);
        if now && (examined.is_hopeless || (is_form && !answered)) {
            let was_asked = examined.outcomes.values().any(|outcome| outcome.probe.state == State::Failed);
            if was_asked {
                return Some((State::Skipped, ProbeFact::AfterFailure));
            }
            if is_form {
                let fact = examined.outcomes.values().next_back().map(|outcome| outcome.probe.fact.clone());
                return Some((State::Skipped, fact.unwrap_or(ProbeFact::AfterFailure)));
            }
        }
        let offered = match kind {
            ProbeKind::Streamed | ProbeKind::Whole => true,
            ProbeKind::StructuredOutput => self.models.streamed.offers_schema(model),
            ProbeKind::Tools => self.models.streamed.offers_tools(model),
        };
        (!offered).then_some((State::NotOffered, ProbeFact::NotOffered))
    }

    /// Structured output and tools are asked for as replies are asked for in a council.
    fn registry(&self, model: &str, kind: ProbeKind) -> &Arc<Registry> {
        let streamed = match kind {
            ProbeKind::Streamed => true,
            ProbeKind::Whole => false,
            ProbeKind::StructuredOutput | ProbeKind::Tools => self.streams(model),
        };
        if streamed { &self.models.streamed } else { &self.models.whole }
    }

    /// Whether a council asks this model for streams: its provider has them, and they are not switched off.
    fn streams(&self, model: &str) -> bool {
        let provider = self.models.streamed.provider_of(model);
        let settings = self.config.providers.list.iter().find(|it| it.name == provider);
        self.models.streamed.streams(model) && settings.is_none_or(|settings| settings.stream)
    }

    fn need(&self, model: &str, kind: ProbeKind) -> Need {
        let expected = pricing::of_request(&prompts::request(model, kind), self.models.streamed.as_ref());
        expected.map_or(Need::Unknown, Need::Usd)
    }

    async fn ask(&self, model: &str, kind: ProbeKind) -> ProbeOutcome {
        let registry = self.registry(model, kind);
        let asked: Arc<dyn Models> = registry.clone();
        let result = match self.asker {
            Some(asker) => asker.ask(asked, prompts::request(model, kind)).await,
            None => unreachable!("without an asker every probe is skipped"),
        };
        let still_offered = match kind {
            ProbeKind::Streamed | ProbeKind::Whole => true,
            ProbeKind::StructuredOutput => registry.offers_schema(model),
            ProbeKind::Tools => registry.offers_tools(model),
        };
        probe::read(kind, registry.provider_of(model), &result, still_offered)
    }

    fn check(&self, examined: Examined, members: &[String]) -> ModelCheck {
        let Examined { seated: Seated { model, seats }, provider, outcomes, .. } = examined;
        let registry = &self.models.streamed;
        let simulated = registry.is_simulated(&model);
        let listed = registry.lists(&model);
        // A model that is already on the council cannot replace a member.
        let taken = if seats.contains(&Seat::Member) { members } else { &[] };
        let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
        let nearest = (listed == Some(false)).then(|| registry.nearest(&model, &taken)).flatten();
        let outcomes: Vec<ProbeOutcome> = outcomes.into_values().collect();
        let (mut state, mut fact) = summary(&outcomes);
        let has_small_tasks = seats.iter().any(|seat| matches!(seat, Seat::Title | Seat::Utility));
        let is_unfit = has_small_tasks && state == State::Ok && !registry.is_fit_for_utility(&model);
        if is_unfit {
            (state, fact) = (State::Warning, ProbeFact::UnfitForUtility);
        }
        let advice = advice(&outcomes, state, &provider)
            .or_else(|| is_unfit.then(|| Advice::NameAnotherForUtility { model: model.clone() }));
        let advice = match advice {
            // A model that is not on its provider's list was refused for that, however the provider puts it.
            Some(Advice::ReadTheError) if listed == Some(false) => {
                Some(Advice::Replace { model: model.clone(), nearest: nearest.clone() })
            }
            other => other,
        };
        let price = registry.price(&model, 0).map(|price| Price {
            prompt_per_million_usd: price.prompt * MILLION,
            completion_per_million_usd: price.completion * MILLION,
        });
        let asked = || outcomes.iter().filter(|outcome| outcome.probe.total_ms.is_some());
        let is_known = !outcomes.iter().any(|outcome| outcome.cost == probe::Cost::Unknown);
        let cost_usd = is_known.then(|| outcomes.iter().filter_map(|outcome| outcome.probe.cost_usd).sum());
        ModelCheck {
            ttft_ms: outcomes.iter().find_map(|outcome| outcome.probe.ttft_ms),
            total_ms: asked().filter_map(|outcome| outcome.probe.total_ms).max(),
            provider,
            seats,
            simulated,
            listed,
            nearest,
            state,
            message: fact.to_string(),
            fact,
            what_to_do: advice.as_ref().map(ToString::to_string),
            advice,
            price,
            cost_usd,
            model,
            probes: outcomes.into_iter().map(|outcome| outcome.probe).collect(),
        }
    }
}

fn not_probed(probe: Probe, advice: Option<Advice>) -> ProbeOutcome {
    ProbeOutcome { probe, advice, comes_again: false, cost: probe::Cost::Nothing }
}

/// A model by its probes: text replies decide whether it answers, the rest whether it does everything it claims to.
fn summary(outcomes: &[ProbeOutcome]) -> (State, ProbeFact) {
    let is_word =
        |outcome: &&ProbeOutcome| matches!(outcome.probe.probe, ProbeKind::Streamed | ProbeKind::Whole);
    let words: Vec<&ProbeOutcome> = outcomes.iter().filter(is_word).collect();
    let failed = outcomes.iter().find(|outcome| outcome.probe.state == State::Failed);
    if let Some(answered) = words.iter().find(|outcome| outcome.probe.state == State::Ok) {
        return match failed {
            Some(_) => (State::Warning, ProbeFact::InPart),
            None => (State::Ok, answered.probe.fact.clone()),
        };
    }
    match failed.or(words.last().copied()).or(outcomes.first()) {
        Some(outcome) if outcome.probe.state == State::Failed => (State::Failed, outcome.probe.fact.clone()),
        Some(outcome) => (State::Skipped, outcome.probe.fact.clone()),
        None => (State::Skipped, ProbeFact::NotOffered),
    }
}

fn advice(outcomes: &[ProbeOutcome], state: State, provider: &str) -> Option<Advice> {
    let failed = |kind| {
        let is_of_kind = |it: &&ProbeOutcome| it.probe.probe == kind && it.probe.state == State::Failed;
        outcomes.iter().filter(is_of_kind).any(|it| !is_of_the_moment(it))
    };
    let provider = || provider.to_owned();
    if state == State::Warning && failed(ProbeKind::Streamed) {
        return Some(Advice::TurnStreamingOff { provider: provider() });
    }
    if state == State::Warning && failed(ProbeKind::Whole) {
        return Some(Advice::KeepStreaming { provider: provider() });
    }
    outcomes.iter().find_map(|outcome| outcome.advice.clone())
}

/// Whether a failure has nothing to do with the way the model was asked: a limit that was reached, or a provider that is
/// overloaded.
fn is_of_the_moment(outcome: &ProbeOutcome) -> bool {
    matches!(
        outcome.probe.fact,
        ProbeFact::CallFailed { error_kind: ErrorKind::RateLimited | ErrorKind::Budget, .. }
            | ProbeFact::CallFailed { error_kind: ErrorKind::Overloaded, status: Some(502 | 503 | 529), .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_or_an_outage_says_nothing_of_streaming() {
        let provider = || "p".to_owned();
        let answered = |kind| probe::read(kind, "p", &Ok(Reply::default()), true);
        let failed = |kind, error_kind, status| {
            let error = CallError { status: Some(status), ..CallError::new(error_kind, "no") };
            probe::read(kind, "p", &Err(error), true)
        };
        for (error_kind, status, streamed, whole) in [
            (
                ErrorKind::RateLimited,
                429,
                Advice::WaitForLimit { provider: provider() },
                Advice::WaitForLimit { provider: provider() },
            ),
            (
                ErrorKind::Overloaded,
                503,
                Advice::TryLater { provider: provider() },
                Advice::TryLater { provider: provider() },
            ),
            (
                ErrorKind::Refused,
                400,
                Advice::TurnStreamingOff { provider: provider() },
                Advice::KeepStreaming { provider: provider() },
            ),
        ] {
            for (fails, works, expected) in [
                (ProbeKind::Streamed, ProbeKind::Whole, streamed),
                (ProbeKind::Whole, ProbeKind::Streamed, whole),
            ] {
                let outcomes = [answered(works), failed(fails, error_kind, status)];
                assert_eq!(
                    advice(&outcomes, summary(&outcomes).0, "p"),
                    Some(expected),
                    "{fails:?} {status}"
                );
            }
        }
    }
}
