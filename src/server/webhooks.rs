//! The caller's webhooks, and for administrators the instance's.

use actix_web::{delete, get, patch, post, web};
use serde::Serialize;
use serde_json::{Value, json};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::page::PageQuery;
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::{Status, naive};
use crate::council::field::{FieldErrorKind, Fields};
use crate::id::{DeliveryId, RunId, WebhookId};
use crate::outbox::webhooks::{TEST_EVENT, new_secret, shown};
use crate::store::outbox::EVENTS;
use crate::store::webhooks::{self, Delivery, DeliveryStatus, Webhook, WebhookSettings};
use crate::store::{Scope, StoreError, audit};

/// A webhook without its secret.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WebhookView {
    pub id: WebhookId,
    /// Notified of everybody's runs; other webhooks are the caller's own.
    pub instance: bool,
    pub url: String,
    /// `run.completed`, `run.failed`, `run.cancelled`.
    pub events: Vec<String>,
    /// Question, answer and title are sent too.
    pub include_content: bool,
    pub enabled: bool,
    /// Why nothing is sent any more, where that was not its owner's wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// Naive UTC with microseconds.
    pub created_at: String,
}

impl From<Webhook> for WebhookView {
    fn from(row: Webhook) -> Self {
        Self {
            id: row.id,
            instance: row.is_instance,
            url: row.url,
            events: row.events,
            include_content: row.includes_content,
            enabled: row.is_enabled,
            disabled_reason: row.disabled_reason,
            created_at: naive(row.created_at),
        }
    }
}

/// The webhooks that the caller may change.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WebhookList {
    /// The caller's own, and for administrators the instance's after them; at most `most` of each.
    pub webhooks: Vec<WebhookView>,
    /// How many one may have; 0 where the administrator wants none.
    pub most: u32,
}

/// A webhook with its secret.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct WebhookWithSecret {
    #[serde(flatten)]
    pub webhook: WebhookView,
    /// What deliveries are signed with, as libraries of Standard Webhooks take it. It is in this answer and nowhere else.
    pub secret: String,
}

/// A webhook that was removed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RemovedWebhook {
    pub status: Status,
    pub id: WebhookId,
}

/// A delivery to a webhook, made or pending.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeliveryView {
    /// The `webhook-id` of every attempt.
    pub id: DeliveryId,
    /// Absent for a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    pub event: String,
    pub status: DeliveryStatus,
    /// How often it was tried since it was last asked for.
    pub attempts: u32,
    pub created_at: String,
    /// When it is tried again; only while it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<String>,
    /// The receiver's HTTP status, where it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_status: Option<u16>,
    /// Why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

impl From<Delivery> for DeliveryView {
    fn from(row: Delivery) -> Self {
        Self {
            id: row.id,
            run_id: row.run,
            event: row.event,
            status: row.status,
            attempts: row.attempts,
            created_at: naive(row.created_at),
            next_attempt_at: row.next_attempt_at.map(naive),
            last_attempt_at: row.last_attempt_at.map(naive),
            last_status: row.last_status,
            last_error: row.last_error,
        }
    }
}

/// A page of a webhook's deliveries.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeliveryList {
    /// Newest first. They are kept for 30 days.
    pub deliveries: Vec<DeliveryView>,
    /// Over all pages.
    pub total: u64,
}

/// A webhook to be made or changed; what is left out stays as it is.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct WebhookRequest {
    /// Where deliveries are sent: https, no user name, no fragment, at most 2,000 bytes.
    url: Option<String>,
    /// `run.completed`, `run.failed`, `run.cancelled`; all of them when left out.
    events: Option<Vec<String>>,
    /// Whether question, answer and title are sent too. Not for the instance's.
    #[schema(default = false)]
    include_content: Option<bool>,
    #[schema(default = true)]
    enabled: Option<bool>,
    /// For the runs of everybody; administrators only. Only when it is made.
    #[schema(default = false)]
    instance: Option<bool>,
}

/// The webhooks that the caller may change.
#[utoipa::path(tag = "webhooks", responses(
    (status = 200, body = WebhookList), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/webhooks")]
pub(super) async fn list(app: web::Data<App>, caller: Caller) -> Result<web::Json<WebhookList>, Problem> {
    caller.in_person("webhooks")?;
    let mut all = Vec::new();
    for scope in reach(&caller) {
        all.extend(webhooks::list(&mut app.db.begin(&scope).await?).await?);
    }
    let webhooks = all.into_iter().map(WebhookView::from).collect();
    Ok(web::Json(WebhookList { webhooks, most: app.config.webhooks.max_per_user }))
}

/// Makes a webhook. Its secret is in this answer and nowhere else.
#[utoipa::path(tag = "webhooks", request_body = WebhookRequest, responses(
    (status = 200, body = WebhookWithSecret), (status = 401, body = ProblemBody),
    (status = 403, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[post("/webhooks")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<WebhookWithSecret>, Problem> {
    caller.in_person("webhooks")?;
    let input = WebhookInput::read(&app, &body.0, None)?;
    let scope = if input.is_instance {
        caller.admin()?;
        Scope::Admin
    } else {
        caller.scope()
    };
    let secret = new_secret();
    let most = app.config.webhooks.max_per_user;
    let mut tx = app.db.begin(&scope).await?;
    let made = webhooks::create(&mut tx, &input.settings, &secret, most.into()).await?;
    let Some(webhook) = made else { return Err(Problem::field("url", &too_many(most))) };
    let details = json!({ "instance": input.is_instance });
    audit::append(&mut tx, &caller.user, "webhook.create", Some(&webhook.id.to_string()), &details).await?;
    tx.commit().await?;
    Ok(web::Json(WebhookWithSecret { webhook: webhook.into(), secret: shown(&secret) }))
}

fn too_many(most: u32) -> String {
    match most {
        0 => "is not taken: webhooks are switched off on this server".to_owned(),
        most => format!("is one too many: there are {most} webhooks already; remove one first"),
    }
}

/// Changes a webhook. One that was disabled because its receiver is gone can be enabled again.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path)), request_body = WebhookRequest, responses(
    (status = 200, body = WebhookView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/webhooks/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<WebhookView>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path).await?;
    let mut tx = app.db.begin(&scope).await?;
    // What the request leaves out stays as it is now: another change may have come in between, or the receiver's last no.
    let present = webhooks::find_to_change(&mut tx, webhook.id).await.map_err(named)?;
    let input = WebhookInput::read(&app, &body.0, Some(&present))?;
    let webhook = webhooks::change(&mut tx, webhook.id, &input.settings).await.map_err(named)?;
    let target = webhook.id.to_string();
    audit::append(&mut tx, &caller.user, "webhook.change", Some(&target), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(webhook.into()))
}

/// Gives a webhook another secret; the one before counts no more.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path)), responses(
    (status = 200, body = WebhookWithSecret), (status = 401, body = ProblemBody),
    (status = 403, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[post("/webhooks/{id}/secret")]
pub(super) async fn replace_secret(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<WebhookWithSecret>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path).await?;
    let secret = new_secret();
    let mut tx = app.db.begin(&scope).await?;
    webhooks::replace_secret(&mut tx, webhook.id, &secret).await.map_err(named)?;
    let target = webhook.id.to_string();
    audit::append(&mut tx, &caller.user, "webhook.secret", Some(&target), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(WebhookWithSecret { webhook: webhook.into(), secret: shown(&secret) }))
}

/// Removes a webhook and its deliveries, made and pending.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path)), responses(
    (status = 200, body = RemovedWebhook), (status = 401, body = ProblemBody),
    (status = 403, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[delete("/webhooks/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RemovedWebhook>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path).await?;
    let mut tx = app.db.begin(&scope).await?;
    webhooks::remove(&mut tx, webhook.id).await.map_err(named)?;
    let target = webhook.id.to_string();
    audit::append(&mut tx, &caller.user, "webhook.remove", Some(&target), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(RemovedWebhook { status: Status::Ok, id: webhook.id }))
}

/// Sends a test to a webhook, at once and like everything else.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path)), responses(
    (status = 200, body = DeliveryView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/webhooks/{id}/test")]
pub(super) async fn test(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<DeliveryView>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path).await?;
    let mut tx = app.db.begin(&scope).await?;
    let delivery = webhooks::add_test(&mut tx, webhook.id, TEST_EVENT).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(delivery.into()))
}

/// A webhook's deliveries, made and pending.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path), PageQuery), responses(
    (status = 200, body = DeliveryList), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[get("/webhooks/{id}/deliveries")]
pub(super) async fn deliveries(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    page: Query<PageQuery>,
) -> Result<web::Json<DeliveryList>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path).await?;
    let (limit, offset) = page.bounds();
    let mut tx = app.db.begin(&scope).await?;
    let (deliveries, total) = webhooks::list_deliveries(&mut tx, webhook.id, limit, offset).await?;
    Ok(web::Json(DeliveryList {
        deliveries: deliveries.into_iter().map(DeliveryView::from).collect(),
        total,
    }))
}

/// Sends a delivery again, at once, whatever came of it before.
#[utoipa::path(tag = "webhooks", params(("id" = String, Path), ("delivery" = String, Path)), responses(
    (status = 200, body = DeliveryView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/webhooks/{id}/deliveries/{delivery}/resend")]
pub(super) async fn resend(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<DeliveryView>, Problem> {
    caller.in_person("webhooks")?;
    let (scope, webhook) = found(&app, &caller, &path.0).await?;
    let delivery: DeliveryId = id(&path.1, "Delivery")?;
    let mut tx = app.db.begin(&scope).await?;
    let delivery = webhooks::send_again(&mut tx, webhook.id, delivery)
        .await
        .map_err(|error| Problem::from(error).naming("Delivery"))?;
    tx.commit().await?;
    Ok(web::Json(delivery.into()))
}

/// In which scopes webhooks are that the caller may change.
fn reach(caller: &Caller) -> Vec<Scope> {
    let mut scopes = vec![caller.scope()];
    if caller.is_admin {
        scopes.push(Scope::Admin);
    }
    scopes
}

/// A webhook that the caller may change, with the scope that it is in.
async fn found(app: &App, caller: &Caller, text: &str) -> Result<(Scope, Webhook), Problem> {
    let id: WebhookId = id(text, "Webhook")?;
    for scope in reach(caller) {
        match webhooks::find(&mut app.db.begin(&scope).await?, id).await {
            Ok(webhook) => return Ok((scope, webhook)),
            Err(StoreError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Problem::not_found("Webhook"))
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Webhook")
}

/// What a webhook is to be.
struct WebhookInput {
    settings: WebhookSettings,
    is_instance: bool,
}

impl WebhookInput {
    /// Reads the request, over what there is if there is something. Every wrong field is named.
    fn read(app: &App, body: &Value, present: Option<&Webhook>) -> Result<Self, Problem> {
        let mut fields = Fields::of(body)?;
        let url: Option<String> = fields.take("url", "a string");
        if url.is_none() && !fields.has("url") && present.is_none() {
            fields.refuse("url", FieldErrorKind::Missing, "is required: where deliveries are sent");
        }
        // An unchanged address that is no longer allowed is reported when something is sent to it.
        if let Some(Err(problem)) = url.as_deref().map(|url| app.webhooks.check(url)) {
            fields.refuse("url", FieldErrorKind::Value, problem.to_string());
        }
        let events: Option<Vec<String>> = fields.take("events", "a list of events");
        for (place, event) in events.iter().flatten().enumerate() {
            if !EVENTS.contains(&event.as_str()) {
                let rule = format!("must be one of {}", EVENTS.join(", "));
                fields.refuse(format!("events.{place}"), FieldErrorKind::Value, rule);
            }
        }
        if events.as_ref().is_some_and(Vec::is_empty) {
            fields.refuse("events", FieldErrorKind::Value, "must name an event");
        }
        let includes_content: Option<bool> = fields.take("include_content", "true or false");
        let enabled: Option<bool> = fields.take("enabled", "true or false");
        let asked: Option<bool> = fields.take("instance", "true or false");
        let is_instance = present.map_or(asked.unwrap_or_default(), |webhook| webhook.is_instance);
        if asked.is_some_and(|asked| asked != is_instance) {
            fields.refuse("instance", FieldErrorKind::Value, "cannot be changed; make another webhook");
        }
        if is_instance && includes_content == Some(true) {
            let message = "is not possible for the instance's webhooks: what people ask is theirs";
            fields.refuse("include_content", FieldErrorKind::Value, message);
        }
        let mut settings = present.map_or_else(
            || WebhookSettings {
                url: String::new(),
                events: EVENTS.map(str::to_owned).to_vec(),
                includes_content: false,
                is_enabled: true,
            },
            |webhook| WebhookSettings {
                url: webhook.url.clone(),
                events: webhook.events.clone(),
                includes_content: webhook.includes_content,
                is_enabled: webhook.is_enabled,
            },
        );
        if let Some(url) = url {
            settings.url = url;
        }
        if let Some(mut events) = events {
            events.sort();
            events.dedup();
            settings.events = events;
        }
        settings.includes_content = includes_content.unwrap_or(settings.includes_content);
        settings.is_enabled = enabled.unwrap_or(settings.is_enabled);
        Ok(fields.finish(|| Self { settings, is_instance })?)
    }
}
