//! The events of every run: its beginning, its end, and what accompanies its stages.

use std::ops::ControlFlow;

use super::event::{Event, Fields};
use super::piece::{Budget, Costs, Ignored, Note, RunStatus, StageCosts};
use super::state::Run;

/// Folds an event. Breaks when the run is over: everything that is still open has to be closed then.
pub(super) fn apply(run: &mut Run, event: Event) -> ControlFlow<()> {
    let fields = event.fields;
    match event.kind {
        "run_started" => {
            *run = Run {
                run_id: fields.owned("run_id"),
                conversation_id: fields.owned("conversation_id"),
                message_id: fields.owned("message_id"),
                status: RunStatus::Running,
                ignored: fields.each("ignored").map(ignored).collect(),
                ..Run::default()
            }
        }
        "run_queued" => queued(run, fields),
        "process" => note(run, fields),
        "budget_warning" => {
            let data = fields.within("data");
            if data.is_there() {
                run.budgets.push(budget(data));
            }
        }
        "costs_complete" => {
            let data = fields.within("data");
            if data.is_there() {
                run.costs = Some(costs(data));
            }
        }
        "title_complete" => {
            if let Some(title) = fields.within("data").words("title") {
                run.title = Some(title.to_owned());
            }
        }
        "complete" => return end(run, RunStatus::Complete),
        "cancelled" => {
            run.error = fields.words("message").map(str::to_owned);
            run.error_kind = fields.owned("error_kind");
            return end(run, RunStatus::Cancelled);
        }
        "error" => {
            run.error = fields.words("message").map(str::to_owned);
            run.error_kind = fields.owned("error_kind");
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
fn queued(run: &mut Run, fields: Fields) {
    let Some(place @ 1..) = fields.count("position") else { return };
    if run.phase == "waiting" {
        run.run_id = fields.owned("run_id");
        run.status = RunStatus::Queued;
        run.queue_position = Some(place);
    }
}

fn note(run: &mut Run, fields: Fields) {
    if let Some(message) = fields.words("message") {
        run.has_log = true;
        run.notes.push(Note {
            message: message.to_owned(),
            category: fields.string("category"),
            level: fields.whole("level").unwrap_or_default(),
            timestamp: fields.string("timestamp"),
        });
    }
}

fn ignored(fields: Fields) -> Ignored {
    Ignored { field: fields.string("field"), reason: fields.string("reason") }
}

fn budget(fields: Fields) -> Budget {
    Budget {
        scope: fields.string("scope"),
        name: fields.owned("name"),
        period: fields.string("period"),
        limit_usd: fields.number("limit_usd").unwrap_or_default(),
        spent_usd: fields.number("spent_usd").unwrap_or_default(),
        reserved_usd: fields.number("reserved_usd").unwrap_or_default(),
        resets_at: fields.owned("resets_at"),
    }
}

fn costs(fields: Fields) -> Costs {
    let stages = fields.entries("by_stage").map(|(stage, costs)| {
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
        total: fields.number("total_cost"),
        tokens: fields.count("total_tokens").unwrap_or_default(),
        unknown_calls: fields.count("unknown_cost_calls").unwrap_or_default(),
        stages: stages.collect(),
    }
}

fn end(run: &mut Run, status: RunStatus) -> ControlFlow<()> {
    run.status = status;
    "ended".clone_into(&mut run.phase);
    run.queue_position = None;
    ControlFlow::Break(())
}
