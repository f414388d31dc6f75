//! The JSON shapes of the library.

use serde::Serialize;

use crate::id::{LibraryEntryId, UserId};
use crate::server::extract::Caller;
use crate::server::shape::{Status, naive};
use crate::store::library::{self, Entry, VersionHead};

/// What an entry of the library is.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LibraryKind {
    /// A question's text, with `{{variables}}` to fill.
    Prompt,
    /// Criteria for reviewers.
    Rubric,
}

impl From<library::Kind> for LibraryKind {
    fn from(kind: library::Kind) -> Self {
        match kind {
            library::Kind::Prompt => Self::Prompt,
            library::Kind::Rubric => Self::Rubric,
        }
    }
}

/// A prompt or a rubric in a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LibrarySummary {
    pub id: LibraryEntryId,
    pub kind: LibraryKind,
    pub name: String,
    /// The beginning of its text, 300 characters at most.
    pub beginning: String,
    /// The newest version.
    pub version: i32,
    /// Whether everybody on this server can read it.
    pub shared: bool,
    pub is_mine: bool,
    /// The user id of its author.
    #[schema(value_type = String)]
    pub author: UserId,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// When the newest version was written.
    pub updated_at: String,
}

impl LibrarySummary {
    pub(super) fn new(entry: Entry, caller: &Caller) -> Self {
        Self {
            id: entry.id,
            kind: entry.kind.into(),
            name: entry.name,
            beginning: entry.text,
            version: entry.version,
            shared: entry.is_shared,
            is_mine: entry.owner == caller.user,
            author: entry.owner,
            created_at: naive(entry.created_at),
            updated_at: naive(entry.updated_at),
        }
    }
}

/// A page of the library.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LibraryList {
    /// In the order of their names.
    pub entries: Vec<LibrarySummary>,
    /// How many there are in all.
    pub total: u64,
}

/// One version of an entry without its text.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LibraryVersionLine {
    pub version: i32,
    pub name: String,
    /// Whether the entry was shared with it: others read such versions only.
    pub shared: bool,
    pub created_at: String,
}

impl From<VersionHead> for LibraryVersionLine {
    fn from(head: VersionHead) -> Self {
        Self {
            version: head.version,
            name: head.name,
            shared: head.is_shared,
            created_at: naive(head.created_at),
        }
    }
}

/// A prompt or a rubric with its text.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LibraryEntryView {
    pub id: LibraryEntryId,
    pub kind: LibraryKind,
    pub name: String,
    pub text: String,
    pub version: i32,
    pub shared: bool,
    pub is_mine: bool,
    /// The user id of its author.
    #[schema(value_type = String)]
    pub author: UserId,
    pub created_at: String,
    pub updated_at: String,
    /// The versions that the caller may read, the newest first.
    pub versions: Vec<LibraryVersionLine>,
}

impl LibraryEntryView {
    pub(super) fn new(entry: Entry, versions: Vec<VersionHead>, caller: &Caller) -> Self {
        Self {
            id: entry.id,
            kind: entry.kind.into(),
            name: entry.name,
            text: entry.text,
            version: entry.version,
            shared: entry.is_shared,
            is_mine: entry.owner == caller.user,
            author: entry.owner,
            created_at: naive(entry.created_at),
            updated_at: naive(entry.updated_at),
            versions: versions.into_iter().map(LibraryVersionLine::from).collect(),
        }
    }
}

/// One version of an entry.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LibraryVersionView {
    pub id: LibraryEntryId,
    #[serde(flatten)]
    pub head: LibraryVersionLine,
    pub text: String,
}

/// An entry that was deleted.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeletedLibraryEntry {
    pub status: Status,
    pub id: LibraryEntryId,
}
