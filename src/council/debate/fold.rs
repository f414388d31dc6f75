//! What is stored of a debate: a fold over what its events tell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::kind::STAGES;
use super::neutral_event::{DebateStart, NeutralEvent, SpeakerSeat};
use super::speaker::Speaker;
use super::statement::{DebateRound, Statement};
use crate::council::member::Member;
use crate::council::run::UnderWay;
use crate::council::stages::abstention::Abstention;
use crate::council::stages::reviews::{Review, ReviewsMetadata};
use crate::council::stages::synthesis::Synthesis;
use crate::llm::CallFact;

/// A debate as it is stored with its message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct StoredDebate {
    /// The request's `mode`; absent where the council answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Which kind of debate, where the mode has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate_style: Option<String>,
    /// What the speakers were to do in each round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub round_types: Vec<String>,
    /// The rounds that were held.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<DebateRound>,
    /// Label → model id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub participant_mapping: BTreeMap<String, String>,
    /// `participant_mapping` under the name that clients of another format know.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub label_to_model: BTreeMap<String, String>,
    /// Whether the members rank the openings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub format_ballots: bool,
}

/// What a debate leaves in the places that every format has.
#[derive(Debug, Clone, Copy)]
pub enum Common<'e> {
    Nothing,
    Judged(&'e Synthesis),
    RankingBegins { abstained: &'e [Abstention] },
    Voted(&'e Review),
    Ranked { reviews: &'e [Review], metadata: &'e ReviewsMetadata },
}

impl StoredDebate {
    /// Takes in an event; gives what belongs elsewhere.
    #[must_use]
    pub fn apply<'e>(&mut self, event: NeutralEvent<'e>) -> Common<'e> {
        match event {
            NeutralEvent::Begins(start) => self.begin(start),
            NeutralEvent::RoundBegins(start) => {
                let pending = |seat: &SpeakerSeat| {
                    let member = Member {
                        model: seat.seat.model.clone(),
                        alias: seat.seat.alias.clone(),
                        system_prompt: None,
                    };
                    Statement {
                        replies_to: seat.replies_to.clone(),
                        member: seat.seat.member.clone(),
                        ..Statement::pending(&Speaker { label: seat.label.clone(), member })
                    }
                };
                self.rounds.push(DebateRound {
                    round_number: start.round_number,
                    round_type: start.round_type.clone(),
                    responses: start.speakers.iter().map(pending).collect(),
                });
            }
            NeutralEvent::Said { round_number, statement } => self.put(round_number, statement),
            NeutralEvent::RankingBegins { abstained, .. } => return Common::RankingBegins { abstained },
            NeutralEvent::Voted(review) => return Common::Voted(review),
            NeutralEvent::Judged(synthesis) => return Common::Judged(synthesis),
            NeutralEvent::Ranked { reviews, metadata } => return Common::Ranked { reviews, metadata },
            NeutralEvent::RoundIsOver { .. }
            | NeutralEvent::Judges { .. }
            | NeutralEvent::NotJudged { .. } => {}
        }
        Common::Nothing
    }

    fn begin(&mut self, start: &DebateStart) {
        *self = Self {
            mode: Some(start.mode.clone()),
            debate_style: start.debate_style.clone(),
            round_types: start.round_types.clone(),
            rounds: Vec::new(),
            participant_mapping: start.label_to_model.clone(),
            label_to_model: start.label_to_model.clone(),
            format_ballots: start.format_ballots,
        };
    }

    fn put(&mut self, round_number: u32, statement: &Statement) {
        let round = self.rounds.iter_mut().find(|round| round.round_number == round_number);
        let responses = round.map(|round| &mut round.responses);
        if let Some(place) =
            responses.and_then(|all| all.iter_mut().find(|one| one.member == statement.member))
        {
            *place = statement.clone();
        }
    }

    /// Keeps what had been shown of a statement that never ended. Returns whether the call was for one.
    pub fn keep_unfinished(&mut self, call: &UnderWay, fact: &CallFact) -> bool {
        let Some(place) = STAGES.iter().position(|stage| *stage == call.stage) else { return false };
        let round = self.rounds.iter_mut().find(|round| usize::try_from(round.round_number) == Ok(place + 1));
        let member = call.member.as_deref();
        if let Some(statement) =
            round.and_then(|round| round.responses.iter_mut().find(|one| Some(one.member.as_str()) == member))
        {
            statement.text.clone_from(&call.text);
            statement.fail(fact.clone().into());
        }
        true
    }

    /// Nobody is waited for any more.
    pub fn end_waiting(&mut self, fact: &CallFact) {
        let statements = self.rounds.iter_mut().flat_map(|round| &mut round.responses);
        for statement in statements.filter(|statement| statement.pending) {
            statement.fail(fact.clone().into());
        }
    }

    /// What was said in the first round.
    #[must_use]
    pub fn openings(&self) -> &[Statement] {
        self.rounds.first().map(|round| round.responses.as_slice()).unwrap_or_default()
    }
}
