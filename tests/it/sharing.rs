//! Shared conversations: as they were, for whoever has the link, as long as it works; and what others make of a copy.

use llm_council::id::{ShareId, UserId};
use llm_council::store::Scope;
use serde_json::{Value, json};

use crate::attachments::files::taken;
use crate::projects::{holding, released};
use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, Gate, Script};

async fn ask(user: &User<'_>, conversation: &str, question: &str) -> Value {
    let body = json!({"content": question});
    user.post(&format!("/api/conversations/{conversation}/message"), body).await.ok()
}

/// Shares a conversation; gives the link's id.
async fn share(user: &User<'_>, conversation: &str, body: Value) -> String {
    let answer = user.post(&format!("/api/conversations/{conversation}/shares"), body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["id"].as_str().unwrap().to_owned()
}

async fn opened(user: &User<'_>, id: &str) -> Value {
    user.get(&format!("/api/shares/{id}")).await.ok()
}

fn questions(of: &Value) -> Vec<&str> {
    let messages = of["messages"].as_array().unwrap();
    messages.iter().filter_map(|message| message["content"].as_str()).collect()
}

/// What the database says to a statement of its owner.
async fn act(app: &TestApp, sql: &'static str) {
    sqlx::raw_sql(sql).execute(&mut app.db.superuser().await).await.unwrap();
}

#[tokio::test]
async fn no_link_is_made_to_a_conversation_that_is_being_deleted() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ask(&ann, &id, "Why is the sky blue?").await;
    // The deletion has withdrawn the links that there are, and is not over.
    let delete = format!("UPDATE conversations SET deleted_at = now() WHERE id = '{id}'");
    let holder = holding(&app, &delete).await;
    let path = format!("/api/conversations/{id}/shares");
    let (shared, ()) = tokio::join!(ann.post(&path, json!({})), released(&app, holder, 1, "COMMIT"));
    assert_eq!(shared.status, 404, "{}", shared.text);
    assert_eq!(ann.get("/api/shares").await.ok()["total"], 0);
    app.close().await;
}

#[tokio::test]
async fn who_has_the_link_reads_what_was_there_when_it_was_made() {
    let app = TestApp::start().await;
    let ann = app.user("ann").with("remote-name", "Ann Example");
    let id = ann.conversation().await;
    let file = taken(&ann, "notes.txt", b"Seven herons.").await;
    let question = json!({
        "content": "Why is the sky blue?", "system_prompt": "Speak like a sailor.", "attachments": [file],
        "verbosity": 2
    });
    let asked = ann.post(&format!("/api/conversations/{id}/message"), question).await.ok();
    let link = share(&ann, &id, json!({})).await;
    ask(&ann, &id, "And at night?").await;
    ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&json!({"title": "Mine now"}))).await.ok();

    let bob = app.user("bob");
    let read = opened(&bob, &link).await;
    assert_eq!(questions(&read), ["Why is the sky blue?"], "what came later is not in it");
    assert_eq!((&read["shared_by"], &read["is_mine"]), (&json!("Ann Example"), &json!(false)));
    assert_ne!(read["title"], "Mine now");
    assert_eq!(read.get("conversation_id"), None);
    let answer = &read["messages"][1];
    assert_eq!(answer["stage3"]["response"], asked["stage3"]["response"]);
    assert_eq!(answer["stage1"].as_array().unwrap().len(), 4);
    assert_eq!(answer["parent_id"], read["messages"][0]["id"]);
    assert_eq!(answer.get("run_id"), None, "no run of hers can be looked for");
    assert_ne!(answer["metadata"]["process_log"], true, "its log is hers");
    let named = &read["messages"][0]["attachments"][0];
    assert_eq!(named["filename"], "notes.txt");
    let content = bob.get(&format!("/api/attachments/{}/content", named["id"].as_str().unwrap())).await;
    assert_eq!(content.status, 404, "a file is named, not handed out");
    let text = read.to_string();
    assert!(!text.contains("sailor"), "what she tells her models is hers: {text}");
    assert!(!text.contains("Seven herons."));
    assert!(!text.contains(asked["run_id"].as_str().unwrap()), "{text}");

    let own = opened(&ann, &link).await;
    assert_eq!((&own["is_mine"], &own["conversation_id"]), (&json!(true), &json!(id)));
    let day = |field: &str| own[field].as_str().unwrap().parse::<jiff::civil::DateTime>().unwrap().date();
    assert_eq!((day("expires_at") - day("created_at")).get_days(), 30);

    let list = ann.get(&format!("/api/shares?conversation_id={id}")).await.ok();
    assert_eq!((&list["total"], &list["max_days"]), (&json!(1), &json!(90)));
    assert_eq!(list["shares"][0]["path"], format!("/s/{link}"));
    assert_eq!(list["shares"][0]["message_count"], 2);
    assert_eq!(bob.get("/api/shares").await.ok()["shares"], json!([]), "a link of hers is not in his list");

    // Only its owner withdraws it, and then it works for nobody.
    let path = format!("/api/shares/{link}");
    assert_eq!(bob.send("DELETE", &path, None).await.status, 404);
    opened(&bob, &link).await;
    ann.send("DELETE", &path, None).await.ok();
    for user in [&bob, &ann] {
        assert_eq!(user.get(&path).await.status, 404);
        assert_eq!(user.post(&format!("{path}/copy"), json!({})).await.status, 404);
    }
    assert_eq!(ann.get("/api/shares").await.ok()["total"], 0);
    let log = app.admin().get("/api/admin/audit").await.text;
    assert!(log.contains("share.create") && log.contains("share.remove"), "{log}");
    assert!(!log.contains(&link), "who reads the log cannot open what is shared: {log}");
    assert_eq!(app.stranger().get(&path).await.status, 401);
    app.close().await;
}

#[tokio::test]
async fn a_copy_is_ones_own_and_goes_on_from_what_was_shared() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ask(&ann, &id, "Why is the sky blue?").await;
    let link = share(&ann, &id, json!({"days": 1})).await;

    let bob = app.user("bob");
    let copied = bob.post(&format!("/api/shares/{link}/copy"), json!({})).await;
    assert_eq!(copied.status, 201, "{}", copied.text);
    let copied = copied.json()["conversation"].clone();
    let own = copied["id"].as_str().unwrap();
    assert_eq!(copied["title"], opened(&bob, &link).await["title"]);
    ann.send("DELETE", &format!("/api/shares/{link}"), None).await.ok();

    let before = app.models.records().len();
    ask(&bob, own, "And at night?").await;
    let records = app.models.records();
    let told: Vec<String> = records[before..]
        .iter()
        .filter(|record| record.request.asked_for() == AskedFor::Answer)
        .map(|record| record.request.body["messages"].to_string())
        .collect();
    assert_eq!(told.len(), 4);
    assert!(told.iter().all(|told| told.contains("Why is the sky blue?")), "{told:?}");
    let shown = bob.get(&format!("/api/conversations/{own}")).await.ok();
    assert_eq!(questions(&shown), ["Why is the sky blue?", "And at night?"]);
    assert_eq!(shown["messages"][1]["stage1"].as_array().unwrap().len(), 4, "with all that was said");
    assert_eq!(shown["branches"], 1);
    let hers = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(questions(&hers), ["Why is the sky blue?"]);
    let found = bob.get("/api/search?q=sky").await.ok();
    assert!(found.to_string().contains(own), "it is found like everything of his: {found}");
    let exported = bob.get(&format!("/api/conversations/{own}/export")).await;
    assert!(exported.text.contains("And at night?") && exported.text.contains("Why is the sky blue?"));
    app.close().await;
}

#[tokio::test]
async fn one_branch_is_shared_up_to_a_message() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id, "One?").await["message_id"].clone();
    ask(&ann, &id, "Two?").await;
    let body = json!({"content": "Two, in other words?", "parent_message_id": first});
    ann.post(&format!("/api/conversations/{id}/message"), body).await.ok();

    let bob = app.user("bob");
    let branch = share(&ann, &id, json!({})).await;
    assert_eq!(questions(&opened(&bob, &branch).await), ["One?", "Two, in other words?"]);
    let beginning = share(&ann, &id, json!({"branch_end": first})).await;
    assert_eq!(questions(&opened(&bob, &beginning).await), ["One?"]);
    let other = ann.conversation().await;
    let elsewhere =
        ann.post(&format!("/api/conversations/{other}/shares"), json!({"branch_end": first})).await;
    assert_eq!(elsewhere.status, 404, "{}", elsewhere.text);
    app.close().await;
}

#[tokio::test]
async fn a_link_works_as_long_as_it_may() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    let shares = format!("/api/conversations/{id}/shares");
    let empty = ann.post(&shares, json!({})).await;
    assert_eq!(empty.status, 409, "there is nothing yet: {}", empty.text);
    ask(&ann, &id, "Why?").await;
    for days in [json!(0), json!(91), json!(-1), json!("7")] {
        let refused = ann.post(&shares, json!({"days": days, "branch_end": 7})).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert_eq!(refused.wrong_fields(), ["branch_end", "days"], "{}", refused.text);
    }
    let link = share(&ann, &id, json!({"days": 90})).await;
    opened(&bob, &link).await;
    act(&app, "UPDATE shares SET expires_at = now() - interval '1 second'").await;
    for user in [&ann, &bob] {
        assert_eq!(user.get(&format!("/api/shares/{link}")).await.status, 404);
    }
    assert_eq!(ann.get("/api/shares").await.ok()["total"], 0);
    for no in ["no-id", "00000000-0000-0000-0000-000000000000", "%00"] {
        assert_eq!(bob.get(&format!("/api/shares/{no}")).await.status, 404);
    }

    // With its conversation it goes, and does not come back with it.
    let link = share(&ann, &id, json!({})).await;
    ann.send("DELETE", &format!("/api/conversations/{id}"), None).await.ok();
    assert_eq!(bob.get(&format!("/api/shares/{link}")).await.status, 404);
    ann.post(&format!("/api/conversations/{id}/restore"), json!({})).await.ok();
    assert_eq!(bob.get(&format!("/api/shares/{link}")).await.status, 404);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_being_written_is_not_shared() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = ask(&ann, &id, "One?").await["message_id"].clone();
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Late.")));
    let mut live = ann.ask(&id, json!({"content": "Two?"})).await;
    live.until("stage1_start").await;
    let refused = ann.post(&format!("/api/conversations/{id}/shares"), json!({})).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(refused.json()["type"], "urn:llm-council:problem:being-written");
    share(&ann, &id, json!({"branch_end": first})).await;
    gate.open();
    live.until("complete").await;
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_is_asked_for_again_at_that_moment_is_not_shared_without_a_text() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ask(&ann, &id, "Why?").await;
    // Which messages there are was read, and what they say waits.
    let holder = holding(&app, "LOCK message_attachments IN ACCESS EXCLUSIVE MODE").await;
    let again = "UPDATE messages SET content = NULL, body = NULL WHERE role = 'assistant';
                 UPDATE runs SET status = 'running'; COMMIT";
    let path = format!("/api/conversations/{id}/shares");
    let (refused, ()) = tokio::join!(ann.post(&path, json!({})), released(&app, holder, 1, again));
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(refused.json()["type"], "urn:llm-council:problem:being-written");
    act(&app, "UPDATE runs SET status = 'complete'").await;
    app.close().await;
}

#[tokio::test]
async fn where_nobody_may_share_nobody_does() {
    let app = TestApp::with("[sharing]\nmax_days = 0").await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ask(&ann, &id, "Why?").await;
    let refused = ann.post(&format!("/api/conversations/{id}/shares"), json!({})).await;
    assert_eq!((refused.status, refused.text.contains("switched off")), (403, true), "{}", refused.text);
    assert_eq!(ann.get("/api/shares").await.ok()["max_days"], 0);
    app.close().await;
}

#[tokio::test]
async fn the_database_itself_shows_others_the_one_that_they_name_and_lets_them_change_nothing() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = ann.conversation().await;
    ask(&ann, &id, "Why?").await;
    let link = share(&ann, &id, json!({})).await;
    share(&ann, &id, json!({})).await;
    bob.get("/api/user").await.ok();

    // Statements without a `WHERE`.
    let scope = Scope::User(UserId::from_canonical("bob"));
    let seen = async |named: &str| -> i64 {
        let mut tx = app.app.db.begin(&scope).await.unwrap();
        let name = "SELECT set_config('app.share_id', $1, true)";
        sqlx::query(name).bind(named).execute(&mut *tx).await.unwrap();
        sqlx::query_scalar("SELECT count(*) FROM shares").fetch_one(&mut *tx).await.unwrap()
    };
    assert_eq!(seen("").await, 0);
    assert_eq!(seen(&ShareId::generate().to_string()).await, 0);
    assert_eq!(seen(&link).await, 1);
    let mut tx = app.app.db.begin(&scope).await.unwrap();
    sqlx::query("SELECT set_config('app.share_id', $1, true)").bind(&link).execute(&mut *tx).await.unwrap();
    let deleted = sqlx::query("DELETE FROM shares").execute(&mut *tx).await.unwrap();
    assert_eq!(deleted.rows_affected(), 0);
    let changed = sqlx::query("UPDATE shares SET expires_at = 'infinity'").execute(&mut *tx).await;
    assert!(changed.is_err(), "nobody makes a link work longer");
    act(&app, "UPDATE shares SET expires_at = now() - interval '1 second'").await;
    assert_eq!(seen(&link).await, 0, "after its time");
    app.close().await;
}
