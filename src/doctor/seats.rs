//! Who sits where in the council that everybody starts from.

use crate::config::Config;
use crate::council::built_in;
use crate::council::settings::{Settings, SettingsLayer};
use crate::llm::Registry;
use crate::search::Backend;
use crate::store::{Db, Scope, settings};

use super::report::Seat;

/// A model, and where it sits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seated {
    pub model: String,
    pub seats: Vec<Seat>,
}

/// The settings that everybody starts from: the configuration's, and on them what administrators have changed, where
/// the database can be read.
pub(super) async fn settings_in_force(config: &Config, models: &Registry, db: Option<&Db>) -> Settings {
    let defaults = built_in::as_present(config.council.settings.clone(), &config.council.built_in, models);
    match db {
        Some(db) => match instance_layer(db).await {
            Ok(Some(layer)) => defaults.with(&layer),
            Ok(None) => defaults,
            Err(error) => {
                tracing::warn!(error, "the settings of administrators cannot be read");
                defaults
            }
        },
        None => defaults,
    }
}

async fn instance_layer(db: &Db) -> Result<Option<SettingsLayer>, String> {
    let mut tx = db.begin(&Scope::Admin).await.map_err(|error| error.to_string())?;
    let layer = settings::instance(&mut tx).await.map_err(|error| error.to_string())?;
    layer.map(serde_json::from_value).transpose().map_err(|_| "they are malformed".to_owned())
}

/// Everybody who sits somewhere, members first, then those that were `named`.
pub(super) fn all(config: &Config, settings: &Settings, named: &[String]) -> Vec<Seated> {
    let mut all: Vec<Seated> = Vec::new();
    let mut sit = |model: &str, seat: Seat| {
        if model.is_empty() {
            return;
        }
        match all.iter_mut().find(|seated| seated.model == model) {
            Some(seated) if seated.seats.contains(&seat) => {}
            Some(seated) => seated.seats.push(seat),
            None => all.push(Seated { model: model.to_owned(), seats: vec![seat] }),
        }
    };
    for (seat, model) in settings
        .clone()
        .model_groups()
        .into_iter()
        .flatten()
        .filter_map(|(key, model)| Some((seat(&key)?, model.clone())))
    {
        sit(&model, seat);
    }
    if let (Backend::Model, Some(model)) = (config.search.chosen(false), &config.search.model) {
        sit(model, Seat::Search);
    }
    for model in named {
        sit(model, Seat::Named);
    }
    all
}

/// The seat of a model that is configured by this key; models that only an option asks have none here.
fn seat(key: &str) -> Option<Seat> {
    Some(match key.strip_prefix("council.")? {
        "models" => Seat::Member,
        "chairman" => Seat::Chairman,
        "chairman_fallbacks" => Seat::Fallback,
        "title_model" => Seat::Title,
        "utility_model" => Seat::Utility,
        "reviewer_models" => Seat::Reviewer,
        "research_model" => Seat::Research,
        _ => return None,
    })
}
