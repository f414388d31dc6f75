//! What looking for an earlier answer costs, with a million of them there: how long it takes and what is read, what it
//! misses, whether its time reveals what others have asked, and what is left when many are kept at once.
//! `cargo bench --bench cache_lookups`; `-- --users 50` for a quick look. docs/cache.md has the figures.

mod bed;
mod evictions;
mod lookups;
mod people;
mod plans;
mod random;
mod recall;
mod statistics;
mod tenancy;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;

use bed::Bed;
use people::People;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Fills a database with questions asked before and measures what it is to look among them.
#[derive(Debug, Parser)]
struct Cli {
    /// How many users there are beside the one whose vectors are a model's; each has 1,000 entries.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    users: u32,
    /// How often each look is taken for its median.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..))]
    looks: u32,
    /// How often each look is taken after a restart.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    restarts: u32,
    /// How many looks are compared of a user whose neighbour has asked the same or has not.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(20..))]
    rounds: u32,
    /// Where the database keeps its files, to have it on a certain disk.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    work_dir: PathBuf,
    /// Given by `cargo bench`; means nothing here.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    runtime.block_on(measure(&cli))
}

async fn measure(cli: &Cli) -> anyhow::Result<()> {
    recall::print()?;
    let people = People::new();
    let bed = Bed::start(&cli.work_dir).await?;
    bed.fill(&people, cli.users).await?;
    bed.print_sizes().await?;
    for person in people.measured() {
        plans::print(&bed.db, &people, &person).await?;
    }
    let mut times = Vec::new();
    for person in people.measured() {
        times.push((person.clone(), lookups::warm(&bed, &people, &person, cli.looks).await?));
    }
    let (bed, cold) = lookups::cold(bed, &people, cli.restarts).await?;
    lookups::print(&times, &cold);
    tenancy::measure(&bed, cli.rounds).await?;
    evictions::measure(&bed).await?;
    bed.stop().await
}
