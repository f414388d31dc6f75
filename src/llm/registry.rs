//! All configured providers as one [`Models`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;

use super::assemble::Caller;
use super::breaker::Breaker;
use super::error::{CallError, ErrorKind};
use super::kind::{Clients, SetUpError};
use super::limit::InFlight;
use super::metrics::{self, CallWatch};
use super::model_id::is_name;
use super::offers::Offers;
use super::pattern;
use super::reply::Reply;
use super::request::ChatRequest;
use super::retry::RetryPolicy;
use super::schema::Refusals;
use super::settings::ProviderSettings;
use super::{
    DeltaSink, ModelInfo, Models, Pricing, Provider, SEARCH_PREFIX, Schemas, SearchBackend, counted_as,
    pricing,
};

/// The name of the search backend's entry: [`SEARCH_PREFIX`] without its colon.
pub(super) const SEARCH: &str = "search";
/// Size limit on the results of one search; the module `search` stays far below it.
const MAX_FOUND_BYTES: usize = 1 << 20;

/// No model's id is longer.
const MAX_ID_CHARS: usize = 200;

/// Why the providers cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Wrong settings, all of them, each beginning with its key.
    #[error("{}", .0.join("; "))]
    Settings(Vec<String>),
    /// TLS could not be set up.
    #[error(
        "the HTTP client for model providers cannot be set up; most often the machine has no CA \
         certificates (on Debian: install the package ca-certificates)"
    )]
    Client(#[source] reqwest::Error),
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) provider: Box<dyn Provider>,
    places: InFlight,
    breaker: Breaker,
    retry: RetryPolicy,
    schema_refusals: Refusals,
    tool_refusals: Refusals,
    /// Patterns of the ids of models that accept images.
    image_models: Vec<String>,
    max_answer_bytes: usize,
}

impl Entry {
    /// Whether a model accepts images, if known: from the configuration, else from the provider's list (`listed`), else
    /// from what is known of the service.
    pub(super) fn shows_images(&self, id: &str, listed: Option<bool>) -> Option<bool> {
        if self.image_models.iter().any(|pattern| pattern::fits(pattern, id)) {
            return Some(true);
        }
        listed.or_else(|| self.provider.sees_images(id).then_some(true))
    }
}

/// What the registry searches with.
pub enum Searching {
    /// A search engine, called as `search:<name>`.
    Engine { name: &'static str, provider: Box<dyn Provider>, max_in_flight: usize, retry: RetryPolicy },
    /// A model that answers with citations.
    Model(String),
}

/// The configured providers, by name.
pub struct Registry {
    pub(super) entries: BTreeMap<String, Entry>,
    pub(super) default: String,
    search: Option<SearchBackend>,
    pub(super) offers: RwLock<Option<Arc<Offers>>>,
    /// Locked while the lists are fetched, so that they are fetched once.
    pub(super) refreshing: tokio::sync::Mutex<()>,
    pub(super) list_read: watch::Sender<()>,
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
                    "providers: `{}` is not a valid provider name (letters, digits, `-` and `_`)",
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
            offers: RwLock::new(None),
            refreshing: tokio::sync::Mutex::new(()),
            list_read: watch::Sender::default(),
        })
    }

    /// Adds the search backend.
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

    /// How long searches are still refused because too many in a row have failed; `None` if they are not.
    #[must_use]
    pub fn search_paused(&self) -> Option<Duration> {
        let (entry, id) = self.resolve(&self.search.as_ref()?.model);
        let refusal = entry.breaker.refusal(id)?;
        Some(Duration::from_millis(entry.breaker.refused(refusal, id).retry_after_ms.unwrap_or_default()))
    }

    /// Whether this model's provider offers embeddings. It may refuse this model all the same.
    #[must_use]
    pub fn offers_embeddings(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        entry.provider.offers_embeddings(id)
    }

    /// The base URL of requests to this model, without parts that may be secret; `None` if no network is used.
    #[must_use]
    pub fn address_of(&self, model: &str) -> Option<String> {
        let (entry, id) = self.resolve(model);
        let mut url = entry.provider.address(id)?;
        // A query may hold a key. A user or a password is refused at start.
        url.set_query(None);
        url.set_fragment(None);
        Some(url.as_str().trim_end_matches('/').to_owned())
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

    /// The id that resolves to this provider's model.
    pub(super) fn full_id(&self, entry: &Entry, id: &str) -> String {
        let (resolved, bare) = self.resolve(id);
        if resolved.name == entry.name && bare == id { id.to_owned() } else { format!("{}:{id}", entry.name) }
    }

    /// The listed id of the model that a reply calls `said`. `None` if `said` cannot be a model's id, since it is shown
    /// and figures are grouped by it.
    fn name_of(&self, entry: &Entry, said: String) -> Option<String> {
        let is_id = said.chars().count() <= MAX_ID_CHARS
            && !said.chars().any(|c| c.is_whitespace() || c.is_control());
        if !is_id {
            return None;
        }
        let offers = self.cached();
        let known = offers.as_ref().and_then(|offers| offers.name_of(&entry.name, &said));
        Some(known.map(str::to_owned).unwrap_or(said))
    }

    fn pricing(&self, provider: &str, id: &str) -> Option<Pricing> {
        self.cached()?.price(provider, id)
    }

    /// A model's entry in its provider's list.
    fn listed(&self, entry: &Entry, id: &str) -> Option<ModelInfo> {
        self.cached()?.model(&entry.name, id).cloned()
    }

    /// A model's entry in its provider's list, or that of the model that it is a variant of.
    fn listed_or_variant(&self, entry: &Entry, id: &str) -> Option<ModelInfo> {
        self.cached()?.model_or_variant(&entry.name, id).cloned()
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

    /// Whether this provider's model is sent tools. They are tried unless it is known to take none.
    fn takes_tools(&self, entry: &Entry, id: &str) -> bool {
        let listed = self.listed(entry, id).and_then(|model| model.tools);
        listed.unwrap_or_else(|| entry.provider.takes_tools()) && !entry.tool_refusals.holds(id)
    }
}

#[async_trait]
impl Models for Registry {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        if request.model.starts_with(SEARCH_PREFIX) && !self.entries.contains_key(SEARCH) {
            // The run was begun by a server with another configuration. No model may be asked instead.
            let message = "web search is no longer set up on this server";
            return Err(CallError::new(ErrorKind::Refused, message));
        }
        let (entry, id) = self.resolve(&request.model);
        let watch = CallWatch::begin(entry.breaker.provider(), &request.model, metrics::operation(request));
        let schema = request.schema.as_ref().filter(|_| !request.embeds && self.takes_schemas(entry, id));
        let tools_refused = !request.embeds && !request.tools.is_empty() && !self.takes_tools(entry, id);
        let request = if request.embeds {
            // Embeddings have no schema and call no tools.
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
                // The message is not logged: a provider's words may repeat the prompt.
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
                // Simulated calls are free, even if the reply broke off before it could say so.
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
        let has = self.cached().and_then(|offers| offers.has(&entry.name, id));
        has.is_none_or(|has| has || entry.provider.takes_unlisted(id))
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

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
