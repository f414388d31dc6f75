//! What the machine says about the processes and the database.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Clock ticks in a second, as /proc counts them on every Linux architecture in use.
const TICKS: f64 = 100.0;

/// Processor time of a process so far, its threads included, in seconds.
pub fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let fields = stat(pid)?;
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    // utime and stime, the 14th and 15th field; the first two are cut off.
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// The same for a process with all its children, those that have ended included.
pub fn cpu_seconds_of_family(parent: u32) -> anyhow::Result<f64> {
    let mut ticks = 0.0;
    for entry in std::fs::read_dir("/proc")? {
        let pid = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // A process that ended since is in its parent's sums.
        let Some((pid, fields)) = pid.and_then(|pid| Some((pid, stat(pid).ok()?))) else { continue };
        let own = pid == parent;
        if own || fields.get(1).is_some_and(|of| *of == parent.to_string()) {
            let counted = if own { 11..15 } else { 11..13 };
            ticks += fields
                .get(counted)
                .unwrap_or_default()
                .iter()
                .filter_map(|f| f.parse::<f64>().ok())
                .sum::<f64>();
        }
    }
    Ok(ticks / TICKS)
}

/// The fields of /proc/PID/stat after the name, which may hold spaces.
fn stat(pid: u32) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .with_context(|| format!("process {pid} is gone"))?;
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    Ok(fields.split_whitespace().map(str::to_owned).collect())
}

/// `VmRSS`, `RssAnon` or `VmHWM` of a process, in MiB.
pub fn memory_mib(pid: u32, field: &str) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status"))
        .with_context(|| format!("process {pid} is gone"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kib.with_context(|| format!("no {field} of process {pid}"))? / 1024.0)
}

/// How many files a process may open: connections are files.
pub fn open_files_limit() -> anyhow::Result<usize> {
    let text = std::fs::read_to_string("/proc/self/limits")?;
    let line = text.lines().find(|line| line.starts_with("Max open files")).unwrap_or_default();
    Ok(line.split_whitespace().nth(3).and_then(|limit| limit.parse().ok()).unwrap_or(usize::MAX))
}

/// Memory of a process over time, read by a thread of its own until it is dropped.
pub struct Memory {
    samples: Arc<Mutex<Vec<(f64, f64)>>>,
}

impl Memory {
    /// Begins to watch all of it (`VmRSS`), several times a second.
    pub fn watch(pid: u32) -> Self {
        Self::watch_field(pid, "VmRSS", Duration::from_millis(250))
    }

    /// Begins to watch a field of /proc/PID/status, this often.
    pub fn watch_field(pid: u32, field: &'static str, every: Duration) -> Self {
        let samples: Arc<Mutex<Vec<(f64, f64)>>> = Arc::default();
        let seen = Arc::downgrade(&samples);
        std::thread::spawn(move || {
            let began = Instant::now();
            while let (Some(samples), Ok(mib)) = (seen.upgrade(), memory_mib(pid, field)) {
                samples
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((began.elapsed().as_secs_f64(), mib));
                drop(samples);
                std::thread::sleep(every);
            }
        });
        Self { samples }
    }

    /// Seconds since the beginning, and MiB.
    pub fn samples(&self) -> Vec<(f64, f64)> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A look at the database from outside.
pub struct Database {
    connection: PgConnection,
    options: PgConnectOptions,
    postmaster: Option<u32>,
}

/// The database's counters at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Transactions {
    pub commits: i64,
    pub rollbacks: i64,
}

impl Database {
    /// Connects as a superuser; `data_dir` is where a cluster of our own is.
    pub async fn open(options: &PgConnectOptions, data_dir: Option<&Path>) -> anyhow::Result<Self> {
        let connection =
            PgConnection::connect_with(options).await.context("the database cannot be looked at")?;
        let pid_file = data_dir.map(|dir| dir.join("postgres/cluster/postmaster.pid"));
        let text = pid_file.map(std::fs::read_to_string).transpose()?;
        let postmaster = text.and_then(|text| text.lines().next()?.parse().ok());
        Ok(Self { connection, options: options.clone(), postmaster })
    }

    /// A connection of its own.
    pub async fn superuser(&self) -> anyhow::Result<PgConnection> {
        Ok(PgConnection::connect_with(&self.options).await?)
    }

    /// Waits until the backends have reported, which they do about once a second, and reads.
    pub async fn transactions(&mut self) -> anyhow::Result<Transactions> {
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let sql =
            "SELECT xact_commit, xact_rollback FROM pg_stat_database WHERE datname = current_database()";
        let row = sqlx::query(sql).fetch_one(&mut self.connection).await?;
        Ok(Transactions { commits: row.try_get(0)?, rollbacks: row.try_get(1)? })
    }

    /// Processor time of Postgres, where it is our own.
    pub fn cpu_seconds(&self) -> anyhow::Result<Option<f64>> {
        self.postmaster.map(cpu_seconds_of_family).transpose()
    }

    /// Starts sampling what statements wait for.
    pub fn watch_waits(&self) -> Waits {
        let (stop, stopped) = oneshot::channel();
        let watching = tokio::task::spawn_local(watch_waits(self.options.clone(), stopped));
        Waits { stop, watching }
    }
}

/// What statements of others wait for, looked at several times a second.
pub struct Waits {
    stop: oneshot::Sender<()>,
    watching: JoinHandle<anyhow::Result<Vec<(&'static str, f64)>>>,
}

impl Waits {
    /// How many statements waited for each thing at a time, on average.
    pub async fn stop(self) -> anyhow::Result<Vec<(&'static str, f64)>> {
        // The task has ended by itself only if it failed.
        self.stop.send(()).ok();
        self.watching.await?
    }
}

async fn watch_waits(
    options: PgConnectOptions,
    mut stopped: oneshot::Receiver<()>,
) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let mut connection = PgConnection::connect_with(&options).await?;
    let (mut sums, mut looks) = ([0_i64; 3], 0_u32);
    // A look takes the database a quarter of a millisecond, which counts as its time.
    let mut ticks = tokio::time::interval(Duration::from_millis(500));
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            _ = ticks.tick() => {}
        }
        let row = sqlx::query(
            "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FILTER (WHERE wait_event_type = 'LWLock'),
                    count(*) FILTER (WHERE wait_event_type = 'IO')
             FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()",
        )
        .fetch_one(&mut connection)
        .await?;
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += row.try_get::<i64, _>(at)?;
        }
        looks += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    let means = sums.map(|sum| sum as f64 / f64::from(looks.max(1)));
    Ok(["locks of rows and tables", "locks inside Postgres", "the disk"].into_iter().zip(means).collect())
}
