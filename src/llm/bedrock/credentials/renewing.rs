//! Keys that are renewed before they expire, once for all callers.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;

use super::keys::Keys;
use super::source::Source;

/// How long before their end keys are renewed. AWS has the next ones ready five minutes before.
const BEFORE: Duration = Duration::from_secs(300);
/// The pause before another try to renew keys that are still good.
const PAUSE: Duration = Duration::from_secs(30);

/// The keys of one source.
#[derive(Debug)]
pub(in crate::llm::bedrock) struct Renewing {
    source: Source,
    current: RwLock<Option<Held>>,
    /// Held by whoever fetches.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Debug, Clone)]
struct Held {
    keys: Arc<Keys>,
    /// When they are to be renewed; never for those that do not expire.
    renew_at: Option<Timestamp>,
}

impl Renewing {
    pub fn new(source: Source) -> Self {
        Self { source, current: RwLock::new(None), fetching: tokio::sync::Mutex::new(()) }
    }

    /// Keys that are good now.
    ///
    /// # Errors
    /// Why there are none, in words without a secret.
    pub async fn keys(&self) -> Result<Arc<Keys>, String> {
        if let Some(keys) = self.fresh() {
            return Ok(keys);
        }
        // While one fetches the others use what there is, as long as it is good.
        let _fetching = match self.fetching.try_lock() {
            Ok(guard) => guard,
            Err(_) => match self.still_good() {
                Some(keys) => return Ok(keys),
                None => self.fetching.lock().await,
            },
        };
        if let Some(keys) = self.fresh() {
            return Ok(keys);
        }
        match self.source.fetch().await {
            Ok(keys) => Ok(self.hold(keys)),
            Err(problem) => {
                let keys = self.still_good().ok_or_else(|| problem.clone())?;
                tracing::warn!(
                    problem,
                    "credentials could not be renewed; those at hand are used until they expire"
                );
                let renew_at = Timestamp::now().checked_add(PAUSE).ok();
                self.set(Some(Held { keys: Arc::clone(&keys), renew_at }));
                Ok(keys)
            }
        }
    }

    /// Discards keys that were refused; returns whether others can be fetched.
    pub fn refused(&self, keys: &Arc<Keys>) -> bool {
        let held = self.held();
        if held.is_some_and(|held| Arc::ptr_eq(&held.keys, keys)) {
            self.set(None);
        }
        !matches!(self.source, Source::Fixed(_))
    }

    fn hold(&self, keys: Keys) -> Arc<Keys> {
        let now = Timestamp::now();
        let renew_at = keys.expires.map(|expires| {
            let early = expires.checked_sub(BEFORE).unwrap_or(now);
            // Keys that expire very soon would be renewed at once: each is used for a while at least.
            early.max(now.checked_add(PAUSE).unwrap_or(now)).min(expires)
        });
        let keys = Arc::new(keys);
        self.set(Some(Held { keys: Arc::clone(&keys), renew_at }));
        keys
    }

    fn fresh(&self) -> Option<Arc<Keys>> {
        let held = self.held()?;
        held.renew_at.is_none_or(|at| Timestamp::now() < at).then_some(held.keys)
    }

    fn still_good(&self) -> Option<Arc<Keys>> {
        let keys = self.held()?.keys;
        keys.expires.is_none_or(|at| Timestamp::now() < at).then_some(keys)
    }

    fn held(&self) -> Option<Held> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, held: Option<Held>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = held;
    }
}
