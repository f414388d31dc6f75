//! What differs between the two APIs, for the path that their requests share ([`ask`](super::ask)).

use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;

use super::files::{InlineFiles, MessageFile};
use super::refusal::Refusal;
use super::request::ParsedRequest;
use crate::council::prompts::history::Turn;
use crate::council::settings::Member;
use crate::id::{ConversationId, MessageId};
use crate::runs::StartedRun;
use crate::server::app::App;
use crate::server::extract::Caller;
use crate::server::single_calls::Name;

/// The API's names for the fields of a question, by which errors name them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub question: &'static str,
    pub instructions: &'static str,
    /// The form of the answer.
    pub form: &'static str,
    /// The parameter that switches web search on.
    pub search: &'static str,
}

/// What a request comes with besides its body: this server, who calls, and the HTTP request itself with its headers.
#[derive(Clone, Copy)]
pub(super) struct RequestContext<'f> {
    pub app: &'f App,
    pub caller: &'f Caller,
    pub request: &'f HttpRequest,
}

/// The place in an existing conversation that a question continues from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Continuation {
    pub conversation: ConversationId,
    /// The answer that the question follows.
    pub after: MessageId,
}

/// Where a question belongs, and what was said before it.
pub(super) struct Place {
    /// The answer that it follows; with `None` it begins a new conversation, though there may be a history.
    pub continuation: Option<Continuation>,
    /// The history that the models see.
    pub history: Vec<Turn>,
    /// The files of the question before, where the request refers to that question instead of repeating it.
    pub files: Vec<MessageFile>,
}

/// A request of one of the two APIs.
pub(super) trait Api: Sized {
    /// Marks the conversations that this API begins.
    const ORIGIN: &'static str;
    /// Where questions are sent; part of what the same request is known by.
    const PATH: &'static str;
    const NAMES: Names;
    /// Whether later requests find a conversation by its last question, because they cannot name it: see
    /// [`conversation`](super::conversation).
    const IS_FOUND_BY_QUESTION: bool;

    /// Replaces ids in a body that stand for earlier messages by these messages.
    ///
    /// # Errors
    /// Every id that stands for no message of the caller's; ids of too many or too long ones.
    async fn fill_in(context: RequestContext<'_>, body: &mut Value) -> Result<(), Refusal>;
    /// Reads a body; `inline` are the files that came as data within it.
    ///
    /// # Errors
    /// Everything in it that is wrong or that a council cannot do.
    fn read(body: &Value, inline: &InlineFiles) -> Result<Self, Refusal>;
    /// What it asks for, as far as both APIs have it.
    fn parsed(&self) -> &ParsedRequest;
    /// The names of parameters that are ignored.
    fn ignored(&self) -> &[String];
    /// The fields of the request that its answer repeats. They are stored with the run, for those who read it later.
    fn kept(&self) -> Value;
    /// Finds out where the question belongs.
    async fn place(&self, context: RequestContext<'_>) -> Result<Place, Refusal>;
    /// Answers with one call of one model, or with the call of the same request that is under way or whose reply nobody
    /// has had.
    async fn answer_directly(
        &self,
        context: RequestContext<'_>,
        addressee: Addressee<'_>,
        name: Name,
    ) -> Result<HttpResponse, Refusal>;
    /// Answers with the outcome of a run.
    async fn answer(&self, context: RequestContext<'_>, asked: StartedRun) -> Result<HttpResponse, Refusal>;
}

/// Whom to ask instead of a council.
pub(super) enum Addressee<'w> {
    /// The utility model, for a chore.
    Utility,
    /// A single member.
    Seat(&'w Member),
}
