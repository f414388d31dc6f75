//! Bedrock as one of the providers.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use reqwest::{Method, StatusCode};
use url::Url;

use super::catalogue;
use super::embeddings::{self, Family};
use super::incoming::Incoming;
use super::lists;
use super::regions;
use super::remap::remap;
use super::request_json;
use super::server::{LIST_TIME, Request, Server};
use super::settings::{self, Settings};
use crate::llm::embedding_call::{self, MAX_REPLY_BYTES};
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::exchange;
use crate::llm::regional::{Moved, Region, Regional};
use crate::llm::request::{ChatRequest, Role};
use crate::llm::retry::RetryPolicy;
use crate::llm::schema::Refusals;
use crate::llm::settings::ProviderKind;
use crate::llm::settings::ProviderSettings;
use crate::llm::{Chunks, ModelInfo, Pricing, Provider};

/// The kind `bedrock`.
pub const KIND: ProviderKind = ProviderKind {
    name: "bedrock",
    implied_by: &[],
    keys: settings::KEYS,
    variables: settings::VARIABLES,
    reads: settings::READS,
    retry: RetryPolicy::DEFAULT,
    built_in_council: Some("bedrock"),
    check: settings::check,
    build: |settings, clients| Ok(Box::new(Bedrock::new(settings, clients.shared()?)?)),
};

/// Bedrock in all its regions.
struct Bedrock {
    name: String,
    server: Server,
    /// The region of ids that name none.
    region: String,
    /// The regions that may be used.
    regions: Vec<String>,
    /// Whether the configuration names `regions`.
    has_own_regions: bool,
    /// What is on offer in regions where AWS's own lists have been read, by ids without a region.
    offers: RwLock<BTreeMap<String, Vec<ModelInfo>>>,
    streams: bool,
    /// Models that take no system prompt.
    without_system: Refusals,
}

impl Bedrock {
    fn new(settings: &ProviderSettings, client: reqwest::Client) -> Result<Self, Vec<String>> {
        let own = Settings::of(settings)?;
        Ok(Self {
            name: settings.name.clone(),
            server: Server::new(settings, &own, client)?,
            streams: settings.stream,
            without_system: Refusals::default(),
            region: own.region,
            regions: own.regions,
            has_own_regions: own.has_own_regions,
            offers: RwLock::default(),
        })
    }

    /// The region of a model's id, and the id as Bedrock knows it there.
    fn place<'m>(&'m self, id: &'m str) -> Result<(&'m str, &'m str), CallError> {
        let (region, model) = regions::split(id);
        let region = region.unwrap_or(&self.region);
        if region == self.region || self.regions.iter().any(|known| known == region) {
            return Ok((region, model));
        }
        let message = format!(
            "{0} is not to be asked in {region}: providers.{0}.regions has {1}",
            self.name,
            self.regions.join(", ")
        );
        Err(CallError::new(ErrorKind::Refused, message))
    }

    /// A model's id with its region, which is left out for the default region. An ARN contains its region.
    fn placed(&self, id: &str, region: &str) -> String {
        if region == self.region || regions::split(id).0.is_some() {
            id.to_owned()
        } else {
            format!("{region}/{id}")
        }
    }

    /// What is on offer in a region, by ids without the region: from AWS's own list if it could be read, else from
    /// ours.
    fn offered(&self, region: &str) -> Vec<ModelInfo> {
        let offers = self.offers.read().unwrap_or_else(PoisonError::into_inner);
        offers.get(region).cloned().unwrap_or_else(|| catalogue::offered(region))
    }

    /// Reads AWS's own lists as far as the key may: that of the default region, and those of the others if the
    /// configuration names them.
    async fn read_lists(&self) {
        if !self.read_list(&self.region).await || !self.has_own_regions || self.server.has_own_control() {
            return;
        }
        for region in self.regions.iter().filter(|region| **region != self.region) {
            self.read_list(region).await;
        }
    }

    /// Reads AWS's list for a region; returns whether that worked. Most keys may not read it, which is not an error.
    async fn read_list(&self, region: &str) -> bool {
        match lists::offered(&self.server, region).await {
            Ok(offered) => {
                let mut offers = self.offers.write().unwrap_or_else(PoisonError::into_inner);
                offers.insert(region.to_owned(), offered);
                true
            }
            Err(error) => {
                let provider = self.name.as_str();
                tracing::debug!(provider, region, kind = ?error.kind, "AWS's list of models could not be read");
                false
            }
        }
    }

    async fn ask(&self, request: &ChatRequest, folded: bool) -> Result<Chunks, CallError> {
        let (region, model) = self.place(&request.model)?;
        let context = self.server.context(&request.model);
        let (action, accept) = if self.streams {
            ("converse-stream", "application/vnd.amazon.eventstream")
        } else {
            ("converse", "application/json")
        };
        let sending = Request {
            method: Method::POST,
            url: self.server.model_url(region, model, action)?,
            region,
            body: request_json::body(request, folded).to_string().into_bytes(),
            accept,
        };
        let (response, context) = self.server.send(&context, &sending).await?;
        if response.status() == StatusCode::NO_CONTENT {
            return Err(CallError {
                status: Some(204),
                ..context.bad_response("an empty answer (HTTP 204)")
            });
        }
        let incoming = Incoming::new(response, context, Arc::from(region), self.server.has_bearer());
        let next = |mut incoming: Incoming| async move { incoming.next().await.map(|item| (item, incoming)) };
        Ok(stream::unfold(incoming, next).boxed())
    }
}

#[async_trait]
impl Provider for Bedrock {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let folded = self.without_system.holds(&request.model);
        match self.ask(request, folded).await {
            Err(error) if !folded && has_system(request) && may_mean_the_system_prompt(&error) => {
                let chunks = self.ask(request, true).await?;
                self.without_system.remember(&request.model);
                Ok(chunks)
            }
            other => other,
        }
    }

    async fn embed(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        let (region, model) = self.place(&request.model)?;
        let family = Family::of_asked(model)?;
        let sending = Request {
            method: Method::POST,
            url: self.server.model_url(region, model, "invoke")?,
            region,
            body: family.body(&embedding_call::text_of(request)?),
            accept: "application/json",
        };
        let (response, context) = self.server.send(&self.server.context(&request.model), &sending).await?;
        let headers = response.headers().clone();
        let document =
            exchange::read_json(response, MAX_REPLY_BYTES, &context, "the reply with the embedding").await?;
        let chunks = family.read(&document, &headers, model, &context)?;
        Ok(stream::iter(chunks.into_iter().map(Ok)).boxed())
    }

    fn offers_embeddings(&self, model: &str) -> bool {
        embeddings::are_offered(model)
    }

    fn address(&self, model: &str) -> Option<Url> {
        let (region, _) = self.place(model).ok()?;
        self.server.address(region)
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        if tokio::time::timeout(LIST_TIME, self.read_lists()).await.is_err() {
            tracing::warn!(provider = self.name, "AWS did not send its lists of models in time");
        }
        let others = self.regions.iter().filter(|region| **region != self.region);
        let in_region = |region: &String| {
            let named = |info: ModelInfo| ModelInfo {
                id: self.placed(&info.id, region),
                provider: self.name.clone(),
                ..info
            };
            self.offered(region).into_iter().map(named).collect::<Vec<_>>()
        };
        Ok(std::iter::once(&self.region).chain(others).flat_map(in_region).collect())
    }

    fn streams(&self) -> bool {
        self.streams
    }

    fn sees_images(&self, model: &str) -> bool {
        let (_, plain) = regions::split_profile(regions::split(model).1);
        catalogue::sees_images(plain).unwrap_or(false)
    }

    fn regional(&self) -> Option<&dyn Regional> {
        Some(self)
    }

    fn price(&self, model: &str) -> Option<Pricing> {
        embeddings::price(model)
    }
}

impl Regional for Bedrock {
    fn default_region(&self) -> &str {
        &self.region
    }

    fn regions(&self) -> Vec<Region> {
        let name =
            |id: &str| regions::known(id).map_or_else(|| id.to_owned(), |region| region.name.to_owned());
        self.regions.iter().map(|id| Region { id: id.clone(), name: name(id) }).collect()
    }

    fn region_of<'i>(&'i self, id: &'i str) -> &'i str {
        regions::split(id).0.unwrap_or(&self.region)
    }

    fn moved(&self, id: &str, region: &str) -> Moved {
        if !self.regions.iter().any(|known| known == region) {
            return Moved::Lacking { nearest: Vec::new() };
        }
        let (_, model) = regions::split(id);
        let offers = self.offered(region);
        let offered: Vec<&str> = offers.iter().map(|info| info.id.as_str()).collect();
        match remap(model, region, &offered) {
            Moved::To(id) => Moved::To(self.placed(&id, region)),
            Moved::Lacking { nearest } => {
                Moved::Lacking { nearest: nearest.iter().map(|id| self.placed(id, region)).collect() }
            }
        }
    }
}

fn has_system(request: &ChatRequest) -> bool {
    request.messages.iter().any(|message| message.role == Role::System)
}

/// Whether a request was refused for its system prompt, which some models do not take.
fn may_mean_the_system_prompt(error: &CallError) -> bool {
    let said = error.message.to_lowercase();
    error.kind == ErrorKind::Refused
        && error.status == Some(400)
        && ["system message", "system prompt", "system instruction"].iter().any(|words| said.contains(words))
}

#[cfg(test)]
mod tests {
    use super::super::{catalogue, regions::REGIONS};

    /// Even without the lists, each region has the models of the built-in council.
    #[test]
    fn the_built_in_council_is_on_offer_in_every_region() {
        let text = include_str!("../../config/config.default.toml");
        let built_in: toml::Table = toml::from_str(text).unwrap();
        let named = built_in["bedrock"].to_string();
        let ids: Vec<&str> = named.split('"').filter(|word| word.starts_with("global.")).collect();
        assert!(ids.len() > 10);
        for region in REGIONS.iter().filter(|region| !region.id.starts_with("us-gov-")) {
            let offered = catalogue::offered(region.id);
            for id in &ids {
                assert!(offered.iter().any(|info| info.id == *id), "{id} in {}", region.id);
            }
        }
    }
}
