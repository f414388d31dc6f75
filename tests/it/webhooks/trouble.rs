//! Receivers that are away, gone, elsewhere or hostile, and servers that die in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use llm_council::store::outbox::webhooks;
use serde_json::json;

use super::{Bed, body, is_signed};
use crate::projects::{holding, released};
use crate::support::app::TestApp;
use crate::support::model_server::{ModelServer, Script};

#[tokio::test]
async fn a_receiver_that_was_down_for_an_hour_is_told_when_it_is_back() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    bed.receiver.others(move |_| {
        Some(if up.load(Ordering::SeqCst) {
            Script::status(200, "thanks")
        } else {
            Script::status(503, "later")
        })
    });
    let webhook = bed.webhook(&ann, json!({})).await;
    let run = bed.ask(&ann).await;
    // Attempts at once, after 5 s, 5 min and 30 min.
    for attempts in 1..=4 {
        let all = bed
            .deliveries(&ann, &webhook, |all| all.first().is_some_and(|it| it["attempts"] == attempts))
            .await;
        assert_eq!((&all[0]["status"], &all[0]["last_status"]), (&json!("pending"), &json!(503)), "{all:?}");
        assert_eq!(all[0]["last_error"], "the receiver answered 503 Service Unavailable");
        assert!(all[0]["next_attempt_at"].as_str() > all[0]["last_attempt_at"].as_str());
        is_up.store(attempts == 4, Ordering::SeqCst);
        bed.time_passes().await;
    }
    let all = bed.deliveries(&ann, &webhook, |all| all[0]["status"] == "delivered").await;
    assert_eq!(all[0]["attempts"], 5);
    assert!(all[0].get("next_attempt_at").is_none() && all[0].get("last_error").is_none(), "{all:?}");

    let told = bed.receiver.other_records();
    assert_eq!(told.len(), 5);
    for record in &told {
        assert!(is_signed(record, &webhook["secret"]), "each attempt has the signature of its own time");
        assert_eq!(record.request.header("webhook-id"), all[0]["id"].as_str());
        assert_eq!(body(record), body(&told[0]), "and says the same");
        assert_eq!(body(record)["data"]["run_id"], run["run_id"]);
    }
    bed.app.close().await;
}

#[tokio::test]
async fn everything_that_ended_while_a_receiver_was_down_for_an_hour_is_told_when_it_is_back() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    bed.receiver.others(move |_| {
        Some(if up.load(Ordering::SeqCst) { Script::status(200, "") } else { Script::status(503, "later") })
    });
    let webhook = bed.webhook(&ann, json!({})).await;
    let mut runs = Vec::new();
    // A run ends, attempts fail, the pauses pass; and again.
    for ended in 1..=3 {
        let run = bed.ask(&ann).await;
        runs.push(run["run_id"].as_str().unwrap().to_owned());
        bed.deliveries(&ann, &webhook, |all| {
            all.len() == ended && all.iter().any(|one| one["attempts"] == ended)
        })
        .await;
        bed.time_passes().await;
    }
    let all = bed.deliveries(&ann, &webhook, |_| true).await;
    assert!(all.iter().all(|one| one["status"] == "pending"), "{all:?}");

    is_up.store(true, Ordering::SeqCst);
    // What rests since a failure is due again, as it is when its pause is over.
    for _ in 0..3 {
        bed.time_passes().await;
        let next = |all: &[serde_json::Value]| all.iter().any(|one| one["status"] == "delivered");
        bed.deliveries(&ann, &webhook, next).await;
    }
    let all = bed.deliveries(&ann, &webhook, |all| all.iter().all(|one| one["status"] == "delivered")).await;
    assert_eq!(all.len(), 3);
    let told = bed.receiver.other_records();
    for run in &runs {
        let of_run: Vec<_> = told.iter().filter(|record| body(record)["data"]["run_id"] == **run).collect();
        assert!(!of_run.is_empty(), "{run} was told");
        let ids: std::collections::BTreeSet<_> =
            of_run.iter().map(|record| record.request.header("webhook-id")).collect();
        assert_eq!(ids.len(), 1, "under one id");
        assert!(of_run.iter().all(|record| is_signed(record, &webhook["secret"])));
    }
    bed.app.close().await;
}

#[tokio::test]
async fn what_failed_for_good_can_be_sent_again() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.receiver.others(|_| Some(Script::status(500, "")));
    let webhook = bed.webhook(&ann, json!({})).await;
    bed.ask(&ann).await;
    for attempts in 1..=10 {
        let all = bed
            .deliveries(&ann, &webhook, |all| all.first().is_some_and(|it| it["attempts"] == attempts))
            .await;
        assert_eq!(all[0]["status"], if attempts == 10 { "failed" } else { "pending" }, "{all:?}");
        bed.time_passes().await;
    }
    assert_eq!(bed.receiver.other_records().len(), 10);

    bed.receiver.others(|_| Some(Script::status(202, "")));
    let all = bed.deliveries(&ann, &webhook, |_| true).await;
    let id = |value: &serde_json::Value| value["id"].as_str().unwrap().to_owned();
    let again = format!("/api/webhooks/{}/deliveries/{}/resend", id(&webhook), id(&all[0]));
    assert_eq!(ann.post(&again, json!({})).await.ok()["status"], "pending");
    bed.deliveries(&ann, &webhook, |all| all.len() == 1 && all[0]["status"] == "delivered").await;
    bed.app.close().await;
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_told_nothing_more_until_its_owner_says_so() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.receiver.others(|_| Some(Script::status(410, "")));
    let webhook = bed.webhook(&ann, json!({})).await;
    bed.ask(&ann).await;
    bed.deliveries(&ann, &webhook, |all| all.first().is_some_and(|it| it["last_status"] == 410)).await;
    let list = ann.get("/api/webhooks").await.ok();
    assert_eq!(list["webhooks"][0]["enabled"], false, "{list}");
    assert!(list["webhooks"][0]["disabled_reason"].as_str().unwrap().contains("410"));
    bed.ask(&ann).await;
    bed.time_passes().await;
    assert_eq!(bed.deliveries(&ann, &webhook, |_| true).await.len(), 1, "the second run is not even kept");
    assert_eq!(bed.receiver.other_records().len(), 1);

    bed.receiver.others(|_| Some(Script::status(200, "")));
    let path = format!("/api/webhooks/{}", webhook["id"].as_str().unwrap());
    let body = json!({"enabled": true});
    let enabled = ann.send("PATCH", &path, Some(&body)).await.ok();
    assert!(enabled["enabled"] == true && enabled.get("disabled_reason").is_none(), "{enabled}");
    bed.time_passes().await;
    bed.deliveries(&ann, &webhook, |all| all[0]["status"] == "delivered").await;
    bed.app.close().await;
}

#[tokio::test]
async fn redirects_lead_nowhere_and_a_longer_pause_is_kept() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let elsewhere = ModelServer::start().await;
    let target = elsewhere.base_url();
    bed.receiver.others(move |_| {
        Some(Script::status(307, "").header("location", &target).header("retry-after", "7200"))
    });
    let webhook = bed.webhook(&ann, json!({})).await;
    let test = format!("/api/webhooks/{}/test", webhook["id"].as_str().unwrap());
    assert_eq!(ann.post(&test, json!({})).await.ok()["event"], "webhook.test");
    let all = bed.deliveries(&ann, &webhook, |all| all[0]["attempts"] == 1).await;
    assert!(all[0]["last_error"].as_str().unwrap().contains("redirects are not followed"), "{all:?}");
    let wait: f64 = sqlx::query_scalar(
        "SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 FROM webhook_deliveries",
    )
    .fetch_one(&mut bed.app.db.superuser().await)
    .await
    .unwrap();
    assert!((7_200.0..7_300.0).contains(&wait), "{wait}");
    assert!(elsewhere.other_records().is_empty());
    bed.app.close().await;
}

#[tokio::test]
async fn nothing_is_sent_into_private_networks_that_nobody_allowed() {
    let bed = Bed::with("").await;
    let ann = bed.app.user("ann");
    for url in [bed.url(), bed.url().replace("http:", "https:"), "https://[::1]:1/".to_owned()] {
        let refused = ann.post("/api/webhooks", json!({"url": url})).await;
        assert_eq!(refused.wrong_fields(), ["url"], "{url}");
    }
    // A name is looked up when something is sent.
    let port = bed.receiver.base_url().rsplit_once(':').unwrap().1.trim_end_matches("/v1").to_owned();
    let webhook = ann.post("/api/webhooks", json!({"url": format!("https://localhost:{port}/")})).await.ok();
    bed.ask(&ann).await;
    let all = bed.deliveries(&ann, &webhook, |all| all.first().is_some_and(|it| it["attempts"] == 1)).await;
    let error = all[0]["last_error"].as_str().unwrap();
    assert!(error.contains("localhost is in a network that this server does not send to"), "{error}");
    assert!(bed.receiver.other_records().is_empty());
    bed.app.close().await;
}

#[tokio::test]
async fn slow_receivers_of_one_person_keep_nobody_elses_waiting() {
    let app = TestApp::with(super::ALLOWED).await;
    let bed = Bed { app, receiver: ModelServer::start().await };
    let (ann, bob) = (bed.app.user("ann"), bed.app.user("bob"));
    let mut due = Vec::new();
    for user in [&ann, &ann, &ann, &bob] {
        let webhook = bed.webhook(user, json!({})).await;
        let id = webhook["id"].as_str().unwrap().to_owned();
        user.post(&format!("/api/webhooks/{id}/test"), json!({})).await.ok();
        due.push(id);
    }
    // What is claimed is being told until the end of this test.
    let mut told = Vec::new();
    while let Some(claimed) = webhooks::claim(bed.app.db.db(), Duration::from_secs(3600)).await.unwrap() {
        told.push(claimed.webhook.to_string());
    }
    let [first, second, third, bobs]: [String; 4] = due.try_into().unwrap();
    assert_eq!(told, [first, bobs, second, third]);
    bed.app.close().await;
}

#[tokio::test]
async fn a_test_that_still_waits_is_sent_at_once_and_not_joined_by_another() {
    let app = TestApp::with(super::ALLOWED).await;
    let bed = Bed { app, receiver: ModelServer::start().await };
    let ann = bed.app.user("ann");
    let webhook = bed.webhook(&ann, json!({})).await;
    let path = format!("/api/webhooks/{}", webhook["id"].as_str().unwrap());
    let test = async || ann.post(&format!("{path}/test"), json!({})).await.ok();
    let waiting = test().await;
    let mut superuser = bed.app.db.superuser().await;
    let later = "UPDATE webhook_deliveries SET attempts = 3, next_attempt_at = now() + interval '1 hour'";
    sqlx::query(later).execute(&mut superuser).await.unwrap();
    let again = test().await;
    assert_eq!((&again["id"], &again["attempts"]), (&waiting["id"], &json!(0)));
    assert!(webhooks::claim(bed.app.db.db(), Duration::from_secs(1)).await.unwrap().is_some(), "it is due");
    let arrived = "UPDATE webhook_deliveries SET status = 'delivered', next_attempt_at = NULL";
    sqlx::query(arrived).execute(&mut superuser).await.unwrap();
    assert_ne!(test().await["id"], waiting["id"]);
    assert_eq!(ann.get(&format!("{path}/deliveries")).await.ok()["total"], 2);
    bed.app.close().await;
}

#[tokio::test]
async fn what_a_server_had_claimed_when_it_died_is_told_by_another() {
    let app = TestApp::with(super::ALLOWED).await;
    let receiver = ModelServer::start().await;
    receiver.others(|_| Some(Script::status(200, "")));
    let bed = Bed { app, receiver };
    let ann = bed.app.user("ann");
    let webhook = bed.webhook(&ann, json!({})).await;
    bed.ask(&ann).await;
    // It dies with the claim.
    let claim = || webhooks::claim(bed.app.db.db(), Duration::from_secs(3600));
    let claimed = claim().await.unwrap().unwrap();
    assert_eq!(claimed.due.len(), 1);
    assert!(claim().await.unwrap().is_none(), "nobody else has it");
    bed.time_passes().await;
    bed.send();
    let all = bed.deliveries(&ann, &webhook, |all| all[0]["status"] == "delivered").await;
    assert_eq!((all.len(), bed.receiver.other_records().len()), (1, 1));
    bed.app.close().await;
}

#[tokio::test]
async fn two_changes_at_the_same_moment_are_both_kept() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let made = ann.post("/api/webhooks", json!({"url": "https://hooks.example.com/ann"})).await.ok();
    let path = format!("/api/webhooks/{}", made["id"].as_str().unwrap());
    let change = async |body| ann.send("PATCH", &path, Some(&body)).await.ok();
    let holder = holding(&app, "SELECT FROM webhooks FOR UPDATE").await;
    tokio::join!(
        change(json!({"enabled": false})),
        change(json!({"events": ["run.failed"]})),
        released(&app, holder, 2, "COMMIT"),
    );
    let list = ann.get("/api/webhooks").await.ok();
    let now = &list["webhooks"][0];
    assert_eq!((&now["enabled"], &now["events"]), (&json!(false), &json!(["run.failed"])));
    app.close().await;
}
