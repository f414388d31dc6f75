//! The JSON shapes of conversations and messages, with the field names existing clients read.

pub mod admin;
pub mod analytics;
pub mod comparisons;
pub mod own_data;
pub mod reviewers;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use crate::council::Deliberation;
use crate::council::formats::stored::OtherNames;
use crate::id::{ConversationId, FolderId, MessageId, ProjectId, RunId};
use crate::runs::Stopped;
use crate::store::RunStatus;
use crate::store::attachments::Attached;
use crate::store::conversations::{self as rows, Tree};
use crate::store::project_files::ReadFile;
use crate::store::runs::RunRow;

/// A time as existing clients sort it: naive UTC with microseconds.
#[must_use]
pub fn naive(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%6f").to_string()
}

/// A row of the conversation list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ConversationSummary {
    pub id: ConversationId,
    /// Naive UTC with microseconds.
    pub created_at: String,
    pub updated_at: String,
    /// When something was last asked in it, also anew; when it was made where nothing was.
    pub asked_at: String,
    pub title: String,
    /// Whether that is what every conversation is called until it has a title of its own.
    pub title_is_default: bool,
    pub tags: Vec<String>,
    pub archived: bool,
    /// Whether it is kept at the top of the list.
    pub pinned: bool,
    /// The number of questions and answers, on all branches.
    pub message_count: i64,
    /// Whether a run is under way in it.
    pub running: bool,
    /// By which API another program began it: `chat_completions`, `responses`; absent where it was begun here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// When it is deleted for good for lack of activity; present from a week before on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The project that it is in, where everybody in that reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The folder that its owner has put it into; absent where it is in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder_id: Option<FolderId>,
}

impl From<rows::Conversation> for ConversationSummary {
    fn from(row: rows::Conversation) -> Self {
        Self {
            id: row.id,
            created_at: naive(row.created_at),
            updated_at: naive(row.updated_at),
            asked_at: naive(row.asked_at),
            title: row.title,
            title_is_default: row.title_is_default,
            tags: row.tags,
            archived: row.archived,
            pinned: row.pinned,
            message_count: row.message_count,
            running: row.running,
            origin: row.origin,
            expires_at: row.expires_at.map(naive),
            project_id: row.project,
            folder_id: row.folder,
        }
    }
}

/// Confirms that something was done, in the words that existing clients expect.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
}

/// A conversation after a change.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Changed {
    pub status: Status,
    #[serde(flatten)]
    pub conversation: ConversationSummary,
}

/// A deleted conversation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Deleted {
    pub status: Status,
    pub id: ConversationId,
    pub deleted: bool,
    /// Whether it is gone for good, and cannot be brought back.
    pub purged: bool,
}

/// A conversation that was brought back.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Restored {
    pub status: Status,
    pub restored: bool,
    pub conversation: ConversationSummary,
}

/// Whether there was a run to stop.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Cancelled {
    pub status: Status,
    /// Whether there was anything to stop.
    pub cancelled: bool,
    /// Whether that holds whatever happens to this server. `false` while the database does not answer:
    /// what this server executes has been stopped, and it goes on trying to record it, but were it killed
    /// before that, the run would go on at another server.
    pub durable: bool,
}

impl From<Stopped> for Cancelled {
    fn from(Stopped { cancelled, durable }: Stopped) -> Self {
        Self { status: Status::Ok, cancelled, durable }
    }
}

/// The caller's tags, and some to begin with.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Tags {
    /// In alphabetical order.
    pub tags: Vec<String>,
    /// How many tags there are, over all pages.
    pub total: u64,
    pub suggestions: Vec<&'static str>,
}

/// One place where the words were found.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SearchHit {
    pub conversation_id: ConversationId,
    pub title: String,
    /// Whether that is what every conversation is called until it has a title of its own.
    pub title_is_default: bool,
    /// The question or answer that holds them, on whichever branch; absent where only the title does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// The words around the first hit.
    pub snippet: String,
    /// When it was written.
    pub at: String,
}

/// An answer that is being written.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LiveAnswer {
    pub message_id: MessageId,
    pub run_id: RunId,
}

/// A conversation with its messages: those of one branch, or all.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Conversation {
    #[serde(flatten)]
    pub summary: ConversationSummary,
    /// How many branches it has: one for each message that nothing goes on from.
    pub branches: usize,
    /// The last message of the branch that was looked at last, which is the one a question goes on from that does not say
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_end: Option<MessageId>,
    /// The answer that is being written, on whichever branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveAnswer>,
    pub messages: Vec<Message>,
}

impl Conversation {
    /// The conversation with these of its messages.
    #[must_use]
    pub fn new(row: rows::Conversation, tree: &Tree, messages: Vec<rows::Message>) -> Self {
        Self {
            summary: row.into(),
            branches: tree.ends().count(),
            branch_end: tree.end().map(|end| end.id),
            live: tree.live().map(|live| LiveAnswer { message_id: live.message, run_id: live.run }),
            messages: messages.into_iter().map(|message| Message::new(message, tree)).collect(),
        }
    }
}

/// A file of a question, as it was when that was asked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AttachedFile {
    /// By which `GET /api/attachments/{id}/content` hands it out.
    pub id: String,
    pub filename: String,
    pub file_type: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    /// How long its text is.
    pub characters: u64,
    /// How much of its text the members were given: less where a question comes with more than they can read.
    pub characters_read: u64,
    /// Of a picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}

impl From<Attached> for AttachedFile {
    fn from(row: Attached) -> Self {
        Self {
            id: row.id,
            filename: row.filename,
            file_type: row.file_type,
            mime_type: row.mime_type,
            size: row.size.unsigned_abs(),
            characters: row.characters.unsigned_abs(),
            characters_read: row.characters_read.unsigned_abs(),
            width: row.width.map(i32::unsigned_abs),
            height: row.height.map(i32::unsigned_abs),
        }
    }
}

/// A file of a question's project, as it was when that was asked. It leads to no file: that may be gone from the project, or be there
/// for others than those who read the question.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ReadProjectFile {
    pub filename: String,
    pub file_type: String,
    /// In bytes.
    pub size: u64,
    /// How long its text was.
    pub characters: u64,
    /// How much of its text the members were given.
    pub characters_read: u64,
}

impl From<ReadFile> for ReadProjectFile {
    fn from(row: ReadFile) -> Self {
        Self {
            filename: row.filename,
            file_type: row.file_type,
            size: row.size.unsigned_abs(),
            characters: row.characters.unsigned_abs(),
            characters_read: row.characters_read.unsigned_abs(),
        }
    }
}

/// One message.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A question.
    User {
        id: MessageId,
        content: String,
        created_at: String,
        /// The answer that it goes on from; `null` where it begins the conversation.
        #[schema(required = true)]
        parent_id: Option<MessageId>,
        /// The questions that stand in the same place, itself among them, in the order of asking; absent where it is
        /// the only one.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(required = false)]
        siblings: Vec<MessageId>,
        /// The files that it came with; absent where there were none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(required = false)]
        attachments: Vec<AttachedFile>,
        /// The files of its project that it was read with; absent where there were none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(required = false)]
        project_files: Vec<ReadProjectFile>,
    },
    /// The council's answer.
    Assistant {
        id: MessageId,
        created_at: String,
        /// Its question.
        #[schema(required = true)]
        parent_id: Option<MessageId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        run_id: Option<RunId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<RunStatus>,
        /// Why the run failed, or who has stopped it where that was not its owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The kind of that error: `no_answers`, `internal`, `abandoned`, `unreadable_plan`, `picture_gone`,
        /// `picture_unreadable` or `stopped_by_administrator`.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
        /// The runs whose answers it showed before it was asked for again, oldest first; `GET
        /// /api/runs/{id}` has each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schema(required = false)]
        earlier_runs: Vec<RunId>,
        /// Where no more of it was asked for (`whole`): the final answer's text, empty where it has none. What led to that is then
        /// left out; absent from an answer that is whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        brief: Option<String>,
        #[serde(flatten)]
        other_names: Box<OtherNames>,
        #[serde(flatten)]
        deliberation: Box<Deliberation>,
    },
}

impl Message {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> MessageId {
        match self {
            Self::User { id, .. } | Self::Assistant { id, .. } => *id,
        }
    }

    /// The message that it goes on from.
    #[must_use]
    pub fn parent_id(&self) -> Option<MessageId> {
        match self {
            Self::User { parent_id, .. } | Self::Assistant { parent_id, .. } => *parent_id,
        }
    }

    /// The answer of a run to this question, also where its message shows a later one.
    #[must_use]
    pub fn of_run(row: RunRow, parent_id: Option<MessageId>) -> Self {
        let deliberation = row.body.map(deliberation).unwrap_or_default();
        Self::Assistant {
            id: row.message,
            created_at: naive(row.created_at),
            parent_id,
            run_id: Some(row.id),
            status: Some(row.status),
            error: row.error.as_ref().and_then(message_of),
            error_kind: row.error.as_ref().and_then(kind_of),
            earlier_runs: Vec::new(),
            brief: None,
            other_names: Box::new(deliberation.format.other_names(deliberation.stage3.as_ref())),
            deliberation: Box::new(deliberation),
        }
    }

    /// A message of the conversation with this tree.
    #[must_use]
    pub fn new(row: rows::Message, tree: &Tree) -> Self {
        let created_at = naive(row.created_at);
        let node = tree.at(row.position);
        let parent_id = node.and_then(|node| tree.parent(node)).map(|parent| parent.id);
        if row.role == "user" {
            let siblings = node.map(|node| tree.siblings(node)).filter(|siblings| siblings.len() > 1);
            let siblings = siblings.unwrap_or_default().iter().map(|sibling| sibling.id).collect();
            let content = row.content.unwrap_or_default();
            let attachments = row.attachments.into_iter().map(AttachedFile::from).collect();
            let project_files = row.project_files.into_iter().map(ReadProjectFile::from).collect();
            return Self::User {
                id: row.id,
                content,
                created_at,
                parent_id,
                siblings,
                attachments,
                project_files,
            };
        }
        let deliberation = row.body.map(deliberation).unwrap_or_default();
        Self::Assistant {
            id: row.id,
            created_at,
            parent_id,
            run_id: row.run_id,
            status: row.run_status.as_deref().and_then(RunStatus::parse),
            error: row.run_error.as_ref().and_then(message_of),
            error_kind: row.run_error.as_ref().and_then(kind_of),
            earlier_runs: row.earlier_runs,
            brief: row.is_brief.then(|| row.content.unwrap_or_default()),
            other_names: Box::new(deliberation.format.other_names(deliberation.stage3.as_ref())),
            deliberation: Box::new(deliberation),
        }
    }
}

/// A stored deliberation. One that a newer version wrote in a way this one cannot read is shown
/// empty and logged, so that the rest of the conversation stays readable.
#[must_use]
pub fn deliberation(body: Value) -> Deliberation {
    serde_json::from_value(body).unwrap_or_else(|error| {
        tracing::error!(%error, "a stored deliberation cannot be read");
        Deliberation::default()
    })
}

/// The sentence in a run's stored error.
#[must_use]
pub fn message_of(error: &Value) -> Option<String> {
    error.get("message").and_then(Value::as_str).map(str::to_owned)
}

/// The word in a run's stored error.
#[must_use]
pub fn kind_of(error: &Value) -> Option<String> {
    error.get("kind").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_naive_with_six_digits() {
        let at: Timestamp = "2025-11-22T23:35:19.1Z".parse().unwrap();
        assert_eq!(naive(at), "2025-11-22T23:35:19.100000");
    }
}
