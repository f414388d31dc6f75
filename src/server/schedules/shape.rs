//! Schedules as clients read them.

use std::collections::BTreeMap;

use jiff::{Timestamp, Zoned};
use serde::Serialize;
use serde_json::Value;

use super::when::When;
use crate::id::{ConversationId, RunId, ScheduleId, ScheduleResultId};
use crate::server::problem::ProblemBody;
use crate::server::runs::MessageRequest;
use crate::server::shape::{Status, naive};
use crate::store::RunStatus;
use crate::store::schedules::{MAX_REFUSALS, Schedule, ScheduleResult};

/// How many of the next times are shown.
pub(super) const TIMES: usize = 3;

/// A question that is asked again and again.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScheduleView {
    pub id: ScheduleId,
    pub name: String,
    /// The question with its options.
    #[schema(value_type = MessageRequest)]
    pub request: Value,
    /// When, as it was written.
    #[schema(example = "0 8 * * 1-5")]
    pub cron: String,
    #[schema(example = "Europe/Berlin")]
    pub time_zone: String,
    /// The next three times, in the time zone; none while it is paused.
    #[schema(example = json!(["2026-11-30T08:00:00+01:00"]))]
    pub next_times: Vec<String>,
    /// What its runs may cost in a calendar month (UTC), in US dollars. Absent: what the budgets of its owner allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// What they have cost in this one; those under way as much as they were expected to.
    pub spent_usd: f64,
    pub paused: bool,
    /// Why it is paused, where that was not its owner's wish, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_reason: Option<String>,
    /// That reason as a code with its parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_fact: Option<PausedFact>,
    /// The outcome of the last time that it was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_result: Option<ScheduleResultView>,
    /// Naive UTC with microseconds.
    pub created_at: String,
    pub updated_at: String,
}

/// Why a schedule is paused, where that was not its owner's wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum PausedFact {
    /// Nothing could be asked so many times in a row.
    Refused { times: i32 },
    /// There is no next time at which it could be asked.
    NoNextTime,
}

/// The caller's schedules.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScheduleList {
    /// The oldest first.
    pub schedules: Vec<ScheduleView>,
    /// Over all pages.
    pub total: u64,
    /// How many one may have; 0 where the administrator wants none.
    pub most: u32,
    /// The shortest pause between two times, in minutes.
    pub min_interval_minutes: u32,
}

/// The outcome of one time that a schedule was due.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ScheduleResultView {
    pub id: ScheduleResultId,
    /// Naive UTC with microseconds: when it was asked, or refused.
    pub created_at: String,
    /// When it was due. Absent where its owner asked at another time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// The run; absent where nothing was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<ScheduledRun>,
    /// Why nothing was asked, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// That refusal as the problem that a request would have been answered with. Earlier versions have not recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ProblemBody>)]
    pub problem: Option<Value>,
}

/// A run that a schedule has asked for.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ScheduledRun {
    pub run_id: RunId,
    pub status: RunStatus,
    /// Absent where the conversation was deleted since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// US dollars so far, of the calls whose cost is known; null where none is.
    pub cost_usd: Option<f64>,
    /// Calls that reached a model and whose cost is not known: not in the sum.
    pub unknown_cost_calls: i64,
}

/// A page of a schedule's results.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScheduleResultList {
    /// The newest first. They are kept for 90 days.
    pub results: Vec<ScheduleResultView>,
}

/// A schedule that was removed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RemovedSchedule {
    pub status: Status,
    pub id: ScheduleId,
}

/// What a schedule was asked for now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AskedNow {
    pub run_id: RunId,
    pub conversation_id: ConversationId,
}

/// When something would be asked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ScheduleTimes {
    /// The next three times, in the time zone.
    pub next_times: Vec<String>,
}

/// What stands around the schedules of one user.
pub(super) struct Around {
    pub now: Timestamp,
    pub spent: BTreeMap<ScheduleId, f64>,
    pub last: BTreeMap<ScheduleId, ScheduleResult>,
}

pub(super) fn view(row: Schedule, around: &mut Around) -> ScheduleView {
    let settings = row.settings;
    let when = When::parse(&settings.cron, &settings.time_zone).ok();
    let times = row.next_at.zip(when).map(|(next_at, when)| {
        let after = when.next(next_at.max(around.now), TIMES - 1);
        std::iter::once(when.shown(next_at)).chain(after).collect::<Vec<_>>()
    });
    ScheduleView {
        id: row.id,
        name: settings.name,
        request: settings.request,
        cron: settings.cron,
        time_zone: settings.time_zone,
        next_times: shown(&times.unwrap_or_default()),
        budget_usd: settings.budget_usd,
        spent_usd: around.spent.get(&row.id).copied().unwrap_or_default(),
        paused: row.next_at.is_none(),
        paused_fact: row.paused_reason.as_ref().map(|_| {
            let times = row.refusals;
            if times >= MAX_REFUSALS { PausedFact::Refused { times } } else { PausedFact::NoNextTime }
        }),
        paused_reason: row.paused_reason,
        last_result: around.last.remove(&row.id).map(result),
        created_at: naive(row.created_at),
        updated_at: naive(row.updated_at),
    }
}

pub(super) fn shown(times: &[Zoned]) -> Vec<String> {
    times.iter().map(|time| time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()).collect()
}

pub(super) fn result(row: ScheduleResult) -> ScheduleResultView {
    ScheduleResultView {
        id: row.id,
        created_at: naive(row.created_at),
        due_at: row.due_at.map(naive),
        run: row.asked.map(|asked| ScheduledRun {
            run_id: asked.run,
            status: asked.status,
            conversation_id: asked.conversation,
            cost_usd: asked.cost_usd,
            unknown_cost_calls: asked.unknown_cost_calls,
        }),
        refusal: row.refusal,
        problem: row.problem,
    }
}
