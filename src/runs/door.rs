//! Before a question is taken: what it will probably cost, and what the budgets say to that.

use super::purse::shown;
use super::settings::UnknownPrices;
use super::{OverBudget, Runs};
use crate::council::Plan;
use crate::council::budget::BudgetState;
use crate::council::estimate::{self, Estimate};
use crate::council::fork::Kept;
use crate::store::budgets::State;
use crate::store::budgets::reserve::{self, Drawn, Need, Unknown};

impl Runs {
    /// What a plan will probably cost, beyond what is kept of an earlier run.
    #[must_use]
    pub fn estimate(&self, plan: &Plan, kept: &Kept) -> Estimate {
        estimate::of_plan(plan, kept, |model, prompt_tokens| self.inner.models.price(model, prompt_tokens))
    }

    /// Which of the budgets in these states a question would nearly use up.
    ///
    /// # Errors
    /// [`OverBudget`] where it would not be let in.
    pub fn weigh(
        &self,
        estimate: &Estimate,
        states: Vec<State>,
    ) -> Result<Vec<BudgetState>, Box<OverBudget>> {
        let need = self.need(estimate);
        match reserve::weigh(states, need) {
            Drawn::Granted { nearly_used_up } => Ok(nearly_used_up.into_iter().map(shown).collect()),
            Drawn::Refused(budget) => Err(Box::new(over(*budget, estimate.clone(), need))),
        }
    }

    pub(super) fn need(&self, estimate: &Estimate) -> Need {
        let are_known = estimate.unknown_price_models.is_empty();
        let unknown = match self.inner.settings.budgets.unknown_prices {
            UnknownPrices::Allow | UnknownPrices::Refuse if are_known => Unknown::None,
            UnknownPrices::Allow => Unknown::Allowed,
            UnknownPrices::Refuse => Unknown::Refused,
        };
        Need { usd: estimate.cost_usd.unwrap_or_default(), unknown }
    }
}

/// Why a question is not let in.
pub(super) fn over(budget: State, estimate: Estimate, need: Need) -> OverBudget {
    OverBudget {
        budget: shown(budget),
        needed_usd: estimate.cost_usd.filter(|_| need.unknown != Unknown::Refused),
        unknown_price_models: estimate.unknown_price_models,
    }
}
