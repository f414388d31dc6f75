//! The table of errors: what a client reads when something is wrong (RFC 9457 problem details,
//! with `detail` in the shape existing clients expect). Nothing here is an error's own text.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::council::budget::{BudgetState, Usd};
use crate::council::field::{FieldError, FieldErrorKind};
use crate::id::RunId;
use crate::runs::{OverBudget, StartError};
use crate::store::StoreError;
use crate::store::schedules::OverScheduled;

/// How long a client should wait when this server cannot answer now, in seconds.
const RETRY_AFTER_SECONDS: u64 = 5;

/// One refusal or failure, as the client will read it.
#[derive(Debug, Clone)]
pub struct Problem(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    /// The last part of the problem's type URI.
    kind: &'static str,
    title: &'static str,
    detail: Value,
    more: Map<String, Value>,
    retry_after: Option<u64>,
    allow: Option<&'static str>,
}

/// A problem as JSON (`application/problem+json`).
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProblemBody {
    /// A URI that names the kind of problem.
    pub r#type: String,
    pub title: String,
    pub status: u16,
    /// A sentence; for a 422 a list of `{type, loc, msg}`.
    #[schema(value_type = Object)]
    pub detail: Value,
    /// For a 422: every wrong field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldError>>,
    /// For a 402: the budget that the question does not fit into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetState>,
    /// For a 402: what the question would need, in USD; absent when that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_usd: Option<f64>,
    /// For a 402: the models whose price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_price_models: Option<Vec<String>>,
    /// For a 409: the run that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// Why there is no link.
#[derive(Debug, Clone, Copy)]
pub enum NotToShare {
    BeingWritten,
    Empty,
    /// So many work already.
    TooMany(i64),
}

/// What a project does not go along with.
#[derive(Debug, Clone, Copy)]
pub enum NotInProject {
    /// There would be no person left who owns it by name.
    LastOwner,
    /// Whoever wants to leave it is in it by a group alone.
    ByGroup,
    /// It has so many members already.
    TooManyMembers(i64),
    /// So many projects are owned already.
    TooManyProjects(i64),
    /// What is to be copied is not there yet.
    BeingWritten,
    NothingToCopy,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        let detail = Value::String(detail.into());
        Self(Box::new(Parts {
            status,
            kind,
            title,
            detail,
            more: Map::new(),
            retry_after: None,
            allow: None,
        }))
    }

    /// 404: not there, or not theirs; nobody learns which.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "Not found", format!("{what} not found"))
    }

    /// 401: no identity that counts.
    #[must_use]
    pub fn unauthenticated(detail: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", "Sign in first", detail)
    }

    /// 403: signed in, but not allowed.
    #[must_use]
    pub fn forbidden(detail: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Not allowed", detail)
    }

    /// 403: a conversation of one's own in a project in which one may not write, or no longer.
    #[must_use]
    pub fn not_a_writer() -> Self {
        let detail = "this conversation is in a project in which you may not write; take it out of the project to go on with it";
        let mut problem = Self::forbidden(detail);
        problem.0.kind = "not-a-writer";
        problem
    }

    /// 402: a schedule has a budget of its own.
    #[must_use]
    pub fn over_scheduled(over: OverScheduled) -> Self {
        let OverScheduled { budget_usd, spent_usd, needed_usd } = over;
        let needed = match needed_usd {
            Some(needed) => format!("the question would cost about {}", Usd(needed)),
            None => "what the question would cost is unknown".to_owned(),
        };
        let (budget, spent) = (Usd(budget_usd), Usd(spent_usd));
        let detail = format!(
            "the budget of this schedule is {budget} in a calendar month, and {spent} is spent; {needed}"
        );
        let title = "The budget of the schedule is reached";
        let mut problem = Self::new(StatusCode::PAYMENT_REQUIRED, "schedule-budget-reached", title, detail);
        problem.0.more.insert("needed_usd".into(), json!(needed_usd));
        problem
    }

    /// 412: the page that asks is somebody else's.
    #[must_use]
    pub fn another_user() -> Self {
        let detail = "the page that sent this request belongs to another user than the one who is signed in now; \
                      reload it";
        Self::new(StatusCode::PRECONDITION_FAILED, "another-user", "Somebody else is signed in", detail)
    }

    /// 400: the request itself is malformed.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", "Malformed request", detail)
    }

    /// 405: the path is there, but does not know the method.
    #[must_use]
    pub fn method_not_allowed(methods: &'static str) -> Self {
        let detail = format!("this path knows only {methods}");
        let mut problem =
            Self::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed", detail);
        problem.0.allow = Some(methods);
        problem
    }

    /// 415: a body that is not JSON, or does not say so.
    #[must_use]
    pub fn not_json() -> Self {
        let detail = "the body must be JSON, with the header Content-Type: application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "Not JSON", detail)
    }

    /// 408: the body did not arrive in time.
    #[must_use]
    pub fn slow_body() -> Self {
        let detail = "the request's body did not arrive in time; send it again";
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow-body", "Request too slow", detail)
    }

    /// 413: the body is larger than this server takes.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        let detail = format!("the request's body is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Request too large", detail)
    }

    /// 413: a file that is larger than those that are taken here.
    #[must_use]
    pub fn file_too_large(limit: usize) -> Self {
        let detail = format!(
            "the file is larger than {}, the most that this server takes: upload the part that matters",
            mebibytes(limit as u64)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "file-too-large", "File too large", detail)
    }

    /// 413: there is no room for a file beside the others of the same person.
    #[must_use]
    pub fn no_room(used: u64, limit: u64) -> Self {
        let detail = format!(
            "your files take up {} of {}: there is no room for this one until some are deleted, by themselves or with their \
             conversations",
            mebibytes(used),
            mebibytes(limit)
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "no-room", "No room for this file", detail)
    }

    /// 415: a file of a kind that is not taken.
    #[must_use]
    pub fn not_taken(detail: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "file-not-taken", "This file is not taken", detail)
    }

    /// 415: a body that is no form.
    #[must_use]
    pub fn no_form() -> Self {
        let detail = "the body must be a form with one file in the field file (multipart/form-data)";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "no-form", "Not a form", detail)
    }

    /// 421: sent to a name that is not this server's.
    #[must_use]
    pub fn misdirected() -> Self {
        let detail = "this server does not answer to the host name of this request; whoever runs it can add the \
                      name to server.allowed_hosts";
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", "Not this server's name", detail)
    }

    /// 422: every wrong field.
    #[must_use]
    pub fn fields(errors: &[FieldError]) -> Self {
        let mut problem =
            Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Some fields are wrong", String::new());
        problem.0.detail = errors.iter().map(existing_clients_shape).collect();
        problem.0.more.insert("errors".into(), json!(errors));
        problem
    }

    /// 422 for one field.
    #[must_use]
    pub fn field(field: &str, message: &str) -> Self {
        Self::fields(&[FieldError::value(field, message)])
    }

    /// 409: all that is stored of the caller is being erased.
    #[must_use]
    pub fn erasing() -> Self {
        let detail = "everything that is stored of you is being deleted, as you have asked for; once that is over you can \
                      begin anew";
        let mut problem =
            Self::new(StatusCode::CONFLICT, "erasure-under-way", "Your data is being deleted", detail);
        problem.0.retry_after = Some(RETRY_AFTER_SECONDS);
        problem
    }

    /// 403: an administrator wants nothing to be done in the caller's name.
    #[must_use]
    pub fn blocked() -> Self {
        let detail = "an administrator of this server has blocked you; what is yours is kept: ask them";
        Self::new(StatusCode::FORBIDDEN, "blocked", "You are blocked", detail)
    }

    /// 409: kept, whoever wants it deleted.
    #[must_use]
    pub fn held() -> Self {
        let detail = "an administrator has placed a hold on your data: it is kept until the hold is lifted, and nothing of \
                      it is deleted for good; ask your administrator";
        Self::new(StatusCode::CONFLICT, "held", "There is a hold on this data", detail)
    }

    /// 409: a rule of holds or of access that is in the way.
    #[must_use]
    pub fn in_the_way(detail: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "in-the-way", "This is not possible now", detail)
    }

    /// 409: the run has to be over first.
    #[must_use]
    pub fn not_over(run: RunId) -> Self {
        let detail = "this run is under way; wait for its end or stop it";
        let mut problem = Self::new(StatusCode::CONFLICT, "run-under-way", "A run is under way", detail);
        problem.0.more.insert("run_id".into(), json!(run));
        problem
    }

    /// 409: what is shared is what is there.
    #[must_use]
    pub fn not_to_share(why: NotToShare) -> Self {
        let (kind, detail) = match why {
            NotToShare::BeingWritten => {
                ("being-written", "an answer is being written; share it when that is there".to_owned())
            }
            NotToShare::Empty => {
                ("nothing-to-share", "nothing was asked here yet, so there is nothing to share".to_owned())
            }
            NotToShare::TooMany(most) => (
                "too-many-links",
                format!("{most} of your links work already; withdraw one that nobody needs"),
            ),
        };
        Self::new(StatusCode::CONFLICT, kind, "This cannot be shared now", &detail)
    }

    /// 409: a rule of projects that is in the way.
    #[must_use]
    pub fn not_in_project(why: NotInProject) -> Self {
        let (kind, detail) = match why {
            NotInProject::LastOwner => (
                "last-owner",
                "nobody else owns this project by name; make somebody else an owner first".to_owned(),
            ),
            NotInProject::ByGroup => (
                "by-group",
                "you are in this project by a group alone; who leaves the group leaves the project"
                    .to_owned(),
            ),
            NotInProject::TooManyMembers(most) => (
                "too-many-members",
                format!("a project has {most} members at most; add a group in the place of many people"),
            ),
            NotInProject::TooManyProjects(most) => (
                "too-many-projects",
                format!("you own {most} projects, as many as there can be; delete one, or hand one over"),
            ),
            NotInProject::BeingWritten => {
                ("answer-under-way", "an answer is being written; copy it when that is there".to_owned())
            }
            NotInProject::NothingToCopy => {
                ("nothing-to-copy", "nothing was asked here yet, so there is nothing to copy".to_owned())
            }
        };
        Self::new(StatusCode::CONFLICT, kind, "This is not possible in the project now", &detail)
    }

    /// 409: somebody has changed it since it was read.
    #[must_use]
    pub fn changed_meanwhile(version: i32) -> Self {
        let detail = format!(
            "this was changed meanwhile and is at version {version} now; read it again before you change it"
        );
        let mut problem = Self::new(StatusCode::CONFLICT, "changed-meanwhile", "Changed meanwhile", detail);
        problem.0.more.insert("version".into(), json!(version));
        problem
    }

    /// 409: as many folders as one person may have.
    #[must_use]
    pub fn too_many_folders(most: i64) -> Self {
        let detail =
            format!("you have {most} folders, as many as there can be; delete one that you no longer need");
        Self::new(StatusCode::CONFLICT, "too-many-folders", "There can be no more folders", detail)
    }

    /// 409: as much as one person may have in the library.
    #[must_use]
    pub fn library_full(most: i64) -> Self {
        let detail = format!(
            "you have {most} prompts and rubrics, as many as there can be; delete one that nobody needs"
        );
        Self::new(StatusCode::CONFLICT, "library-full", "The library takes no more", detail)
    }

    /// 502: a model that was asked for a draft gave none.
    #[must_use]
    pub fn no_draft(model: &str, reason: &str) -> Self {
        let detail = format!("{model} drafted nothing: {reason}; try again, or write it yourself");
        let mut problem = Self::new(StatusCode::BAD_GATEWAY, "no-draft", "No draft", detail);
        problem.0.more.insert("model".into(), json!(model));
        problem
    }

    /// 409: one check of the providers is enough at a time.
    #[must_use]
    pub fn check_under_way() -> Self {
        let detail = "the providers are being checked already; wait for the end of that check";
        Self::new(StatusCode::CONFLICT, "check-under-way", "A check is under way", detail)
    }

    /// 409: nobody waits for this member.
    #[must_use]
    pub fn not_awaited(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-awaited", "This member is not being waited for", why)
    }

    /// 409: only what is deleted, and not at work, can be purged.
    #[must_use]
    pub fn not_to_purge(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-to-purge", "This conversation cannot be purged now", why)
    }

    /// 409: nothing is offered that could be taken.
    #[must_use]
    pub fn not_offered(why: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "not-offered", "No earlier answer is offered", why)
    }

    /// 503: not now.
    #[must_use]
    pub fn unavailable(detail: &str) -> Self {
        let mut problem =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Not available right now", detail);
        problem.0.retry_after = Some(RETRY_AFTER_SECONDS);
        problem
    }

    /// 503: this server does as much as it can. Unlike one that goes away, it has refused for good.
    #[must_use]
    pub fn full(detail: &str) -> Self {
        let mut problem = Self::unavailable(detail);
        problem.0.kind = "full";
        problem
    }

    /// 500: a fault of ours; the log and Sentry have it.
    #[must_use]
    pub fn internal() -> Self {
        let detail = "something went wrong on this server; it has been recorded";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error", detail)
    }

    /// What kind of problem it is, in a word.
    pub(super) fn kind(&self) -> &'static str {
        self.0.kind
    }

    /// When to try again, in seconds.
    pub(super) fn retry_after(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// What stands beside the sentence, such as a budget's figures.
    pub(super) fn more(&self) -> &Map<String, Value> {
        &self.0.more
    }

    /// Names what was not found, where the store cannot know.
    #[must_use]
    pub fn naming(self, what: &str) -> Self {
        if self.0.status == StatusCode::NOT_FOUND { Self::not_found(what) } else { self }
    }

    /// The same in sentences, for a terminal: one for each wrong field.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let errors = self.0.more.get("errors").and_then(Value::as_array);
        let sentence = |error: &Value| {
            let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}", part("field"), part("message"))
        };
        match (errors, &self.0.detail) {
            (Some(errors), _) => errors.iter().map(sentence).collect(),
            (None, Value::String(detail)) => vec![detail.clone()],
            (None, detail) => vec![detail.to_string()],
        }
    }

    /// Whether it says that the caller may do nothing here.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.0.kind == "blocked"
    }

    /// Whether it says that something is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.0.status == StatusCode::NOT_FOUND
    }

    /// Which fields of a request are wrong.
    ///
    /// # Errors
    /// The problem itself where it is another.
    pub fn into_fields(self) -> Result<Vec<FieldError>, Self> {
        let errors = self.0.more.get("errors").filter(|_| self.is_about_fields());
        errors.and_then(|errors| serde_json::from_value(errors.clone()).ok()).ok_or(self)
    }

    /// Whether it comes of the moment, and not of what was asked: another server, or this one a little later, may do it.
    #[must_use]
    pub fn is_for_now(&self) -> bool {
        self.0.status == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Whether it says which fields of a request are wrong.
    #[must_use]
    pub fn is_about_fields(&self) -> bool {
        self.0.status == StatusCode::UNPROCESSABLE_ENTITY
    }

    /// The same as JSON ([`ProblemBody`]).
    #[must_use]
    pub fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("type".into(), json!(format!("urn:llm-council:problem:{}", self.0.kind)));
        body.insert("title".into(), json!(self.0.title));
        body.insert("status".into(), json!(self.0.status.as_u16()));
        body.insert("detail".into(), self.0.detail.clone());
        body.extend(self.0.more.clone());
        body
    }

    /// The response.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.0.status);
        response
            .insert_header((header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json")))
            .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")));
        if let Some(seconds) = self.0.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if let Some(methods) = self.0.allow {
            response.insert_header((header::ALLOW, methods));
        }
        if self.0.status == StatusCode::UNAUTHORIZED {
            // Nothing more: whoever has no token gets one in the web app, there is nobody who gives them to programs.
            response.insert_header((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        response.body(Value::Object(self.body()).to_string())
    }
}

/// A size for people, in mebibytes where it has some.
fn mebibytes(bytes: u64) -> String {
    const MEBIBYTE: u64 = 1 << 20;
    if bytes < MEBIBYTE {
        return format!("{bytes} bytes");
    }
    let tenths = bytes.saturating_mul(10) / MEBIBYTE;
    if tenths.is_multiple_of(10) {
        format!("{} MiB", tenths / 10)
    } else {
        format!("{}.{} MiB", tenths / 10, tenths % 10)
    }
}

/// `{type, loc, msg}`, as clients of FastAPI servers read validation errors.
fn existing_clients_shape(error: &FieldError) -> Value {
    let kind = match error.kind {
        FieldErrorKind::Missing => "missing",
        FieldErrorKind::Type => "type_error",
        FieldErrorKind::Value => "value_error",
        FieldErrorKind::Unavailable => "unavailable",
    };
    let place =
        error.field.split('.').map(|part| part.parse::<u64>().map_or_else(|_| json!(part), |n| json!(n)));
    let loc: Vec<Value> = [json!("body")].into_iter().chain(place.filter(|part| part != "body")).collect();
    json!({ "type": kind, "loc": loc, "msg": error.message })
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.status.as_u16(), self.0.kind)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response()
    }
}

impl From<Vec<FieldError>> for Problem {
    fn from(errors: Vec<FieldError>) -> Self {
        Self::fields(&errors)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::not_found("Resource"),
            error @ StoreError::Unavailable(_) => {
                tracing::warn!(%error, "the database cannot be reached");
                Self::unavailable("the database cannot be used right now; try again in a moment")
            }
            StoreError::NulCharacter { field } => Self::field(field, &error.to_string()),
            StoreError::Erasing => Self::erasing(),
            StoreError::Blocked => Self::blocked(),
            StoreError::ConversationBusy
            | StoreError::IdempotencyKeyUsed
            | StoreError::AlreadyExists
            | StoreError::WrongScope { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Sql(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a database operation failed");
                Self::internal()
            }
        }
    }
}

/// What a question that does not fit into a budget is refused with.
pub(super) fn over_budget_detail(over: &OverBudget) -> String {
    let mut detail = over.budget.refusal("this question", over.needed_usd);
    if !over.unknown_price_models.is_empty() {
        detail.push_str(&format!(" No price is known for {}.", over.unknown_price_models.join(", ")));
    }
    detail
}

/// 402: nothing was asked.
fn over_budget(over: &OverBudget) -> Problem {
    let OverBudget { budget, needed_usd, unknown_price_models } = over;
    let detail = over_budget_detail(over);
    let mut problem =
        Problem::new(StatusCode::PAYMENT_REQUIRED, "budget-reached", "A budget is reached", detail);
    let more = &mut problem.0.more;
    more.insert("budget".into(), json!(budget));
    more.insert("needed_usd".into(), json!(needed_usd));
    more.insert("unknown_price_models".into(), json!(unknown_price_models));
    problem
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Busy(run) => {
                let detail = "this conversation has a run under way; wait for it or stop it";
                let mut problem =
                    Self::new(StatusCode::CONFLICT, "run-under-way", "A run is under way", detail);
                problem.0.more.insert("run_id".into(), json!(run));
                problem
            }
            StartError::KeyOfAnother => {
                let detail = "stands for another request of yours already; send this one under a new key, and \
                              only the very same request again under the old one";
                let mut problem = Self::field("Idempotency-Key", detail);
                problem.0.kind = "key-of-another-request";
                problem.0.title = "This key stands for another request";
                problem
            }
            StartError::TooMany => {
                let detail =
                    "you have too many questions waiting; wait until some are answered, or stop them";
                let mut problem = Self::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too-many-runs",
                    "Too many questions are waiting",
                    detail,
                );
                problem.0.retry_after = Some(RETRY_AFTER_SECONDS);
                problem
            }
            StartError::Full => Self::full("too many questions wait already; try again in a moment"),
            StartError::OverBudget(over) => over_budget(&over),
            StartError::NotAgain(why) => {
                Self::new(StatusCode::CONFLICT, "not-again", "This cannot be asked again", why)
            }
            StartError::NoSuchMember(seats) => {
                Self::field("member", &format!("must be a seat of this run: {}", seats.join(", ")))
            }
            StartError::FileGone => {
                Self::in_the_way("a file of this question has been deleted meanwhile; upload it again")
            }
            StartError::NotAWriter => Self::not_a_writer(),
            StartError::NotDue => Self::not_found("Schedule"),
            StartError::OverScheduled(over) => Self::over_scheduled(over),
            StartError::Closing => Self::unavailable("this server is shutting down; try again in a moment"),
            StartError::Store(error) => Self::from(error).naming("Conversation"),
        }
    }
}
