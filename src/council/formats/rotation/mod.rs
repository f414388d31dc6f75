//! A debate in rotation: everybody states a position, criticises that of the next speaker in the circle, answers
//! the criticism received, and the chairman judges. Speakers are `A`, `B` … to each other.

pub mod event;
pub mod rounds;

use serde::{Deserialize, Serialize};

use crate::council::debate::estimate;
use crate::council::debate::event::DebateEvent;
use crate::council::debate::kind::{self, Kind};
use crate::council::debate::material::Need;
use crate::council::debate::neutral_event::DebateStart;
use crate::council::debate::options::DebateOptions;
use crate::council::debate::speaker::{self, Speaker};
use crate::council::debate::transcript::{Debate, Speech};
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::failure::Failure;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::task::Task;
use crate::llm::Purpose;
use event::Rotation;
use rounds::{CRITIQUE, POSITION, REBUTTAL, ROUNDS, ROUNDS_WITHOUT_REBUTTAL, STYLE};

static POSITION_PROMPT: Template = Template {
    name: "rotation_position",
    about: "What a speaker is asked first in a debate in rotation.",
    text: "You are {label}, one of several speakers in a debate; none of them knows who the others are. State your \
        position on the question below: answer it as well as you can, with your strongest reasons. Another \
        speaker will criticise it, so commit yourself: say what you hold, what it rests on, and what would change \
        your mind.\n\nQuestion:\n{question}",
    places: &["label", "question"],
    marks: &[],
};
static CRITIQUE_PROMPT: Template = Template {
    name: "rotation_critique",
    about: "What a speaker is asked who criticises the next one.",
    text: "You are {label}, one of several speakers in a debate. Here are the question and the position of \
        {target}.\n\n{material}\n\n{rule}\n\n\
        Criticise this position: what is wrong in it, unproven or left out, and what follows from that. Name the \
        passage that you mean. Say briefly what is right in it as well, and leave out objections that are not \
        worth making. Write to {target}, about the matter and not about the speaker.",
    places: &["label", "target", "material", "rule"],
    marks: &[],
};
static REBUTTAL_PROMPT: Template = Template {
    name: "rotation_rebuttal",
    about: "What a speaker is asked who answers its critics.",
    text: "You are {label}, one of several speakers in a debate. Here are the question, your position, and the \
        criticism that it met.\n\n{material}\n\n{rule}\n\n\
        Answer the criticism point by point: concede what is right, defend what holds, and say why. Then state \
        your position as it stands now, complete in itself.",
    places: &["label", "material", "rule"],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&POSITION_PROMPT, &CRITIQUE_PROMPT, &REBUTTAL_PROMPT];

/// What a plan says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RotationOptions {
    /// Whether the speakers answer their critics.
    pub include_rebuttal: bool,
    #[serde(flatten)]
    pub debate: DebateOptions,
}

impl RotationOptions {
    /// Reads a request's fields. Two of them say the same.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        let flag: Option<bool> = fields.take("include_rebuttal", "true or false");
        let rounds = fields.take_in("num_rounds", ROUNDS_WITHOUT_REBUTTAL..=ROUNDS);
        let by_rounds = rounds.map(|rounds| rounds == ROUNDS);
        if let (Some(flag), Some(by_rounds)) = (flag, by_rounds)
            && flag != by_rounds
        {
            fields.refuse(
                "num_rounds",
                FieldErrorKind::Value,
                "contradicts include_rebuttal: 3 rounds have the rebuttal, 2 have not",
            );
        }
        Self { include_rebuttal: flag.or(by_rounds).unwrap_or(true), debate: DebateOptions::parse(fields) }
    }

    fn rounds(self) -> Vec<&'static Kind> {
        let mut rounds = vec![&POSITION, &CRITIQUE];
        rounds.extend(self.include_rebuttal.then_some(&REBUTTAL));
        rounds
    }
}

/// Holds the debate.
///
/// # Errors
/// When fewer than two members have a position.
pub(in crate::council) async fn hold(
    run: &Run,
    task: &Task,
    options: RotationOptions,
) -> Result<(), Failure> {
    let speakers = speaker::lettered(task.brief.members());
    let dialect = Rotation::of(&speakers);
    let mut debate = Debate::new((run, task), &dialect, speakers, options.rounds());
    let rounds = if options.include_rebuttal { ROUNDS } else { ROUNDS_WITHOUT_REBUTTAL };
    let start = DebateStart {
        debate_style: Some(STYLE.to_owned()),
        include_rebuttal: Some(options.include_rebuttal),
        ..debate.start("debate", rounds.into(), options.debate)
    };
    run.emit("debate/start", DebateEvent::DebateStart(Box::new(start))).await;
    debate.open(&POSITION, &POSITION_PROMPT).await?;
    debate.hold_rounds(options.debate, speeches).await;
    Ok(())
}

fn speeches(debate: &Debate<'_>, kind: &'static Kind) -> Vec<Speech> {
    if kind.round_type == CRITIQUE.round_type { critiques(debate) } else { rebuttals(debate) }
}

/// Everybody criticises the next one in the circle of those that are left.
fn critiques(debate: &Debate<'_>) -> Vec<Speech> {
    let remaining: Vec<&Speaker> = debate.remaining().collect();
    let targets = remaining.iter().cycle().skip(1);
    let critique = |(critic, target): (&&Speaker, &&Speaker)| {
        let position = debate
            .statements_of(&target.label, 1)
            .map(|(round, one)| debate.piece(round, one, &one.text, Need::Whole));
        Speech {
            speaker: (*critic).clone(),
            prompt: &CRITIQUE_PROMPT,
            values: vec![("label", critic.label.clone()), ("target", target.label.clone())],
            material: debate.with_conversation(position.collect()),
            replies_to: vec![target.label.clone()],
            critique_of: Some(target.label.clone()),
            read: None,
        }
    };
    remaining.iter().zip(targets).map(critique).collect()
}

/// The speakers that were criticised answer.
fn rebuttals(debate: &Debate<'_>) -> Vec<Speech> {
    debate.remaining().filter_map(|speaker| rebuttal(debate, speaker)).collect()
}

fn rebuttal(debate: &Debate<'_>, speaker: &Speaker) -> Option<Speech> {
    let own = debate
        .statements_of(&speaker.label, 1)
        .map(|(round, one)| debate.piece(round, one, &one.text, Need::Own));
    let is_for_me = |critique_of: Option<&str>| critique_of == Some(speaker.label.as_str());
    let (critics, critiques): (Vec<_>, Vec<_>) = debate
        .transcript()
        .filter(|(_, one)| is_for_me(one.critique_of.as_deref()))
        .map(|(round, one)| (one.label.clone(), debate.piece(round, one, &one.text, Need::Whole)))
        .unzip();
    (!critics.is_empty()).then(|| Speech {
        speaker: speaker.clone(),
        prompt: &REBUTTAL_PROMPT,
        values: vec![("label", speaker.label.clone())],
        material: debate.with_conversation(own.chain(critiques).collect()),
        replies_to: critics,
        critique_of: None,
        read: None,
    })
}

/// The calls that it probably takes.
pub(in crate::council) fn expected_calls(
    expecting: (Expecting<'_>, &Kept),
    members: &[Member],
    options: RotationOptions,
) -> Vec<ExpectedCall> {
    let reads: [&[&Purpose]; 3] = [&[], &[&kind::OPENING], &[&kind::OPENING, &kind::CRITIQUE]];
    estimate::expected_calls(expecting, members, &options.rounds(), |round| reads[round.min(2)].to_vec())
}

/// What a request may say of a debate in rotation, for its documentation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct RotationFields {
    /// Whether the speakers of a debate in rotation answer their critics.
    #[schema(default = true)]
    include_rebuttal: Option<bool>,
    /// The rounds as a number: 3 with the answers to the critics, 2 without.
    #[schema(minimum = 2, maximum = 3)]
    num_rounds: Option<u8>,
}
