//! Two servers on one database.

use std::time::Duration;

use serde_json::json;

use super::db::TestDb;
use super::events::Events;
use super::model_server::{AskedFor, Gate, ModelServer, Record, Script};
use super::process::{Process, Program};

/// Nothing that waits for a lease, or for the next look after leases, happens within a test.
pub const NO_POLLING: (&str, &str) = ("runs.lease_seconds", "3600");
/// Far beyond any real wait.
pub const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Replicas {
    pub one: Process,
    pub other: Process,
    pub models: ModelServer,
    pub gate: Gate,
    /// After the servers, which are gone before it is dropped.
    pub db: TestDb,
}

impl Replicas {
    /// Two servers; the member `m/one` says a few words and then nothing before the gate is open.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// The same with more settings.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        let (db, models) = (TestDb::new().await, ModelServer::start().await);
        let gate = Gate::new();
        let held = gate.clone();
        models.rule(move |request| {
            let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
            waits.then(|| Script::answer("Well, ").hold(&held).text("yes."))
        });
        let program = Program::council(&db, &models).set("server.heartbeat_seconds", "1");
        let program = settings.iter().fold(program, |program, (key, value)| program.set(key, value));
        // The models know by the key who asks.
        let key = "providers.scripted.api_key";
        let (one, other) = (program.clone().set(key, "sk-one"), program.set(key, "sk-other"));
        let (one, other) = tokio::join!(one.serve(), other.serve());
        assert_ne!(one.base(), other.base());
        Self { one, other, models, gate, db }
    }

    /// Waits until the other server holds the question to `m/one` as well.
    pub async fn other_asks(&self, times: usize) {
        let asks = |record: &&Record| by(record, "sk-other") && record.request.model == "m/one";
        self.models.until(|records| records.iter().filter(asks).count() >= times).await;
    }

    /// Everything that is stored of the runs, but for who holds them how long.
    pub async fn stored(&self) -> String {
        let tables = [
            "SELECT to_jsonb(r) - 'lease_until' AS row FROM runs r",
            "SELECT to_jsonb(c) FROM calls c",
            "SELECT to_jsonb(d) FROM decisions d",
            "SELECT to_jsonb(e) FROM run_events e",
            "SELECT to_jsonb(m) FROM messages m",
            "SELECT to_jsonb(c) FROM conversations c",
        ];
        let mut stored = String::new();
        let mut database = self.db.superuser().await;
        for table in tables {
            let sql = format!(
                "SELECT coalesce(string_agg(t.row::text, E'\\n' ORDER BY t.row::text), '') FROM ({table}) t (row)"
            );
            let rows: String =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut database).await.unwrap();
            stored.push_str(&rows);
            stored.push('\n');
        }
        stored
    }
}

/// Whether this key asked: `sk-one`, `sk-other`.
pub fn by(record: &Record, key: &str) -> bool {
    record.request.header("authorization") == Some(&format!("Bearer {key}"))
}

/// How many lock requests wait at the database.
pub async fn waiting_for_locks(database: &mut sqlx::PgConnection) -> i64 {
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    sqlx::query_scalar(waiting).fetch_one(database).await.unwrap()
}

/// A run at the first server of which one call is under way: its id, its conversation's, and its stream.
pub async fn under_way(servers: &Replicas) -> (String, String, Events) {
    let ann = servers.one.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        stream.until("stage1_model_complete").await;
    }
    (run, id, stream)
}
