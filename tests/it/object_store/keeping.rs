//! What is kept in the store, and that it comes out of it as it went in.

use std::io::{Cursor, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{FROM, keeping, large, loose, number};
use crate::attachments::files::{put_into, taken, upload};
use crate::attachments::pictures::png;

#[tokio::test]
async fn a_large_file_is_in_the_store_and_a_small_one_in_the_database() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let (long, short) = (large("A heron waits."), vec![b'a'; FROM - 1]);
    let at_the_limit = vec![b'b'; FROM];
    let in_store = taken(&ann, "Über heron.txt", &long).await;
    let here = taken(&ann, "short.txt", &short).await;
    taken(&ann, "limit.txt", &at_the_limit).await;

    let mut contents = store.contents();
    contents.sort();
    assert_eq!(contents, [long.clone(), at_the_limit]);
    for key in store.objects().keys() {
        key.parse::<llm_council::id::ObjectKey>().expect("nothing but a random id, of nobody and nothing");
    }
    assert_eq!(number(&app, "SELECT count(*) FROM attachments WHERE content IS NULL").await, 2);
    let kept = "SELECT count(*) FROM attachments WHERE content IS NOT NULL AND object_key IS NULL";
    assert_eq!(number(&app, kept).await, 1);
    assert_eq!(loose(&app).await, 0, "a file points to each");
    for (id, bytes, name) in [(&in_store, &long, "Über heron.txt"), (&here, &short, "short.txt")] {
        let known = ann.get(&format!("/api/attachments/{id}")).await.ok();
        assert_eq!((&known["size"], &known["filename"]), (&json!(bytes.len()), &json!(name)));
        let answer = ann.request("GET", &format!("/api/attachments/{id}/content")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers()["content-security-policy"], "sandbox; default-src 'none'");
        assert_eq!(answer.bytes().await.unwrap(), bytes, "byte for byte");
    }
    assert_eq!(app.user("bob").get(&format!("/api/attachments/{in_store}/content")).await.status, 404);
    store.all_were_signed();
    app.close().await;
}

#[tokio::test]
async fn the_same_file_is_there_once_for_each_who_has_it() {
    let (app, store) = keeping().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let bytes = large("Twice the same.");
    let id = taken(&ann, "one.txt", &bytes).await;
    assert_eq!(taken(&ann, "two.txt", &bytes).await, id);
    assert_eq!((store.count("PUT"), store.objects().len()), (1, 1));
    assert_eq!(taken(&bob, "three.txt", &bytes).await, id, "the id says what it is, and not whose");
    assert_eq!(store.contents(), [bytes.clone(), bytes.clone()], "each has an object of their own");

    // At once, both may be put; one of them is of no use, and goes.
    let again = large("At the same time.");
    let (one, other) = tokio::join!(upload(&ann, "a.txt", &again), upload(&ann, "b.txt", &again));
    assert_eq!(one.ok()["id"], other.ok()["id"]);
    super::an_hour_later(&app).await;
    super::sweep(&app).await;
    assert_eq!((store.objects().len(), loose(&app).await), (3, 0));
    app.close().await;
}

#[tokio::test]
async fn a_question_reads_it_and_a_model_that_sees_is_shown_its_picture() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let photo = png((40, 30), &large("pixels"));
    let text = large("It was in Lisbon.");
    let files = json!([taken(&ann, "photo.png", &photo).await, taken(&ann, "notes.txt", &text).await]);
    let id = ann.conversation().await;
    let question = json!({"content": "Where is this?", "attachments": files});
    let run = ann.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    assert_eq!(run["status"], "complete", "{run}");
    assert_eq!(store.count("GET"), 1, "the picture, once for all calls; the text is in the database");
    let shown = format!("data:image/png;base64,{}", STANDARD.encode(&photo));
    let mut seen = 0;
    for record in app.models.records() {
        let body = record.request.body.to_string();
        let sees = ["m/one", "m/chair"].contains(&record.request.model.as_str());
        assert_eq!(body.contains(&shown), sees, "{}", record.request.model);
        seen += usize::from(sees);
    }
    assert!(seen >= 3, "an answer, a review and the chairman's, not {seen}");
    app.close().await;
}

#[tokio::test]
async fn a_project_keeps_its_files_there_too() {
    let (app, store) = keeping().await;
    let (ann, vera) = (app.user("ann"), app.user("vera"));
    let made = ann.post("/api/projects", json!({"name": "Herons"})).await.ok();
    let project = made["id"].as_str().unwrap();
    let member = json!({"kind": "user", "name": "vera", "role": "viewer"});
    ann.put(&format!("/api/projects/{project}/members"), member).await.ok();
    let bytes = large("The wombat weighs 26 kilograms.");
    let file = put_into(&ann, project, "facts.txt", &bytes).await.ok()["id"].as_str().unwrap().to_owned();
    put_into(&ann, project, "facts again.txt", &bytes).await.ok();
    assert_eq!(store.contents(), std::slice::from_ref(&bytes));
    assert_eq!(number(&app, "SELECT count(*) FROM project_files WHERE content IS NULL").await, 1);
    assert_eq!(loose(&app).await, 0);
    let path = format!("/api/projects/{project}/files/{file}/content");
    let answer = vera.request("GET", &path).send().await.unwrap();
    assert_eq!(answer.bytes().await.unwrap(), bytes);
    let reads = store.count("GET");
    assert_eq!(app.user("bob").get(&path).await.status, 404);
    assert_eq!(store.count("GET"), reads, "who may not read it has nothing read");

    let made = ann.post("/api/conversations", json!({"project_id": project})).await.ok();
    let id = made["id"].as_str().unwrap();
    ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "How heavy?"})).await.ok();
    assert!(app.models.records().iter().any(|record| record.request.prompt().contains("26 kilograms")));
    app.close().await;
}

#[tokio::test]
async fn a_copy_of_ones_data_has_it() {
    let (app, _store) = keeping().await;
    let ann = app.user("ann");
    let (long, short) = (large("What ann has."), b"and a short one".to_vec());
    let ids = [taken(&ann, "long.txt", &long).await, taken(&ann, "short.txt", &short).await];
    taken(&app.user("bob"), "bobs.txt", &large("What bob has.")).await;
    let bytes = ann.request("GET", "/api/me/export").send().await.unwrap().bytes().await.unwrap();
    let mut copy = zip::ZipArchive::new(Cursor::new(bytes.to_vec())).unwrap();
    for (id, name, bytes) in [(&ids[0], "long.txt", &long), (&ids[1], "short.txt", &short)] {
        let start: String = id.chars().take(12).collect();
        let mut read = Vec::new();
        copy.by_name(&format!("attachments/{start}-{name}")).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(read, *bytes);
    }
    let mut list = String::new();
    copy.by_name("attachments.json").unwrap().read_to_string(&mut list).unwrap();
    assert!(!list.contains("object_key"), "{list}");
    let files = copy.file_names().filter(|name| name.as_ref().unwrap().starts_with("attachments/")).count();
    assert_eq!(files, 2, "and nothing of anybody else's");
    app.close().await;
}
