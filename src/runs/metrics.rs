//! The metrics of runs: how they ended, how long they took, how many wait and for how long.

use std::time::{Duration, SystemTime};

use crate::council::options::cache;
use crate::council::plan::FORMATS;
use crate::id::RunId;
use crate::store::RunStatus;

/// The format of a run whose plan nobody could read.
const UNKNOWN_FORMAT: &str = "unknown";
/// The states in which runs end.
const ENDS: [RunStatus; 3] = [RunStatus::Complete, RunStatus::Failed, RunStatus::Cancelled];

/// Begins every series at 0, so that the first event of each kind shows as an increase.
pub(super) fn begin() {
    metrics::describe_counter!("llm_council_runs_total", "Runs that have ended here, by how.");
    metrics::describe_histogram!(
        "llm_council_run_duration_seconds",
        "From the question to the end of its run, with the time in the queue and on other servers."
    );
    metrics::describe_gauge!("llm_council_runs_live", "Runs that are executed here.");
    metrics::describe_gauge!("llm_council_queue_length", "Runs of all servers that wait for a place.");
    metrics::describe_gauge!("llm_council_queue_oldest_seconds", "How long the oldest of them has waited.");
    metrics::describe_counter!(
        "llm_council_takeovers_total",
        "Runs taken over here from servers that died or handed them over."
    );
    metrics::describe_histogram!(
        "llm_council_log_commit_seconds",
        "How long records of runs take to become durable."
    );
    metrics::describe_counter!(
        "llm_council_log_retries_total",
        "Commits that were retried because the database was unavailable."
    );
    metrics::describe_counter!(
        "llm_council_journal_mismatches_total",
        "Calls of runs taken over whose request differs from the earlier execution's."
    );
    for status in ENDS {
        metrics::counter!("llm_council_runs_total", "status" => status.as_str()).increment(0);
    }
    for format in FORMATS {
        // The series of the other statuses begin with the first run that ends so.
        drop(duration(format, RunStatus::Complete));
    }
    metrics::gauge!("llm_council_runs_live").increment(0.0);
    metrics::gauge!("llm_council_queue_length").increment(0.0);
    metrics::gauge!("llm_council_queue_oldest_seconds").increment(0.0);
    metrics::counter!("llm_council_takeovers_total").increment(0);
    drop(metrics::histogram!("llm_council_log_commit_seconds"));
    metrics::counter!("llm_council_log_retries_total").increment(0);
    metrics::counter!("llm_council_journal_mismatches_total").increment(0);
    cache::metrics::begin();
}

fn duration(format: &'static str, status: RunStatus) -> metrics::Histogram {
    metrics::histogram!("llm_council_run_duration_seconds", "format" => format, "status" => status.as_str())
}

/// Counts a run that has ended. It has no format if its plan could not be read.
pub(super) fn ended(run: RunId, format: Option<&'static str>, status: RunStatus) {
    metrics::counter!("llm_council_runs_total", "status" => status.as_str()).increment(1);
    duration(format.unwrap_or(UNKNOWN_FORMAT), status).record(age(run, SystemTime::now()));
}

/// Counts runs that were taken over from another server.
pub(super) fn taken_over(runs: usize) {
    metrics::counter!("llm_council_takeovers_total").increment(u64::try_from(runs).unwrap_or(u64::MAX));
}

/// Sets the gauges of the queue, given the runs that wait in it.
pub(super) fn waiting(runs: impl Iterator<Item = RunId>) {
    let now = SystemTime::now();
    let (mut length, mut oldest) = (0_u32, Duration::ZERO);
    for run in runs {
        length = length.saturating_add(1);
        oldest = oldest.max(age(run, now));
    }
    metrics::gauge!("llm_council_queue_length").set(length);
    metrics::gauge!("llm_council_queue_oldest_seconds").set(oldest);
}

/// How long ago a run was asked for, by the timestamp in its id; zero where clocks disagree.
fn age(run: RunId, now: SystemTime) -> Duration {
    let asked = run.0.get_timestamp().map_or((0, 0), |time| time.to_unix());
    let asked = SystemTime::UNIX_EPOCH + Duration::new(asked.0, asked.1);
    now.duration_since(asked).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runs_id_says_how_long_ago_it_was_asked_for() {
        let run = RunId::generate();
        let now = SystemTime::now();
        assert!(age(run, now) < Duration::from_secs(60));
        let later = age(run, now + Duration::from_secs(3600));
        assert!((3600..3660).contains(&later.as_secs()), "{later:?}");
        assert_eq!(age(run, now - Duration::from_secs(3600)), Duration::ZERO, "a clock that is behind");
    }
}
