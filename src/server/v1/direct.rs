//! One call of one model, without a council: chores by the utility model, and single seats. They are paid for and stand
//! in the ledger like any call, and no conversation is kept of them.

use std::pin::Pin;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderValue;
use actix_web_lab::sse;
use futures_util::{FutureExt as _, stream};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::api::{Addressee, Api as _, RequestContext};
use super::ask::JOINED;
use super::chat_object::{Chunks, Head, done, failure};
use super::chat_request::ParsedChatRequest;
use super::follow::Requested;
use super::messages::ParsedMessages;
use super::refusal::Refusal;
use super::request::ParsedRequest;
use super::response_object::{Typed, say_when};
use super::response_request::ParsedResponseRequest;
use super::stream::{StreamFormat, respond_with};
use crate::council::answer_form::{self, AnswerForm};
use crate::council::formed;
use crate::council::prompts::history::Turn;
use crate::council::settings::Settings;
use crate::council::stage::Stage;
use crate::id::{ConversationId, RunId};
use crate::llm::{ChatMessage, ChatRequest, Purpose, Reply, Sampling, Usage, simulated_text};
use crate::runs::StartError;
use crate::server::app::App;
use crate::server::budgets;
use crate::server::connection::Presence;
use crate::server::problem::Problem;
use crate::server::single_calls::Name;

/// Where such calls stand in the ledger.
const STAGE: Stage = Stage::named("program");
/// The purpose of chores; in the ledger, their format.
static CHORE: Purpose = Purpose { name: "chore", usual_tokens: 60, simulated: simulated_text::plain };
/// The purpose of single seats; in the ledger, their format.
static SEAT: Purpose = Purpose { name: "seat", usual_tokens: 800, simulated: simulated_text::plain };
/// How often a stream says that it is still there.
const PAUSE: Duration = Duration::from_secs(5);

/// Answers a chat completion.
pub(super) async fn completion(
    context: RequestContext<'_>,
    chat: &ParsedChatRequest,
    addressee: Addressee<'_>,
    name: Name,
) -> Result<HttpResponse, Refusal> {
    let parsed = &chat.parsed;
    let head = Head::of(RunId::generate(), Timestamp::now().as_second(), &parsed.model);
    let chunks = Chunks::new(head, chat.includes_usage, false);
    answer(context, parsed, &[], (addressee, name), chunks).await
}

/// Answers a response, after what was said before. It is kept nowhere, so it cannot be read again.
pub(super) async fn response(
    context: RequestContext<'_>,
    response: &ParsedResponseRequest,
    before: &[Turn],
    (addressee, name): (Addressee<'_>, Name),
) -> Result<HttpResponse, Refusal> {
    let mut kept = response.kept();
    kept["store"] = json!(false);
    let requested = Requested {
        run: RunId::generate(),
        conversation: ConversationId::generate(),
        at: Timestamp::now(),
        kept,
    };
    let typed = Typed::new(requested, false, None);
    answer(context, &response.parsed, before, (addressee, name), typed).await
}

/// How an API formats the reply of one model.
trait ReplyFormat: StreamFormat {
    fn reply(&mut self, reply: &Reply) -> Vec<sse::Event>;
    fn no_reply(&mut self, refusal: &Refusal) -> Vec<sse::Event>;
    /// The reply as one object.
    fn whole(self, reply: &Reply) -> Value;
}

impl ReplyFormat for Chunks {
    fn reply(&mut self, reply: &Reply) -> Vec<sse::Event> {
        let mut events = vec![
            self.event(self.head.chunk(json!({"content": reply.text}), None)),
            self.event(self.head.chunk(json!({}), Some(finish_reason(reply)))),
        ];
        if self.includes_usage {
            events.push(self.event(self.head.usage(chat_usage(reply))));
        }
        events.push(done());
        events
    }

    fn no_reply(&mut self, refusal: &Refusal) -> Vec<sse::Event> {
        vec![failure(refusal)]
    }

    fn whole(self, reply: &Reply) -> Value {
        let message = json!({"role": "assistant", "content": reply.text, "refusal": null});
        self.head.completion(message, finish_reason(reply), chat_usage(reply))
    }
}

impl ReplyFormat for Typed {
    fn reply(&mut self, reply: &Reply) -> Vec<sse::Event> {
        self.one_reply(&reply.text, is_cut(reply), response_usage(reply))
    }

    fn no_reply(&mut self, refusal: &Refusal) -> Vec<sse::Event> {
        self.no_reply_because(refusal)
    }

    fn whole(mut self, reply: &Reply) -> Value {
        drop(ReplyFormat::reply(&mut self, reply));
        let mut response = self.into_object().unwrap_or_default();
        say_when(&mut response, Some(Timestamp::now()));
        response
    }
}

/// The request to the model, after what was said before; the client's system prompt takes precedence over the seat's own.
fn call(
    settings: &Settings,
    parsed: &ParsedRequest,
    before: &[Turn],
    addressee: &Addressee<'_>,
) -> ChatRequest {
    let (purpose, model, prompt) = match addressee {
        Addressee::Utility => (&CHORE, &settings.utility_model, None),
        Addressee::Seat(member) => (&SEAT, &member.model, member.system_prompt.as_deref()),
    };
    let ParsedMessages { system, turns, question, files: _ } = &parsed.messages;
    let system = system.as_deref().or(prompt).map(ChatMessage::system);
    let turns = before
        .iter()
        .chain(turns)
        .flat_map(|turn| [ChatMessage::user(&turn.question), ChatMessage::assistant(&turn.answer)]);
    let messages = system.into_iter().chain(turns).chain([ChatMessage::user(question)]).collect();
    let Sampling { temperature, max_tokens } = settings.sampling(purpose);
    let sampling = Sampling {
        temperature: parsed.sampling.temperature.or(temperature),
        max_tokens: parsed.sampling.max_tokens.or(max_tokens),
    };
    ChatRequest {
        sampling,
        timeouts: settings.timeouts(purpose),
        ..ChatRequest::new(model, purpose, messages)
    }
}

/// Asks for the reply in this form, by the provider where it can and by words.
fn ask_for_form(app: &App, form: &AnswerForm, call: &mut ChatRequest) {
    let prompts = app.config.prompts.in_force(answer_form::TEMPLATES.iter().copied());
    let marker = RunId::generate().0.simple().to_string();
    if let Some(question) = call.messages.last_mut() {
        question.content.push_str(&formed::instructions(form, &prompts, &marker));
    }
    call.schema = Some(form.schema());
}

/// A reply whose text is a document of the form, or broke off.
fn in_form(form: Option<&AnswerForm>, reply: Reply) -> Result<Reply, Refusal> {
    let Some(form) = form.filter(|_| !is_cut(&reply)) else { return Ok(reply) };
    match form.read(&reply.text) {
        Ok(text) => Ok(Reply { text, ..reply }),
        Err(problem) => {
            let message = format!("the model's reply is not of the form that was asked for: it {problem}");
            Err(Refusal::no_reply(message))
        }
    }
}

type PendingReply = Pin<Box<dyn Future<Output = Result<Reply, Refusal>>>>;

async fn answer<F: ReplyFormat + 'static>(
    RequestContext { app, caller, request }: RequestContext<'_>,
    parsed: &ParsedRequest,
    before: &[Turn],
    (addressee, name): (Addressee<'_>, Name),
    mut format: F,
) -> Result<HttpResponse, Refusal> {
    let (settings, _) = app.settings(&caller.scope()).await?;
    let mut call = call(&settings, parsed, before, &addressee);
    let form = parsed.form.clone();
    if let Some(form) = &form {
        ask_for_form(app, form, &mut call);
    }
    let payer = budgets::payer(app, caller).await?;
    let (runs, calls) = (app.runs.clone(), app.single_calls.clone());
    let (pending, is_joined) = calls.join(&name, || {
        let (sender, receiver) = oneshot::channel();
        // The call is made to its end, and is in the ledger, even if the client has gone.
        app.shutdown.tasks().spawn(async move {
            let result = runs.call_once(payer, call.purpose.name, STAGE, call).await;
            drop(sender.send(result.map_err(Problem::from)));
        });
        let pending = receiver.map(|result| result.unwrap_or_else(|_| Err(StartError::Closing.into())));
        pending.boxed().shared()
    })?;
    let pending = async move {
        let result = pending.await;
        calls.mark_delivered(&name);
        let reply = result?
            .map_err(|error| Refusal::no_reply(format!("the model gave no reply: {}", error.message)))?;
        in_form(form.as_ref(), reply)
    };
    let mut response = if parsed.stream {
        let queue = format.open().into_iter();
        let formatted = FormattedReply { format, pending: Some(Box::pin(pending)), queue };
        respond_with(request, events(formatted))
    } else {
        // A client library that gives up closes its connection. Nobody has had the reply then.
        let _present = Presence::of(request);
        HttpResponse::Ok().json(format.whole(&pending.await?))
    };
    if is_joined {
        response.headers_mut().insert(JOINED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// A reply on its way to a client, in an API's format.
struct FormattedReply<F> {
    format: F,
    /// The reply, until it is there.
    pending: Option<PendingReply>,
    queue: std::vec::IntoIter<sse::Event>,
}

/// The opening at once, then heartbeats, and the reply when it is there.
fn events<F: ReplyFormat>(formatted: FormattedReply<F>) -> impl stream::Stream<Item = sse::Event> {
    stream::unfold(formatted, |mut formatted| async move {
        loop {
            if let Some(event) = formatted.queue.next() {
                return Some((event, formatted));
            }
            let mut pending = formatted.pending.take()?;
            let events = tokio::select! {
                result = &mut pending => match result {
                    Ok(reply) => formatted.format.reply(&reply),
                    Err(refusal) => formatted.format.no_reply(&refusal),
                },
                () = tokio::time::sleep(PAUSE) => {
                    formatted.pending = Some(pending);
                    formatted.format.heartbeat()
                }
            };
            formatted.queue = events.into_iter();
        }
    })
}

fn is_cut(reply: &Reply) -> bool {
    reply.finish_reason.as_deref() == Some("length")
}

fn finish_reason(reply: &Reply) -> &'static str {
    if is_cut(reply) { "length" } else { "stop" }
}

fn chat_usage(reply: &Reply) -> Value {
    let usage = reply.usage.unwrap_or_default();
    with_cost(
        json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        }),
        &usage,
    )
}

fn response_usage(reply: &Reply) -> Value {
    let usage = reply.usage.unwrap_or_default();
    with_cost(
        json!({
            "input_tokens": usage.prompt_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens": usage.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.total_tokens,
        }),
        &usage,
    )
}

/// Adds the cost if it is known, as the usage of a run has it.
fn with_cost(mut fields: Value, usage: &Usage) -> Value {
    if let Some(cost) = usage.cost_usd {
        fields["cost"] = json!(cost);
    }
    fields
}
