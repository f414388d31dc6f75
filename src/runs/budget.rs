//! What a run has reserved in the budgets that bind it. Only the process that executes the run uses the
//! reservation, so a call that fits into what is left needs no query; for more, the database is asked, under the
//! budgets' locks. What is spent is what the ledger says: a call is settled when it is committed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::live::LiveRun;
use super::settings::{BudgetRules, UnknownPrices};
use super::store_retry::until_answered;
use crate::council::budget::{BudgetPeriod, BudgetScope, BudgetSetBy, BudgetState};
use crate::id::{RunId, UserId};
use crate::llm::{CallError, CallFact};
use crate::store::Db;
use crate::store::budgets::reserve::{self, ExpectedCost, Extension, Outcome, UnknownCost};
use crate::store::budgets::{BudgetOwner, Period, ROUNDING_USD, SetBy, State};
use crate::store::runs::Reservation;

/// A run's reservation: see the module.
#[derive(Debug)]
pub struct RunBudget {
    db: Db,
    rules: BudgetRules,
    run: RunId,
    attempt: i32,
    user: UserId,
    groups: Vec<String>,
    /// Budgets that were nearly used up when the run was admitted.
    pub warnings: Vec<BudgetState>,
    amounts: Mutex<Amounts>,
    /// Locked by the call that asks the database for more.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Amounts {
    granted_usd: f64,
    spent_usd: f64,
    /// What calls under way are expected to cost in USD, by their keys.
    reserved: HashMap<String, f64>,
}

impl Amounts {
    fn total_usd(&self) -> f64 {
        self.spent_usd + self.reserved.values().sum::<f64>()
    }
}

/// Whether a call may be made.
#[derive(Debug)]
pub enum Reserved {
    /// It may; these budgets are now nearly used up.
    Granted(Vec<BudgetState>),
    Refused(CallError),
    /// Another process owns the run by now.
    Lost,
}

impl RunBudget {
    /// The reservation of a run that has spent `spent_usd` in earlier executions.
    #[must_use]
    pub fn new(db: Db, rules: BudgetRules, live: &LiveRun, reservation: Reservation, spent_usd: f64) -> Self {
        Self {
            db,
            rules,
            run: live.id,
            attempt: live.attempt,
            user: live.user.clone(),
            groups: reservation.groups,
            warnings: reservation.warnings.into_iter().map(budget_state).collect(),
            amounts: Mutex::new(Amounts {
                granted_usd: reservation.granted_usd,
                spent_usd,
                reserved: HashMap::new(),
            }),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Reserves what a call is expected to cost (`None` if unknown) until [`RunBudget::settle`].
    pub async fn reserve(&self, call: &str, usd: Option<f64>) -> Reserved {
        let unknown = match (usd, self.rules.unknown_prices) {
            (Some(_), _) => UnknownCost::None,
            (None, UnknownPrices::Allow) => UnknownCost::Allowed,
            (None, UnknownPrices::Refuse) => {
                return Reserved::Refused(refusal(CallFact::PriceUnknown));
            }
        };
        let need = ExpectedCost { usd: usd.unwrap_or_default(), unknown };
        if self.try_reserve(call, need) {
            return Reserved::Granted(Vec::new());
        }
        let _asking = self.asking.lock().await;
        if self.try_reserve(call, need) {
            return Reserved::Granted(Vec::new());
        }
        // From here on other calls of the run find nothing left.
        let total_usd = self.reserve_anyway(call, need.usd);
        let more = Extension {
            run: self.run,
            attempt: self.attempt,
            user: &self.user,
            groups: &self.groups,
            total_usd,
            call: need,
        };
        match until_answered("its budget", || reserve::extend(&self.db, &more, &self.rules.defaults)).await {
            Ok(Some(Outcome::Granted { nearly_used_up })) => {
                let mut amounts = self.amounts();
                amounts.granted_usd = amounts.granted_usd.max(total_usd);
                Reserved::Granted(nearly_used_up.into_iter().map(budget_state).collect())
            }
            Ok(Some(Outcome::Refused(budget))) => {
                self.amounts().reserved.remove(call);
                let budget = Box::new(budget_state(*budget));
                Reserved::Refused(refusal(CallFact::OverBudget { budget, needed_usd: usd }))
            }
            Ok(None) => Reserved::Lost,
            Err(error) => {
                self.amounts().reserved.remove(call);
                tracing::error!(run.id = %self.run, error = &error as &dyn std::error::Error, "a budget cannot be read");
                Reserved::Refused(refusal(CallFact::BudgetsUnreadable))
            }
        }
    }

    /// Reserves a call's cost if what is left covers it, and returns whether it does. A call of unknown price is
    /// covered as long as anything is left at all.
    fn try_reserve(&self, call: &str, need: ExpectedCost) -> bool {
        let mut amounts = self.amounts();
        let covers = match need.unknown {
            UnknownCost::None => amounts.total_usd() + need.usd <= amounts.granted_usd + ROUNDING_USD,
            UnknownCost::Allowed | UnknownCost::Refused => {
                amounts.total_usd() + ROUNDING_USD < amounts.granted_usd
            }
        };
        if covers {
            amounts.reserved.insert(call.to_owned(), need.usd);
        }
        covers
    }

    /// Reserves a call's cost, covered or not; returns what the run then needs in all.
    fn reserve_anyway(&self, call: &str, usd: f64) -> f64 {
        let mut amounts = self.amounts();
        amounts.reserved.insert(call.to_owned(), usd);
        amounts.total_usd()
    }

    /// Replaces a call's reservation by what it cost (`None` if unknown), once it is in the ledger. If the run has now
    /// spent more than it was granted, returns the budgets that are nearly used up.
    pub async fn settle(&self, call: &str, usd: Option<f64>) -> Vec<BudgetState> {
        let spent_usd = {
            let mut amounts = self.amounts();
            amounts.reserved.remove(call);
            amounts.spent_usd += usd.unwrap_or_default();
            if usd.is_none() || amounts.spent_usd <= amounts.granted_usd + ROUNDING_USD {
                return Vec::new();
            }
            amounts.spent_usd
        };
        let looked =
            reserve::nearly_used_up(&self.db, &self.user, &self.groups, spent_usd, &self.rules.defaults);
        match looked.await {
            Ok(states) => states.into_iter().map(budget_state).collect(),
            Err(error) => {
                // The next reservation checks again.
                tracing::warn!(run.id = %self.run, error = &error as &dyn std::error::Error, "budgets could not be checked");
                Vec::new()
            }
        }
    }

    fn amounts(&self) -> MutexGuard<'_, Amounts> {
        self.amounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a call that was refused before it reached a model.
fn refusal(fact: CallFact) -> CallError {
    CallError { tries: 0, ..CallError::from(fact) }
}

/// A stored budget's state as users see it.
#[must_use]
pub fn budget_state(state: State) -> BudgetState {
    let (scope, name) = match state.budget.owner {
        BudgetOwner::Instance => (BudgetScope::Instance, None),
        BudgetOwner::Group(name) => (BudgetScope::Group, Some(name)),
        BudgetOwner::User(name) => (BudgetScope::User, Some(name)),
    };
    BudgetState {
        scope,
        name,
        period: match state.budget.period {
            Period::Run => BudgetPeriod::Run,
            Period::Day => BudgetPeriod::Day,
            Period::Month => BudgetPeriod::Month,
        },
        set_by: match state.budget.set_by {
            SetBy::Config => BudgetSetBy::Config,
            SetBy::Admin => BudgetSetBy::Admin,
            SetBy::Oneself => BudgetSetBy::Oneself,
        },
        limit_usd: state.budget.limit_usd,
        spent_usd: state.spent_usd,
        reserved_usd: state.reserved_usd,
        unknown_cost_calls: u64::try_from(state.unknown_cost_calls).unwrap_or_default(),
        resets_at: state.resets_at.map(|at| at.to_string()),
    }
}
