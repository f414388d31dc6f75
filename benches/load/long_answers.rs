//! Very long answers, which all members read: what a run takes in memory.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use super::cli::{Cli, LongFlags, ModelFlags};
use super::client::{End, Events, conversation};
use super::http::Connection;
use super::measure::{Memory, memory_mib};
use super::report::{Report, Target, quantile};
use super::test_bed::TestBed;

/// What is the process's own, without the program's file.
const OWN: &str = "RssAnon";
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long it takes at most until the server has given back what it no longer needs.
const REST: Duration = Duration::from_secs(2);
const CALL_MS: u64 = 500;
/// Each token with what follows it.
const PIECE_BYTES: usize = 4 << 10;
/// How often all of the answers may be in memory.
const COPIES: f64 = 3.0;

/// Runs the scenario.
pub async fn measure(cli: &Cli, server: &Path, flags: LongFlags) -> anyhow::Result<Report> {
    let pieces = flags.kib / 4;
    let models =
        ModelFlags { padding: PIECE_BYTES, answers: flags.members, ..ModelFlags::new(CALL_MS, pieces) };
    let members: Vec<String> = (1..=flags.members).map(|number| format!("m/{number}")).collect();
    let mut cli = cli.clone();
    cli.settings.push(("council.models".to_owned(), members.join(", ")));
    let bed = TestBed::prepare(&cli, server, models).await?;
    let pid = *bed.pids().first().context("no server runs")?;
    tokio::time::sleep(REST).await;
    let idle = memory_mib(pid, OWN)?;

    let mut connection = Connection::open(bed.address(0), "user0", None).await?;
    let (mut peaks, mut failed) = (Vec::new(), 0.0);
    for _ in 0..flags.runs {
        let conversation = conversation(&mut connection).await?;
        let memory = Memory::watch_field(pid, OWN, LOOK_EVERY);
        let seen = Events::ask(&mut connection, &conversation).await?.read_all().await;
        if seen.end != End::Complete {
            failed += 1.0;
        }
        peaks.push(memory.samples().into_iter().fold(0.0, |most: f64, (_, mib)| most.max(mib)) - idle);
        drop(memory);
        tokio::time::sleep(REST).await;
    }

    let (members, kib) = (flags.members, flags.kib);
    let mut report = Report::new(format!("{members} answers of {kib} KiB each, {} runs", flags.runs));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let text = (members * PIECE_BYTES * pieces as usize) as f64 / f64::from(1 << 20);
    report.row("all answers", text, "MiB", Target::None);
    report.row("server's own memory, idle", idle, "MiB", Target::None);
    let [median, most] = [0.5, 1.0].map(|share| quantile(&mut peaks, share));
    report.row("above that at the peak of a run, median", median, "MiB", Target::None);
    report.row("the same, at most", most, "MiB", Target::None);
    report.row("times the answers, median", median / text, "", Target::AtMost(COPIES));
    report.row("the same, after the last run", (memory_mib(pid, OWN)? - idle) / text, "", Target::None);
    report.row("runs that failed", failed, "", Target::Zero);
    bed.clear().await?;
    Ok(report)
}
