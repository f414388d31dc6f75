//! Budgets: what binds the caller and what is left of it, and their own caps.

use actix_web::{get, put, web};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::app::App;
use super::extract::{Body, Caller};
use super::problem::{Problem, ProblemBody};
use crate::council::budget::BudgetState;
use crate::council::field::{FieldErrorKind, Fields};
use crate::identity::{AuthMethod, Permission};
use crate::runs::{Payer, budget_state};
use crate::store::budgets::{self, Budget, Period, State, figures, set};
use crate::store::{Scope, audit, users};

/// The highest limit, in USD.
const MAX_LIMIT_USD: f64 = 10_000_000.0;

/// The budgets that bind the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MyBudgets {
    pub budgets: Vec<BudgetState>,
}

/// The caps to set.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct CapsRequest {
    /// USD for each question; null for none.
    per_run_usd: Option<f64>,
    /// USD for a calendar day (UTC); null for none.
    per_day_usd: Option<f64>,
    /// USD for a calendar month (UTC); null for none.
    per_month_usd: Option<f64>,
}

/// The budgets that bind the caller, with what of them is spent and reserved.
#[utoipa::path(tag = "budgets", responses((status = 200, body = MyBudgets), (status = 401, body = ProblemBody)))]
#[get("/budget")]
pub(super) async fn mine(app: web::Data<App>, caller: Caller) -> Result<web::Json<MyBudgets>, Problem> {
    caller.may(Permission::Read)?;
    Ok(web::Json(MyBudgets { budgets: my_states(&app, &caller).await? }))
}

async fn my_states(app: &App, caller: &Caller) -> Result<Vec<BudgetState>, Problem> {
    Ok(binding(app, caller).await?.into_iter().map(budget_state).collect())
}

/// The budgets that bind this caller now.
pub(super) async fn binding(app: &App, caller: &Caller) -> Result<Vec<State>, Problem> {
    Ok(payer(app, caller).await?.budgets)
}

/// This caller, as the payer of a call.
pub(super) async fn payer(app: &App, caller: &Caller) -> Result<Payer, Problem> {
    let mut tx = app.db.begin(&caller.scope()).await?;
    let groups = match caller.groups_from_proxy() {
        Some(groups) => groups.to_vec(),
        None => users::groups_last_seen(&mut tx).await?,
    };
    let budgets = budgets::binding(&mut tx, &caller.user, &groups, &app.runs.budget_rules().defaults).await?;
    drop(tx);
    Ok(Payer { user: caller.user.clone(), groups, budgets: states(app, &budgets).await? })
}

/// Sums over everybody's costs, of which the caller sees only these.
async fn states(app: &App, budgets: &[Budget]) -> Result<Vec<State>, Problem> {
    if budgets.is_empty() {
        return Ok(Vec::new());
    }
    Ok(figures::states(&mut app.db.begin(&Scope::Engine).await?, budgets).await?)
}

/// Sets the caller's own caps, or removes them; what is left out stays as it is. A cap applies together with the
/// budgets that administrators set, so only a lower one has an effect.
#[utoipa::path(tag = "budgets", request_body = CapsRequest, responses(
    (status = 200, body = MyBudgets), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[put("/budget")]
pub(super) async fn set_my_caps(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<MyBudgets>, Problem> {
    caller.may(Permission::Ask)?;
    if matches!(caller.via, AuthMethod::Token { .. }) {
        return Err(Problem::forbidden("caps are set in the browser, not with a token"));
    }
    let mut fields = Fields::of(&body.0)?;
    let mut caps = Vec::new();
    for (field, period) in
        [("per_run_usd", Period::Run), ("per_day_usd", Period::Day), ("per_month_usd", Period::Month)]
    {
        if body.0.get(field).is_some() {
            caps.push((field, period, limit(&mut fields, field)));
        }
    }
    let caps = fields.finish(|| caps)?;
    if !caps.is_empty() {
        let mut tx = app.db.begin(&caller.scope()).await?;
        let mut noted = Map::new();
        for (field, period, cap) in caps {
            set::set_cap(&mut tx, period, cap).await?;
            noted.insert(field.to_owned(), json!(cap));
        }
        // The body is not recorded: other fields in it are private and may be long.
        audit::append(&mut tx, &caller.user, "budget.cap", None, &Value::Object(noted)).await?;
        tx.commit().await?;
    }
    Ok(web::Json(MyBudgets { budgets: my_states(&app, &caller).await? }))
}

/// A limit in USD; `null` is none.
pub(super) fn limit(fields: &mut Fields<'_>, field: &str) -> Option<f64> {
    let limit: Option<f64> = fields.take(field, "a number of US dollars, or null");
    if limit.is_some_and(|limit| !(0.0..=MAX_LIMIT_USD).contains(&limit)) {
        let message = format!("must be from 0 to {MAX_LIMIT_USD} US dollars, or null for none");
        fields.refuse(field, FieldErrorKind::Value, message);
    }
    limit
}
