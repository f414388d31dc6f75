//! The budgets of the instance, of groups and of users.

use actix_web::{get, put, web};
use serde::Serialize;
use serde_json::{Value, json};

use crate::council::budget::{BudgetPeriod, BudgetScope, BudgetState};
use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::identity::user;
use crate::runs::budget_state;
use crate::server::app::App;
use crate::server::budgets::limit;
use crate::server::extract::{Body, Caller};
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::store::budgets::{Budget, BudgetOwner, Period, figures, set};
use crate::store::{Scope, audit};

/// The most budgets that one request sets.
const MAX_CHANGES: usize = 500;
const MAX_GROUP_CHARS: usize = 255;
/// How many budgets the instance can have: one for each period.
const INSTANCE_BUDGETS: u32 = 3;

/// The budgets of this server.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Budgets {
    /// A page of the budgets that administrators have set, and the configuration's budgets for the instance.
    pub budgets: Vec<BudgetState>,
    /// What the configuration sets, in force where no admin has set another.
    pub defaults: DefaultBudgets,
}

/// Budgets of the configuration, in USD.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DefaultBudgets {
    pub per_run_usd: Option<f64>,
    pub user_per_day_usd: Option<f64>,
    pub user_per_month_usd: Option<f64>,
    pub instance_per_day_usd: Option<f64>,
    pub instance_per_month_usd: Option<f64>,
}

/// Budgets to set or to take away.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct BudgetsRequest {
    /// At most 500.
    budgets: Vec<BudgetRequest>,
}

/// A budget to set.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct BudgetRequest {
    scope: BudgetScope,
    /// The group or the user; not for the instance.
    name: Option<String>,
    period: BudgetPeriod,
    /// USD; null takes the budget away.
    limit_usd: Option<f64>,
}

/// Every budget, with what of it is spent and reserved.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = Budgets), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/budgets")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<Budgets>, Problem> {
    caller.admin()?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    // What users spend is private: every look at it is recorded.
    audit::append(&mut tx, &caller.user, "budget.read", None, &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(page_of(&app, page.bounds()).await?))
}

async fn page_of(app: &App, (limit, offset): (u32, u32)) -> Result<Budgets, Problem> {
    let defaults = app.runs.budget_rules().defaults;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let mut budgets = set::list(&mut tx, limit, offset).await?;
    if offset == 0 {
        // The instance's budgets come first in the order. A short page does not hold all of them.
        let first = set::list(&mut tx, INSTANCE_BUDGETS, 0).await?;
        let is_set =
            |one: &Budget| first.iter().any(|set| set.owner == one.owner && set.period == one.period);
        let unset: Vec<Budget> = defaults.budgets(None).filter(|one| !is_set(one)).collect();
        budgets.splice(0..0, unset);
    }
    let states = figures::states(&mut tx, &budgets).await?;
    Ok(Budgets {
        budgets: states.into_iter().map(budget_state).collect(),
        defaults: DefaultBudgets {
            per_run_usd: defaults.per_run_usd,
            user_per_day_usd: defaults.user_per_day_usd,
            user_per_month_usd: defaults.user_per_month_usd,
            instance_per_day_usd: defaults.instance_per_day_usd,
            instance_per_month_usd: defaults.instance_per_month_usd,
        },
    })
}

/// Sets the budgets named here, or takes them away, all or none; all others stay as they are, so that two
/// admins at once do not undo each other's work.
#[utoipa::path(tag = "admin", request_body = BudgetsRequest, responses(
    (status = 200, body = Budgets), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[put("/admin/budgets")]
pub(in crate::server) async fn change(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<Budgets>, Problem> {
    caller.admin()?;
    let mut changes = changes(&body.0)?;
    // Always in the same order, so that two admins at once cannot deadlock.
    changes.sort_by(|a, b| (&a.owner, a.period).cmp(&(&b.owner, b.period)));
    let mut tx = app.db.begin(&Scope::Admin).await?;
    for Change { owner, period, limit_usd } in &changes {
        let before = set::set(&mut tx, owner, *period, *limit_usd, &caller.user).await?;
        let target = format!("{}/{}/{}", owner.scope(), owner.name(), period.as_str());
        let details = json!({ "before_usd": before, "limit_usd": limit_usd });
        audit::append(&mut tx, &caller.user, "budget.change", Some(&target), &details).await?;
    }
    tx.commit().await?;
    Ok(web::Json(page_of(&app, PageQuery::FIRST.bounds()).await?))
}

/// One budget to set or to take away.
struct Change {
    owner: BudgetOwner,
    period: Period,
    limit_usd: Option<f64>,
}

/// Reads the changes, naming everything that is wrong in them.
fn changes(body: &Value) -> Result<Vec<Change>, Vec<FieldError>> {
    let mut fields = Fields::of(body)?;
    let items: Vec<Value> = fields.take("budgets", "a list of budgets").unwrap_or_default();
    if items.is_empty() || items.len() > MAX_CHANGES {
        fields.refuse("budgets", FieldErrorKind::Value, format!("must name 1 to {MAX_CHANGES} budgets"));
    }
    let mut changes: Vec<Change> = Vec::new();
    for (place, item) in items.iter().enumerate().take(MAX_CHANGES) {
        match change_of(item) {
            Ok(one) => {
                if changes.iter().any(|known| known.owner == one.owner && known.period == one.period) {
                    let message = "names the same budget as an earlier one";
                    fields.refuse(format!("budgets.{place}"), FieldErrorKind::Value, message);
                }
                changes.push(one);
            }
            Err(errors) => fields.refuse_all(errors.into_iter().map(|error| {
                let field = match error.field.as_str() {
                    "body" => format!("budgets.{place}"),
                    field => format!("budgets.{place}.{field}"),
                };
                FieldError { field, message: error.message.replace("the body", "each"), ..error }
            })),
        }
    }
    fields.finish(|| changes)
}

fn change_of(item: &Value) -> Result<Change, Vec<FieldError>> {
    let mut fields = Fields::of(item)?;
    let scope: Option<BudgetScope> = fields.take("scope", "instance, group or user");
    let name: Option<String> = fields.take("name", "a string");
    let period: Option<BudgetPeriod> = fields.take("period", "run, day or month");
    for field in ["scope", "period"] {
        if !fields.has(field) {
            fields.refuse(field, FieldErrorKind::Missing, "is required");
        }
    }
    if item.get("limit_usd").is_none() {
        fields.refuse("limit_usd", FieldErrorKind::Missing, "is required; null takes the budget away");
    }
    let limit_usd = limit(&mut fields, "limit_usd");
    let name = name.as_deref().unwrap_or_default();
    let owner = scope.and_then(|scope| read_owner(&mut fields, scope, name));
    // The proxy's groups have no spaces around them: such a budget would bind nobody. It can be taken away.
    if scope == Some(BudgetScope::Group) && limit_usd.is_some() && name.trim_matches(' ') != name {
        fields.refuse(
            "name",
            FieldErrorKind::Value,
            "must be without spaces around it, as the proxy names the group",
        );
    }
    let period = period.map(|period| match period {
        BudgetPeriod::Run => Period::Run,
        BudgetPeriod::Day => Period::Day,
        BudgetPeriod::Month => Period::Month,
    });
    let both = owner.zip(period);
    let both = fields.finish(|| both)?;
    // A missing field has been refused already.
    both.map(|(owner, period)| Change { owner, period, limit_usd }).ok_or_else(Vec::new)
}

fn read_owner(fields: &mut Fields<'_>, scope: BudgetScope, name: &str) -> Option<BudgetOwner> {
    let (owner, rule) = match scope {
        BudgetScope::Instance => {
            (name.is_empty().then_some(BudgetOwner::Instance), "must be left out: the instance has no name")
        }
        BudgetScope::Group => {
            let fits = !name.is_empty()
                && name.chars().count() <= MAX_GROUP_CHARS
                && !name.chars().any(char::is_control);
            (fits.then(|| BudgetOwner::Group(name.to_owned())), "must be the group as the proxy names it")
        }
        BudgetScope::User => {
            let user = user::canonical(name).filter(|_| !name.chars().any(char::is_control));
            (user.map(|user| BudgetOwner::User(user.to_string())), "must be a user's name")
        }
    };
    if owner.is_none() {
        fields.refuse("name", FieldErrorKind::Value, rule);
    }
    owner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(body: &Value) -> Vec<String> {
        changes(body).err().unwrap_or_default().into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn every_wrong_field_of_every_budget_is_named() {
        let body = json!({"budgets": [
            {"scope": "user", "name": "Ann", "period": "day", "limit_usd": 1},
            {"scope": "instance", "name": "x", "period": "week", "limit_usd": -1},
            {"scope": "group", "period": "month"},
            {"scope": "user", "name": "ann", "period": "day", "limit_usd": null},
            7,
        ]});
        assert_eq!(
            wrong(&body),
            [
                "budgets.1.period",
                "budgets.1.limit_usd",
                "budgets.1.name",
                "budgets.2.limit_usd",
                "budgets.2.name",
                "budgets.3",
                "budgets.4",
            ]
        );
        assert_eq!(wrong(&json!({"budgets": []})), ["budgets"]);
        assert_eq!(wrong(&json!({})), ["budgets"]);
    }

    #[test]
    fn no_budget_is_set_for_a_group_that_nobody_can_be_in() {
        let of = |name: &str, limit: Value| {
            let budget = json!({"scope": "group", "name": name, "period": "day", "limit_usd": limit});
            json!({ "budgets": [budget] })
        };
        assert_eq!(wrong(&of("staff ", json!(1))), ["budgets.0.name"]);
        assert_eq!(wrong(&of(" ", json!(1))), ["budgets.0.name"]);
        assert!(wrong(&of("the staff", json!(1))).is_empty());
        assert!(wrong(&of("staff ", Value::Null)).is_empty(), "what was set can be taken away");
    }

    #[test]
    fn users_are_named_in_their_canonical_form() {
        let body = json!({"budgets": [{"scope": "user", "name": "Ann@X", "period": "run", "limit_usd": 0}]});
        let changes = changes(&body).unwrap();
        assert_eq!(changes[0].owner, BudgetOwner::User("ann@x".into()));
        assert_eq!(changes[0].limit_usd, Some(0.0));
    }
}
