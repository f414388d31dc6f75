//! Who is in a project, and with which role.

use actix_web::{delete, post, put, web};
use serde_json::{Value, json};

use super::placing::{WHAT, named, opened};
use super::shape::ProjectDone;
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::ProjectId;
use crate::identity::{Permission, user};
use crate::server::app::App;
use crate::server::extract::{Body, Caller, id};
use crate::server::problem::{NotInProject, Problem, ProblemBody};
use crate::server::shape::Status;
use crate::store::projects::{self, Kind, MembershipOutcome, Role};
use crate::store::{StoreError, Tx, audit};

/// How many members a project may have.
const MOST: i64 = 200;
const MAX_GROUP_CHARS: usize = 200;

/// A member of a project, and their role.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct MemberRequest {
    /// `user` or `group`.
    kind: String,
    /// The user's id, whether or not they have been here; or the group as the proxy names it.
    name: String,
    /// `viewer`, `writer` or `owner`.
    role: String,
}

/// A member whose membership is to end.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct MemberName {
    /// `user` or `group`.
    kind: String,
    name: String,
}

/// Reads a field that is one of a few words.
fn word<T>(fields: &mut Fields<'_>, name: &str, words: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let given: Option<String> = fields.take(name, "a string");
    let read = given.as_deref().and_then(parse);
    if !fields.has(name) {
        fields.refuse(name, FieldErrorKind::Missing, format!("is required: {words}"));
    } else if given.is_some() && read.is_none() {
        fields.refuse(name, FieldErrorKind::Value, format!("must be {words}"));
    }
    read
}

/// Reads who it is about.
fn member(fields: &mut Fields<'_>) -> Option<(Kind, String)> {
    let kind = word(fields, "kind", "user or group", Kind::parse);
    let words = match kind {
        Some(Kind::Group) => "the name of a group as the proxy gives it, 1 to 200 characters",
        Some(Kind::User) | None => "a user id",
    };
    let name = word(fields, "name", words, |name| match kind {
        Some(Kind::User) | None => user::canonical(name.trim()).map(|user| user.to_string()),
        Some(Kind::Group) => {
            let name = name.trim_matches(' ');
            let is_right = (1..=MAX_GROUP_CHARS).contains(&name.chars().count());
            (is_right && !name.chars().any(char::is_control)).then(|| name.to_owned())
        }
    });
    Some((kind?, name?))
}

/// Gives a user or group a role in a project, replacing the one that they had; for its owners, in their browser.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), request_body = MemberRequest, responses(
    (status = 200, body = ProjectDone), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The project would be without a person who owns it, or has as many members as there can be"),
    (status = 422, body = ProblemBody)))]
#[put("/projects/{id}/members")]
pub(in crate::server) async fn put_member(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ProjectDone>, Problem> {
    let project = to_change(&caller, &path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Owner).await?;
    let mut fields = Fields::of(&body.0)?;
    let member = member(&mut fields);
    let role = word(&mut fields, "role", "viewer, writer or owner", Role::parse);
    fields.finish(|| ())?;
    let (Some((kind, name)), Some(role)) = (member, role) else { return Err(Problem::internal()) };
    done(projects::put_member(&mut tx, project, (kind, &name), role, MOST).await)?;
    let details = json!({ "member": who(kind, &name), "role": role.as_str() });
    noted(tx, &caller, project, "project.member", &details).await
}

/// Ends a membership in a project: from their next request on they see nothing of it. For its owners, in their browser.
/// Their conversations in it stay there until they take them out, or an owner does.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), request_body = MemberName, responses(
    (status = 200, body = ProjectDone), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The project would be without a person who owns it"),
    (status = 422, body = ProblemBody)))]
#[delete("/projects/{id}/members")]
pub(in crate::server) async fn remove_member(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ProjectDone>, Problem> {
    let project = to_change(&caller, &path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Owner).await?;
    let mut fields = Fields::of(&body.0)?;
    let member = member(&mut fields);
    fields.finish(|| ())?;
    let Some((kind, name)) = member else { return Err(Problem::internal()) };
    match projects::remove_member(&mut tx, project, (kind, &name)).await {
        Err(StoreError::NotFound) => return Err(Problem::not_found("Member")),
        left => done(left)?,
    }
    let details = json!({ "member": who(kind, &name) });
    noted(tx, &caller, project, "project.member_end", &details).await
}

/// Ends the caller's own membership by name. One that a group gives ends with the group.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), responses(
    (status = 200, body = ProjectDone), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "The project would be without a person who owns it, or the role comes from a group alone")))]
#[post("/projects/{id}/leave")]
pub(in crate::server) async fn leave(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ProjectDone>, Problem> {
    let project = to_change(&caller, &path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Viewer).await?;
    match projects::leave(&mut tx, project).await {
        Err(StoreError::NotFound) => return Err(Problem::not_in_project(NotInProject::ByGroup)),
        left => done(left)?,
    }
    noted(tx, &caller, project, "project.leave", &json!({})).await
}

/// The project whose members a request changes.
fn to_change(caller: &Caller, path: &str) -> Result<ProjectId, Problem> {
    caller.may(Permission::Ask)?;
    caller.in_person("members of projects")?;
    id(path, WHAT)
}

/// As the audit log names a member, and an erasure finds it.
fn who(kind: Kind, name: &str) -> String {
    format!("{}/{name}", kind.as_str())
}

fn done(outcome: Result<MembershipOutcome, StoreError>) -> Result<(), Problem> {
    match outcome.map_err(named)? {
        MembershipOutcome::Done => Ok(()),
        MembershipOutcome::LastOwner => Err(Problem::not_in_project(NotInProject::LastOwner)),
        MembershipOutcome::TooMany => Err(Problem::not_in_project(NotInProject::TooManyMembers(MOST))),
    }
}

/// Records the change in the audit log, in the same transaction.
async fn noted(
    mut tx: Tx,
    caller: &Caller,
    project: ProjectId,
    action: &str,
    details: &Value,
) -> Result<web::Json<ProjectDone>, Problem> {
    audit::append(&mut tx, &caller.user, action, Some(&project.to_string()), details).await?;
    tx.commit().await?;
    Ok(web::Json(ProjectDone { status: Status::Ok, id: project }))
}
