//! What a run will do. The only way into a deliberation: a request and the settings in force become a [`Plan`], or every
//! reason why not. Nothing below it looks at options again.

mod defaults;
mod request;

use serde::{Deserialize, Serialize};

use super::answer_form::AnswerForm;
use super::brief::Brief;
use super::earlier::Scope;
use super::features::{self, Lookups, Options};
use super::fork::Fork;
use super::formats::list::{self as formats, Format};
use super::options::cache::{CachePlan, scope};
use super::prompts::own::{OwnPrompt, OwnTexts};
use super::run_event::Ignored;
use super::task::Task;
use crate::llm::Sampling;

pub use defaults::{default_problems, overlaid, settings_problems};
pub use request::{Context, MAX_CONTENT_CHARS, question_problem, text_problem};

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

impl Plan {
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

    /// The same where nobody is there to be asked whether an earlier answer will do.
    #[must_use]
    pub fn without_offers(mut self) -> Self {
        self.cache = self.cache.map(CachePlan::without_offers);
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
