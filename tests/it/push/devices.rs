//! Adding, changing and removing devices.

use serde_json::{Value, json};

use super::{Bed, question};
use crate::support::app::TestApp;
use crate::support::device::{Device, PUSH, PUSH_TO_PUBLIC};

#[tokio::test]
async fn everything_that_is_wrong_with_a_device_is_named() {
    let app = TestApp::with(PUSH_TO_PUBLIC).await;
    let ann = app.user("ann");
    let wrong = async |body: Value| ann.post("/api/push/devices", body).await.wrong_fields();
    assert_eq!(wrong(json!({})).await, ["endpoint", "keys.p256dh", "keys.auth", "name"]);
    let with = |change: fn(&mut Value)| {
        let mut body = Device::new().subscription("https://push.example.net/1");
        change(&mut body);
        body
    };
    for (body, field) in [
        (with(|body| body["endpoint"] = json!("http://push.example.net/1")), "endpoint"),
        (with(|body| body["endpoint"] = json!("https://10.0.0.1/1")), "endpoint"),
        (with(|body| body["endpoint"] = json!("https://[::1]/1")), "endpoint"),
        (with(|body| body["endpoint"] = json!("https://169.254.169.254/latest")), "endpoint"),
        (with(|body| body["endpoint"] = json!("https://ann:secret@push.example.net/1")), "endpoint"),
        (
            with(|body| body["endpoint"] = json!(format!("https://push.example.net/{}", "x".repeat(2_000)))),
            "endpoint",
        ),
        (with(|body| body["endpoint"] = json!(7)), "endpoint"),
        (with(|body| body["keys"]["auth"] = json!("c2hvcnQ")), "keys.auth"),
        (with(|body| body["keys"]["p256dh"] = json!("B".repeat(87))), "keys.p256dh"),
        (with(|body| body["keys"]["p256dh"] = json!(["a"])), "keys.p256dh"),
        (with(|body| body["name"] = json!("a\nb")), "name"),
        (with(|body| body["name"] = json!("x".repeat(101))), "name"),
    ] {
        assert_eq!(wrong(body.clone()).await, [field], "{body}");
    }
    assert_eq!(ann.get("/api/push/devices").await.ok(), json!({"devices": []}));
    app.close().await;
}

#[tokio::test]
async fn a_device_that_comes_again_is_the_same_and_there_are_twenty_at_most() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let device = Device::new();
    let add = async |place: u32| {
        let endpoint = format!("https://push.example.net/{place}");
        ann.post("/api/push/devices", device.subscription(&endpoint)).await
    };
    let first = add(0).await.ok();
    for place in 1..20 {
        add(place).await.ok();
    }
    assert_eq!(add(0).await.ok()["id"], first["id"]);
    assert_eq!(add(20).await.wrong_fields(), ["endpoint"]);
    let path = format!("/api/push/devices/{}", first["id"].as_str().unwrap());
    assert_eq!(ann.send("PATCH", &path, Some(&json!({}))).await.wrong_fields(), ["include_title"]);
    ann.send("DELETE", &path, None).await.ok();
    assert_eq!(ann.send("DELETE", &path, None).await.status, 404);
    add(20).await.ok();
    let text = ann.get("/api/push/devices").await.text;
    assert!(!text.contains("push.example.net") && !text.contains("p256dh"), "{text}");
    app.close().await;
}

#[tokio::test]
async fn a_browser_that_somebody_else_uses_now_is_told_nothing_of_who_used_it_before() {
    let bed = Bed::start().await;
    let (ann, bob) = (bed.app.user("ann"), bed.app.user("bob"));
    let browser = Device::new();
    let subscription = browser.subscription(&bed.endpoint("shared"));
    ann.post("/api/push/devices", subscription.clone()).await.ok();
    // Who knows the endpoint alone takes it from nobody.
    let guessed = Device::new().subscription(&bed.endpoint("shared"));
    bed.app.user("eve").post("/api/push/devices", guessed).await.ok();
    assert_eq!(ann.get("/api/push/devices").await.ok()["devices"].as_array().unwrap().len(), 1);

    bob.post("/api/push/devices", subscription).await.ok();
    assert_eq!(ann.get("/api/push/devices").await.ok(), json!({"devices": []}));
    bed.ask(&ann, question()).await;
    assert_eq!(bed.waiting().await, 0);
    let run = bed.ask(&bob, question()).await;
    let told = bed.received(1).await;
    assert_eq!(browser.open(&told[0].request.bytes).unwrap()["run_id"], run["run_id"]);
    bed.app.close().await;
}

#[tokio::test]
async fn a_test_is_sent_to_the_one_device() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let ((phone, id), _) = (bed.device(&ann, "phone").await, bed.device(&ann, "laptop").await);
    let path = format!("/api/push/devices/{id}/test");
    assert_eq!(bed.app.user("bob").post(&path, json!({})).await.status, 404);
    ann.post(&path, json!({})).await.ok();
    let told = bed.received(1).await;
    assert_eq!(phone.open(&told[0].request.bytes).unwrap(), json!({"kind": "test"}));
    assert!(told[0].request.header("topic").is_none());
    bed.until_waiting(0).await;
    bed.app.close().await;
}

#[tokio::test]
async fn a_server_without_a_key_says_nothing_of_it_and_takes_no_device() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    assert!(ann.get("/api/user").await.ok().get("push_key").is_none());
    let body = Device::new().subscription("https://push.example.net/1");
    let refused = ann.post("/api/push/devices", body).await;
    assert_eq!(refused.wrong_fields(), ["endpoint"]);
    assert!(refused.text.contains("sends no notifications"), "{}", refused.text);
    assert_eq!(ann.get("/api/push/devices").await.ok(), json!({"devices": []}));
    app.close().await;
}
