//! Links for the members of a project: whoever is in it at the moment of reading has what they show, everybody else a 404.

use llm_council::id::UserId;
use llm_council::store::Scope;
use serde_json::{Value, json};

use super::{asked, asked_in, let_in, project, put_out, team};
use crate::support::app::{TestApp, User};

/// What the server says to who reads a link and goes on with a copy, where they may and where they may not.
const LET_IN: (u16, u16) = (200, 201);
const SHUT_OUT: (u16, u16) = (404, 404);

/// Shares a conversation with the members of a project: the link's path.
pub async fn link_for(user: &User<'_>, conversation: &str, project: &str) -> String {
    let body = json!({"project_id": project});
    let made = user.post(&format!("/api/conversations/{conversation}/shares"), body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    assert_eq!(made["project_id"], project);
    format!("/api/shares/{}", made["id"].as_str().unwrap())
}

async fn said(user: &User<'_>, link: &str) -> (u16, u16) {
    (user.get(link).await.status, user.post(&format!("{link}/copy"), json!({})).await.status)
}

/// How many rows of `shares` the database shows somebody in these groups who names this link: a statement without a `WHERE`.
async fn seen(app: &TestApp, user: &str, groups: &[&str], link: &str) -> i64 {
    let mut tx = app.app.db.begin(&Scope::User(UserId::from_canonical(user))).await.unwrap();
    sqlx::query(
        "SELECT set_config('app.share_id', $1, true), set_config('app.groups', ($2::text[])::text, true)",
    )
    .bind(link.rsplit('/').next())
    .bind(groups)
    .execute(&mut *tx)
    .await
    .unwrap();
    sqlx::query_scalar("SELECT count(*) FROM shares").fetch_one(&mut *tx).await.unwrap()
}

#[tokio::test]
async fn a_link_for_a_project_is_read_by_its_members_and_not_there_for_others() {
    let app = TestApp::start().await;
    let (ann, will, vera) = (app.user("ann"), app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let_in(&ann, &id, "group/staff", "viewer").await;
    // Of a conversation that is not in it: the link is all that they have of that.
    let own = asked(&will, "Why do herons wait?").await;
    let link = link_for(&will, &own, &id).await;
    let bob = |groups: &str| app.user("bob").with("remote-groups", groups);
    for member in [&will, &ann, &vera, &bob("staff")] {
        assert_eq!(said(member, &link).await, LET_IN);
    }
    let read = vera.get(&link).await.ok();
    assert_eq!(
        (&read["is_mine"], &read["messages"][0]["content"]),
        (&json!(false), &json!("Why do herons wait?"))
    );

    // And not where it never was.
    let never = "/api/shares/8b7d0b0e-6d2c-4c6e-9a53-2f6a3f0f7f55";
    for (who, other) in [("bob", bob("")), ("bob of another group", bob("staf")), ("an admin", app.admin())] {
        assert_eq!(said(&other, &link).await, SHUT_OUT, "{who}");
        assert_eq!(other.get(&link).await.text, other.get(never).await.text, "{who}");
    }

    // One for everybody beside it.
    let shares = format!("/api/conversations/{own}/shares");
    let open = will.post(&shares, json!({"project_id": null})).await.json();
    let open = format!("/api/shares/{}", open["id"].as_str().unwrap());
    assert_eq!(said(&bob(""), &open).await, LET_IN);
    let list = will.get("/api/shares").await.ok();
    let projects: Vec<_> =
        list["shares"].as_array().unwrap().iter().map(|one| one.get("project_id")).collect();
    assert_eq!(projects, [None, Some(&json!(id))], "newest first");
    app.close().await;
}

#[tokio::test]
async fn a_role_or_a_group_that_ends_ends_what_a_link_shows_with_the_next_request() {
    let app = TestApp::start().await;
    let (ann, will, vera) = (app.user("ann"), app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let_in(&ann, &id, "group/staff", "viewer").await;
    let own = asked_in(&will, &id, "Why do herons wait?").await;
    let link = link_for(&will, &own, &id).await;
    let leave = format!("/api/projects/{id}/leave");

    assert_eq!(said(&vera, &link).await, LET_IN);
    vera.post(&leave, json!({})).await.ok();
    assert_eq!(said(&vera, &link).await, SHUT_OUT, "she has left");
    let bob = |groups: &str| app.user("bob").with("remote-groups", groups);
    assert_eq!(said(&bob("staff"), &link).await, LET_IN);
    assert_eq!(said(&bob("other"), &link).await, SHUT_OUT, "he has lost the group");

    // A token says nothing of groups: those of the last visit count.
    let permissions = json!({"name": "cli", "permissions": ["read", "ask"]});
    let token = bob("staff").post("/api/tokens", permissions).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let program = app.user("").without_identity().with("authorization", &bearer);
    bob("staff").get("/api/user").await.ok();
    assert_eq!(said(&program, &link).await, LET_IN);
    bob("other").get("/api/user").await.ok();
    assert_eq!(said(&program, &link).await, SHUT_OUT);
    assert_eq!(put_out(&ann, &id, "group/staff").await, 200);
    assert_eq!(said(&bob("staff"), &link).await, SHUT_OUT, "the group was put out");

    // Whoever has made it reads it and withdraws it, also when they have left.
    will.post(&leave, json!({})).await.ok();
    assert_eq!(will.get(&link).await.ok()["is_mine"], true);
    assert_eq!(said(&ann, &link).await, LET_IN);
    assert_eq!(ann.send("DELETE", &link, None).await.status, 404);
    will.send("DELETE", &link, None).await.ok();
    assert_eq!(said(&ann, &link).await, SHUT_OUT);
    app.close().await;
}

#[tokio::test]
async fn a_link_goes_with_its_project_and_the_conversation_stays() {
    let app = TestApp::start().await;
    let (ann, will) = (app.user("ann"), app.user("will"));
    let id = team(&app).await;
    let own = asked_in(&will, &id, "Why?").await;
    let link = link_for(&will, &own, &id).await;
    let open = will.post(&format!("/api/conversations/{own}/shares"), json!({})).await.json();
    ann.send("DELETE", &format!("/api/projects/{id}"), None).await.ok();
    for user in [&will, &ann] {
        assert_eq!(said(user, &link).await, SHUT_OUT);
    }
    let left = will.get("/api/shares").await.ok();
    assert_eq!((&left["total"], &left["shares"][0]["id"]), (&json!(1), &open["id"]), "that for everybody");
    will.get(&format!("/api/conversations/{own}")).await.ok();
    app.close().await;
}

#[tokio::test]
async fn nobody_makes_a_link_for_a_project_that_they_are_not_in() {
    let app = TestApp::start().await;
    let (will, vera) = (app.user("will"), app.user("vera"));
    let id = team(&app).await;
    let bobs = project(&app.user("bob"), json!({"name": "Storks"})).await;
    let own = asked(&will, "Why?").await;
    let shares = format!("/api/conversations/{own}/shares");
    let missing = "01890000-0000-7000-8000-000000000000";
    for wrong in [json!(bobs), json!(missing), json!("no-id"), json!(7)] {
        let refused = will.post(&shares, json!({"project_id": wrong})).await;
        assert_eq!(refused.wrong_fields(), ["project_id"], "{}", refused.text);
    }
    let [theirs, none] = [bobs.as_str(), missing].map(|id| json!({"project_id": id}));
    assert_eq!(will.post(&shares, theirs).await.text, will.post(&shares, none).await.text);
    assert_eq!(will.get("/api/shares").await.ok()["total"], 0);
    // To show something of one's own in it is to write nothing there; and what is another's is another's.
    let hers = asked(&vera, "Why not?").await;
    let link = link_for(&vera, &hers, &id).await;
    assert_eq!(said(&will, &link).await, LET_IN);
    assert_eq!(vera.post(&shares, json!({"project_id": id})).await.status, 404);
    let log = app.admin().get("/api/admin/audit?action=share.create").await.ok();
    let details: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().map(|entry| &entry["details"]).collect();
    assert_eq!(details, [&json!({"days": 30, "project": id})]);
    app.close().await;
}

#[tokio::test]
async fn the_database_itself_keeps_a_link_for_a_project_from_others() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = team(&app).await;
    let_in(&ann, &id, "group/staff", "viewer").await;
    let own = asked(&app.user("will"), "Why?").await;
    let link = link_for(&app.user("will"), &own, &id).await;
    assert_eq!(seen(&app, "will", &[], &link).await, 1);
    assert_eq!(seen(&app, "vera", &[], &link).await, 1);
    assert_eq!(seen(&app, "bob", &["staff"], &link).await, 1);
    assert_eq!(seen(&app, "vera", &[], "").await, 0, "there is no list of them");
    // The version before this one asks just so, and names no groups.
    assert_eq!(seen(&app, "bob", &[], &link).await, 0);
    assert_eq!(put_out(&ann, &id, "user/vera").await, 200);
    assert_eq!(seen(&app, "vera", &[], &link).await, 0);

    let bobs = asked(&app.user("bob"), "Why?").await;
    let mut tx = app.app.db.begin(&Scope::User(UserId::from_canonical("bob"))).await.unwrap();
    let refused = sqlx::query(
        "INSERT INTO shares (id, user_id, conversation_id, shared_by, title, messages, message_count, expires_at, project_id)
         VALUES (gen_random_uuid(), 'bob', $1::uuid, 'bob', 't', '[]', 1, 'infinity', $2::uuid)",
    )
    .bind(bobs)
    .bind(id)
    .execute(&mut *tx)
    .await
    .unwrap_err()
    .to_string();
    assert!(refused.contains("row-level security"), "{refused}");
    drop(tx);
    app.close().await;
}
