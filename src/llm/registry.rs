//! All configured providers as one [`Models`].

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::Instant;

use super::assemble::Caller;
use super::breaker::Breaker;
use super::error::{CallError, ErrorKind};
use super::kind::{Clients, SetUpError};
use super::limit::InFlight;
use super::metrics::{self, CallWatch};
use super::model_id::is_name;
use super::nearest::nearest;
use super::pattern;
use super::reply::Reply;
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::schema::Refusals;
use super::seeded_rng::SeededRng;
use super::settings::ProviderSettings;
use super::{
    DeltaSink, ModelInfo, Models, Pricing, Provider, SEARCH_PREFIX, Schemas, SearchBackend, counted_as,
    pricing,
};

/// How long a list of models is served without asking again.
const LIST_TTL: Duration = Duration::from_secs(600);
/// The same when a provider failed, so that its models appear soon after it is back.
const LIST_TTL_AFTER_ERROR: Duration = Duration::from_secs(30);

/// The entry of what searches: [`SEARCH_PREFIX`] without its colon.
pub(super) const SEARCH: &str = "search";
/// Bound on what one search finds; the room `search` keeps far below it.
const MAX_FOUND_BYTES: usize = 1 << 20;

/// No model's id is longer.
const MAX_ID_CHARS: usize = 200;

/// Why the providers cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Wrong settings, all of them, each beginning with its key.
    #[error("{}", .0.join("; "))]
    Settings(Vec<String>),
    /// No TLS.
    #[error(
        "the HTTP client for model providers cannot be set up; most often the machine has no CA \
         certificates (on Debian: install the package ca-certificates)"
    )]
    Client(#[source] reqwest::Error),
}

/// The pause before lists are fetched again after this many failures in a row.
fn pause_after(failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => LIST_TTL,
        Some(again) => LIST_TTL_AFTER_ERROR.saturating_mul(2u32.saturating_pow(again)).min(LIST_TTL),
    }
}

/// What all providers offer together.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, utoipa::ToSchema)]
pub struct ModelList {
    /// By provider, in the providers' own order, the default provider first.
    pub models: Vec<ModelInfo>,
    /// The providers whose list could not be read; models they offered before stay listed.
    pub errors: Vec<ListError>,
}

/// A provider whose list could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct ListError {
    pub provider: String,
    /// For people.
    pub message: String,
}

/// What came of reading one provider's list of models.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRead {
    pub provider: String,
    pub is_default: bool,
    pub simulated: bool,
    /// How many models it offers.
    pub models: Result<usize, CallError>,
    pub took: Duration,
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) provider: Box<dyn Provider>,
    places: InFlight,
    breaker: Breaker,
    retry: RetryPolicy,
    schema_refusals: Refusals,
    tool_refusals: Refusals,
    /// Patterns of the ids of models that see pictures.
    image_models: Vec<String>,
    max_answer_bytes: usize,
}

impl Entry {
    /// Whether a model sees pictures, where that is known: as the configuration says, else its list (`listed`), else what
    /// is known of the service.
    fn shows_images(&self, id: &str, listed: Option<bool>) -> Option<bool> {
        if self.image_models.iter().any(|pattern| pattern::fits(pattern, id)) {
            return Some(true);
        }
        listed.or_else(|| self.provider.sees_images(id).then_some(true))
    }
}

/// What the registry is to search with.
pub enum Searching {
    /// A search engine, asked as `search:<name>`.
    Engine { name: &'static str, provider: Box<dyn Provider>, max_in_flight: usize, retry: RetryPolicy },
    /// A model that answers with citations.
    Model(String),
}

pub(super) struct CachedList {
    pub(super) list: Arc<ModelList>,
    fresh_until: Instant,
    /// Per provider: what it offered when its list was last read, by its own ids.
    offers: HashMap<String, Vec<ModelInfo>>,
    /// Per provider, by its own ids.
    prices: HashMap<String, HashMap<String, Pricing>>,
    /// Per provider, its own ids.
    pub(super) ids: HashMap<String, HashSet<String>>,
}

/// The configured providers, by name.
pub struct Registry {
    pub(super) entries: BTreeMap<String, Entry>,
    pub(super) default: String,
    search: Option<SearchBackend>,
    pub(super) list: RwLock<Option<Arc<CachedList>>>,
    /// Locked while the lists are fetched, so that they are fetched once.
    refreshing: tokio::sync::Mutex<()>,
    list_read: watch::Sender<()>,
}

impl Registry {
    /// Sets the providers up; nothing is asked of them yet. A bare model id means
    /// `default_provider`. The HTTP client is built only when a provider needs it.
    ///
    /// # Errors
    /// [`RegistryError`], with every wrong setting named.
    pub fn new(providers: Vec<ProviderSettings>, default_provider: &str) -> Result<Self, RegistryError> {
        let mut problems = Vec::new();
        let mut entries = BTreeMap::new();
        let mut clients = Clients::default();
        for settings in providers {
            let at = |problem: String| format!("providers.{}.{problem}", settings.name);
            if settings.name == SEARCH {
                problems.push(at("kind: the name is that of web search; choose another".into()));
                continue;
            }
            if !is_name(&settings.name) {
                problems.push(format!(
                    "providers: `{}` is no name for a provider (letters, digits, `-` and `_`)",
                    settings.name.escape_debug()
                ));
                continue;
            }
            if settings.max_in_flight == 0 {
                problems.push(at("max_in_flight: must be at least 1".into()));
            }
            if settings.max_answer_bytes == 0 {
                problems.push(at("max_answer_bytes: must be at least 1".into()));
            }
            let provider = match (settings.kind.build)(&settings, &mut clients) {
                Ok(provider) => provider,
                Err(SetUpError::Client(error)) => return Err(RegistryError::Client(error)),
                Err(SetUpError::Settings(wrong)) => {
                    problems.extend(wrong.into_iter().map(at));
                    continue;
                }
            };
            let entry = Entry {
                name: settings.name.clone(),
                provider,
                places: InFlight::new(settings.max_in_flight),
                breaker: Breaker::new(&settings.name),
                retry: settings.retry,
                schema_refusals: Refusals::default(),
                tool_refusals: Refusals::default(),
                image_models: settings.image_models,
                max_answer_bytes: settings.max_answer_bytes,
            };
            metrics::begin(entry.breaker.provider());
            if entries.insert(settings.name.clone(), entry).is_some() {
                problems.push(format!("providers.{}: is configured twice", settings.name));
            }
        }
        if problems.is_empty() && !entries.contains_key(default_provider) {
            problems.push(format!("the default provider `{default_provider}` is not configured"));
        }
        if !problems.is_empty() {
            return Err(RegistryError::Settings(problems));
        }
        Ok(Self {
            entries,
            default: default_provider.to_owned(),
            search: None,
            list: RwLock::new(None),
            refreshing: tokio::sync::Mutex::new(()),
            list_read: watch::Sender::default(),
        })
    }

    /// Adds what searches.
    #[must_use]
    pub fn with_search(mut self, searching: Searching) -> Self {
        let backend = match searching {
            Searching::Model(model) => {
                SearchBackend { simulated: self.is_simulated(&model), model, name: "model" }
            }
            Searching::Engine { name, provider, max_in_flight, retry } => {
                let backend = SearchBackend {
                    model: format!("{SEARCH_PREFIX}{name}"),
                    name,
                    simulated: provider.is_simulated(),
                };
                let entry = Entry {
                    name: SEARCH.to_owned(),
                    provider,
                    places: InFlight::new(max_in_flight),
                    breaker: Breaker::new(name),
                    retry,
                    schema_refusals: Refusals::default(),
                    tool_refusals: Refusals::default(),
                    image_models: Vec::new(),
                    max_answer_bytes: MAX_FOUND_BYTES,
                };
                metrics::begin(entry.breaker.provider());
                self.entries.insert(SEARCH.to_owned(), entry);
                backend
            }
        };
        self.search = Some(backend);
        self
    }

    /// How long searches fail at once, because too many in a row have failed; `None` while they are made.
    #[must_use]
    pub fn search_paused(&self) -> Option<Duration> {
        let (entry, id) = self.resolve(&self.search.as_ref()?.model);
        let refusal = entry.breaker.refusal(id)?;
        Some(Duration::from_millis(entry.breaker.refused(refusal, id).retry_after_ms.unwrap_or_default()))
    }

    /// The provider of a model id, and the id as that provider knows it. Only a configured name
    /// before the first `:` is a provider: `llama3:8b` and `x/y:free` are bare ids.
    pub(super) fn resolve<'m>(&self, model: &'m str) -> (&Entry, &'m str) {
        if let Some((name, id)) = model.split_once(':')
            && let Some(entry) = self.entries.get(name)
        {
            return (entry, id);
        }
        (self.entries.get(&self.default).expect("checked in new"), model)
    }

    /// What the providers offer, at most ten minutes old unless it is being refreshed right now.
    /// The first caller after that fetches; others meanwhile get what there was.
    pub async fn models(&self) -> Arc<ModelList> {
        let cached = self.cached();
        if let Some(cached) = &cached
            && Instant::now() < cached.fresh_until
        {
            return Arc::clone(&cached.list);
        }
        let _refreshing = match (cached, self.refreshing.try_lock()) {
            (_, Ok(guard)) => guard,
            (Some(stale), Err(_)) => return Arc::clone(&stale.list),
            (None, Err(_)) => self.refreshing.lock().await,
        };
        // Whoever held the lock before may have just fetched it.
        if let Some(cached) = self.cached()
            && Instant::now() < cached.fresh_until
        {
            return Arc::clone(&cached.list);
        }
        self.fetch_models().await
    }

    /// Fetches the lists anew, fresh or not.
    pub async fn refresh_models(&self) -> Arc<ModelList> {
        let _refreshing = self.refreshing.lock().await;
        self.fetch_models().await
    }

    /// Fetches the lists anew, and says what came of each, the default provider first. Not what searches.
    pub async fn read_lists(&self) -> Vec<ListRead> {
        let _refreshing = self.refreshing.lock().await;
        let (_, reads) = self.fetch().await;
        reads.into_iter().filter(|read| read.provider != SEARCH).collect()
    }

    /// Keeps the lists fresh until it is dropped: whoever asks for a price or whether a model is on offer
    /// looks at what there is and waits for nobody. After a failure it is soon tried again, and then less
    /// and less often.
    pub async fn keep_lists_fresh(&self) {
        let mut rng = SeededRng::new(uuid::Uuid::new_v4().as_u64_pair().0, "lists");
        let mut failures: u32 = 0;
        loop {
            let list = self.refresh_models().await;
            failures = if list.errors.is_empty() { 0 } else { failures.saturating_add(1) };
            // A little early, so that nobody finds a list that is stale; and not all servers at once.
            tokio::time::sleep(pause_after(failures).mul_f64(0.8 + 0.2 * rng.unit())).await;
        }
    }

    /// Changes whenever the lists have been read.
    pub fn list_reads(&self) -> watch::Receiver<()> {
        self.list_read.subscribe()
    }

    /// The nearest present name of a model's family at its provider, as far as is known now and but for
    /// those that are `taken`. Asks nobody.
    #[must_use]
    pub fn nearest(&self, model: &str, taken: &[&str]) -> Option<String> {
        let (entry, id) = self.resolve(model);
        let full = |id: &str| self.full_id(entry, id);
        if let Some(regional) = entry.provider.regional() {
            let near = regional.moved(id, regional.region_of(id)).instead();
            return near.iter().map(|id| full(id)).find(|id| id != model && !taken.contains(&id.as_str()));
        }
        let cached = self.cached()?;
        let offers = cached.offers.get(&entry.name)?.iter();
        let free = offers.map(|model| model.id.as_str()).filter(|id| !taken.contains(&full(id).as_str()));
        nearest(id, free).map(full)
    }

    pub(super) fn cached(&self) -> Option<Arc<CachedList>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn fetch_models(&self) -> Arc<ModelList> {
        self.fetch().await.0
    }

    async fn fetch(&self) -> (Arc<ModelList>, Vec<ListRead>) {
        let began = Instant::now();
        let mut entries: Vec<&Entry> = self.entries.values().collect();
        entries.sort_by_key(|entry| entry.name != self.default);
        let answers = join_all(entries.iter().map(async |entry| {
            let answer = entry.provider.models().await;
            (answer, began.elapsed())
        }))
        .await;
        let known = self.cached();
        let mut list = ModelList::default();
        let mut offers = HashMap::new();
        let mut reads = Vec::new();
        for (entry, (answer, took)) in entries.iter().zip(answers) {
            reads.push(ListRead {
                provider: entry.name.clone(),
                is_default: entry.name == self.default,
                simulated: entry.provider.is_simulated(),
                models: answer.as_ref().map(Vec::len).map_err(Clone::clone),
                took,
            });
            let models = match answer {
                Ok(models) => models,
                Err(error) => {
                    tracing::warn!(provider = entry.name, kind = ?error.kind, "a list of models could not be read");
                    list.errors.push(ListError { provider: entry.name.clone(), message: error.message });
                    known
                        .as_ref()
                        .and_then(|known| known.offers.get(&entry.name))
                        .cloned()
                        .unwrap_or_default()
                }
            };
            list.models.extend(models.iter().map(|model| ModelInfo {
                id: self.full_id(entry, &model.id),
                images: entry.shows_images(&model.id, model.images),
                ..model.clone()
            }));
            offers.insert(entry.name.clone(), models);
        }
        let ttl = if list.errors.is_empty() { LIST_TTL } else { LIST_TTL_AFTER_ERROR };
        let prices = offers.iter().map(|(name, models)| (name.clone(), prices(models))).collect();
        let names = |models: &[ModelInfo]| models.iter().map(|model| model.id.clone()).collect();
        let ids = offers.iter().map(|(name, models)| (name.clone(), names(models))).collect();
        let list = Arc::new(list);
        let cached =
            CachedList { list: Arc::clone(&list), fresh_until: Instant::now() + ttl, offers, prices, ids };
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(cached));
        self.list_read.send_replace(());
        (list, reads)
    }

    /// The id that resolves to this provider's model.
    pub(super) fn full_id(&self, entry: &Entry, id: &str) -> String {
        let (resolved, bare) = self.resolve(id);
        if resolved.name == entry.name && bare == id { id.to_owned() } else { format!("{}:{id}", entry.name) }
    }

    /// The name in this provider's list for what a reply calls the model that wrote it. None for what
    /// is no model's id: it is shown, and counted by.
    fn name_of(&self, entry: &Entry, said: String) -> Option<String> {
        let is_id = said.chars().count() <= MAX_ID_CHARS
            && !said.chars().any(|c| c.is_whitespace() || c.is_control());
        if !is_id {
            return None;
        }
        let cached = self.cached();
        let offers = cached.as_ref().and_then(|cached| cached.offers.get(&entry.name));
        // Variants (`x:batch`) share the name of what they are variants of.
        let known = offers.into_iter().flatten().filter(|model| model.canonical.as_ref() == Some(&said));
        Some(known.map(|model| &model.id).min_by_key(|id| id.len()).cloned().unwrap_or(said))
    }

    fn pricing(&self, provider: &str, id: &str) -> Option<Pricing> {
        self.cached()?.prices.get(provider)?.get(id).copied()
    }

    /// Whether this provider's model is sent schemas.
    fn takes_schemas(&self, entry: &Entry, id: &str) -> bool {
        let listed = || self.listed(entry, id).map(|model| model.structured_outputs);
        let offered = match entry.provider.schemas() {
            Schemas::Never => false,
            Schemas::Always => true,
            Schemas::Listed => listed().unwrap_or(false),
        };
        offered && !entry.schema_refusals.holds(id)
    }

    /// Whether this provider's model is sent tools: where nobody says that it takes none, it is tried.
    fn takes_tools(&self, entry: &Entry, id: &str) -> bool {
        let listed = self.listed(entry, id).and_then(|model| model.tools);
        listed.unwrap_or_else(|| entry.provider.takes_tools()) && !entry.tool_refusals.holds(id)
    }

    /// What its provider's list says of a model, or of the one that this is a variant of.
    fn listed_or_variant(&self, entry: &Entry, id: &str) -> Option<ModelInfo> {
        let cached = self.cached()?;
        let offered = cached.offers.get(&entry.name)?;
        let exact = offered.iter().find(|info| info.id == id);
        exact.or_else(|| offered.iter().find(|info| is_same_model(&info.id, id))).cloned()
    }

    /// What its provider's list says of a model.
    fn listed(&self, entry: &Entry, id: &str) -> Option<ModelInfo> {
        self.cached()?.offers.get(&entry.name)?.iter().find(|model| model.id == id).cloned()
    }
}

#[async_trait]
impl Models for Registry {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        if request.model.starts_with(SEARCH_PREFIX) && !self.entries.contains_key(SEARCH) {
            // A run of a server that was configured otherwise. No model is to be asked in its place.
            let message = "web search is no longer set up on this server";
            return Err(CallError::new(ErrorKind::Refused, message));
        }
        let (entry, id) = self.resolve(&request.model);
        let watch = CallWatch::begin(entry.breaker.provider(), &request.model, metrics::operation(request));
        let schema = request.schema.as_ref().filter(|_| !request.embeds && self.takes_schemas(entry, id));
        let tools_refused = !request.embeds && !request.tools.is_empty() && !self.takes_tools(entry, id);
        let request = if request.embeds {
            // A vector has no form and calls nothing.
            let own = ChatRequest { model: id.to_owned(), ..request.clone() };
            Cow::Owned(ChatRequest { schema: None, tools: Vec::new(), ..own })
        } else if id == request.model && schema == request.schema.as_ref() && !tools_refused {
            Cow::Borrowed(request)
        } else {
            let own = ChatRequest { model: id.to_owned(), schema: schema.cloned(), ..request.clone() };
            Cow::Owned(if tools_refused { own.without_tools() } else { own })
        };
        let caller = Caller {
            name: &entry.name,
            watch: &watch,
            provider: entry.provider.as_ref(),
            places: &entry.places,
            breaker: &entry.breaker,
            retry: &entry.retry,
            schema_refusals: &entry.schema_refusals,
            tool_refusals: &entry.tool_refusals,
            max_answer_bytes: entry.max_answer_bytes,
        };
        let mut result = caller.call(&request, sink).await;
        let reply = match &mut result {
            Ok(reply) => Some(reply),
            Err(error) => {
                // Not the message: a provider's words may repeat the prompt.
                tracing::warn!(
                    kind = ?error.kind,
                    model = id,
                    provider = entry.name,
                    tries = error.tries,
                    status = error.status,
                    "a model call failed"
                );
                error.partial.as_deref_mut()
            }
        };
        if let Some(reply) = reply {
            reply.tools_refused |= tools_refused;
            if entry.provider.is_simulated() {
                // Also where it broke off before it could say so.
                reply.usage.get_or_insert_default().cost_usd.get_or_insert(0.0);
            }
            let served_by = reply.served_by.take().and_then(|name| self.name_of(entry, name));
            let priced_as = counted_as(id, served_by.as_deref());
            if let Some(usage) = &mut reply.usage {
                let own = || self.pricing(&entry.name, id);
                let listed = self.pricing(&entry.name, priced_as).or_else(own);
                pricing::price(usage, listed, priced_as, id);
            }
            reply.served_by = served_by.map(|name| self.full_id(entry, &name));
        }
        watch.end(&result);
        result
    }

    fn is_simulated(&self, model: &str) -> bool {
        self.resolve(model).0.provider.is_simulated()
    }

    fn provider_of(&self, model: &str) -> &str {
        self.resolve(model).0.breaker.provider()
    }

    fn search_backend(&self) -> Option<SearchBackend> {
        self.search.clone()
    }

    fn offers_schema(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        self.takes_schemas(entry, id)
    }

    fn offers_tools(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        self.takes_tools(entry, id)
    }

    fn sees_images(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        let listed = self.listed_or_variant(entry, id).and_then(|model| model.images);
        entry.shows_images(id, listed).unwrap_or(false)
    }

    fn is_available(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        // The simulated provider takes any id.
        if entry.provider.is_simulated() || !entry.provider.lists_all() {
            return true;
        }
        let Some(cached) = self.cached() else { return true };
        // An empty list is most often one that could not be read.
        let offered = cached.ids.get(&entry.name).filter(|ids| !ids.is_empty());
        // OpenRouter does not list all of its routers (`openrouter/auto`).
        offered.is_none_or(|ids| {
            ids.contains(id)
                || id.starts_with("openrouter/")
                || ids.iter().any(|listed| is_same_model(listed, id))
        })
    }

    fn context_tokens(&self, model: &str) -> Option<u64> {
        let (entry, id) = self.resolve(model);
        self.listed_or_variant(entry, id)?.context_length
    }

    fn price(&self, model: &str, prompt_tokens: u64) -> Option<Pricing> {
        let (entry, id) = self.resolve(model);
        if entry.provider.is_simulated() {
            return Some(Pricing::default());
        }
        if let Some(price) = entry.provider.price(id) {
            return Some(price);
        }
        pricing::known(self.pricing(&entry.name, id), id, id, prompt_tokens).map(|(price, _)| price)
    }
}

/// Whether a listed id stands for this one. A tag that only one of them has is a variant of the same
/// model: `x/y:online` is listed as `x/y`, and `llama3` may be as `llama3:latest`.
fn is_same_model(listed: &str, id: &str) -> bool {
    let untagged = |id: &str, other: &str| id.rsplit_once(':').is_some_and(|(model, _)| model == other);
    listed == id || untagged(id, listed) || untagged(listed, id)
}

fn prices(models: &[ModelInfo]) -> HashMap<String, Pricing> {
    models.iter().filter_map(|model| Some((model.id.clone(), model.pricing?))).collect()
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
