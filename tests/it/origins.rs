//! Which pages a browser may let change something here. (Who may read is in the contract.)

use serde_json::json;

use crate::attachments::files::taken;
use crate::support::app::{TestApp, User};

const EVIL: &str = "https://evil.example";

/// A browser's request from a page of this origin, which stands in this relation to us.
fn from_page<'a>(app: &'a TestApp, site: &str, origin: &str) -> User<'a> {
    let user = app.user("ann");
    let user = if site.is_empty() { user } else { user.with("sec-fetch-site", site) };
    if origin.is_empty() { user } else { user.with("origin", origin) }
}

/// Tries everything that changes something, and says whether it was let through.
#[track_caller]
fn verdict(statuses: &[u16]) -> bool {
    assert!(statuses.iter().all(|status| (*status == 403) == (statuses[0] == 403)), "{statuses:?}");
    statuses[0] != 403
}

async fn may_change(user: &User<'_>, id: &str) -> bool {
    let conversation = format!("/api/conversations/{id}");
    let nothing = json!({});
    let mut statuses = Vec::new();
    for (method, path, body) in [
        ("POST", "/api/conversations".to_owned(), nothing.clone()),
        ("PATCH", conversation.clone(), json!({"title": "Mine now"})),
        ("PUT", format!("{conversation}/tags"), json!({"tags": []})),
        ("POST", format!("{conversation}/message/cancel"), nothing.clone()),
        ("POST", "/api/config/reset".to_owned(), nothing.clone()),
        ("DELETE", conversation.clone(), nothing.clone()),
        ("POST", format!("{conversation}/restore"), nothing),
    ] {
        statuses.push(user.send(method, &path, Some(&body)).await.status);
    }
    verdict(&statuses)
}

#[tokio::test]
async fn only_our_own_pages_and_no_browser_at_all_may_change_something() {
    let app = TestApp::start().await;
    let id = app.user("ann").conversation().await;
    let own = app.url("");
    for (site, origin, allowed) in [
        ("", "", true),
        ("same-origin", own.as_str(), true),
        ("none", "", true),
        ("", own.as_str(), true),
        ("cross-site", EVIL, false),
        ("same-site", "https://other.example", false),
        ("cross-site", "", false),
        ("", EVIL, false),
        ("", "null", false),
        ("", "https://127.0.0.1.evil.example", false),
        ("anything else", own.as_str(), false),
    ] {
        let page = from_page(&app, site, origin);
        assert_eq!(may_change(&page, &id).await, allowed, "{site:?} {origin:?}");
        // Reading changes nothing, and the browser keeps the answer from the page.
        assert_eq!(page.get("/api/conversations").await.status, 200);
    }
    let title = &app.user("ann").get(&format!("/api/conversations/{id}")).await.ok()["title"];
    assert_eq!(title, "Mine now", "by the pages that may");
    app.close().await;
}

#[tokio::test]
async fn an_origin_that_cannot_be_told_is_not_taken_for_none() {
    let app = TestApp::start().await;
    let id = app.user("ann").conversation().await;
    let own = app.url("");
    let ann = || app.user("ann");
    for (what, user) in [
        ("two origins", ann().with("origin", &own).with("origin", EVIL)),
        ("the same twice", ann().with("origin", &own).with("origin", &own)),
        ("two in one", ann().with("origin", &format!("{own}, {EVIL}"))),
        ("an empty origin", ann().with("origin", "")),
        ("no origin at all", ann().with("sec-fetch-site", "same-origin").with("origin", "junk")),
        ("other letters", ann().with("origin", "https://\u{e9}vil.example")),
        ("two sites", ann().with("sec-fetch-site", "same-origin").with("sec-fetch-site", "cross-site")),
        ("an empty site", ann().with("sec-fetch-site", "")),
        ("letters in a site", ann().with("sec-fetch-site", "n\u{f6}ne")),
    ] {
        assert!(!may_change(&user, &id).await, "{what}");
        assert_eq!(user.get("/api/conversations").await.status, 200, "{what}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_page_of_another_site_cannot_ask_in_somebodys_name() {
    let app = TestApp::start().await;
    let id = app.user("ann").conversation().await;
    // A form can send text without asking first; the body's type is not what protects.
    let page = from_page(&app, "cross-site", EVIL).with("content-type", "text/plain");
    for path in ["message", "message/stream"] {
        let path = format!("/api/conversations/{id}/{path}");
        let request = page.request("POST", &path).body(json!({"content": "Why?"}).to_string());
        assert_eq!(crate::support::app::read(request).await.status, 403);
    }
    assert_eq!(app.models.records().len(), 0, "nothing was paid");
    app.close().await;
}

#[tokio::test]
async fn pages_of_configured_origins_may_change_something_too() {
    let app = TestApp::with("[server]\ncors_origins = [\"https://tools.example\"]\n").await;
    let id = app.user("ann").conversation().await;
    assert!(may_change(&from_page(&app, "cross-site", "https://tools.example"), &id).await);
    assert!(!may_change(&from_page(&app, "cross-site", "https://tools.example.evil.example"), &id).await);
    assert!(!may_change(&from_page(&app, "cross-site", "http://tools.example"), &id).await);
    app.close().await;
}

#[tokio::test]
async fn where_the_public_address_is_known_it_is_the_one_that_counts() {
    let app = TestApp::with("[server]\npublic_url = \"https://council.example\"\n").await;
    let id = app.user("ann").conversation().await;
    assert!(may_change(&from_page(&app, "", "https://council.example"), &id).await);
    assert!(!may_change(&from_page(&app, "", &app.url("")), &id).await);
    app.close().await;
}

#[tokio::test]
async fn a_refusal_is_dressed_like_every_other_answer() {
    let app = TestApp::start().await;
    let good = app.user("ann").get("/api/conversations").await;
    let anonymous = app.user("ann").without_identity();
    let refusals = [
        (401, anonymous.get("/api/conversations").await),
        (401, app.stranger().get("/api/conversations").await),
        (400, app.user("ann").with("remote-user", "bob").get("/api/conversations").await),
        (403, from_page(&app, "cross-site", EVIL).post("/api/conversations", json!({})).await),
        (403, app.user("ann").get("/api/admin/usage").await),
        (404, app.user("ann").get("/api/nowhere").await),
    ];
    for (status, refusal) in refusals {
        assert_eq!(refusal.status, status, "{}", refusal.text);
        assert_eq!(refusal.header("content-type"), "application/problem+json");
        for name in [
            "content-security-policy",
            "x-content-type-options",
            "referrer-policy",
            "x-frame-options",
            "cross-origin-opener-policy",
            "cross-origin-resource-policy",
            "cache-control",
        ] {
            assert!(!refusal.header(name).is_empty(), "{status} without {name}");
            assert_eq!(refusal.header(name), good.header(name), "{status}");
        }
        assert_eq!(refusal.header("x-request-id").len(), 36);
        assert_ne!(refusal.header("x-request-id"), good.header("x-request-id"));
    }
    app.close().await;
}

#[tokio::test]
async fn no_other_page_learns_by_embedding_a_file_whether_somebody_has_it() {
    let app = TestApp::with("[server]\ncors_origins = [\"https://tools.example\"]\n").await;
    let ann = app.user("ann");
    let file = taken(&ann, "herons.txt", b"Herons.").await;
    let content = format!("/api/attachments/{file}/content");
    for path in [content.as_str(), "/api/attachments", "/%61pi/user"] {
        let answer = ann.get(path).await;
        let policy = answer.header("cross-origin-resource-policy");
        assert_eq!((answer.status, policy), (200, "same-origin"), "{path}");
    }
    // It binds what a page embeds, not what it fetches with CORS: so pages of configured origins still read it.
    let fetched = from_page(&app, "cross-site", "https://tools.example").get(&content).await;
    let allowed = fetched.header("access-control-allow-origin");
    assert_eq!((fetched.status, allowed), (200, "https://tools.example"));
    app.close().await;
}

#[tokio::test]
async fn nothing_of_anybodys_is_kept_by_a_cache_however_the_path_is_written() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for path in ["/api/user", "/%61pi/user", "/ap%69/conversations", "/v%31/models"] {
        let answer = ann.get(path).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{path}");
    }
    app.close().await;
}
