//! Who is in a project, by name or by group.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::{Role, one_row};
use crate::id::{ProjectId, UserId};
use crate::store::{StoreError, Tx, refuse_nul, settings, time};

/// How many memberships of a user who is being erased are ended at once.
const AT_ONCE: i64 = 100;

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A person, by their user id.
    User,
    /// Everybody whom the proxy puts into this group.
    Group,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::User, Self::Group].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A member of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub kind: Kind,
    pub name: String,
    pub role: Role,
    pub added_at: Timestamp,
}

/// The outcome of changing a project's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipOutcome {
    Done,
    /// There would be nobody left who owns it by name.
    LastOwner,
    /// There are as many members as there can be.
    TooMany,
}

/// The members of the project that was opened: owners first, people before groups.
///
/// # Errors
/// When the database is unavailable.
pub async fn list(tx: &mut Tx, id: ProjectId) -> Result<Vec<Member>, StoreError> {
    let rows = sqlx::query(
        "SELECT kind, name, role, added_at FROM project_members
         WHERE project_id = $1 AND project_role(project_id) IS NOT NULL
         ORDER BY array_position(ARRAY['owner', 'writer', 'viewer'], role), kind DESC, name",
    )
    .bind(id.0)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(member).collect::<Result<_, _>>()?)
}

/// People's names by their user ids, as far as the proxy has told them.
pub type Names = BTreeMap<String, String>;

/// The names of the people who are members of the opened project by name, or have written conversations in it.
///
/// # Errors
/// When the database is unavailable.
pub async fn names(tx: &mut Tx) -> Result<Names, StoreError> {
    let rows = sqlx::query("SELECT id, name FROM names_in_project()").fetch_all(&mut **tx).await?;
    let name = |row: &PgRow| Ok::<_, sqlx::Error>((row.try_get("id")?, row.try_get("name")?));
    Ok(rows.iter().map(name).collect::<Result<_, _>>()?)
}

fn member(row: &PgRow) -> Result<Member, sqlx::Error> {
    let kind = Kind::parse(row.try_get("kind")?);
    Ok(Member {
        kind: kind.ok_or_else(|| sqlx::Error::Decode("no kind of member has this name".into()))?,
        name: row.try_get("name")?,
        role: Role::of_row(row)?,
        added_at: time(row, "added_at")?,
    })
}

/// Gives a user or group a role in the project that was opened, replacing the one that they had; there are at most
/// `most` members.
///
/// # Errors
/// [`StoreError::NotFound`] when the user does not own it.
pub async fn put(
    tx: &mut Tx,
    id: ProjectId,
    (kind, name): (Kind, &str),
    role: Role,
    most: i64,
) -> Result<MembershipOutcome, StoreError> {
    refuse_nul("the name", name)?;
    wait(tx, id).await?;
    if role != Role::Owner && is_last_owner(tx, id, kind, name).await? {
        return Ok(MembershipOutcome::LastOwner);
    }
    let done = sqlx::query(
        "INSERT INTO project_members (project_id, kind, name, role)
         SELECT $1, $2, $3, $4
         WHERE project_role($1) = 'owner'
           AND (SELECT count(*) FROM project_members WHERE project_id = $1 AND (kind, name) <> ($2, $3)) < $5
         ON CONFLICT (project_id, kind, name) DO UPDATE SET role = excluded.role",
    )
    .bind(id.0)
    .bind(kind.as_str())
    .bind(name)
    .bind(role.as_str())
    .bind(most)
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(MembershipOutcome::Done);
    }
    // The role may have ended while others were waited for.
    let owns: bool = sqlx::query_scalar("SELECT project_role($1) IS NOT DISTINCT FROM 'owner'")
        .bind(id.0)
        .fetch_one(&mut **tx)
        .await?;
    if owns { Ok(MembershipOutcome::TooMany) } else { Err(StoreError::NotFound) }
}

/// Ends a membership in the project that was opened.
///
/// # Errors
/// [`StoreError::NotFound`] when they are none, or the user does not own it.
pub async fn remove(
    tx: &mut Tx,
    id: ProjectId,
    (kind, name): (Kind, &str),
) -> Result<MembershipOutcome, StoreError> {
    refuse_nul("the name", name)?;
    wait(tx, id).await?;
    if is_last_owner(tx, id, kind, name).await? {
        return Ok(MembershipOutcome::LastOwner);
    }
    let done = sqlx::query(
        "DELETE FROM project_members
         WHERE project_id = $1 AND kind = $2 AND name = $3 AND project_role($1) = 'owner'",
    )
    .bind(id.0)
    .bind(kind.as_str())
    .bind(name)
    .execute(&mut **tx)
    .await?;
    one_row(done.rows_affected())?;
    Ok(MembershipOutcome::Done)
}

/// Ends the user's own membership by name.
///
/// # Errors
/// [`StoreError::NotFound`] when they have none.
pub async fn leave(tx: &mut Tx, id: ProjectId) -> Result<MembershipOutcome, StoreError> {
    let user = tx.user()?;
    wait(tx, id).await?;
    if is_last_owner(tx, id, Kind::User, user.as_str()).await? {
        return Ok(MembershipOutcome::LastOwner);
    }
    let done =
        sqlx::query("DELETE FROM project_members WHERE project_id = $1 AND kind = 'user' AND name = $2")
            .bind(id.0)
            .bind(user.as_str())
            .execute(&mut **tx)
            .await?;
    one_row(done.rows_affected())?;
    Ok(MembershipOutcome::Done)
}

/// Whether this is the only person who owns the project by name. A group may be empty, or misspelt, and then nobody
/// could repair that. Where the only one was erased, a group owns it alone.
async fn is_last_owner(tx: &mut Tx, id: ProjectId, kind: Kind, name: &str) -> Result<bool, StoreError> {
    let is_last = sqlx::query_scalar(
        "SELECT $2 = 'user' AND coalesce((SELECT array_agg(name) FROM project_members
                                          WHERE project_id = $1 AND kind = 'user' AND role = 'owner') = ARRAY[$3], false)",
    )
    .bind(id.0)
    .bind(kind.as_str())
    .bind(name)
    .fetch_one(&mut **tx)
    .await?;
    Ok(is_last)
}

/// Two owners who remove each other at once would both find another one.
async fn wait(tx: &mut Tx, id: ProjectId) -> Result<(), StoreError> {
    settings::wait_for_others(tx, &format!("members of {id}")).await
}

/// Takes a user who is being erased out of some of their projects; returns how many those were. A project that only
/// they own by name goes to a group that owns it already, else to the person who has been a writer for longest, else to
/// such a group; where nobody else could write in it, it is deleted, and what others have in it stays with them.
pub(in crate::store) async fn hand_over(tx: &mut Tx, user: &UserId) -> Result<u64, StoreError> {
    tx.require_engine()?;
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT project_id FROM project_members WHERE kind = 'user' AND name = $1 ORDER BY project_id LIMIT $2",
    )
    .bind(user.as_str())
    .bind(AT_ONCE)
    .fetch_all(&mut **tx)
    .await?;
    for id in &ids {
        wait(tx, ProjectId(*id)).await?;
        sqlx::query(
            "UPDATE project_members SET role = 'owner'
             WHERE (project_id, kind, name) IN (
                 SELECT project_id, kind, name FROM project_members
                 WHERE project_id = $1 AND role = 'writer' AND (kind, name) <> ('user', $2)
                 ORDER BY kind DESC, added_at, name LIMIT 1)
               AND EXISTS (SELECT FROM project_members
                           WHERE project_id = $1 AND kind = 'user' AND name = $2 AND role = 'owner')
               AND NOT EXISTS (SELECT FROM project_members
                               WHERE project_id = $1 AND role = 'owner' AND (kind, name) <> ('user', $2))",
        )
        .bind(id)
        .bind(user.as_str())
        .execute(&mut **tx)
        .await?;
        sqlx::query("DELETE FROM project_members WHERE project_id = $1 AND kind = 'user' AND name = $2")
            .bind(id)
            .bind(user.as_str())
            .execute(&mut **tx)
            .await?;
        sqlx::query(
            "DELETE FROM projects WHERE id = $1
               AND NOT EXISTS (SELECT FROM project_members WHERE project_id = $1 AND role = 'owner')",
        )
        .bind(id)
        .execute(&mut **tx)
        .await?;
    }
    Ok(ids.len() as u64)
}
