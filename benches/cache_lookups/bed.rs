//! A database of its own with what people asked before, gone when this ends.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use llm_council::cache::vector;
use llm_council::id::{ConversationId, MessageId, RunId, UserId};
use llm_council::llm::{CallError, ChatRequest, DeltaSink, Models, Reply};
use llm_council::objects::Objects;
use llm_council::runs::{RunSettings, Runs};
use llm_council::shutdown::Tasks;
use llm_council::store::budgets::Defaults;
use llm_council::store::budgets::reserve::ExpectedCost;
use llm_council::store::journal::LogRow;
use llm_council::store::local::{Durability, LocalPostgres};
use llm_council::store::plans::PlanParts;
use llm_council::store::runs::{Admission, NewRun, Started};
use llm_council::store::{Db, Scope, migrate, runs};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use uuid::Uuid;

use super::people::{ENTRIES, MODEL, POOL, People};

const FILL: &str = include_str!("fill.sql");
/// Entries of each user that are filled in with one text.
const AT_ONCE: u32 = 25;
const CONNECTIONS: u32 = 16;

/// See the module.
pub struct Bed {
    pub db: Db,
    pub runs: Runs,
    postgres: LocalPostgres,
    dir: tempfile::TempDir,
}

/// Looking for earlier answers asks no model.
struct Nobody;

#[async_trait]
impl Models for Nobody {
    async fn chat(&self, _: &ChatRequest, _: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        std::future::pending().await
    }

    fn is_simulated(&self, _: &str) -> bool {
        false
    }
}

impl Bed {
    pub async fn start(work_dir: &Path) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("council-cache-").tempdir_in(work_dir)?;
        let bed = Self::over(dir, CONNECTIONS).await?;
        migrate(&bed.db).await?;
        Ok(bed)
    }

    async fn over(dir: tempfile::TempDir, connections: u32) -> anyhow::Result<Self> {
        let postgres = LocalPostgres::start(dir.path(), Durability::Safe).await?;
        let db = Db::connect_with(postgres.connect_options(), connections).await?;
        let runs = Runs::new(
            db.clone(),
            Arc::new(Nobody),
            Objects::default(),
            Tasks::default(),
            RunSettings::default(),
        );
        Ok(Self { db, runs, postgres, dir })
    }

    /// Stops Postgres, drops its files from the system's page cache, and starts it; all that is asked then goes
    /// over one connection. Also returns how many bytes of files that were, or why it could not be done.
    pub async fn restart_cold(self) -> anyhow::Result<(Self, io::Result<u64>)> {
        let dir = self.end().await?;
        let dropped = drop_pages(&dir.path().join("postgres/cluster"));
        Ok((Self::over(dir, 1).await?, dropped))
    }

    /// Stops Postgres and starts it, with as many connections as at the beginning.
    pub async fn restart(self) -> anyhow::Result<Self> {
        Self::over(self.end().await?, CONNECTIONS).await
    }

    /// Stops Postgres; its files stay as long as the returned value.
    async fn end(self) -> anyhow::Result<tempfile::TempDir> {
        let Self { db, runs, postgres, dir } = self;
        drop(runs);
        db.close().await;
        postgres.stop().await?;
        Ok(dir)
    }

    pub async fn stop(self) -> anyhow::Result<()> {
        self.end().await.map(drop)
    }

    pub async fn superuser(&self) -> anyhow::Result<PgConnection> {
        Ok(PgConnection::connect_with(&self.postgres.connect_options()).await?)
    }

    /// Inserts everybody's entries: one big user and `users` others.
    pub async fn fill(&self, people: &People, users: u32) -> anyhow::Result<()> {
        let began = Instant::now();
        let mut superuser = self.superuser().await?;
        // References are valid by construction; checking them row by row takes longer than all the rest.
        sqlx::raw_sql(
            "SET synchronous_commit = off; SET session_replication_role = replica;
             CREATE TEMP TABLE pool (place int, method text, model text, dimension int, vector bytea,
                                     signature bit varying)",
        )
        .execute(&mut superuser)
        .await?;
        for (vectors, method, model) in
            [(&people.of_model, "api", Some(MODEL)), (&people.of_hash, "hash", None)]
        {
            let encoded: Vec<Vec<u8>> = vectors.iter().filter_map(|it| vector::encode(it)).collect();
            anyhow::ensure!(encoded.len() == POOL, "a vector cannot be stored");
            let signatures: Vec<String> = encoded.iter().filter_map(|it| vector::signature(it)).collect();
            sqlx::query(
                "INSERT INTO pool SELECT place - 1, $1, $2, octet_length(vector) - 4, vector, signature::bit varying
                 FROM unnest($3::bytea[], $4::text[]) WITH ORDINALITY AS it (vector, signature, place)",
            )
            .bind(method)
            .bind(model)
            .bind(&encoded)
            .bind(&signatures)
            .execute(&mut superuser)
            .await?;
        }
        sqlx::raw_sql("ANALYZE pool").execute(&mut superuser).await?;
        for first in (1..=ENTRIES).step_by(AT_ONCE as usize) {
            let last = first + AT_ONCE - 1;
            let sql = FILL
                .replace("{first}", &first.to_string())
                .replace("{last}", &last.to_string())
                .replace("{users}", &users.to_string())
                .replace("{pool}", &POOL.to_string())
                .replace("{scope}", &hex::encode(people.scope.0));
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await?;
            if last.is_multiple_of(100) {
                eprintln!("{last} of {ENTRIES} entries of each after {} s", began.elapsed().as_secs());
            }
        }
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut superuser).await?;
        Ok(())
    }

    /// Runs of a user that are over, each with its message, for what is kept later.
    pub async fn add_runs(&self, user: &UserId, count: u32) -> anyhow::Result<Vec<(RunId, MessageId)>> {
        let rows = sqlx::query(
            "WITH asked AS MATERIALIZED (
                 SELECT n::int, gen_random_uuid() AS run, gen_random_uuid() AS message FROM generate_series(1, $2) AS n
             ), conversation AS (
                 INSERT INTO conversations (id, user_id) VALUES ($3, $1)
             ), message AS (
                 INSERT INTO messages (id, conversation_id, user_id, position, role, content, run_id)
                 SELECT message, $3, $1, n, 'assistant', 'So much is known of it.', run FROM asked
             ), run AS (
                 INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, compacted)
                 SELECT run, $1, $3, message, 'council', 'complete', '{}', 1, true FROM asked
             )
             SELECT run, message FROM asked ORDER BY n",
        )
        .bind(user.as_str())
        .bind(i32::try_from(count)?)
        .bind(Uuid::new_v4())
        .fetch_all(&mut self.superuser().await?)
        .await?;
        let ids = rows.iter().map(|row| {
            Ok::<_, sqlx::Error>((RunId(row.try_get("run")?), MessageId(row.try_get("message")?)))
        });
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Stores a new run of a user as a question does, which comes before every look.
    pub async fn begin_run(&self, user: &UserId) -> anyhow::Result<()> {
        let new = NewRun {
            parent: None,
            id: RunId::generate(),
            conversation: ConversationId::generate(),
            begins_conversation: true,
            project: None,
            message: MessageId::generate(),
            question: "What is known of it?".to_owned(),
            plan: PlanParts::of(json!({})),
            plan_version: 1,
            format: "council".to_owned(),
            idempotency_key: None,
            owner: "nobody".to_owned(),
            lease: Duration::from_secs(60),
            admission: Admission {
                place: true,
                max_per_user: u32::MAX,
                may_wait: false,
                max_queued_per_user: 1,
            },
            groups: None,
            tells_devices: false,
            need: ExpectedCost::default(),
            defaults: Defaults::default(),
            opening: LogRow { first_seq: 1, last_seq: 1, frames: "{}".to_owned() },
            replaces: None,
            program: None,
            attachments: Vec::new(),
            project_files: Vec::new(),
            firing: None,
        };
        let tx = self.db.begin_frequent(&Scope::User(user.clone())).await?;
        let started = runs::start(&self.db, tx, &new).await?;
        anyhow::ensure!(matches!(started, Started::New { .. }), "the run was not admitted: {started:?}");
        Ok(())
    }

    /// The contents of the database, and their size.
    pub async fn print_sizes(&self) -> anyhow::Result<()> {
        let rows = sqlx::query(
            "SELECT relname::text AS name, reltuples::bigint AS count, pg_size_pretty(pg_relation_size(oid)) AS size,
                    pg_size_pretty(coalesce(pg_relation_size(reltoastrelid), 0)) AS elsewhere
             FROM pg_class WHERE relname LIKE 'cache\\_%' AND relkind IN ('r', 'i')
             ORDER BY relkind DESC, pg_relation_size(oid) DESC",
        );
        println!("\n{:<46} {:>12} {:>12} {:>14}", "table or index", "rows", "size", "out of line");
        for row in rows.fetch_all(&mut self.superuser().await?).await? {
            let (name, count): (String, i64) = (row.try_get("name")?, row.try_get("count")?);
            let (size, elsewhere): (String, String) = (row.try_get("size")?, row.try_get("elsewhere")?);
            println!("{name:<46} {count:>12} {size:>12} {elsewhere:>14}");
        }
        Ok(())
    }
}

/// Drops these files from the system's page cache; returns how many bytes they have. Dirty pages cannot be dropped, so
/// they are written first.
fn drop_pages(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            bytes += drop_pages(&entry.path())?;
        } else if kind.is_file() {
            let file = File::open(entry.path())?;
            file.sync_all()?;
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
            bytes += file.metadata()?.len();
        }
    }
    Ok(bytes)
}
