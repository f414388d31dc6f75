//! Which names of this server are answered: a page of the web can make a name of its own point here.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;
use crate::support::wire::Wire;

const EVIL: &str = "evil.example";

/// The status of a GET with these header lines, as they stand.
async fn status(app: &TestApp, target: &str, headers: &[&str]) -> u16 {
    let mut wire = Wire::open(app).await;
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    wire.send(format!("GET {target} HTTP/1.1\r\nremote-user: ann\r\n{headers}\r\n")).await;
    wire.head().await.expect("an answer").status
}

async fn status_at(app: &TestApp, path: &str, host: &str) -> u16 {
    status(app, path, &[&format!("host: {host}")]).await
}

#[tokio::test]
async fn without_sign_in_a_page_that_points_its_own_name_here_gets_nothing() {
    let app = TestApp::local().await;
    let id = app.user("ann").conversation().await;
    let rebound = app.user("ann").with("host", EVIL);
    let paths = ["/", "/docs/", "/openapi.json", "/api/conversations", "/api/nowhere", "/health", "/metrics"];
    for path in paths {
        let answer = rebound.get(path).await;
        assert_eq!(answer.status, 421, "{path}: {}", answer.text);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert!(!answer.text.contains(EVIL), "{}", answer.text);
    }
    // The browser takes the page and this server for one site, and says so.
    let rebound = rebound.with("origin", "http://evil.example").with("sec-fetch-site", "same-origin");
    for (path, body) in [
        ("/api/conversations".to_owned(), json!({})),
        ("/api/tokens".to_owned(), json!({"name": "mine"})),
        (format!("/api/conversations/{id}/message"), json!({"content": "Why?"})),
    ] {
        assert_eq!(rebound.post(&path, body).await.status, 421, "{path}");
    }
    assert_eq!(app.models.records().len(), 0, "nothing was paid");
    let preflight = rebound.with("access-control-request-method", "POST");
    assert_eq!(preflight.send("OPTIONS", "/api/conversations", None).await.status, 421);
    // Probes ask by whatever address they know.
    for probe in ["/health/live", "/health/ready"] {
        assert_eq!(app.user("ann").with("host", EVIL).get(probe).await.status, 200, "{probe}");
    }
    app.close().await;
}

#[tokio::test]
async fn without_sign_in_this_machines_own_names_are_answered() {
    let app = TestApp::local().await;
    for own in ["localhost", "localhost:8001", "LOCALHOST.", "127.0.0.1:9", "127.1.2.3", "[::1]:8001"] {
        assert_eq!(status_at(&app, "/api/conversations", own).await, 200, "{own}");
    }
    for other in ["localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.1:8001", "[::2]", "0.0.0.0"]
    {
        assert_eq!(status_at(&app, "/api/conversations", other).await, 421, "{other}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_request_names_one_host() {
    for app in [TestApp::local().await, TestApp::start().await] {
        for hosts in [
            &[][..],
            &["host:"],
            &["host: localhost", "host: localhost"],
            &["host: localhost", "host: evil.example"],
            &["host: ann@localhost"],
            &["host: localhost, evil.example"],
        ] {
            assert_eq!(status(&app, "/api/conversations", hosts).await, 400, "{hosts:?}");
        }
        app.close().await;
    }
}

#[tokio::test]
async fn a_target_that_is_a_whole_url_must_name_this_server_too() {
    let app = TestApp::local().await;
    for (target, expected) in [
        ("http://localhost:8001/api/conversations", 200),
        ("http://evil.example/api/conversations", 421),
        ("http://ann@localhost/api/conversations", 400),
    ] {
        assert_eq!(status(&app, target, &["host: localhost"]).await, expected, "{target}");
    }
    app.close().await;
}

#[tokio::test]
async fn with_a_list_of_hosts_only_those_are_answered() {
    let app = TestApp::with("[server]\nallowed_hosts = [\"council.example\", \"council.test:8443\"]\n").await;
    for known in ["council.example", "Council.Example:8001", "council.test:8443"] {
        assert_eq!(status_at(&app, "/api/conversations", known).await, 200, "{known}");
    }
    for unknown in ["council.test", "localhost", "127.0.0.1", EVIL] {
        assert_eq!(status_at(&app, "/api/conversations", unknown).await, 421, "{unknown}");
        assert_eq!(status_at(&app, "/health/live", unknown).await, 200);
    }
    app.close().await;
}

#[tokio::test]
async fn behind_a_proxy_any_host_is_answered_and_the_start_says_so() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let said = "neither server.allowed_hosts nor server.public_url is set";
    let server = program.serve().await;
    assert_eq!(server.log().matches(said).count(), 1, "{}", server.log());
    let proxied = server.user("ann").with("host", "council.example");
    assert_eq!(proxied.get("/api/conversations").await.status, 200);
    for (key, value) in
        [("server.allowed_hosts", "127.0.0.1"), ("server.public_url", "https://council.example")]
    {
        let server = program.clone().set(key, value).serve().await;
        assert!(!server.log().contains(said), "{key}: {}", server.log());
    }
}

/// What the image and the compose file set for the server.
fn settings_of_the_container() -> Vec<(String, String)> {
    let image = include_str!("../../Dockerfile").split_whitespace().filter_map(|word| word.split_once('='));
    let services =
        include_str!("../../docker-compose.yml").split_once("\n  postgres:\n").expect("two services").0;
    let composed = services.lines().filter_map(|line| line.trim().split_once(": "));
    image
        .chain(composed)
        .filter(|(name, _)| name.starts_with("LLM_COUNCIL__") && *name != "LLM_COUNCIL__DATA_DIR")
        .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
        .collect()
}

#[tokio::test]
async fn a_container_as_it_is_composed_is_reached_by_localhost_and_by_names_it_is_given() {
    let settings = settings_of_the_container();
    let set = |name: &str| settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(set("LLM_COUNCIL__SERVER__BIND"), Some("0.0.0.0"), "{settings:?}");
    assert_eq!(set("LLM_COUNCIL__AUTH__MODE"), Some("none"), "{settings:?}");
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models).without("auth.trusted_proxies").without("auth.admin_groups");
    let program = settings.iter().fold(program, |program, (name, value)| program.env(name, value));
    let status = async |program: &Program, host: &str| {
        let server = program.serve().await;
        server.user("ann").with("host", host).get("/api/user").await.status
    };
    assert_eq!(status(&program, "localhost:8001").await, 200);
    assert_eq!(status(&program, "council.lan:8001").await, 421);
    assert_eq!(status(&program.set("server.allowed_hosts", "council.lan"), "council.lan:8001").await, 200);
}
