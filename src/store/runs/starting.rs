//! How a run begins: the question, the place of its answer and the run, or nothing.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::types::Json;
use uuid::Uuid;

use crate::id::{ConversationId, MessageId, ProjectId, RunId, UserId};
use crate::store::attachments::{self, Attached};
use crate::store::budgets::reserve::{self, ExpectedCost, Outcome};
use crate::store::budgets::{self, State, budgets_of};
use crate::store::error::is_stale;
use crate::store::journal::LogRow;
use crate::store::notify::{self, Notice};
use crate::store::plans::PlanParts;
use crate::store::project_files::ReadFile;
use crate::store::projects::{self, Role};
use crate::store::schedules::{self, Fired, Firing, OverScheduled};
use crate::store::{Db, StoreError, Tx, conversations, refuse_nul_in_json, time, versions};

/// A run to be started.
#[derive(Debug)]
pub struct NewRun {
    pub id: RunId,
    pub conversation: ConversationId,
    /// The conversation is made with the run if it is not there.
    pub begins_conversation: bool,
    /// The project that it is made in.
    pub project: Option<ProjectId>,
    /// The answer's place in the conversation.
    pub message: MessageId,
    pub question: String,
    pub plan: PlanParts,
    pub plan_version: i32,
    pub format: String,
    /// The client's key: the same key from the same user is the same run.
    pub idempotency_key: Option<IdempotencyKey>,
    /// The process that will execute it, if it need not wait.
    pub owner: String,
    /// How long it keeps the run without a heartbeat.
    pub lease: Duration,
    pub admission: Admission,
    /// The groups the user is in; `None` means those they were in when last seen in person.
    pub groups: Option<Vec<String>>,
    /// Whether it was asked in the web app, not through a token: then the user's devices are notified of its end.
    pub tells_devices: bool,
    /// What it is expected to need of the budgets that bind the user.
    pub need: ExpectedCost,
    /// The budgets of everybody that no admin has set.
    pub defaults: budgets::Defaults,
    /// The beginning of its log, if it need not wait.
    pub opening: LogRow,
    /// The position of the message that the question goes on from; none where it begins the conversation.
    pub parent: Option<i32>,
    /// The run whose answer it replaces; the question and the answer's place are there already then.
    pub replaces: Option<RunId>,
    /// Of the program that asks, where one does.
    pub program: Option<Program>,
    /// The files that the question comes with.
    pub attachments: Vec<Attached>,
    /// The files of its project that it is read with.
    pub project_files: Vec<ReadFile>,
    /// Of the schedule that asks, where one does.
    pub firing: Option<Firing>,
}

/// What is kept of a program's request.
#[derive(Debug, Clone)]
pub struct Program {
    /// By which API it came.
    pub origin: &'static str,
    /// The parts of the request that its answer repeats.
    pub request: Value,
    /// A digest that identifies the request. Without an idempotency key the same request again is the same run.
    pub digest: Vec<u8>,
    /// How long after its end a run is given to the same request again.
    pub joins_ended: Duration,
    /// A digest of the question, where the next list of messages is to find its conversation by it.
    pub question: Option<Vec<u8>>,
}

/// A client's name for one request, by which it may send that again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// A digest of the request: where it was sent, and what it says.
    pub request_digest: Vec<u8>,
}

/// What a run holds of the budgets that bind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reservation {
    /// The groups it was admitted under.
    pub groups: Vec<String>,
    /// USD over its whole life, as far as it was granted.
    pub granted_usd: f64,
    /// The budgets that were nearly used up when it was admitted.
    pub warnings: Vec<State>,
}

/// The outcome of a start.
#[derive(Debug, PartialEq)]
pub enum Started {
    /// The run exists now, and is ours to execute.
    New {
        /// From this moment on.
        at: Timestamp,
        /// What it holds of the budgets, if any binds it.
        reservation: Option<Reservation>,
        /// Whether the conversation has a title, from a person or an earlier run.
        has_title: bool,
    },
    /// The run exists now, from this moment on, and waits for its turn.
    Queued(Timestamp),
    /// Too many runs of this user wait already.
    TooMany,
    /// Too many runs wait already.
    Full,
    /// The key was used before: this is its run.
    Known(RunId),
    /// The key was used before, for another request.
    KeyOfAnother,
    /// The conversation has a live run already.
    Busy(RunId),
    /// It does not fit into this budget.
    OverBudget(Box<State>),
    /// The answer that it was to replace is not the latest of its branch any more.
    NotLatest,
    /// One of its files has been deleted.
    FileGone,
    /// The conversation is in a project in which the user may not write.
    NotAWriter,
    /// The schedule that asks is not due any more.
    NotDue,
    /// It does not fit into what the schedule that asks may spend.
    OverScheduled(OverScheduled),
}

/// How many runs there may be before a new one waits, or is refused.
#[derive(Debug, Clone, Copy)]
pub struct Admission {
    /// This process has a free slot for it.
    pub place: bool,
    /// The most runs of one user at once.
    pub max_per_user: u32,
    /// There is room for one more in the queue.
    pub may_wait: bool,
    /// The most runs of one user that wait.
    pub max_queued_per_user: u32,
}

enum Admitted {
    Now,
    Later,
    TooMany,
    Full,
}

impl Admission {
    /// What happens to the next run of a user who has this many under way and waiting.
    fn admit(&self, running: i64, queued: i64) -> Admitted {
        // Nobody overtakes their own questions.
        if self.place && queued == 0 && running < i64::from(self.max_per_user) {
            Admitted::Now
        } else if queued >= i64::from(self.max_queued_per_user) {
            Admitted::TooMany
        } else if self.may_wait {
            Admitted::Later
        } else {
            Admitted::Full
        }
    }
}

/// Starts a run: the question, the answer's place and the run, or nothing. The transaction, which is the user's, ends with it.
///
/// # Errors
/// [`StoreError::NotFound`] when the conversation is not this user's, or deleted.
pub async fn start(db: &Db, tx: Tx, new: &NewRun) -> Result<Started, StoreError> {
    let scope = tx.scope().clone();
    match try_start(tx, new).await {
        // The same key on two conversations at once: the other transaction won.
        Err(StoreError::IdempotencyKeyUsed) => {}
        // The schema was changed in the middle; nothing is stored.
        Err(StoreError::Unavailable(error)) if is_stale(&error) => {}
        result => return result,
    }
    try_start(db.begin_frequent(&scope).await?, new).await
}

async fn try_start(mut tx: Tx, new: &NewRun) -> Result<Started, StoreError> {
    let user = tx.user()?;
    let user = user.as_str();
    // The API that it came by must have refused this already, by its own name for the field.
    refuse_nul_in_json("the question", &new.plan.plan)?;
    let Some(Locked { has_title }) = lock(&mut tx, new, user).await? else {
        return Ok(Started::NotAWriter);
    };
    let key = new.idempotency_key.as_ref().map(|key| key.key.as_str());
    let digest = new.idempotency_key.as_ref().map(|key| key.request_digest.as_slice());
    // Clients with idempotency keys say themselves which requests are the same.
    let program = new.program.as_ref().filter(|_| key.is_none());
    let row = sqlx::query(concat!(
        "WITH me AS MATERIALIZED (
             SELECT coalesce($4::text[], (SELECT groups FROM users WHERE id = $1), '{}') AS groups
         )
         SELECT (SELECT id FROM runs WHERE user_id = $1 AND idempotency_key = $2) AS known,
                (SELECT request_digest FROM runs WHERE user_id = $1 AND idempotency_key = $2) AS known_digest,
                (SELECT id FROM runs WHERE conversation_id = $3 AND user_id = $1
                                       AND status IN ('queued', 'running')) AS busy,
                count(*) FILTER (WHERE status = 'running') AS running,
                count(*) FILTER (WHERE status = 'queued') AS queued,
                (SELECT groups FROM me) AS groups,
                EXISTS (SELECT FROM prompt_sets WHERE digest = $5) AS has_texts,
                (SELECT r.id FROM runs r
                     JOIN conversations c ON c.id = r.conversation_id AND c.user_id = r.user_id
                 WHERE r.user_id = $1 AND r.request_digest = $6 AND r.program IS NOT NULL AND r.idempotency_key IS NULL
                   AND c.deleted_at IS NULL
                   -- Whoever wanted to stop it after its end has stopped nothing.
                   AND (r.status IN ('queued', 'running') AND r.cancel_requested_at IS NULL
                        OR r.status = 'complete' AND r.finished_at > now() - make_interval(secs => $7))
                 ORDER BY r.created_at DESC LIMIT 1) AS same_request, ",
        budgets_of!("$1", "(SELECT groups FROM me)::text[]"),
        " AS budgets
         FROM runs WHERE user_id = $1 AND status IN ('queued', 'running')"
    ))
    .bind(user)
    .bind(key)
    .bind(new.conversation.0)
    .bind(&new.groups)
    .bind(new.plan.texts.as_ref().map(|texts| &texts.digest))
    .bind(program.map(|program| &program.digest))
    .bind(program.map(|program| program.joins_ended.as_secs_f64()))
    .fetch_one(&mut *tx)
    .await?;
    // The run of the same program's request, where it is under way or has just been answered.
    if let Some(id) = row.try_get("same_request")? {
        return Ok(Started::Known(RunId(id)));
    }
    if let Some(id) = row.try_get("known")? {
        // A run of a version that stored no digest counts as the same request.
        let known: Option<Vec<u8>> = row.try_get("known_digest")?;
        let is_same = known.is_none() || known.as_deref() == digest;
        return Ok(if is_same { Started::Known(RunId(id)) } else { Started::KeyOfAnother });
    }
    if let Some(id) = row.try_get("busy")? {
        return Ok(Started::Busy(RunId(id)));
    }
    let starts_now = match new.admission.admit(row.try_get("running")?, row.try_get("queued")?) {
        Admitted::Now => true,
        Admitted::Later => false,
        Admitted::TooMany => return Ok(Started::TooMany),
        Admitted::Full => return Ok(Started::Full),
    };
    let groups: Vec<String> = row.try_get("groups")?;
    let binding = budgets::in_force(row.try_get("budgets")?, &new.defaults, &UserId::from_canonical(user));
    let reservation = if binding.is_empty() {
        None
    } else {
        match reserve::admit(&mut tx, &binding, new.id, new.need).await? {
            Outcome::Refused(budget) => return Ok(Started::OverBudget(budget)),
            Outcome::Granted { nearly_used_up } => Some(Reservation {
                groups: groups.clone(),
                granted_usd: new.need.usd,
                warnings: nearly_used_up,
            }),
        }
    };
    if let Some(earlier) = new.replaces
        && !versions::replace(&mut tx, new.message, earlier, new.id).await?
    {
        return Ok(Started::NotLatest);
    }
    if let Some(texts) = new.plan.texts.as_ref()
        && !row.try_get::<bool, _>("has_texts")?
    {
        texts.keep(&mut tx).await?;
    }
    let question = MessageId::generate();
    let at = insert(&mut tx, new, (user, question), starts_now, &groups, reservation.as_ref()).await?;
    // A question that is asked again is stored already, with its files.
    if new.replaces.is_none()
        && !new.attachments.is_empty()
        && !attachments::attach(&mut tx, user, question, &new.attachments).await?
    {
        return Ok(Started::FileGone);
    }
    if let Some(firing) = &new.firing {
        match schedules::fire(&mut tx, firing, new.id, new.conversation, new.need).await? {
            Fired::Yes => {}
            Fired::NotDue => return Ok(Started::NotDue),
            Fired::Over(over) => return Ok(Started::OverScheduled(over)),
        }
    }
    if !starts_now {
        notify::send(&mut tx, &Notice::Work).await?;
    }
    tx.commit().await?;
    Ok(if starts_now { Started::New { at, reservation, has_title } } else { Started::Queued(at) })
}

/// A conversation that is locked.
struct Locked {
    has_title: bool,
}

/// Locks the conversation, which is made if it begins with this run, and the user's other starts. `None` where it is in a
/// project in which the user may not write.
async fn lock(tx: &mut Tx, new: &NewRun, user: &str) -> Result<Option<Locked>, StoreError> {
    let may_write = async |tx: &mut Tx, project: ProjectId| {
        let role = projects::role(tx, project, new.groups.as_deref()).await?;
        Ok::<_, StoreError>(role >= Some(Role::Writer))
    };
    if let Some(project) = new.project.filter(|_| new.begins_conversation)
        && !may_write(tx, project).await?
    {
        return Ok(None);
    }
    // Starts within one conversation go one after the other, and so do those of one user on two servers: they are counted
    // later on.
    if new.begins_conversation {
        // It is rolled back with the transaction if the run is refused. The id of another user's conversation is not
        // found below.
        let made = sqlx::query(
            "INSERT INTO conversations (id, user_id, origin, tags, project_id)
             VALUES ($1, $2, $3, CASE WHEN $3 IS NULL THEN '{}' ELSE ARRAY['program'] END, $4)
             ON CONFLICT (id) DO NOTHING
             RETURNING pg_advisory_xact_lock(hashtextextended('llm-council/start/' || user_id, 0))",
        )
        .bind(new.conversation.0)
        .bind(user)
        .bind(new.program.as_ref().map(|program| program.origin))
        .bind(new.project.map(|id| id.0))
        .fetch_optional(&mut **tx)
        .await?;
        if made.is_some() {
            // Nobody else knows it yet.
            return Ok(Some(Locked { has_title: false }));
        }
    }
    let row = sqlx::query(
        "SELECT pg_advisory_xact_lock(hashtextextended('llm-council/start/' || $2, 0)), project_id, title_is_default
         FROM conversations WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL FOR UPDATE",
    )
    .bind(new.conversation.0)
    .bind(user)
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(StoreError::NotFound)?;
    let project: Option<Uuid> = row.try_get("project_id")?;
    if let Some(project) = project
        && !may_write(tx, ProjectId(project)).await?
    {
        return Ok(None);
    }
    let has_default: bool = row.try_get("title_is_default")?;
    Ok(Some(Locked { has_title: !has_default }))
}

/// Inserts the question, the place of the answer, the run, its first event and its reservation in one statement;
/// returns the time of that.
///
/// The lease counts from this very moment, and not from the beginning of the transaction, which may have waited for others of
/// the user: it would be shorter by that, or have run out by the time the run is there.
async fn insert(
    tx: &mut Tx,
    new: &NewRun,
    (user, question): (&str, MessageId),
    starts_now: bool,
    groups: &[String],
    reservation: Option<&Reservation>,
) -> Result<Timestamp, StoreError> {
    let key = new.idempotency_key.as_ref().map(|key| key.key.as_str());
    let digest = new.idempotency_key.as_ref().map(|key| key.request_digest.as_slice());
    let digest = digest.or(new.program.as_ref().map(|program| program.digest.as_slice()));
    let row = sqlx::query(
        "WITH asked AS (
             INSERT INTO messages (id, conversation_id, user_id, position, parent_position, role, content, run_id,
                                   project_files)
             SELECT m.id, $1, $2, next.position + m.nth, CASE m.nth WHEN 0 THEN $23 ELSE next.position END,
                    m.role, m.content, m.run_id, CASE m.nth WHEN 0 THEN $25::jsonb END
             FROM (SELECT coalesce(max(position) + 1, 0) AS position FROM messages WHERE conversation_id = $1) AS next,
                  (VALUES ($3::uuid, 0, 'user', $4::text, NULL::uuid), ($5::uuid, 1, 'assistant', NULL, $6::uuid))
                  AS m (id, nth, role, content, run_id)
             WHERE $18
             RETURNING position
         ), touched AS (
             UPDATE conversations SET updated_at = now(), last_question = CASE WHEN $18 THEN $22 ELSE last_question END,
                    branch_position = coalesce((SELECT max(position) FROM asked),
                                               (SELECT position FROM messages WHERE id = $5 AND user_id = $2))
             WHERE id = $1 AND user_id = $2
         ), opened AS (
             INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
             SELECT $6, $13, $13, $2, $14 WHERE $12
         ), reserved AS (
             INSERT INTO reservations (run_id, user_id, groups, granted_usd, warnings)
             SELECT $6, $2, $15, $16, $17 WHERE $16 IS NOT NULL
         )
         INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, idempotency_key,
                           request_digest, program, attempt, owner, lease_until, started_at, groups, plan_version,
                           tells_devices)
         SELECT $6, $2, $1, $5, $7, CASE WHEN starts THEN 'running' ELSE 'queued' END, $8, $9, $20, $21, starts::int,
                CASE WHEN starts THEN $10 END, CASE WHEN starts THEN clock_timestamp() + make_interval(secs => $11) END,
                CASE WHEN starts THEN now() END, $15, $19, $24
         FROM (VALUES ($12::boolean)) AS admitted (starts)
         RETURNING created_at",
    )
    .bind(new.conversation.0)
    .bind(user)
    .bind(question.0)
    .bind(&new.question)
    .bind(new.message.0)
    .bind(new.id.0)
    .bind(&new.format)
    .bind(&new.plan.plan)
    .bind(key)
    .bind(&new.owner)
    .bind(new.lease.as_secs_f64())
    .bind(starts_now)
    .bind(new.opening.first_seq)
    .bind(&new.opening.frames)
    .bind(groups)
    .bind(reservation.map(|reservation| reservation.granted_usd))
    .bind(reservation.map(|reservation| Json(&reservation.warnings)))
    .bind(new.replaces.is_none())
    .bind(new.plan_version)
    .bind(digest)
    .bind(new.program.as_ref().map(|program| &program.request))
    .bind(new.program.as_ref().and_then(|program| program.question.as_deref()))
    .bind(new.parent.unwrap_or(conversations::ROOT))
    .bind(new.tells_devices)
    .bind((!new.project_files.is_empty()).then_some(Json(&new.project_files)))
    .fetch_one(&mut **tx)
    .await?;
    Ok(time(&row, "created_at")?)
}
