//! What is stored of a decomposition: a fold over its events.

use serde::{Deserialize, Serialize};

use super::complexity::Complexity;
use super::event::DecompositionEvent;
use super::facts::SkipFact;
use super::part::SubResult;
use crate::council::stages::answers::Answer;
use crate::council::stages::synthesis::Synthesis;
use crate::llm::CallFact;
use crate::llm::fact::known;

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct StoredDecomposition {
    /// Whether the question has parts; absent until that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// Why the council answered instead, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub skip_fact: Option<SkipFact>,
    pub sub_questions: Vec<String>,
    /// What came of each part that was asked.
    pub sub_results: Vec<SubResult>,
}

impl StoredDecomposition {
    /// Takes in one event; gives the answer that is put together.
    pub fn apply<'e>(&mut self, event: &'e DecompositionEvent) -> Option<&'e Synthesis> {
        match event {
            DecompositionEvent::ComplexityAnalyzed { complexity, .. } => {
                self.complexity = Some(complexity.clone());
            }
            DecompositionEvent::DecompositionSkip { reason, reason_fact, .. } => {
                self.skip_reason = Some(reason.clone());
                self.skip_fact.clone_from(reason_fact);
            }
            DecompositionEvent::SubQuestionsGenerated { sub_questions, .. } => {
                self.sub_questions.clone_from(sub_questions);
            }
            DecompositionEvent::SubCouncilStart { index, sub_question, members, .. } => {
                let pending = members.iter().map(|seat| Answer::pending(seat.clone(), None)).collect();
                self.sub_results.push(SubResult::of(*index, sub_question, pending));
                self.sub_results.sort_by_key(|result| result.index);
            }
            DecompositionEvent::SubCouncilResponse { index, data, .. } => {
                let result = self.sub_results.iter_mut().find(|result| result.index == *index);
                let responses = result.map(|result| &mut result.responses);
                if let Some(place) =
                    responses.and_then(|all| all.iter_mut().find(|one| one.member == data.member))
                {
                    place.clone_from(data);
                }
            }
            DecompositionEvent::SubCouncilComplete { index, data, .. } => {
                if let Some(place) = self.sub_results.iter_mut().find(|result| result.index == *index) {
                    place.clone_from(data);
                }
            }
            DecompositionEvent::MergeComplete { data, .. } => return Some(data),
            DecompositionEvent::DecompositionStart { .. }
            | DecompositionEvent::AllSubCouncilsComplete { .. }
            | DecompositionEvent::MergeStart { .. }
            | DecompositionEvent::MergeToken { .. }
            | DecompositionEvent::MergeReasoningToken { .. }
            | DecompositionEvent::MergeError { .. }
            | DecompositionEvent::DecompositionComplete { .. } => {}
        }
        None
    }

    /// Nobody is waited for any more.
    pub fn end_waiting(&mut self, fact: &CallFact) {
        let answers = self.sub_results.iter_mut().flat_map(|result| &mut result.responses);
        for answer in answers.filter(|answer| answer.pending) {
            answer.pending = false;
            answer.fail(fact.clone().into());
        }
    }
}
