//! How long files stay, and how they end.

use std::io::{Cursor, Read as _};

use llm_council::store;
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::files::{sentence, taken};
use crate::support::app::{TestApp, User};

async fn count(app: &TestApp, sql: &'static str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut app.db.superuser().await).await.unwrap()
}

async fn ask_with(user: &User<'_>, file: &str) -> String {
    let id = user.conversation().await;
    let question = json!({"content": "Why?", "attachments": [file]});
    user.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    id
}

async fn purge(user: &User<'_>, conversation: &str) {
    user.send("DELETE", &format!("/api/conversations/{conversation}"), None).await.ok();
    user.send("DELETE", &format!("/api/conversations/{conversation}?purge=true"), None).await.ok();
}

#[tokio::test]
async fn a_file_goes_with_the_last_conversation_that_uses_it() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let file = taken(&ann, "a.txt", b"shared by two").await;
    taken(&bob, "a.txt", b"shared by two").await;
    let (one, two) = (ask_with(&ann, &file).await, ask_with(&ann, &file).await);
    let path = format!("/api/attachments/{file}");
    assert_eq!(ann.get(&path).await.ok()["used"], true);
    assert!(sentence(&ann.send("DELETE", &path, None).await, 409).contains("a question came with this file"));
    purge(&ann, &one).await;
    assert_eq!(ann.get(&path).await.status, 200, "the other one uses it");
    ann.send("DELETE", &format!("/api/conversations/{two}"), None).await.ok();
    assert_eq!(ann.send("DELETE", &path, None).await.status, 409, "it can still be brought back");
    ann.send("DELETE", &format!("/api/conversations/{two}?purge=true"), None).await.ok();
    assert_eq!(ann.get(&path).await.status, 404);
    assert_eq!(bob.get(&path).await.status, 200, "the other owner's stays");
    assert_eq!(count(&app, "SELECT count(*) FROM message_attachments").await, 0);
    let kept = "SELECT count(*) FROM runs WHERE plan::text LIKE '%shared by two%'";
    assert_eq!(count(&app, kept).await, 0, "no run has it either");
    app.close().await;
}

#[tokio::test]
async fn what_no_question_came_with_goes_after_a_day() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let used = taken(&ann, "used.txt", b"used").await;
    ask_with(&ann, &used).await;
    let old = taken(&ann, "old.txt", b"old").await;
    let again = taken(&ann, "again.txt", b"again").await;
    let aged = "UPDATE attachments SET uploaded_at = now() - interval '25 hours'";
    sqlx::query(aged).execute(&mut app.db.superuser().await).await.unwrap();
    taken(&ann, "again.txt", b"again").await;
    let fresh = taken(&ann, "fresh.txt", b"fresh").await;

    app.admin().post("/api/admin/holds", json!({"user": "ann", "reason": "A case"})).await.ok();
    assert_eq!(store::remove_unused_files(app.db.db()).await.unwrap(), 0, "a hold keeps all");
    assert_eq!(ann.send("DELETE", &format!("/api/attachments/{old}"), None).await.status, 409);
    app.admin().send("DELETE", "/api/admin/holds?user=ann", None).await.ok();
    assert_eq!(store::remove_unused_files(app.db.db()).await.unwrap(), 1);
    for (file, status) in [(used, 200), (old, 404), (again, 200), (fresh, 200)] {
        assert_eq!(ann.get(&format!("/api/attachments/{file}")).await.status, status);
    }
    app.close().await;
}

#[tokio::test]
async fn they_are_in_the_copy_and_go_with_the_erasure() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let file = taken(&ann, "Über alles.txt", b"what ann has").await;
    ask_with(&ann, &file).await;
    let unused = taken(&ann, "unused.txt", b"and never used").await;
    taken(&bob, "bobs.txt", b"what bob has").await;
    let bytes = ann.request("GET", "/api/me/export").send().await.unwrap().bytes().await.unwrap();
    let mut copy = zip::ZipArchive::new(Cursor::new(bytes.to_vec())).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        copy.by_name(name).unwrap_or_else(|_| panic!("no {name}")).read_to_string(&mut text).unwrap();
        text
    };
    let start = |id: &str| id.chars().take(12).collect::<String>();
    assert_eq!(text(&format!("attachments/{}-Über alles.txt", start(&file))), "what ann has");
    assert_eq!(text(&format!("attachments/{}-unused.txt", start(&unused))), "and never used");
    let list: serde_json::Value = serde_json::from_str(&text("attachments.json")).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert!(list[0].get("content").is_none() && list[0].get("text").is_none(), "{list}");

    assert_eq!(ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await.status, 200);
    assert_eq!(count(&app, "SELECT count(*) FROM attachments WHERE user_id = 'ann'").await, 0);
    assert_eq!(count(&app, "SELECT count(*) FROM message_attachments").await, 0);
    assert_eq!(count(&app, "SELECT count(*) FROM attachments").await, 1);
    app.close().await;
}
