//! What a schedule is to be, as a request says it: everything that is wrong with it at once, the question included.

use serde_json::{Value, json};

use super::when::When;
use crate::council::field::{FieldError, FieldErrorKind, Fields, name_problem};
use crate::server::app::App;
use crate::server::asking;
use crate::server::extract::Caller;
use crate::server::problem::Problem;
use crate::server::runs::MessageRequest;
use crate::store::schedules::{Schedule, ScheduleSettings};

const MAX_NAME_CHARS: usize = 100;
/// US dollars.
const MAX_BUDGET_USD: f64 = 10_000_000.0;
/// Fields of a question that concern an existing conversation, and why a schedule has none of them.
const NOT_SCHEDULED: [(&str, &str); 5] = [
    ("new_conversation", "is not for scheduled questions: each begins a conversation"),
    ("parent_message_id", "is not for scheduled questions: each begins a conversation"),
    ("attachments", "is not for scheduled questions yet: they come without files"),
    ("use_cache", "is not for scheduled questions: they are asked anew each time"),
    ("cache_mode", "is not for scheduled questions: they are asked anew each time"),
];

/// A schedule to be made or changed. When it is changed, what is left out stays as it is.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
pub(super) struct ScheduleRequest {
    /// 1 to 100 characters. Each conversation gets this name and the day.
    name: Option<String>,
    /// The question with its options, as `POST /api/conversations/{id}/message` takes it: without files, and as the first of a
    /// conversation.
    #[schema(value_type = Option<MessageRequest>)]
    request: Option<Value>,
    /// A cron expression of five fields (minute, hour, day of the month, month, day of the week), or `@hourly`, `@daily`,
    /// `@weekly`, `@monthly`, `@yearly`.
    #[schema(example = "0 8 * * 1-5")]
    cron: Option<String>,
    /// A time zone of the IANA database.
    #[schema(default = "UTC", example = "Europe/Berlin")]
    time_zone: Option<String>,
    /// What its runs may cost in a calendar month (UTC), in US dollars; `null`: what the budgets of its owner allow.
    #[schema(nullable)]
    budget_usd: Option<f64>,
    #[schema(default = false)]
    paused: Option<bool>,
}

/// What is to be stored.
pub(super) struct ScheduleInput {
    pub settings: ScheduleSettings,
    pub when: When,
    pub paused: bool,
    /// Whether it is due at other times than before.
    pub has_new_times: bool,
}

impl ScheduleInput {
    /// Reads a request over what the schedule was before, if any.
    pub async fn read(
        app: &App,
        caller: &Caller,
        body: &Value,
        before: Option<&Schedule>,
    ) -> Result<Self, Problem> {
        let mut fields = Fields::of(body)?;
        let was = before.map(|before| &before.settings);
        let name = name(&mut fields).or_else(|| Some(was?.name.clone()));
        let (given, zone) = (fields.take("cron", "a string"), fields.take("time_zone", "a string"));
        let has_new_times = given.is_some() || zone.is_some();
        let cron: Option<String> = given.or_else(|| Some(was?.cron.clone()));
        let time_zone: String =
            zone.or_else(|| Some(was?.time_zone.clone())).unwrap_or_else(|| "UTC".to_owned());
        let request: Option<Value> = fields.take("request", "a question with its options");
        let budget_usd = match body.get("budget_usd") {
            None => was.and_then(|was| was.budget_usd),
            Some(_) => budget(&mut fields),
        };
        let paused = fields.take("paused", "true or false");
        let paused = paused.unwrap_or(before.is_some_and(|before| before.next_at.is_none()));
        for (field, is_there) in [("name", name.is_some()), ("cron", cron.is_some())] {
            if !is_there && !fields.has(field) {
                fields.refuse(field, FieldErrorKind::Missing, "is required");
            }
        }
        let when = cron.as_deref().map(|cron| When::parse(cron, &time_zone));
        let when = match when {
            None => None,
            Some(Err(errors)) => {
                fields.refuse_all(errors);
                None
            }
            Some(Ok(when)) => {
                let least = app.config.schedules.min_interval_minutes;
                if has_new_times && when.is_more_often_than(least) {
                    let message =
                        format!("is too often: at least {least} minutes must lie between two times");
                    fields.refuse("cron", FieldErrorKind::Value, message);
                }
                Some(when)
            }
        };
        match (&request, was) {
            (Some(request), _) => fields.refuse_all(wrong_in_question(app, caller, request).await?),
            (None, None) if !fields.has("request") => {
                fields.refuse(
                    "request",
                    FieldErrorKind::Missing,
                    "is required: the question with its options",
                );
            }
            (None, _) => {}
        }
        let request = request.or_else(|| Some(was?.request.clone()));
        let whole = name.zip(cron).zip(request).zip(when);
        let ((((name, cron), request), when), budget_usd) = match fields.finish(|| whole) {
            Ok(Some(whole)) => (whole, budget_usd),
            Ok(None) => return Err(Problem::internal()),
            Err(errors) => return Err(errors.into()),
        };
        let settings = ScheduleSettings { name, request, cron, time_zone, budget_usd };
        Ok(Self { settings, when, paused, has_new_times })
    }
}

/// The name, where a valid one is given.
fn name(fields: &mut Fields<'_>) -> Option<String> {
    let name: String = fields.take("name", "a string")?;
    let name = name.trim().to_owned();
    if let Some(problem) = name_problem(&name, MAX_NAME_CHARS) {
        fields.refuse("name", FieldErrorKind::Value, problem);
    }
    Some(name)
}

fn budget(fields: &mut Fields<'_>) -> Option<f64> {
    let usd: f64 = fields.take("budget_usd", "a number of US dollars, or null")?;
    if !(0.0..=MAX_BUDGET_USD).contains(&usd) {
        let message = format!("must be from 0 to {MAX_BUDGET_USD} US dollars");
        fields.refuse("budget_usd", FieldErrorKind::Value, message);
    }
    Some(usd)
}

/// What is wrong with the question: everything that would be wrong if it were asked now, and fields that a schedule
/// cannot have.
///
/// # Errors
/// Errors that do not concern its fields, such as an unavailable database.
async fn wrong_in_question(app: &App, caller: &Caller, request: &Value) -> Result<Vec<FieldError>, Problem> {
    let mut wrong: Vec<FieldError> = Vec::new();
    for (field, why) in NOT_SCHEDULED {
        let given = request.get(field).unwrap_or(&Value::Null);
        if !(given.is_null() || given == &json!(false) || given == &json!([])) {
            wrong.push(FieldError::value(field, why));
        }
    }
    if let Err(problem) = asking::plan(app, caller, None, &asked(request), None).await {
        wrong.extend(problem.into_fields()?);
    }
    Ok(wrong
        .into_iter()
        .map(|error| {
            if error.field == "body" {
                FieldError { field: "request".into(), ..error }
            } else {
                error.under("request")
            }
        })
        .collect())
}

/// The body that is sent: always without the cache, and in a conversation of its own.
pub(super) fn asked(request: &Value) -> Value {
    let mut body = request.clone();
    if let Some(fields) = body.as_object_mut() {
        for (field, _) in NOT_SCHEDULED {
            fields.shift_remove(field);
        }
        fields.insert("new_conversation".into(), json!(true));
        fields.insert("use_cache".into(), json!(false));
    }
    body
}
