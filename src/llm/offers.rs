//! What providers offer, from their lists of models.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::error::CallError;
use super::{ModelInfo, Pricing};

/// How long a list of models is served without asking again.
pub(super) const LIST_TTL: Duration = Duration::from_secs(600);
/// How long the lists are served if a provider failed: its models are to appear soon after it is back.
pub(super) const LIST_TTL_AFTER_ERROR: Duration = Duration::from_secs(30);

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

/// The result of reading one provider's list of models.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRead {
    pub provider: String,
    pub is_default: bool,
    pub simulated: bool,
    /// How many models it offers.
    pub models: Result<usize, CallError>,
    pub took: Duration,
}

/// The lists that were read last, by provider and the provider's own ids.
pub(super) struct Offers {
    pub(super) list: Arc<ModelList>,
    pub(super) fresh_until: Instant,
    models: HashMap<String, Vec<ModelInfo>>,
    prices: HashMap<String, HashMap<String, Pricing>>,
    ids: HashMap<String, HashSet<String>>,
}

impl Offers {
    pub(super) fn new(
        list: Arc<ModelList>,
        fresh_until: Instant,
        models: HashMap<String, Vec<ModelInfo>>,
    ) -> Self {
        let prices = models.iter().map(|(name, models)| (name.clone(), prices(models))).collect();
        let names = |models: &[ModelInfo]| models.iter().map(|model| model.id.clone()).collect();
        let ids = models.iter().map(|(name, models)| (name.clone(), names(models))).collect();
        Self { list, fresh_until, models, prices, ids }
    }

    /// What a provider offers, in its own order; empty if its list was never read.
    pub(super) fn of(&self, provider: &str) -> &[ModelInfo] {
        self.models.get(provider).map_or(&[], Vec::as_slice)
    }

    pub(super) fn model(&self, provider: &str, id: &str) -> Option<&ModelInfo> {
        self.of(provider).iter().find(|model| model.id == id)
    }

    /// This model, or the one that it is a variant of.
    pub(super) fn model_or_variant(&self, provider: &str, id: &str) -> Option<&ModelInfo> {
        let is_variant = |model: &&ModelInfo| is_same_model(&model.id, id);
        self.model(provider, id).or_else(|| self.of(provider).iter().find(is_variant))
    }

    pub(super) fn price(&self, provider: &str, id: &str) -> Option<Pricing> {
        self.prices.get(provider)?.get(id).copied()
    }

    /// Whether a provider has this model, or the one that it is a variant of; `None` if its list is unknown. An empty
    /// list most likely could not be read.
    pub(super) fn has(&self, provider: &str, id: &str) -> Option<bool> {
        let ids = self.ids.get(provider).filter(|ids| !ids.is_empty())?;
        Some(ids.contains(id) || ids.iter().any(|listed| is_same_model(listed, id)))
    }

    /// The listed id of the model that the provider calls `canonical` in its replies.
    pub(super) fn name_of(&self, provider: &str, canonical: &str) -> Option<&str> {
        // Variants (`x:batch`) share the name of what they are variants of.
        let same = self.of(provider).iter().filter(|model| model.canonical.as_deref() == Some(canonical));
        same.map(|model| model.id.as_str()).min_by_key(|id| id.len())
    }
}

/// Whether a listed id means the same model as this one. A tag that only one of them has is a variant of the same
/// model: `x/y:online` is listed as `x/y`, and `llama3` may be as `llama3:latest`. Google lists `gemini-2.5-pro` in a
/// folder, and Anthropic lists `claude-sonnet-4-5` only with its date.
fn is_same_model(listed: &str, id: &str) -> bool {
    let (listed, id) = (without_folder(listed), without_folder(id));
    let untagged = |id: &str, other: &str| id.rsplit_once(':').is_some_and(|(model, _)| model == other);
    listed == id || untagged(id, listed) || untagged(listed, id) || is_dated(listed, id)
}

/// `gemini-2.5-pro` for `models/gemini-2.5-pro`: at Google both mean the same model.
pub(super) fn without_folder(id: &str) -> &str {
    id.strip_prefix("models/").unwrap_or(id)
}

/// Whether a listed id is this one followed by a date.
fn is_dated(listed: &str, id: &str) -> bool {
    let date = listed.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
    date.is_some_and(|date| date.len() == 8 && date.bytes().all(|digit| digit.is_ascii_digit()))
}

fn prices(models: &[ModelInfo]) -> HashMap<String, Pricing> {
    models.iter().filter_map(|model| Some((model.id.clone(), model.pricing?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_recognised_in_a_list_that_names_it_otherwise() {
        for (listed, id, same) in [
            ("models/gemini-2.5-pro", "gemini-2.5-pro", true),
            ("models/gemini-2.5-pro", "models/gemini-2.5-pro", true),
            ("models/gemini-2.5-pro", "gemini-2.5-flash", false),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", true),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4", false),
            ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", false),
            ("gpt-4o-mini", "gpt-4o", false),
            ("llama3:latest", "llama3", true),
        ] {
            assert_eq!(is_same_model(listed, id), same, "{listed} {id}");
        }
    }
}
