//! Every role at every route, and roles that come and go.

use llm_council::id::{ProjectId, UserId};
use llm_council::store::{Scope, StoreError, conversations, shares};
use serde_json::{Value, json};

use super::{asked_in, holding, let_in, listed, move_to, project, put_out, released, team};
use crate::support::app::TestApp;

/// A way in, and what the server says to an owner, a writer, a viewer, and somebody without a role.
type Row = (&'static str, &'static str, Option<Value>, [u16; 4]);

#[tokio::test]
async fn every_role_may_what_it_may_and_no_more() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let own = asked_in(&app.user("will"), &id, "Why do herons wait?").await;
    let someone = |role: Option<&str>| Some(json!({"kind": "user", "name": "zoe", "role": role}));
    let rows: [Row; 11] = [
        ("GET", "", None, [200, 200, 200, 404]),
        ("PATCH", "", Some(json!({"instructions": "Be brief."})), [200, 403, 403, 404]),
        ("PUT", "/members", someone(Some("viewer")), [200, 403, 403, 404]),
        ("DELETE", "/members", someone(None), [200, 403, 403, 404]),
        ("GET", "/conversations", None, [200, 200, 200, 404]),
        ("GET", "/conversations/{c}", None, [200, 200, 200, 404]),
        ("POST", "/conversations/{c}/copy", None, [201, 201, 201, 404]),
        // Nobody takes it out in the end: its author does that by itself.
        ("DELETE", "/conversations/{none}", None, [404, 403, 403, 404]),
        ("POST", "/leave", None, [409, 200, 200, 404]),
        ("GET", "", None, [200, 404, 404, 404]),
        ("DELETE", "", None, [200, 404, 404, 404]),
    ];
    for (method, path, body, expected) in rows {
        let path = format!("/api/projects/{id}{path}").replace("{c}", &own).replace("{none}", &id);
        // Whoever loses something comes last.
        for (name, expected) in ["ann", "will", "vera", "bob"].into_iter().zip(expected).rev() {
            let answer = app.user(name).send(method, &path, body.as_ref()).await;
            assert_eq!(answer.status, expected, "{name}: {method} {path}: {}", answer.text);
        }
    }
    let left = app.user("will").get(&format!("/api/conversations/{own}")).await.ok();
    assert_eq!(left.get("project_id"), None, "what is his stays his, outside of any project: {left}");
    app.close().await;
}

#[tokio::test]
async fn who_may_write_puts_own_conversations_in_and_begins_them_there() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    for (name, expected) in [("ann", 200), ("will", 200), ("vera", 403), ("bob", 422)] {
        let user = app.user(name);
        let made = user.post("/api/conversations", json!({"project_id": id})).await;
        assert_eq!(made.status, expected, "{name} begins one: {}", made.text);
        let first = uuid::Uuid::new_v4().to_string();
        let body = json!({"content": "Why?", "new_conversation": true, "project_id": id});
        let asked = user.post(&format!("/api/conversations/{first}/message"), body).await;
        assert_eq!(asked.status, expected, "{name} asks a first question: {}", asked.text);
        if expected == 200 {
            let shown = user.get(&format!("/api/conversations/{first}")).await.ok();
            assert_eq!(shown["project_id"], id.as_str());
        } else {
            assert_eq!(user.get(&format!("/api/conversations/{first}")).await.status, 404);
        }
        let moved = user.conversation().await;
        assert_eq!(move_to(&user, &moved, Some(&id)).await, expected, "{name} moves one");
    }
    let will = app.user("will");
    let own = will.get(&format!("/api/conversations?project_id={id}")).await.ok();
    assert_eq!(own.as_array().unwrap().len(), 3);
    assert_eq!(listed(&app.user("vera"), &id).await.len(), 6);
    // Nobody moves what is another's.
    let his = own[0]["id"].as_str().unwrap();
    assert_eq!(move_to(&app.user("ann"), his, None).await, 404);
    assert_eq!(move_to(&will, his, None).await, 200);
    let other = own[1]["id"].as_str().unwrap();
    let out = format!("/api/projects/{id}/conversations/{other}");
    assert_eq!(app.user("vera").send("DELETE", &out, None).await.status, 403);
    app.user("ann").send("DELETE", &out, None).await.ok();
    assert_eq!(will.get(&format!("/api/conversations/{other}")).await.ok().get("project_id"), None);
    assert_eq!(listed(&app.user("vera"), &id).await.len(), 4);
    for wrong in [json!("no-id"), json!(7), json!("01890000-0000-7000-8000-000000000000")] {
        let answer = will.post("/api/conversations", json!({"project_id": wrong})).await;
        assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["project_id".to_owned()]), "{wrong}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_role_that_ends_between_the_look_and_the_write_is_refused_as_one_that_ended_before() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let own = will.conversation().await;
    // The move has found a writer, and waits for the conversation.
    let holder = holding(&app, &format!("SELECT FROM conversations WHERE id = '{own}' FOR UPDATE")).await;
    let path = format!("/api/conversations/{own}");
    let body = json!({"project_id": id});
    let ended = async {
        let become_viewer = format!(
            "UPDATE project_members SET role = 'viewer' WHERE project_id = '{id}' AND name = 'will'; COMMIT"
        );
        released(&app, holder, 1, &become_viewer).await;
    };
    let (moved, ()) = tokio::join!(will.send("PATCH", &path, Some(&body)), ended);
    assert_eq!(moved.status, 403, "{}", moved.text);
    assert_eq!(will.get(&path).await.ok().get("project_id"), None);

    // The same where the project is deleted: the move waits for the end of that.
    let_in(&ann, &id, "user/will", "writer").await;
    let holder = holding(&app, &format!("DELETE FROM projects WHERE id = '{id}'")).await;
    let (moved, ()) =
        tokio::join!(will.send("PATCH", &path, Some(&body)), released(&app, holder, 1, "COMMIT"));
    assert_eq!(moved.status, 403, "{}", moved.text);
    app.close().await;
}

#[tokio::test]
async fn whatever_comes_into_a_project_is_refused_to_viewers_in_the_end() {
    let app = TestApp::start().await;
    let id = team(&app).await;
    let vera = app.user("vera");
    let own = vera.conversation().await.parse().unwrap();
    let project: ProjectId = id.parse().unwrap();
    let scope = Scope::User(UserId::from_canonical("vera"));
    let begin = || app.app.db.begin(&scope);
    let refused = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::NotAWriter)), "{result:?}");
    };
    refused(conversations::create(&mut begin().await.unwrap(), Some(project)).await.map(drop));
    refused(conversations::set_project(&mut begin().await.unwrap(), own, Some(project)).await.map(drop));
    refused(shares::copy(&mut begin().await.unwrap(), "Herons", &[], Some(project)).await.map(drop));
    app.close().await;
}

#[tokio::test]
async fn a_group_lets_in_from_one_request_to_the_next_and_its_loss_ends_that() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = project(&ann, json!({"name": "Herons"})).await;
    let shown = asked_in(&ann, &id, "Why do herons wait?").await;
    let_in(&ann, &id, "group/staff", "viewer").await;
    let_in(&ann, &id, "group/birds", "writer").await;
    let path = format!("/api/projects/{id}/conversations/{shown}");
    let bob = |groups: &str| app.user("bob").with("remote-groups", groups);
    let role = async |groups: &str| {
        let answer = bob(groups).get(&format!("/api/projects/{id}")).await;
        (answer.status == 200).then(|| answer.json()["role"].as_str().unwrap().to_owned())
    };
    assert_eq!(role("").await, None);
    assert_eq!(role("staff").await.as_deref(), Some("viewer"));
    bob("staff").get(&path).await.ok();
    assert_eq!(bob("sta").get(&path).await.status, 404);
    assert_eq!(role("staff,birds").await.as_deref(), Some("writer"), "the highest counts");
    let own = bob("birds").conversation().await;
    assert_eq!(move_to(&bob("birds"), &own, Some(&id)).await, 200);
    assert_eq!(bob("staff").get("/api/projects").await.ok()["projects"].as_array().unwrap().len(), 1);
    // The group is gone: so is the access, at once, and what is his can be taken out, but not gone on with.
    for path in [path.clone(), format!("/api/projects/{id}"), format!("{path}/copy")] {
        let method = if path.ends_with("copy") { "POST" } else { "GET" };
        assert_eq!(bob("other").send(method, &path, None).await.status, 404, "{path}");
    }
    assert_eq!(bob("other").get("/api/projects").await.ok()["projects"], json!([]));
    let ask = async |groups: &str| {
        bob(groups).post(&format!("/api/conversations/{own}/message"), json!({"content": "Why?"})).await
    };
    let refused = ask("other").await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(refused.json()["type"], "urn:llm-council:problem:not-a-writer");
    assert_eq!(ask("staff").await.status, 403);
    ask("birds").await.ok();
    assert_eq!(move_to(&bob("other"), &own, None).await, 200);
    ask("other").await.ok();

    // By name and by group: the higher role, and the other one when that ends.
    let_in(&ann, &id, "user/bob", "owner").await;
    assert_eq!(role("staff").await.as_deref(), Some("owner"));
    assert_eq!(put_out(&ann, &id, "user/bob").await, 200);
    assert_eq!(role("staff").await.as_deref(), Some("viewer"));
    let leaves = bob("staff").post(&format!("/api/projects/{id}/leave"), json!({})).await;
    assert_eq!(leaves.status, 409, "a role of a group is not left by oneself: {}", leaves.text);

    // A token says nothing of groups: those of the last visit count, as for budgets.
    bob("staff").get("/api/user").await.ok();
    let token =
        bob("staff").post("/api/tokens", json!({"name": "cli", "permissions": ["read", "ask"]})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let program = app.user("").without_identity().with("authorization", &bearer);
    program.get(&path).await.ok();
    bob("other").get("/api/user").await.ok();
    assert_eq!(program.get(&path).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn a_project_is_never_without_a_person_who_owns_it() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let_in(&ann, &id, "group/birds", "owner").await;
    let members = format!("/api/projects/{id}/members");
    let demoted = ann.put(&members, json!({"kind": "user", "name": "ann", "role": "writer"})).await;
    assert_eq!(demoted.status, 409, "{}", demoted.text);
    assert_eq!(put_out(&ann, &id, "user/ann").await, 409, "a group may be empty");
    assert_eq!(ann.post(&format!("/api/projects/{id}/leave"), json!({})).await.status, 409);
    let_in(&ann, &id, "user/will", "owner").await;
    // Two who leave at once: one stays.
    let leave = format!("/api/projects/{id}/leave");
    let (one, other) = tokio::join!(ann.post(&leave, json!({})), will.post(&leave, json!({})));
    let mut said = [one.status, other.status];
    said.sort_unstable();
    assert_eq!(said, [200, 409]);
    app.close().await;
}

#[tokio::test]
async fn two_owners_who_change_different_things_at_once_lose_neither() {
    let app = TestApp::start().await;
    let (ann, otto) = (app.user("ann"), app.user("otto"));
    let id = project(&ann, json!({"name": "Herons", "instructions": "Be brief."})).await;
    let_in(&ann, &id, "user/otto", "owner").await;
    let path = format!("/api/projects/{id}");
    let holder = holding(&app, &format!("SELECT FROM projects WHERE id = '{id}' FOR UPDATE")).await;
    let (name, instructions) = (json!({"name": "Storks"}), json!({"instructions": "Be kind."}));
    let (one, other, ()) = tokio::join!(
        ann.send("PATCH", &path, Some(&name)),
        otto.send("PATCH", &path, Some(&instructions)),
        released(&app, holder, 2, "COMMIT"),
    );
    assert_eq!((one.status, other.status), (200, 200), "{} {}", one.text, other.text);
    let view = ann.get(&path).await.ok();
    assert_eq!((&view["name"], &view["instructions"]), (&json!("Storks"), &json!("Be kind.")));
    app.close().await;
}

#[tokio::test]
async fn two_moves_at_once_are_both_on_record() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let projects =
        [project(&ann, json!({"name": "Herons"})).await, project(&ann, json!({"name": "Storks"})).await];
    let own = ann.conversation().await;
    let holder = holding(&app, &format!("SELECT FROM conversations WHERE id = '{own}' FOR UPDATE")).await;
    let (one, other, ()) = tokio::join!(
        move_to(&ann, &own, Some(&projects[0])),
        move_to(&ann, &own, Some(&projects[1])),
        released(&app, holder, 2, "COMMIT"),
    );
    assert_eq!((one, other), (200, 200));
    let shown = ann.get(&format!("/api/conversations/{own}")).await.ok();
    let left = projects.iter().find(|project| shown["project_id"] != project.as_str()).unwrap();
    let log = app.admin().get(&format!("/api/admin/audit?action=project&target={left}")).await.ok();
    let entries = log["entries"].as_array().unwrap();
    let actions: Vec<&str> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["project.take_out", "project.put_in", "project.create"]);
    app.close().await;
}

#[tokio::test]
async fn an_owner_who_is_put_out_at_the_same_moment_changes_no_member() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let body = json!({"kind": "user", "name": "vera", "role": "viewer"});
    for ends in [
        "DELETE FROM project_members WHERE name = 'ann'",
        "UPDATE project_members SET role = 'writer' WHERE name = 'ann'",
        "DELETE FROM projects",
    ] {
        let id = project(&ann, json!({"name": "Herons"})).await;
        let_in(&ann, &id, "user/otto", "owner").await;
        // She was found to be an owner, and waits for others who change the members.
        let others = format!("SELECT pg_advisory_xact_lock(hashtextextended('members of {id}', 0))");
        let holder = holding(&app, &others).await;
        let members = format!("/api/projects/{id}/members");
        let ended = async { released(&app, holder, 1, &format!("{ends}; COMMIT")).await };
        let (added, ()) = tokio::join!(ann.put(&members, body.clone()), ended);
        assert_eq!(added.status, 404, "{ends}: {}", added.text);
    }
    app.close().await;
}

#[tokio::test]
async fn what_a_project_is_told_is_checked_and_every_problem_is_named() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let wrong = json!({
        "name": "a\nb\u{7}", "instructions": "x".repeat(20_001), "settings": {"council_models": []},
        "options": {"content": "?"}
    });
    let refused = ann.post("/api/projects", wrong.clone()).await;
    assert_eq!(refused.status, 422);
    let fields = refused.wrong_fields();
    for field in ["name", "instructions", "settings.council_models", "options.content"] {
        assert!(fields.iter().any(|wrong| wrong == field), "{field} in {fields:?}");
    }
    assert_eq!(ann.post("/api/projects", json!({})).await.wrong_fields(), ["name"]);
    assert_eq!(ann.post("/api/projects", json!([])).await.wrong_fields(), ["body"]);
    let id = project(&ann, json!({"name": "  Grey   herons "})).await;
    let path = format!("/api/projects/{id}");
    let told = ann.send("PATCH", &path, Some(&wrong)).await;
    assert_eq!(told.status, 422);
    let view = ann.get(&path).await.ok();
    assert_eq!((&view["name"], &view["instructions"]), (&json!("Grey herons"), &json!("")));
    let members = format!("{path}/members");
    let refused = ann.put(&members, json!({"kind": "robot", "name": "", "role": 7})).await;
    assert_eq!(
        (refused.status, refused.wrong_fields()),
        (422, vec!["kind".into(), "name".into(), "role".into()])
    );
    let refused = ann.send("DELETE", &members, Some(&json!({"kind": "user"}))).await;
    assert_eq!((refused.status, refused.wrong_fields()), (422, vec!["name".to_owned()]));
    assert_eq!(put_out(&ann, &id, "user/nobody").await, 404);
    // A user's name in another spelling is the same user.
    let_in(&ann, &id, "user/BOB", "viewer").await;
    app.user("bob").get(&path).await.ok();
    assert_eq!(put_out(&ann, &id, "user/Bob").await, 200);
    for no in ["no-id", "%00", "01890000-0000-7000-8000-000000000000"] {
        assert_eq!(ann.get(&format!("/api/projects/{no}")).await.status, 404);
    }
    let token = ann.post("/api/tokens", json!({"name": "cli", "permissions": ["read", "ask"]})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let program = app.user("").without_identity().with("authorization", &bearer);
    program.get(&path).await.ok();
    let body = json!({"kind": "user", "name": "bob", "role": "owner"});
    assert_eq!(program.put(&members, body).await.status, 403, "who lets others in is a person");
    app.close().await;
}
