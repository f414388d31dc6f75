//! People's devices are told when a run of theirs ends or waits: once each, encrypted so that the device alone reads it,
//! without content unless its owner wants it, and not where they were looking.

mod devices;
mod trouble;

use std::time::Duration;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::device::{Device, PUBLIC_KEY, PUSH};
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, Script};

use llm_council::runs::{RunSettings, Runs};

/// An app that sends, and a push service that takes everything.
struct Bed {
    app: TestApp,
    service: ModelServer,
}

impl Bed {
    async fn start() -> Self {
        let bed = Self::idle(PUSH).await;
        bed.send();
        bed
    }

    /// The same without anybody who takes from the outbox.
    async fn idle(toml: &str) -> Self {
        let bed = Self { app: TestApp::with(toml).await, service: ModelServer::start().await };
        bed.service.others(|_| Some(Script::status(201, "")));
        bed
    }

    /// One more process takes from the outbox.
    fn send(&self) {
        let app = &self.app.app;
        let push = app.push.clone().expect("notifications are on");
        app.shutdown.tasks().spawn_background(push.work(self.app.db.db().clone()));
    }

    /// The endpoint of this name at the push service.
    fn endpoint(&self, name: &str) -> String {
        format!("{}/{name}", self.service.base_url())
    }

    /// A device of somebody's, and its id here.
    async fn device(&self, user: &User<'_>, name: &str) -> (Device, String) {
        let device = Device::new();
        let answer = user.post("/api/push/devices", device.subscription(&self.endpoint(name))).await.ok();
        (device, answer["id"].as_str().unwrap().to_owned())
    }

    /// Everything that the push service was sent, once there is so much.
    async fn received(&self, count: usize) -> Vec<Record> {
        self.service.until_any(|records| records.len() >= count).await;
        self.service.other_records()
    }

    async fn ask(&self, user: &User<'_>, body: Value) -> Value {
        let conversation = user.conversation().await;
        user.post(&format!("/api/conversations/{conversation}/message"), body).await.json()
    }

    /// How many things are still to be told to devices.
    async fn waiting(&self) -> i64 {
        let sql = "SELECT count(*) FROM webhook_deliveries WHERE push_subscription_id IS NOT NULL";
        sqlx::query_scalar(sql).fetch_one(&mut self.app.db.superuser().await).await.unwrap()
    }

    /// Waits until as much is to be told as wanted.
    async fn until_waiting(&self, count: i64) {
        for _ in 0..600 {
            if self.waiting().await == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} things wait, not {count}", self.waiting().await);
    }

    /// As if whoever looks had had their time to say so, and every pause were over.
    async fn time_passes(&self) {
        let mut superuser = self.app.db.superuser().await;
        for sql in [
            "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL",
            "UPDATE push_subscriptions SET busy_until = NULL",
        ] {
            sqlx::query(sql).execute(&mut superuser).await.unwrap();
        }
    }
}

fn question() -> Value {
    json!({"content": "Where is the secret door?"})
}

/// Checks this server's name as a push service does: RFC 8292.
#[track_caller]
fn is_ours(record: &Record, origin: &str) {
    let header = record.request.header("authorization").unwrap();
    let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(key, PUBLIC_KEY);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, URL_SAFE_NO_PAD.decode(key).unwrap())
        .verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
        .expect("the signature is that of the key");
    let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!((&claims["aud"], &claims["sub"]), (&json!(origin), &json!("mailto:root@example.com")));
    let left = claims["exp"].as_i64().unwrap() - Timestamp::now().as_second();
    assert!((1..=86_400).contains(&left), "{left}");
}

#[tokio::test]
async fn the_end_of_a_run_is_told_once_to_each_device_signed_encrypted_and_without_content() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    assert_eq!(ann.get("/api/user").await.ok()["push_key"], PUBLIC_KEY);
    let devices = [bed.device(&ann, "phone").await.0, bed.device(&ann, "laptop").await.0];
    let run = bed.ask(&ann, question()).await;
    bed.ask(&bed.app.user("bob"), question()).await;

    let told = bed.received(2).await;
    let origin = bed.service.base_url().trim_end_matches("/v1").to_owned();
    for (name, device) in ["phone", "laptop"].iter().zip(&devices) {
        let record = told.iter().find(|record| record.request.path == format!("/v1/{name}")).unwrap();
        is_ours(record, &origin);
        for (name, value) in [
            ("content-encoding", "aes128gcm"),
            ("content-type", "application/octet-stream"),
            ("urgency", "normal"),
        ] {
            assert_eq!(record.request.header(name), Some(value), "{name}");
        }
        let ttl: u64 = record.request.header("ttl").unwrap().parse().unwrap();
        assert!((86_000..=86_400).contains(&ttl), "{ttl}");
        let topic = record.request.header("topic").unwrap();
        assert!(topic.len() <= 32 && URL_SAFE_NO_PAD.decode(topic).unwrap().len() == 16, "{topic}");
        let message = device.open(&record.request.bytes).expect("it is for this device");
        assert_eq!(
            message,
            json!({"kind": "complete", "run_id": run["run_id"], "conversation_id": run["conversation_id"]})
        );
    }
    assert!(
        devices[0].open(&told[0].request.bytes).is_none()
            || devices[1].open(&told[0].request.bytes).is_none()
    );
    bed.until_waiting(0).await;
    assert_eq!(bed.service.other_records().len(), 2, "nothing of another's run");
    let list = ann.get("/api/push/devices").await.ok();
    assert!(list["devices"].as_array().unwrap().iter().all(|one| one["told_at"].is_string()), "{list}");
    bed.app.close().await;
}

#[tokio::test]
async fn titles_are_sent_to_the_device_whose_owner_wants_them_there() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let ((phone, _), (laptop, id)) = (bed.device(&ann, "phone").await, bed.device(&ann, "laptop").await);
    let body = json!({"include_title": true});
    let changed = ann.send("PATCH", &format!("/api/push/devices/{id}"), Some(&body)).await.ok();
    assert_eq!((&changed["include_title"], &changed["name"]), (&json!(true), &json!("Firefox (Linux)")));
    let run = bed.ask(&ann, question()).await;
    let told = bed.received(2).await;
    let read = |device: &Device| told.iter().find_map(|record| device.open(&record.request.bytes)).unwrap();
    assert!(read(&phone).get("title").is_none());
    let path = format!("/api/conversations/{}", run["conversation_id"].as_str().unwrap());
    assert_eq!(read(&laptop)["title"], ann.get(&path).await.ok()["title"]);
    assert!(!read(&laptop).to_string().contains("answer"));
    bed.app.close().await;
}

#[tokio::test]
async fn a_run_that_failed_is_told_of_and_one_that_was_stopped_is_not() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let (phone, _) = bed.device(&ann, "phone").await;
    bed.app.models.rule(|_| Some(Script::answer("").stall()));
    let conversation = ann.conversation().await;
    let mut live = ann.ask(&conversation, question()).await;
    live.until("stage1_start").await;
    ann.post(&format!("/api/conversations/{conversation}/message/cancel"), json!({})).await.ok();
    live.rest().await;
    assert_eq!(bed.waiting().await, 0);

    bed.app.models.rule(|_| Some(Script::status(402, "no money")));
    bed.ask(&ann, question()).await;
    let told = bed.received(1).await;
    assert_eq!(phone.open(&told[0].request.bytes).unwrap()["kind"], "failed");
    bed.until_waiting(0).await;
    assert_eq!(bed.service.other_records().len(), 1);
    bed.app.close().await;
}

#[tokio::test]
async fn a_run_that_waits_for_its_person_says_so() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.ask(&ann, json!({"content": "Why do tides turn?", "use_cache": true})).await;
    let (phone, _) = bed.device(&ann, "phone").await;
    let conversation = ann.conversation().await;
    let again = json!({"content": "Why do tides turn?", "use_cache": true, "cache_mode": "offer"});
    let mut live = ann.ask(&conversation, again).await;
    live.until("cache_offer").await;
    let told = bed.received(1).await;
    let message = phone.open(&told[0].request.bytes).unwrap();
    assert_eq!((&message["kind"], &message["conversation_id"]), (&json!("waits"), &json!(conversation)));
    let ttl: u64 = told[0].request.header("ttl").unwrap().parse().unwrap();
    assert!(ttl <= 60, "{ttl}");

    let run = message["run_id"].as_str().unwrap();
    ann.post(&format!("/api/runs/{run}/cache"), json!({"take": true})).await.ok();
    live.rest().await;
    let told = bed.received(2).await;
    assert_eq!(phone.open(&told[1].request.bytes).unwrap()["kind"], "complete");
    assert_eq!(told[0].request.header("topic"), told[1].request.header("topic"), "a device gets the last");
    bed.app.close().await;
}

#[tokio::test]
async fn a_run_that_waited_before_its_server_left_it_does_not_say_so_once_more() {
    let bed = Bed::idle(PUSH).await;
    let ann = bed.app.user("ann");
    bed.ask(&ann, json!({"content": "Why do tides turn?", "use_cache": true})).await;
    bed.device(&ann, "phone").await;
    let gate = Gate::new();
    let held = gate.clone();
    bed.app.models.rule(move |request| {
        (request.asked_for() == AskedFor::Answer).then(|| Script::answer("The").hold(&held).text(" moon."))
    });
    let conversation = ann.conversation().await;
    let again = json!({"content": "Why do tides turn?", "use_cache": true, "cache_mode": "offer"});
    let mut live = ann.ask(&conversation, again).await;
    let run = live.until("run_started").await.json["run_id"].as_str().unwrap().to_owned();
    live.until("cache_offer").await;
    ann.post(&format!("/api/runs/{run}/cache"), json!({"take": false})).await.ok();
    live.until("stage1_token").await;
    assert_eq!(bed.waiting().await, 1);
    // As if the device had been told.
    let mut superuser = bed.app.db.superuser().await;
    sqlx::query("DELETE FROM webhook_deliveries").execute(&mut superuser).await.unwrap();

    let (app, db) = (&bed.app.app, bed.app.db.db());
    app.runs.hand_over().await.unwrap();
    app.runs.idle().await;
    let (models, objects, tasks) = (app.models.clone(), app.objects.clone(), app.shutdown.tasks());
    let next = Runs::new(db.clone(), models, objects, tasks.clone(), RunSettings::default());
    tasks.spawn_background(next.clone().write(db.clone()));
    tasks.spawn_background(next.clone().work());
    gate.open();
    assert_eq!(live.rest().await.last().unwrap().kind(), "complete");
    let told: Vec<String> =
        sqlx::query_scalar("SELECT event FROM webhook_deliveries").fetch_all(&mut superuser).await.unwrap();
    assert_eq!(told, ["run.completed"], "it waits for nobody any more");
    next.idle().await;
    bed.app.close().await;
}

#[tokio::test]
async fn what_its_person_has_seen_is_told_to_no_device() {
    let bed = Bed::idle(PUSH).await;
    let ann = bed.app.user("ann");
    bed.device(&ann, "phone").await;
    let run = bed.ask(&ann, question()).await;
    let path = format!("/api/runs/{}/seen", run["run_id"].as_str().unwrap());
    assert_eq!(bed.app.user("bob").post(&path, json!({})).await.status, 404);
    assert_eq!(bed.waiting().await, 1);
    let soon: bool = sqlx::query_scalar("SELECT next_attempt_at > now() FROM webhook_deliveries")
        .fetch_one(&mut bed.app.db.superuser().await)
        .await
        .unwrap();
    assert!(soon, "there is time to say so");
    ann.post(&path, json!({})).await.ok();
    assert_eq!(bed.waiting().await, 0);
    ann.post(&path, json!({})).await.ok();
    bed.app.close().await;
}

#[tokio::test]
async fn runs_of_programs_are_told_to_no_device() {
    let bed = Bed::idle(PUSH).await;
    let ann = bed.app.user("ann");
    bed.device(&ann, "phone").await;
    let token = ann.post("/api/tokens", json!({"name": "script"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let script = bed.app.user("").without_identity().with("authorization", &bearer);
    bed.ask(&script, question()).await;
    ann.post("/v1/responses", json!({"model": "council", "input": "Why?"})).await.ok();
    assert_eq!(bed.waiting().await, 0);
    let run = bed.ask(&ann, question()).await;
    assert_eq!(bed.waiting().await, 1);
    // An answer that is asked for again is told of, too.
    let again = format!("/api/runs/{}/retry", run["run_id"].as_str().unwrap());
    ann.post(&again, json!({"from": "stage3"})).await.ok();
    bed.until_waiting(2).await;
    // Whose question is asked on a schedule is not there to look.
    let schedule = json!({"name": "Herons", "cron": "@yearly", "request": question()});
    let schedule = ann.post("/api/schedules", schedule).await.ok();
    let now = format!("/api/schedules/{}/run", schedule["id"].as_str().unwrap());
    ann.post(&now, json!({})).await.ok();
    bed.until_waiting(3).await;
    bed.app.close().await;
}

#[tokio::test]
async fn two_servers_tell_everything_once() {
    let bed = Bed::start().await;
    bed.send();
    let ann = bed.app.user("ann");
    let devices = [bed.device(&ann, "phone").await.0, bed.device(&ann, "laptop").await.0];
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(bed.ask(&ann, question()).await["run_id"].clone());
    }
    let told = bed.received(6).await;
    bed.until_waiting(0).await;
    assert_eq!(bed.service.other_records().len(), 6);
    for device in &devices {
        let mut of_device: Vec<Value> = told
            .iter()
            .filter_map(|record| Some(device.open(&record.request.bytes)?["run_id"].clone()))
            .collect();
        of_device.sort_by_key(Value::to_string);
        runs.sort_by_key(Value::to_string);
        assert_eq!(of_device, runs);
    }
    bed.app.close().await;
}
