//! A debate under way: who speaks, what was said, and how it is shown to each reader.

use super::dialect::Dialect;
use super::kind::{Kind, MIN_SPEAKERS};
use super::material::{Need, Piece};
use super::neutral_event::{DebateStart, SpeakerSeat};
use super::options::DebateOptions;
use super::speaker::Speaker;
use super::statement::{DebateRound, LeftOut, Statement};
use crate::council::brief::Brief;
use crate::council::prompts::fence::Fence;
use crate::council::prompts::history;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::task::Task;

/// What one speaker is asked in a round.
pub struct Speech {
    pub speaker: Speaker,
    pub prompt: &'static Template,
    /// What stands in the prompt's places, but for `{material}` and `{rule}`.
    pub values: Vec<(&'static str, String)>,
    /// What it reads. Nothing: the round is an opening, and the conversation goes before it.
    pub material: Vec<Piece>,
    /// The labels of those whom it answers.
    pub replies_to: Vec<String>,
    /// The label of the one whom it criticises.
    pub critique_of: Option<String>,
    /// What is read out of the text besides, with the labels of the other speakers.
    pub read: Option<fn(&mut Statement, &[&str])>,
}

/// A debate under way.
pub struct Debate<'p> {
    pub run: &'p Run,
    pub task: &'p Task,
    pub(super) dialect: &'p dyn Dialect,
    /// Everybody who took part from the beginning, in the council's order.
    pub speakers: Vec<Speaker>,
    pub rounds: Vec<DebateRound>,
    /// All rounds that it is to have.
    plan: Vec<&'static Kind>,
}

impl<'p> Debate<'p> {
    /// A debate in these rounds, before anybody has spoken.
    #[must_use]
    pub fn new(
        (run, task): (&'p Run, &'p Task),
        dialect: &'p dyn Dialect,
        speakers: Vec<Speaker>,
        plan: Vec<&'static Kind>,
    ) -> Self {
        Self { run, task, dialect, speakers, rounds: Vec::new(), plan }
    }

    /// What the run is about.
    #[must_use]
    pub fn brief(&self) -> &'p Brief {
        &self.task.brief
    }

    /// What there is to tell at its beginning; `num_rounds` as requests count them.
    #[must_use]
    pub fn start(&self, mode: &str, num_rounds: u32, options: DebateOptions) -> DebateStart {
        let label = |speaker: &Speaker| (speaker.label.clone(), speaker.member.model.clone());
        DebateStart {
            mode: mode.to_owned(),
            models: self.speakers.iter().map(|speaker| speaker.member.model.clone()).collect(),
            chairman: self.brief().settings.chairman_model.clone(),
            num_rounds,
            round_types: self.plan.iter().map(|kind| kind.round_type.to_owned()).collect(),
            speakers: self.speakers.iter().map(SpeakerSeat::from).collect(),
            model_to_label: self.speakers.iter().map(label).map(|(label, model)| (model, label)).collect(),
            label_to_model: self.speakers.iter().map(label).collect(),
            format_ballots: options.ballots,
            ..DebateStart::default()
        }
    }

    /// The speakers that have not failed, in their order.
    pub fn remaining(&self) -> impl Iterator<Item = &Speaker> {
        let failed = |speaker: &&Speaker| {
            let mut said = self.rounds.iter().flat_map(|round| &round.responses);
            said.any(|one| one.member == speaker.member.name() && !one.is_good())
        };
        self.speakers.iter().filter(move |speaker| !failed(speaker))
    }

    /// Whether enough speakers are left for another round.
    #[must_use]
    pub fn can_continue(&self) -> bool {
        self.remaining().count() >= MIN_SPEAKERS
    }

    /// The kind of the round that comes next; none when all are over or too few speakers are left.
    #[must_use]
    pub fn next(&self) -> Option<&'static Kind> {
        self.plan.get(self.rounds.len()).copied().filter(|_| self.can_continue())
    }

    /// The rounds that it was to have.
    #[must_use]
    pub fn planned(&self) -> usize {
        self.plan.len()
    }

    /// What was said in the first round.
    #[must_use]
    pub fn openings(&self) -> &[Statement] {
        self.rounds.first().map(|round| round.responses.as_slice()).unwrap_or_default()
    }

    /// What this speaker said in this round, from 1.
    pub fn statements_of(
        &self,
        label: &str,
        round_number: u32,
    ) -> impl Iterator<Item = (&DebateRound, &Statement)> {
        self.transcript().filter(move |(round, one)| round.round_number == round_number && one.label == label)
    }

    /// The answer of this speaker as it stands now: of the last round in which it gave one.
    #[must_use]
    pub fn latest_answer(&self, label: &str) -> Option<(&DebateRound, &Statement)> {
        let is_answer = |round: &DebateRound| {
            let kind = self.plan.iter().find(|kind| kind.round_type == round.round_type);
            round.round_number == 1 || kind.is_some_and(|kind| kind.asks_position)
        };
        self.transcript().filter(|(round, one)| one.label == label && is_answer(round)).last()
    }

    /// Everything that was said well so far, with its round, oldest first.
    pub fn transcript(&self) -> impl Iterator<Item = (&DebateRound, &Statement)> {
        self.rounds.iter().flat_map(|round| {
            round.responses.iter().filter(|statement| statement.is_good()).map(move |one| (round, one))
        })
    }

    /// A statement as a reader is shown it.
    #[must_use]
    pub fn piece(&self, round: &DebateRound, statement: &Statement, text: &str, need: Need) -> Piece {
        let title = self
            .plan
            .iter()
            .find(|kind| kind.round_type == round.round_type)
            .map_or("Statement", |kind| kind.title);
        Piece {
            title: format!("{title} by {}, round {}", statement.label, round.round_number),
            text: text.to_owned(),
            source: LeftOut {
                label: Some(statement.label.clone()),
                round_number: round.round_number,
                shortened: false,
            },
            need,
        }
    }

    /// The conversation before the question, as a reader is shown it; nothing where the question is the first.
    pub(super) fn conversation(&self) -> Option<Piece> {
        let turns = &self.brief().history;
        (!turns.is_empty()).then(|| Piece {
            title: "Conversation so far".to_owned(),
            text: history::quoted(turns),
            source: LeftOut { label: None, round_number: 0, shortened: false },
            need: Need::Background,
        })
    }

    pub(super) fn fence(&self) -> Fence {
        Fence::new(&self.run.marker())
    }
}
