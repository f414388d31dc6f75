//! How the messages of a conversation hang together. Each goes on from an earlier one, or begins the conversation; where
//! several go on from the same one, it branches. A branch is the way from a beginning to a message that nothing goes on from.
//!
//! A link is the position of the message before (`parent_position`), and always smaller than the message's own: so there are no
//! circles, whatever is stored. A message without a link follows the one written before it.

use std::collections::BTreeMap;

use serde::Deserialize;
use sqlx::types::Json;

use crate::id::{ConversationId, MessageId, ProjectId, RunId, UserId};
use crate::store::{StoreError, Tx};

/// The link of a message that begins its conversation.
pub(crate) const ROOT: i32 = -1;

/// A message's place among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The message.
    pub id: MessageId,
    /// Its place in the order of writing, from 0.
    pub position: i32,
    /// The position of the message that it goes on from; none where it begins the conversation.
    pub parent: Option<i32>,
    /// Whether it is a question; else an answer.
    pub is_question: bool,
}

/// An answer that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Live {
    /// Its place.
    pub message: MessageId,
    /// The run that writes it.
    pub run: RunId,
}

/// All messages of a conversation, without what they say.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: BTreeMap<i32, Node>,
    children: BTreeMap<Option<i32>, Vec<Node>>,
    /// A message of the branch that was looked at last.
    remembered: Option<i32>,
    /// The answer that is being written.
    live: Option<Live>,
    /// The project that the conversation is in.
    project: Option<ProjectId>,
    /// Whether it has a name.
    is_named: bool,
}

/// A query for a user's conversation, as a [`Stored`] tree; nothing where there is none, or it is another user's. Its
/// parameters are the user and the conversation; a condition on the conversation `c` may follow.
macro_rules! stored_tree {
    ($user:literal, $conversation:literal) => {
        concat!(
            "json_build_object(
                 'remembered', c.branch_position,
                 'project', c.project_id,
                 'is_named', NOT c.title_is_default,
                 -- There is one at most (`runs_one_live_per_conversation`).
                 'live', (SELECT json_build_object('message', r.message_id, 'run', r.id) FROM runs r
                          WHERE r.conversation_id = c.id AND r.user_id = c.user_id AND r.status IN ('queued', 'running')),
                 'links', (SELECT coalesce(json_agg(json_build_array(m.id, m.position, m.parent_position, m.role = 'user')
                                                    ORDER BY m.position), '[]')
                           FROM messages m WHERE m.conversation_id = c.id AND m.user_id = c.user_id))
             FROM conversations c WHERE c.user_id = ", $user, " AND c.id = ", $conversation
        )
    };
}
pub(in crate::store) use stored_tree;

/// A conversation as [`stored_tree`] finds it.
#[derive(Deserialize)]
pub(in crate::store) struct Stored {
    remembered: Option<i32>,
    project: Option<ProjectId>,
    is_named: bool,
    live: Option<Live>,
    /// In order of their positions.
    links: Vec<Link>,
}

/// A message as it is stored: as an array in this order, as there are many.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Link {
    id: MessageId,
    position: i32,
    parent_position: Option<i32>,
    is_question: bool,
}

impl From<Stored> for Tree {
    fn from(stored: Stored) -> Self {
        let Stored { remembered, project, is_named, live, links } = stored;
        Self { project, is_named, ..Self::of(links, remembered, live) }
    }
}

impl Tree {
    /// `links` are in order of their positions.
    fn of(links: impl IntoIterator<Item = Link>, remembered: Option<i32>, live: Option<Live>) -> Self {
        let mut tree = Self { remembered, live, ..Self::default() };
        let mut before = None;
        for Link { id, position, parent_position, is_question } in links {
            let parent = match parent_position {
                None => before,
                Some(parent) => tree.nodes.contains_key(&parent).then_some(parent),
            };
            let node = Node { id, position, parent, is_question };
            tree.nodes.insert(position, node);
            tree.children.entry(parent).or_default().push(node);
            before = Some(position);
        }
        tree
    }

    /// Whether nothing was asked yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every message, in the order of writing.
    pub fn all(&self) -> impl Iterator<Item = Node> {
        self.nodes.values().copied()
    }

    /// A message of this conversation.
    #[must_use]
    pub fn find(&self, id: MessageId) -> Option<Node> {
        self.all().find(|node| node.id == id)
    }

    /// The message at this place in the order of writing.
    #[must_use]
    pub fn at(&self, position: i32) -> Option<Node> {
        self.nodes.get(&position).copied()
    }

    /// The message that this one goes on from.
    #[must_use]
    pub fn parent(&self, node: Node) -> Option<Node> {
        node.parent.and_then(|parent| self.at(parent))
    }

    /// What goes on from a message, or begins the conversation, in the order of writing.
    #[must_use]
    pub fn after(&self, parent: Option<Node>) -> &[Node] {
        self.children.get(&parent.map(|parent| parent.position)).map_or(&[], Vec::as_slice)
    }

    /// What goes on from the same message as this one, itself among them, in the order of writing.
    #[must_use]
    pub fn siblings(&self, node: Node) -> &[Node] {
        self.after(self.parent(node))
    }

    /// The message that was written last, on whichever branch.
    #[must_use]
    pub fn newest(&self) -> Option<Node> {
        self.all().last()
    }

    /// The answer that is being written, on whichever branch.
    #[must_use]
    pub fn live(&self) -> Option<Live> {
        self.live
    }

    /// The project that the conversation is in.
    #[must_use]
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }

    /// Whether the conversation has a name, from a person or from an answer.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// The last message of each branch, in the order of writing.
    pub fn ends(&self) -> impl Iterator<Item = Node> {
        self.all().filter(|node| self.after(Some(*node)).is_empty())
    }

    /// The last message of the branch through this one: of what goes on from a message, what was written last.
    #[must_use]
    pub fn end_through(&self, node: Node) -> Node {
        let mut end = node;
        while let Some(next) = self.after(Some(end)).last() {
            end = *next;
        }
        end
    }

    /// The last message of the branch in force, which is the one that was looked at last.
    #[must_use]
    pub fn end(&self) -> Option<Node> {
        let remembered = self.remembered.and_then(|position| self.at(position));
        remembered.or_else(|| self.newest()).map(|node| self.end_through(node))
    }

    /// The messages from the beginning to this one.
    #[must_use]
    pub fn path(&self, end: Node) -> Vec<Node> {
        let mut path: Vec<Node> = std::iter::successors(Some(end), |node| self.parent(*node)).collect();
        path.reverse();
        path
    }

    /// The messages of the branch in force, in order.
    #[must_use]
    pub fn in_force(&self) -> Vec<Node> {
        self.end().map(|end| self.path(end)).unwrap_or_default()
    }
}

/// How the messages of a conversation that is not deleted hang together.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, it is deleted, or it is another user's.
pub async fn tree(tx: &mut Tx, id: ConversationId) -> Result<Tree, StoreError> {
    let user = tx.user()?;
    read(tx, id, &user, false).await
}

/// Like [`tree`], also of a deleted conversation.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it is another user's.
pub async fn tree_of_any(tx: &mut Tx, id: ConversationId) -> Result<Tree, StoreError> {
    let user = tx.user()?;
    read(tx, id, &user, true).await
}

/// How the messages of a conversation hang together that this user has written, where the transaction may read it. Another's
/// runs it may not.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, it is deleted, or cannot be read.
pub(in crate::store) async fn tree_by(
    tx: &mut Tx,
    id: ConversationId,
    user: &UserId,
) -> Result<Tree, StoreError> {
    read(tx, id, user, false).await
}

async fn read(
    tx: &mut Tx,
    id: ConversationId,
    user: &UserId,
    also_deleted: bool,
) -> Result<Tree, StoreError> {
    let stored: Option<Json<Stored>> =
        sqlx::query_scalar(concat!("SELECT ", stored_tree!("$1", "$2"), " AND ($3 OR c.deleted_at IS NULL)"))
            .bind(user.as_str())
            .bind(id.0)
            .bind(also_deleted)
            .fetch_optional(&mut **tx)
            .await?;
    stored.map(|stored| stored.0.into()).ok_or(StoreError::NotFound)
}

/// Remembers the branch that this message ends as the one that was looked at last. Looking changes nothing, so the
/// conversation stays as old as it was.
///
/// # Errors
/// [`StoreError::NotFound`] as in [`tree`].
pub async fn remember(tx: &mut Tx, id: ConversationId, end: Node) -> Result<(), StoreError> {
    let user = tx.user()?;
    let done = sqlx::query(
        "UPDATE conversations SET branch_position = $3 WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL",
    )
    .bind(id.0)
    .bind(user.as_str())
    .bind(end.position)
    .execute(&mut **tx)
    .await?;
    super::one_row(done.rows_affected())
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
