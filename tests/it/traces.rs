//! What a collector of OpenTelemetry's is sent: one trace for a run, with what the conventions for GenAI want, and nothing
//! that anybody wrote. And a collector that is away.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::json;

use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Script};
use crate::support::money::plausibly;
use crate::support::process::Program;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// What the collector wants to be shown, which nobody else is.
const KEY: &str = "key-of-the-collector";

#[derive(Default)]
struct Received {
    spans: Vec<Span>,
    metrics: Vec<ExportMetricsServiceRequest>,
    heads: Vec<String>,
    bodies: Vec<Vec<u8>>,
}

/// Takes whatever is sent over HTTP.
struct FakeCollector {
    address: String,
    received: Arc<Mutex<Received>>,
}

impl FakeCollector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received: Arc<Mutex<Received>> = Arc::default();
        let taken = received.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let taken = taken.clone();
                std::thread::spawn(move || while take(&connection, &taken).is_some() {});
            }
        });
        Self { address, received }
    }

    fn spans(&self) -> Vec<Span> {
        self.received.lock().unwrap().spans.clone()
    }

    /// Waits for spans as wanted.
    async fn until(&self, wanted: impl Fn(&[Span]) -> bool) -> Vec<Span> {
        let begun = Instant::now();
        loop {
            let spans = self.spans();
            if wanted(&spans) {
                return spans;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "not these: {spans:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Reads one request and answers it; nothing at the connection's end.
fn take(mut connection: &TcpStream, taken: &Mutex<Received>) -> Option<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        connection.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().unwrap()];
    connection.read_exact(&mut body).ok()?;
    let mut taken = taken.lock().unwrap();
    if head.starts_with("post /v1/traces ") {
        let request = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        taken.spans.extend(scopes.flat_map(|scope| scope.spans));
    } else {
        assert!(head.starts_with("post /v1/metrics "), "{head}");
        taken.metrics.push(ExportMetricsServiceRequest::decode(body.as_slice()).unwrap());
    }
    taken.heads.push(head);
    taken.bodies.push(body);
    drop(taken);
    connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()
}

fn attribute<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a Value> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    found.value.as_ref()?.value.as_ref()
}

fn text(span: &Span, key: &str) -> String {
    match attribute(&span.attributes, key) {
        Some(Value::StringValue(text)) => text.clone(),
        other => panic!("{key} is {other:?} in {span:#?}"),
    }
}

fn whole(span: &Span, key: &str) -> i64 {
    match attribute(&span.attributes, key) {
        Some(Value::IntValue(count)) => *count,
        other => panic!("{key} is {other:?} in {span:#?}"),
    }
}

fn is_run(span: &Span) -> bool {
    span.name == "run council"
}

fn program(db: &TestDb, models: &ModelServer, endpoint: &str) -> Program {
    Program::council(db, models)
        .env("OTEL_BSP_SCHEDULE_DELAY", "100")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("OTEL_EXPORTER_OTLP_HEADERS", &format!("x-key={KEY}"))
}

#[tokio::test]
async fn a_run_is_one_trace_with_its_stages_and_calls_and_nothing_that_anybody_wrote() {
    let (db, models, collector) = (TestDb::new().await, ModelServer::start().await, FakeCollector::start());
    models.rule(|request| match request.model.as_str() {
        "m/two" => Some(Script::status(401, "a bad key")),
        _ => Some(plausibly(request, 0.25).text(" The answer-of-the-model.")),
    });
    let server = program(&db, &models, &collector.address).set("log.level", "trace").serve().await;
    let ann = server.user("ann").with("traceparent", PARENT);
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": "The question-of-ann?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    events.rest().await;
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains(KEY), "{log}");
    // What a run's task logs deep down leads back to the run and to who asked.
    let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let failed: Vec<_> = lines.filter(|line| line["message"] == "a model call failed").collect();
    assert_eq!(failed.len(), 1, "{log}");
    assert_eq!(failed[0]["span"]["run.id"], run);
    let request_id = failed[0]["span"]["request_id"].as_str().expect("the request").to_owned();

    let spans = collector.spans();
    let roots: Vec<&Span> = spans.iter().filter(|span| is_run(span)).collect();
    assert_eq!(roots.len(), 1, "{spans:#?}");
    let root = roots[0];
    assert!(root.parent_span_id.is_empty());
    assert_eq!(text(root, "llm_council.run.id"), run);
    assert_eq!(text(root, "llm_council.run.status"), "complete");
    assert_eq!(whole(root, "llm_council.run.attempt"), 1);
    // The request goes on with the proxy's trace; the run has its own, and leads back.
    let asked = spans.iter().find(|span| span.name == "POST /api/conversations/{id}/message/stream").unwrap();
    assert_eq!(hex::encode(&asked.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(hex::encode(&asked.parent_span_id), "00f067aa0ba902b7");
    assert_eq!((asked.kind(), whole(asked, "http.response.status_code")), (SpanKind::Server, 200));
    assert_ne!(root.trace_id, asked.trace_id);
    assert_eq!((&root.links[0].trace_id, &root.links[0].span_id), (&asked.trace_id, &asked.span_id));
    assert_eq!(text(root, "llm_council.request.id"), request_id);
    assert_eq!(text(asked, "llm_council.request.id"), request_id);

    let of_run: Vec<&Span> = spans.iter().filter(|span| span.trace_id == root.trace_id).collect();
    let (stages, calls): (Vec<&Span>, Vec<&Span>) =
        of_run.iter().filter(|span| !is_run(span)).partition(|span| span.kind() == SpanKind::Internal);
    assert_eq!(calls.len(), models.records().len(), "{of_run:#?}");
    let mut names: Vec<&str> = stages.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["stage1", "stage2", "stage3", "title"]);
    for stage in &stages {
        assert_eq!(stage.parent_span_id, root.span_id);
        assert!(stage.end_time_unix_nano <= root.end_time_unix_nano);
    }
    for call in &calls {
        let stage = stages.iter().find(|stage| stage.span_id == call.parent_span_id).expect("a stage");
        assert_eq!(text(call, "llm_council.stage"), stage.name);
        assert!(call.start_time_unix_nano >= stage.start_time_unix_nano);
        assert!(call.end_time_unix_nano <= stage.end_time_unix_nano, "{call:#?} in {stage:#?}");
        assert_eq!(call.kind(), SpanKind::Client);
        let model = text(call, "gen_ai.request.model");
        assert_eq!(call.name, format!("chat {model}"));
        assert_eq!(text(call, "gen_ai.operation.name"), "chat");
        assert_eq!(text(call, "gen_ai.provider.name"), "scripted");
        if model == "m/two" {
            assert_eq!(text(call, "error.type"), "auth");
            assert_eq!(whole(call, "http.response.status_code"), 401);
        } else {
            assert_eq!(whole(call, "gen_ai.usage.input_tokens"), 100);
            assert_eq!(whole(call, "gen_ai.usage.output_tokens"), 20);
            assert_eq!(attribute(&call.attributes, "llm_council.cost_usd"), Some(&Value::DoubleValue(0.25)));
        }
    }

    let received = collector.received.lock().unwrap();
    let metrics = received.metrics.iter().flat_map(|request| &request.resource_metrics);
    let names: Vec<&str> = metrics
        .flat_map(|resource| &resource.scope_metrics)
        .flat_map(|scope| &scope.metrics)
        .map(|metric| metric.name.as_str())
        .collect();
    for name in ["gen_ai.client.operation.duration", "gen_ai.client.token.usage"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(
        received.heads.iter().all(|head| head.contains(&format!("x-key: {KEY}"))),
        "{:?}",
        received.heads
    );
    for body in &received.bodies {
        let body = String::from_utf8_lossy(body);
        for private in ["question-of-ann", "answer-of-the-model", "a bad key", KEY, "sk-secret-of-the-test"] {
            assert!(!body.contains(private), "{private} is in {body}");
        }
    }
}

#[tokio::test]
async fn a_run_taken_over_is_found_by_its_id_in_the_spans_of_both_servers() {
    let (db, models, collector) = (TestDb::new().await, ModelServer::start().await, FakeCollector::start());
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        (request.model == "m/one" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("Well, ").hold(&held).text("yes."))
    });
    let program = program(&db, &models, &collector.address).set("runs.lease_seconds", "3");
    let (one, other) = tokio::join!(program.serve(), program.serve());
    let ann = one.user("ann");
    let mut events = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    // What has ended before the server dies is sent.
    let sent = |spans: &[Span]| spans.iter().any(|span| span.name == "chat m/two");
    collector.until(sent).await;
    drop(one);
    gate.open();
    let spans = collector.until(|spans| spans.iter().any(is_run)).await;
    let root = spans.iter().find(|span| is_run(span)).unwrap();
    assert_eq!((text(root, "llm_council.run.id"), whole(root, "llm_council.run.attempt")), (run.clone(), 2));
    let ids = |span: &&Span| span.name.starts_with("chat ") && text(span, "llm_council.run.id") == run;
    let calls: Vec<&Span> = spans.iter().filter(ids).collect();
    assert!(calls.iter().any(|call| call.trace_id != root.trace_id), "those of the server that died");
    assert!(calls.iter().any(|call| call.trace_id == root.trace_id), "those of the one that goes on");
    let rest = other.user("ann").events(&run, 0).await.rest().await;
    assert_eq!(rest.last().unwrap().kind(), "complete");
}

#[tokio::test]
async fn a_collector_that_is_away_holds_nobody_up_and_the_log_says_so_once() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    // It takes connections and never answers.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", mute.local_addr().unwrap());
    let program = program(&db, &models, &endpoint).set("telemetry.otlp.timeout_ms", "100");
    let server = program.serve().await;
    let ann = server.user("ann");
    for _ in 0..2 {
        let id = ann.conversation().await;
        let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
        assert_eq!(events.last().unwrap().kind(), "complete");
    }
    let said = "the collector does not accept traces or metrics";
    server.until_logged(|log| log.contains(said)).await;
    let begun = Instant::now();
    server.signal("SIGTERM");
    let (code, log) = server.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(log.matches(said).count(), 1, "{log}");
    assert!(!log.contains(KEY), "{log}");
}
