//! An arena: opening statements, rebuttals in which each participant answers all others, closing statements; then
//! the chairman concludes.

pub mod event;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::council::debate::estimate;
use crate::council::debate::kind::{self, Kind};
use crate::council::debate::options::DebateOptions;
use crate::council::debate::rounds::Rounds;
use crate::council::debate::speaker::{self, Names, Speaker};
use crate::council::debate::transcript::{Debate, Speech};
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::failure::Failure;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::prompts::template::Template;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::task::Task;
use crate::llm::Purpose;
use event::ArenaEvent;

/// What requests call this format.
pub const MODE: &str = "arena";
/// The fewest rounds, opening and closing counted.
pub const MIN_ROUNDS: u8 = 2;
/// The most.
pub const MAX_ROUNDS: u8 = 10;
/// The default.
pub const DEFAULT_ROUNDS: u8 = 3;

static OPENING: Kind = Kind {
    round_type: "opening",
    title: "Opening statement",
    purpose: &kind::OPENING,
    asks_position: false,
    tools: true,
};
static REBUTTAL: Kind = Kind {
    round_type: "rebuttal",
    title: "Rebuttal",
    purpose: &kind::REPLY,
    asks_position: true,
    tools: true,
};
static CLOSING: Kind = Kind {
    round_type: "closing",
    title: "Closing statement",
    purpose: &kind::REPLY,
    asks_position: true,
    tools: true,
};

static OPENING_PROMPT: Template = Template {
    name: "arena_opening",
    about: "What a participant of an arena is asked for its opening statement.",
    text: "You are {label}, one of several participants in an arena; none of them knows who the others are. Make your \
        opening statement: answer the question below as well as you can, with your strongest reasons. The others do \
        the same, and will answer you.\n\nQuestion:\n{question}",
    places: &["label", "question"],
    marks: &[],
};
static REBUTTAL_PROMPT: Template = Template {
    name: "arena_rebuttal",
    about: "What a participant of an arena is asked for its rebuttal.",
    text: "You are {label}, one of several participants in an arena. Here are the question and everything that was said \
        so far.\n\n{material}\n\n{rule}\n\n\
        Answer all the others: say whom you mean each time, where they are wrong or unproven, where they are right \
        and you take it over, and defend what you hold. Then say in short what your answer is now.",
    places: &["label", "material", "rule"],
    marks: &[],
};
static CLOSING_PROMPT: Template = Template {
    name: "arena_closing",
    about: "What a participant of an arena is asked for its closing statement.",
    text: "You are {label}, one of several participants in an arena. Here are the question and everything that was said \
        so far.\n\n{material}\n\n{rule}\n\n\
        Make your closing statement: your answer to the question as it stands after this debate, complete in itself, \
        with the reasons that held. Say what you have taken over from others, and what stays in dispute.",
    places: &["label", "material", "rule"],
    marks: &[],
};

/// Everything that this asks models with.
pub static TEMPLATES: &[&Template] = &[&OPENING_PROMPT, &REBUTTAL_PROMPT, &CLOSING_PROMPT];

/// What a plan says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaOptions {
    /// Opening and closing counted.
    pub rounds: u8,
    #[serde(flatten)]
    pub debate: DebateOptions,
}

impl ArenaOptions {
    /// Reads a request's fields, in both spellings.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        let rounds = fields.take_in("arena_rounds", MIN_ROUNDS..=MAX_ROUNDS);
        let config: Option<serde_json::Map<String, Value>> = fields.take("arena_config", "an object");
        let nested = config.and_then(|config| Self::round_count(&config, fields));
        if let (Some(rounds), Some(nested)) = (rounds, nested)
            && rounds != nested
        {
            fields.refuse("arena_config.round_count", FieldErrorKind::Value, "contradicts arena_rounds");
        }
        Self { rounds: rounds.or(nested).unwrap_or(DEFAULT_ROUNDS), debate: DebateOptions::parse(fields) }
    }

    fn round_count(config: &serde_json::Map<String, Value>, fields: &mut Fields<'_>) -> Option<u8> {
        let given = config.get("round_count").filter(|value| !value.is_null())?;
        let count = given.as_u64().and_then(|count| u8::try_from(count).ok());
        let count = count.filter(|count| (MIN_ROUNDS..=MAX_ROUNDS).contains(count));
        if count.is_none() {
            let message = format!("must be a whole number from {MIN_ROUNDS} to {MAX_ROUNDS}");
            fields.refuse("arena_config.round_count", FieldErrorKind::Value, message);
        }
        count
    }

    fn rounds(self) -> Vec<&'static Kind> {
        let rebuttals = std::iter::repeat_n(&REBUTTAL, usize::from(self.rounds.saturating_sub(2)));
        std::iter::once(&OPENING).chain(rebuttals).chain([&CLOSING]).collect()
    }
}

/// Holds the arena.
///
/// # Errors
/// When fewer than two members make an opening statement.
pub(in crate::council) async fn hold(run: &Run, task: &Task, options: ArenaOptions) -> Result<(), Failure> {
    let speakers = speaker::participants(task.brief.members(), Names::Labels);
    let mut debate = Debate::new((run, task), &Rounds, speakers, options.rounds());
    let start = debate.start(MODE, options.rounds.into(), options.debate);
    run.emit("debate/start", ArenaEvent::start(start)).await;
    debate.open(&OPENING, &OPENING_PROMPT).await?;
    debate.hold_rounds(options.debate, speeches).await;
    Ok(())
}

fn speeches(debate: &Debate<'_>, kind: &'static Kind) -> Vec<Speech> {
    let prompt = if kind.round_type == CLOSING.round_type { &CLOSING_PROMPT } else { &REBUTTAL_PROMPT };
    let speech = |speaker: &Speaker| Speech {
        speaker: speaker.clone(),
        prompt,
        values: vec![("label", speaker.label.clone())],
        // Everybody answers what the others have said last.
        material: debate.everything_for(&speaker.label, |one, round| {
            one.label != speaker.label && usize::try_from(round) == Ok(debate.rounds.len())
        }),
        replies_to: debate
            .remaining()
            .filter(|other| other.label != speaker.label)
            .map(|other| other.label.clone())
            .collect(),
        critique_of: None,
        read: None,
    };
    debate.remaining().map(speech).collect()
}

/// The calls that it probably takes.
pub(in crate::council) fn expected_calls(
    expecting: (Expecting<'_>, &Kept),
    members: &[Member],
    options: ArenaOptions,
) -> Vec<ExpectedCall> {
    estimate::expected_calls(expecting, members, &options.rounds(), |round| -> Vec<&'static Purpose> {
        let openings: Vec<&Purpose> = members.iter().filter(|_| round > 0).map(|_| &kind::OPENING).collect();
        let replies = members.len() * round.saturating_sub(1);
        openings.into_iter().chain(std::iter::repeat_n(&kind::REPLY, replies)).collect()
    })
}

/// What a request may say of an arena, for its documentation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ArenaFields {
    /// How many rounds an arena has, opening and closing statements counted.
    #[schema(minimum = 2, maximum = 10, default = 3)]
    arena_rounds: Option<u8>,
    /// `arena_rounds` in the spelling of an existing client.
    #[schema(inline)]
    arena_config: Option<ArenaConfig>,
}

/// See [`ArenaFields`].
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
pub(in crate::council) struct ArenaConfig {
    #[schema(minimum = 2, maximum = 10)]
    round_count: Option<u8>,
}
