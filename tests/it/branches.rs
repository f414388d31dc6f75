//! Branches: a question in the place of another stands beside it, each branch has its own history, and nothing is lost.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::support::app::{TestApp, User};
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, plausible};
use crate::support::process::Program;

/// Asks and waits for the answer; gives what the server says of the run.
async fn ask(user: &User<'_>, conversation: &str, body: Value) -> Value {
    user.post(&format!("/api/conversations/{conversation}/message"), body).await.ok()
}

/// Asks after an answer, or at the beginning (`null`); gives the new answer's id.
async fn after(user: &User<'_>, conversation: &str, parent: &Value, question: &str) -> Value {
    let body = json!({"content": question, "parent_message_id": parent});
    ask(user, conversation, body).await["message_id"].clone()
}

async fn read(user: &User<'_>, conversation: &str, query: &str) -> Value {
    user.get(&format!("/api/conversations/{conversation}{query}")).await.ok()
}

/// The questions of a conversation's messages, in their order.
fn questions(conversation: &Value) -> Vec<&str> {
    let messages = conversation["messages"].as_array().unwrap();
    messages.iter().filter_map(|message| message["content"].as_str()).collect()
}

fn ids(conversation: &Value) -> Vec<&Value> {
    conversation["messages"].as_array().unwrap().iter().map(|message| &message["id"]).collect()
}

/// What members were told before this question when they were asked it.
fn told_before(records: &[Record], question: &str) -> Vec<String> {
    let asked = |record: &&Record| {
        record.request.asked_for() == AskedFor::Answer && record.request.prompt().contains(question)
    };
    let told = |record: &Record| {
        let messages = record.request.body["messages"].as_array().unwrap().clone();
        let texts = messages.iter().filter(|one| one["role"] == "user").map(|one| one["content"].to_string());
        texts.collect::<Vec<_>>().join(" ").replace(question, "")
    };
    records.iter().filter(asked).map(told).collect()
}

/// Three questions one after the other, and the second in another way; gives the answers' ids.
async fn branched(user: &User<'_>, id: &str) -> [Value; 4] {
    let first = after(user, id, &Value::Null, "One?").await;
    let second = after(user, id, &first, "Two?").await;
    let third = after(user, id, &second, "Three?").await;
    let other = after(user, id, &first, "Two, in other words?").await;
    [first, second, third, other]
}

#[tokio::test]
async fn a_question_in_the_place_of_another_stands_beside_it_and_each_branch_has_its_own_history() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let [first, second, third, other] = branched(&ann, &id).await;

    let shown = read(&ann, &id, "").await;
    assert_eq!(questions(&shown), ["One?", "Two, in other words?"], "the branch that was asked in last");
    assert_eq!(shown["branch_end"], other);
    assert_eq!((&shown["branches"], &shown["message_count"]), (&json!(2), &json!(8)));
    let messages = &shown["messages"];
    assert_eq!(messages[0]["parent_id"], Value::Null);
    assert_eq!(messages[0].get("siblings"), None, "it stands alone");
    assert_eq!((&messages[1]["id"], &messages[1]["parent_id"]), (&first, &messages[0]["id"]));
    assert_eq!(messages[2]["parent_id"], first);
    assert_eq!(messages[2]["siblings"][1], messages[2]["id"], "the second of two");

    let earlier = read(&ann, &id, &format!("?branch={}", second.as_str().unwrap())).await;
    assert_eq!(questions(&earlier), ["One?", "Two?", "Three?"], "a branch goes to its end");
    assert_eq!(earlier["messages"][2]["siblings"], messages[2]["siblings"]);
    assert_eq!(earlier["messages"][2]["id"], messages[2]["siblings"][0]);
    assert_eq!(earlier["branch_end"], other, "nothing was chosen yet");
    let all = read(&ann, &id, "?all=true").await;
    assert_eq!(questions(&all), ["One?", "Two?", "Three?", "Two, in other words?"]);
    assert_eq!(ids(&all)[5], &third);

    let records = app.models.records();
    for before in told_before(&records, "Two, in other words?") {
        assert!(
            before.contains("One?") && !before.contains("Two?") && !before.contains("Three?"),
            "{before}"
        );
    }
    assert_eq!(told_before(&records, "Two, in other words?").len(), 4);
    let told = told_before(&records, "Three?");
    assert!(!told.is_empty() && told.iter().all(|before| before.contains("Two?")), "{told:?}");

    // A follow-up goes on from the branch that one was on.
    ask(&ann, &id, json!({"content": "And then?"})).await;
    let last = read(&ann, &id, "").await;
    assert_eq!(questions(&last), ["One?", "Two, in other words?", "And then?"]);
    let told = told_before(&app.models.records(), "And then?");
    assert_eq!(told.len(), 4);
    for before in told {
        assert!(before.contains("Two, in other words?") && !before.contains("Three?"), "{before}");
    }
    app.close().await;
}

#[tokio::test]
async fn the_first_question_can_be_asked_in_another_way_and_the_branch_one_was_on_is_remembered() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = after(&ann, &id, &Value::Null, "One?").await;
    let title = read(&ann, &id, "").await["title"].clone();
    after(&ann, &id, &Value::Null, "Or one so?").await;
    let shown = read(&ann, &id, "").await;
    assert_eq!((questions(&shown), &shown["title"]), (vec!["Or one so?"], &title));
    let told = told_before(&app.models.records(), "Or one so?");
    assert!(!told.is_empty() && told.iter().all(|before| !before.contains("One?")), "{told:?}");
    // The same question again is a sibling as well.
    after(&ann, &id, &Value::Null, "One?").await;
    let shown = read(&ann, &id, "").await;
    assert_eq!(shown["messages"][0]["siblings"].as_array().unwrap().len(), 3);

    let path = format!("/api/conversations/{id}/branch");
    let chosen = ann.put(&path, json!({"message_id": first})).await.ok();
    assert_eq!((questions(&chosen), &chosen["branch_end"]), (vec!["One?"], &first));
    assert_eq!(read(&ann, &id, "").await, chosen);
    assert_eq!(chosen["updated_at"], shown["updated_at"], "looking changes nothing");
    ask(&ann, &id, json!({"content": "Two?"})).await;
    assert_eq!(questions(&read(&ann, &id, "").await), ["One?", "Two?"]);
    // A question of the branch leads to its end.
    let question = &chosen["messages"][0]["id"];
    let chosen = ann.put(&path, json!({"message_id": question})).await.ok();
    assert_eq!(questions(&chosen), ["One?", "Two?"]);

    let estimate = format!("/api/conversations/{id}/message/estimate");
    let estimated = async |body: Value| ann.post(&estimate, body).await.ok();
    let here = estimated(json!({"content": "Three?"})).await;
    let named = json!({"content": "Three?", "parent_message_id": chosen["branch_end"]});
    assert_eq!(estimated(named).await, here, "what goes on from the branch that was chosen");
    let at_the_beginning = json!({"content": "Three?", "parent_message_id": null});
    assert_ne!(estimated(at_the_beginning).await, here, "less is read");
    app.close().await;
}

#[tokio::test]
async fn only_an_answer_of_the_conversation_can_be_gone_on_from() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let (id, other, of_bob) = (ann.conversation().await, ann.conversation().await, bob.conversation().await);
    let first = after(&ann, &id, &Value::Null, "One?").await;
    let elsewhere = after(&ann, &other, &Value::Null, "One?").await;
    let bobs = after(&bob, &of_bob, &Value::Null, "One?").await;
    let question = read(&ann, &id, "").await["messages"][0]["id"].clone();

    let unknown = json!("01890000-0000-7000-8000-000000000000");
    for parent in [&question, &elsewhere, &bobs, &unknown, &json!("no id"), &json!(7)] {
        let body = json!({"content": "Two?", "parent_message_id": parent, "quorum": 99});
        let refused = ann.post(&format!("/api/conversations/{id}/message"), body).await;
        assert_eq!(refused.wrong_fields(), ["parent_message_id", "quorum"], "{parent}");
    }
    let path = format!("/api/conversations/{id}/branch");
    for message in [&elsewhere, &bobs, &unknown, &json!("no id"), &json!(7), &Value::Null] {
        let refused = ann.put(&path, json!({"message_id": message})).await;
        assert_eq!(refused.wrong_fields(), ["message_id"], "{message}");
    }
    for message in [&bobs, &unknown] {
        let path = format!("/api/conversations/{id}?branch={}", message.as_str().unwrap());
        assert_eq!(ann.get(&path).await.status, 404);
    }
    assert_eq!(ann.get(&format!("/api/conversations/{id}?branch=no-id")).await.status, 404);
    let both = format!("/api/conversations/{id}?all=true&branch={}", first.as_str().unwrap());
    assert_eq!(ann.get(&both).await.wrong_fields(), ["branch"]);
    // Somebody else's conversation is not there, whatever message is named.
    for message in [&first, &bobs] {
        let foreign = bob.put(&path, json!({"message_id": message})).await;
        assert_eq!(foreign.status, 404, "{}", foreign.text);
        let body = json!({"content": "Two?", "parent_message_id": message});
        assert_eq!(bob.post(&format!("/api/conversations/{id}/message"), body).await.status, 404);
    }
    let begins = json!({"content": "Two?", "parent_message_id": first, "new_conversation": true});
    let new = uuid::Uuid::new_v4();
    let refused = ann.post(&format!("/api/conversations/{new}/message"), begins).await;
    assert_eq!(refused.wrong_fields(), ["parent_message_id"]);
    assert_eq!(read(&ann, &id, "").await["message_count"], 2, "nothing was stored");
    app.close().await;
}

#[tokio::test]
async fn a_token_that_may_only_read_looks_at_branches_and_chooses_none() {
    let app = TestApp::with_token_routes("").await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let [_, second, ..] = branched(&ann, &id).await;
    let token = ann.post("/api/tokens", json!({"name": "reads", "permissions": ["read"]})).await.ok();
    let reader = app.user("ann").without_identity();
    let reader = reader.with("authorization", &format!("Bearer {}", token["token"].as_str().unwrap()));
    let branch = read(&reader, &id, &format!("?branch={}", second.as_str().unwrap())).await;
    assert_eq!(questions(&branch), ["One?", "Two?", "Three?"]);
    let refused = reader.put(&format!("/api/conversations/{id}/branch"), json!({"message_id": second})).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    app.close().await;
}

#[tokio::test]
async fn an_export_has_the_branch_or_all_of_them_under_headings() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let [_, second, ..] = branched(&ann, &id).await;
    after(&ann, &id, &Value::Null, "One, otherwise?").await;
    let export = async |query: &str| ann.get(&format!("/api/conversations/{id}/export?{query}")).await.text;
    let branch = export("").await;
    assert!(branch.contains("One, otherwise?") && !branch.contains("Two?"), "{branch}");
    assert!(!branch.contains("## Branch"), "{branch}");
    let other = export(&format!("branch={}", second.as_str().unwrap())).await;
    assert!(other.contains("Three?") && !other.contains("One, otherwise?"), "{other}");

    let all = export("all=true").await;
    let places: Vec<usize> = [
        "## Branch 1 of 3\n\n## Question\n\nOne?",
        "Two?",
        "Three?",
        "## Branch 2 of 3\n\n_It goes on from the answer to: One?_\n\n## Question\n\nTwo, in other words?",
        "## Branch 3 of 3\n\n_It begins the conversation in another way._\n\n_This is the branch that was looked at last._",
        "One, otherwise?",
    ]
    .iter()
    .map(|text| all.find(text).unwrap_or_else(|| panic!("{text} is not in {all}")))
    .collect();
    assert!(places.is_sorted(), "{all}");
    assert_eq!(all.matches("## Question").count(), 5, "what branches share is told once");
    let json: Value = serde_json::from_str(&export("all=true&format=json").await).unwrap();
    assert_eq!((json["messages"].as_array().unwrap().len(), &json["branches"]), (10, &json!(3)));
    app.close().await;
}

#[tokio::test]
async fn what_older_versions_stored_is_one_branch_and_what_they_store_meanwhile_is_lost_on_none() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = after(&ann, &id, &Value::Null, "One?").await;
    after(&ann, &id, &first, "Two?").await;
    let new = read(&ann, &id, "").await;
    // As the version before stores them.
    let mut superuser = app.db.superuser().await;
    let unlinked = format!(
        "UPDATE messages SET parent_position = NULL WHERE conversation_id = '{id}';
         UPDATE conversations SET branch_position = NULL WHERE id = '{id}'"
    );
    sqlx::raw_sql(AssertSqlSafe(unlinked)).execute(&mut superuser).await.unwrap();
    assert_eq!(read(&ann, &id, "").await, new);
    after(&ann, &id, &first, "Two, in other words?").await;
    let [question, answer] = [uuid::Uuid::now_v7(), uuid::Uuid::now_v7()];
    let appended = format!(
        "INSERT INTO messages (id, conversation_id, user_id, position, role, content)
         VALUES ('{question}', '{id}', 'ann', 6, 'user', 'Of an older version?'),
                ('{answer}', '{id}', 'ann', 7, 'assistant', 'Yes.')"
    );
    sqlx::raw_sql(AssertSqlSafe(appended)).execute(&mut superuser).await.unwrap();
    let shown = read(&ann, &id, "").await;
    assert_eq!(questions(&shown), ["One?", "Two, in other words?", "Of an older version?"]);
    assert_eq!(shown["branches"], 2);
    app.close().await;
}

#[tokio::test]
async fn a_run_on_another_branch_goes_on_and_is_said_to() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = after(&ann, &id, &Value::Null, "One?").await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| {
        let script = plausible(request);
        Some(if request.prompt().contains("otherwise") { script.hold(&held) } else { script })
    });
    let body = json!({"content": "One, otherwise?", "parent_message_id": null});
    let mut live = ann.ask(&id, body).await;
    let answer = live.until("run_started").await.json["message_id"].clone();
    let here = ann.put(&format!("/api/conversations/{id}/branch"), json!({"message_id": first})).await.ok();
    assert_eq!(questions(&here), ["One?"]);
    assert_eq!((&here["running"], &here["live"]["message_id"]), (&json!(true), &answer));
    let busy = json!({"content": "Two?", "parent_message_id": first});
    assert_eq!(ann.post(&format!("/api/conversations/{id}/message"), busy).await.status, 409);
    gate.open();
    assert_eq!(live.rest().await.last().unwrap().kind(), "complete");
    let here = read(&ann, &id, "").await;
    assert_eq!((questions(&here), here.get("live")), (vec!["One?"], None));
    let there = read(&ann, &id, &format!("?branch={}", answer.as_str().unwrap())).await;
    assert_eq!(there["messages"][1]["status"], "complete");
    app.close().await;
}

#[tokio::test]
async fn the_last_answer_of_any_branch_can_be_asked_for_again_and_that_branch_is_looked_at_then() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let [first, _, third, other] = branched(&ann, &id).await;
    let all = read(&ann, &id, "?all=true").await;
    let run = |answer: &Value| {
        let messages = all["messages"].as_array().unwrap();
        messages.iter().find(|one| one["id"] == *answer).unwrap()["run_id"].as_str().unwrap().to_owned()
    };
    let again = async |answer: &Value| {
        ann.post(&format!("/api/runs/{}/retry", run(answer)), json!({"from": "stage3"})).await
    };
    assert_eq!(again(&first).await.status, 409, "both branches build on it");
    let retried = again(&third).await.ok()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(ann.events(&retried, 0).await.rest().await.last().unwrap().kind(), "complete");
    let shown = read(&ann, &id, "").await;
    assert_eq!((questions(&shown), &shown["branch_end"]), (vec!["One?", "Two?", "Three?"], &third));
    assert_eq!(shown["messages"][5]["run_id"], retried);
    again(&other).await.ok();
    app.close().await;
}

#[tokio::test]
async fn a_killed_run_on_a_branch_is_taken_up_there() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models).set("runs.lease_seconds", "1");
    let first = program.serve().await;
    let ann = first.user("ann");
    let id = ann.conversation().await;
    let one = after(&ann, &id, &Value::Null, "One?").await;
    after(&ann, &id, &one, "Two?").await;
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let script = plausible(request);
        Some(if request.asked_for() == AskedFor::Review { script.hold(&held) } else { script })
    });
    let body = json!({"content": "Two, in other words?", "parent_message_id": one});
    let mut live = ann.ask(&id, body).await;
    let run = live.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    live.until("stage1_complete").await;
    first.kill();
    let second = program.serve().await;
    gate.open();
    let ann = second.user("ann");
    assert_eq!(ann.events(&run, 0).await.rest().await.last().unwrap().kind(), "complete");
    let shown = read(&ann, &id, "").await;
    assert_eq!(questions(&shown), ["One?", "Two, in other words?"]);
    assert_eq!(shown["messages"][3]["status"], "complete");
    let told = told_before(&models.records(), "Two, in other words?");
    assert!(!told.is_empty(), "nobody was asked");
    assert!(told.iter().all(|before| before.contains("One?") && !before.contains("Two?")), "{told:?}");
}

#[tokio::test]
async fn search_finds_what_stands_on_any_branch_and_says_where_and_deletion_takes_all_of_them() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let [_, _, third, other] = branched(&ann, &id).await;
    let hits = ann.get("/api/search?q=three").await.ok();
    assert_eq!((hits[0]["conversation_id"].as_str(), hits.as_array().unwrap().len()), (Some(&*id), 1));
    let found = hits[0]["message_id"].as_str().unwrap();
    let there = read(&ann, &id, &format!("?branch={found}")).await;
    assert_eq!(ids(&there).last(), Some(&&third));
    assert_eq!(ann.get("/api/search?q=scripted+title").await.ok()[0].get("message_id"), None);

    let path = format!("/api/conversations/{id}");
    ann.send("DELETE", &path, None).await.ok();
    assert_eq!(ann.put(&format!("{path}/branch"), json!({"message_id": third})).await.status, 404);
    ann.post(&format!("{path}/restore"), json!({})).await.ok();
    let restored = read(&ann, &id, "").await;
    assert_eq!((&restored["branch_end"], &restored["message_count"]), (&other, &json!(8)));
    ann.send("DELETE", &path, None).await.ok();
    ann.send("DELETE", &format!("{path}?purge=true"), None).await.ok();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM messages")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(left, 0);
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_is_reused_on_a_branch_only_after_the_same_was_said() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let one = after(&ann, &id, &Value::Null, "One?").await;
    let other = after(&ann, &id, &Value::Null, "Something else?").await;
    let cached = async |parent: &Value| {
        let body = json!({"content": "Two?", "parent_message_id": parent, "use_cache": true});
        let before = app.models.records().len();
        ask(&ann, &id, body).await;
        app.models.records().len() - before
    };
    assert!(cached(&one).await > 0, "it was never asked");
    assert!(cached(&other).await > 0, "something else was said before");
    assert_eq!(cached(&one).await, 0, "the same, after the same");
    app.close().await;
}

#[tokio::test]
async fn the_same_question_twice_at_once_is_asked_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let first = after(&ann, &id, &Value::Null, "One?").await;
    let body = json!({"content": "One, again?", "parent_message_id": null});
    let keyed = ann.clone().with("idempotency-key", "once");
    let once = ask(&keyed, &id, body.clone()).await;
    assert_eq!(ask(&keyed, &id, body).await["run_id"], once["run_id"]);
    let elsewhere = json!({"content": "One, again?", "parent_message_id": first});
    let refused = keyed.post(&format!("/api/conversations/{id}/message"), elsewhere).await;
    assert_eq!(refused.status, 422, "another place is another request: {}", refused.text);
    assert_eq!(read(&ann, &id, "").await["message_count"], 4);
    app.close().await;
}
