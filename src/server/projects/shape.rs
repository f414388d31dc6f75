//! The JSON shapes of projects.

use serde::Serialize;

use crate::council::setting::RunOptions;
use crate::council::settings::SettingsLayer;
use crate::id::{ConversationId, ProjectId, UserId};
use crate::server::extract::Caller;
use crate::server::presets::content;
use crate::server::problem::Problem;
use crate::server::shape::{Message, Status, naive};
use crate::store::projects::{Kind, Listed, Member, Names, Project, Role};

/// What a role allows in a project; each role includes the ones before it.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectRole {
    /// Reads the conversations in it.
    Viewer,
    /// Puts own conversations into it, and asks in them.
    Writer,
    /// Changes it and its members, and deletes it.
    Owner,
}

impl From<Role> for ProjectRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Writer => Self::Writer,
            Role::Owner => Self::Owner,
        }
    }
}

/// What a member is.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberKind {
    /// A person, by their user id.
    User,
    /// Everybody whom the proxy puts into this group.
    Group,
}

/// A member of a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MemberView {
    pub kind: MemberKind,
    /// The user's id, or the group as the proxy names it.
    pub name: String,
    /// What the proxy calls this person, where it has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub role: ProjectRole,
    /// Whether that is the caller by name.
    pub is_me: bool,
    /// Naive UTC with microseconds.
    pub added_at: String,
}

/// A project in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectSummary {
    pub id: ProjectId,
    pub name: String,
    /// The caller's: the highest that their name and their groups give.
    pub role: ProjectRole,
    /// Naive UTC with microseconds.
    pub created_at: String,
    pub updated_at: String,
}

impl From<Project> for ProjectSummary {
    fn from(row: Project) -> Self {
        Self {
            id: row.id,
            name: row.name,
            role: row.role.into(),
            created_at: naive(row.created_at),
            updated_at: naive(row.updated_at),
        }
    }
}

/// The projects in which the caller has a role.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectList {
    /// In the order of their names. A user can own 100 projects, and be a member of any number.
    pub projects: Vec<ProjectSummary>,
    /// Over all pages.
    pub total: u64,
}

/// A project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectView {
    #[serde(flatten)]
    pub summary: ProjectSummary,
    /// What stands before the system prompt of every question in it.
    pub instructions: String,
    /// What it changes in the settings of its members.
    pub settings: SettingsLayer,
    /// What a request's options are in it, where the request leaves them out.
    #[schema(value_type = Object)]
    pub options: RunOptions,
    /// After how many days without activity conversations in it are deleted for good, where administrators have a rule for this project: 0
    /// where they are kept for as long as their owners want. Absent where the rule for all counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<i32>,
    /// Owners first, people before groups.
    pub members: Vec<MemberView>,
}

impl ProjectView {
    pub(super) fn new(
        row: Project,
        members: Vec<Member>,
        mut names: Names,
        caller: &Caller,
    ) -> Result<Self, Problem> {
        let defaults = content(row.defaults.clone())?;
        let member = |member: Member| MemberView {
            display_name: (member.kind == Kind::User).then(|| names.remove(&member.name)).flatten(),
            is_me: member.kind == Kind::User && member.name == caller.user.as_str(),
            kind: match member.kind {
                Kind::User => MemberKind::User,
                Kind::Group => MemberKind::Group,
            },
            name: member.name,
            role: member.role.into(),
            added_at: naive(member.added_at),
        };
        Ok(Self {
            instructions: row.instructions.clone(),
            settings: defaults.settings,
            options: defaults.options,
            retention_days: row.retention_days,
            members: members.into_iter().map(member).collect(),
            summary: row.into(),
        })
    }
}

/// Confirms a change of a project: deleted, left, or its members changed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectDone {
    pub status: Status,
    pub id: ProjectId,
}

/// A conversation in a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ListedConversation {
    pub id: ConversationId,
    pub title: String,
    /// Whether that is what every conversation is called until it has a title of its own.
    pub title_is_default: bool,
    /// Who has written it, and alone asks in it.
    #[schema(value_type = String)]
    pub author: UserId,
    /// What the proxy calls the author, where it has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_name: Option<String>,
    pub is_mine: bool,
    /// Naive UTC with microseconds.
    pub created_at: String,
    pub updated_at: String,
    /// The number of questions and answers, on all branches.
    pub message_count: i64,
}

impl ListedConversation {
    pub(super) fn new(row: Listed, names: &Names, caller: &Caller) -> Self {
        Self {
            author_name: names.get(row.author.as_str()).cloned(),
            id: row.id,
            title: row.title,
            title_is_default: row.title_is_default,
            is_mine: row.author == caller.user,
            author: row.author,
            created_at: naive(row.created_at),
            updated_at: naive(row.updated_at),
            message_count: row.message_count,
        }
    }
}

/// The conversations in a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConversationsInProject {
    /// What changed last comes first.
    pub conversations: Vec<ListedConversation>,
    /// Over all pages.
    pub total: u64,
}

/// A conversation in a project, for reading.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConversationInProject {
    #[serde(flatten)]
    pub conversation: ListedConversation,
    /// Of the branch that its author looked at last, in the order of writing. Answers name no run, and files cannot be read.
    pub messages: Vec<Message>,
}

/// Where a conversation is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProjectOfConversation {
    pub project_id: ProjectId,
}

/// A conversation that was taken out of a project.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct TakenOut {
    pub status: Status,
    pub id: ConversationId,
}
