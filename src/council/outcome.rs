//! What is stored of a run: a fold over its events, so that stream and history cannot disagree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::{BudgetEvent, BudgetState};
use super::costs::Costs;
use super::event::{Event, RunEvent};
use super::options::adversary::Adversary;
use super::options::confidence::AggregateConfidence;
use super::options::consensus::ConsensusInfo;
use super::options::escalation::{EscalationEvent, EscalationInfo};
use super::options::multi_chairman;
use super::options::refinement::{Refinement, RefinementEvent};
use super::options::routing::{RoutingEvent, RoutingInfo};
use super::plan::Ignored;
use super::ranking::aggregate::{AggregateFacts, AggregateRow};
use super::ranking::label::Label;
use super::ranking::weights::WeightsInfo;
use super::run::{Stage, UnderWay};
use super::stages::answers::{self, Answer, AnswersEvent, Seat, is_false};
use super::stages::reviews::{Review, ReviewsEvent};
use super::stages::synthesis::{Synthesis, SynthesisEvent};
use super::stages::title::TitleEvent;
use crate::llm::ErrorKind;

/// An assistant message's content: everything the council said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Deliberation {
    /// The members' answers, in the council's order once all are there.
    pub stage1: Option<Vec<Answer>>,
    /// The reviews.
    pub stage2: Option<Vec<Review>>,
    /// The chairman's answer.
    pub stage3: Option<Synthesis>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_confidence: Option<AggregateConfidence>,
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
    #[serde(skip_serializing_if = "is_false")]
    pub process_log: bool,
    /// Options that were switched on and did not apply, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
    /// Budgets that this run found, or left, nearly used up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget_warnings: Vec<BudgetState>,
    /// The title this run gave its conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Deliberation {
    /// Takes in one event. Tokens change nothing: results arrive whole.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Routing(RoutingEvent::RoutingComplete { data }) => {
                self.metadata.routing_info = Some((**data).clone());
            }
            Event::Escalation(event) => self.apply_escalation(event),
            Event::Answers(event) => self.apply_answers(event),
            Event::Reviews(event) => self.apply_reviews(event),
            Event::Synthesis(SynthesisEvent::Stage3Complete { data, consensus_info, .. }) => {
                self.stage3 = Some((**data).clone());
                self.metadata.consensus_info = consensus_info.as_deref().cloned();
            }
            Event::MultiChairman(event) => multi_chairman::keep(&mut self.stage3, event),
            Event::Refinement(event) => self.apply_refinement(event),
            Event::Adversary(event) => {
                self.metadata.adversary.get_or_insert_default().apply(event);
                self.revise(event.new_answer());
            }
            Event::Title(TitleEvent::TitleComplete { data }) => {
                self.metadata.title = Some(data.title.clone());
            }
            Event::Run(RunEvent::CostsComplete { data }) => self.apply_costs(data),
            Event::Run(RunEvent::RunStarted { ignored, .. }) => self.metadata.ignored.clone_from(ignored),
            Event::Budget(BudgetEvent::BudgetWarning { data }) => {
                let known = &mut self.metadata.budget_warnings;
                if !known.iter().any(|known| known.key() == data.key()) {
                    known.push(data.clone());
                }
            }
            // The log keeps what the process monitor says; it tells nothing that is not here.
            Event::Process(_) => self.metadata.process_log = true,
            Event::Run(_) | Event::Routing(_) | Event::Consensus(_) | Event::Synthesis(_) => {}
        }
    }

    /// An option that was ended in its middle has not said itself what it cost.
    fn apply_costs(&mut self, costs: &Costs) {
        let of = |stage: Stage| costs.by_stage.get(&stage).copied().unwrap_or_default();
        if let Some(refinement) = &mut self.metadata.refinement {
            let spent = of(Stage::Refinement);
            refinement.total_cost = spent.cost;
            refinement.unknown_cost_calls = spent.unknown_cost_calls;
        }
        if let Some(adversary) = &mut self.metadata.adversary {
            let spent = of(Stage::Adversary);
            adversary.total_cost = spent.cost;
            adversary.unknown_cost_calls = spent.unknown_cost_calls;
        }
        self.metadata.costs = Some(costs.clone());
    }

    fn apply_answers(&mut self, event: &AnswersEvent) {
        match event {
            AnswersEvent::Stage1ModelComplete { data, .. } | AnswersEvent::Stage1Error { data, .. } => {
                self.put_answer((**data).clone());
            }
            AnswersEvent::Stage1Complete { data, metadata } => {
                self.stage1 = Some(data.clone());
                self.metadata.aggregate_confidence = Some(metadata.aggregate_confidence.clone());
                if let Some(info) = &metadata.escalation_info {
                    self.metadata.escalation_info = Some((**info).clone());
                }
            }
            AnswersEvent::Stage1Start { .. }
            | AnswersEvent::Stage1Token { .. }
            | AnswersEvent::Stage1ReasoningToken { .. } => {}
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

    /// Keeps a place for each of these.
    fn expect(&mut self, seats: &[Seat], tier: u8) {
        let answers = self.stage1.get_or_insert_default();
        for seat in seats {
            if !answers.iter().any(|answer| answer.member == seat.member) {
                answers.push(Answer::pending(seat.clone(), Some(tier)));
            }
        }
    }

    /// A late answer takes the place that was kept for it.
    fn put_answer(&mut self, answer: Answer) {
        let answers = self.stage1.get_or_insert_default();
        match answers.iter_mut().find(|known| known.member == answer.member) {
            Some(known) => *known = answer,
            None => answers.push(answer),
        }
    }

    fn apply_reviews(&mut self, event: &ReviewsEvent) {
        match event {
            // Reviews held before have other labels, and count no longer.
            ReviewsEvent::Stage2Start { .. } => {
                self.stage2 = None;
                self.metadata.label_to_model.clear();
                self.metadata.label_to_member.clear();
                self.metadata.aggregate_rankings.clear();
                self.metadata.aggregate = None;
            }
            ReviewsEvent::Stage2ModelComplete { data, .. } => {
                self.stage2.get_or_insert_default().push((**data).clone());
            }
            ReviewsEvent::Stage2Complete { data, metadata } => {
                self.stage2 = Some(data.clone());
                let metadata = (**metadata).clone();
                self.metadata.label_to_model = metadata.label_to_model;
                self.metadata.label_to_member = metadata.label_to_member;
                self.metadata.aggregate_rankings = metadata.aggregate_rankings;
                self.metadata.aggregate = metadata.aggregate;
                if let Some(info) = metadata.escalation_info {
                    self.metadata.escalation_info = Some(*info);
                }
                self.metadata.use_weighted_consensus = metadata.use_weighted_consensus;
                self.metadata.weights_info = metadata.weights_info;
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

    /// A revision is the answer as soon as it is whole.
    fn revise(&mut self, revision: Option<&str>) {
        if let (Some(synthesis), Some(revision)) = (&mut self.stage3, revision) {
            synthesis.replace(revision);
        }
    }

    /// Keeps what had been shown of calls that never ended.
    pub fn keep_unfinished(&mut self, calls: &[UnderWay], reason: &str) {
        for call in calls {
            let response = call.text.clone();
            let error = Some(reason.to_owned());
            let error_kind = Some(ErrorKind::Cancelled);
            match call.stage {
                Stage::Stage1 => {
                    let member = call.member.clone().unwrap_or_else(|| call.model.clone());
                    let known = self.stage1.iter().flatten().find(|answer| answer.member == member);
                    let (alias, tier) = known.map(|seat| (seat.alias.clone(), seat.tier)).unwrap_or_default();
                    let model = call.model.clone();
                    self.put_answer(Answer {
                        model,
                        member,
                        alias,
                        tier,
                        response,
                        error,
                        error_kind,
                        ..Answer::default()
                    });
                }
                Stage::Stage3 if multi_chairman::keep_unfinished(&mut self.stage3, call, reason) => {}
                Stage::Stage3 => {
                    self.stage3 = Some(Synthesis {
                        model: call.model.clone(),
                        response,
                        heading: "Not finished".to_owned(),
                        error,
                        error_kind,
                        syntheses: self.stage3.take().map(|stage3| stage3.syntheses).unwrap_or_default(),
                        ..Synthesis::default()
                    });
                }
                Stage::Refinement => {
                    if let Some(refinement) = &mut self.metadata.refinement {
                        refinement.keep_unfinished(call, reason);
                    }
                }
                Stage::Adversary => {
                    if let Some(adversary) = &mut self.metadata.adversary {
                        adversary.keep_unfinished(call.purpose, &call.text, reason);
                    }
                }
                Stage::Routing | Stage::Stage2 | Stage::Title => {}
            }
        }
        for answer in self.stage1.iter_mut().flatten().filter(|answer| answer.pending) {
            answer.pending = false;
            answer.error = Some(reason.to_owned());
            answer.error_kind = Some(ErrorKind::Cancelled);
        }
        if let Some(answers) = &self.stage1 {
            self.metadata.aggregate_confidence.get_or_insert_with(|| answers::summary(answers));
        }
    }

    /// The final answer's text, for history and search.
    #[must_use]
    pub fn answer_text(&self) -> Option<&str> {
        self.stage3
            .as_ref()
            .filter(|synthesis| synthesis.error.is_none())
            .map(|synthesis| synthesis.response.as_str())
    }
}
