//! The process's metrics: one recorder, however many servers the process runs.

use std::panic;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::TelemetryError;

/// Buckets from a health check to a whole run with a slow chairman.
const SECONDS_BUCKETS: [f64; 13] =
    [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// Histograms of what takes seconds to minutes: calls and runs.
const LONG_BUCKETS: [f64; 13] =
    [0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0];
const LONG: [&str; 3] = [
    "llm_council_call_duration_seconds",
    "llm_council_time_to_first_token_seconds",
    "llm_council_run_duration_seconds",
];

/// How often samples that nobody scraped are folded into their histograms.
const UPKEEP: Duration = Duration::from_secs(5);

static HANDLE: OnceLock<Result<PrometheusHandle, Refusal>> = OnceLock::new();

/// The error of the first attempt, kept for later ones.
#[derive(Clone)]
enum Refusal {
    Buckets(Arc<metrics_exporter_prometheus::BuildError>),
    Taken(Arc<metrics::SetRecorderError<metrics_exporter_prometheus::PrometheusRecorder>>),
}

/// The handle on the process's recorder, which the first call installs.
pub(super) fn handle() -> Result<PrometheusHandle, TelemetryError> {
    HANDLE.get_or_init(install).clone().map_err(|refusal| match refusal {
        Refusal::Buckets(error) => error.into(),
        Refusal::Taken(error) => error.into(),
    })
}

fn install() -> Result<PrometheusHandle, Refusal> {
    let short = [(Matcher::Suffix("_seconds".to_owned()), &SECONDS_BUCKETS)];
    let long = LONG.map(|name| (Matcher::Full(name.to_owned()), &LONG_BUCKETS));
    let mut builder = PrometheusBuilder::new();
    for (which, buckets) in short.into_iter().chain(long) {
        builder = builder
            .set_buckets_for_metric(which, buckets)
            .map_err(|error| Refusal::Buckets(Arc::new(error)))?;
    }
    let recorder = builder.build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(|error| Refusal::Taken(Arc::new(error)))?;

    // Samples wait in memory until a scrape or this: without it they would pile up where nobody
    // scrapes. A thread, for the recorder outlives every runtime; it ends with the process.
    let upkeep = handle.clone();
    let thread = std::thread::Builder::new().name("metrics-upkeep".to_owned());
    let started = thread.spawn(move || {
        loop {
            std::thread::sleep(UPKEEP);
            upkeep.run_upkeep();
        }
    });
    if let Err(error) = started {
        tracing::error!(%error, "the thread that folds metric samples could not start: memory will grow until they are scraped");
    }
    Ok(handle)
}

/// Counts panics from now on, of whatever thread. A request that one ends is in no other metric: its answer is written
/// outside of what measures requests.
pub(super) fn count_panics() {
    metrics::describe_counter!(
        "llm_council_panics_total",
        "Faults of the program, each of which ended a request, a run or work in the background."
    );
    metrics::counter!("llm_council_panics_total").increment(0);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |fault| {
        metrics::counter!("llm_council_panics_total").increment(1);
        before(fault);
    }));
}

/// All metrics as text. A counter of this process holds whole numbers only: what grows by fractions (dollars, seconds)
/// is kept as a gauge, under a name that ends as counters' names do, and is exported as a counter.
pub(super) fn render(handle: &PrometheusHandle) -> String {
    handle.render().replace("_total gauge\n", "_total counter\n")
}
