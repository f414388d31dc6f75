//! The branches of a conversation: where a question stands, which branch is read, and which was looked at last.

use actix_web::{put, web};
use serde_json::Value;

use super::app::App;
use super::conversations::{Which, find, named};
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::Conversation;
use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::id::{ConversationId, MessageId};
use crate::identity::Permission;
use crate::store::conversations::{self, Node, Tree};

const PARENT: &str = "parent_message_id";

/// The message that a question goes on from: as its body says, else the end of the branch that was looked at last. None
/// where it begins the conversation.
///
/// # Errors
/// When the body names anything other than an answer of this conversation.
pub(super) fn parent(body: &Value, tree: &Tree) -> Result<Option<Node>, FieldError> {
    let Some(given) = body.get(PARENT) else { return Ok(tree.end()) };
    if given.is_null() {
        return Ok(None);
    }
    let Some(text) = given.as_str() else {
        let message = "must be the id of an answer, or null".to_owned();
        return Err(FieldError { field: PARENT.into(), kind: FieldErrorKind::Type, message });
    };
    let node = text.parse().ok().and_then(|id: MessageId| tree.find(id)).filter(|node| !node.is_question);
    node.map(Some)
        .ok_or_else(|| FieldError::value(PARENT, "must be the id of an answer in this conversation, or null"))
}

/// Which branch to look at.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct BranchChoice {
    /// A message of it. Where the conversation branches after that, it is the branch written last.
    message_id: MessageId,
}

/// Remembers which branch of a conversation is looked at: it is what is shown, exported and gone on from until another one is
/// chosen or asked in. Answers with the conversation on that branch.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), request_body = BranchChoice, responses(
    (status = 200, body = Conversation), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[put("/conversations/{id}/branch")]
pub(super) async fn choose(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<Conversation>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ConversationId = id(&path, "Conversation")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let tree = conversations::tree(&mut tx, id).await.map_err(named)?;
    let mut fields = Fields::of(&body.0)?;
    let message: Option<String> = fields.take("message_id", "the id of a message");
    let message = message.map(|text| text.parse().ok().and_then(|id: MessageId| tree.find(id)));
    match message {
        Some(None) => {
            let rule = "must be the id of a message in this conversation";
            fields.refuse("message_id", FieldErrorKind::Value, rule);
        }
        None if !fields.has("message_id") => {
            fields.refuse("message_id", FieldErrorKind::Missing, "the id of a message is required");
        }
        _ => {}
    }
    fields.finish(|| ())?;
    if let Some(node) = message.flatten() {
        conversations::remember(&mut tx, id, tree.end_through(node)).await.map_err(named)?;
    }
    tx.commit().await?;
    Ok(web::Json(find(&app, &caller, id, Which::InForce).await?))
}
