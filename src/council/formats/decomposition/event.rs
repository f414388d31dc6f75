//! The events of a decomposition. Where two existing clients know one thing under two names, both are sent.

use serde::{Deserialize, Serialize};

use super::complexity::Complexity;
use super::facts::SkipFact;
use super::part::SubResult;
use crate::council::seat::Seat;
use crate::council::stages::answers::Answer;
use crate::council::stages::synthesis::Synthesis;
use crate::llm::fact::known;
use crate::llm::{CallFact, ErrorKind};

/// The events of a decomposition. One that is skipped goes on with those of the council.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DecompositionEvent {
    /// The utility model is asked whether the question has parts.
    DecompositionStart { model: String },
    /// It is known whether the question has parts.
    ComplexityAnalyzed {
        #[serde(flatten)]
        complexity: Complexity,
        /// The same as `is_complex`.
        should_decompose: bool,
    },
    /// The question is not taken apart: the council answers it.
    DecompositionSkip {
        /// Why, for people.
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        reason_fact: Option<SkipFact>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
    },
    /// The parts of the question.
    SubQuestionsGenerated {
        sub_questions: Vec<String>,
        count: usize,
        /// USD; absent when unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    /// The members are asked one part.
    SubCouncilStart {
        /// From 0.
        index: usize,
        sub_index: usize,
        sub_question: String,
        members: Vec<Seat>,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A member has answered a part, or failed.
    SubCouncilResponse {
        index: usize,
        sub_index: usize,
        model: String,
        member: String,
        response: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        data: Box<Answer>,
    },
    /// The best answer to a part is found.
    SubCouncilComplete {
        index: usize,
        sub_index: usize,
        sub_question: String,
        best_answer: Option<String>,
        best_model: Option<String>,
        data: Box<SubResult>,
    },
    /// Every part has its answer, or has none.
    AllSubCouncilsComplete { results: Vec<PartResult> },
    /// A chairman begins to put the parts together; a second one means that the first failed: clear its text.
    MergeStart {
        model: String,
        /// The same as `model`.
        chairman_model: String,
        /// When it is asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
    /// A piece of the answer.
    MergeToken { model: String, content: String },
    /// A piece of the chairman's reasoning, shown apart.
    MergeReasoningToken { model: String, content: String },
    /// A chairman failed.
    MergeError {
        model: String,
        error: String,
        error_kind: ErrorKind,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
        error_fact: Option<CallFact>,
    },
    /// The answer is whole.
    MergeComplete { model: String, response: String, data: Box<Synthesis> },
    /// The decomposition is over.
    DecompositionComplete {
        sub_questions: Vec<String>,
        sub_results: Vec<PartResult>,
        final_response: String,
        chairman_model: String,
    },
}

/// What a part came to, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PartResult {
    pub sub_question: String,
    pub best_answer: Option<String>,
    pub best_model: Option<String>,
}

impl From<&SubResult> for PartResult {
    fn from(result: &SubResult) -> Self {
        Self {
            sub_question: result.sub_question.clone(),
            best_answer: result.best_answer.clone(),
            best_model: result.best_model.clone(),
        }
    }
}
