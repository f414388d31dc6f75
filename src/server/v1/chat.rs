//! `POST /v1/chat/completions`.

use actix_web::{HttpRequest, HttpResponse, post, web};
use serde_json::{Value, json};

use super::api::{Addressee, Api, Names, Place, RequestContext};
use super::ask;
use super::chat_object::{self, Chunks, Head};
use super::chat_request::{self, ChatCompletionRequest, ParsedChatRequest};
use super::direct;
use super::files::InlineFiles;
use super::follow::Follower;
use super::followed_run::Step;
use super::refusal::{ErrorBody, Refusal};
use super::request::ParsedRequest;
use super::start::grace;
use super::{conversation, stream};
use crate::runs::StartedRun;
use crate::server::app::App;
use crate::server::connection::Presence;
use crate::server::extract::Caller;
use crate::server::single_calls::Name;

/// Asks a council, as chat completions do it: with the answer in one piece, or streamed in chunks that end with
/// `[DONE]`. The same request again, while it is being answered or within ten minutes after, is the same run.
#[utoipa::path(tag = "programs", request_body = ChatCompletionRequest, responses(
    (status = 200, body = Object), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 500, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/chat/completions")]
pub(in crate::server) async fn complete(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    ask::respond::<ParsedChatRequest>(&app, &caller, &request, payload).await
}

impl Api for ParsedChatRequest {
    const ORIGIN: &'static str = "chat_completions";
    const PATH: &'static str = "/v1/chat/completions";
    const NAMES: Names = Names {
        question: "messages",
        instructions: "messages",
        form: "response_format",
        search: chat_request::SEARCH,
    };
    const IS_FOUND_BY_QUESTION: bool = true;

    /// Every message is there itself.
    async fn fill_in(_: RequestContext<'_>, _: &mut Value) -> Result<(), Refusal> {
        Ok(())
    }

    fn read(body: &Value, inline: &InlineFiles) -> Result<Self, Refusal> {
        chat_request::read(body, inline)
    }

    fn parsed(&self) -> &ParsedRequest {
        &self.parsed
    }

    fn ignored(&self) -> &[String] {
        &self.ignored
    }

    fn kept(&self) -> Value {
        json!({"api": Self::ORIGIN, "model": self.parsed.model})
    }

    async fn place(&self, context: RequestContext<'_>) -> Result<Place, Refusal> {
        let messages = &self.parsed.messages;
        let continuation = conversation::of(context.app, context.caller, Self::ORIGIN, messages).await?;
        Ok(Place { continuation, history: messages.turns.clone(), files: Vec::new() })
    }

    async fn answer_directly(
        &self,
        context: RequestContext<'_>,
        addressee: Addressee<'_>,
        name: Name,
    ) -> Result<HttpResponse, Refusal> {
        direct::completion(context, self, addressee, name).await
    }

    async fn answer(&self, context: RequestContext<'_>, asked: StartedRun) -> Result<HttpResponse, Refusal> {
        let RequestContext { app, caller, request } = context;
        let mut follower = Follower::of_request(app, caller, asked, self.kept(), Some(grace(app))).await?;
        let head = Head::of(asked.run, follower.requested.at.as_second(), &self.parsed.model);
        let includes_council = self.parsed.includes_council;
        if self.parsed.stream {
            let chunks = Chunks::new(head, self.includes_usage, includes_council);
            return Ok(stream::respond(app, request, follower, chunks));
        }
        // A client library that gives up closes its connection.
        let _present = Presence::of(request);
        let mut progress = String::new();
        let whole = follower.follow_to_end(|_, _, steps| {
            for step in steps {
                if let Step::Progress(line) = step {
                    progress.push_str(&line);
                    progress.push('\n');
                }
            }
        });
        if !whole.await {
            return Err(Refusal::still_running());
        }
        let whole = chat_object::whole(&head, follower.view(), &progress, includes_council)?;
        Ok(HttpResponse::Ok().json(whole))
    }
}
