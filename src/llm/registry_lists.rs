//! The lists of models of all providers: fetched together, kept and refreshed.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::time::Instant;

use super::ModelInfo;
use super::nearest::nearest;
use super::offers::{LIST_TTL, LIST_TTL_AFTER_ERROR, ListError, ListRead, ModelList, Offers};
use super::registry::{Entry, Registry, SEARCH};
use super::seeded_rng::SeededRng;

/// The pause before lists are fetched again after this many failures in a row.
pub(super) fn pause_after(failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => LIST_TTL,
        Some(again) => LIST_TTL_AFTER_ERROR.saturating_mul(2u32.saturating_pow(again)).min(LIST_TTL),
    }
}

impl Registry {
    /// What the providers offer, at most ten minutes old unless a refresh is under way. The first caller after that
    /// fetches the lists; until it has them, others get the old ones.
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
        // The previous holder of the lock may have just fetched them.
        if let Some(cached) = self.cached()
            && Instant::now() < cached.fresh_until
        {
            return Arc::clone(&cached.list);
        }
        self.fetch_models().await
    }

    /// Fetches the lists again, even if they are still fresh.
    pub async fn refresh_models(&self) -> Arc<ModelList> {
        let _refreshing = self.refreshing.lock().await;
        self.fetch_models().await
    }

    /// Fetches the lists anew, and reports the result of each, the default provider first. Search backends are not
    /// asked.
    pub async fn read_lists(&self) -> Vec<ListRead> {
        let _refreshing = self.refreshing.lock().await;
        let (_, reads) = self.fetch().await;
        reads.into_iter().filter(|read| read.provider != SEARCH).collect()
    }

    /// Keeps the lists fresh until the future is dropped, so that looking up a price or a model never waits. After a
    /// failure it retries soon, then less and less often.
    pub async fn keep_lists_fresh(&self) {
        let mut rng = SeededRng::new(uuid::Uuid::new_v4().as_u64_pair().0, "lists");
        let mut failures: u32 = 0;
        loop {
            let list = self.refresh_models().await;
            failures = if list.errors.is_empty() { 0 } else { failures.saturating_add(1) };
            // A little early, so that nobody finds a stale list; with jitter, so that servers do not ask all at once.
            tokio::time::sleep(pause_after(failures).mul_f64(0.8 + 0.2 * rng.unit())).await;
        }
    }

    /// Changes whenever the lists have been read.
    pub fn list_reads(&self) -> watch::Receiver<()> {
        self.list_read.subscribe()
    }

    /// The closest model of the same family that the provider offers, as far as is known without a request, leaving out
    /// those in `taken`.
    #[must_use]
    pub fn nearest(&self, model: &str, taken: &[&str]) -> Option<String> {
        let (entry, id) = self.resolve(model);
        let full = |id: &str| self.full_id(entry, id);
        if let Some(regional) = entry.provider.regional() {
            let near = regional.moved(id, regional.region_of(id)).instead();
            return near.iter().map(|id| full(id)).find(|id| id != model && !taken.contains(&id.as_str()));
        }
        let cached = self.cached()?;
        let offers = cached.of(&entry.name).iter();
        let free = offers.map(|model| model.id.as_str()).filter(|id| !taken.contains(&full(id).as_str()));
        nearest(id, free).map(full)
    }

    pub(super) fn cached(&self) -> Option<Arc<Offers>> {
        self.offers.read().unwrap_or_else(PoisonError::into_inner).clone()
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
                    // The message may be logged: no prompt was sent, so the provider's words repeat none.
                    tracing::warn!(provider = entry.name, kind = ?error.kind, "a list of models could not be read: {}", error.message);
                    list.errors.push(ListError { provider: entry.name.clone(), message: error.message });
                    known.as_ref().map(|known| known.of(&entry.name).to_vec()).unwrap_or_default()
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
        let list = Arc::new(list);
        let read = Offers::new(Arc::clone(&list), Instant::now() + ttl, offers);
        *self.offers.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(read));
        self.list_read.send_replace(());
        (list, reads)
    }
}
