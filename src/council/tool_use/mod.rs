//! Calls in which a model may look something up before it answers: it is asked, what it calls is carried out, and it
//! is asked again with what came back, until it answers. At last it is asked without tools.
//!
//! Each question to the model is a call of its own in journal and ledger, each search too. The keys of those after the
//! first end with `/tools/` and the number of the turn, from 1.

pub(in crate::council) mod estimate;
pub mod event;
pub(in crate::council) mod joined;
mod made;
mod notes;
pub(in crate::council) mod order;
pub(in crate::council) mod prompts;

pub use made::ToolCallMade;
pub use notes::ToolNote;
pub use prompts::TEMPLATES;

use futures_util::future::join_all;
use serde::{Deserialize, Serialize};

use super::brief::Brief;
use super::prompts::fence::Fence;
use super::run::{Run, SpeakingTurn};
use super::searching::material;
use super::stage::Stage;
use super::view::View;
use crate::llm::{CallError, ChatMessage, ChatRequest, Reply, ToolCall};
use event::{Place, ToolArguments, ToolCalled, ToolReturned};
use joined::Joined;
use order::{NotCarriedOut, Order};

/// How the key of a later turn goes on; its number follows.
const KEY: &str = "/tools/";
/// The most calls of one turn that are carried out; the others are answered with a request to make fewer.
const MAX_CALLS: usize = 5;
/// How much of what one turn's calls found goes into the next, in characters.
const RESULTS_CHARS: usize = 12_000;
/// How much of a result events show, in characters for each call; its sources are in events of their own.
const SHOWN_CHARS: usize = 2_000;

/// What a plan says of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tools {
    /// How often one who speaks may call tools before it has to answer, at least once. A turn may hold several calls.
    pub max_rounds: u8,
}

/// A question to a model, to be asked with tools.
pub struct ToolDialogue<'t> {
    pub stage: Stage,
    /// The key of the first call.
    pub key: &'t str,
    /// What is asked, without the tools.
    pub request: ChatRequest,
    /// The seat's name.
    pub member: &'t str,
    /// When it speaks, where members speak one after another.
    pub turn: Option<&'t SpeakingTurn<'t>>,
    /// Where it speaks, for events.
    pub place: Place,
    /// How each turn is shown while it is written, where it is.
    pub view: Option<&'t (dyn Fn() -> View + Sync)>,
}

/// What came of it.
#[derive(Debug)]
pub struct DialogueOutcome {
    /// The answer with the tokens, costs and times of all turns; or why there is none.
    pub result: Result<Reply, CallError>,
    /// The calls of tools, in their order.
    pub made: Vec<ToolCallMade>,
    /// The model takes no tools, and was asked without.
    pub refused: bool,
}

impl DialogueOutcome {
    /// The numbers of the sources that its calls found.
    pub fn found(&self) -> impl Iterator<Item = u32> {
        self.made.iter().flat_map(|call| call.result_sources.iter().copied())
    }
}

/// Asks, with the tools that the plan allows, if any.
pub async fn converse(
    run: &Run,
    brief: &Brief,
    tools: Option<Tools>,
    dialogue: ToolDialogue<'_>,
) -> DialogueOutcome {
    let Some(tools) = tools else {
        let view = dialogue.view.map(|view| view());
        let result = send(run, &dialogue, dialogue.key.to_owned(), dialogue.request.clone(), view).await;
        return DialogueOutcome { result, made: Vec::new(), refused: false };
    };
    let offer = prompts::search_tool(brief);
    let mut messages = dialogue.request.messages.clone();
    let mut joined = Joined::default();
    let mut made = Vec::new();
    let mut refused = false;
    // Turns in which nothing could be carried out.
    let mut fruitless_turns = 0;
    for turn in 0.. {
        let key = if turn == 0 { dialogue.key.to_owned() } else { format!("{}{KEY}{turn}", dialogue.key) };
        let is_last = turn >= u32::from(tools.max_rounds.max(1)) || fruitless_turns > 1;
        let request = ChatRequest {
            messages: messages.clone(),
            tools: vec![offer.clone()],
            continues: true,
            ..dialogue.request.clone()
        };
        let view = dialogue.view.map(|view| view());
        let (request, view) = if is_last {
            (last_request(brief, request), view)
        } else {
            (request, view.map(View::before_tools))
        };
        let reply = match send(run, &dialogue, key, request, view).await {
            Ok(reply) => reply,
            Err(error) => {
                refused |= error.partial.as_ref().is_some_and(|reply| reply.tools_refused);
                return DialogueOutcome { result: Err(joined.fail(error)), made, refused };
            }
        };
        refused |= reply.tools_refused;
        // Calls of tools that were not offered are ignored.
        if is_last || reply.tools_refused || reply.tool_calls.is_empty() {
            return DialogueOutcome { result: Ok(joined.end(reply)), made, refused };
        }
        let outcomes = carry_out(run, brief, &dialogue, turn, &reply.tool_calls).await;
        if outcomes.iter().all(|one| one.not_tried) {
            fruitless_turns += 1;
        }
        messages.push(ChatMessage::of_calls(&reply));
        for (call, one) in reply.tool_calls.iter().zip(outcomes) {
            messages.push(ChatMessage::tool(call.id.clone(), one.content));
            made.push(one.made);
        }
        joined.add_turn(reply);
    }
    unreachable!("the last turn returns")
}

/// The key of the first turn, of whichever turn this is the key.
#[must_use]
pub fn without_turn(key: &str) -> &str {
    let (first, turn) = key.rsplit_once(KEY).unwrap_or((key, ""));
    if !turn.is_empty() && turn.bytes().all(|digit| digit.is_ascii_digit()) { first } else { key }
}

/// The last turn: without tools, and the model is told so.
fn last_request(brief: &Brief, mut request: ChatRequest) -> ChatRequest {
    request.messages.push(ChatMessage::user(brief.prompts.text(&prompts::ENOUGH)));
    request.continues = false;
    request.without_tools()
}

async fn send(
    run: &Run,
    dialogue: &ToolDialogue<'_>,
    key: String,
    request: ChatRequest,
    view: Option<View>,
) -> Result<Reply, CallError> {
    let call =
        run.call(dialogue.stage.clone(), key, request).of_member(dialogue.member).in_turn(dialogue.turn);
    let call = call.part_of(dialogue.key);
    match view {
        Some(view) => call.stream(view).send().await,
        None => call.send().await,
    }
}

/// A call that is over.
struct ToolCallOutcome {
    made: ToolCallMade,
    /// What the model reads of it.
    content: String,
    /// It could not even be tried.
    not_tried: bool,
}

/// Carries out the calls of one turn, all at once.
async fn carry_out(
    run: &Run,
    brief: &Brief,
    dialogue: &ToolDialogue<'_>,
    turn: u32,
    calls: &[ToolCall],
) -> Vec<ToolCallOutcome> {
    let chars = RESULTS_CHARS / calls.len().clamp(1, MAX_CALLS);
    let each = calls.iter().enumerate().map(|(at, call)| async move {
        let id = format!("{}.{}", turn + 1, at + 1);
        let key = format!("{}{KEY}{id}", dialogue.key);
        let order = if at < MAX_CALLS { Order::read(call) } else { Err(NotCarriedOut::TooMany) };
        let tool = order::shown_name(&call.name);
        let args = ToolArguments { query: order.as_ref().ok().map(|Order::Search { query }| query.clone()) };
        let called = ToolCalled {
            model: dialogue.request.model.clone(),
            member: dialogue.member.to_owned(),
            round: dialogue.place.round(),
            call_id: id.clone(),
            tool: tool.clone(),
            args: args.clone(),
        };
        run.emit(&format!("{key}/call"), dialogue.place.called(called)).await;
        let (output, not_tried) = match order {
            Ok(Order::Search { query }) => (search(run, brief, &query, chars).await, false),
            Err(why) => (ToolOutput::failed(prompts::not_carried_out(brief, why), why.to_string()), true),
        };
        let made = ToolCallMade {
            tool: tool.clone(),
            args,
            result_sources: output.sources.iter().map(|source| source.n).collect(),
            ms: output.ms,
            error: output.error.clone(),
        };
        let event = ToolReturned {
            model: dialogue.request.model.clone(),
            member: dialogue.member.to_owned(),
            round: dialogue.place.round(),
            call_id: id,
            tool,
            result: output.shown,
            sources: output.sources,
            ms: output.ms,
            error: output.error,
        };
        run.emit(&format!("{key}/result"), dialogue.place.returned(event)).await;
        ToolCallOutcome { made, content: output.content, not_tried }
    });
    join_all(each).await
}

/// What a call brought.
struct ToolOutput {
    /// What the model reads.
    content: String,
    /// What events show in addition to the sources.
    shown: String,
    sources: Vec<super::searching::source::Source>,
    ms: u64,
    error: Option<String>,
}

impl ToolOutput {
    fn failed(content: String, error: String) -> Self {
        Self { content, shown: String::new(), sources: Vec::new(), ms: 0, error: Some(error) }
    }
}

async fn search(run: &Run, brief: &Brief, query: &str, chars: usize) -> ToolOutput {
    match run.search(brief, query).await {
        Ok(findings) => {
            let found = findings.material(&Fence::new(&run.marker()), "Search results", chars);
            let list = material::list(&findings.sources, SHOWN_CHARS);
            let shown = [findings.answer.as_str(), list.as_str()];
            ToolOutput {
                content: prompts::found(brief, &found),
                shown: shown.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"),
                ms: findings.latency_ms,
                sources: findings.sources,
                error: None,
            }
        }
        Err(error) => ToolOutput {
            ms: error.partial.as_ref().map_or(0, |reply| reply.latency_ms),
            ..ToolOutput::failed(prompts::failed(brief, &error.reason()), error.message)
        },
    }
}
