//! Projects: who may what in them, by name and by group; what questions in them are asked with; what others read of a
//! conversation; and that the database says the same.

mod asking;
mod ends;
mod files;
mod links;
mod random;
mod reading;
mod roles;
mod walls;

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgConnection};

use crate::support::app::{TestApp, User};

/// Begins a transaction of the database's own with this statement, which holds its locks until the transaction ends.
pub async fn holding(app: &TestApp, sql: &str) -> PgConnection {
    let mut holder = app.db.superuser().await;
    sqlx::raw_sql(AssertSqlSafe(format!("BEGIN; {sql}"))).execute(&mut holder).await.unwrap();
    holder
}

/// Waits until so many statements wait for a lock, and then ends that transaction with this.
pub async fn released(app: &TestApp, mut holder: PgConnection, waiting: i64, sql: &str) {
    let mut looker = app.db.superuser().await;
    let counted = "SELECT count(*) FROM pg_stat_activity
                   WHERE wait_event_type = 'Lock' AND datname = current_database()";
    for _ in 0..1_000 {
        if sqlx::query_scalar::<_, i64>(counted).fetch_one(&mut looker).await.unwrap() == waiting {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut holder).await.unwrap();
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("there are never {waiting} that wait");
}

/// A new project of the user's: its id.
async fn project(user: &User<'_>, body: Value) -> String {
    let made = user.post("/api/projects", body).await.ok();
    assert_eq!(made["role"], "owner");
    made["id"].as_str().unwrap().to_owned()
}

/// Gives somebody (`user/bob`, `group/staff`) a role.
async fn let_in(owner: &User<'_>, project: &str, who: &str, role: &str) {
    let (kind, name) = who.split_once('/').unwrap();
    let body = json!({"kind": kind, "name": name, "role": role});
    owner.put(&format!("/api/projects/{project}/members"), body).await.ok();
}

/// Ends somebody's membership; what the server says.
async fn put_out(owner: &User<'_>, project: &str, who: &str) -> u16 {
    let (kind, name) = who.split_once('/').unwrap();
    let body = json!({"kind": kind, "name": name});
    owner.send("DELETE", &format!("/api/projects/{project}/members"), Some(&body)).await.status
}

/// Moves a conversation to a project, or out of it; what the server says.
async fn move_to(user: &User<'_>, conversation: &str, project: Option<&str>) -> u16 {
    let body = json!({"project_id": project});
    user.send("PATCH", &format!("/api/conversations/{conversation}"), Some(&body)).await.status
}

/// A conversation of the user's with one answer.
async fn asked(user: &User<'_>, question: &str) -> String {
    let id = user.conversation().await;
    user.post(&format!("/api/conversations/{id}/message"), json!({"content": question})).await.ok();
    id
}

/// The same in a project.
async fn asked_in(user: &User<'_>, project: &str, question: &str) -> String {
    let id = asked(user, question).await;
    assert_eq!(move_to(user, &id, Some(project)).await, 200);
    id
}

/// What is listed in a project, by id.
async fn listed(user: &User<'_>, project: &str) -> Vec<String> {
    let list = user.get(&format!("/api/projects/{project}/conversations")).await.ok();
    let list = list["conversations"].as_array().unwrap();
    list.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// A team: Ann owns the project, Will writes in it, Vera views it, Bob has nothing to do with it.
async fn team(app: &TestApp) -> String {
    let ann = app.user("ann");
    let id = project(&ann, json!({"name": "Herons"})).await;
    let_in(&ann, &id, "user/will", "writer").await;
    let_in(&ann, &id, "user/vera", "viewer").await;
    id
}
