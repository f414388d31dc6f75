//! One question to one model after the answers are in. A model whose provider rejects system prompts is
//! asked once more without.

use super::run::{Call, Run};
use super::settings::Settings;
use super::stage::Stage;
use super::view::View;
use crate::llm::{CallError, ChatMessage, ChatRequest, ErrorKind, Purpose, Reply, Schema};

/// A question to one model.
pub struct Ask<'a> {
    pub stage: Stage,
    /// The call's key: its place in the deliberation.
    pub key: String,
    pub model: &'a str,
    /// The seat's name, where the model speaks as a member.
    pub member: Option<&'a str>,
    pub purpose: &'static Purpose,
    pub system: Option<&'a str>,
    pub prompt: &'a str,
    /// The schema of the reply, where that is to be nothing but a fact.
    pub schema: Option<Schema>,
}

impl Ask<'_> {
    /// Asks; nothing is shown before the reply is whole.
    ///
    /// # Errors
    /// The call's own failure, after retries.
    pub async fn send(&self, run: &Run, settings: &Settings) -> Result<Reply, CallError> {
        self.twice(run, settings, |call| call).await
    }

    /// [`Ask::send`] after a request whose reply was shown: if the run is stopped in the meantime, `shown` is kept.
    ///
    /// # Errors
    /// The call's own failure, after retries.
    pub async fn send_after(&self, run: &Run, settings: &Settings, shown: &str) -> Result<Reply, CallError> {
        self.twice(run, settings, |call| call.keeping(shown)).await
    }

    /// Asks, and shows the reply while it arrives, each try in a view of its own.
    ///
    /// # Errors
    /// The call's own failure, after retries.
    pub async fn stream(
        &self,
        run: &Run,
        settings: &Settings,
        view: impl Fn() -> View,
    ) -> Result<Reply, CallError> {
        self.twice(run, settings, |call| call.stream(view())).await
    }

    async fn twice<'r>(
        &self,
        run: &'r Run,
        settings: &Settings,
        dress: impl Fn(Call<'r>) -> Call<'r>,
    ) -> Result<Reply, CallError> {
        let result = dress(self.call(run, settings, self.key.clone(), self.system)).send().await;
        if self.system.is_some() && result.as_ref().is_err_and(rejects_the_system_prompt) {
            let key = format!("{}/without_system_prompt", self.key);
            return dress(self.call(run, settings, key, None)).send().await;
        }
        result
    }

    fn call<'r>(&self, run: &'r Run, settings: &Settings, key: String, system: Option<&str>) -> Call<'r> {
        let system = system.map(ChatMessage::system);
        let prompt = ChatMessage::user(self.prompt);
        let request = ChatRequest {
            sampling: settings.sampling(self.purpose),
            timeouts: settings.timeouts(self.purpose),
            schema: self.schema.clone(),
            ..ChatRequest::new(self.model, self.purpose, system.into_iter().chain([prompt]).collect())
        };
        let call = run.call(self.stage.clone(), key, request);
        match self.member {
            Some(member) => call.of_member(member),
            None => call,
        }
    }
}

/// Whether a provider may have refused the system prompt: with status 400, and not because the prompt is too long.
pub(in crate::council) fn rejects_the_system_prompt(error: &CallError) -> bool {
    error.status == Some(400) && error.kind == ErrorKind::Refused
}
