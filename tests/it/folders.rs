//! Folders of one's own list.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::app::{TestApp, User};

async fn make(user: &User<'_>, name: &str) -> String {
    user.post("/api/folders", json!({"name": name})).await.ok()["id"].as_str().unwrap().to_owned()
}

async fn put(user: &User<'_>, conversation: &str, folder: Value) -> Value {
    let path = format!("/api/conversations/{conversation}");
    user.send("PATCH", &path, Some(&json!({"folder_id": folder}))).await.ok()
}

async fn listed(user: &User<'_>, query: &str) -> Vec<String> {
    let list = user.get(&format!("/api/conversations{query}")).await.ok();
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// Names and how many are in each.
async fn folders(user: &User<'_>) -> Vec<(String, i64)> {
    let list = user.get("/api/folders").await.ok();
    let one =
        |one: &Value| (one["name"].as_str().unwrap().to_owned(), one["conversation_count"].as_i64().unwrap());
    list["folders"].as_array().unwrap().iter().map(one).collect()
}

fn named(all: &[(&str, i64)]) -> Vec<(String, i64)> {
    all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[tokio::test]
async fn a_conversation_is_in_one_folder_or_in_none() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let (rivers, birds) = (make(&ann, "rivers").await, make(&ann, "Birds").await);
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(ann.conversation().await);
    }
    let path = |id: &str| format!("/api/conversations/{id}");
    let read = ann.get(&path(&ids[0])).await.ok();
    assert!(read.get("folder_id").is_none(), "{read}");
    let before = read["updated_at"].clone();
    let moved = put(&ann, &ids[0], json!(birds)).await;
    assert_eq!((&moved["folder_id"], &moved["updated_at"]), (&json!(birds), &before), "it was not talked in");
    assert_eq!(ann.get(&path(&ids[0])).await.ok()["folder_id"], json!(birds));
    for id in &ids[1..3] {
        put(&ann, id, json!(birds)).await;
    }
    put(&ann, &ids[2], json!(rivers)).await;
    assert_eq!(folders(&ann).await, named(&[("Birds", 2), ("rivers", 1)]), "by name, whatever its case");
    let of_birds = format!("?folder_id={birds}");
    assert_eq!(listed(&ann, &of_birds).await, [ids[1].as_str(), &ids[0]]);
    assert_eq!(listed(&ann, "?folder_id=none").await, [ids[3].as_str()]);
    assert_eq!(listed(&ann, "").await.len(), 4, "the list is what it was");
    let page = ann.get(&format!("/api/conversations{of_birds}&limit=1")).await;
    assert_eq!(page.header("x-total-count"), "2");
    assert!(page.header("link").contains(&format!("folder_id={birds}")), "{}", page.header("link"));
    assert_eq!(ann.get("/api/conversations?folder_id=Birds").await.wrong_fields(), ["folder_id"]);

    // Put aside and deleted it keeps its folder, and is there again.
    ann.send("PATCH", &path(&ids[0]), Some(&json!({"archived": true}))).await.ok();
    ann.send("DELETE", &path(&ids[1]), None).await.ok();
    assert_eq!(folders(&ann).await, named(&[("Birds", 0), ("rivers", 1)]));
    assert_eq!(listed(&ann, &format!("{of_birds}&archived=true")).await, [ids[0].as_str()]);
    ann.send("PATCH", &path(&ids[0]), Some(&json!({"archived": false}))).await.ok();
    let back = ann.post(&format!("{}/restore", path(&ids[1])), json!({})).await.ok();
    assert_eq!(back["conversation"]["folder_id"], json!(birds));
    assert_eq!(folders(&ann).await, named(&[("Birds", 2), ("rivers", 1)]));

    let out = put(&ann, &ids[0], Value::Null).await;
    assert!(out.get("folder_id").is_none(), "{out}");
    let gone = ann.send("DELETE", &format!("/api/folders/{birds}"), None).await.ok();
    assert_eq!(gone, json!({"status": "ok", "id": birds}));
    assert_eq!(listed(&ann, "?folder_id=none").await, [ids[3].as_str(), &ids[1], &ids[0]]);
    assert_eq!(folders(&ann).await, named(&[("rivers", 1)]));
    assert_eq!(listed(&ann, &of_birds).await, [""; 0]);
    let log = app.admin().get(&format!("/api/admin/audit?target={birds}")).await.ok();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["action"]), (1, &json!("folder.delete")), "{log}");
    app.close().await;
}

#[tokio::test]
async fn pins_and_projects_have_nothing_to_do_with_it() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let birds = make(&ann, "Birds").await;
    let project = ann.post("/api/projects", json!({"name": "Herons"})).await.ok()["id"].clone();
    let member = json!({"kind": "user", "name": "bob", "role": "writer"});
    let of_project = format!("/api/projects/{}", project.as_str().unwrap());
    ann.put(&format!("{of_project}/members"), member).await.ok();
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}");
    let all = json!({"folder_id": birds, "project_id": project, "pinned": true});
    let moved = ann.send("PATCH", &path, Some(&all)).await.ok();
    for (name, value) in all.as_object().unwrap() {
        assert_eq!(&moved[name], value, "{name}");
    }
    assert_eq!(listed(&ann, &format!("?folder_id={birds}&pinned=true")).await, [id.as_str()]);
    // Where it stands in its author's list is nobody else's business.
    for of in ["/conversations".to_owned(), format!("/conversations/{id}")] {
        let seen = bob.get(&format!("{of_project}{of}")).await;
        assert_eq!(seen.status, 200, "{}", seen.text);
        assert!(!seen.text.contains(&birds) && !seen.text.contains("folder"), "{}", seen.text);
    }
    let out = ann.send("PATCH", &path, Some(&json!({"project_id": null}))).await.ok();
    assert_eq!((&out["folder_id"], out.get("project_id")), (&json!(birds), None));

    // Nothing is half done.
    let refused = json!({"title": "Other", "folder_id": uuid::Uuid::now_v7()});
    let answer = ann.send("PATCH", &path, Some(&refused)).await;
    assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["folder_id".to_owned()]));
    assert_eq!(ann.get(&path).await.ok()["title_is_default"], true);
    app.close().await;
}

#[tokio::test]
async fn a_folder_is_one_persons_alone() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let birds = make(&ann, "Birds").await;
    make(&bob, "birds").await;
    let (hers, his) = (ann.conversation().await, bob.conversation().await);
    put(&ann, &hers, json!(birds)).await;
    let answer =
        bob.send("PATCH", &format!("/api/conversations/{his}"), Some(&json!({"folder_id": birds}))).await;
    assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["folder_id".to_owned()]));
    let answer =
        bob.send("PATCH", &format!("/api/conversations/{hers}"), Some(&json!({"folder_id": null}))).await;
    assert_eq!(answer.status, 404);
    assert_eq!(listed(&bob, &format!("?folder_id={birds}")).await, [""; 0]);
    for (method, body) in [("PATCH", Some(json!({"name": "Bob's"}))), ("DELETE", None)] {
        let answer = bob.send(method, &format!("/api/folders/{birds}"), body.as_ref()).await;
        assert_eq!(answer.status, 404, "{method}");
    }
    assert_eq!(folders(&ann).await, named(&[("Birds", 1)]));

    // The database lets nobody into another's folder either, whatever a statement says.
    let sql = format!("UPDATE conversations SET folder_id = '{birds}' WHERE id = '{his}'");
    let error = sqlx::query(AssertSqlSafe(sql)).execute(&mut app.db.superuser().await).await.unwrap_err();
    assert!(error.to_string().contains("conversations_folder"), "{error}");
    app.close().await;
}

#[tokio::test]
async fn a_name_is_refused_where_it_is_none_or_taken() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let birds = make(&ann, "  Vögel \n am   See ").await;
    assert_eq!(folders(&ann).await, named(&[("Vögel am See", 0)]));
    let long = "ü".repeat(61);
    for name in [json!(""), json!("  "), json!(long), json!("a\u{7}b"), json!(1), Value::Null] {
        let answer = ann.post("/api/folders", json!({"name": name})).await;
        assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["name".to_owned()]), "{name}");
        let path = format!("/api/folders/{birds}");
        let answer = ann.send("PATCH", &path, Some(&json!({"name": name}))).await;
        assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["name".to_owned()]), "{name}");
    }
    let other = make(&ann, &"ü".repeat(60)).await;
    let taken = ann.post("/api/folders", json!({"name": "VÖGEL AM SEE"})).await;
    assert_eq!((taken.status, taken.wrong_fields()), (422, vec!["name".to_owned()]));
    let path = format!("/api/folders/{other}");
    let taken = ann.send("PATCH", &path, Some(&json!({"name": "vögel am see"}))).await;
    assert_eq!((taken.status, taken.wrong_fields()), (422, vec!["name".to_owned()]));
    let own =
        ann.send("PATCH", &format!("/api/folders/{birds}"), Some(&json!({"name": "VÖGEL am See"}))).await;
    assert_eq!(own.ok()["name"], "VÖGEL am See", "its own name in another case");
    assert_eq!(ann.send("PATCH", &path, Some(&json!({"name": "Rivers"}))).await.ok()["name"], "Rivers");
    app.close().await;
}

#[tokio::test]
async fn there_are_two_hundred_at_most() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let many = "INSERT INTO folders (id, user_id, name, name_key)
                SELECT gen_random_uuid(), 'ann', 'f' || n, 'f' || n FROM generate_series(1, 199) n";
    sqlx::raw_sql(many).execute(&mut app.db.superuser().await).await.unwrap();
    let last = make(&ann, "The last").await;
    let answer = ann.post("/api/folders", json!({"name": "One more"})).await;
    assert_eq!(
        (answer.status, &answer.json()["type"]),
        (409, &json!("urn:llm-council:problem:too-many-folders"))
    );
    ann.send("DELETE", &format!("/api/folders/{last}"), None).await.ok();
    make(&ann, "One more").await;
    make(&app.user("bob"), "The first").await;
    app.close().await;
}
