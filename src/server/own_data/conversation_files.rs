//! The files of one conversation: one to read, one for programs. Both are written message by message.

use std::collections::HashSet;
use std::ops::AddAssign;

use serde::Serialize;

use super::archive::{Archive, ExportError};
use crate::attachments::beginning;
use crate::id::{ConversationId, MessageId};
use crate::server::shape::{ConversationSummary, Message, naive};
use crate::server::{markdown, markdown_branches};
use crate::store::conversations::{self, Conversation, Node, Tree};
use crate::store::{Db, Scope, StoreError};

/// How many messages are read at once: an answer with everything that led to it may have several mebibytes.
const MESSAGES_AT_ONCE: usize = 2;
const MAX_TITLE_CHARS: usize = 60;
/// With the day, the id and the ending it is a name that every system takes, which may have 255 bytes.
const MAX_TITLE_BYTES: usize = 180;

/// A conversation without its messages, which follow in the file.
#[derive(Serialize)]
struct Head {
    #[serde(flatten)]
    summary: ConversationSummary,
    /// When its owner deleted it; it can be brought back until it is purged.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
    /// How many branches it has, and where the one ends that was looked at last.
    branches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch_end: Option<MessageId>,
}

/// How many entries there are of each kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    pub conversations: u64,
    pub messages: u64,
}

impl AddAssign for Written {
    fn add_assign(&mut self, more: Self) {
        self.conversations += more.conversations;
        self.messages += more.messages;
    }
}

/// Writes both files of a conversation; none where it is gone by then.
pub(super) async fn write(
    archive: &mut Archive,
    db: &Db,
    scope: &Scope,
    row: Conversation,
) -> Result<Written, ExportError> {
    let (id, changed_at) = (row.id, row.updated_at);
    let day = naive(row.created_at).chars().take(10).collect::<String>();
    let name = format!("conversations/{day}-{}-{id}", in_a_name(&row.title));
    let deleted_at = row.deleted_at.map(naive);
    let tree = match conversations::tree_of_any(&mut db.begin(scope).await?, id).await {
        // It was purged after its page was read.
        Err(StoreError::NotFound) => return Ok(Written::default()),
        tree => tree?,
    };
    let head = Head {
        summary: row.into(),
        deleted_at,
        branches: tree.ends().count(),
        branch_end: tree.end().map(|end| end.id),
    };
    let reader = Reader { db, scope, conversation: id, tree: &tree };

    archive.begin(&format!("{name}.md"), changed_at)?;
    archive.write(&markdown::heading(&head.summary)).await?;
    if let Some(at) = &head.deleted_at {
        archive.write(&format!("\n_Deleted on {}_\n", markdown::readable(at))).await?;
    }
    write_branches(archive, &reader).await?;

    archive.begin(&format!("{name}.json"), changed_at)?;
    let mut text = serde_json::to_string(&head)?;
    text.truncate(text.trim_end_matches('}').len());
    archive.write(&text).await?;
    archive.write(",\"messages\":[").await?;
    let all: Vec<Node> = tree.all().collect();
    let mut count = 0;
    for some in all.chunks(MESSAGES_AT_ONCE) {
        for message in reader.read(some).await? {
            archive.write(if count == 0 { "\n" } else { ",\n" }).await?;
            archive.write(&serde_json::to_string(&message)?).await?;
            count += 1;
        }
    }
    archive.write("\n]}\n").await?;
    Ok(Written { conversations: 1, messages: count })
}

/// Writes every message to read, branch after branch; what branches share stands in the first of them.
async fn write_branches(archive: &mut Archive, reader: &Reader<'_>) -> Result<(), ExportError> {
    let tree = reader.tree;
    let (count, in_force) = (tree.ends().count(), tree.end());
    let mut written = HashSet::new();
    for (place, end) in tree.ends().enumerate() {
        let way = tree.path(end);
        let (shared, own): (Vec<Node>, Vec<Node>) =
            way.into_iter().partition(|node| written.contains(&node.position));
        written.extend(own.iter().map(|node| node.position));
        if count > 1 {
            let question = shared.last().and_then(|answer| tree.parent(*answer));
            let question = match question {
                Some(node) => reader.read(&[node]).await?.pop(),
                None => None,
            };
            archive
                .write(&markdown_branches::heading((place, count), question.as_ref(), in_force == Some(end)))
                .await?;
        }
        for some in own.chunks(MESSAGES_AT_ONCE) {
            for message in reader.read(some).await? {
                let mut text = String::new();
                markdown::message(&mut text, &message);
                archive.write(&text).await?;
            }
        }
    }
    Ok(())
}

/// Reads messages of one conversation as they are wanted: no transaction is open in between.
struct Reader<'a> {
    db: &'a Db,
    scope: &'a Scope,
    conversation: ConversationId,
    tree: &'a Tree,
}

impl Reader<'_> {
    async fn read(&self, nodes: &[Node]) -> Result<Vec<Message>, ExportError> {
        let mut tx = self.db.begin(self.scope).await?;
        let rows = conversations::messages(&mut tx, self.conversation, nodes).await?;
        Ok(rows.into_iter().map(|row| Message::new(row, self.tree)).collect())
    }
}

/// A title as a part of a file's name that every system takes.
fn in_a_name(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name: String = words.join("-").chars().take(MAX_TITLE_CHARS).collect();
    let (name, _) = beginning(&name, MAX_TITLE_BYTES);
    if name.is_empty() { "untitled".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_leaves_its_place_in_a_name() {
        for (title, name) in [
            ("Why is the sky blue?", "why-is-the-sky-blue"),
            ("../../etc/passwd", "etc-passwd"),
            ("a\\b:c|d\u{202e}e", "a-b-c-d-e"),
            ("Über Öl & Käse", "über-öl-käse"),
            ("…", "untitled"),
            ("", "untitled"),
        ] {
            assert_eq!(in_a_name(title), name);
        }
        assert_eq!(in_a_name(&"x".repeat(500)).len(), MAX_TITLE_CHARS);
        // Letters of four bytes.
        assert_eq!(in_a_name(&"𞤀".repeat(500)).len(), MAX_TITLE_BYTES);
    }
}
