//! Metrics of the server itself, and gauges that are only measured when metrics are read.

use super::app::App;
use crate::identity::proxy::Refusal;
use crate::version;

/// Why a request is refused before it is read, apart from problems with its identity.
const REFUSALS: [&str; 5] = ["another_user", "token", "malformed_origin", "cross_origin", "host"];
/// Why a connection is closed.
const CUTS: [&str; 3] = ["idle", "stalled", "vanished"];

/// What becomes of a scheduled question that is due.
const FIRINGS: [&str; 3] = ["asked", "refused", "postponed"];

/// Begins every series at 0, so that the first event of each kind shows as an increase.
pub(super) fn begin() {
    metrics::describe_counter!("llm_council_refused_total", "Requests refused because of their identity.");
    metrics::describe_counter!(
        "llm_council_connections_cut_total",
        "Connections closed because their client had stalled."
    );
    metrics::describe_histogram!(
        "http_request_duration_seconds",
        "Requests until they are answered; a stream is answered when it begins."
    );
    metrics::describe_gauge!("llm_council_build_info", "Always 1; its labels say what was built.");
    metrics::describe_gauge!(
        "llm_council_draining",
        "1 while the server takes no new runs, as it shuts down."
    );
    metrics::describe_gauge!(
        "llm_council_db_connections",
        "Connections to the database: in use (one listens), idle; and transactions that wait for one."
    );
    metrics::describe_gauge!("llm_council_db_connections_max", "How many connections there may be.");
    for reason in REFUSALS.into_iter().chain(Refusal::REASONS) {
        metrics::counter!("llm_council_refused_total", "reason" => reason).increment(0);
    }
    for reason in CUTS {
        metrics::counter!("llm_council_connections_cut_total", "reason" => reason).increment(0);
    }
    metrics::describe_counter!(
        "llm_council_scheduled_questions_total",
        "Scheduled questions that came due, by what became of them. What is postponed is due as before."
    );
    for outcome in FIRINGS {
        metrics::counter!("llm_council_scheduled_questions_total", "outcome" => outcome).increment(0);
    }
    metrics::gauge!("llm_council_build_info", "version" => version::VERSION, "commit" => version::commit())
        .set(1);
}

/// All metrics as text, including the gauges that are measured now. Does not ask the database.
pub(super) fn rendered(app: &App) -> String {
    metrics::gauge!("llm_council_draining").set(u8::from(app.runs.is_closed()));
    let pool = app.db.pool_state();
    for (state, count) in [("in_use", pool.in_use), ("idle", pool.idle), ("waiting", pool.waiting)] {
        metrics::gauge!("llm_council_db_connections", "state" => state).set(count);
    }
    metrics::gauge!("llm_council_db_connections_max").set(pool.most);
    app.telemetry.render_metrics()
}
