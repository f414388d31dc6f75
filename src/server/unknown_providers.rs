//! Models that are named with a provider that this server does not have: refused where they are named, before they are
//! stored or asked.

use serde_json::Value;

use super::app::App;
use crate::council::field::FieldError;
use crate::council::setting::Kind;
use crate::council::settings::Settings;

/// The members in a request, under the same names as in the settings.
const MEMBERS: &str = "models";

impl App {
    /// Every field of a body that names a model of a provider that is not configured, by the names that settings have.
    #[must_use]
    pub fn unknown_providers(&self, body: &Value) -> Vec<FieldError> {
        let names_models = |kind: Kind| match kind {
            Kind::Model
            | Kind::EmbeddingModel
            | Kind::Models(_)
            | Kind::Fallbacks
            | Kind::ModelsUnder(_)
            | Kind::Members
            | Kind::Reviewers => true,
            Kind::Name
            | Kind::Flag
            | Kind::Number(..)
            | Kind::Decimal(..)
            | Kind::Options
            | Kind::PerCall => false,
        };
        let settings = Settings::all().into_iter().filter(|it| names_models(it.kind)).map(|it| it.name);
        let mut problems = Vec::new();
        for field in settings.chain([MEMBERS]) {
            if let Some(value) = body.get(field) {
                self.check(field, value, &mut problems);
            }
        }
        problems
    }

    /// A model, a member, or a list or table of them.
    fn check(&self, field: &str, value: &Value, problems: &mut Vec<FieldError>) {
        match value {
            Value::String(model) => problems.extend(self.model_problem(field, model)),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.check(&format!("{field}.{at}"), item, problems);
                }
            }
            Value::Object(fields) => match fields.get("model") {
                Some(model) => self.check(&format!("{field}.model"), model, problems),
                None => {
                    for (word, models) in fields {
                        self.check(&format!("{field}.{word}"), models, problems);
                    }
                }
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn model_problem(&self, field: &str, model: &str) -> Option<FieldError> {
        let name = self.models.unknown_provider(model)?;
        let known = self.models.providers().join(", ");
        Some(FieldError::value(
            field,
            format!("there is no provider {name:?} on this server; there is {known}"),
        ))
    }
}
