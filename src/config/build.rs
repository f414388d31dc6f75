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
use crate::identity::cidr::TrustedPeers;
use crate::identity::user;

/// Builds the tree, or names everything that is wrong.
pub(super) fn config(layers: Layers, env: &BTreeMap<String, String>) -> Result<Config, ConfigErrors> {
    let mut read = Reader::new(layers);
    let auth = auth(&read);
    let server = server(&read, &auth);
    let providers = providers(&read, server.public_url.as_ref());
    let council = council(&mut read, &providers);
    let search = Search {
        tavily: Tavily {
            base_url: base_url(&read, "search.tavily.base_url").unwrap_or_default(),
            api_key: read.secret("search.tavily.api_key"),
        },
    };
    let config = Config {
        notices: notices(env, &server, &auth, &search),
        server,
        data_dir: PathBuf::from(read.text("data_dir").unwrap_or_default()),
        database: database(&read),
        runs: runs(&read),
        budgets: budgets(&read),
        council,
        auth,
        providers,
        search,
        sentry: Sentry {
            dsn: read.checked_secret("sentry.dsn", "a Sentry DSN", |dsn| {
                dsn.parse::<sentry::types::Dsn>().is_ok()
            }),
            environment: read.text("sentry.environment").unwrap_or_else(|| ENVIRONMENT.to_owned()),
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
    };
    match read.into_errors() {
        errors if errors.is_empty() => Ok(config),
        errors => Err(ConfigErrors(errors)),
    }
}

fn database(read: &Reader) -> Database {
    let url = |key: &'static str| {
        read.checked_secret(key, "a postgres:// URL", |url| {
            Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql"))
        })
    };
    let poolings =
        [("auto", Pooling::Auto), ("session", Pooling::Session), ("transaction", Pooling::Transaction)];
    let database = Database {
        url: url("database.url"),
        listen_url: url("database.listen_url"),
        pooling: read.choice("database.pooling", &poolings).unwrap_or(Pooling::Auto),
        max_connections: read.number("database.max_connections").unwrap_or_default(),
    };
    if database.listen_url.is_some() && !read.is_set("database.url") {
        read.error("database.listen_url", "goes with database.url, which is not set");
    }
    database
}

/// What the image is built with; other builds are somebody's own.
const ENVIRONMENT: &str = match option_env!("LLM_COUNCIL_BUILT_FOR") {
    Some(environment) => environment,
    None => "development",
};

/// What is allowed, but perhaps not meant.
fn notices(env: &BTreeMap<String, String>, server: &Server, auth: &Auth, search: &Search) -> Vec<String> {
    let unused = [
        (
            "AWS_BEARER_TOKEN_BEDROCK",
            "AWS_BEARER_TOKEN_BEDROCK is set but not used: this version has no Bedrock provider",
        ),
        (
            "SENTRY_PROFILES_SAMPLE_RATE",
            "SENTRY_PROFILES_SAMPLE_RATE is set but not used: the Sentry SDK for Rust cannot profile; traces follow \
             sentry.traces_sample_rate",
        ),
    ];
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let mut notices: Vec<String> =
        unused.into_iter().filter(|(name, _)| set(name)).map(|(_, notice)| notice.to_owned()).collect();
    if search.tavily.api_key.is_some() {
        let notice = "search.tavily.api_key is set but not used: this version has no web search";
        notices.push(notice.to_owned());
    }
    if auth.mode == AuthMode::None {
        return notices;
    }
    if server.allowed_hosts.is_empty() && server.public_url.is_none() {
        let notice = "neither server.allowed_hosts nor server.public_url is set: requests for any host name are \
                      answered; name the host under which people reach this server";
        notices.push(notice.to_owned());
    }
    let shared = TrustedPeers::parse(&auth.trusted_proxies).map(|peers| peers.shared()).unwrap_or_default();
    let reachable = !server.bind.to_canonical().is_loopback();
    if reachable && auth.proxy_secret.is_none() && !shared.is_empty() {
        notices.push(format!(
            "auth.trusted_proxies trusts whole networks ({}) and there is no auth.proxy_secret: every machine in \
             them that reaches this port can say that it is anybody; set the secret, or name only the proxy's \
             address",
            shared.join(", ")
        ));
    }
    notices
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
        idle_seconds: read.number("server.idle_seconds").unwrap_or_default(),
        stalled_seconds: read.number("server.stalled_seconds").unwrap_or_default(),
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
    match auth.mode {
        AuthMode::None => refuse_without_sign_in(read),
        AuthMode::Proxy if auth.trusted_proxies.is_empty() => {
            if read.text("auth.mode").as_deref() == Some("proxy") {
                let message =
                    "auth.mode is \"proxy\", so name the networks the proxy calls from, such as 10.0.0.0/8";
                read.error("auth.trusted_proxies", message);
            }
        }
        AuthMode::Proxy => {
            for problem in TrustedPeers::parse(&auth.trusted_proxies).err().unwrap_or_default() {
                read.error("auth.trusted_proxies", problem);
            }
        }
    }
    for name in &auth.admin_users {
        match user::canonical(name) {
            None => read.error("auth.admin_users", format!("{name:?} cannot be a user's name")),
            Some(user) if user.as_str() == user::LOCAL => {
                let message =
                    format!("nobody can sign in as {name:?}: it is the user of servers without sign-in");
                read.error("auth.admin_users", message);
            }
            Some(_) => {}
        }
    }
    auth
}

/// Whoever says how people sign in does not mean that everybody is let in.
fn refuse_without_sign_in(read: &Reader) {
    let lists = ["auth.trusted_proxies", "auth.admin_groups", "auth.admin_users"];
    let others = [
        "auth.proxy_secret",
        "auth.proxy_secret_header",
        "auth.headers",
        "auth.header.user",
        "auth.header.email",
        "auth.header.name",
        "auth.header.groups",
        "auth.group_separator",
    ];
    let mode = if read.is_set("auth.mode") { "is \"none\"" } else { "is not set" };
    let lists = lists.into_iter().filter(|key| !read.list(key).is_empty());
    for key in lists.chain(others.into_iter().filter(|key| read.is_set(key))) {
        read.error(
            key,
            format!(
                "auth.mode {mode}, so nobody would sign in and everybody would be an admin; set auth.mode = \
                 \"proxy\", or remove this key"
            ),
        );
    }
}

fn log(read: &Reader) -> Log {
    let level = read.text("log.level").unwrap_or_default();
    if let Err(error) = EnvFilter::builder().parse(&level) {
        read.error("log.level", format!("{level:?} is no log filter: {error}"));
    }
    let formats = [("pretty", LogFormat::Pretty), ("json", LogFormat::Json)];
    Log { format: read.choice("log.format", &formats).unwrap_or(LogFormat::Pretty), level }
}
