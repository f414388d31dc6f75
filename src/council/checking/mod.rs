//! Checking: before it writes, a chairman, or whoever writes for the council, may look up what it is not sure of, in
//! turns of thought, action and observation (Yao and others, 2022, <https://arxiv.org/abs/2210.03629>).
//!
//! Models that take tools call one, all others write the action as text; what a model writes is read in either form.

pub(in crate::council) mod estimate;
pub mod event;
mod form;
mod notes;
pub mod trace;

pub use event::CheckEvent;
pub use notes::CheckNote;

use event::{Action, CheckAction, CheckObservation, CheckThought};
use form::{Filter, Form};

use crate::council::brief::Brief;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::searching::findings::Findings;
use crate::council::searching::material;
use crate::council::stage::Stage;
use crate::council::tool_use::joined::Joined;
use crate::council::tool_use::order::{NotCarriedOut, Order};
use crate::council::tool_use::prompts::{not_carried_out, search_tool};
use crate::council::view::View;
use crate::llm::{CallError, ChatMessage, ChatRequest, ErrorKind, Reply, ToolCall};

/// How often a writer may look something up before it has to write.
pub const MAX_ITERATIONS: u8 = 3;
/// The most that is looked up in one turn.
const MAX_AT_ONCE: usize = 3;
/// How the key of a turn goes on in which something may be looked up; its number follows.
const TURN: &str = "/check/";
/// How much of what one turn found is read in the next, in characters.
const OBSERVATION_CHARS: usize = 6_000;
/// How much of an observation events show, in characters; its sources are in events of their own.
const TOLD_CHARS: usize = 2_000;

/// The instruction for a writer that may check.
pub static INSTRUCTIONS: Template = Template {
    name: "checks",
    about: "What whoever writes is told where it may look up facts first; it stands after what else it is asked.",
    text: "\n\nToday is {today}. Before you write, you may look up facts on the web, at most {times} times. Check what \
        matters and may be wrong: figures, dates, names, and what the texts above contradict each other about. \
        Do not check what everybody knows.\n\
        In each turn write two lines:\n\
        Thought: what you are not sure of\n\
        Action: search_web(\"a few words\")\n\
        and stop; what was found is told to you. Where you can call search_web as a tool, call it instead of writing the \
        action.\n\
        When you know enough, which may be at once, write\n\
        Thought: why it is enough\n\
        Action: synthesize()\n\
        and after these lines the text that is asked for above, and nothing else. {citing}",
    places: &["today", "times", "citing"],
    marks: &["Thought:", "Action:", "search_web(", "synthesize()"],
};
/// What a turn found.
pub static OBSERVATION: Template = Template {
    name: "check_observation",
    about: "What a writer is told that looked something up.",
    text: "Observation:\n\n{observation}\n\n{rule}\n\nGo on: another thought and action, or the text.",
    places: &["observation", "rule"],
    marks: &[],
};
/// What a turn could not find.
pub static NO_OBSERVATION: Template = Template {
    name: "check_no_observation",
    about: "What a writer is told whose search failed.",
    text: "The search failed: {reason}. Go on with what you know.",
    places: &["reason"],
    marks: &[],
};
/// The last turn.
pub static NOW: Template = Template {
    name: "check_now",
    about: "What a writer is told when it may look up nothing more.",
    text: "Write now the text that is asked for above, with what you have: no thought, no action, only the text.",
    places: &[],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] =
    &[&INSTRUCTIONS, &OBSERVATION, &NO_OBSERVATION, &NOW, &material::CITING, &fence::RULE];

/// A text that is to be written for the council.
pub struct Writing<'w> {
    pub stage: Stage,
    /// The key of the call in which it writes.
    pub key: &'w str,
    pub request: ChatRequest,
    /// How the text is shown while it is written; none where it is shown later.
    pub view: Option<&'w (dyn Fn() -> View + Sync)>,
}

/// Lets the model write, after it has looked up what it wants where the run allows that.
///
/// # Errors
/// The failure of the call that failed, after retries; or that it writes no text, only what it would do next.
pub async fn write(run: &Run, brief: &Brief, writing: Writing<'_>) -> Result<Reply, CallError> {
    if brief.checks == 0 {
        let view = writing.view.map(|view| view());
        return send(run, &writing, writing.key.to_owned(), writing.request.clone(), view).await;
    }
    let model = writing.request.model.clone();
    let takes_tools = run.decide(&format!("{}/tools", writing.key), async { run.offers_tools(&model) }).await;
    let mut messages = instructed(brief, writing.request.messages.clone());
    let mut joined = Joined::default();
    for iteration in 1..=brief.checks {
        let request = ChatRequest {
            messages: messages.clone(),
            tools: if takes_tools { vec![search_tool(brief)] } else { Vec::new() },
            // A thought or an action need not have the answer's form.
            schema: None,
            continues: true,
            ..writing.request.clone()
        };
        let key = format!("{}{TURN}{iteration}", writing.key);
        let view = writing.view.map(|view| view().through(Filter::default()).before_tools());
        let reply = match send(run, &writing, key.clone(), request, view).await {
            Ok(reply) => reply,
            Err(error) => return Err(joined.fail(error)),
        };
        let turn = Turn { run, brief, key: &key, model: &model, iteration };
        match Form::read(&reply) {
            Form::Text { thought, text } => {
                if let Some(thought) = thought {
                    turn.think(&thought).await;
                    turn.act(0, Action::Synthesize, None).await;
                }
                return Ok(joined.end(Reply { text, tool_calls: Vec::new(), ..reply }));
            }
            Form::Ready { thought } => {
                turn.think(&thought).await;
                turn.act(0, Action::Synthesize, None).await;
                messages.push(ChatMessage::assistant(reply.text.clone()));
                joined.add_turn(Reply { text: thought, ..reply });
                break;
            }
            Form::Search { thought, query } => {
                turn.think(&thought).await;
                let observed = turn.look_up(0, Ok(query)).await;
                messages.push(ChatMessage::assistant(reply.text.clone()));
                messages.push(ChatMessage::user(observed));
                joined.add_turn(Reply { text: thought, ..reply });
            }
            Form::Calls { thought } => {
                turn.think(&thought).await;
                let results = turn.carry_out(&reply.tool_calls).await;
                messages.push(ChatMessage::of_calls(&reply));
                messages.extend(results);
                joined.add_turn(Reply { text: thought, ..reply });
            }
        }
    }
    messages.push(ChatMessage::user(brief.prompts.text(&NOW)));
    let request = ChatRequest { messages, ..writing.request.clone() }.without_tools();
    let view = writing.view.map(|view| view().through(Filter::default()));
    match send(run, &writing, writing.key.to_owned(), request, view).await {
        Ok(reply) => match form::text_of(&reply.text) {
            Some(text) => Ok(joined.end(Reply { text, ..reply })),
            None => Err(joined.fail(only_an_action(&model, reply))),
        },
        Err(error) => Err(joined.fail(error)),
    }
}

/// The failure of a writer that only said what it would do next.
fn only_an_action(model: &str, reply: Reply) -> CallError {
    let error =
        CallError::new(ErrorKind::BadResponse, format!("`{model}` named an action and wrote no text"));
    CallError { tries: reply.tries, partial: Some(Box::new(reply)), ..error }.having_reached()
}

/// Whether the call with this key was to write the text, and its reply only says what it would do next.
pub(in crate::council) fn is_only_an_action(key: &str, reply: &str) -> bool {
    !key.contains(TURN) && form::text_of(reply).is_none()
}

async fn send(
    run: &Run,
    writing: &Writing<'_>,
    key: String,
    request: ChatRequest,
    view: Option<View>,
) -> Result<Reply, CallError> {
    let member = request.model.clone();
    let call = run.call(writing.stage.clone(), key, request).of_member(&member).part_of(writing.key);
    match view {
        Some(view) => call.stream(view).send().await,
        None => call.send().await,
    }
}

/// The prompt with how to check, at the end of its last message.
fn instructed(brief: &Brief, mut messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let instructions = brief.prompts.fill(
        &INSTRUCTIONS,
        &[
            ("today", brief.search.as_ref().map_or("unknown", |plan| &plan.today)),
            ("times", &brief.checks.to_string()),
            ("citing", brief.prompts.text(&material::CITING)),
        ],
    );
    if let Some(last) = messages.last_mut() {
        last.content.push_str(&instructions);
    }
    messages
}

/// One turn of a writer that checks.
struct Turn<'t> {
    run: &'t Run,
    brief: &'t Brief,
    key: &'t str,
    model: &'t str,
    /// From 1.
    iteration: u8,
}

impl Turn<'_> {
    async fn think(&self, thought: &str) {
        let event = CheckThought {
            model: self.model.to_owned(),
            iteration: self.iteration,
            thought: thought.to_owned(),
        };
        self.run.emit(&format!("{}/thought", self.key), CheckEvent::Thought(event)).await;
    }

    async fn act(&self, place: usize, action: Action, query: Option<String>) {
        let (model, iteration) = (self.model.to_owned(), self.iteration);
        let event = CheckEvent::Acted(CheckAction { model, iteration, action, query });
        self.run.emit(&format!("{}/action/{place}", self.key), event).await;
    }

    /// Carries out the calls of one turn; each has to be answered.
    async fn carry_out(&self, calls: &[ToolCall]) -> Vec<ChatMessage> {
        let mut results = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            let query = if place < MAX_AT_ONCE {
                Order::read(call).map(|Order::Search { query }| query)
            } else {
                Err(NotCarriedOut::TooMany)
            };
            results.push(ChatMessage::tool(call.id.clone(), self.look_up(place, query).await));
        }
        results
    }

    /// Looks something up and tells it; gives what the model reads of it.
    async fn look_up(&self, place: usize, query: Result<String, NotCarriedOut>) -> String {
        self.act(place, Action::SearchWeb, query.clone().ok()).await;
        let found = match &query {
            Ok(query) => self.run.search(self.brief, query).await.map_err(|error| error.message),
            Err(why) => Err(why.to_string()),
        };
        let (observed, event) = match (found, query) {
            (Ok(findings), _) => (self.observed(&findings), self.observation(Ok(&findings))),
            (Err(error), Err(why)) => (not_carried_out(self.brief, why), self.observation(Err(error))),
            (Err(error), Ok(_)) => {
                let told = self.brief.prompts.fill(&NO_OBSERVATION, &[("reason", &error)]);
                (told, self.observation(Err(error)))
            }
        };
        self.run.emit(&format!("{}/observation/{place}", self.key), event).await;
        observed
    }

    fn observed(&self, findings: &Findings) -> String {
        let fence = Fence::new(&self.run.marker());
        let prompts = &self.brief.prompts;
        let found = findings.material(&fence, "Search results", OBSERVATION_CHARS);
        prompts.fill(&OBSERVATION, &[("observation", &found), ("rule", prompts.text(&fence::RULE))])
    }

    fn observation(&self, found: Result<&Findings, String>) -> CheckEvent {
        let (observation, sources, error) = match found {
            Ok(findings) => {
                let list = material::list(&findings.sources, TOLD_CHARS);
                let parts = [findings.answer.as_str(), list.as_str()];
                let told: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                (told.join("\n\n"), findings.sources.clone(), None)
            }
            Err(error) => (String::new(), Vec::new(), Some(error)),
        };
        CheckEvent::Observation(CheckObservation {
            model: self.model.to_owned(),
            iteration: self.iteration,
            observation,
            sources,
            error,
        })
    }
}
