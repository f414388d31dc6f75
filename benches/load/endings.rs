//! How streams ended that were to stay open. The end of a body with an event that ends a run says that the run is over,
//! a reset that the server or the system has cut the connection, anything unreadable that this tool is at fault; and ages
//! show whether there is a limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use super::report::{Report, Target};

/// How one stream ended.
#[derive(Debug)]
pub struct Ending {
    /// Which of the scenario's runs it showed.
    run: usize,
    how: String,
    opened: Instant,
    ended: Instant,
}

impl Ending {
    /// A stream that ends now.
    pub fn new(run: usize, opened: Instant, how: String) -> Self {
        Self { run, how, opened, ended: Instant::now() }
    }
}

/// The streams that have ended so far.
#[derive(Debug)]
pub struct Endings {
    /// When the first of them was to be opened.
    began: Instant,
    list: Vec<Ending>,
}

impl Endings {
    /// None so far.
    pub fn begin() -> Self {
        Self { began: Instant::now(), list: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes in the streams that have ended since; fails with the reason where one could not be opened.
    pub fn take(&mut self, readers: &mut JoinSet<anyhow::Result<Ending>>) -> anyhow::Result<()> {
        while let Some(ended) = readers.try_join_next() {
            self.list.push(ended.context("a reader panicked")??);
        }
        Ok(())
    }

    /// How many there are, and each way to end in a note.
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    pub fn report(&self, report: &mut Report) {
        report.row("streams that ended by themselves", self.list.len() as f64, "", Target::Zero);
        self.ways().into_iter().for_each(|way| report.note(way));
    }

    fn ways(&self) -> Vec<String> {
        let mut ways: BTreeMap<&str, Vec<&Ending>> = BTreeMap::new();
        for ending in &self.list {
            ways.entry(&ending.how).or_default().push(ending);
        }
        let sentence = |(how, endings): (&str, Vec<&Ending>)| {
            let runs: BTreeSet<usize> = endings.iter().map(|ending| ending.run).collect();
            let ages = range(endings.iter().map(|ending| ending.ended - ending.opened));
            let moments = range(endings.iter().map(|ending| ending.ended - self.began));
            let (count, runs) = (endings.len(), runs.len());
            format!(
                "{count} streams, on {runs} runs, ended {ages} after they were open, {moments} after the first was \
                 asked for: {how}"
            )
        };
        ways.into_iter().map(sentence).collect()
    }
}

impl fmt::Display for Endings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ways().join("; "))
    }
}

/// The least and the most of these.
fn range(times: impl Iterator<Item = Duration> + Clone) -> String {
    let least = times.clone().min().unwrap_or_default();
    let most = times.max().unwrap_or_default();
    format!("{:.1} to {:.1} s", least.as_secs_f64(), most.as_secs_f64())
}
