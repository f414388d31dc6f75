//! The walls around each user's data, seen from the database.

use std::task::Poll;
use std::time::{Duration, Instant};

use llm_council::id::UserId;
use llm_council::store::journal::{self, Batch};
use llm_council::store::{Db, Scope, Sessions, StoreError, Tx, conversations, leases};
use serde_json::json;
use sqlx::{AssertSqlSafe, Executor, PgConnection, Postgres, Row as _};

use crate::support::app::TestApp;
use crate::support::db::TestDb;

/// Tables without a user's data; every other one must be walled in.
const COMMON_TABLES: [&str; 5] =
    ["_sqlx_migrations", "instance_settings", "prompt_sets", "retention", "spent_until"];
/// Tables that no user may read at all.
const CLOSED_TABLES: [&str; 4] = ["kept_users", "loose_objects", "reservations", "spent_days"];

fn user(name: &str) -> Scope {
    Scope::User(UserId::from_canonical(name))
}

async fn tables(connection: &mut PgConnection) -> Vec<String> {
    let rows =
        sqlx::query("SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
            .fetch_all(connection)
            .await
            .unwrap();
    let names = rows.iter().map(|row| row.get::<String, _>("name"));
    // Whoever has a row in this one reads nothing at all.
    let others = [&COMMON_TABLES[..], &CLOSED_TABLES, &["erasures", "blocked_users"]].concat();
    names.filter(|name| !others.contains(&name.as_str())).collect()
}

/// One row of user `owner` in every table.
pub async fn fill(connection: &mut PgConnection, owner: &str) {
    let file = "0".repeat(64);
    let sql = format!(
        "WITH fo AS (INSERT INTO folders (id, user_id, name, name_key)
                     VALUES (gen_random_uuid(), '{owner}', 'of {owner}', 'of {owner}') RETURNING id),
              c AS (INSERT INTO conversations (id, user_id, folder_id)
                    SELECT gen_random_uuid(), '{owner}', id FROM fo RETURNING id),
              r AS (INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan)
                    SELECT gen_random_uuid(), '{owner}', id, gen_random_uuid(), 'council', 'running', '{{}}' FROM c
                    RETURNING id),
              m AS (INSERT INTO messages (id, conversation_id, user_id, position, role, content)
                    SELECT gen_random_uuid(), id, '{owner}', 0, 'user', 'a question of {owner}' FROM c RETURNING id),
              v AS (INSERT INTO message_versions (run_id, message_id, user_id, content)
                    SELECT gen_random_uuid(), id, '{owner}', 'an answer to {owner}' FROM m),
              fi AS (INSERT INTO attachments (user_id, id, filename, file_type, mime_type, size, content, text)
                     VALUES ('{owner}', '{file}', '{owner}.txt', 'text', 'text/plain', 1, 'x', 'x') RETURNING id),
              fm AS (INSERT INTO message_attachments (message_id, place, user_id, attachment_id, filename, file_type,
                                                      mime_type, size, characters, characters_read)
                     SELECT m.id, 0, '{owner}', fi.id, '{owner}.txt', 'text', 'text/plain', 1, 1, 1 FROM m, fi),
              o AS (INSERT INTO budgets (scope, name, period, limit_usd, updated_by)
                    VALUES ('user', '{owner}', 'day', 1, 'root')),
              w AS (INSERT INTO user_caps (user_id, period, limit_usd) VALUES ('{owner}', 'day', 1)),
              x AS (INSERT INTO reservations (run_id, user_id, groups, granted_usd)
                    SELECT id, '{owner}', '{{}}', 1 FROM r),
              y AS (INSERT INTO spent_days (user_id, day, groups, usd, unknown_cost_calls)
                    VALUES ('{owner}', '2026-01-01', '{{}}', 1, 0)),
              k AS (INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, tries)
                    SELECT id, 'k', '{owner}', 'stage1', 'm', 'answer', 'f', 'ok', 1 FROM r),
              d AS (INSERT INTO decisions (run_id, key, user_id, value) SELECT id, 'k', '{owner}', '1' FROM r),
              e AS (INSERT INTO run_events (run_id, first_seq, last_seq, user_id, frames)
                    SELECT id, 1, 2, '{owner}', 'data' FROM r),
              f AS (INSERT INTO run_figures (run_id, user_id, stood_in, ballots)
                    SELECT id, '{owner}', false, '[]' FROM r),
              l AS (INSERT INTO placings (run_id, seat, user_id, model) SELECT id, 0, '{owner}', 'm' FROM r),
              n AS (INSERT INTO leanings (run_id, ballot, user_id, model) SELECT id, 0, '{owner}', 'm' FROM r),
              ce AS (INSERT INTO cache_entries (id, user_id, message_id, run_id, scope, digest, query, method,
                                                dimension, vector, took_ms)
                     SELECT gen_random_uuid(), '{owner}', m.id, r.id, sha256(''), sha256(''), 'q', 'hash', 1, '', 1
                     FROM m, r),
              cl AS (INSERT INTO cache_lookups (run_id, user_id, is_hit, embedding_failed)
                     SELECT id, '{owner}', false, false FROM r),
              wh AS (INSERT INTO webhooks (id, user_id, url, events, secret)
                     VALUES (gen_random_uuid(), '{owner}', 'https://{owner}', '{{}}', '') RETURNING id),
              wd AS (INSERT INTO webhook_deliveries (id, webhook_id, user_id, event)
                     SELECT gen_random_uuid(), id, '{owner}', 'webhook.test' FROM wh),
              sc AS (INSERT INTO schedules (id, user_id, name, request, cron, time_zone, next_at)
                     VALUES (gen_random_uuid(), '{owner}', 'of {owner}', '{{}}', '@daily', 'UTC', 'infinity')
                     RETURNING id),
              sr AS (INSERT INTO schedule_results (id, schedule_id, user_id, run_id)
                     SELECT gen_random_uuid(), sc.id, '{owner}', r.id FROM sc, r),
              ps AS (INSERT INTO push_subscriptions (id, user_id, endpoint, p256dh, auth, device)
                     VALUES (gen_random_uuid(), '{owner}', 'https://{owner}', decode(repeat('04', 65), 'hex'),
                             decode(repeat('00', 16), 'hex'), 'a browser')),
              le AS (INSERT INTO library_entries (id, user_id, kind, version, is_shared)
                     VALUES (gen_random_uuid(), '{owner}', 'rubric', 1, false) RETURNING id),
              lv AS (INSERT INTO library_versions (entry_id, user_id, version, name, text, is_shared)
                     SELECT id, '{owner}', 1, 'of {owner}', 't', false FROM le),
              b AS (INSERT INTO feedback (run_id, user_id, thumb) SELECT id, '{owner}', 'up' FROM r),
              sh AS (INSERT INTO shares (id, user_id, conversation_id, shared_by, title, messages, message_count, expires_at)
                     SELECT gen_random_uuid(), '{owner}', id, '{owner}', 't', '[]', 1, 'infinity' FROM c),
              pj AS (INSERT INTO projects (id, name, instructions)
                     VALUES (gen_random_uuid(), '{owner}', 'of {owner}') RETURNING id),
              pm AS (INSERT INTO project_members (project_id, kind, name, role)
                     SELECT id, 'user', '{owner}', 'owner' FROM pj),
              pf AS (INSERT INTO project_files (project_id, id, filename, file_type, mime_type, size, content, text,
                                                characters)
                     SELECT id, '{file}', '{owner}.txt', 'text', 'text/plain', 1, 'x', 'x', 1 FROM pj),
              lo AS (INSERT INTO loose_objects (key, due_at) VALUES (gen_random_uuid(), 'infinity')),
              g AS (INSERT INTO analytics_cleared (user_id) VALUES ('{owner}')),
              u AS (INSERT INTO users (id) VALUES ('{owner}')),
              z AS (INSERT INTO kept_users (id) VALUES ('{owner}')),
              s AS (INSERT INTO user_settings (user_id, value) VALUES ('{owner}', '{{}}')),
              p AS (INSERT INTO presets (id, user_id, name, value)
                    VALUES (gen_random_uuid(), '{owner}', 'fast', '{{}}')),
              h AS (INSERT INTO benches (id, user_id, name, status, suite, questions, question_count, variant_count,
                                         digest, max_cost_usd)
                    VALUES (gen_random_uuid(), '{owner}', 'b', 'running', '{{}}', '[]', 1, 1, '', 1)
                    RETURNING id),
              i AS (INSERT INTO bench_items (bench_id, user_id, question, variant, outcome)
                    SELECT id, '{owner}', 0, 0, '{{}}' FROM h),
              lh AS (INSERT INTO legal_holds (user_id, reason, placed_by) VALUES ('{owner}', 'why', 'root')),
              ar AS (INSERT INTO access_requests (id, user_id, reason, hours, requested_by, approved_by, approved_at,
                                                  expires_at)
                     VALUES (gen_random_uuid(), '{owner}', 'why', 1, 'root', 'rita', now(), now()) RETURNING id),
              rd AS (INSERT INTO access_reads (request_id, user_id, read_by) SELECT id, '{owner}', 'root' FROM ar),
              t AS (INSERT INTO tokens (id, user_id, name, hash)
                    VALUES (gen_random_uuid(), '{owner}', 'cli', '{owner}'::bytea))
         INSERT INTO audit_log (user_id, action) VALUES ('{owner}', 'test')"
    );
    sqlx::query(AssertSqlSafe(sql)).execute(connection).await.unwrap();
}

async fn count<'c>(connection: impl Executor<'c, Database = Postgres>, table: &str) -> i64 {
    let row =
        sqlx::query(AssertSqlSafe(format!("SELECT count(*) AS n FROM {table}"))).fetch_one(connection).await;
    row.unwrap_or_else(|error| panic!("{table}: {error}")).get("n")
}

#[tokio::test]
async fn a_hand_written_select_without_a_user_returns_no_rows() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    fill(&mut superuser, "ann").await;
    let tables = tables(&mut superuser).await;
    assert!(tables.len() >= 10, "{tables:?}");
    for table in &tables {
        assert_eq!(count(&mut superuser, table).await, 1, "{table} is empty: the test would show nothing");
    }
    // Never set, then set to nothing.
    for setting in ["SELECT 1", "SELECT set_config('app.user_id', '', true)"] {
        sqlx::raw_sql("BEGIN; SET LOCAL ROLE llm_council_app").execute(&mut superuser).await.unwrap();
        sqlx::raw_sql(setting).execute(&mut superuser).await.unwrap();
        for table in &tables {
            assert_eq!(count(&mut superuser, table).await, 0, "{table} after {setting}");
        }
        sqlx::raw_sql("ROLLBACK").execute(&mut superuser).await.unwrap();
    }
}

#[tokio::test]
async fn a_query_that_forgets_its_where_sees_one_user_only() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    for owner in ["ann", "bob", "o'neil; --"] {
        if owner.contains('\'') {
            let name = owner.replace('\'', "''");
            sqlx::query(AssertSqlSafe(format!("INSERT INTO users (id) VALUES ('{name}')")))
                .execute(&mut superuser)
                .await
                .unwrap();
        } else {
            fill(&mut superuser, owner).await;
        }
    }
    let tables = tables(&mut superuser).await;
    for table in &tables {
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        assert_eq!(count(&mut *tx, table).await, 1, "{table}");
        let mut tx = test.db().begin(&user("nobody of this name")).await.unwrap();
        assert_eq!(count(&mut *tx, table).await, 0, "{table}");
    }
    let mut tx = test.db().begin(&user("o'neil; --")).await.unwrap();
    assert_eq!(count(&mut *tx, "users").await, 1);
    for table in CLOSED_TABLES {
        assert_eq!(count(&mut superuser, table).await, 2);
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        let sql = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let error = sqlx::query(sql).execute(&mut *tx).await.unwrap_err();
        assert!(error.to_string().contains("permission denied"), "{error}");
    }
}

#[tokio::test]
async fn nobody_writes_rows_of_another_user() {
    let test = TestDb::new().await;
    let mut tx = test.db().begin(&user("ann")).await.unwrap();
    let error = sqlx::query("INSERT INTO conversations (id, user_id) VALUES (gen_random_uuid(), 'bob')")
        .execute(&mut *tx)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("row-level security"), "{error}");
}

#[tokio::test]
async fn every_table_of_users_forces_row_level_security_and_no_role_can_bypass_it() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    let rows = sqlx::query(
        "SELECT relname::text AS name, relrowsecurity AND relforcerowsecurity AS forced
         FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    for row in rows {
        let name: String = row.get("name");
        assert!(row.get::<bool, _>("forced") || COMMON_TABLES.contains(&name.as_str()), "{name}");
    }
    let roles = sqlx::query(
        "SELECT rolname::text AS name FROM pg_roles
         WHERE rolname LIKE 'llm\\_council\\_%' AND (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole)",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    assert!(roles.is_empty());
}

#[tokio::test]
async fn a_superuser_as_the_configured_database_user_is_bound_all_the_same() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    let row = sqlx::query("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        .fetch_one(&mut superuser)
        .await;
    assert!(row.unwrap().get::<bool, _>("rolsuper"), "the tests' database user is one");
    fill(&mut superuser, "bob").await;
    for scope in [user("ann"), Scope::Engine, Scope::Admin] {
        let mut tx = test.db().begin(&scope).await.unwrap();
        let row =
            sqlx::query("SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user")
                .fetch_one(&mut *tx)
                .await
                .unwrap();
        assert!(!row.get::<bool, _>("free"), "{scope:?}");
    }
    // Nor may the application's roles become anyone else's by granting or by changing the walls.
    for sql in [
        "UPDATE loose_objects SET due_at = now()",
        "DELETE FROM loose_objects",
        "UPDATE attachments SET object_key = gen_random_uuid()",
        "ALTER TABLE conversations DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own_rows ON conversations",
        "ALTER ROLE llm_council_app BYPASSRLS",
        "UPDATE audit_log SET action = 'x'",
        "DELETE FROM audit_log",
        "UPDATE calls SET cost_usd = 0",
        "UPDATE instance_settings SET value = '{}'",
    ] {
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        assert!(sqlx::raw_sql(sql).execute(&mut *tx).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn admins_read_no_content() {
    let test = TestDb::new().await;
    fill(&mut test.superuser().await, "bob").await;
    for sql in [
        "SELECT content FROM messages",
        "SELECT title FROM conversations",
        "SELECT plan FROM runs",
        "SELECT error FROM runs",
        "SELECT result FROM calls",
        "SELECT value FROM decisions",
        "SELECT frames FROM run_events",
        "SELECT value FROM user_settings",
        "SELECT hash FROM tokens",
        "SELECT secret FROM webhooks",
        "SELECT endpoint FROM push_subscriptions",
        "SELECT messages FROM shares",
        "SELECT request FROM schedules",
        "SELECT name FROM projects",
        "SELECT instructions FROM projects",
        "SELECT name FROM folders",
    ] {
        let mut tx = test.db().begin(&Scope::Admin).await.unwrap();
        let error = sqlx::raw_sql(sql).execute(&mut *tx).await.expect_err(sql);
        assert!(error.to_string().contains("permission denied"), "{sql}: {error}");
    }
    let mut tx = test.db().begin(&Scope::Admin).await.unwrap();
    assert_eq!(count(&mut *tx, "admin_calls").await, 1);
    assert_eq!(count(&mut *tx, "admin_runs").await, 1);
}

#[tokio::test]
async fn a_begin_that_is_cancelled_leaves_no_transaction_and_no_role_behind() {
    let test = TestDb::new().await;
    let scope = user("ann");
    let mut superuser = test.superuser().await;
    let mut cut_short = 0;
    // Dropped at each of its waits in turn: for a connection, for its test, for the answer to BEGIN.
    // Looked at after each, because the next use of a poisoned connection would heal it.
    for waits in 0..12 {
        // Connect first: a begin that is dropped before it has a connection shows nothing.
        nothing_is_left(test.db(), &mut superuser).await;
        let begins = (0..8).map(|_| drop_at_wait(test.db().begin(&scope), waits));
        let outcomes = futures_util::future::join_all(begins).await;
        cut_short += outcomes.iter().filter(|outcome| outcome.is_none()).count();
    }
    nothing_is_left(test.db(), &mut superuser).await;
    assert!(cut_short > 0, "no begin was cancelled");
}

#[tokio::test]
async fn connections_are_used_again_after_commits_drops_and_failed_statements() {
    let test = TestDb::new().await;
    let mut backends = std::collections::BTreeSet::new();
    for round in 0..60 {
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        let row = sqlx::query("SELECT pg_backend_pid() AS pid").fetch_one(&mut *tx).await.unwrap();
        backends.insert(row.get::<i32, _>("pid"));
        match round % 3 {
            0 => tx.commit().await.unwrap(),
            1 => drop(tx),
            _ => assert!(sqlx::raw_sql("SELECT nonsense").execute(&mut *tx).await.is_err()),
        }
    }
    // As many as the pool may have: on a slow machine a connection is still being cleaned up when the next
    // one is asked for. Thrown away, they would be forty and more.
    assert!(backends.len() <= 9, "{} connections for 60 transactions", backends.len());
}

/// The session that a transaction is in, and how many transactions that session has begun.
pub async fn session_of(tx: &mut Tx) -> (i32, i64) {
    let row = sqlx::query(
        "SELECT pid, split_part(virtualtransaction, '/', 2)::bigint AS number FROM pg_locks
         WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()",
    )
    .fetch_one(&mut **tx)
    .await
    .unwrap();
    (row.get("pid"), row.get("number"))
}

#[tokio::test]
async fn after_its_end_the_next_transaction_has_the_connection_without_a_question_about_it() {
    let test = TestDb::new().await;
    let mut before = None;
    for round in 0..6 {
        let mut tx = test.db().begin(&user("ann")).await.unwrap();
        let (session, number) = session_of(&mut tx).await;
        if round % 2 == 0 {
            tx.commit().await.unwrap();
        } else {
            drop(tx);
            // It is rolled back in the background.
            while test.db().pool_state().in_use > 0 {
                tokio::task::yield_now().await;
            }
        }
        // A look whether the connection is clean would be a transaction, too.
        assert!(before.is_none_or(|before| before == (session, number - 1)), "{before:?}, then {number}");
        before = Some((session, number));
    }
    assert_eq!(test.db().pool_state().in_use, 0);
}

#[tokio::test]
async fn one_connection_is_enough_for_everybody_in_turn() {
    let test = TestDb::new().await;
    let db = Db::connect_with(test.options(), 1).await.unwrap();
    let transaction = async |round: usize| {
        let mut tx = db.begin(&user("ann")).await.unwrap();
        session_of(&mut tx).await;
        if round.is_multiple_of(3) {
            drop(tx);
        } else {
            tx.commit().await.unwrap();
        }
        db.ready().await.unwrap();
    };
    futures_util::future::join_all((0..60).map(transaction)).await;
    let closed = tokio::time::timeout(Duration::from_secs(30), db.close()).await;
    closed.expect("no connection is missing");
    assert!(matches!(db.begin(&user("ann")).await, Err(StoreError::Unavailable(_))));
}

#[tokio::test]
async fn what_is_committed_is_not_rolled_back_as_well() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    let db = Db::connect_with(test.options(), 1).await.unwrap();
    // Leases have connections of their own.
    leases::heartbeat(&db, &[], Duration::from_secs(10)).await.unwrap();
    write(&db).await.unwrap();
    db.close().await;
    test.db().close().await;
    // A session has counted its last transaction when it is gone.
    let others = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid != pg_backend_pid() AND backend_type = 'client backend'";
    while sqlx::query_scalar::<_, i64>(others).fetch_one(&mut superuser).await.unwrap() > 0 {
        tokio::task::yield_now().await;
    }
    let rolled_back = "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(sqlx::query_scalar::<_, i64>(rolled_back).fetch_one(&mut superuser).await.unwrap(), 0);
}

#[tokio::test]
async fn a_batch_is_one_statement_in_a_session_of_the_engine() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    fill(&mut superuser, "ann").await;
    for sessions in [Sessions::Own, Sessions::Shared] {
        let db = journal::database(test.options(), 1);
        db.open(sessions);
        // The first time, the statement is prepared.
        journal::commit(&db, &Batch::default()).await.unwrap();
        let mut before = None;
        for _ in 0..3 {
            let mut tx = db.begin(&user("bob")).await.unwrap();
            // Whoever uses such a session for a person is bound all the same.
            assert_eq!(count(&mut *tx, "conversations").await, 0);
            let (session, number) = session_of(&mut tx).await;
            tx.commit().await.unwrap();
            assert!(before.is_none_or(|before| before == (session, number - 2)), "{before:?}, then {number}");
            journal::commit(&db, &Batch::default()).await.unwrap();
            before = Some((session, number));
        }
        db.close().await;
    }
}

#[tokio::test]
async fn that_every_connection_is_in_use_says_nothing_about_any_of_them() {
    let test = TestDb::new().await;
    let db = Db::connect_with(test.options(), 1).await.unwrap();
    let mut tx = db.begin(&user("ann")).await.unwrap();
    let (session, number) = session_of(&mut tx).await;
    assert!(matches!(db.begin(&user("bob")).await, Err(StoreError::Unavailable(_))));
    tx.commit().await.unwrap();
    let mut next = db.begin(&user("bob")).await.unwrap();
    // It is not even pinged.
    assert_eq!(session_of(&mut next).await, (session, number + 1));
    drop(next);
    db.close().await;
}

#[tokio::test]
async fn a_session_from_a_time_without_writes_refuses_one_write_at_most() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    let name = test.options().get_database().unwrap().to_owned();
    let set = async |superuser: &mut PgConnection, how: &str| {
        let sql = format!("ALTER DATABASE \"{name}\" {how}");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(superuser).await.unwrap();
    };
    set(&mut superuser, "SET default_transaction_read_only = on").await;
    let db = Db::lazy(test.options(), 2);
    // Both of its connections read, and commit.
    let mut readers = Vec::new();
    for _ in 0..2 {
        readers.push(db.begin(&user("ann")).await.unwrap());
    }
    for tx in readers {
        tx.commit().await.unwrap();
    }
    set(&mut superuser, "RESET default_transaction_read_only").await;
    let mut refused = 0;
    while let Err(error) = write(&db).await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        refused += 1;
    }
    assert!(refused <= 1, "{refused} writes were refused");
    db.close().await;
}

async fn write(db: &Db) -> Result<(), StoreError> {
    let mut tx = db.begin(&user("ann")).await?;
    conversations::create(&mut tx, None).await?;
    tx.commit().await
}

/// Awaits `future`, and drops it unfinished when it has to wait once more after `waits` times.
async fn drop_at_wait<T>(future: impl Future<Output = T>, mut waits: u32) -> Option<T> {
    let mut future = Box::pin(future);
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if waits > 0 => {
            waits -= 1;
            Poll::Pending
        }
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn a_begin_that_fails_leaves_no_transaction_behind() {
    let test = TestDb::new().await;
    let mut superuser = test.superuser().await;
    let name = test.options().get_database().unwrap().to_owned();
    // In a transaction, and with no right to the role: the second statement of the opening fails.
    sqlx::raw_sql("CREATE ROLE lowly LOGIN").execute(&mut superuser).await.unwrap();
    let lowly = Db::connect_with(test.options().username("lowly").database(&name), 2).await.unwrap();
    for _ in 0..20 {
        let error = lowly.begin(&user("ann")).await.unwrap_err();
        assert!(matches!(error, StoreError::Sql(_)), "{error:?}");
    }
    lowly.ready().await.unwrap();
    nothing_is_left(test.db(), &mut superuser).await;
}

/// The pool's connections come to rest outside any transaction, and none keeps a role or a user.
async fn nothing_is_left(db: &Db, superuser: &mut PgConnection) {
    // Connections return to the pool in the background: look until they have. One that was poisoned
    // would stay in its transaction for ever.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let row = sqlx::query(
            "SELECT count(*) AS n FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
        )
        .fetch_one(&mut *superuser)
        .await
        .unwrap();
        if row.get::<i64, _>("n") == 0 {
            break;
        }
        assert!(Instant::now() < deadline, "a pooled connection stays inside a transaction");
        tokio::task::yield_now().await;
    }
    // All of the pool's connections at once.
    let mut all = Vec::new();
    for _ in 0..8 {
        let mut tx = db.begin(&Scope::Engine).await.unwrap();
        let row = sqlx::query("SELECT current_user::text AS role, current_setting('app.user_id') AS name")
            .fetch_one(&mut *tx)
            .await
            .unwrap();
        assert_eq!((row.get("role"), row.get("name")), ("llm_council_engine", ""));
        all.push(tx);
    }
    for tx in all {
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_question_outwaits_a_server_that_vanished_in_the_middle_of_the_one_before() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let conversation = ann.conversation().await;
    // Its connection is still there as far as Postgres knows.
    let mut vanished = app.db.db().begin(&user("ann")).await.unwrap();
    sqlx::query("SELECT FROM conversations WHERE id = $1::uuid FOR UPDATE")
        .bind(&conversation)
        .execute(&mut *vanished)
        .await
        .unwrap();
    let path = format!("/api/conversations/{conversation}/message");
    assert_eq!(ann.post(&path, json!({ "content": "Why?" })).await.status, 200);
    assert!(vanished.commit().await.is_err(), "its transaction was ended");
    app.close().await;
}
