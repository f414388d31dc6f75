//! Models that the settings name and that are not on their provider's list: reported before anybody asks them. In
//! the built-in council they are replaced.

use std::collections::BTreeSet;

use actix_web::web;
use serde::Serialize;
use tokio::sync::watch;

use super::app::{App, read};
use crate::council::built_in;
use crate::council::settings::{Settings, SettingsLayer};
use crate::llm::Models;
use crate::store::{Scope, settings};

/// A model that is not on its provider's list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
pub struct MissingModel {
    pub model: String,
    /// The nearest present name of its family; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Whether `nearest` is asked in its place: of the built-in council only. What a person or an
    /// administrator has chosen is asked as it is, and fails.
    pub replaced: bool,
}

impl App {
    /// The configured council as it can be asked now: of the models that are built in, those that are
    /// gone are replaced by the nearest present ones of their families.
    #[must_use]
    pub fn defaults(&self) -> Settings {
        let council = &self.config.council;
        built_in::as_present(council.settings.clone(), &council.built_in, &self.models)
    }

    /// The models in these settings that are not on offer, and the replacements of built-in ones.
    #[must_use]
    pub fn missing_models(&self, settings: &Settings) -> Vec<MissingModel> {
        let mut missing: BTreeSet<MissingModel> = BTreeSet::new();
        let (mut in_force, mut built_in, mut taken) =
            (settings.clone(), self.config.council.settings.clone(), self.defaults());
        let names = |settings: &mut Settings| -> Vec<(String, String)> {
            settings.model_groups().into_iter().flatten().map(|(key, model)| (key, model.clone())).collect()
        };
        let in_force = names(&mut in_force);
        for (_, model) in &in_force {
            if !self.models.is_available(model) {
                let nearest = self.models.nearest(model, &[]);
                missing.insert(MissingModel { model: model.clone(), nearest, replaced: false });
            }
        }
        for ((key, model), (_, taken)) in names(&mut built_in).into_iter().zip(names(&mut taken)) {
            if model != taken && in_force.contains(&(key, taken.clone())) {
                missing.insert(MissingModel { model, nearest: Some(taken), replaced: true });
            }
        }
        missing.into_iter().collect()
    }
}

/// Logs the models of the default council that are not on offer: once the providers' lists have been read for the first
/// time, and later each one that disappears, once.
pub fn log_missing_models(app: web::Data<App>) -> impl Future<Output = ()> {
    // Subscribed here: the lists may be read before the task runs.
    let list_reads = app.models.list_reads();
    log_changes(app, list_reads)
}

async fn log_changes(app: web::Data<App>, mut list_reads: watch::Receiver<()>) {
    let mut logged = Vec::new();
    while list_reads.changed().await.is_ok() {
        let mut settings = app.defaults();
        match instance_layer(&app).await {
            Ok(Some(layer)) => settings = settings.with(&layer),
            Ok(None) => {}
            // The configuration's models are still checked.
            Err(problem) => tracing::warn!(%problem, "the instance's settings cannot be read"),
        }
        let missing = app.missing_models(&settings);
        // One that is still missing is not logged again when another one joins it.
        let new =
            missing.iter().filter(|it| !logged.iter().any(|known: &MissingModel| known.model == it.model));
        for MissingModel { model, nearest, replaced } in new {
            match nearest {
                Some(nearest) if *replaced => tracing::warn!(
                    model,
                    nearest,
                    "a model of the built-in council is not on its provider's list; the nearest one of its family is asked in its place"
                ),
                _ => tracing::warn!(
                    model,
                    nearest,
                    "a configured model is not on its provider's list; calls to it will fail"
                ),
            }
        }
        logged = missing;
    }
}

async fn instance_layer(app: &App) -> Result<Option<SettingsLayer>, String> {
    let mut tx = app.db.begin(&Scope::Admin).await.map_err(|error| error.to_string())?;
    let layer = settings::instance(&mut tx).await.map_err(|error| error.to_string())?;
    layer.map(read).transpose().map_err(|_| "it is malformed".to_owned())
}
