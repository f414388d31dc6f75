//! What events and stored messages say of routing.

use serde::{Deserialize, Serialize};

use super::facts::RoutingFact;
use super::settings::Category;
use crate::llm::fact::known;

/// Who answers, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RoutingInfo {
    pub category: Category,
    /// 0 to 1; absent when the model said none.
    pub confidence: Option<f64>,
    /// In a sentence.
    pub reasoning: String,
    /// `reasoning` as a fact, where no model said it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub reasoning_fact: Option<RoutingFact>,
    pub source: Source,
    /// The models that answer, in order.
    pub models: Vec<String>,
    /// Whether they are the category's own and not the whole council.
    pub is_routed: bool,
    /// How many models the settings name for the category.
    pub pool_size: usize,
    /// How many members the council has.
    pub total_models: usize,
    /// The number of `models`, under the name that existing clients read.
    pub routed_model_count: usize,
}

/// Who said what kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
// Names of types are global in the OpenAPI document.
#[schema(as = RoutingSource)]
pub enum Source {
    /// The utility model.
    Model,
    /// Single words of the question: the model could not be asked, or its reply not be read.
    Keywords,
}
