//! Settings that every command may be given.

use std::path::PathBuf;

use clap::Args;
use secrecy::SecretString;

use crate::config::{Config, Overrides};

/// Settings that a flag may override.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub(super) struct Flags {
    /// The configuration file [default: ./config.toml, if it is there].
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// The address to listen on.
    #[arg(long, global = true)]
    bind: Option<std::net::IpAddr>,
    /// The port to listen on.
    #[arg(long, global = true)]
    port: Option<u16>,
    /// Where the local database lives.
    #[arg(long, global = true)]
    data_dir: Option<PathBuf>,
    /// The database, as a postgres:// URL. Other users of the machine can see a flag: a password
    /// belongs in DATABASE_URL or the configuration file.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
}

impl Flags {
    /// The configuration with them.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(&self) -> anyhow::Result<Config> {
        let env = crate::config::environment(std::env::vars_os());
        let overrides = Overrides {
            bind: self.bind,
            port: self.port,
            data_dir: self.data_dir.clone(),
            database_url: self.database_url.clone().map(SecretString::from),
        };
        Ok(Config::load(self.config.as_deref(), &env, &overrides)?)
    }
}
