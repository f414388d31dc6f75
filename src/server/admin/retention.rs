//! How long conversations are kept in which nothing happens.

use actix_web::{get, put, web};
use serde::Serialize;
use serde_json::json;

use crate::council::field::{FieldErrorKind, Fields};
use crate::server::app::App;
use crate::server::extract::{Body, Caller};
use crate::server::problem::{Problem, ProblemBody};
use crate::server::shape::naive;
use crate::store::retention;
use crate::store::{Scope, Tx, audit};

const MAX_DAYS: u32 = 36_500;

/// The rule in force, and where it comes from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RetentionView {
    /// After how many days without activity conversations are deleted for good; 0: they are kept.
    pub days: i64,
    /// Since when that is so; nothing is deleted by it in its first week.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What the configuration says, which holds where nobody has chosen another number.
    pub configured_days: u32,
    /// What an administrator has chosen.
    pub chosen_days: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
}

/// A rule to choose.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct RetentionRequest {
    /// 1 to 36500; 0 keeps conversations for as long as their owners want; null goes back to what is configured.
    days: Option<i32>,
}

/// How long conversations are kept in which nothing happens.
#[utoipa::path(tag = "admin", responses(
    (status = 200, body = RetentionView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/retention")]
pub(in crate::server) async fn show(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<RetentionView>, Problem> {
    caller.admin()?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    view(&app, &mut tx).await
}

/// Chooses for how long. A shorter time deletes nothing in its first week, so that people can read of it.
#[utoipa::path(tag = "admin", request_body = RetentionRequest, responses(
    (status = 200, body = RetentionView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[put("/admin/retention")]
pub(in crate::server) async fn change(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<RetentionView>, Problem> {
    caller.admin()?;
    let mut fields = Fields::of(&body.0)?;
    if body.0.get("days").is_none() {
        let message = "is required; null goes back to what is configured";
        fields.refuse("days", FieldErrorKind::Missing, message);
    }
    let days: Option<u32> = fields.take("days", "a whole number of days, or null");
    if days.is_some_and(|days| days > MAX_DAYS) {
        fields.refuse("days", FieldErrorKind::Value, format!("must be 0 to {MAX_DAYS}"));
    }
    fields.finish(|| ())?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    retention::choose(&mut tx, days, app.config.retention.days, &caller.user).await?;
    audit::append(&mut tx, &caller.user, "retention.change", None, &json!({ "days": days })).await?;
    let view = view(&app, &mut tx).await?;
    tx.commit().await?;
    Ok(view)
}

async fn view(app: &App, tx: &mut Tx) -> Result<web::Json<RetentionView>, Problem> {
    let configured_days = app.config.retention.days;
    let rule = retention::read(tx).await?;
    Ok(web::Json(match rule {
        Some(rule) => RetentionView {
            days: rule.days.into(),
            since: Some(naive(rule.since)),
            configured_days,
            chosen_days: rule.chosen_days,
            chosen_by: rule.chosen_by.map(|user| user.to_string()),
        },
        None => RetentionView {
            days: configured_days.into(),
            since: None,
            configured_days,
            chosen_days: None,
            chosen_by: None,
        },
    }))
}
