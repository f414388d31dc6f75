//! A debate of all with all: everybody answers, everybody criticises every other answer, everybody answers its
//! critics and revises, and so on in turn; then the chairman concludes.

mod headings;

use serde::{Deserialize, Serialize};

use crate::council::debate::estimate;
use crate::council::debate::event::DebateEvent;
use crate::council::debate::kind::{self, Kind};
use crate::council::debate::material::{Need, Piece};
use crate::council::debate::neutral_event::DebateStart;
use crate::council::debate::options::DebateOptions;
use crate::council::debate::rounds::Rounds;
use crate::council::debate::speaker::{self, Names, Speaker};
use crate::council::debate::statement::Statement;
use crate::council::debate::transcript::{Debate, Speech};
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::failure::Failure;
use crate::council::field::Fields;
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::task::Task;
use crate::llm::Purpose;

/// What requests call this kind of debate.
pub const STYLE: &str = "all_to_all";
/// How many rounds there may be, as requests count them; one interaction more than that is held.
pub const ROUNDS: std::ops::RangeInclusive<u8> = 2..=6;
const DEFAULT_ROUNDS: u8 = 2;

static INITIAL: Kind = Kind {
    round_type: "initial",
    title: "Answer",
    purpose: &kind::OPENING,
    asks_position: false,
    tools: true,
};
static CRITIQUE: Kind = Kind {
    round_type: "critique",
    title: "Critique",
    purpose: &kind::CRITIQUE,
    asks_position: false,
    tools: false,
};
static DEFENSE: Kind = Kind {
    round_type: "defense",
    title: "Revised answer",
    purpose: &kind::REPLY,
    asks_position: true,
    tools: true,
};

static INITIAL_PROMPT: Template = Template {
    name: "all_to_all_initial",
    about: "What each participant is asked first in a debate of all with all.",
    text: "You are {label}, one of several participants in a debate. Answer the question below as well as you can. The \
        others will criticise your answer, and you theirs, so say what it rests on.\n\nQuestion:\n{question}",
    places: &["label", "question"],
    marks: &[],
};
static CRITIQUE_PROMPT: Template = Template {
    name: "all_to_all_critique",
    about: "What a participant is asked who criticises the others' answers.",
    text: "You are {label}, one of several participants in a debate. Here are the question and the answers of the \
        others as they stand now.\n\n{material}\n\n{rule}\n\n\
        Criticise each of these answers: what is wrong in it, unproven or left out, and, briefly, what is right. Name \
        the passage that you mean, and leave out objections that are not worth making. Write one section for each, \
        under exactly these headings:\n\n{headings}",
    places: &["label", "material", "rule", "headings"],
    marks: &[],
};
static DEFENSE_PROMPT: Template = Template {
    name: "all_to_all_defense",
    about: "What a participant is asked who answers its critics.",
    text: "You are {label}, one of several participants in a debate. Here are the question, your own answer as it \
        stands now, and what the others criticise in it.\n\n{material}\n\n{rule}\n\n\
        Write two sections, under exactly these headings. In the first answer the criticism point by point: what you \
        concede, and what you defend and why. In the second write your answer as it stands now, complete in \
        itself.\n\n## Addressing Critiques\n\n## Revised Response",
    places: &["label", "material", "rule"],
    marks: &["## Addressing Critiques", "## Revised Response"],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&INITIAL_PROMPT, &CRITIQUE_PROMPT, &DEFENSE_PROMPT];

/// What a plan says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllToAllOptions {
    /// As requests count them: one interaction more is held.
    pub rounds: u8,
    #[serde(default)]
    pub names: Names,
    #[serde(flatten)]
    pub debate: DebateOptions,
}

impl AllToAllOptions {
    /// Reads a request's fields.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        Self {
            rounds: fields.take_in("debate_rounds", ROUNDS).unwrap_or(DEFAULT_ROUNDS),
            names: fields.take("debate_names", "labels or models").unwrap_or_default(),
            debate: DebateOptions::parse(fields),
        }
    }

    fn rounds(self) -> Vec<&'static Kind> {
        let in_turn = [&CRITIQUE, &DEFENSE].into_iter().cycle().take(usize::from(self.rounds));
        std::iter::once(&INITIAL).chain(in_turn).collect()
    }
}

/// Holds the debate.
///
/// # Errors
/// When fewer than two members answer.
pub(in crate::council) async fn hold(
    run: &Run,
    task: &Task,
    options: AllToAllOptions,
) -> Result<(), Failure> {
    let speakers = speaker::participants(task.brief.members(), options.names);
    let mut debate = Debate::new((run, task), &Rounds, speakers, options.rounds());
    let start = DebateStart {
        debate_style: Some(STYLE.to_owned()),
        ..debate.start("debate", options.rounds.into(), options.debate)
    };
    run.emit("debate/start", DebateEvent::DebateStart(Box::new(start))).await;
    debate.open(&INITIAL, &INITIAL_PROMPT).await?;
    debate.hold_rounds(options.debate, speeches).await;
    Ok(())
}

fn speeches(debate: &Debate<'_>, kind: &'static Kind) -> Vec<Speech> {
    let is_critique = kind.round_type == CRITIQUE.round_type;
    let speech = |speaker| if is_critique { critique(debate, speaker) } else { defense(debate, speaker) };
    debate.remaining().map(speech).collect()
}

fn critique(debate: &Debate<'_>, speaker: &Speaker) -> Speech {
    let others: Vec<String> =
        debate.remaining().map(|other| other.label.clone()).filter(|label| *label != speaker.label).collect();
    let latest = others.iter().filter_map(|label| debate.latest_answer(label));
    // All of them are to be criticised, so that none is left out whole.
    let material = latest.map(|(round, one)| debate.piece(round, one, one.answer(), Need::Own)).collect();
    let headings: Vec<String> = others.iter().map(|label| headings::of_critique(label)).collect();
    Speech {
        speaker: speaker.clone(),
        prompt: &CRITIQUE_PROMPT,
        values: vec![("label", speaker.label.clone()), ("headings", headings.join("\n\n"))],
        material: debate.with_conversation(material),
        replies_to: others,
        critique_of: None,
        read: Some(headings::read_critiques),
    }
}

fn defense(debate: &Debate<'_>, speaker: &Speaker) -> Speech {
    let last = debate.rounds.last();
    let critics = last.into_iter().flat_map(|round| round.responses.iter().map(move |one| (round, one)));
    let of_me = |one: &Statement| -> String {
        let critique = one.critiques.iter().find(|critique| critique.of == speaker.label);
        critique.map_or_else(|| one.text.clone(), |critique| critique.text.clone())
    };
    let (critics, critiques): (Vec<String>, Vec<Piece>) = critics
        .filter(|(_, one)| one.is_good() && one.label != speaker.label)
        .map(|(round, one)| (one.label.clone(), debate.piece(round, one, &of_me(one), Need::Whole)))
        .unzip();
    let own = debate.latest_answer(&speaker.label);
    let own = own.map(|(round, one)| debate.piece(round, one, one.answer(), Need::Own));
    Speech {
        speaker: speaker.clone(),
        prompt: &DEFENSE_PROMPT,
        values: vec![("label", speaker.label.clone())],
        material: debate.with_conversation(own.into_iter().chain(critiques).collect()),
        replies_to: critics,
        critique_of: None,
        read: Some(headings::read_defense),
    }
}

/// The calls that it probably takes.
pub(in crate::council) fn expected_calls(
    expecting: (Expecting<'_>, &Kept),
    members: &[Member],
    options: AllToAllOptions,
) -> Vec<ExpectedCall> {
    let others = members.len().saturating_sub(1);
    estimate::expected_calls(expecting, members, &options.rounds(), |round| -> Vec<&'static Purpose> {
        match round {
            0 => Vec::new(),
            // One section of each critic's text is read by each of those whom it criticises.
            _ if round % 2 == 0 => vec![&kind::REPLY, &kind::CRITIQUE],
            _ => vec![&kind::REPLY; others],
        }
    })
}

/// What a request may say of a debate of all with all, for its documentation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct AllToAllFields {
    /// How many rounds a debate of all with all has. 2 are an answer, a critique of every other answer, and an answer
    /// to the critics; each further one adds a critique or an answer to critics, in turn.
    #[schema(minimum = 2, maximum = 6, default = 2)]
    debate_rounds: Option<u8>,
    /// Whether the participants know each other by labels or as the models that they are. Names make models give in
    /// to the famous one.
    #[schema(inline, default = "labels")]
    debate_names: Option<Names>,
}
