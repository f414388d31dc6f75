//! What a run is about: the question and its context. Every part of a deliberation reads it; it names no stage
//! and no option.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::answer_form::AnswerForm;
use super::attached::{self, Attached};
use super::correction::{self, Correction};
use super::prompts::fence::{self, Fence};
use super::prompts::history::Turn;
use super::prompts::template::Prompts;
use super::searching::citations::Citations;
use super::searching::material::{self, Background};
use super::searching::plan::SearchPlan;
use super::settings::{Member, Settings};

/// The question and its context. Frozen with the plan when the run starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    pub question: String,
    /// Earlier turns, oldest first, already cut to the budget.
    #[serde(default)]
    pub history: Vec<Turn>,
    /// The system prompt of every member without one of its own.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The settings in force at the start: council, chairman, titles, sampling.
    pub settings: Settings,
    /// What can be looked up, where the run looks anything up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchPlan>,
    /// How many lookups a writer for the council may make first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checks: u8,
    /// The form of the final answer, where something other than a text was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<AnswerForm>,
    /// The files that the question comes with: those of its project, and its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attached>,
    /// Whether a member whose model has a short context reads only as much of the files as fits. Older plans of
    /// questions with files lack it, and are executed as they were then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fits_files: bool,
    /// Whether every model that reads the earlier turns, not only members that answer, reads just those that it has
    /// room for. Older plans with earlier turns lack it, and are executed as they were then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fits_turns: bool,
    /// Those of the models that the run may ask which see pictures, where the question comes with some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen_by: Vec<String>,
    /// Corrections to the question, which everybody asked from now on reads with it. The plan of a question that is
    /// asked for the first time has none: they arrive while its members answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// What was looked up before the first round. The plan does not have it: each execution finds it in the journal.
    #[serde(skip)]
    pub background: Background,
    /// The texts of the run's prompts.
    #[serde(default, skip_serializing_if = "Prompts::is_absent")]
    pub prompts: Prompts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Brief {
    /// What members of the first round are asked: `prompt`, after these files and what was looked up.
    #[must_use]
    pub fn after_material(&self, files: &[Attached], marker: &str, prompt: &str) -> String {
        let prompt = self.after_background(marker, prompt.to_owned());
        let files = attached::material(files, &Fence::new(marker), attached::MEMBERS_CHARS);
        let Some(files) = files else { return prompt };
        let rule = self.prompts.text(&fence::RULE);
        self.prompts.fill(&attached::ATTACHED, &[("material", &files), ("rule", rule), ("question", &prompt)])
    }

    /// The question for those who judge, write or speak later: after as much of the files as fits with the rest of what
    /// they read.
    #[must_use]
    pub fn quoted_question(&self, fence: &Fence) -> String {
        self.after_files(fence, fence.verbatim("Question", &self.question))
    }

    /// [`Brief::quoted_question`] for another wording of the question.
    #[must_use]
    pub fn after_files(&self, fence: &Fence, question: String) -> String {
        let corrections = self.corrections.iter().map(|added| fence.verbatim(correction::TITLE, &added.text));
        let question = [question].into_iter().chain(corrections).collect::<Vec<_>>().join("\n\n");
        match attached::material(&self.attachments, fence, attached::JUDGES_CHARS) {
            Some(files) => format!("{files}\n\n{question}"),
            None => question,
        }
    }

    /// The question with what was added to it, as one text.
    #[must_use]
    pub fn whole_question(&self) -> String {
        correction::whole_question(&self.question, &self.corrections)
    }

    /// `prompt`, after what was looked up.
    fn after_background(&self, marker: &str, prompt: String) -> String {
        let Some(plan) = self.search.as_ref().filter(|_| !self.background.is_empty()) else { return prompt };
        self.prompts.fill(
            &material::BACKGROUND,
            &[
                ("today", &plan.today),
                ("material", &self.background.material(&Fence::new(marker))),
                ("rule", self.prompts.text(&fence::RULE)),
                ("citing", self.prompts.text(&material::CITING)),
                ("question", &prompt),
            ],
        )
    }

    /// What a text cites of the background and of the sources that its author has `found`; `None` where the run
    /// looks nothing up.
    #[must_use]
    pub fn citations(&self, text: &str, found: impl IntoIterator<Item = u32>) -> Option<Citations> {
        let known: BTreeSet<u32> = self.background.numbers().chain(found).collect();
        self.search.as_ref().and_then(|_| Citations::of(text, &known))
    }

    /// Whether a member's first prompt holds only what its model has room for, of the files or of the earlier turns.
    /// Older runs give it all earlier turns.
    #[must_use]
    pub fn fits_contexts(&self) -> bool {
        self.fits_files || self.fits_turns
    }

    /// Whether this model is shown the pictures that the question comes with.
    #[must_use]
    pub fn sees(&self, model: &str) -> bool {
        self.seen_by.iter().any(|seeing| seeing == model)
    }

    /// The council, in its order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.settings.council_models
    }

    /// The system prompt for a model that speaks for the council: its own if it has a seat, else the run's; `None`
    /// where the settings say so.
    #[must_use]
    pub fn system_prompt_of_writer(&self, model: &str) -> Option<&str> {
        let seat = self.members().iter().find(|member| member.model == model);
        seat.and_then(|member| self.system_prompt_for(member))
            .or(self.system_prompt.as_deref())
            .filter(|_| self.settings.use_system_prompt_stage3)
    }

    /// The system prompt of a member that answers: its own, else the run's.
    #[must_use]
    pub fn system_prompt_for<'a>(&'a self, member: &'a Member) -> Option<&'a str> {
        member.system_prompt.as_deref().or(self.system_prompt.as_deref())
    }
}
