//! What routing is set to, for clients that show it before they ask.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Category, RoutingPools};
use crate::council::settings::Settings;

/// The models for each kind of question.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PoolsView {
    #[schema(value_type = BTreeMap<String, Vec<String>>)]
    pub pools: RoutingPools,
    #[schema(value_type = BTreeMap<String, CategoryView>)]
    pub categories: BTreeMap<Category, CategoryView>,
}

/// A kind of question, for people.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CategoryView {
    pub name: &'static str,
    pub description: &'static str,
}

impl PoolsView {
    /// By these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let view = |category: Category| CategoryView {
            name: category.as_str(),
            description: category.description(),
        };
        Self {
            pools: settings.options.routing.routing_pools.clone(),
            categories: Category::ALL.into_iter().map(|category| (category, view(category))).collect(),
        }
    }
}

/// What a request may say of routing.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct RoutingFields {
    /// Whether the utility model says what kind of question it is, and the models that
    /// `routing_pools` names for that kind answer it.
    #[schema(default = false)]
    use_dynamic_routing: Option<bool>,
}
