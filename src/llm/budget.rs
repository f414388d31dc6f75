//! Budgets as people see them: the figures, and the sentence that explains a refusal. Which budgets there are, and how
//! much of them is spent, is known to `runs`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose spending a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// The spending of everybody together.
    Instance,
    /// The spending of everybody in a group, together.
    Group,
    /// The spending of one user.
    User,
}

/// What a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPeriod {
    /// Each run by itself.
    Run,
    /// The calendar day, UTC.
    Day,
    /// The calendar month, UTC.
    Month,
}

/// Who set a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetSetBy {
    /// The configuration, for everybody.
    Config,
    /// An admin.
    Admin,
    /// The user whom it binds.
    Oneself,
}

/// A budget, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BudgetState {
    pub scope: BudgetScope,
    /// The group or the user; absent for the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub period: BudgetPeriod,
    pub set_by: BudgetSetBy,
    pub limit_usd: f64,
    /// The cost of the calls that ended in the period. A call of unknown cost, such as a stopped one, counts
    /// with its expected cost.
    pub spent_usd: f64,
    /// What runs under way may still spend of the amounts set aside for them.
    pub reserved_usd: f64,
    /// Calls in the period whose cost was not reported and whose price is unknown: not part of `spent_usd`.
    pub unknown_cost_calls: u64,
    /// When the period ends (RFC 3339, UTC); absent for a run's budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<String>,
}

impl BudgetState {
    /// The budget in words, as the beginning of a sentence.
    #[must_use]
    pub fn called(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let budget = match (self.scope, self.set_by) {
            (BudgetScope::Instance, _) => "This server's budget".to_owned(),
            (BudgetScope::Group, _) => format!("The budget of the group “{name}”"),
            (BudgetScope::User, BudgetSetBy::Oneself) => "The cap you have set yourself".to_owned(),
            (BudgetScope::User, BudgetSetBy::Config | BudgetSetBy::Admin) => "Your budget".to_owned(),
        };
        match self.period {
            BudgetPeriod::Run => format!("{budget} for one question"),
            BudgetPeriod::Day => format!("{budget} for a day"),
            BudgetPeriod::Month => format!("{budget} for a month"),
        }
    }

    /// The sentence that explains a refusal: `what` (this question, this call) would cost about `needed_usd`, or an
    /// unknown amount if that is `None`.
    #[must_use]
    pub fn refusal(&self, what: &str, needed_usd: Option<f64>) -> String {
        let (limit, spent, reserved) = (Usd(self.limit_usd), Usd(self.spent_usd), Usd(self.reserved_usd));
        let state = if self.reserved_usd > 0.0 {
            format!("is {limit}: {spent} is spent, and {reserved} is set aside for runs under way")
        } else if self.spent_usd >= self.limit_usd {
            format!("is {limit} and used up: {spent} is spent")
        } else if self.spent_usd > 0.0 {
            format!("is {limit}, and {spent} is spent")
        } else {
            format!("is {limit}")
        };
        let needed = match needed_usd {
            Some(usd) => format!("{what} would cost about {}", Usd(usd)),
            None => format!("what {what} would cost is unknown"),
        };
        let mut text = format!("{} {state}; {needed}.", self.called());
        if let Some(at) = &self.resets_at {
            text.push_str(&format!(" It resets at {}.", moment(at)));
        }
        text
    }

    /// The budget's key among those of a run's events.
    #[must_use]
    pub fn key(&self) -> String {
        let scope = match self.scope {
            BudgetScope::Instance => "instance",
            BudgetScope::Group => "group",
            BudgetScope::User => "user",
        };
        let period = match self.period {
            BudgetPeriod::Run => "run",
            BudgetPeriod::Day => "day",
            BudgetPeriod::Month => "month",
        };
        let own = if self.set_by == BudgetSetBy::Oneself { "/own" } else { "" };
        format!("budget/{period}{own}/{scope}/{}", self.name.as_deref().unwrap_or_default())
    }
}

/// An amount as people write it: cents, or as many digits as a smaller one needs.
pub struct Usd(pub f64);

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Two significant digits below a dime, cents above it.
        let least = [0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
        let digits = 2 + least.iter().filter(|least| self.0 < **least).count();
        let text = format!("{:.digits$}", self.0);
        let (whole, digits) = text.split_once('.').unwrap_or((&text, "00"));
        let digits = digits.trim_end_matches('0');
        write!(f, "${whole}.{digits:0<2}")
    }
}

/// A cost to four decimals, or to as many as a smaller one needs: what was paid never looks free.
pub struct Cost(pub f64);

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0.0 && self.0 < 1e-4 { write!(f, "{}", Usd(self.0)) } else { write!(f, "${:.4}", self.0) }
    }
}

/// `2026-11-02T00:00:00Z` as `2026-11-02 00:00 UTC`.
fn moment(at: &str) -> String {
    match at.split_once('T') {
        Some((day, time)) => format!("{day} {} UTC", time.get(..5).unwrap_or(time)),
        None => at.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> BudgetState {
        BudgetState {
            scope: BudgetScope::User,
            name: Some("ann".into()),
            period: BudgetPeriod::Day,
            set_by: BudgetSetBy::Admin,
            limit_usd: 0.01,
            spent_usd: 0.0071,
            reserved_usd: 0.0025,
            unknown_cost_calls: 0,
            resets_at: Some("2026-11-02T00:00:00Z".into()),
        }
    }

    #[test]
    fn a_refusal_names_budget_limit_spent_reserved_need_and_the_next_beginning() {
        assert_eq!(
            state().refusal("this question", Some(0.00095)),
            "Your budget for a day is $0.01: $0.0071 is spent, and $0.0025 is set aside for runs under way; \
             this question would cost about $0.00095. It resets at 2026-11-02 00:00 UTC."
        );
        let run = BudgetState {
            scope: BudgetScope::Instance,
            name: None,
            period: BudgetPeriod::Run,
            spent_usd: 0.0,
            reserved_usd: 0.0,
            limit_usd: 3.0,
            resets_at: None,
            ..state()
        };
        assert_eq!(
            run.refusal("this question", None),
            "This server's budget for one question is $3.00; what this question would cost is unknown."
        );
    }

    #[test]
    fn the_cap_of_ones_own_has_a_key_of_its_own() {
        let own = BudgetState { set_by: BudgetSetBy::Oneself, ..state() };
        assert_eq!(state().key(), "budget/day/user/ann");
        assert_eq!(own.key(), "budget/day/own/user/ann");
    }

    #[test]
    fn amounts_have_the_digits_they_need() {
        let shown: Vec<String> = [0.0, 0.01, 12.5, 0.00095, 0.200_006, 1234.0, 0.000_000_4]
            .map(|usd| Usd(usd).to_string())
            .to_vec();
        assert_eq!(shown, ["$0.00", "$0.01", "$12.50", "$0.00095", "$0.20", "$1234.00", "$0.0000004"]);
    }

    #[test]
    fn what_was_paid_never_looks_free() {
        let shown: Vec<String> =
            [0.0, 0.0123, 1.5, 0.000_012, 0.000_000_4].map(|usd| Cost(usd).to_string()).to_vec();
        assert_eq!(shown, ["$0.0000", "$0.0123", "$1.5000", "$0.000012", "$0.0000004"]);
    }
}
