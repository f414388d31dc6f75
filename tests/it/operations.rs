//! What operators are told by the real program: error reports, log lines, metrics. And what they
//! are not told.

use serde_json::{Value, json};

use crate::support::app::User;
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, ModelServer, Script};
use crate::support::process::{Process, Program};
use crate::support::sentry::FakeSentry;

/// What only Ann, her proxy and her models know. No word of it belongs into a log or a report.
const PRIVATE: [&str; 8] = [
    "ann-lovelace",
    "ann@mail.example",
    "Ann L. Ace",
    "cookie-of-ann",
    "basic-of-ann",
    "question-of-ann",
    "answer-of-the-model",
    "sk-secret-of-the-test",
];

fn ann(server: &Process) -> User<'_> {
    server
        .user("ann-lovelace")
        .with("remote-email", "ann@mail.example")
        .with("remote-name", "Ann L. Ace")
        .with("cookie", "session=cookie-of-ann")
        .with("authorization", "Basic basic-of-ann")
}

#[track_caller]
fn nothing_private_in(text: &str) {
    for word in PRIVATE {
        assert!(!text.contains(word), "{word} is in: {text}");
    }
}

async fn sql(db: &TestDb, sql: &'static str) {
    sqlx::raw_sql(sql).execute(&mut db.superuser().await).await.unwrap();
}

async fn models() -> ModelServer {
    let models = ModelServer::start().await;
    models.rule(|request| {
        (request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("The answer-of-the-model.\n\nCONFIDENCE: 8"))
    });
    models
}

#[tokio::test]
async fn an_internal_error_is_reported_once_and_without_anything_private() {
    let (db, models, sentry) = (TestDb::new().await, models().await, FakeSentry::start());
    let program =
        Program::council(&db, &models).env("SENTRY_DSN", sentry.dsn()).env("SENTRY_TRACES_SAMPLE_RATE", "0");
    let server = program.env("SENTRY_ENVIRONMENT", "proving").serve().await;
    let ann = ann(&server);
    let id = ann.conversation().await;
    // The database's own words about this quote the row, and with it the question.
    sql(&db, "ALTER TABLE messages ADD CONSTRAINT refused CHECK (content IS NULL) NOT VALID").await;
    let path = format!("/api/conversations/{id}/message?q=question-of-ann");
    let answer = ann.post(&path, json!({"content": "The question-of-ann?"})).await;
    assert_eq!(answer.status, 500);
    nothing_private_in(&answer.text);
    assert!(!answer.text.contains("refused"), "nor the database's words: {}", answer.text);
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    nothing_private_in(&log);
    assert!(log.contains("violates check constraint"), "what to mend is in the log: {log}");

    let received = sentry.received();
    assert_eq!(received.len(), 1, "{received:?}");
    let envelope = &received[0];
    assert!(!envelope.contains(&id), "an id is in {envelope}");
    assert!(envelope.contains("POST /api/conversations/{id}/message"), "{envelope}");
    assert!(envelope.starts_with("POST /api/42/envelope/"), "{envelope}");
    assert_eq!(envelope.matches("{\"type\":\"event\"").count(), 1, "{envelope}");
    for expected in ["a database operation failed", "proving", "llm-council@"] {
        assert!(envelope.contains(expected), "{expected}: {envelope}");
    }
    nothing_private_in(envelope);
    // The user is in it, as nobody knows them who does not hold this process's memory.
    let user = log.lines().find_map(|line| {
        serde_json::from_str::<Value>(line).ok()?["span"]["user"].as_str().map(str::to_owned)
    });
    assert!(envelope.contains(&user.expect("a hash in the log")), "{envelope}");
}

#[tokio::test]
async fn a_key_that_a_provider_refuses_is_reported_and_a_bad_day_of_a_model_is_not() {
    let (db, models, sentry) = (TestDb::new().await, ModelServer::start().await, FakeSentry::start());
    models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Answer) => Some(Script::status(401, "the question-of-ann needs a good key")),
        ("m/two", AskedFor::Answer) => Some(Script::status(500, "boom")),
        ("m/three", AskedFor::Answer) => Some(Script::status(403, "the key of question-of-ann is blocked")),
        _ => None,
    });
    let server = Program::council(&db, &models)
        .env("SENTRY_DSN", sentry.dsn())
        .env("SENTRY_TRACES_SAMPLE_RATE", "0")
        .serve()
        .await;
    let ann = ann(&server);
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "The question-of-ann?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    server.signal("SIGTERM");
    let (_, log) = server.ended().await;
    nothing_private_in(&log);
    let received = sentry.received();
    assert_eq!(received.len(), 2, "{received:?}");
    for model in ["m/one", "m/three"] {
        assert!(received.iter().any(|report| report.contains(model)), "{model}: {received:?}");
    }
    received.iter().for_each(|report| nothing_private_in(report));
}

#[tokio::test]
async fn a_provider_that_does_not_give_its_list_is_named_with_what_to_do() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    models.models(Script::status(401, "no such key: sk-secret-of-the-test"));
    let server = Program::council(&db, &models).serve().await;
    server.until_logged(|text| text.contains("check providers.scripted.api_key (HTTP 401)")).await;
    nothing_private_in(&server.log());
}

#[tokio::test]
async fn log_lines_tell_requests_and_runs_apart_and_nothing_private() {
    let (db, models) = (TestDb::new().await, models().await);
    let program = Program::council(&db, &models).set("log.level", "info,llm_council=trace");
    let server = program.serve().await;
    let ann = ann(&server);
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}");
    let done = ann.post(&format!("{path}/message"), json!({"content": "The question-of-ann?"})).await.ok();
    let run = done["run_id"].as_str().unwrap();
    ann.get("/api/search?q=question-of-ann").await.ok();
    ann.send("PATCH", &path, Some(&json!({"title": "A question-of-ann"}))).await.ok();
    let token = ann.post("/api/tokens", json!({"name": "a tool"})).await.ok()["token"].clone();
    let token = token.as_str().unwrap();
    let tool = User::at(server.base(), "").without_identity();
    tool.clone().with("authorization", &format!("Bearer {token}")).get("/api/user").await.ok();
    assert_eq!(tool.get("/api/user").await.status, 401);
    server.signal("SIGTERM");
    server.until_logged(|text| text.contains("\"message\":\"stopped\"")).await;
    let lines = server.log_lines();
    let (_, log) = server.ended().await;

    nothing_private_in(&log);
    assert!(!log.contains(token) && !log.contains(token.trim_start_matches("lc_")), "{log}");
    let said =
        |message: &str| -> Vec<&Value> { lines.iter().filter(|line| line["message"] == message).collect() };
    let answered = said("request answered");
    assert_eq!(answered.len(), 7, "{log}");
    let mut ids: Vec<&str> = answered.iter().map(|l| l["span"]["request_id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 7, "every request has its own id");
    let by: Vec<&Value> = answered.iter().map(|line| &line["span"]["user"]).collect();
    let hash = by[0].as_str().expect("a hash of the user");
    assert!(hash.len() == 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    assert!(by[..6].iter().all(|other| *other == hash), "one person is one hash: {by:?}");
    assert!(by[6].is_null(), "nobody has none: {by:?}");
    assert_eq!(answered[1]["span"]["route"], "/api/conversations/{id}/message");
    // From the request to its run, and on to its end.
    let begun = said("run started");
    assert_eq!(begun.len(), 1, "{log}");
    assert_eq!(begun[0]["run.id"], run);
    assert_eq!(begun[0]["span"]["request_id"], answered[1]["span"]["request_id"]);
    let ended = said("run ended");
    assert_eq!(ended.len(), 1, "{log}");
    assert_eq!((&ended[0]["run.id"], &ended[0]["status"]), (&json!(run), &json!("complete")));
}

#[tokio::test]
async fn the_answer_to_a_request_names_its_line_in_the_log() {
    let (db, models) = (TestDb::new().await, models().await);
    let server = Program::council(&db, &models).serve().await;
    let answer = server.user("ann").get("/api/conversations").await;
    let id = answer.header("x-request-id").to_owned();
    assert_eq!(id.len(), 36, "{:?}", answer.headers);
    server.until_logged(|text| text.contains(&id)).await;
}

#[tokio::test]
async fn metrics_are_for_whoever_has_their_token_and_name_nobody() {
    let (db, models) = (TestDb::new().await, models().await);
    let program = Program::council(&db, &models).set("metrics.token", "metrics-token");
    let server = program.serve().await;
    let ann = ann(&server);
    let id = ann.conversation().await;
    ann.ask(&id, json!({"content": "The question-of-ann?"})).await.rest().await;
    assert_eq!(User::at(server.base(), "").without_identity().get("/api/user").await.status, 401);

    let scraper = User::at(server.base(), "").without_identity();
    for wrong in
        ["", "Bearer ", "Bearer wrong", "Bearer metrics-token2", "Basic metrics-token", "metrics-token"]
    {
        let answer = scraper.clone().with("authorization", wrong).get("/metrics").await;
        assert_eq!(answer.status, 404, "{wrong:?}");
        assert!(!answer.text.contains("llm_council"));
    }
    let page = scraper.with("authorization", "Bearer metrics-token").get("/metrics").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").starts_with("text/plain"));
    for expected in [
        "llm_council_runs_total{status=\"complete\"} 1",
        "llm_council_runs_live 0",
        "llm_council_streams_live 0",
        "llm_council_refused_total{reason=\"",
        "http_request_duration_seconds_count{method=\"POST\",route=\"/api/conversations/{id}/message/stream\",status=\"200\"} 1",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    nothing_private_in(&page.text);
    assert!(!page.text.contains(&id), "nor a conversation");
}

#[tokio::test]
async fn without_a_token_metrics_are_only_on_a_port_of_their_own() {
    let (db, models) = (TestDb::new().await, models().await);
    let own = free_address();
    let server = Program::council(&db, &models).set("metrics.bind", &own).serve().await;
    for path in ["/metrics", "/health", "/health/other"] {
        let answer = server.admin().get(path).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (404, "application/problem+json"),
            "{path}"
        );
    }
    let base = format!("http://{own}");
    let scraper = User::at(&base, "").without_identity();
    let page = scraper.get("/metrics").await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("http_request_duration_seconds"), "{}", page.text);
    assert_eq!(scraper.get("/api/conversations").await.status, 404, "nothing else is there");
}

#[tokio::test]
async fn a_metrics_port_in_use_is_named() {
    let (db, models) = (TestDb::new().await, models().await);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = Program::council(&db, &models).set("metrics.bind", &address).run(&["serve"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains(&address) && ended.stderr.contains("metrics"), "{}", ended.stderr);
}

/// An address that nobody uses now. On a loopback address of its own, so that nobody else is given
/// its port meanwhile.
fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.77:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[tokio::test]
async fn a_burst_of_errors_is_not_a_burst_of_reports_and_a_sink_that_hangs_does_not_hold_up_the_end() {
    let (db, models) = (TestDb::new().await, models().await);
    let sink = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dsn = format!("http://public@{}/42", sink.local_addr().unwrap());
    let server =
        Program::council(&db, &models).env("SENTRY_DSN", &dsn).set("metrics.token", "t").serve().await;
    let ann = ann(&server);
    let id = ann.conversation().await;
    sql(&db, "ALTER TABLE conversations RENAME COLUMN title TO heading").await;
    let path = format!("/api/conversations/{id}");
    // 30 are sent in a minute. A busy machine may take longer than that for a burst, which then falls into two.
    let mut dropped = 0;
    while dropped < 10 {
        for _ in 0..40 {
            let answer = ann.send("PATCH", &path, Some(&json!({"title": "x"}))).await;
            assert_eq!(answer.status, 500);
        }
        let page = User::at(server.base(), "").with("authorization", "Bearer t").get("/metrics").await.text;
        let line = page.lines().find(|line| line.starts_with("llm_council_reports_dropped_total"));
        dropped = line.expect("a count").rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    }
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0));
    assert!(log.contains("the last error reports or traces could not be sent in time"), "{log}");
}
