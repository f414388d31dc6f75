//! How long conversations are kept in which nothing happens.

use actix_web::{get, put, web};
use serde::Serialize;
use serde_json::json;

use crate::council::field::{FieldErrorKind, Fields};
use crate::id::{ProjectId, UserId};
use crate::server::app::App;
use crate::server::extract::{Body, Caller, id};
use crate::server::page::PageQuery;
use crate::server::problem::{Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::naive;
use crate::store::retention::{self, InProject};
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
    let days = days_of(&body, "is required; null goes back to what is configured")?;
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

/// A rule that a request chooses.
fn days_of(body: &Body, missing: &str) -> Result<Option<u32>, Problem> {
    let mut fields = Fields::of(&body.0)?;
    if body.0.get("days").is_none() {
        fields.refuse("days", FieldErrorKind::Missing, missing);
    }
    let days: Option<u32> = fields.take("days", "a whole number of days, or null");
    if days.is_some_and(|days| days > MAX_DAYS) {
        fields.refuse("days", FieldErrorKind::Value, format!("must be 0 to {MAX_DAYS}"));
    }
    Ok(fields.finish(|| days)?)
}

/// What counts in one project. Administrators who are not in it see neither its name nor what is in it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectRetention {
    pub project_id: ProjectId,
    /// The people who own it by name.
    pub owners: Vec<String>,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// After how many days without activity conversations in it are deleted for good; 0: they are kept. Null where the rule for all counts.
    pub days: Option<i32>,
    /// When that was chosen last, also where it was taken back; nothing is deleted by another rule in its first week.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub chosen_by: Option<UserId>,
}

impl From<InProject> for ProjectRetention {
    fn from(row: InProject) -> Self {
        Self {
            project_id: row.project,
            owners: row.owners,
            created_at: naive(row.created_at),
            days: row.days,
            since: row.since.map(naive),
            chosen_by: row.chosen_by,
        }
    }
}

/// What counts in the projects.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectRetentions {
    /// Projects with a rule of their own first, then the newest.
    pub projects: Vec<ProjectRetention>,
    /// Over all pages.
    pub total: i64,
}

/// A rule for a project.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct ProjectRetentionRequest {
    /// 1 to 36500; 0 keeps conversations in it for as long as their owners want; null goes back to the rule for all.
    days: Option<i32>,
}

/// A rule that was chosen for a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectRetentionChosen {
    pub project_id: ProjectId,
    /// Null where the rule for all counts.
    pub days: Option<u32>,
}

/// How long conversations are kept in each project.
#[utoipa::path(tag = "admin", params(PageQuery), responses(
    (status = 200, body = ProjectRetentions), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/retention/projects")]
pub(in crate::server) async fn list_projects(
    app: web::Data<App>,
    caller: Caller,
    page: Query<PageQuery>,
) -> Result<web::Json<ProjectRetentions>, Problem> {
    caller.admin()?;
    let (limit, offset) = page.bounds();
    let (rows, total) =
        retention::list_projects(&mut app.db.begin(&Scope::Admin).await?, limit, offset).await?;
    Ok(web::Json(ProjectRetentions { projects: rows.into_iter().map(Into::into).collect(), total }))
}

/// Chooses for how long in one project, in the place of the rule for all. Another rule deletes nothing in its first week.
#[utoipa::path(tag = "admin", params(("id" = String, Path)), request_body = ProjectRetentionRequest, responses(
    (status = 200, body = ProjectRetentionChosen), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[put("/admin/retention/projects/{id}")]
pub(in crate::server) async fn change_in_project(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ProjectRetentionChosen>, Problem> {
    caller.admin()?;
    let project: ProjectId = id(&path, "Project")?;
    let days = days_of(&body, "is required; null goes back to the rule for all")?;
    let named = |error| Problem::from(error).naming("Project");
    let mut tx = app.db.begin(&Scope::Admin).await?;
    retention::choose_in_project(&mut tx, project, days, &caller.user).await.map_err(named)?;
    let target = project.to_string();
    let details = json!({ "days": days });
    audit::append(&mut tx, &caller.user, "retention.change_in_project", Some(&target), &details).await?;
    tx.commit().await?;
    Ok(web::Json(ProjectRetentionChosen { project_id: project, days }))
}
