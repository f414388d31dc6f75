//! The list in the order of asking.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};

async fn listed(user: &User<'_>, query: &str) -> Vec<String> {
    let list = user.get(&format!("/api/conversations{query}")).await.ok();
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

async fn at(user: &User<'_>, id: &str, which: &str) -> Value {
    user.get(&format!("/api/conversations/{id}")).await.ok()[which].clone()
}

#[tokio::test]
async fn a_conversation_that_is_asked_in_again_comes_first_and_one_that_is_tagged_does_not() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let ask = async |id: &str| {
        ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    };
    let (first, second, third) =
        (ann.conversation().await, ann.conversation().await, ann.conversation().await);
    assert_eq!(at(&ann, &first, "asked_at").await, at(&ann, &first, "created_at").await, "nothing was asked");
    for id in [&second, &first] {
        ask(id).await;
    }
    let newest = [third.as_str(), &second, &first];
    let asked = [first.as_str(), &second, &third];
    assert_eq!(listed(&ann, "?order=asked").await, asked);
    assert_eq!(listed(&ann, "").await, newest, "the order without a word is what it was");
    assert_eq!(listed(&ann, "?order=created").await, newest);

    let before = at(&ann, &second, "asked_at").await;
    ann.put(&format!("/api/conversations/{second}/tags"), json!({"tags": ["late"]})).await.ok();
    let renamed = json!({"title": "Late"});
    ann.send("PATCH", &format!("/api/conversations/{second}"), Some(&renamed)).await.ok();
    assert_eq!(at(&ann, &second, "asked_at").await, before);
    assert_eq!(listed(&ann, "?order=asked").await, asked, "it was not asked in");
    ask(&second).await;
    assert_eq!(listed(&ann, "?order=asked").await, [second.as_str(), &first, &third]);
    assert_eq!(listed(&ann, "?order=asked&tag=late").await, [second.as_str()]);

    let page = ann.get("/api/conversations?order=asked&limit=2").await;
    assert_eq!(page.json()[1]["id"], first.as_str());
    assert!(page.header("link").contains("order=asked"), "{}", page.header("link"));
    assert_eq!(listed(&ann, "?order=asked&limit=2&offset=2").await, [third.as_str()]);
    assert_eq!(ann.get("/api/conversations?order=loudness").await.wrong_fields(), ["order"]);
    app.close().await;
}
