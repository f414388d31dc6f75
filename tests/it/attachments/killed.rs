//! A server that dies while a file comes in, or has just been read: nothing of it is there, and it can come again.

use std::time::Duration;

use serde_json::json;
use sqlx::Connection as _;
use tokio::io::AsyncWriteExt as _;

use super::files::{content_type, form, pdf, taken};
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::{Process, Program};

/// Begins to upload this, and stops in the middle of the file.
async fn half(server: &Process, body: &[u8]) -> tokio::net::TcpStream {
    let address = server.base().trim_start_matches("http://");
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/attachments HTTP/1.1\r\nhost: {address}\r\nremote-user: ann\r\n\
         content-type: {}\r\ncontent-length: {}\r\n\r\n",
        content_type(),
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body[..body.len() / 2]).await.unwrap();
    stream
}

/// The database's process that waits to keep the file.
async fn waiting(db: &TestDb) -> Option<i32> {
    let waits =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
                 AND query LIKE '%INSERT INTO attachments%'";
    sqlx::query_scalar(waits).fetch_optional(&mut db.superuser().await).await.unwrap()
}

async fn until(what: impl AsyncFn() -> bool) {
    for _ in 0..1200 {
        if what().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never");
}

#[tokio::test]
async fn a_server_that_is_killed_with_a_file_leaves_nothing_of_it() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let bytes = pdf(&["A page that was read in vain"]);
    let body = form(&[("file", Some("report.pdf"), &bytes)]);

    let server = program.serve().await;
    assert_eq!(server.user("ann").get("/api/attachments").await.ok()["attachments"], json!([]));
    let unfinished = half(&server, &body).await;
    server.kill();
    drop(unfinished);

    // It has been read, and somebody is about to keep the same when it is to be kept.
    let server = program.serve().await;
    taken(&server.user("bob"), "report.pdf", &bytes).await;
    let mut superuser = db.superuser().await;
    let mut holding = superuser.begin().await.unwrap();
    sqlx::raw_sql(
        "INSERT INTO attachments (user_id, id, filename, file_type, mime_type, size, content, text, characters)
         SELECT 'ann', id, filename, file_type, mime_type, size, content, text, characters FROM attachments",
    )
    .execute(&mut *holding)
    .await
    .unwrap();
    let ann = server.user("ann");
    let upload =
        ann.request("POST", "/api/attachments").header("content-type", content_type()).body(body).send();
    let killed = async {
        until(async || waiting(&db).await.is_some()).await;
        let process = waiting(&db).await.unwrap();
        server.kill();
        process
    };
    let (answer, process) = tokio::join!(upload, killed);
    assert!(answer.is_err(), "its server is gone");
    holding.rollback().await.unwrap();
    let is_gone = async || {
        let there = sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE pid = $1").bind(process);
        there.fetch_one(&mut db.superuser().await).await.is_ok_and(|count: i64| count == 0)
    };
    until(is_gone).await;

    let server = program.serve().await;
    let ann = server.user("ann");
    assert_eq!(ann.get("/api/attachments").await.ok()["attachments"], json!([]));
    let id = taken(&ann, "report.pdf", &bytes).await;
    let kept = ann.get("/api/attachments").await.ok();
    assert_eq!(kept["attachments"][0]["id"], json!(id));
    assert_eq!(kept["attachments"][0]["size"], json!(bytes.len()));
    server.signal("SIGTERM");
    server.ended().await;
}
