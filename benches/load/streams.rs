//! Streams rather than runs: many that are live, many that are silent, some that are slow.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::cli::{Cli, IdleFlags, LiveFlags, ModelFlags, SlowFlags};
use super::client::{Events, Seen, conversation};
use super::endings::{Ending, Endings};
use super::http::Connection;
use super::measure::{memory_mib, open_files_limit};
use super::report::{Report, Target};
use super::runs::{Bounds, outcomes, report_models, times};
use super::test_bed::TestBed;
use super::window::Window;

/// Calls of one run at a time: four answers and a title.
pub const CALLS: usize = 5;
/// Kernel buffer of a slow reader, so that it is the server that has to wait.
const SLOW_BUFFER: u32 = 4_096;

/// Long runs that stream at the same time.
pub async fn live(cli: &Cli, server: &Path, flags: LiveFlags) -> anyhow::Result<Report> {
    enough_files(flags.runs * (CALLS + 1))?;
    let seconds = u32::try_from(flags.seconds)?;
    let models = ModelFlags::new(flags.seconds * 1_000, flags.pace * seconds);
    let mut bed = TestBed::prepare(cli, server, models).await?;
    let mut users = Vec::new();
    for number in 0..flags.runs {
        let user = format!("user{number}");
        let mut connection = Connection::open(bed.address(number), &user, None).await?;
        users.push((conversation(&mut connection).await?, user));
    }
    let window = Window::open(&mut bed, cli.perf.as_deref()).await?;
    let mut tasks = JoinSet::new();
    let count = u32::try_from(flags.runs)?;
    for (number, (conversation, user)) in (0..count).zip(users) {
        let server = bed.address(usize::try_from(number)?);
        let wait = Duration::from_secs(flags.ramp) * number / count;
        tasks.spawn_local(async move {
            sleep(wait).await;
            let mut connection = Connection::open(server, &user, None).await?;
            anyhow::Ok(Events::ask(&mut connection, &conversation).await?.read_all().await)
        });
    }
    let mut seen: Vec<Seen> = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        seen.push(ended.context("a user panicked")??);
    }
    let usage = window.close(&mut bed).await?;
    let counts = bed.counts().await?;

    let mut report = Report::new(format!(
        "{} live runs, {} tokens per second and call, calls of {} s",
        flags.runs, flags.pace, flags.seconds
    ));
    outcomes(&mut report, &seen, Some(counts.shown_tokens));
    let ideal = Duration::from_secs(3 * flags.seconds);
    times(&mut report, &seen, Some(ideal), &Bounds::of_live(&flags));
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    let per_token = usage.server * 1e6 / counts.tokens as f64;
    report.row("server processor per token from upstream", per_token, "µs", Target::None);
    report_models(&mut report, counts, Target::None);
    usage.report(&mut report, &bed, Target::AtMost(300.0))?;
    bed.clear().await?;
    Ok(report)
}

/// Streams on which nothing happens but heartbeats.
pub async fn idle(cli: &Cli, server: &Path, flags: IdleFlags) -> anyhow::Result<Report> {
    enough_files(flags.streams + flags.runs * CALLS)?;
    let mut bed = TestBed::prepare(cli, server, ModelFlags::new(3_000_000, 0)).await?;
    let empty = memory_mib(bed.pids()[0], "VmRSS")?;
    let open = Rc::new(Cell::new(0usize));
    let mut endings = Endings::begin();
    let mut tasks = JoinSet::new();
    let mut runs = Vec::new();
    for number in 0..flags.runs {
        let user = format!("user{number}");
        let mut connection = Connection::open(bed.address(number), &user, None).await?;
        let conversation = conversation(&mut connection).await?;
        let (tell, told) = tokio::sync::oneshot::channel();
        let open = open.clone();
        tasks.spawn_local(async move {
            let mut events = Events::ask(&mut connection, &conversation).await?;
            let run = events.run().await?;
            open.set(open.get() + 1);
            drop(tell.send(run));
            anyhow::Ok(read_on(events, number, 1_024).await)
        });
        let Ok(run) = told.await else {
            endings.take(&mut tasks).context("a run did not start")?;
            anyhow::bail!("a run did not start, and some streams have ended: {endings}");
        };
        runs.push((user, run));
    }
    let with_runs = memory_mib(bed.pids()[0], "VmRSS")?;
    for number in flags.runs..flags.streams {
        let of = number % runs.len();
        let (user, run) = runs[of].clone();
        let mut connection = Connection::open(bed.address(number), &user, None).await?;
        let open = open.clone();
        tasks.spawn_local(async move {
            let mut events = Events::watch(&mut connection, &run).await?;
            events.run().await?;
            open.set(open.get() + 1);
            anyhow::Ok(read_on(events, of, 1_024).await)
        });
    }
    while open.get() < flags.streams {
        let opened = || format!("only {} streams could be opened", open.get());
        endings.take(&mut tasks).with_context(opened)?;
        anyhow::ensure!(endings.is_empty(), "{}; some have ended meanwhile: {endings}", opened());
        sleep(Duration::from_millis(50)).await;
    }
    let window = Window::open(&mut bed, cli.perf.as_deref()).await?;
    sleep(Duration::from_secs(flags.seconds)).await;
    let usage = window.close(&mut bed).await?;
    endings.take(&mut tasks)?;
    let (cuts, counts) = (bed.cuts().await?, bed.counts().await?);

    let mut report =
        Report::new(format!("{} idle live streams on {} runs with silent models", flags.streams, flags.runs));
    endings.report(&mut report);
    for (reason, count) in cuts {
        report.row(&format!("connections that the server cut: {reason}"), count, "", Target::None);
    }
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    report.row("calls that the server broke off", counts.broken as f64, "", Target::None);
    report.row("server memory before", empty, "MiB", Target::None);
    report.row("server memory with the runs", with_runs, "MiB", Target::None);
    usage.report(&mut report, &bed, Target::AtMost(200.0))?;
    drop(tasks);
    bed.clear().await?;
    Ok(report)
}

/// Reads a stream that is open, at most so many bytes at a time, until it ends.
async fn read_on(mut events: Events<'_>, run: usize, most: usize) -> Ending {
    let opened = Instant::now();
    loop {
        if let Some(how) = events.ending(most).await {
            return Ending::new(run, opened, how);
        }
    }
}

/// Slow readers of one run that says a lot.
pub async fn slow_reader(cli: &Cli, server: &Path, flags: SlowFlags) -> anyhow::Result<Report> {
    let whole = Duration::from_secs(flags.minutes * 60);
    let call = whole + Duration::from_secs(60);
    let tokens = flags.pace * u32::try_from(call.as_secs())?;
    let models = ModelFlags::new(u64::try_from(call.as_millis())?, tokens);
    let mut bed = TestBed::prepare(cli, server, models).await?;
    let mut endings = Endings::begin();
    let mut tasks = JoinSet::new();
    let mut connection = Connection::open(bed.address(0), "user0", None).await?;
    let conversation = conversation(&mut connection).await?;
    let (tell, told) = tokio::sync::oneshot::channel();
    tasks.spawn_local(async move {
        let mut events = Events::ask(&mut connection, &conversation).await?;
        drop(tell.send(events.run().await?));
        anyhow::Ok(read_on(events, 0, 64 * 1_024).await)
    });
    let run = told.await.context("the run did not start")?;
    // The run itself, with its fast reader, is in memory before anything is compared.
    sleep(Duration::from_secs(10)).await;
    let window = Window::open(&mut bed, cli.perf.as_deref()).await?;
    let lost = Rc::new(Cell::new(0));
    let read = Rc::new(Cell::new(0));
    for _ in 0..flags.readers {
        let mut connection = Connection::open(bed.address(0), "user0", Some(SLOW_BUFFER)).await?;
        let (run, lost, read) = (run.clone(), lost.clone(), read.clone());
        tasks.spawn_local(async move {
            let mut events = Events::watch(&mut connection, &run).await?;
            let opened = Instant::now();
            loop {
                let next = Instant::now() + Duration::from_secs(1);
                let before = (events.seen().events, events.seen().lost);
                if let Some(how) = events.ending(flags.bytes).await {
                    return Ok(Ending::new(0, opened, how));
                }
                read.set(read.get() + events.seen().events - before.0);
                lost.set(lost.get() + events.seen().lost - before.1);
                tokio::time::sleep_until(next).await;
            }
        });
    }
    sleep(whole).await;
    let usage = window.close(&mut bed).await?;
    endings.take(&mut tasks)?;

    let mut report = Report::new(format!(
        "{} readers at {} bytes per second for {} minutes, on a run of 4 calls at {} tokens per second",
        flags.readers, flags.bytes, flags.minutes, flags.pace
    ));
    let first = usage.memory.first().map_or(0.0, |(_, mib)| *mib);
    let last = usage.memory.last().map_or(0.0, |(_, mib)| *mib);
    let most = usage.memory.iter().fold(0.0, |most: f64, (_, mib)| most.max(*mib));
    report.row("server memory before", first, "MiB", Target::None);
    report.row("server memory after", last, "MiB", Target::None);
    report.row("server memory, growth at most", most - first, "MiB", Target::AtMost(10.0));
    endings.report(&mut report);
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let (read, lost) = (read.get() as f64, lost.get() as f64);
    report.row("events read by the slow readers", read, "", Target::None);
    report.row("events lost (gaps in the numbers)", lost, "", Target::Zero);
    usage.report(&mut report, &bed, Target::None)?;
    drop(tasks);
    bed.clear().await?;
    Ok(report)
}

pub fn enough_files(needed: usize) -> anyhow::Result<()> {
    let (limit, needed) = (open_files_limit()?, needed + 200);
    anyhow::ensure!(
        limit >= needed,
        "a process may open {limit} files here and this needs {needed}: run `ulimit -n {needed}` first"
    );
    Ok(())
}
