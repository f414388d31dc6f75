//! However a file ends, its object does, too; and one that never came to be a file's.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use llm_council::id::{ObjectKey, UserId};
use llm_council::store::attachments::{self, Contents, NewAttachment, Saved};
use llm_council::store::objects::{self, Location};
use llm_council::store::{self, Db, Scope};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{an_hour_later, keeping, large, loose, number, sweep};
use crate::attachments::files::{put_into, sentence, taken, upload};
use crate::support::app::User;
use crate::support::object_server::Fault;

async fn project(user: &User<'_>) -> String {
    user.post("/api/projects", json!({"name": "Herons"})).await.ok()["id"].as_str().unwrap().to_owned()
}

async fn delete(user: &User<'_>, path: &str) {
    user.send("DELETE", path, None).await.ok();
}

#[tokio::test]
async fn whatever_deletes_a_file_deletes_its_object() {
    let (app, store) = keeping().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let stays = large("What bob has.");
    taken(&bob, "bobs.txt", &stays).await;

    // By its owner.
    let file = taken(&ann, "one.txt", &large("Deleted by its owner.")).await;
    delete(&ann, &format!("/api/attachments/{file}")).await;
    assert_eq!((loose(&app).await, store.objects().len()), (1, 2));
    assert_eq!((sweep(&app).await, loose(&app).await), (1, 0), "at once, and not in an hour");
    assert_eq!(store.contents(), std::slice::from_ref(&stays));

    // With the conversation whose question came with it.
    let file = taken(&ann, "two.txt", &large("Purged with its conversation.")).await;
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "attachments": [file]});
    ann.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    delete(&ann, &format!("/api/conversations/{id}")).await;
    assert_eq!(sweep(&app).await, 0, "it can still be brought back");
    delete(&ann, &format!("/api/conversations/{id}?purge=true")).await;
    assert_eq!(sweep(&app).await, 1);

    // Since no question came with it.
    taken(&ann, "three.txt", &large("Used by nobody.")).await;
    let aged = "UPDATE attachments SET uploaded_at = now() - interval '25 hours' WHERE user_id = 'ann'";
    sqlx::query(aged).execute(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(store::remove_unused_files(app.db.db()).await.unwrap(), 1);
    assert_eq!(sweep(&app).await, 1);

    // Out of a project, and with it, which the database does by itself.
    let herons = project(&ann).await;
    let of_project = large("Of the project.");
    let file = put_into(&ann, &herons, "four.txt", &of_project).await.ok()["id"].clone();
    put_into(&ann, &herons, "five.txt", &large("Of the project as well.")).await.ok();
    assert_eq!(store.objects().len(), 3);
    delete(&ann, &format!("/api/projects/{herons}/files/{}", file.as_str().unwrap())).await;
    assert_eq!(sweep(&app).await, 1);
    delete(&ann, &format!("/api/projects/{herons}")).await;
    assert_eq!(sweep(&app).await, 1);
    assert_eq!(store.contents(), [stays], "what is bob's is bob's");
    assert_eq!(loose(&app).await, 0);
    store.all_were_signed();
    app.close().await;
}

#[tokio::test]
async fn an_erasure_leaves_nothing_in_the_store() {
    let (app, store) = keeping().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    taken(&bob, "bobs.txt", &large("What both have.")).await;
    taken(&ann, "anns.txt", &large("What both have.")).await;
    taken(&ann, "more.txt", &large("What ann has.")).await;
    put_into(&ann, &project(&ann).await, "of a project.txt", &large("Of a project of ann's alone."))
        .await
        .ok();
    assert_eq!(store.objects().len(), 4);
    let answer = ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await;
    assert_eq!(answer.ok()["erased"], true);
    assert_eq!(store.contents(), [large("What both have.")], "it waits for no sweep");
    assert_eq!(loose(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn an_erasure_is_not_held_up_by_a_store_that_is_away() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    taken(&ann, "anns.txt", &large("What ann has.")).await;
    store.fails_at("DELETE", Fault::Stall);
    let answer = ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await;
    assert_eq!(answer.ok()["erased"], true);
    assert_eq!(number(&app, "SELECT count(*) FROM attachments").await, 0);
    assert_eq!((store.objects().len(), loose(&app).await), (1, 1), "nothing leads there but this note");
    store.heals();
    assert_eq!(sweep(&app).await, 0, "somebody may be about to remove it");
    an_hour_later(&app).await;
    assert_eq!(sweep(&app).await, 1);
    assert_eq!((store.objects().len(), loose(&app).await), (0, 0));
    app.close().await;
}

#[tokio::test]
async fn what_was_put_and_never_became_a_file_goes_after_an_hour() {
    let (app, store) = keeping().await;
    let ann = app.user("ann");
    let bytes = large("Put, and the answer was lost.");
    store.fails_at("PUT", Fault::Cut);
    sentence(&upload(&ann, "a.txt", &bytes).await, 503);
    assert_eq!(store.count("PUT"), 1 + 2, "under one key");
    assert_eq!((store.objects().len(), loose(&app).await), (1, 1));
    assert_eq!(ann.get("/api/attachments").await.ok()["total"], 0);
    assert_eq!(sweep(&app).await, 0, "its upload may be under way");

    // The same again is another object: the old one may be removed at any moment.
    store.heals();
    let file = taken(&ann, "a.txt", &bytes).await;
    assert_eq!(store.objects().len(), 2);
    an_hour_later(&app).await;
    assert_eq!(sweep(&app).await, 1);
    assert_eq!(store.contents(), std::slice::from_ref(&bytes));
    assert_eq!(ann.get(&format!("/api/attachments/{file}/content")).await.text.into_bytes(), bytes);
    app.close().await;
}

/// Puts an object that no file points to.
async fn put(db: &Db, objects: &llm_council::objects::Objects, bytes: &[u8]) -> ObjectKey {
    let tx = db.begin(&Scope::User(UserId::from_canonical("ann"))).await.unwrap();
    let hash = hex::encode(Sha256::digest(bytes));
    objects.put(tx, &hash, &Bytes::copy_from_slice(bytes)).await.unwrap()
}

/// Makes a file point to an object, as an upload does in the end.
async fn point(db: &Db, key: ObjectKey, bytes: &[u8]) -> Saved {
    let hash = hex::encode(Sha256::digest(bytes));
    let new = NewAttachment {
        id: &hash,
        filename: "late.txt",
        file_type: "text",
        mime_type: "text/plain",
        location: Location::InObject { key, size: bytes.len() as u64 },
        contents: Contents::Text { text: "late", is_cut: false },
    };
    let mut tx = db.begin(&Scope::User(UserId::from_canonical("ann"))).await.unwrap();
    let saved = attachments::save(&mut tx, &new, 1 << 20).await.unwrap();
    if matches!(saved, Saved::Kept(_)) {
        tx.commit().await.unwrap();
    }
    saved
}

#[tokio::test]
async fn no_file_comes_to_point_to_what_is_being_removed_and_nothing_is_removed_that_one_points_to() {
    let (app, store) = keeping().await;
    let (db, bytes) = (app.db.db(), large("A server stood still."));
    let late = put(db, &app.app.objects, &bytes).await;
    an_hour_later(&app).await;
    assert_eq!(objects::claim(db, 10).await.unwrap(), [late]);
    assert_eq!(point(db, late, &bytes).await, Saved::TooLate);
    assert_eq!(number(&app, "SELECT count(*) FROM attachments").await, 0);
    // Whoever claimed it has died: another one does it.
    assert_eq!(sweep(&app).await, 0);
    an_hour_later(&app).await;
    assert_eq!(sweep(&app).await, 1);

    // Late, and not too late: nobody has begun.
    let key = put(db, &app.app.objects, &bytes).await;
    an_hour_later(&app).await;
    assert!(matches!(point(db, key, &bytes).await, Saved::Kept(_)));
    assert_eq!((sweep(&app).await, loose(&app).await), (0, 0));

    // Should it ever stand in the list all the same, as after a repair by hand.
    let sql = "INSERT INTO loose_objects (key, due_at) SELECT object_key, now() FROM attachments";
    sqlx::query(sql).execute(&mut app.db.superuser().await).await.unwrap();
    assert_eq!((sweep(&app).await, loose(&app).await), (0, 0));
    assert_eq!(store.contents(), [bytes]);
    app.close().await;
}

#[tokio::test]
async fn an_object_that_a_file_is_about_to_point_to_is_left_alone() {
    let (app, store) = keeping().await;
    let (db, bytes) = (app.db.db(), large("At the last moment."));
    let key = put(db, &app.app.objects, &bytes).await;
    an_hour_later(&app).await;
    let mut tx = db.begin(&Scope::User(UserId::from_canonical("ann"))).await.unwrap();
    let placed: bool =
        sqlx::query_scalar("SELECT place_object($1)").bind(key.0).fetch_one(&mut *tx).await.unwrap();
    assert!(placed);
    assert_eq!(sweep(&app).await, 0, "nobody waits for it, either");
    drop(tx);
    // What was dropped is rolled back a moment later.
    let swept = async {
        while sweep(&app).await == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), swept).await.expect("it came to nothing");
    assert_eq!(store.objects().len(), 0);
    app.close().await;
}

#[tokio::test]
async fn two_servers_remove_each_once() {
    let (app, store) = keeping().await;
    let other = store.objects_of_another_server();
    for number in 0..150 {
        put(app.db.db(), &other, format!("Object {number}").as_bytes()).await;
    }
    an_hour_later(&app).await;
    let (db, one) = (app.db.db(), &app.app.objects);
    let (first, second) = tokio::join!(one.remove_loose(db), other.remove_loose(db));
    assert_eq!(first.unwrap() + second.unwrap(), 150);
    assert_eq!((store.count("DELETE"), store.objects().len(), loose(&app).await), (150, 0, 0));
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_removed_is_tried_again_and_holds_up_nothing_else() {
    let (app, store) = keeping().await;
    let (db, objects) = (app.db.db(), &app.app.objects);
    let mut keys = BTreeSet::new();
    for number in 0..5 {
        keys.insert(put(db, objects, format!("Object {number}").as_bytes()).await);
    }
    an_hour_later(&app).await;
    // Away: one is tried, three times, and those beside it.
    store.fails_at("DELETE", Fault::Status(503, "SlowDown"));
    let error = objects.remove_loose(db).await.unwrap_err().to_string();
    assert_eq!(error, "the object store cannot be used: DELETE was answered with 503 (SlowDown)");
    assert_eq!((store.objects().len(), loose(&app).await), (5, 5));
    // One that nobody may remove.
    let locked = keys.first().unwrap().to_string();
    store.fails(move |asked| {
        (asked.method == "DELETE" && asked.key == locked).then_some(Fault::Status(403, "AccessDenied"))
    });
    let error = objects.remove_loose(db).await.unwrap_err().to_string();
    assert_eq!(error, "the object store refuses: DELETE was answered with 403 (AccessDenied)");
    assert_eq!((store.objects().len(), loose(&app).await), (1, 1));
    // What is gone already is removed; a bucket that is gone is no such thing.
    store.fails_at("DELETE", Fault::Status(404, "NoSuchBucket"));
    assert!(objects.remove_loose(db).await.is_err());
    store.fails_at("DELETE", Fault::Status(404, "NoSuchKey"));
    assert_eq!(objects.remove_loose(db).await.unwrap(), 1);
    assert_eq!(loose(&app).await, 0);
    app.close().await;
}
