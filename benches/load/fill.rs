//! Fills a database with conversations that were asked long ago, without asking anybody.

use std::ops::RangeInclusive;
use std::time::Instant;

use sqlx::{AssertSqlSafe, PgConnection};

const FILL: &str = include_str!("fill.sql");
pub const CALLS_PER_RUN: usize = 10;
const RUNS_AT_ONCE: usize = 10_000;

/// Adds these of `all` runs, the first one the oldest; every second is of the user `heavy`. A conversation each.
pub async fn fill(
    superuser: &mut PgConnection,
    runs: RangeInclusive<usize>,
    all: usize,
) -> anyhow::Result<()> {
    sqlx::raw_sql("SET synchronous_commit = off").execute(&mut *superuser).await?;
    let began = Instant::now();
    for first in runs.clone().step_by(RUNS_AT_ONCE) {
        let last = (first + RUNS_AT_ONCE - 1).min(*runs.end());
        let numbers = [("{first}", first), ("{last}", last), ("{runs}", all)];
        let sql =
            numbers.iter().fold(FILL.to_owned(), |sql, (name, value)| sql.replace(name, &value.to_string()));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *superuser).await?;
        eprintln!("{last} of {all} runs after {} s", began.elapsed().as_secs());
    }
    sqlx::raw_sql("VACUUM ANALYZE").execute(&mut *superuser).await?;
    Ok(())
}
