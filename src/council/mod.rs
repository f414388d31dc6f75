//! The deliberation: a plain async function over [`Run`]. It knows no HTTP, no SQL and no
//! provider by name; it imports only `llm` and `id`.
//!
//! Start at [`deliberate`]: it is the order of a run. A feature is one file under `stages/` or
//! `options/`, with its prompt, parser, events and function.

pub mod ask;
pub mod budget;
pub mod costs;
pub mod draft;
pub mod estimate;
pub mod event;
pub mod field;
pub mod figures;
pub mod fork;
pub mod line_filter;
pub mod option_settings;
pub mod options;
pub mod outcome;
pub mod plan;
pub mod process;
pub mod prompts;
pub mod quorum;
pub mod ranking;
pub mod revision;
pub mod roster;
pub mod round;
pub mod run;
pub mod settings;
pub mod stages;
pub mod view;

pub use event::{Event, RunEvent};
pub use outcome::Deliberation;
pub use plan::Plan;
pub use run::Run;

use draft::Draft;
use roster::Roster;
use round::Round;
use stages::answers::Answer;
use stages::title::{self, TitleEvent};

/// Why a whole run failed. One member's failure is never one of these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Not one member answered; each with its reason.
    #[error("no member of the council answered: {}", .0.join("; "))]
    NoAnswers(Vec<String>),
}

impl Failure {
    /// Not one of these answers can be used.
    fn no_answers(answers: &[Answer]) -> Self {
        let reason = |answer: &Answer| {
            format!("{}: {}", answer.member, answer.error.as_deref().unwrap_or("no answer"))
        };
        Self::NoAnswers(answers.iter().map(reason).collect())
    }

    /// Its kind in one word, for operators.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoAnswers(_) => "no_answers",
        }
    }
}

/// Holds the council over a plan. Everything it finds out is told through the run's events.
///
/// # Errors
/// When there is nothing to build an answer from.
pub async fn deliberate(run: &Run, plan: &Plan) -> Result<(), Failure> {
    run.limit_calls(plan.settings.calls_in_flight);
    run.explain(plan.verbosity);
    if !plan.title {
        council(run, plan).await?;
        tell_costs(run).await;
        return Ok(());
    }
    let (result, title) = run.beside("title/in_time", council(run, plan), title::ask(run, plan)).await;
    result?;
    // A title that did not come in time is given up by now, so its cost is unknown.
    tell_costs(run).await;
    let data = title.flatten().unwrap_or_else(|| title::fallback(&plan.question));
    run.emit("title", TitleEvent::TitleComplete { data }).await;
    Ok(())
}

async fn council(run: &Run, plan: &Plan) -> Result<(), Failure> {
    let round = Round::hold(run, plan, Roster::choose(run, plan).await).await?;
    Draft::write(run, &round).await.polished(run, &round).await;
    Ok(())
}

async fn tell_costs(run: &Run) {
    run.emit(costs::KEY, RunEvent::CostsComplete { data: run.costs() }).await;
}
