//! What becomes of a project, and of what is in it, when somebody's data is copied, erased, held or kept no longer.

use std::io::{Cursor, Read as _};

use llm_council::store;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use super::links::link_for;
use super::{asked_in, let_in, listed, project, team};
use crate::support::app::{TestApp, User};

async fn act(app: &TestApp, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut app.db.superuser().await).await.unwrap();
}

async fn erase(user: &User<'_>, name: &str) {
    user.send("DELETE", "/api/me", Some(&json!({"confirm": name}))).await.ok();
}

/// The owners that the database has of a project.
async fn owners(app: &TestApp, project: &str) -> Vec<String> {
    let sql = "SELECT kind || '/' || name AS owner FROM project_members
               WHERE project_id = $1::uuid AND role = 'owner' ORDER BY 1";
    let rows = sqlx::query(sql).bind(project).fetch_all(&mut app.db.superuser().await).await.unwrap();
    rows.iter().map(|row| row.get("owner")).collect()
}

#[tokio::test]
async fn who_is_erased_hands_over_what_only_they_own() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let with = async |members: &[(&str, &str)]| {
        let id = project(&ann, json!({"name": "Herons"})).await;
        for (who, role) in members {
            let_in(&ann, &id, who, role).await;
        }
        id
    };
    let writers = [
        ("group/staff", "writer"),
        ("user/will", "writer"),
        ("user/wendy", "writer"),
        ("user/vera", "viewer"),
    ];
    let to_a_person = with(&writers).await;
    let to_a_group = with(&writers[..1]).await;
    let to_its_group = with(&[("group/birds", "owner"), ("user/will", "writer")]).await;
    let to_the_other = with(&[("user/otto", "owner"), ("user/will", "writer")]).await;
    let to_nobody = with(&[("user/vera", "viewer"), ("group/staff", "viewer")]).await;
    let not_hers = project(&app.user("otto"), json!({"name": "Storks"})).await;
    let_in(&app.user("otto"), &not_hers, "user/ann", "owner").await;

    // What Will has in two of them, and Ann in one.
    let stays = asked_in(&app.user("will"), &to_a_person, "Why do herons wait?").await;
    let hers = asked_in(&ann, &to_a_person, "And why do they fly?").await;
    let_in(&ann, &to_nobody, "user/will", "writer").await;
    let outside = asked_in(&app.user("will"), &to_nobody, "Where are they?").await;
    super::put_out(&ann, &to_nobody, "user/will").await;

    erase(&ann, "ann").await;
    assert_eq!(owners(&app, &to_a_person).await, ["user/will"], "who has been a writer for longest");
    assert_eq!(owners(&app, &to_a_group).await, ["group/staff"]);
    assert_eq!(owners(&app, &to_its_group).await, ["group/birds"]);
    assert_eq!(owners(&app, &to_the_other).await, ["user/otto"]);
    assert_eq!(owners(&app, &not_hers).await, ["user/otto"]);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM projects WHERE id = $1::uuid")
        .bind(&to_nobody)
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(left, 0, "nobody could write in it");
    let his = app.user("will").get(&format!("/api/conversations/{outside}")).await.ok();
    assert_eq!(his.get("project_id"), None, "and what is his is his");
    assert_eq!(listed(&app.user("vera"), &to_a_person).await, [stays], "{hers} went with her");
    app.close().await;
}

#[tokio::test]
async fn who_owns_a_project_by_a_group_alone_lets_people_in_and_out() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = project(&ann, json!({"name": "Herons"})).await;
    let_in(&ann, &id, "group/birds", "owner").await;
    let_in(&ann, &id, "user/will", "writer").await;
    erase(&ann, "ann").await;
    let bea = app.user("bea").with("remote-groups", "birds");
    let_in(&bea, &id, "user/vera", "viewer").await;
    let_in(&bea, &id, "user/will", "viewer").await;
    assert_eq!(super::put_out(&bea, &id, "user/vera").await, 200);
    app.user("will").post(&format!("/api/projects/{id}/leave"), json!({})).await.ok();
    assert_eq!(owners(&app, &id).await, ["group/birds"]);
    app.close().await;
}

#[tokio::test]
async fn no_table_knows_who_is_erased_as_a_member() {
    let app = TestApp::start().await;
    let otto = app.user("otto");
    let id = project(&otto, json!({"name": "Storks"})).await;
    let_in(&otto, &id, "user/zephyrine", "writer").await;
    let_in(&otto, &id, "group/zephyrine-fans", "viewer").await;
    let_in(&otto, &id, "user/zephyrine", "viewer").await;
    erase(&app.user("zephyrine"), "zephyrine").await;
    for (table, sql) in [
        (
            "project_members",
            "SELECT count(*) FROM project_members WHERE kind = 'user' AND name = 'zephyrine'",
        ),
        (
            "audit_log",
            "SELECT count(*) FROM audit_log WHERE details ->> 'member' = 'user/zephyrine' OR user_id = 'zephyrine'",
        ),
    ] {
        let rows: i64 = sqlx::query_scalar(sql).fetch_one(&mut app.db.superuser().await).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    let noted: i64 =
        sqlx::query_scalar("SELECT count(*) FROM audit_log WHERE details ->> 'member' LIKE 'user/erased-%'")
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
    assert_eq!(noted, 2, "the lines stay");
    let view = otto.get(&format!("/api/projects/{id}")).await.ok();
    assert_eq!(view["members"].as_array().unwrap().len(), 2, "a group of a like name is another: {view}");
    app.close().await;
}

#[tokio::test]
async fn a_copy_of_ones_data_has_the_projects_that_one_is_in_by_name() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    project(&app.user("bob"), json!({"name": "Bob's"})).await;
    let own = asked_in(&app.user("will"), &id, "Why do herons wait?").await;
    asked_in(&app.user("ann"), &id, "And why do they fly?").await;
    link_for(&app.user("will"), &own, &id).await;
    let bytes =
        app.user("will").request("GET", "/api/me/export").send().await.unwrap().bytes().await.unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes.to_vec())).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let json = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let projects = json(text("projects.json"));
    assert_eq!((projects.as_array().unwrap().len(), &projects[0]["name"]), (1, &json!("Herons")));
    let memberships = json(text("project_memberships.json"));
    assert_eq!((&memberships[0]["project_id"], &memberships[0]["role"]), (&json!(id), &json!("writer")));
    assert_eq!(json(text("shared_conversations.json"))[0]["project_id"], id.as_str());
    let index = json(text("index.json"));
    assert_eq!(index["counts"]["conversations"], 1, "others' conversations are others'");
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let detail = names.iter().find(|name| name.ends_with(&format!("{own}.json"))).unwrap();
    let mut shown = String::new();
    archive.by_name(detail).unwrap().read_to_string(&mut shown).unwrap();
    assert_eq!(json(shown)["project_id"], id.as_str());
    app.close().await;
}

#[tokio::test]
async fn what_is_kept_no_longer_goes_out_of_a_project_too_and_a_hold_keeps_it() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let old = asked_in(&app.user("will"), &id, "Why?").await;
    let held = asked_in(&app.user("ann"), &id, "Why not?").await;
    app.admin().post("/api/admin/holds", json!({"user": "ann", "reason": "A case"})).await.ok();
    act(&app, "UPDATE conversations SET updated_at = now() - interval '100 days', moved_at = now() - interval '100 days'").await;
    app.admin().put("/api/admin/retention", json!({"days": 30})).await.ok();
    act(&app, "UPDATE retention SET since = now() - interval '30 days'").await;
    assert_eq!(store::expire(app.db.db(), 0).await.unwrap(), 1);
    assert_eq!(listed(&app.user("vera"), &id).await, [held], "{old} is gone");
    let refused = app.user("ann").send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await;
    assert_eq!(refused.status, 409);
    assert_eq!(owners(&app, &id).await, ["user/ann"]);
    app.close().await;
}
