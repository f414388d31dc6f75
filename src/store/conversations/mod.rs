//! Conversations and their messages: the user's own, always.
//!
//! Every function filters by the transaction's user, and row level security does so again.

mod changes;
mod ends;
mod search;
pub(super) mod tree;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::id::{ConversationId, FolderId, MessageId, ProjectId, RunId, UserId};

use super::attachments::{self, Attached};
use super::project_files::{self, ReadFile};
use super::{StoreError, Tx, refuse_nul, time, time_or_null};

pub(super) use tree::ROOT;

pub use changes::{own_title, rename, set_archived, set_pinned, set_project, set_tags};
pub use ends::{
    PURGE_AFTER_DAYS, PurgeState, delete, make_due, purge_deleted, purge_expired, purge_one, restore,
};
pub use search::{Found, Hit, search};
pub(super) use tree::tree_by;
pub use tree::{Live, Node, Tree, remember, tree, tree_of_any};

/// A conversation without its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// What it is called.
    pub title: String,
    /// Whether nobody, person or model, has named it yet.
    pub title_is_default: bool,
    /// Lower-case words of the user's.
    pub tags: Vec<String>,
    /// Archived by the user.
    pub archived: bool,
    /// Pinned to the top of the list by the user.
    pub pinned: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When something was last asked in it, also anew; when it was made where nothing was.
    pub asked_at: Timestamp,
    /// When it was deleted; it can be restored until it is purged.
    pub deleted_at: Option<Timestamp>,
    /// Questions and answers, counted each, on all branches.
    pub message_count: i64,
    /// Whether a run of it is queued or running.
    pub running: bool,
    /// By which API a program began it; nothing where it was begun here.
    pub origin: Option<String>,
    /// When it is deleted because nothing happens in it, where that is soon.
    pub expires_at: Option<Timestamp>,
    /// The project that it is in.
    pub project: Option<ProjectId>,
    /// The folder of its owner's that it is in.
    pub folder: Option<FolderId>,
}

/// A question or an answer, with what its run says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Its place in the order of writing, from 0.
    pub position: i32,
    /// `user` or `assistant`.
    pub role: String,
    /// The question, or the final answer's text.
    pub content: Option<String>,
    /// The answer with its stages and metadata.
    pub body: Option<Value>,
    /// Whether that was not read, though it may be there: of this answer only its text was wanted.
    pub is_brief: bool,
    /// The run that makes or made it.
    pub run_id: Option<RunId>,
    /// The run's status.
    pub run_status: Option<String>,
    /// Why the run failed.
    pub run_error: Option<Value>,
    /// The runs whose answers it showed before, oldest first.
    pub earlier_runs: Vec<RunId>,
    /// When it was written.
    pub created_at: Timestamp,
    /// The files that it came with.
    pub attachments: Vec<Attached>,
    /// The files of its project that it was read with.
    pub project_files: Vec<ReadFile>,
}

/// In which order conversations are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The newest first.
    #[default]
    Created,
    /// The one that was asked in last first.
    Asked,
}

/// Which conversations a list shows by the folder that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFolder {
    /// Only those in this one.
    This(FolderId),
    /// Only those in none.
    None,
}

/// Which conversations a list shows, and in which order.
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    /// Only with this tag.
    pub tag: Option<&'a str>,
    /// Only archived ones, or only the others; `None`: both.
    pub archived: Option<bool>,
    /// Only pinned ones.
    pub pinned: bool,
    /// Only those in this project.
    pub project: Option<ProjectId>,
    /// Only those in this folder, or in none; `None`: whichever folder they are in.
    pub folder: Option<InFolder>,
    /// The deleted ones instead of the others.
    pub deleted: bool,
    /// What comes first.
    pub order: Order,
}

/// One page of a list and the length of the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The conversations, in the filter's order.
    pub conversations: Vec<Conversation>,
    /// How many the filter lets through in all.
    pub total: i64,
}

/// When something was last asked in the conversation under the name `c`.
macro_rules! asked_at {
    () => {
        "coalesce((SELECT max(r.created_at) FROM runs r WHERE r.conversation_id = c.id), c.created_at)"
    };
}

/// The columns of a [`Conversation`], of the table under the name `c`. A week before it expires it says so (see
/// [`NOTICE_DAYS`](super::retention::NOTICE_DAYS)); a deleted one goes after [`PURGE_AFTER_DAYS`] at the latest.
macro_rules! columns {
    () => {
        concat!("c.id, c.title, c.title_is_default, c.tags, c.archived, c.pinned, c.created_at, c.updated_at, c.deleted_at,
         c.origin, c.project_id, c.folder_id, ", asked_at!(), " AS asked_at,
         (SELECT least(greatest(c.updated_at + make_interval(days => days), since + interval '7 days'),
                       c.deleted_at + interval '30 days')
          FROM (SELECT r.days, greatest(r.since, c.moved_at) AS since FROM retention r WHERE c.project_id IS NULL
                UNION ALL
                SELECT * FROM rule_in_project(c.project_id, c.moved_at) WHERE c.project_id IS NOT NULL) rule
          WHERE days > 0 AND c.updated_at < now() - make_interval(days => days - 7)
            AND NOT EXISTS (SELECT FROM legal_holds h WHERE h.user_id = c.user_id)) AS expires_at,
         (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS message_count,
         EXISTS (SELECT FROM runs r WHERE r.conversation_id = c.id AND r.status IN ('queued', 'running')) AS running")
    };
}

fn conversation(row: &PgRow) -> Result<Conversation, sqlx::Error> {
    Ok(Conversation {
        id: ConversationId(row.try_get("id")?),
        title: row.try_get("title")?,
        title_is_default: row.try_get("title_is_default")?,
        tags: row.try_get("tags")?,
        archived: row.try_get("archived")?,
        pinned: row.try_get("pinned")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        asked_at: time(row, "asked_at")?,
        deleted_at: time_or_null(row, "deleted_at")?,
        message_count: row.try_get("message_count")?,
        running: row.try_get("running")?,
        origin: row.try_get("origin")?,
        expires_at: time_or_null(row, "expires_at")?,
        project: row.try_get::<Option<Uuid>, _>("project_id")?.map(ProjectId),
        folder: row.try_get::<Option<Uuid>, _>("folder_id")?.map(FolderId),
    })
}

/// A new, empty conversation of the transaction's user, in a project that was opened and in which they may write, if any.
pub async fn create(tx: &mut Tx, project: Option<ProjectId>) -> Result<Conversation, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(
        "INSERT INTO conversations (id, user_id, project_id) VALUES ($1, $2, $3)
         RETURNING id, title, title_is_default, tags, archived, pinned, created_at, updated_at, deleted_at,
                   created_at AS asked_at, origin, project_id, folder_id, 0::bigint AS message_count, false AS running,
                   NULL::timestamptz AS expires_at",
    )
    .bind(ConversationId::generate().0)
    .bind(user.as_str())
    .bind(project.map(|id| id.0))
    .fetch_one(&mut **tx)
    .await?;
    Ok(conversation(&row)?)
}

/// One page, in the filter's order, and the length of the whole list, in one query.
pub async fn list(tx: &mut Tx, filter: &Filter<'_>, limit: u32, offset: u32) -> Result<Page, StoreError> {
    let user = tx.user()?;
    let folder = match filter.folder {
        Some(InFolder::This(id)) => Some(id.0),
        Some(InFolder::None) | None => None,
    };
    refuse_nul("the tag", filter.tag.unwrap_or_default())?;
    // The page is cut before messages are counted, and the total is returned even when the page is empty.
    let rows = sqlx::query(concat!(
        "WITH shown AS MATERIALIZED (
             SELECT id, CASE WHEN $8 THEN ",
        asked_at!(),
        " ELSE created_at END AS at FROM conversations c
             WHERE user_id = $1 AND (deleted_at IS NOT NULL) = $2
               AND ($3::boolean IS NULL OR archived = $3) AND ($4::text IS NULL OR $4 = ANY (tags))
               AND (NOT $7 OR pinned) AND ($9::uuid IS NULL OR project_id = $9)
               AND ($10::uuid IS NULL OR folder_id = $10) AND (NOT $11 OR folder_id IS NULL)
         ), page AS (
             SELECT id, at FROM shown ORDER BY at DESC, id LIMIT $5 OFFSET $6
         )
         SELECT total.n AS total, ",
        columns!(),
        " FROM (SELECT count(*) AS n FROM shown) total
         LEFT JOIN (page JOIN conversations c USING (id)) ON true
         ORDER BY page.at DESC, c.id"
    ))
    .bind(user.as_str())
    .bind(filter.deleted)
    .bind(filter.archived)
    .bind(filter.tag)
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .bind(filter.pinned)
    .bind(filter.order == Order::Asked)
    .bind(filter.project.map(|id| id.0))
    .bind(folder)
    .bind(filter.folder == Some(InFolder::None))
    .fetch_all(&mut **tx)
    .await?;
    let total = rows.first().map_or(Ok(0), |row| row.try_get("total"))?;
    let mut conversations = Vec::with_capacity(rows.len());
    for row in &rows {
        if row.try_get::<Option<Uuid>, _>("id")?.is_some() {
            conversations.push(conversation(row)?);
        }
    }
    Ok(Page { conversations, total })
}

/// The messages at these places of a conversation, in the order of writing.
pub async fn messages(tx: &mut Tx, id: ConversationId, of: &[Node]) -> Result<Vec<Message>, StoreError> {
    messages_whole_from(tx, id, of, 0).await
}

/// Like [`messages`], but before this position only the text of an answer is read: how it came about is most of what is
/// stored.
pub async fn messages_whole_from(
    tx: &mut Tx,
    id: ConversationId,
    of: &[Node],
    whole_from: i32,
) -> Result<Vec<Message>, StoreError> {
    let user = tx.user()?;
    messages_by(tx, id, &user, of, whole_from).await
}

/// Like [`messages_whole_from`], of a conversation that this user has written and that the transaction may read. It may
/// not read another user's runs.
pub(super) async fn messages_by(
    tx: &mut Tx,
    id: ConversationId,
    user: &UserId,
    of: &[Node],
    whole_from: i32,
) -> Result<Vec<Message>, StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT m.id, m.position, m.role, m.content, m.run_id, m.created_at, m.project_files,
                CASE WHEN m.position >= $4 THEN m.body END AS body,
                (m.position < $4 AND m.role = 'assistant') AS is_brief,
                r.status AS run_status, r.error AS run_error,
                ARRAY(SELECT v.run_id FROM message_versions v WHERE v.message_id = m.id AND v.user_id = m.user_id
                      ORDER BY v.replaced_at) AS earlier_runs, ",
        attachments::of_message!(),
        " FROM messages m LEFT JOIN runs r ON r.id = m.run_id AND r.user_id = m.user_id
         WHERE m.conversation_id = $1 AND m.user_id = $2 AND m.position = ANY ($3)
         ORDER BY m.position"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .bind(positions(of))
    .bind(whole_from)
    .fetch_all(&mut **tx)
    .await?;
    let message = |row: &PgRow| -> Result<Message, sqlx::Error> {
        Ok(Message {
            id: MessageId(row.try_get("id")?),
            position: row.try_get("position")?,
            role: row.try_get("role")?,
            content: row.try_get("content")?,
            body: row.try_get("body")?,
            is_brief: row.try_get("is_brief")?,
            run_id: row.try_get::<Option<Uuid>, _>("run_id")?.map(RunId),
            run_status: row.try_get("run_status")?,
            run_error: row.try_get("run_error")?,
            earlier_runs: row.try_get::<Vec<Uuid>, _>("earlier_runs")?.into_iter().map(RunId).collect(),
            created_at: time(row, "created_at")?,
            attachments: attachments::of_row(row)?,
            project_files: project_files::of_row(row)?,
        })
    };
    Ok(rows.iter().map(message).collect::<Result<_, _>>()?)
}

/// The user's conversations, deleted ones among them, in the order of their ids from after one on; `limit` at most.
pub async fn after(
    tx: &mut Tx,
    last: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM conversations c WHERE c.user_id = $1 AND ($2::uuid IS NULL OR c.id > $2) ORDER BY c.id LIMIT $3"
    ))
    .bind(user.as_str())
    .bind(last.map(|id| id.0))
    .bind(limit)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(conversation).collect::<Result<_, _>>()?)
}

/// A message as later questions include it in their history.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub role: String,
    /// The question, or the final answer where there is one.
    pub content: Option<String>,
    /// Of an answer: what was added to its question, as a JSON list.
    pub corrections: Option<Value>,
}

/// The texts of the messages at these places of a conversation, in the order of writing.
pub async fn texts(tx: &mut Tx, id: ConversationId, of: &[Node]) -> Result<Vec<Text>, StoreError> {
    let user = tx.user()?;
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "SELECT m.role,
                -- Asked for again in vain: what it showed before is what was talked about.
                coalesce(m.content, (SELECT v.content FROM message_versions v
                                     WHERE v.message_id = m.id AND v.user_id = m.user_id AND v.content IS NOT NULL
                                     ORDER BY v.replaced_at DESC LIMIT 1)) AS content,
                m.corrections
         FROM messages m WHERE m.conversation_id = $1 AND m.user_id = $2 AND m.position = ANY ($3)
         ORDER BY m.position",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(positions(of))
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(text).collect::<Result<_, _>>()?)
}

fn text(row: &PgRow) -> Result<Text, sqlx::Error> {
    Ok(Text {
        role: row.try_get("role")?,
        content: row.try_get("content")?,
        corrections: row.try_get("corrections")?,
    })
}

/// What one seat itself answered to a question, next to what the conversation has of it.
#[derive(Debug, Clone)]
pub struct SeatMessage {
    pub role: String,
    /// The question, or the final answer where there is one.
    pub content: Option<String>,
    /// Of an answer: what was added to its question, as a JSON list.
    pub corrections: Option<Value>,
    /// The seat's own answer, where it gave one.
    pub own: Option<String>,
    /// The model that gave it.
    pub model: Option<String>,
    /// What the seat was called, where that is not its model's name.
    pub alias: Option<String>,
}

/// The messages at these places of a conversation, in the order of writing, with what the seat of this name answered
/// itself: in a debate its last answer.
pub async fn seat_messages(
    tx: &mut Tx,
    id: ConversationId,
    of: &[Node],
    member: &str,
) -> Result<Vec<SeatMessage>, StoreError> {
    let user = tx.user()?;
    let rows = sqlx::query(
        "SELECT m.role, coalesce(m.content, before.content) AS content, m.corrections,
                coalesce(own.said->>'response', own.said->>'revised_answer', own.said->>'text') AS own,
                own.said->>'model' AS model, own.said->>'alias' AS alias
         FROM messages m
         -- Asked for again in vain: as in `texts`.
         LEFT JOIN LATERAL (
             SELECT v.content, v.body FROM message_versions v
             WHERE v.message_id = m.id AND v.user_id = m.user_id AND v.content IS NOT NULL
             ORDER BY v.replaced_at DESC LIMIT 1
         ) before ON m.content IS NULL
         LEFT JOIN LATERAL (
             SELECT one.said
             FROM unnest(ARRAY['$.stage1[*] ? (@.member == $name)',
                               -- In a round without critiques a speaker gives its answer as it stands then.
                               '$.rounds[*] ? (@.round_type != \"critique\").responses[*] ? (@.member == $name)']::jsonpath[])
                      WITH ORDINALITY AS paths(path, rank),
                  jsonb_path_query(CASE WHEN m.content IS NULL THEN before.body ELSE m.body END, path,
                                   jsonb_build_object('name', $4::text))
                      WITH ORDINALITY AS one(said, place)
             WHERE one.said->>'error' IS NULL
             ORDER BY rank DESC, one.place DESC LIMIT 1
         ) own ON m.role = 'assistant' AND coalesce(m.content, before.content) IS NOT NULL
         WHERE m.conversation_id = $1 AND m.user_id = $2 AND m.position = ANY ($3)
         ORDER BY m.position",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(positions(of))
    .bind(member)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.iter().map(seat_message).collect::<Result<_, _>>()?)
}

fn seat_message(row: &PgRow) -> Result<SeatMessage, sqlx::Error> {
    Ok(SeatMessage {
        role: row.try_get("role")?,
        content: row.try_get("content")?,
        corrections: row.try_get("corrections")?,
        own: row.try_get("own")?,
        model: row.try_get("model")?,
        alias: row.try_get("alias")?,
    })
}

fn positions(nodes: &[Node]) -> Vec<i32> {
    nodes.iter().map(|node| node.position).collect()
}

/// The user's conversations that this API has begun, are not deleted, and in which the question with this digest was
/// asked last, newest first; a few at most.
pub async fn asked_last(
    tx: &mut Tx,
    origin: &str,
    question: &[u8],
) -> Result<Vec<ConversationId>, StoreError> {
    let user = tx.user()?;
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM conversations
         WHERE user_id = $1 AND last_question = $2 AND origin = $3 AND deleted_at IS NULL
         ORDER BY updated_at DESC LIMIT 5",
    )
    .bind(user.as_str())
    .bind(question)
    .bind(origin)
    .fetch_all(&mut **tx)
    .await?;
    Ok(ids.into_iter().map(ConversationId).collect())
}

/// A conversation that is not deleted, without its messages.
pub async fn head(tx: &mut Tx, id: ConversationId) -> Result<Conversation, StoreError> {
    let user = tx.user()?;
    let row = sqlx::query(concat!(
        "SELECT ",
        columns!(),
        " FROM conversations c WHERE c.id = $1 AND c.user_id = $2 AND c.deleted_at IS NULL"
    ))
    .bind(id.0)
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    Ok(conversation(&row)?)
}

/// Keeps a conversation of the user's from being deleted until the transaction's end.
///
/// # Errors
/// [`StoreError::NotFound`] when it is deleted already, there is none, or it is another user's.
pub async fn hold(tx: &mut Tx, id: ConversationId) -> Result<(), StoreError> {
    let user = tx.user()?;
    sqlx::query(
        "SELECT id FROM conversations WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL FOR SHARE",
    )
    .bind(id.0)
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// A page of the tags on the user's conversations that are not deleted, in alphabetical order, each once; and how many there are in
/// all.
pub async fn tags_of_user(tx: &mut Tx, limit: u32, offset: u32) -> Result<(Vec<String>, u64), StoreError> {
    let user = tx.user()?;
    let tags: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT tag FROM conversations, unnest(tags) AS tag
         WHERE user_id = $1 AND deleted_at IS NULL ORDER BY tag LIMIT $2 OFFSET $3",
    )
    .bind(user.as_str())
    .bind(i64::from(limit))
    .bind(i64::from(offset))
    .fetch_all(&mut **tx)
    .await?;
    let count: i64 = sqlx::query_scalar(
        "SELECT count(DISTINCT tag) FROM conversations, unnest(tags) AS tag
         WHERE user_id = $1 AND deleted_at IS NULL",
    )
    .bind(user.as_str())
    .fetch_one(&mut **tx)
    .await?;
    Ok((tags, count.unsigned_abs()))
}

fn one_row(affected: u64) -> Result<(), StoreError> {
    if affected == 1 { Ok(()) } else { Err(StoreError::NotFound) }
}
