//! Analytics over a ledger that has grown: fills a database, and asks every statement for its time and
//! its plan, as its heaviest user and as an administrator.

use std::str::FromStr as _;
use std::time::Instant;

use llm_council::council::ranking::bradley_terry::{Ballot, Tally};
use llm_council::id::UserId;
use llm_council::store::analytics::{self, RowFilter, STATEMENTS};
use llm_council::store::local::{Durability, LocalPostgres};
use llm_council::store::usage::Span;
use llm_council::store::{Db, Scope, StoreError, Tx, migrate};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

use super::cli::{AnalyticsFlags, Cli};
use super::fill::{CALLS_PER_RUN, fill};
use super::report::{Report, Target, quantile};

const DRAWS: usize = 200;
/// The target for a page that somebody waits for.
const PAGE_MS: f64 = 1_000.0;
/// The target for what is added to the start of a run.
const START_MS: f64 = 5.0;

/// Runs the scenario.
pub async fn measure(cli: &Cli, flags: AnalyticsFlags) -> anyhow::Result<Report> {
    let dir = tempfile::Builder::new().prefix("council-analytics-").tempdir_in(&cli.work_dir)?;
    let (postgres, options) = match &cli.database_url {
        Some(url) => (None, PgConnectOptions::from_str(url)?),
        None => {
            let postgres = LocalPostgres::start(dir.path(), Durability::Safe).await?;
            let options = postgres.connect_options();
            (Some(postgres), options)
        }
    };
    let db = Db::connect_with(options.clone(), 4).await?;
    migrate(&db).await?;
    let mut superuser = PgConnection::connect_with(&options).await?;
    let there: i64 = sqlx::query_scalar("SELECT count(*) FROM runs").fetch_one(&mut superuser).await?;
    if there > 0 {
        eprintln!("{there} runs are there already: measuring those");
    } else {
        let runs = flags.calls.div_ceil(CALLS_PER_RUN);
        fill(&mut superuser, 1..=runs, runs).await?;
    }
    let calls: i64 = sqlx::query_scalar("SELECT count(*) FROM calls").fetch_one(&mut superuser).await?;

    let mut report = Report::new(format!("analytics over {calls} calls, half of them of one user"));
    for (table, size) in sizes(&mut superuser).await? {
        report.note(format!("{table}: {size}"));
    }
    for (who, scope) in [("heaviest user", user("heavy")), ("everybody", Scope::Admin)] {
        time(&db, &scope, who, flags.times, &mut report).await?;
    }
    for who in ["heavy", "user1", "nobody"] {
        let asked = async |tx: &mut Tx, _: &RowFilter| analytics::records(tx).await.map(drop);
        let taken = median(&db, &user(who), flags.times, asked).await?;
        report.row(&format!("records of {who}"), taken, "ms", Target::AtMost(START_MS));
    }
    if flags.plans {
        for (who, scope) in [("heavy", user("heavy")), ("everybody", Scope::Admin)] {
            plans(&db, &scope, who).await?;
        }
    }
    drop(superuser);
    db.close().await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    Ok(report)
}

fn user(name: &str) -> Scope {
    Scope::User(UserId::from_canonical(name))
}

async fn sizes(superuser: &mut PgConnection) -> anyhow::Result<Vec<(String, String)>> {
    let rows = sqlx::query(
        "SELECT relname::text AS name, pg_size_pretty(pg_relation_size(oid)) AS size FROM pg_class
         WHERE relname IN ('calls', 'calls_figures', 'placings', 'placings_by_user', 'run_figures')
         ORDER BY pg_relation_size(oid) DESC",
    );
    rows.fetch_all(superuser)
        .await?
        .iter()
        .map(|row| Ok((row.try_get("name")?, row.try_get("size")?)))
        .collect()
}

async fn time(db: &Db, scope: &Scope, who: &str, rounds: usize, report: &mut Report) -> anyhow::Result<()> {
    macro_rules! rows {
        ($($name:literal: $asked:expr),* $(,)?) => {$(
            let taken = median(db, scope, rounds, $asked).await?;
            report.row(&format!("{}, {who}", $name), taken, "ms", Target::AtMost(PAGE_MS));
        )*};
    }
    rows! {
        "usage by model": async |tx: &mut Tx, filter: &RowFilter| analytics::usage(tx, filter).await.map(drop),
        "latency by model": async |tx: &mut Tx, filter: &RowFilter| analytics::latencies(tx, filter).await.map(drop),
        "places by model": async |tx: &mut Tx, filter: &RowFilter| analytics::places(tx, filter).await.map(drop),
        "runs": async |tx: &mut Tx, filter: &RowFilter| analytics::runs(tx, filter).await.map(drop),
        "days": async |tx: &mut Tx, filter: &RowFilter| analytics::days(tx, filter).await.map(drop),
        "chairmen": async |tx: &mut Tx, filter: &RowFilter| analytics::chairmen(tx, filter).await.map(drop),
        "head to head": async |tx: &mut Tx, filter: &RowFilter| analytics::duels(tx, filter).await.map(drop),
        "council against its best member":
            async |tx: &mut Tx, filter: &RowFilter| analytics::against_best(tx, filter).await.map(drop),
        "people's preferences":
            async |tx: &mut Tx, filter: &RowFilter| analytics::preferences(tx, filter, None).await.map(drop),
        "ballots of 10,000 runs":
            async |tx: &mut Tx, filter: &RowFilter| analytics::ballots(tx, filter, None).await.map(drop),
        "their leaderboard with 200 draws": leaderboard,
    }
    if *scope != Scope::Admin {
        rows! {
            "50 recent runs": async |tx: &mut Tx, filter: &RowFilter| analytics::recent(tx, filter, 50, 0).await.map(drop),
            "50 runs after 10,000": async |tx: &mut Tx, filter: &RowFilter| analytics::recent(tx, filter, 50, 10_000).await.map(drop),
        }
    }
    Ok(())
}

async fn leaderboard(tx: &mut Tx, filter: &RowFilter) -> Result<(), StoreError> {
    let mut tally = Tally::default();
    for stored in analytics::ballots(tx, filter, None).await? {
        let ballots: Vec<Ballot> = serde_json::from_value(stored).expect("ballots as they were filled in");
        tally.add(&ballots);
    }
    assert!(!tally.leaderboard(DRAWS, 1).is_empty(), "models were compared");
    Ok(())
}

/// The median over this many rounds, in milliseconds: from the beginning of a transaction to its end.
async fn median<F>(db: &Db, scope: &Scope, rounds: usize, asked: F) -> anyhow::Result<f64>
where
    F: AsyncFn(&mut Tx, &RowFilter) -> Result<(), StoreError>,
{
    let mut taken = Vec::new();
    // Once to have it in memory.
    for round in 0..=rounds {
        let began = Instant::now();
        let mut tx = db.begin(scope).await?;
        let filter = RowFilter::of(&mut tx, Span::default()).await?;
        asked(&mut tx, &filter).await?;
        tx.commit().await?;
        if round > 0 {
            taken.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
    }
    Ok(quantile(&mut taken, 0.5))
}

async fn plans(db: &Db, scope: &Scope, who: &str) -> anyhow::Result<()> {
    for (name, sql) in STATEMENTS {
        if *scope == Scope::Admin && *name == "records" {
            continue;
        }
        let mut tx = db.begin(scope).await?;
        RowFilter::of(&mut tx, Span::default()).await?;
        let explained = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON) {sql}");
        let user = (*scope != Scope::Admin).then_some(who);
        let mut query =
            sqlx::query_scalar::<_, String>(AssertSqlSafe(explained)).persistent(false).bind(user);
        // As many parameters as the statement has.
        if sql.contains("$2") {
            query = query.bind(None::<jiff_sqlx::Timestamp>).bind(None::<jiff_sqlx::Timestamp>);
        }
        if sql.contains("$4") {
            query = query.bind(None::<String>);
        }
        if sql.contains("$5") {
            query = query.bind(analytics::MAX_COMPARED_RUNS);
        }
        let lines = query.fetch_all(&mut *tx).await?;
        println!("\n{name}, {who}:");
        lines.iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}
