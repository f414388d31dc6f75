//! Decomposition: a question with parts is taken apart, every member answers every part, and the chairman puts the
//! best answers together. A question without parts is the council's.

mod bounds;
pub mod complexity;
pub mod event;
pub mod facts;
mod indicators;
mod kept;
mod merge;
pub mod notes;
pub mod options;
pub mod part;
pub mod purposes;
mod simulated;
pub mod split;
pub mod stored;
mod sub_council;
pub mod templates;
pub mod view;

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use super::council;
use crate::council::checking;
use crate::council::estimate::{ExpectedCall, Expecting, FENCE, Kept};
use crate::council::failure::Failure;
use crate::council::plan::Plan;
use crate::council::pricing::tokens_of;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::stages::{answers, synthesis, title};
use crate::council::task::Task;
use crate::council::tool_use::estimate::with_tools;
use bounds::{MAX_PARTS, QUOTED_CHARS, THRESHOLD};
use complexity::Complexity;
use event::{DecompositionEvent, PartResult};
use facts::SkipFact;
use options::{DecompositionOptions, Pick};
use part::SubResult;
use purposes::{COMPLEXITY, MERGE, PICK, SPLIT, STAGE, SUB_ANSWER, stage};
use sub_council::Part;

/// The first version of plans in which answers to parts show their steps where the plan has members show them.
const PARTS_SHOW_STEPS: i32 = 12;

/// Takes the question apart and answers it, or lets the council answer it.
///
/// # Errors
/// When not one member answered.
pub(in crate::council) async fn hold(
    run: &Run,
    plan: &Plan,
    options: DecompositionOptions,
) -> Result<(), Failure> {
    let brief = plan.brief();
    let model = brief.settings.utility_model.clone();
    run.emit("decomposition/start", DecompositionEvent::DecompositionStart { model }).await;
    let sub_questions = match take_apart(run, plan).await {
        Ok(sub_questions) => sub_questions,
        Err((why, confidence)) => {
            let event = DecompositionEvent::DecompositionSkip {
                reason: why.to_string(),
                reason_fact: Some(why),
                confidence,
            };
            run.emit("decomposition/skip", event).await;
            return council::hold(run, plan).await;
        }
    };
    let chain_of_thought = plan.task.chain_of_thought && plan.version >= PARTS_SHOW_STEPS;
    // Reviewers' records on whole answers say little about rankings that come without reasons.
    let task = Task { weighing: None, chain_of_thought, ..plan.task.clone() };
    let parts = sub_questions.iter().enumerate().map(|(index, question)| Part { index, question });
    let councils = parts.map(|part| sub_council::hold(run, &task, part, options.pick));
    let results: Vec<SubResult> = councils.collect::<FuturesOrdered<_>>().collect().await;
    let in_short: Vec<PartResult> = results.iter().map(PartResult::from).collect();
    let all = DecompositionEvent::AllSubCouncilsComplete { results: in_short.clone() };
    run.emit("decomposition/answered", all).await;
    if results.iter().all(|result| result.best_answer.is_none()) {
        let answers = results.iter().flat_map(|result| &result.responses);
        return Err(Failure::no_answers(answers.map(|answer| answer.error_kind)));
    }

    let synthesis = merge::write(run, brief, &results).await;
    let complete = DecompositionEvent::MergeComplete {
        model: synthesis.model.clone(),
        response: synthesis.response.clone(),
        data: Box::new(synthesis.clone()),
    };
    run.emit("stage3/complete", complete).await;
    let complete = DecompositionEvent::DecompositionComplete {
        sub_questions,
        sub_results: in_short,
        final_response: synthesis.response,
        chairman_model: synthesis.model,
    };
    run.emit("decomposition/complete", complete).await;
    Ok(())
}

/// The parts of the question; else why it is not taken apart, and how sure that is.
async fn take_apart(run: &Run, plan: &Plan) -> Result<Vec<String>, (SkipFact, Option<f64>)> {
    let brief = plan.brief();
    let model = || brief.settings.utility_model.clone();
    let mut complexity =
        Complexity { indicators: indicators::indicators(&brief.question), ..Complexity::default() };
    let skip = match complexity::ask(run, brief).await {
        Err(error) => Some(SkipFact::NotJudged { model: model(), reason: error.reason() }),
        Ok(None) => Some(SkipFact::JudgmentUnread { model: model() }),
        Ok(Some(judged)) => {
            complexity.confidence = judged.confidence;
            complexity.reasoning = judged.reasoning;
            complexity.is_complex = judged.yes && judged.confidence.is_some_and(|share| share >= THRESHOLD);
            let not_sure = SkipFact::NotSure { confidence: judged.confidence };
            (!complexity.is_complex).then_some(if judged.yes { not_sure } else { SkipFact::NotComplex })
        }
    };
    let (should_decompose, confidence) = (complexity.is_complex, complexity.confidence);
    let analyzed = DecompositionEvent::ComplexityAnalyzed { complexity, should_decompose };
    run.emit("decomposition/complexity", analyzed).await;
    if let Some(why) = skip {
        return Err((why, confidence));
    }
    let parts = split::ask(run, brief).await.map_err(|why| (why, confidence))?;
    let generated = DecompositionEvent::SubQuestionsGenerated {
        count: parts.sub_questions.len(),
        sub_questions: parts.sub_questions.clone(),
        cost: parts.cost,
    };
    run.emit("decomposition/split/complete", generated).await;
    Ok(parts.sub_questions)
}

/// Each course that a run may take when it goes well: the council's, or as many parts as there can be. What is kept of
/// an earlier run is not asked again.
pub(in crate::council) fn courses(
    plan: &Plan,
    kept: &Kept,
    options: DecompositionOptions,
) -> Vec<Vec<ExpectedCall>> {
    let expecting = Expecting::of(plan.brief());
    let utility = &plan.brief().settings.utility_model;
    let question = FENCE + tokens_of(plan.brief().question.chars().take(QUOTED_CHARS).count());
    let judging = expecting.call_without_files(STAGE.clone(), utility, &COMPLEXITY, 180 + question);
    let prompt = 150 + question + expecting.history;
    let splitting = expecting.call_without_files(STAGE.clone(), utility, &SPLIT, prompt);
    let skipped = |before: &[ExpectedCall]| -> Vec<Vec<ExpectedCall>> {
        council::courses(plan, kept).into_iter().map(|calls| [before, &calls].concat()).collect()
    };
    match kept.parts {
        Some(0) => skipped(&[]),
        Some(parts) => vec![taken_apart(plan, kept, options, parts)],
        None => {
            let apart = taken_apart(plan, kept, options, MAX_PARTS);
            let mut courses = skipped(std::slice::from_ref(&judging));
            courses.push([vec![judging, splitting], apart].concat());
            courses
        }
    }
}

/// The calls over so many parts, once they are known.
fn taken_apart(plan: &Plan, kept: &Kept, options: DecompositionOptions, parts: usize) -> Vec<ExpectedCall> {
    let expecting = Expecting::of_task(&plan.task).with_tools(plan.task.tools);
    let members = plan.brief().members();
    let mut calls = Vec::new();
    for index in 0..parts {
        let stays = kept.round(index);
        let has_answered = |member: &&Member| stays.is_some_and(|part| part.seats.contains(member.name()));
        let answer = |member: &Member| {
            let prompt = expecting.system_of(member)
                + 120
                + FENCE
                + expecting.asked()
                + expecting.history
                + answers::estimate::steps(&plan.task);
            expecting.call(stage(index), &member.model, &SUB_ANSWER, prompt)
        };
        let asked = members.iter().filter(|member| !has_answered(member));
        calls.extend(asked.map(answer).flat_map(|call| with_tools(expecting, call)));
        let ballot = |member: &Member| {
            let answers = members.len() as u64 * (expecting.text(&SUB_ANSWER) + FENCE);
            let read = expecting.files_of_judges + expecting.criteria + answers;
            let prompt = expecting.system_of_judge(member) + 150 + read;
            expecting.call(stage(index), &member.model, &PICK, prompt)
        };
        let votes = options.pick == Pick::Ballot && !stays.is_some_and(|part| part.ballots);
        calls.extend(members.iter().filter(|_| votes).map(ballot));
    }
    let chairman = &plan.brief().settings.chairman_model;
    let parts = parts as u64 * (expecting.text(&SUB_ANSWER) + FENCE);
    let prompt = expecting.system_of_writer(chairman) + 150 + expecting.quoted_with_sources() + parts;
    let merge = expecting.call(synthesis::STAGE, chairman, &MERGE, prompt);
    calls.extend(checking::estimate::before(expecting, vec![merge]));
    calls.extend(plan.title.then(|| title::expected_call(expecting)));
    calls
}
