//! What Prometheus reads of a server: everything from 0 on, and then what has really happened.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::schedules::every_morning;
use crate::support::app::User;
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Script, plausible};
use crate::support::money::plausibly;
use crate::support::process::{Process, Program};

/// What one call costs, in US dollars.
const COST: f64 = 0.25;

fn program(db: &TestDb, models: &ModelServer) -> Program {
    Program::council(db, models).set("metrics.token", "t")
}

/// The series of a server by name and labels, as they are written.
async fn series(server: &Process) -> BTreeMap<String, f64> {
    let page = User::at(server.base(), "").with("authorization", "Bearer t").get("/metrics").await;
    assert_eq!(page.status, 200);
    let lines = page.text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    lines.map(read).collect()
}

#[track_caller]
fn are(series: &BTreeMap<String, f64>, expected: &[(&str, f64)]) {
    for (name, value) in expected {
        let found = series.get(*name).unwrap_or_else(|| panic!("{name} is missing in {series:#?}"));
        assert!((found - value).abs() < 1e-9, "{name} is {found} in the place of {value}");
    }
}

/// Waits until a series has this value.
async fn until(server: &Process, name: &str, value: f64) {
    let waiting = async {
        while series(server).await.get(name).copied() != Some(value) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    assert!(in_time.is_ok(), "{name} does not become {value}: {:#?}", series(server).await);
}

#[tokio::test]
async fn every_count_begins_at_0_with_the_labels_it_will_have() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let found = series(&server).await;
    let mut expected: Vec<String> = Vec::new();
    for status in ["complete", "failed", "cancelled"] {
        expected.push(format!("llm_council_runs_total{{status=\"{status}\"}}"));
    }
    for outcome in ["ok", "auth", "rate_limited", "overloaded", "timeout", "bad_response", "cancelled"] {
        expected.push(format!("llm_council_calls_total{{provider=\"scripted\",outcome=\"{outcome}\"}}"));
    }
    for kind in ["prompt", "completion", "reasoning", "cached", "cache_write"] {
        expected.push(format!("llm_council_tokens_total{{provider=\"scripted\",kind=\"{kind}\"}}"));
    }
    for format in ["council", "debate", "arena", "decomposition"] {
        let labels = format!("{{format=\"{format}\",status=\"complete\"}}");
        expected.push(format!("llm_council_run_duration_seconds_count{labels}"));
    }
    for reason in ["untrusted_peer", "proxy_secret", "token", "host", "cross_origin"] {
        expected.push(format!("llm_council_refused_total{{reason=\"{reason}\"}}"));
    }
    for outcome in ["hit", "miss", "unavailable"] {
        expected.push(format!("llm_council_cache_lookups_total{{outcome=\"{outcome}\"}}"));
    }
    for answer in ["taken", "refused", "expired"] {
        expected.push(format!("llm_council_cache_offers_total{{answer=\"{answer}\"}}"));
    }
    for outcome in ["asked", "refused", "postponed"] {
        expected.push(format!("llm_council_scheduled_questions_total{{outcome=\"{outcome}\"}}"));
    }
    for reason in ["idle", "stalled", "vanished"] {
        expected.push(format!("llm_council_connections_cut_total{{reason=\"{reason}\"}}"));
    }
    for name in [
        "llm_council_cost_usd_total{provider=\"scripted\"}",
        "llm_council_calls_of_unknown_cost_total{provider=\"scripted\"}",
        "llm_council_call_duration_seconds_count{provider=\"scripted\",outcome=\"ok\"}",
        "llm_council_time_to_first_token_seconds_count{provider=\"scripted\",outcome=\"ok\"}",
        "llm_council_retries_total{provider=\"scripted\",outcome=\"sent\"}",
        "llm_council_breaker_changes_total{provider=\"scripted\",model=\"\",state=\"open\"}",
        "llm_council_runs_live",
        "llm_council_streams_live",
        "llm_council_queue_length",
        "llm_council_queue_oldest_seconds",
        "llm_council_takeovers_total",
        "llm_council_log_retries_total",
        "llm_council_journal_mismatches_total",
        "llm_council_reports_dropped_total",
        "llm_council_panics_total",
        "llm_council_db_timeouts_total",
        "llm_council_draining",
    ] {
        expected.push(name.to_owned());
    }
    let expected: Vec<(&str, f64)> = expected.iter().map(|name| (name.as_str(), 0.0)).collect();
    are(&found, &expected);
    // What a server does as it starts takes connections.
    assert!(found.contains_key("llm_council_db_connections{state=\"waiting\"}"), "{found:#?}");
    are(&found, &[("llm_council_db_connections_max", 4.0)]);
    let build = found.keys().find(|name| name.starts_with("llm_council_build_info{")).expect("a build");
    assert!(build.contains(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"")), "{build}");
}

#[tokio::test]
async fn what_grows_by_fractions_is_told_as_a_counter_and_every_metric_says_what_it_is() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let page = User::at(server.base(), "").with("authorization", "Bearer t").get("/metrics").await.text;
    for line in [
        "# TYPE llm_council_cost_usd_total counter",
        "# TYPE process_cpu_seconds_total counter",
        "# TYPE llm_council_queue_length gauge",
        "# TYPE llm_council_run_duration_seconds histogram",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    for line in page.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let name = line.split(' ').next().expect("a name");
        assert!(page.contains(&format!("# HELP {name} ")), "{name} says nothing of itself");
        assert!(!line.ends_with("summary"), "{line} has no buckets");
    }
    // Runs and calls take minutes.
    assert!(page.contains(
        "llm_council_run_duration_seconds_bucket{format=\"council\",status=\"complete\",le=\"1800\"} 0"
    ));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_process_is_told_under_the_usual_names() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let found = series(&server).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let within = |name: &str, least: f64, most: f64| {
        let value = found[name];
        assert!((least..most).contains(&value), "{name} is {value}");
    };
    within("process_open_fds", 5.0, 500.0);
    within("process_max_fds", 240.0, f64::MAX);
    within("process_resident_memory_bytes", 1e6, 1e10);
    within("process_virtual_memory_bytes", 1e6, 1e13);
    within("process_cpu_seconds_total", 0.001, 600.0);
    within("process_threads", 2.0, 200.0);
    within("process_start_time_seconds", now - 600.0, now + 2.0);
}

#[tokio::test]
async fn a_run_adds_its_calls_tokens_and_costs_and_unknown_costs_are_counted_apart() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", _) => Some(Script::status(401, "a bad key")),
        ("m/three", _) => Some(plausible(request).without_usage()),
        _ => Some(plausibly(request, COST)),
    });
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    let records = models.records();
    let asked = |model: &str| {
        u32::try_from(records.iter().filter(|record| record.request.model == model).count()).unwrap()
    };
    let all = u32::try_from(records.len()).unwrap();
    let (refused, unknown) = (asked("m/two"), asked("m/three"));
    assert_eq!((refused, unknown), (1, 2), "an answer and a review, but whoever fails is asked once");
    let (known, answered) = (f64::from(all - refused - unknown), f64::from(all - refused));
    are(
        &series(&server).await,
        &[
            ("llm_council_runs_total{status=\"complete\"}", 1.0),
            ("llm_council_run_duration_seconds_count{format=\"council\",status=\"complete\"}", 1.0),
            ("llm_council_calls_total{provider=\"scripted\",outcome=\"ok\"}", answered),
            ("llm_council_calls_total{provider=\"scripted\",outcome=\"auth\"}", 1.0),
            ("llm_council_call_duration_seconds_count{provider=\"scripted\",outcome=\"ok\"}", answered),
            ("llm_council_call_duration_seconds_count{provider=\"scripted\",outcome=\"auth\"}", 1.0),
            ("llm_council_time_to_first_token_seconds_count{provider=\"scripted\",outcome=\"ok\"}", answered),
            ("llm_council_tokens_total{provider=\"scripted\",kind=\"prompt\"}", 100.0 * known),
            ("llm_council_tokens_total{provider=\"scripted\",kind=\"completion\"}", 20.0 * known),
            ("llm_council_tokens_total{provider=\"scripted\",kind=\"cached\"}", 0.0),
            ("llm_council_cost_usd_total{provider=\"scripted\"}", COST * known),
            ("llm_council_calls_of_unknown_cost_total{provider=\"scripted\"}", f64::from(unknown)),
            ("llm_council_runs_live", 0.0),
        ],
    );
}

#[tokio::test]
async fn calls_that_a_stop_drops_are_cancelled_and_of_unknown_cost() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    models.rule(|request| {
        let is_answer = request.asked_for() == AskedFor::Answer;
        Some(if is_answer { Script::answer("Well, ").stall() } else { plausibly(request, COST) })
    });
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let id = ann.conversation().await;
    let mut events = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    let answers = |records: &[crate::support::model_server::Record]| {
        records.iter().filter(|record| record.request.asked_for() == AskedFor::Answer).count()
    };
    models.until(|records| answers(records) == 4).await;
    // The title's, which would otherwise be dropped as well.
    until(&server, "llm_council_calls_total{provider=\"scripted\",outcome=\"ok\"}", 1.0).await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    events.rest().await;
    until(&server, "llm_council_calls_total{provider=\"scripted\",outcome=\"cancelled\"}", 4.0).await;
    are(
        &series(&server).await,
        &[
            ("llm_council_calls_of_unknown_cost_total{provider=\"scripted\"}", 4.0),
            ("llm_council_runs_total{status=\"cancelled\"}", 1.0),
            ("llm_council_run_duration_seconds_count{format=\"council\",status=\"cancelled\"}", 1.0),
        ],
    );
}

#[tokio::test]
async fn who_waits_is_counted_with_the_age_of_the_oldest_and_a_server_that_leaves_says_so() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| (request.model == "m/one").then(|| Script::answer("Well.").hold(&held)));
    let server = program(&db, &models).set("runs.max_live", "1").serve().await;
    let (ann, bob) = (server.user("ann"), server.user("bob"));
    let mut first = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    first.until("stage1_start").await;
    let mut second = bob.ask(&bob.conversation().await, json!({"content": "Why?"})).await;
    second.until("run_queued").await;
    until(&server, "llm_council_queue_length", 1.0).await;
    let age = "llm_council_queue_oldest_seconds";
    let before = series(&server).await[age];
    let grows = async {
        while series(&server).await[age] <= before {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), grows).await.is_ok(), "it grows older");
    are(&series(&server).await, &[("llm_council_runs_live", 1.0), ("llm_council_streams_live", 2.0)]);
    gate.open();
    first.rest().await;
    second.rest().await;
    until(&server, "llm_council_queue_length", 0.0).await;
    are(&series(&server).await, &[(age, 0.0), ("llm_council_draining", 0.0)]);

    // A run that goes on keeps the server for a while.
    models.rule(|request| (request.model == "m/two").then(|| Script::answer("Well, ").stall()));
    let mut last = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    last.until("stage1_start").await;
    server.signal("SIGTERM");
    until(&server, "llm_council_draining", 1.0).await;
}

#[tokio::test]
async fn a_run_whose_server_died_is_counted_as_taken_over() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        (request.model == "m/one" && request.asked_for() == AskedFor::Answer)
            .then(|| Script::answer("Well, ").hold(&held).text("yes."))
    });
    let program = program(&db, &models).set("runs.lease_seconds", "3");
    let (one, other) = tokio::join!(program.serve(), program.serve());
    let ann = one.user("ann");
    let mut events = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    let run = events.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    events.until("stage1_token").await;
    // Killed.
    drop(one);
    until(&other, "llm_council_takeovers_total", 1.0).await;
    gate.open();
    let rest = other.user("ann").events(&run, 0).await.rest().await;
    assert_eq!(rest.last().unwrap().kind(), "complete");
    until(&other, "llm_council_runs_total{status=\"complete\"}", 1.0).await;
}

#[tokio::test]
async fn scheduled_questions_are_counted_by_what_became_of_them() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let server = program(&db, &models).serve().await;
    let ann = server.user("ann");
    let made = ann.post("/api/settings/presets", json!({"name": "Quick"})).await.ok();
    let preset = made["preset"]["id"].as_str().unwrap().to_owned();
    let mut ids = Vec::new();
    for request in [json!({"content": "Why?"}), json!({"content": "Why?", "preset_id": preset})] {
        let mut body = every_morning();
        body["request"] = request;
        ids.push(ann.post("/api/schedules", body).await.ok()["id"].as_str().unwrap().to_owned());
    }
    ann.send("DELETE", &format!("/api/settings/presets/{preset}"), None).await.ok();
    sqlx::raw_sql("UPDATE schedules SET next_at = now()").execute(&mut db.superuser().await).await.unwrap();
    // Who changes a schedule makes the server look at once.
    ann.send("PATCH", &format!("/api/schedules/{}", ids[0]), Some(&json!({"name": "Storks"}))).await.ok();
    until(&server, "llm_council_scheduled_questions_total{outcome=\"asked\"}", 1.0).await;
    until(&server, "llm_council_scheduled_questions_total{outcome=\"refused\"}", 1.0).await;
    are(&series(&server).await, &[("llm_council_scheduled_questions_total{outcome=\"postponed\"}", 0.0)]);
}
