//! Starting a run: it is stored, admitted or queued, and executed here if there is a free slot.

use jiff::Timestamp;
use tokio::time::Instant;

use super::error::StartError;
use super::execution::{self, OPENING_KEY};
use super::frame::{self, Frame};
use super::journal::Recovered;
use super::late::still_ours;
use super::live::{AskedBy, LiveRun};
use super::state::Runs;
use super::{admission, driver};
use crate::council::attached::Attached;
use crate::council::estimate::Kept;
use crate::council::plan::AnswerShape;
use crate::council::{Plan, plan};
use crate::id::{ConversationId, MessageId, ProjectId, RunId, UserId};
use crate::store::plans::PlanParts;
use crate::store::runs::{self, Admission, IdempotencyKey, NewRun, Program};
use crate::store::schedules::Firing;
use crate::store::{Tx, attachments, project_files};

/// A question to be answered by a new run.
pub struct Ask {
    pub user: UserId,
    pub conversation: ConversationId,
    /// Whether to create the conversation with the run if it does not exist.
    pub begins_conversation: bool,
    /// The project in which the conversation is created.
    pub project: Option<ProjectId>,
    pub plan: Plan,
    /// The user's groups; `None` means those they were in when last seen in person.
    pub groups: Option<Vec<String>>,
    /// Whether the user's devices are notified of how the run goes.
    pub tells_devices: bool,
    pub idempotency_key: Option<IdempotencyKey>,
    /// The position of the message that the question follows; `None` where it begins the conversation.
    pub parent: Option<i32>,
    /// The answer that the new one replaces; without one the question is a new message.
    pub replaces: Option<Replaces>,
    pub asked_by: AskedBy,
    /// The program's request, where a program asks.
    pub program: Option<Program>,
    /// The firing of the schedule, where a schedule asks.
    pub firing: Option<Firing>,
}

/// An answer that is asked for again.
#[derive(Debug, Clone)]
pub struct Replaces {
    pub run: RunId,
    pub message: MessageId,
    /// What is kept of it, and so not paid for again.
    pub kept: Kept,
}

/// The run that answers an [`Ask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedRun {
    pub run: RunId,
    /// What was begun; `None` where the same request had started the run before.
    pub begun: Option<RunStart>,
}

/// A run that was started just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunStart {
    pub at: Timestamp,
    pub conversation: ConversationId,
    pub answer: AnswerShape,
}

impl Runs {
    /// Starts a run, which goes on whether or not anybody reads its events. `tx` is in the asker's scope, and is the
    /// transaction in which the question was prepared, if there was one: so a question takes one transaction.
    ///
    /// # Errors
    /// Nothing is stored then.
    pub async fn start(&self, tx: Tx, ask: Ask) -> Result<StartedRun, StartError> {
        start(self, tx, ask).await
    }
}

fn length(characters: usize) -> i64 {
    i64::try_from(characters).unwrap_or(i64::MAX)
}

/// What is stored with the question about a file of the project.
fn of_project(file: &Attached) -> project_files::ReadFile {
    project_files::ReadFile {
        filename: file.filename.clone(),
        file_type: file.file_type.clone(),
        size: i64::try_from(file.size).unwrap_or(i64::MAX),
        characters: length(file.characters),
        characters_read: length(file.text.chars().count()),
    }
}

/// What is stored with the question about a file attached to it.
fn attached(file: &Attached) -> attachments::Attached {
    attachments::Attached {
        id: file.id.clone(),
        filename: file.filename.clone(),
        file_type: file.file_type.clone(),
        mime_type: file.mime_type.clone(),
        size: i64::try_from(file.size).unwrap_or(i64::MAX),
        characters: length(file.characters),
        characters_read: length(file.text.chars().count()),
        width: file.image.map(|image| image.width.cast_signed()),
        height: file.image.map(|image| image.height.cast_signed()),
    }
}

/// See [`Runs::start`].
pub(super) async fn start(runs: &Runs, tx: Tx, ask: Ask) -> Result<StartedRun, StartError> {
    let shared = &runs.shared;
    // A closing server also waits for runs that are being started. Held before the check: so either the server waits
    // for this one, or the check sees that the server is closing.
    let _starting = shared.tasks.hold();
    if shared.closed.is_cancelled() {
        return Err(StartError::Closing);
    }
    let id = RunId::generate();
    let settings = &shared.settings;
    let slot = shared.queue.slot_for_new();
    let (replaces, message, kept) = match ask.replaces {
        Some(earlier) => (Some(earlier.run), earlier.message, earlier.kept),
        None => (None, MessageId::generate(), Kept::default()),
    };
    let ids = (id, ask.conversation, message);
    let opening = Frame::structural(1, OPENING_KEY, execution::opening(ids, &ask.plan).into());
    let estimate = admission::estimate(shared, &ask.plan, &kept);
    let is_of_program = ask.program.is_some();
    let (from_project, own): (Vec<_>, Vec<_>) =
        ask.plan.brief().attachments.iter().partition(|file| file.of_project);
    let new = NewRun {
        id,
        conversation: ask.conversation,
        begins_conversation: ask.begins_conversation,
        project: ask.project,
        message,
        question: ask.plan.brief().question.clone(),
        plan: PlanParts::of(serde_json::to_value(&ask.plan).expect("a plan is plain data with string keys")),
        plan_version: plan::VERSION,
        format: ask.plan.format.mode().to_owned(),
        idempotency_key: ask.idempotency_key,
        owner: shared.owner.clone(),
        lease: settings.lease,
        admission: Admission {
            place: slot.is_some(),
            max_per_user: settings.max_per_user,
            may_wait: shared.queue.len() < settings.max_queued as usize,
            max_queued_per_user: settings.max_queued_per_user,
        },
        groups: ask.groups,
        tells_devices: ask.tells_devices,
        need: admission::need(shared, &estimate),
        defaults: settings.budgets.defaults,
        opening: frame::to_row(std::slice::from_ref(&opening)).expect("there is a frame"),
        parent: ask.parent,
        replaces,
        program: ask.program,
        firing: ask.firing,
        attachments: own.into_iter().map(attached).collect(),
        project_files: from_project.into_iter().map(of_project).collect(),
    };
    // Its lease may expire before the database has confirmed the start; the run must not count as abandoned then.
    let starting = shared.starting.begin(id, ask.conversation);
    let answer = ask.plan.answer_shape();
    let asked =
        |at| StartedRun { run: id, begun: Some(RunStart { at, conversation: ask.conversation, answer }) };
    let began = Instant::now();
    let (at, reservation, has_title) = match runs::start(&shared.db, tx, &new).await? {
        runs::Started::New { at, reservation, has_title } => (at, reservation, has_title),
        runs::Started::Queued(at) => {
            drop(slot);
            tracing::info!(run.id = %id, "run queued");
            shared.look_for_work();
            return Ok(asked(at));
        }
        runs::Started::Known(run) => return Ok(StartedRun { run, begun: None }),
        runs::Started::KeyOfAnother => return Err(StartError::KeyOfAnother),
        runs::Started::Busy(run) => return Err(StartError::Busy(run)),
        runs::Started::TooMany => return Err(StartError::TooMany),
        runs::Started::Full => return Err(StartError::Full),
        runs::Started::FileGone => return Err(StartError::FileGone),
        runs::Started::NotAWriter => return Err(StartError::NotAWriter),
        runs::Started::NotDue => return Err(StartError::NotDue),
        runs::Started::OverScheduled(over) => return Err(StartError::OverScheduled(over)),
        runs::Started::NotLatest => {
            return Err(StartError::NotAgain("the conversation has gone on since; look at it again"));
        }
        runs::Started::OverBudget(budget) => {
            tracing::info!(user_scope = budget.budget.owner.scope(), "a question does not fit into a budget");
            let over = admission::over_budget(*budget, estimate, new.need);
            return Err(StartError::OverBudget(Box::new(over)));
        }
    };
    // If the start took longer than a heartbeat, its lease may have expired.
    if !still_ours(shared, &[(id, 1)], began).await.contains(&id) {
        return Ok(asked(at));
    }
    let live = LiveRun::opened(ids, ask.user, opening).asked_by(ask.asked_by);
    // Programs get sentences made from the events; web pages read the events' JSON.
    let live = live.keeping_events(is_of_program);
    tracing::info!(run.id = %id, "run started");
    let live = driver::execute(runs, live, ask.plan, Recovered::default(), reservation, slot);
    // It may have been named since the question was read; from here on the run itself is told.
    if has_title || starting.may_be_renamed() {
        live.mark_renamed();
    }
    Ok(asked(at))
}
