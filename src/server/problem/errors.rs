//! What other layers report, as the client reads it.

use actix_web::http::StatusCode;
use serde_json::json;

use super::{Problem, RETRY_AFTER_SECONDS};
use crate::council::field::FieldError;
use crate::objects::{NotDone, ObjectError};
use crate::runs::{OverBudget, StartError};
use crate::store::StoreError;

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
                tracing::warn!(error = &error as &dyn std::error::Error, "the database cannot be used");
                Self::unavailable("the database cannot be used right now; try again in a moment")
            }
            StoreError::NulCharacter { field } => Self::field(field, &error.to_string()),
            StoreError::Erasing => Self::erasing(),
            StoreError::Blocked => Self::blocked(),
            StoreError::NotAWriter => Self::forbidden("you may not write in this project"),
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

impl From<ObjectError> for Problem {
    fn from(error: ObjectError) -> Self {
        match error {
            ObjectError::NotConfigured => {
                tracing::warn!(%error, "a file cannot be handed out");
                Self::files_off()
            }
            ObjectError::Away(_) | ObjectError::Refused(_) => {
                tracing::warn!(%error, "a file can be neither taken nor handed out");
                Self::files_away()
            }
            ObjectError::Missing | ObjectError::Changed => {
                tracing::error!(%error, "a file is lost");
                Self::file_lost()
            }
        }
    }
}

impl From<NotDone> for Problem {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::Store(error) => error.into(),
            NotDone::Object(error) => error.into(),
        }
    }
}

/// The sentence that refuses a question that does not fit into a budget.
pub(in crate::server) fn over_budget_detail(over: &OverBudget) -> String {
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
