//! From the merged layers to the tree, with the checks that span several keys.

use std::collections::BTreeMap;
use std::time::Duration;

use config::Value;
use url::{Host, Url};

use super::council::{council, no_provider};
use super::error::ConfigErrors;
use super::keys::KEYS;
use super::layers::Layers;
use super::providers::providers;
use super::tree::*;
use super::values::Values;
use crate::council::features::all_templates;
use crate::council::prompts::own::{self, OwnTexts};
use crate::identity::cidr::TrustedPeers;
use crate::llm::RetryPolicy;
use crate::search::{Backend, SearchSettings};

/// Builds the tree, or names everything that is wrong.
pub(super) fn config(layers: Layers, env: &BTreeMap<String, String>) -> Result<Config, ConfigErrors> {
    let mut values = Values::read(layers);
    let auth = auth(&values);
    let server = server(&mut values, &auth);
    let providers = providers(&values, server.public_url.as_ref(), env);
    let council = council(&mut values, &providers);
    let search = search(&values, &providers);
    let attachments = attachments(&values);
    // Before anything is filled in that nobody has set.
    let unread = unread(&values);
    values.fill("sentry.environment", ENVIRONMENT.into());
    let mut notices = notices(env, &server, &auth);
    notices.extend(unread);
    notices.extend(open_store(&attachments.s3));
    let config = Config {
        notices,
        server,
        data_dir: values.value("data_dir").unwrap_or_default(),
        database: values.section("database"),
        runs: values.section("runs"),
        budgets: values.section("budgets"),
        council,
        auth,
        providers,
        search,
        attachments,
        // Its other keys are settings.
        cache: values.section("cache"),
        prompts: prompts(&values),
        retention: values.section("retention"),
        sharing: values.section("sharing"),
        webhooks: values.section("webhooks"),
        schedules: values.section("schedules"),
        push: values.section("push"),
        programs: values.section("programs"),
        sentry: values.section("sentry"),
        telemetry: values.section("telemetry"),
        log: values.section("log"),
        metrics: values.section("metrics"),
    };
    if config.database.listen_url.is_some() && !values.is_set("database.url") {
        values.error("database.listen_url", "needs database.url, which is not set");
    }
    if config.push.vapid_private_key.is_some() && config.push.subject.is_none() {
        values.error(
            "push.subject",
            "must be set beside push.vapid_private_key: push services want to know whom to write to",
        );
    }
    match values.into_errors() {
        errors if errors.is_empty() => Ok(config),
        errors => Err(ConfigErrors(errors)),
    }
}

/// Set when the image is built; absent in other builds.
const ENVIRONMENT: &str = match option_env!("LLM_COUNCIL_BUILT_FOR") {
    Some(environment) => environment,
    None => "development",
};

/// The notice of a server that answers to any name.
pub const ANY_HOST: &str = "neither server.allowed_hosts nor server.public_url is set: requests for any host name are \
                            answered; name the host under which people reach this server";

/// Warnings about what is allowed, but perhaps not intended.
fn notices(env: &BTreeMap<String, String>, server: &Server, auth: &Auth) -> Vec<String> {
    let unused = [
        (
            "SENTRY_PROFILES_SAMPLE_RATE",
            "SENTRY_PROFILES_SAMPLE_RATE is set but not used: the Sentry SDK for Rust cannot profile; traces follow \
             sentry.traces_sample_rate",
        ),
        (
            "SENTRY_RELEASE",
            "SENTRY_RELEASE is set but not used: reports name the version of this program as their release",
        ),
    ];
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let mut notices: Vec<String> =
        unused.into_iter().filter(|(name, _)| set(name)).map(|(_, notice)| notice.to_owned()).collect();
    if auth.mode == AuthMode::None {
        return notices;
    }
    if !auth.token_routes.is_empty() {
        notices.push(format!(
            "auth.token_routes opens {} to every address that reaches this port: whoever holds a personal access token \
             needs no proxy there",
            auth.token_routes.join(" and ")
        ));
    }
    if server.allowed_hosts.is_empty() && server.public_url.is_none() {
        notices.push(ANY_HOST.to_owned());
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

/// Keys that say nothing without another one, and that one.
const NEEDS: [(&str, &str); 4] = [
    ("search.tavily.base_url", "search.tavily.api_key"),
    ("sentry.environment", "sentry.dsn"),
    ("push.subject", "push.vapid_private_key"),
    ("telemetry.otlp.headers", "telemetry.otlp.endpoint"),
];

/// What configures a search backend, and the word for that backend.
const OF_BACKEND: [(&str, &str); 3] =
    [("search.tavily.api_key", "tavily"), ("search.searxng.base_url", "searxng"), ("search.model", "model")];

/// Warnings about keys that are set and that nothing reads, because of other keys.
fn unread(values: &Values) -> Vec<String> {
    let alone = NEEDS.iter().filter(|(key, needed)| values.says_something(key) && values.is_blank(needed));
    let mut notices: Vec<String> = alone
        .map(|(key, needed)| {
            format!("{} is set but not used: it needs {needed}, which is not set", values.named(key))
        })
        .collect();
    let backend: String = values.value("search.backend").unwrap_or_default();
    if backend != "auto" {
        let others = OF_BACKEND.iter().filter(|(key, of)| *of != backend && values.says_something(key));
        notices.extend(others.map(|(key, _)| {
            format!("{} is set but not used: search.backend is {backend:?}", values.named(key))
        }));
    }
    notices
}

/// What an object store needs, once anything is said of one.
const STORE_NEEDS: [(&str, &str); 4] = [
    ("attachments.s3.endpoint", "the address of the object store"),
    ("attachments.s3.bucket", "the bucket that files are kept in"),
    ("attachments.s3.access_key_id", "who may put, read and delete objects there"),
    ("attachments.s3.secret_access_key", "what its requests are signed with"),
];

/// Files, with an object store that is configured whole or not at all.
fn attachments(values: &Values) -> Attachments {
    let attachments: Attachments = values.section("attachments");
    let mut keys = KEYS.iter().map(|key| key.name.as_ref()).filter(|key| key.starts_with("attachments.s3."));
    if !keys.any(|key| values.says_something(key) || values.is_wrong(key)) {
        return attachments;
    }
    for (key, what) in STORE_NEEDS {
        if values.is_blank(key) {
            values.error(key, format!("is required with any key of attachments.s3: set {what}"));
        }
    }
    let host = attachments.s3.endpoint.as_ref().and_then(Url::host);
    if !attachments.s3.path_style && matches!(host, Some(Host::Ipv4(_) | Host::Ipv6(_))) {
        values.error(
            "attachments.s3.path_style",
            "is false, and a bucket cannot be put before an IP address: name the host in attachments.s3.endpoint",
        );
    }
    attachments
}

/// Warns of an object store that files are sent to without TLS, possibly through other people's networks.
fn open_store(s3: &S3) -> Option<String> {
    let endpoint = s3.endpoint.as_ref().filter(|endpoint| endpoint.scheme() == "http")?;
    let is_near = match endpoint.host()? {
        Host::Ipv4(address) => address.is_private() || address.is_loopback() || address.is_link_local(),
        Host::Ipv6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        // Names within a machine, Compose or Kubernetes, and names of top-level domains that nobody can register.
        Host::Domain(name) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            !name.contains('.') || ["internal", "lan", "local", "localhost", "svc", "test"].contains(&last)
        }
    };
    (!is_near).then(|| {
        "attachments.s3.endpoint begins with http://: people's files are sent to it unencrypted, perhaps through \
         other people's networks; use https://"
            .to_owned()
    })
}

/// The texts that models are asked with in the place of the built-in ones, each with what replies are read by.
fn prompts(values: &Values) -> OwnTexts {
    let mut texts = Vec::new();
    for template in all_templates() {
        let key = format!("prompts.{}", template.name);
        if !values.is_set(&key) || values.is_wrong(&key) {
            continue;
        }
        let text: String = values.value(&key).unwrap_or_default();
        match own::checked(template, &text) {
            Ok(text) => texts.push((template, text)),
            Err(problems) => problems.into_iter().for_each(|problem| values.error(&key, problem)),
        }
    }
    OwnTexts::new(texts)
}

/// Web search, with what a named backend cannot do without.
fn search(values: &Values, providers: &Providers) -> SearchSettings {
    let settings: SearchSettings = values.section("search");
    let needed = match settings.backend {
        Backend::Tavily => Some(("search.tavily.api_key", "TAVILY_API_KEY")),
        Backend::Searxng => Some(("search.searxng.base_url", "the address of your SearXNG")),
        Backend::Model => Some(("search.model", "the id of a model that answers with citations")),
        Backend::Auto | Backend::Simulated | Backend::None => None,
    };
    if let Some((key, what)) = needed.filter(|(key, _)| values.is_blank(key)) {
        values.error(key, format!("is required with this search.backend: set {what}"));
    }
    if let Some(problem) = settings.model.as_deref().and_then(|model| no_provider(model, providers)) {
        values.error("search.model", problem);
    }
    let wait = values.value("council.max_retry_after_ms").unwrap_or_default();
    let retry = RetryPolicy { longest_wait: Duration::from_millis(wait), ..settings.retry };
    if providers.list.iter().any(|provider| provider.name == "search") {
        values.error(
            "providers.search.kind",
            "the name is that of web search; choose another for this provider",
        );
    }
    SearchSettings { retry, ..settings }
}

fn server(values: &mut Values, auth: &Auth) -> Server {
    let is_local = auth.mode == AuthMode::None;
    values.fill("server.bind", if is_local { "127.0.0.1" } else { "0.0.0.0" }.into());
    if is_local && !values.is_set("server.cors_origins") {
        let development = vec!["http://localhost:5173", "http://localhost:3000"];
        values.fill("server.cors_origins", Value::new(None, development));
    }
    let server: Server = values.section("server");
    if is_local && !auth.allow_insecure && !server.bind.to_canonical().is_loopback() {
        values.error(
            "server.bind",
            format!(
                "{} can be reached by others, but auth.mode is \"none\", which makes everyone the same \
                 user; set auth.mode = \"proxy\", or auth.allow_insecure = true if that is what you want",
                server.bind
            ),
        );
    }
    server
}

fn auth(values: &Values) -> Auth {
    let mut auth: Auth = values.section("auth");
    // Passed over, it would leave people with one group whose name is all of theirs.
    if values.is_set("auth.group_separator") && values.is_blank("auth.group_separator") {
        values.error("auth.group_separator", "must be one character that is no blank");
    }
    if values.is_wrong("auth.mode") {
        // What goes with a mode cannot be checked, and nothing is to be opened.
        auth.mode = AuthMode::Proxy;
        return auth;
    }
    match auth.mode {
        AuthMode::None => refuse_without_sign_in(values),
        AuthMode::Proxy if values.is_wrong("auth.trusted_proxies") => {}
        AuthMode::Proxy if auth.trusted_proxies.is_empty() => values.error(
            "auth.trusted_proxies",
            "auth.mode is \"proxy\", so name the networks the proxy calls from, such as 10.0.0.0/8",
        ),
        AuthMode::Proxy => {
            for problem in TrustedPeers::parse(&auth.trusted_proxies).err().unwrap_or_default() {
                values.error("auth.trusted_proxies", problem);
            }
        }
    }
    auth
}

/// A configuration that says how people sign in is not meant to let everybody in.
fn refuse_without_sign_in(values: &Values) {
    let mode = if values.is_set("auth.mode") { "is \"none\"" } else { "is not set" };
    let others = KEYS
        .iter()
        .map(|key| key.name.as_ref())
        .filter(|name| name.starts_with("auth.") && !["auth.mode", "auth.allow_insecure"].contains(name));
    for key in others.filter(|key| values.says_something(key)) {
        values.error(
            key,
            format!(
                "auth.mode {mode}, so nobody would sign in and everybody would be an admin; set auth.mode = \
                 \"proxy\", or remove this key"
            ),
        );
    }
}
