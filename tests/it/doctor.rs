//! An examination, as the command prints it and as administrators get it.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, RecordedRequest, Script};
use crate::support::object_server::{Fault, ObjectServer, SECRET as SECRET_OF_STORE};
use crate::support::process::{Process, Program};

const SECRET: &str = "sk-secret-of-the-test";
const PATH: &str = "/api/admin/providers/check";

/// What a good model answers to each probe.
fn good(request: &RecordedRequest) -> Script {
    let body = &request.body;
    if body["response_format"].is_object() {
        Script::answer(r#"{"word": "ready"}"#)
    } else if body["tools"].is_array() {
        Script::answer("").tool_call(0, "call-1", "report_ready", r#"{"word": "ready"}"#).finish("tool_calls")
    } else {
        Script::answer("ready")
    }
}

/// A server of models that are all well, but for those that `odd` says something else of.
async fn models(odd: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) -> ModelServer {
    let models = ModelServer::start().await;
    models.rule(move |request| Some(odd(request).unwrap_or_else(|| good(request))));
    models
}

fn list(models: &ModelServer, ids: &[&str]) {
    let price = json!({"prompt": "0.000001", "completion": "0.000002"});
    let data: Vec<Value> = ids.iter().map(|id| json!({"id": id, "pricing": price})).collect();
    models.models(Script::raw("application/json", json!({ "data": data }).to_string()));
}

const ALL: [&str; 6] = ["m/one", "m/two", "m/three", "m/four", "m/chair", "m/title"];

#[track_caller]
fn model<'r>(report: &'r Value, model: &str) -> &'r Value {
    let models = report["models"].as_array().unwrap();
    models.iter().find(|it| it["model"] == model).unwrap_or_else(|| panic!("{model}: {report:#}"))
}

fn states(model: &Value) -> Vec<&str> {
    model["probes"].as_array().unwrap().iter().map(|probe| probe["state"].as_str().unwrap()).collect()
}

#[track_caller]
fn check<'r>(report: &'r Value, code: &str) -> &'r Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|it| it["fact"]["code"] == code).unwrap_or_else(|| panic!("{code}: {report:#}"))
}

async fn doctor(program: &Program, args: &[&str]) -> (Option<i32>, Value, String) {
    let args: Vec<&str> = ["doctor", "--json"].iter().chain(args).copied().collect();
    let ended = program.run(&args).await;
    assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{ended:?}");
    let report = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended.code, report, ended.stderr)
}

#[tokio::test]
async fn with_nothing_configured_the_simulated_council_is_well_and_nothing_is_made() {
    let program = Program::plain();
    let ended = program.run(&["doctor"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for said in ["every model is simulated", "made by the first start", "4 of 4 members answer"] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    let widest = ended.stdout.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 100 && !ended.stdout.contains('\u{1b}'), "{widest}: {}", ended.stdout);
    assert_eq!(std::fs::read_dir(program.home()).unwrap().count(), 0, "it changes nothing");
}

#[tokio::test]
async fn a_report_whose_reader_has_left_has_a_code_of_its_own() {
    let gate = Gate::new();
    let held = gate.clone();
    let models = models(move |_| Some(Script::answer("").hold(&held).text("ready"))).await;
    list(&models, &ALL);
    let db = TestDb::new().await;
    let program = Program::council(&db, &models);
    let mut examining = program.begin(&["doctor"]);
    models.until(|records| !records.is_empty()).await;
    examining.close_output();
    gate.open();
    let ended = examining.ended_with_output().await;
    assert_eq!(ended.code, Some(141), "{ended:?}");
    assert!(!ended.stderr.contains("Broken pipe"), "{ended:?}");
}

#[tokio::test]
async fn a_wrong_configuration_names_every_wrong_key_as_a_start_does() {
    let program = Program::plain()
        .set("providers.one.kind", "nonsense")
        .set("providers.two.kind", "openai_compatible")
        .set("server.prot", "1");
    let ended = program.run(&["doctor"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(78), ""));
    for key in ["providers.one.kind", "providers.two.base_url", "server.prot"] {
        assert!(ended.stderr.contains(key), "{key}: {}", ended.stderr);
    }
    assert_eq!(Program::plain().run(&["doctor", "--max-cost", "much"]).await.code, Some(2));
}

#[tokio::test]
async fn all_well_is_a_council_and_the_database_of_another_version_is_named() {
    let models = models(|_| None).await;
    list(&models, &ALL);
    let db = TestDb::new().await;
    let program = Program::council(&db, &models).set("providers.scripted.structured_outputs", "true");
    let (code, report, _) = doctor(&program, &[]).await;
    assert_eq!((code, &report["council"]), (Some(0), &json!(true)), "{report:#}");
    assert_eq!(report["fact"], json!({"code": "council_ready", "answering": 4, "members": 4}));
    let one = model(&report, "m/one");
    assert_eq!(states(one), ["ok", "ok", "ok", "ok"], "{one:#}");
    assert_eq!((&one["listed"], &one["price"]["prompt_per_million_usd"]), (&json!(true), &json!(1.0)));
    assert!(one["ttft_ms"].is_u64() && one["total_ms"].is_u64() && one["cost_usd"].as_f64().unwrap() > 0.0);
    assert_eq!(model(&report, "m/chair")["seats"], json!(["chairman", "utility"]));
    assert_eq!(report["providers"][0]["fact"], json!({"code": "list_read", "models": 6}));
    assert!(report["cost"]["spent_usd"].as_f64().unwrap() > 0.0);
    let records = models.records();
    let bounded =
        |request: &RecordedRequest| request.body["max_tokens"].as_u64().is_some_and(|most| most <= 128);
    assert!(
        records.len() == 24 && records.iter().all(|record| bounded(&record.request)),
        "{}",
        records.len()
    );

    let mut superuser = db.superuser().await;
    let (_, report, _) = doctor(&program, &["--stream"]).await;
    assert_eq!(check(&report, "schema_current")["state"], "ok");
    assert_eq!(check(&report, "roles_ready")["state"], "ok");
    assert_eq!(check(&report, "any_host")["state"], "warning");
    assert_eq!(states(model(&report, "m/one")), ["ok", "skipped", "skipped", "skipped"]);
    for (sql, code, state) in [
        ("DELETE FROM _sqlx_migrations WHERE version > 10", "schema_older", "warning"),
        ("INSERT INTO _sqlx_migrations SELECT 9999, 'later', now(), true, '', 0", "schema_newer", "failed"),
        ("ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY", "tables_unprotected", "failed"),
    ] {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
        let (_, report, _) = doctor(&program, &["--stream"]).await;
        assert_eq!(check(&report, code)["state"], state);
    }
}

#[tokio::test]
async fn an_object_store_is_tried_and_nothing_is_left_in_it() {
    let models = models(|_| None).await;
    list(&models, &ALL);
    let (db, store) = (TestDb::new().await, ObjectServer::start().await);
    let with_store = |program: Program| {
        store.settings(0).iter().fold(program, |program, (key, value)| program.set(key, value))
    };
    let program = with_store(Program::council(&db, &models));
    let (code, report, _) = doctor(&program, &["--stream"]).await;
    assert_eq!((code, &check(&report, "object_store_works")["state"]), (Some(0), &json!("ok")));
    assert_eq!([store.count("PUT"), store.count("GET"), store.count("DELETE")], [1; 3]);
    assert!(store.objects().is_empty());

    store.fails_at("GET", Fault::Status(403, "AccessDenied"));
    let (code, report, stderr) = doctor(&program, &["--stream"]).await;
    let refused = check(&report, "object_store_failed");
    assert_eq!(refused["state"], "failed");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("GET was answered with 403 (AccessDenied)"), "{message}");
    assert_eq!((code, &report["council"]), (Some(0), &json!(true)), "questions can be asked without files");
    assert!(!report.to_string().contains(SECRET_OF_STORE) && !stderr.contains(SECRET_OF_STORE));
    store.heals();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM loose_objects")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    assert_eq!((left, store.objects().len()), (1, 1), "what could not be read is known and removed later");
    store.all_were_signed();

    let without = with_store(Program::council_on("postgres://me:hunter2@127.0.0.1:1/council", &models));
    let (_, report, _) = doctor(&without, &["--stream"]).await;
    assert_eq!(check(&report, "object_store_not_tried")["state"], "skipped");
    assert_eq!(store.count("PUT"), 2, "nobody would know of it");
}

#[tokio::test]
async fn a_dead_database_and_one_dead_model_of_four_do_not_stop_the_rest() {
    let models = models(|request| {
        let gone = r#"{"error": {"message": "No endpoints found for m/two.", "code": 404}}"#;
        (request.model == "m/two").then(|| Script::status(404, gone))
    })
    .await;
    list(&models, &["m/one", "m/two-2", "m/three", "m/four", "m/chair", "m/title"]);
    let program = Program::council_on("postgres://me:hunter2@127.0.0.1:1/council", &models);
    let (code, report, _) = doctor(&program, &["--models", "m/more"]).await;
    assert_eq!((code, &report["council"]), (Some(1), &json!(false)), "{report:#}");
    assert_eq!(report["fact"], json!({"code": "database_unusable"}));
    let dead = check(&report, "database_failed");
    let message = dead["message"].as_str().unwrap();
    assert!(message.contains("cannot reach") && message.contains("(Connection refused"), "{message}");
    assert!(!report.to_string().contains("hunter2"), "{report:#}");
    let two = model(&report, "m/two");
    assert_eq!(states(two), ["failed", "skipped", "skipped", "skipped"], "{two:#}");
    assert_eq!((&two["listed"], &two["nearest"]), (&json!(false), &json!("m/two-2")));
    assert_eq!(two["advice"], json!({"code": "replace", "model": "m/two", "nearest": "m/two-2"}));
    assert_eq!(two["probes"][0]["fact"]["error_kind"], "refused");
    assert_eq!(models.count("m/two"), 1, "it is asked once and never again");
    assert_eq!(model(&report, "m/more")["seats"], json!(["named"]));
    let answer = |name| states(model(&report, name))[0] == "ok";
    assert!(["m/one", "m/three", "m/four"].into_iter().all(answer), "{report:#}");
}

#[tokio::test]
async fn nobody_who_sits_is_named_in_a_members_place() {
    let models = models(|request| {
        (request.model == "m/two").then(|| Script::status(404, r#"{"error": {"message": "gone"}}"#))
    })
    .await;
    list(&models, &["m/one", "m/three", "m/four"]);
    let db = TestDb::new().await;
    let (code, report, _) = doctor(&Program::council(&db, &models), &["--stream"]).await;
    assert_eq!(code, Some(0), "{report:#}");
    let two = model(&report, "m/two");
    assert_eq!((&two["listed"], two.get("nearest")), (&json!(false), None), "{two:#}");
    assert_eq!(two["advice"], json!({"code": "replace", "model": "m/two"}));
}

#[tokio::test]
async fn a_wrong_key_is_no_council() {
    let refused = || Script::status(401, &format!(r#"{{"error": "no such key: {SECRET}"}}"#));
    let models = models(move |_| Some(refused())).await;
    models.models(refused());
    let db = TestDb::new().await;
    let program = Program::council(&db, &models);
    let (code, report, _) = doctor(&program, &[]).await;
    assert_eq!((code, &report["council"]), (Some(1), &json!(false)));
    assert_eq!(report["fact"], json!({"code": "too_few_members", "answering": 0, "members": 4}));
    for found in [&report["providers"][0], model(&report, "m/one")] {
        assert_eq!(found["state"], "failed");
        assert_eq!(found["advice"], json!({"code": "check_key", "provider": "scripted"}));
        assert!(found["what_to_do"].as_str().unwrap().contains("providers.scripted.api_key"));
    }
}

#[tokio::test]
async fn each_way_of_asking_has_its_own_state() {
    let thinking = || Script::answer("").reasoning("Let me think").finish("length");
    let models = models(move |request| {
        let stream = request.body["stream"] == true;
        match request.model.as_str() {
            "m/one" if stream => Some(Script::status(400, r#"{"error": "stream is not supported"}"#)),
            "m/two" if request.body["tools"].is_array() => {
                Some(Script::status(400, r#"{"error": "tools are not supported"}"#))
            }
            "m/three" => Some(thinking()),
            "m/four" if request.body["response_format"].is_object() => Some(Script::answer("ready")),
            _ => None,
        }
    })
    .await;
    list(&models, &ALL);
    let db = TestDb::new().await;
    let program = Program::council(&db, &models).set("providers.scripted.structured_outputs", "true");
    let (code, report, _) = doctor(&program, &["--max-cost", "1"]).await;
    assert_eq!(code, Some(0), "{report:#}");
    let one = model(&report, "m/one");
    assert_eq!((states(one)[0], states(one)[1], &one["state"]), ("failed", "ok", &json!("warning")));
    assert_eq!(one["advice"], json!({"code": "turn_streaming_off", "provider": "scripted"}));
    assert_eq!(states(model(&report, "m/two")), ["ok", "ok", "ok", "not_offered"]);
    let three = model(&report, "m/three");
    assert_eq!(three["fact"], json!({"code": "still_thinking", "max_tokens": 64}), "{three:#}");
    let four = model(&report, "m/four");
    assert_eq!(states(four), ["ok", "ok", "failed", "ok"]);
    assert_eq!(four["advice"]["code"], "turn_schemas_off");
}

#[tokio::test]
async fn what_does_not_fit_into_the_cost_is_named_and_not_asked() {
    let models = models(|_| None).await;
    list(&models, &["m/one", "m/two", "m/three", "m/four"]);
    let db = TestDb::new().await;
    let program = Program::council(&db, &models);
    // 64 tokens of a reply at $2 a million are $0.000128: one of them fits.
    let (code, report, _) = doctor(&program, &["--stream", "--max-cost", "0.0002"]).await;
    assert_eq!(code, Some(0), "what was saved pays for the others: {report:#}");
    let (code, report, _) = doctor(&program, &["--stream", "--max-cost", "0.0001"]).await;
    assert_eq!(code, Some(1), "{report:#}");
    assert_eq!(report["fact"]["code"], "too_few_asked");
    assert_eq!(model(&report, "m/one")["probes"][0]["fact"]["code"], "over_max_cost");
    assert_eq!(model(&report, "m/one")["advice"]["code"], "raise_max_cost");
    // Its price is not known, and somebody said what it may cost.
    assert_eq!(model(&report, "m/chair")["probes"][0]["fact"], json!({"code": "price_unknown"}));
    assert_eq!(report["cost"]["spent_usd"], 0.0);
}

#[tokio::test]
async fn administrators_get_the_same_and_the_ledger_and_the_audit_log_have_it() {
    let app = TestApp::start().await;
    app.models.rule(|request| Some(good(request)));
    list(&app.models, &ALL);
    let report = app.admin().post(PATH, json!({"models": ["m/more"], "stream": true})).await.ok();
    assert_eq!(report["council"], true, "{report:#}");
    assert_eq!(states(model(&report, "m/more")), ["ok", "skipped", "skipped", "skipped"]);
    let seen = &check(&report, "seen_request")["fact"];
    assert_eq!(seen["headers"], json!(["Remote-User", "Remote-Groups"]), "{seen}");
    assert_eq!((&seen["peer"], &seen["trusted"]), (&json!("127.0.0.1"), &json!(true)));
    let row = sqlx::query(
        "SELECT count(*) AS calls, count(DISTINCT model) AS models FROM calls WHERE stage = 'check'",
    )
    .fetch_one(&mut app.db.superuser().await)
    .await
    .unwrap();
    assert_eq!((row.get::<i64, _>("calls"), row.get::<i64, _>("models")), (7, 7));
    let audit = app.admin().get("/api/admin/audit").await.ok();
    assert_eq!(audit["entries"][0]["action"], "providers.check", "{audit:#}");
    // No body is everything.
    let whole = app.admin().send("POST", PATH, None).await.ok();
    assert_eq!(states(model(&whole, "m/one"))[..2], ["ok", "ok"]);
    app.close().await;
}

#[tokio::test]
async fn only_administrators_check_one_at_a_time_and_wrong_fields_are_named() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("ready")));
    assert_eq!(app.user("ann").post(PATH, json!({})).await.status, 403);
    assert_eq!(app.stranger().post(PATH, json!({})).await.status, 401);
    let wrong = json!({"models": ["m/one", "two words"], "max_cost_usd": -1, "stream": "yes"});
    let wrong = app.admin().post(PATH, wrong).await.wrong_fields();
    assert_eq!(wrong, ["stream", "models.1", "max_cost_usd"]);
    let admin = app.admin();
    let (first, second) = tokio::join!(admin.post(PATH, json!({"stream": true})), async {
        app.models.until(|records| !records.is_empty()).await;
        let second = admin.post(PATH, json!({})).await;
        gate.open();
        second
    });
    assert_eq!((first.status, second.status), (200, 409), "{}", second.text);
    assert!(second.json()["type"].as_str().unwrap().ends_with("check-under-way"));
    app.close().await;
}

#[tokio::test]
async fn budgets_hold_for_a_check() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 0.0\n").await;
    list(&app.models, &ALL);
    let report = app.admin().post(PATH, json!({"stream": true})).await.ok();
    assert_eq!(report["council"], false);
    assert_eq!(model(&report, "m/one")["probes"][0]["fact"]["error_kind"], "budget", "{report:#}");
    assert!(app.models.records().is_empty());
    app.close().await;
}

#[tokio::test]
async fn everybody_who_sits_somewhere_is_asked_once_and_presets_count() {
    let models = models(|_| None).await;
    list(&models, &["m/one", "m/two"]);
    let db = TestDb::new().await;
    let program = Program::council(&db, &models)
        .set("council.models", "m/one, straico:m/two, perplexity:sonar-pro")
        .set("council.chairman", "m/one")
        .set("council.chairman_fallbacks", "m/spare")
        .set("council.title_model", "perplexity:sonar")
        .set("council.utility_model", "m/one")
        .set("council.reviewer_models", "m/judge, m/one")
        .set("council.research_model", "m/finder")
        .set("search.model", "m/searcher")
        .set("providers.default", "scripted")
        .set("providers.straico.base_url", &models.base_url())
        .set("providers.perplexity.base_url", &models.base_url())
        .env("STRAICO_API_KEY", SECRET)
        .env("PERPLEXITY_API_KEY", SECRET);
    let (code, report, _) = doctor(&program, &[]).await;
    assert_eq!(code, Some(0), "{report:#}");
    let seats: Vec<(&str, String)> = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["model"].as_str().unwrap(), it["seats"].to_string()))
        .collect();
    assert_eq!(
        seats,
        [
            ("m/one", r#"["member","chairman","utility","reviewer"]"#.to_owned()),
            ("straico:m/two", r#"["member"]"#.to_owned()),
            ("perplexity:sonar-pro", r#"["member"]"#.to_owned()),
            ("m/spare", r#"["fallback"]"#.to_owned()),
            ("perplexity:sonar", r#"["title"]"#.to_owned()),
            ("m/judge", r#"["reviewer"]"#.to_owned()),
            ("m/finder", r#"["research"]"#.to_owned()),
            ("m/searcher", r#"["search"]"#.to_owned()),
        ]
    );
    // What a service does not do is not tried.
    assert_eq!(states(model(&report, "straico:m/two")), ["not_offered", "ok", "not_offered", "not_offered"]);
    assert_eq!(states(model(&report, "perplexity:sonar-pro")), ["ok", "ok", "ok", "not_offered"]);
    let title = model(&report, "perplexity:sonar");
    assert_eq!((&title["state"], &title["fact"]["code"]), (&json!("warning"), &json!("unfit_for_utility")));
    assert_eq!(title["advice"]["code"], "name_another_for_utility");
    assert!(title["listed"].is_null(), "nobody knows what Perplexity has: {title}");
}

#[tokio::test]
async fn a_server_without_its_database_still_says_what_it_sees() {
    let models = models(|_| None).await;
    list(&models, &ALL);
    let process = Program::council_on("postgres://me:hunter2@127.0.0.1:1/council", &models).listen().await;
    let report = process.admin().post(PATH, json!({})).await.ok();
    assert_eq!(check(&report, "database_failed")["state"], "failed");
    assert_eq!(report["providers"][0]["fact"], json!({"code": "list_read", "models": 6}));
    let one = model(&report, "m/one");
    assert_eq!((&one["state"], &one["fact"]["code"]), (&json!("skipped"), &json!("no_ledger")));
    assert_eq!(report["fact"]["code"], "database_unusable");
    assert!(models.records().is_empty() && !report.to_string().contains("hunter2"));
}

#[tokio::test]
async fn a_proxy_that_is_not_trusted_is_named_in_the_log_and_refused() {
    let models = models(|_| None).await;
    let db = TestDb::new().await;
    let program = Program::council(&db, &models).set("auth.trusted_proxies", "10.1.2.0/24");
    let (_, report, _) = doctor(&program, &["--stream"]).await;
    assert_eq!(check(&report, "sign_in_by_proxy")["fact"]["trusted"], json!(["10.1.2.0/24"]));
    let process = program.serve().await;
    for _ in 0..3 {
        assert_eq!(process.admin().post(PATH, json!({})).await.status, 401);
    }
    said_of_headers(&process, "auth.trusted_proxies").await;
}

#[tokio::test]
async fn a_proxy_without_the_secret_is_named_in_the_log_and_refused() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let process =
        Program::council(&db, &models).set("auth.proxy_secret", "hunter2-hunter2-hunter2").serve().await;
    for _ in 0..3 {
        assert_eq!(process.admin().post(PATH, json!({})).await.status, 401);
    }
    let said = said_of_headers(&process, "auth.proxy_secret").await;
    assert!(!said.to_string().contains("hunter2"), "{said}");
}

/// What the log says of headers that are not trusted: once a minute, with the address.
async fn said_of_headers(process: &Process, why: &str) -> Value {
    let words = "identity headers are not trusted";
    process.until_logged(|text| text.contains(words)).await;
    let lines: Vec<Value> = process.log_lines().into_iter().filter(|line| line["message"] == words).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["peer"], "127.0.0.1");
    assert!(lines[0]["why"].as_str().unwrap().contains(why), "{lines:?}");
    lines[0].clone()
}
