//! The list of formats: what each adds to requests, plans, events, what is stored and what models are asked.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::PartialSchema as _;
use utoipa::openapi::{RefOr, Schema};

use super::all_to_all::{self, AllToAllOptions};
use super::arena::event::ArenaEvent;
use super::arena::{self, ArenaOptions};
use super::decomposition::event::DecompositionEvent;
use super::decomposition::notes::DecompositionNote;
use super::decomposition::options::{DecompositionOptions, Pick};
use super::decomposition::{purposes as decomposition, templates, view};
use super::rotation::event::RotationEvent;
use super::rotation::{self, RotationOptions};
use crate::council::any_event::{AnyEvent, FeatureEvent as _};
use crate::council::debate::event::DebateEvent;
use crate::council::debate::kind as debate;
use crate::council::debate::notes::DebateNote;
use crate::council::debate::options::DebateFields;
use crate::council::debate::{self as engine, ballots};
use crate::council::event_readers::{Reader, Readers};
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::prompts::template::Template;
use crate::council::stage::Stage;
use crate::llm::Purpose;

/// How a run deliberates, with what the format needs to know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Format {
    #[default]
    Council,
    Rotation(RotationOptions),
    AllToAll(AllToAllOptions),
    Arena(ArenaOptions),
    Decomposition(DecompositionOptions),
}

/// How requests ask for a format.
struct Known {
    mode: &'static str,
    /// Which of several formats with this mode.
    style: Option<&'static str>,
    /// The flag by which older clients ask for the mode.
    flag: Option<&'static str>,
    parse: fn(&mut Fields<'_>) -> Format,
}

/// Where several have one mode, the first is the one that is meant when nobody says which.
static KNOWN: [Known; 5] = [
    Known { mode: COUNCIL, style: None, flag: None, parse: |_| Format::Council },
    Known {
        mode: DEBATE,
        style: Some(rotation::rounds::STYLE),
        flag: Some("use_debate"),
        parse: |fields| Format::Rotation(RotationOptions::parse(fields)),
    },
    Known {
        mode: DEBATE,
        style: Some(all_to_all::STYLE),
        flag: Some("use_debate"),
        parse: |fields| Format::AllToAll(AllToAllOptions::parse(fields)),
    },
    Known {
        mode: arena::MODE,
        style: None,
        flag: None,
        parse: |fields| Format::Arena(ArenaOptions::parse(fields)),
    },
    Known {
        mode: decomposition::MODE,
        style: None,
        flag: Some(decomposition::FLAG),
        parse: |fields| Format::Decomposition(DecompositionOptions::parse(fields)),
    },
];

/// The mode in which members answer and review each other.
pub const COUNCIL: &str = "council";
/// The mode of the formats in which members speak to each other one to one.
const DEBATE: &str = "debate";

/// Every mode there is.
pub const MODES: [&str; 4] = [COUNCIL, DEBATE, arena::MODE, decomposition::MODE];

/// The fields of a request that settings and presets may have defaults for.
pub const OPTION_FIELDS: [&str; 8] = [
    "mode",
    "debate_style",
    "include_rebuttal",
    "debate_rounds",
    "debate_names",
    "arena_rounds",
    "format_ballots",
    "pick",
];

/// What a request may say of each format, for its documentation.
#[must_use]
pub fn request_fields() -> [RefOr<Schema>; 6] {
    [
        ModeFields::schema(),
        DebateFields::schema(),
        rotation::RotationFields::schema(),
        all_to_all::AllToAllFields::schema(),
        arena::ArenaFields::schema(),
        view::DecompositionFields::schema(),
    ]
}

/// The events that only formats with speakers have.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum FormatEvent {
    Debate(DebateEvent),
    Rotation(RotationEvent),
    Arena(ArenaEvent),
    Decomposition(DecompositionEvent),
}

impl FormatEvent {
    /// The values that the `type` of these events has.
    pub(in crate::council) fn types() -> Vec<String> {
        Self::readers().into_iter().flat_map(|(types, _)| types).collect()
    }

    /// Reads one of these events as it is logged.
    pub(in crate::council) fn read(json: &[u8]) -> serde_json::Result<Self> {
        static READERS: LazyLock<Readers<FormatEvent>> =
            LazyLock::new(|| Readers::new(FormatEvent::readers()));
        READERS.read(json)
    }

    fn readers() -> Vec<(Vec<String>, Reader<Self>)> {
        vec![
            (DebateEvent::types(), |json| DebateEvent::read(json).map(Self::Debate)),
            (RotationEvent::types(), |json| RotationEvent::read(json).map(Self::Rotation)),
            (ArenaEvent::types(), |json| ArenaEvent::read(json).map(Self::Arena)),
            (DecompositionEvent::types(), |json| DecompositionEvent::read(json).map(Self::Decomposition)),
        ]
    }
}

impl From<FormatEvent> for AnyEvent {
    fn from(event: FormatEvent) -> Self {
        match event {
            FormatEvent::Debate(event) => event.into(),
            FormatEvent::Rotation(event) => event.into(),
            FormatEvent::Arena(event) => event.into(),
            FormatEvent::Decomposition(event) => event.into(),
        }
    }
}

/// What the process monitor says of formats other than the council.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum FormatNote {
    Debate(DebateNote),
    Decomposition(DecompositionNote),
}

/// The stages that only some formats have, in the order in which a run comes to them.
pub fn stages() -> impl Iterator<Item = &'static Stage> {
    std::iter::once(&decomposition::STAGE).chain(&decomposition::PARTS).chain(&debate::STAGES)
}

/// What those of them are for that write the final answer.
pub fn purposes_of_final_answers() -> [&'static Purpose; 2] {
    [&debate::JUDGMENT, &decomposition::MERGE]
}

/// The events that show a piece of the final answer, where the format has a name of its own for that.
pub const TOKENS_OF_FINAL_ANSWERS: [&str; 3] = ["synthesis_token", "judgment_token", "merge_token"];

/// What calls are for that only some formats make.
pub fn purposes() -> impl Iterator<Item = &'static Purpose> {
    debate::PURPOSES.into_iter().chain(decomposition::PURPOSES)
}

/// The keys of what seats say in this round of a debate, or answer to this part of a question, begin with one of
/// these; the seat's name follows.
pub(in crate::council) fn keys_of_round(round: u32) -> [String; 2] {
    [format!("round{round}/"), format!("sub{round}/")]
}

/// What this server can do besides the council, as an existing client asks for it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Bounds {
    pub arena: RoundBounds,
}

/// How many rounds a format may have.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RoundBounds {
    pub default_rounds: u8,
    pub min_rounds: u8,
    pub max_rounds: u8,
}

/// The bounds in force.
#[must_use]
pub fn bounds() -> Bounds {
    let arena = RoundBounds {
        default_rounds: arena::DEFAULT_ROUNDS,
        min_rounds: arena::MIN_ROUNDS,
        max_rounds: arena::MAX_ROUNDS,
    };
    Bounds { arena }
}

/// Which formats there are, as flags.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Available {
    pub arena: bool,
}

/// Every format is available.
pub const AVAILABLE: Available = Available { arena: true };

impl Format {
    /// Reads which format a request asks for, and what it says of it.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        let mode: Option<String> = fields.take("mode", "a string");
        if let Some(mode) = mode.as_deref().filter(|mode| !MODES.contains(mode)) {
            refuse_mode(fields, mode);
        }
        let mut flags: Vec<(&str, &str)> = Vec::new();
        for (at, known) in KNOWN.iter().enumerate() {
            let is_new = |flag: &&str| !KNOWN[..at].iter().any(|other| other.flag == Some(*flag));
            if let Some(flag) = known.flag.filter(is_new)
                && fields.take(flag, "true or false").unwrap_or(false)
            {
                flags.push((flag, known.mode));
            }
        }
        let mut asked =
            mode.as_deref().or(flags.first().map(|(_, mode)| *mode)).unwrap_or(COUNCIL).to_owned();
        for (flag, of) in flags {
            if of != asked {
                let message =
                    format!("asks for the format {of} in a request for {asked}: one run has one format");
                fields.refuse(flag, FieldErrorKind::Value, message);
            }
        }
        if !MODES.contains(&asked.as_str()) {
            asked = COUNCIL.to_owned();
        }
        let known: Vec<&Known> = KNOWN.iter().filter(|known| known.mode == asked).collect();
        let styles: Vec<&str> = known.iter().filter_map(|known| known.style).collect();
        let style: Option<String> =
            if styles.is_empty() { None } else { fields.take("debate_style", "a string") };
        if let Some(style) = style.as_deref().filter(|style| !styles.contains(style)) {
            let message = format!("must be {}; it is {style:?}", styles.join(" or "));
            fields.refuse("debate_style", FieldErrorKind::Value, message);
        }
        let chosen = known.iter().find(|known| style.is_none() || known.style == style.as_deref());
        chosen.or(known.first()).map_or(Self::Council, |known| (known.parse)(fields))
    }

    /// The request's `mode`, and the format on the run's row.
    #[must_use]
    pub fn mode(self) -> &'static str {
        match self {
            Self::Council => COUNCIL,
            Self::Rotation(_) | Self::AllToAll(_) => DEBATE,
            Self::Arena(_) => arena::MODE,
            Self::Decomposition(_) => decomposition::MODE,
        }
    }

    /// The templates that a run in this format can use. One may come twice.
    pub(in crate::council) fn templates(self) -> Vec<&'static Template> {
        let own = match self {
            Self::Council => return Vec::new(),
            Self::Rotation(_) => rotation::TEMPLATES,
            Self::AllToAll(_) => all_to_all::TEMPLATES,
            Self::Arena(_) => arena::TEMPLATES,
            Self::Decomposition(_) => return templates::TEMPLATES.to_vec(),
        };
        [own, engine::TEMPLATES, ballots::TEMPLATES].concat()
    }

    /// Whether the council may answer, with all its options.
    #[must_use]
    pub fn may_be_the_councils(self) -> bool {
        matches!(self, Self::Council | Self::Decomposition(_))
    }

    /// Whether the question may be taken apart: what only the council does is left out then.
    #[must_use]
    pub fn may_take_apart(self) -> bool {
        matches!(self, Self::Decomposition(_))
    }

    /// Whether the members rank the answers to each part of a question that is taken apart.
    #[must_use]
    pub fn ranks_parts(self) -> bool {
        matches!(self, Self::Decomposition(DecompositionOptions { pick: Pick::Ballot }))
    }

    /// Whether the writer of the answer may check facts first unless the request says otherwise.
    #[must_use]
    pub fn checks_by_default(self) -> bool {
        self.has_tools_by_default()
    }

    /// Whether those who speak have tools unless the request says otherwise.
    #[must_use]
    pub fn has_tools_by_default(self) -> bool {
        matches!(self, Self::AllToAll(_))
    }

    /// Whether the members rank the openings of a debate.
    pub(in crate::council) fn has_ballots(self) -> bool {
        match self {
            Self::Council | Self::Decomposition(_) => false,
            Self::Rotation(options) => options.debate.ballots,
            Self::AllToAll(options) => options.debate.ballots,
            Self::Arena(options) => options.debate.ballots,
        }
    }
}

/// The templates of all formats. One may come twice.
pub(in crate::council) fn all_templates() -> impl Iterator<Item = &'static Template> {
    let formats = [rotation::TEMPLATES, all_to_all::TEMPLATES, arena::TEMPLATES, templates::TEMPLATES];
    formats.into_iter().chain([engine::TEMPLATES, ballots::TEMPLATES]).flatten().copied()
}

fn refuse_mode(fields: &mut Fields<'_>, mode: &str) {
    let message = format!("must be one of {}; it is {mode:?}", MODES.join(", "));
    fields.refuse("mode", FieldErrorKind::Value, message);
}

/// The fields that ask for each format.
pub(in crate::council) fn requests() -> impl Iterator<Item = Value> {
    KNOWN.iter().map(|known| match known.style {
        Some(style) => json!({"mode": known.mode, "debate_style": style}),
        None => json!({"mode": known.mode}),
    })
}

/// Whether a request says itself which format it wants, in other words than `mode`.
pub(in crate::council) fn names_a_format(body: &Value) -> bool {
    KNOWN.iter().filter_map(|known| known.flag).any(|flag| body.get(flag) == Some(&Value::Bool(true)))
}

/// Whether a request says itself what this default of a format would say, in another spelling. What it says so is no
/// field that may have a default, so the reverse cannot be.
pub(in crate::council) fn is_said_otherwise(body: &Value, default: &str) -> bool {
    let says = |pointer: &str| body.pointer(pointer).is_some_and(|value| !value.is_null());
    match default {
        "arena_rounds" => says("/arena_config/round_count"),
        "include_rebuttal" => says("/num_rounds"),
        _ => false,
    }
}

/// How a request says which format it wants, for its documentation.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body, which the plan reads field by field")]
struct ModeFields {
    /// The format: `council`, `debate`, `arena` or `decomposition`.
    #[schema(default = "council")]
    mode: Option<String>,
    /// The same as `mode: debate`.
    #[schema(default = false)]
    use_debate: Option<bool>,
    /// Which kind of debate: `rotation` (everybody criticises the next one) or `all_to_all` (everybody criticises
    /// every other answer).
    #[schema(default = "rotation")]
    debate_style: Option<String>,
}
