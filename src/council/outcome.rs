//! What is stored of a run: a fold over its events, so that stream and history cannot disagree.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::costs::Costs;
use super::event::{Event, RunEvent};
use super::options::confidence::AggregateConfidence;
use super::options::routing::{RoutingEvent, RoutingInfo};
use super::plan::Ignored;
use super::ranking::aggregate::{AggregateFacts, AggregateRow};
use super::ranking::label::Label;
use super::run::{Stage, UnderWay};
use super::stages::answers::{self, Answer, AnswersEvent};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_confidence: Option<AggregateConfidence>,
    /// Who was to answer, and why, where the question was routed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_info: Option<RoutingInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// Options that were switched on and did not apply, each with its reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Ignored>,
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
            Event::Answers(event) => self.apply_answers(event),
            Event::Reviews(event) => self.apply_reviews(event),
            Event::Synthesis(SynthesisEvent::Stage3Complete { data }) => self.stage3 = Some((**data).clone()),
            Event::Title(TitleEvent::TitleComplete { data }) => {
                self.metadata.title = Some(data.title.clone());
            }
            Event::Run(RunEvent::CostsComplete { data }) => self.metadata.costs = Some(data.clone()),
            Event::Run(RunEvent::RunStarted { ignored, .. }) => self.metadata.ignored.clone_from(ignored),
            Event::Run(_) | Event::Routing(_) | Event::Synthesis(_) => {}
        }
    }

    fn apply_answers(&mut self, event: &AnswersEvent) {
        match event {
            AnswersEvent::Stage1ModelComplete { data, .. } | AnswersEvent::Stage1Error { data, .. } => {
                self.put_answer((**data).clone());
            }
            AnswersEvent::Stage1Complete { data, metadata } => {
                self.stage1 = Some(data.clone());
                self.metadata.aggregate_confidence = Some(metadata.aggregate_confidence.clone());
            }
            AnswersEvent::Stage1Start { .. }
            | AnswersEvent::Stage1Token { .. }
            | AnswersEvent::Stage1ReasoningToken { .. } => {}
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
            ReviewsEvent::Stage2Start { .. } => {}
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
            }
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
                    let answer = Answer {
                        model: call.model.clone(),
                        member,
                        response,
                        error,
                        error_kind,
                        ..Answer::default()
                    };
                    self.put_answer(answer);
                }
                Stage::Stage3 => {
                    self.stage3 = Some(Synthesis {
                        model: call.model.clone(),
                        response,
                        heading: "Not finished".to_owned(),
                        error,
                        error_kind,
                        ..Synthesis::default()
                    });
                }
                Stage::Routing | Stage::Stage2 | Stage::Refinement | Stage::Adversary | Stage::Title => {}
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
