//! The council: its members answer, review each other blind, and a chairman writes the answer, which options
//! may then improve.

use crate::council::checking;
use crate::council::draft::Draft;
use crate::council::estimate::{ExpectedCall, Expecting, Kept};
use crate::council::failure::Failure;
use crate::council::options::consensus::{self, ConsensusEvent};
use crate::council::options::word_for_word::{self, FinalAnswer};
use crate::council::options::{adversary, escalation, multi_chairman, one_seat, refinement, routing};
use crate::council::pass::Pass;
use crate::council::plan::Plan;
use crate::council::roster::{Choice, Roster};
use crate::council::round::{self, Round};
use crate::council::run::Run;
use crate::council::seat;
use crate::council::settings::{MAX_MEMBERS, MIN_MEMBERS, Member};
use crate::council::stages::synthesis::{self, SynthesisEvent};
use crate::council::stages::title;
use crate::council::stages::{answers, reviews};

/// Holds the council.
///
/// # Errors
/// When not one member answered.
pub(super) async fn hold(run: &Run, plan: &Plan) -> Result<(), Failure> {
    if let Choice::Alone { seat } = plan.options.roster {
        return one_seat::hold(run, &plan.task, seat).await;
    }
    let round =
        answer_and_review(run, plan, Roster::choose(run, plan.brief(), &plan.options.roster).await).await?;
    let draft = write(run, plan, &round).await;
    improve(run, plan, &round, draft).await;
    Ok(())
}

/// Lets the roster answer, and review what was answered.
///
/// # Errors
/// When not one member answered.
async fn answer_and_review<'p>(run: &Run, plan: &'p Plan, roster: Roster) -> Result<Round<'p>, Failure> {
    let task = &plan.task;
    let tiers = if let Choice::Escalation(tiers) = &plan.options.roster { Some(tiers) } else { None };
    answers::announce(run, task, (&roster.members, roster.routing), tiers.is_some()).await;
    if let Some(tiers) = tiers {
        // Boxed, since most runs have no tiers.
        return Box::pin(escalation::hold(run, task, tiers)).await;
    }
    let members = roster.members;
    let (mut answers, late) = answers::ask_all(run, task, &members, None).await;
    answers::complete(run, Pass::First, &answers, None).await;
    let task = round::corrected(run, task).await;
    let reviewed =
        round::review(run, &task, Pass::First, (&members, &[]), &mut answers, late, |_| {}).await?;
    Ok(Round { task, members, answers, reviewed })
}

/// The answer that the ballots put first where the plan takes it word for word. Else the first verdict
/// that stands: that of a council that agrees, else that of several chairmen where the plan has them,
/// else the chairman's.
async fn write(run: &Run, plan: &Plan, round: &Round<'_>) -> Draft {
    let options = &plan.options;
    if options.final_answer == FinalAnswer::Select {
        let mut synthesis = word_for_word::select(run, round).await;
        synthesis.citations = run.citations(&synthesis.response);
        run.emit("stage3/complete", SynthesisEvent::complete(synthesis.clone())).await;
        return Draft { settled: true, synthesis };
    }
    let looks = options.early_consensus || options.final_answer == FinalAnswer::Auto;
    let consensus = looks.then(|| consensus::look(round, options.early_consensus));
    let agreed = consensus.as_ref().and_then(|info| consensus::take(round, info));
    let is_consensus = agreed.is_some();
    if let Some(info) = consensus.as_ref().filter(|_| is_consensus) {
        let event = ConsensusEvent::ConsensusDetected { data: Box::new(info.clone()) };
        run.emit("consensus", event).await;
    }
    let mut verdict = agreed;
    if verdict.is_none() {
        verdict = multi_chairman::write(run, round, &plan.options.chairmen).await;
    }
    let mut synthesis = match verdict {
        Some(synthesis) => synthesis,
        None => synthesis::write(run, round).await,
    };
    synthesis.citations = run.citations(&synthesis.response);
    let complete = SynthesisEvent::Stage3Complete {
        data: Box::new(synthesis.clone()),
        is_consensus,
        consensus_info: consensus.map(Box::new),
        use_multi_chairman: synthesis.selected_synthesis.is_some(),
    };
    run.emit("stage3/complete", complete).await;
    Draft { settled: is_consensus || synthesis.error.is_some(), synthesis }
}

/// The draft after everything that improves it, in order; a settled draft stays as it is.
async fn improve(run: &Run, plan: &Plan, round: &Round<'_>, mut draft: Draft) -> Draft {
    if draft.settled {
        return draft;
    }
    if let Some(options) = &plan.options.refinement {
        draft = refinement::refine(run, round, options, draft).await;
    }
    if let Some(options) = &plan.options.adversary {
        draft = adversary::challenge(run, round, options, draft).await;
    }
    draft
}

/// Each course that a run may take when it goes well: one, unless it depends on the question who answers. Nobody
/// fails, and what a plan may do is done: a first tier is unsure, the first ballots disagree, the council does not agree early, critics find
/// faults each time, objections are grave. An answer that is to be taken word for word can be. What is kept of an earlier run is not asked again.
pub(super) fn courses(plan: &Plan, kept: &Kept) -> Vec<Vec<ExpectedCall>> {
    // Which reviewers will be drawn is not known beforehand: each course starts the selection at another member.
    let draws = if plan.task.reviews_per_answer.is_some() { MAX_MEMBERS } else { 1 };
    (0..draws).flat_map(|draw| courses_of_draw(plan, kept, draw)).collect()
}

fn courses_of_draw(plan: &Plan, kept: &Kept, draw: usize) -> Vec<Vec<ExpectedCall>> {
    let brief = plan.brief();
    let expecting = Expecting::of_task(&plan.task);
    let answers = |members: &[Member]| answers::estimate::expected_calls(&plan.task, kept, members);
    let reviews = |members: &[Member]| {
        let some = (plan.task.reviews_per_answer, draw);
        let calls = reviews::estimate::expected_calls(expecting, kept, members, some);
        let again = if plan.task.second_reading { calls.clone() } else { Vec::new() };
        [calls, again].concat()
    };
    let whole =
        |members: &[Member], before: Vec<ExpectedCall>| [before, verdict(plan, expecting, members)].concat();
    let round = |members: &[Member]| [answers(members), reviews(members)].concat();
    match &plan.options.roster {
        Choice::Alone { .. } => {
            let title = plan.title.then(|| title::expected_call(expecting));
            vec![answers(brief.members()).into_iter().chain(title).collect()]
        }
        Choice::Everyone => vec![whole(brief.members(), round(brief.members()))],
        Choice::Routing { pools } => {
            let pools = pools.values().filter(|models| models.len() >= MIN_MEMBERS);
            let rosters = pools.map(|models| seat::seats(brief.members(), models));
            // Seats that have already answered were chosen.
            let may_answer = |members: &Vec<Member>| {
                kept.answers.iter().all(|name| members.iter().any(|member| member.name() == name))
            };
            let course = |members: Vec<Member>| {
                let choice = routing::estimate::expected_call(expecting, kept);
                whole(&members, choice.into_iter().chain(round(&members)).collect())
            };
            rosters.chain([brief.members().to_vec()]).filter(may_answer).map(course).collect()
        }
        Choice::Escalation(tiers) => {
            let everybody = [tiers.first.as_slice(), tiers.second.as_slice()].concat();
            let first = round(&tiers.first);
            vec![whole(&everybody, [first, answers(&tiers.second), reviews(&everybody)].concat())]
        }
    }
}

/// From the verdict on: the chairman's answer, or its choice among those of several, and what improves it.
fn verdict(plan: &Plan, expecting: Expecting<'_>, members: &[Member]) -> Vec<ExpectedCall> {
    let chairmen = &plan.options.chairmen;
    let mut calls = if plan.options.final_answer == FinalAnswer::Select {
        Vec::new()
    } else if chairmen.is_empty() {
        let chairman = &plan.brief().settings.chairman_model;
        checking::estimate::before(
            expecting,
            vec![synthesis::estimate::expected_call(expecting, members, chairman)],
        )
    } else {
        multi_chairman::estimate::expected_calls(expecting, chairmen, members)
    };
    if let Some(options) = &plan.options.refinement {
        calls.extend(refinement::estimate::expected_calls(expecting, options, members));
    }
    if let Some(options) = &plan.options.adversary {
        calls.extend(adversary::estimate::expected_calls(expecting, options));
    }
    calls.extend(plan.title.then(|| title::expected_call(expecting)));
    calls
}

#[cfg(test)]
#[path = "council_estimate_tests.rs"]
mod estimate_tests;
