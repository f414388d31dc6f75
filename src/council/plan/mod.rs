//! What a run will do. The only way into a deliberation: a request and the settings in force become a [`Plan`], or a
//! list of all errors. Nothing below it reads the request's options again.

mod defaults;
mod request;
mod rounds;

use serde::{Deserialize, Serialize};

use super::answer_form::AnswerForm;
use super::brief::Brief;
use super::earlier::Scope;
use super::features::{self, Lookups, Options};
use super::formats::list::{self as formats, Format};
use super::options::cache::{CachePlan, scope};
use super::prompts::own::{OwnPrompt, OwnTexts};
use super::rerun::Rerun;
use super::run_event::Ignored;
use super::task::Task;
use crate::llm::Sampling;

pub use defaults::{default_problems, overlaid, settings_problems};
pub use request::{Context, MAX_CONTENT_CHARS, question_problem, text_problem};

/// How a run's final answer arrives, as far as clients have to know it beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerShape {
    /// Whether the text that its writer streams is already the final answer.
    pub is_shown: bool,
    /// Whether it is a JSON document in a requested form, not a text.
    pub is_document: bool,
}

/// The formats that this version knows, as stored on the rows of runs.
pub const FORMATS: &[&str] = &formats::MODES;
/// The version of the plans that are made here, and of what their runs store. It goes up with every change that an
/// earlier version of this program would read or execute differently. All earlier plan versions can be read, and are
/// executed by the rules of their time where these differ ([`Plan::version`]).
///
/// 2: the plan holds its texts, and calls have fingerprints with a version.
///
/// 3: the plan holds who reviews, how self-votes count, and whether the final answer is written.
///
/// 4: things may be looked up before anybody answers.
///
/// 5: an earlier answer may be given.
///
/// 6: members may speak one after another.
///
/// 7: nobody may review, and the final answer may have a form.
///
/// 8: one seat alone may be asked, and the question may come with files.
///
/// 9: the plan's texts are stored apart from its row.
///
/// 10: reviewers may judge by a rubric.
///
/// 11: the question may come with pictures.
///
/// 12: the question may be corrected while the members answer, files may be those of its project, answers to the parts
/// of a question may show their steps, and members read as much of the files as their models have room for.
///
/// 13: a member that has failed may be asked again while others answer, and every model that reads the earlier turns
/// reads those that it has room for.
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
    /// The version by whose rules it is executed: the one in which it was made, even when it is asked again.
    #[serde(default = "first_version")]
    pub version: i32,
    /// What the run is about, and how members are to answer and review.
    #[serde(flatten)]
    pub task: Task,
    /// The format of the deliberation.
    #[serde(default)]
    pub format: Format,
    /// The options of the council; all off in another format.
    #[serde(flatten)]
    pub options: Options,
    /// What is looked up before the first round, whatever the format.
    #[serde(flatten)]
    pub lookups: Lookups,
    /// How much the process monitor says: 0 nothing, to 3 everything.
    #[serde(default)]
    pub verbosity: u8,
    /// Whether the process monitor makes remarks in addition to its sentences about events. Runs that began before it
    /// made any do without: those about earlier events would come late.
    #[serde(default)]
    pub remarks: bool,
    /// Whether the conversation still needs a title.
    #[serde(default)]
    pub title: bool,
    /// The options that were switched on and do not apply to this run.
    #[serde(default)]
    pub ignored: Vec<Ignored>,
    /// Set where an earlier answer may be given, and this one kept for later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CachePlan>,
    /// Those texts of its prompts that are an administrator's own. The texts themselves are in the brief.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_prompts: Vec<OwnPrompt>,
    /// The earlier run of the same question from which this one goes on, if any.
    #[serde(default, rename = "fork")]
    pub rerun: Option<Rerun>,
}

/// The version of plans from before there were versions.
fn first_version() -> i32 {
    1
}

impl Plan {
    /// This plan with the texts of its prompts.
    fn with_texts(mut self, texts: &OwnTexts) -> Self {
        let templates =
            features::templates(&self.task, (&self.options, self.lookups, self.format), self.title);
        self.own_prompts = texts.among(templates.iter().copied());
        self.task.brief.prompts = texts.in_force(templates);
        self
    }

    /// This plan for a conversation that has a title already.
    #[must_use]
    pub fn untitled(self, texts: &OwnTexts) -> Self {
        Self { title: false, ..self }.with_texts(texts)
    }

    /// This plan with questions compared by the hash method where the embedding model's provider has no embeddings
    /// (`offers`). Decided when the question is asked, so that all executions and the estimate do the same.
    #[must_use]
    pub fn compared_as(mut self, offers: impl Fn(&str) -> bool) -> Self {
        if self.cache.is_some() {
            let settings = &mut self.task.brief.settings.options.cache;
            settings.use_api_embeddings = settings.by_model(offers);
        }
        self
    }

    /// This plan where nobody is there to decide whether an earlier answer will do.
    #[must_use]
    pub fn without_offers(mut self) -> Self {
        self.cache = self.cache.map(CachePlan::without_offers);
        self
    }

    /// This plan with its scope, within which an earlier answer is looked for.
    pub(super) fn scoped(mut self) -> Self {
        // This hashes the whole plan, so it is done only where an earlier answer is looked for.
        if let Some(cache) = self.cache {
            self.cache = Some(CachePlan { scope: self.scope(), ..cache });
        }
        self
    }

    /// This plan for a program that wants the final answer written with these parameters, whatever the format, or in
    /// this form: then no member's own answer is taken for it.
    #[must_use]
    pub fn for_program(mut self, sampling: Sampling, form: Option<AnswerForm>, texts: &OwnTexts) -> Self {
        self.sample_final_answer(sampling);
        if form.is_some() {
            let mut formed = Vec::new();
            self.options.require_written_answer(&mut formed);
            // An earlier reason for one of these may hold only where the question is taken apart; this one always
            // does.
            self.ignored.retain(|told| !formed.iter().any(|one| one.field == told.field));
            self.ignored.extend(formed);
            self.task.brief.form = form;
        }
        self.with_texts(texts).scoped()
    }

    /// Applies these parameters to the writer of the final answer; absent ones stay as in the settings.
    fn sample_final_answer(&mut self, wanted: Sampling) {
        for purpose in features::purposes_of_final_answers() {
            let sampling = self.task.brief.settings.sampling.entry(purpose.name.to_owned()).or_default();
            sampling.temperature = wanted.temperature.or(sampling.temperature);
            sampling.max_tokens = wanted.max_tokens.or(sampling.max_tokens);
        }
    }

    /// Whether the text that its writer streams is already the final answer: nobody revises it or chooses it from
    /// several drafts, nothing is looked up while it is written, and it has no form, which only a whole text can have.
    fn shows_final_answer(&self) -> bool {
        self.options.keeps_written_answer() && self.brief().checks == 0 && self.brief().form.is_none()
    }

    /// How its final answer arrives.
    #[must_use]
    pub fn answer_shape(&self) -> AnswerShape {
        AnswerShape { is_shown: self.shows_final_answer(), is_document: self.brief().form.is_some() }
    }

    /// The hash of all that its answer depends on besides the question.
    #[must_use]
    pub fn scope(&self) -> Scope {
        scope::of(serde_json::to_value(self).expect("a plan is plain data with string keys"))
    }

    /// What the run is about.
    #[must_use]
    pub fn brief(&self) -> &Brief {
        &self.task.brief
    }
}
