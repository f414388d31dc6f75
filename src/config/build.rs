//! From the merged layers to the tree, with the checks that span several keys.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;
use url::Url;

use super::council::council;
use super::error::ConfigErrors;
use super::keys;
use super::layers::Layers;
use super::providers::providers;
use super::reader::Reader;
use super::tree::*;

/// Builds the tree, or names everything that is wrong.
pub(super) fn config(layers: Layers, env: &BTreeMap<String, String>) -> Result<Config, ConfigErrors> {
    let read = Reader::new(layers);
    let auth = auth(&read);
    let providers = providers(&read);
    let config = Config {
        server: server(&read, &auth),
        data_dir: PathBuf::from(read.text("data_dir").unwrap_or_default()),
        database: Database {
            url: read.checked_secret("database.url", "a postgres:// URL", |url| {
                Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql"))
            }),
            max_connections: read.number("database.max_connections").unwrap_or_default(),
        },
        runs: runs(&read),
        budgets: budgets(&read),
        council: council(&read, &providers),
        auth,
        providers,
        search: Search {
            tavily: Tavily {
                base_url: base_url(&read, "search.tavily.base_url").unwrap_or_default(),
                api_key: read.secret("search.tavily.api_key"),
            },
        },
        sentry: Sentry {
            dsn: read.checked_secret("sentry.dsn", "a Sentry DSN", |dsn| {
                dsn.parse::<sentry::types::Dsn>().is_ok()
            }),
            environment: read.text("sentry.environment"),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a share of requests needs no more precision"
            )]
            traces_sample_rate: read.decimal("sentry.traces_sample_rate").unwrap_or_default() as f32,
        },
        log: log(&read),
        metrics: Metrics {
            bind: read.parsed("metrics.bind", "an address and port such as 127.0.0.1:9464"),
            token: read.secret("metrics.token"),
        },
        notices: notices(env),
    };
    match read.into_errors() {
        errors if errors.is_empty() => Ok(config),
        errors => Err(ConfigErrors(errors)),
    }
}

fn notices(env: &BTreeMap<String, String>) -> Vec<String> {
    let bedrock = env.get("AWS_BEARER_TOKEN_BEDROCK").filter(|token| !token.is_empty());
    let notice = "AWS_BEARER_TOKEN_BEDROCK is set but not used: this version has no Bedrock provider";
    bedrock.map(|_| notice.to_owned()).into_iter().collect()
}

fn server(read: &Reader, auth: &Auth) -> Server {
    let local = auth.mode == AuthMode::None;
    let usual = if local { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
    let bind = read.parsed("server.bind", "an IP address").unwrap_or(IpAddr::V4(usual));
    if local && !auth.allow_insecure && !bind.to_canonical().is_loopback() {
        read.error(
            "server.bind",
            format!(
                "{bind} can be reached by others, but auth.mode is \"none\", which makes everyone the same \
                 user; set auth.mode = \"proxy\", or auth.allow_insecure = true if that is what you want"
            ),
        );
    }

    let mut cors_origins = read.list("server.cors_origins");
    for origin in &cors_origins {
        let is_origin = Url::parse(origin).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == *origin
        });
        if !is_origin {
            let message =
                format!("{origin:?} is not an origin such as https://tools.example.org (no path, no *)");
            read.error("server.cors_origins", message);
        }
    }
    if local && !read.is_set("server.cors_origins") {
        cors_origins = vec!["http://localhost:5173".to_owned(), "http://localhost:3000".to_owned()];
    }

    let allowed_hosts: Vec<String> =
        read.list("server.allowed_hosts").into_iter().map(|host| host.to_lowercase()).collect();
    for host in &allowed_hosts {
        let is_host = Url::parse(&format!("http://{host}/")).is_ok_and(|url| {
            url.path() == "/"
                && url.username().is_empty()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        if !is_host {
            let message = format!("{host:?} is not a host name, with or without a port");
            read.error("server.allowed_hosts", message);
        }
    }

    Server {
        bind,
        port: read.number("server.port").unwrap_or_default(),
        public_url: public_url(read),
        cors_origins,
        allowed_hosts,
        drain_seconds: read.number("server.drain_seconds").unwrap_or_default(),
        body_limit_bytes: read.number("server.body_limit_bytes").unwrap_or_default(),
        body_timeout_seconds: read.number("server.body_timeout_seconds").unwrap_or_default(),
        heartbeat_seconds: read.number("server.heartbeat_seconds").unwrap_or_default(),
    }
}

fn runs(read: &Reader) -> Runs {
    let meanings = [("continue", OnDisconnect::Continue), ("cancel", OnDisconnect::Cancel)];
    Runs {
        max_live: read.number("runs.max_live").unwrap_or_default(),
        max_per_user: read.number("runs.max_per_user").unwrap_or_default(),
        max_queued: read.number("runs.max_queued").unwrap_or_default(),
        max_queued_per_user: read.number("runs.max_queued_per_user").unwrap_or_default(),
        lease_seconds: read.number("runs.lease_seconds").unwrap_or_default(),
        on_disconnect: read.choice("runs.on_disconnect", &meanings).unwrap_or(OnDisconnect::Continue),
        disconnect_grace_seconds: read.number("runs.disconnect_grace_seconds").unwrap_or_default(),
    }
}

fn budgets(read: &Reader) -> Budgets {
    let meanings = [("allow", UnknownPrices::Allow), ("refuse", UnknownPrices::Refuse)];
    Budgets {
        per_run_usd: read.decimal("budgets.per_run_usd"),
        user_per_day_usd: read.decimal("budgets.user_per_day_usd"),
        user_per_month_usd: read.decimal("budgets.user_per_month_usd"),
        instance_per_day_usd: read.decimal("budgets.instance_per_day_usd"),
        instance_per_month_usd: read.decimal("budgets.instance_per_month_usd"),
        unknown_prices: read.choice("budgets.unknown_prices", &meanings).unwrap_or(UnknownPrices::Allow),
    }
}

fn public_url(read: &Reader) -> Option<Url> {
    base_url(read, "server.public_url").and_then(|url| Url::parse(&url).ok())
}

/// An http or https URL without credentials, query or trailing slash. Errors do not show it, as
/// what is wrong with it may be that it holds a password.
pub(super) fn base_url(read: &Reader, key: &str) -> Option<String> {
    let text = read.text(key)?;
    let problem = match Url::parse(&text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => "must begin with http:// or https://",
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            "must not hold a user name or password; use api_key"
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => "must not hold a query or fragment",
        Ok(_) => return Some(text.trim_end_matches('/').to_owned()),
        Err(_) => "is not a URL",
    };
    read.error(key, problem);
    None
}

fn auth(read: &Reader) -> Auth {
    let header = |key: &str| {
        let name = read.text(key)?;
        if !keys::is_header_name(&name) {
            read.error(key, format!("{name:?} is not a header's name"));
        }
        Some(name)
    };
    let modes = [("none", AuthMode::None), ("proxy", AuthMode::Proxy)];
    let presets = [
        ("authelia", HeaderPreset::Authelia),
        ("oauth2_proxy", HeaderPreset::Oauth2Proxy),
        ("authentik", HeaderPreset::Authentik),
    ];
    let auth = Auth {
        mode: read.choice("auth.mode", &modes).unwrap_or(AuthMode::Proxy),
        trusted_proxies: read.list("auth.trusted_proxies"),
        headers: read.choice("auth.headers", &presets).unwrap_or(HeaderPreset::Authelia),
        header: HeaderNames {
            user: header("auth.header.user"),
            email: header("auth.header.email"),
            name: header("auth.header.name"),
            groups: header("auth.header.groups"),
        },
        group_separator: read.parsed("auth.group_separator", "one character"),
        admin_groups: read.list("auth.admin_groups"),
        admin_users: read.list("auth.admin_users"),
        proxy_secret: read.secret("auth.proxy_secret"),
        proxy_secret_header: header("auth.proxy_secret_header").unwrap_or_default(),
        allow_insecure: read.bool("auth.allow_insecure"),
    };
    if auth.mode == AuthMode::Proxy
        && auth.trusted_proxies.is_empty()
        && read.text("auth.mode").as_deref() == Some("proxy")
    {
        let message = "auth.mode is \"proxy\", so name the networks the proxy calls from, such as 10.0.0.0/8";
        read.error("auth.trusted_proxies", message);
    }
    auth
}

fn log(read: &Reader) -> Log {
    let level = read.text("log.level").unwrap_or_default();
    if let Err(error) = EnvFilter::builder().parse(&level) {
        read.error("log.level", format!("{level:?} is no log filter: {error}"));
    }
    let formats = [("pretty", LogFormat::Pretty), ("json", LogFormat::Json)];
    Log { format: read.choice("log.format", &formats).unwrap_or(LogFormat::Pretty), level }
}
