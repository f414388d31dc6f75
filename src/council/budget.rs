//! The event that warns of a budget.

use serde::{Deserialize, Serialize};

use super::any_event::FeatureEvent;
pub use crate::llm::budget::{BudgetPeriod, BudgetScope, BudgetSetBy, BudgetState, Cost, Usd};

/// The event of budgets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum BudgetEvent {
    /// A budget is nearly used up (80 %), this run included; once per run and budget.
    BudgetWarning { data: BudgetState },
}

// The warning already says everything.
impl FeatureEvent for BudgetEvent {}
