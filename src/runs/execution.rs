//! One execution of a run, from its first event to its last.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;

use super::carried;
use super::corrections;
use super::frame;
use super::journal::Journal;
use super::live::{LiveRun, Record};
use super::metrics;
use super::requests::Requests;
use super::shown::{self, NotShown};
use super::state::Shared;
use super::store_retry::until_answered;
use crate::council::costs;
use crate::council::figures::Figures;
use crate::council::note::{EVERYTHING, Note, NoteCategory};
use crate::council::pictures::PicturesInfo;
use crate::council::run::{FinishedCall, Host, UnderWay};
use crate::council::run_event::RunNote;
use crate::council::stages::title;
use crate::council::{self, AnyEvent, Plan, Run, RunEvent};
use crate::id::{ConversationId, MessageId, RunId};
use crate::llm::CallFact;
use crate::store::figures::{FiguresRow, LeaningRow, PlacingRow};
use crate::store::journal::FinishedRow;
use crate::store::runs;
use crate::store::{RunStatus, StoreError};
use crate::trace::{Kind, NewSpan, Span};

/// How a run ends.
pub(super) struct Ending {
    status: RunStatus,
    event: RunEvent,
    /// A title for the conversation, if the run found none.
    title: Option<String>,
    /// Calls that were sent and never ended.
    under_way: Vec<UnderWay>,
    /// Whether the run replaces the answer of earlier ones.
    replaces: bool,
    /// Whether the process monitor reports what the run adds to the analytics.
    remarks: bool,
    /// The format's name, where the plan can be read.
    format: Option<&'static str>,
}

impl Ending {
    /// `kind` is the reason in one word; it outlives the run's texts.
    pub(super) fn failed(kind: &'static str, message: String) -> Self {
        let event = RunEvent::Error { message, error_kind: Some(kind.to_owned()) };
        Self::new(RunStatus::Failed, event)
    }

    fn stopped(by_admin: bool) -> Self {
        let of_admin = |text: &str| by_admin.then(|| text.to_owned());
        let message = of_admin("An administrator stopped the run.");
        let event = RunEvent::Cancelled { message, error_kind: of_admin("stopped_by_administrator") };
        Self::new(RunStatus::Cancelled, event)
    }

    fn new(status: RunStatus, event: RunEvent) -> Self {
        Self {
            status,
            event,
            title: None,
            under_way: Vec::new(),
            replaces: false,
            remarks: false,
            format: None,
        }
    }
}

/// The key of a run's first event.
pub(super) const OPENING_KEY: &str = "start";

/// A run's first event.
pub(super) fn opening(
    (run_id, conversation_id, message_id): (RunId, ConversationId, MessageId),
    plan: &Plan,
) -> RunEvent {
    RunEvent::RunStarted {
        run_id,
        conversation_id,
        message_id,
        ignored: plan.ignored.clone(),
        prompts: plan.own_prompts.clone(),
        rubric: plan.task.rubric.clone(),
        pictures: PicturesInfo::of(plan.brief()),
        corrections: plan.corrections(),
    }
}

/// Executes the plan and stores the outcome.
pub(super) async fn drive(shared: &Shared, live: &Arc<LiveRun>, journal: &Arc<Journal>, plan: &Plan) {
    let host: Arc<dyn Host> = journal.clone();
    let trace = traced(live, plan);
    let mut run = Run::new(live.id, host, shared.models.clone()).traced(trace.clone());
    // A seed that is set for all runs also applies to those that go on from another one.
    if let Some(seed) = shared.settings.seed.or(plan.rerun.as_ref().map(|rerun| rerun.seed)) {
        run = run.choosing_like(seed);
    }
    if let Some(rerun) = &plan.rerun {
        let loaded = tokio::select! {
            biased;
            // It ends as stopped, below.
            () = live.cancel.cancelled() => Ok(None),
            loaded = carried::load(&shared.db, live, rerun) => loaded.map(Some),
        };
        match loaded {
            Ok(None) => {}
            Ok(Some(carried)) => journal.carry(carried),
            Err(error) => {
                tracing::error!(run.id = %live.id, error = &error as &dyn std::error::Error, "the run that this one continues cannot be read");
                let message = "What this run was to go on from could not be read. Try again.".to_owned();
                let mut ending = Ending::failed("internal", message);
                ending.format = Some(plan.format.mode());
                return finish(shared, live, journal, ending).await;
            }
        }
    }
    let shown = tokio::select! {
        biased;
        () = live.cancel.cancelled() => Ok(None),
        loaded = shown::load(&shared.db, &shared.objects, live, plan.brief()) => loaded,
    };
    match shown {
        Ok(None) => {}
        Ok(Some(pictures)) => run = run.showing(pictures),
        Err(error) => {
            let mut ending = not_shown(error, live);
            ending.format = Some(plan.format.mode());
            return finish(shared, live, journal, ending).await;
        }
    }
    // Logged already if this server started the run and executes it at once.
    run.emit(OPENING_KEY, opening((live.id, live.conversation, live.message), plan)).await;
    run.know_corrections(&plan.corrections()).await;
    journal.publish_warnings().await;
    let ended = tokio::select! {
        biased;
        () = live.cancel.cancelled() => None,
        // Polled before the first call, so that the run knows the skips from before a crash.
        never = forward(&live.skips, |skip| run.skip(skip)) => match never {},
        never = forward(&live.retries, |retry| run.retry(retry)) => match never {},
        never = corrections::forward(&run, live) => match never {},
        ended = AssertUnwindSafe(council::deliberate(&run, plan)).catch_unwind() => Some(ended),
    };
    // A run that was reported as stopped ends as stopped, even if it was complete at that moment.
    let ended = if live.end() { None } else { ended };
    let mut ending = match ended {
        Some(Ok(Ok(()))) => Ending::new(RunStatus::Complete, RunEvent::Complete {}),
        Some(Ok(Err(failure))) => Ending::failed(failure.kind(), failure.to_string()),
        // The panic itself has been reported by the panic hook, with its location.
        Some(Err(_panic)) => Ending::failed("internal", "A fault of this server ended the run.".to_owned()),
        None => Ending::stopped(is_stopped_by_admin(shared, live).await),
    };
    trace.set("llm_council.run.status", ending.status.as_str());
    if ending.status == RunStatus::Failed {
        trace.fail("failed");
    }
    ending.under_way = run.under_way();
    ending.replaces = plan.rerun.is_some();
    ending.remarks = plan.remarks && plan.verbosity >= EVERYTHING;
    ending.format = Some(plan.format.mode());
    // A first question that was stopped or failed still gives its conversation a name.
    ending.title = plan.title.then(|| title::fallback(&plan.brief().question).title);
    finish(shared, live, journal, ending).await;
}

/// The span of the execution: a trace of its own, since it goes on after its request is answered.
fn traced(live: &LiveRun, plan: &Plan) -> Span {
    let format = plan.format.mode();
    let span = Span::begin(|| NewSpan {
        name: format!("run {format}"),
        kind: Kind::Internal,
        parent: None,
        link: live.asked_by.context,
    });
    span.set("llm_council.run.id", live.id.to_string());
    span.set("llm_council.run.attempt", u32::try_from(live.attempt).unwrap_or_default());
    span.set("llm_council.format", format);
    if let Some(id) = &live.asked_by.request_id {
        span.set("llm_council.request.id", id.as_str());
    }
    span
}

/// How a run ends whose pictures are missing: it fails, since no model may be asked about a picture it is not shown.
fn not_shown(why: NotShown, live: &LiveRun) -> Ending {
    match why {
        NotShown::Gone(name) => {
            let message = format!("The picture {name} is no longer there, so nobody was asked about it.");
            Ending::failed("picture_gone", message)
        }
        NotShown::Unreadable(name, error) => {
            tracing::error!(run.id = %live.id, %error, "a picture of a run cannot be read");
            let message = format!(
                "The picture {name} could not be read from where files are kept, so nobody was asked about it."
            );
            Ending::failed("picture_unreadable", message)
        }
        NotShown::Store(error) => {
            tracing::error!(run.id = %live.id, error = &error as &dyn std::error::Error, "the pictures of a run cannot be read");
            let message = "The pictures of the question could not be read. Try again.".to_owned();
            Ending::failed("internal", message)
        }
    }
}

/// Passes each request to the run as soon as it is known here.
async fn forward<T: PartialEq>(requests: &Requests<T>, take_in: impl Fn(&T)) -> Infallible {
    let mut known = requests.subscribe();
    loop {
        for request in known.borrow_and_update().iter() {
            take_in(request);
        }
        // The sender lives in `requests`.
        if known.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Whether an administrator has stopped the run. This may wait for the database, as the run's end has to anyway.
async fn is_stopped_by_admin(shared: &Shared, live: &LiveRun) -> bool {
    match until_answered("who has stopped it", || runs::is_stopped_by_admin(&shared.db, live.id)).await {
        Ok(by_admin) => by_admin,
        // The run was erased with its user's data: there is nobody left to tell.
        Err(StoreError::NotFound) => false,
        Err(error) => {
            tracing::error!(run.id = %live.id, error = &error as &dyn std::error::Error, "cannot read who stopped a run");
            false
        }
    }
}

/// Stores the outcome of a run together with its last event.
pub(super) async fn finish(shared: &Shared, live: &Arc<LiveRun>, journal: &Arc<Journal>, ending: Ending) {
    live.end();
    for call in &ending.under_way {
        journal.commit_call(&dropped(call)).await;
    }
    if ending.status != RunStatus::Complete {
        let data = journal.costs();
        if !data.by_stage.is_empty() {
            journal.publish(costs::KEY, RunEvent::CostsComplete { data }.into()).await;
        }
    }
    let mut deliberation = journal.deliberation();
    if ending.status != RunStatus::Complete {
        deliberation.keep_unfinished(&ending.under_way, &CallFact::Unfinished);
    }
    let figures = Figures::of(&deliberation);
    if let Some(figures) = figures.as_ref().filter(|_| ending.remarks) {
        let note = figures_kept(figures).at(jiff::Timestamp::now());
        journal.publish("figures/remark", note.into()).await;
    }
    let row = FinishedRow {
        run: live.id,
        status: ending.status,
        error: match &ending.event {
            RunEvent::Error { message, error_kind }
            | RunEvent::Cancelled { message: Some(message), error_kind } => {
                Some(serde_json::json!({ "kind": error_kind, "message": message }))
            }
            RunEvent::RunQueued { .. }
            | RunEvent::RunStarted { .. }
            | RunEvent::CallRestarted(_)
            | RunEvent::MemberSkipped { .. }
            | RunEvent::MemberRetried { .. }
            | RunEvent::CorrectionAdded { .. }
            | RunEvent::CostsComplete { .. }
            | RunEvent::Complete {}
            | RunEvent::Cancelled { message: None, .. }
            | RunEvent::ServerShutdown { .. } => None,
        },
        message: live.message,
        conversation: live.conversation,
        body: serde_json::to_string(&deliberation).expect("a deliberation is plain data with string keys"),
        text: deliberation.answer_text().map(str::to_owned),
        corrections: Some(&deliberation.metadata.corrections)
            .filter(|added| !added.is_empty())
            .map(|added| serde_json::json!(added)),
        title: deliberation.metadata.title.clone().or(ending.title),
        figures: figures.map(|figures| figures_row(live, figures, ending.replaces)),
        has_reservation: journal.has_reservation(),
    };
    // It may be long, and the row has all of it.
    drop(deliberation);
    metrics::ended(live.id, ending.format, ending.status);
    tracing::info!(run.id = %live.id, status = ending.status.as_str(), "run ended");
    let event = AnyEvent::from(ending.event);
    let record = Record::Finish(Box::new(row));
    journal.record(Some(record), Some((frame::END_KEY, event))).await;
    shared.remove_live(live);
}

/// The process monitor's note on what a run adds to the analytics.
fn figures_kept(figures: &Figures) -> Note {
    Note::of(
        EVERYTHING,
        NoteCategory::Data,
        &RunNote::FiguresKept {
            answers: figures.placings.len(),
            ballots: figures.ballots.len(),
            chairman: figures.chairman.clone(),
        },
    )
}

fn figures_row(live: &LiveRun, figures: Figures, replaces: bool) -> FiguresRow {
    let placings = figures.placings.into_iter().map(|placing| PlacingRow {
        seat: small(placing.seat),
        model: placing.model,
        confidence: placing.confidence.map(i16::from),
        place: placing.standing.map(|standing| small(standing.place)),
        average_rank: placing.standing.map(|standing| standing.average_rank),
        borda: placing.standing.and_then(|standing| standing.borda),
        first_place_votes: placing.standing.map(|standing| standing.first_place_votes),
        won: placing.standing.map(|standing| standing.won),
    });
    let leanings = figures.leanings.into_iter().map(|(model, leanings)| LeaningRow {
        model,
        own: leanings.own,
        position: leanings.position,
        length: leanings.length,
        family: leanings.family,
    });
    FiguresRow {
        run: live.id,
        user: live.user.clone(),
        chairman: figures.chairman,
        stood_in: figures.stood_in,
        ballots: serde_json::to_string(&figures.ballots).expect("lists of names"),
        placings: placings.collect(),
        leanings: leanings.collect(),
        agreement: figures.correlations.map(|of| of.ballots),
        reading_agreement: figures.correlations.map(|of| of.reading),
        first_is_best: figures.first_is_best,
        replaces,
    }
}

fn small(count: impl TryInto<i16>) -> i16 {
    count.try_into().unwrap_or(i16::MAX)
}

fn dropped(call: &UnderWay) -> FinishedCall {
    FinishedCall {
        key: call.key.clone(),
        stage: call.stage.clone(),
        model: call.model.clone(),
        purpose: call.purpose.name.into(),
        fingerprint: call.fingerprint.clone(),
        expected_usd: call.expected_usd,
        result: Err(call.dropped(CallFact::Unfinished)),
    }
}
