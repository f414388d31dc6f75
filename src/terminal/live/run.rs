//! The events of every run: its beginning, its end, and what accompanies its stages.

use std::ops::ControlFlow;

use super::event::{Event, Fields};
use super::piece::{Budget, Costs, Ignored, Note, RunStatus, StageCosts};
use super::state::Run;

/// Folds an event. Breaks when the run is over: everything that is still open has to be closed then.
pub(super) fn apply(run: &mut Run, event: Event) -> ControlFlow<()> {
    let told = event.fields;
    match event.kind {
        "run_started" => {
            *run = Run {
                run_id: told.owned("run_id"),
                conversation_id: told.owned("conversation_id"),
                message_id: told.owned("message_id"),
                status: RunStatus::Running,
                ignored: told.each("ignored").map(ignored).collect(),
                ..Run::default()
            }
        }
        "run_queued" => queued(run, told),
        "process" => note(run, told),
        "budget_warning" => {
            let data = told.within("data");
            if data.is_there() {
                run.budgets.push(budget(data));
            }
        }
        "costs_complete" => {
            let data = told.within("data");
            if data.is_there() {
                run.costs = Some(costs(data));
            }
        }
        "title_complete" => {
            if let Some(title) = told.within("data").words("title") {
                run.title = Some(title.to_owned());
            }
        }
        "complete" => return end(run, RunStatus::Complete),
        "cancelled" => {
            run.error = told.words("message").map(str::to_owned);
            run.error_kind = told.owned("error_kind");
            return end(run, RunStatus::Cancelled);
        }
        "error" => {
            run.error = told.words("message").map(str::to_owned);
            run.error_kind = told.owned("error_kind");
            return end(run, RunStatus::Failed);
        }
        // `member_skipped`: the failure that follows shows the effect. `server_shutdown`: the run goes on elsewhere,
        // and readers reconnect.
        _ => {}
    }
    ControlFlow::Continue(())
}

/// Reads what a message stores of these.
pub(super) fn read(run: &mut Run, message: Fields) {
    let metadata = message.within("metadata");
    run.has_log = metadata.flag("process_log");
    run.budgets = metadata.each("budget_warnings").map(budget).collect();
}

/// The place in the queue, as it changes, until the run begins.
fn queued(run: &mut Run, told: Fields) {
    let Some(place @ 1..) = told.count("position") else { return };
    if run.phase == "waiting" {
        run.run_id = told.owned("run_id");
        run.status = RunStatus::Queued;
        run.queue_position = Some(place);
    }
}

fn note(run: &mut Run, told: Fields) {
    if let Some(message) = told.words("message") {
        run.has_log = true;
        run.notes.push(Note {
            message: message.to_owned(),
            category: told.string("category"),
            level: told.whole("level").unwrap_or_default(),
            timestamp: told.string("timestamp"),
        });
    }
}

fn ignored(told: Fields) -> Ignored {
    Ignored { field: told.string("field"), reason: told.string("reason") }
}

fn budget(told: Fields) -> Budget {
    Budget {
        scope: told.string("scope"),
        name: told.owned("name"),
        period: told.string("period"),
        limit_usd: told.number("limit_usd").unwrap_or_default(),
        spent_usd: told.number("spent_usd").unwrap_or_default(),
        reserved_usd: told.number("reserved_usd").unwrap_or_default(),
        resets_at: told.owned("resets_at"),
    }
}

fn costs(told: Fields) -> Costs {
    let stages = told.entries("by_stage").map(|(stage, costs)| {
        let costs = Fields::of(costs);
        StageCosts {
            stage: stage.to_owned(),
            cost: costs.number("cost"),
            tokens: costs.count("tokens").unwrap_or_default(),
            calls: costs.count("calls").unwrap_or_default(),
            latency_ms: costs.count("latency_ms").unwrap_or_default(),
        }
    });
    Costs {
        total: told.number("total_cost"),
        tokens: told.count("total_tokens").unwrap_or_default(),
        unknown_calls: told.count("unknown_cost_calls").unwrap_or_default(),
        stages: stages.collect(),
    }
}

fn end(run: &mut Run, status: RunStatus) -> ControlFlow<()> {
    run.status = status;
    "ended".clone_into(&mut run.phase);
    run.queue_position = None;
    ControlFlow::Break(())
}
