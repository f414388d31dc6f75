//! The configured database, or the local one.

use secrecy::ExposeSecret as _;
use sqlx::postgres::PgConnectOptions;

use crate::config::{self, Config};
use crate::store::local::{Durability, LocalError, LocalPostgres};
use crate::store::{Db, Pooling};

/// The configured database, or the local one, started.
///
/// # Errors
/// When the local one cannot be started.
pub(super) async fn open(config: &Config) -> anyhow::Result<(PgConnectOptions, Option<LocalPostgres>)> {
    match &config.database.url {
        Some(url) => Ok((Db::options(url.expose_secret())?, None)),
        None => {
            let local = LocalPostgres::start(&config.data_dir, Durability::Safe).await?;
            Ok((local.connect_options(), Some(local)))
        }
    }
}

/// Like [`open`], for a command that may run at the same time as a server or another command: a local database that one
/// of them has started is used.
///
/// # Errors
/// When the local one cannot be started.
pub(super) async fn open_beside(
    config: &Config,
) -> anyhow::Result<(PgConnectOptions, Option<LocalPostgres>)> {
    let in_use = |error: &anyhow::Error| matches!(error.downcast_ref(), Some(LocalError::InUse { .. }));
    match open(config).await {
        Err(error) if in_use(&error) => match LocalPostgres::connect_options_of(&config.data_dir) {
            Some(options) => Ok((options, None)),
            None => Err(error),
        },
        Err(error) => Err(error),
        Ok((options, local)) => Ok((options, local.map(LocalPostgres::of_a_command).transpose()?)),
    }
}

/// Which pooler stands between this program and the database.
pub(super) fn pooling(config: &Config) -> Pooling {
    match config.database.pooling {
        // There is no pooler in front of the local database.
        _ if config.database.url.is_none() => Pooling::Session,
        config::Pooling::Auto => Pooling::Auto,
        config::Pooling::Session => Pooling::Session,
        config::Pooling::Transaction => Pooling::Transaction,
    }
}
