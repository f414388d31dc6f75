//! The database itself shows others' conversations only to members, in the project that a transaction names, and lets them change
//! nothing: statements without a `WHERE`.

use llm_council::id::UserId;
use llm_council::store::{Scope, Tx};
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::{asked_in, let_in, project, put_out, team};
use crate::attachments::files::taken;
use crate::support::app::TestApp;

/// A transaction of the user's that names this project, and these groups.
async fn naming(app: &TestApp, user: &str, project: &str, groups: &[&str]) -> Tx {
    let mut tx = app.app.db.begin(&Scope::User(UserId::from_canonical(user))).await.unwrap();
    sqlx::query(
        "SELECT set_config('app.project_id', $1, true), set_config('app.groups', ($2::text[])::text, true)",
    )
    .bind(project)
    .bind(groups)
    .execute(&mut *tx)
    .await
    .unwrap();
    tx
}

/// How many rows of each table the transaction sees.
async fn seen<const N: usize>(tx: &mut Tx, tables: [&str; N]) -> [i64; N] {
    let mut counts = [0; N];
    for (count, table) in counts.iter_mut().zip(tables) {
        let sql = format!("SELECT count(*) FROM {table}");
        *count = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut **tx).await.unwrap();
    }
    counts
}

const TABLES: [&str; 5] = ["conversations", "messages", "message_attachments", "projects", "project_members"];
/// What stays with whoever asked.
const PRIVATE: [&str; 8] = [
    "runs",
    "calls",
    "run_events",
    "decisions",
    "attachments",
    "cache_entries",
    "user_settings",
    "message_versions",
];

#[tokio::test]
async fn a_statement_without_a_where_sees_what_the_role_lets_through() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let_in(&app.user("ann"), &id, "group/staff", "viewer").await;
    let will = app.user("will");
    let file = taken(&will, "notes.txt", b"Seven herons.").await;
    let own = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let question = json!({"content": "Why?", "attachments": [file], "use_cache": true});
    will.post(&format!("/api/conversations/{}/message", own["id"].as_str().unwrap()), question).await.ok();
    asked_in(&app.user("ann"), &id, "And why?").await;
    // Beside it: another project, and conversations in none.
    let other = project(&app.user("ann"), json!({"name": "Storks"})).await;
    asked_in(&app.user("ann"), &other, "Where?").await;
    super::asked(&app.user("will"), "Mine alone?").await;

    // There is something in every table.
    let mut superuser = app.db.superuser().await;
    let rest = "INSERT INTO user_settings (user_id, value) VALUES ('will', '{}');
                INSERT INTO message_versions (run_id, message_id, user_id)
                SELECT gen_random_uuid(), id, user_id FROM messages WHERE role = 'assistant'";
    sqlx::raw_sql(rest).execute(&mut superuser).await.unwrap();
    for table in PRIVATE {
        let sql = format!("SELECT count(*) FROM {table}");
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut superuser).await.unwrap();
        assert!(rows > 0, "nothing is in {table}");
    }

    let none = [0; 5];
    assert_eq!(seen(&mut naming(&app, "bob", &id, &[]).await, TABLES).await, none);
    assert_eq!(seen(&mut naming(&app, "bob", &id, &["staf", ""]).await, TABLES).await, none);
    assert_eq!(
        seen(&mut naming(&app, "bob", "", &["staff"]).await, TABLES).await,
        [0, 0, 0, 1, 1],
        "that it is there"
    );
    let in_it = [2, 4, 1, 1, 4];
    assert_eq!(seen(&mut naming(&app, "vera", &id, &[]).await, TABLES).await, in_it);
    assert_eq!(seen(&mut naming(&app, "bob", &id, &["staff"]).await, TABLES).await, in_it);
    assert_eq!(seen(&mut naming(&app, "bob", &other, &["staff"]).await, TABLES).await, [0, 0, 0, 1, 1]);
    assert_eq!(
        seen(&mut naming(&app, "vera", "", &[]).await, TABLES).await,
        [0, 0, 0, 1, 1],
        "no project is named"
    );
    assert_eq!(seen(&mut naming(&app, "vera", &id, &["staff"]).await, PRIVATE).await, [0; 8]);
    assert_eq!(
        seen(&mut naming(&app, "ann", &other, &[]).await, TABLES).await,
        [2, 4, 0, 2, 2],
        "her own, and no other's"
    );
    // A membership ends in the middle of nothing: the next statement sees it.
    let mut tx = naming(&app, "vera", &id, &[]).await;
    assert_eq!(seen(&mut tx, ["conversations"]).await, [2]);
    assert_eq!(put_out(&app.user("ann"), &id, "user/vera").await, 200);
    assert_eq!(seen(&mut tx, TABLES).await, none);
    drop(tx);
    will.send("DELETE", &format!("/api/conversations/{}", own["id"].as_str().unwrap()), None).await.ok();
    let mut tx = naming(&app, "bob", &id, &["staff"]).await;
    assert_eq!(seen(&mut tx, TABLES).await, [1, 2, 0, 1, 3], "what is deleted is its author's");
    drop(tx);
    app.close().await;
}

#[tokio::test]
async fn nobody_changes_what_is_anothers_nor_lets_themselves_in() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    for who in ["ann", "will", "vera", "bob"] {
        app.user(who).with("remote-name", "Somebody").get("/api/user").await.ok();
    }
    asked_in(&app.user("will"), &id, "Why?").await;
    let bob = app.user("bob").conversation().await;
    let veras = app.user("vera").conversation().await;
    let changes = [
        "UPDATE conversations SET title = 'Mine' WHERE user_id = 'will'",
        "UPDATE conversations SET project_id = NULL WHERE user_id = 'will'",
        "UPDATE messages SET content = 'Mine'",
    ];
    for who in ["ann", "vera", "bob"] {
        for sql in changes {
            let mut tx = naming(&app, who, &id, &[]).await;
            let done = sqlx::query(sql).execute(&mut *tx).await.unwrap();
            assert_eq!(done.rows_affected(), 0, "{who}: {sql}");
        }
    }
    for who in ["will", "vera", "bob"] {
        for sql in [
            "UPDATE projects SET name = 'Mine'",
            "DELETE FROM projects",
            "UPDATE project_members SET role = 'owner'",
            "DELETE FROM project_members WHERE name = 'ann'",
        ] {
            let mut tx = naming(&app, who, &id, &[]).await;
            let done = sqlx::query(sql).execute(&mut *tx).await.unwrap();
            assert_eq!(done.rows_affected(), 0, "{who}: {sql}");
        }
        let mut tx = naming(&app, who, &id, &[]).await;
        let added = sqlx::query("INSERT INTO project_members (project_id, kind, name, role) VALUES ($1::uuid, 'group', 'x', 'owner')")
            .bind(&id)
            .execute(&mut *tx)
            .await;
        assert!(added.is_err(), "{who}");
        let mut tx = naming(&app, who, &id, &[]).await;
        let out: Vec<uuid::Uuid> = sqlx::query_scalar("SELECT take_out_of_project(id) FROM conversations")
            .fetch_all(&mut *tx)
            .await
            .unwrap();
        assert!(out.is_empty(), "{who}");
    }
    // Nobody asks for names of everybody, nor for those of a project that is not theirs.
    let all = "SELECT id FROM names_of(ARRAY(SELECT name FROM project_members))";
    let here = "SELECT id FROM names_in_project()";
    for (who, count) in [("ann", 3), ("vera", 3), ("bob", 0)] {
        let mut tx = naming(&app, who, &id, &[]).await;
        let names: Vec<String> = sqlx::query_scalar(here).fetch_all(&mut *tx).await.unwrap();
        assert_eq!(names.len(), count, "{who}");
        let refused = sqlx::query(all).execute(&mut *tx).await.unwrap_err().to_string();
        assert!(refused.contains("permission denied"), "{who}: {refused}");
    }
    // Owners of one project have no say in another one.
    let other = project(&app.user("bob"), json!({"name": "Storks"})).await;
    let mut tx = naming(&app, "bob", &other, &[]).await;
    let done = sqlx::query("UPDATE projects SET name = 'Mine' WHERE id = $1::uuid")
        .bind(&id)
        .execute(&mut *tx)
        .await;
    assert_eq!(done.unwrap().rows_affected(), 0);
    drop(tx);
    // Who may not write puts nothing in.
    for (who, conversation) in [("bob", bob), ("vera", veras)] {
        let mut tx = naming(&app, who, &id, &[]).await;
        let moved = sqlx::query("UPDATE conversations SET project_id = $1::uuid WHERE id = $2::uuid")
            .bind(&id)
            .bind(conversation)
            .execute(&mut *tx)
            .await;
        assert!(moved.unwrap_err().to_string().contains("may not write"), "{who}");
    }
    app.close().await;
}
