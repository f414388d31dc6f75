//! Dynamic routing: the utility model says what kind of question it is, and the models named for
//! that kind answer it. When it cannot be asked or read, single words of the question decide.

pub(in crate::council) mod estimate;
pub mod facts;
pub mod info;
mod keywords;
mod notes;
mod reply;
pub mod settings;
mod simulated;
pub mod view;

pub use facts::RoutingFact;
pub use info::{RoutingInfo, Source};
pub use keywords::{Guess, by_keywords};
pub use notes::RoutingNote;
pub use reply::{Classification, parse};
use serde::{Deserialize, Serialize};

pub use settings::{Category, RoutingPools};

use crate::council::brief::Brief;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::template::{Prompts, Template};
use crate::council::run::Run;
use crate::council::seat::seats;
use crate::council::settings::{MIN_MEMBERS, Member, Settings};
use crate::council::stage::Stage;
use crate::llm::{CallError, ChatMessage, ChatRequest, Purpose, Reply};

/// Before the answers: who is to answer.
pub const STAGE: Stage = Stage::named("routing");
/// Which kind of question it is.
pub static ROUTING: Purpose = Purpose { name: "routing", usual_tokens: 100, simulated: simulated::routing };

/// How much of a question is classified, in characters: its kind shows early.
pub const QUOTED_CHARS: usize = 4_000;
/// The longest a run waits to know what kind of question it is, in milliseconds.
const PATIENCE_MS: u64 = 20_000;

/// What the utility model is asked.
pub static PROMPT: Template = Template {
    name: "routing",
    about: "What the utility model is asked that says what kind of question it is.",
    text: "Classify the question below: of which one of these kinds is it?\n\n{kinds}\n\n\
        {earlier}{question}\n\n{rule}\n\n\
        Do not answer the question. Write three lines in exactly this form, and nothing else:\n\
        CATEGORY: <the name of the kind, in capitals>\n\
        CONFIDENCE: <from 0.0, a guess, to 1.0, certain>\n\
        REASONING: <one sentence>",
    places: &["kinds", "earlier", "question", "rule"],
    marks: &["CATEGORY:", "CONFIDENCE:", "REASONING:"],
};
/// The kinds of question, and what belongs to each.
pub static KINDS: Template = Template {
    name: "routing_kinds",
    about: "The kinds of question, and what belongs to each.",
    text: "CODING: programming, debugging, code review, algorithms, technical implementation\n\
        CREATIVE: writing, brainstorming, storytelling, poetry, humour\n\
        FACTUAL: facts, definitions, history, science, how something works\n\
        ANALYSIS: comparison, evaluation, logical reasoning, decisions, strategy\n\
        GENERAL: advice, small talk, and whatever spans several of the others",
    places: &[],
    marks: &["CODING", "CREATIVE", "FACTUAL", "ANALYSIS", "GENERAL"],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&PROMPT, &KINDS, &fence::RULE];

impl Category {
    /// What belongs to it, for the utility model and for people.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Coding => "programming, debugging, code review, algorithms, technical implementation",
            Self::Creative => "writing, brainstorming, storytelling, poetry, humour",
            Self::Factual => "facts, definitions, history, science, how something works",
            Self::Analysis => "comparison, evaluation, logical reasoning, decisions, strategy",
            Self::General => "advice, small talk, and whatever spans several of the others",
        }
    }

    /// Reads a name in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str().eq_ignore_ascii_case(name))
    }
}

/// The events of routing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RoutingEvent {
    /// The utility model is asked what kind of question it is.
    RoutingStart {},
    /// It is known who answers.
    RoutingComplete { data: Box<RoutingInfo> },
}

/// Finds out what kind of question it is, and who answers that kind.
pub async fn choose(run: &Run, brief: &Brief, pools: &RoutingPools) -> (Vec<Member>, RoutingInfo) {
    run.emit("routing/start", RoutingEvent::RoutingStart {}).await;
    let earlier = brief.history.last().map(|turn| turn.question.as_str());
    let fence = Fence::new(&run.marker());
    let request = request(&brief.settings, &brief.prompts, &fence, &brief.question, earlier);
    let result = run.call(STAGE, "routing", request).send().await;
    let judged = judge(result, &brief.settings.utility_model, &brief.question);
    let pool = pools.get(&judged.0.category).map_or(&[][..], Vec::as_slice);
    let available = run.decide("routing/available", async { available(pool, |id| run.is_available(id)) });
    let info = pick(judged, pool, available.await, brief.members());

    let members =
        if info.is_routed { seats(brief.members(), &info.models) } else { brief.members().to_vec() };
    run.emit("routing/complete", RoutingEvent::RoutingComplete { data: Box::new(info.clone()) }).await;
    (members, info)
}

/// The models of a pool that are on offer.
pub fn available(pool: &[String], is_available: impl Fn(&str) -> bool) -> Vec<String> {
    pool.iter().filter(|model| is_available(model)).cloned().collect()
}

/// Who answers a question of this kind: those of its pool that are on offer, if they can review
/// each other; else the whole council.
#[must_use]
pub fn pick(
    (classification, source): (Classification, Source),
    pool: &[String],
    available: Vec<String>,
    council: &[Member],
) -> RoutingInfo {
    let is_routed = available.len() >= MIN_MEMBERS;
    let models =
        if is_routed { available } else { council.iter().map(|member| member.model.clone()).collect() };
    RoutingInfo {
        category: classification.category,
        confidence: classification.confidence,
        reasoning: classification.reasoning,
        reasoning_fact: classification.fact,
        source,
        is_routed,
        pool_size: pool.len(),
        total_models: council.len(),
        routed_model_count: models.len(),
        models,
    }
}

/// What the utility model is asked. `earlier` is the conversation's question before this one.
#[must_use]
pub fn request(
    settings: &Settings,
    prompts: &Prompts,
    fence: &Fence,
    question: &str,
    earlier: Option<&str>,
) -> ChatRequest {
    let quoted =
        |title: &str, text: &str| fence.wrap(title, &text.chars().take(QUOTED_CHARS).collect::<String>());
    let earlier = earlier.map_or_else(String::new, |text| quoted("Question before it", text) + "\n\n");
    let prompt = prompts.fill(
        &PROMPT,
        &[
            ("kinds", prompts.text(&KINDS)),
            ("earlier", &earlier),
            ("question", &quoted("Question", question)),
            ("rule", prompts.text(&fence::RULE)),
        ],
    );
    let mut timeouts = settings.timeouts(&ROUTING);
    timeouts.total_ms = timeouts.total_ms.min(PATIENCE_MS);
    timeouts.first_token_ms = timeouts.first_token_ms.min(PATIENCE_MS);
    timeouts.idle_ms = timeouts.idle_ms.min(PATIENCE_MS);
    ChatRequest {
        sampling: settings.sampling(&ROUTING),
        timeouts,
        schema: Some(reply::schema()),
        ..ChatRequest::new(&settings.utility_model, &ROUTING, vec![ChatMessage::user(prompt)])
    }
}

/// What the reply says; what single words of the question say where there is none to be read.
#[must_use]
pub fn judge(result: Result<Reply, CallError>, model: &str, question: &str) -> (Classification, Source) {
    let Guess { category, confidence, words } = by_keywords(question);
    let words = words.into_iter().map(str::to_owned).collect();
    let model = model.to_owned();
    let fact = match result {
        Ok(reply) => match parse(&reply.text) {
            Some(read) => return (read, Source::Model),
            None => RoutingFact::Unread { words, model },
        },
        Err(error) => RoutingFact::NotAsked { words, model, reason: error.reason() },
    };
    let (confidence, reasoning) = (Some(confidence), fact.to_string());
    (Classification { category, confidence, reasoning, fact: Some(fact) }, Source::Keywords)
}

#[cfg(test)]
mod tests;
