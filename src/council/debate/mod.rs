//! A debate: rounds in which the members speak to each other, and a chairman who concludes. A format says who
//! speaks in a round, what each reads and what it is asked; everything else is here: streaming, failures, what
//! fits into a context, the ballots over the openings, the judgment.
//!
//! Start at [`Debate::round`]. A speaker that fails is out of the rounds that follow; the others go on while two
//! are left.

pub mod ballots;
pub mod dialect;
pub(in crate::council) mod estimate;
pub mod event;
pub mod fold;
mod headings;
pub mod judgment;
pub mod material;
mod notes;
pub mod options;
pub mod position;
mod simulated;
pub mod speaker;
mod speaking;
pub mod statement;

pub use headings::sections;
pub use notes::{DebateNote, asking as told_asking, note as told_note};
pub use options::DebateOptions;

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use crate::council::brief::Brief;
use crate::council::failure::Failure;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::stage::Stage;
use crate::council::stages::verdict;
use crate::council::task::Task;
use crate::llm::Purpose;
use dialect::Dialect;
use event::{DebateStart, RoundStart, SpeakerSeat};
use material::{Need, Piece};
use speaker::Speaker;
use statement::{DebateRound, LeftOut, Statement};

/// The most rounds that a debate of any format has.
pub const MAX_ROUNDS: usize = 10;
/// The fewest speakers that can go on.
pub const MIN_SPEAKERS: usize = 2;

/// The stages of the rounds, in order.
pub static STAGES: [Stage; MAX_ROUNDS] = [
    Stage::named("round1"),
    Stage::named("round2"),
    Stage::named("round3"),
    Stage::named("round4"),
    Stage::named("round5"),
    Stage::named("round6"),
    Stage::named("round7"),
    Stage::named("round8"),
    Stage::named("round9"),
    Stage::named("round10"),
];

/// What a speaker says first, before it has read anybody.
pub static OPENING: Purpose =
    Purpose { name: "debate_opening", usual_tokens: 1_200, simulated: simulated::opening };
/// What a speaker says of others.
pub static CRITIQUE: Purpose =
    Purpose { name: "debate_critique", usual_tokens: 700, simulated: simulated::critique };
/// What a speaker says after it has read others.
pub static REPLY: Purpose =
    Purpose { name: "debate_reply", usual_tokens: 1_200, simulated: simulated::reply };
/// What a chairman makes of a debate.
pub static JUDGMENT: Purpose =
    Purpose { name: "debate_judgment", usual_tokens: 2_000, simulated: simulated::judgment };
/// What calls of a debate are for.
pub static PURPOSES: [&Purpose; 4] = [&OPENING, &CRITIQUE, &REPLY, &JUDGMENT];

/// Everything that the engine itself asks models with.
pub static TEMPLATES: &[&Template] =
    &[&fence::RULE, &position::SUFFIX, &judgment::PROMPT, &verdict::INSTRUCTIONS];

/// How the key of a try with less to read ends.
pub(in crate::council) const SHORTER: &str = "/shorter";

/// The stage of the n-th round, from 1.
#[must_use]
pub fn stage(round_number: u32) -> Stage {
    let place = usize::try_from(round_number).unwrap_or(MAX_ROUNDS).clamp(1, MAX_ROUNDS);
    STAGES[place - 1].clone()
}

/// A kind of round.
#[derive(Debug)]
pub struct Kind {
    /// The word for it in events and in what is stored.
    pub round_type: &'static str,
    /// What stands above such a text where others read it, as in `Rebuttal`.
    pub title: &'static str,
    pub purpose: &'static Purpose,
    /// Whether the text is an answer of the speaker's own, written after it has read others: then it is asked
    /// whether they have changed its position.
    pub asks_position: bool,
}

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
    dialect: &'p dyn Dialect,
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
    pub fn standing(&self) -> impl Iterator<Item = &Speaker> {
        let failed = |speaker: &&Speaker| {
            let mut said = self.rounds.iter().flat_map(|round| &round.responses);
            said.any(|one| one.member == speaker.member.name() && !one.is_good())
        };
        self.speakers.iter().filter(move |speaker| !failed(speaker))
    }

    /// Whether enough speakers are left for another round.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.standing().count() >= MIN_SPEAKERS
    }

    /// The kind of the round that comes next; none when all are over or too few speakers are left.
    #[must_use]
    pub fn next(&self) -> Option<&'static Kind> {
        self.plan.get(self.rounds.len()).copied().filter(|_| self.goes_on())
    }

    /// The rounds that it was to have.
    #[must_use]
    pub fn planned(&self) -> usize {
        self.plan.len()
    }

    /// Holds the rounds after the openings, and the judgment; beside them the ballots over the openings, where there
    /// are any. `speeches` says what everybody is asked in a round.
    pub async fn go_on(
        mut self,
        options: DebateOptions,
        speeches: impl Fn(&Self, &'static Kind) -> Vec<Speech> + Send,
    ) {
        let openings = self.openings().to_vec();
        let (run, task) = (self.run, self.task);
        let debate = async {
            while let Some(kind) = self.next() {
                let speeches = speeches(&self, kind);
                // Nobody that is left was criticised.
                if speeches.is_empty() {
                    break;
                }
                self.round(kind, speeches).await;
            }
            self.judge().await;
        };
        let ballots = async {
            if options.ballots {
                ballots::hold(run, task, &openings).await;
            }
        };
        futures_util::join!(debate, ballots);
    }

    /// Holds a round: everybody who is asked speaks at the same time.
    pub async fn round(&mut self, kind: &'static Kind, speeches: Vec<Speech>) {
        let round_number = u32::try_from(self.rounds.len() + 1).unwrap_or(u32::MAX);
        let seat = |speech: &Speech| SpeakerSeat {
            replies_to: speech.replies_to.clone(),
            ..SpeakerSeat::from(&speech.speaker)
        };
        let start = RoundStart {
            round_number,
            round_type: kind.round_type.to_owned(),
            speakers: speeches.iter().map(seat).collect(),
            started_at: Some(self.run.now()),
        };
        self.run.emit(&format!("round{round_number}/start"), self.dialect.round_start(start)).await;
        // Each is polled when it was woken itself, not for every token of the others.
        let speaking = speeches.iter().map(|speech| self.speak(round_number, kind, speech));
        let responses = speaking.collect::<FuturesOrdered<_>>().collect().await;
        let round = DebateRound { round_number, round_type: kind.round_type.to_owned(), responses };
        let complete = self.dialect.round_complete(&round);
        self.run.emit(&format!("round{round_number}/complete"), complete).await;
        self.rounds.push(round);
    }

    /// Lets everybody open.
    ///
    /// # Errors
    /// When fewer than two have.
    pub async fn open(&mut self, kind: &'static Kind, prompt: &'static Template) -> Result<(), Failure> {
        let speech = |speaker: &Speaker| Speech {
            speaker: speaker.clone(),
            prompt,
            values: vec![("label", speaker.label.clone()), ("question", self.brief().question.clone())],
            material: Vec::new(),
            replies_to: Vec::new(),
            critique_of: None,
            read: None,
        };
        self.round(kind, self.speakers.iter().map(speech).collect()).await;
        let openings = self.openings();
        let good = openings.iter().filter(|statement| statement.is_good()).count();
        match good {
            0 => Err(Failure::no_answers(openings.iter().map(|statement| statement.error_kind))),
            1 => Err(Failure::TooFewSpeakers { asked: openings.len() }),
            _ => Ok(()),
        }
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

    /// A statement as somebody reads it.
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

    /// The conversation before the question, as somebody reads it; nothing where the question is the first.
    fn conversation(&self) -> Option<Piece> {
        let turns = &self.brief().history;
        (!turns.is_empty()).then(|| Piece {
            title: "Conversation so far".to_owned(),
            text: history::quoted(turns),
            source: LeftOut { label: None, round_number: 0, shortened: false },
            need: Need::Background,
        })
    }

    fn fence(&self) -> Fence {
        Fence::new(&self.run.marker())
    }
}
