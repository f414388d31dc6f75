//! Reading a request against the settings in force.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rounds::{Circumstances, Rounds};
use super::{Plan, VERSION};
use crate::council::attached::Attached;
use crate::council::brief::Brief;
use crate::council::features::{self, Lookups, Options};
use crate::council::field::{FieldError, FieldErrorKind, Fields};
use crate::council::formats::list::Format;
use crate::council::member::{Member, member_problems, members, model_problem};
use crate::council::options::cache::CachePlan;
use crate::council::options::rubric::Rubric;
use crate::council::options::tools;
use crate::council::process;
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::own::OwnTexts;
use crate::council::prompts::seat_history::SeatHistory;
use crate::council::prompts::template::Prompts;
use crate::council::ranking::records::ReviewerRecords;
use crate::council::ranking::weights::{Record, Weighing};
use crate::council::run_event::IgnoredFact;
use crate::council::searching::material::Background;
use crate::council::searching::plan::{SearchContext, SearchPlan};
use crate::council::settings::Settings;
use crate::council::task::Task;
use crate::invisible::shows_nothing;

/// The longest question, and the longest system prompt, in characters. Coding agents send system prompts of forty
/// thousand.
pub const MAX_CONTENT_CHARS: usize = 100_000;

/// What a request is read against: settings, conversation, and what was found for it.
#[derive(Clone, Default)]
pub struct Context {
    pub settings: Settings,
    /// The conversation's earlier turns, oldest first.
    pub history: Vec<Turn>,
    /// The conversation as a member that is asked alone has seen it, where one is.
    pub seat_history: Option<SeatHistory>,
    /// Whether this is the conversation's first message.
    pub first: bool,
    /// Each model's record from earlier runs.
    pub records: BTreeMap<String, Record>,
    /// Each reviewer's record from earlier runs.
    pub reviewer_records: ReviewerRecords,
    /// What can be searched, if anything can.
    pub search: Option<SearchContext>,
    /// The administrator's texts in place of this program's prompts.
    pub prompts: OwnTexts,
    /// The files of the project and those that the request names; `None` where files are not accepted.
    pub attachments: Option<Vec<Attached>>,
    /// The rubric of the library that the request, or its default, names, where it was found.
    pub rubric: Option<Rubric>,
    /// Instructions that precede every system prompt, a member's own or the request's.
    pub instructions: Option<String>,
}

/// What switches on a known option that is off when absent.
enum Unbuilt {
    /// On when `true`.
    Flag(&'static str),
    /// On when given at all.
    Given(&'static str),
}

/// Options that clients of similar servers know and this server does not offer yet. Switched on,
/// they are refused, never silently ignored.
const UNBUILT: &[Unbuilt] = &[
    // Options that one existing client can send: ignoring them would answer another
    // question than the one asked, or pay for a run twice.
    Unbuilt::Flag("resume"),
    Unbuilt::Given("prior_context"),
];

impl Plan {
    /// Reads a request body against the settings in force. Unknown fields are ignored.
    ///
    /// # Errors
    /// Every wrong field at once.
    pub fn parse(body: &Value, context: Context) -> Result<Self, Vec<FieldError>> {
        let mut fields = Fields::of(body)?;
        let mut settings = context.settings;

        let question: Option<String> = fields.take("content", "a string");
        match &question {
            None if !fields.has("content") => {
                fields.refuse("content", FieldErrorKind::Missing, "the question is required");
            }
            None => {}
            Some(text) => {
                if let Some(problem) = question_problem(text) {
                    fields.refuse("content", FieldErrorKind::Value, problem);
                }
            }
        }
        let system_prompt: Option<String> = fields.take("system_prompt", "a string");
        if let Some(problem) =
            system_prompt.as_deref().and_then(|text| text_problem(text, 0, MAX_CONTENT_CHARS))
        {
            fields.refuse("system_prompt", FieldErrorKind::Value, problem);
        }

        if let Some(members) = members(&mut fields, "models") {
            fields.refuse_all(member_problems("models", &members));
            settings.council_models = members;
        }
        if let Some(model) = fields.take::<String>("chairman_model", "a model id") {
            fields.refuse_all(model_problem("chairman_model", &model));
            settings.chairman_model = model;
            settings.chairman_alias = None;
        }
        let instructions = context.instructions.filter(|text| !text.trim().is_empty());
        let system_prompt =
            after(instructions.as_deref(), system_prompt.filter(|text| !text.trim().is_empty()));
        precede(instructions.as_deref(), &mut settings.council_models);

        let chain_of_thought = fields.take("use_cot", "true or false").unwrap_or(false);
        let format = Format::parse(&mut fields);
        let is_council = format.may_be_the_councils();
        let mut ignored = Vec::new();
        let unreviewed = !fields.take("use_reviews", "true or false").unwrap_or(true);
        // The seats of the whole council, even where one of them is asked alone.
        let seats = settings.council_models.len();
        let alone = features::asked_alone(&mut fields, &mut settings, format, context.seat_history.as_ref());
        let without_reviews = (unreviewed || alone.is_some()) && is_council;
        let elsewhere = match alone {
            Some(_) => Some(IgnoredFact::Alone),
            None if is_council => None,
            None => Some(IgnoredFact::CouncilOnly { mode: format.mode().to_owned() }),
        };
        let circumstances = (without_reviews, elsewhere);
        let mut options = Options::parse(&mut fields, &mut settings, circumstances, &mut ignored);
        precede(instructions.as_deref(), &mut settings.options.jury.reviewer_models);
        if let Some(seat) = alone {
            options.ask_alone(seat, &mut ignored);
        }
        let members = options.roster.most(seats);
        let reviewers_named = settings.options.jury.reviewer_models.len();
        let mut rounds = Rounds::parse(
            &mut fields,
            (members, reviewers_named),
            settings.count_self_votes,
            context.rubric.as_ref(),
        );
        let weighing = (is_council && !without_reviews && rounds.weighted.unwrap_or(true))
            .then(|| Weighing::of(&context.records, settings.models_that_may_review()));
        let reviewer_records = context.reviewer_records.of(settings.models_that_may_review());
        let one_at_a_time = fields.take("one_at_a_time", "true or false").unwrap_or(false);
        let (is_unreviewed, is_alone) = (unreviewed, alone.is_some());
        let circumstances = Circumstances { format, is_unreviewed, is_alone, without_reviews };
        rounds.leave_out(&mut fields, &mut options, circumstances, &mut ignored);
        let lookups = Lookups::parse(&mut fields, context.search.as_ref());
        let by_default = format.has_tools_by_default();
        let search = context.search.as_ref();
        let tools = tools::parse(&mut fields, (&settings, one_at_a_time), by_default, search);
        let circumstances = (format.checks_by_default(), format.may_take_apart());
        let checks = options.checks(&mut fields, circumstances, context.search.as_ref(), &mut ignored);
        let search = context.search.filter(|_| lookups.any() || tools.is_some() || checks > 0);
        let verbosity = process::verbosity(&mut fields);
        let history = context.seat_history.map_or(context.history, |seat| seat.turns);
        let cache = CachePlan::parse(&mut fields);
        refuse_unbuilt(&mut fields);
        if context.attachments.is_none() {
            refuse_files(&mut fields);
        }

        let plan = fields.finish(|| Self {
            version: VERSION,
            task: Task {
                brief: Brief {
                    question: question.unwrap_or_default(),
                    fits_turns: !history.is_empty(),
                    history: history::cut(history, history::BUDGET_CHARS),
                    system_prompt,
                    settings,
                    search: search.map(|search| SearchPlan::of(&search, lookups.any())),
                    checks,
                    form: None,
                    fits_files: context.attachments.iter().flatten().any(|file| !file.text.is_empty()),
                    attachments: context.attachments.unwrap_or_default(),
                    seen_by: Vec::new(),
                    corrections: Vec::new(),
                    background: Background::default(),
                    prompts: Prompts::default(),
                },
                chain_of_thought,
                tools,
                weighing,
                self_votes: Some(rounds.self_votes),
                reviewer_records,
                quorum: rounds.quorum,
                straggler_grace_ms: rounds.straggler_grace_ms,
                one_at_a_time,
                without_reviews,
                reviews_per_answer: rounds.reviews_per_answer,
                rubric: rounds.rubric,
                second_reading: rounds.second_reading,
                failed_are_done: true,
            },
            format,
            options,
            lookups,
            verbosity,
            remarks: true,
            title: context.first,
            ignored,
            cache,
            own_prompts: Vec::new(),
            rerun: None,
        })?;
        Ok(plan.with_texts(&context.prompts).scoped())
    }
}

/// What is wrong with a question, if anything.
#[must_use]
pub fn question_problem(text: &str) -> Option<String> {
    text_problem(text, 1, MAX_CONTENT_CHARS)
}

/// A system prompt with instructions put before it, where there are any.
fn after(instructions: Option<&str>, prompt: Option<String>) -> Option<String> {
    match (instructions, prompt) {
        (Some(instructions), Some(prompt)) => Some(format!("{instructions}\n\n{prompt}")),
        (Some(instructions), None) => Some(instructions.to_owned()),
        (None, prompt) => prompt,
    }
}

/// Puts instructions before members' own system prompts, where they have any.
fn precede(instructions: Option<&str>, members: &mut [Member]) {
    for member in members.iter_mut().filter(|member| member.system_prompt.is_some()) {
        member.system_prompt = after(instructions, member.system_prompt.take());
    }
}

/// What is wrong with a text of `min` to `max` characters, if anything.
#[must_use]
pub fn text_problem(text: &str, min: usize, max: usize) -> Option<String> {
    let chars = text.chars().count();
    if text.contains('\0') {
        Some("must not contain U+0000".into())
    } else if chars > max {
        Some(format!("is {chars} characters long; at most {max} are accepted"))
    } else if min > 0 && shows_nothing(text) {
        Some("must not be empty".into())
    } else {
        None
    }
}

/// Refuses files where a question cannot have any, so that no question is answered without its files.
fn refuse_files(fields: &mut Fields<'_>) {
    let named = fields.take::<Vec<Value>>("attachments", "a list").unwrap_or_default();
    if !named.is_empty() {
        let message = "files cannot come with a question that is asked here; leave them out";
        fields.refuse("attachments", FieldErrorKind::Unavailable, message);
    }
}

fn refuse_unbuilt(fields: &mut Fields<'_>) {
    let not_here = "is not available on this server yet; leave it out or switch it off";
    for option in UNBUILT {
        let (name, on) = match option {
            Unbuilt::Flag(name) => (name, fields.take(name, "true or false").unwrap_or(false)),
            Unbuilt::Given(name) => (name, fields.has(name)),
        };
        if on {
            fields.refuse(*name, FieldErrorKind::Unavailable, not_here);
        }
    }
}
