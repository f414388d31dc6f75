//! What was said in a debate, as it is stored and sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::speaker::Speaker;
use crate::council::attached::FilesRead;
use crate::council::options::cot::Cot;
use crate::council::searching::citations::Citations;
use crate::council::seat::Seat;
use crate::council::stages::answers::Answer;
use crate::council::tool_use::ToolCallMade;
use crate::invisible::shows_nothing;
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ErrorKind, Usage};

/// One round of a debate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DebateRound {
    /// From 1.
    pub round_number: u32,
    /// What the speakers do in it, a word of the format: `position`, `rebuttal`, `closing` …
    pub round_type: String,
    /// One per speaker that was asked, in the council's order.
    pub responses: Vec<Statement>,
}

/// What one speaker said in one round, or why it did not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Statement {
    /// The name under which the others know it: `A`, `Participant A`, or the model where names are shown.
    pub label: String,
    pub model: String,
    /// The seat's name, unique in the council: the alias, else the model id.
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The model that really spoke, where the provider names another than the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
    /// The shown text; of a speaker that failed what had arrived, or nothing.
    pub text: String,
    /// The labels of those whose words it answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies_to: Vec<String>,
    /// The label of the one speaker that it criticises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critique_of: Option<String>,
    /// Its critiques of several speakers, where they stand under headings that can be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critiques: Vec<DebateCritique>,
    /// What it says to its critics, where that stands under a heading of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressed: Option<String>,
    /// Its answer as it stands now, where that stands under a heading of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised_answer: Option<String>,
    /// Whether the debate has changed its position; absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionChange>,
    /// What of the debate so far did not fit into its context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How much it read of the question's files for its opening, where its model's context has no room for more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_read: Option<FilesRead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cot: Option<Cot>,
    /// Streamed reasoning, shown apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Provider-specific reasoning blocks (string, object or array).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub reasoning_details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Time to the first token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// The provider refused the system prompt; the speaker was asked again without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub system_prompt_dropped: bool,
    /// The model stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// No model was asked: the simulated provider wrote this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Which of the run's sources it cites, where it cites any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Citations>,
    /// What it looked up before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls_made: Vec<ToolCallMade>,
    /// The model takes no tools; it was asked without.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_refused: bool,
    /// The text addresses its judges instead of the question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub addresses_judges: bool,
    /// The speaker has not finished yet; only in a run that is under way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}

/// What one speaker criticises in another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DebateCritique {
    /// The label of the one that it is about.
    pub of: String,
    pub text: String,
}

/// Whether the debate has changed a speaker's position, as it says itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PositionChange {
    /// Absent where it was asked and did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// The labels of those whose arguments changed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// What changed and why, in its own words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A statement that did not fit, or only in part, into a reader's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LeftOut {
    /// Whose it is; absent where it is the conversation before the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// In which round it was made; 0 for the conversation.
    #[serde(default)]
    pub round_number: u32,
    /// Its beginning and its end were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

impl Statement {
    /// The place of a statement that is still to come.
    #[must_use]
    pub fn pending(speaker: &Speaker) -> Self {
        let Seat { model, member, alias } = Seat::from(&speaker.member);
        Self { label: speaker.label.clone(), model, member, alias, pending: true, ..Self::default() }
    }

    /// Whether it is there and can be used.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.error.is_none() && !self.pending
    }

    /// The numbers of the sources that it cites.
    #[must_use]
    pub fn cited(&self) -> &[u32] {
        self.citations.as_ref().map_or(&[], |citations| citations.cited.as_slice())
    }

    /// The answer in it: the revised one where it has one, else the whole text.
    #[must_use]
    pub fn answer(&self) -> &str {
        self.revised_answer.as_deref().unwrap_or(&self.text)
    }

    /// Notes that it failed, and why.
    pub fn fail(&mut self, error: CallError) {
        self.pending = false;
        self.error = Some(error.message);
        self.error_kind = Some(error.kind);
        self.error_fact = error.fact;
    }

    /// Notes that it failed where its text says nothing: a reply may be the line of its position alone, or characters
    /// that nobody sees.
    pub(super) fn fail_if_silent(&mut self) {
        if !shows_nothing(&self.text) {
            return;
        }
        self.text.clear();
        if self.error.is_none() {
            self.fail(CallError::empty_answer(&self.model));
        }
    }

    /// An opening as an answer of the council, for ranking and counting.
    #[must_use]
    pub fn as_answer(&self) -> Answer {
        Answer {
            model: self.model.clone(),
            member: self.member.clone(),
            alias: self.alias.clone(),
            served_by: self.served_by.clone(),
            response: self.text.clone(),
            cost: self.cost,
            latency_ms: self.latency_ms,
            usage: self.usage,
            truncated: self.truncated,
            simulated: self.simulated,
            citations: self.citations.clone(),
            tool_calls_made: self.tool_calls_made.clone(),
            tools_refused: self.tools_refused,
            addresses_judges: self.addresses_judges,
            pending: self.pending,
            error: self.error.clone(),
            error_kind: self.error_kind,
            error_fact: self.error_fact.clone(),
            ..Answer::default()
        }
    }
}
