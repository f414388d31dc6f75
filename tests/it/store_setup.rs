//! Connecting and migrating: races, and errors for the person who runs the server.

use std::time::Duration;

use llm_council::id::UserId;
use llm_council::store::local::LocalPostgres;
use llm_council::store::{
    Db, Pooling, Scope, Sessions, SetupError, StoreError, conversations, migrate, prepare,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::support::db::TestDb;

/// A cluster in which nothing was ever migrated: the roles are not there yet.
async fn fresh_cluster() -> (LocalPostgres, PgConnection) {
    let dir = tempfile::Builder::new().prefix("fresh-").tempdir_in("/tmp").unwrap().keep();
    let cluster = LocalPostgres::start_throwaway(&dir).await.unwrap();
    let admin = PgConnection::connect_with(&cluster.connect_options()).await.unwrap();
    (cluster, admin)
}

async fn run(connection: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await.unwrap();
}

#[tokio::test]
async fn databases_of_one_cluster_can_be_migrated_at_the_same_moment() {
    let (cluster, mut admin) = fresh_cluster().await;
    let mut all = Vec::new();
    for n in 0..6 {
        run(&mut admin, &format!("CREATE DATABASE db{n}")).await;
        // Each by two replicas.
        for _ in 0..2 {
            all.push(
                Db::connect_with(cluster.connect_options().database(&format!("db{n}")), 2).await.unwrap(),
            );
        }
    }
    let outcomes = futures_util::future::join_all(all.iter().map(migrate)).await;
    for outcome in outcomes {
        outcome.unwrap();
    }
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_user_who_may_not_create_roles_is_told_what_to_run_and_that_is_enough() {
    let (cluster, mut admin) = fresh_cluster().await;
    run(&mut admin, "CREATE ROLE \"low\"\"ly\" LOGIN; GRANT CREATE ON SCHEMA public TO \"low\"\"ly\"").await;
    let db = Db::connect_with(cluster.connect_options().username("low\"ly"), 2).await.unwrap();
    let error = migrate(&db).await.unwrap_err();
    assert!(matches!(error, SetupError::RolesMissing { .. }), "{error:?}");
    let text = error.to_string();
    let (_, sql) = text.split_once(":\n").unwrap();
    run(&mut admin, sql).await;
    migrate(&db).await.unwrap();
    // Bound although it owns the tables.
    let ann = Scope::User(UserId::from_canonical("ann"));
    let mut tx = db.begin(&ann).await.unwrap();
    let conversation = conversations::create(&mut tx, None).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = db.begin(&Scope::User(UserId::from_canonical("bob"))).await.unwrap();
    let rows = sqlx::query("SELECT FROM conversations").fetch_all(&mut *tx).await.unwrap();
    assert!(rows.is_empty());
    drop(tx);
    let mut tx = db.begin(&ann).await.unwrap();
    conversations::head(&mut tx, conversation.id).await.unwrap();
    drop(tx);
    db.close().await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_role_that_could_bypass_the_walls_stops_the_start() {
    let (cluster, mut admin) = fresh_cluster().await;
    run(&mut admin, "CREATE ROLE llm_council_app BYPASSRLS").await;
    let db = Db::connect_with(cluster.connect_options(), 2).await.unwrap();
    let error = migrate(&db).await.unwrap_err();
    assert!(matches!(error, SetupError::RolesUnsafe(_)), "{error:?}");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_database_of_a_newer_version_and_a_changed_migration_are_refused() {
    let test = TestDb::new().await;
    migrate(test.db()).await.unwrap();
    let mut superuser = test.superuser().await;
    run(&mut superuser, "INSERT INTO _sqlx_migrations SELECT 9999, 'later', now(), true, '', 0").await;
    let error = migrate(test.db()).await.unwrap_err();
    assert!(matches!(error, SetupError::NewerDatabase { version: 9999 }), "{error:?}");
    run(
        &mut superuser,
        "DELETE FROM _sqlx_migrations WHERE version = 9999; UPDATE _sqlx_migrations SET checksum = ''",
    )
    .await;
    let error = migrate(test.db()).await.unwrap_err();
    assert!(matches!(error, SetupError::ChangedMigration { version: 1 }), "{error:?}");
}

#[tokio::test]
async fn a_migration_and_a_server_that_wait_for_each_other_both_go_on() {
    let (cluster, mut server) = fresh_cluster().await;
    let db = Db::connect_with(cluster.connect_options(), 2).await.unwrap();
    migrate(&db).await.unwrap();
    // Migration 50 locks the runs, and is then entered among those that are done.
    run(
        &mut server,
        "DELETE FROM _sqlx_migrations WHERE version = 50; DROP INDEX runs_by_conversation_and_time;
         CREATE INDEX runs_by_conversation ON runs (conversation_id)",
    )
    .await;
    // Only the migration looks for deadlocks, and not before the server waits for it.
    let patient = "DO $$ BEGIN
             EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''3s''', current_database());
         END $$";
    run(&mut server, patient).await;
    run(&mut server, "SET deadlock_timeout = '1h'").await;
    run(&mut server, "BEGIN; LOCK TABLE _sqlx_migrations IN SHARE MODE").await;
    #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
    let migrating = tokio::spawn(async move { migrate(&db).await });
    let mut admin = PgConnection::connect_with(&cluster.connect_options()).await.unwrap();
    let waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock')";
    while !sqlx::query_scalar::<_, bool>(waiting).fetch_one(&mut admin).await.unwrap() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    run(&mut server, "LOCK TABLE runs IN ROW EXCLUSIVE MODE").await;
    run(&mut server, "COMMIT").await;
    migrating.await.unwrap().unwrap();
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_wrong_with_the_database_is_said_without_the_password() {
    let test = TestDb::new().await;
    let cases = [
        ("not a url hunter2".to_owned(), "not a Postgres URL"),
        ("postgres://me:hunter2@127.0.0.1:1/council".to_owned(), "cannot reach the database at 127.0.0.1:1"),
        (
            test.url().replace("llm_council@", "llm_council:hunter2@").replace("/test_", "/nowhere_"),
            "no such database",
        ),
        (test.url().replace("llm_council@", "nobody:hunter2@"), "check user and password"),
    ];
    for (url, expected) in cases {
        let error = Db::connect(&url, 2).await.unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{error}");
    }
    Db::connect(&test.url(), 2).await.unwrap().ready().await.unwrap();
}

#[tokio::test]
async fn a_database_that_goes_away_is_unavailable_and_comes_back_whole() {
    let (cluster, mut admin) = fresh_cluster().await;
    let db = Db::connect_with(cluster.connect_options(), 4).await.unwrap();
    migrate(&db).await.unwrap();
    let ann = Scope::User(UserId::from_canonical("ann"));
    let mut tx = db.begin(&ann).await.unwrap();
    run(
        &mut admin,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'llm-council'",
    )
    .await;
    let error = conversations::create(&mut tx, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    drop(tx);
    // The other connections of the pool died too: none of them is handed out.
    for _ in 0..8 {
        let mut tx = db.begin(&ann).await.unwrap();
        conversations::create(&mut tx, None).await.unwrap();
        tx.commit().await.unwrap();
    }
    cluster.stop().await.unwrap();
    let error = db.begin(&ann).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
}

#[tokio::test]
async fn a_database_without_a_pooler_is_taken_for_one() {
    let test = TestDb::new().await;
    let sessions =
        prepare(&test.options(), Pooling::Auto, |_| true, |reason| panic!("{reason}")).await.unwrap();
    assert_eq!(sessions, Sessions::Own);
    let sessions =
        prepare(&test.options(), Pooling::Transaction, |_| true, |reason| panic!("{reason}")).await.unwrap();
    assert_eq!(sessions, Sessions::Shared);
}

#[tokio::test]
async fn what_others_left_in_a_shared_session_is_not_in_the_way() {
    let test = TestDb::new().await;
    let db = Db::lazy(test.options(), 1);
    db.open(Sessions::Shared);
    assert!(!db.can_listen());
    let ann = Scope::User(UserId::from_canonical("ann"));
    for _ in 0..3 {
        let mut tx = db.begin(&ann).await.unwrap();
        conversations::create(&mut tx, None).await.unwrap();
        // As another server may do in the same session, under the names that sqlx gives.
        let names = (1..40).map(|n| format!("PREPARE sqlx_s_{n} AS SELECT 1")).collect::<Vec<_>>().join("; ");
        sqlx::raw_sql("DEALLOCATE ALL").execute(&mut *tx).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(names)).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }
    let mut tx = db.begin(&ann).await.unwrap();
    let left: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 1'")
            .fetch_one(&mut *tx)
            .await
            .unwrap();
    assert_eq!(left, 0);
}
