//! `llm-council bench`: measures councils and models by questions with known answers.

pub(super) mod arguments;
mod begin;
mod suite_file;
mod table;

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tokio::sync::oneshot;

use super::in_process::InProcess;
use super::output::printed_with;
use crate::bench::engine::Engine;
use crate::bench::expected::{self, Expected};
use crate::bench::outcome::Outcome;
use crate::bench::report::{Report, Status};
use crate::bench::stored::{self, Bench, BenchError};
use crate::bench::work::{self, Progress};
use crate::config::{AuthMode, Config};
use crate::council::budget::{Cost, Usd};
use crate::id::{BenchId, UserId};
use crate::identity::user;
use crate::server::app::App;
use crate::server::problem::Problem;
use crate::shutdown::Signals;
use crate::store::Scope;
use crate::store::benches::{self, NewBench};
use crate::telemetry::Telemetry;
use crate::terminal::exit;

use arguments::Arguments;
use begin::{begin, resume};
use suite_file::BenchRequest;

/// How many questions are asked at once.
const PARALLEL: usize = 4;
const MAX_PARALLEL: usize = 64;
/// How long single calls that were sent may take when it is stopped.
const PATIENCE: Duration = Duration::from_secs(20);

/// The exit code for wrong usage: nothing was asked.
const WRONG_USAGE: u8 = 2;
const OVER_BUDGET: u8 = 5;
const STOPPED: u8 = 130;

/// Measures, and prints the table.
///
/// # Errors
/// When a file cannot be read, the database cannot be used, or the bench belongs to another process.
pub(super) fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut problems = Vec::new();
    let user = owner(config, arguments, &mut problems);
    let request = match arguments.resume {
        Some(_) => None,
        None => Some(suite_file::read(arguments, &mut problems)?),
    };
    let Some(user) = user else { return Ok(refuse(&problems)) };
    let mut config = config.clone();
    // People read the table here, so the log gets only failures that are not tried again.
    "error".clone_into(&mut config.log.level);
    // They are for whoever serves.
    config.notices.clear();
    let telemetry = Arc::new(Telemetry::init(&config)?);
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut signals = Signals::listen()?;
        let process = tokio::select! {
            process = InProcess::start(&config, telemetry) => process?,
            // It may wait for its database, without end.
            _ = signals.next() => return Ok(ExitCode::from(STOPPED)),
        };
        let code = tokio::select! {
            code = measure(&process, arguments, user, request, problems, &mut signals) => code,
            error = process.failed() => {
                hide_progress();
                Err(error)
            }
        };
        process.stop().await?;
        code
    })
}

/// Whose bench it is.
fn owner(config: &Config, arguments: &Arguments, problems: &mut Vec<String>) -> Option<UserId> {
    match (&arguments.user, config.auth.mode) {
        (Some(name), _) => {
            let user = user::canonical(name);
            if user.is_none() {
                problems.push(format!("--user {name:?}: nobody can sign in with this name"));
            }
            user
        }
        (None, AuthMode::None) => Some(UserId::from_canonical(user::LOCAL)),
        (None, AuthMode::Proxy) => {
            problems.push("--user is needed where people sign in: say whose bench it is".to_owned());
            None
        }
    }
}

fn refuse(problems: &[String]) -> ExitCode {
    let lines = problems.iter().map(|problem| format!("\n  {problem}"));
    eprintln!("llm-council: nothing was asked:{}", lines.collect::<String>());
    ExitCode::from(WRONG_USAGE)
}

async fn measure(
    process: &InProcess,
    arguments: &Arguments,
    user: UserId,
    request: Option<BenchRequest>,
    mut problems: Vec<String>,
    signals: &mut Signals,
) -> anyhow::Result<ExitCode> {
    let app = &process.app;
    let parallel = arguments.parallel.or(request.as_ref().and_then(|request| request.parallel));
    let bench = match request {
        Some(request) => begin(app, &user, request, &mut problems).await?,
        None => resume(app, &user, arguments.resume.as_deref().unwrap_or_default(), &mut problems).await?,
    };
    let Some(mut bench) = bench.filter(|_| problems.is_empty()) else { return Ok(refuse(&problems)) };
    if let Some(usd) = arguments.max_cost {
        bench.max_cost_usd = usd;
    }
    if bench.missing().is_empty() {
        return printed_with(&rendered(&bench.report(Status::Complete), arguments.json)?, exit::ANSWERED);
    }
    announce(app, &bench);
    if !arguments.yes && std::io::stdin().is_terminal() && !confirm(signals).await? {
        return Ok(ExitCode::from(STOPPED));
    }
    let engine = Engine {
        runs: app.runs.clone(),
        db: app.db.clone(),
        models: app.models.clone(),
        holder: BenchId::generate().to_string(),
        lease: Duration::from_secs(app.config.runs.lease_seconds),
    };
    store(app, &bench).await?;
    engine.hold(&bench).await?;
    let mut over_budget = None;
    let ended = tokio::select! {
        ended = work::work(&engine, &mut bench, parallel.unwrap_or(PARALLEL).clamp(1, MAX_PARALLEL), tell) => {
            ended.map(|ended| {
                over_budget = ended.over_budget;
                ended.status
            })
        }
        _ = signals.next() => Err(BenchError::Stopped),
    };
    hide_progress();
    let status = match &ended {
        Ok(status) => *status,
        Err(_) => Status::Stopped,
    };
    if let Err(error) = &ended {
        if matches!(error, BenchError::Stopped) {
            eprintln!("llm-council: stopping after the calls under way; a second Ctrl-C leaves at once");
        }
        tokio::select! {
            () = process.hand_over(PATIENCE) => {}
            _ = signals.next() => {}
        }
        bench.outcomes = answered(app, &bench).await?;
    }
    engine.release(&bench, status).await?;
    let text = match ended {
        Ok(_) | Err(BenchError::Stopped) => rendered(&bench.report(status), arguments.json)?,
        Err(error) => return Err(error).context("the bench ended early; the answers so far are kept"),
    };
    let code = match status {
        Status::Complete => exit::ANSWERED,
        Status::OverBudget => OVER_BUDGET,
        Status::Running | Status::Stopped => STOPPED,
    };
    let code = printed_with(&text, code)?;
    if status != Status::Complete {
        eprintln!("Go on with it: llm-council bench --resume {:?}", bench.name);
    }
    if let Some(error) = over_budget {
        eprintln!("A budget of {user} is used up: {}", Problem::from(error).sentences().join("; "));
    }
    Ok(code)
}

/// Stores a bench that begins, and what it may cost now.
async fn store(app: &App, bench: &Bench) -> anyhow::Result<()> {
    let mut tx = app.db.begin(&Scope::User(bench.user.clone())).await?;
    let (suite, questions) = (json!(bench.suite), json!(bench.questions));
    let new = NewBench {
        id: bench.id,
        name: &bench.name,
        suite: &suite,
        questions: &questions,
        question_count: bench.questions.len(),
        variant_count: bench.suite.variants.len(),
        digest: &bench.digest,
        max_cost_usd: bench.max_cost_usd,
    };
    if !benches::create(&mut tx, &new).await? {
        benches::set_max_cost(&mut tx, bench.id, bench.max_cost_usd).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// What is stored of a bench so far.
async fn answered(app: &App, bench: &Bench) -> anyhow::Result<BTreeMap<(usize, usize), Outcome>> {
    let mut tx = app.db.begin(&Scope::User(bench.user.clone())).await?;
    Ok(stored::outcomes(benches::items(&mut tx, bench.id).await?)?)
}

/// Says what it will take.
fn announce(app: &App, bench: &Bench) {
    let missing = bench.missing();
    let places = missing.iter().map(|(question, variant)| (&bench.questions[*question], *variant));
    let expected: Expected = expected::of_all(&bench.suite, places, app.models.as_ref());
    let names: Vec<&str> = bench.suite.variants.iter().map(|variant| variant.name.as_str()).collect();
    eprintln!("Bench {}", bench.name);
    eprintln!("  questions       {}", bench.questions.len());
    eprintln!("  variants        {} ({})", names.len(), names.join(", "));
    if !bench.outcomes.is_empty() {
        eprintln!("  answered        {} of {}", bench.outcomes.len(), bench.outcomes.len() + missing.len());
    }
    eprintln!("  calls to come   about {}", expected.calls);
    eprintln!("  estimated cost  {}, at most {} in all", Cost(expected.usd), Usd(bench.max_cost_usd));
    if !expected.unknown_price_models.is_empty() {
        let models: Vec<&str> = expected.unknown_price_models.iter().map(String::as_str).collect();
        eprintln!("  not included    {}: no price is known", models.join(", "));
    }
    if bench.spent().usd + expected.usd > bench.max_cost_usd {
        eprintln!(
            "  This is more than the bench may cost: it will probably end with a part of the questions."
        );
    }
}

/// Asks whether to begin; a signal is a no.
async fn confirm(signals: &mut Signals) -> anyhow::Result<bool> {
    eprint!("Begin? [y/N] ");
    std::io::stderr().flush()?;
    let (sender, answer) = oneshot::channel();
    // A thread of its own: nobody can end a read from a terminal, and it must not keep this process.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line).map(|_| line);
        drop(sender.send(read));
    });
    tokio::select! {
        line = answer => {
            let line = line.context("the terminal cannot be read")??;
            Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "j" | "ja"))
        }
        _ = signals.next() => Ok(false),
    }
}

fn tell(progress: Progress) {
    if std::io::stderr().is_terminal() {
        let Progress { done, of, spent_usd } = progress;
        eprint!("\r\u{1b}[K{done} of {of} answers, {}", Cost(spent_usd));
    }
}

fn hide_progress() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\u{1b}[K");
    }
}

fn rendered(report: &Report, as_json: bool) -> anyhow::Result<String> {
    Ok(if as_json { format!("{}\n", serde_json::to_string_pretty(report)?) } else { table::render(report) })
}
