//! Conversations and runs as resources, read as Markdown: the same text as an export.

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

use super::asker::Asker;
use super::{refusal, waiting};
use crate::id::RunId;
use crate::identity::Permission;
use crate::server::conversations::{self, Which};
use crate::server::markdown;
use crate::server::problem::Problem;
use crate::server::shape::Message;
use crate::store::conversations::{self as stored, Filter};

const CONVERSATIONS: &str = "council://conversations/";
const RUNS: &str = "council://runs/";
const MARKDOWN: &str = "text/markdown";
const PAGE: u32 = 50;

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{CONVERSATIONS}{{conversation_id}}"), "conversation")
            .with_title("Conversation")
            .with_description("A conversation with the council, with every answer and review")
            .with_mime_type(MARKDOWN),
        ResourceTemplate::new(format!("{RUNS}{{run_id}}"), "run")
            .with_title("Run")
            .with_description("One question and what the council made of it")
            .with_mime_type(MARKDOWN),
    ]
}

/// The caller's conversations, newest first.
pub(super) async fn list(asker: &Asker, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let offset = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("the cursor is not one of this server's", None))?,
    };
    page(asker, offset).await.map_err(|problem| refusal::error(&problem))
}

async fn page(asker: &Asker, offset: u32) -> Result<ListResourcesResult, Problem> {
    asker.caller.may(Permission::Read)?;
    let filter = Filter { tag: None, archived: Some(false), ..Filter::default() };
    let mut tx = asker.app.db.begin(&asker.caller.scope()).await?;
    let page = stored::list(&mut tx, &filter, PAGE, offset).await?;
    let resources = page.conversations.iter().map(|row| {
        Resource::new(format!("{CONVERSATIONS}{}", row.id), row.title.clone())
            .with_title(row.title.clone())
            .with_description(format!("{} messages, last changed {}", row.message_count, row.updated_at))
            .with_mime_type(MARKDOWN)
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    let end = offset.saturating_add(PAGE);
    result.next_cursor = (i64::from(end) < page.total).then(|| end.to_string());
    Ok(result)
}

/// The text of a resource. Revisions before 2026-07-28 have a code of their own for one that is not there.
pub(super) async fn read(asker: &Asker, uri: &str, is_older: bool) -> Result<ReadResourceResult, ErrorData> {
    let found = match (uri.strip_prefix(CONVERSATIONS), uri.strip_prefix(RUNS)) {
        (Some(id), _) => conversation(asker, id).await,
        (_, Some(id)) => run(asker, id).await,
        (None, None) => Ok(None),
    };
    let text = found.map_err(|problem| refusal::error(&problem))?;
    let Some(text) = text else {
        let code = if is_older { ErrorCode::RESOURCE_NOT_FOUND } else { ErrorCode::INVALID_PARAMS };
        let message = "there is no such resource; resources/list has those that are there";
        return Err(ErrorData::new(code, message, Some(serde_json::json!({"uri": uri}))));
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn conversation(asker: &Asker, id: &str) -> Result<Option<String>, Problem> {
    asker.caller.may(Permission::Read)?;
    let Ok(id) = id.parse() else { return Ok(None) };
    let found = there(conversations::find(&asker.app, &asker.caller, id, Which::InForce).await)?;
    Ok(found.map(|conversation| markdown::conversation(&conversation)))
}

/// The run's question and answer, as its conversation has them.
async fn run(asker: &Asker, id: &str) -> Result<Option<String>, Problem> {
    asker.caller.may(Permission::Read)?;
    let Ok(id) = id.parse::<RunId>() else { return Ok(None) };
    let Some(row) = there(waiting::find(asker, id).await)? else { return Ok(None) };
    let which = Which::UpTo(row.message);
    let found = conversations::find(&asker.app, &asker.caller, row.conversation, which).await;
    let Some(mut found) = there(found)? else { return Ok(None) };
    // The answer, which may show a later run, and before it the question.
    found.messages.pop();
    let question = found.messages.pop();
    let parent = question.as_ref().map(Message::id);
    found.messages = question.into_iter().chain([Message::of_run(row, parent)]).collect();
    Ok(Some(markdown::conversation(&found)))
}

/// `None` where it is not there or not theirs.
fn there<T>(found: Result<T, Problem>) -> Result<Option<T>, Problem> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.is_not_found() => Ok(None),
        Err(problem) => Err(problem),
    }
}
