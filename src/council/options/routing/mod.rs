//! Dynamic routing: the utility model says what kind of question it is, and the models named for
//! that kind answer it. When it cannot be asked or read, single words of the question decide.

pub(in crate::council) mod estimate;
pub mod facts;
pub mod info;
mod notes;
pub mod settings;
mod simulated;
pub mod view;

pub use facts::RoutingFact;
pub use info::{RoutingInfo, Source};
pub use notes::RoutingNote;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use settings::{Category, RoutingPools};

use crate::council::brief::Brief;
use crate::council::line_filter::bare;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::structured;
use crate::council::prompts::template::{Prompts, Template};
use crate::council::run::Run;
use crate::council::seat::seats;
use crate::council::settings::{MIN_MEMBERS, Member, Settings};
use crate::council::stage::Stage;
use crate::llm::{CallError, ChatMessage, ChatRequest, Purpose, Reply, Role, Schema};

/// Before the answers: who is to answer.
pub const STAGE: Stage = Stage::named("routing");
/// Which kind of question it is.
pub static ROUTING: Purpose = Purpose { name: "routing", usual_tokens: 100, simulated: simulated::routing };

/// How much of a question is classified, in characters: its kind shows early.
pub const QUOTED_CHARS: usize = 4_000;
/// The longest a run waits to know what kind of question it is, in milliseconds.
const PATIENCE_MS: u64 = 20_000;
const MAX_REASONING_CHARS: usize = 500;

/// What the utility model is asked.
pub static PROMPT: Template = Template {
    name: "routing",
    text: "Classify the question below: of which one of these kinds is it?\n\n{kinds}\n\n\
        {earlier}{question}\n\n{rule}\n\n\
        Do not answer the question. Write three lines in exactly this form, and nothing else:\n\
        CATEGORY: <the name of the kind, in capitals>\n\
        CONFIDENCE: <from 0.0, a guess, to 1.0, certain>\n\
        REASONING: <one sentence>",
    places: &["kinds", "earlier", "question", "rule"],
};
/// The kinds of question, and what belongs to each.
pub static KINDS: Template = Template {
    name: "routing_kinds",
    text: "CODING: programming, debugging, code review, algorithms, technical implementation\n\
        CREATIVE: writing, brainstorming, storytelling, poetry, humour\n\
        FACTUAL: facts, definitions, history, science, how something works\n\
        ANALYSIS: comparison, evaluation, logical reasoning, decisions, strategy\n\
        GENERAL: advice, small talk, and whatever spans several of the others",
    places: &[],
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

/// What kind of question it is. Every form of a reply ends here.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    pub category: Category,
    /// 0 to 1; absent when the model said none.
    pub confidence: Option<f64>,
    pub reasoning: String,
    /// The same as a fact, where no model said it.
    pub fact: Option<RoutingFact>,
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
        model: settings.utility_model.clone(),
        messages: vec![ChatMessage { role: Role::User, content: prompt }],
        purpose: &ROUTING,
        sampling: settings.sampling(&ROUTING),
        timeouts,
        seed: 0,
        schema: Some(schema()),
    }
}

fn schema() -> Schema {
    let names = Category::ALL.map(Category::as_str);
    let properties = json!({
        "category": {"type": "string", "enum": names},
        "confidence": {"type": "number", "description": "From 0, a guess, to 1, certain"},
        "reasoning": {"type": "string", "description": "One sentence"},
    });
    Schema::new(
        "question_kind",
        json!({
            "type": "object",
            "properties": properties,
            "required": ["category", "confidence", "reasoning"],
            "additionalProperties": false,
        }),
    )
}

/// The same in JSON.
#[derive(Deserialize)]
struct JsonForm {
    category: String,
    #[serde(default)]
    confidence: Value,
    #[serde(default)]
    reasoning: Option<String>,
}

impl JsonForm {
    fn read(self) -> Option<Classification> {
        Some(Classification {
            category: Category::parse(self.category.trim())?,
            confidence: self.confidence.as_f64().filter(|share| (0.0..=1.0).contains(share)),
            reasoning: one_line(&self.reasoning.unwrap_or_default()),
            fact: None,
        })
    }
}

/// Without line breaks, and not endless.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(MAX_REASONING_CHARS).collect()
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

/// Reads JSON, or `CATEGORY:`, `CONFIDENCE:` and `REASONING:` in any case and order, whatever marks
/// stand around them; a bare name of a category is enough. `None` when no category is named.
#[must_use]
pub fn parse(text: &str) -> Option<Classification> {
    if let Some(read) = structured::read(text).and_then(JsonForm::read) {
        return Some(read);
    }
    let mut category = None;
    let mut confidence = None;
    let mut reasoning: Vec<&str> = Vec::new();
    let mut in_reasoning = false;
    for line in text.lines() {
        let line = bare(line);
        if let Some(value) = labelled(line, "category") {
            // The last one counts: some models think aloud first.
            category = Category::parse(first_word(value)).or(category);
            in_reasoning = false;
        } else if let Some(value) = labelled(line, "confidence") {
            confidence = share(value).or(confidence);
            in_reasoning = false;
        } else if let Some(value) = labelled(line, "reasoning") {
            reasoning = vec![value];
            in_reasoning = true;
        } else if in_reasoning {
            reasoning.push(line);
        }
    }
    let named_alone = || Some(bare(text.trim())).filter(|text| text.len() < 12).map(first_word);
    let category = category.or_else(|| Category::parse(named_alone()?))?;
    Some(Classification { category, confidence, reasoning: one_line(&reasoning.join(" ")), fact: None })
}

/// What follows `name:` at the beginning of a line.
fn labelled<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.get(..name.len())?;
    if !start.eq_ignore_ascii_case(name) {
        return None;
    }
    let marks = ['*', '_', '`', ' '];
    let rest = line.get(name.len()..)?.trim_start_matches(marks).strip_prefix([':', '：'])?;
    Some(rest.trim_matches(marks))
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

/// Reads a share: `0.9`, `90%`, `9/10`. None outside 0 to 1.
fn share(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.');
    let (number, of) = if let Some(number) = text.strip_suffix('%') {
        (number, 100.0)
    } else if let Some((number, of)) = text.split_once('/') {
        (number, of.trim().parse().ok()?)
    } else {
        (text, 1.0)
    };
    let share: f64 = number.trim().replace(',', ".").parse::<f64>().ok()? / of;
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Words and phrases that tell a kind of question, in lower case.
const KEYWORDS: [(Category, &[&str]); 4] = [
    (
        Category::Coding,
        &[
            "algorithm",
            "api",
            "bug",
            "c#",
            "c++",
            "class",
            "code",
            "compile",
            "compiler",
            "css",
            "database",
            "debug",
            "docker",
            "exception",
            "function",
            "git",
            "html",
            "implement",
            "java",
            "javascript",
            "kubernetes",
            "linux",
            "method",
            "program",
            "programming",
            "python",
            "query",
            "refactor",
            "regex",
            "rust",
            "script",
            "segfault",
            "sql",
            "stack trace",
            "syntax",
            "typescript",
            "unit test",
            "variable",
        ],
    ),
    (
        Category::Creative,
        &[
            "brainstorm",
            "character",
            "dialogue",
            "fiction",
            "funny",
            "haiku",
            "imagine",
            "invent",
            "joke",
            "limerick",
            "lyrics",
            "name for",
            "novel",
            "plot",
            "poem",
            "rhyme",
            "scene",
            "screenplay",
            "short story",
            "slogan",
            "song",
            "story",
            "tagline",
            "tale",
            "write a letter",
            "write a speech",
        ],
    ),
    (
        Category::Factual,
        &[
            "capital of",
            "define",
            "definition",
            "discovered",
            "founded",
            "history of",
            "how does",
            "how far",
            "how long",
            "how many",
            "how much",
            "how old",
            "invented",
            "meaning of",
            "population",
            "what are",
            "what does",
            "what is",
            "what was",
            "what year",
            "when did",
            "when was",
            "where is",
            "who is",
            "who was",
        ],
    ),
    (
        Category::Analysis,
        &[
            "advantages",
            "analyse",
            "analyze",
            "argue",
            "argument",
            "assess",
            "better than",
            "compare",
            "comparison",
            "consequences",
            "contrast",
            "critique",
            "decide",
            "difference between",
            "disadvantages",
            "evaluate",
            "implications",
            "pros and cons",
            "recommend",
            "should i",
            "should we",
            "strategy",
            "trade-off",
            "trade-offs",
            "versus",
            "vs",
            "weigh",
            "which is better",
        ],
    ),
];

/// A guess by single words of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    pub category: Category,
    /// Never more than 0.5.
    pub confidence: f64,
    /// The words, at most five.
    pub words: Vec<&'static str>,
}

/// Guesses by single words of the question.
#[must_use]
pub fn by_keywords(question: &str) -> Guess {
    let kept = |c: char| if c.is_alphanumeric() || "+#-'".contains(c) { c } else { ' ' };
    let lower: String = question.chars().take(QUOTED_CHARS).flat_map(char::to_lowercase).map(kept).collect();
    let words = format!(" {} ", lower.split_whitespace().collect::<Vec<_>>().join(" "));
    let found = |keywords: &[&'static str]| -> Vec<&'static str> {
        keywords.iter().filter(|word| words.contains(&format!(" {word} "))).copied().collect()
    };
    let mut hits: Vec<(Category, Vec<&'static str>)> =
        KEYWORDS.iter().map(|(category, keywords)| (*category, found(keywords))).collect();
    // Stable: of equals the first in the list.
    hits.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
    let (category, words) = &hits[0];
    if words.is_empty() {
        return Guess { category: Category::General, confidence: 0.3, words: Vec::new() };
    }
    let leads_alone = hits[1].1.len() < words.len();
    Guess {
        category: *category,
        confidence: if leads_alone { 0.5 } else { 0.3 },
        words: words.iter().take(5).copied().collect(),
    }
}

#[cfg(test)]
mod tests;
