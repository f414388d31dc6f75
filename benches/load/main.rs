//! The load generator: starts a Postgres, scripted models and the real server of this build, lets users ask, and prints
//! the results beside the targets. How to use it and what the figures mean is in docs/performance.md.

mod analytics;
mod cli;
mod client;
mod compare;
mod endings;
mod fill;
mod growth;
mod http;
mod long_answers;
mod measure;
mod mixed;
mod models;
mod report;
mod restart;
mod runs;
mod stamp;
mod streams;
mod test_bed;
mod window;

use std::path::Path;

use clap::Parser as _;

use cli::{Cli, Scenario};
use compare::Comparison;
use report::Report;

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if let Scenario::Models(flags) = &cli.scenario {
        return models::serve(flags);
    }
    // One thread: the generator shares the machine with what it measures.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (found, defects) = tokio::task::LocalSet::new().block_on(&runtime, async {
        let Some(other) = &cli.against else {
            let report = measure(&cli, &cli.server).await?;
            report.print();
            return anyhow::Ok((report.json(), defects(&[&report])));
        };
        let mut rounds = Vec::new();
        for round in 0..cli.rounds {
            // Each comes first as often as second.
            rounds.push(if round % 2 == 0 {
                let this = measure(&cli, &cli.server).await?;
                (this, measure(&cli, other).await?)
            } else {
                let other = measure(&cli, other).await?;
                (measure(&cli, &cli.server).await?, other)
            });
            eprintln!("round {} of {}", round + 1, cli.rounds);
        }
        let comparison = Comparison::new(rounds);
        comparison.print();
        Ok((comparison.json(), defects(&comparison.reports())))
    })?;
    if let Some(path) = &cli.json {
        std::fs::write(path, serde_json::to_vec_pretty(&found)?)?;
    }
    anyhow::ensure!(defects.is_empty(), "there must be none of these: {}", defects.join(", "));
    Ok(())
}

/// Everything in these reports that must never happen, on any machine.
fn defects(reports: &[&Report]) -> Vec<String> {
    reports.iter().flat_map(|report| report.defects()).map(str::to_owned).collect()
}

/// Plays the scenario with a server of its own.
async fn measure(cli: &Cli, server: &Path) -> anyhow::Result<Report> {
    match cli.scenario {
        Scenario::Runs(flags) => runs::measure(cli, server, flags).await,
        Scenario::Mixed(flags) => mixed::measure(cli, server, flags).await,
        Scenario::Restart(flags) => restart::measure(cli, server, flags).await,
        Scenario::Live(flags) => streams::live(cli, server, flags).await,
        Scenario::Idle(flags) => streams::idle(cli, server, flags).await,
        Scenario::SlowReader(flags) => streams::slow_reader(cli, server, flags).await,
        Scenario::LongAnswers(flags) => long_answers::measure(cli, server, flags).await,
        Scenario::Growth(flags) => growth::measure(cli, server, flags).await,
        Scenario::Analytics(flags) => analytics::measure(cli, flags).await,
        Scenario::Models(_) => anyhow::bail!("the scripted models are served above"),
    }
}
