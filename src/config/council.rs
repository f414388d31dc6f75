//! `council.*`: who sits, who presides, and how they are asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::keys::{CATEGORIES, PURPOSES};
use super::reader::Reader;
use super::tree::{Council, CouncilOptions, ProviderKind, Providers, Sampling, Seat, Timeouts};

/// The models that are built in, as `config.default.toml` has them.
#[derive(Deserialize)]
struct Defaults {
    council: DefaultModels,
    simulated: DefaultModels,
}

#[derive(Deserialize)]
struct DefaultModels {
    models: Vec<String>,
    chairman: String,
    title_model: String,
    utility_model: String,
    multi_chairman_models: Vec<String>,
    tier1_models: Vec<String>,
    tier2_models: Vec<String>,
    adversary_model: String,
    routing_pools: BTreeMap<String, Vec<String>>,
}

/// The council, completed by the built-in models where the default provider has some.
pub(super) fn council(read: &Reader, providers: &Providers) -> Council {
    let kind = providers.list.iter().find(|provider| provider.name == providers.default).map(|p| p.kind);
    let defaults = config::File::from_str(include_str!("config.default.toml"), config::FileFormat::Toml);
    let defaults: Defaults = config::Config::builder()
        .add_source(defaults)
        .build()
        .and_then(config::Config::try_deserialize)
        .expect("a test reads the built-in models");
    let built_in = match kind {
        Some(ProviderKind::Openrouter) => Some(defaults.council),
        Some(ProviderKind::Simulated) => Some(defaults.simulated),
        Some(ProviderKind::OpenaiCompatible) | None => None,
    };

    let mut models = read.seats("council.models");
    if let Some(built_in) = &built_in
        && !read.is_set("council.models")
    {
        models = built_in.models.iter().cloned().map(Seat::of).collect();
    }
    if models.is_empty() && built_in.is_none() && !read.is_set("council.models") {
        read.error(
            "council.models",
            format!(
                "the provider {:?} has no built-in council: set council.models, council.chairman and \
                 council.title_model (title_model may be left out: then the chairman does it)",
                providers.default
            ),
        );
    } else {
        check_members(read, &models);
    }

    let chairman = model(read, "council.chairman").or_else(|| built_in.as_ref().map(|b| b.chairman.clone()));
    if chairman.is_none() {
        read.error(
            "council.chairman",
            format!("the provider {:?} has no built-in chairman: name a model", providers.default),
        );
    }
    let chairman = chairman.unwrap_or_default();
    let or_chairman = |key: &str, built_in: Option<&String>| {
        model(read, key).or_else(|| built_in.cloned()).unwrap_or_else(|| chairman.clone())
    };
    let chairman_fallbacks = read.list("council.chairman_fallbacks");
    for name in &chairman_fallbacks {
        check_model(read, "council.chairman_fallbacks", name);
    }
    Council {
        title_model: or_chairman("council.title_model", built_in.as_ref().map(|b| &b.title_model)),
        utility_model: or_chairman("council.utility_model", built_in.as_ref().map(|b| &b.utility_model)),
        models,
        chairman,
        chairman_alias: read.text("council.chairman_alias"),
        chairman_fallbacks,
        use_system_prompt_stage2: read.bool("council.use_system_prompt_stage2"),
        use_system_prompt_stage3: read.bool("council.use_system_prompt_stage3"),
        count_self_votes: read.bool("council.count_self_votes"),
        options: options(read, built_in.as_ref()),
        calls_in_flight: read.number("council.calls_in_flight").unwrap_or_default(),
        sampling: by_purpose(|purpose| sampling(read, purpose)),
        timeouts: by_purpose(|purpose| timeouts(read, purpose)),
    }
}

/// The options' models, the built-in ones where none are named.
fn options(read: &Reader, built_in: Option<&DefaultModels>) -> CouncilOptions {
    let list = |key: &str, built_in: Option<&Vec<String>>| {
        let models = if read.is_set(key) { read.list(key) } else { built_in.cloned().unwrap_or_default() };
        for name in &models {
            check_model(read, key, name);
        }
        models
    };
    let pool = |category: &str| {
        list(
            &format!("council.routing_pools.{category}"),
            built_in.and_then(|b| b.routing_pools.get(category)),
        )
    };
    CouncilOptions {
        multi_chairman_models: list(
            "council.multi_chairman_models",
            built_in.map(|b| &b.multi_chairman_models),
        ),
        routing_pools: CATEGORIES.iter().map(|category| ((*category).to_owned(), pool(category))).collect(),
        tier1_models: list("council.tier1_models", built_in.map(|b| &b.tier1_models)),
        tier2_models: list("council.tier2_models", built_in.map(|b| &b.tier2_models)),
        escalation_confidence_threshold: decimal(read, "council.escalation_confidence_threshold"),
        escalation_min_confidence_threshold: read
            .number("council.escalation_min_confidence_threshold")
            .unwrap_or_default(),
        escalation_agreement_threshold: decimal(read, "council.escalation_agreement_threshold"),
        adversary_model: model(read, "council.adversary_model")
            .or_else(|| built_in.map(|b| b.adversary_model.clone())),
    }
}

/// A number that has a default; a wrong one is in the list of errors already.
fn decimal(read: &Reader, key: &str) -> f64 {
    read.decimal(key).unwrap_or_default()
}

fn by_purpose<T>(read: impl Fn(&str) -> T) -> BTreeMap<String, T> {
    PURPOSES.iter().map(|purpose| ((*purpose).to_owned(), read(purpose))).collect()
}

fn sampling(read: &Reader, purpose: &str) -> Sampling {
    Sampling {
        temperature: optional(read, &format!("council.sampling.{purpose}.temperature"), Reader::decimal),
        max_tokens: optional(read, &format!("council.sampling.{purpose}.max_tokens"), Reader::number),
    }
}

fn optional<T>(read: &Reader, key: &str, reading: impl Fn(&Reader, &str) -> Option<T>) -> Option<T> {
    read.is_set(key).then(|| reading(read, key)).flatten()
}

fn timeouts(read: &Reader, purpose: &str) -> Timeouts {
    let key = |field: &str| format!("council.timeouts.{purpose}.{field}");
    let total_ms: u64 = read.number(&key("total_ms")).unwrap_or_default();
    // Whoever only shortens the whole means the parts as well.
    let part = |field: &str| {
        let ms: u64 = read.number(&key(field)).unwrap_or_default();
        if read.is_set(&key(field)) { ms } else { ms.min(total_ms) }
    };
    let limits = Timeouts { first_token_ms: part("first_token_ms"), idle_ms: part("idle_ms"), total_ms };
    if total_ms < limits.first_token_ms.max(limits.idle_ms) {
        read.error(&key("total_ms"), "must not be shorter than first_token_ms and idle_ms");
    }
    limits
}

fn check_members(read: &Reader, models: &[Seat]) {
    let key = "council.models";
    if !(2..=7).contains(&models.len()) {
        read.error(key, format!("a council has 2 to 7 members, not {}", models.len()));
    }
    let mut names = BTreeSet::new();
    for seat in models {
        check_model(read, key, &seat.model);
        if seat.name().trim().is_empty() {
            read.error(key, "an alias must not be blank");
        }
        if !names.insert(seat.name()) {
            read.error(key, format!("two members are called {:?}; give one an alias", seat.name()));
        }
    }
}

fn model(read: &Reader, key: &str) -> Option<String> {
    let name = read.text(key)?;
    check_model(read, key, &name);
    Some(name)
}

fn check_model(read: &Reader, key: &str, name: &str) {
    let is_id =
        !name.is_empty() && name.len() <= 200 && !name.chars().any(|c| c.is_whitespace() || c.is_control());
    if !is_id {
        read.error(key, format!("{name:?} is not a model id such as openai/gpt-5.1"));
    }
}
