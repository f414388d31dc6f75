//! What chat programs ask by themselves goes to the utility model alone.

use serde_json::{Value, json};

use super::{CHAT, RESPONSES, asks, asks_with, count, program, refused, runs, stream, wants};
use crate::support::app::TestApp;
use crate::support::model_server::{Gate, Script};

const TITLE: &str = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n\
                     ### Guidelines:\n- Be brief.\n### Chat History:\n<chat_history>\nUSER: Why?\n</chat_history>";

#[tokio::test]
async fn a_chore_is_one_call_of_the_utility_model_and_stands_in_the_ledger() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::answer("{\"title\": \"Blue Sky\"}")));
    let answer = tool.post(CHAT, asks_with(TITLE, &json!({"max_tokens": 50}))).await.ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "{\"title\": \"Blue Sky\"}");
    assert_eq!(answer["usage"]["total_tokens"], 15);
    assert!(answer["usage"].get("cost").is_none(), "it is not known: {answer}");
    assert_eq!(
        (answer["model"].as_str(), answer["object"].as_str()),
        (Some("council"), Some("chat.completion"))
    );
    let asked: Vec<Value> = app.models.records().into_iter().map(|record| record.request.body).collect();
    assert_eq!(
        (asked.len(), &asked[0]["model"], &asked[0]["max_tokens"]),
        (1, &json!("m/chair"), &json!(50))
    );

    let more = json!({"stream": true, "stream_options": {"include_usage": true}});
    let sent = stream(&tool, CHAT, &asks_with(TITLE, &more)).await.rest().await;
    let content: String = sent
        .iter()
        .filter(|one| one.data != "[DONE]")
        .filter_map(|one| one.json()["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(
        (content.as_str(), sent.last().unwrap().data.as_str()),
        ("{\"title\": \"Blue Sky\"}", "[DONE]")
    );
    assert_eq!(sent[sent.len() - 2].json()["usage"]["total_tokens"], 15);

    let response = tool.post(RESPONSES, wants(TITLE, &json!({}))).await.ok();
    assert_eq!(response["output"][0]["content"][0]["text"], "{\"title\": \"Blue Sky\"}", "{response}");
    assert!(response["completed_at"].is_i64(), "{response}");
    assert!(response["usage"].get("cost").is_none(), "{response}");
    let sent = stream(&tool, RESPONSES, &wants(TITLE, &json!({"stream": true}))).await.rest().await;
    let numbers: Vec<u64> = sent.iter().map(super::Sent::number).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert_eq!(sent.last().unwrap().json()["type"], "response.completed");

    assert_eq!(runs(&app).await, 0, "no council is asked");
    assert_eq!(count(&app, "SELECT count(*) FROM calls WHERE key = 'chore' AND user_id = 'ann'").await, 4);
    let usage = app.admin().get("/api/admin/usage?by=format").await.ok();
    assert!(usage.to_string().contains("chore"), "{usage}");
    app.close().await;
}

#[tokio::test]
async fn budgets_hold_for_chores_and_a_failed_one_says_so() {
    let app = TestApp::with("[budgets]\nuser_per_day_usd = 0.0\n").await;
    let tool = program(&app).await;
    let answer = tool.post(CHAT, asks(TITLE)).await;
    assert_eq!(refused(&answer), (429, "insufficient_quota".into(), Value::Null));
    app.close().await;

    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::status(400, "{\"error\": {\"message\": \"no\"}}")));
    assert_eq!(refused(&tool.post(CHAT, asks(TITLE)).await).0, 502);
    let sent = stream(&tool, CHAT, &asks_with(TITLE, &json!({"stream": true}))).await.rest().await;
    assert_eq!(sent.last().unwrap().json()["error"]["code"], "no_reply");
    app.close().await;
}

#[tokio::test]
async fn the_same_request_again_joins_the_call_that_nobody_has_had_the_reply_of() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |_| Some(Script::answer("").hold(&held).text("Blue Sky")));
    let body = asks_with(TITLE, &json!({"stream": true}));
    // A library that gives up, and tries again.
    drop(stream(&tool, CHAT, &body).await);
    let (one, two) = (stream(&tool, CHAT, &body).await, stream(&tool, CHAT, &body).await);
    assert_eq!((one.header("x-run-joined"), two.header("x-run-joined")), ("true", "true"));
    gate.open();
    for sent in [one.rest().await, two.rest().await] {
        assert!(sent.iter().any(|one| one.data.contains("Blue Sky")), "{sent:?}");
    }
    assert_eq!(app.models.records().len(), 1, "one payment");

    // Another reply is wanted, unless the client says that it is the same request.
    tool.post(CHAT, asks(TITLE)).await.ok();
    tool.post(CHAT, asks(TITLE)).await.ok();
    assert_eq!(app.models.records().len(), 3);
    let keyed = tool.clone().with("idempotency-key", "one");
    keyed.post(CHAT, asks(TITLE)).await.ok();
    let again = keyed.post(CHAT, asks(TITLE)).await;
    assert_eq!((again.status, again.header("x-run-joined")), (200, "true"));
    let streamed = stream(&keyed, CHAT, &body).await.rest().await;
    assert!(streamed.iter().any(|one| one.data.contains("Blue Sky")), "streamed or not");
    assert_eq!(app.models.records().len(), 4);
    let other = keyed.post(CHAT, asks_with(TITLE, &json!({"max_tokens": 9}))).await;
    assert_eq!(refused(&other), (400, "invalid_value".into(), json!("Idempotency-Key")));

    // What failed is no reply.
    app.models.rule(|_| Some(Script::status(400, "{}")));
    let keyed = tool.clone().with("idempotency-key", "two");
    assert_eq!(refused(&keyed.post(CHAT, asks(TITLE)).await).0, 502);
    app.models.rule(|_| Some(Script::answer("Grey Sky")));
    let answer = keyed.post(CHAT, asks(TITLE)).await.ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "Grey Sky");
    app.close().await;
}

#[tokio::test]
async fn a_call_that_ends_while_the_database_takes_nothing_is_not_lost_and_not_made_again() {
    let app = TestApp::start().await;
    let tool = program(&app).await;
    app.models.rule(|_| Some(Script::answer("Blue Sky")));
    // A number that was taken stays taken when its transaction fails: the third try succeeds.
    let full = "CREATE SEQUENCE tries;
                CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                    'BEGIN
                         IF nextval(''tries'') < 3 THEN RAISE EXCEPTION ''full'' USING ERRCODE = ''53100''; END IF;
                         RETURN NEW;
                     END';
                CREATE TRIGGER full_disk BEFORE INSERT ON calls FOR EACH ROW EXECUTE FUNCTION be_full()";
    sqlx::raw_sql(full).execute(&mut app.db.superuser().await).await.unwrap();
    let answer = tool.post(CHAT, asks(TITLE)).await.ok();
    assert_eq!(answer["choices"][0]["message"]["content"], "Blue Sky");
    assert_eq!(app.models.records().len(), 1);
    assert_eq!(count(&app, "SELECT last_value FROM tries").await, 3);
    assert_eq!(count(&app, "SELECT count(*) FROM calls WHERE key = 'chore' AND user_id = 'ann'").await, 1);
    app.close().await;
}

#[tokio::test]
async fn an_administrator_names_more_of_them() {
    let app = TestApp::with("[programs]\nchores = [\"Summarise this chat, please\"]\n").await;
    let tool = program(&app).await;
    tool.post(CHAT, asks("Summarise this  chat, please: it was long.")).await.ok();
    assert_eq!((runs(&app).await, app.models.records().len()), (0, 1));
    tool.post(CHAT, asks("Why?")).await.ok();
    assert_eq!(runs(&app).await, 1);
    app.close().await;
}
