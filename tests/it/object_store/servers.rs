//! The program with an object store: what it says at its start, what it leaves when it is killed, and that it shows no secret.

use std::time::Duration;

use serde_json::json;
use sqlx::Connection as _;

use super::{FROM, large};
use crate::attachments::files::{content_type, form, taken};
use crate::support::app::User;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::object_server::{Fault, ObjectServer, SECRET};
use crate::support::process::{Process, Program};

fn program(db: &TestDb, models: &ModelServer, store: &ObjectServer) -> Program {
    let settings = store.settings(FROM);
    let plain = Program::council(db, models).set("log.level", "debug,aws_sigv4=trace");
    settings.iter().fold(plain, |program, (key, value)| program.set(key, value))
}

/// What was tried and logged of the store at its start.
async fn tried(server: &Process) {
    server.until_logged(|text| text.contains("files are kept in an object store")).await;
}

async fn rows(db: &TestDb, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&mut db.superuser().await).await.unwrap()
}

async fn due_at_once(db: &TestDb) {
    let sql = "UPDATE loose_objects SET due_at = now() - interval '1 minute'";
    sqlx::query(sql).execute(&mut db.superuser().await).await.unwrap();
}

#[tokio::test]
async fn a_server_tries_its_store_out_and_removes_what_a_killed_one_has_left() {
    let (db, models, store) = (TestDb::new().await, ModelServer::start().await, ObjectServer::start().await);
    let program = program(&db, &models, &store);
    let server = program.serve().await;
    tried(&server).await;
    assert_eq!((store.count("PUT"), store.count("GET"), store.count("DELETE")), (1, 1, 1), "tried out");
    assert_eq!((store.objects().len(), rows(&db, "SELECT count(*) FROM loose_objects").await), (0, 0));

    // Put, and killed before a file points to it: somebody holds what an upload of ann's waits for.
    let bytes = large("Put in vain.");
    let mut superuser = db.superuser().await;
    let mut holding = superuser.begin().await.unwrap();
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('attachments/ann', 0))")
        .execute(&mut *holding)
        .await
        .unwrap();
    let ann = server.user("ann");
    let body = form(&[("file", Some("a.txt"), &bytes)]);
    let upload =
        ann.request("POST", "/api/attachments").header("content-type", content_type()).body(body).send();
    let killed = async {
        store.until(1).await;
        server.kill();
    };
    let (answer, ()) = tokio::join!(upload, killed);
    assert!(answer.is_err(), "its server is gone");
    holding.rollback().await.unwrap();
    assert_eq!(rows(&db, "SELECT count(*) FROM attachments").await, 0);

    // Killed while it is being put.
    let server = program.serve().await;
    tried(&server).await;
    let puts = store.count("PUT");
    store.fails_at("PUT", Fault::Stall);
    let ann = server.user("ann");
    let body = form(&[("file", Some("b.txt"), &large("Never put."))]);
    let upload =
        ann.request("POST", "/api/attachments").header("content-type", content_type()).body(body).send();
    let killed = async {
        store.until_asked("PUT", puts + 1).await;
        server.kill();
    };
    let (answer, ()) = tokio::join!(upload, killed);
    assert!(answer.is_err(), "its server is gone");
    store.heals();

    // Killed while one is being removed.
    let server = program.serve().await;
    tried(&server).await;
    let file = taken(&server.user("ann"), "c.txt", &large("Deleted.")).await;
    server.user("ann").send("DELETE", &format!("/api/attachments/{file}"), None).await.ok();
    server.kill();
    assert_eq!(rows(&db, "SELECT count(*) FROM loose_objects").await, 3);
    due_at_once(&db).await;
    let left = store.objects();
    assert_eq!(left.len(), 2);
    store.fails(move |asked| {
        (asked.method == "DELETE" && left.contains_key(&asked.key)).then_some(Fault::Stall)
    });
    let deletes = store.count("DELETE");
    let server = program.serve().await;
    // What it tried out, and all three, one of which was never put.
    store.until_asked("DELETE", deletes + 1 + 3).await;
    server.kill();
    store.heals();
    assert_eq!((store.objects().len(), rows(&db, "SELECT count(*) FROM loose_objects").await), (2, 3));

    due_at_once(&db).await;
    let server = program.serve().await;
    store.until(0).await;
    let is_empty = async || rows(&db, "SELECT count(*) FROM loose_objects").await == 0;
    for _ in 0..1200 {
        if is_empty().await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(is_empty().await);
    store.all_were_signed();
    assert!(!server.log().contains(SECRET));
}

#[tokio::test]
async fn files_in_a_store_that_is_configured_no_more_are_out_of_reach_and_said_to_be() {
    let (db, models, store) = (TestDb::new().await, ModelServer::start().await, ObjectServer::start().await);
    let with = program(&db, &models, &store);
    let server = with.serve().await;
    let (long, short) = (large("In the store."), b"In the database.".to_vec());
    let in_store = taken(&server.user("ann"), "a.txt", &long).await;
    let here = taken(&server.user("ann"), "b.txt", &short).await;
    server.signal("SIGTERM");
    let (_, log) = server.ended().await;
    assert!(!log.contains(SECRET) && !log.contains("In the store."), "{log}");

    let server = Program::council(&db, &models).serve().await;
    server.until_logged(|text| text.contains("files are in an object store, but none is configured")).await;
    let read = async |user: &User<'_>, id: &str| user.get(&format!("/api/attachments/{id}/content")).await;
    let ann = server.user("ann");
    let answer = read(&ann, &in_store).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.json()["type"], "urn:llm-council:problem:files-off");
    assert!(answer.text.contains("none is configured on this server"), "{}", answer.text);
    assert_eq!(read(&ann, &here).await.text.into_bytes(), short);
    // Everything else is as it was: the text is in the database, and a deletion is noted for later.
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "attachments": [in_store]});
    ann.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    let other = taken(&ann, "c.txt", &large("From now on in the database.")).await;
    assert_eq!(read(&ann, &other).await.status, 200);
    ann.send("DELETE", &format!("/api/conversations/{id}"), None).await.ok();
    ann.send("DELETE", &format!("/api/conversations/{id}?purge=true"), None).await.ok();
    assert_eq!((store.objects().len(), rows(&db, "SELECT count(*) FROM loose_objects").await), (1, 1));
    server.kill();

    let server = with.serve().await;
    store.until(0).await;
    assert_eq!(read(&server.user("ann"), &other).await.status, 200, "what is in the database stays there");
}

#[tokio::test]
async fn a_store_that_does_not_let_in_is_said_at_the_start_and_holds_nothing_up() {
    let (db, models, store) = (TestDb::new().await, ModelServer::start().await, ObjectServer::start().await);
    let wrong = "another-secret-of-the-test";
    let program = program(&db, &models, &store)
        .set("attachments.s3.secret_access_key", wrong)
        .set("metrics.token", "t");
    let server = program.serve().await;
    server.until_logged(|text| text.contains("PUT was answered with 403 (SignatureDoesNotMatch)")).await;
    let ann = server.user("ann");
    let answer = crate::attachments::files::upload(&ann, "a.txt", &large("In vain.")).await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    taken(&ann, "b.txt", b"In the database.").await;
    let log = server.log();
    assert!(!log.contains(wrong) && !log.contains("words-of-the-store"), "{log}");

    let metrics = User::at(server.base(), "").with("authorization", "Bearer t").get("/metrics").await.text;
    for (operation, outcome, count) in [("put", "refused", 2), ("put", "ok", 0), ("delete", "missing", 0)] {
        let series =
            format!("llm_council_object_requests_total{{operation=\"{operation}\",outcome=\"{outcome}\"}}");
        let line = metrics.lines().find(|line| line.starts_with(&series)).unwrap_or_default();
        assert_eq!(line, format!("{series} {count}"), "{metrics}");
    }
}

#[tokio::test]
async fn half_an_object_store_is_refused_with_everything_that_is_wrong() {
    let program = Program::plain()
        .set("attachments.s3.bucket", "Not A Bucket")
        .set("attachments.s3.prefix", "../elsewhere/")
        .set("attachments.s3.secret_access_key", SECRET);
    let ended = program.run(&["serve"]).await;
    assert_eq!(ended.code, Some(78), "{}", ended.stderr);
    for key in ["endpoint", "bucket", "prefix", "access_key_id"] {
        assert!(ended.stderr.contains(&format!("attachments.s3.{key}")), "{key}: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains(SECRET), "{}", ended.stderr);
}
