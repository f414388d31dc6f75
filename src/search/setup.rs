//! Builds the search backend from the settings: the one place that knows all backends.

use std::sync::Arc;
use std::time::Duration;

use crate::llm::registry::Searching;
use crate::llm::{CallError, client};

use super::Search;
use super::built_in::{self, BuiltIn};
use super::provider::SearchProvider;
use super::searxng::{self, Searxng};
use super::settings::{Backend, SearchSettings};
use super::state::{Snapshot, State};
use super::tavily::{self, Tavily};

/// Why web search cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A wrong setting, beginning with its key.
    #[error("{0}")]
    Setting(String),
    /// No TLS.
    #[error(
        "the HTTP client for web search cannot be set up; most often the machine has no CA certificates (on Debian: \
         install the package ca-certificates)"
    )]
    Client(#[source] reqwest::Error),
}

/// What is known of the backend, and how to check whether it is available.
#[derive(Clone, Default)]
pub struct Setup {
    engine: Option<(&'static str, Arc<dyn Search>)>,
    state: Arc<State>,
}

impl Setup {
    /// What is known since this server started. Of a model that searches, nothing: it is known as a model.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.state.snapshot()
    }

    /// Checks once whether the backend is available, in a way that costs nothing, and keeps the result. A failure is
    /// only a warning: it may be back by the first search.
    pub async fn check(&self) {
        let Some((name, engine)) = &self.engine else { return };
        let result = tokio::time::timeout(CHECK_TIME, engine.check()).await;
        let result = result.unwrap_or_else(|_| {
            let message = format!("{name} did not answer within {} s", CHECK_TIME.as_secs());
            Err(CallError::new(crate::llm::ErrorKind::Timeout, message))
        });
        if let Err(error) = &result {
            tracing::warn!(
                backend = name,
                kind = ?error.kind,
                status = error.status,
                "web search may not work: {}",
                error.message
            );
        }
        self.state.checked(&result);
    }
}

/// How long the check may take.
const CHECK_TIME: Duration = Duration::from_secs(10);

/// Sets up what the settings say; nothing is asked yet.
///
/// # Errors
/// [`SetupError`]
pub fn set_up(
    settings: &SearchSettings,
    beside_simulated_models: bool,
) -> Result<(Option<Searching>, Setup), SetupError> {
    let wrong = SetupError::Setting;
    let client = || client::build().map_err(SetupError::Client);
    let (name, engine, price_usd): (_, Arc<dyn Search>, _) = match settings.chosen(beside_simulated_models) {
        Backend::Auto | Backend::None => return Ok((None, Setup::default())),
        Backend::Model => {
            let model = settings.model.clone();
            let model = model.ok_or_else(|| wrong("search.model: is missing".to_owned()))?;
            return Ok((Some(Searching::Model(model)), Setup::default()));
        }
        Backend::Tavily => {
            let engine = Tavily::new(&settings.tavily, client()?).map_err(wrong)?;
            (tavily::NAME, Arc::new(engine), settings.tavily.price_usd)
        }
        Backend::Searxng => {
            let engine = Searxng::new(&settings.searxng, client()?).map_err(wrong)?;
            (searxng::NAME, Arc::new(engine), settings.searxng.price_usd)
        }
        Backend::Simulated => (built_in::NAME, Arc::new(BuiltIn::new()), 0.0),
    };
    let state = Arc::new(State::default());
    let provider = SearchProvider {
        name,
        engine: Arc::clone(&engine),
        max_results: settings.max_results,
        time_limit: Duration::from_millis(settings.timeout_ms),
        price_usd,
        state: Arc::clone(&state),
    };
    let searching = Searching::Engine {
        name,
        provider: Box::new(provider),
        max_in_flight: settings.max_in_flight,
        retry: settings.retry,
    };
    Ok((Some(searching), Setup { engine: Some((name, engine)), state }))
}
