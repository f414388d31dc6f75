//! How long conversations are kept in which nothing happens.

use serde_json::json;

use llm_council::id::{ProjectId, UserId};
use llm_council::store::{Scope, expire};

use super::{act, count};
use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

#[tokio::test]
async fn what_nobody_touches_is_deleted_after_its_time_and_says_so_a_week_before() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let (old, fresh) = (ann.conversation().await, ann.conversation().await);
    let aged = |days: u32| {
        format!("UPDATE conversations SET updated_at = now() - interval '{days} days' WHERE id = '{old}'")
    };
    act(&app, &aged(400)).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0, "off by default");
    let shown = ann.get(&format!("/api/conversations/{old}")).await.ok();
    assert!(shown.get("expires_at").is_none(), "{shown}");
    assert_eq!(ann.get("/api/me/data").await.ok()["retention_days"], json!(null));

    assert_eq!(root.put("/api/admin/retention", json!({"days": -1})).await.wrong_fields(), ["days"]);
    assert_eq!(root.put("/api/admin/retention", json!({})).await.wrong_fields(), ["days"]);
    assert_eq!(ann.put("/api/admin/retention", json!({"days": 1})).await.status, 403);
    assert_eq!(root.put("/api/admin/retention", json!({"days": 30})).await.ok()["days"], 30);
    assert_eq!(ann.get("/api/me/data").await.ok()["retention_days"], 30);
    // A new rule deletes nothing in its first week, and says what it will delete.
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    let shown = ann.get(&format!("/api/conversations/{old}")).await.ok();
    assert!(shown["expires_at"].is_string(), "{shown}");
    act(&app, "UPDATE retention SET since = now() - interval '8 days'").await;
    act(&app, &aged(22)).await;
    assert!(ann.get(&format!("/api/conversations/{old}")).await.ok().get("expires_at").is_none());
    act(&app, &aged(24)).await;
    assert!(ann.get(&format!("/api/conversations/{old}")).await.ok()["expires_at"].is_string());
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    act(&app, &aged(31)).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 1);
    assert_eq!(ann.get(&format!("/api/conversations/{old}")).await.status, 404);
    assert_eq!(ann.get(&format!("/api/conversations/{fresh}")).await.status, 200);
    assert_eq!(count(&app, "SELECT count(*) FROM conversations").await, 1);

    let back = root.put("/api/admin/retention", json!({"days": null})).await.ok();
    assert_eq!((&back["days"], &back["chosen_days"]), (&json!(0), &json!(null)));
    app.close().await;
}

#[tokio::test]
async fn what_is_deleted_says_when_it_is_gone_by_whichever_rule_comes_first() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    app.admin().put("/api/admin/retention", json!({"days": 30})).await.ok();
    act(&app, "UPDATE retention SET since = now() - interval '8 days'").await;
    ann.send("DELETE", &format!("/api/conversations/{id}"), None).await.ok();
    let mut told = Vec::new();
    for deleted_for in [1, 29] {
        let sql = format!(
            "UPDATE conversations SET updated_at = now() - interval '26 days',
                    deleted_at = now() - interval '{deleted_for} days'"
        );
        act(&app, &sql).await;
        let list = ann.get("/api/conversations?deleted=true").await.ok();
        told.push(list[0]["expires_at"].as_str().expect("it says so").to_owned());
    }
    assert!(told[1] < told[0], "in a day, and not in four: {told:?}");
    app.close().await;
}

#[tokio::test]
async fn the_configuration_says_it_where_nobody_has_chosen() {
    let app = TestApp::with("[retention]\ndays = 90\n").await;
    assert_eq!(app.admin().get("/api/admin/retention").await.ok()["configured_days"], 90);
    expire(&app.app.db, 90).await.unwrap();
    assert_eq!(app.user("ann").get("/api/me/data").await.ok()["retention_days"], 90);
    app.admin().put("/api/admin/retention", json!({"days": 0})).await.ok();
    expire(&app.app.db, 90).await.unwrap();
    assert_eq!(app.user("ann").get("/api/me/data").await.ok()["retention_days"], json!(null));
    app.close().await;
}

#[tokio::test]
async fn servers_that_are_configured_differently_say_that_nothing_is_deleted() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    expire(db.db(), 30).await.unwrap();
    let server = Program::council(&db, &models).set("retention.days", "90").serve().await;
    server.until_logged(|log| log.contains("servers of this database have different values")).await;
    let told = server.log_lines().into_iter().find(|line| line["before"].is_number()).expect("a line");
    assert_eq!((&told["level"], &told["before"], &told["now"]), (&json!("WARN"), &json!(30), &json!(90)));
}

/// A project of somebody's.
async fn project_of(user: &User<'_>) -> String {
    user.post("/api/projects", json!({"name": "Herons"})).await.ok()["id"].as_str().unwrap().to_owned()
}

async fn begun_in(user: &User<'_>, project: &str) -> String {
    let made = user.post("/api/conversations", json!({"project_id": project})).await.ok();
    made["id"].as_str().unwrap().to_owned()
}

async fn expires(user: &User<'_>, conversation: &str) -> bool {
    user.get(&format!("/api/conversations/{conversation}")).await.ok().get("expires_at").is_some()
}

/// Lets this many days go by over everything.
async fn go_by(app: &TestApp, days: u32) {
    for (table, column) in [
        ("conversations", "updated_at"),
        ("conversations", "moved_at"),
        ("projects", "retention_since"),
        ("retention", "since"),
    ] {
        act(app, &format!("UPDATE {table} SET {column} = {column} - interval '{days} days'")).await;
    }
}

#[tokio::test]
async fn a_rule_of_a_project_takes_the_place_of_the_rule_for_all() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let (short, long, plain) = (project_of(&ann).await, project_of(&ann).await, project_of(&ann).await);
    let rule = |project: &str| format!("/api/admin/retention/projects/{project}");
    root.put("/api/admin/retention", json!({"days": 30})).await.ok();
    let chosen = root.put(&rule(&short), json!({"days": 10})).await.ok();
    assert_eq!(chosen, json!({"project_id": short, "days": 10}));
    root.put(&rule(&long), json!({"days": 0})).await.ok();
    assert_eq!(ann.get(&format!("/api/projects/{short}")).await.ok()["retention_days"], 10);
    assert!(ann.get(&format!("/api/projects/{plain}")).await.ok().get("retention_days").is_none());
    go_by(&app, 100).await;
    let outside = ann.conversation().await;
    let (soon, kept, usual) =
        (begun_in(&ann, &short).await, begun_in(&ann, &long).await, begun_in(&ann, &plain).await);
    go_by(&app, 12).await;
    assert!(expires(&ann, &soon).await, "a week before");
    assert!(!expires(&ann, &usual).await && !expires(&ann, &outside).await);
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 1);
    assert_eq!(ann.get(&format!("/api/conversations/{soon}")).await.status, 404);
    go_by(&app, 12).await;
    assert!(expires(&ann, &usual).await && expires(&ann, &outside).await && !expires(&ann, &kept).await);
    go_by(&app, 12).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 2);
    assert_eq!(ann.get(&format!("/api/conversations/{kept}")).await.status, 200);

    // Where there is no rule for all, that of a project counts all the same.
    root.put("/api/admin/retention", json!({"days": 0})).await.ok();
    let last = begun_in(&ann, &short).await;
    go_by(&app, 12).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 1);
    assert_eq!(ann.get(&format!("/api/conversations/{last}")).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn another_rule_for_a_conversation_deletes_nothing_in_its_first_week() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let (project, gone) = (project_of(&ann).await, project_of(&ann).await);
    let rule = format!("/api/admin/retention/projects/{project}");
    root.put("/api/admin/retention", json!({"days": 30})).await.ok();
    for project in [&project, &gone] {
        root.put(&format!("/api/admin/retention/projects/{project}"), json!({"days": 0})).await.ok();
    }
    let (stays, leaves, orphan) =
        (begun_in(&ann, &project).await, begun_in(&ann, &project).await, begun_in(&ann, &gone).await);
    go_by(&app, 100).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    // Taken back, taken out, and without its project: the rule for all counts for each of them from here on.
    root.put(&rule, json!({"days": null})).await.ok();
    let out = json!({"project_id": null});
    ann.send("PATCH", &format!("/api/conversations/{leaves}"), Some(&out)).await.ok();
    ann.send("DELETE", &format!("/api/projects/{gone}"), None).await.ok();
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    for id in [&stays, &leaves, &orphan] {
        assert!(expires(&ann, id).await, "and says so");
    }
    go_by(&app, 6).await;
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 0);
    go_by(&app, 2).await;
    // A rule that is saved as it was is no other one.
    root.put(&rule, json!({"days": null})).await.ok();
    assert_eq!(expire(&app.app.db, 0).await.unwrap(), 3);
    app.close().await;
}

#[tokio::test]
async fn administrators_choose_it_and_see_who_owns_a_project_not_what_it_is() {
    let app = TestApp::start().await;
    let (ann, root) = (app.user("ann"), app.admin());
    let (first, second) = (project_of(&ann).await, project_of(&app.user("bob")).await);
    let rule = format!("/api/admin/retention/projects/{first}");
    assert_eq!(ann.get("/api/admin/retention/projects").await.status, 403);
    assert_eq!(ann.put(&rule, json!({"days": 1})).await.status, 403);
    for wrong in [json!({}), json!({"days": -1}), json!({"days": 36_501}), json!({"days": "1"})] {
        assert_eq!(root.put(&rule, wrong).await.wrong_fields(), ["days"]);
    }
    let nowhere = format!("/api/admin/retention/projects/{}", ProjectId::generate());
    assert_eq!(root.put(&nowhere, json!({"days": 1})).await.status, 404);
    root.put(&rule, json!({"days": 365})).await.ok();
    let list = root.get("/api/admin/retention/projects").await;
    assert!(!list.text.contains("Herons"), "{}", list.text);
    let list = list.ok();
    let rows: Vec<_> = list["projects"].as_array().unwrap().iter().collect();
    let told =
        |at: usize| (&rows[at]["project_id"], &rows[at]["owners"], &rows[at]["days"], &rows[at]["chosen_by"]);
    assert_eq!(told(0), (&json!(first), &json!(["ann"]), &json!(365), &json!("root")));
    assert_eq!(told(1), (&json!(second), &json!(["bob"]), &json!(null), &json!(null)));
    assert_eq!(list["total"], 2);
    let page = root.get("/api/admin/retention/projects?limit=1&offset=1").await.ok();
    assert_eq!((&page["projects"][0]["project_id"], &page["total"]), (&json!(second), &json!(2)));
    let log = root.get("/api/admin/audit").await.ok();
    let line =
        log["entries"].as_array().unwrap().iter().find(|one| one["action"] == "retention.change_in_project");
    assert_eq!(
        line.map(|one| (&one["target"], &one["details"])),
        Some((&json!(first), &json!({"days": 365})))
    );
    // Who owns the project does not choose it, whatever a statement says.
    let mut tx = app.app.db.begin(&Scope::User(UserId::from_canonical("ann"))).await.unwrap();
    let error = sqlx::raw_sql("UPDATE projects SET retention_days = 0").execute(&mut *tx).await.unwrap_err();
    assert!(error.to_string().contains("permission denied"), "{error}");
    app.close().await;
}
