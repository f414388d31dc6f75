//! What people wait for in a database that has grown, beside the same in one of a hundredth of its size.

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use sqlx::{PgConnection, Row as _};

use super::cli::{Cli, GrowthFlags, ModelFlags};
use super::client::{Events, conversation};
use super::fill::{CALLS_PER_RUN, fill};
use super::http::Connection;
use super::report::{Report, Target, quantile};
use super::test_bed::TestBed;

/// How many times smaller the database is that is measured first.
const SMALLER: usize = 100;
/// Whoever has half of everything.
const HEAVY: &str = "heavy";
/// Whoever has a thousand runs of the larger database, and ten of the smaller one.
const USUAL: &str = "usual";
/// Whoever has nothing yet.
const NEW: &str = "new";
/// A page that somebody waits for.
const PAGE_MS: f64 = 1_000.0;
const MODELS: ModelFlags = ModelFlags::new(20, 5);

/// What somebody looks at.
const PAGES: [(&str, &str); 6] = [
    ("the list, newest 50", "/api/conversations?limit=50"),
    ("the list, asked last", "/api/conversations?limit=50&order=asked"),
    ("the list, after 400", "/api/conversations?limit=50&offset=400"),
    ("a search for a frequent word", "/api/search?q=queue"),
    ("a search for a rare word", "/api/search?q=number2"),
    ("analytics of all time", "/api/analytics"),
];

/// Runs the scenario.
pub async fn measure(cli: &Cli, server: &Path, flags: GrowthFlags) -> anyhow::Result<Report> {
    let mut bed = TestBed::prepare(cli, server, MODELS).await?;
    let mut superuser = bed.database.superuser().await?;
    let all = flags.calls.div_ceil(CALLS_PER_RUN);
    let few = all.div_ceil(SMALLER);
    fill(&mut superuser, 1..=few, all).await?;
    let small = figures(&mut bed, flags.times).await?;
    fill(&mut superuser, few + 1..=all, all).await?;
    let large = figures(&mut bed, flags.times).await?;

    let mut report = Report::new(format!(
        "A database of {} calls beside one of {}, half of them of one user",
        all * CALLS_PER_RUN,
        few * CALLS_PER_RUN
    ));
    for ((name, before), (_, now)) in small.iter().zip(&large) {
        report.row(name, *now, "ms", Target::AtMost(PAGE_MS));
        report.row("    in the smaller one", *before, "ms", Target::None);
    }
    for (table, size) in sizes(&mut superuser).await? {
        report.note(format!("{table}: {size}"));
    }
    bed.clear().await?;
    Ok(report)
}

/// What was done, and how long it took in the median, in milliseconds.
async fn figures(bed: &mut TestBed, times: usize) -> anyhow::Result<Vec<(String, f64)>> {
    // Nothing is in a server's memory from before.
    bed.kill_servers();
    let began = Instant::now();
    bed.start_server()?;
    let mut found = vec![("a server is ready".to_owned(), ms(began))];
    for who in [HEAVY, USUAL] {
        for (name, path) in PAGES {
            let mut taken = Vec::new();
            for _ in 0..times {
                let began = Instant::now();
                get(bed, who, path).await?;
                taken.push(ms(began));
            }
            found.push((format!("{name}, {who} user"), quantile(&mut taken, 0.5)));
        }
        let list = get(bed, who, "/api/conversations?limit=50").await?;
        let list: Vec<serde_json::Value> = serde_json::from_slice(&list)?;
        let mut taken = Vec::new();
        for one in &list {
            let id = one["id"].as_str().context("a conversation has an id")?;
            let began = Instant::now();
            get(bed, who, &format!("/api/conversations/{id}")).await?;
            taken.push(ms(began));
        }
        found.push((format!("an old conversation, {who} user"), quantile(&mut taken, 0.5)));
    }
    for who in [HEAVY, USUAL, NEW] {
        let (mut begins, mut whole) = (Vec::new(), Vec::new());
        for _ in 0..times {
            let mut connection = Connection::open(bed.address(0), who, None).await?;
            let id = conversation(&mut connection).await?;
            let seen = Events::ask(&mut connection, &id).await?.read_all().await;
            begins.push(seen.first_event.as_secs_f64() * 1_000.0);
            whole.push(seen.whole.as_secs_f64() * 1_000.0);
        }
        found.push((format!("a run begins, {who} user"), quantile(&mut begins, 0.5)));
        found.push((format!("a whole run, {who} user"), quantile(&mut whole, 0.5)));
    }
    Ok(found)
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1_000.0
}

async fn get(bed: &TestBed, user: &str, path: &str) -> anyhow::Result<Vec<u8>> {
    let mut connection = Connection::open(bed.address(0), user, None).await?;
    connection.send("GET", path, "").await?;
    let mut head = connection.head().await?;
    let body = connection.body(&mut head).await?;
    anyhow::ensure!(head.status == 200, "HTTP {} to GET {path}", head.status);
    Ok(body)
}

/// The largest tables, their indexes included.
async fn sizes(superuser: &mut PgConnection) -> anyhow::Result<Vec<(String, String)>> {
    let rows = sqlx::query(
        "SELECT relname::text, pg_size_pretty(pg_total_relation_size(relid)) FROM pg_stat_user_tables
         ORDER BY pg_total_relation_size(relid) DESC LIMIT 6",
    );
    let rows = rows.fetch_all(superuser).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
