//! The built-in list of models, `models.toml`, for keys that may not read AWS's own lists.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::regions;
use crate::llm::{ModelInfo, Pricing};

/// One model in all its regions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    /// Without a profile's prefix.
    id: String,
    name: String,
    /// The context window, in tokens.
    context: u64,
    #[serde(default)]
    tools: bool,
    /// The regions where the plain id can be called.
    #[serde(default)]
    regions: Vec<String>,
    #[serde(default)]
    profiles: Vec<String>,
    /// The source regions of this model's profiles, where they differ from the usual ones.
    #[serde(default)]
    sources: BTreeMap<String, Vec<String>>,
    /// USD per million tokens of prompt and answer, by profile, by region, or as `any`.
    #[serde(default)]
    prices: BTreeMap<String, [f64; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    /// When it was made.
    #[expect(dead_code, reason = "for whoever reads the file")]
    date: String,
    sources: BTreeMap<String, Vec<String>>,
    #[serde(rename = "model")]
    models: Vec<Model>,
}

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("models.toml")).expect("a test reads it"));

/// The key of the plain id's price in regions that have no price of their own.
const ANYWHERE: &str = "any";

impl Model {
    /// Whether the model can be called through this profile from this region.
    fn serves(&self, profile: &str, region: &str) -> bool {
        if !self.profiles.iter().any(|known| known == profile) {
            return false;
        }
        match self.sources.get(profile).or_else(|| CATALOGUE.sources.get(profile)) {
            Some(sources) => sources.iter().any(|source| source == region),
            // The global profile, but not in government clouds.
            None => profile == "global" && !region.starts_with("us-gov-"),
        }
    }

    fn price(&self, profile: Option<&str>, region: &str) -> Option<Pricing> {
        let usd = match profile {
            Some(profile) => self.prices.get(profile),
            None => self.prices.get(region).or_else(|| self.prices.get(ANYWHERE)),
        };
        let [prompt, completion] = usd?;
        Some(Pricing { prompt: prompt / 1e6, completion: completion / 1e6, ..Pricing::default() })
    }
}

/// The models on offer in a region as far as is known without a request, by plain ids and ids of profiles; the nearest
/// profile of each model comes first.
pub(super) fn offered(region: &str) -> Vec<ModelInfo> {
    let of_model = |model: &Model| {
        let profiles = regions::profiles(region).iter().filter(|profile| model.serves(profile, region));
        let through_profiles = profiles.map(|profile| format!("{profile}.{}", model.id));
        let plain = model.regions.iter().any(|known| known == region).then(|| model.id.clone());
        through_profiles.chain(plain).collect::<Vec<_>>()
    };
    CATALOGUE.models.iter().flat_map(of_model).map(|id| info(id, None, region)).collect()
}

/// What is known of the model with this id in this region; `name` is AWS's own name for it, if known.
pub(super) fn info(id: String, name: Option<String>, region: &str) -> ModelInfo {
    let (profile, plain) = regions::split_profile(&id);
    let known = CATALOGUE.models.iter().find(|model| model.id == plain);
    let own_name = || match (known, profile) {
        (Some(model), Some(profile)) => format!("{} ({})", model.name, shown(profile)),
        (Some(model), None) => model.name.clone(),
        (None, _) => id.clone(),
    };
    ModelInfo {
        name: name.unwrap_or_else(own_name),
        context_length: known.map(|model| model.context),
        pricing: known.and_then(|model| model.price(profile, region)),
        provider: String::new(),
        family: plain.split('.').next().unwrap_or_default().to_owned(),
        structured_outputs: false,
        tools: known.and_then(|model| model.tools.then_some(true)),
        images: sees_images(plain),
        canonical: None,
        region: Some(region.to_owned()),
        id,
    }
}

/// Prefixes of the plain ids of models that accept images through Converse
/// (<https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html>);
/// AWS's own list takes precedence, if it can be read.
const WITH_IMAGES: [&str; 8] = [
    "anthropic.claude-",
    "amazon.nova-2-lite",
    "amazon.nova-lite",
    "amazon.nova-premier",
    "amazon.nova-pro",
    "meta.llama4-",
    "mistral.pixtral-",
    "qwen.qwen3-vl-",
];
/// Exceptions to `WITH_IMAGES`: models that do not.
const WITHOUT_IMAGES: [&str; 3] =
    ["anthropic.claude-v2", "anthropic.claude-instant", "anthropic.claude-3-5-haiku"];

/// Whether a model accepts images, as far as is known without AWS's list.
pub(super) fn sees_images(plain: &str) -> Option<bool> {
    let begins = |list: &[&str]| list.iter().any(|beginning| plain.starts_with(beginning));
    begins(&WITH_IMAGES).then_some(!begins(&WITHOUT_IMAGES))
}

/// A profile's name for people.
fn shown(profile: &str) -> String {
    if profile == "global" { "global".to_owned() } else { profile.to_uppercase() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::llm::bedrock::regions::{PROFILES, REGIONS};

    #[test]
    fn the_file_is_right_in_itself() {
        let mut ids = BTreeSet::new();
        let places: BTreeSet<&str> = REGIONS.iter().map(|region| region.id).collect();
        let is_place = |place: &String| places.contains(place.as_str());
        assert!(CATALOGUE.sources.values().flatten().all(is_place));
        for model in &CATALOGUE.models {
            let id = &model.id;
            assert!(ids.insert(id), "{id} twice");
            assert_eq!(regions::split_profile(id).0, None, "{id}");
            assert!(!model.name.is_empty() && model.context >= 1000, "{id}");
            assert!(model.regions.iter().chain(model.sources.values().flatten()).all(is_place), "{id}");
            assert!(model.profiles.iter().all(|profile| PROFILES.contains(&profile.as_str())), "{id}");
            assert!(!model.regions.is_empty() || !model.profiles.is_empty(), "{id} is offered nowhere");
            for (place, [prompt, completion]) in &model.prices {
                let is_known = place == ANYWHERE || PROFILES.contains(&place.as_str()) || is_place(place);
                assert!(
                    is_known && (0.0..1000.0).contains(prompt) && (0.0..1000.0).contains(completion),
                    "{id} {place}"
                );
            }
        }
    }

    #[test]
    fn a_region_offers_what_its_profiles_reach() {
        let ids = |region: &str| -> Vec<String> {
            let of = |info: &ModelInfo| info.id.contains("claude-sonnet-4-5");
            offered(region).into_iter().filter(of).map(|info| info.id).collect()
        };
        let id = "anthropic.claude-sonnet-4-5-20250929-v1:0";
        assert_eq!(ids("eu-west-1"), [format!("eu.{id}"), format!("global.{id}")]);
        assert_eq!(ids("ap-northeast-1"), [format!("jp.{id}"), format!("global.{id}")]);
        assert_eq!(ids("ap-southeast-2"), [format!("au.{id}"), format!("global.{id}")]);
        assert_eq!(ids("sa-east-1"), [format!("global.{id}")]);
        assert!(!ids("us-gov-west-1").contains(&format!("global.{id}")));
    }

    #[test]
    fn who_takes_images_goes_by_the_model() {
        let sees = |id: &str| info(id.into(), None, "eu-west-1").images;
        assert_eq!(sees("eu.anthropic.claude-sonnet-4-6"), Some(true));
        assert_eq!(sees("anthropic.claude-3-5-haiku-20241022-v1:0"), Some(false));
        assert_eq!(sees("amazon.nova-micro-v1:0"), None);
    }

    #[test]
    fn prices_go_by_profile_and_by_region() {
        let price =
            |id: &str, region: &str| info(id.into(), None, region).pricing.map(|price| price.prompt * 1e6);
        let id = "anthropic.claude-sonnet-4-5-20250929-v1:0";
        let near = |found: Option<f64>, usd: f64| found.is_some_and(|found| (found - usd).abs() < 1e-9);
        assert!(near(price(&format!("eu.{id}"), "eu-west-1"), 3.3));
        assert!(near(price(&format!("global.{id}"), "eu-west-1"), 3.0));
        assert!(near(price("meta.llama3-70b-instruct-v1:0", "eu-west-2"), 3.45));
        assert_eq!(price("nobody.knows-it", "eu-west-2"), None);
    }
}
