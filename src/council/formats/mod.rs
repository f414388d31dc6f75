//! The ways of deliberating, one folder each, and the list of them (`list`). Every run has the same beginning and the
//! same end ([`deliberate`]); only the middle is the format's.

pub mod all_to_all;
pub mod arena;
pub mod council;
pub mod decomposition;
pub mod list;
pub mod rotation;
pub mod stored;

/// What is common to the formats of one mode.
pub mod debates {
    pub mod view;
}

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;

use super::costs;
use super::estimate::{self, Estimate, ExpectedCall, Expecting, Kept};
use super::failure::Failure;
use super::features::Event;
use super::options::cache::event::NotStored;
use super::options::cache::{self, Repeat};
use super::plan::Plan;
use super::run::Run;
use super::run_event::RunEvent;
use super::settings::MAX_MEMBERS;
use super::stages::reviews;
use super::stages::title::{self, TitleEvent};
use crate::llm::Pricing;
use list::Format;

/// What clients may read of a format before they ask, as `views_of_options` says it of options.
macro_rules! views_of_formats {
    ($each:ident) => {
        $each! {
            debate "/debate/config", "settings": formats debates DebateConfig,
                "How debates are held for the caller.";
            decomposition "/decomposition/config", "settings": formats decomposition DecompositionConfig,
                "How questions are taken apart for the caller.";
        }
    };
}
pub(crate) use views_of_formats;

/// Holds a run over a plan. Everything it finds out is sent as events of the run.
///
/// # Errors
/// When there is nothing to build an answer from.
pub async fn deliberate(run: &Run, plan: &Plan) -> Result<(), Failure> {
    run.limit_calls(plan.brief().settings.calls_in_flight);
    if plan.task.one_at_a_time {
        run.one_at_a_time();
    }
    run.explain(plan.verbosity, plan.remarks);
    if let Some(rerun) = &plan.rerun {
        run.know_sources(&rerun.sources);
    }
    let Some(cache) = &plan.cache else { return run_with_title(run, plan).await };
    let lookup = cache::look_up(run, plan.brief(), cache).await;
    if let Some(earlier) = lookup.hit {
        repeat(run, plan, earlier).await;
        return Ok(());
    }
    run_with_title(run, plan).await?;
    if !run.take_corrections().await.is_empty() {
        // Its answer would be found by a question that it does not answer.
        cache::do_not_keep(run, NotStored::Corrected).await;
        return Ok(());
    }
    // What is searched for is the question or parts of it, and so is what a question is taken apart into.
    let reveals_question = plan.brief().search.is_some() || matches!(plan.format, Format::Decomposition(_));
    cache::keep(run, plan.brief(), cache, (&lookup, reveals_question)).await;
    Ok(())
}

/// Sends the events of an earlier run again. This costs no more than finding it.
async fn repeat(run: &Run, plan: &Plan, earlier: Repeat) {
    let mut title = None;
    for (place, event) in earlier.0.into_iter().enumerate() {
        match Event::read(event.to_string().as_bytes()) {
            Ok(Event::Title(TitleEvent::TitleComplete { data })) => title = Some(data),
            Ok(event) => run.repeat(&format!("cache/repeat/{place}"), event.into()).await,
            Err(error) => tracing::error!(%error, "an event of an earlier answer cannot be understood"),
        }
    }
    report_costs(run).await;
    if plan.title {
        title::complete(run, title.unwrap_or_else(|| title::fallback(&plan.brief().question))).await;
    }
}

/// Runs the format, and at the same time writes a title where the conversation has none.
async fn run_with_title(run: &Run, plan: &Plan) -> Result<(), Failure> {
    if !plan.title {
        look_up_and_run_format(run, plan).await?;
        report_costs(run).await;
        return Ok(());
    }
    let (result, title) =
        run.beside("title/in_time", look_up_and_run_format(run, plan), title::ask(run, plan.brief())).await;
    result?;
    // A title that did not come in time has been given up, so its cost is unknown.
    report_costs(run).await;
    title::report(run, plan.brief(), title.flatten()).await;
    Ok(())
}

async fn report_costs(run: &Run) {
    run.emit(costs::KEY, RunEvent::CostsComplete { data: run.costs() }).await;
}

/// The background comes before the first round, whatever the format.
async fn look_up_and_run_format(run: &Run, plan: &Plan) -> Result<(), Failure> {
    if !plan.lookups.any() {
        return hold(run, plan).await;
    }
    let mut plan = plan.clone();
    plan.task.brief.background = plan.lookups.hold(run, plan.brief()).await;
    hold(run, &plan).await
}

/// Boxed, so that a run takes up what its own format needs, once, and not as much as the largest of them.
fn hold<'a>(run: &'a Run, plan: &'a Plan) -> BoxFuture<'a, Result<(), Failure>> {
    let task = &plan.task;
    match plan.format {
        Format::Council => Box::pin(council::hold(run, plan)),
        Format::Rotation(options) => Box::pin(rotation::hold(run, task, options)),
        Format::AllToAll(options) => Box::pin(all_to_all::hold(run, task, options)),
        Format::Arena(options) => Box::pin(arena::hold(run, task, options)),
        Format::Decomposition(options) => Box::pin(decomposition::hold(run, plan, options)),
    }
}

/// What a plan will probably cost, beyond what is kept of an earlier run, at the price of each model for a prompt of
/// so many tokens. Where it depends on what the models say which calls there are, the dearest course is taken.
#[must_use]
pub fn estimate(plan: &Plan, kept: &Kept, price: impl Fn(&str, u64) -> Option<Pricing>) -> Estimate {
    estimate::dearest(courses(plan, kept), price)
}

/// The models that a plan may ask, beyond what is kept of an earlier run.
#[must_use]
pub fn models(plan: &Plan, kept: &Kept) -> BTreeSet<String> {
    courses(plan, kept).into_iter().flatten().map(|call| call.model).collect()
}

/// Each course that a run may take when it goes well, with the calls in it.
fn courses(plan: &Plan, kept: &Kept) -> Vec<Vec<ExpectedCall>> {
    let mut looking = plan.lookups.expected_calls(Expecting::of(plan.brief()), kept);
    let embedding =
        plan.cache.and_then(|cache| cache::estimate::expected_call(Expecting::of(plan.brief()), &cache));
    looking.extend(embedding);
    courses_of_format(plan, kept).into_iter().map(|calls| [looking.clone(), calls].concat()).collect()
}

fn courses_of_format(plan: &Plan, kept: &Kept) -> Vec<Vec<ExpectedCall>> {
    let expecting = Expecting::of_task(&plan.task).with_tools(plan.task.tools);
    let members = plan.brief().members();
    let rounds = match plan.format {
        Format::Council => return council::courses(plan, kept),
        Format::Rotation(options) => rotation::expected_calls((expecting, kept), members, options),
        Format::AllToAll(options) => all_to_all::expected_calls((expecting, kept), members, options),
        Format::Arena(options) => arena::expected_calls((expecting, kept), members, options),
        Format::Decomposition(options) => {
            return decomposition::courses(plan, kept, options);
        }
    };
    let title = plan.title.then(|| title::expected_call(expecting));
    let whole: Vec<ExpectedCall> = rounds.into_iter().chain(title).collect();
    if !plan.format.has_ballots() {
        return vec![whole];
    }
    let drawn = |draw| {
        reviews::estimate::expected_calls(expecting, kept, members, (plan.task.reviews_per_answer, draw))
    };
    // As in a council: there may be more reviewers than members.
    let draws = if plan.task.reviews_per_answer.is_some() { MAX_MEMBERS } else { 1 };
    (0..draws).map(|draw| [drawn(draw), whole.clone()].concat()).collect()
}
