//! One run whose records the database does not take: it ends, and takes no other down.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, Outcome, Record, Script, plausible};

/// Far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(120);

/// An app in which `m/one` answers a question of ann's with a word at which the database does this.
async fn app_where_the_database(does: &str) -> TestApp {
    let app = TestApp::start().await;
    let sql = format!(
        "CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {does}; RETURN NEW; END';
         CREATE TRIGGER stumble BEFORE INSERT ON calls FOR EACH ROW
             WHEN (NEW.result::text LIKE '%venom%') EXECUTE FUNCTION stumble()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut app.db.superuser().await).await.unwrap();
    app
}

/// Ann's run ends as failed with what was stored of it, Bob's beside it completes, and nothing is paid twice.
async fn one_ends_and_the_others_go_on(app: TestApp) {
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let is_anns = request.prompt().contains("Ann?") && request.asked_for() == AskedFor::Answer;
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.25});
        match (is_anns, request.model.as_str()) {
            (true, "m/one") => Some(Script::answer("").hold(&held).text("Pure venom.").usage(usage)),
            (true, "m/two") => Some(Script::answer("Well, ").stall()),
            (_, _) => Some(plausible(request)),
        }
    });
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (anns, bobs) = (ann.conversation().await, bob.conversation().await);
    let mut stream = ann.ask(&anns, json!({"content": "Ann?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    for _ in 0..2 {
        stream.until("stage1_model_complete").await;
    }
    gate.open();
    let answered = |record: &Record| record.request.model == "m/one" && record.outcome == Outcome::Finished;
    app.models.until(|records| records.iter().any(answered)).await;
    let completed =
        bob.post(&format!("/api/conversations/{bobs}/message"), json!({"content": "Bob?"})).await.ok();
    assert_eq!(completed["status"], "complete");

    let begun = Instant::now();
    while ann.get(&format!("/api/runs/{run}")).await.ok()["status"] == "running" {
        assert!(begun.elapsed() < TIMEOUT, "the run does not end");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let rest = stream.rest().await;
    let end = rest.last().unwrap();
    assert_eq!(end.kind(), "error");
    assert!(end.json["message"].as_str().unwrap().contains("could not be stored"), "{}", end.json);
    assert!(rest.windows(2).all(|two| two[0].id < two[1].id), "numbers ascend");
    let log = ann.events(&run, 0).await.rest().await;
    assert_eq!(log.last().unwrap(), end);
    let stored = ann.get(&format!("/api/conversations/{anns}")).await.ok()["messages"][1].clone();
    assert_eq!(stored["status"], "failed");
    assert_eq!(stored["stage1"].as_array().unwrap().len(), 2, "what came before is kept: {stored}");
    let ledger = "SELECT jsonb_build_array(outcome, cost_usd, result IS NULL) FROM calls
                  WHERE run_id = $1::uuid AND model = 'm/one'";
    let call: Value =
        sqlx::query_scalar(ledger).bind(&run).fetch_one(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(call, json!(["ok", 0.25, true]), "what it cost is known");
    let asked = |record: &&Record| record.request.prompt().contains("Ann?");
    let answers = |record: &&Record| record.request.asked_for() == AskedFor::Answer;
    assert_eq!(
        app.models.records().iter().filter(asked).filter(answers).count(),
        4,
        "nobody was asked twice"
    );
    let again =
        ann.post(&format!("/api/conversations/{anns}/message"), json!({"content": "Again?"})).await.ok();
    assert_eq!(again["status"], "complete");
    app.close().await;
}

#[tokio::test]
async fn a_run_whose_records_always_take_too_long_is_ended_and_the_others_go_on() {
    one_ends_and_the_others_go_on(app_where_the_database("PERFORM pg_sleep(3600)").await).await;
}

#[tokio::test]
async fn a_run_whose_records_are_refused_is_ended_and_the_others_go_on() {
    one_ends_and_the_others_go_on(app_where_the_database("RAISE EXCEPTION ''no''").await).await;
}

#[tokio::test]
async fn a_run_whose_end_is_refused_as_well_is_ended_bare() {
    let app = TestApp::start().await;
    let sql =
        "CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
               CREATE TRIGGER stumble BEFORE UPDATE ON messages FOR EACH ROW
                   WHEN (NEW.body::text LIKE '%scripted%') EXECUTE FUNCTION stumble()";
    sqlx::raw_sql(sql).execute(&mut app.db.superuser().await).await.unwrap();
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let rest = ann.ask(&id, json!({"content": "Why?"})).await.rest().await;
    assert_eq!(rest.last().unwrap().kind(), "error");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    assert_eq!(stored["status"], "failed");
    assert_eq!(app.models.records().len(), 10, "nothing is paid again");
    app.close().await;
}
