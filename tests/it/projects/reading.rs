//! What others read of a conversation in a project, and what they make of it.

use serde_json::json;

use super::{asked, asked_in, holding, let_in, listed, move_to, put_out, released, team};
use crate::attachments::files::taken;
use crate::support::app::TestApp;
use crate::support::model_server::{Gate, Script};

#[tokio::test]
async fn others_read_what_was_said_and_nothing_of_who_asked() {
    let app = TestApp::start().await;
    let (will, vera) = (app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let own = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let own = own["id"].as_str().unwrap();
    let file = taken(&will, "notes.txt", b"Seven herons.").await;
    let question = json!({
        "content": "Why is the sky blue?", "system_prompt": "Speak like a sailor.", "attachments": [file],
        "verbosity": 2
    });
    let asked = will.post(&format!("/api/conversations/{own}/message"), question).await.ok();

    let list = vera.get(&format!("/api/projects/{id}/conversations")).await.ok();
    let one = &list["conversations"][0];
    assert_eq!((&list["total"], &one["author"], &one["is_mine"]), (&json!(1), &json!("will"), &json!(false)));
    assert_eq!(one["message_count"], 2);
    let read = vera.get(&format!("/api/projects/{id}/conversations/{own}")).await.ok();
    assert_eq!((&read["author"], &read["is_mine"]), (&json!("will"), &json!(false)));
    let answer = &read["messages"][1];
    assert_eq!(answer["stage3"]["response"], asked["stage3"]["response"]);
    assert_eq!(answer["stage1"].as_array().unwrap().len(), 4);
    assert_eq!(answer["status"], "complete");
    assert_eq!(answer.get("run_id"), None, "no run of his can be looked for");
    assert_ne!(answer["metadata"]["process_log"], true, "its log is his");
    let named = &read["messages"][0]["attachments"][0];
    assert_eq!(named["filename"], "notes.txt");
    let content = vera.get(&format!("/api/attachments/{}/content", named["id"].as_str().unwrap())).await;
    assert_eq!(content.status, 404, "a file is named, not handed out");
    let text = read.to_string();
    assert!(!text.contains("sailor") && !text.contains("Seven herons."), "{text}");
    let run = asked["run_id"].as_str().unwrap();
    assert!(!text.contains(run), "{text}");

    // It is read there, and nowhere else, and changed by its author alone.
    let path = format!("/api/conversations/{own}");
    for (method, path, body) in [
        ("GET", path.clone(), None),
        ("PATCH", path.clone(), Some(json!({"title": "Vera's"}))),
        ("DELETE", path.clone(), None),
        ("GET", format!("{path}/export"), None),
        ("PUT", format!("{path}/tags"), Some(json!({"tags": ["veras"]}))),
        ("POST", format!("{path}/message"), Some(json!({"content": "Why?"}))),
        ("POST", format!("{path}/message/estimate"), Some(json!({"content": "Why?"}))),
        ("POST", format!("{path}/message/cancel"), None),
        ("POST", format!("{path}/shares"), Some(json!({}))),
        ("GET", format!("/api/runs/{run}"), None),
        ("GET", format!("/api/runs/{run}/events"), None),
        ("POST", format!("/api/runs/{run}/retry"), Some(json!({"from": "stage3"}))),
        ("GET", format!("/api/runs/{run}/feedback"), None),
    ] {
        for name in ["vera", "ann"] {
            let answer = app.user(name).send(method, &path, body.as_ref()).await;
            assert_eq!(answer.status, 404, "{name}: {method} {path}: {}", answer.text);
        }
    }
    assert_eq!(vera.get("/api/search?q=sky").await.ok(), json!([]));
    assert_eq!(vera.get("/api/conversations").await.ok(), json!([]));

    // What is deleted is read by nobody; brought back, it is there again.
    will.send("DELETE", &path, None).await.ok();
    assert_eq!(vera.get(&format!("/api/projects/{id}/conversations/{own}")).await.status, 404);
    assert_eq!(listed(&vera, &id).await, [""; 0]);
    will.post(&format!("{path}/restore"), json!({})).await.ok();
    assert_eq!(listed(&vera, &id).await, [own]);
    app.close().await;
}

#[tokio::test]
async fn whoever_has_a_role_finds_in_which_project_a_conversation_is() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let_in(&ann, &id, "group/staff", "viewer").await;
    let own = asked_in(&will, &id, "Why?").await;
    let path = format!("/api/conversations/{own}/project");
    let staff = app.user("stan").with("remote-groups", "staff");
    for user in [&will, &ann, &app.user("vera"), &staff] {
        assert_eq!(user.get(&path).await.ok(), json!({"project_id": id}));
    }
    assert_eq!(app.user("bob").get(&path).await.status, 404);
    assert_eq!(app.user("stan").with("remote-groups", "guests").get(&path).await.status, 404);
    let alone = asked(&will, "Mine alone?").await;
    assert_eq!(will.get(&format!("/api/conversations/{alone}/project")).await.status, 404);
    assert_eq!(will.get("/api/conversations/herons/project").await.status, 404);

    assert_eq!(put_out(&ann, &id, "user/vera").await, 200);
    assert_eq!(app.user("vera").get(&path).await.status, 404);
    will.send("DELETE", &format!("/api/conversations/{own}"), None).await.ok();
    assert_eq!(ann.get(&path).await.status, 404, "what is deleted is its author's");
    app.close().await;
}

#[tokio::test]
async fn people_have_the_names_that_the_proxy_gives_them() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let will = app.user("will").with("remote-name", "Will Heron");
    let own = asked_in(&will, &id, "Why?").await;
    will.get("/api/user").await.ok();
    app.user("bob").with("remote-name", "Bob Elsewhere").get("/api/user").await.ok();
    // A group of a person's name is no person, and whoever was never here has no name.
    let_in(&app.user("ann"), &id, "group/will", "viewer").await;

    let vera = app.user("vera");
    let project = vera.get(&format!("/api/projects/{id}")).await.ok();
    let members = project["members"].as_array().unwrap();
    let named: Vec<_> = members.iter().filter(|member| member.get("display_name").is_some()).collect();
    assert_eq!(named.len(), 1, "{members:?}");
    assert_eq!((&named[0]["name"], &named[0]["display_name"]), (&json!("will"), &json!("Will Heron")));
    assert_eq!(named[0]["kind"], "user");
    let list = vera.get(&format!("/api/projects/{id}/conversations")).await.ok();
    assert_eq!(list["conversations"][0]["author_name"], "Will Heron");
    // Whoever has left is still the author.
    assert_eq!(put_out(&app.user("ann"), &id, "user/will").await, 200);
    let read = vera.get(&format!("/api/projects/{id}/conversations/{own}")).await.ok();
    assert_eq!((&read["author"], &read["author_name"]), (&json!("will"), &json!("Will Heron")));
    app.close().await;
}

#[tokio::test]
async fn a_copy_is_ones_own_in_the_project_for_writers_and_outside_of_it_for_viewers() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let own = asked_in(&app.user("will"), &id, "Why is the sky blue?").await;
    for (name, project) in [("ann", Some(&id)), ("vera", None)] {
        let user = app.user(name);
        let copied = user.post(&format!("/api/projects/{id}/conversations/{own}/copy"), json!({})).await;
        assert_eq!(copied.status, 201, "{}", copied.text);
        let copied = copied.json()["conversation"].clone();
        assert_eq!(copied["project_id"].as_str(), project.map(String::as_str), "{name}");
        let copy = copied["id"].as_str().unwrap();
        user.post(&format!("/api/conversations/{copy}/message"), json!({"content": "And at night?"}))
            .await
            .ok();
        let shown = user.get(&format!("/api/conversations/{copy}")).await.ok();
        assert_eq!(shown["messages"].as_array().unwrap().len(), 4);
    }
    assert_eq!(listed(&app.user("vera"), &id).await.len(), 2);
    let his = app.user("will").get(&format!("/api/conversations/{own}")).await.ok();
    assert_eq!(his["messages"].as_array().unwrap().len(), 2, "what others go on with is not in his");
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_being_written_is_said_to_be_and_is_not_copied() {
    let app = TestApp::start().await;
    let (will, vera) = (app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let own = asked_in(&will, &id, "One?").await;
    let path = format!("/api/projects/{id}/conversations/{own}");
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = will.ask(&own, json!({"content": "Two?"})).await;
    live.until("stage1_start").await;
    let read = vera.get(&path).await.ok();
    assert_eq!(read["messages"][3]["status"], "running", "{}", read["messages"][3]);
    let refused = vera.post(&format!("{path}/copy"), json!({})).await;
    assert_eq!(refused.json()["type"], "urn:llm-council:problem:answer-under-way", "{}", refused.text);
    gate.open();
    live.until("complete").await;
    let empty = will.post("/api/conversations", json!({"project_id": id})).await.ok();
    let path = format!("/api/projects/{id}/conversations/{}", empty["id"].as_str().unwrap());
    assert_eq!(vera.get(&path).await.ok()["messages"], json!([]));
    assert_eq!(vera.post(&format!("{path}/copy"), json!({})).await.status, 409);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_ends_while_it_is_read_is_not_copied_without_its_text() {
    let app = TestApp::start().await;
    let (will, vera) = (app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let own = asked_in(&will, &id, "Why?").await;
    let answer = will.get(&format!("/api/conversations/{own}")).await.ok()["messages"][1].clone();
    // As it is while the answer is being written; how it stands is told when somebody lets go, and as it is then.
    sqlx::raw_sql(
        "CREATE TABLE written AS SELECT id, content, body FROM messages;
         UPDATE messages SET content = NULL, body = NULL WHERE role = 'assistant';
         UPDATE runs SET status = 'running';
         CREATE OR REPLACE FUNCTION runs_in_project(conversation uuid)
         RETURNS TABLE (id uuid, status text, error jsonb) LANGUAGE sql VOLATILE SET role = 'llm_council_engine' AS $$
             SELECT pg_advisory_xact_lock(7);
             SELECT r.id, r.status, r.error FROM runs r WHERE r.conversation_id = conversation
         $$",
    )
    .execute(&mut app.db.superuser().await)
    .await
    .unwrap();
    let holder = holding(&app, "SELECT pg_advisory_xact_lock(7)").await;
    let ends = "UPDATE messages m SET content = w.content, body = w.body FROM written w WHERE w.id = m.id;
                UPDATE runs SET status = 'complete'; COMMIT";
    let path = format!("/api/projects/{id}/conversations/{own}/copy");
    let (copied, ()) = tokio::join!(vera.post(&path, json!({})), released(&app, holder, 1, ends));
    assert_eq!(copied.status, 201, "{}", copied.text);
    let copy = copied.json()["conversation"]["id"].as_str().unwrap().to_owned();
    let shown = vera.get(&format!("/api/conversations/{copy}")).await.ok();
    assert_eq!(shown["messages"][1]["stage3"]["response"], answer["stage3"]["response"], "{shown}");
    app.close().await;
}

#[tokio::test]
async fn what_comes_and_goes_is_in_the_audit_log() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let own = asked_in(&will, &id, "Why?").await;
    assert_eq!(move_to(&will, &own, None).await, 200);
    super::put_out(&ann, &id, "user/vera").await;
    will.post(&format!("/api/projects/{id}/leave"), json!({})).await.ok();
    ann.send("PATCH", &format!("/api/projects/{id}"), Some(&json!({"name": "Storks"}))).await.ok();
    ann.send("DELETE", &format!("/api/projects/{id}"), None).await.ok();
    let log = app.admin().get("/api/admin/audit").await.ok();
    let entries = log["entries"].as_array().unwrap();
    let of_project: Vec<&str> = entries
        .iter()
        .rev()
        .filter(|entry| entry["target"] == id.as_str())
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(
        of_project,
        [
            "project.create",
            "project.member",
            "project.member",
            "project.put_in",
            "project.take_out",
            "project.member_end",
            "project.leave",
            "project.change",
            "project.delete"
        ]
    );
    let added = entries.iter().rfind(|entry| entry["action"] == "project.member").unwrap();
    assert_eq!(added["details"], json!({"member": "user/will", "role": "writer"}));
    assert!(!log.to_string().contains("Storks"), "what a project is called is its members' business");
    app.close().await;
}
