//! Bad input is refused at once: every wrong field is named, nothing is stored, no model is asked,
//! and no answer is a fault of the server.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::{AssertSqlSafe, Row as _};

use crate::support::app::{Answer, TestApp, User, read};
use crate::support::model_server::{Gate, Script};

/// How many rows each table has, and how many calls the models got: what a refusal must not change.
pub async fn census(app: &TestApp) -> (BTreeMap<String, i64>, usize) {
    let mut superuser = app.db.superuser().await;
    let tables = sqlx::query("SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'")
        .fetch_all(&mut superuser)
        .await
        .unwrap();
    let mut rows = BTreeMap::new();
    for table in tables {
        let name: String = table.get("name");
        let sql = format!("SELECT count(*) AS n FROM {name}");
        let count = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut superuser).await.unwrap();
        rows.insert(name, count.get("n"));
    }
    (rows, app.models.records().len())
}

/// A refusal for the client to mend: a 4xx with a `detail` for people.
#[track_caller]
pub fn refused(what: &str, answer: &Answer, statuses: &[u16]) {
    assert!(statuses.contains(&answer.status), "{what}: {} {}", answer.status, answer.text);
    let detail = &answer.json()["detail"];
    assert!(detail.is_string() || detail.is_array(), "{what}: {}", answer.text);
}

/// Sends a body as it stands.
async fn raw(user: &User<'_>, method: &str, path: &str, body: impl Into<reqwest::Body>) -> Answer {
    read(user.request(method, path).header("content-type", "application/json").body(body)).await
}

#[tokio::test]
async fn a_message_hears_of_every_wrong_field_at_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let before = census(&app).await;
    for (body, wrong) in [
        (json!({}), vec!["content"]),
        (json!({"content": null}), vec!["content"]),
        (json!({"content": ""}), vec!["content"]),
        (json!({"content": " \t\r\n\u{a0}\u{3000}"}), vec!["content"]),
        (json!({"content": "nul \u{0}"}), vec!["content"]),
        (json!({"content": "é".repeat(100_001)}), vec!["content"]),
        (json!({"content": ["Why?"]}), vec!["content"]),
        (
            json!({"content": 1, "system_prompt": [], "models": "m/one", "chairman_model": {}, "use_cot": "yes",
                   "use_weighted_consensus": 1, "mode": 3}),
            vec![
                "content",
                "system_prompt",
                "models",
                "chairman_model",
                "use_cot",
                "mode",
                "use_weighted_consensus",
            ],
        ),
        (
            json!({"content": "", "system_prompt": "\u{0}", "models": ["m/one"], "chairman_model": "two words",
                   "mode": "shouting"}),
            vec!["content", "system_prompt", "models", "chairman_model", "mode"],
        ),
        (json!({"content": "Why?", "models": []}), vec!["models"]),
        (json!({"content": "Why?", "models": ["m/one", "m/one"]}), vec!["models.1"]),
        (
            json!({"content": "Why?", "models": ["", {"model": "m\u{200b}"}, 3, {"alias": "x"}]}),
            vec!["models.2", "models.3", "models.0.model", "models.1.model"],
        ),
        (
            json!({"content": "Why?", "models": ["m/one", {"model": "m/two", "alias": "a\u{202e}b"}]}),
            vec!["models.1.alias"],
        ),
        (
            json!({"content": "Why?", "models": ["m/one", {"model": "m/two", "system_prompt": "\u{0}"}]}),
            vec!["models.1.system_prompt"],
        ),
        (json!({"content": "Why?", "models": ["1", "2", "3", "4", "5", "6", "7", "8"]}), vec!["models"]),
        (json!({"content": "Why?", "chairman_model": "x".repeat(201)}), vec!["chairman_model"]),
    ] {
        for path in [path.clone(), format!("{path}/stream")] {
            assert_eq!(ann.post(&path, body.clone()).await.wrong_fields(), wrong, "{body}");
        }
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn an_option_that_is_not_built_is_refused_only_when_switched_on() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let on = json!({
        "content": "Why?", "use_react": true,
        "use_web_search": true, "use_research": true, "use_tools": true,
        "resume": true, "prior_context": {"synthesis": "s"}
    });
    let before = census(&app).await;
    let answer = ann.post(&path, on.clone()).await;
    let mut wrong = answer.wrong_fields();
    wrong.sort();
    let mut options: Vec<&str> = on.as_object().unwrap().keys().map(String::as_str).collect();
    options.retain(|option| *option != "content");
    options.sort_unstable();
    assert_eq!(wrong, options);
    for error in answer.json()["errors"].as_array().unwrap() {
        assert_eq!(error["type"], "unavailable");
        assert!(error["message"].as_str().unwrap().contains("switch it off"), "{error}");
    }
    for (option, junk, kind) in [
        ("verbosity", json!(-1), "value"),
        ("verbosity", json!(4), "value"),
        ("verbosity", json!("2"), "type"),
        ("use_cache", json!("no"), "type"),
        ("use_refinement", json!("no"), "type"),
    ] {
        let answer = ann.post(&path, json!({"content": "Why?", option: junk})).await;
        assert_eq!(answer.wrong_fields(), [option]);
        assert_eq!(answer.json()["errors"][0]["type"], kind);
    }
    assert_eq!(census(&app).await, before);

    // Off, null, unknown: the same as left out.
    let mut off = json!({"content": "Why?", "mode": "council", "verbosity": 0, "quorum": null, "preset_id": null,
                         "straggler_grace_ms": 0, "models": null, "attachments": [], "prior_context": null, "hello": {"deep": [1, 2]}, "debate_rounds": 99});
    for (option, value) in on.as_object().unwrap() {
        if value.is_boolean() {
            off[option] = json!(false);
        }
    }
    ann.post(&path, off).await.ok();
    app.close().await;
}

#[tokio::test]
async fn settings_hear_of_every_wrong_field_and_nothing_is_half_saved() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let in_force = ann.get("/api/config").await.ok();
    root.get("/api/admin/config").await.ok();
    let before = census(&app).await;
    for (body, wrong) in [
        (
            json!({"council_models": ["m/one", 7], "chairman_model": 3, "count_self_votes": "yes",
                   "chairman_fallbacks": "m/one", "title_model": "m/fine"}),
            vec!["council_models.1", "chairman_model", "chairman_fallbacks", "count_self_votes"],
        ),
        (
            json!({"council_models": ["m/one", ""], "chairman_model": "", "title_model": "a b",
                   "utility_model": "\u{0}", "chairman_fallbacks": ["m/fine", "\n"], "chairman_alias": "\u{7}"}),
            vec![
                "council_models.1.model",
                "chairman_model",
                "chairman_alias",
                "chairman_fallbacks.1",
                "title_model",
                "utility_model",
            ],
        ),
        (json!({"council_models": []}), vec!["council_models"]),
        (
            json!({"council_models": ["m/one", {"model": "m/two", "system_prompt": "nul \u{0}"}]}),
            vec!["council_models.1.system_prompt"],
        ),
        (
            json!({"council_models": ["m/one", {"model": "m/two", "system_prompt": "x".repeat(20_001)}]}),
            vec!["council_models.1.system_prompt"],
        ),
        (json!({"chairman_fallbacks": vec!["m/one"; 8]}), vec!["chairman_fallbacks"]),
        // Wrong types, a wrong region and wrong values together.
        (
            json!({"council_models": ["m/one", 7], "region": "nowhere", "title_model": "a b", "tools_max_rounds": 99,
                   "adversary_model": "nope:a/b", "default_options": {"use_cot": "yes"}}),
            vec![
                "council_models.1",
                "region",
                "title_model",
                "tools_max_rounds",
                "default_options.use_cot",
                "adversary_model",
            ],
        ),
        (
            json!({"chairman_model": 3, "region": 7, "title_model": ""}),
            vec!["chairman_model", "region", "title_model"],
        ),
    ] {
        assert_eq!(ann.put("/api/config", body.clone()).await.wrong_fields(), wrong, "{body}");
        assert_eq!(root.put("/api/admin/config", body.clone()).await.wrong_fields(), wrong, "{body}");
        let preset = json!({"name": "Wrong", "settings": body});
        assert_eq!(ann.post("/api/settings/presets", preset).await.status, 422, "{body}");
    }
    assert_eq!(census(&app).await, before);
    assert_eq!(ann.get("/api/config").await.ok(), in_force);
    app.close().await;
}

#[tokio::test]
async fn titles_tags_and_tokens_hear_of_every_wrong_field() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let (one, tags) = (format!("/api/conversations/{id}"), format!("/api/conversations/{id}/tags"));
    let stored = ann.get(&one).await.ok();
    let before = census(&app).await;
    let many: Vec<String> = (0..21).map(|n| format!("tag {n}")).collect();
    for (method, path, body, wrong) in [
        ("PATCH", one.as_str(), json!({"title": "", "archived": "no"}), vec!["archived", "title"]),
        ("PATCH", &one, json!({"title": ["x"], "archived": 1}), vec!["title", "archived"]),
        ("PATCH", &one, json!({"title": " \n "}), vec!["title"]),
        ("PATCH", &one, json!({"title": "\u{200b}"}), vec!["title"]),
        ("PATCH", &one, json!({"title": "\u{202e}fdp.elif"}), vec!["title"]),
        ("PATCH", &one, json!({"title": "nul \u{0}", "archived": true}), vec!["title"]),
        ("PATCH", &one, json!({"title": "é".repeat(201), "archived": true}), vec!["title"]),
        ("PUT", &tags, json!({}), vec!["tags"]),
        ("PUT", &tags, json!({"tags": null}), vec!["tags"]),
        ("PUT", &tags, json!({"tags": "coding"}), vec!["tags"]),
        ("PUT", &tags, json!({"tags": ["fine", 3]}), vec!["tags"]),
        (
            "PUT",
            &tags,
            json!({"tags": ["", "fine", "\u{0}", "x".repeat(41), "\u{3164}", "a\u{feff}"]}),
            vec!["tags.0", "tags.2", "tags.3", "tags.4", "tags.5"],
        ),
        ("PUT", &tags, json!({"tags": many}), vec!["tags"]),
        ("POST", "/api/tokens", json!({}), vec!["name"]),
        ("POST", "/api/tokens", json!({"name": "\u{202e}loot"}), vec!["name"]),
        ("POST", "/api/folders", json!({"name": "\u{200b}"}), vec!["name"]),
        ("POST", "/api/projects", json!({"name": "\u{200b}"}), vec!["name"]),
        ("POST", "/api/settings/presets", json!({"name": "\u{202e}tsaf"}), vec!["name"]),
        ("POST", "/api/library", json!({"kind": "prompt", "name": "\u{200b}", "text": "Why?"}), vec!["name"]),
        (
            "POST",
            "/api/tokens",
            json!({"name": "\u{0}", "expires_in_days": 0, "permissions": ["read", "admin", "ask", "READ"]}),
            vec!["name", "expires_in_days", "permissions.1", "permissions.3"],
        ),
        (
            "POST",
            "/api/tokens",
            json!({"name": 3, "expires_in_days": "1", "permissions": "read"}),
            vec!["name", "name", "expires_in_days", "permissions"],
        ),
        (
            "POST",
            "/api/tokens",
            json!({"name": "x".repeat(101), "expires_in_days": i64::MAX, "permissions": []}),
            vec!["name", "expires_in_days", "permissions"],
        ),
    ] {
        let answer = ann.send(method, path, Some(&body)).await;
        assert_eq!(answer.wrong_fields(), wrong, "{method} {body}");
    }
    assert_eq!(census(&app).await, before);
    assert_eq!(ann.get(&one).await.ok(), stored);
    app.close().await;
}

#[tokio::test]
async fn a_list_that_fills_a_body_is_refused_as_a_whole() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let one = format!("/api/conversations/{id}");
    let before = census(&app).await;
    // If each were compared with all others, nobody would be answered for minutes.
    let names: Vec<String> = (0..80_000).map(|number| format!("m/{number:05}")).collect();
    let (first, second) = names.split_at(40_000);
    for (method, path, body, wrong) in [
        ("POST", format!("{one}/message"), json!({"content": "Why?", "models": names}), vec!["models"]),
        (
            "POST",
            "/api/estimate".to_owned(),
            json!({"content": "Why?", "reviewer_models": names}),
            vec!["reviewer_models"],
        ),
        ("PUT", "/api/config".to_owned(), json!({"council_models": names}), vec!["council_models"]),
        (
            "PUT",
            "/api/config".to_owned(),
            json!({"tier1_models": first, "tier2_models": second}),
            vec!["tier1_models", "tier2_models"],
        ),
        (
            "PUT",
            "/api/config".to_owned(),
            json!({"routing_pools": {"coding": first, "general": second}}),
            vec!["routing_pools.coding", "routing_pools.general"],
        ),
    ] {
        let answer = ann.send(method, &path, Some(&body)).await;
        assert_eq!(answer.wrong_fields(), wrong, "{method} {path}");
        let message = answer.json()["errors"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("may name at most 7 models; it names "), "{method} {path}: {message}");
    }
    let answer = ann.put(&format!("{one}/tags"), json!({"tags": names})).await;
    assert_eq!(answer.wrong_fields(), ["tags"]);
    // Of a long list what is looked at is named.
    let answer = ann.put(&format!("{one}/tags"), json!({"tags": vec![""; 1000]})).await;
    assert_eq!(answer.wrong_fields().len(), 101);
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn of_very_many_wrong_things_the_first_are_named_and_the_others_counted() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let before = census(&app).await;
    let options: serde_json::Map<String, serde_json::Value> =
        (0..50_000).map(|number| (format!("o{number:05}"), json!(1))).collect();
    for (method, path, body, more) in [
        ("POST", "/api/tokens", json!({"name": "laptop", "permissions": vec![""; 90_000]}), 89_900),
        ("POST", "/api/webhooks", json!({"url": "https://example.com/", "events": vec![""; 90_000]}), 89_900),
        ("PUT", "/api/config", json!({"default_options": options}), 49_900),
    ] {
        let answer = ann.send(method, path, Some(&body)).await;
        let wrong = answer.wrong_fields();
        assert_eq!((wrong.len(), wrong.last().map(String::as_str)), (101, Some("body")), "{method} {path}");
        let last = &answer.json()["errors"][100]["message"];
        assert_eq!(last, &json!(format!("has {more} more wrong fields")), "{method} {path}");
        assert!(answer.text.len() < 64 * 1024, "{method} {path}: {} bytes", answer.text.len());
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

/// Every route that takes a body.
fn bodies(id: &str) -> [(&'static str, String); 7] {
    let one = format!("/api/conversations/{id}");
    [
        ("POST", "/api/conversations".to_owned()),
        ("PATCH", one.clone()),
        ("PUT", format!("{one}/tags")),
        ("POST", format!("{one}/message")),
        ("POST", format!("{one}/message/stream")),
        ("PUT", "/api/config".to_owned()),
        ("POST", "/api/tokens".to_owned()),
    ]
}

#[tokio::test]
async fn what_is_no_json_object_is_refused_everywhere() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let before = census(&app).await;
    let deep =
        |depth: usize| format!("{{\"content\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let mut gzip = b"\x1f\x8b\x08\x00".to_vec();
    gzip.extend([0; 20]);
    for (method, path) in bodies(&id) {
        for (what, body) in [
            ("nothing", Vec::new()),
            ("half an object", b"{\"content\":\"Why?\"".to_vec()),
            ("two objects", b"{\"content\":\"Why?\"}{}".to_vec()),
            ("a form", b"content=Why%3F".to_vec()),
            ("bad UTF-8", b"{\"content\":\"\xff\xfe\"}".to_vec()),
            ("an overlong NUL", b"{\"content\":\"\xc0\x80\"}".to_vec()),
            ("half a surrogate pair", b"{\"content\":\"\\ud83e\"}".to_vec()),
            ("a raw NUL", b"{\"content\":\"\0\"}".to_vec()),
            ("UTF-16", b"\xff\xfe{\0}\0".to_vec()),
            ("a number out of range", b"{\"content\":1e999}".to_vec()),
            ("very deep nesting", deep(90_000)),
            ("very many values", format!("{{\"content\":[{}0]}}", "[0],".repeat(50_000)).into_bytes()),
            ("compressed", gzip.clone()),
            ("a list", b"[{\"content\":\"Why?\"}]".to_vec()),
            ("a text", b"\"Why?\"".to_vec()),
            ("null", b"null".to_vec()),
            ("a number", b"7".to_vec()),
        ] {
            let answer = raw(&ann, method, &path, body).await;
            assert_eq!(answer.wrong_fields(), ["body"], "{method} {path}: {what}");
        }
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let app = TestApp::with("\n[server]\nbody_limit_bytes = 4096\n").await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let before = census(&app).await;
    let padded = |bytes: usize| format!("{{\"name\":\"\"{}}}", " ".repeat(bytes - 11));
    for (method, path) in bodies(&id) {
        refused(&path, &raw(&ann, method, &path, padded(4097)).await, &[413]);
        // Without a length said beforehand, too.
        let parts = (0..100).map(|_| Ok::<_, std::io::Error>(" ".repeat(1000)));
        let stream = reqwest::Body::wrap_stream(futures_util::stream::iter(parts));
        refused(&path, &raw(&ann, method, &path, stream).await, &[413]);
    }
    assert_eq!(census(&app).await, before);
    assert_eq!(raw(&ann, "POST", "/api/tokens", padded(4096)).await.wrong_fields(), ["name"]);
    app.close().await;
}

#[tokio::test]
async fn what_is_no_id_is_not_there() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let before = census(&app).await;
    let body = json!({"content": "Why?", "tags": [], "title": "x", "member": "m/one"});
    for no_id in [
        "x",
        "0",
        "-1",
        "null",
        "%00",
        "%ff",
        "%2e%2e",
        "%2fetc",
        "..%2f..%2fusers",
        "'%20OR%201=1--",
        "%F0%9F%A6%80",
        "00000000-0000-0000-0000-000000000000",
        &format!("{id}0"),
        &format!("{id}%20"),
        &"a".repeat(5000),
    ] {
        for (method, path) in [
            ("GET", format!("/api/conversations/{no_id}")),
            ("PATCH", format!("/api/conversations/{no_id}")),
            ("DELETE", format!("/api/conversations/{no_id}")),
            ("POST", format!("/api/conversations/{no_id}/restore")),
            ("PUT", format!("/api/conversations/{no_id}/tags")),
            ("GET", format!("/api/conversations/{no_id}/export")),
            ("POST", format!("/api/conversations/{no_id}/message")),
            ("POST", format!("/api/conversations/{no_id}/message/stream")),
            ("POST", format!("/api/conversations/{no_id}/message/cancel")),
            ("GET", format!("/api/runs/{no_id}")),
            ("GET", format!("/api/runs/{no_id}/events")),
            ("POST", format!("/api/runs/{no_id}/cancel")),
            ("POST", format!("/api/runs/{no_id}/skip")),
            ("POST", format!("/api/runs/{no_id}/corrections")),
            ("DELETE", format!("/api/tokens/{no_id}")),
        ] {
            let body = if method == "GET" { None } else { Some(&body) };
            refused(&format!("{method} {path}"), &ann.send(method, &path, body).await, &[404, 405]);
        }
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn what_a_route_does_not_do_is_refused_and_does_nothing() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let before = census(&app).await;
    for (method, path) in [
        ("PUT", "/api/conversations".to_owned()),
        ("DELETE", "/api/conversations".to_owned()),
        ("POST", format!("/api/conversations/{id}")),
        ("GET", format!("/api/conversations/{id}/message")),
        ("GET", format!("/api/conversations/{id}/message/cancel")),
        ("DELETE", "/api/config".to_owned()),
        ("POST", "/api/admin/usage".to_owned()),
        ("TRACE", "/api/conversations".to_owned()),
        ("BREW", "/api/conversations".to_owned()),
        ("GET", "/api".to_owned()),
        ("GET", "/api/".to_owned()),
        ("GET", "/api//conversations".to_owned()),
        ("GET", "/api/conversations/".to_owned()),
        ("POST", "/api/../api/conversations".to_owned() + "%2f"),
        ("POST", "/v2/chat/completions".to_owned()),
    ] {
        let answer = ann.send(method, &path, Some(&json!({"content": "Why?"}))).await;
        refused(&format!("{method} {path}"), &answer, &[404, 405]);
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn a_conversation_with_a_live_run_refuses_another_and_names_it() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Yes.")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let mut stream = ann.ask(&id, json!({"content": "Why?"})).await;
    let started = stream.until("run_started").await;
    stream.until("stage1_start").await;
    app.models.until(|records| records.len() == 5).await;
    let before = census(&app).await;
    for path in ["message", "message/stream"] {
        let answer = ann.post(&format!("/api/conversations/{id}/{path}"), json!({"content": "And?"})).await;
        refused(path, &answer, &[409]);
        assert_eq!(answer.json()["run_id"], started.json["run_id"]);
    }
    assert_eq!(census(&app).await, before);
    gate.open();
    stream.until("complete").await;
    app.close().await;
}

/// What is wrong with a value in a query or a header is said, and never a fault of the server.
pub async fn is_told(user: &User<'_>, path: &str, field: &str) {
    let answer = user.get(path).await;
    assert_eq!(answer.wrong_fields(), [field], "{path}");
}

#[tokio::test]
async fn odd_values_in_queries_are_told_or_brought_into_range() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.conversation().await;
    let before = census(&app).await;
    for junk in ["-1", "x", "1.5", "", "99999999999", "%00", "1&limit=2", "%ff"] {
        is_told(&ann, &format!("/api/conversations?limit={junk}"), "limit").await;
        is_told(&ann, &format!("/api/search?q=x&limit={junk}"), "limit").await;
        is_told(&app.admin(), &format!("/api/admin/users?limit={junk}"), "limit").await;
    }
    for (query, field) in [
        ("offset=-1", "offset"),
        ("archived=maybe", "archived"),
        ("deleted=1", "deleted"),
        ("limit=1&project_id=x", "project_id"),
    ] {
        is_told(&ann, &format!("/api/conversations?{query}"), field).await;
    }
    let told = ann.get("/api/search?q=x&offset=-1").await;
    assert_eq!(told.wrong_fields(), ["offset"]);
    assert_eq!(told.json()["errors"][0]["message"], "must be a whole number from 0 to 4294967295");
    is_told(&ann, "/api/conversations?tag=%00", "tag").await;
    for (query, field) in [("", "q"), ("?q=", "q"), ("?q=%20", "q"), ("?q=%00", "q")] {
        is_told(&ann, &format!("/api/search{query}"), field).await;
    }
    is_told(&ann, &format!("/api/search?q={}", "x".repeat(501)), "q").await;
    for (query, field) in [
        ("by=shoe", "by"),
        ("format=xml", "format"),
        ("from=yesterday", "from"),
        ("to=2026-02-30", "to"),
        ("until=2026-02-30", "to"),
        ("to=9999-12-31", "to"),
        ("from=-005000-01-01", "from"),
        ("from=-009999-01-01", "from"),
        ("from=%00", "from"),
    ] {
        is_told(&app.admin(), &format!("/api/admin/usage?{query}"), field).await;
    }
    is_told(&app.admin(), "/api/admin/audit?before=x", "before").await;
    let long = "x".repeat(201);
    for (query, field) in [
        ("users?search=%00", "search"),
        (&format!("users?search={long}"), "search"),
        ("runs?user=a%0Ab", "user"),
        ("usage?user=%00", "user"),
        ("audit?user=ann,bob", "user"),
        ("audit?action=%00", "action"),
        (&format!("audit?target={long}"), "target"),
        ("audit?from=yesterday", "from"),
        ("audit?to=9999-12-31", "to"),
    ] {
        is_told(&app.admin(), &format!("/api/admin/{query}"), field).await;
    }
    assert_eq!(census(&app).await, before);

    // Numbers that are only large or small mean the most or the least.
    for query in ["limit=0", "limit=4294967295", "limit=1&offset=0"] {
        let page = ann.get(&format!("/api/conversations?{query}")).await;
        assert_eq!(page.ok().as_array().unwrap().len(), 1, "{query}");
    }
    let page = ann.get("/api/conversations?limit=500&offset=4294967295").await;
    assert_eq!((page.ok(), page.header("x-total-count"), page.header("link")), (json!([]), "1", ""));
    let page = ann.get("/api/search?q=new&limit=100&offset=4294967295").await;
    assert_eq!((page.ok(), page.header("x-total-count"), page.header("link")), (json!([]), "1", ""));
    for q in ["%27%20OR%201=1--", "%25", "a%20%26%20%7C%20!", "%22", "%5C", "%F0%9F%A6%80", "%EF%BF%BF"] {
        assert_eq!(ann.get(&format!("/api/search?q={q}")).await.ok(), json!([]), "{q}");
    }
    for before in [i64::MIN, -1, 0, i64::MAX] {
        app.admin().get(&format!("/api/admin/audit?before={before}")).await.ok();
    }
    app.admin().get("/api/admin/usage?from=2026-02-02&to=2026-01-01").await.ok();
    app.close().await;
}
