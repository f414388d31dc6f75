//! Each time is asked once: however many servers there are, and whenever one of them dies.

use std::time::Duration;

use llm_council::id::{ScheduleId, UserId};
use llm_council::server::schedules::round;
use llm_council::store::{Scope, schedules};
use serde_json::{Value, json};
use sqlx::Row as _;

use super::{act, comes, count, ended, every_morning, results, schedule};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

const SCHEDULES: usize = 12;

/// Waits until a query finds this many.
async fn until(db: &TestDb, sql: &'static str, wanted: i64) {
    let mut superuser = db.superuser().await;
    let wait = async {
        while sqlx::query(sql).fetch_one(&mut superuser).await.unwrap().get::<i64, _>(0) != wanted {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), wait)
        .await
        .unwrap_or_else(|_| panic!("never {wanted}: {sql}"));
}

const ASKED: &str = "SELECT count(*) FROM schedule_results WHERE run_id IS NOT NULL";
const ANSWERED: &str = "SELECT count(*) FROM runs WHERE status = 'complete'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_servers_one_asks_each_time() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let (one, other) = tokio::join!(program.serve(), program.serve());
    let ann = one.user("ann");
    for number in 0..SCHEDULES {
        let mut body = every_morning();
        body["name"] = json!(format!("Herons {number}"));
        ann.post("/api/schedules", body).await.ok();
    }
    let mut superuser = db.superuser().await;
    for round in 1..=3_i64 {
        sqlx::raw_sql("UPDATE schedules SET next_at = now()").execute(&mut superuser).await.unwrap();
        // Who changes a schedule makes a server look at once.
        let list = ann.get("/api/schedules").await.ok();
        let wake = |of: &Value| format!("/api/schedules/{}", of["id"].as_str().unwrap());
        let (first, last) = (wake(&list["schedules"][0]), wake(&list["schedules"][SCHEDULES - 1]));
        let there = other.user("ann");
        let change = json!({"budget_usd": null});
        tokio::join!(ann.send("PATCH", &first, Some(&change)), there.send("PATCH", &last, Some(&change)));
        let wanted = round * i64::try_from(SCHEDULES).unwrap();
        until(&db, ASKED, wanted).await;
        until(&db, ANSWERED, wanted).await;
    }
    let doubles: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT FROM schedule_results GROUP BY schedule_id HAVING count(*) <> 3) AS other",
    )
    .fetch_one(&mut superuser)
    .await
    .unwrap();
    assert_eq!(doubles, 0);
    let conversations: i64 =
        sqlx::query_scalar("SELECT count(*) FROM conversations").fetch_one(&mut superuser).await.unwrap();
    assert_eq!(conversations, 36, "one for each time");
    for server in [&one, &other] {
        let errors: Vec<_> = server.log_lines().into_iter().filter(|line| line["level"] == "ERROR").collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_came_due_while_no_server_ran_is_asked_by_the_next_one_and_a_kill_loses_no_run() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    models.rule(|request| {
        let slow = request.model == "m/one";
        slow.then(|| crate::support::model_server::plausible(request).paced(Duration::from_millis(100)))
    });
    let program = Program::council(&db, &models).set("runs.lease_seconds", "2");
    let first = program.serve().await;
    for _ in 0..4 {
        first.user("ann").post("/api/schedules", every_morning()).await.ok();
    }
    first.kill();
    let mut superuser = db.superuser().await;
    sqlx::raw_sql("UPDATE schedules SET next_at = now() - interval '2 days'")
        .execute(&mut superuser)
        .await
        .unwrap();
    let second = program.serve().await;
    until(&db, ASKED, 4).await;
    second.kill();
    let third = program.serve().await;
    until(&db, ANSWERED, 4).await;
    until(&db, ASKED, 4).await;
    assert_eq!(third.user("ann").get("/api/conversations").await.ok().as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_server_that_dies_before_it_has_asked_leaves_it_due() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    act(&app, "UPDATE schedules SET next_at = now()").await;
    // Another server has it.
    let scope = Scope::User(UserId::from_canonical("ann"));
    let schedule: ScheduleId = id.parse().unwrap();
    let mut tx = app.app.db.begin(&scope).await.unwrap();
    assert!(schedules::take_due(&mut tx, schedule).await.unwrap().is_some());
    round(&app.app).await.unwrap();
    assert!(results(&ann, &id).await.is_empty(), "nobody waits for it, nor takes it too");
    // Its process is gone: the database notices.
    let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut *tx).await.unwrap();
    act(&app, &format!("SELECT pg_terminate_backend({backend}, 10000)")).await;
    drop(tx);
    round(&app.app).await.unwrap();
    round(&app.app).await.unwrap();
    let all = results(&ann, &id).await;
    assert_eq!(all.len(), 1);
    ended(&ann, all[0]["run"]["run_id"].as_str().unwrap()).await;
    app.close().await;
}

#[tokio::test]
async fn a_time_is_used_up_with_all_that_is_asked_or_not_at_all() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    // The last statement of the start fails.
    act(
        &app,
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
         CREATE TRIGGER fail BEFORE INSERT ON schedule_results FOR EACH ROW WHEN (NEW.run_id IS NOT NULL)
             EXECUTE FUNCTION fail();
         CREATE FUNCTION fail_too() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
         CREATE TRIGGER fail_too BEFORE INSERT ON schedule_results FOR EACH ROW WHEN (NEW.refusal IS NOT NULL)
             EXECUTE FUNCTION fail_too();",
    )
    .await;
    comes(&app, "now()").await;
    for table in ["conversations", "messages", "runs", "reservations", "schedule_results"] {
        assert_eq!(count(&app, &format!("SELECT count(*) FROM {table}")).await, 0, "{table}");
    }
    assert_eq!(
        count(&app, "SELECT count(*) FROM schedules WHERE next_at <= now()").await,
        1,
        "it is due as before"
    );
    // A fault of the server is kept like any refusal, so that nothing is tried without an end.
    act(&app, "DROP TRIGGER fail_too ON schedule_results").await;
    round(&app.app).await.unwrap();
    let why = &results(&ann, &id).await[0]["refusal"];
    assert_eq!(why, "something went wrong on this server; it has been recorded");
    act(&app, "DROP TRIGGER fail ON schedule_results").await;
    comes(&app, "now()").await;
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    app.close().await;
}

#[tokio::test]
async fn the_database_itself_keeps_a_time_from_being_used_twice() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    comes(&app, "'2026-03-27 07:00:00+00'").await;
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    // As after a restore of the schedule alone.
    comes(&app, "'2026-03-27 07:00:00+00'").await;
    assert_eq!(count(&app, "SELECT count(*) FROM runs").await, 1);
    app.close().await;
}

#[tokio::test]
async fn a_server_that_takes_nothing_now_leaves_it_due() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    app.app.runs.close();
    comes(&app, "now()").await;
    assert!(results(&ann, &id).await.is_empty());
    assert_eq!(
        count(&app, "SELECT count(*) FROM schedules WHERE next_at <= now() AND refusals = 0").await,
        1
    );
    app.close().await;
}

#[tokio::test]
async fn nothing_is_asked_for_somebody_whose_data_is_being_erased() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = schedule(&ann, json!({})).await;
    act(&app, "INSERT INTO erasures (user_id) VALUES ('ann')").await;
    comes(&app, "now()").await;
    assert_eq!(count(&app, "SELECT count(*) FROM runs").await, 0);
    act(&app, "DELETE FROM erasures").await;
    round(&app.app).await.unwrap();
    let run = results(&ann, &id).await[0]["run"]["run_id"].as_str().unwrap().to_owned();
    ended(&ann, &run).await;
    app.close().await;
}
