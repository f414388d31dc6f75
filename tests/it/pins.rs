//! Pinned conversations.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};

async fn set(user: &User<'_>, id: &str, change: Value) -> Value {
    let answer = user.send("PATCH", &format!("/api/conversations/{id}"), Some(&change)).await;
    answer.ok()
}

async fn listed(user: &User<'_>, query: &str) -> Vec<String> {
    let list = user.get(&format!("/api/conversations{query}")).await.ok();
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_pinned_is_listed_by_itself_until_it_is_put_aside() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(ann.conversation().await);
    }
    bob.conversation().await;
    for id in &ids[..3] {
        assert_eq!(set(&ann, id, json!({"pinned": true})).await["pinned"], true);
    }
    let newest_first = |ids: &[String]| ids.iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(listed(&ann, "?pinned=true").await, newest_first(&ids[..3]));
    assert_eq!(listed(&ann, "").await, newest_first(&ids), "the list is what it was");
    assert_eq!(listed(&bob, "?pinned=true").await, [""; 0]);
    let page = ann.get("/api/conversations?pinned=true&limit=2").await;
    assert_eq!(page.header("x-total-count"), "3");
    assert!(page.header("link").contains("pinned=true"), "{}", page.header("link"));

    set(&ann, &ids[0], json!({"pinned": false, "title": "Not so important"})).await;
    assert_eq!(set(&ann, &ids[1], json!({"archived": true})).await["pinned"], false);
    set(&ann, &ids[1], json!({"archived": false})).await;
    ann.send("DELETE", &format!("/api/conversations/{}", ids[2]), None).await.ok();
    assert_eq!(listed(&ann, "?pinned=true").await, [""; 0]);
    ann.post(&format!("/api/conversations/{}/restore", ids[2]), json!({})).await.ok();
    assert_eq!(listed(&ann, "?pinned=true").await, [ids[2].as_str()], "brought back as it was");

    let last = format!("/api/conversations/{}", ids[3]);
    let refused = async |change: Value| {
        let answer = ann.send("PATCH", &last, Some(&change)).await;
        assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["pinned".to_owned()]), "{change}");
    };
    refused(json!({"pinned": true, "archived": true})).await;
    assert_eq!(ann.get(&last).await.ok()["archived"], false, "nothing is half done");
    set(&ann, &ids[3], json!({"archived": true})).await;
    refused(json!({"pinned": true})).await;
    set(&ann, &ids[3], json!({"archived": false, "pinned": true})).await;
    let at = |view: &Value| view["updated_at"].clone();
    let before = at(&ann.get(&last).await.ok());
    assert_eq!(at(&set(&ann, &ids[3], json!({"pinned": false})).await), before, "it was not talked in");
    let others =
        bob.send("PATCH", &format!("/api/conversations/{}", ids[3]), Some(&json!({"pinned": true}))).await;
    assert_eq!(others.status, 404);
    app.close().await;
}
