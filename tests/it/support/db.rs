//! A database for one test: cloned from a template that is migrated once per test process, in a
//! cluster that is started once per test process and removed when the process ends, however it does.
//!
//! One thread of its own, with a runtime of its own, holds the cluster and makes and drops the
//! databases one after the other: tests have a runtime each, so nothing that belongs to one
//! may be shared, and a template can only be copied while nobody is connected to it.

use std::path::PathBuf;
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use llm_council::store::local::LocalPostgres;
use llm_council::store::{Db, migrate};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::oneshot;

enum Order {
    Create(oneshot::Sender<(String, PgConnectOptions)>),
    Drop(String, mpsc::Sender<()>),
}

/// A migrated, empty database of this test's own; dropped with it.
pub struct TestDb {
    name: String,
    options: PgConnectOptions,
    db: Db,
}

impl TestDb {
    pub async fn new() -> Self {
        let (reply, answer) = oneshot::channel();
        keeper().send(Order::Create(reply)).expect("the keeper of the test databases lives");
        let (name, options) = answer.await.expect("the keeper of the test databases panicked: see above");
        let db = Db::connect_with(options.clone(), 8).await.expect("a pool on the test database");
        Self { name, options, db }
    }

    /// A pool that belongs to this test's runtime.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// How to connect as the superuser, past every scope: to look at what is really there.
    pub fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// The same as a URL, for a program that is started.
    pub fn url(&self) -> String {
        self.url_of(&self.name)
    }

    /// Another database of the same cluster.
    pub fn url_of(&self, name: &str) -> String {
        let socket = self.options.get_socket().expect("a local socket").display().to_string();
        let user = self.options.get_username();
        format!("postgres://{user}@localhost/{name}?host={}", socket.replace('/', "%2F"))
    }

    pub async fn superuser(&self) -> PgConnection {
        PgConnection::connect_with(&self.options).await.expect("the test cluster answers")
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let (reply, answer) = mpsc::channel();
        if keeper().send(Order::Drop(self.name.clone(), reply)).is_ok() {
            // Best effort: the whole cluster goes with the process anyway.
            if answer.recv_timeout(Duration::from_secs(10)).is_err() {
                eprintln!("the test database {} was not dropped in time", self.name);
            }
        }
    }
}

fn keeper() -> &'static mpsc::Sender<Order> {
    static KEEPER: OnceLock<mpsc::Sender<Order>> = OnceLock::new();
    KEEPER.get_or_init(|| {
        let (orders, queue) = mpsc::channel();
        std::thread::Builder::new()
            .name("test-databases".into())
            .spawn(move || keep(&queue))
            .expect("a thread");
        orders
    })
}

/// In memory, where there is room: every test has some 300 files of its own, which a disk's file system takes longer to
/// make than most tests to run.
fn folder() -> PathBuf {
    const ROOM: u64 = 4 << 30;
    let memory = PathBuf::from("/dev/shm");
    let has_room = rustix::fs::statvfs(&memory).is_ok_and(|it| it.f_bavail * it.f_frsize >= ROOM);
    if has_room { memory } else { PathBuf::from(env!("CARGO_TARGET_TMPDIR")) }
}

fn keep(queue: &mpsc::Receiver<Order>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let directory = folder().join(format!("llm-council-tests-{}", std::process::id()));
    let cluster =
        runtime.block_on(LocalPostgres::start_throwaway(&directory)).expect("a cluster for the tests");
    let template = cluster.connect_options();
    let mut admin = runtime.block_on(async {
        let db = Db::connect_with(template.clone(), 2).await.expect("the template");
        migrate(&db).await.expect("the template is migrated");
        db.close().await;
        PgConnection::connect_with(&template.clone().database("postgres"))
            .await
            .expect("the test cluster answers")
    });
    let mut made = 0_u32;
    while let Ok(order) = queue.recv() {
        match order {
            Order::Create(reply) => {
                made += 1;
                let name = format!("test_{made}");
                let sql = format!("CREATE DATABASE {name} TEMPLATE llm_council STRATEGY FILE_COPY");
                runtime
                    .block_on(sqlx::query(AssertSqlSafe(sql)).execute(&mut admin))
                    .expect("a clone of the template");
                // A test that is gone no longer wants it.
                drop(reply.send((name.clone(), template.clone().database(&name))));
            }
            Order::Drop(name, reply) => {
                let sql = format!("DROP DATABASE {name} WITH (FORCE)");
                if let Err(error) = runtime.block_on(sqlx::query(AssertSqlSafe(sql)).execute(&mut admin)) {
                    eprintln!("could not drop the test database {name}: {error}");
                }
                // Whoever no longer waits does not need to hear.
                reply.send(()).ok();
            }
        }
    }
}
