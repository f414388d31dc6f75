//! The library: prompts and rubrics, own and shared, with versions.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};

fn names(list: &Value) -> Vec<&str> {
    list["entries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

async fn put_in(user: &User<'_>, entry: Value) -> Value {
    user.post("/api/library", entry).await.ok()
}

fn path(entry: &Value) -> String {
    format!("/api/library/{}", entry["id"].as_str().unwrap())
}

fn versions(entry: &Value) -> Vec<i64> {
    entry["versions"].as_array().unwrap().iter().map(|version| version["version"].as_i64().unwrap()).collect()
}

fn prompt(name: &str, text: &str) -> Value {
    json!({"kind": "prompt", "name": name, "text": text})
}

fn rubric(name: &str, text: &str) -> Value {
    json!({"kind": "rubric", "name": name, "text": text})
}

#[tokio::test]
async fn an_entry_is_made_found_changed_and_deleted() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = put_in(&ann, prompt("  Weekly\n report ", "What did {{team}} do?")).await;
    assert_eq!((&made["name"], &made["version"]), (&json!("Weekly report"), &json!(1)));
    assert_eq!(
        (&made["shared"], &made["is_mine"], &made["author"]),
        (&json!(false), &json!(true), &json!("ann"))
    );
    put_in(&ann, rubric("Accuracy", "- Right: …")).await;
    put_in(&ann, rubric("weekly judgment", "- Brief: …")).await;

    let all = ann.get("/api/library").await.ok();
    assert_eq!(names(&all), ["Accuracy", "weekly judgment", "Weekly report"]);
    assert_eq!(all["total"], 3);
    assert!(
        all["entries"][0].get("text").is_none() && all["entries"][0]["beginning"] == "- Right: …",
        "{all}"
    );
    assert_eq!(names(&ann.get("/api/library?kind=rubric").await.ok()), ["Accuracy", "weekly judgment"]);
    assert_eq!(names(&ann.get("/api/library?q=WEEK&kind=prompt").await.ok()), ["Weekly report"]);
    assert!(names(&ann.get("/api/library?q=%25").await.ok()).is_empty(), "no pattern, but a part of a name");
    let second = ann.get("/api/library?limit=1&offset=1").await.ok();
    assert_eq!((names(&second), &second["total"]), (vec!["weekly judgment"], &json!(3)));
    assert_eq!(ann.get("/api/library?kind=poem").await.wrong_fields(), ["kind"]);

    let changed = ann.put(&path(&made), json!({"version": 1, "text": "And {{who}}?"})).await.ok();
    assert_eq!((&changed["name"], &changed["version"]), (&json!("Weekly report"), &json!(2)));
    assert_eq!(versions(&changed), [2, 1]);
    let first = ann.get(&format!("{}/versions/1", path(&made))).await.ok();
    assert_eq!(first["text"], "What did {{team}} do?");

    ann.send("DELETE", &path(&made), None).await.ok();
    for gone in [path(&made), format!("{}/versions/1", path(&made))] {
        assert_eq!(ann.get(&gone).await.status, 404);
    }
    assert_eq!(ann.send("DELETE", &path(&made), None).await.status, 404);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM library_versions")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(left, 2, "its versions are gone with it");
    app.close().await;
}

#[tokio::test]
async fn everything_that_is_wrong_with_an_entry_is_said_at_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let wrong = |body: Value| {
        let ann = &ann;
        async move { ann.post("/api/library", body).await.wrong_fields() }
    };
    assert_eq!(wrong(json!({})).await, ["kind", "name", "text"]);
    assert_eq!(wrong(json!({"kind": "poem", "name": " ", "text": "\n"})).await, ["kind", "name", "text"]);
    assert_eq!(
        wrong(json!({"kind": 1, "name": 2, "text": 3, "shared": 4})).await,
        ["kind", "name", "text", "shared"]
    );
    let long = json!({"kind": "rubric", "name": "x".repeat(101), "text": "ä".repeat(8_001)});
    assert_eq!(wrong(long).await, ["name", "text"]);
    assert_eq!(wrong(prompt("a\u{7}", "b\0")).await, ["name", "text"]);
    assert_eq!(wrong(prompt("Long", &"ä".repeat(20_001))).await, ["text"]);
    let longest = put_in(&ann, prompt("Long", &"ä".repeat(20_000))).await;
    put_in(&ann, rubric("Long", &"ä".repeat(8_000))).await;

    assert_eq!(ann.put(&path(&longest), json!({"name": ""})).await.wrong_fields(), ["version", "name"]);
    let restore = format!("{}/restore", path(&longest));
    assert_eq!(ann.post(&restore, json!({})).await.wrong_fields(), ["from", "version"]);
    assert_eq!(ann.post(&restore, json!({"from": 7, "version": 1})).await.wrong_fields(), ["from"]);
    for nowhere in ["/api/library/nonsense", "/api/library/018f0000-0000-7000-8000-000000000000"] {
        assert_eq!(ann.get(nowhere).await.status, 404);
        assert_eq!(ann.put(nowhere, json!({"version": 1})).await.status, 404);
    }
    assert_eq!(ann.get(&format!("{}/versions/two", path(&longest))).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn a_change_over_one_that_was_not_read_is_refused() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = put_in(&ann, rubric("Short", "One.")).await;
    let own = path(&made);
    let texts = ["Two.", "Three.", "Four."];
    let answers = join_all(texts.map(|text| ann.put(&own, json!({"version": 1, "text": text})))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409]);
    let refused = answers.iter().find(|answer| answer.status == 409).unwrap().json();
    assert_eq!(refused["type"], "urn:llm-council:problem:changed-meanwhile");
    assert_eq!(refused["version"], 2);
    let now = ann.get(&path(&made)).await.ok();
    assert_eq!(versions(&now), [2, 1]);

    // What says the same is no new version.
    let same = json!({"version": 2, "text": now["text"], "name": "Short", "shared": false});
    assert_eq!(ann.put(&path(&made), same).await.ok()["version"], 2);
    app.close().await;
}

#[tokio::test]
async fn an_earlier_version_comes_back_as_a_new_one() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = put_in(&ann, rubric("First", "One.")).await;
    ann.put(&path(&made), json!({"version": 1, "name": "Second", "text": "Two.", "shared": true})).await.ok();
    let restore = format!("{}/restore", path(&made));
    assert_eq!(ann.post(&restore, json!({"from": 1, "version": 1})).await.status, 409);
    let back = ann.post(&restore, json!({"from": 1, "version": 2})).await.ok();
    let says = |entry: &Value| ["name", "text", "version", "shared"].map(|field| entry[field].clone());
    assert_eq!(says(&back), [json!("First"), json!("One."), json!(3), json!(true)]);
    assert_eq!(versions(&back), [3, 2, 1]);
    app.close().await;
}

#[tokio::test]
async fn of_a_long_history_the_newest_versions_are_kept() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = put_in(&ann, rubric("Short", "0")).await;
    let sql = format!(
        "INSERT INTO library_versions (entry_id, user_id, version, name, text, is_shared)
         SELECT '{0}', 'ann', n, 'Short', n::text, false FROM generate_series(2, 200) AS n;
         UPDATE library_entries SET version = 200 WHERE id = '{0}'",
        made["id"].as_str().unwrap()
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut app.db.superuser().await).await.unwrap();
    assert_eq!(versions(&ann.get(&path(&made)).await.ok()).len(), 200);
    let changed = ann.put(&path(&made), json!({"version": 200, "text": "new"})).await.ok();
    let kept = versions(&changed);
    assert_eq!((kept.len(), kept[0], kept[199]), (200, 201, 2));
    app.close().await;
}

#[tokio::test]
async fn a_shared_entry_is_read_by_all_and_changed_by_whoever_wrote_it() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let made = put_in(&ann, rubric("Ann's", "Between us.")).await;
    let own = path(&made);
    assert!(names(&bob.get("/api/library").await.ok()).is_empty());
    for (method, path) in
        [("GET", own.clone()), ("DELETE", own.clone()), ("GET", format!("{own}/versions/1"))]
    {
        assert_eq!(bob.send(method, &path, None).await.status, 404, "{method} {path}");
    }

    ann.put(&own, json!({"version": 1, "text": "For all.", "shared": true})).await.ok();
    let seen = bob.get(&own).await.ok();
    assert_eq!(
        (&seen["text"], &seen["is_mine"], &seen["author"]),
        (&json!("For all."), &json!(false), &json!("ann"))
    );
    // What was written before it was shared stays its owner's.
    assert_eq!(versions(&seen), [2]);
    assert_eq!(bob.get(&format!("{own}/versions/1")).await.status, 404);
    assert_eq!(bob.get(&format!("{own}/versions/2")).await.ok()["text"], "For all.");
    assert_eq!(names(&bob.get("/api/library?kind=rubric").await.ok()), ["Ann's"]);

    let change = json!({"version": 2, "text": "Bob's."});
    assert_eq!(bob.put(&own, change.clone()).await.status, 403);
    assert_eq!(
        app.admin().put(&own, change).await.status,
        403,
        "nor do administrators write in others' names"
    );
    assert_eq!(bob.post(&format!("{own}/restore"), json!({"from": 2, "version": 2})).await.status, 403);
    assert_eq!(bob.send("DELETE", &own, None).await.status, 403);

    ann.put(&own, json!({"version": 2, "shared": false})).await.ok();
    assert_eq!(bob.get(&own).await.status, 404);
    assert_eq!(bob.get(&format!("{own}/versions/2")).await.status, 404);
    assert_eq!(
        app.admin().send("DELETE", &own, None).await.status,
        404,
        "what is not shared is no administrator's"
    );
    ann.put(&own, json!({"version": 3, "shared": true})).await.ok();
    app.admin().send("DELETE", &own, None).await.ok();
    assert_eq!(ann.get(&own).await.status, 404);
    let audit = app.admin().get("/api/admin/audit").await.ok();
    let last = &audit["entries"][0];
    assert_eq!((&last["action"], &last["target"]), (&json!("library.delete"), &made["id"]));
    assert_eq!(last["details"], json!({"kind": "rubric", "shared": true}), "no words of it");
    app.close().await;
}

#[tokio::test]
async fn one_person_has_so_many_entries_and_no_more() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.get("/api/user").await.ok();
    let fill = "WITH new AS (
                    INSERT INTO library_entries (id, user_id, kind, version, is_shared)
                    SELECT gen_random_uuid(), 'ann', 'prompt', 1, false FROM generate_series(1, 499) RETURNING id
                )
                INSERT INTO library_versions (entry_id, user_id, version, name, text, is_shared)
                SELECT id, 'ann', 1, 'One of many', 'Text.', false FROM new";
    sqlx::raw_sql(fill).execute(&mut app.db.superuser().await).await.unwrap();
    let answers = join_all((0..3).map(|_| ann.post("/api/library", prompt("The last", "Text.")))).await;
    let made = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(made, 1, "two at once do not both find a place for one");
    let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
    assert_eq!(
        (refused.status, &refused.json()["type"]),
        (409, &json!("urn:llm-council:problem:library-full"))
    );
    put_in(&app.user("bob"), prompt("Bob's", "Text.")).await;
    app.close().await;
}

/// The second wall: a transaction of Bob's that asks without any WHERE finds what is shared, and no more.
#[tokio::test]
async fn a_query_that_forgets_its_condition_finds_nothing_of_others() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    put_in(&ann, prompt("Mine", "Secret.")).await;
    let shared = put_in(&ann, rubric("Ours", "Once secret.")).await;
    ann.put(&path(&shared), json!({"version": 1, "text": "Open.", "shared": true})).await.ok();
    let scope = llm_council::store::Scope::User(llm_council::id::UserId::from_canonical("bob"));
    let mut tx = app.app.db.begin(&scope).await.unwrap();
    let texts: Vec<String> =
        sqlx::query_scalar("SELECT text FROM library_versions").fetch_all(&mut *tx).await.unwrap();
    assert_eq!(texts, ["Open."]);
    let kinds: Vec<String> =
        sqlx::query_scalar("SELECT kind FROM library_entries").fetch_all(&mut *tx).await.unwrap();
    assert_eq!(kinds, ["rubric"]);
    for change in [
        "UPDATE library_entries SET is_shared = false",
        "DELETE FROM library_entries",
        "DELETE FROM library_versions",
    ] {
        let done = sqlx::query(change).execute(&mut *tx).await.unwrap();
        assert_eq!(done.rows_affected(), 0, "{change}");
    }
    drop(tx);
    app.close().await;
}

#[tokio::test]
async fn a_token_that_reads_changes_nothing() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = put_in(&ann, rubric("Mine", "Text.")).await;
    let token = ann.post("/api/tokens", json!({"name": "reads", "permissions": ["read"]})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let reader = app.user("ann").without_identity().with("authorization", &bearer);
    reader.get(&path(&made)).await.ok();
    assert_eq!(reader.post("/api/library", rubric("New", "Text.")).await.status, 403);
    assert_eq!(reader.put(&path(&made), json!({"version": 1, "text": "Other."})).await.status, 403);
    assert_eq!(reader.send("DELETE", &path(&made), None).await.status, 403);
    assert_eq!(reader.post("/api/library/rubrics/draft", json!({"question": "Why?"})).await.status, 403);
    app.close().await;
}
