//! A whole database as an earlier version left it, in the middle of its work: conversations that are answered,
//! one of them asked again; runs that are under way in several places; one that waits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use super::recorded::{DATABASE, directories, lacks, recording};
use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, Script, plausible};

/// What is recorded, in an order that foreign keys allow.
const TABLES: [&str; 12] = [
    "users",
    "conversations",
    "messages",
    "runs",
    "calls",
    "decisions",
    "run_events",
    "user_settings",
    "reservations",
    "run_figures",
    "placings",
    "message_versions",
];

const CONFIG: &str = "\n[runs]\nmax_per_user = 1\n";

/// Everybody's settings: what the options need.
fn settings() -> Value {
    json!({
        "multi_chairman_models": ["m/one", "m/two"],
        "tier1_models": ["m/one", "m/two"],
        "tier2_models": ["m/three", "m/four"],
    })
}

fn everything() -> Value {
    json!({
        "content": "Why do leaves fall?", "use_cot": true, "use_early_consensus": true, "use_multi_chairman": true,
        "use_escalation": true, "use_refinement": true, "use_adversary": true, "verbosity": 2,
        "system_prompt": "Be kind.",
    })
}

/// Members that are unsure, so that every option has its part.
fn unsure(request: &crate::support::model_server::RecordedRequest) -> Script {
    if request.asked_for() == AskedFor::Answer {
        Script::answer(&format!("Perhaps, says {}.\n\nCONFIDENCE: 3", request.model))
    } else {
        plausible(request)
    }
}

async fn ask_whole(user: &User<'_>, conversation: &str, body: Value) -> String {
    let events = user.ask(conversation, body).await.rest().await;
    assert_eq!(events.last().unwrap().kind(), "complete");
    events[0].json["run_id"].as_str().unwrap().to_owned()
}

/// Every row of a database, by table.
async fn dump(db: &TestDb) -> Value {
    let mut connection = db.superuser().await;
    // One look at all tables, while runs go on.
    sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ").execute(&mut connection).await.unwrap();
    let mut tables = serde_json::Map::new();
    for table in TABLES {
        let sql = format!("SELECT coalesce(jsonb_agg(to_jsonb(t) - 'search'), '[]') FROM {table} t");
        let rows: Value = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut connection).await.unwrap();
        tables.insert(table.to_owned(), rows);
    }
    Value::Object(tables)
}

/// Puts the rows into a database of today: a column that is new has its default, as after its migration.
async fn restore(db: &TestDb, tables: &Value) {
    let mut connection = db.superuser().await;
    for table in TABLES {
        let columns: Vec<String> = sqlx::query(
            "SELECT column_name::text AS name FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'",
        )
        .bind(table)
        .fetch_all(&mut connection)
        .await
        .unwrap()
        .iter()
        .map(|row| row.get("name"))
        .collect();
        for row in tables[table].as_array().unwrap() {
            let columns: Vec<&str> =
                columns.iter().map(String::as_str).filter(|name| row.get(name).is_some()).collect();
            let columns = columns.join(", ");
            let sql = format!(
                "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_record(NULL::{table}, $1)"
            );
            sqlx::query(AssertSqlSafe(sql)).bind(row).execute(&mut connection).await.unwrap();
        }
    }
    // Their server is long gone.
    sqlx::raw_sql("UPDATE runs SET lease_until = now() - interval '1 hour' WHERE status = 'running'")
        .execute(&mut connection)
        .await
        .unwrap();
}

/// The whole recording: the rows, and what people were shown.
fn save(directory: &Path, recorded: &Value) {
    let tables: Vec<String> = TABLES
        .iter()
        .map(|table| {
            let rows = recorded["tables"][table].as_array().unwrap().iter();
            let rows: Vec<String> = rows.map(Value::to_string).collect();
            format!("\"{table}\": [\n{}\n]", rows.join(",\n"))
        })
        .collect();
    let text = format!(
        "{{\"shown\": {},\n\"runs\": {},\n\"tables\": {{\n{}\n}}}}\n",
        recorded["shown"],
        recorded["runs"],
        tables.join(",\n")
    );
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join(DATABASE), text).unwrap();
}

#[tokio::test]
async fn a_database_in_the_middle_of_its_work_can_be_recorded() {
    let app = TestApp::with(CONFIG).await;
    let people = ["ann", "bob", "carol", "dan", "eve"].map(|name| app.user(name));
    let [ann, bob, carol, dan, eve] = &people;
    for user in &people {
        user.put("/api/config", settings()).await.ok();
    }
    // Finished: a plain answer, a second question with every option, and that one asked again.
    let finished = ann.conversation().await;
    ask_whole(ann, &finished, json!({"content": "Why is the sky blue?"})).await;
    app.models.rule(|request| Some(unsure(request)));
    let second = ask_whole(ann, &finished, everything()).await;
    let again = ann.post(&format!("/api/runs/{second}/retry"), json!({"from": "stage3"})).await.ok();
    let again = again["run_id"].as_str().unwrap().to_owned();
    ann.events(&again, 0).await.rest().await;
    let asked_again = carol.conversation().await;
    let before = ask_whole(carol, &asked_again, json!({"content": "Why is grass green?"})).await;
    let shown = ann.get(&format!("/api/conversations/{finished}")).await.ok();

    // Under way: everybody waits at another place.
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = unsure(request);
        let prompt = request.prompt();
        let waits = match request.asked_for() {
            AskedFor::Review => !prompt.contains("leaves"),
            AskedFor::Revision => prompt.contains("leaves"),
            AskedFor::Answer => prompt.contains("snow"),
            AskedFor::Synthesis
            | AskedFor::Selection
            | AskedFor::Title
            | AskedFor::Routing
            | AskedFor::Critique
            | AskedFor::Attack
            | AskedFor::Severity => false,
        };
        Some(if waits { script.hold(&held) } else { script })
    });
    let mut under_way = serde_json::Map::new();
    let at = bob.conversation().await;
    let mut reviews = bob.ask(&at, json!({"content": "Why is water wet?", "use_adversary": true})).await;
    let start = reviews.next().await.unwrap();
    reviews.until("stage2_start").await;
    under_way.insert("bob".into(), start.json["run_id"].clone());
    let retried = carol.post(&format!("/api/runs/{before}/retry"), json!({"from": "stage2"})).await.ok();
    carol.events(retried["run_id"].as_str().unwrap(), 0).await.until("stage2_start").await;
    under_way.insert("carol".into(), retried["run_id"].clone());
    let at = dan.conversation().await;
    let mut revision = dan.ask(&at, everything()).await;
    let start = revision.next().await.unwrap();
    revision.until("revision_start").await;
    under_way.insert("dan".into(), start.json["run_id"].clone());
    // One waits behind another of the same person.
    let (first, last) = (eve.conversation().await, eve.conversation().await);
    let mut answers = eve.ask(&first, json!({"content": "Why does snow fall?"})).await;
    answers.until("stage1_start").await;
    let mut queued = eve.ask(&last, json!({"content": "Why is ice cold?"})).await;
    let start = queued.next().await.unwrap();
    assert_eq!(start.kind(), "run_queued");
    under_way.insert("eve".into(), start.json["run_id"].clone());

    let tables = dump(&app.db).await;
    let runs = json!({"again": again, "under_way": under_way});
    if let Some(directory) = recording() {
        save(&directory, &json!({"shown": shown, "runs": runs, "tables": tables}));
    }
    let live = tables["runs"].as_array().unwrap().iter();
    assert_eq!(live.filter(|run| run["finished_at"].is_null()).count(), 5);
    gate.open();
    for mut events in [reviews, revision, answers, queued] {
        events.rest().await;
    }
    carol.events(retried["run_id"].as_str().unwrap(), 0).await.rest().await;
    app.close().await;
}

/// How many calls of each kind there are, as requests reach the models.
async fn ledger(db: &TestDb) -> BTreeMap<String, i64> {
    let rows = sqlx::query("SELECT purpose, model, count(*) AS count FROM calls GROUP BY 1, 2")
        .fetch_all(&mut db.superuser().await)
        .await
        .unwrap();
    rows.iter()
        .map(|row| {
            let (purpose, model): (String, String) = (row.get("purpose"), row.get("model"));
            (format!("{purpose} {model}"), row.get("count"))
        })
        .collect()
}

#[tokio::test]
async fn a_database_of_an_earlier_version_is_shown_as_it_was_and_its_runs_go_on() {
    // What came later than a version was recorded apart, without a database.
    let recorded: Vec<_> =
        directories().iter().map(|dir| dir.join(DATABASE)).filter(|file| file.exists()).collect();
    assert!(!recorded.is_empty());
    for file in recorded {
        let text = fs::read_to_string(file).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        let db = TestDb::new().await;
        restore(&db, &recorded["tables"]).await;
        let before: i64 = ledger(&db).await.values().sum();
        let app = TestApp::over(db, CONFIG).await;
        app.models.rule(|request| Some(unsure(request)));

        for (user, run) in recorded["runs"]["under_way"].as_object().unwrap() {
            let events = app.user(user).events(run.as_str().unwrap(), 0).await.rest().await;
            assert_eq!(events.last().unwrap().kind(), "complete", "{user}");
        }
        let ann = app.user("ann");
        let id = recorded["shown"]["id"].as_str().unwrap();
        let now = ann.get(&format!("/api/conversations/{id}")).await.ok();
        assert_eq!(lacks(&recorded["shown"], &now), None);
        for row in recorded["tables"]["run_events"].as_array().unwrap() {
            let run = row["run_id"].as_str().unwrap();
            if row["user_id"] != "ann" {
                continue;
            }
            let events = ann.events(run, row["first_seq"].as_u64().unwrap() - 1).await.rest().await;
            for line in row["frames"].as_str().unwrap().lines() {
                let [seq, key, then] =
                    <[&str; 3]>::try_from(line.splitn(3, '\t').collect::<Vec<_>>()).unwrap();
                // Tokens are dropped from the log some time after the end.
                if !key.is_empty() {
                    let event = events.iter().find(|event| event.id.unwrap().to_string() == seq).unwrap();
                    assert_eq!(lacks(&serde_json::from_str(then).unwrap(), &event.json), None, "{run} {key}");
                }
            }
        }
        // The one that was queued went behind the other question of the same person.
        let unfinished: i64 = sqlx::query_scalar("SELECT count(*) FROM runs WHERE status <> 'complete'")
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
        assert_eq!(unfinished, 0);
        // Whatever the models were asked is one call more in the ledger: nothing that was there was asked.
        let asked = i64::try_from(app.models.records().len()).unwrap();
        let after = ledger(&app.db).await;
        assert_eq!(after.values().sum::<i64>() - before, asked, "{after:?}");

        let path = format!("/api/runs/{}/retry", recorded["runs"]["again"].as_str().unwrap());
        let again = ann.post(&path, json!({"from": "stage3"})).await.ok();
        ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
        let early = [AskedFor::Answer, AskedFor::Review, AskedFor::Title];
        let records = app.models.records();
        let mut later = records[usize::try_from(asked).unwrap()..].iter();
        assert!(
            later.all(|record| !early.contains(&record.request.asked_for())),
            "what is kept is not asked"
        );
        app.close().await;
    }
}
