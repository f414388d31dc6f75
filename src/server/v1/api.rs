//! What differs between the two APIs, for the path that their requests share ([`ask`](super::ask)).

use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;

use super::files::{Coming, SaidFile};
use super::refusal::Refusal;
use super::request::Wanted;
use crate::council::prompts::history::Turn;
use crate::council::settings::Member;
use crate::id::{ConversationId, MessageId};
use crate::runs::Asked;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::single_calls::Name;

/// The API's names for the fields of a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub question: &'static str,
    pub instructions: &'static str,
    /// The form of the answer.
    pub form: &'static str,
    /// What switches web search on.
    pub search: &'static str,
}

/// The caller, and how they identified themselves.
#[derive(Clone, Copy)]
pub(super) struct From<'f> {
    pub app: &'f App,
    pub caller: &'f Caller,
    pub request: &'f HttpRequest,
}

/// Where a question goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct GoesOn {
    pub conversation: ConversationId,
    /// The answer that it follows.
    pub after: MessageId,
}

/// The place of a question.
pub(super) struct Place {
    /// The conversation and message that it follows; `None` begins a new conversation.
    pub goes_on: Option<GoesOn>,
    /// The history that the models see.
    pub history: Vec<Turn>,
    /// The files that came with the question before, where the request does not repeat it.
    pub files: Vec<SaidFile>,
}

/// A request of one of the two APIs.
pub(super) trait Api: Sized {
    /// The mark on conversations that are begun by it.
    const ORIGIN: &'static str;
    const PATH: &'static str;
    const NAMES: Names;
    /// Whether a later list of messages is to find this conversation.
    const IS_FOUND_BY_QUESTION: bool;

    /// Puts into a body what it only names.
    ///
    /// # Errors
    /// Every name that stands for nothing of the caller's.
    async fn fill_in(from: From<'_>, body: &mut Value) -> Result<(), Refusal>;
    /// Reads a body; `coming` are the files that came as data within it.
    ///
    /// # Errors
    /// Everything that is wrong with it, or cannot be done.
    fn read(body: &Value, coming: &Coming) -> Result<Self, Refusal>;
    fn wanted(&self) -> &Wanted;
    /// The names of parameters that are ignored.
    fn ignored(&self) -> &[String];
    /// What of the request its answer repeats.
    fn kept(&self) -> Value;
    async fn place(&self, from: From<'_>) -> Result<Place, Refusal>;
    /// Answers with one call, or joins that of the same request.
    async fn answer_directly(
        &self,
        from: From<'_>,
        whom: Whom<'_>,
        name: Name,
    ) -> Result<HttpResponse, Refusal>;
    /// Answers with what comes of a run.
    async fn answer(&self, from: From<'_>, asked: Asked) -> Result<HttpResponse, Refusal>;
}

/// Whom to ask instead of a council.
pub(super) enum Whom<'w> {
    /// The utility model, for a chore.
    Utility,
    Seat(&'w Member),
}
