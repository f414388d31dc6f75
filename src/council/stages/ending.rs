//! The final answer of a format other than the council: the chairman writes it, streamed, or the next in the chain
//! where it fails. The format decides what it reads, and under which names its events are sent.

use async_trait::async_trait;

use super::synthesis::{self, NoteFact, Synthesis};
use crate::council::any_event::AnyEvent;
use crate::council::ask::rejects_the_system_prompt;
use crate::council::brief::Brief;
use crate::council::checking::Writing;
use crate::council::formed;
use crate::council::pricing::tokens;
use crate::council::run::Run;
use crate::council::token::TokenHead;
use crate::council::view::{TextFilter, Unfiltered, View};
use crate::llm::{CallError, ChatMessage, ChatRequest, ErrorKind, Purpose, Reply};

/// How often a prompt that a model finds too long is halved.
pub(in crate::council) const MOST_CUTS: u32 = 4;

/// What one format's chairman is asked, and the events that show it.
#[async_trait]
pub trait Ending: Send + Sync {
    /// What the call is for.
    fn purpose(&self) -> &'static Purpose;

    /// How many tokens of material this model can read, where that is known.
    async fn budget(&self, model: &str) -> Option<u64>;

    /// What it is asked, with at most so many tokens of material, and how many texts were left out or cut for it.
    fn prompt(&self, budget: Option<u64>) -> (String, usize);

    /// Who may write where the chairman and its configured fallbacks cannot.
    fn stand_ins(&self) -> Vec<String>;

    /// What of the text is held back while it streams.
    fn filter(&self) -> Box<dyn TextFilter>;

    /// Reads what was held back into the answer, whose `response` is the whole text.
    fn read(&self, synthesis: &mut Synthesis);

    /// A chairman begins to write.
    fn start(&self, model: &str, started_at: String) -> AnyEvent;

    /// A piece of the answer.
    fn token(&self, model: &str) -> TokenHead;

    /// A piece of the chairman's reasoning, where that is shown.
    fn reasoning_token(&self, model: &str) -> TokenHead;

    /// A chairman failed.
    fn error(&self, model: &str, error: &CallError) -> AnyEvent;
}

/// Writes the answer. The caller gives it its heading and emits its completion.
pub async fn write(run: &Run, brief: &Brief, ending: &dyn Ending) -> Synthesis {
    let chairman = &brief.settings.chairman_model;
    let mut failures: Vec<(String, CallError)> = Vec::new();
    let mut synthesis = None;
    for model in chain(brief, ending) {
        let key = format!("stage3/{model}");
        run.emit(&format!("{key}/start"), ending.start(&model, run.now())).await;
        match ask(run, brief, ending, &model, &key).await {
            Ok(whole) => {
                synthesis = Some(whole);
                break;
            }
            Err(error) => {
                run.emit(&format!("{key}/error"), ending.error(&model, &error)).await;
                failures.push((model, error));
            }
        }
    }
    let mut synthesis = synthesis.unwrap_or_else(|| synthesis::nobody(chairman, &failures));
    if !failures.is_empty() && synthesis.error.is_none() {
        synthesis.fallback_for = Some(chairman.clone());
    }
    if synthesis.model == *chairman {
        synthesis.alias.clone_from(&brief.settings.chairman_alias);
    }
    synthesis.simulated = run.is_simulated(&synthesis.model);
    synthesis.citations = run.citations(&synthesis.response);
    for (model, error) in failures {
        synthesis.note(NoteFact::NoFinalAnswer { model, reason: error.reason() });
    }
    synthesis
}

/// The chairman, the configured fallbacks, then the first stand-in that is none of these; nobody twice.
fn chain(brief: &Brief, ending: &dyn Ending) -> Vec<String> {
    let settings = &brief.settings;
    let mut chain: Vec<String> = Vec::new();
    for model in [&settings.chairman_model].into_iter().chain(&settings.chairman_fallbacks) {
        if !chain.contains(model) {
            chain.push(model.clone());
        }
    }
    let stand_in = ending.stand_ins().into_iter().find(|model| !chain.contains(model));
    chain.extend(stand_in);
    chain
}

async fn ask(
    run: &Run,
    brief: &Brief,
    ending: &dyn Ending,
    model: &str,
    key: &str,
) -> Result<Synthesis, CallError> {
    let mut system = brief.system_prompt_of_writer(model);
    let mut key = key.to_owned();
    let mut cuts = 0;
    let (mut prompt, mut left_out) = ending.prompt(ending.budget(model).await);
    loop {
        let error = match send(run, brief, ending, (model, system), &key, prompt.clone()).await {
            Ok(reply) => return Ok(read(brief, ending, model, reply, left_out)),
            Err(error) => error,
        };
        if system.is_some() && rejects_the_system_prompt(&error) {
            system = None;
            key.push_str("/without_system_prompt");
        } else if error.kind == ErrorKind::ContextTooLong && cuts < MOST_CUTS {
            let shorter = ending.prompt(Some(tokens(&prompt) / 2));
            // Where nothing more may be left out, the same request would be refused again.
            if shorter.0 == prompt {
                return Err(error);
            }
            (prompt, left_out) = shorter;
            cuts += 1;
            key.push_str("/shorter");
        } else {
            return Err(error);
        }
    }
}

async fn send(
    run: &Run,
    brief: &Brief,
    ending: &dyn Ending,
    (model, system): (&str, Option<&str>),
    key: &str,
    prompt: String,
) -> Result<Reply, CallError> {
    let purpose = ending.purpose();
    let system = system.map(ChatMessage::system);
    let request = ChatRequest {
        sampling: brief.settings.sampling(purpose),
        timeouts: brief.settings.timeouts(purpose),
        ..ChatRequest::new(model, purpose, system.into_iter().chain([ChatMessage::user(prompt)]).collect())
    };
    let view = || {
        let filter = if brief.form.is_some() { Box::new(Unfiltered) } else { ending.filter() };
        View::boxed(filter, ending.token(model)).with_reasoning(ending.reasoning_token(model))
    };
    formed::write(run, brief, Writing { stage: synthesis::STAGE, key, request, view: Some(&view) }).await
}

fn read(brief: &Brief, ending: &dyn Ending, model: &str, reply: Reply, left_out: usize) -> Synthesis {
    let mut synthesis = Synthesis {
        model: model.to_owned(),
        served_by: reply.served_by_another(model),
        response: reply.text,
        truncated: reply.finish_reason.as_deref() == Some("length"),
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        usage: reply.usage,
        latency_ms: Some(reply.latency_ms),
        ttft_ms: reply.ttft_ms,
        reasoning: reply.reasoning,
        ..Synthesis::default()
    };
    // Where the answer is to be one document, the whole text is the answer.
    if brief.form.is_none() {
        ending.read(&mut synthesis);
    }
    if left_out > 0 {
        synthesis.note(NoteFact::WithoutAllOfDebate { model: model.to_owned(), statements: left_out });
    }
    synthesis
}
