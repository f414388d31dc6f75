//! Servers killed in the middle of many runs: how long it takes until all of those go on.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::time::sleep;

use super::cli::{Cli, ModelFlags, RestartFlags};
use super::client::{Events, conversation};
use super::http::Connection;
use super::report::{Report, Target};
use super::streams::{CALLS, enough_files};
use super::test_bed::TestBed;

/// Answers that a run waits for when it is killed.
const ANSWERS: usize = 4;
/// Longer than it all takes: no answer comes before the servers are killed.
const CALL: Duration = Duration::from_mins(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_mins(2);
/// How soon a server is to be ready, looked at every 20 ms.
const READY_MS: f64 = 300.0;
/// How soon all of them are to go on.
const SOON_S: f64 = 10.0;

/// Runs the scenario.
pub async fn measure(cli: &Cli, server: &Path, flags: RestartFlags) -> anyhow::Result<Report> {
    enough_files(flags.runs * CALLS)?;
    let models = ModelFlags::new(u64::try_from(CALL.as_millis())?, 1);
    let mut bed = TestBed::prepare(cli, server, models).await?;
    for number in 0..flags.runs {
        let mut connection = Connection::open(bed.address(number), &format!("user{number}"), None).await?;
        let conversation = conversation(&mut connection).await?;
        // The client disconnects; the run goes on.
        Events::ask(&mut connection, &conversation).await?.run().await?;
    }
    let wanted = u64::try_from(flags.runs * ANSWERS)?;
    // Titles are finished after half a second.
    sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    until(&bed, began, |in_flight, _| in_flight >= wanted).await?;

    bed.kill_servers();
    let killed = Instant::now();
    bed.reset_counts().await?;
    let mut ready = Duration::ZERO;
    for _ in 0..cli.servers.max(1) {
        let starting = Instant::now();
        bed.start_server()?;
        ready = ready.max(starting.elapsed());
    }
    let half = until(&bed, killed, |_, calls| calls * 2 >= wanted).await?;
    let all = until(&bed, killed, |_, calls| calls >= wanted).await?;
    // No model is asked twice, even when leases of the killed servers run out.
    sleep(Duration::from_secs(15)).await;
    let counts = bed.counts().await?;

    let mut report = Report::new(format!(
        "{} runs whose servers ({}) are killed and started anew",
        flags.runs, cli.servers
    ));
    report.row(
        "a server is ready, from its start",
        ready.as_secs_f64() * 1_000.0,
        "ms",
        Target::AtMost(READY_MS),
    );
    report.row("half of the calls are asked again, from the kill", half.as_secs_f64(), "s", Target::None);
    report.row("all are", all.as_secs_f64(), "s", Target::AtMost(SOON_S));
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    report.row("calls too many", counts.calls as f64 - wanted as f64, "", Target::Zero);
    bed.clear().await?;
    Ok(report)
}

/// Waits until what the models have counted (calls under way, calls that began) meets the condition; returns how long
/// after `since` that was.
async fn until(bed: &TestBed, since: Instant, is_so: impl Fn(u64, u64) -> bool) -> anyhow::Result<Duration> {
    tokio::time::timeout(PATIENCE, async {
        loop {
            let counts = bed.counts().await?;
            if is_so(counts.in_flight, counts.calls) {
                return Ok(since.elapsed());
            }
            sleep(LOOK_EVERY).await;
        }
    })
    .await
    .context("the models were not asked as often as they should be")?
}
