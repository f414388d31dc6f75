//! Everything of one person's is deleted; the ledger's sums stay.

use std::collections::BTreeSet;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use tokio::sync::oneshot;

use super::{MARK, act, all_write_the_mark, count, settle};
use crate::attachments::files::{content_type, form};
use crate::projects::{holding, released};
use crate::store::fill;
use crate::support::app::{TestApp, read};
use crate::support::db::TestDb;
use crate::support::device::PUSH;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::Program;

use llm_council::id::{RunId, UserId};
use llm_council::store::budgets::reserve::ExpectedCost;
use llm_council::store::erasure::{self, ERASED, KEPT};
use llm_council::store::journal::{self, CallRow, NewSingle};

/// Nobody's name in any other text.
const NAME: &str = "zephyrine";

/// The tables whose rows say this somewhere, in any column.
async fn tables_with(db: &TestDb, text: &str) -> Vec<String> {
    let mut superuser = db.superuser().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.tables
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    assert!(tables.len() > 30, "{tables:?}");
    let mut found = Vec::new();
    for table in tables {
        // Bytes, too: as text they are hexadecimal digits.
        let sql = format!(
            "SELECT count(*) FROM {table} t WHERE position(lower($1) IN lower(to_jsonb(t)::text)) > 0
                OR position(encode(convert_to($1, 'UTF8'), 'hex') IN to_jsonb(t)::text) > 0"
        );
        let rows: i64 =
            sqlx::query_scalar(AssertSqlSafe(sql)).bind(text).fetch_one(&mut superuser).await.unwrap();
        if rows > 0 {
            found.push(table);
        }
    }
    found
}

fn confirmed() -> Value {
    json!({"confirm": NAME})
}

#[tokio::test]
async fn no_table_knows_who_is_erased_and_the_sums_stay() {
    // A row in every table; nobody executes this run, and there is no hold.
    let db = TestDb::new().await;
    let mut superuser = db.superuser().await;
    fill(&mut superuser, NAME).await;
    for sql in [
        // What stands in these columns of a run comes from whoever asked.
        "UPDATE runs SET status = 'failed', finished_at = now(), skips = '[\"zephyrine\"]', corrections = '[\"zephyrine\"]'",
        "DELETE FROM legal_holds",
        "UPDATE budgets SET limit_usd = 1000",
        "UPDATE user_caps SET limit_usd = 1000",
    ] {
        sqlx::raw_sql(sql).execute(&mut superuser).await.unwrap();
    }
    let app = TestApp::over(db, PUSH).await;
    all_write_the_mark(&app);
    let (conversation, _) = settle(&app, NAME).await;
    let person = app.user(NAME);
    person.send("DELETE", &format!("/api/conversations/{}", person.conversation().await), None).await.ok();
    app.admin()
        .put(
            "/api/admin/budgets",
            json!({"budgets": [{"scope": "user", "name": NAME, "period": "month", "limit_usd": 1000}]}),
        )
        .await
        .ok();
    app.admin()
        .post("/api/admin/access-requests", json!({"user": NAME, "reason": "To see.", "hours": 1}))
        .await
        .ok();
    // As an administrator this person has changed what is everybody's.
    let admin = app.user(NAME).with("remote-groups", "admins");
    admin.put("/api/admin/config", json!({"chairman_alias": "Everybody's"})).await.ok();
    admin.put("/api/admin/retention", json!({"days": 4000})).await.ok();

    app.user("zoe").get("/api/user").await.ok();
    admin.post("/api/admin/blocks", json!({"user": "zoe", "reason": "A case"})).await.ok();

    let owned: BTreeSet<String> = tables_with(&app.db, NAME).await.into_iter().collect();
    let known: BTreeSet<String> =
        ERASED.iter().map(|(table, _)| *table).chain(KEPT).map(str::to_owned).collect();
    let unfilled: Vec<_> = known
        .difference(&owned)
        .filter(|table| !["erasures", "legal_holds"].contains(&table.as_str()))
        .collect();
    assert!(unfilled.is_empty(), "the test would show nothing of {unfilled:?}");
    let sums =
        "SELECT coalesce(sum(cost_usd), 0)::text || ' ' || count(*) || ' ' || sum(total_tokens) FROM calls";
    let before: String = sqlx::query_scalar(sums).fetch_one(&mut app.db.superuser().await).await.unwrap();

    let answer = app.user(NAME).send("DELETE", "/api/me", Some(&confirmed())).await;
    assert_eq!(answer.ok(), json!({"status": "ok", "erased": true}));

    assert_eq!(tables_with(&app.db, NAME).await, [""; 0], "their name");
    assert_eq!(tables_with(&app.db, MARK).await, [""; 0], "what they wrote, and what was written for them");
    // What they did to it, not what it was: the id leads nowhere.
    let with_id = tables_with(&app.db, &conversation).await;
    assert!(with_id.is_empty() || with_id == ["audit_log"], "{with_id:?}");
    let after: String = sqlx::query_scalar(sums).fetch_one(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(after, before, "what was paid, for how many calls");
    let usage = app.admin().get("/api/admin/usage").await.ok();
    let named = usage["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["name"].as_str().is_some_and(|name| name.starts_with("erased-")));
    assert_eq!(named.count(), 1);
    let log = app.admin().get("/api/admin/audit").await.ok();
    let erasure = log["entries"].as_array().unwrap().iter().find(|entry| entry["action"] == "user.erase");
    let name = erasure.expect("that there was one is noted")["user"].as_str().unwrap();
    assert!(name.starts_with("erased-"));
    let ledger = "SELECT DISTINCT user_id FROM runs WHERE user_id LIKE 'erased-%'";
    let ledger: String = sqlx::query_scalar(ledger).fetch_one(&mut app.db.superuser().await).await.unwrap();
    assert_ne!(ledger, name, "nothing leads from the log to the ledger");

    // Whoever comes back is new here.
    assert_eq!(app.user(NAME).get("/api/conversations").await.ok(), json!([]));
    assert_eq!(app.user(NAME).get("/api/config").await.ok()["is_default"], true);
    app.close().await;
}

#[tokio::test]
async fn a_table_that_says_whose_a_row_is_and_is_not_known_is_noticed() {
    let app = TestApp::with(PUSH).await;
    let unknown = async || -> Vec<String> {
        let rows = sqlx::query(
            "SELECT DISTINCT table_name::text AS name FROM information_schema.columns
             JOIN information_schema.tables USING (table_schema, table_name)
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
               AND column_name IN ('user_id', 'owner_id', 'author', 'created_by')",
        );
        let rows = rows.fetch_all(&mut app.db.superuser().await).await.unwrap();
        let known: Vec<&str> = ERASED.iter().map(|(table, _)| *table).chain(KEPT).collect();
        let names = rows.iter().map(|row| row.get::<String, _>("name"));
        names.filter(|name| !known.contains(&name.as_str())).collect()
    };
    assert_eq!(
        unknown().await,
        [""; 0],
        "say in store/erasure.rs what becomes of it, and fill it in the test above"
    );
    act(&app, "CREATE TABLE drawings (id uuid, user_id text)").await;
    assert_eq!(unknown().await, ["drawings"]);
    app.close().await;
}

#[tokio::test]
async fn it_takes_the_right_word_and_a_person() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann").with("remote-name", "Ann Example");
    let id = ann.conversation().await;
    for body in [
        json!({}),
        json!({"confirm": "delete"}),
        json!({"confirm": "bob"}),
        json!({"confirm": ""}),
        json!({"confirm": 1}),
    ] {
        let answer = ann.send("DELETE", "/api/me", Some(&body)).await;
        assert_eq!(answer.wrong_fields().last().unwrap(), "confirm", "{body}");
        assert!(answer.text.contains("must be your user id, ann"), "{}", answer.text);
    }
    let token = ann.post("/api/tokens", json!({"name": "mine"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let program = app.user("").without_identity().with("authorization", &bearer);
    assert_eq!(program.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await.status, 403);
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.status, 200);

    assert_eq!(
        ann.send("DELETE", "/api/me", Some(&json!({"confirm": " Ann Example "}))).await.ok()["erased"],
        true
    );
    assert_eq!(program.get("/api/conversations").await.status, 401, "the token is gone");
    assert_eq!(count(&app, "SELECT count(*) FROM users WHERE id = 'ann'").await, 0);
    app.close().await;
}

#[tokio::test]
async fn runs_under_way_are_stopped_first_and_their_readers_hear_the_end() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    live.until("stage1_start").await;
    let answer = ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await;
    assert_eq!(answer.ok()["erased"], true);
    live.rest().await;
    assert_eq!(count(&app, "SELECT count(*) FROM runs WHERE user_id = 'ann'").await, 0);
    assert_eq!(count(&app, "SELECT count(*) FROM run_events").await, 0);
    gate.open();
    app.close().await;
}

#[tokio::test]
async fn a_call_that_is_under_way_on_its_own_is_paid_for_without_the_name() {
    let app = TestApp::with(PUSH).await;
    let person = app.user(NAME);
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    tokio::select! {
        answer = person.post("/api/routing/classify", json!({"query": "Why?"})) => panic!("{}", answer.text),
        () = app.models.until(|records| records.len() == 1) => {}
    }
    assert_eq!(person.send("DELETE", "/api/me", Some(&confirmed())).await.ok()["erased"], true);
    gate.open();
    let mut looks = 0;
    while count(&app, "SELECT count(*) FROM calls").await == 0 {
        looks += 1;
        assert!(looks < 600, "what was paid for is never in the ledger");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(tables_with(&app.db, NAME).await, [""; 0]);
    let named = "SELECT count(*) FROM calls c JOIN runs r ON r.id = c.run_id AND r.user_id = c.user_id
                 WHERE c.user_id LIKE 'erased-%' AND r.format = 'classification'";
    assert_eq!(count(&app, named).await, 1);
    app.close().await;
}

#[tokio::test]
async fn what_a_call_on_its_own_said_is_not_kept_of_somebody_who_is_erased_meanwhile() {
    let app = TestApp::with(PUSH).await;
    let (db, user, run) = (app.db.db(), UserId::from_canonical(NAME), RunId::generate());
    let need = ExpectedCost::default();
    let single = NewSingle { run, user: &user, format: "bench", groups: &[], need, budgets: &[] };
    journal::open_single(db, &single).await.unwrap();
    assert_eq!(app.user(NAME).send("DELETE", "/api/me", Some(&confirmed())).await.ok()["erased"], true);
    let call = CallRow {
        run,
        user,
        key: "bench".to_owned(),
        stage: "stage1".to_owned(),
        model: "m/one".to_owned(),
        purpose: "answer".to_owned(),
        fingerprint: "of the question".to_owned(),
        outcome: "ok".to_owned(),
        result: Some(json!({"text": format!("The {MARK}.")}).to_string()),
        prompt_tokens: None,
        completion_tokens: None,
        reasoning_tokens: None,
        cached_tokens: None,
        cache_saved_usd: None,
        total_tokens: None,
        cost_usd: Some(0.25),
        cost_source: None,
        assumed_usd: None,
        latency_ms: Some(10),
        ttft_ms: None,
        tries: 1,
    };
    journal::record_single(db, call).await.unwrap();
    assert_eq!(tables_with(&app.db, NAME).await, [""; 0], "their name");
    assert_eq!(tables_with(&app.db, MARK).await, [""; 0], "what was said to them");
    let paid = "SELECT count(*) FROM calls WHERE cost_usd = 0.25 AND result IS NULL AND fingerprint = ''";
    assert_eq!(count(&app, paid).await, 1);
    app.close().await;
}

#[tokio::test]
async fn while_it_is_under_way_everything_is_refused_with_the_reason() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let token = ann.post("/api/tokens", json!({"name": "mine"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let program = app.user("").without_identity().with("authorization", &bearer);
    // Begun, and its server died at once.
    act(&app, "INSERT INTO erasures (user_id) VALUES ('ann')").await;
    for answer in [
        ann.get("/api/conversations").await,
        ann.post("/api/conversations", json!({})).await,
        ann.get("/api/me/export").await,
        ann.get("/api/user").await,
        ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await,
        program.get("/api/conversations").await,
        // As an administrator, too: their acts would be on record under the name.
        ann.clone().with("remote-groups", "admins").put("/api/admin/retention", json!({"days": 4000})).await,
    ] {
        assert_eq!(answer.status, 409, "{}", answer.text);
        assert_eq!(answer.json()["type"], "urn:llm-council:problem:erasure-under-way");
        assert_eq!(answer.header("retry-after"), "5");
    }
    // Programs read it in the shape of their protocol.
    let question = json!({"model": "council", "messages": [{"role": "user", "content": "Why?"}]});
    for answer in [
        program.post("/v1/chat/completions", question).await,
        program.post("/v1/responses", json!({"model": "council", "input": "Why?"})).await,
        program.get("/v1/models").await,
    ] {
        assert_eq!(answer.status, 409, "{}", answer.text);
        assert_eq!(answer.json()["error"]["code"], "erasure-under-way", "{}", answer.text);
        assert_eq!(answer.header("retry-after"), "5");
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "ask_council", "arguments": {"question": "Why?"}}});
    let told = program.post("/mcp", call).await.ok();
    assert_eq!(told["result"]["isError"], true, "{told}");
    assert!(told["result"]["content"][0]["text"].as_str().unwrap().contains("is being deleted"), "{told}");
    assert!(app.models.records().is_empty(), "nobody was asked");
    assert_eq!(app.user("bob").get("/api/conversations").await.status, 200);
    let user = UserId::from_canonical("ann");
    llm_council::store::erasure::finish(&app.app.db, &user).await.unwrap();
    assert_eq!(ann.get("/api/conversations").await.status, 200);
    app.close().await;
}

#[tokio::test]
async fn one_that_waits_for_a_run_that_no_server_can_end_keeps_nobody_elses_waiting() {
    let app = TestApp::with(PUSH).await;
    for name in ["ann", NAME] {
        app.user(name).conversation().await;
    }
    // It waits for a server of a later version, which is not there any more.
    act(
        &app,
        "INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, plan_version)
         SELECT gen_random_uuid(), 'ann', c.id, gen_random_uuid(), 'council', 'queued', '{}', 30000
         FROM conversations c WHERE c.user_id = 'ann'",
    )
    .await;
    // Both have begun, and their servers died.
    let begun = format!(
        "INSERT INTO erasures (user_id, begun_at) VALUES ('ann', now() - interval '1 minute'), ('{NAME}', now())"
    );
    act(&app, &begun).await;
    app.app.shutdown.tasks().spawn_background(erasure::finish_all(app.db.db().clone()));
    let mut looks = 0;
    while !tables_with(&app.db, NAME).await.is_empty() {
        looks += 1;
        assert!(looks < 600, "the later one never ends");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(count(&app, "SELECT count(*) FROM erasures WHERE user_id = 'ann'").await, 1, "it is not over");

    // A server that can read the run has ended it.
    act(&app, "UPDATE runs SET status = 'cancelled', finished_at = now() WHERE user_id = 'ann'").await;
    erasure::finish(&app.app.db, &UserId::from_canonical("ann")).await.unwrap();
    assert_eq!(count(&app, "SELECT count(*) FROM runs WHERE user_id = 'ann'").await, 0);
    assert_eq!(count(&app, "SELECT count(*) FROM erasures").await, 0);
    app.close().await;
}

#[tokio::test]
async fn two_tabs_that_ask_for_it_at_once_leave_nothing_either() {
    let app = TestApp::with(PUSH).await;
    all_write_the_mark(&app);
    settle(&app, NAME).await;
    let person = app.user(NAME);
    let body = confirmed();
    let erase = || person.send("DELETE", "/api/me", Some(&body));
    let (one, other) = tokio::join!(erase(), erase());
    // The second one comes too early, or finds a person who is new here.
    for answer in [&one, &other] {
        assert!(matches!(answer.status, 200 | 409), "{}", answer.text);
    }
    assert!([&one, &other].into_iter().any(|answer| answer.status == 200), "{} {}", one.text, other.text);
    assert_eq!(tables_with(&app.db, NAME).await, [""; 0]);
    assert_eq!(tables_with(&app.db, MARK).await, [""; 0]);
    assert_eq!(count(&app, "SELECT count(*) FROM erasures").await, 0);
    app.close().await;
}

#[tokio::test]
async fn a_file_that_arrives_while_its_owner_is_erased_is_not_kept() {
    let app = TestApp::with(PUSH).await;
    let person = app.user(NAME);
    person.get("/api/user").await.ok();
    let mut first = form(&[("file", Some("notes.txt"), MARK.as_bytes())]);
    let rest = first.split_off(first.len() / 2);
    let (go, wait) = oneshot::channel::<()>();
    let last = async move {
        drop(wait.await);
        Ok(rest)
    };
    let pieces = stream::iter([Ok::<_, std::io::Error>(first)]).chain(stream::once(last));
    let upload = person.request("POST", "/api/attachments").header("content-type", content_type());
    let upload = read(upload.body(reqwest::Body::wrap_stream(pieces)));
    let erased = async {
        let mut looks = 0;
        while !format!("{:?}", app.app.uploads).contains(NAME) {
            looks += 1;
            assert!(looks < 1200, "it is never under way");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(person.send("DELETE", "/api/me", Some(&confirmed())).await.ok()["erased"], true);
        go.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(upload, erased);
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert_eq!(tables_with(&app.db, NAME).await, [""; 0]);
    app.close().await;
}

#[tokio::test]
async fn a_day_that_is_being_summed_up_beside_it_does_not_bring_the_name_back() {
    let app = TestApp::with(PUSH).await;
    let person = app.user(NAME);
    person.conversation().await;
    // It has read the ledger under the name, and is not committed.
    let sum = format!(
        "INSERT INTO spent_until (until) VALUES (now());
         INSERT INTO spent_days (user_id, day, groups, usd, unknown_cost_calls)
         VALUES ('{NAME}', current_date, '{{}}', 1, 0)"
    );
    let summing = holding(&app, &sum).await;
    let body = confirmed();
    let erased = person.send("DELETE", "/api/me", Some(&body));
    let (answer, ()) = tokio::join!(erased, released(&app, summing, 1, "COMMIT"));
    assert_eq!(answer.ok()["erased"], true);
    assert_eq!(tables_with(&app.db, NAME).await, [""; 0]);
    assert_eq!(count(&app, "SELECT count(*) FROM spent_days WHERE usd = 1").await, 1, "the sum stays");
    app.close().await;
}

#[tokio::test]
async fn what_a_killed_server_has_begun_the_next_one_finishes() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let server = program.serve().await;
    let person = server.user(NAME);
    let id = person.conversation().await;
    person.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    person.post("/api/settings/presets", json!({"name": "mine"})).await.ok();
    // Somebody holds a row that it comes to late.
    let mut superuser = db.superuser().await;
    let mut holding = superuser.begin().await.unwrap();
    sqlx::raw_sql("SELECT FROM presets FOR UPDATE").execute(&mut *holding).await.unwrap();
    let erasing = person.request("DELETE", "/api/me").header("content-type", "application/json");
    let erasing = erasing.body(confirmed().to_string()).send();
    let until = async |sql: &'static str| {
        let mut superuser = db.superuser().await;
        for _ in 0..1200 {
            if sqlx::query_scalar::<_, bool>(sql).fetch_one(&mut superuser).await.unwrap() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("never: {sql}");
    };
    let killed = async {
        until(
            "SELECT NOT EXISTS (SELECT FROM tokens) AND EXISTS (SELECT FROM erasures)
                   AND NOT EXISTS (SELECT FROM conversations)",
        )
        .await;
        server.kill();
    };
    let (answer, ()) = tokio::join!(erasing, killed);
    assert!(answer.is_err(), "its server is gone");
    holding.rollback().await.unwrap();
    assert!(tables_with(&db, NAME).await.contains(&"presets".to_owned()));

    let next = program.serve().await;
    until("SELECT NOT EXISTS (SELECT FROM erasures)").await;
    assert_eq!(tables_with(&db, NAME).await, [""; 0]);
    assert_eq!(next.user(NAME).get("/api/conversations").await.ok(), json!([]));
    next.signal("SIGTERM");
    next.ended().await;
}
