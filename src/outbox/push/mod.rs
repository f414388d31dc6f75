//! Web Push (RFC 8030): people's devices are notified when a run of theirs ends or waits for them, also with the page
//! closed. A message is encrypted for the one device (RFC 8291) and signed by this server (RFC 8292); the browser's
//! push service, which takes it and wakes the device, reads nothing of it.

mod encryption;
mod message;
mod vapid;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ipnetwork::IpNetwork;
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use url::Url;

pub use encryption::is_public_key;
pub use vapid::{BadKey, Vapid};

use super::address::UrlProblem;
use super::pauses;
use super::receiver::{Answer, Clients, Reach};
use super::work::{self, Receivers};
use crate::id::{DeliveryId, RunId};
use crate::store::outbox::Attempt;
use crate::store::outbox::push::{self as store, About, Due, KEPT_FOR, Target, WAITS};
use crate::store::{Db, StoreError};

const USER_AGENT: &str = concat!("llm-council-push/", env!("CARGO_PKG_VERSION"));
/// For how long a waiting run is worth waking a device.
const WAITS_TTL: Duration = Duration::from_secs(60);

/// Sends to people's devices.
#[derive(Debug, Clone)]
pub struct Sender {
    reach: Reach,
    vapid: Vapid,
}

impl Sender {
    /// `allowed` are networks in addition to the public internet.
    #[must_use]
    pub fn new(allowed: Vec<IpNetwork>, vapid: Vapid) -> Self {
        Self { reach: Reach::new(allowed, "push.allowed_networks"), vapid }
    }

    /// What browsers know this server by, as they take it: URL-safe base64, of a point of P-256.
    #[must_use]
    pub fn public_key(&self) -> &str {
        self.vapid.public_key()
    }

    /// Whether something can be sent to this endpoint, as far as can be said before.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self, endpoint: &str) -> Result<(), UrlProblem> {
        self.reach.check(endpoint).map(drop)
    }

    /// Sends what is due, until it is dropped. Any number of servers may do so side by side.
    pub async fn work(self, db: Db) {
        match self.reach.clients(USER_AGENT) {
            Ok(clients) => work::work(&Devices { clients, vapid: self.vapid }, &db).await,
            Err(error) => tracing::error!(%error, "notifications cannot be sent: there is no HTTP client"),
        }
    }
}

struct Devices {
    clients: Clients,
    vapid: Vapid,
}

impl Receivers for Devices {
    const ARE: &str = "devices";
    const PAUSES: &[u64] = pauses::OF_PUSH;
    type Target = Target;
    type Due = Due;

    async fn claim(&self, db: &Db, lease: Duration) -> Result<Option<Target>, StoreError> {
        let Some(mut target) = store::claim(db, lease).await? else { return Ok(None) };
        for late in target.due.extract_if(.., |due| matches!(due.about, About::Nothing)) {
            store::drop_delivery(db, late.id).await?;
        }
        Ok(Some(target))
    }

    fn due(target: &Target) -> &[Due] {
        &target.due
    }

    fn tried(due: &Due) -> (DeliveryId, u32) {
        (due.id, due.attempts)
    }

    async fn send(&self, target: &Target, due: &Due) -> Result<Answer, String> {
        let url =
            Url::parse(&target.endpoint).map_err(|error| format!("the endpoint cannot be read: {error}"))?;
        let text = message::of(due);
        let body = encryption::encrypt(&target.p256dh, &target.auth, text.as_bytes())
            .map_err(|error| error.to_string())?;
        let token = self.vapid.token(&url, Timestamp::now());
        let fill = |request: reqwest::RequestBuilder| {
            let request = request
                .header(CONTENT_TYPE, "application/octet-stream")
                .header(CONTENT_ENCODING, "aes128gcm")
                .header(AUTHORIZATION, format!("vapid t={token}, k={}", self.vapid.public_key()))
                .header("ttl", ttl(due).as_secs())
                .header("urgency", "normal");
            let request = match &due.about {
                // A sleeping device gets only the latest message about a run.
                About::Run { run, .. } => request.header("topic", topic(*run)),
                About::Test | About::Nothing => request,
            };
            request.body(body)
        };
        self.clients.post(url, fill).await
    }

    async fn record(&self, db: &Db, target: &Target, due: &Due, attempt: &Attempt) -> Result<(), StoreError> {
        // The push service has no such subscription any more, or never had.
        let gone = [StatusCode::GONE, StatusCode::NOT_FOUND].map(|status| Some(status.as_u16()));
        if gone.contains(&attempt.answered) {
            tracing::info!(device = %target.device, "a device's subscription is gone; it is removed");
            return store::forget(db, target.device).await;
        }
        store::record(db, target.device, due.id, attempt).await
    }

    async fn release(&self, db: &Db, target: &Target, pause: Duration) -> Result<(), StoreError> {
        store::release(db, target.device, pause).await
    }
}

/// For how long the push service keeps it for a device that sleeps.
fn ttl(due: &Due) -> Duration {
    let age = Duration::try_from(Timestamp::now().duration_since(due.created_at)).unwrap_or_default();
    if due.event == WAITS { WAITS_TTL } else { KEPT_FOR }.saturating_sub(age)
}

/// At most 32 characters of URL-safe base64.
fn topic(run: RunId) -> String {
    URL_SAFE_NO_PAD.encode(run.0.as_bytes())
}
