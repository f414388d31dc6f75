//! What every run has, whatever its format and its options: the acts, its notes, and what it costs.

use serde::Serialize;

use super::features::final_answer::shape::FinalAnswer;
use super::features::reviews::shape::{Ranking, Review};
use super::piece::{Abstention, Answer, Budget, Confidence, Costs, Ignored, Note, RunStatus};

/// The state that every run has.
///
/// `phase` is the server's name of a stage (`stage1`, `stage2`, `stage3`, or that of an option or a format), `waiting`
/// before the first and `ended` after the last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    pub run_id: Option<String>,
    pub conversation_id: Option<String>,
    pub message_id: Option<String>,
    pub status: RunStatus,
    pub phase: String,
    /// The position in the queue for a free slot at the server, 1 is next; `None` when not queued.
    pub queue_position: Option<u64>,
    /// Why the run failed.
    pub error: Option<String>,
    pub error_kind: Option<String>,
    pub ignored: Vec<Ignored>,

    pub answers: Vec<Answer>,
    pub confidence: Option<Confidence>,

    pub reviews: Vec<Review>,
    pub abstained: Vec<Abstention>,
    /// The labels, such as `Response A`, each with the member behind it.
    pub labels: Vec<(String, String)>,
    pub ranking: Ranking,

    /// The final answer, whoever writes it.
    pub final_answer: FinalAnswer,

    /// Whether the run reports what goes on, sentence by sentence.
    pub has_log: bool,
    /// Those sentences, as far as they were followed: they are not stored with the message.
    pub notes: Vec<Note>,
    pub budgets: Vec<Budget>,
    pub costs: Option<Costs>,
    /// The current title of the conversation.
    pub title: Option<String>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            run_id: None,
            conversation_id: None,
            message_id: None,
            status: RunStatus::Queued,
            phase: "waiting".to_owned(),
            queue_position: None,
            error: None,
            error_kind: None,
            ignored: Vec::new(),
            answers: Vec::new(),
            confidence: None,
            reviews: Vec::new(),
            abstained: Vec::new(),
            labels: Vec::new(),
            ranking: Ranking::default(),
            final_answer: FinalAnswer::default(),
            has_log: false,
            notes: Vec::new(),
            budgets: Vec::new(),
            costs: None,
            title: None,
        }
    }
}
