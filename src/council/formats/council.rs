//! The council: its members answer, review each other blind, and a chairman writes the answer, which options
//! may then better.

use crate::council::costs;
use crate::council::draft::Draft;
use crate::council::failure::Failure;
use crate::council::options::consensus::{self, ConsensusEvent};
use crate::council::options::{adversary, escalation, multi_chairman, refinement};
use crate::council::plan::Plan;
use crate::council::roster::{Choice, Roster};
use crate::council::round::{self, Pass, Round};
use crate::council::run::Run;
use crate::council::run_event::RunEvent;
use crate::council::stages::answers;
use crate::council::stages::synthesis::{self, SynthesisEvent};
use crate::council::stages::title::{self, TitleEvent};

/// Holds the council over a plan. Everything it finds out is told through the run's events.
///
/// # Errors
/// When there is nothing to build an answer from.
pub async fn deliberate(run: &Run, plan: &Plan) -> Result<(), Failure> {
    run.limit_calls(plan.brief().settings.calls_in_flight);
    run.explain(plan.verbosity);
    if !plan.title {
        council(run, plan).await?;
        tell_costs(run).await;
        return Ok(());
    }
    let (result, title) =
        run.beside("title/in_time", council(run, plan), title::ask(run, plan.brief())).await;
    result?;
    // A title that did not come in time is given up by now, so its cost is unknown.
    tell_costs(run).await;
    let data = title.flatten().unwrap_or_else(|| title::fallback(&plan.brief().question));
    run.emit("title", TitleEvent::TitleComplete { data }).await;
    Ok(())
}

async fn council(run: &Run, plan: &Plan) -> Result<(), Failure> {
    let round = hold(run, plan, Roster::choose(run, plan.brief(), &plan.options.roster).await).await?;
    let draft = write(run, plan, &round).await;
    better(run, plan, &round, draft).await;
    Ok(())
}

async fn tell_costs(run: &Run) {
    run.emit(costs::KEY, RunEvent::CostsComplete { data: run.costs() }).await;
}

/// Lets the roster answer, and review what was answered.
///
/// # Errors
/// When not one member answered.
async fn hold<'p>(run: &Run, plan: &'p Plan, roster: Roster) -> Result<Round<'p>, Failure> {
    let task = &plan.task;
    let tiers = if let Choice::Escalation(tiers) = &plan.options.roster { Some(tiers) } else { None };
    answers::announce(run, task, (&roster.members, roster.routing), tiers.is_some()).await;
    if let Some(tiers) = tiers {
        return escalation::hold(run, task, tiers).await;
    }
    let members = roster.members;
    let (mut answers, late) = answers::ask_all(run, task, &members, None).await;
    answers::complete(run, Pass::First, &answers, None).await;
    let reviewed = round::review(run, task, Pass::First, (&members, &[]), &mut answers, late, |_| {}).await?;
    Ok(Round { task, members, answers, reviewed })
}

/// The first verdict that stands: that of a council that agrees, else that of several chairmen
/// where the plan has them, else the chairman's.
async fn write(run: &Run, plan: &Plan, round: &Round<'_>) -> Draft {
    let consensus = plan.options.early_consensus.then(|| consensus::look(round));
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
    let synthesis = match verdict {
        Some(synthesis) => synthesis,
        None => synthesis::write(run, round).await,
    };
    let complete = SynthesisEvent::Stage3Complete {
        data: Box::new(synthesis.clone()),
        is_consensus,
        consensus_info: consensus.map(Box::new),
        use_multi_chairman: synthesis.selected_synthesis.is_some(),
    };
    run.emit("stage3/complete", complete).await;
    Draft { settled: is_consensus || synthesis.error.is_some(), synthesis }
}

/// The same after everything that betters it, in order; a settled draft stays as it is.
async fn better(run: &Run, plan: &Plan, round: &Round<'_>, mut draft: Draft) -> Draft {
    if draft.settled {
        return draft;
    }
    if let Some(options) = &plan.options.refinement {
        draft = refinement::polish(run, round, options, draft).await;
    }
    if let Some(options) = &plan.options.adversary {
        draft = adversary::polish(run, round, options, draft).await;
    }
    draft
}
