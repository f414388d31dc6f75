//! The measured part of a scenario: what it cost, by process.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::measure::{Memory, Transactions, cpu_seconds, memory_mib};
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
    perf: Option<Child>,
}

/// What it came to.
pub struct Usage {
    pub seconds: f64,
    /// Processor seconds.
    pub server: f64,
    models: f64,
    own: f64,
    postgres: Option<f64>,
    /// Transactions over the window.
    commits: i64,
    rollbacks: i64,
    /// Memory of the server at most, since its start, and over the window.
    pub peak_mib: f64,
    pub memory: Vec<(f64, f64)>,
}

impl Window {
    /// Begins to measure.
    pub async fn open(bed: &mut TestBed, perf: Option<&Path>) -> anyhow::Result<Self> {
        bed.reset_counts().await?;
        let before = bed.database.transactions().await?;
        let perf = perf.map(|file| record(bed.server.pid(), file)).transpose()?;
        Ok(Self {
            before,
            server: cpu_seconds(bed.server.pid())?,
            models: cpu_seconds(bed.models.pid())?,
            own: cpu_seconds(std::process::id())?,
            postgres: bed.database.cpu_seconds()?,
            began: Instant::now(),
            memory: Memory::watch(bed.server.pid()),
            perf,
        })
    }

    /// Ends it.
    pub async fn close(self, bed: &mut TestBed) -> anyhow::Result<Usage> {
        let seconds = self.began.elapsed().as_secs_f64();
        let server = cpu_seconds(bed.server.pid())? - self.server;
        let models = cpu_seconds(bed.models.pid())? - self.models;
        let own = cpu_seconds(std::process::id())? - self.own;
        let postgres = bed.database.cpu_seconds()?.zip(self.postgres).map(|(after, before)| after - before);
        let memory = self.memory.samples();
        let peak_mib = memory_mib(bed.server.pid(), "VmHWM")?;
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
        report.row("measured for", self.seconds, "s", Target::None);
        let (complaints, first) = bed.complaints()?;
        if let Some(first) = first {
            report.note(format!("the server logged {complaints} warnings and errors; the first: {first}"));
        }
        report.memory_series(self.memory);
        Ok(())
    }
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
