//! What the program says to the person who starts it, and how it ends when it cannot.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::support::app::{Answer, User};
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::{Program, READY};

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn everything_wrong_in_file_environment_and_flags_is_named_at_once_and_no_secret_is_shown() {
    let program = Program::plain()
        .file(
            "config.toml",
            "nonsense = 1\n[server]\ndrain_seconds = \"soon\"\n[sentry]\ndsn = \"hunter2 of the file\"\n",
        )
        .env("DATABASE_URL", "hunter2 of the environment")
        .set("server.prot", "8001")
        .set("log.format", "xml")
        .set("providers.local.api_key", "hunter2 of a provider");
    let ended = program.run(&["serve", "--bind", "0.0.0.0"]).await;
    assert_eq!(ended.code, Some(78));
    assert_eq!(ended.stdout, "");
    for expected in [
        "nonsense (from config.toml): there is no such key",
        "server.drain_seconds (from config.toml): must be a whole number",
        "sentry.dsn (from config.toml): ",
        "database.url (from DATABASE_URL): ",
        "server.prot (from LLM_COUNCIL__SERVER__PROT): there is no such key; did you mean server.port?",
        "log.format (from LLM_COUNCIL__LOG__FORMAT): ",
        "providers.local.kind: is required",
        "server.bind (from --bind): ",
    ] {
        assert_eq!(ended.stderr.matches(expected).count(), 1, "{expected}: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    assert_eq!(names_in(program.home()), ["config.toml"], "nothing was begun");
}

#[tokio::test]
async fn flags_the_program_does_not_know_are_refused_with_a_hint() {
    let ended = Program::plain().run(&["serve", "--prot", "8001"]).await;
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--port"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_port_in_use_is_named_before_any_data_is_touched() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let program = Program::plain();
    let ended = program.run(&["serve", "--port", &port]).await;
    assert_eq!(ended.code, Some(1));
    let expected = format!("cannot listen on 127.0.0.1:{port}: Address already in use");
    assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
    assert_eq!(names_in(program.home()), [""; 0]);
}

#[tokio::test]
async fn a_database_that_cannot_be_reached_is_named_without_its_password() {
    let url = "postgres://council:hunter2@127.0.0.1:1/answers";
    let named = |said: &str| {
        for expected in ["cannot reach the database", "127.0.0.1:1", "answers", "council", "database.url"] {
            assert!(said.contains(expected), "{expected}: {said}");
        }
        assert!(!said.contains("hunter2"), "{said}");
    };
    for program in [Program::plain().env("DATABASE_URL", url), Program::plain()] {
        // A flag wins over the environment.
        let ended = program.run(&["migrate", "--database-url", url]).await;
        assert_eq!(ended.code, Some(1));
        named(&ended.stderr);
    }
    let program = Program::plain().env("DATABASE_URL", url).set("server.port", "0").set("log.format", "json");
    let server = program.listen().await;
    server.until_logged(|text| text.contains("waiting for the database")).await;
    named(&server.log());
    let anybody = User::at(server.base(), "").without_identity();
    assert_eq!(anybody.get("/health/live").await.status, 200);
    let ready = anybody.get("/health/ready").await;
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["reason"], "the database cannot be reached", "and nothing of where it is");
    assert_eq!(anybody.get("/").await.status, 200, "the page that says so is there");
    assert_eq!(anybody.get("/api/conversations").await.status, 503);
    // It can be stopped all the same.
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
}

#[tokio::test]
async fn a_database_that_is_created_after_the_server_was_started_is_waited_for() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let name = db.options().get_database().unwrap().to_owned();
    let late = format!("{name}_late");
    let url = db.url().replace(&format!("/{name}?"), &format!("/{late}?"));
    let server = Program::council_on(&url, &models).listen().await;
    server.until_logged(|text| text.contains("waiting for the database")).await;
    let ann = server.user("ann");
    let ready = ann.get("/health/ready").await;
    assert_eq!((ready.status, &ready.json()["database"]), (503, &json!(false)));
    assert_eq!(ready.json()["reason"], "there is no such database yet");
    let refused = ann.post("/api/conversations", json!({})).await;
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    assert_eq!(ann.clone().without_identity().get("/api/conversations").await.status, 401);

    let mut superuser = db.superuser().await;
    sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {late}"))).execute(&mut superuser).await.unwrap();
    server.until_logged(|text| text.contains(READY)).await;
    assert_eq!(ann.get("/health/ready").await.ok()["reason"], Value::Null);
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    server.kill();
    let drop = format!("DROP DATABASE {late} WITH (FORCE)");
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut superuser).await.unwrap();
}

/// What is said of readiness once the server has found out that its sessions are gone.
async fn ready(user: &User<'_>) -> Answer {
    let said = async {
        loop {
            let ready = user.get("/health/ready").await;
            if ready.json()["reason"] != "the database cannot be reached" {
                return ready;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), said).await.expect("readiness in time")
}

#[tokio::test]
async fn a_read_only_database_is_waited_for_at_start_and_again_when_it_becomes_one() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let name = db.options().get_database().unwrap().to_owned();
    let mut elsewhere = PgConnection::connect_with(&db.options().database("postgres")).await.unwrap();
    let mut make = async |read_only: &str| {
        let sql = format!(
            "ALTER DATABASE {name} SET default_transaction_read_only = {read_only};
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND '{read_only}' = 'on'"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut elsewhere).await.unwrap();
    };
    make("on").await;
    let server = Program::council(&db, &models).listen().await;
    server.until_logged(|text| text.contains("waiting for the database")).await;
    let ann = server.user("ann");
    let told = json!({"status": "unavailable", "database": false, "draining": false, "reason": "the database is read-only"});
    let ready = ready(&ann).await;
    assert_eq!((ready.status, ready.json()), (503, told.clone()));
    make("off").await;
    server.until_logged(|text| text.contains(READY)).await;
    let id = ann.conversation().await;

    make("on").await;
    let ready = self::ready(&ann).await;
    assert_eq!((ready.status, ready.json()), (503, told));
    let answer = ann.post("/api/conversations", json!({})).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.status, 200, "it can be read");
    make("off").await;
    // No session is kept that began while it was read-only.
    assert_eq!(ann.get("/health/ready").await.status, 200);
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
}

#[tokio::test]
async fn a_log_for_machines_is_json_in_every_line() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = Program::council(&db, &models).set("log.format", "json").serve().await;
    server.until_logged(|log| log.contains(READY)).await;
    for line in server.log().lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
}

#[tokio::test]
async fn what_waiting_cannot_mend_ends_the_start() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let stranger =
        db.url().replacen("postgres://", "postgres://nobody:hunter2@", 1).replacen("llm_council@", "", 1);
    let ended = Program::council_on(&stranger, &models).run(&["serve"]).await;
    assert_eq!(ended.code, Some(78), "no supervisor tries it again and again: some databases lock users out");
    assert!(ended.stderr.contains("check user and password"), "{}", ended.stderr);
    assert_eq!(
        ended.stderr.matches("nobody").count(),
        2,
        "the place and what Postgres says, once: {}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    let newer = "INSERT INTO _sqlx_migrations SELECT 9999, 'later', now(), true, '', 0";
    sqlx::raw_sql(newer).execute(&mut db.superuser().await).await.unwrap();
    let ended = Program::council(&db, &models).run(&["serve"]).await;
    assert_eq!(ended.code, Some(78));
    assert!(ended.stderr.contains("by a newer version (migration 9999)"), "{}", ended.stderr);
}

#[tokio::test]
async fn networks_that_are_none_are_named_before_the_database_is_touched() {
    let program = Program::plain()
        .env("DATABASE_URL", "postgres://council@127.0.0.1:1/answers")
        .set("auth.mode", "proxy")
        .set("server.bind", "127.0.0.1")
        .set("auth.trusted_proxies", "10.0.0.0/8, 0.0.0.0/0, *, 10.1.2.3/8, 128.0.0.0/1");
    let ended = program.run(&["serve", "--port", "0"]).await;
    assert_eq!(ended.code, Some(78));
    for expected in ["auth.trusted_proxies", "0.0.0.0/0", "\"*\"", "10.1.2.3/8", "128.0.0.0/1"] {
        assert!(ended.stderr.contains(expected), "{expected}: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("cannot reach"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_setting_that_would_not_arrive_does_not_leave_the_server_open() {
    for (variable, value, said) in [
        ("LLM_COUNCIL_AUTH__MODE", "proxy", "write LLM_COUNCIL__AUTH__MODE"),
        ("LLM_COUNCIL_AUTH_MODE", "proxy", "write LLM_COUNCIL__AUTH__MODE"),
        ("LLMCOUNCIL_AUTH_ENABLED", "true", "set LLM_COUNCIL__AUTH__MODE instead"),
        ("LLMCOUNCIL_TRUSTED_PROXY_IPS", "10.0.0.2", "set LLM_COUNCIL__AUTH__TRUSTED_PROXIES instead"),
        ("LLMCOUNCIL_DATA_DIR", "/data", "write LLM_COUNCIL__DATA_DIR"),
        ("LLM_COUNCIL__AUTH__MODE", " ", "must be none or proxy"),
        ("LLM_COUNCIL__AUTH__TRUSTED_PROXIES", "10.0.0.2", "auth.mode is not set, so nobody would sign in"),
        ("LLM_COUNCIL__AUTH__ADMIN_GROUPS", "admins", "auth.mode is not set, so nobody would sign in"),
        ("LLM_COUNCIL__AUTH__PROXY_SECRET", "hunter2", "auth.mode is not set, so nobody would sign in"),
        ("LLM_COUNCIL__COUNCIL__CHAIRMAN_ALIAS", "Ch\u{200b}air", "chairman_alias"),
    ] {
        let program = Program::plain().env(variable, value);
        let ended = program.run(&["serve", "--port", "0"]).await;
        assert_eq!(ended.code, Some(78), "{variable}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{variable}: {}", ended.stderr);
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
        assert_eq!(names_in(program.home()), [""; 0], "nothing was begun");
    }
}

#[tokio::test]
async fn a_healthcheck_succeeds_while_the_server_takes_work_and_only_then() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |_| Some(Script::answer("").hold(&held)));
    let program = Program::council(&db, &models);
    let server = program.serve().await;
    let port = server.base().rsplit(':').next().unwrap().to_owned();
    let check = ["healthcheck", "--port", &port];

    let ended = program.run(&check).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    // It is asked on the address it listens on; "every address" is asked on this machine.
    assert_eq!(program.clone().set("server.bind", "0.0.0.0").run(&check).await.code, Some(0));

    let ann = server.user("ann");
    let mut stream = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    stream.until("stage1_start").await;
    server.signal("SIGTERM");
    stream.until("server_shutdown").await;
    let ended = program.run(&check).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("not ready") && ended.stderr.contains("draining"), "{}", ended.stderr);

    server.signal("SIGTERM");
    server.ended().await;
    let ended = program.run(&check).await;
    assert_eq!(ended.code, Some(1));
    let expected = format!("no server answers on 127.0.0.1:{port}");
    assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
}

#[tokio::test]
async fn a_server_without_its_database_lives_and_is_not_ready() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = Program::council(&db, &models).serve().await;
    let ann = server.user("ann");
    assert_eq!(ann.get("/health/ready").await.status, 200);
    let name = db.options().get_database().unwrap().to_owned();
    let elsewhere = db.options().database("postgres");
    let mut elsewhere = PgConnection::connect_with(&elsewhere).await.unwrap();
    let mut run = async |sql: String| {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut elsewhere).await.unwrap();
    };
    run(format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
    run(format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")).await;
    let ready = ann.get("/health/ready").await;
    run(format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await;
    assert_eq!((ready.status, &ready.json()["database"]), (503, &json!(false)));
    assert_eq!(ann.get("/health/live").await.status, 200);
    assert_eq!(ann.get("/health/ready").await.status, 200, "it comes back by itself");
}

#[tokio::test]
async fn migrate_may_be_run_twice_and_by_two_at_once() {
    let db = TestDb::new().await;
    let empty = format!("{}_empty", db.options().get_database().unwrap());
    let mut superuser = db.superuser().await;
    let mut run = async |sql: &str| {
        let sql = AssertSqlSafe(sql.to_owned());
        sqlx::raw_sql(sql).execute(&mut superuser).await.unwrap();
    };
    run(&format!("CREATE DATABASE {empty}")).await;
    let url = db.url().replace(&format!("/{}?", db.options().get_database().unwrap()), &format!("/{empty}?"));
    let program = Program::plain().env("DATABASE_URL", &url);
    let (one, two) = tokio::join!(program.run(&["migrate"]), program.run(&["migrate"]));
    let third = program.run(&["migrate"]).await;
    let server = program.serve_with(&["--port", "0"]).await;
    let status = User::at(server.base(), "ann").get("/api/conversations").await.status;
    server.kill();
    run(&format!("DROP DATABASE {empty} WITH (FORCE)")).await;
    for ended in [one, two, third] {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stderr.contains("the database is up to date"), "{}", ended.stderr);
    }
    assert_eq!(status, 200);
}

#[tokio::test]
async fn migrate_without_a_database_says_when_the_local_one_is_migrated() {
    let program = Program::plain();
    let ended = program.run(&["migrate"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("no database is configured"), "{}", ended.stderr);
    assert_eq!(names_in(program.home()), [""; 0]);
}

#[tokio::test]
async fn openapi_prints_the_document_that_the_server_serves_whatever_is_configured() {
    let ended = Program::plain().set("no.such", "key").run(&["openapi"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = Program::council(&db, &models).serve().await;
    assert_eq!(server.user("ann").get("/openapi.json").await.ok(), printed);
}

#[tokio::test]
async fn help_names_every_command_and_flag() {
    let ended = Program::plain().run(&["--help"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let words = ["serve", "migrate", "healthcheck", "openapi", "config-reference"];
    for word in words.into_iter().chain(["--config", "--bind", "--port", "--data-dir", "--version"]) {
        assert!(ended.stdout.contains(word), "{word}: {}", ended.stdout);
    }
}

#[tokio::test]
async fn a_newcomer_needs_nothing_but_the_program_and_finds_everything_again() {
    let program = Program::plain()
        .set("providers.simulated.tokens_per_second", "1000000")
        .set("providers.simulated.first_token_ms", "0");
    let server = program.serve_with(&["--port", "0"]).await;
    server.until_logged(|text| text.contains("the council is simulated, and says so")).await;
    let me = User::at(server.base(), "whoever").without_identity();
    let id = me.conversation().await;
    let path = format!("/api/conversations/{id}");
    let events = me.ask(&id, json!({"content": "Why is the sky blue?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let stored = me.get(&path).await.ok();
    assert_eq!(stored["messages"][1]["status"], "complete");
    server.signal("SIGTERM");
    // Its Postgres, too: it writes to the same log.
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");

    let server = program.serve_with(&["--port", "0"]).await;
    let me = User::at(server.base(), "whoever").without_identity();
    assert_eq!(me.get(&path).await.ok(), stored);
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(names_in(program.home()), ["data"]);
}
