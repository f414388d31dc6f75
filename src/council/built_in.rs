//! The built-in council as it can be asked now.

use std::collections::BTreeSet;

use super::settings::Settings;
use crate::llm::{Models as _, Registry};

/// These settings with each model that nobody has configured, and that is gone, replaced by the nearest present one
/// of its family. `built_in` are the keys whose models nobody has configured.
#[must_use]
pub fn as_present(mut settings: Settings, built_in: &BTreeSet<String>, models: &Registry) -> Settings {
    for mut names in settings.model_groups() {
        for at in 0..names.len() {
            let (key, model) = &names[at];
            if !built_in.contains(key) || models.is_available(model) {
                continue;
            }
            // No model sits twice.
            let taken: Vec<&str> = names.iter().map(|(_, model)| model.as_str()).collect();
            if let Some(nearest) = models.nearest(model, &taken) {
                *names[at].1 = nearest;
            }
        }
    }
    settings
}
