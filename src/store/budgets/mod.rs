//! Budgets: limits in USD on what the instance, a group or a user spends in a run, a day or a month.
//!
//! What is spent is the sum over the ledger; what is reserved is what runs under way were granted and
//! have not spent yet. Start at [`reserve::admit`]; the sums are in [`figures`].

pub mod days;
pub mod figures;
pub mod reserve;
pub mod set;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;

use super::{StoreError, Tx, TxConnection};
use crate::id::UserId;

/// Sums of floating-point dollars differ by less than this from what they would be on paper: what
/// exceeds a limit by no more fits into it.
pub const ROUNDING_USD: f64 = 1e-9;
/// From this share of its limit on, a budget is nearly used up.
const WARN_FROM: f64 = 0.8;

/// Whose spending is limited.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "ScopeAndName", into = "ScopeAndName")]
pub enum BudgetOwner {
    /// Everybody's together.
    Instance,
    /// The runs admitted under this group, together.
    Group(String),
    /// One user's.
    User(String),
}

#[derive(Serialize, Deserialize)]
struct ScopeAndName {
    scope: String,
    name: String,
}

impl From<BudgetOwner> for ScopeAndName {
    fn from(owner: BudgetOwner) -> Self {
        Self { scope: owner.scope().to_owned(), name: owner.name().to_owned() }
    }
}

impl TryFrom<ScopeAndName> for BudgetOwner {
    type Error = StoreError;

    fn try_from(ScopeAndName { scope, name }: ScopeAndName) -> Result<Self, StoreError> {
        Self::read(&scope, name)
    }
}

impl BudgetOwner {
    /// The scope's name in SQL and JSON.
    #[must_use]
    pub fn scope(&self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Group(_) => "group",
            Self::User(_) => "user",
        }
    }

    /// The group or the user; empty for the instance.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Instance => "",
            Self::Group(name) | Self::User(name) => name,
        }
    }

    fn read(scope: &str, name: String) -> Result<Self, StoreError> {
        match scope {
            "instance" => Ok(Self::Instance),
            "group" => Ok(Self::Group(name)),
            "user" => Ok(Self::User(name)),
            other => Err(corrupt("budgets.scope", other)),
        }
    }
}

/// What a limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Each run by itself.
    Run,
    /// The calendar day, UTC.
    Day,
    /// The calendar month, UTC.
    Month,
}

impl Period {
    /// Every period.
    pub const ALL: [Self; 3] = [Self::Run, Self::Day, Self::Month];

    /// The name in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Day => "day",
            Self::Month => "month",
        }
    }

    /// Reads that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == name)
    }

    fn read(name: &str) -> Result<Self, StoreError> {
        Self::parse(name).ok_or_else(|| corrupt("budgets.period", name))
    }
}

/// Who set a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetBy {
    /// The configuration, for everybody.
    Config,
    /// An admin.
    Admin,
    /// The user whom it binds.
    Oneself,
}

/// One limit in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    #[serde(flatten)]
    pub owner: BudgetOwner,
    pub period: Period,
    pub limit_usd: f64,
    pub set_by: SetBy,
}

/// A limit, and how much of it is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    #[serde(flatten)]
    pub budget: Budget,
    /// What the calls that ended in the period cost; of a run's budget, in the run. A call whose
    /// cost is not known counts with the cost that was expected.
    pub spent_usd: f64,
    /// What runs under way may still spend of what they were granted.
    pub reserved_usd: f64,
    /// Calls of the period of which neither the cost nor the price is known: not in the sum.
    pub unknown_cost_calls: i64,
    /// When the period ends; a run's budget has none.
    pub resets_at: Option<Timestamp>,
}

impl State {
    /// Whether this much more fits into it.
    #[must_use]
    pub fn fits(&self, more_usd: f64) -> bool {
        self.spent_usd + self.reserved_usd + more_usd <= self.budget.limit_usd + ROUNDING_USD
    }

    /// Whether nothing is left of it.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.spent_usd + self.reserved_usd + ROUNDING_USD >= self.budget.limit_usd
    }

    /// Whether it is nearly used up.
    #[must_use]
    pub fn is_nearly_used_up(&self) -> bool {
        let used = self.spent_usd + self.reserved_usd;
        used > 0.0 && used + ROUNDING_USD >= self.budget.limit_usd * WARN_FROM
    }
}

/// The limits that the configuration sets for everybody, where no admin has set another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Defaults {
    /// For each run of anybody.
    pub per_run_usd: Option<f64>,
    /// For each user.
    pub user_per_day_usd: Option<f64>,
    /// For each user.
    pub user_per_month_usd: Option<f64>,
    /// For everybody together.
    pub instance_per_day_usd: Option<f64>,
    /// For everybody together.
    pub instance_per_month_usd: Option<f64>,
}

impl Defaults {
    /// The budgets of the instance and, with a user, those that apply to each user.
    pub fn budgets(&self, user: Option<&UserId>) -> impl Iterator<Item = Budget> + use<> {
        let of_user = |limit: Option<f64>, period| {
            let user = BudgetOwner::User(user?.as_str().to_owned());
            Some((user, period, limit?))
        };
        let of_all = |limit: Option<f64>, period| Some((BudgetOwner::Instance, period, limit?));
        [
            of_all(self.per_run_usd, Period::Run),
            of_all(self.instance_per_day_usd, Period::Day),
            of_all(self.instance_per_month_usd, Period::Month),
            of_user(self.user_per_day_usd, Period::Day),
            of_user(self.user_per_month_usd, Period::Month),
        ]
        .into_iter()
        .flatten()
        .map(|(owner, period, limit_usd)| Budget { owner, period, limit_usd, set_by: SetBy::Config })
    }
}

/// A sub-query for the budgets that bind a user in groups, as JSON for [`in_force`]. Its parameters are
/// the user and an expression for the groups.
macro_rules! budgets_of {
    ($user:literal, $groups:literal) => {
        concat!(
            "(SELECT coalesce(jsonb_agg(jsonb_build_object('scope', b.scope, 'name', b.name, 'period', b.period,
                                                           'limit_usd', b.limit_usd, 'set_by', b.set_by)), '[]')
              FROM (SELECT scope, name, period, limit_usd, 'admin' AS set_by FROM budgets
                    WHERE scope = 'instance' OR (scope = 'group' AND name = ANY (", $groups, "))
                       OR (scope = 'user' AND name = ", $user, ")
                    UNION ALL
                    SELECT 'user', user_id, period, limit_usd, 'oneself' FROM user_caps WHERE user_id = ", $user, "
                   ) AS b)"
        )
    };
}
pub(super) use budgets_of;

/// The budgets that bind a user: those found by [`budgets_of`], and the defaults where no admin has set
/// another, the instance's first.
pub(super) fn in_force(
    found: sqlx::types::Json<Vec<Budget>>,
    defaults: &Defaults,
    user: &UserId,
) -> Vec<Budget> {
    let mut budgets = found.0;
    for default in defaults.budgets(Some(user)) {
        let is_set = |known: &Budget| {
            known.set_by == SetBy::Admin && known.owner == default.owner && known.period == default.period
        };
        if !budgets.iter().any(is_set) {
            budgets.push(default);
        }
    }
    budgets.sort_by(|a, b| (&a.owner, a.period, a.set_by).cmp(&(&b.owner, b.period, b.set_by)));
    budgets
}

/// The budgets that bind a user who is in these groups, in any scope that may read them.
pub async fn binding(
    tx: &mut Tx,
    user: &UserId,
    groups: &[String],
    defaults: &Defaults,
) -> Result<Vec<Budget>, StoreError> {
    let row = sqlx::query(concat!("SELECT ", budgets_of!("$1", "$2::text[]"), " AS budgets"))
        .bind(user.as_str())
        .bind(groups)
        .fetch_one(&mut **tx)
        .await?;
    Ok(in_force(row.try_get("budgets")?, defaults, user))
}

fn corrupt(what: &'static str, found: &str) -> StoreError {
    StoreError::Corrupt { what, source: format!("unknown value {found:?}").into() }
}

/// Serialises the transactions that draw on these budgets, until this one ends.
///
/// This cannot deadlock: every transaction takes all of these locks in one statement, in the order of their keys, and
/// afterwards waits for nothing that is held by a transaction which still waits for one of them. A start locks its
/// conversation and its user's place in the queue before; only other starts that have no budget yet wait for these. The
/// journal of runs, which writes their rows and those of conversations, takes none of these locks.
async fn lock(connection: &mut TxConnection, owner: &[&BudgetOwner]) -> Result<(), StoreError> {
    sqlx::query(
        "SELECT pg_advisory_xact_lock(key) FROM (
             SELECT DISTINCT hashtextextended('llm-council/budget/' || scope || '/' || name, 0) AS key
             FROM unnest($1::text[], $2::text[]) AS drawn (scope, name) ORDER BY key
         ) AS keys",
    )
    .bind(owner.iter().map(|owner| owner.scope()).collect::<Vec<_>>())
    .bind(owner.iter().map(|owner| owner.name()).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
