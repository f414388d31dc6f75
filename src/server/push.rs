//! The caller's devices that are notified when a run of theirs ends or waits for them, also with the page closed (Web
//! Push).

use actix_web::{delete, get, patch, post, web};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Value, json};

use super::app::App;
use super::extract::{Body, Caller, id};
use super::problem::{Problem, ProblemBody};
use super::shape::{Status, naive};
use crate::council::field::{FieldErrorKind, Fields, name_problem};
use crate::id::{DeviceId, RunId};
use crate::outbox::push::{Sender, is_public_key};
use crate::store::push::{self, Device, Subscription};
use crate::store::{StoreError, audit};

/// How many devices of one user can be notified.
const MOST: i64 = 20;
const MAX_NAME_CHARS: usize = 100;
const AUTH_BYTES: usize = 16;

/// A browser of the caller's that is notified.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeviceView {
    pub id: DeviceId,
    /// What it says it is.
    #[schema(example = "Firefox (Linux)")]
    pub name: String,
    /// The conversation's title is sent to it, too.
    pub include_title: bool,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// When its push service last accepted a message for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_at: Option<String>,
    /// Why it did not the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl From<Device> for DeviceView {
    fn from(row: Device) -> Self {
        Self {
            id: row.id,
            name: row.name,
            include_title: row.includes_title,
            created_at: naive(row.created_at),
            told_at: row.told_at.map(naive),
            problem: row.problem,
        }
    }
}

/// The caller's devices that are notified.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DeviceList {
    /// Oldest first; at most 20.
    pub devices: Vec<DeviceView>,
}

/// A device that was removed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RemovedDevice {
    pub status: Status,
    pub id: DeviceId,
}

/// A run that its person has looked at.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SeenRun {
    pub status: Status,
    pub run_id: RunId,
}

/// What a browser gives out when it subscribes (`PushSubscription.toJSON()`), and what it is.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct DeviceRequest {
    /// The address at which its push service takes messages for it: https, at most 2,000 bytes.
    endpoint: String,
    keys: DeviceKeys,
    /// What the browser is, for the list: 1 to 100 characters.
    #[schema(example = "Firefox (Linux)")]
    name: String,
}

/// What messages to a device are encrypted with, in URL-safe base64.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct DeviceKeys {
    /// Its public key: a point of P-256, uncompressed.
    p256dh: String,
    /// 16 bytes.
    auth: String,
}

/// What a device is sent.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct DeviceChange {
    /// Whether the conversation's title is sent, too.
    include_title: bool,
}

/// The caller's devices that are notified when a run of theirs ends or waits for them.
#[utoipa::path(tag = "push", responses(
    (status = 200, body = DeviceList), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/push/devices")]
pub(super) async fn list(app: web::Data<App>, caller: Caller) -> Result<web::Json<DeviceList>, Problem> {
    caller.in_person("notifications")?;
    let rows = push::list(&mut app.db.begin(&caller.scope()).await?).await?;
    Ok(web::Json(DeviceList { devices: rows.into_iter().map(DeviceView::from).collect() }))
}

/// Adds a device, or updates it where it exists already. A browser that another user had before gets no more of that
/// user's notifications.
#[utoipa::path(tag = "push", request_body = DeviceRequest, responses(
    (status = 200, body = DeviceView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/push/devices")]
pub(super) async fn add(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<DeviceView>, Problem> {
    caller.in_person("notifications")?;
    let Some(sender) = &app.push else {
        return Err(Problem::field("endpoint", "is not taken: this server sends no notifications"));
    };
    let wanted = read(sender, &body.0)?;
    push::take_over(&app.db, &caller.user, &wanted).await?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let Some(device) = push::add(&mut tx, &wanted, MOST).await? else {
        let rule = format!("is one too many: {MOST} devices are told already; remove one first");
        return Err(Problem::field("endpoint", &rule));
    };
    audit::append(&mut tx, &caller.user, "device.add", Some(&device.id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(device.into()))
}

/// Says what a device is sent.
#[utoipa::path(tag = "push", params(("id" = String, Path)), request_body = DeviceChange, responses(
    (status = 200, body = DeviceView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/push/devices/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<DeviceView>, Problem> {
    caller.in_person("notifications")?;
    let id: DeviceId = id(&path, "Device")?;
    let mut fields = Fields::of(&body.0)?;
    let include_title: Option<bool> = fields.take("include_title", "true or false");
    if include_title.is_none() && !fields.has("include_title") {
        fields.refuse("include_title", FieldErrorKind::Missing, "is required: whether titles are sent");
    }
    let include_title = fields.finish(|| include_title.unwrap_or_default())?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let device = push::change(&mut tx, id, include_title).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(device.into()))
}

/// Removes a device: it is notified of nothing more.
#[utoipa::path(tag = "push", params(("id" = String, Path)), responses(
    (status = 200, body = RemovedDevice), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[delete("/push/devices/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<RemovedDevice>, Problem> {
    caller.in_person("notifications")?;
    let id: DeviceId = id(&path, "Device")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    push::remove(&mut tx, id).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "device.remove", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(RemovedDevice { status: Status::Ok, id }))
}

/// Sends a test to a device, at once and like everything else.
#[utoipa::path(tag = "push", params(("id" = String, Path)), responses(
    (status = 200, body = DeviceView), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/push/devices/{id}/test")]
pub(super) async fn test(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<DeviceView>, Problem> {
    caller.in_person("notifications")?;
    let id: DeviceId = id(&path, "Device")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let device = push::add_test(&mut tx, id).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(device.into()))
}

/// Says that the caller has seen how a run of theirs stands: no device is notified any more. A page that is looked at
/// says so within three seconds.
#[utoipa::path(tag = "push", params(("id" = String, Path)), responses(
    (status = 200, body = SeenRun), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody)))]
#[post("/runs/{id}/seen")]
pub(super) async fn saw(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<SeenRun>, Problem> {
    caller.in_person("notifications")?;
    let run: RunId = id(&path, "Run")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    push::mark_seen(&mut tx, run).await.map_err(|error| Problem::from(error).naming("Run"))?;
    tx.commit().await?;
    Ok(web::Json(SeenRun { status: Status::Ok, run_id: run }))
}

fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Device")
}

/// Reads what a browser says. Every wrong field is named.
fn read(sender: &Sender, body: &Value) -> Result<Subscription, Problem> {
    let mut fields = Fields::of(body)?;
    let endpoint: Option<String> = fields.take("endpoint", "a string");
    if endpoint.is_none() && !fields.has("endpoint") {
        fields.refuse("endpoint", FieldErrorKind::Missing, "is required: where the push service listens");
    }
    if let Some(Err(problem)) = endpoint.as_deref().map(|endpoint| sender.check(endpoint)) {
        fields.refuse("endpoint", FieldErrorKind::Value, problem.to_string());
    }
    let keys: Option<Value> = fields.take("keys", "an object");
    let key = |name| {
        let text = keys.as_ref()?.get(name)?.as_str()?;
        URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
    };
    let p256dh = key("p256dh").filter(|key| is_public_key(key));
    if p256dh.is_none() {
        let rule = "must be a point of P-256, uncompressed, in URL-safe base64";
        fields.refuse("keys.p256dh", FieldErrorKind::Value, rule);
    }
    let auth = key("auth").filter(|auth| auth.len() == AUTH_BYTES);
    if auth.is_none() {
        fields.refuse("keys.auth", FieldErrorKind::Value, "must be 16 bytes in URL-safe base64");
    }
    let name: Option<String> = fields.take("name", "a string");
    let name = name.map(|name| name.trim().to_owned()).unwrap_or_default();
    if let Some(problem) = name_problem(&name, MAX_NAME_CHARS) {
        fields.refuse("name", FieldErrorKind::Value, problem);
    }
    Ok(fields.finish(|| Subscription {
        endpoint: endpoint.unwrap_or_default(),
        p256dh: p256dh.unwrap_or_default(),
        auth: auth.unwrap_or_default(),
        name,
    })?)
}
