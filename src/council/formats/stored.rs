//! What is stored of a run besides what the council has, whatever its format.

use serde::{Deserialize, Serialize};

use super::arena::event::ArenaEvent;
use super::decomposition::event::DecompositionEvent;
use super::decomposition::purposes as decomposition;
use super::decomposition::stored::StoredDecomposition;
use super::rotation::event::RotationEvent;
use super::rotation::rounds as rotation;
use crate::council::any_event::AnyEvent;
use crate::council::debate::event::{DebateEvent, DebateSynthesis};
use crate::council::debate::fold::{Common, StoredDebate};
use crate::council::debate::neutral_event::NeutralEvent;
use crate::council::debate::statement::Statement;
use crate::council::estimate::KeptRound;
use crate::council::run::UnderWay;
use crate::council::stages::answers::Answer;
use crate::council::stages::synthesis::Synthesis;
use crate::llm::{CallFact, ErrorKind};

/// What an event says of a debate, if it does.
#[must_use]
pub fn neutral_event(event: &AnyEvent) -> Option<NeutralEvent<'_>> {
    let debate = || event.get::<DebateEvent>().and_then(DebateEvent::neutral);
    let rotation = || event.get::<RotationEvent>().and_then(RotationEvent::neutral);
    let arena = || event.get::<ArenaEvent>().and_then(ArenaEvent::neutral);
    debate().or_else(rotation).or_else(arena)
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Stored {
    /// What was said, in formats in which members speak to each other.
    #[serde(flatten)]
    pub debate: StoredDebate,
    /// How the question was taken apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<StoredDecomposition>,
}

/// The final answer under the names that existing clients of a format know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct OtherNames {
    /// The chairman's judgment of a debate in rotation: the same as `stage3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judgment: Option<DebateSynthesis>,
    /// The final answer in any other format than the council: the same as `stage3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<DebateSynthesis>,
}

impl Stored {
    /// The final answer under its other names, where the format has some.
    #[must_use]
    pub fn other_names(&self, answer: Option<&Synthesis>) -> OtherNames {
        let answer = answer.filter(|_| self.debate.mode.is_some()).map(DebateSynthesis::from);
        let is_judged = self.debate.debate_style.as_deref() == Some(rotation::STYLE);
        OtherNames { judgment: answer.clone().filter(|_| is_judged), synthesis: answer }
    }

    /// Takes in one event, if it is of such a format; gives what belongs to the places that every format has.
    pub fn apply<'e>(&mut self, event: &'e AnyEvent) -> Option<Common<'e>> {
        if let Some(event) = neutral_event(event) {
            return Some(self.debate.apply(event));
        }
        let event = event.get::<DecompositionEvent>()?;
        self.debate.mode = Some(decomposition::MODE.to_owned());
        let merged = self.decomposition.get_or_insert_default().apply(event);
        Some(merged.map_or(Common::Nothing, Common::Judged))
    }

    /// Keeps what had been shown of a call that never ended. Returns whether it was one of such a format.
    pub fn keep_unfinished(&mut self, call: &UnderWay, fact: &CallFact) -> bool {
        self.debate.keep_unfinished(call, fact)
    }

    /// Nobody is waited for any more.
    pub fn end_waiting(&mut self, fact: &CallFact) {
        self.debate.end_waiting(fact);
        if let Some(decomposition) = &mut self.decomposition {
            decomposition.end_waiting(fact);
        }
    }

    /// Whether there are rounds of a debate, or parts of a question.
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        !self.debate.rounds.is_empty()
            || self.decomposition.as_ref().is_some_and(|it| !it.sub_results.is_empty())
    }

    /// Who was asked in this round of a debate, or this part of a question, from 1.
    #[must_use]
    pub fn seats_of_round(&self, round: u32) -> Vec<String> {
        let rounds = self.debate.rounds.iter().filter(|one| one.round_number == round);
        let speakers = rounds.flat_map(|round| &round.responses).map(|one| one.member.clone());
        let parts = self.decomposition.iter().flat_map(|decomposition| &decomposition.sub_results);
        let part = parts.filter(|part| u32::try_from(part.index + 1) == Ok(round));
        speakers.chain(part.flat_map(|part| &part.responses).map(|one| one.member.clone())).collect()
    }

    /// What stays of each round of a debate, or part of a question, but for what this seat said in this one, from 1.
    #[must_use]
    pub fn kept(&self, but: Option<(&str, u32)>) -> Vec<KeptRound> {
        self.decomposition
            .as_ref()
            .map_or_else(|| self.debate.kept(but), |decomposition| decomposition.kept(but))
    }

    /// The kind of error of each text that failed, in whichever round of a debate or part of a question.
    pub fn failures(&self) -> impl Iterator<Item = Option<ErrorKind>> {
        let said = self.debate.rounds.iter().flat_map(|round| &round.responses);
        let said = said.filter(|statement| !statement.is_good()).map(|statement| statement.error_kind);
        let parts = self.decomposition.iter().flat_map(|decomposition| &decomposition.sub_results);
        let answers = parts.flat_map(|part| &part.responses).filter(|answer| !answer.is_good());
        said.chain(answers.map(|answer| answer.error_kind))
    }

    /// What the members answered to the question itself, as a council's answers.
    #[must_use]
    pub fn answers(&self) -> Vec<Answer> {
        self.debate.openings().iter().map(Statement::as_answer).collect()
    }
}
