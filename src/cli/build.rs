//! Builds the parts of a server from the configuration, in the terms of each part.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use ipnetwork::IpNetwork;
use secrecy::ExposeSecret;
use tokio::sync::Notify;

use crate::attachments::Extractor;
use crate::config::{self, AuthMode, Config, ConfigError, ConfigErrors};
use crate::id::{RunId, UserId};
use crate::identity::cidr::TrustedPeers;
use crate::identity::hosts::Hosts;
use crate::identity::proxy::HeaderNames;
use crate::identity::same_origin::Origins;
use crate::identity::{Gate, Mode, ProxyPolicy, user};
use crate::llm::{Models, Registry, RegistryError};
use crate::objects::{self, Objects};
use crate::outbox::{push, webhooks};
use crate::runs::{BudgetRules, CacheRules, RunSettings, Runs, UnknownPrices};
use crate::search::{self, SetupError};
use crate::server::app::App;
use crate::server::descriptors::Descriptors;
use crate::server::reviewers::Everybody;
use crate::server::upload_slots::UploadSlots;
use crate::shutdown::Shutdown;
use crate::store::Db;
use crate::store::budgets::Defaults;
use crate::store::cache::Sharing;
use crate::telemetry::Telemetry;

/// Builds the app of a configuration.
///
/// # Errors
/// When the configuration names something that cannot be: every problem of its kind at once.
pub fn app(config: &Config, db: Db, shutdown: Shutdown, telemetry: Arc<Telemetry>) -> anyhow::Result<App> {
    let (models, search) = models(config)?;
    let models = Arc::new(models);
    let asked: Arc<dyn Models> = models.clone();
    let objects = objects(config)?;
    Ok(App {
        config: Arc::new(config.clone()),
        runs: Runs::new(db.clone(), asked, objects.clone(), shutdown.tasks(), run_settings(config)),
        db,
        models,
        objects,
        search,
        webhooks: webhooks::Sender::new(
            networks(&config.webhooks.allowed_networks, "webhooks.allowed_networks")?,
            config.server.public_url.clone(),
        ),
        push: push(config)?,
        gate: gate(config)?,
        shutdown,
        telemetry,
        descriptors: Descriptors::default(),
        reviewers: Everybody::default(),
        examining: tokio::sync::Mutex::default(),
        extractor: Extractor::of_this_program().context("which program this is")?,
        uploads: UploadSlots::default(),
        single_calls: Default::default(),
        scheduled: Notify::new(),
        peer_warned_at: Mutex::default(),
    })
}

fn networks(written: &[String], key: &'static str) -> anyhow::Result<Vec<IpNetwork>> {
    written.iter().map(|network| network.parse()).collect::<Result<_, _>>().context(key)
}

/// The object store, where one is configured.
///
/// # Errors
/// When the settings are no address, or the machine has no certificates.
pub(super) fn objects(config: &Config) -> anyhow::Result<Objects> {
    let config::S3 {
        endpoint: Some(endpoint),
        bucket: Some(bucket),
        region,
        prefix,
        access_key_id: Some(access_key_id),
        secret_access_key: Some(secret_access_key),
        path_style,
        from_bytes,
    } = config.attachments.s3.clone()
    else {
        return Ok(Objects::default());
    };
    let settings = objects::Settings {
        endpoint,
        bucket,
        region,
        prefix,
        access_key_id,
        secret_access_key,
        path_style,
        from_bytes,
    };
    Objects::new(settings).context("attachments.s3")
}

fn push(config: &Config) -> anyhow::Result<Option<push::Sender>> {
    let Some(key) = &config.push.vapid_private_key else { return Ok(None) };
    let subject = config.push.subject.as_deref().unwrap_or_default();
    let vapid = push::Vapid::new(key.expose_secret(), subject)
        .map_err(|error| anyhow::anyhow!("push.vapid_private_key {error}"))?;
    let allowed = networks(&config.push.allowed_networks, "push.allowed_networks")?;
    Ok(Some(push::Sender::new(allowed, vapid)))
}

/// What is asked for answers and for searches.
///
/// # Errors
/// Every wrong setting of the providers, or what is wrong with the search.
pub(super) fn models(config: &Config) -> anyhow::Result<(Registry, search::Setup)> {
    let providers = config.providers.list.clone();
    let models = Registry::new(providers, &config.providers.default).map_err(wrong_providers)?;
    let beside_simulated = models.is_simulated("");
    let (searching, search) =
        search::set_up(&config.search, beside_simulated).map_err(|error| match error {
            SetupError::Setting(message) => {
                let error = ConfigError { key: "search".to_owned(), source: String::new(), message };
                ConfigErrors(vec![error]).into()
            }
            error @ SetupError::Client(_) => anyhow::Error::from(error),
        })?;
    Ok(match searching {
        Some(searching) => (models.with_search(searching), search),
        None => (models, search),
    })
}

/// Turns wrong settings of providers into configuration errors.
pub(super) fn wrong_providers(error: RegistryError) -> anyhow::Error {
    match error {
        RegistryError::Settings(problems) => {
            let key = "providers".to_owned();
            let error = |message| ConfigError { key: key.clone(), source: String::new(), message };
            ConfigErrors(problems.into_iter().map(error).collect()).into()
        }
        error @ RegistryError::Client(_) => error.into(),
    }
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
        cache: CacheRules {
            max_entries: config.cache.max_entries,
            sharing: match config.cache.sharing {
                config::CacheSharing::Off => Sharing::Off,
                config::CacheSharing::Groups => Sharing::Groups,
                config::CacheSharing::Everyone => Sharing::Everyone,
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
        seed: runs.seed.map(RunId),
    }
}

/// Who gets in.
///
/// # Errors
/// When the names and networks in it are none.
pub(super) fn gate(config: &Config) -> anyhow::Result<Gate> {
    let auth = &config.auth;
    let origins =
        Origins { allowed: config.server.cors_origins.clone(), public: config.server.public_url.clone() };
    let mode = match auth.mode {
        AuthMode::None => Mode::Local(UserId::from_canonical(user::LOCAL)),
        AuthMode::Proxy => {
            let trusted = TrustedPeers::parse(&auth.trusted_proxies)
                .map_err(|problems| anyhow::anyhow!("auth.trusted_proxies: {}", problems.join("; ")))?;
            let admins = auth.admin_users.iter().map(|name| {
                user::canonical(name)
                    .map(|user| user.to_string())
                    .with_context(|| format!("auth.admin_users: {name:?} is not a user name"))
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
    Ok(Gate { mode, origins, hosts: hosts(config) })
}

fn hosts(config: &Config) -> Hosts {
    let server = &config.server;
    if !server.allowed_hosts.is_empty() {
        return Hosts::Listed(server.allowed_hosts.clone());
    }
    match config.auth.mode {
        AuthMode::Proxy => Hosts::Any,
        AuthMode::None => Hosts::Own {
            bound: Some(server.bind).filter(|bound| !bound.is_unspecified()),
            public: server.public_url.as_ref().and_then(|url| url.host_str()).map(str::to_owned),
        },
    }
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
