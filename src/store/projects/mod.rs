//! Projects: places for the conversations of a team. What a user may do depends on their role, which they have by their
//! own name or by a group; row level security checks it again at every statement, so that it ends with the membership.
//!
//! A transaction [`enter`]s a project, or names none: then it sees nothing of others' conversations. The defaults are
//! the server's business; here they are JSON.

mod conversations;
mod members;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::id::ProjectId;

use super::{StoreError, Tx, refuse_nul, refuse_nul_in_json, settings, time};

pub use conversations::{
    Listed, list as list_conversations, messages, project_of, read as read_conversation, take_out,
};
pub(super) use members::hand_over;
pub use members::{
    Kind, Member, MembershipOutcome, Names, leave, list as list_members, names, put as put_member,
    remove as remove_member,
};

/// What a role allows in a project; each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads the conversations in it, and goes on with copies of their own.
    Viewer,
    /// Puts own conversations into it, and asks in them.
    Writer,
    /// Changes what the project says, who is in it, and its end.
    Owner,
}

impl Role {
    /// All roles, from the least rights to the most.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Writer, Self::Owner];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    fn of_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Self::parse(row.try_get("role")?)
            .ok_or_else(|| sqlx::Error::Decode("no role in a project has this name".into()))
    }
}

/// A project, as one of its members sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    /// The text that precedes every question in it.
    pub instructions: String,
    pub defaults: Value,
    /// The role of the transaction's user.
    pub role: Role,
    /// After how many days without activity conversations in it are deleted for good, where an administrator has chosen that for it; 0: they
    /// are kept for as long as their owners want.
    pub retention_days: Option<i32>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The content of a project.
#[derive(Debug, Clone, Copy)]
pub struct Content<'c> {
    pub name: &'c str,
    pub instructions: &'c str,
    pub defaults: &'c Value,
}

impl Content<'_> {
    fn refuse_nul(&self) -> Result<(), StoreError> {
        refuse_nul("the name", self.name)?;
        refuse_nul("the instructions", self.instructions)?;
        refuse_nul_in_json("the defaults", self.defaults)
    }
}

fn project(row: &PgRow) -> Result<Project, sqlx::Error> {
    Ok(Project {
        id: ProjectId(row.try_get("id")?),
        name: row.try_get("name")?,
        instructions: row.try_get("instructions")?,
        defaults: row.try_get("defaults")?,
        role: Role::of_row(row)?,
        retention_days: row.try_get("retention_days")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
    })
}

macro_rules! columns {
    () => {
        "p.id, p.name, p.instructions, p.defaults, p.retention_days, p.created_at, p.updated_at, project_role(p.id) AS role"
    };
}

/// Names the groups that count from here to the transaction's end, and the project that is looked into, if any. `groups` are
/// those of the user; `None` means those they were in when last seen in person, as for budgets.
pub(super) async fn enter(
    tx: &mut Tx,
    id: Option<ProjectId>,
    groups: Option<&[String]>,
) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query(
        "SELECT set_config('app.project_id', $1, true),
                set_config('app.groups', coalesce($2::text[], (SELECT groups FROM users WHERE id = $3), '{}')::text, true)",
    )
    .bind(id.map(|id| id.to_string()).unwrap_or_default())
    .bind(groups)
    .bind(user.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The projects in which the user has a role.
macro_rules! of_caller {
    () => {
        " FROM projects p
         WHERE p.id IN (SELECT m.project_id FROM project_members m WHERE is_caller(m.kind, m.name))"
    };
}

/// A page of the projects in which the user has a role, by name; and how many there are in all.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(
    tx: &mut Tx,
    groups: Option<&[String]>,
    limit: u32,
    offset: u32,
) -> Result<(Vec<Project>, u64), StoreError> {
    enter(tx, None, groups).await?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        of_caller!(),
        " ORDER BY lower(p.name), p.name, p.id LIMIT $1 OFFSET $2"
    ))
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 =
        sqlx::query_scalar(concat!("SELECT count(*)", of_caller!())).fetch_one(&mut **tx).await?;
    Ok((rows.iter().map(project).collect::<Result<_, _>>()?, count.unsigned_abs()))
}

/// Looks into a project: from here to the transaction's end what is in it can be read, as the user's role lets them.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or the user has no role in it.
pub async fn open(tx: &mut Tx, id: ProjectId, groups: Option<&[String]>) -> Result<Project, StoreError> {
    enter(tx, Some(id), groups).await?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM projects p WHERE p.id = $1 AND project_role(p.id) IS NOT NULL"
    ))
    .bind(id.0)
    .fetch_one(&mut **tx)
    .await?;
    Ok(project(&row)?)
}

/// The user's role in a project, if any; from here to the transaction's end it is the one that is looked into.
pub(super) async fn role(
    tx: &mut Tx,
    id: ProjectId,
    groups: Option<&[String]>,
) -> Result<Option<Role>, StoreError> {
    enter(tx, Some(id), groups).await?;
    let role: Option<String> =
        sqlx::query_scalar("SELECT project_role($1)").bind(id.0).fetch_one(&mut **tx).await?;
    Ok(role.as_deref().and_then(Role::parse))
}

/// Makes a project that the user owns; `None` when they own `most` by name already.
///
/// # Errors
/// When the database is unavailable.
pub async fn create(tx: &mut Tx, content: Content<'_>, most: i64) -> Result<Option<ProjectId>, StoreError> {
    let user = tx.user()?;
    content.refuse_nul()?;
    // Two at once would both find room for one.
    settings::wait_for_others(tx, &format!("projects of {user}")).await?;
    let id = ProjectId::generate();
    let done = sqlx::query(
        "INSERT INTO projects (id, name, instructions, defaults)
         SELECT $2, $3, $4, $5
         WHERE (SELECT count(*) FROM project_members WHERE kind = 'user' AND name = $1 AND role = 'owner') < $6",
    )
    .bind(user.as_str())
    .bind(id.0)
    .bind(content.name)
    .bind(content.instructions)
    .bind(Json(content.defaults))
    .bind(most)
    .execute(&mut **tx)
    .await?;
    Ok((done.rows_affected() == 1).then_some(id))
}

/// Lets one transaction at a time change what a project says, from here to its end: each replaces all of it, so it has to be
/// read after this.
///
/// # Errors
/// When the database is unavailable.
pub async fn wait_to_change(tx: &mut Tx, id: ProjectId) -> Result<(), StoreError> {
    settings::wait_for_others(tx, &format!("content of {id}")).await
}

/// Replaces the content of the project that was opened.
///
/// # Errors
/// [`StoreError::NotFound`] when the user does not own it.
pub async fn change(tx: &mut Tx, id: ProjectId, content: Content<'_>) -> Result<(), StoreError> {
    content.refuse_nul()?;
    let done = sqlx::query(
        "UPDATE projects SET name = $2, instructions = $3, defaults = $4, updated_at = now()
         WHERE id = $1 AND project_role(id) = 'owner'",
    )
    .bind(id.0)
    .bind(content.name)
    .bind(content.instructions)
    .bind(Json(content.defaults))
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())
}

/// Deletes the project that was opened. What was in it stays with its authors, outside of any project.
///
/// # Errors
/// [`StoreError::NotFound`] when the user does not own it.
pub async fn delete(tx: &mut Tx, id: ProjectId) -> Result<(), StoreError> {
    let done = sqlx::query("DELETE FROM projects WHERE id = $1 AND project_role(id) = 'owner'")
        .bind(id.0)
        .execute(&mut **tx)
        .await?;
    one_row(done.rows_affected())
}

fn one_row(affected: u64) -> Result<(), StoreError> {
    if affected == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
