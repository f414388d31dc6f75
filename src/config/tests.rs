use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use secrecy::ExposeSecret as _;

use super::keys::{KEYS, env_name};
use super::*;
use crate::llm::Timeouts;
use crate::search::Backend;

pub(super) fn vars(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(super) fn load(toml: &str, env: &[(&str, &str)]) -> Result<Config, ConfigErrors> {
    Config::from_parts(toml, &vars(env), &Overrides::default())
}

pub(super) fn errors(toml: &str, env: &[(&str, &str)]) -> String {
    load(toml, env).expect_err("should be refused").to_string()
}

fn models(config: &Config) -> Vec<&str> {
    config.council.settings.council_models.iter().map(|member| member.model.as_str()).collect()
}

#[test]
fn nothing_configured_is_a_simulated_council_on_loopback() {
    let config = load("", &[]).unwrap();
    assert_eq!(config.providers.default, "simulated");
    assert_eq!(config.providers.list.len(), 1);
    assert_eq!(config.providers.list[0].kind.name, "simulated");
    assert_eq!(models(&config), ["simulated/ada", "simulated/basil", "simulated/cleo", "simulated/dora"]);
    assert_eq!(config.council.settings.chairman_model, "simulated/chair");
    assert_eq!(config.council.settings.title_model, "simulated/scribe");
    assert_eq!(config.server.bind.to_string(), "127.0.0.1");
    assert_eq!(config.server.port, 8001);
    assert_eq!(config.server.stalled(), Duration::from_secs(60));
    assert_eq!(config.server.cors_origins, ["http://localhost:5173", "http://localhost:3000"]);
    assert_eq!(config.auth.mode, AuthMode::None);
    // Values that equal the defaults are left out: every plan has a copy.
    assert!(config.council.settings.timeouts.is_empty() && config.council.settings.sampling.is_empty());
    assert!(
        config.council.settings.use_system_prompt_stage2
            && config.council.settings.count_self_votes.is_none()
    );
}

#[test]
fn an_openrouter_key_alone_is_a_council_on_openrouter() {
    let config = load("", &[("OPENROUTER_API_KEY", "sk-or-1")]).unwrap();
    assert_eq!(config.providers.default, "openrouter");
    let provider = &config.providers.list[0];
    assert_eq!(provider.kind.name, "openrouter");
    assert_eq!(provider.api_key.as_ref().unwrap().expose_secret(), "sk-or-1");
    assert_eq!(config.council.settings.council_models.len(), 4);
    assert_eq!(config.council.settings.council_models[0].model, "~openai/gpt-latest");
    assert_eq!(config.council.settings.chairman_model, "~google/gemini-pro-latest");
    assert_eq!(config.council.settings.utility_model, "~openai/gpt-mini-latest");
}

/// Each stands for the newest model of its line: the council survives the end of a model.
#[test]
fn every_model_of_the_council_on_openrouter_has_a_floating_name() {
    let mut settings = load("", &[("OPENROUTER_API_KEY", "sk-or-1")]).unwrap().council.settings;
    let named = settings.named_models();
    for (place, model) in &named {
        let family = model.strip_prefix('~').and_then(|name| name.strip_suffix("-latest"));
        let is_floating = family.and_then(|name| name.split_once('/')).is_some_and(|(author, line)| {
            !author.is_empty() && !line.is_empty() && !line.contains(|c: char| c.is_ascii_digit())
        });
        assert!(is_floating, "{place}: {model}");
    }
    for place in [
        "council_models.",
        "chairman_model",
        "multi_chairman_models.",
        "tier1_models.",
        "tier2_models.",
        "adversary_model",
        "routing_pools.coding.",
        "routing_pools.creative.",
        "routing_pools.factual.",
        "routing_pools.analysis.",
        "title_model",
        "utility_model",
    ] {
        assert!(named.iter().any(|(named, _)| named.starts_with(place)), "{place} names nobody: {named:?}");
    }
}

#[test]
fn flags_win_over_the_environment_over_the_file_over_the_defaults() {
    let toml = "data_dir = \"/file\"\n[server]\nport = 1\ndrain_seconds = 7\nheartbeat_seconds = 3";
    let env =
        [("LLM_COUNCIL__SERVER__PORT", "2"), ("PORT", "9"), ("LLM_COUNCIL__SERVER__DRAIN_SECONDS", "8")];
    let flags = Overrides { port: Some(3), ..Overrides::default() };
    let config = Config::from_parts(toml, &vars(&env), &flags).unwrap();
    assert_eq!(config.server.port, 3);
    assert_eq!(config.server.drain_seconds, 8);
    assert_eq!(config.server.heartbeat().as_secs(), 3);
    assert_eq!(config.data_dir, PathBuf::from("/file"));
    assert_eq!(config.server.body_limit_bytes, 1_048_576);
    assert_eq!(load(toml, &env).unwrap().server.port, 2, "our own name wins over PORT");
    assert_eq!(load(toml, &[("PORT", "9")]).unwrap().server.port, 9, "PORT wins over the file");
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let config = load("", &[("OPENROUTER_API_KEY", ""), ("LLM_COUNCIL__SERVER__PORT", "")]).unwrap();
    assert_eq!((config.providers.default.as_str(), config.server.port), ("simulated", 8001));
}

#[test]
fn lists_come_from_comma_separated_text_or_toml_arrays() {
    let env = [
        ("LLM_COUNCIL__COUNCIL__MODELS", " simulated/a , simulated/b,,"),
        ("LLM_COUNCIL__SERVER__ALLOWED_HOSTS", "council.example"),
    ];
    let config = load("[council]\nchairman_fallbacks = [\"simulated/x\", \"simulated/y\"]", &env).unwrap();
    assert_eq!(models(&config), ["simulated/a", "simulated/b"]);
    assert_eq!(config.server.allowed_hosts, ["council.example"]);
    assert_eq!(config.council.settings.chairman_fallbacks, ["simulated/x", "simulated/y"]);
}

#[test]
fn members_may_be_tables_with_alias_and_system_prompt() {
    let toml = r#"[council]
        models = ["simulated/a", { model = "simulated/a", alias = "Twin", system_prompt = "Be brief." }]"#;
    let config = load(toml, &[]).unwrap();
    assert_eq!(config.council.settings.council_models[1].name(), "Twin");
    assert_eq!(config.council.settings.council_models[1].system_prompt.as_deref(), Some("Be brief."));
}

#[test]
fn two_members_with_one_name_are_refused() {
    let text = errors("", &[("LLM_COUNCIL__COUNCIL__MODELS", "simulated/a,simulated/a")]);
    assert!(text.contains("two members are called \"simulated/a\""), "{text}");
}

#[test]
fn a_council_has_two_to_seven_members() {
    for list in ["simulated/a", "s/1,s/2,s/3,s/4,s/5,s/6,s/7,s/8", " , "] {
        let text = errors("", &[("LLM_COUNCIL__COUNCIL__MODELS", list)]);
        assert!(text.contains("2 to 7 members"), "{list:?}: {text}");
    }
}

#[test]
fn a_setting_of_the_council_is_refused_at_its_key_and_its_place() {
    let toml = r#"[council]
        models = ["simulated/a", { model = "two words" }, { model = "simulated/c", alais = "C" }]
        chairman_alias = "\u202e"
        tier1_models = ["simulated/a", "simulated/a"]
        routing_pools.coding = ["simulated/a", "two words"]
        escalation_agreement_threshold = 2"#;
    let text = errors(toml, &[("LLM_COUNCIL__COUNCIL__TIER2_MODELS", "simulated/a")]);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "council.chairman_alias (from config.toml): must be 1 to 200 characters without control",
        "council.escalation_agreement_threshold (from config.toml): must be a number from 0 to 1, not 2",
        "council.models (from config.toml): item 2, model: must be a model id",
        "council.models (from config.toml): item 3: unknown field `alais`",
        "council.routing_pools.coding (from config.toml): item 2: must be a model id",
        "council.tier1_models (from config.toml): item 2: \"simulated/a\" is named twice",
        "council.tier2_models (from LLM_COUNCIL__COUNCIL__TIER2_MODELS): \"simulated/a\" is in the first tier already",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, start) in lines.iter().zip(expected) {
        assert!(line.starts_with(start), "{line:?} should start with {start:?}");
    }
}

#[test]
fn what_is_built_in_stands_where_nobody_says_otherwise() {
    let council = load("council.tier2_models = []\ncouncil.chairman = \" \"", &[]).unwrap().council;
    let options = &council.settings.options;
    assert_eq!(council.settings.chairman_model, "simulated/chair");
    assert_eq!(options.adversary.adversary_model.as_deref(), Some("simulated/eve"));
    assert_eq!(options.escalation.tier2_models, [""; 0]);
    assert_eq!(options.routing.routing_pools.len(), 5, "a pool for each kind of question");
    assert!(
        council.built_in.contains("council.chairman")
            && council.built_in.contains("council.routing_pools.coding")
    );
    assert!(!council.built_in.contains("council.tier2_models"));
    let own = "[providers.local]\nkind = \"openai_compatible\"\nbase_url = \"http://localhost:11434/v1\"\n\
               [council]\nmodels = [\"a\", \"b\"]\nchairman = \"c\"";
    let council = load(own, &[]).unwrap().council;
    assert!(council.built_in.is_empty());
    assert_eq!(council.settings.options.escalation.tier1_models, [""; 0]);
    // A built-in model that does not go with a configured one is said to be built in.
    let text = errors("council.tier1_models = [\"simulated/eve\", \"simulated/a\"]", &[]);
    assert!(text.starts_with("council.tier2_models (from config.default.toml): "), "{text}");
}

#[test]
fn secrets_that_look_like_numbers_survive() {
    for secret in ["0123", "1e5", "true", " padded "] {
        let env = [("TAVILY_API_KEY", secret), ("LLM_COUNCIL__METRICS__TOKEN", secret)];
        let config = load("", &env).unwrap();
        assert_eq!(config.search.tavily.api_key.as_ref().unwrap().expose_secret(), secret);
        assert_eq!(config.metrics.token.as_ref().unwrap().expose_secret(), secret);
    }
}

#[test]
fn the_first_backend_that_is_configured_searches() {
    let chosen =
        |toml: &str, env: &[(&str, &str)], simulated: bool| load(toml, env).unwrap().search.chosen(simulated);
    let key = ("TAVILY_API_KEY", "tvly-1");
    let searxng = ("LLM_COUNCIL__SEARCH__SEARXNG__BASE_URL", "http://searxng:8080/");
    let model = ("LLM_COUNCIL__SEARCH__MODEL", "perplexity/sonar");
    let named = |name| ("LLM_COUNCIL__SEARCH__BACKEND", name);
    for (env, expected) in [
        (vec![key, searxng, model], Backend::Tavily),
        (vec![searxng, model], Backend::Searxng),
        (vec![model], Backend::Model),
        (vec![], Backend::Simulated),
        (vec![key, searxng, named("searxng")], Backend::Searxng),
        (vec![key, named("none")], Backend::None),
        (vec![key, named("simulated")], Backend::Simulated),
    ] {
        assert_eq!(chosen("", &env, true), expected, "{env:?}");
    }
    assert_eq!(chosen("", &[], false), Backend::None);
    let config = load("[council]\nmax_retry_after_ms = 7", &[searxng]).unwrap();
    assert_eq!(config.search.searxng.base_url.as_deref(), Some("http://searxng:8080"));
    assert_eq!(config.search.retry.longest_wait, Duration::from_millis(7));
    let text = errors(
        "[search]\nbackend = \"tavly\"\nmodel = \"search:tavily\"\nmax_results = 21\n[search.tavily]\nkey_in = \"url\"\n\
         price_usd = -1\n[search.searxng]\nbase_url = \"ftp://x\"\n[providers.search]\nkind = \"simulated\"",
        &[],
    );
    for key in ["backend", "model", "max_results", "tavily.key_in", "tavily.price_usd", "searxng.base_url"] {
        assert!(text.contains(&format!("search.{key} ")), "{key}: {text}");
    }
    assert!(text.contains("providers.search.kind"), "{text}");
    for (backend, key) in [
        ("tavily", "search.tavily.api_key"),
        ("searxng", "search.searxng.base_url"),
        ("model", "search.model"),
    ] {
        assert!(errors("", &[named(backend)]).contains(&format!("{key}: is required")), "{backend}");
    }
}

#[test]
fn a_number_is_no_secret() {
    let text = errors("[metrics]\ntoken = 0x7b", &[]);
    assert!(text.contains("metrics.token (from config.toml): must be text in quotes"), "{text}");
    assert!(!text.contains("123"), "{text}");
}

#[test]
fn a_secret_may_come_from_a_file() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "postgres://u:p@db/council").unwrap();
    let path = file.path().to_str().unwrap();
    for variable in ["DATABASE_URL_FILE", "LLM_COUNCIL__DATABASE__URL_FILE"] {
        let config = load("", &[(variable, path)]).unwrap();
        assert_eq!(config.database.url.unwrap().expose_secret(), "postgres://u:p@db/council");
    }
    let text = errors("", &[("DATABASE_URL_FILE", path), ("DATABASE_URL", "postgres://x/y")]);
    assert!(text.contains("DATABASE_URL_FILE sets the same key"), "{text}");
    let text = errors("", &[("SENTRY_DSN_FILE", "/no/such/file")]);
    assert!(
        text.contains("sentry.dsn (from SENTRY_DSN_FILE): the file \"/no/such/file\" cannot be read"),
        "{text}"
    );
}

#[test]
fn every_problem_is_named_at_once_with_its_source() {
    let toml = "typo = 1\n[server]\nport = \"many\"\ncors_origins = [\"*\"]\n[providers.local]\nkind = \"openai_compatible\"";
    let env = [
        ("LLM_COUNCIL__SERVER__DRAIN_SECONDS", "-1"),
        ("LLM_COUNCIL__LOG__FORMAT", "xml"),
        ("SENTRY_DSN", "hunter2"),
    ];
    let text = errors(toml, &env);
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "council.chairman: ",
        "council.models: ",
        "log.format (from LLM_COUNCIL__LOG__FORMAT): ",
        "providers.local.base_url: is required",
        "sentry.dsn (from SENTRY_DSN): ",
        "server.cors_origins (from config.toml): ",
        "server.drain_seconds (from LLM_COUNCIL__SERVER__DRAIN_SECONDS): must be a whole number from 0 to 3600",
        "server.port (from config.toml): must be a whole number from 0 to 65535",
        "typo (from config.toml): there is no such key",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, start) in lines.iter().zip(expected) {
        assert!(line.starts_with(start), "{line:?} should start with {start:?}");
    }
    assert!(!text.contains("hunter2"));
}

#[test]
fn a_mistyped_key_is_answered_with_the_key_that_was_meant() {
    let text = errors("", &[("LLM_COUNCIL__COUNCIL__CHAIRMEN", "x")]);
    assert!(text.contains("did you mean council.chairman?"), "{text}");
    let text = errors("[server]\nprot = 1", &[]);
    assert!(
        text.contains("server.prot (from config.toml): there is no such key; did you mean server.port?"),
        "{text}"
    );
    let text = errors("server = 5", &[]);
    assert!(text.contains("server (from config.toml): is a section"), "{text}");
}

#[test]
fn a_log_filter_has_a_level_in_every_part() {
    let level = |text: &str| load("", &[("LLM_COUNCIL__LOG__LEVEL", text)]).map(|config| config.log.level);
    assert_eq!(level("WARN").unwrap(), "WARN");
    assert_eq!(level("info, llm_council=debug ,[run]").unwrap(), "info,llm_council=debug,[run]");
    for (text, wrong) in
        [("warning", "warning"), ("llm_council=debug,verbose", "verbose"), ("info,sqlx", "sqlx")]
    {
        let text = errors("", &[("LLM_COUNCIL__LOG__LEVEL", text)]);
        let start = format!("log.level (from LLM_COUNCIL__LOG__LEVEL): {wrong:?} is not a level");
        assert!(text.starts_with(&start), "{text}");
    }
    assert!(errors("[log]\nlevel = \"llm_council=loud\"", &[]).contains("is not a valid log filter"));
}

#[test]
fn a_file_that_is_not_toml_is_named_by_line_and_not_quoted() {
    let text = errors("[auth]\nproxy_secret = hunter2\n", &[]);
    assert!(text.contains("line 2"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn what_is_allowed_but_perhaps_not_meant_is_said_once() {
    let notices = |pairs: &[(&str, &str)]| {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (env_name(key), (*value).to_owned())).collect();
        let config = Config::from_parts("", &pairs.into_iter().collect(), &Overrides::default());
        config.unwrap().notices.join("\n")
    };
    let proxy = ("auth.mode", "proxy");
    let all = ("auth.trusted_proxies", "10.0.0.0/8, 192.168.0.0/16, 127.0.0.1");
    let host = ("server.allowed_hosts", "council.example");
    let text = notices(&[proxy, all, host]);
    assert!(text.contains("whole networks (10.0.0.0/8, 192.168.0.0/16)"), "{text}");
    assert_eq!(notices(&[proxy, all, host, ("auth.proxy_secret", "x")]), "");
    assert_eq!(notices(&[proxy, all, host, ("server.bind", "127.0.0.1")]), "");
    assert_eq!(notices(&[proxy, ("auth.trusted_proxies", "10.0.0.2, ::1/128"), host]), "");
    let text = notices(&[proxy, ("auth.trusted_proxies", "10.0.0.2")]);
    assert!(text.starts_with("neither server.allowed_hosts nor server.public_url is set"), "{text}");
    assert_eq!(notices(&[]), "");
}

#[test]
fn another_provider_needs_a_council_and_lends_its_chairman_to_the_title() {
    let toml = "[providers.local]\nkind = \"openai_compatible\"\nbase_url = \"http://localhost:11434/v1/\"";
    let text = errors(toml, &[]);
    assert!(text.contains("set council.models, council.chairman and council.title_model"), "{text}");
    let env = [("LLM_COUNCIL__COUNCIL__MODELS", "a,b"), ("LLM_COUNCIL__COUNCIL__CHAIRMAN", "c")];
    let config = load(toml, &env).unwrap();
    assert_eq!(config.providers.default, "local");
    assert_eq!(config.providers.list[0].base_url.as_deref(), Some("http://localhost:11434/v1"));
    assert_eq!(
        (config.council.settings.title_model.as_str(), config.council.settings.utility_model.as_str()),
        ("c", "c")
    );
}

#[test]
fn the_default_provider_must_be_configured() {
    let text = errors("[providers]\ndefault = \"nope\"", &[]);
    assert!(text.contains("there is no provider \"nope\""), "{text}");
    let two = "providers.a.kind = \"simulated\"\nproviders.b.kind = \"simulated\"";
    assert!(errors(two, &[]).contains("name one of a, b"));
    let config = load(two, &[("LLM_COUNCIL__PROVIDERS__DEFAULT", "b")]).unwrap();
    assert_eq!(config.providers.default, "b");
}

#[test]
fn a_kind_has_its_own_keys_and_no_other() {
    let toml = "[providers]\ndefault = \"sim\"\n[providers.sim]\nkind = \"simulated\"\n[providers.gate]\n\
                kind = \"openai_compatible\"\nbase_url = \"http://gate.example/v1\"\n";
    let config = load(&format!("{toml}structured_outputs = true"), &[]).unwrap();
    assert_eq!(config.providers.list[0].own["structured_outputs"], true);
    assert_eq!(config.providers.list[1].own["first_token_ms"], 400, "a default");
    let text = errors(&format!("{toml}first_token_ms = 3"), &[]);
    assert!(
        text.contains("providers.gate.first_token_ms") && text.contains("is for kind simulated only"),
        "{text}"
    );
    let text = errors("[providers.gate]\nkind = \"other\"\nfirst_token_ms = 3", &[]);
    assert!(text.contains("must be openrouter or openai_compatible or bedrock or simulated"), "{text}");
    assert!(!text.contains("first_token_ms"), "which keys it has nobody knows: {text}");
}

#[test]
fn a_key_of_bedrock_configures_it_with_a_council() {
    let env = [("AWS_BEARER_TOKEN_BEDROCK", "aws-secret"), ("AWS_REGION", "eu-west-1"), ("AWS_OTHER", "x")];
    let config = load("", &env).unwrap();
    let provider = &config.providers.list[0];
    assert_eq!((provider.name.as_str(), provider.kind.name), ("bedrock", "bedrock"));
    assert_eq!(provider.environment.get("AWS_REGION").map(String::as_str), Some("eu-west-1"));
    assert!(!provider.environment.contains_key("AWS_OTHER"), "only what it looks at");
    assert_eq!(config.council.settings.council_models.len(), 4);
    assert!(!format!("{config:?}").contains("aws-secret"));
    // Our own name for it goes first.
    let config = load("", &[env[0], ("BEDROCK_API_KEY", "own-secret")]).unwrap();
    let key = config.providers.list[0].api_key.as_ref().unwrap();
    assert_eq!(secrecy::ExposeSecret::expose_secret(key), "own-secret");
}

#[test]
fn bedrock_says_what_it_needs_and_what_does_not_go_together() {
    let toml = |more: &str| format!("[providers.aws]\nkind = \"bedrock\"\n{more}");
    let text = errors(&toml(""), &[]);
    assert!(text.contains("providers.aws.api_key") && text.contains("credentials"), "{text}");
    load(&toml("credentials = \"instance\""), &[]).unwrap();
    let text = errors(&toml("api_key = \"k\"\ncredentials = \"profile\"\nregion = \"here\""), &[]);
    assert!(text.contains("providers.aws.api_key") && text.contains("providers.aws.region"), "{text}");
}

#[test]
fn provider_headers_come_from_both_layers_and_stay_out_of_debug() {
    let toml = "[providers.openrouter.headers]\nX-Title = \"Council\"";
    let env =
        [("OPENROUTER_API_KEY", "k1"), ("LLM_COUNCIL__PROVIDERS__OPENROUTER__HEADERS__X_EXTRA", "hunter2")];
    let config = load(toml, &env).unwrap();
    let headers = &config.providers.list[0].headers;
    assert_eq!((headers["X-Title"].as_str(), headers["x-extra"].as_str()), ("Council", "hunter2"));
    let text = format!("{config:?}");
    assert!(!text.contains("hunter2") && !text.contains("k1"), "{text}");
}

#[test]
fn a_password_in_a_base_url_is_refused_unseen() {
    let text = errors("", &[("LLM_COUNCIL__SEARCH__TAVILY__BASE_URL", "https://me:hunter2@x")]);
    assert!(text.contains("must not hold a user name or password") && !text.contains("hunter2"), "{text}");
}

#[test]
fn an_address_below_a_path_is_refused_for_the_app_is_at_the_root() {
    let key = "LLM_COUNCIL__SERVER__PUBLIC_URL";
    let text = errors("", &[(key, "https://host.example/council")]);
    assert!(text.contains("server.public_url") && text.contains("must not hold a path"), "{text}");
    let config = load("", &[(key, "https://host.example:8443/")]).unwrap();
    assert_eq!(config.server.public_url.unwrap().as_str(), "https://host.example:8443/");
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let env = vars(&[("LLM_COUNCIL_CONFIG", "/no/such/config.toml")]);
    let text = Config::load(None, &env, &Overrides::default()).unwrap_err().to_string();
    assert!(text.starts_with("/no/such/config.toml: the configuration file cannot be read"), "{text}");

    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "server.port = 77").unwrap();
    let config = Config::load(Some(file.path()), &env, &Overrides::default()).unwrap();
    assert_eq!(config.server.port, 77, "the flag wins over the variable");
}

#[test]
fn a_shorter_whole_shortens_the_parts_unless_they_are_set() {
    let total = ("LLM_COUNCIL__COUNCIL__TIMEOUTS__TITLE__TOTAL_MS", "20000");
    let title = load("", &[total]).unwrap().council.settings.timeouts["title"];
    assert_eq!(title, Timeouts { first_token_ms: 20_000, idle_ms: 20_000, total_ms: 20_000 });
    let idle = ("LLM_COUNCIL__COUNCIL__TIMEOUTS__TITLE__IDLE_MS", "30000");
    assert!(errors("", &[total, idle]).contains("must not be shorter"));
}

fn variable() -> impl Strategy<Value = String> {
    let known: Vec<String> = KEYS
        .iter()
        .map(|key| {
            env_name(
                &key.name
                    .replace("<name>", "local")
                    .replace("<purpose>", "title")
                    .replace("<category>", "general")
                    .replace("<header>", "X"),
            )
        })
        .chain(KEYS.iter().filter_map(|key| key.usual_env.map(str::to_owned)))
        .chain(["OPENROUTER_API_KEY".to_owned(), "AWS_BEARER_TOKEN_BEDROCK".to_owned()])
        .collect();
    prop_oneof![
        4 => proptest::sample::select(known),
        1 => "LLM_COUNCIL__[A-Z_.é\u{130}]{0,20}",
        1 => ".{0,20}",
    ]
}

proptest! {
    #[test]
    fn no_environment_makes_it_panic(env in proptest::collection::btree_map(variable(), prop_oneof![".{0,20}", "[0-9a-z,:/.*-]{0,12}"], 0..12)) {
        match Config::from_parts("", &env, &Overrides::default()) {
            Ok(config) => prop_assert!((2..=7).contains(&config.council.settings.council_models.len())),
            Err(errors) => prop_assert!(!errors.0.is_empty()),
        }
    }

    #[test]
    fn no_file_makes_it_panic(toml in "([a-z]{1,9}(\\.[a-z]{1,9})? ?= ?(\\[\\]|\\{\\}|1|\"x\"|1979-05-27)\n|\\[[a-z.]{1,20}\\]\n|.{0,10}\n){0,6}") {
        if let Err(errors) = Config::from_parts(&toml, &BTreeMap::new(), &Overrides::default()) {
            prop_assert!(!errors.0.is_empty());
        }
    }
}

#[test]
fn reports_are_traced_at_a_tenth_and_name_their_environment_unless_told_otherwise() {
    let sentry = load("", &[]).unwrap().sentry;
    assert!((sentry.traces_sample_rate - 0.1).abs() < 1e-6);
    assert_eq!(sentry.environment, "development");
    let config = load(
        "",
        &[
            ("SENTRY_TRACES_SAMPLE_RATE", "0.5"),
            ("SENTRY_ENVIRONMENT", "proving"),
            ("SENTRY_PROFILES_SAMPLE_RATE", "1"),
        ],
    )
    .unwrap();
    assert!((config.sentry.traces_sample_rate - 0.5).abs() < 1e-6);
    assert_eq!(config.sentry.environment, "proving");
    assert!(config.notices[0].contains("SENTRY_PROFILES_SAMPLE_RATE"), "{:?}", config.notices);
}
