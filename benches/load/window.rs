//! The measured part of a scenario: what it cost, by process.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;

use super::measure::{Memory, Transactions, Waits, cpu_seconds, memory_mib};
use super::report::{Report, Target};
use super::test_bed::TestBed;

/// A measurement under way.
pub struct Window {
    before: Transactions,
    server: f64,
    models: f64,
    own: f64,
    postgres: Option<f64>,
    began: Instant,
    memory: Memory,
    waits: Waits,
    perf: Option<Child>,
}

/// The result of a measurement.
pub struct Usage {
    pub seconds: f64,
    /// Processor seconds.
    pub server: f64,
    models: f64,
    own: f64,
    pub postgres: Option<f64>,
    /// Transactions over the window.
    commits: i64,
    rollbacks: i64,
    /// Memory of the server at most, since its start (of several, the largest), and of the first over the window.
    pub peak_mib: f64,
    pub memory: Vec<(f64, f64)>,
    /// What statements waited for: how many of them at a time, on average.
    waits: Vec<(&'static str, f64)>,
}

impl Window {
    /// Begins to measure.
    pub async fn open(bed: &mut TestBed, perf: Option<&Path>) -> anyhow::Result<Self> {
        bed.reset_counts().await?;
        let before = bed.database.transactions().await?;
        let pids = bed.pids();
        let first = *pids.first().context("no server runs")?;
        let perf = perf.map(|file| record(first, file)).transpose()?;
        Ok(Self {
            before,
            server: cpu_of(&pids)?,
            models: cpu_seconds(bed.models.pid())?,
            own: cpu_seconds(std::process::id())?,
            postgres: bed.database.cpu_seconds()?,
            waits: bed.database.watch_waits(),
            began: Instant::now(),
            memory: Memory::watch(first),
            perf,
        })
    }

    /// Ends it.
    pub async fn close(self, bed: &mut TestBed) -> anyhow::Result<Usage> {
        let seconds = self.began.elapsed().as_secs_f64();
        let pids = bed.pids();
        let server = cpu_of(&pids)? - self.server;
        let models = cpu_seconds(bed.models.pid())? - self.models;
        let own = cpu_seconds(std::process::id())? - self.own;
        let postgres = bed.database.cpu_seconds()?.zip(self.postgres).map(|(after, before)| after - before);
        let memory = self.memory.samples();
        let peaks: Vec<f64> = pids.iter().map(|pid| memory_mib(*pid, "VmHWM")).collect::<Result<_, _>>()?;
        let peak_mib = peaks.into_iter().fold(0.0, f64::max);
        let waits = self.waits.stop().await?;
        if let Some(perf) = self.perf {
            finish(perf)?;
        }
        let after = bed.database.transactions().await?;
        Ok(Usage {
            seconds,
            server,
            models,
            own,
            postgres,
            commits: after.commits - self.before.commits,
            rollbacks: after.rollbacks - self.before.rollbacks,
            peak_mib,
            memory,
            waits,
        })
    }
}

impl Usage {
    /// Adds what every scenario reports.
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    pub fn report(self, report: &mut Report, bed: &TestBed, peak: Target) -> anyhow::Result<()> {
        let share = |cpu: f64| cpu / self.seconds * 100.0;
        report.row("server memory, peak since its start", self.peak_mib, "MiB", peak);
        report.row("server processor", share(self.server), "% of one", Target::None);
        if let Some(postgres) = self.postgres {
            report.row("Postgres processor", share(postgres), "% of one", Target::None);
        }
        report.row("scripted models processor", share(self.models), "% of one", Target::None);
        report.row("clients processor", share(self.own), "% of one", Target::None);
        report.row("database commits", self.commits as f64 / self.seconds, "/s", Target::None);
        report.row("database rollbacks", self.rollbacks as f64 / self.seconds, "/s", Target::None);
        for (what, mean) in self.waits {
            report.row(&format!("statements that wait for {what}, mean"), mean, "", Target::None);
        }
        report.row("measured for", self.seconds, "s", Target::None);
        let (complaints, first) = bed.complaints()?;
        if let Some(first) = first {
            report.note(format!("the server logged {complaints} warnings and errors; the first: {first}"));
        }
        report.memory_series(self.memory);
        Ok(())
    }
}

fn cpu_of(pids: &[u32]) -> anyhow::Result<f64> {
    pids.iter().map(|pid| cpu_seconds(*pid)).sum()
}

fn record(pid: u32, file: &Path) -> anyhow::Result<Child> {
    let mut command = Command::new("perf");
    command.args(["record", "-F", "499", "-g", "-p", &pid.to_string(), "-o"]).arg(file);
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

/// perf writes its file when it is interrupted.
fn finish(mut perf: Child) -> anyhow::Result<()> {
    Command::new("kill").args(["-INT", &perf.id().to_string()]).status()?;
    perf.wait()?;
    Ok(())
}
