//! A connection to a council, in this process or at a server: both are used through the public API, and the code that
//! shows an answer does not know which of the two gave it.

mod following;
pub mod http;
mod reconnecting;
mod trouble;

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::terminal::live::features::path_of_offer;

pub use following::{Following, Step, ends};
pub use reqwest::Method;
pub use trouble::Trouble;

/// Where questions go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// This process, over the database of this machine.
    Here,
    /// This process, and nothing is kept.
    Ephemeral,
    /// A server, by its address.
    Server(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => f.write_str("this machine"),
            Self::Ephemeral => f.write_str("this machine, nothing is kept"),
            Self::Server(address) => f.write_str(address),
        }
    }
}

/// A question, as the body of the API's request for it.
#[derive(Debug, Clone)]
pub struct Question {
    /// The conversation that it belongs to; it is made if it is not there and `begins` is set.
    pub conversation: String,
    pub begins: bool,
    /// The fields of `MessageRequest`: `content`, and the options.
    pub body: Map<String, Value>,
    /// The idempotency key: however often a question is sent with it, it is asked only once.
    pub key: String,
}

impl Question {
    /// A question that begins a conversation of its own.
    #[must_use]
    pub fn first(body: Map<String, Value>) -> Self {
        Self { begins: true, ..Self::in_conversation(uuid::Uuid::new_v4().to_string(), body) }
    }

    /// A question in an existing conversation.
    #[must_use]
    pub fn in_conversation(conversation: String, body: Map<String, Value>) -> Self {
        Self { conversation, begins: false, body, key: uuid::Uuid::new_v4().to_string() }
    }
}

/// A connection to a council.
#[async_trait]
pub trait Session: Send + Sync {
    /// Where questions go.
    fn place(&self) -> &Place;

    /// Sends one request to the API; returns the response's JSON, or `null` if it has no body.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Trouble>;

    /// Fetches a text, such as an export.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn text(&self, path: &str) -> Result<String, Trouble>;

    /// Uploads a file; returns the response of `POST /api/attachments`.
    ///
    /// # Errors
    /// Why it was not taken.
    async fn upload(&self, name: &str, bytes: Vec<u8>) -> Result<Value, Trouble>;

    /// Asks a question, and follows its run to the end.
    ///
    /// # Errors
    /// If nothing was asked, as far as can be known.
    async fn ask(&self, question: Question) -> Result<Following, Trouble>;

    /// Follows an existing run, from the event after this number.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn follow(&self, run: &str, after: u64) -> Result<Following, Trouble>;

    /// Fetches the JSON at a path.
    ///
    /// # Errors
    /// As [`Session::request`].
    async fn get(&self, path: &str) -> Result<Value, Trouble> {
        self.request(Method::GET, path, None).await
    }

    /// Stops a run. Its last event still comes.
    ///
    /// # Errors
    /// As [`Session::request`].
    async fn cancel(&self, run: &str) -> Result<(), Trouble> {
        self.request(Method::POST, &format!("/api/runs/{run}/cancel"), None).await.map(drop)
    }

    /// Answers an offer of an earlier answer.
    ///
    /// # Errors
    /// As [`Session::request`].
    async fn answer_offer(&self, run: &str, take: bool) -> Result<(), Trouble> {
        let body = serde_json::json!({ "take": take });
        self.request(Method::POST, &path_of_offer(run), Some(&body)).await.map(drop)
    }

    /// A stored message of a conversation, as `GET /api/conversations/{id}` has it.
    ///
    /// # Errors
    /// As [`Session::request`], and if it is not there.
    async fn message(&self, conversation: &str, message: &str) -> Result<Value, Trouble> {
        let stored = self.get(&format!("/api/conversations/{conversation}")).await?;
        let messages = stored.get("messages").and_then(Value::as_array);
        let is_it = |one: &&Value| {
            let of = |name: &str| one.get(name).and_then(Value::as_str);
            of("id") == Some(message) && of("role") == Some("assistant")
        };
        let found = messages.into_iter().flatten().find(is_it);
        found.cloned().ok_or_else(|| Trouble::Failed("the answer is not in its conversation".to_owned()))
    }
}
