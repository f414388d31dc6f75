//! The built-in council, made of models that exist now.

use std::collections::BTreeSet;

use super::settings::Settings;
use crate::llm::{Models as _, Registry};

/// Replaces each built-in model that no longer exists by the nearest available one of its family. `built_in` are the
/// settings' keys whose models nobody has configured.
#[must_use]
pub fn as_present(mut settings: Settings, built_in: &BTreeSet<String>, models: &Registry) -> Settings {
    for mut names in settings.model_groups() {
        for at in 0..names.len() {
            let (key, model) = &names[at];
            if !built_in.contains(key) || models.is_available(model) {
                continue;
            }
            // No model may have two seats.
            let taken: Vec<&str> = names.iter().map(|(_, model)| model.as_str()).collect();
            if let Some(nearest) = models.nearest(model, &taken) {
                *names[at].1 = nearest;
            }
        }
    }
    settings
}
