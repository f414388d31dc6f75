//! Moving things into and out of a project, and who may do that.

use serde_json::{Value, json};

use crate::council::field::FieldError;
use crate::id::{ConversationId, ProjectId};
use crate::server::extract::Caller;
use crate::server::presets::{Content, content};
use crate::server::problem::Problem;
use crate::store::projects::{self, Project, Role};
use crate::store::{StoreError, Tx, audit, conversations};

/// The field of a request that names a project.
pub(in crate::server) const FIELD: &str = "project_id";
pub(super) const WHAT: &str = "Project";

const VIEWER: &str = "as a viewer of this project you can read what is in it, and no more";

pub(super) fn named(error: StoreError) -> Problem {
    Problem::from(error).naming(WHAT)
}

/// Opens a project of the caller's, and checks that they have at least this role.
///
/// # Errors
/// 404 without a role in it, 403 with a smaller one.
pub(super) async fn opened(
    tx: &mut Tx,
    caller: &Caller,
    id: ProjectId,
    needed: Role,
) -> Result<Project, Problem> {
    let project = projects::open(tx, id, caller.groups_from_proxy()).await.map_err(named)?;
    if project.role >= needed {
        return Ok(project);
    }
    Err(Problem::forbidden(match needed {
        Role::Owner => "this is for owners of the project",
        Role::Writer | Role::Viewer => VIEWER,
    }))
}

/// A project that a request's body names, to put something into it.
///
/// # Errors
/// 422 without a role in it, 403 for viewers.
pub(in crate::server) async fn to_write_in(
    tx: &mut Tx,
    caller: &Caller,
    id: ProjectId,
) -> Result<Project, Problem> {
    opened(tx, caller, id, Role::Writer).await.map_err(|problem| of_field(problem, unknown()))
}

/// A project that a request's body names, to show something to everybody in it.
///
/// # Errors
/// 422 without a role in it.
pub(in crate::server) async fn to_show_in(
    tx: &mut Tx,
    caller: &Caller,
    id: ProjectId,
) -> Result<Project, Problem> {
    opened(tx, caller, id, Role::Viewer).await.map_err(not_in_it)
}

/// The refusal for a project that turns out to be gone.
pub(in crate::server) fn not_in_it(problem: Problem) -> Problem {
    of_field(problem, FieldError::value(FIELD, "must be the id of a project that you are in"))
}

fn of_field(problem: Problem, unknown: FieldError) -> Problem {
    if problem.is_not_found() { vec![unknown].into() } else { problem }
}

fn unknown() -> FieldError {
    FieldError::value(FIELD, "must be the id of a project in which you may write")
}

/// What a question's project adds to it.
#[derive(Default)]
pub(in crate::server) struct AskedIn {
    pub project: Option<ProjectId>,
    /// Before the system prompts.
    pub instructions: Option<String>,
    /// In the place of what the request leaves out.
    pub defaults: Option<Content>,
    /// What is wrong with the request's field.
    pub problem: Option<FieldError>,
}

/// The project of a question: that of its conversation (`known`, where it is there already), else the one that the request names to
/// begin it in.
///
/// # Errors
/// 403 where the caller may not write in it.
pub(in crate::server) async fn asked_in(
    tx: &mut Tx,
    caller: &Caller,
    known: Option<Option<ProjectId>>,
    body: &Value,
) -> Result<AskedIn, Problem> {
    let refused = |problem| AskedIn { problem: Some(problem), ..AskedIn::default() };
    let given = match body.get(FIELD).filter(|value| !value.is_null()) {
        None => None,
        Some(given) => match given.as_str().and_then(|text| text.parse::<ProjectId>().ok()) {
            None => return Ok(refused(unknown())),
            given => given,
        },
    };
    let id = known.unwrap_or(given);
    if given.is_some() && given != id {
        let problem = "is where a conversation is begun; this one is there already, and is moved by itself";
        return Ok(refused(FieldError::value(FIELD, problem)));
    }
    let Some(id) = id else { return Ok(AskedIn::default()) };
    let project = match projects::open(tx, id, caller.groups_from_proxy()).await {
        Ok(project) if project.role >= Role::Writer => project,
        Ok(_) | Err(StoreError::NotFound) if known.is_some() => return Err(Problem::not_a_writer()),
        Ok(_) => return Err(Problem::forbidden(VIEWER)),
        Err(StoreError::NotFound) => return Ok(refused(unknown())),
        Err(error) => return Err(error.into()),
    };
    Ok(AskedIn {
        project: Some(project.id),
        instructions: Some(project.instructions),
        defaults: Some(content(project.defaults)?),
        problem: None,
    })
}

/// Moves a conversation of the caller's to a project, or out of the one that it is in.
///
/// # Errors
/// 422 or 403 as in [`to_write_in`]; 404 where the conversation is not theirs.
pub(in crate::server) async fn move_to(
    tx: &mut Tx,
    caller: &Caller,
    id: ConversationId,
    to: Option<ProjectId>,
) -> Result<(), Problem> {
    if conversations::head(tx, id).await.map_err(of_conversation)?.project == to {
        return Ok(());
    }
    if let Some(to) = to {
        to_write_in(tx, caller, to).await?;
    }
    // Not as it was read above: another tab may have moved it since.
    let before = conversations::set_project(tx, id, to).await.map_err(of_conversation)?;
    if before == to {
        return Ok(());
    }
    if let Some(before) = before {
        note_moved(tx, caller, before, id, false).await?;
    }
    if let Some(to) = to {
        note_moved(tx, caller, to, id, true).await?;
    }
    Ok(())
}

/// Notes in the audit log that a conversation came into a project, or left it.
///
/// # Errors
/// When the database is unavailable.
pub(in crate::server) async fn note_moved(
    tx: &mut Tx,
    caller: &Caller,
    project: ProjectId,
    conversation: ConversationId,
    is_in: bool,
) -> Result<(), Problem> {
    let action = if is_in { "project.put_in" } else { "project.take_out" };
    let details = json!({ "conversation": conversation });
    Ok(audit::append(tx, &caller.user, action, Some(&project.to_string()), &details).await?)
}

fn of_conversation(error: StoreError) -> Problem {
    Problem::from(error).naming("Conversation")
}
