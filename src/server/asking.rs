//! Turns a question (who asks, in which conversation, with which body) into a run that goes on and can be watched: the
//! only way into a run, whichever protocol the question came by.

use std::time::Duration;

use actix_web::HttpRequest;
use serde_json::Value;
use uuid::Uuid;

use super::app::App;
use super::attachments::chosen;
use super::branches;
use super::conversations::named;
use super::extract::{Caller, asked_by};
use super::library::rubric;
use super::presets::{self, InForce};
use super::problem::Problem;
use super::projects::files as project_files;
use super::projects::placing::{self, AskedIn};
use crate::council::answer_form::AnswerForm;
use crate::council::attached;
use crate::council::correction::{Correction, whole_question};
use crate::council::field::{FieldError, Fields};
use crate::council::plan::{Context, Plan};
use crate::council::prompts::history::Turn;
use crate::council::prompts::seat_history::{self, SeatHistory};
use crate::council::seeing::{self, Blind};
use crate::id::{ConversationId, ProjectId, RunId};
use crate::identity::Permission;
use crate::llm::{Models as _, Sampling};
use crate::runs::{Ask, AskedBy, StartedRun, Subscription};
use crate::store::conversations::{self, SeatMessage, Text, Tree};
use crate::store::questions;
use crate::store::runs::{IdempotencyKey, Program, RunRow};
use crate::store::schedules::Firing;
use crate::store::{StoreError, Tx};

/// How soon the log is read again while the database is unavailable.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How many models that see pictures are suggested where no member of the council does.
const MOST_NAMED: usize = 5;

/// A user's question.
pub(super) struct Question<'q> {
    pub conversation: ConversationId,
    /// As `POST /api/conversations/{id}/message` takes it.
    pub body: &'q Value,
    /// What was said before, where the asker says that; else what the conversation holds.
    pub history: Option<Vec<Turn>>,
    /// A request with the same key from the same user returns the same run.
    pub idempotency_key: Option<IdempotencyKey>,
    /// Whether a person follows the run who can decide if an earlier answer will do.
    pub is_attended: bool,
    /// Of the program that asks, where one does.
    pub program: Option<FromProgram>,
    /// Of the schedule that asks, where one does.
    pub firing: Option<Firing>,
}

/// What a program's request says besides the question.
pub(super) struct FromProgram {
    /// The sampling parameters of the final answer's writer, where the request has any.
    pub sampling: Sampling,
    /// In which form, where it is to be another than a text.
    pub form: Option<AnswerForm>,
    /// What is kept of the request.
    pub kept: Program,
}

/// Starts a run for the question. It goes on whether or not anybody reads its events.
///
/// # Errors
/// Everything that is wrong with the question, a budget that it does not fit into, a server that takes nothing: nothing has
/// begun then.
pub(super) async fn ask(
    app: &App,
    caller: &Caller,
    request: &HttpRequest,
    question: Question<'_>,
) -> Result<StartedRun, Problem> {
    ask_for(app, caller, asked_by(request), question).await
}

/// Like [`ask`], where the HTTP request itself is no longer available.
///
/// # Errors
/// As [`ask`].
pub(super) async fn ask_for(
    app: &App,
    caller: &Caller,
    asked_by: AskedBy,
    question: Question<'_>,
) -> Result<StartedRun, Problem> {
    caller.may(Permission::Ask)?;
    app.admit()?;
    let tx = app.db.begin_frequent(&caller.scope()).await?;
    ask_in(app, caller, tx, asked_by, question).await
}

/// Like [`ask_for`], in a transaction of the caller's, which ends with it; for callers that have checked the permission
/// to ask and whether this server accepts questions.
///
/// # Errors
/// As [`ask`].
pub(super) async fn ask_in(
    app: &App,
    caller: &Caller,
    mut tx: Tx,
    asked_by: AskedBy,
    question: Question<'_>,
) -> Result<StartedRun, Problem> {
    let Question { conversation, body, history, idempotency_key, is_attended, program, firing } = question;
    let Planned { mut plan, parent, project } =
        planned(app, caller, &mut tx, Some(conversation), body, history).await?;
    if let Some(FromProgram { sampling, form, .. }) = &program {
        plan = plan.for_program(*sampling, form.clone(), &app.config.prompts);
    }
    if firing.is_some() {
        plan = plan.untitled(&app.config.prompts);
    }
    if !is_attended {
        plan = plan.without_offers();
    }
    let ask = Ask {
        user: caller.user.clone(),
        conversation,
        begins_conversation: begins_conversation(body)?,
        project,
        plan,
        groups: caller.groups_from_proxy().map(<[String]>::to_vec),
        // A program watches its own run; a schedule's owner is not there to watch.
        tells_devices: firing.is_some() || (caller.is_in_person() && program.is_none()),
        idempotency_key,
        parent,
        replaces: None,
        asked_by,
        program: program.map(|program| program.kept),
        firing,
    };
    Ok(app.runs.start(tx, ask).await?)
}

/// Waits until a run is over; nothing when this server goes away before that, and the run goes on at another.
///
/// # Errors
/// When the run is not the caller's.
pub(super) async fn wait(app: &App, caller: &Caller, run: RunId) -> Result<Option<RunRow>, Problem> {
    let events = app.runs.subscribe(&caller.user, run, 0).await?;
    wait_as(app, caller, events).await
}

/// Like [`wait`], with an open subscription to the run.
///
/// # Errors
/// As of [`wait`].
pub(super) async fn wait_as(
    app: &App,
    caller: &Caller,
    mut events: Subscription,
) -> Result<Option<RunRow>, Problem> {
    let run = events.run();
    let mut is_told = false;
    loop {
        tokio::select! {
            biased;
            next = events.next() => match next {
                Ok(Some(_)) => is_told = false,
                Ok(None) => break,
                // The run waits for the database too; the asker goes on waiting for the run.
                Err(error @ StoreError::Unavailable(_)) => {
                    if !is_told {
                        tracing::warn!(run.id = %run, error = &error as &dyn std::error::Error, "an answer waits for the database");
                    }
                    is_told = true;
                    tokio::time::sleep(ASK_AGAIN).await;
                }
                Err(error) => return Err(error.into()),
            },
            () = app.runs.released(run) => break,
        }
    }
    match crate::store::runs::find(&app.db, &caller.scope(), run).await {
        Ok(row) if row.status.is_over() => Ok(Some(row)),
        Ok(_) | Err(StoreError::Unavailable(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The plan of a request, and where it goes.
struct Planned {
    plan: Plan,
    /// The position of the message that the question goes on from; none where it begins the conversation.
    parent: Option<i32>,
    /// The project that it is asked in.
    project: Option<ProjectId>,
}

/// The plan of a request in a conversation, or in a new one, after what was said before (`said`, or what its branch
/// holds); or everything that is wrong with it.
pub(super) async fn plan(
    app: &App,
    caller: &Caller,
    conversation: Option<ConversationId>,
    body: &Value,
    said: Option<Vec<Turn>>,
) -> Result<Plan, Problem> {
    let mut tx = app.db.begin_frequent(&caller.scope()).await?;
    Ok(planned(app, caller, &mut tx, conversation, body, said).await?.plan)
}

async fn planned(
    app: &App,
    caller: &Caller,
    tx: &mut Tx,
    conversation: Option<ConversationId>,
    body: &Value,
    said: Option<Vec<Turn>>,
) -> Result<Planned, Problem> {
    let known = questions::known(tx, conversation).await?;
    let (settings, _) = app.settings_of(known.layers)?;
    let records = known.records.into_iter().map(|(model, record)| (model, record.into())).collect();
    let reviewer_records = app.reviewers.records_with(known.reviewers, known.agreement);
    let begins = begins_conversation(body);
    if known.tree.is_none() && conversation.is_some() && begins == Ok(false) {
        return Err(named(StoreError::NotFound));
    }
    let tree = known.tree;
    // Asked of the database only where there is one.
    let AskedIn { project, instructions, defaults, problem } =
        placing::asked_in(tx, caller, tree.as_ref().map(Tree::project), body).await?;
    let tree = tree.unwrap_or_default();
    let InForce { settings, options, problems } = presets::in_force(tx, settings, defaults, body).await?;
    let parent = branches::parent(body, &tree);
    let rubric = rubric::of_question(tx, body, &options).await?;
    let from_conversation = said.is_none();
    let limits = &app.config.attachments;
    let files = chosen::chosen(tx, limits, body).await?;
    let of_project = match project {
        Some(project) => project_files::read_with_questions(tx, limits, project).await?,
        None => Vec::new(),
    };
    let history = match (said, conversation, parent.as_ref().ok().copied().flatten()) {
        (Some(said), ..) => said,
        (None, Some(conversation), Some(parent)) => {
            history(conversations::texts(tx, conversation, &tree.path(parent)).await?)
        }
        (None, ..) => Vec::new(),
    };
    let seat_history = match (conversation, seat_history::member_of(body)) {
        (Some(conversation), Some(member)) if from_conversation => {
            let path = parent.as_ref().ok().copied().flatten().map(|parent| tree.path(parent));
            let messages =
                conversations::seat_messages(tx, conversation, &path.unwrap_or_default(), member).await?;
            Some(SeatHistory::of(past_questions(messages), &Uuid::new_v4().simple().to_string()))
        }
        _ => None,
    };
    let first = tree.is_empty();
    let search = app.search_context();
    let prompts = app.config.prompts.clone();
    let own = files.as_ref().ok().cloned().unwrap_or_default();
    let attachments = Some(attached::together(of_project, own));
    let context = Context {
        settings,
        history,
        seat_history,
        first,
        records,
        reviewer_records,
        search,
        prompts,
        attachments,
        rubric,
        instructions,
    };
    let plan = Plan::parse_over(body, &options, context).and_then(|plan| {
        let plan = if first && tree.is_named() { plan.untitled(&app.config.prompts) } else { plan };
        let plan = plan.compared_as(|model| app.models.offers_embeddings(model));
        seeing::shown_to(plan, |model| app.models.sees_images(model)).map_err(|Blind| vec![nobody_sees(app)])
    });
    let mut problems: Vec<_> = problems.into_iter().chain(begins.err().unwrap_or_default()).collect();
    problems.extend(problem);
    problems.extend(parent.as_ref().err().cloned());
    problems.extend(files.err().unwrap_or_default());
    problems.extend(app.unknown_providers(body));
    if problems.is_empty() {
        let parent = parent.ok().flatten().map(|parent| parent.position);
        return Ok(Planned { plan: plan?, parent, project });
    }
    Err(problems.into_iter().chain(plan.err().unwrap_or_default()).collect::<Vec<_>>().into())
}

/// What is wrong with a question about a picture that nobody who is to answer would see.
fn nobody_sees(app: &App) -> FieldError {
    let then = match app.models.models_that_see(MOST_NAMED) {
        None => "the lists of models have not been read yet; try again in a moment".to_owned(),
        Some(seeing) if seeing.is_empty() => {
            "no model is known to; whoever runs this server can name those that do (providers.<name>.image_models)"
                .to_owned()
        }
        Some(seeing) => format!("put a model into the council that does, such as {}", seeing.join(", ")),
    };
    FieldError::value(
        "attachments",
        format!("has a picture, and nobody who would answer sees pictures: {then}"),
    )
}

/// Whether the conversation is to be made with this question if it is not there.
fn begins_conversation(body: &Value) -> Result<bool, Vec<FieldError>> {
    // A body that is not an object is refused later, for its missing question.
    let Ok(mut fields) = Fields::of(body) else { return Ok(false) };
    let begins = fields.take("new_conversation", "true or false").unwrap_or(false);
    fields.finish(|| begins)
}

/// The questions that have a final answer, with what one seat said itself.
fn past_questions(messages: Vec<SeatMessage>) -> Vec<seat_history::PastQuestion> {
    let mut asked = Vec::new();
    let mut question = None;
    for SeatMessage { role, content, corrections, own, model, alias } in messages {
        match (role.as_str(), content) {
            ("user", content) => question = content,
            (_, Some(answer)) => asked.extend(question.take().map(|question| seat_history::PastQuestion {
                question: corrected(&question, corrections),
                answer,
                own,
                model,
                alias,
            })),
            (_, None) => question = None,
        }
    }
    asked
}

/// The turns that have a final answer.
pub(super) fn history(messages: Vec<Text>) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut question = None;
    for Text { role, content, corrections } in messages {
        match (role.as_str(), content) {
            ("user", content) => question = content,
            (_, Some(answer)) => {
                let question = question.take();
                turns.extend(
                    question.map(|question| Turn { question: corrected(&question, corrections), answer }),
                );
            }
            (_, None) => question = None,
        }
    }
    turns
}

/// An earlier question with its corrections.
fn corrected(question: &str, corrections: Option<Value>) -> String {
    let read = |added| {
        serde_json::from_value::<Vec<Correction>>(added).inspect_err(|error| {
            tracing::warn!(%error, "the corrections of an earlier question cannot be read; they are left out");
        })
    };
    let added = corrections.and_then(|added| read(added).ok()).unwrap_or_default();
    whole_question(question, &added)
}
