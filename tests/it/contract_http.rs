//! What clients of other llm-council servers rely on beside the stream: status codes, lists,
//! errors, and being let in from another origin.

use serde_json::json;

use crate::support::app::{Answer, TestApp, User};

async fn titled(user: &User<'_>, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(user.conversation().await);
    }
    ids
}

#[tokio::test]
async fn a_new_conversation_has_the_fields_and_the_status_of_fastapi_servers() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = ann.post("/api/conversations", json!({"council_models": ["x/y"], "mode": "chat"})).await.ok();
    assert_eq!((&made["title"], &made["title_is_default"]), (&json!("New Conversation"), &json!(true)));
    assert_eq!(made["messages"], json!([]));
    let id: uuid::Uuid = made["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(id.get_version_num(), 4);
    let created = made["created_at"].as_str().unwrap();
    assert!(created.parse::<jiff::civil::DateTime>().is_ok() && created.len() == 26, "{created}");
    let row = &ann.get("/api/conversations").await.ok()[0];
    for field in ["id", "created_at", "title"] {
        assert_eq!(row[field], made[field], "{field}");
    }
    assert_eq!(row["message_count"], 0);
    let renamed = json!({"title": "New Conversation"});
    ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&renamed)).await.ok();
    let hits = ann.get("/api/search?q=new").await.ok();
    assert_eq!(
        (&hits[0]["title"], &hits[0]["title_is_default"]),
        (&json!("New Conversation"), &json!(false))
    );
    // A body is required, as there.
    assert_eq!(ann.send("POST", "/api/conversations", None).await.status, 422);
    app.close().await;
}

#[tokio::test]
async fn the_list_is_a_plain_array_newest_first_paged_by_its_headers() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let mut newest_first = titled(&ann, 5).await;
    newest_first.reverse();
    let whole = ann.get("/api/conversations").await;
    assert_eq!((whole.header("x-total-count"), whole.header("link")), ("5", ""));
    let rows = whole.ok().as_array().unwrap().clone();
    let column =
        |name: &str| rows.iter().map(|row| row[name].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(column("id"), newest_first);
    let mut by_text = column("created_at");
    by_text.sort_by(|a, b| b.cmp(a));
    assert_eq!(column("created_at"), by_text, "clients sort them as text");
    assert_eq!(follow(&ann, "/api/conversations?limit=2").await, newest_first);
    app.close().await;
}

#[tokio::test]
async fn the_hits_of_a_search_are_paged_as_the_list_is() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let mut newest_first = titled(&ann, 5).await;
    newest_first.reverse();
    for id in &newest_first {
        let title = json!({"title": "Tea & sea"});
        ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&title)).await.ok();
    }
    let other = app.user("bob").get("/api/search?q=sea").await;
    assert_eq!((other.ok(), other.header("x-total-count"), other.header("link")), (json!([]), "0", ""));
    let whole = ann.get("/api/search?q=tea+%26+sea").await;
    assert_eq!((whole.header("x-total-count"), whole.header("link")), ("5", ""));
    let hits = whole.ok();
    let ids = hits.as_array().unwrap().iter().map(|hit| hit["conversation_id"].as_str().unwrap());
    assert_eq!(ids.collect::<Vec<_>>(), newest_first, "a plain array, as ever");
    assert_eq!(follow(&ann, "/api/search?limit=2&q=tea+%26+sea").await, newest_first);
    ann.send("DELETE", &format!("/api/conversations/{}", newest_first[0]), None).await.ok();
    let page = ann.get("/api/search?q=sea&limit=3&offset=3").await;
    assert_eq!(page.ok()[0]["conversation_id"], json!(newest_first[4]));
    assert_eq!((page.header("x-total-count"), page.header("link")), ("4", ""), "not what was deleted");
    app.close().await;
}

#[tokio::test]
async fn the_next_page_of_a_filtered_list_is_filtered_too() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let ids = titled(&ann, 6).await;
    let mut wanted = Vec::new();
    for id in ids.iter().rev().step_by(2) {
        ann.put(&format!("/api/conversations/{id}/tags"), json!({"tags": ["r&d 50%", "plain"]})).await.ok();
        wanted.push(id.clone());
    }
    for tag in ["plain", "r%26d%2050%25"] {
        assert_eq!(follow(&ann, &format!("/api/conversations?limit=2&tag={tag}")).await, wanted, "{tag}");
    }
    for id in &wanted {
        let path = format!("/api/conversations/{id}");
        ann.send("PATCH", &path, Some(&json!({"archived": true}))).await.ok();
    }
    assert_eq!(follow(&ann, "/api/conversations?limit=2&archived=true").await, wanted);
    ann.send("PATCH", &format!("/api/conversations/{}", wanted[0]), Some(&json!({"archived": false})))
        .await
        .ok();
    for id in &wanted {
        ann.send("DELETE", &format!("/api/conversations/{id}"), None).await.ok();
    }
    let deleted = "/api/conversations?limit=2&deleted=true";
    assert_eq!(follow(&ann, deleted).await, wanted, "also what was put aside before");
    assert_eq!(follow(&ann, &format!("{deleted}&archived=true")).await, wanted[1..]);
    assert_eq!(follow(&ann, &format!("{deleted}&archived=false")).await, wanted[..1]);
    app.close().await;
}

/// The ids on all pages, by the links from page to page.
async fn follow(user: &User<'_>, first: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut path = first.to_owned();
    for _ in 0..10 {
        let page = user.get(&path).await;
        for row in page.ok().as_array().unwrap() {
            let id = row.get("id").unwrap_or(&row["conversation_id"]);
            ids.push(id.as_str().unwrap().to_owned());
        }
        let link = page.header("link");
        if link.is_empty() {
            return ids;
        }
        let target = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        path = target.unwrap_or_else(|| panic!("{link}")).to_owned();
    }
    panic!("the links lead in a circle: {path}");
}

/// `detail` as the sentence that such clients show.
#[track_caller]
fn sentence(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert!(answer.header("content-type").contains("json"), "{}", answer.header("content-type"));
    answer.json()["detail"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}

#[tokio::test]
async fn every_refusal_has_its_detail() {
    let app = TestApp::with("\n[server]\nbody_limit_bytes = 2048\n").await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let message = format!("/api/conversations/{id}/message");
    let nobody = uuid::Uuid::new_v4();

    let missing = ann.get(&format!("/api/conversations/{nobody}")).await;
    assert_eq!(sentence(&missing, 404), "Conversation not found");
    let missing = ann.post(&format!("/api/conversations/{nobody}/message"), json!({"content": "Why?"})).await;
    assert_eq!(sentence(&missing, 404), "Conversation not found");
    sentence(&ann.get("/api/no/such/page").await, 404);
    sentence(&app.stranger().get("/api/conversations").await, 401);
    sentence(&ann.get("/api/admin/usage").await, 403);
    sentence(&ann.post(&message, json!({"content": "x".repeat(3000)})).await, 413);

    // Validation errors are a list, as FastAPI gives them.
    let refused = ann.post(&message, json!({"content": 7, "models": ["m/one", 5]})).await;
    assert_eq!(refused.wrong_fields(), ["content", "models.1", "models"]);
    let details = refused.json()["detail"].as_array().unwrap().clone();
    let places: Vec<_> = details.iter().map(|one| one["loc"].clone()).collect();
    assert_eq!(places, [json!(["body", "content"]), json!(["body", "models", 1]), json!(["body", "models"])]);
    assert!(details.iter().all(|one| one["type"].is_string() && one["msg"].is_string()), "{details:?}");

    app.app.runs.close();
    let closing = ann.post(&message, json!({"content": "Why?"})).await;
    sentence(&closing, 503);
    assert!(closing.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0));
    app.close().await;
}

const PAGE: &str = "http://localhost:5173";

/// What a browser asks before it lets a page of another origin send JSON.
async fn preflight(app: &TestApp, origin: &str, method: &str, path: &str) -> Answer {
    let browser = app.user("").without_identity();
    let browser = browser.with("origin", origin).with("access-control-request-method", method);
    let asks = "content-type, idempotency-key, last-event-id";
    browser.with("access-control-request-headers", asks).send("OPTIONS", path, None).await
}

async fn lets_the_page_in(app: &TestApp) {
    for (method, path) in [
        ("POST", "/api/conversations"),
        ("POST", "/api/conversations/x/message/stream"),
        ("PATCH", "/api/conversations/x"),
        ("PUT", "/api/config"),
        ("DELETE", "/api/conversations/x"),
    ] {
        let answer = preflight(app, PAGE, method, path).await;
        assert!(matches!(answer.status, 200 | 204), "{method} {path}: {}", answer.status);
        assert_eq!(answer.header("access-control-allow-origin"), PAGE, "by name, since cookies go along");
        assert_eq!(answer.header("access-control-allow-credentials"), "true");
        assert!(answer.header("access-control-allow-methods").contains(method), "{method}");
        let headers = answer.header("access-control-allow-headers").to_lowercase();
        for header in ["content-type", "idempotency-key", "last-event-id"] {
            assert!(headers.contains(header), "{header} is not in {headers}");
        }
    }
    let ann = app.user("ann").with("origin", PAGE).with("sec-fetch-site", "cross-site");
    ann.conversation().await;
    let nobody = uuid::Uuid::new_v4();
    for path in ["/api/conversations".to_owned(), format!("/api/conversations/{nobody}")] {
        let answer = ann.get(&path).await;
        assert_eq!(answer.header("access-control-allow-origin"), PAGE, "also on an error: {path}");
        assert_eq!(answer.header("access-control-allow-credentials"), "true");
        let exposed = answer.header("access-control-expose-headers").to_lowercase();
        for header in ["x-total-count", "link", "x-run-id", "x-should-retry", "retry-after", "location"] {
            assert!(exposed.contains(header), "{header} is not in {exposed}");
        }
        assert!(answer.header("vary").to_lowercase().contains("origin"), "{}", answer.header("vary"));
    }
}

/// A page of another origin learns nothing and changes nothing.
async fn shuts_the_page_out(app: &TestApp, origin: &str) {
    let answer = preflight(app, origin, "POST", "/api/conversations").await;
    assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
    let page = app.user("ann").with("origin", origin).with("sec-fetch-site", "cross-site");
    let read = page.get("/api/conversations").await;
    assert_eq!(read.header("access-control-allow-origin"), "", "{origin}");
    let before = app.user("ann").get("/api/conversations").await.header("x-total-count").to_owned();
    let change = page.post("/api/conversations", json!({})).await;
    sentence(&change, 403);
    assert_eq!(change.header("access-control-allow-origin"), "", "{origin}");
    let after = app.user("ann").get("/api/conversations").await;
    assert_eq!(after.header("x-total-count"), before);
}

#[tokio::test]
async fn pages_of_configured_origins_are_let_in_and_no_others() {
    let app = TestApp::with(&format!("\n[server]\ncors_origins = [\"{PAGE}\"]\n")).await;
    lets_the_page_in(&app).await;
    for origin in
        ["http://localhost:3000", "http://localhost:5173.evil.example", "https://localhost:5173", "null"]
    {
        shuts_the_page_out(&app, origin).await;
    }
    app.close().await;
}

#[tokio::test]
async fn a_server_for_one_local_user_lets_the_pages_of_existing_clients_in() {
    let app = TestApp::local().await;
    lets_the_page_in(&app).await;
    shuts_the_page_out(&app, "http://evil.example").await;
    app.close().await;
}

#[tokio::test]
async fn a_server_behind_a_proxy_lets_no_other_page_in_by_default() {
    let app = TestApp::start().await;
    shuts_the_page_out(&app, PAGE).await;
    app.close().await;
}

#[tokio::test]
async fn clients_that_know_members_by_their_ids_alone_read_change_and_choose_the_council() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let members = json!([{"model": "m/two", "alias": "Second"}, "x/own", "m/one"]);
    ann.put("/api/config", json!({"council_models": members})).await.ok();
    let config = ann.get("/api/config").await.ok();
    assert_eq!(config["council_model_ids"], json!(["m/two", "x/own", "m/one"]));
    let again = ann.put("/api/config", json!({"council_models": config["council_model_ids"]})).await.ok();
    assert_eq!(again["council_model_ids"], config["council_model_ids"]);
    // Suggested are the own council's first, then what the server comes with, each once.
    let models = ann.get("/api/config/models").await.ok()["models"].as_array().unwrap().clone();
    assert_eq!(models[..3], [json!("m/two"), json!("x/own"), json!("m/one")]);
    for model in ["m/three", "m/four", "m/chair"] {
        assert_eq!(models.iter().filter(|known| **known == model).count(), 1, "{models:?}");
    }
    assert!(models.iter().all(serde_json::Value::is_string));
    app.close().await;
}
