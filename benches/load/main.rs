//! The load generator: starts a Postgres, scripted models and the real server of this build, lets
//! users ask, and prints what came out beside the targets. How to use it and what the figures mean
//! stands in docs/performance.md.

mod analytics;
mod cli;
mod client;
mod http;
mod measure;
mod models;
mod report;
mod runs;
mod stamp;
mod streams;
mod test_bed;
mod window;

use clap::Parser as _;

use cli::{Cli, Scenario};

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if let Scenario::Models(flags) = &cli.scenario {
        return models::serve(flags);
    }
    // One thread: the generator shares the machine with what it measures.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = tokio::task::LocalSet::new().block_on(&runtime, async {
        match cli.scenario {
            Scenario::Runs(flags) => runs::measure(&cli, flags).await,
            Scenario::Live(flags) => streams::live(&cli, flags).await,
            Scenario::Idle(flags) => streams::idle(&cli, flags).await,
            Scenario::SlowReader(flags) => streams::slow_reader(&cli, flags).await,
            Scenario::Analytics(flags) => analytics::measure(&cli, flags).await,
            Scenario::Models(_) => anyhow::bail!("the scripted models are served above"),
        }
    })?;
    report.print();
    if let Some(path) = &cli.json {
        std::fs::write(path, serde_json::to_vec_pretty(&report.json())?)?;
    }
    Ok(())
}
