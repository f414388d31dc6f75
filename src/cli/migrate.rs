//! `llm-council migrate`: the schema, before the servers are started.

use std::process::ExitCode;

use anyhow::Context;
use secrecy::ExposeSecret;

use crate::config::Config;
use crate::store::{self, Db};

/// Brings the configured database to this version's schema.
///
/// # Errors
/// When there is no configured database, or it cannot be brought there.
pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let url = config
        .database
        .url
        .as_ref()
        .context("no database is configured; the local one is migrated when the server starts")?;
    tokio::runtime::Runtime::new()?.block_on(async {
        let db = Db::connect(url.expose_secret(), 2).await?;
        store::migrate(&db).await?;
        db.close().await;
        eprintln!("the database is up to date");
        Ok(ExitCode::SUCCESS)
    })
}
