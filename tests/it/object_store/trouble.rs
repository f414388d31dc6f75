//! A store that is away, refuses, loses or changes what it was given.

use serde_json::{Value, json};

use super::{keeping, large, loose, number};
use crate::attachments::files::{put_into, sentence, taken, upload};
use crate::attachments::pictures::png;
use crate::support::app::{Answer, User};
use crate::support::object_server::Fault;

/// The word for what is wrong.
fn kind(answer: &Answer) -> String {
    let kind = answer.json()["type"].as_str().unwrap().to_owned();
    kind.trim_start_matches("urn:llm-council:problem:").to_owned()
}

#[tokio::test]
async fn an_upload_is_refused_with_a_sentence_and_nothing_of_it_is_kept() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let made = ann.post("/api/projects", json!({"name": "Herons"})).await.ok();
    let project = made["id"].as_str().unwrap();
    let bytes = large("A heron waits.");
    for (fault, tries) in [
        (Fault::Status(500, "InternalError"), 3),
        (Fault::Status(503, "SlowDown"), 3),
        (Fault::Status(429, "TooManyRequests"), 3),
        (Fault::Status(403, "AccessDenied"), 1),
        (Fault::Status(404, "NoSuchBucket"), 1),
        (Fault::Status(301, "PermanentRedirect"), 1),
        (Fault::Status(400, "AuthorizationHeaderMalformed"), 1),
    ] {
        let before = store.count("PUT");
        store.fails_at("PUT", fault);
        let answer = upload(&ann, "heron.txt", &bytes).await;
        assert!(sentence(&answer, 503).contains("store that files are kept in"), "{}", answer.text);
        assert_eq!((kind(&answer).as_str(), answer.header("retry-after")), ("files-away", "5"));
        assert!(!answer.text.contains("words-of-the-store"), "{}", answer.text);
        assert_eq!(store.count("PUT") - before, tries, "{fault:?}");
        let of_project = put_into(&ann, project, "heron.txt", &bytes).await;
        assert_eq!(kind(&of_project), "files-away");
        // What is small needs no store.
        taken(&ann, "short.txt", b"A heron waits.").await;
    }
    assert_eq!(ann.get("/api/attachments").await.ok()["total"], 1);
    assert_eq!(number(&app, "SELECT count(*) FROM project_files").await, 0);
    assert_eq!((store.objects().len(), loose(&app).await), (0, 14));
    // Once is no trouble.
    let left = std::sync::atomic::AtomicUsize::new(2);
    store.fails(move |_| {
        let order = std::sync::atomic::Ordering::SeqCst;
        let fails = left.fetch_update(order, order, |left| left.checked_sub(1)).is_ok();
        fails.then_some(Fault::Status(500, "InternalError"))
    });
    taken(&ann, "heron.txt", &bytes).await;
    assert_eq!(store.contents(), [bytes]);
    app.close().await;
}

#[tokio::test]
async fn what_has_no_room_is_not_sent_to_the_store() {
    let store = crate::support::object_server::ObjectServer::start().await;
    let limits = "[attachments]\nmax_bytes_per_user = 3000\nmax_bytes_per_project = 1500\n";
    let app = crate::support::app::TestApp::with(&format!("{limits}{}", store.toml(super::FROM))).await;
    let ann = app.user("ann");
    taken(&ann, "one.txt", &[b'a'; 2000]).await;
    sentence(&upload(&ann, "two.txt", &[b'b'; 2000]).await, 413);
    let made = ann.post("/api/projects", json!({"name": "Herons"})).await.ok();
    let project = made["id"].as_str().unwrap();
    sentence(&put_into(&ann, project, "three.txt", &[b'c'; 2000]).await, 413);
    assert_eq!((store.count("PUT"), loose(&app).await), (1, 0));
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_read_or_was_changed_is_never_handed_out() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let made = ann.post("/api/projects", json!({"name": "Herons"})).await.ok();
    let project = made["id"].as_str().unwrap();
    let bytes = large("A heron waits.");
    let file = taken(&ann, "heron.txt", &bytes).await;
    put_into(&ann, project, "heron.txt", &bytes).await.ok();
    let paths =
        [format!("/api/attachments/{file}/content"), format!("/api/projects/{project}/files/{file}/content")];
    for (fault, status, word) in [
        (Fault::Status(500, "InternalError"), 503, "files-away"),
        (Fault::Cut, 503, "files-away"),
        (Fault::Status(403, "AccessDenied"), 503, "files-away"),
        (Fault::Status(404, "NoSuchBucket"), 503, "files-away"),
        (Fault::Status(307, "TemporaryRedirect"), 503, "files-away"),
        (Fault::Changed, 500, "file-lost"),
        (Fault::Longer, 500, "file-lost"),
        (Fault::Status(404, "NoSuchKey"), 500, "file-lost"),
    ] {
        store.fails_at("GET", fault);
        for path in &paths {
            let answer = ann.get(path).await;
            assert_eq!((answer.status, kind(&answer).as_str()), (status, word), "{fault:?} {}", answer.text);
            assert!(!answer.text.contains("words-of-the-store"), "{}", answer.text);
        }
    }
    store.heals();
    for path in &paths {
        assert_eq!(ann.get(path).await.text.into_bytes(), bytes);
    }
    store.all_were_signed();
    app.close().await;
}

#[tokio::test]
async fn a_file_that_is_deleted_while_it_is_read_is_not_there() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let file = taken(&ann, "heron.txt", &large("A heron waits.")).await;
    // Whoever reads has its key, and then it goes: here the store is asked, and the row is gone when it is looked at once more.
    let options = app.db.options();
    store.fails(move |asked| {
        if asked.method == "GET" {
            let options = options.clone();
            std::thread::scope(|scope| {
                scope.spawn(|| delete_all(&options)).join().unwrap();
            });
        }
        (asked.method == "GET").then_some(Fault::Status(404, "NoSuchKey"))
    });
    let answer = ann.get(&format!("/api/attachments/{file}/content")).await;
    assert_eq!((answer.status, kind(&answer).as_str()), (404, "not-found"), "{}", answer.text);
    app.close().await;
}

fn delete_all(options: &sqlx::postgres::PgConnectOptions) {
    use sqlx::Connection as _;

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut superuser = sqlx::PgConnection::connect_with(options).await.unwrap();
        sqlx::raw_sql("DELETE FROM attachments").execute(&mut superuser).await.unwrap();
    });
}

#[tokio::test]
async fn a_copy_of_ones_data_breaks_off_rather_than_being_a_part() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    taken(&ann, "heron.txt", &large("A heron waits.")).await;
    store.fails_at("GET", Fault::Status(403, "AccessDenied"));
    let answer = ann.request("GET", "/api/me/export").send().await.unwrap();
    assert!(answer.bytes().await.is_err(), "no ZIP file that opens");
    app.close().await;
}

/// A question about a picture; what came of it.
async fn asked(user: &User<'_>, photo: &str) -> (String, Vec<Value>) {
    let id = user.conversation().await;
    let question = json!({"content": "What is it?", "attachments": [photo]});
    let events = user.ask(&id, question).await.rest().await;
    let run = events[0].json["run_id"].as_str().unwrap_or_default().to_owned();
    (run, events.into_iter().map(|event| event.json).collect())
}

#[tokio::test]
async fn a_run_waits_a_little_for_its_picture_and_then_fails_and_says_so() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((40, 30), &large("pixels"))).await;
    for (fault, least, word) in [
        (Fault::Status(500, "InternalError"), 4 * 3, "picture_unreadable"),
        (Fault::Status(403, "AccessDenied"), 1, "picture_unreadable"),
        (Fault::Changed, 1, "picture_unreadable"),
        (Fault::Status(404, "NoSuchKey"), 1, "picture_gone"),
    ] {
        let before = store.count("GET");
        store.fails_at("GET", fault);
        let (_, events) = asked(&ann, &photo).await;
        let last = events.last().unwrap();
        assert_eq!((&last["type"], &last["error_kind"]), (&json!("error"), &json!(word)), "{fault:?} {last}");
        assert!(last["message"].as_str().unwrap().contains("photo.png"), "{last}");
        assert_eq!(store.count("GET") - before, least, "{fault:?}");
    }
    assert!(app.models.records().is_empty(), "nobody was asked about it");

    // A store that comes back in time is no trouble.
    let left = std::sync::atomic::AtomicUsize::new(4);
    store.fails(move |_| {
        let order = std::sync::atomic::Ordering::SeqCst;
        let fails = left.fetch_update(order, order, |left| left.checked_sub(1)).is_ok();
        fails.then_some(Fault::Status(503, "SlowDown"))
    });
    let (_, events) = asked(&ann, &photo).await;
    assert_eq!(events.last().unwrap()["type"], "complete");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_waits_for_its_picture_can_be_stopped() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((40, 30), &large("pixels"))).await;
    store.fails_at("GET", Fault::Stall);
    let id = ann.conversation().await;
    let question = json!({"content": "What is it?", "attachments": [photo]});
    let mut stream = ann.ask(&id, question).await;
    store.until_asked("GET", 1).await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let run = stored["messages"][1]["run_id"].as_str().unwrap().to_owned();
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.pop().unwrap().kind(), "cancelled");
    assert!(app.models.records().is_empty());
    app.close().await;
}
