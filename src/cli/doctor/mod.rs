//! `llm-council doctor`: examines what is configured and prints what it found. Leaves nothing behind, but that models
//! are asked for a word each.

mod table;

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use clap::Args;
use secrecy::ExposeSecret as _;

use super::output::printed_with;
use super::{build, database};
use crate::config::Config;
use crate::doctor::{Asker, Database, ExaminationOptions, Report, Server, examine};
use crate::llm::{CallError, ChatRequest, Models, NoSink, Reply};
use crate::store::local::LocalPostgres;
use crate::store::{Db, Sessions};
use crate::terminal::exit;
use crate::terminal::text::amounts;

/// What to examine.
#[derive(Debug, Clone, Default, Args)]
pub struct Arguments {
    /// Models to ask beside those of the council, separated by commas.
    #[arg(long, value_name = "MODEL,MODEL", value_delimiter = ',')]
    models: Vec<String>,
    /// Ask for streamed replies only.
    #[arg(long)]
    stream: bool,
    /// The most that all calls together may cost [default: 0.01]. With it, models of unknown price are not asked.
    #[arg(long, value_name = "USD", value_parser = amounts::read_usd)]
    max_cost: Option<f64>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Asks without a ledger: these calls are nobody's, and are in no figures.
struct Directly;

#[async_trait]
impl Asker for Directly {
    async fn ask(&self, models: Arc<dyn Models>, request: ChatRequest) -> Result<Reply, CallError> {
        models.chat(&request, &mut NoSink).await
    }
}

/// Examines, and prints the report.
///
/// # Errors
/// When the configuration is wrong in a way that shows only when the parts are built.
pub(super) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // Whatever a start would refuse.
    build::models(config)?;
    let gate = build::gate(config)?;
    let objects = build::objects(config)?;
    let models = arguments.models.iter().map(|model| model.trim().to_owned());
    let options = ExaminationOptions {
        models: models.filter(|model| !model.is_empty()).collect(),
        max_cost_usd: arguments.max_cost,
        only_streamed: arguments.stream,
    };
    let report = tokio::runtime::Runtime::new()?.block_on(async {
        let (database, local) = find(config).await;
        let db = match &database {
            Database::At { options, .. } => {
                let db = Db::lazy((**options).clone(), 1);
                // Works with a pooler in transaction mode and without one.
                db.open(Sessions::Shared);
                Some(db)
            }
            Database::NotMade | Database::Failed(_) => None,
        };
        let server = Server { config, gate: &gate, objects: &objects, database: &database, db: db.as_ref() };
        let report = examine(server, None, &options, Some(&Directly)).await;
        if let Some(db) = db {
            db.close().await;
        }
        if let Some(local) = local {
            local.stop().await?;
        }
        report.map_err(build::wrong_providers)
    })?;
    let text = rendered(&report, arguments.json)?;
    printed_with(&text, if report.council { exit::ANSWERED } else { exit::FAILED })
}

/// The configured database, or the local one if it has been made; it is started for the duration if no server is
/// running it.
async fn find(config: &Config) -> (Database, Option<LocalPostgres>) {
    let at = |options, local| Database::At { options: Box::new(options), local };
    if let Some(url) = &config.database.url {
        return match Db::options(url.expose_secret()) {
            Ok(options) => (at(options, false), None),
            Err(error) => (Database::Failed(error.to_string()), None),
        };
    }
    if LocalPostgres::connect_options_of(&config.data_dir).is_none() {
        return (Database::NotMade, None);
    }
    match database::open_beside(config).await {
        Ok((options, local)) => (at(options, true), local),
        Err(error) => (Database::Failed(format!("{error:#}")), None),
    }
}

fn rendered(report: &Report, as_json: bool) -> anyhow::Result<String> {
    Ok(if as_json { format!("{}\n", serde_json::to_string_pretty(report)?) } else { table::render(report) })
}
