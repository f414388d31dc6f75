//! Other programs are told when runs end: once each, signed, without content unless its owner wants it, and only where
//! the operator lets deliveries go.

mod routes;
mod trouble;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::app::{TestApp, User};
use crate::support::model_server::{ModelServer, Record, Script};
use crate::support::money::plausibly;

/// Receivers of these tests listen on this machine.
const ALLOWED: &str = "[webhooks]\nallowed_networks = [\"127.0.0.0/8\"]\n";

/// An app that sends, and a receiver that takes everything.
struct Bed {
    app: TestApp,
    receiver: ModelServer,
}

impl Bed {
    async fn start() -> Self {
        Self::with(ALLOWED).await
    }

    async fn with(toml: &str) -> Self {
        let bed = Self { app: TestApp::with(toml).await, receiver: ModelServer::start().await };
        bed.receiver.others(|_| Some(Script::status(204, "")));
        bed.send();
        bed
    }

    /// One more process takes from the outbox.
    fn send(&self) {
        let app = &self.app.app;
        app.shutdown.tasks().spawn_background(app.webhooks.clone().work(self.app.db.db().clone()));
    }

    fn url(&self) -> String {
        format!("{}/hook", self.receiver.base_url())
    }

    /// A webhook of somebody's; more than its address by `more`.
    async fn webhook(&self, user: &User<'_>, more: Value) -> Value {
        let mut body = json!({"url": self.url()});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        user.post("/api/webhooks", body).await.ok()
    }

    /// Everything that the receiver was sent, once there are so many.
    async fn received(&self, count: usize) -> Vec<Record> {
        self.receiver.until_any(|records| records.len() >= count).await;
        self.receiver.other_records()
    }

    /// The deliveries of a webhook, newest first, once they are as wanted.
    async fn deliveries(
        &self,
        user: &User<'_>,
        webhook: &Value,
        wanted: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let path = format!("/api/webhooks/{}/deliveries", webhook["id"].as_str().unwrap());
        for _ in 0..600 {
            let all = user.get(&path).await.ok()["deliveries"].as_array().unwrap().clone();
            if wanted(&all) {
                return all;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("never as wanted: {}", user.get(&path).await.text);
    }

    /// As if the next attempt of everything were due, and every pause over.
    async fn time_passes(&self) {
        let mut superuser = self.app.db.superuser().await;
        for sql in [
            "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL",
            "UPDATE webhooks SET busy_until = NULL",
        ] {
            sqlx::query(sql).execute(&mut superuser).await.unwrap();
        }
    }

    async fn ask(&self, user: &User<'_>) -> Value {
        let conversation = user.conversation().await;
        let question = json!({"content": "Where is the secret door?"});
        user.post(&format!("/api/conversations/{conversation}/message"), question).await.ok()
    }
}

fn body(record: &Record) -> &Value {
    &record.request.body
}

/// Checks the signature of a delivery as a receiver does.
#[track_caller]
fn is_signed(record: &Record, secret: &Value) -> bool {
    let header = |name| record.request.header(name).unwrap_or_else(|| panic!("no {name}: {record:?}"));
    let key = STANDARD.decode(secret.as_str().unwrap().strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).as_bytes());
    mac.update(&record.request.bytes);
    header("webhook-signature") == format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn the_end_of_a_run_is_told_once_signed_and_without_content() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let webhook = bed.webhook(&ann, json!({})).await;
    let run = bed.ask(&ann).await;
    bed.ask(&bed.app.user("bob")).await;

    let told = bed.received(1).await;
    let record = &told[0];
    assert!(is_signed(record, &webhook["secret"]));
    assert_eq!((record.request.method.as_str(), record.request.path.as_str()), ("POST", "/v1/hook"));
    assert_eq!(record.request.header("content-type"), Some("application/json"));
    let data = &body(record)["data"];
    assert_eq!(body(record)["type"], "run.completed");
    assert_eq!(
        (&data["run_id"], &data["status"], &data["format"]),
        (&run["run_id"], &json!("complete"), &json!("council"))
    );
    assert_eq!(body(record)["timestamp"], data["finished_at"]);
    assert!(data.get("cost_usd").is_some() && data.get("user").is_none());
    let text = body(record).to_string();
    assert!(!text.contains("secret door") && data.get("answer").is_none(), "{text}");

    let done = bed.deliveries(&ann, &webhook, |all| all.iter().all(|one| one["status"] == "delivered")).await;
    assert_eq!(done.len(), 1, "nothing of another's run");
    assert_eq!((&done[0]["attempts"], &done[0]["last_status"]), (&json!(1), &json!(204)));
    assert_eq!(done[0]["id"].as_str(), record.request.header("webhook-id"));
    assert_eq!(bed.receiver.other_records().len(), 1);
    bed.app.close().await;
}

#[tokio::test]
async fn a_call_that_reached_no_model_is_none_of_unknown_cost() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.webhook(&ann, json!({})).await;
    bed.app.models.rule(|request| {
        Some(match request.model.as_str() {
            "m/two" => Script::status(400, "{}"),
            _ => plausibly(request, 0.001),
        })
    });
    let run = bed.ask(&ann).await;
    assert_eq!(run["metadata"]["costs"]["unknown_cost_calls"], 0, "{run}");
    let told = bed.received(1).await;
    let data = &body(&told[0])["data"];
    assert_eq!(data["unknown_cost_calls"], 0, "{data}");
    assert!(data["cost_usd"].as_f64() > Some(0.0), "{data}");
    bed.app.close().await;
}

#[tokio::test]
async fn content_is_sent_to_who_wants_it_and_instances_are_told_whose_run_it_was() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    let own = bed.webhook(&ann, json!({"include_content": true})).await;
    let instance = bed.webhook(&bed.app.admin(), json!({"instance": true})).await;
    let run = bed.ask(&ann).await;

    let told = bed.received(2).await;
    let of = |webhook: &Value| {
        told.iter()
            .find(|record| is_signed(record, &webhook["secret"]))
            .map(|record| body(record)["data"].clone())
            .unwrap()
    };
    let data = of(&own);
    assert_eq!(data["question"], "Where is the secret door?");
    assert_eq!(data["answer"], run["stage3"]["response"], "{run}");
    assert!(data["title"].is_string() && data.get("user").is_none(), "{data}");
    let data = of(&instance);
    assert_eq!(data["user"], "ann");
    assert_eq!(data["run_id"], run["run_id"]);
    assert!(
        data.get("question").is_none() && data.get("answer").is_none() && data.get("title").is_none(),
        "{data}"
    );
    bed.app.close().await;
}

#[tokio::test]
async fn failed_and_stopped_runs_are_told_of_and_only_what_was_asked_for() {
    let bed = Bed::start().await;
    let ann = bed.app.user("ann");
    bed.webhook(&ann, json!({"events": ["run.failed", "run.cancelled"]})).await;
    bed.ask(&ann).await;
    bed.app.models.rule(|_| Some(Script::status(402, "no money")));
    let conversation = ann.conversation().await;
    ann.post(&format!("/api/conversations/{conversation}/message"), json!({"content": "Why?"})).await;
    let failed = bed.received(1).await;
    assert_eq!(body(&failed[0])["type"], "run.failed");
    assert!(body(&failed[0])["data"]["error_kind"].is_string(), "{:?}", failed[0]);

    bed.app.models.rule(|_| Some(Script::answer("").stall()));
    let mut live = ann.ask(&conversation, json!({"content": "And now?"})).await;
    live.until("stage1_start").await;
    ann.post(&format!("/api/conversations/{conversation}/message/cancel"), json!({})).await.ok();
    let stopped = bed.received(2).await;
    assert_eq!(body(&stopped[1])["type"], "run.cancelled");
    assert_eq!(body(&stopped[1])["data"]["status"], "cancelled");
    assert_eq!(stopped.len(), 2, "nothing of the run that was answered");
    drop(live);
    bed.app.close().await;
}

#[tokio::test]
async fn two_servers_tell_everything_once() {
    let bed = Bed::start().await;
    bed.send();
    let ann = bed.app.user("ann");
    let webhooks = [bed.webhook(&ann, json!({})).await, bed.webhook(&ann, json!({})).await];
    for _ in 0..4 {
        bed.ask(&ann).await;
    }
    let mut ids = Vec::new();
    for webhook in &webhooks {
        let all = bed
            .deliveries(&ann, webhook, |all| {
                all.len() == 4 && all.iter().all(|one| one["status"] == "delivered")
            })
            .await;
        assert!(all.iter().all(|one| one["attempts"] == 1), "{all:?}");
        ids.extend(all.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
    }
    let told = bed.receiver.other_records();
    assert_eq!(told.len(), 8);
    assert!(ids.iter().all(|id| told.iter().any(|record| record.request.header("webhook-id") == Some(id))));
    bed.app.close().await;
}
