//! Admission of a question: what it will probably cost, and whether the budgets allow that.

use super::budget::budget_state;
use super::error::OverBudget;
use super::settings::UnknownPrices;
use super::state::{Runs, Shared};
use crate::council::Plan;
use crate::council::budget::BudgetState;
use crate::council::estimate::{Estimate, Kept};
use crate::council::formats;
use crate::store::budgets::State;
use crate::store::budgets::reserve::{self, ExpectedCost, Outcome, UnknownCost};

impl Runs {
    /// What a plan will probably cost, beyond what is kept of an earlier run.
    #[must_use]
    pub fn estimate(&self, plan: &Plan, kept: &Kept) -> Estimate {
        estimate(&self.shared, plan, kept)
    }

    /// Checks a question's estimated cost against budgets in these states. Returns those that it would nearly use up.
    ///
    /// # Errors
    /// [`OverBudget`] where a budget refuses the question.
    pub fn check_budgets(
        &self,
        estimate: &Estimate,
        states: Vec<State>,
    ) -> Result<Vec<BudgetState>, Box<OverBudget>> {
        check_budgets(&self.shared, estimate, states)
    }
}

/// See [`Runs::estimate`].
pub(super) fn estimate(shared: &Shared, plan: &Plan, kept: &Kept) -> Estimate {
    formats::estimate(plan, kept, |model, prompt_tokens| shared.models.price(model, prompt_tokens))
}

/// See [`Runs::check_budgets`].
pub(super) fn check_budgets(
    shared: &Shared,
    estimate: &Estimate,
    states: Vec<State>,
) -> Result<Vec<BudgetState>, Box<OverBudget>> {
    let need = need(shared, estimate);
    match reserve::check_room(states, need) {
        Outcome::Granted { nearly_used_up } => Ok(nearly_used_up.into_iter().map(budget_state).collect()),
        Outcome::Refused(budget) => Err(Box::new(over_budget(*budget, estimate.clone(), need))),
    }
}

/// What a run of this estimate has to reserve in the budgets.
pub(super) fn need(shared: &Shared, estimate: &Estimate) -> ExpectedCost {
    let are_known = estimate.unknown_price_models.is_empty();
    let unknown = match shared.settings.budgets.unknown_prices {
        UnknownPrices::Allow | UnknownPrices::Refuse if are_known => UnknownCost::None,
        UnknownPrices::Allow => UnknownCost::Allowed,
        UnknownPrices::Refuse => UnknownCost::Refused,
    };
    ExpectedCost { usd: estimate.cost_usd.unwrap_or_default(), unknown }
}

/// The error for a question that this budget refuses.
pub(super) fn over_budget(budget: State, estimate: Estimate, need: ExpectedCost) -> OverBudget {
    OverBudget {
        budget: budget_state(budget),
        needed_usd: estimate.cost_usd.filter(|_| need.unknown != UnknownCost::Refused),
        unknown_price_models: estimate.unknown_price_models,
    }
}
