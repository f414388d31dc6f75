//! Two administrators together may read somebody's conversations for some hours, and the user sees it.

use serde_json::{Value, json};

use super::{MARK, act, all_write_the_mark, count, settle};
use crate::projects::{holding, released};
use crate::support::app::{TestApp, User};
use crate::support::device::PUSH;

use llm_council::id::{AccessId, UserId};
use llm_council::store::Scope;

/// Ann with a conversation, and a request of root's to read hers.
async fn requested(app: &TestApp) -> (String, String) {
    all_write_the_mark(app);
    let (conversation, _) = settle(app, "ann").await;
    let wanted = json!({"user": "ann", "reason": "Her manager asked, case 7", "hours": 2});
    let request = app.admin().post("/api/admin/access-requests", wanted).await.ok();
    assert_eq!((&request["is_open"], &request["approved_by"]), (&json!(false), &json!(null)));
    (conversation, request["id"].as_str().unwrap().to_owned())
}

fn second<'a>(app: &'a TestApp) -> User<'a> {
    app.user("rita").with("remote-groups", "admins")
}

async fn told(app: &TestApp) -> Value {
    app.user("ann").get("/api/me/data").await.ok()["access"].clone()
}

#[tokio::test]
async fn two_administrators_read_and_the_user_sees_who_why_when_and_what() {
    let app = TestApp::with(PUSH).await;
    let (conversation, request) = requested(&app).await;
    let (root, rita, ann) = (app.admin(), second(&app), app.user("ann"));
    let list = format!("/api/admin/access/{request}/conversations");
    let one = format!("{list}/{conversation}");
    assert_eq!(root.get(&list).await.status, 404, "nobody has approved it");
    assert_eq!(told(&app).await, json!([]), "nothing has come of it yet");
    let approve = format!("/api/admin/access-requests/{request}/approve");
    assert_eq!(root.post(&approve, json!({})).await.status, 409, "not by who asked");
    assert_eq!(
        ann.clone().with("remote-groups", "admins").post(&approve, json!({})).await.status,
        409,
        "nor by whom it is about"
    );
    assert_eq!(ann.post(&approve, json!({})).await.status, 403);
    assert_eq!(rita.post(&approve, json!({})).await.ok()["is_open"], true);
    assert_eq!(rita.post(&approve, json!({})).await.status, 409, "once");

    let seen = root.get(&list).await.ok();
    assert_eq!((&seen["total"], &seen["conversations"][0]["id"]), (&json!(1), &json!(conversation)));
    let read = rita.get(&one).await;
    assert_eq!(
        read.ok()["messages"],
        ann.get(&format!("/api/conversations/{conversation}")).await.ok()["messages"]
    );
    assert!(read.text.contains(MARK));
    let third = app.user("otto").with("remote-groups", "admins");
    assert_eq!(
        (third.get(&list).await.status, third.get(&one).await.status),
        (404, 404),
        "a third administrator"
    );
    assert_eq!(
        root.get(&format!("/api/conversations/{conversation}")).await.status,
        404,
        "only by these routes"
    );
    let bobs = app.user("bob").conversation().await;
    assert_eq!(root.get(&format!("{list}/{bobs}")).await.status, 404, "nobody else's");

    let told = told(&app).await;
    assert_eq!(told[0]["reason"], "Her manager asked, case 7");
    assert_eq!((&told[0]["requested_by"], &told[0]["approved_by"]), (&json!("root"), &json!("rita")));
    let reads: Vec<(&Value, Option<&Value>)> = told[0]["reads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|read| (&read["by"], read.get("conversation_id")))
        .collect();
    assert_eq!(
        reads,
        [(&json!("rita"), Some(&json!(conversation))), (&json!("root"), None)],
        "and no look in vain"
    );
    let log = root.get("/api/admin/audit").await.ok();
    let actions: Vec<&str> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .filter(|action| action.starts_with("access."))
        .collect();
    assert_eq!(actions, ["access.read", "access.read", "access.approve", "access.request"]);
    app.close().await;
}

#[tokio::test]
async fn who_is_erased_and_comes_back_approves_no_request_of_their_own() {
    let app = TestApp::with(PUSH).await;
    let (_, request) = requested(&app).await;
    let root = app.admin();
    root.send("DELETE", "/api/me", Some(&json!({"confirm": "root"}))).await.ok();
    let approve = format!("/api/admin/access-requests/{request}/approve");
    assert_eq!(root.post(&approve, json!({})).await.status, 409);
    assert_eq!(second(&app).post(&approve, json!({})).await.status, 409, "nobody asks any more");
    assert_eq!(root.get(&format!("/api/admin/access/{request}/conversations")).await.status, 404);
    assert_eq!(told(&app).await, json!([]));
    app.close().await;
}

#[tokio::test]
async fn nobody_asks_to_read_what_is_being_erased_or_has_just_been() {
    let app = TestApp::with(PUSH).await;
    let wanted = |user: &str| json!({"user": user, "reason": "Too late", "hours": 2});
    let root = app.admin();
    for name in ["ann", "bob"] {
        app.user(name).get("/api/user").await.ok();
    }
    act(&app, "INSERT INTO erasures (user_id) VALUES ('ann')").await;
    let answer = root.post("/api/admin/access-requests", wanted("ann")).await;
    assert_eq!(answer.status, 409, "{}", answer.text);
    // An erasure that ends once it is checked that bob is somebody.
    let holder = holding(&app, "SELECT pg_advisory_xact_lock(hashtextextended('own_data/bob', 0))").await;
    let (answer, ()) = tokio::join!(
        root.post("/api/admin/access-requests", wanted("bob")),
        released(&app, holder, 1, "DELETE FROM users WHERE id = 'bob'; COMMIT"),
    );
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert_eq!(count(&app, "SELECT count(*) FROM access_requests").await, 0);
    app.close().await;
}

#[tokio::test]
async fn it_ends_by_itself_and_by_either_of_them() {
    let app = TestApp::with(PUSH).await;
    let (_, request) = requested(&app).await;
    let (root, rita) = (app.admin(), second(&app));
    let list = format!("/api/admin/access/{request}/conversations");
    rita.post(&format!("/api/admin/access-requests/{request}/approve"), json!({})).await.ok();
    assert_eq!(root.get(&list).await.status, 200);
    act(&app, "UPDATE access_requests SET expires_at = now() - interval '1 second'").await;
    assert_eq!(root.get(&list).await.status, 404, "its time is over");
    act(&app, "UPDATE access_requests SET expires_at = now() + interval '1 hour'").await;
    assert_eq!(root.get(&list).await.status, 200);
    let revoked = root.post(&format!("/api/admin/access-requests/{request}/revoke"), json!({})).await.ok();
    assert_eq!((&revoked["is_open"], &revoked["revoked_by"]), (&json!(false), &json!("root")));
    assert_eq!((root.get(&list).await.status, rita.get(&list).await.status), (404, 404));
    assert_eq!(told(&app).await[0]["revoked_by"], "root", "the user sees that, too");

    let wanted = json!({"user": "ann", "reason": "Case 8", "hours": 1});
    let other = root.post("/api/admin/access-requests", wanted).await.ok()["id"].as_str().unwrap().to_owned();
    let list = format!("/api/admin/access/{other}/conversations");
    let request = format!("/api/admin/access-requests/{other}");
    rita.post(&format!("{request}/approve"), json!({})).await.ok();
    assert_eq!(root.get(&list).await.status, 200);
    let revoked = rita.post(&format!("{request}/revoke"), json!({})).await.ok();
    assert_eq!((&revoked["is_open"], &revoked["revoked_by"]), (&json!(false), &json!("rita")));
    assert_eq!((root.get(&list).await.status, rita.get(&list).await.status), (404, 404));

    let wrong = json!({"user": "root", "reason": "", "hours": 25});
    assert_eq!(
        root.post("/api/admin/access-requests", wrong).await.wrong_fields(),
        ["user", "reason", "hours"]
    );
    app.close().await;
}

#[tokio::test]
async fn the_database_itself_lets_nobody_else_through_and_nobody_write() {
    let app = TestApp::with(PUSH).await;
    let (conversation, request) = requested(&app).await;
    second(&app).post(&format!("/api/admin/access-requests/{request}/approve"), json!({})).await.ok();
    app.user("bob").conversation().await;
    let scope = |admin: &str, request: &str| Scope::Access {
        admin: UserId::from_canonical(admin),
        request: request.parse::<AccessId>().unwrap(),
        subject: UserId::from_canonical("ann"),
    };
    // Queries without a `WHERE`.
    let seen = async |admin: &str, request: &str| -> Vec<String> {
        let mut tx = app.app.db.begin(&scope(admin, request)).await.unwrap();
        let sql = "SELECT DISTINCT user_id FROM (SELECT user_id FROM conversations UNION ALL SELECT user_id FROM messages) x ORDER BY 1";
        sqlx::query_scalar(sql).fetch_all(&mut *tx).await.unwrap()
    };
    assert_eq!(seen("root", &request).await, ["ann"]);
    assert_eq!(seen("otto", &request).await, [""; 0], "who has nothing to do with it");
    assert_eq!(seen("root", &AccessId::generate().to_string()).await, [""; 0], "another request");
    for sql in [
        "UPDATE conversations SET title = 'x'",
        "UPDATE messages SET content = 'x'",
        "UPDATE runs SET cancel_requested_at = now()",
    ] {
        let mut tx = app.app.db.begin(&scope("root", &request)).await.unwrap();
        assert_eq!(sqlx::raw_sql(sql).execute(&mut *tx).await.unwrap().rows_affected(), 0, "{sql}");
    }
    for sql in [
        "SELECT value FROM user_settings WHERE user_id = 'ann'",
        "SELECT name FROM tokens WHERE user_id = 'ann'",
        "SELECT name FROM presets WHERE user_id = 'ann'",
    ] {
        let mut tx = app.app.db.begin(&scope("root", &request)).await.unwrap();
        assert!(sqlx::raw_sql(sql).fetch_all(&mut *tx).await.unwrap().is_empty(), "{sql}");
    }
    let insert = format!(
        "INSERT INTO messages (id, conversation_id, user_id, position, role)
         VALUES (gen_random_uuid(), '{conversation}', 'ann', 9, 'user')"
    );
    let mut tx = app.app.db.begin(&scope("root", &request)).await.unwrap();
    assert!(sqlx::raw_sql(sqlx::AssertSqlSafe(insert)).execute(&mut *tx).await.is_err());
    assert_eq!(count(&app, "SELECT count(*) FROM messages").await, 2);
    app.close().await;
}
