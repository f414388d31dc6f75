//! `wait_run`, `get_run`, `cancel_run`.

use serde_json::{Value, json};

use super::offer::{Effect, Offer, schema};
use super::{ask, run_view};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::RunId;
use crate::identity::Permission;
use crate::server::mcp::asker::Asker;
use crate::server::mcp::progress::Listener;
use crate::server::mcp::tool_answer::ToolAnswer;
use crate::server::mcp::waiting;
use crate::server::problem::Problem;

pub(super) const WAIT: &str = "wait_run";
pub(super) const GET: &str = "get_run";
pub(super) const CANCEL: &str = "cancel_run";

pub(super) fn offer_wait() -> Offer {
    Offer {
        name: WAIT,
        title: "Wait for the council",
        description: "Waits up to 45 seconds for a run that ask_council began, and gives its answer, or its state where it is not \
                      over by then: call it again until it is. Costs nothing.",
        effect: Effect::Reads,
        input: schema(json!({"run_id": run_id(), "wait_seconds": ask::wait_seconds()}), &["run_id"]),
        output: run_view::output(),
    }
}

pub(super) fn offer_get() -> Offer {
    Offer {
        name: GET,
        title: "Look at a run",
        description: "What there is of a run now, without waiting: its state, and its answer once it is over.",
        effect: Effect::Reads,
        input: schema(json!({"run_id": run_id()}), &["run_id"]),
        output: run_view::output(),
    }
}

pub(super) fn offer_cancel() -> Offer {
    Offer {
        name: CANCEL,
        title: "Stop a run",
        description: "Stops a run. What it has asked so far is paid and stays readable; the answer is not written.",
        effect: Effect::Stops,
        input: schema(json!({"run_id": run_id()}), &["run_id"]),
        output: schema(
            json!({
                "run_id": {"type": "string"},
                "cancelled": {"type": "boolean", "description": "Whether there was anything to stop."},
                "durable": {"type": "boolean", "description": "Whether that holds whatever happens to the server."}
            }),
            &["run_id", "cancelled", "durable"],
        ),
    }
}

fn run_id() -> Value {
    json!({"type": "string", "description": "The run_id that ask_council gave."})
}

pub(super) async fn wait(
    asker: &Asker,
    arguments: &Value,
    listener: &Listener,
) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Read)?;
    let mut fields = Fields::of(arguments)?;
    let at_most = ask::patience(&mut fields);
    let run = read(fields)?;
    Ok(run_view::render(waiting::wait(asker, run, at_most, listener).await?))
}

pub(super) async fn get(asker: &Asker, arguments: &Value) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Read)?;
    let run = read(Fields::of(arguments)?)?;
    Ok(run_view::render(waiting::find(asker, run).await?))
}

pub(super) async fn cancel(asker: &Asker, arguments: &Value) -> Result<ToolAnswer, Problem> {
    asker.caller.may(Permission::Ask)?;
    let run = read(Fields::of(arguments)?)?;
    let stopped = asker.app.runs.cancel(&asker.caller.user, run).await;
    let stopped = stopped.map_err(|error| Problem::from(error).naming("Run"))?;
    let text = match (stopped.cancelled, stopped.durable) {
        (false, _) => "There was nothing to stop: the run was over already. get_run has what there is of it.",
        (true, true) => "The run is stopped.",
        (true, false) => {
            "The run is stopped at this server; that is recorded as soon as the database answers."
        }
    };
    let structured = json!({"run_id": run, "cancelled": stopped.cancelled, "durable": stopped.durable});
    Ok(ToolAnswer { text: text.to_owned(), structured })
}

fn read(mut fields: Fields<'_>) -> Result<RunId, Problem> {
    let given: Option<String> = fields.take("run_id", "the id of a run");
    if !fields.has("run_id") {
        fields.refuse("run_id", FieldErrorKind::Missing, "is required: the one that ask_council gave");
    }
    let given = fields.finish(|| given)?;
    given.and_then(|given| given.parse().ok()).ok_or_else(|| Problem::not_found("Run"))
}
