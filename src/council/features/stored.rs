//! What each feature leaves in a message: the shape that is stored, and the fold that makes it of a run's events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::council::any_event::AnyEvent;
use crate::council::budget::{BudgetEvent, BudgetState};
use crate::council::checking::CheckEvent;
use crate::council::checking::trace::{self, CheckStep};
use crate::council::correction::Correction;
use crate::council::costs::Costs;
use crate::council::debate::fold::Common;
use crate::council::formats::stored::Stored;
use crate::council::options::adversary::{self, Adversary, AdversaryEvent};
use crate::council::options::cache::event::{CacheEvent, CacheInfo};
use crate::council::options::confidence::AggregateConfidence;
use crate::council::options::consensus::ConsensusInfo;
use crate::council::options::escalation::{EscalationEvent, EscalationInfo};
use crate::council::options::jury::info::SecondReading;
use crate::council::options::jury::second::{self, SecondReadingEvent};
use crate::council::options::multi_chairman;
use crate::council::options::refinement::{self, Refinement, RefinementEvent};
use crate::council::options::research::{ResearchEvent, ResearchResult};
use crate::council::options::routing::{RoutingEvent, RoutingInfo};
use crate::council::options::rubric::Rubric;
use crate::council::options::web_search::{WebSearch, WebSearchEvent};
use crate::council::pictures::PicturesInfo;
use crate::council::process::ProcessEvent;
use crate::council::prompts::own::OwnPrompt;
use crate::council::ranking::aggregate::{AggregateFacts, AggregateRow};
use crate::council::ranking::label::Label;
use crate::council::ranking::weights::WeightsInfo;
use crate::council::run::UnderWay;
use crate::council::run_event::{Ignored, RunEvent};
use crate::council::searching::source::Source;
use crate::council::searching::source_list;
use crate::council::stage::Stage;
use crate::council::stages::abstention::Abstention;
use crate::council::stages::answers::{self, Answer};
use crate::council::stages::reviews::Review;
use crate::council::stages::synthesis::{self, Synthesis, SynthesisEvent};
use crate::council::stages::title::TitleEvent;
use crate::council::tool_use::event::ToolEvent;
use crate::llm::CallFact;

/// An assistant message's content: everything the council said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Deliberation {
    /// What was researched before anybody answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage0: Option<ResearchResult>,
    /// The members' answers, in the council's order once all are there.
    pub stage1: Option<Vec<Answer>>,
    /// The reviews.
    pub stage2: Option<Vec<Review>>,
    /// The chairman's answer.
    pub stage3: Option<Synthesis>,
    /// What other formats have besides.
    #[serde(flatten)]
    pub format: Stored,
    pub metadata: Metadata,
}

/// What stands beside the stages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Metadata {
    /// `Response A` → model id.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_model: BTreeMap<Label, String>,
    /// `Response A` → the seat's name.
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_member: BTreeMap<Label, String>,
    pub aggregate_rankings: Vec<AggregateRow>,
    pub aggregate: Option<AggregateFacts>,
    /// Whether ballots counted by their authors' records.
    pub use_weighted_consensus: bool,
    /// What each reviewer's ballot weighed, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_info: Option<WeightsInfo>,
    /// By which criteria the reviewers judged, as they were then, where whoever asked gave some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubric: Option<Rubric>,
    /// What whoever asked has added to the question while its members answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// Which pictures the question came with, and who was shown them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pictures: Option<PicturesInfo>,
    /// Whether the answers were read a second time, and why, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_reading: Option<SecondReading>,
    /// The members that were not asked to review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abstained: Vec<Abstention>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_confidence: Option<AggregateConfidence>,
    /// Whether an earlier answer was found and given, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheInfo>,
    /// What one search for the question found, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_search: Option<WebSearch>,
    /// What whoever wrote the answer checked first, turn by turn.
    #[serde(rename = "react", skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckStep>,
    /// Every source that the run found, by its number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Whether the question was routed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub use_dynamic_routing: bool,
    /// Whether the council agreed, so that the chairman was not asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub early_exit: bool,
    /// Who was to answer, and why, where the question was routed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_info: Option<RoutingInfo>,
    /// Whether the second tier was asked, and why, where the run might escalate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_info: Option<EscalationInfo>,
    /// Whether the council agreed so that nobody had to write, and why, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus_info: Option<ConsensusInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// How the draft was refined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
    /// What the devil's advocate said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adversary: Option<Adversary>,
    /// Whether the run's events tell what went on, sentence by sentence (`process`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub process_log: bool,
    /// Options that were switched on and did not apply, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
    /// Which texts that its models were asked with are the administrator's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<OwnPrompt>,
    /// Budgets that this run found, or left, nearly used up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget_warnings: Vec<BudgetState>,
    /// The title this run gave its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Deliberation {
    /// Takes in one event. Tokens change nothing: results arrive whole.
    pub fn apply(&mut self, event: &AnyEvent) {
        if let Some(RoutingEvent::RoutingComplete { data }) = event.get() {
            self.metadata.routing_info = Some((**data).clone());
            self.metadata.use_dynamic_routing = true;
        } else if let Some(event) = event.get::<CacheEvent>() {
            self.metadata.cache.get_or_insert_default().apply(event);
        } else if let Some(event) = event.get() {
            self.apply_research(event);
        } else if let Some(event) = event.get() {
            self.apply_web_search(event);
        } else if let Some(event) = event.get::<CheckEvent>() {
            source_list::keep(&mut self.metadata.sources, event.sources());
            trace::apply(&mut self.metadata.checks, event);
        } else if let Some(event) = event.get::<ToolEvent>() {
            source_list::keep(&mut self.metadata.sources, event.sources());
        } else if let Some(event) = event.get() {
            self.apply_escalation(event);
        } else if let Some(event) = event.get() {
            self.apply_answers(event);
        } else if let Some(event) = event.get() {
            self.apply_reviews(event);
        } else if let Some(event) = event.get() {
            self.apply_second_reading(event);
        } else if let Some(SynthesisEvent::Stage3Complete { data, consensus_info, .. }) = event.get() {
            self.stage3 = Some((**data).clone());
            self.metadata.consensus_info = consensus_info.as_deref().cloned();
            self.metadata.early_exit = consensus_info.as_ref().is_some_and(|info| info.is_consensus);
            self.read_citations();
        } else if let Some(common) = self.format.apply(event) {
            self.apply_common(common);
        } else if let Some(event) = event.get() {
            multi_chairman::keep(&mut self.stage3, event);
        } else if let Some(event) = event.get() {
            self.apply_refinement(event);
        } else if let Some(event) = event.get::<AdversaryEvent>() {
            self.metadata.adversary.get_or_insert_default().apply(event);
            self.revise(event.new_answer());
        } else if let Some(TitleEvent::TitleComplete { data }) = event.get() {
            self.metadata.title = Some(data.title.clone());
        } else if let Some(RunEvent::CostsComplete { data }) = event.get() {
            self.apply_costs(data);
        } else if let Some(RunEvent::RunStarted { ignored, prompts, rubric, pictures, corrections, .. }) =
            event.get()
        {
            self.add_corrections(corrections);
            self.metadata.ignored.clone_from(ignored);
            self.metadata.rubric.clone_from(rubric);
            self.metadata.pictures.clone_from(pictures);
            self.metadata.prompts.clone_from(prompts);
        } else if let Some(RunEvent::CorrectionAdded { data }) = event.get() {
            self.add_corrections(std::slice::from_ref(data));
        } else if let Some(BudgetEvent::BudgetWarning { data }) = event.get() {
            let known = &mut self.metadata.budget_warnings;
            if !known.iter().any(|known| known.key() == data.key()) {
                known.push(data.clone());
            }
        } else if event.get::<ProcessEvent>().is_some() {
            // The log keeps the process monitor's sentences; they say nothing that is not stored here.
            self.metadata.process_log = true;
        }
    }

    /// Whether its answer is an earlier one, given again.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.metadata.cache.as_ref().is_some_and(CacheInfo::is_hit)
    }

    /// An option that was interrupted has not reported its cost itself.
    fn apply_costs(&mut self, costs: &Costs) {
        if self.is_repeated() {
            // A replayed result has reported its cost in its own run.
            self.metadata.costs = Some(costs.clone());
            return;
        }
        let of = |stage: &Stage| costs.by_stage.get(stage).copied().unwrap_or_default();
        if let Some(refinement) = &mut self.metadata.refinement {
            let spent = of(&refinement::STAGE);
            refinement.total_cost = spent.cost;
            refinement.unknown_cost_calls = spent.unknown_cost_calls;
        }
        if let Some(adversary) = &mut self.metadata.adversary {
            let spent = of(&adversary::STAGE);
            adversary.total_cost = spent.cost;
            adversary.unknown_cost_calls = spent.unknown_cost_calls;
        }
        self.metadata.costs = Some(costs.clone());
    }

    fn add_corrections(&mut self, added: &[Correction]) {
        let known = &mut self.metadata.corrections;
        for correction in added {
            if !known.contains(correction) {
                known.push(correction.clone());
            }
        }
    }

    fn apply_research(&mut self, event: &ResearchEvent) {
        source_list::keep(&mut self.metadata.sources, event.sources());
        self.stage0.get_or_insert_default().apply(event);
    }

    fn apply_web_search(&mut self, event: &WebSearchEvent) {
        if let WebSearchEvent::WebSearchComplete { data } = event {
            source_list::keep(&mut self.metadata.sources, &data.sources);
            self.metadata.web_search = Some((**data).clone());
        }
    }

    fn apply_escalation(&mut self, event: &EscalationEvent) {
        match event {
            EscalationEvent::Tier1Start { members, .. } => self.expect(members, 1),
            EscalationEvent::Tier2Start { members, .. } => self.expect(members, 2),
            EscalationEvent::Tier1Complete { data, metadata } => {
                self.stage1 = Some(data.clone());
                self.metadata.aggregate_confidence = Some(metadata.aggregate_confidence.clone());
            }
            EscalationEvent::EscalationTriggered { data } => {
                self.metadata.escalation_info = Some((**data).clone());
            }
        }
    }

    fn apply_common(&mut self, common: Common<'_>) {
        match common {
            Common::Nothing => {}
            Common::Judged(synthesis) => self.stage3 = Some(synthesis.clone()),
            Common::RankingBegins { abstained } => self.metadata.abstained = abstained.to_vec(),
            Common::Voted(review) => self.put_review(review),
            Common::Ranked { reviews, metadata } => self.put_reviews(reviews, metadata),
        }
    }

    fn apply_second_reading(&mut self, event: &SecondReadingEvent) {
        match event {
            SecondReadingEvent::SecondReadingStart { data, .. } => {
                self.metadata.second_reading = Some(data.clone());
            }
            SecondReadingEvent::SecondReadingModelComplete { data, .. } => {
                second::put(self.stage2.as_deref_mut().unwrap_or_default(), (**data).clone());
            }
        }
    }

    fn apply_refinement(&mut self, event: &RefinementEvent) {
        let answer = self.answer_text().map(str::to_owned);
        let refinement = self.metadata.refinement.get_or_insert_with(|| Refinement {
            // Until there is a revision.
            final_response: answer.unwrap_or_default(),
            ..Refinement::default()
        });
        refinement.apply(event);
        self.revise(event.new_answer());
    }

    /// Keeps what had been shown of calls that never ended.
    pub fn keep_unfinished(&mut self, calls: &[UnderWay], fact: &CallFact) {
        for call in calls {
            if self.format.keep_unfinished(call, fact) {
                continue;
            }
            if call.stage == answers::STAGE {
                self.keep_unfinished_answer(call, fact);
            } else if call.stage == synthesis::STAGE {
                if !multi_chairman::keep_unfinished(&mut self.stage3, call, fact) {
                    self.keep_unfinished_synthesis(call, fact);
                }
            } else if call.stage == refinement::STAGE
                && let Some(refinement) = &mut self.metadata.refinement
            {
                refinement.keep_unfinished(call, fact);
            } else if call.stage == adversary::STAGE
                && let Some(adversary) = &mut self.metadata.adversary
            {
                adversary.keep_unfinished(call.purpose, &call.text);
            }
        }
        self.format.end_waiting(fact);
        self.end_waiting(fact);
    }
}
