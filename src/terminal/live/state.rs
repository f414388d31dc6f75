//! What a run looks like at one moment: the only thing that views read.

use serde::Serialize;

use super::families::adversary::shape::Adversary;
use super::families::cache::shape::Cache;
use super::families::chairmen::shape::Chairmen;
use super::families::checks::shape::Check;
use super::families::choosing::shape::{Consensus, Escalation, Routing};
use super::families::final_answer::shape::FinalAnswer;
use super::families::lookups::shape::Place;
use super::families::parts::shape::Decomposition;
use super::families::refinement::shape::Refinement;
use super::families::reviews::shape::{Ranking, Review, SecondReading, Weights};
use super::families::rounds::shape::Debate;
use super::families::searches::shape::{Research, Source, WebSearch};
use super::piece::{Abstention, Answer, Budget, Confidence, Costs, Ignored, Note, RunStatus};

/// A run, as far as it has been told.
///
/// `phase` is a stage by the server's name of it (`stage1`, `round2`, `sub1`, `refinement`, …), `waiting` before the
/// first and `ended` after the last. Which format a run has shows in what is there: `debate` and `decomposition`
/// (unless that was skipped) stand where the answers and reviews of a council do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveRun {
    pub run_id: Option<String>,
    pub conversation_id: Option<String>,
    pub message_id: Option<String>,
    pub status: RunStatus,
    pub phase: String,
    /// The place in the queue for a free place at the server, 1 is next; `None` when in none.
    pub queue_position: Option<u64>,
    /// Why the run failed.
    pub error: Option<String>,
    pub error_kind: Option<String>,
    pub ignored: Vec<Ignored>,

    /// An earlier answer to the same question; `None` where nobody looked for one.
    pub cache: Option<Cache>,
    /// By number, each once, whoever found them.
    pub sources: Vec<Source>,
    pub research: Option<Research>,
    pub web_search: Option<WebSearch>,
    pub routing: Option<Routing>,
    pub escalation: Option<Escalation>,

    pub answers: Vec<Answer>,
    pub confidence: Option<Confidence>,
    /// What members look up while they write, by where they speak; see [`LiveRun::lookups_of`].
    pub lookups: Vec<Place>,

    /// By which criteria the reviewers judge, where whoever asks has given some: its name, and its text.
    pub rubric: Option<(String, String)>,
    pub reviews: Vec<Review>,
    pub abstained: Vec<Abstention>,
    /// Which member stands behind a label, as `Response A`.
    pub labels: Vec<(String, String)>,
    pub ranking: Ranking,
    pub second_reading: Option<SecondReading>,
    pub weights: Option<Weights>,
    pub consensus: Option<Consensus>,

    /// A debate's judgment and what is put together of a decomposition's parts stand here too.
    pub final_answer: FinalAnswer,
    /// Several chairmen's drafts, and the choice among them.
    pub chairmen: Option<Chairmen>,
    /// What the chairman checks before it writes.
    pub checks: Vec<Check>,
    pub refinement: Option<Refinement>,
    pub adversary: Option<Adversary>,

    pub debate: Option<Debate>,
    pub decomposition: Option<Decomposition>,

    /// Whether the run tells what goes on, sentence by sentence.
    pub has_log: bool,
    /// Those sentences, as far as they were followed: they are not stored with the message.
    pub notes: Vec<Note>,
    pub budgets: Vec<Budget>,
    pub costs: Option<Costs>,
    /// What the conversation is called now.
    pub title: Option<String>,
}

impl Default for LiveRun {
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
            cache: None,
            sources: Vec::new(),
            research: None,
            web_search: None,
            routing: None,
            escalation: None,
            answers: Vec::new(),
            confidence: None,
            lookups: Vec::new(),
            rubric: None,
            reviews: Vec::new(),
            abstained: Vec::new(),
            labels: Vec::new(),
            ranking: Ranking::default(),
            second_reading: None,
            weights: None,
            consensus: None,
            final_answer: FinalAnswer::default(),
            chairmen: None,
            checks: Vec::new(),
            refinement: None,
            adversary: None,
            debate: None,
            decomposition: None,
            has_log: false,
            notes: Vec::new(),
            budgets: Vec::new(),
            costs: None,
            title: None,
        }
    }
}
