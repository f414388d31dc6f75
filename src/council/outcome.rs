//! What is stored of a run: a fold over its events, so that stream and history cannot disagree.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::features::Deliberation;
use super::run::UnderWay;
use super::searching::citations::Citations;
use super::seat::Seat;
use super::stages::answers::{self, Answer, AnswersEvent};
use super::stages::reviews::{Review, ReviewsEvent, ReviewsMetadata};
use super::stages::synthesis::Synthesis;
use crate::llm::CallFact;

impl Deliberation {
    pub(super) fn apply_answers(&mut self, event: &AnswersEvent) {
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

    /// Keeps a place among the answers for each of these seats.
    pub(super) fn expect(&mut self, seats: &[Seat], tier: u8) {
        let answers = self.stage1.get_or_insert_default();
        for seat in seats {
            if !answers.iter().any(|answer| answer.member == seat.member) {
                answers.push(Answer::pending(seat.clone(), Some(tier)));
            }
        }
    }

    /// Stores an answer in the place that was kept for it.
    pub(super) fn put_answer(&mut self, answer: Answer) {
        let answers = self.stage1.get_or_insert_default();
        match answers.iter_mut().find(|known| known.member == answer.member) {
            Some(known) => *known = answer,
            None => answers.push(answer),
        }
    }

    pub(super) fn apply_reviews(&mut self, event: &ReviewsEvent) {
        match event {
            // Earlier reviews have other labels, and no longer count.
            ReviewsEvent::Stage2Start { abstained, .. } => {
                self.stage2 = None;
                self.metadata.abstained.clone_from(abstained);
                self.metadata.label_to_model.clear();
                self.metadata.label_to_member.clear();
                self.metadata.aggregate_rankings.clear();
                self.metadata.aggregate = None;
                self.metadata.second_reading = None;
            }
            ReviewsEvent::Stage2ModelComplete { data, .. } => self.put_review(data),
            ReviewsEvent::Stage2Complete { data, metadata } => self.put_reviews(data, metadata),
        }
    }

    /// Stores a review, in place of its author's earlier one.
    pub(super) fn put_review(&mut self, review: &Review) {
        let reviews = self.stage2.get_or_insert_default();
        match reviews.iter_mut().find(|known| known.member == review.member) {
            Some(known) => *known = review.clone(),
            None => reviews.push(review.clone()),
        }
    }

    /// Stores the result of the reviews.
    pub(super) fn put_reviews(&mut self, reviews: &[Review], metadata: &ReviewsMetadata) {
        self.stage2 = Some(reviews.to_vec());
        let metadata = metadata.clone();
        self.metadata.label_to_model = metadata.label_to_model;
        self.metadata.label_to_member = metadata.label_to_member;
        self.metadata.aggregate_rankings = metadata.aggregate_rankings;
        self.metadata.aggregate = metadata.aggregate;
        if let Some(info) = metadata.escalation_info {
            self.metadata.escalation_info = Some(*info);
        }
        self.metadata.use_weighted_consensus = metadata.use_weighted_consensus;
        self.metadata.weights_info = metadata.weights_info;
        self.metadata.second_reading = metadata.second_reading;
        self.metadata.abstained = metadata.abstained;
    }

    /// Replaces the final answer by a revision, which counts as soon as it is complete.
    pub(super) fn revise(&mut self, revision: Option<&str>) {
        if let (Some(synthesis), Some(revision)) = (&mut self.stage3, revision) {
            synthesis.replace(revision);
            self.read_citations();
        }
    }

    /// Reads what the final answer cites of everything that the run has found.
    pub(super) fn read_citations(&mut self) {
        let known: BTreeSet<u32> = self.metadata.sources.iter().map(|source| source.n).collect();
        if let Some(synthesis) = &mut self.stage3 {
            synthesis.citations = Citations::of(&synthesis.response, &known);
        }
    }

    /// Keeps what had been shown of an answer that never ended.
    pub(super) fn keep_unfinished_answer(&mut self, call: &UnderWay, fact: &CallFact) {
        let member = call.member.clone().unwrap_or_else(|| call.model.clone());
        let known = self.stage1.iter().flatten().find(|answer| answer.member == member);
        let (alias, tier) = known.map(|seat| (seat.alias.clone(), seat.tier)).unwrap_or_default();
        let mut answer = Answer {
            model: call.model.clone(),
            member,
            alias,
            tier,
            response: call.text.clone(),
            ..Answer::default()
        };
        answer.fail(fact.clone().into());
        self.put_answer(answer);
    }

    /// Keeps what had been shown of a chairman's text that never ended.
    pub(super) fn keep_unfinished_synthesis(&mut self, call: &UnderWay, fact: &CallFact) {
        self.stage3 = Some(Synthesis {
            model: call.model.clone(),
            response: call.text.clone(),
            syntheses: self.stage3.take().map(|stage3| stage3.syntheses).unwrap_or_default(),
            ..Synthesis::unfinished(fact.clone())
        });
    }

    /// Marks every pending answer as failed: nobody is waited for any more.
    pub(super) fn end_waiting(&mut self, fact: &CallFact) {
        for answer in self.stage1.iter_mut().flatten().filter(|answer| answer.pending) {
            answer.pending = false;
            answer.fail(fact.clone().into());
        }
        if let Some(answers) = &self.stage1 {
            self.metadata.aggregate_confidence.get_or_insert_with(|| answers::summary(answers));
        }
    }

    /// What the members answered to the question, whatever the format: a debate's openings are answers.
    #[must_use]
    pub fn answers(&self) -> Cow<'_, [Answer]> {
        match &self.stage1 {
            Some(answers) => Cow::Borrowed(answers),
            None => Cow::Owned(self.format.answers()),
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
