//! Nobody reaches what is another's: every route of the API document, asked by people without an
//! identity, by another user, by an administrator and by a token that may only read.
//!
//! A route that the table of probes does not know fails the walk: say there how to ask it.

mod ann;
mod probes;

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::{AssertSqlSafe, Row as _};

use ann::Ann;
use probes::{About, Probe, probes};

use crate::support::app::{Answer, TestApp, User};
use crate::support::device::PUSH;

/// Words in everything that Ann writes and that is written for her.
const MARK: &str = "quokka";

/// Asks every route of the table, with all ids of Ann's where it takes one.
async fn ask_everything(user: &User<'_>, ann: &Ann) -> Vec<(Probe, Vec<(String, Answer)>)> {
    let mut all = Vec::new();
    for probe in probes() {
        let with_ids: Vec<String> = match ann.ids(probe.about) {
            [] if probe.path.starts_with("/v1/") => vec![probe.path.replace("{model}", "council")],
            [] => vec![probe.path.replace("{model}", "m/one")],
            ids => ids.iter().map(|id| ann.in_place(probe.path, id)).collect(),
        };
        let mut answers = Vec::new();
        for path in with_ids {
            assert!(!path.contains('{'), "{path}: the table does not say what stands there");
            for query in probe.queries {
                let path = format!("{path}?{query}");
                let answer = user.send(probe.method, &path, probe.body.as_ref()).await;
                answers.push((format!("{} {path}", probe.method), answer));
            }
        }
        all.push((probe, answers));
    }
    all
}

/// A digest of one user's rows in every table that says whose a row is, but for what moves by
/// itself while a run is under way.
async fn digests(app: &TestApp, user: &str) -> BTreeMap<String, String> {
    let mut superuser = app.db.superuser().await;
    let columns = sqlx::query(
        "SELECT table_name::text AS name, column_name::text AS owner FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
           AND (column_name = 'user_id' OR (table_name, column_name) = ('users', 'id'))",
    );
    let columns = columns.fetch_all(&mut superuser).await.unwrap();
    assert!(columns.len() >= 10, "{}", columns.len());
    let mut digests = BTreeMap::new();
    for column in columns {
        let (table, owner): (String, String) = (column.get("name"), column.get("owner"));
        let sql = format!(
            "SELECT coalesce(string_agg(row, E'\\n' ORDER BY row), '') AS rows
             FROM (SELECT (to_jsonb(t) - '{{lease_until,last_used_at}}'::text[])::text AS row
                   FROM {table} t WHERE {owner} = $1) rows"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(user).fetch_one(&mut superuser).await.unwrap();
        digests.insert(table, rows.get("rows"));
    }
    digests
}

/// The same person, saying in every usual header that they come from where the proxy lives.
fn forged(user: User<'_>) -> User<'_> {
    user.with("x-forwarded-for", "127.0.0.1")
        .with("x-real-ip", "127.0.0.1")
        .with("forwarded", "for=127.0.0.1")
}

#[tokio::test]
async fn nobody_without_an_identity_gets_past_the_gate() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    let calls = app.models.records().len();
    let claims_to_be_ann = app.stranger().without_identity().with("remote-user", "ann");
    let admin = app.stranger().with("remote-groups", "admins");
    let wrong_token = "Bearer lc_0000000000000000000000000000000000000000000";
    for (who, user) in [
        ("a stranger", app.stranger()),
        ("a stranger who names a trusted address", forged(claims_to_be_ann)),
        ("a stranger who claims to be an admin", forged(admin)),
        ("nobody, through the proxy", app.user("").without_identity()),
        ("a wrong token beside a name", app.user("ann").with("authorization", wrong_token)),
    ] {
        for (_, answers) in ask_everything(&user, &ann).await {
            for (request, answer) in answers {
                assert_eq!(answer.status, 401, "{who}: {request}: {}", answer.text);
                ann.is_not_in(&answer);
            }
        }
    }
    assert_eq!(digests(&app, "ann").await, before);
    assert_eq!(app.models.records().len(), calls, "no model was asked");
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn another_user_finds_nothing_changes_nothing_and_learns_nothing() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    let bob = app.user("bob").with("idempotency-key", "the-key-of-ann");
    for (probe, answers) in ask_everything(&bob, &ann).await {
        for (request, answer) in answers {
            let expected = match probe.about {
                About::Own => 200,
                About::Conversation
                | About::Run
                | About::Token
                | About::Folder
                | About::Preset
                | About::Entry
                | About::Bench
                | About::Cached
                | About::File
                | About::Webhook
                | About::Schedule
                | About::Device
                | About::Link
                | About::Closed
                | About::Project
                | About::Response => 404,
                About::Malformed => 400,
                About::NoForm => 415,
                About::Unconfirmed => 422,
                About::Access | About::Admin => 403,
            };
            assert_eq!(answer.status, expected, "{request}: {}", answer.text);
            ann.is_not_in(&answer);
        }
    }
    // What is not theirs and what is not there look the same.
    let nobody = uuid::Uuid::new_v4().to_string();
    for probe in probes().iter().filter(|probe| !ann.ids(probe.about).is_empty()) {
        let path = |id: &str| ann.in_place(probe.path, id);
        let ask = |id: &str| bob.request(probe.method, &path(id));
        let ask = |id: &str| {
            crate::support::app::read(match &probe.body {
                Some(body) => ask(id).header("content-type", "application/json").body(body.to_string()),
                None => ask(id),
            })
        };
        let (theirs, missing) = (ask(&ann.ids(probe.about)[0]).await, ask(&nobody).await);
        assert_eq!((theirs.status, theirs.text), (missing.status, missing.text), "{}", probe.path);
    }
    assert_eq!(digests(&app, "ann").await, before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn administrators_see_figures_and_no_texts() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    for (probe, answers) in ask_everything(&app.admin(), &ann).await {
        for (request, answer) in answers {
            match probe.about {
                About::Own => {
                    assert_eq!(answer.status, 200, "{request}: {}", answer.text);
                    ann.is_not_in(&answer);
                }
                About::Conversation
                | About::Run
                | About::Token
                | About::Folder
                | About::Preset
                | About::Entry
                | About::Bench
                | About::Cached
                | About::File
                | About::Webhook
                | About::Schedule
                | About::Device
                | About::Link
                | About::Closed
                | About::Access
                | About::Project
                | About::Response => {
                    assert_eq!(answer.status, 404, "{request}: {}", answer.text);
                    ann.is_not_in(&answer);
                }
                About::NoForm => assert_eq!(answer.status, 415, "{request}: {}", answer.text),
                About::Malformed => assert_eq!(answer.status, 400, "{request}: {}", answer.text),
                About::Unconfirmed => assert_eq!(answer.status, 422, "{request}: {}", answer.text),
                About::Admin => {
                    assert_eq!(answer.status, 200, "{request}: {}", answer.text);
                    let text = answer.text.replace("ann@quokka.example", "");
                    assert!(!text.contains(MARK), "{request}: {text}");
                }
            }
        }
    }
    let users = app.admin().get("/api/admin/usage").await.ok();
    let row = users["rows"].as_array().unwrap().iter().find(|row| row["name"] == "ann").unwrap();
    assert_eq!(row["runs"], 3, "the figures of what is paid are there");
    assert_eq!(digests(&app, "ann").await, before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn a_token_reaches_no_further_than_its_user_and_its_permissions() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let new = json!({"name": "reader", "permissions": ["read"]});
    // Of an administrator, and for reading only: neither admin nor writer.
    let token = app.admin().post("/api/tokens", new).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let reader = app.user("").without_identity().with("authorization", &bearer);
    let before = (digests(&app, "ann").await, digests(&app, "root").await);
    for (probe, answers) in ask_everything(&reader, &ann).await {
        for (request, answer) in answers {
            let in_person =
                ["/api/tokens", "/api/webhooks", "/api/push"].iter().any(|it| probe.path.starts_with(it));
            let expected = match (probe.about, probe.method) {
                (About::Admin | About::Access | About::Unconfirmed, _) => 403,
                // What its tools may not do, they say themselves.
                _ if probe.path == "/mcp" => 200,
                (_, method) if method != "GET" || in_person => 403,
                (About::Own, _) => 200,
                (
                    About::Conversation
                    | About::Run
                    | About::Token
                    | About::Folder
                    | About::Preset
                    | About::Entry
                    | About::Bench
                    | About::Cached
                    | About::File
                    | About::Webhook
                    | About::Schedule
                    | About::Device
                    | About::Link
                    | About::Closed
                    | About::Project
                    | About::Response
                    | About::Malformed
                    | About::NoForm,
                    _,
                ) => 404,
            };
            assert_eq!(answer.status, expected, "{request}: {}", answer.text);
            ann.is_not_in(&answer);
        }
    }
    let (ann_after, mut root_after) = (digests(&app, "ann").await, digests(&app, "root").await);
    // That they were here is noted, and that a copy was taken.
    for table in ["users", "audit_log"] {
        root_after.insert(table.into(), before.1[table].clone());
    }
    assert_eq!((ann_after, root_after), before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn who_is_blocked_is_refused_wherever_they_ask() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let (root, boss) = (app.admin(), app.user("boss").with("remote-groups", "admins"));
    let token = app.user("bob").post("/api/tokens", json!({"name": "of Bob's"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    boss.get("/api/user").await.ok();
    for name in ["bob", "boss"] {
        root.post("/api/admin/blocks", json!({"user": name, "reason": "A case"})).await.ok();
    }
    let before = (digests(&app, "ann").await, digests(&app, "bob").await, digests(&app, "boss").await);
    let calls = app.models.records().len();
    let mut let_in = Vec::new();
    for (who, user) in [
        ("a user", app.user("bob")),
        ("a token", app.user("").without_identity().with("authorization", &bearer)),
        ("an administrator", boss),
    ] {
        for (probe, answers) in ask_everything(&user, &ann).await {
            for (request, answer) in answers {
                // What needs nothing of anybody's is answered before anything is looked up.
                let is_nobodys = who == "a user"
                    && (matches!(answer.status, 400 | 404 | 415 | 422 | 403)
                        || ["/api/models", "/api/settings/regions", "/api/version"].contains(&probe.path));
                let is_told = answer.text.contains("has blocked you")
                    // Its tools say themselves what they do not do.
                    && (answer.status == 403 || (who == "a user" && probe.path == "/mcp"));
                if !is_told && !is_nobodys {
                    let_in.push(format!("{who}: {request}: {} {}", answer.status, answer.text));
                }
                ann.is_not_in(&answer);
            }
        }
    }
    assert!(let_in.is_empty(), "{}", let_in.join("\n"));
    let (ann_after, mut bob_after, boss_after) =
        (digests(&app, "ann").await, digests(&app, "bob").await, digests(&app, "boss").await);
    bob_after.insert("tokens".into(), before.1["tokens"].clone());
    assert_eq!((ann_after, bob_after, boss_after), before);
    assert_eq!(app.models.records().len(), calls, "no model was asked");
    ann.ends_well(&app).await;
    app.close().await;
}
