//! A conversation is read briefly: its last answers whole, and of those before them what they say.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::model_server::Script;

async fn ask(user: &User<'_>, conversation: &str, question: &str) {
    user.ask(conversation, json!({"content": question})).await.rest().await;
}

async fn read(user: &User<'_>, conversation: &str, query: &str) -> Value {
    user.get(&format!("/api/conversations/{conversation}{query}")).await.ok()
}

fn messages(conversation: &Value) -> &[Value] {
    conversation["messages"].as_array().unwrap()
}

/// Which of its messages have no more than their text.
fn brief(conversation: &Value) -> Vec<usize> {
    let briefly = |(at, message): (usize, &Value)| message.get("brief").is_some().then_some(at);
    messages(conversation).iter().enumerate().filter_map(briefly).collect()
}

#[tokio::test]
async fn the_last_answers_are_whole_and_those_before_them_have_their_text() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    for question in ["One?", "Two?", "Three?"] {
        ask(&ann, &id, question).await;
    }
    let all = read(&ann, &id, "").await;
    assert!(brief(&all).is_empty());

    let read_briefly = read(&ann, &id, "?whole=1").await;
    assert_eq!(brief(&read_briefly), [1, 3]);
    assert_eq!(messages(&read_briefly).len(), messages(&all).len());
    for (message, whole) in messages(&read_briefly).iter().zip(messages(&all)) {
        if message.get("brief").is_none() {
            assert_eq!(message, whole, "questions and the last answer are as ever");
            continue;
        }
        assert_eq!(message["brief"], whole["stage3"]["response"]);
        for field in ["id", "role", "created_at", "parent_id", "run_id", "status"] {
            assert_eq!(message[field], whole[field], "{field}");
        }
        for field in ["stage1", "stage2", "stage3"] {
            assert_eq!(message[field], Value::Null, "{field} is not read");
        }
        assert_eq!(message["metadata"]["label_to_member"], json!({}));
    }

    assert_eq!(brief(&read(&ann, &id, "?whole=0").await), [1, 3, 5]);
    assert_eq!(brief(&read(&ann, &id, "?whole=2").await), [1]);
    for enough in ["?whole=3", "?whole=4294967295"] {
        assert_eq!(read(&ann, &id, enough).await, all);
    }
    let wrong = ann.get(&format!("/api/conversations/{id}?whole=-1")).await;
    assert_eq!(wrong.wrong_fields(), ["whole"]);
    app.close().await;
}

#[tokio::test]
async fn the_last_ones_are_those_of_the_branch_that_is_read_or_of_all_that_was_written() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    for question in ["One?", "Two?"] {
        ask(&ann, &id, question).await;
    }
    let first = read(&ann, &id, "").await["messages"][1]["id"].clone();
    let second = read(&ann, &id, "").await["messages"][3]["id"].clone();
    let other = json!({"content": "Two, in other words?", "parent_message_id": first});
    ann.ask(&id, other).await.rest().await;

    let earlier = format!("?branch={}&whole=1", second.as_str().unwrap());
    let earlier = read(&ann, &id, &earlier).await;
    assert_eq!((&messages(&earlier)[3]["id"], brief(&earlier)), (&second, vec![1]));
    assert_eq!(brief(&read(&ann, &id, "?whole=1").await), [1]);
    assert_eq!(brief(&read(&ann, &id, "?all=true&whole=1").await), [1, 3]);
    app.close().await;
}

#[tokio::test]
async fn an_answer_that_failed_has_no_text_and_says_why() {
    let app = TestApp::start().await;
    app.models.rule(|request| (!request.prompt().contains("Light?")).then(|| Script::answer("")));
    let ann = app.user("ann");
    let id = ann.conversation().await;
    ask(&ann, &id, "Dark?").await;
    ask(&ann, &id, "Light?").await;
    let conversation = read(&ann, &id, "?whole=1").await;
    let [_, failed, _, answered] = messages(&conversation) else { panic!("{conversation}") };
    assert_eq!((&failed["brief"], &failed["status"]), (&json!(""), &json!("failed")));
    assert_eq!(failed["error_kind"], "no_answers");
    assert_eq!((answered.get("brief"), &answered["status"]), (None, &json!("complete")));
    app.close().await;
}
