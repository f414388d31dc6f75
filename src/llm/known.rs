//! What a registry knows of models and providers without sending a request.

use std::sync::PoisonError;

use super::Models as _;
use super::model_id;
use super::registry::{Registry, SEARCH};

impl Registry {
    /// The name of the provider that serves this model.
    #[must_use]
    pub fn provider_of(&self, model: &str) -> &str {
        &self.resolve(model).0.name
    }

    /// The names of all providers, without the search backend.
    #[must_use]
    pub fn providers(&self) -> Vec<&str> {
        self.entries.keys().map(String::as_str).filter(|name| *name != SEARCH).collect()
    }

    /// The provider that a model's id names, if it is not configured.
    #[must_use]
    pub fn unknown_provider<'m>(&self, model: &'m str) -> Option<&'m str> {
        model_id::unknown_provider(model, |name| self.entries.contains_key(name))
    }

    /// Whether this model's replies come token by token.
    #[must_use]
    pub fn streams(&self, model: &str) -> bool {
        self.resolve(model).0.provider.streams()
    }

    /// Whether this model is fit for small tasks, such as a title.
    #[must_use]
    pub fn is_fit_for_utility(&self, model: &str) -> bool {
        let (entry, id) = self.resolve(model);
        entry.provider.is_fit_for_utility(id)
    }

    /// Whether the provider's list has this model; `None` if the list is unknown or incomplete.
    #[must_use]
    pub fn lists(&self, model: &str) -> Option<bool> {
        let (entry, _) = self.resolve(model);
        let is_known = !self.cached()?.of(&entry.name).is_empty();
        let says = entry.provider.is_simulated() || (is_known && entry.provider.lists_all());
        says.then(|| self.is_available(model))
    }

    /// Up to `most` models that accept images; `None` before the lists of models have been read.
    #[must_use]
    pub fn models_that_see(&self, most: usize) -> Option<Vec<String>> {
        let cached = self.cached()?;
        let seeing = cached.list.models.iter().filter(|model| model.images == Some(true));
        Some(seeing.take(most).map(|model| model.id.clone()).collect())
    }

    /// Takes over the lists of models that another registry of the same providers has read.
    pub fn take_lists_of(&self, other: &Self) {
        *self.offers.write().unwrap_or_else(PoisonError::into_inner) = other.cached();
    }
}
