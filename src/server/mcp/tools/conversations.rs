//! `list_conversations`, `read_conversation`.

use serde_json::{Value, json};

use super::offer::{Effect, Offer, schema};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::ConversationId;
use crate::identity::Permission;
use crate::server::conversations::{self, Which};
use crate::server::markdown;
use crate::server::mcp::asker::Asker;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::problem::Problem;
use crate::server::shape::{ConversationSummary, Message, naive};
use crate::store::conversations::{self as stored, Filter};

pub(super) const LIST: &str = "list_conversations";
pub(super) const READ: &str = "read_conversation";

/// How many are listed by default, and at most.
const USUAL: u8 = 20;
const MOST: u8 = 100;
/// How many questions with their answers are read by default.
const USUAL_TURNS: u8 = 10;
const MAX_QUERY_CHARS: usize = 500;

pub(super) fn offer_list() -> Offer {
    let conversation = schema(
        json!({
            "conversation_id": {"type": "string"},
            "title": {"type": "string"},
            "updated_at": {"type": "string", "description": "UTC."},
            "tags": {"type": "array", "items": {"type": "string"}},
            "message_count": {"type": "integer"},
            "running": {"type": "boolean", "description": "Whether a run is under way in it."},
            "snippet": {"type": "string", "description": "The words around what was searched for."}
        }),
        &["conversation_id", "title", "updated_at"],
    );
    Offer {
        name: LIST,
        title: "List conversations",
        description: "The person's conversations with the council, newest first; with `query` those whose titles, questions or \
                      answers have these words.",
        effect: Effect::Reads,
        input: schema(
            json!({
                "query": {"type": "string", "maxLength": MAX_QUERY_CHARS, "description": "Words to look for."},
                "tag": {"type": "string", "description": "Only those with this tag; not together with query."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many to skip; not together with query."}
            }),
            &[],
        ),
        output: schema(
            json!({
                "conversations": {"type": "array", "items": conversation},
                "total": {"type": "integer", "description": "How many there are in all; absent for a search."},
                "next_offset": {"type": "integer", "description": "Where the rest begins, if there is more."}
            }),
            &["conversations"],
        ),
    }
}

pub(super) fn offer_read() -> Offer {
    let message = schema(
        json!({
            "role": {"type": "string", "enum": ["user", "assistant"]},
            "content": {"type": "string", "description": "The question, or the council's final answer."},
            "created_at": {"type": "string", "description": "UTC."},
            "run_id": {"type": "string"},
            "status": {"type": "string"},
            "error": {"type": "string"}
        }),
        &["role", "created_at"],
    );
    Offer {
        name: READ,
        title: "Read a conversation",
        description: "A conversation's questions and final answers; with `detail` \"full\" the text has everything: each member's \
                      answer, the reviews, the ranking, the rounds of a debate. That is long.",
        effect: Effect::Reads,
        input: schema(
            json!({
                "conversation_id": {"type": "string"},
                "detail": {"type": "string", "enum": ["answers", "full"], "default": "answers"},
                "turns": {
                    "type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL_TURNS,
                    "description": "How many questions with their answers, the latest ones."
                }
            }),
            &["conversation_id"],
        ),
        output: schema(
            json!({
                "conversation_id": {"type": "string"},
                "title": {"type": "string"},
                "messages": {"type": "array", "items": message},
                "left_out": {"type": "integer", "description": "How many earlier messages are not shown."}
            }),
            &["conversation_id", "title", "messages", "left_out"],
        ),
    }
}

pub(super) async fn list(asker: &Asker, arguments: &Value) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Read)?;
    let mut fields = Fields::of(arguments)?;
    let limit = u32::from(fields.take_in("limit", 1..=MOST).unwrap_or(USUAL));
    let offset: u32 = fields.take("offset", "a whole number from 0").unwrap_or(0);
    let tag: Option<String> = fields.take("tag", "a text");
    let query: Option<String> = fields.take("query", "a text");
    let query = query.map(|query| query.trim().to_owned()).filter(|query| !query.is_empty());
    for (name, text) in [("tag", &tag), ("query", &query)] {
        if text.as_ref().is_some_and(|text| text.contains('\0') || text.chars().count() > MAX_QUERY_CHARS) {
            let rule = format!("must be at most {MAX_QUERY_CHARS} characters, without U+0000");
            fields.refuse(name, FieldErrorKind::Value, rule);
        }
    }
    if query.is_some() && (tag.is_some() || offset > 0) {
        fields.refuse("query", FieldErrorKind::Value, "stands alone, without tag and offset");
    }
    fields.finish(|| ())?;
    match query {
        Some(words) => search(asker, &words, limit).await,
        None => page(asker, tag, limit, offset).await,
    }
}

async fn page(asker: &Asker, tag: Option<String>, limit: u32, offset: u32) -> Result<ToolAnswer, Problem> {
    let tag = tag.map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    let filter = Filter { tag: tag.as_deref(), archived: Some(false), ..Filter::default() };
    let mut tx = asker.app.db.begin(&asker.caller.scope()).await?;
    let page = stored::list(&mut tx, &filter, limit, offset).await?;
    drop(tx);
    let total = page.total;
    let rows: Vec<ConversationSummary> = page.conversations.into_iter().map(Into::into).collect();
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| format!("- {} ({}, {} messages)", row.title, row.id, row.message_count))
        .collect();
    let conversations: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "conversation_id": row.id, "title": row.title, "updated_at": row.updated_at, "tags": row.tags,
                "message_count": row.message_count, "running": row.running
            })
        })
        .collect();
    let mut structured = json!({"conversations": conversations, "total": total});
    let end = offset.saturating_add(limit);
    if i64::from(end) < total {
        structured["next_offset"] = json!(end);
        lines.push(format!("There are {total}; the rest begins at offset {end}."));
    } else if lines.is_empty() {
        lines.push("There are no conversations.".to_owned());
    }
    Ok(ToolAnswer { text: lines.join("\n"), structured })
}

async fn search(asker: &Asker, words: &str, limit: u32) -> Result<ToolAnswer, Problem> {
    let mut tx = asker.app.db.begin(&asker.caller.scope()).await?;
    let hits = stored::search(&mut tx, words, limit, 0).await?.hits;
    drop(tx);
    let mut lines: Vec<String> = hits
        .iter()
        .map(|hit| format!("- {} ({}): {}", hit.title, hit.conversation_id, hit.snippet.replace('\n', " ")))
        .collect();
    if lines.is_empty() {
        lines.push("Nothing was found.".to_owned());
    }
    let conversations: Vec<Value> = hits
        .iter()
        .map(|hit| {
            json!({
                "conversation_id": hit.conversation_id, "title": hit.title, "updated_at": naive(hit.created_at),
                "snippet": hit.snippet
            })
        })
        .collect();
    Ok(ToolAnswer { text: lines.join("\n"), structured: json!({"conversations": conversations}) })
}

pub(super) async fn read(asker: &Asker, arguments: &Value) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Read)?;
    let mut fields = Fields::of(arguments)?;
    let id: Option<String> = fields.take("conversation_id", "the id of a conversation");
    let detail: Option<String> = fields.take("detail", "answers or full");
    let turns = usize::from(fields.take_in("turns", 1..=MOST).unwrap_or(USUAL_TURNS));
    if !fields.has("conversation_id") {
        let message = "is required; list_conversations says which there are";
        fields.refuse("conversation_id", FieldErrorKind::Missing, message);
    }
    if detail.as_ref().is_some_and(|detail| !matches!(detail.as_str(), "answers" | "full")) {
        fields.refuse("detail", FieldErrorKind::Value, "must be answers or full");
    }
    fields.finish(|| ())?;
    let id: Option<ConversationId> = id.and_then(|id| id.parse().ok());
    let id = id.ok_or_else(|| Problem::not_found("Conversation"))?;
    let mut conversation = conversations::find(&asker.app, &asker.caller, id, Which::InForce).await?;
    // A question and its answer are two messages.
    let left_out = conversation.messages.len().saturating_sub(turns * 2);
    conversation.messages.drain(..left_out);
    let messages: Vec<Value> = conversation.messages.iter().map(message).collect();
    let title = conversation.summary.title.clone();
    let text = if detail.as_deref() == Some("full") {
        markdown::conversation(&conversation)
    } else {
        let texts = messages.iter().map(|message| {
            let text = |name: &str| message[name].as_str();
            let who = if text("role") == Some("user") { "Question" } else { "Answer of the council" };
            let state =
                || format!("_No answer: {}_", text("error").or(text("status")).unwrap_or("not there"));
            format!("## {who}\n\n{}", text("content").map_or_else(state, str::to_owned))
        });
        format!("# {title}\n\n{}", texts.collect::<Vec<_>>().join("\n\n"))
    };
    let structured =
        json!({"conversation_id": id, "title": title, "messages": messages, "left_out": left_out});
    Ok(ToolAnswer { text, structured })
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { content, created_at, .. } => {
            json!({"role": "user", "content": content, "created_at": created_at})
        }
        Message::Assistant { created_at, run_id, status, error, deliberation, .. } => {
            let mut view = json!({"role": "assistant", "created_at": created_at});
            for (name, value) in [
                ("content", json!(deliberation.answer_text())),
                ("run_id", json!(run_id)),
                ("status", json!(status)),
                ("error", json!(error)),
            ] {
                if !value.is_null() {
                    view[name] = value;
                }
            }
            view
        }
    }
}
