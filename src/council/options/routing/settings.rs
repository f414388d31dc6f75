//! What routing is set to: the models for each kind of question.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::council::member::too_long;
use crate::council::setting::{Key, Kind, ModelGroup, Setting, SettingValue, list_problems, settings};

/// The kinds of questions that routing tells apart.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Coding,
    Creative,
    Factual,
    Analysis,
    General,
}

impl Category {
    /// Every category.
    pub const ALL: [Self; 5] = [Self::Coding, Self::Creative, Self::Factual, Self::Analysis, Self::General];

    /// The name of each.
    const NAMES: [&'static str; 5] = {
        let mut names = [""; 5];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].as_str();
            at += 1;
        }
        names
    };

    /// The name of its pool in settings and configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Creative => "creative",
            Self::Factual => "factual",
            Self::Analysis => "analysis",
            Self::General => "general",
        }
    }
}

/// The models for each kind of question; a category without any is answered by the whole council.
pub type RoutingPools = BTreeMap<Category, Vec<String>>;

settings! {
    /// What routing is set to.
    RoutingSettings,
    /// One layer of it.
    RoutingLayer {
        /// The models for each kind of question (`coding`, `creative`, `factual`, `analysis`, `general`);
        /// a kind without any is answered by the whole council.
        routing_pools: RoutingPools as BTreeMap<String, Vec<String>> = RoutingPools::new(),
            Setting {
                key: Key::Other("routing_pools.<category>"),
                reference: Some("The models for one kind of question. Built in with the built-in council; a kind without \
                                 any is answered by the whole council."),
                example: "~openai/gpt-latest, ~anthropic/claude-sonnet-latest",
                may_review: true,
                ..Setting::of(Kind::ModelsUnder(&Category::NAMES))
            };
    }
}

impl SettingValue for RoutingPools {
    fn read(fields: &mut Fields<'_>, name: &str, kind: Kind) -> Option<Self> {
        let pools: Self = fields.take(name, &kind.expected())?;
        let mut is_read = true;
        for (category, models) in &pools {
            if let Some(problem) = too_long(models.len()) {
                fields.refuse(format!("{name}.{}", category.as_str()), FieldErrorKind::Value, problem);
                is_read = false;
            }
        }
        is_read.then_some(pools)
    }

    fn problems(&self, field: &str, _kind: Kind) -> Vec<FieldError> {
        let pool = |(category, models): (&Category, &Vec<String>)| {
            list_problems(&format!("{field}.{}", category.as_str()), Kind::Models(1), models)
        };
        self.iter().flat_map(pool).collect()
    }

    fn models(&self) -> Vec<&str> {
        self.values().flatten().map(String::as_str).collect()
    }

    fn model_groups(&mut self, key: &str) -> Vec<ModelGroup<'_>> {
        let pools = self.iter_mut().map(|(category, models)| {
            let key = key.replace("<category>", category.as_str());
            models.iter_mut().map(|model| (key.clone(), model)).collect()
        });
        pools.collect()
    }
}
