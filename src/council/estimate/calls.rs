//! The calls of a plan that goes well: nobody fails, no ballot needs repair. What a plan may do is
//! taken as done: a first tier is unsure, the council does not agree early, critics find faults each
//! time, objections are grave.

use super::ExpectedCall;
use crate::council::kept::Kept;
use crate::council::options::{confidence, cot, routing};
use crate::council::plan::Plan;
use crate::council::pricing::{completion, tokens, tokens_of};
use crate::council::roster::Choice;
use crate::council::seat;
use crate::council::settings::{MIN_MEMBERS, Member};
use crate::council::stage::Stage;
use crate::council::stages::{editorial, title};
use crate::llm::Purpose;

/// What a request says around its material, in tokens: instructions, rules, the form of the reply.
const ROUTING_FRAME: u64 = 270;
const REVIEW_FRAME: u64 = 330;
const SYNTHESIS_FRAME: u64 = 330;
const SELECTION_FRAME: u64 = 330;
const CRITIQUE_FRAME: u64 = 270;
const REVISION_FRAME: u64 = 240;
const ADVERSARY_FRAME: u64 = 340;
const TITLE_FRAME: u64 = 42;
/// What a fence and its title take around each text inside.
const FENCE: u64 = 20;

/// Each course that a run may take: one, unless it depends on the question who answers. What is kept of an
/// earlier run is not asked again.
pub(super) fn courses(plan: &Plan, kept: &Kept) -> Vec<Vec<ExpectedCall>> {
    let text = Text::of(plan, kept);
    let council = plan.brief().members();
    match &plan.options.roster {
        Choice::Everyone => vec![text.whole(council, text.round(council))],
        Choice::Routing { pools } => {
            let pools = pools.values().filter(|models| models.len() >= MIN_MEMBERS);
            let rosters = pools.map(|models| seat::seats(&plan.brief().settings, models));
            let course = |members: Vec<Member>| {
                let mut calls = text.routing();
                calls.extend(text.round(&members));
                text.whole(&members, calls)
            };
            // Whoever has answered already was chosen.
            let may_answer = |members: &Vec<Member>| {
                kept.answers.iter().all(|name| members.iter().any(|member| member.name() == name))
            };
            rosters.chain([council.to_vec()]).filter(may_answer).map(course).collect()
        }
        Choice::Escalation(tiers) => {
            let everybody = [tiers.first.as_slice(), tiers.second.as_slice()].concat();
            let mut calls = text.round(&tiers.first);
            calls.extend(text.answers(&tiers.second));
            calls.extend(text.reviews(&everybody));
            vec![text.whole(&everybody, calls)]
        }
    }
}

/// What several prompts repeat, in tokens.
struct Text<'p> {
    plan: &'p Plan,
    kept: &'p Kept,
    question: u64,
    history: u64,
    answer: u64,
    review: u64,
}

impl<'p> Text<'p> {
    fn of(plan: &'p Plan, kept: &'p Kept) -> Self {
        let turns = plan.brief().history.iter();
        Self {
            plan,
            kept,
            question: tokens(&plan.brief().question),
            history: turns.map(|turn| tokens(&turn.question) + tokens(&turn.answer)).sum(),
            answer: expected(plan, Purpose::Answer),
            review: expected(plan, Purpose::Review),
        }
    }

    /// The question and the conversation in fences.
    fn quoted(&self) -> u64 {
        self.question + FENCE + if self.history > 0 { self.history + FENCE } else { 0 }
    }

    fn call(&self, stage: Stage, model: &str, purpose: Purpose, prompt_tokens: u64) -> ExpectedCall {
        let completion_tokens = expected(self.plan, purpose);
        ExpectedCall { stage, model: model.to_owned(), prompt_tokens, completion_tokens }
    }

    /// A run from who answers to its end.
    fn whole(&self, members: &[Member], mut calls: Vec<ExpectedCall>) -> Vec<ExpectedCall> {
        calls.extend(self.verdict(members));
        if let Some(options) = &self.plan.options.refinement {
            for _ in 0..options.max_iterations {
                calls.extend(self.critiques(members));
                let critiques = members.len() as u64 * (expected(self.plan, Purpose::Critique) + FENCE);
                calls.push(self.revision(Stage::Refinement, critiques));
            }
        }
        if let Some(options) = &self.plan.options.adversary {
            let prompt = ADVERSARY_FRAME + self.quoted() + self.draft();
            calls.push(self.call(Stage::Adversary, &options.model, Purpose::Adversary, prompt));
            let objections = expected(self.plan, Purpose::Adversary) + FENCE;
            calls.push(self.revision(Stage::Adversary, objections));
        }
        calls.extend(self.plan.title.then(|| self.title()));
        calls
    }

    fn routing(&self) -> Vec<ExpectedCall> {
        if !self.kept.answers.is_empty() {
            return Vec::new();
        }
        let quoted = |text: &str| FENCE + tokens_of(text.chars().take(routing::QUOTED_CHARS).count());
        let earlier = self.plan.brief().history.last().map_or(0, |turn| quoted(&turn.question));
        let prompt = ROUTING_FRAME + quoted(&self.plan.brief().question) + earlier;
        vec![self.call(Stage::Routing, &self.plan.brief().settings.utility_model, Purpose::Routing, prompt)]
    }

    fn round(&self, members: &[Member]) -> Vec<ExpectedCall> {
        let mut calls = self.answers(members);
        calls.extend(self.reviews(members));
        calls
    }

    fn answers(&self, members: &[Member]) -> Vec<ExpectedCall> {
        let steps = if self.plan.task.chain_of_thought {
            tokens(self.plan.brief().prompts.text(&cot::SUFFIX))
        } else {
            0
        };
        let prompt = self.history
            + self.question
            + tokens(self.plan.brief().prompts.text(&confidence::SUFFIX))
            + steps;
        let call = |member: &Member| {
            let system = system(self.plan.brief().system_prompt_for(member));
            self.call(Stage::Stage1, &member.model, Purpose::Answer, system + prompt)
        };
        let kept = |member: &&Member| self.kept.reviews || self.kept.answers.contains(member.name());
        members.iter().filter(|member| !kept(member)).map(call).collect()
    }

    fn reviews(&self, members: &[Member]) -> Vec<ExpectedCall> {
        if self.kept.reviews {
            return Vec::new();
        }
        let prompt = REVIEW_FRAME + self.quoted() + members.len() as u64 * (self.answer + FENCE);
        let call = |member: &Member| {
            self.call(Stage::Stage2, &member.model, Purpose::Review, self.of_judge(member) + prompt)
        };
        members.iter().map(call).collect()
    }

    /// The chairman's answer, or its choice among those of several.
    fn verdict(&self, members: &[Member]) -> Vec<ExpectedCall> {
        let chairman = &self.plan.brief().settings.chairman_model;
        let prompt = SYNTHESIS_FRAME
            + tokens(self.plan.brief().prompts.text(&editorial::INSTRUCTIONS))
            + self.quoted()
            + members.len() as u64 * (self.answer + self.review + 2 * FENCE);
        let write = |model: &String| {
            self.call(Stage::Stage3, model, Purpose::Synthesis, self.of_writer(model) + prompt)
        };
        let chairmen = &self.plan.options.chairmen;
        if chairmen.is_empty() {
            return vec![write(chairman)];
        }
        let drafts = SELECTION_FRAME + self.quoted() + chairmen.len() as u64 * self.draft();
        let choice =
            self.call(Stage::Stage3, chairman, Purpose::Selection, self.of_writer(chairman) + drafts);
        chairmen.iter().map(write).chain([choice]).collect()
    }

    fn critiques(&self, members: &[Member]) -> Vec<ExpectedCall> {
        let prompt = CRITIQUE_FRAME + self.quoted() + self.draft();
        let call = |member: &Member| {
            self.call(Stage::Refinement, &member.model, Purpose::Critique, self.of_judge(member) + prompt)
        };
        members.iter().map(call).collect()
    }

    /// By the chairman, who wrote the draft.
    fn revision(&self, stage: Stage, objections: u64) -> ExpectedCall {
        let chairman = &self.plan.brief().settings.chairman_model;
        let prompt = self.of_writer(chairman) + REVISION_FRAME + self.quoted() + self.draft() + objections;
        self.call(stage, chairman, Purpose::Revision, prompt)
    }

    fn title(&self) -> ExpectedCall {
        let excerpt = self.plan.brief().question.chars().take(title::QUOTED_CHARS).count();
        let model = &self.plan.brief().settings.title_model;
        self.call(Stage::Title, model, Purpose::Title, TITLE_FRAME + tokens_of(excerpt))
    }

    fn draft(&self) -> u64 {
        expected(self.plan, Purpose::Synthesis) + FENCE
    }

    /// The system prompt of a member that judges.
    fn of_judge(&self, member: &Member) -> u64 {
        let applies = self.plan.brief().settings.use_system_prompt_stage2;
        system(self.plan.brief().system_prompt_for(member).filter(|_| applies))
    }

    /// The system prompt of a model that writes for the council.
    fn of_writer(&self, model: &str) -> u64 {
        let seat = self.plan.brief().members().iter().find(|member| member.model == model);
        let prompt = seat.and_then(|seat| self.plan.brief().system_prompt_for(seat));
        let prompt = prompt.or(self.plan.brief().system_prompt.as_deref());
        system(prompt.filter(|_| self.plan.brief().settings.use_system_prompt_stage3))
    }
}

fn expected(plan: &Plan, purpose: Purpose) -> u64 {
    completion(purpose, plan.brief().settings.sampling(purpose))
}

fn system(prompt: Option<&str>) -> u64 {
    prompt.map_or(0, tokens)
}
