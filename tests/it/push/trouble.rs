//! Push services that are away, busy, elsewhere or hostile, devices that are gone, and servers that die in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use llm_council::store::outbox::push;
use serde_json::json;
use sqlx::Row as _;

use super::{Bed, question};
use crate::support::device::{Device, PUSH, PUSH_TO_PUBLIC};
use crate::support::model_server::{ModelServer, Script};

#[tokio::test]
async fn a_push_service_that_was_down_is_tried_again_and_its_pause_is_kept() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let answer = Arc::new(AtomicU16::new(503));
    let given = answer.clone();
    bed.service.others(move |_| {
        Some(match given.load(Ordering::SeqCst) {
            429 => Script::status(429, "slow down").header("retry-after", "3600"),
            status => Script::status(status, ""),
        })
    });
    let (phone, _) = bed.device(&ann, "phone").await;
    let run = bed.ask(&ann, question()).await;
    let state = async |attempts: i32| {
        for _ in 0..600 {
            let row = sqlx::query(
                "SELECT attempts, last_status, extract(epoch FROM next_attempt_at - last_attempt_at)::float8 AS pause
                 FROM webhook_deliveries WHERE attempts = $1",
            )
            .bind(attempts)
            .fetch_optional(&mut bed.app.db.superuser().await)
            .await
            .unwrap();
            if let Some(row) = row {
                return (row.get::<i32, _>("last_status"), row.get::<f64, _>("pause"));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("there were never {attempts} attempts");
    };
    bed.time_passes().await;
    let (status, pause) = state(1).await;
    assert!(status == 503 && (5.0..6.0).contains(&pause), "{status}, {pause}");
    let list = ann.get("/api/push/devices").await.ok();
    assert_eq!(list["devices"][0]["problem"], "the receiver answered 503 Service Unavailable");

    answer.store(429, Ordering::SeqCst);
    bed.time_passes().await;
    let (status, pause) = state(2).await;
    assert!(status == 429 && (3_600.0..3_700.0).contains(&pause), "{status}, {pause}");

    answer.store(201, Ordering::SeqCst);
    bed.time_passes().await;
    bed.until_waiting(0).await;
    let told = bed.service.other_records();
    assert_eq!(told.len(), 3);
    for record in &told {
        assert_eq!(phone.open(&record.request.bytes).unwrap()["run_id"], run["run_id"]);
    }
    assert_ne!(told[0].request.bytes, told[1].request.bytes, "each attempt is encrypted anew");
    let list = ann.get("/api/push/devices").await.ok();
    assert!(list["devices"][0].get("problem").is_none(), "{list}");
    bed.app.close().await;
}

#[tokio::test]
async fn what_no_push_service_took_for_a_day_is_given_up() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.service.others(|_| Some(Script::status(500, "")));
    bed.device(&ann, "phone").await;
    bed.ask(&ann, question()).await;
    for attempts in 1..=10 {
        bed.time_passes().await;
        bed.received(attempts).await;
        if attempts < 10 {
            let recorded = i32::try_from(attempts).unwrap();
            for _ in 0..600 {
                let now: i32 = sqlx::query_scalar("SELECT attempts FROM webhook_deliveries")
                    .fetch_one(&mut bed.app.db.superuser().await)
                    .await
                    .unwrap();
                if now == recorded {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    bed.until_waiting(0).await;
    let list = ann.get("/api/push/devices").await.ok();
    assert_eq!(list["devices"].as_array().unwrap().len(), 1, "the device stays");
    assert!(list["devices"][0]["problem"].as_str().unwrap().contains("500"));

    // What nobody has even tried goes, too: a server whose key was taken away sends nothing.
    bed.service.others(|_| Some(Script::status(201, "")));
    let sql = "INSERT INTO webhook_deliveries (id, push_subscription_id, user_id, event, created_at, next_attempt_at)
               SELECT gen_random_uuid(), id, user_id, 'push.test', now() - interval '25 hours', now() + interval '1 hour'
               FROM push_subscriptions";
    sqlx::query(sql).execute(&mut bed.app.db.superuser().await).await.unwrap();
    assert_eq!(push::remove_old(bed.app.db.db(), 10).await.unwrap(), 1);
    bed.app.close().await;
}

#[tokio::test]
async fn a_device_that_is_gone_is_forgotten() {
    for status in [404, 410] {
        let bed = Bed::start().await;
        let ann = bed.app.user("ann");
        bed.service.others(move |request| {
            Some(Script::status(if request.path.ends_with("/phone") { status } else { 201 }, ""))
        });
        bed.device(&ann, "phone").await;
        let (laptop, _) = bed.device(&ann, "laptop").await;
        bed.ask(&ann, question()).await;
        bed.time_passes().await;
        let told = bed.received(2).await;
        assert!(told.iter().any(|record| laptop.open(&record.request.bytes).is_some()));
        bed.until_waiting(0).await;
        let list = ann.get("/api/push/devices").await.ok();
        assert_eq!(list["devices"].as_array().unwrap().len(), 1, "{status}: {list}");
        bed.app.close().await;
    }
}

#[tokio::test]
async fn redirects_lead_nowhere_and_names_of_private_networks_neither() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let elsewhere = ModelServer::start().await;
    let target = elsewhere.base_url();
    bed.service.others(move |_| Some(Script::status(307, "").header("location", &target)));
    let (_, id) = bed.device(&ann, "phone").await;
    ann.post(&format!("/api/push/devices/{id}/test"), json!({})).await.ok();
    let problem = async |user: &crate::support::app::User<'_>| {
        for _ in 0..600 {
            let list = user.get("/api/push/devices").await.ok();
            if let Some(problem) = list["devices"][0]["problem"].as_str() {
                return problem.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("there never was a problem");
    };
    assert!(problem(&ann).await.contains("redirects are not followed"));
    assert!(elsewhere.other_records().is_empty());
    bed.app.close().await;

    // Without the operator's leave: a name is looked up when something is sent.
    let bed = Bed::idle(PUSH_TO_PUBLIC).await;
    bed.send();
    let ann = bed.app.user("ann");
    let port = bed.service.base_url().rsplit_once(':').unwrap().1.trim_end_matches("/v1").to_owned();
    let body = Device::new().subscription(&format!("https://localhost:{port}/"));
    let device = ann.post("/api/push/devices", body).await.ok();
    ann.post(&format!("/api/push/devices/{}/test", device["id"].as_str().unwrap()), json!({})).await.ok();
    let said = problem(&ann).await;
    assert!(
        said.contains("localhost is in a network that this server does not send to (push.allowed_networks)"),
        "{said}"
    );
    assert!(bed.service.other_records().is_empty());
    bed.app.close().await;
}

#[tokio::test]
async fn what_a_server_had_claimed_when_it_died_is_told_by_another() {
    let bed = Bed::idle(PUSH).await;
    let ann = bed.app.user("ann");
    let (phone, _) = bed.device(&ann, "phone").await;
    // It dies between the end of the run and the sending: what is to be told is there, written with the end.
    let run = bed.ask(&ann, question()).await;
    bed.time_passes().await;
    let claim = || push::claim(bed.app.db.db(), Duration::from_secs(3600));
    let claimed = claim().await.unwrap().unwrap();
    assert_eq!(claimed.due.len(), 1);
    assert!(claim().await.unwrap().is_none(), "nobody else has it");
    bed.time_passes().await;
    bed.send();
    let told = bed.received(1).await;
    assert_eq!(phone.open(&told[0].request.bytes).unwrap()["run_id"], run["run_id"]);
    bed.until_waiting(0).await;
    assert_eq!(bed.service.other_records().len(), 1);
    bed.app.close().await;
}

#[tokio::test]
async fn nothing_is_told_of_a_conversation_that_was_deleted_meanwhile() {
    let bed = Bed::idle(PUSH).await;
    let ann = bed.app.user("ann");
    bed.device(&ann, "phone").await;
    let run = bed.ask(&ann, question()).await;
    let path = format!("/api/conversations/{}", run["conversation_id"].as_str().unwrap());
    ann.send("DELETE", &path, None).await.ok();
    bed.time_passes().await;
    bed.send();
    bed.until_waiting(0).await;
    assert!(bed.service.other_records().is_empty());
    bed.app.close().await;
}
