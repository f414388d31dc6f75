//! The only way into a deliberation: a request and the settings in force become a [`Plan`], or
//! every reason why not. Nothing below it looks at options again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer_form::AnswerForm;
use super::attached::Attached;
use super::brief::Brief;
use super::earlier::Scope;
use super::features::{self, Lookups, Options};
use super::field::{FieldError, FieldErrorKind, Fields};
use super::fork::Fork;
use super::formats::list::{self as formats, Format};
use super::member::{Member, member_problems, members, model_problem};
use super::options::cache::{CachePlan, scope};
use super::options::rubric::{self, Rubric};
use super::options::tools;
use super::process;
use super::prompts::history::{self, Turn};
use super::prompts::line::Line;
use super::prompts::own::{OwnPrompt, OwnTexts};
use super::prompts::template::Prompts;
use super::ranking::records::ReviewerRecords;
use super::ranking::self_votes::SelfVotes;
use super::ranking::weights::{Record, Weighing};
use super::run_event::{Ignored, IgnoredFact};
use super::searching::material::Background;
use super::searching::plan::{SearchContext, SearchPlan};
use super::setting::RunOptions;
use super::settings::Settings;
use super::task::Task;
use crate::invisible::shows_nothing;
use crate::llm::Sampling;

/// The longest question, in characters.
pub const MAX_CONTENT_CHARS: usize = 100_000;
const MAX_SYSTEM_PROMPT_CHARS: usize = 20_000;
/// The longest wait for stragglers once the quorum has answered.
const MAX_GRACE_MS: i64 = 600_000;

/// How a run's final answer comes, as far as whoever follows the run has to know it beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerShape {
    /// What its writer shows as it writes is the final answer.
    pub is_shown: bool,
    /// It is a document of a form, not a text.
    pub is_document: bool,
}

/// The formats of the plans here, as runs' rows have them.
pub const FORMATS: &[&str] = &formats::MODES;
/// The version of the plans that are made here, and of what their runs store. It goes up with whatever an earlier
/// version of this program would read or execute otherwise. Every version before it can be read, and is executed by
/// the rules of its time where they differ ([`Plan::version`]).
///
/// 2: the plan holds its texts, and calls have fingerprints with a version.
///
/// 3: who reviews, what own votes count, and whether the final answer is written are the plan's.
///
/// 4: the question may be looked up before anybody answers.
///
/// 5: an earlier answer may be given.
///
/// 6: members may speak one after another.
///
/// 7: nobody may review, and the final answer may have a form.
///
/// 8: one seat alone may be asked, and the question may come with files.
///
/// 9: its texts stand apart from its row.
///
/// 10: reviewers may judge by a rubric.
///
/// 11: the question may come with pictures.
///
/// 12: the question may be corrected while the members answer, files may be those of its project, answers to the parts
/// of a question may show their steps, and members read as much of the files as their models have room for.
///
/// 13: a member that has failed may be asked again while others answer, and whoever is told the earlier turns is told
/// those that its model has room for.
pub const VERSION: i32 = 13;

/// Whether plans of this format and version can be read here.
#[must_use]
pub fn is_readable(format: &str, version: i32) -> bool {
    FORMATS.contains(&format) && version <= VERSION
}

/// What a run will do, frozen on its row when it starts: a later change of settings or code does
/// not change a run under way. New fields need defaults, since stored plans must still load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The version whose rules it is executed by: the one that it was made in, also when it is asked again.
    #[serde(default = "first_version")]
    pub version: i32,
    /// What it is about, and what members are to do with it.
    #[serde(flatten)]
    pub task: Task,
    /// How it is deliberated on.
    #[serde(default)]
    pub format: Format,
    /// What the council does besides; nothing of it in another format.
    #[serde(flatten)]
    pub options: Options,
    /// What is looked up before the first round, whatever the format.
    #[serde(flatten)]
    pub lookups: Lookups,
    /// How much the process monitor says: 0 nothing, to 3 everything.
    #[serde(default)]
    pub verbosity: u8,
    /// Whether the process monitor makes remarks beside its sentences about events. Runs that began before it made any
    /// are without to their end: they would come late.
    #[serde(default)]
    pub remarks: bool,
    /// Whether the conversation still needs a title.
    #[serde(default)]
    pub title: bool,
    /// What was switched on and does not apply to this run.
    #[serde(default)]
    pub ignored: Vec<Ignored>,
    /// Whether an earlier answer may be given, and this one kept for later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CachePlan>,
    /// Which texts that its models are asked with are an administrator's own. The texts are in the brief.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_prompts: Vec<OwnPrompt>,
    /// What an earlier run of the same question has, to go on from.
    #[serde(default)]
    pub fork: Option<Fork>,
}

/// That of plans from before there were versions.
fn first_version() -> i32 {
    1
}

/// What a request is read against.
#[derive(Clone, Default)]
pub struct Context {
    pub settings: Settings,
    /// The conversation's earlier turns, oldest first.
    pub history: Vec<Turn>,
    /// The same as the member has it that is asked alone, where one is.
    pub line: Option<Line>,
    /// Whether this is the conversation's first message.
    pub first: bool,
    /// What earlier runs say about each model.
    pub records: BTreeMap<String, Record>,
    /// What earlier runs say about each reviewer.
    pub reviewer_records: ReviewerRecords,
    /// What can be searched, if anything can.
    pub search: Option<SearchContext>,
    /// What models are asked with in the place of this program's own texts.
    pub prompts: OwnTexts,
    /// The files of the project and those that the request names, where somebody has looked for them.
    pub attachments: Option<Vec<Attached>>,
    /// The rubric of the library that the request, or its default, names, where somebody has found it.
    pub rubric: Option<Rubric>,
    /// What every member is told before its own system prompt, or the request's.
    pub instructions: Option<String>,
}

/// How "on" looks in a known option that is off when absent.
enum Unbuilt {
    /// On when `true`.
    Flag(&'static str),
    /// On when given at all.
    Given(&'static str),
}

/// Options that clients of similar servers know and this server does not offer yet. Switched on,
/// they are refused, never silently ignored.
const UNBUILT: &[Unbuilt] = &[
    // What one existing client can send besides: ignoring these would answer another
    // question than the one asked, or pay for a run twice.
    Unbuilt::Flag("resume"),
    Unbuilt::Given("prior_context"),
];

/// A request with the options that it leaves out taken from these defaults.
#[must_use]
fn with_defaults(body: &Value, defaults: &RunOptions) -> Value {
    let request = body;
    let mut body = body.clone();
    if let Some(fields) = body.as_object_mut() {
        for (name, value) in defaults {
            let given = fields.get(name).is_some_and(|value| !value.is_null());
            if !given && !features::is_overruled(request, name) {
                fields.insert(name.clone(), value.clone());
            }
        }
    }
    body
}

/// Everything that is wrong with these settings, default options included.
#[must_use]
pub fn settings_problems(settings: &Settings) -> Vec<FieldError> {
    let mut problems = settings.problems();
    problems.extend(default_problems(
        settings,
        "default_options",
        &settings.options.requests.default_options,
    ));
    problems
}

/// What is wrong with default options under these settings; `field` is where they stand.
#[must_use]
pub fn default_problems(settings: &Settings, field: &str, options: &RunOptions) -> Vec<FieldError> {
    let unknown = options.keys().filter(|name| !features::may_have_default(name));
    let mut problems: Vec<FieldError> = unknown
        .map(|name| FieldError::value(format!("{field}.{name}"), "is no option that can have a default"))
        .collect();
    // In every format, since each reads its own.
    let modes = formats::MODES.iter().map(|mode| json!({"mode": mode}));
    for mut request in std::iter::once(json!({})).chain(modes).chain(formats::requests()) {
        request["content"] = json!("?");
        // Whether anything can be searched may change at any time.
        let search = Some(SearchContext::any());
        // So may what is in the library.
        let rubric = Some(Rubric::any());
        let context = Context { settings: settings.clone(), search, rubric, ..Context::default() };
        for error in Plan::parse(&with_defaults(&request, options), context).err().unwrap_or_default() {
            let error = FieldError { field: format!("{field}.{}", error.field), ..error };
            if !problems.contains(&error) {
                problems.push(error);
            }
        }
    }
    problems
}

impl Plan {
    /// Reads a request body of which the options that it leaves out are these. One of them that does not
    /// fit this request is left out, which [`Plan::ignored`] tells: nobody is refused for a field that
    /// they have not sent.
    ///
    /// # Errors
    /// As [`Plan::parse`].
    pub fn parse_over(
        body: &Value,
        defaults: &RunOptions,
        context: Context,
    ) -> Result<Self, Vec<FieldError>> {
        if defaults.is_empty() {
            return Self::parse(body, context);
        }
        let errors = match Self::parse(&with_defaults(body, defaults), context.clone()) {
            Ok(plan) => return Ok(plan),
            Err(errors) => errors,
        };
        let is_given = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
        let mut fitting = defaults.clone();
        let mut unfit = Vec::new();
        for FieldError { field, message, .. } in errors {
            // What is wrong may stand inside of the default (`rubric.text`).
            let name = field.split('.').next().unwrap_or(&field);
            if !is_given(name) && fitting.remove(name).is_some() {
                unfit.push(Ignored::because(name, IgnoredFact::UnfitDefault { problem: message }));
            }
        }
        let mut plan = Self::parse(&with_defaults(body, &fitting), context)?;
        plan.ignored.extend(unfit);
        Ok(plan)
    }

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
            system_prompt.as_deref().and_then(|text| text_problem(text, 0, MAX_SYSTEM_PROMPT_CHARS))
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
        let alone = features::asked_alone(&mut fields, &mut settings, format, context.line.as_ref());
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
        let weighted: Option<bool> = fields.take("use_weighted_consensus", "true or false");
        let weighing = (is_council && !without_reviews && weighted.unwrap_or(true))
            .then(|| Weighing::of(&context.records, settings.models_that_may_review()));
        let self_votes = SelfVotes::parse(&mut fields, settings.count_self_votes);
        let reviewer_records = context.reviewer_records.of(settings.models_that_may_review());
        let reviewers = match settings.options.jury.reviewer_models.len() {
            0 => options.roster.most(settings.council_models.len()),
            jury => jury,
        };
        let mut reviews_per_answer = at_most(&mut fields, "reviews_per_answer", (reviewers, "reviewers"));
        let mut second_reading = fields.take("use_second_reading", "true or false").unwrap_or(false);
        let mut rubric = Rubric::parse(&mut fields, context.rubric.as_ref());
        let members = options.roster.most(settings.council_models.len());
        let mut quorum = at_most(&mut fields, "quorum", (members, "members"));
        let mut straggler_grace_ms = straggler_grace_ms(&mut fields);
        let one_at_a_time = fields.take("one_at_a_time", "true or false").unwrap_or(false);
        if without_reviews {
            let named = fields.take::<Vec<Value>>("reviewer_models", "a list of models").unwrap_or_default();
            let others = [
                ("use_weighted_consensus", weighted == Some(true)),
                ("reviewer_models", !named.is_empty()),
                ("reviews_per_answer", reviews_per_answer.take().is_some()),
                ("use_second_reading", std::mem::take(&mut second_reading)),
                (rubric::FIELD, rubric.take().is_some()),
            ];
            for (field, _) in others.into_iter().filter(|(_, on)| *on) {
                ignored.push(Ignored::because(field, IgnoredFact::Unreviewed));
            }
        }
        if !is_council {
            let others = [
                ("use_reviews", unreviewed),
                ("use_weighted_consensus", weighted == Some(true)),
                ("use_second_reading", std::mem::take(&mut second_reading)),
                ("quorum", quorum.take().is_some()),
                ("straggler_grace_ms", std::mem::take(&mut straggler_grace_ms) > 0),
            ];
            let off = options.take_switched_on().into_iter().chain(others);
            for (field, _) in off.filter(|(_, on)| *on) {
                let fact = IgnoredFact::CouncilOnly { mode: format.mode().to_owned() };
                ignored.push(Ignored::because(field, fact));
            }
        }
        if format.may_take_apart() {
            // Only the run finds out whether it does.
            let reviewers_named =
                fields.has("reviewer_models") && !settings.options.jury.reviewer_models.is_empty();
            let others = [
                ("use_reviews", unreviewed),
                ("use_weighted_consensus", weighted == Some(true) && !without_reviews),
                ("reviewer_models", reviewers_named && !without_reviews),
                ("reviews_per_answer", reviews_per_answer.is_some()),
                ("use_second_reading", second_reading),
                (rubric::FIELD, rubric.is_some() && !format.ranks_parts()),
                ("quorum", quorum.is_some()),
                ("straggler_grace_ms", straggler_grace_ms > 0),
            ];
            let on = options.switched_on().into_iter().chain(others).filter(|(_, on)| *on);
            ignored.extend(on.map(|(field, _)| Ignored::because(field, IgnoredFact::TakenApart)));
        }
        if !is_council && !format.has_ballots() && rubric.take().is_some() {
            ignored.push(Ignored::because(rubric::FIELD, IgnoredFact::Unreviewed));
        }
        let lookups = Lookups::parse(&mut fields, context.search.as_ref());
        let by_default = format.has_tools_by_default();
        let search = context.search.as_ref();
        let tools = tools::parse(&mut fields, (&settings, one_at_a_time), by_default, search);
        let by_default = format.checks_by_default();
        let checks = options.checks(&mut fields, by_default, context.search.as_ref(), &mut ignored);
        let search = context.search.filter(|_| lookups.any() || tools.is_some() || checks > 0);
        let verbosity = process::verbosity(&mut fields);
        let history = context.line.map_or(context.history, |line| line.turns);
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
                self_votes: Some(self_votes),
                reviewer_records,
                quorum,
                straggler_grace_ms,
                one_at_a_time,
                without_reviews,
                reviews_per_answer,
                rubric,
                second_reading,
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
            fork: None,
        })?;
        Ok(plan.with_texts(&context.prompts).scoped())
    }

    /// The same with the texts that its models are asked with.
    fn with_texts(mut self, texts: &OwnTexts) -> Self {
        let templates =
            features::templates(&self.task, (&self.options, self.lookups, self.format), self.title);
        self.own_prompts = texts.among(templates.iter().copied());
        self.task.brief.prompts = texts.in_force(templates);
        self
    }

    /// The same where the conversation has a title already.
    #[must_use]
    pub fn untitled(self, texts: &OwnTexts) -> Self {
        Self { title: false, ..self }.with_texts(texts)
    }

    /// The same, with questions compared by the hash method where the embedding model's provider has no embeddings
    /// (`offers`). Decided when it is asked, so that every execution and the estimate go by the same.
    #[must_use]
    pub fn compared_as(mut self, offers: impl Fn(&str) -> bool) -> Self {
        if self.cache.is_some() {
            let settings = &mut self.task.brief.settings.options.cache;
            settings.use_api_embeddings = settings.by_model(offers);
        }
        self
    }

    /// The same, with an earlier answer looked for among those with the same circumstances.
    pub(super) fn scoped(mut self) -> Self {
        // The whole plan is hashed for it, so only where an earlier answer is looked for.
        if let Some(cache) = self.cache {
            self.cache = Some(CachePlan { scope: self.scope(), ..cache });
        }
        self
    }

    /// The same, where a program wants the final answer written with these parameters or in this form, whatever the
    /// format. No member's own answer is taken for it then.
    #[must_use]
    pub fn for_program(mut self, sampling: Sampling, form: Option<AnswerForm>, texts: &OwnTexts) -> Self {
        self.sample_final_answer(sampling);
        if form.is_some() {
            let mut formed = Vec::new();
            self.options.have_it_written(&mut formed);
            // What is told already of one of them may hold only where the question is taken apart; this always does.
            self.ignored.retain(|told| !formed.iter().any(|one| one.field == told.field));
            self.ignored.extend(formed);
            self.task.brief.form = form;
        }
        self.with_texts(texts).scoped()
    }

    /// Applies these parameters to the writer of the final answer: what is absent stays as in the settings.
    fn sample_final_answer(&mut self, wanted: Sampling) {
        for purpose in features::purposes_of_final_answers() {
            let sampling = self.task.brief.settings.sampling.entry(purpose.name.to_owned()).or_default();
            sampling.temperature = wanted.temperature.or(sampling.temperature);
            sampling.max_tokens = wanted.max_tokens.or(sampling.max_tokens);
        }
    }

    /// Whether the final answer is what its writer shows as it writes: nobody revises it, or chooses it from several,
    /// nothing is looked up in its middle, and it has no form that is only known of the whole.
    fn shows_final_answer(&self) -> bool {
        self.options.leave_what_is_written() && self.brief().checks == 0 && self.brief().form.is_none()
    }

    /// How its final answer comes.
    #[must_use]
    pub fn answer_shape(&self) -> AnswerShape {
        AnswerShape { is_shown: self.shows_final_answer(), is_document: self.brief().form.is_some() }
    }

    /// What its answer depends on besides the question.
    #[must_use]
    pub fn scope(&self) -> Scope {
        scope::of(serde_json::to_value(self).expect("a plan is plain data with string keys"))
    }

    /// What it is about.
    #[must_use]
    pub fn brief(&self) -> &Brief {
        &self.task.brief
    }
}

/// Reads how many of these there are to be.
fn at_most(fields: &mut Fields<'_>, field: &str, (all, who): (usize, &str)) -> Option<usize> {
    let given: i64 = fields.take(field, "a whole number")?;
    let some = usize::try_from(given).ok().filter(|some| (1..=all).contains(some));
    if some.is_none() {
        let message = format!("must be from 1 to {all}, the number of {who}; it is {given}");
        fields.refuse(field, FieldErrorKind::Value, message);
    }
    some
}

fn straggler_grace_ms(fields: &mut Fields<'_>) -> u64 {
    let given: i64 = fields.take("straggler_grace_ms", "a whole number").unwrap_or_default();
    if !(0..=MAX_GRACE_MS).contains(&given) {
        let message = format!("must be from 0 to {MAX_GRACE_MS} milliseconds; it is {given}");
        fields.refuse("straggler_grace_ms", FieldErrorKind::Value, message);
    }
    u64::try_from(given).unwrap_or_default()
}

/// What is wrong with a question, if anything.
#[must_use]
pub fn question_problem(text: &str) -> Option<String> {
    text_problem(text, 1, MAX_CONTENT_CHARS)
}

/// A system prompt after the instructions that come before it, where there are any.
fn after(instructions: Option<&str>, prompt: Option<String>) -> Option<String> {
    match (instructions, prompt) {
        (Some(instructions), Some(prompt)) => Some(format!("{instructions}\n\n{prompt}")),
        (Some(instructions), None) => Some(instructions.to_owned()),
        (None, prompt) => prompt,
    }
}

/// The same for members with a system prompt of their own.
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

/// Refuses files where a question cannot have any: nothing is answered without them.
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
