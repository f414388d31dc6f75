//! People at a terminal: one file per subcommand. May import every room.

mod bench;
pub mod build;
mod database;
mod doctor;
mod healthcheck;
mod in_process;
mod migrate;
mod serve;
mod usd;
mod user_names;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use secrecy::SecretString;

use crate::config::{Config, ConfigErrors, Overrides};

/// `EX_CONFIG` of sysexits.h: starting again will not help until somebody has changed the configuration.
const WRONG_CONFIGURATION: u8 = 78;

/// A team's council of language models.
#[derive(Debug, Parser)]
#[command(name = "llm-council", version, about)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and the web app (what happens without a subcommand).
    Serve,
    /// Measure councils and models by questions with known answers (docs/bench.md).
    Bench(Box<bench::arguments::Arguments>),
    /// Examine configuration, database, sign-in, providers and each model of the council; exits with 0 where a council
    /// can be held, with 1 where not (docs/providers.md).
    Doctor(doctor::Arguments),
    /// Bring the configured database to this version's schema.
    Migrate(migrate::Decisions),
    /// Ask the running server whether it is ready; exits with 0 or 1.
    Healthcheck,
    /// Print the OpenAPI document.
    Openapi,
    /// Print the configuration reference.
    ConfigReference,
}

/// Settings that a flag may override.
#[derive(Debug, Clone, Default, Args)]
struct Flags {
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
    /// belongs into DATABASE_URL or the configuration file.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
}

impl Flags {
    fn load(&self) -> anyhow::Result<Config> {
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

impl Cli {
    /// Does what was asked for.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let result = match self.command.unwrap_or(Command::Serve) {
            Command::Serve => self.settings.load().and_then(|config| serve::run(&config)),
            Command::Bench(arguments) => {
                self.settings.load().and_then(|config| bench::run(&config, &arguments))
            }
            Command::Doctor(arguments) => {
                self.settings.load().and_then(|config| doctor::run(&config, &arguments))
            }
            Command::Migrate(decisions) => {
                self.settings.load().and_then(|config| migrate::run(&config, &decisions))
            }
            Command::Healthcheck => self.settings.load().and_then(|config| healthcheck::run(&config)),
            Command::Openapi => openapi(),
            Command::ConfigReference => {
                print!("{}", crate::config::reference());
                Ok(ExitCode::SUCCESS)
            }
        };
        result.unwrap_or_else(|error| match error.downcast_ref::<ConfigErrors>() {
            Some(ConfigErrors(errors)) => {
                let lines = errors.iter().map(|error| format!("\n  {error}"));
                eprintln!("llm-council: the configuration is wrong:{}", lines.collect::<String>());
                ExitCode::from(WRONG_CONFIGURATION)
            }
            None => {
                eprintln!("llm-council: {error:#}");
                ExitCode::FAILURE
            }
        })
    }
}

fn openapi() -> anyhow::Result<ExitCode> {
    println!("{}", crate::server::routes::openapi().to_pretty_json()?);
    Ok(ExitCode::SUCCESS)
}
