//! The table of every key there is: unknown keys are found with it, defaults are read from it,
//! and `docs/configuration.md` is written from it. The council's settings are defined in `council`.

use std::borrow::Cow;
use std::sync::LazyLock;

use config::{Value, ValueKind};
use serde_json::Value as Json;

use super::kind::{Kind, Rule};
use super::rules;
use crate::council::features::{all_templates, purposes};
use crate::council::setting::{self, Setting};
use crate::council::settings::Settings;
use crate::llm::kind::{OwnKey, OwnValue};
use crate::llm::kinds;

/// One key, or a pattern of keys: `<name>` stands for a provider, `<header>` for a header's name, other words in
/// angle brackets for those of [`WORDS`].
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub name: Cow<'static, str>,
    pub kind: Kind,
    pub rule: Rule,
    /// The built-in value as it would be written in the environment; empty when there is none.
    pub default: Cow<'static, str>,
    /// The short name that other programs use for the same thing.
    pub usual_env: Option<&'static str>,
    pub doc: Cow<'static, str>,
    pub example: &'static str,
}

const fn key(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Key {
    Key {
        name: Cow::Borrowed(name),
        kind,
        rule: rules::any,
        default: Cow::Borrowed(default),
        usual_env: None,
        doc: Cow::Borrowed(doc),
        example: "",
    }
}

impl Key {
    const fn usual(mut self, env: &'static str) -> Self {
        self.usual_env = Some(env);
        self
    }

    const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    const fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// The built-in value, if there is one.
    pub(super) fn default_value(&self) -> Option<Value> {
        let (value, problems) = self.kind.read(self.rule, &ValueKind::from(self.default.as_ref()));
        debug_assert!(self.default.is_empty() || problems.is_empty(), "{}: {problems:?}", self.name);
        (value != ValueKind::Nil).then(|| Value::new(None, value))
    }

    /// The environment variable of this key; of a pattern, with its placeholders upper-cased.
    pub(super) fn env(&self) -> String {
        env_name(&self.name)
    }
}

/// `server.port` as `LLM_COUNCIL__SERVER__PORT`.
pub(super) fn env_name(key: &str) -> String {
    format!("{ENV_PREFIX}{}", key.replace('.', "__").to_uppercase())
}

/// What our own environment variables begin with.
pub(super) const ENV_PREFIX: &str = "LLM_COUNCIL__";

const MS: Kind = Kind::Number(1, 3_600_000);
/// US dollars.
const USD: Kind = Kind::Decimal(0.0, 10_000_000.0);
const SECONDS: Kind = Kind::Number(1, 3600);

/// Every key, in the order of the documentation.
pub(super) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let in_council = |key: &Key| key.name.starts_with("council.");
    let settings = Settings::all().into_iter().filter_map(of_setting);
    let (council, elsewhere): (Vec<_>, Vec<_>) = settings.partition(in_council);
    let (calls, after): (Vec<_>, Vec<_>) = AFTER.iter().cloned().partition(in_council);
    let before = BEFORE.iter().chain(PROVIDER).cloned().chain(provider_keys());
    before.chain(council).chain(calls).chain(elsewhere).chain(after).collect()
});

/// The keys before those of the council's settings.
const BEFORE: &[Key] = &[
    key("server.bind", Kind::Text, "", "The address to listen on. By default 127.0.0.1 with `auth.mode = \"none\"`, else 0.0.0.0.").example("0.0.0.0").rule(rules::ip_address),
    key("server.port", Kind::Number(0, 65_535), "8001", "The port to listen on; 0 lets the system choose one.").usual("PORT"),
    key("server.public_url", Kind::Text, "", "Where users reach this server, for links it hands out. Without a path: the app needs a host name of its own.").example("https://council.example.org").rule(rules::public_url),
    key("server.cors_origins", Kind::List, "", "Other origins whose pages may call the API from a browser. By default none; with `auth.mode = \"none\"`, http://localhost:5173 and http://localhost:3000.").example("https://tools.example.org").rule(rules::origin),
    key("server.allowed_hosts", Kind::List, "", "Host names to answer, with or without a port; anything else is refused with 421, but for `/health/…`. By default any with `auth.mode = \"proxy\"`; with `auth.mode = \"none\"` only `localhost`, loopback addresses, `server.bind` where it is one address, and the host of `server.public_url`.").example("council.example.org").rule(rules::host),
    key("server.notice_seconds", Kind::Number(0, 3600), "0", "How long after SIGTERM everything goes on as before while `/health/ready` says 503, so that load balancers send requests elsewhere before any is refused. With several servers a little more than it takes their health check to fail."),
    key("server.drain_seconds", Kind::Number(0, 3600), "90", "How long runs may finish after SIGTERM (and `server.notice_seconds`) before they are handed over."),
    key("server.body_limit_bytes", Kind::Number(1024, 104_857_600), "1048576", "The largest request body. Files have limits of their own (`attachments.max_bytes`)."),
    key("server.body_timeout_seconds", SECONDS, "15", "How long a request's body may take to arrive; one with files has at least two minutes."),
    key("server.heartbeat_seconds", SECONDS, "15", "The pause between heartbeats on a silent event stream."),
    key("server.idle_seconds", SECONDS, "15", "How long a connection may be open without a request: silent, or with one that does not end. What waits for its answer is not idle."),
    key("server.stalled_seconds", SECONDS, "60", "How long a client may take nothing of what it is sent before its connection is closed. A reader of events can resume where it was."),
    key("data_dir", Kind::Text, "./data", "Where files are kept that are not in the database."),
    key("database.url", Kind::Secret, "", "The PostgreSQL to keep conversations and runs in.").usual("DATABASE_URL").example("postgres://council:…@db/council").rule(rules::postgres_url),
    key("database.listen_url", Kind::Secret, "", "The same database past a pooler in transaction mode (or through one in session mode), for the one connection that receives notices of the other servers. Without it, behind such a pooler, each server polls four times a second.").example("postgres://council:…@db:5432/council").rule(rules::postgres_url),
    key("database.pooling", Kind::Choice(&["auto", "session", "transaction"]), "auto", "Whether a pooler such as PgBouncer stands before the database: `session` (none, or one that gives each connection a session of its own) or `transaction`; `auto` finds out at start."),
    key("database.max_connections", Kind::Number(1, 1000), "10", "The most connections to the database."),
    key("runs.max_live", Kind::Number(1, 100_000), "1000", "The most runs this server process executes at once; more wait their turn."),
    key("runs.max_per_user", Kind::Number(1, 100_000), "10", "The most runs of one user at once, over all servers; more wait their turn."),
    key("runs.max_queued", Kind::Number(0, 100_000), "1000", "The most runs that wait, over all servers; beyond it a question is refused with 503."),
    key("runs.max_queued_per_user", Kind::Number(0, 100_000), "20", "The most runs of one user that wait; beyond it a question is refused with 429."),
    key("runs.lease_seconds", Kind::Number(1, 3600), "10", "How long a vanished server keeps its runs before another one takes them over."),
    key("runs.on_disconnect", Kind::Choice(&["continue", "cancel"]), "continue", "What becomes of a run that nobody watches any more: it goes on, or it is cancelled. Servers on one database ask each other for readers; where they cannot hear each other (`database.listen_url`), each counts its own only: use `cancel` behind sticky sessions there."),
    key("runs.disconnect_grace_seconds", Kind::Number(0, 3600), "10", "With `cancel`: how long a reader has to come back."),
    key("runs.seed", Kind::Text, "", "A UUID that the random choices of every run are made from, so that the same question gives the same labels and orders again: for tests and demonstrations. Without it each run has its own.").example("00000000-0000-4000-8000-000000000000").rule(rules::uuid),
    key("budgets.per_run_usd", USD, "", "The most that one question may cost, in US dollars. Like every budget here it holds where no admin has set another, and by default there is none.").example("0.50"),
    key("budgets.user_per_day_usd", USD, "", "The most that each user may spend in a calendar day (UTC).").example("5"),
    key("budgets.user_per_month_usd", USD, "", "The most that each user may spend in a calendar month (UTC).").example("50"),
    key("budgets.instance_per_day_usd", USD, "", "The most that everybody together may spend in a calendar day (UTC).").example("100"),
    key("budgets.instance_per_month_usd", USD, "", "The most that everybody together may spend in a calendar month (UTC).").example("1000"),
    key("budgets.unknown_prices", Kind::Choice(&["allow", "refuse"]), "allow", "What budgets do with calls whose price is unknown: let them through until the budget is used up and count them beside its figures, or refuse them."),
    key("auth.mode", Kind::Choice(&["none", "proxy"]), "none", "Who says who the user is: `proxy` believes the headers of an authenticating proxy, `none` has one local user."),
    key("auth.trusted_proxies", Kind::List, "", "The networks (CIDR) whose identity headers count, none wider than /8 (IPv6: /7). Required with `auth.mode = \"proxy\"`, and refused without it like every other key here that says how people sign in.").example("10.0.0.0/8, fd00::/8"),
    key("auth.headers", Kind::Choice(&["authelia", "oauth2_proxy", "authentik"]), "authelia", "Which proxy's header names to read."),
    key("auth.header.user", Kind::Text, "", "The header with the user's id, instead of the preset's.").example("Remote-User").rule(rules::header_name),
    key("auth.header.email", Kind::Text, "", "The header with the email address, instead of the preset's.").example("Remote-Email").rule(rules::header_name),
    key("auth.header.name", Kind::Text, "", "The header with the display name, instead of the preset's.").example("Remote-Name").rule(rules::header_name),
    key("auth.header.groups", Kind::Text, "", "The header with the groups, instead of the preset's.").example("Remote-Groups").rule(rules::header_name),
    key("auth.group_separator", Kind::Text, "", "The one character between groups, instead of the preset's; no blank.").example("|").rule(rules::character),
    key("auth.admin_groups", Kind::List, "", "Groups whose members are admins.").example("council-admins"),
    key("auth.admin_users", Kind::List, "", "Users who are admins.").example("ada").rule(rules::admin),
    key("auth.proxy_secret", Kind::Secret, "", "A secret that the proxy adds to every request; recommended with `auth.mode = \"proxy\"`."),
    key("auth.proxy_secret_header", Kind::Text, "X-LLM-Council-Proxy-Secret", "The header in which the proxy adds it.").rule(rules::header_name),
    key("auth.token_routes", Kind::List, "", "The routes for programs, `/v1` and `/mcp`, that peers outside of `auth.trusted_proxies` may call too, with a personal access token and nothing else: for programs that cannot pass a proxy's sign-in page. By default none: such programs then need a way through the proxy.").example("/v1, /mcp").rule(rules::token_route),
    key("auth.allow_insecure", Kind::Bool, "false", "Lets `auth.mode = \"none\"` listen on an address that others can reach: everyone is then the same user."),
    key("providers.default", Kind::Text, "", "The provider of models named without one. By default `openrouter` if it is configured, else the only one there is."),
];

/// The keys that every provider has.
const PROVIDER: &[Key] = &[
    key(
        "providers.<name>.kind",
        Kind::Choice(&kinds::NAMES),
        "",
        "How to talk to it. May be left out for a provider that is called like its kind.",
    )
    .example("openai_compatible"),
    key(
        "providers.<name>.base_url",
        Kind::Text,
        "",
        "The part before `/chat/completions`. Required for `openai_compatible`.",
    )
    .example("http://localhost:11434/v1")
    .rule(rules::base_url),
    key(
        "providers.<name>.api_key",
        Kind::Secret,
        "",
        "The key to call it with. `OPENROUTER_API_KEY` is the key of the provider `openrouter`, and configures it.",
    ),
    key(
        "providers.<name>.headers.<header>",
        Kind::Secret,
        "",
        "A header to send with every call. In the environment, `_` in a header's name stands for `-`.",
    )
    .example("LLM Council")
    .rule(rules::header_value),
    key("providers.<name>.stream", Kind::Bool, "true", "Whether replies are asked for token by token."),
    key(
        "providers.<name>.image_models",
        Kind::List,
        "",
        "The ids of its models that see pictures, besides those of which its list, or what is known of the service, says so; `*` stands \
         for anything. A model of which nobody says it is shown none. ([providers.md](providers.md#pictures))",
    )
    .example("llava*, qwen2.5vl:7b"),
    key(
        "providers.<name>.max_in_flight",
        Kind::Number(1, 10_000),
        "1000",
        "The most calls at once; further ones wait, within their time limits. Lower it for a server of your own that answers few at once.",
    ),
];

/// The keys that only some kinds of providers have.
fn provider_keys() -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for kind in kinds::KINDS {
        for own in kind.keys {
            let name = format!("providers.<name>.{}", own.name);
            // Two kinds may have one key; it means the same.
            if keys.iter().all(|key| key.name != name) {
                keys.push(of_provider(name, own));
            }
        }
    }
    keys
}

fn of_provider(name: String, own: &OwnKey) -> Key {
    let (kind, rule): (Kind, Rule) = match own.value {
        OwnValue::Text => (Kind::Text, rules::any),
        OwnValue::Secret => (Kind::Secret, rules::any),
        OwnValue::Flag => (Kind::Bool, rules::any),
        OwnValue::Number(low, high) => (Kind::Number(low, high), rules::any),
        OwnValue::Choice(words) => (Kind::Choice(words), rules::any),
        OwnValue::List => (Kind::List, rules::any),
        OwnValue::Url => (Kind::Text, rules::base_url),
    };
    let of: Vec<String> = kinds::KINDS
        .iter()
        .filter(|kind| kind.keys.iter().any(|key| key.name == own.name))
        .map(|kind| format!("`{}`", kind.name))
        .collect();
    Key {
        name: name.into(),
        kind,
        rule,
        default: own.default.into(),
        usual_env: None,
        doc: format!("Kind {} only. {}", of.join(", "), own.doc).into(),
        example: own.example,
    }
}

/// The words of a choice, for a sentence.
pub(super) fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The keys after them.
const AFTER: &[Key] = &[
    key("council.max_retry_after_ms", Kind::Number(0, 600_000), "30000", "The longest wait that a provider may ask for (`Retry-After`). A call that is to wait longer fails at once and says so."),
    key("council.sampling.<purpose>.temperature", Kind::Decimal(0.0, 2.0), "", "The temperature; the provider's own when not set.").example("0.7"),
    key("council.sampling.<purpose>.max_tokens", Kind::Number(1, 1_000_000), "", "The most tokens of a reply; the provider's own when not set.").example("4096"),
    key("council.timeouts.<purpose>.first_token_ms", MS, "60000", "How long until the first token, per try."),
    key("council.timeouts.<purpose>.idle_ms", MS, "60000", "How long between two tokens."),
    key("council.timeouts.<purpose>.total_ms", MS, "300000", "How long for the whole call, tries and pauses included."),
    key("prompts.<template>", Kind::Template, "", "What models are asked with in the place of this program's own text ([prompts.md](prompts.md)). It has the places in braces, and the words that replies are read by, of the text that it stands for. Runs under way keep the text they began with."),
    key("attachments.max_bytes", Kind::Number(0, 104_857_600), "10485760", "The largest file that may come with a question, in bytes. 0: no files are taken. A proxy has to let as much through. ([attachments.md](attachments.md))"),
    key("attachments.max_image_bytes", Kind::Number(0, 20_971_520), "3670016", "The largest picture, in bytes; no larger than `attachments.max_bytes` in any case. The default, 3.5 MiB, is what every provider that is known here takes once it is written in Base64; raise it only where all of yours take more. 0: no pictures are taken."),
    key("attachments.max_per_question", Kind::Number(0, 50), "10", "How many files may come with one question. 0: no files are taken."),
    key("attachments.max_bytes_per_user", Kind::Number(0, 1_099_511_627_776), "209715200", "How much all files of one user may take up, in bytes, wherever they are kept. 0: no files are taken."),
    key("attachments.max_per_project", Kind::Number(0, 100), "20", "How many files one project may have. 0: projects have no files, and questions are read without those that are there. ([projects.md](projects.md#files))"),
    key("attachments.max_bytes_per_project", Kind::Number(0, 1_099_511_627_776), "52428800", "How much all files of one project may take up, in bytes, wherever they are kept. 0: as with `attachments.max_per_project`."),
    key("attachments.s3.endpoint", Kind::Text, "", "An object store that speaks as Amazon S3 does (MinIO, Ceph, Garage, R2 …), where larger files are kept instead of in the database. It may be in a network of your own. With it go `bucket`, `access_key_id` and `secret_access_key`. ([attachments.md](attachments.md#in-an-object-store))").example("https://s3.eu-central-1.amazonaws.com").rule(rules::store_url),
    key("attachments.s3.bucket", Kind::Text, "", "The bucket, which is there already.").example("council-files").rule(rules::bucket),
    key("attachments.s3.region", Kind::Text, "us-east-1", "The region that requests are signed for.").rule(rules::region),
    key("attachments.s3.prefix", Kind::Text, "", "What the keys of objects begin with, where the bucket is not for this server alone.").example("council/").rule(rules::object_prefix),
    key("attachments.s3.access_key_id", Kind::Text, "", "Whose requests these are: somebody who may put, read and delete objects there, and needs nothing else.").example("AKIAIOSFODNN7EXAMPLE").rule(rules::access_key_id),
    key("attachments.s3.secret_access_key", Kind::Secret, "", "What they are signed with."),
    key("attachments.s3.path_style", Kind::Bool, "true", "Whether the bucket stands in the path (`https://store/bucket/key`), as most stores of one's own want it, or before the host (`https://bucket.store/key`)."),
    key("attachments.s3.from_bytes", Kind::Number(0, 104_857_600), "65536", "The smallest file that is kept there, in bytes; smaller ones stay in the database. It counts for files from now on: those that there are stay where they are."),
    key("cache.max_entries", Kind::Number(1, 1000), "1000", "How many answers of one user are kept to be given again; beyond it the least recently used ones are deleted."),
    key("cache.sharing", Kind::Choice(&["off", "groups", "everyone"]), "off", "Whose questions an answer may be given to besides its owner's: nobody's, those of members of a group that the owner is in, or everybody's. Answers are shared, never questions, and only those that are given while this is set."),
    key("retention.days", Kind::Number(0, 36_500), "0", "After how many days without activity conversations are deleted for good. 0: they are kept for as long as their owners want. It holds where no administrator has chosen another number; people read of it in their settings, and a week before on the conversation. ([own-data.md](own-data.md))").example("365"),
    key("programs.disconnect_grace_seconds", Kind::Number(0, 3600), "60", "How long a run that a program asked for by `/v1` goes on when the program has gone and nobody else watches; then it is cancelled. Not where the program asked for it in the background. Servers on one database ask each other for readers, as with `runs.on_disconnect`."),
    key("programs.join_seconds", Kind::Number(0, 86_400), "600", "How long after its answer the same request of the same program is given that answer again instead of being asked, and paid for, once more. While it is being answered it always is."),
    key("programs.single_seats", Kind::Bool, "false", "Whether `/v1/models` offers each member of the council by itself, as `seat/<name>`: one call, without a council."),
    key("programs.chores", Kind::List, "", "What the last message of a chore begins with, besides the prompts of chat programs that are known: such a request is answered by the utility model alone. Texts with commas only in the file.").example("Summarise this chat in one line"),
    key("sharing.max_days", Kind::Number(0, 3_650), "90", "For how many days a link to a shared conversation may work at most. 0: nobody may share any; links that there are go on working until they expire or are withdrawn. ([sharing.md](sharing.md))"),
    key("schedules.max_per_user", Kind::Number(0, 1_000), "20", "How many scheduled questions one user may have. 0: nobody may make one, and those that there are ask nothing. ([schedules.md](schedules.md))"),
    key("schedules.min_interval_minutes", Kind::Number(1, 1_440), "15", "The shortest pause between two times of a scheduled question, in minutes; looked at when one is made or changed."),
    key("webhooks.max_per_user", Kind::Number(0, 100), "10", "How many webhooks one user may have, and the instance. 0: nobody may make one."),
    key("webhooks.allowed_networks", Kind::List, "", "Networks (CIDR) beside the public internet that webhooks may be sent to, there without TLS as well. Whoever may make a webhook can then reach what listens there.").example("10.20.0.0/16").rule(rules::network),
    key("push.vapid_private_key", Kind::Secret, "", "The key that this server signs with when it tells people's devices that a run has ended or waits (Web Push): `llm-council vapid-key` makes one. Another key means that everybody has to switch their notifications on again. Without a key there are none but those of an open page. ([notifications.md](notifications.md))").rule(rules::vapid_key),
    key("push.subject", Kind::Text, "", "Whom push services may write to about what this server sends: a `mailto:` or `https:` address.").example("mailto:council@example.org").rule(rules::push_subject),
    key("push.allowed_networks", Kind::List, "", "Networks (CIDR) beside the public internet where push services of your own may listen, there without TLS as well. Everybody who signs in can then reach what listens there.").example("10.20.0.0/16").rule(rules::network),
    key("search.backend", Kind::Choice(&["auto", "tavily", "searxng", "model", "simulated", "none"]), "auto", "Who is asked when something is searched on the web. `auto` takes the first that is configured: Tavily (a key), SearXNG (an address), a model (`search.model`); beside simulated models a few built-in documents; else nobody, and what needs a search is not offered."),
    key("search.model", Kind::Text, "", "A model that searches by itself and answers with citations.").example("perplexity/sonar").rule(rules::search_model),
    key("search.max_results", Kind::Number(1, 20), "5", "The most results of one search."),
    key("search.max_in_flight", Kind::Number(1, 10_000), "20", "The most searches at once; further ones wait, within their time limits."),
    key("search.timeout_ms", Kind::Number(1, 600_000), "15000", "How long a search may take, per try."),
    key("search.tavily.base_url", Kind::Text, "https://api.tavily.com", "Where Tavily is asked: the part before `/search`.").rule(rules::base_url),
    key("search.tavily.api_key", Kind::Secret, "", "The key of Tavily.").usual("TAVILY_API_KEY"),
    key("search.tavily.key_in", Kind::Choice(&["header", "body", "both"]), "both", "Where the key is sent: as a bearer token (as Tavily's documentation has it), as `api_key` in the body (as older gateways read it), or both."),
    // The price of one credit without a plan, as published in November 2026; a basic search costs one credit.
    key("search.tavily.price_usd", Kind::Decimal(0.0, 100.0), "0.008", "What one search costs, in US dollars, for the figures and budgets: Tavily's reply does not say. The default is the price of one credit without a plan."),
    key("search.searxng.base_url", Kind::Text, "", "A SearXNG of your own: the part before `/search`. It must answer in JSON (`search.formats` in its settings.yml).").example("http://searxng:8080").rule(rules::base_url),
    key("search.searxng.price_usd", Kind::Decimal(0.0, 100.0), "0", "What one search costs, in US dollars, for the figures and budgets."),
    key("sentry.dsn", Kind::Secret, "", "Where errors are reported; without it nowhere.").usual("SENTRY_DSN").rule(rules::sentry_dsn),
    key("sentry.environment", Kind::Text, "", "The environment's name in error reports. By default `production` in the image, else `development`.").usual("SENTRY_ENVIRONMENT").example("production"),
    key("sentry.traces_sample_rate", Kind::Decimal(0.0, 1.0), "0.1", "The share of requests whose timing is reported too, where errors are reported. `SENTRY_PROFILES_SAMPLE_RATE` is accepted and not used: the Sentry SDK for Rust cannot profile.").usual("SENTRY_TRACES_SAMPLE_RATE"),
    key("telemetry.otlp.endpoint", Kind::Text, "", "Where a collector of OpenTelemetry's takes traces and metrics over HTTP: the part before `/v1/traces`. Without it nothing is sent.").usual("OTEL_EXPORTER_OTLP_ENDPOINT").example("http://collector:4318").rule(rules::base_url),
    key("telemetry.otlp.headers", Kind::Secret, "", "Headers that the collector asks for, as `name=value,name=value` with percent-encoded values.").usual("OTEL_EXPORTER_OTLP_HEADERS").rule(rules::header_list),
    key("telemetry.otlp.service_name", Kind::Text, "llm-council", "What the collector calls this program.").usual("OTEL_SERVICE_NAME"),
    key("telemetry.otlp.timeout_ms", Kind::Number(100, 60_000), "5000", "How long the collector has to take what is sent; after that it is dropped.").usual("OTEL_EXPORTER_OTLP_TIMEOUT"),
    key("log.format", Kind::Choice(&["pretty", "json"]), "pretty", "Log lines for people or for machines."),
    key("log.level", Kind::Text, "info", "What is logged: a level (`error`, `warn`, `info`, `debug`, `trace`, `off`), or several by module.").example("info,llm_council=debug").rule(rules::log_filter),
    key("metrics.bind", Kind::Text, "", "A separate address and port for Prometheus metrics.").example("127.0.0.1:9464").rule(rules::socket_address),
    key("metrics.token", Kind::Secret, "", "The bearer token that metrics ask for; without it a request gets a 404, as for everything that is not there. If no token is set, only the port of `metrics.bind` has metrics, for everybody who reaches it."),
];

/// What may stand for a word in angle brackets.
pub(super) static WORDS: LazyLock<Vec<(String, Vec<&'static str>)>> = LazyLock::new(|| {
    let of_table = |setting: &Setting| {
        let setting::Kind::ModelsUnder(words) = setting.kind else { return None };
        Some((setting.key()?.rsplit('.').next()?.to_owned(), words.to_vec()))
    };
    let of_purposes = ("<purpose>".to_owned(), purposes().map(|purpose| purpose.name).collect());
    let of_templates =
        ("<template>".to_owned(), all_templates().into_iter().map(|template| template.name).collect());
    [of_purposes, of_templates].into_iter().chain(Settings::all().into_iter().filter_map(of_table)).collect()
});

/// The key of a setting of the council, where it has one.
fn of_setting(setting: &Setting) -> Option<Key> {
    let kind = match setting.kind {
        setting::Kind::Flag => Kind::Bool,
        setting::Kind::Number(low, high) => Kind::Number(low, high),
        setting::Kind::Decimal(low, high) => Kind::Decimal(low, high),
        setting::Kind::Name | setting::Kind::Model | setting::Kind::EmbeddingModel => Kind::Text,
        setting::Kind::Models(_) | setting::Kind::Fallbacks | setting::Kind::ModelsUnder(_) => Kind::List,
        setting::Kind::Members | setting::Kind::Reviewers => Kind::Members,
        setting::Kind::Options | setting::Kind::PerCall => return None,
    };
    let default = match (setting.default)() {
        Json::Bool(flag) => flag.to_string(),
        Json::Number(number) => number.as_f64().map(|number| number.to_string()).unwrap_or_default(),
        Json::String(text) => text,
        Json::Null | Json::Array(_) | Json::Object(_) => String::new(),
    };
    Some(Key {
        name: setting.key()?.into(),
        kind,
        rule: rules::any,
        default: default.into(),
        usual_env: None,
        doc: setting.reference().into(),
        example: setting.example,
    })
}

/// The key that this dotted name is, or is a case of.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| matches(&key.name, name))
}

/// The key of this name, which is known to be one.
pub(super) fn known(name: &str) -> &'static Key {
    find(name).unwrap_or_else(|| unreachable!("{name} is read but is not in the table of keys"))
}

/// The names below this section, as far as they are not for somebody to choose.
pub(super) fn inside(section: &str) -> Vec<String> {
    let depth = section.split('.').count();
    let rest = |key: &'static Key| {
        let (start, rest) =
            key.name.match_indices('.').nth(depth - 1).map(|(dot, _)| key.name.split_at(dot))?;
        (matches(start, section) && !rest.contains('<')).then(|| rest.trim_start_matches('.').to_owned())
    };
    KEYS.iter().filter_map(rest).collect()
}

/// Whether this dotted name is a section: something below it is a key.
pub(super) fn is_section(name: &str) -> bool {
    let depth = name.split('.').count();
    KEYS.iter().any(|key| {
        let parts: Vec<&str> = key.name.split('.').collect();
        parts.len() > depth
            && parts.iter().zip(name.split('.')).all(|(part, given)| part_matches(part, given))
    })
}

fn matches(pattern: &str, name: &str) -> bool {
    pattern.split('.').count() == name.split('.').count()
        && pattern.split('.').zip(name.split('.')).all(|(part, given)| part_matches(part, given))
}

fn part_matches(pattern: &str, given: &str) -> bool {
    match pattern {
        "<name>" => is_provider_name(given),
        "<header>" => rules::is_header_name(given),
        _ if pattern.starts_with('<') => {
            WORDS.iter().any(|(word, words)| word == pattern && words.contains(&given))
        }
        exact => exact == given,
    }
}

/// Provider names stand in model ids, keys and variables: lower-case letters, digits, `_`, `-`.
fn is_provider_name(name: &str) -> bool {
    name != "default"
        && name.len() <= 40
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
}

/// The keys that a pattern stands for, where they are words of ours; else the pattern itself.
fn cases(key: &'static Key) -> Vec<String> {
    let word = WORDS.iter().find(|(word, _)| key.name.contains(word.as_str()));
    match word {
        Some((word, words)) => words.iter().map(|given| key.name.replace(word.as_str(), given)).collect(),
        None => vec![key.name.to_string()],
    }
}

/// The known key nearest to a mistyped one, when it is near enough to be meant.
pub(super) fn nearest(name: &str) -> Option<String> {
    // A long name cannot be a slip of a few letters, and the distance costs its length.
    if name.len() > 100 {
        return None;
    }
    KEYS.iter()
        .flat_map(cases)
        .map(|key| (strsim::levenshtein(&key, name), key))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, name)| name)
}
