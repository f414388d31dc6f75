//! `llm-council serve`: builds the parts, serves until a signal, drains, and leaves.

use std::net::{SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use anyhow::Context;
use secrecy::ExposeSecret;
use sqlx::postgres::PgConnectOptions;

use crate::config::{self, AuthMode, Config};
use crate::council::option_settings::{Category, OptionSettings, RunOptions};
use crate::council::settings::{Member, Settings};
use crate::identity::cidr::TrustedPeers;
use crate::identity::proxy::HeaderNames;
use crate::identity::same_origin::Origins;
use crate::identity::{Gate, Mode, ProxyPolicy, user};
use crate::llm::{Models, ProviderKind, ProviderSettings, Purpose, Registry, Sampling, Timeouts};
use crate::runs::{BudgetRules, RunSettings, Runs, UnknownPrices};
use crate::server::{self, app::App};
use crate::shutdown::{Shutdown, Signals};
use crate::store::budgets::Defaults;
use crate::store::local::{Durability, LocalPostgres};
use crate::store::{self, Db};
use crate::telemetry::Telemetry;

/// How long giving up leases may take when somebody wants the server gone at once.
const SECOND_SIGNAL: Duration = Duration::from_millis(500);

/// The writer makes one commit after the other.
const WRITER_CONNECTIONS: u32 = 1;

/// How long streams get to send their farewell, and leases to be given up, after the drain time.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Serves until it is told to stop.
///
/// # Errors
/// When a part cannot be built; the message says which and what to do.
pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let telemetry = Arc::new(Telemetry::init(config)?);
    let code = actix_web::rt::System::new().block_on(serve(config, telemetry.clone()));
    if !telemetry.flush(LAST_WORDS) {
        eprintln!("llm-council: the last error reports could not be sent in time");
    }
    code
}

async fn serve(config: &Config, telemetry: Arc<Telemetry>) -> anyhow::Result<ExitCode> {
    // What is wrong with the networks and names is said before anything is touched.
    gate(config)?;
    // Listening comes first: a second server on the same port must not touch the first one's data.
    let address = SocketAddr::new(config.server.bind, config.server.port);
    let listener = TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    // The one that the system chose, where the configured one is 0.
    let port = listener.local_addr()?.port();
    let mut signals = Signals::listen()?;
    let (options, local) = database(config).await?;
    let db = Db::connect_with(options.clone(), config.database.max_connections).await?;
    let shutdown = Shutdown::new();
    let app = web::Data::new(build(config, db.clone(), shutdown.clone(), telemetry)?);

    let tasks = shutdown.tasks();
    let (beside, work) = (app.clone(), tasks.clone());
    tasks.spawn_background(app.runs.clone().write(Db::connect_with(options, WRITER_CONNECTIONS).await?));
    let (handle, server) = server::serve(app.clone(), listener, move || {
        work.spawn_background(beside.runs.clone().work());
        work.spawn_background(store::keep_house(beside.db.clone()));
        let models = beside.models.clone();
        // Prices come from the providers' lists: known before the first call is paid, and as they are now.
        work.spawn_background(async move { models.keep_models().await });
    })?;
    say_hello(config, port, &app);

    let mut server = std::pin::pin!(server);
    let signal = tokio::select! {
        ended = &mut server => {
            ended.context("the server ended by itself")?;
            anyhow::bail!("the server ended by itself");
        }
        signal = signals.next() => signal,
    };
    tracing::info!(signal, "shutting down: no new runs, streams are told, runs may finish");
    app.runs.close();
    shutdown.begin();
    let leaving = async {
        let drained = shutdown.drain(config.server.drain()).await;
        if !drained.is_clean() {
            match app.runs.hand_over().await {
                Ok(runs) => tracing::warn!(runs, "runs are left for another server, or the next start"),
                Err(error) => {
                    tracing::warn!(%error, "leases could not be given up; they run out by themselves");
                }
            }
            drop(tokio::time::timeout(LAST_WORDS, app.runs.idle()).await);
        }
    };
    let code = tokio::select! {
        () = leaving => ExitCode::SUCCESS,
        // Anything under way is taken over from its journal, so leaving at once loses nothing paid.
        signal = signals.next() => {
            tracing::warn!(signal, "a second signal: leaving at once");
            // Others need not wait for the leases to run out; but nobody waits for the database.
            drop(tokio::time::timeout(SECOND_SIGNAL, app.runs.hand_over()).await);
            ExitCode::FAILURE
        }
        ended = &mut server => {
            ended.context("the server ended while it was shutting down")?;
            ExitCode::FAILURE
        }
    };
    tasks.end_background();
    let stopping = handle.stop(code == ExitCode::SUCCESS);
    drop(tokio::time::timeout(LAST_WORDS, async { tokio::join!(stopping, server) }).await);
    drop(tokio::time::timeout(LAST_WORDS, db.close()).await);
    if let Some(local) = local {
        local.stop().await?;
    }
    tracing::info!("gone");
    Ok(code)
}

async fn database(config: &Config) -> anyhow::Result<(PgConnectOptions, Option<LocalPostgres>)> {
    let (options, local) = match &config.database.url {
        Some(url) => (Db::options(url.expose_secret())?, None),
        None => {
            let local = LocalPostgres::start(&config.data_dir, Durability::Safe).await?;
            (local.connect_options(), Some(local))
        }
    };
    // A connection belongs to the event loop that opened it: these are not the server's.
    let db = Db::connect_with(options.clone(), 1).await?;
    store::migrate(&db).await?;
    db.close().await;
    Ok((options, local))
}

/// Builds the app of a configuration.
///
/// # Errors
/// When the configuration names something that cannot be: every problem of its kind at once.
pub fn build(config: &Config, db: Db, shutdown: Shutdown, telemetry: Arc<Telemetry>) -> anyhow::Result<App> {
    let models = Arc::new(Registry::new(providers(config), &config.providers.default)?);
    let asked: Arc<dyn Models> = models.clone();
    let defaults = defaults(&config.council);
    let problems = defaults.problems();
    if !problems.is_empty() {
        let lines: Vec<String> =
            problems.iter().map(|p| format!("council: {}: {}", p.field, p.message)).collect();
        anyhow::bail!("{}", lines.join("\n"));
    }
    Ok(App {
        config: Arc::new(config.clone()),
        runs: Runs::new(db.clone(), asked, shutdown.tasks(), run_settings(config)),
        db,
        models,
        gate: gate(config)?,
        shutdown,
        telemetry,
        defaults,
    })
}

fn run_settings(config: &Config) -> RunSettings {
    let (runs, budgets) = (&config.runs, &config.budgets);
    RunSettings {
        budgets: BudgetRules {
            defaults: Defaults {
                per_run_usd: budgets.per_run_usd,
                user_per_day_usd: budgets.user_per_day_usd,
                user_per_month_usd: budgets.user_per_month_usd,
                instance_per_day_usd: budgets.instance_per_day_usd,
                instance_per_month_usd: budgets.instance_per_month_usd,
            },
            unknown_prices: match budgets.unknown_prices {
                config::UnknownPrices::Allow => UnknownPrices::Allow,
                config::UnknownPrices::Refuse => UnknownPrices::Refuse,
            },
        },
        max_live: runs.max_live,
        max_per_user: runs.max_per_user,
        max_queued: runs.max_queued,
        max_queued_per_user: runs.max_queued_per_user,
        lease: Duration::from_secs(runs.lease_seconds),
        unwatched: match runs.on_disconnect {
            config::OnDisconnect::Continue => None,
            config::OnDisconnect::Cancel => Some(Duration::from_secs(runs.disconnect_grace_seconds)),
        },
    }
}

fn providers(config: &Config) -> Vec<ProviderSettings> {
    let settings = |provider: &config::Provider| {
        let kind = match provider.kind {
            config::ProviderKind::Openrouter => ProviderKind::OpenRouter,
            config::ProviderKind::OpenaiCompatible => ProviderKind::OpenAiCompatible,
            config::ProviderKind::Simulated => ProviderKind::Simulated,
        };
        let mut headers = provider.headers.clone();
        // OpenRouter shows apps by the address they name.
        if kind == ProviderKind::OpenRouter
            && let Some(url) = &config.server.public_url
        {
            headers.entry("HTTP-Referer".to_owned()).or_insert_with(|| url.to_string());
        }
        ProviderSettings {
            base_url: provider.base_url.clone(),
            api_key: provider.api_key.clone(),
            headers,
            stream: provider.stream,
            max_in_flight: provider.max_in_flight,
            structured_outputs: provider.structured_outputs,
            tokens_per_second: provider.tokens_per_second,
            first_token_ms: provider.first_token_ms,
            ..ProviderSettings::new(&provider.name, kind)
        }
    };
    config.providers.list.iter().map(settings).collect()
}

fn defaults(council: &config::Council) -> Settings {
    Settings {
        council_models: council
            .models
            .iter()
            .map(|seat| Member {
                model: seat.model.clone(),
                alias: seat.alias.clone(),
                system_prompt: seat.system_prompt.clone(),
            })
            .collect(),
        chairman_model: council.chairman.clone(),
        chairman_alias: council.chairman_alias.clone(),
        chairman_fallbacks: council.chairman_fallbacks.clone(),
        title_model: council.title_model.clone(),
        utility_model: council.utility_model.clone(),
        use_system_prompt_stage2: council.use_system_prompt_stage2,
        use_system_prompt_stage3: council.use_system_prompt_stage3,
        count_self_votes: council.count_self_votes,
        options: option_settings(&council.options),
        calls_in_flight: council.calls_in_flight,
        sampling: Purpose::ALL
            .into_iter()
            .filter_map(|purpose| {
                let given = council.sampling.get(purpose.as_str())?;
                Some((purpose, Sampling { temperature: given.temperature, max_tokens: given.max_tokens }))
            })
            .collect(),
        timeouts: Purpose::ALL
            .into_iter()
            .filter_map(|purpose| {
                let given = council.timeouts.get(purpose.as_str())?;
                let (first_token_ms, idle_ms, total_ms) =
                    (given.first_token_ms, given.idle_ms, given.total_ms);
                Some((purpose, Timeouts { first_token_ms, idle_ms, total_ms }))
            })
            .collect(),
    }
}

fn option_settings(options: &config::CouncilOptions) -> OptionSettings {
    OptionSettings {
        multi_chairman_models: options.multi_chairman_models.clone(),
        routing_pools: Category::ALL
            .into_iter()
            .filter_map(|category| Some((category, options.routing_pools.get(category.as_str())?.clone())))
            .collect(),
        tier1_models: options.tier1_models.clone(),
        tier2_models: options.tier2_models.clone(),
        escalation_confidence_threshold: options.escalation_confidence_threshold,
        escalation_min_confidence_threshold: options.escalation_min_confidence_threshold,
        escalation_agreement_threshold: options.escalation_agreement_threshold,
        adversary_model: options.adversary_model.clone(),
        default_options: RunOptions::new(),
    }
}

fn gate(config: &Config) -> anyhow::Result<Gate> {
    let auth = &config.auth;
    let origins =
        Origins { allowed: config.server.cors_origins.clone(), public: config.server.public_url.clone() };
    let mode = match auth.mode {
        AuthMode::None => Mode::Local,
        AuthMode::Proxy => {
            let trusted = TrustedPeers::parse(&auth.trusted_proxies)
                .map_err(|problems| anyhow::anyhow!("auth.trusted_proxies: {}", problems.join("; ")))?;
            let admins = auth.admin_users.iter().map(|name| {
                user::canonical(name)
                    .map(|user| user.to_string())
                    .with_context(|| format!("auth.admin_users: {name:?} is no user name"))
            });
            Mode::Proxy(Box::new(ProxyPolicy {
                trusted,
                headers: header_names(auth),
                secret: auth.proxy_secret.clone().map(|secret| (auth.proxy_secret_header.clone(), secret)),
                admin_users: admins.collect::<anyhow::Result<_>>()?,
                admin_groups: auth.admin_groups.clone(),
            }))
        }
    };
    Ok(Gate { mode, origins })
}

fn header_names(auth: &config::Auth) -> HeaderNames {
    let mut names = match auth.headers {
        config::HeaderPreset::Authelia => HeaderNames::authelia(),
        config::HeaderPreset::Oauth2Proxy => HeaderNames::oauth2_proxy(),
        config::HeaderPreset::Authentik => HeaderNames::authentik(),
    };
    let own = &auth.header;
    for (name, given) in [
        (&mut names.user, &own.user),
        (&mut names.email, &own.email),
        (&mut names.name, &own.name),
        (&mut names.groups, &own.groups),
    ] {
        if let Some(given) = given {
            name.clone_from(given);
        }
    }
    names.separator = auth.group_separator.unwrap_or(names.separator);
    names
}

fn say_hello(config: &Config, port: u16, app: &App) {
    let host = if config.server.bind.is_unspecified() {
        "localhost".to_owned()
    } else {
        config.server.bind.to_string()
    };
    let own = format!("http://{}:{port}/", if host.contains(':') { format!("[{host}]") } else { host },);
    let url = config.server.public_url.as_ref().map_or(own, ToString::to_string);
    tracing::info!(url, "LLM Council is ready");
    eprintln!("\n  LLM Council: {url}");
    if app.models.is_simulated(&app.defaults.chairman_model) {
        eprintln!("  No provider key is configured: the council is simulated, and says so in every answer.");
        eprintln!("  Set OPENROUTER_API_KEY, or see docs/configuration.md, to ask real models.");
    }
    eprintln!();
}
