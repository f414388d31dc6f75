//! The conversations in a project: everybody with a role reads them, and goes on with copies.

use actix_web::{HttpResponse, delete, get, post, web};
use serde::Deserialize;

use super::placing::{WHAT, note_moved, opened};
use super::shape::{
    ConversationInProject, ConversationsInProject, ListedConversation, ProjectOfConversation, TakenOut,
};
use crate::id::{ConversationId, ProjectId};
use crate::identity::Permission;
use crate::server::app::App;
use crate::server::conversations::{Which, named};
use crate::server::extract::{Caller, id};
use crate::server::for_others;
use crate::server::problem::{NotInProject, Problem, ProblemBody};
use crate::server::query::Query;
use crate::server::shape::Status;
use crate::server::sharing::CopiedConversation;
use crate::store::projects::{self, Listed, Role};
use crate::store::shares::{self, SharedMessage};
use crate::store::{Tx, conversations};

const MAX_PER_PAGE: u32 = 200;

/// Which of the conversations to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::server) struct ListQuery {
    /// How many at most, 1 to 200.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// The conversations in a project, whoever has written them, for everybody who has a role in it.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ListQuery), responses(
    (status = 200, body = ConversationsInProject), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[get("/projects/{id}/conversations")]
pub(in crate::server) async fn list(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    query: Query<ListQuery>,
) -> Result<web::Json<ConversationsInProject>, Problem> {
    caller.may(Permission::Read)?;
    let project: ProjectId = id(&path, WHAT)?;
    let limit = query.limit.unwrap_or(50).clamp(1, MAX_PER_PAGE);
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Viewer).await?;
    let (rows, total) =
        projects::list_conversations(&mut tx, project, limit, query.offset.unwrap_or(0)).await?;
    let names = projects::names(&mut tx).await?;
    let conversations = rows.into_iter().map(|row| ListedConversation::new(row, &names, &caller)).collect();
    Ok(web::Json(ConversationsInProject { conversations, total }))
}

/// A conversation in a project for reading, on the branch that its author looked at last.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ("conversation" = String, Path)), responses(
    (status = 200, body = ConversationInProject), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[get("/projects/{id}/conversations/{conversation}")]
pub(in crate::server) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<ConversationInProject>, Problem> {
    caller.may(Permission::Read)?;
    let (project, conversation) = ids(&path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Viewer).await?;
    let (head, messages) = messages(&mut tx, project, conversation).await?;
    let title = for_others::title(head.title.clone(), head.title_is_default, &messages);
    let names = projects::names(&mut tx).await?;
    Ok(web::Json(ConversationInProject {
        conversation: ListedConversation { title, ..ListedConversation::new(head, &names, &caller) },
        messages: for_others::shown(messages),
    }))
}

/// The project that a conversation is in, whoever has written it, for those who have a role in that project: a person
/// who is sent the address of an author's own page finds there what they may read of it.
#[utoipa::path(tag = "projects", params(("id" = String, Path)), responses(
    (status = 200, body = ProjectOfConversation), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody, description = "It is in no project in which the caller has a role")))]
#[get("/conversations/{id}/project")]
pub(in crate::server) async fn place(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<ProjectOfConversation>, Problem> {
    caller.may(Permission::Read)?;
    let conversation: ConversationId = id(&path, "Conversation")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let project_id =
        projects::project_of(&mut tx, conversation, caller.groups_from_proxy()).await.map_err(named)?;
    Ok(web::Json(ProjectOfConversation { project_id }))
}

/// What others may read of a conversation.
async fn messages(
    tx: &mut Tx,
    project: ProjectId,
    conversation: ConversationId,
) -> Result<(Listed, Vec<SharedMessage>), Problem> {
    let (head, tree) = projects::read_conversation(tx, project, conversation).await.map_err(named)?;
    let nodes = Which::InForce.choose(&tree).unwrap_or_default();
    let messages = projects::messages(tx, &head, &nodes).await?;
    Ok((head, messages.into_iter().map(for_others::snapshot).collect()))
}

/// Makes a conversation of the caller's own of one in a project, to go on from: in the same project where they may write there, else
/// outside. Its files are not copied.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ("conversation" = String, Path)), responses(
    (status = 201, body = CopiedConversation), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody, description = "An answer is being written, or nothing was asked yet")))]
#[post("/projects/{id}/conversations/{conversation}/copy")]
pub(in crate::server) async fn copy(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Ask)?;
    let (project, conversation) = ids(&path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let role = opened(&mut tx, &caller, project, Role::Viewer).await?.role;
    let (head, messages) = messages(&mut tx, project, conversation).await?;
    if messages.is_empty() {
        return Err(Problem::not_in_project(NotInProject::NothingToCopy));
    }
    let is_live = |message: &SharedMessage| matches!(message.status.as_deref(), Some("queued" | "running"));
    if messages.iter().any(is_live) {
        return Err(Problem::not_in_project(NotInProject::BeingWritten));
    }
    let title = for_others::title(head.title, head.title_is_default, &messages);
    let to = (role >= Role::Writer).then_some(project);
    let copy = shares::copy(&mut tx, &title, &messages, to).await?;
    if let Some(to) = to {
        note_moved(&mut tx, &caller, to, copy, true).await?;
    }
    let conversation = conversations::head(&mut tx, copy).await?;
    tx.commit().await?;
    Ok(HttpResponse::Created()
        .json(CopiedConversation { status: Status::Ok, conversation: conversation.into() }))
}

/// Takes a conversation out of a project, whoever has written it; for the project's owners. It stays with its author.
#[utoipa::path(tag = "projects", params(("id" = String, Path), ("conversation" = String, Path)), responses(
    (status = 200, body = TakenOut), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/projects/{id}/conversations/{conversation}")]
pub(in crate::server) async fn take_out(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<TakenOut>, Problem> {
    caller.may(Permission::Ask)?;
    let (project, conversation) = ids(&path)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    opened(&mut tx, &caller, project, Role::Owner).await?;
    if !projects::take_out(&mut tx, conversation).await? {
        return Err(Problem::not_found("Conversation"));
    }
    note_moved(&mut tx, &caller, project, conversation, false).await?;
    tx.commit().await?;
    Ok(web::Json(TakenOut { status: Status::Ok, id: conversation }))
}

fn ids((project, conversation): &(String, String)) -> Result<(ProjectId, ConversationId), Problem> {
    Ok((id(project, WHAT)?, id(conversation, "Conversation")?))
}
