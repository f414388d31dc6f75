//! What a run holds of the budgets that bind it. Only the process that executes the run draws on it, so
//! a call that what is left covers asks nobody; only for more the database is asked, under the budgets'
//! locks. What is spent is what the ledger has: a call settles when its commit does.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::live::LiveRun;
use super::patiently;
use super::settings::{BudgetRules, UnknownPrices};
use crate::council::budget::{BudgetPeriod, BudgetScope, BudgetSetBy, BudgetState};
use crate::id::{RunId, UserId};
use crate::llm::{CallError, ErrorKind};
use crate::store::Db;
use crate::store::budgets::reserve::{self, Drawn, More, Need, Unknown};
use crate::store::budgets::{DUST_USD, Period, SetBy, State, Whose};
use crate::store::runs::Reservation;

/// See the module.
#[derive(Debug)]
pub struct Purse {
    db: Db,
    rules: BudgetRules,
    run: RunId,
    attempt: i32,
    user: UserId,
    groups: Vec<String>,
    /// Budgets that were nearly used up when the run was admitted.
    pub warnings: Vec<BudgetState>,
    money: Mutex<Money>,
    /// Held by the call that asks for more.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Money {
    granted_usd: f64,
    spent_usd: f64,
    /// What calls under way are expected to cost, by their keys.
    held: HashMap<String, f64>,
}

impl Money {
    fn in_all(&self) -> f64 {
        self.spent_usd + self.held.values().sum::<f64>()
    }
}

/// What becomes of a call that draws on a purse.
#[derive(Debug)]
pub enum Draw {
    /// It may be sent; these budgets are nearly used up now.
    Granted(Vec<BudgetState>),
    Refused(CallError),
    /// The run has another owner.
    Lost,
}

impl Purse {
    /// The purse of a run that has spent so much in earlier executions.
    #[must_use]
    pub fn new(db: Db, rules: BudgetRules, live: &LiveRun, held: Reservation, spent_usd: f64) -> Self {
        Self {
            db,
            rules,
            run: live.id,
            attempt: live.attempt,
            user: live.user.clone(),
            groups: held.groups,
            warnings: held.warnings.into_iter().map(shown).collect(),
            money: Mutex::new(Money { granted_usd: held.granted_usd, spent_usd, held: HashMap::new() }),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Takes what a call is expected to cost; unknown when absent. It is held until [`Purse::settle`].
    pub async fn draw(&self, call: &str, usd: Option<f64>) -> Draw {
        let unknown = match (usd, self.rules.unknown_prices) {
            (Some(_), _) => Unknown::None,
            (None, UnknownPrices::Allow) => Unknown::Allowed,
            (None, UnknownPrices::Refuse) => {
                let message = "A budget applies, and the price of this model is unknown.";
                return Draw::Refused(refusal(message.to_owned()));
            }
        };
        let need = Need { usd: usd.unwrap_or_default(), unknown };
        if self.take(call, need) {
            return Draw::Granted(Vec::new());
        }
        let _asking = self.asking.lock().await;
        if self.take(call, need) {
            return Draw::Granted(Vec::new());
        }
        // From now on nobody else finds anything left.
        let in_all_usd = self.hold(call, need.usd);
        let more = More {
            run: self.run,
            attempt: self.attempt,
            user: &self.user,
            groups: &self.groups,
            in_all_usd,
            call: need,
        };
        match patiently("its budget", || reserve::extend(&self.db, &more, &self.rules.defaults)).await {
            Ok(Some(Drawn::Granted { nearly_used_up })) => {
                let mut money = self.money();
                money.granted_usd = money.granted_usd.max(in_all_usd);
                Draw::Granted(nearly_used_up.into_iter().map(shown).collect())
            }
            Ok(Some(Drawn::Refused(budget))) => {
                self.money().held.remove(call);
                Draw::Refused(refusal(shown(*budget).refusal("this call", usd)))
            }
            Ok(None) => Draw::Lost,
            Err(error) => {
                self.money().held.remove(call);
                tracing::error!(run.id = %self.run, error = &error as &dyn std::error::Error, "a budget cannot be read");
                Draw::Refused(refusal("The budgets of this server could not be read.".to_owned()))
            }
        }
    }

    /// Whether what is left covers a call; it is held then. One of unknown price is covered as long as
    /// anything is left at all.
    fn take(&self, call: &str, need: Need) -> bool {
        let mut money = self.money();
        let covers = match need.unknown {
            Unknown::None => money.in_all() + need.usd <= money.granted_usd + DUST_USD,
            Unknown::Allowed | Unknown::Refused => money.in_all() + DUST_USD < money.granted_usd,
        };
        if covers {
            money.held.insert(call.to_owned(), need.usd);
        }
        covers
    }

    /// Holds a call's cost, covered or not; answers what the run needs in all.
    fn hold(&self, call: &str, usd: f64) -> f64 {
        let mut money = self.money();
        money.held.insert(call.to_owned(), usd);
        money.in_all()
    }

    /// A call is in the ledger and counts this much. Answers the budgets that are nearly used up, if the run
    /// has spent more than it was granted: nobody has looked since.
    pub async fn settle(&self, call: &str, usd: Option<f64>) -> Vec<BudgetState> {
        let spent_usd = {
            let mut money = self.money();
            money.held.remove(call);
            money.spent_usd += usd.unwrap_or_default();
            if usd.is_none() || money.spent_usd <= money.granted_usd + DUST_USD {
                return Vec::new();
            }
            money.spent_usd
        };
        let looked =
            reserve::nearly_used_up(&self.db, &self.user, &self.groups, spent_usd, &self.rules.defaults);
        match looked.await {
            Ok(states) => states.into_iter().map(shown).collect(),
            Err(error) => {
                // Whoever draws next looks again.
                tracing::warn!(run.id = %self.run, %error, "budgets could not be looked at");
                Vec::new()
            }
        }
    }

    fn money(&self) -> MutexGuard<'_, Money> {
        self.money.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// It never reached a model.
fn refusal(message: String) -> CallError {
    CallError { tries: 0, ..CallError::new(ErrorKind::Budget, message) }
}

/// A budget's state as people see it.
#[must_use]
pub fn shown(state: State) -> BudgetState {
    let (scope, name) = match state.budget.whose {
        Whose::Instance => (BudgetScope::Instance, None),
        Whose::Group(name) => (BudgetScope::Group, Some(name)),
        Whose::User(name) => (BudgetScope::User, Some(name)),
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
