//! What a run will probably cost, before anything is asked: the calls that its plan makes, folded over
//! their prices. Each stage and option says which calls it makes (`expected_calls`), a format puts them together.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::attached;
use super::brief::Brief;
use super::options::rubric::Rubric;
use super::pictures;
use super::pricing::{completion, cost, prompt_tokens, tokens, tokens_of};
use super::searching::material::{BACKGROUND_CHARS, SOURCES_CHARS};
use super::settings::Member;
use super::stage::Stage;
use super::task::Task;
use super::tool_use::Tools;
use crate::llm::{ChatRequest, Models, Pricing, Purpose};

/// What a fence and its title take around each text inside, in tokens.
pub(super) const FENCE: u64 = 20;

/// What is kept of an earlier answer, as far as that is known beforehand: this part of a run is not paid for again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The seats whose answers stay.
    pub answers: BTreeSet<String>,
    /// Whether all answers and all reviews stay, or all openings of a debate and the ballots on them.
    pub reviews: bool,
    /// What stays of each round of a debate, or of each part of a question, in order.
    pub rounds: Vec<KeptRound>,
    /// Into how many parts the question is taken apart, where that stays; `None` where it is not taken apart.
    pub parts: Option<usize>,
    /// What was looked up before the first round and stays, by the names of the lookups.
    pub looked_up: BTreeSet<&'static str>,
}

/// What stays of a round of a debate, or of a part of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptRound {
    /// The seats whose texts stay.
    pub seats: BTreeSet<String>,
    /// Whether all ballots on its texts stay.
    pub ballots: bool,
}

impl Kept {
    /// What stays of the round or part at this place, from 0.
    pub(super) fn round(&self, place: usize) -> Option<&KeptRound> {
        self.rounds.get(place)
    }
}

/// A call that a plan is expected to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpectedCall {
    pub stage: Stage,
    pub model: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

/// The probable lengths, in tokens, of texts that several prompts of a run repeat. Nobody is expected to fail, and
/// everything that a plan may do is expected to be done.
#[derive(Clone, Copy)]
pub(super) struct Expecting<'b> {
    pub brief: &'b Brief,
    pub question: u64,
    pub history: u64,
    /// The files of the question, as members read them and as judges do.
    pub files: u64,
    pub files_of_judges: u64,
    /// The pictures among them, for a model that sees.
    pub pictures: u64,
    /// What is looked up before the first round.
    pub background: u64,
    /// Whether those who answer or speak have tools.
    pub tools: bool,
    /// The criteria by which reviewers judge.
    pub criteria: u64,
    /// Whether nobody reviews.
    pub without_reviews: bool,
}

impl<'b> Expecting<'b> {
    pub fn of(brief: &'b Brief) -> Self {
        let turns = brief.history.iter();
        Self {
            brief,
            question: tokens(&brief.whole_question()),
            history: turns.map(|turn| tokens(&turn.question) + tokens(&turn.answer)).sum(),
            files: files(brief, attached::MEMBERS_CHARS),
            files_of_judges: files(brief, attached::JUDGES_CHARS),
            pictures: pictures::tokens(&brief.attachments),
            tools: false,
            criteria: 0,
            without_reviews: false,
            background: if brief.search.as_ref().is_some_and(|plan| plan.background) {
                tokens_of(BACKGROUND_CHARS)
            } else {
                0
            },
        }
    }

    /// These lengths, with the tools of those who answer or speak, if they have any.
    pub fn with_tools(self, tools: Option<Tools>) -> Self {
        Self { tools: tools.is_some(), ..self }
    }

    /// The lengths of a task: with its brief's texts and, if its answers are reviewed, the criteria.
    pub fn of_task(task: &'b Task) -> Self {
        let criteria = task.rubric.as_ref().map_or(0, Rubric::tokens);
        Self { without_reviews: task.without_reviews, criteria, ..Self::of(&task.brief) }
    }

    /// The question as the first round reads it.
    pub fn asked(&self) -> u64 {
        self.question + self.files + self.background
    }

    /// The question with its files, and the conversation, in fences.
    pub fn quoted(&self) -> u64 {
        self.question + self.files_of_judges + FENCE + if self.history > 0 { self.history + FENCE } else { 0 }
    }

    /// [`Self::quoted`], with the sources that writers for the council read.
    pub fn quoted_with_sources(&self) -> u64 {
        let sources = if self.brief.search.is_some() { tokens_of(SOURCES_CHARS) } else { 0 };
        self.quoted() + sources
    }

    /// The reply to a call of this purpose.
    pub fn text(&self, purpose: &Purpose) -> u64 {
        completion(purpose, self.brief.settings.sampling(purpose))
    }

    /// A call to a model that reads the files, pictures included if it sees them.
    pub fn call(&self, stage: Stage, model: &str, purpose: &Purpose, prompt_tokens: u64) -> ExpectedCall {
        let pictures = if self.brief.sees(model) { self.pictures } else { 0 };
        self.call_without_files(stage, model, purpose, prompt_tokens + pictures)
    }

    /// A call to a model that gets the question alone.
    pub fn call_without_files(
        &self,
        stage: Stage,
        model: &str,
        purpose: &Purpose,
        prompt_tokens: u64,
    ) -> ExpectedCall {
        let completion_tokens = self.text(purpose);
        ExpectedCall { stage, model: model.to_owned(), prompt_tokens, completion_tokens }
    }

    /// The system prompt of a member that answers.
    pub fn system_of(&self, member: &Member) -> u64 {
        system(self.brief.system_prompt_for(member))
    }

    /// The system prompt of a member that judges.
    pub fn system_of_judge(&self, member: &Member) -> u64 {
        let applies = self.brief.settings.use_system_prompt_stage2;
        system(self.brief.system_prompt_for(member).filter(|_| applies))
    }

    /// The system prompt of a model that writes for the council, and the form that it writes in.
    pub fn system_of_writer(&self, model: &str) -> u64 {
        let seat = self.brief.members().iter().find(|member| member.model == model);
        let prompt = seat.and_then(|seat| self.brief.system_prompt_for(seat));
        let prompt = prompt.or(self.brief.system_prompt.as_deref());
        let form = self.brief.form.as_ref().and_then(|form| form.schema.as_ref());
        let form = form.map_or(0, |schema| tokens(&schema.to_string()));
        system(prompt.filter(|_| self.brief.settings.use_system_prompt_stage3)) + form
    }
}

/// The files in fences, where models are given at most this many characters of them.
fn files(brief: &Brief, characters: usize) -> u64 {
    let files = &brief.attachments;
    tokens_of(attached::length(files, characters)) + FENCE * files.len() as u64
}

fn system(prompt: Option<&str>) -> u64 {
    prompt.map_or(0, tokens)
}

/// What the calls of one stage will probably cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct StageEstimate {
    pub calls: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// USD over the calls whose price is known; absent when none is.
    pub cost_usd: Option<f64>,
}

/// What a run will probably cost. Where its calls depend on what the models say, the dearest course is
/// taken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Estimate {
    pub calls: u32,
    /// USD over the calls whose price is known; absent when none is.
    pub cost_usd: Option<f64>,
    #[schema(value_type = BTreeMap<String, StageEstimate>)]
    pub by_stage: BTreeMap<Stage, StageEstimate>,
    /// Models without a known price: their calls are not in the sums.
    pub unknown_price_models: Vec<String>,
}

/// What a run will probably cost that takes one of these courses: the estimate of the dearest one. `price` is a
/// model's price for a prompt of so many tokens.
pub(super) fn dearest(
    courses: Vec<Vec<ExpectedCall>>,
    price: impl Fn(&str, u64) -> Option<Pricing>,
) -> Estimate {
    let courses = courses.into_iter().map(|calls| Estimate::of(&calls, &price));
    let usd = |estimate: &Estimate| estimate.cost_usd.unwrap_or_default();
    let mut dearest = Estimate::default();
    let mut unknown = Vec::new();
    for course in courses {
        unknown.extend(course.unknown_price_models.iter().cloned());
        if dearest.calls == 0 || (usd(&course), course.calls) > (usd(&dearest), dearest.calls) {
            dearest = course;
        }
    }
    // Including the models of the other courses, since it is unknown which one the run will take.
    unknown.sort();
    unknown.dedup();
    dearest.unknown_price_models = unknown;
    dearest
}

/// What a call outside a plan will probably cost.
#[must_use]
pub fn of_single(stage: Stage, request: &ChatRequest, models: &dyn Models) -> Estimate {
    let call = ExpectedCall {
        stage,
        model: request.model.clone(),
        prompt_tokens: prompt_tokens(request),
        completion_tokens: completion(request.purpose, request.sampling),
    };
    Estimate::of(&[call], |model, prompt_tokens| models.price(model, prompt_tokens))
}

impl Estimate {
    /// The cost in USD, if every price is known: a partial sum would look like the total.
    #[must_use]
    pub fn whole_cost_usd(&self) -> Option<f64> {
        self.cost_usd.filter(|_| self.unknown_price_models.is_empty())
    }

    fn of(calls: &[ExpectedCall], price: impl Fn(&str, u64) -> Option<Pricing>) -> Self {
        let mut estimate = Self::default();
        for call in calls {
            let stage = estimate.by_stage.entry(call.stage.clone()).or_default();
            estimate.calls += 1;
            stage.calls += 1;
            stage.prompt_tokens += call.prompt_tokens;
            stage.completion_tokens += call.completion_tokens;
            match price(&call.model, call.prompt_tokens) {
                Some(price) => {
                    let usd = cost(price, call.prompt_tokens, call.completion_tokens);
                    *stage.cost_usd.get_or_insert(0.0) += usd;
                    *estimate.cost_usd.get_or_insert(0.0) += usd;
                }
                None => estimate.unknown_price_models.push(call.model.clone()),
            }
        }
        estimate
    }
}
