use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};

use actix_web::test as http;
use actix_web::{App, HttpResponse, web};
use sentry::protocol::{Request, User};
use tracing_actix_web::TracingLogger;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;
use crate::config::Overrides;

/// A Sentry that keeps what it is sent: requests come out of the channel as text.
struct FakeSentry {
    dsn: String,
    bodies: Receiver<String>,
}

impl FakeSentry {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let dsn = format!("http://public@{}/42", listener.local_addr().unwrap());
        let (sender, bodies) = sync_channel(100);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    while let Some(text) = read_request(&mut stream) {
                        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                        if sender.send(text).is_err()
                            || stream.get_mut().write_all(answer.as_bytes()).is_err()
                        {
                            break;
                        }
                    }
                });
            }
        });
        Self { dsn, bodies }
    }

    /// The client that a server with this DSN would have, on a hub of its own.
    fn hub(&self, traces: &str) -> Arc<Hub> {
        let env = [
            ("SENTRY_DSN", self.dsn.as_str()),
            ("SENTRY_TRACES_SAMPLE_RATE", traces),
            ("SENTRY_ENVIRONMENT", "proving"),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let config = Config::from_parts("", &env, &Overrides::default()).unwrap();
        let client = reports::client(&config.sentry).unwrap().unwrap();
        Arc::new(Hub::new(Some(client), Arc::default()))
    }

    /// Everything sent, once `hub` has nothing more to send.
    fn received(&self, hub: &Hub) -> String {
        assert!(hub.client().unwrap().flush(Some(Duration::from_secs(60))), "everything should be sent");
        self.bodies.try_iter().collect()
    }
}

fn read_request(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        text.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(text + &String::from_utf8_lossy(&body))
}

/// What must not leave, whatever carries it.
const PRIVATE: [&str; 11] = [
    "id-in-a-path",
    "agent-of-ada",
    "ada-lovelace",
    "ada@example",
    "tok-query",
    "tok-auth",
    "tok-cookie",
    "tok-proxy",
    "tok-body",
    "tok-env",
    "10.9.8.7",
];

fn assert_nothing_private(sent: &str) {
    for word in PRIVATE {
        assert!(!sent.contains(word), "{word} was sent: {sent}");
    }
    for name in ["Remote-User", "remote-user", "server_name"] {
        assert!(!sent.contains(name), "{name} was sent: {sent}");
    }
}

fn private_request() -> Request {
    let headers = [
        ("Remote-User", "ada-lovelace"),
        ("Authorization", "Bearer tok-auth"),
        ("X-LLM-Council-Proxy-Secret", "tok-proxy"),
        ("Content-Type", "application/json"),
        ("User-Agent", "agent-of-ada"),
    ];
    Request {
        url: Some("http://council.example/api/search/id-in-a-path?q=tok-query".parse().unwrap()),
        method: Some("POST".to_owned()),
        data: Some("tok-body".to_owned()),
        query_string: Some("q=tok-query".to_owned()),
        cookies: Some("session=tok-cookie".to_owned()),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        env: BTreeMap::from([("REMOTE_ADDR".to_owned(), "tok-env".to_owned())]),
    }
}

/// Makes everything captured on the hub carry what must not leave.
fn poison(hub: &Hub, user_id: &str) {
    hub.configure_scope(|scope| {
        scope.set_user(Some(User {
            id: Some(user_id.to_owned()),
            email: Some("ada@example.org".to_owned()),
            username: Some("ada-lovelace".to_owned()),
            ip_address: Some("10.9.8.7".parse::<std::net::IpAddr>().unwrap().into()),
            ..User::default()
        }));
        scope.add_event_processor(|mut event| {
            event.request = Some(private_request());
            event.server_name = Some("ada-lovelace".into());
            Some(event)
        });
    });
}

#[test]
fn a_logged_error_is_reported_without_what_is_private() {
    let sentry = FakeSentry::start();
    let hub = sentry.hub("0");
    poison(&hub, "0123456789ab");
    let subscriber = tracing_subscriber::registry().with(logs::reporting());
    tracing::subscriber::with_default(subscriber, || {
        Hub::run(Arc::clone(&hub), || {
            tracing::debug!("nobody reads this");
            tracing::info!("what went before");
            tracing::error!("the disk is on fire");
        });
    });
    let sent = sentry.received(&hub);
    assert_eq!(sent.matches("POST /api/42/envelope/").count(), 1, "only the error is an event: {sent}");
    for expected in [
        "the disk is on fire",
        "what went before",
        "llm-council@",
        "proving",
        "0123456789ab",
        "application/json",
    ] {
        assert!(sent.contains(expected), "{expected} is missing: {sent}");
    }
    assert!(!sent.contains("nobody reads this"), "{sent}");
    assert_nothing_private(&sent);
}

#[test]
fn a_panic_is_reported_without_what_is_private() {
    let sentry = FakeSentry::start();
    let hub = sentry.hub("0");
    poison(&hub, "ada-lovelace");
    let outcome = Hub::run(Arc::clone(&hub), || std::panic::catch_unwind(|| panic!("a tile fell off")));
    assert!(outcome.is_err());
    let sent = sentry.received(&hub);
    assert!(sent.contains("a tile fell off"), "{sent}");
    assert_nothing_private(&sent);
}

#[actix_web::test]
async fn a_failing_request_makes_one_report_and_one_trace_and_both_are_clean() {
    let sentry = FakeSentry::start();
    let hub = sentry.hub("1");
    let subscriber = tracing_subscriber::registry().with(logs::reporting());
    let _log = tracing::subscriber::set_default(subscriber);
    let middleware = sentry_actix::Sentry::builder()
        .with_hub(Arc::clone(&hub))
        .capture_server_errors(false)
        .start_transaction(true)
        .finish();
    let failing = || async {
        tracing::error!("the model is gone");
        HttpResponse::BadGateway().finish()
    };
    let app = App::new()
        .wrap(TracingLogger::<RequestSpan>::new())
        .wrap(middleware)
        .route("/api/search/{id}", web::post().to(failing));
    let app = http::init_service(app).await;
    let request = http::TestRequest::post()
        .uri("/api/search/id-in-a-path?q=tok-query")
        .insert_header(("Remote-User", "ada-lovelace"))
        .insert_header(("Remote-Email", "ada@example.org"))
        .insert_header(("User-Agent", "agent-of-ada"))
        .insert_header(("Authorization", "Bearer tok-auth"))
        .insert_header(("Cookie", "session=tok-cookie"))
        .insert_header(("X-LLM-Council-Proxy-Secret", "tok-proxy"))
        .set_payload("tok-body")
        .to_request();
    let response = http::call_service(&app, request).await;
    assert_eq!(response.status(), 502);
    drop(response);

    let sent = web::block(move || sentry.received(&hub)).await.unwrap();
    assert_eq!(sent.matches("{\"type\":\"event\"").count(), 1, "{sent}");
    assert_eq!(sent.matches("{\"type\":\"transaction\"").count(), 1, "{sent}");
    assert!(sent.contains("the model is gone"), "{sent}");
    assert!(sent.matches("POST /api/search/{id}").count() >= 2, "both name the route: {sent}");
    assert_nothing_private(&sent);
}

#[test]
fn without_a_dsn_there_is_no_client_and_nothing_to_flush() {
    let config = Config::from_parts("", &BTreeMap::new(), &Overrides::default()).unwrap();
    assert!(reports::client(&config.sentry).unwrap().is_none());
    assert!(Telemetry::for_tests().unwrap().flush(Duration::ZERO));
}

#[test]
fn a_user_hash_is_short_steady_and_different_in_every_process() {
    let (one, two) = (Telemetry::for_tests().unwrap(), Telemetry::for_tests().unwrap());
    let ada = UserId::from_canonical("ada");
    let hash = one.user_hash(&ada);
    assert!(hash.len() == 12 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    assert_eq!(hash, one.clone().user_hash(&ada));
    assert_ne!(hash, one.user_hash(&UserId::from_canonical("basil")));
    assert_ne!(hash, two.user_hash(&ada), "the salt is another one");
}

#[test]
fn two_telemetries_show_the_metrics_of_one_process() {
    let (one, two) = (Telemetry::for_tests().unwrap(), Telemetry::for_tests().unwrap());
    ::metrics::counter!("telemetry_test_total").increment(3);
    ::metrics::histogram!("telemetry_test_seconds").record(0.2);
    for text in [one.render_metrics(), two.render_metrics()] {
        assert!(text.contains("telemetry_test_total 3"), "{text}");
        assert!(text.contains("telemetry_test_seconds_bucket{le=\"0.25\"} 1"), "{text}");
    }
}

/// A log to read back.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[actix_web::test]
async fn a_request_is_one_line_with_its_route_and_user_hash_and_nothing_it_was_asked() {
    let telemetry = Telemetry::for_tests().unwrap();
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(move || writer.clone())
        .finish();
    let _log = tracing::subscriber::set_default(subscriber);
    let handler = || async {
        tracing::Span::current().record("user", "0123456789ab");
        HttpResponse::NoContent().finish()
    };
    let app = App::new()
        .wrap(TracingLogger::<RequestSpan>::new())
        .route("/api/things/{id}", web::get().to(handler))
        .route("/health/live", web::get().to(HttpResponse::Ok));
    let app = http::init_service(app).await;
    for uri in ["/api/things/secret-id?q=tok-query", "/health/live"] {
        let request = http::TestRequest::get().uri(uri).insert_header(("User-Agent", "ada-lovelace"));
        http::call_service(&app, request.to_request()).await;
    }

    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "health checks are not shown: {text}");
    let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!((&line["message"], &line["status"]), (&"request answered".into(), &204.into()));
    let span = &line["span"];
    assert_eq!((&span["method"], &span["route"]), (&"GET".into(), &"/api/things/{id}".into()));
    assert_eq!(span["user"], "0123456789ab");
    assert!(span["request_id"].as_str().is_some_and(|id| id.len() == 36), "{text}");
    for word in ["secret-id", "tok-query", "ada-lovelace"] {
        assert!(!text.contains(word), "{text}");
    }
    let wanted =
        "http_request_duration_seconds_count{method=\"GET\",route=\"/api/things/{id}\",status=\"204\"} 1";
    assert!(telemetry.render_metrics().contains(wanted));
}

#[test]
fn a_json_line_has_the_causes_of_an_error_beside_it() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::registry().with(logs::json(move || writer.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let error = TelemetryError::Runtime(std::io::Error::other("too many \"threads\""));
        tracing::error!(error = &error as &dyn std::error::Error, at = 7, "nothing can be sent");
        tracing::error!(error = &TelemetryError::Dsn as &dyn std::error::Error, "it has no cause");
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [caused, alone] = lines.as_slice() else { panic!("{text}") };
    assert_eq!(
        (&caused["message"], &caused["at"], &caused["error"], &caused["error.sources"]),
        (
            &"nothing can be sent".into(),
            &7.into(),
            &"the sender of traces cannot be started".into(),
            &serde_json::json!(["too many \"threads\""])
        )
    );
    assert_eq!((&alone["message"], alone.get("error.sources")), (&"it has no cause".into(), None), "{text}");
}

#[actix_web::test]
async fn made_up_methods_and_paths_share_one_label() {
    let telemetry = Telemetry::for_tests().unwrap();
    let app = http::init_service(App::new().wrap(TracingLogger::<RequestSpan>::new())).await;
    for name in ["BREW", "WHEN"] {
        let method = actix_web::http::Method::from_bytes(name.as_bytes()).unwrap();
        let request = http::TestRequest::default().method(method).uri(&format!("/{name}")).to_request();
        assert_eq!(http::call_service(&app, request).await.status(), 404);
    }
    let text = telemetry.render_metrics();
    assert!(text.contains("method=\"OTHER\",route=\"unmatched\",status=\"404\"} 2"), "{text}");
    assert!(!text.contains("BREW"), "{text}");
}

#[actix_web::test]
async fn a_client_cannot_have_its_requests_traced() {
    let sentry = FakeSentry::start();
    let hub = sentry.hub("0");
    let middleware =
        sentry_actix::Sentry::builder().with_hub(Arc::clone(&hub)).start_transaction(true).finish();
    let app = App::new().wrap(middleware).route("/", web::get().to(HttpResponse::Ok));
    let app = http::init_service(app).await;
    let trace = "12345678901234567890123456789012-1234567890123456-1";
    let request = http::TestRequest::get().uri("/").insert_header(("sentry-trace", trace)).to_request();
    assert_eq!(http::call_service(&app, request).await.status(), 200);
    let sent = web::block(move || sentry.received(&hub)).await.unwrap();
    assert_eq!(sent, "");
}

#[test]
fn a_sink_that_takes_nothing_does_not_hold_up_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dsn = format!("http://public@{}/42", listener.local_addr().unwrap());
    let env = BTreeMap::from([("SENTRY_DSN".to_owned(), dsn)]);
    let config = Config::from_parts("", &env, &Overrides::default()).unwrap();
    let telemetry = Telemetry::new(
        reports::client(&config.sentry).unwrap(),
        #[cfg(feature = "otel")]
        None,
    )
    .unwrap();
    let hub = Arc::new(Hub::new(telemetry.inner.reports.clone(), Arc::default()));
    hub.capture_message("the disk is on fire", sentry::Level::Error);
    // Accepts the connection, and does nothing more.
    let (mut sink, _) = listener.accept().unwrap();
    assert!(!telemetry.flush(Duration::from_millis(100)));
    drop((hub, telemetry));
    // The report has not timed out yet: the flush did not wait that long.
    sink.set_nonblocking(true).unwrap();
    let ended = std::io::copy(&mut sink, &mut std::io::sink());
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_panic_is_counted_and_told_as_before() {
    let telemetry = Telemetry::for_tests().unwrap();
    let counted = || {
        let page = telemetry.render_metrics();
        let line = page.lines().find_map(|line| line.strip_prefix("llm_council_panics_total "));
        line.map(|count| count.parse::<u64>().unwrap())
    };
    super::metrics::count_panics();
    let before = counted().expect("it begins at 0");
    let fault: std::thread::Result<()> = std::panic::catch_unwind(|| panic!("on purpose"));
    assert!(fault.is_err());
    // Another test may panic on purpose at the same moment.
    assert!(counted() > Some(before));
}
