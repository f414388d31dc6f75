//! What administrators are told about who used what, and that their looking is noted.

use serde_json::{Value, json};

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Script};
use crate::support::money;

/// Two people with names that a spreadsheet would stumble over, and a model that says its price.
async fn used() -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(|request| match (request.model.as_str(), request.asked_for()) {
        ("m/one", AskedFor::Answer) => Some(Script::answer("Yes.").usage(json!({
            "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 0.25
        }))),
        ("m/two", AskedFor::Answer) => Some(Script::status(404, "gone")),
        _ => None,
    });
    for (name, runs) in [("=cmd|'/c calc'!a0", 2), ("quo\"ted; comma", 1)] {
        let user = app.user(name);
        for _ in 0..runs {
            let path = format!("/api/conversations/{}/message", user.conversation().await);
            user.post(&path, json!({"content": "The secret of the tower?"})).await.ok();
        }
    }
    app
}

fn named<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}: {report}"))
}

#[tokio::test]
async fn usage_adds_up_by_user_model_day_and_format() {
    let app = used().await;
    let admin = app.admin();
    let by_user = admin.get("/api/admin/usage").await.ok();
    assert_eq!(by_user["by"], "user");
    let heavy = named(&by_user, "=cmd|'/c calc'!a0");
    assert_eq!(
        (&heavy["runs"], &heavy["failed_calls"], &heavy["cost_usd"]),
        (&json!(2), &json!(2), &json!(0.5))
    );
    assert_eq!(
        heavy["unpriced_calls"],
        json!(heavy["calls"].as_i64().unwrap() - 4),
        "unknown is not nothing, and what was refused before a model saw it cost nothing"
    );
    assert_eq!(by_user["rows"][0], *heavy, "the dearest first");

    let by_model = admin.get("/api/admin/usage?by=model").await.ok();
    let one = named(&by_model, "m/one");
    assert_eq!((&one["runs"], &one["cost_usd"]), (&json!(3), &json!(0.75)));
    let two = named(&by_model, "m/two");
    assert_eq!((&two["failed_calls"], &two["cost_usd"]), (&json!(3), &Value::Null));

    let sum = |report: &Value, field: &str| -> i64 {
        report["rows"].as_array().unwrap().iter().map(|row| row[field].as_i64().unwrap()).sum()
    };
    let by_day = admin.get("/api/admin/usage?by=day").await.ok();
    let by_format = admin.get("/api/admin/usage?by=format").await.ok();
    assert_eq!(named(&by_format, "council")["runs"], 3);
    for field in ["calls", "failed_calls", "prompt_tokens", "completion_tokens", "unpriced_calls"] {
        let all = sum(&by_user, field);
        for other in [&by_model, &by_day, &by_format] {
            assert_eq!(sum(other, field), all, "{field}: {other}");
        }
    }
    assert_eq!(sum(&by_user, "calls"), app.models.records().len() as i64, "every call is in the ledger");
    app.close().await;
}

#[tokio::test]
async fn usage_of_days_without_any_is_empty_and_wrong_days_are_named() {
    let app = used().await;
    let admin = app.admin();
    let long_ago = admin.get("/api/admin/usage?from=2001-01-01&to=2001-12-31").await.ok();
    assert_eq!(long_ago["rows"], json!([]));
    let wrong =
        [("by=colour", "by"), ("format=xml", "format"), ("from=yesterday", "from"), ("to=2026-02-30", "to")];
    for (query, field) in wrong {
        assert_eq!(admin.get(&format!("/api/admin/usage?{query}")).await.wrong_fields(), [field]);
    }
    app.close().await;
}

#[tokio::test]
async fn usage_as_csv_holds_no_formula_and_every_name_stays_in_its_cell() {
    let app = used().await;
    let csv = app.admin().get("/api/admin/usage?format=csv").await;
    assert_eq!(csv.status, 200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(csv.header("content-disposition"), "attachment; filename=\"usage.csv\"");
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines.len(), 3, "{}", csv.text);
    let columns = lines[0].split(',').count();
    assert_eq!(lines[0].split(',').next(), Some("name"));
    for (line, name) in [(lines[1], "'=cmd|'/c calc'!a0"), (lines[2], "\"quo\"\"ted; comma\"")] {
        let rest = line.strip_prefix(name).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(rest.split(',').count(), columns, "{line}");
        assert!(rest.chars().all(|c| c.is_ascii_digit() || c == ',' || c == '.'), "{line}");
    }
    app.close().await;
}

#[tokio::test]
async fn usage_is_for_administrators_holds_no_content_and_who_looked_is_noted() {
    let app = used().await;
    for path in ["usage", "usage?format=csv", "users", "runs", "audit"] {
        let path = format!("/api/admin/{path}");
        assert_eq!(app.user("ann").get(&path).await.status, 403, "{path}");
        assert_eq!(app.user("ann").with("remote-groups", "admins-of-another").get(&path).await.status, 403);
        let answer = app.admin().get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        for content in ["secret of the tower", "Yes.", "scripted synthesis"] {
            assert!(!answer.text.contains(content), "{path}: {content}");
        }
    }
    let log = app.admin().get("/api/admin/audit").await.ok();
    let looked: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "usage.read").collect();
    assert_eq!(looked.len(), 2, "once as JSON, once as CSV, and no refused attempt: {log}");
    assert!(looked.iter().all(|entry| entry["user"] == "root"));
    app.close().await;
}

#[tokio::test]
async fn an_admin_can_list_the_runs_with_failures_alone() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    money::ask(&ann).await.ok();
    app.models.rule(|request| (request.model == "m/two").then(|| Script::status(404, "gone")));
    money::ask(&ann).await.ok();
    app.models.rule(|_| Some(Script::status(401, "bad key")));
    money::ask(&ann).await;
    let listed = async |query: &str| {
        let found = app.admin().get(&format!("/api/admin/runs?{query}")).await.ok();
        let runs = found["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| (run["status"].clone(), run["failed_calls"] != 0)).collect::<Vec<_>>()
    };
    let failed = (json!("failed"), true);
    let dented = (json!("complete"), true);
    let whole = (json!("complete"), false);
    assert_eq!(listed("").await, [failed.clone(), dented.clone(), whole]);
    assert_eq!(listed("failures=true").await, [failed, dented.clone()]);
    assert_eq!(listed("failures=true&limit=1&offset=1").await, [dented]);
    assert_eq!(listed("failures=false&offset=2").await.len(), 1);
    assert_eq!(app.admin().get("/api/admin/runs?failures=perhaps").await.status, 422);
    app.close().await;
}

#[tokio::test]
async fn a_run_that_was_stopped_is_no_failure() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        (request.asked_for() == AskedFor::Answer).then(|| Script::answer("Some words ").in_chunks(3).stall())
    });
    let ann = app.user("ann");
    let mut stream = ann.ask(&ann.conversation().await, json!({"content": "Why?"})).await;
    let run = stream.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    stream.until("stage1_token").await;
    ann.post(&format!("/api/runs/{run}/cancel"), json!({})).await.ok();
    assert_eq!(stream.rest().await.last().unwrap().kind(), "cancelled");
    let admin = app.admin();
    let report = admin.get("/api/admin/usage").await.ok();
    let usage = named(&report, "ann");
    assert!(usage["calls"].as_i64() > Some(0), "{usage}");
    assert_eq!(usage["failed_calls"], 0);
    let runs = admin.get("/api/admin/runs").await.ok();
    assert_eq!(
        (&runs["runs"][0]["status"], &runs["runs"][0]["failed_calls"]),
        (&json!("cancelled"), &json!(0))
    );
    assert_eq!(admin.get("/api/admin/runs?failures=true").await.ok()["runs"], json!([]));
    app.close().await;
}

#[tokio::test]
async fn what_one_person_used_can_be_asked_for() {
    let app = used().await;
    let admin = app.admin();
    let whose = "user=QUO%22ted;%20comma";
    let by_model = admin.get(&format!("/api/admin/usage?by=model&{whose}")).await.ok();
    assert_eq!(named(&by_model, "m/one")["cost_usd"], json!(0.25), "{by_model}");
    let by_user = admin.get(&format!("/api/admin/usage?{whose}")).await.ok();
    assert_eq!(by_user["rows"].as_array().unwrap().len(), 1);
    let csv = admin.get(&format!("/api/admin/usage?format=csv&{whose}")).await;
    assert_eq!(csv.text.lines().count(), 2, "{}", csv.text);
    let runs = async |query: &str| {
        let found = admin.get(&format!("/api/admin/runs?{query}")).await.ok();
        found["runs"].as_array().unwrap().iter().map(|run| run["user"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(runs(whose).await, ["quo\"ted; comma"]);
    assert_eq!(runs("user=").await.len(), 3, "a field that is not filled in");
    assert_eq!(runs(&format!("{whose}&failures=true&offset=1")).await.len(), 0);
    assert_eq!(admin.get("/api/admin/usage?user=nobody").await.ok()["rows"], json!([]));
    assert_eq!(runs("user=nobody").await.len(), 0);
    let log = admin.get("/api/admin/audit?action=usage").await.ok();
    let targets: Vec<_> = log["entries"].as_array().unwrap().iter().map(|entry| &entry["target"]).collect();
    assert_eq!(targets[1..], ["quo\"ted; comma"; 3], "whose was looked at is noted");
    app.close().await;
}

#[tokio::test]
async fn the_audit_log_can_be_narrowed_down() {
    let app = TestApp::start().await;
    let (ann, bob, admin) = (app.user("ann"), app.user("bob"), app.admin());
    ann.get("/api/user").await.ok();
    let of_ann = ann.conversation().await;
    ann.send("DELETE", &format!("/api/conversations/{of_ann}"), None).await.ok();
    bob.send("DELETE", &format!("/api/conversations/{}", bob.conversation().await), None).await.ok();
    bob.put("/api/config", json!({"council_models": ["m/one", "m/two"]})).await.ok();
    admin.post("/api/admin/blocks", json!({"user": "ann", "reason": "Gone."})).await.ok();
    let found = async |query: &str| {
        let log = admin.get(&format!("/api/admin/audit?{query}")).await.ok();
        let what = |entry: &Value| {
            format!("{} {}", entry["user"].as_str().unwrap(), entry["action"].as_str().unwrap())
        };
        log["entries"].as_array().unwrap().iter().map(what).collect::<Vec<_>>()
    };
    assert_eq!(found("user=Bob").await, ["bob settings.change", "bob conversation.delete"]);
    assert_eq!(found("action=conversation").await, ["bob conversation.delete", "ann conversation.delete"]);
    assert_eq!(found("action=conversation.delete&user=ann").await, ["ann conversation.delete"]);
    assert_eq!(found("action=conv").await, [""; 0], "a noun is a whole one");
    assert_eq!(found("target=ann").await, ["root user.block"]);
    assert_eq!(found(&format!("target={of_ann}")).await, ["ann conversation.delete"]);
    assert_eq!(found("to=2001-01-01").await, [""; 0]);
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let yesterday = today.yesterday().unwrap();
    assert_eq!(found(&format!("from={yesterday}&action=user&limit=1")).await, ["root user.block"]);
    app.close().await;
}

#[tokio::test]
async fn users_are_found_by_any_of_their_names_and_administrators_are_marked() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("remote-name", "Ann Müller").with("remote-email", "a.m@example.org");
    ann.with("remote-groups", "staff").get("/api/user").await.ok();
    app.user("bob").with("remote-groups", "writers").get("/api/user").await.ok();
    app.admin().get("/api/user").await.ok();
    let found = async |query: &str| {
        let list = app.admin().get(&format!("/api/admin/users?{query}")).await.ok();
        let mut ids: Vec<_> = list["users"].as_array().unwrap().clone();
        ids.sort_by_key(|user| user["id"].to_string());
        ids
    };
    let ids =
        async |query: &str| found(query).await.iter().map(|user| user["id"].clone()).collect::<Vec<_>>();
    let all = found("search=").await;
    assert_eq!(all.iter().map(|user| &user["is_admin"]).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(all[0]["groups"], json!(["staff"]));
    for search in ["ANN", "m%C3%BCll", "%20.M@EXAMPLE%20"] {
        assert_eq!(ids(&format!("search={search}")).await, ["ann"], "{search}");
    }
    assert_eq!(ids("search=%25").await, [""; 0], "no pattern");
    assert_eq!(ids("search=o&limit=1&offset=1").await.len(), 1);
    app.close().await;
}
