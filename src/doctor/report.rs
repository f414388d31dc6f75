//! What an examination found, as it goes out: each finding with its state, a sentence, and the same as a code with
//! parameters.

use serde::Serialize;
use utoipa::ToSchema;

use super::advice::Advice;
use super::fact::CheckFact;
use super::model_fact::ProbeFact;
use super::verdict_fact::Verdict;

/// What an examination found.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = CheckReport)]
pub struct Report {
    /// Whether a council can be held: the database can be used, at least two members answer, and there is a model to
    /// write the final answer.
    pub council: bool,
    /// The result in a sentence.
    pub message: String,
    pub fact: Verdict,
    /// This program's version.
    pub version: String,
    /// When it was begun (RFC 3339).
    pub at: String,
    pub took_ms: u64,
    /// Configuration, database, storage, sign-in, in this order.
    pub checks: Vec<Check>,
    /// In the order of their names, the default provider first.
    pub providers: Vec<ProviderCheck>,
    /// Members first, then the others who sit somewhere, then those that were named for this examination.
    pub models: Vec<ModelCheck>,
    pub cost: CheckCost,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CheckState)]
pub enum State {
    Ok,
    /// It works, but perhaps not as intended.
    Warning,
    Failed,
    /// It is not available, as was known before or was answered.
    NotOffered,
    /// It was not tried.
    Skipped,
}

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CheckArea)]
pub enum Area {
    Configuration,
    Database,
    Storage,
    /// How people sign in.
    Identity,
}

/// A check of something other than providers and models.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Check {
    pub area: Area,
    pub state: State,
    /// What was found and, where there is something to do, what.
    pub message: String,
    pub fact: CheckFact,
}

impl Check {
    pub(super) fn new(area: Area, state: State, fact: CheckFact) -> Self {
        Self { area, state, message: fact.to_string(), fact }
    }
}

/// A provider, by its list of models.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProviderCheck {
    pub name: String,
    /// Whether models named without a provider are its.
    pub is_default: bool,
    pub simulated: bool,
    pub state: State,
    pub message: String,
    pub fact: ProbeFact,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// The advice in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_to_do: Option<String>,
    /// How many models it offers; absent when that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<usize>,
    /// How long its list took.
    pub total_ms: u64,
}

/// Where a model sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CheckSeat)]
pub enum Seat {
    Member,
    Chairman,
    /// Writes when the chairman cannot.
    Fallback,
    Title,
    /// Small tasks.
    Utility,
    /// Reviews in the members' place.
    Reviewer,
    Research,
    /// Answers searches.
    Search,
    /// Sits nowhere; it was named for this examination.
    Named,
}

impl Seat {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Chairman => "chairman",
            Self::Fallback => "fallback",
            Self::Title => "title",
            Self::Utility => "utility",
            Self::Reviewer => "reviewer",
            Self::Research => "research",
            Self::Search => "search",
            Self::Named => "named",
        }
    }
}

/// A model, and how it answered.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ModelCheck {
    /// The model's id as it is configured.
    pub model: String,
    /// The name of its provider.
    pub provider: String,
    pub seats: Vec<Seat>,
    pub simulated: bool,
    /// Whether its provider's list has it; absent when the list is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<bool>,
    /// The nearest present name of its family, where the model is not on the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Ok: it answered in every way that was tried. Warning: in some. Failed: in none.
    pub state: State,
    pub message: String,
    pub fact: ProbeFact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// The advice in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_to_do: Option<String>,
    /// Until the first token of the streamed reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// The longest of the replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
    /// Absent when it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What its probes cost, in USD; absent when that is unknown, or for a part of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Each way to ask, in the order in which they are tried.
    pub probes: Vec<Probe>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[schema(as = CheckPrice)]
pub struct Price {
    pub prompt_per_million_usd: f64,
    pub completion_per_million_usd: f64,
}

/// A way to ask a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CheckProbeKind)]
pub enum ProbeKind {
    /// For a word, token by token.
    Streamed,
    /// For a word, in one piece.
    Whole,
    /// For JSON of a given schema.
    StructuredOutput,
    /// For a call of a tool.
    Tools,
}

/// One way in which a model was asked.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = CheckProbe)]
pub struct Probe {
    pub probe: ProbeKind,
    pub state: State,
    pub message: String,
    pub fact: ProbeFact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
    /// USD; absent when it is unknown or nothing was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Probe {
    /// A probe that is not made, or of which there is nothing more to say.
    pub(super) fn new(probe: ProbeKind, state: State, fact: ProbeFact) -> Self {
        Self { probe, state, message: fact.to_string(), fact, ttft_ms: None, total_ms: None, cost_usd: None }
    }
}

/// What the examination cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, ToSchema)]
pub struct CheckCost {
    /// The most that it may cost, in USD.
    pub max_usd: f64,
    /// What it was expected to cost at most if everything were asked, in USD; models of unknown price are not in it.
    pub expected_usd: f64,
    /// What the answers cost, in USD, as far as it is known.
    pub spent_usd: f64,
    /// Calls whose cost is unknown.
    pub unpriced_calls: u32,
}
