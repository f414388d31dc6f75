//! Projects: places for the conversations of a team, with instructions for the models in all of them.

pub(super) mod conversations;
pub(super) mod files;
pub(super) mod members;
pub(super) mod placing;
mod shape;

use actix_web::{delete, get, patch, post, web};
use serde_json::{Value, json};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::page::WholeQuery;
use super::presets::{Content, PresetInput, content};
use super::problem::{NotInProject, Problem, ProblemBody};
use super::query::Query;
use super::shape::Status;
use crate::council::field::{FieldErrorKind, Fields, name_problem};
use crate::council::setting::RunOptions;
use crate::council::settings::SettingsLayer;
use crate::id::ProjectId;
use crate::identity::Permission;
use crate::store::projects::{self, Project, Role};
use crate::store::{Tx, audit};
use placing::{WHAT, named, opened};
use shape::{ProjectDone, ProjectList, ProjectSummary, ProjectView};

/// How many projects one person may own by name.
const MOST: i64 = 100;
const MAX_NAME_CHARS: usize = 100;
const MAX_INSTRUCTIONS_CHARS: usize = 20_000;

/// The projects in which the caller has a role.
#[utoipa::path(tag = "projects", params(WholeQuery), responses(
    (status = 200, body = ProjectList), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/projects")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    page: Query<WholeQuery>,
) -> Result<web::Json<ProjectList>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (rows, total) = projects::list(&mut tx, caller.groups_from_proxy(), limit, offset).await?;
    Ok(web::Json(ProjectList { projects: rows.into_iter().map(ProjectSummary::from).collect(), total }))
}

/// What a project is to say; what is left out stays, or is empty in a new one.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct ProjectRequest {
    /// 1 to 100 characters; a new project needs one.
    name: Option<String>,
    /// What stands before the system prompt of every question in it, 20,000 characters at most.
    instructions: Option<String>,
    /// What it changes in the settings of its members: the council, the chairman.
    settings: Option<SettingsLayer>,
    /// What a request's options are in it, where the request leaves them out.
    #[schema(value_type = Option<Object>)]
    options: Option<RunOptions>,
}

/// The content that a request gives a project, on top of its present content.
struct ProjectInput {
    name: String,
    instructions: String,
    defaults: Value,
}

async fn read_input(
    app: &App,
    tx: &mut Tx,
    body: &Value,
    before: Option<Project>,
) -> Result<ProjectInput, Problem> {
    let mut fields = Fields::of(body)?;
    let name: Option<String> = fields.take("name", "a string");
    let name = name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
    let instructions: Option<String> = fields.take("instructions", "a string");
    let PresetInput { settings, options } = PresetInput::take(&mut fields);
    if let Some(problem) = name.as_deref().and_then(|name| name_problem(name, MAX_NAME_CHARS)) {
        fields.refuse("name", FieldErrorKind::Value, problem);
    } else if before.is_none() && !fields.has("name") {
        fields.refuse("name", FieldErrorKind::Missing, "a name is required");
    }
    if let Some(text) = &instructions {
        let chars = text.chars().count();
        if chars > MAX_INSTRUCTIONS_CHARS {
            let rule = format!("is {chars} characters long; at most {MAX_INSTRUCTIONS_CHARS} are accepted");
            fields.refuse("instructions", FieldErrorKind::Value, rule);
        } else if text.contains('\0') {
            fields.refuse("instructions", FieldErrorKind::Value, "must not contain U+0000");
        }
    }
    let stored = before.as_ref().map(|before| content(before.defaults.clone())).transpose()?;
    let stored = stored.unwrap_or_default();
    let content = if settings.is_some() || options.is_some() {
        let content = Content {
            settings: settings.unwrap_or(stored.settings),
            options: options.unwrap_or(stored.options),
        };
        let (in_force, _) = app.settings_in(tx).await?;
        content.checked(app, &in_force, &mut fields)
    } else {
        stored
    };
    fields.finish(|| ())?;
    let (old_name, old_instructions) =
        before.map(|before| (before.name, before.instructions)).unwrap_or_default();
    Ok(ProjectInput {
        name: name.unwrap_or(old_name),
        instructions: instructions.unwrap_or(old_instructions),
        defaults: json!(content),
    })
}

impl ProjectInput {
    fn content(&self) -> projects::Content<'_> {
        projects::Content { name: &self.name, instructions: &self.instructions, defaults: &self.defaults }
    }
}

/// A project as the caller sees it, with its members.
async fn view(tx: &mut Tx, caller: &Caller, id: ProjectId) -> Result<ProjectView, Problem> {
    let project = opened(tx, caller, id, Role::Viewer).await?;
    let members = projects::list_members(tx, id).await?;
    let names = projects::names(tx).await?;
    ProjectView::new(project, members, names, caller)
}

/// Makes a project, which the caller owns.
#[utoipa::path(tag = "projects", request_body = ProjectRequest, responses(
    (status = 200, body = ProjectView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The caller owns as many projects as there can be"),
    (status = 422, body = ProblemBody)))]
#[post("/projects")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<ProjectView>, Problem> {
    caller.may(Permission::Ask)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let input = read_input(&app, &mut tx, &body.0, None).await?;
    let Some(id) = projects::create(&mut tx, input.content(), MOST).await? else {
        return Err(Problem::not_in_project(NotInProject::TooManyProjects(MOST)));
    };
    audit::append(&mut tx, &caller.user, "project.create", Some(&id.to_string()), &json!({})).await?;
    let view = view(&mut tx, &caller, id).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// A project with its members, for everybody who has a role in it.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), responses(
    (status = 200, body = ProjectView), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[get("/projects/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ProjectView>, Problem> {
    caller.may(Permission::Read)?;
    let project: ProjectId = id(&path, WHAT)?;
    Ok(web::Json(view(&mut app.db.begin(&caller.scope()).await?, &caller, project).await?))
}

/// Changes what a project says, for its owners. It counts for questions that are asked from then on.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), request_body = ProjectRequest, responses(
    (status = 200, body = ProjectView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/projects/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ProjectView>, Problem> {
    caller.may(Permission::Ask)?;
    let project: ProjectId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    projects::wait_to_change(&mut tx, project).await?;
    let before = opened(&mut tx, &caller, project, Role::Owner).await?;
    let input = read_input(&app, &mut tx, &body.0, Some(before)).await?;
    projects::change(&mut tx, project, input.content()).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "project.change", Some(&project.to_string()), &json!({})).await?;
    let view = view(&mut tx, &caller, project).await?;
    tx.commit().await?;
    Ok(web::Json(view))
}

/// Deletes a project, for its owners. The conversations in it stay with their authors, outside of any project.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), responses(
    (status = 200, body = ProjectDone), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/projects/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ProjectDone>, Problem> {
    caller.may(Permission::Ask)?;
    let project: ProjectId = id(&path, WHAT)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Owner).await?;
    projects::delete(&mut tx, project).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "project.delete", Some(&project.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(ProjectDone { status: Status::Ok, id: project }))
}
