//! Webhooks: other programs are notified when runs end, signed as Standard Webhooks says
//! (<https://www.standardwebhooks.com>).

mod body;
mod signature;

use std::time::Duration;

use ipnetwork::IpNetwork;
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use url::Url;

pub use signature::{new_secret, shown};

use super::address::UrlProblem;
use super::pauses;
use super::receiver::{Answer, Clients, Reach};
use super::work::{self, Receivers};
use crate::id::DeliveryId;
use crate::store::outbox::webhooks::{Due, Target};
use crate::store::outbox::{self, Attempt};
use crate::store::{Db, StoreError};

/// The event of a test: it is about no run.
pub const TEST_EVENT: &str = "webhook.test";
const USER_AGENT: &str = concat!("llm-council-webhooks/", env!("CARGO_PKG_VERSION"));

/// Sends to webhooks.
#[derive(Debug, Clone)]
pub struct Sender {
    reach: Reach,
    page: Option<Url>,
}

impl Sender {
    /// `allowed` are networks in addition to the public internet, `page` is where people reach this server.
    #[must_use]
    pub fn new(allowed: Vec<IpNetwork>, page: Option<Url>) -> Self {
        Self { reach: Reach::new(allowed, "webhooks.allowed_networks"), page }
    }

    /// Whether something can be sent to this address, as far as can be said before.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self, url: &str) -> Result<(), UrlProblem> {
        self.reach.check(url).map(drop)
    }

    /// Sends what is due, until it is dropped. Any number of servers may do so side by side.
    pub async fn work(self, db: Db) {
        match self.reach.clients(USER_AGENT) {
            Ok(clients) => work::work(&Webhooks { clients, page: self.page }, &db).await,
            Err(error) => tracing::error!(%error, "webhooks cannot be sent: there is no HTTP client"),
        }
    }
}

struct Webhooks {
    clients: Clients,
    page: Option<Url>,
}

impl Receivers for Webhooks {
    const ARE: &str = "webhooks";
    const PAUSES: &[u64] = pauses::OF_WEBHOOKS;
    type Target = Target;
    type Due = Due;

    async fn claim(&self, db: &Db, lease: Duration) -> Result<Option<Target>, StoreError> {
        outbox::webhooks::claim(db, lease).await
    }

    fn due(target: &Target) -> &[Due] {
        &target.due
    }

    fn tried(due: &Due) -> (DeliveryId, u32) {
        (due.id, due.attempts)
    }

    async fn send(&self, target: &Target, due: &Due) -> Result<Answer, String> {
        let url = Url::parse(&target.url).map_err(|error| format!("the address cannot be read: {error}"))?;
        let body = body::body(due, target.is_instance, self.page.as_ref());
        let body = serde_json::to_vec(&body).expect("a body is plain data with string keys");
        let (id, now) = (due.id.to_string(), Timestamp::now().as_second());
        let fill = |request: reqwest::RequestBuilder| {
            request
                .header(CONTENT_TYPE, "application/json")
                .header("webhook-id", &id)
                .header("webhook-timestamp", now)
                .header("webhook-signature", signature::sign(&target.secret, &id, now, &body))
                .body(body)
        };
        self.clients.post(url, fill).await
    }

    async fn record(&self, db: &Db, target: &Target, due: &Due, attempt: &Attempt) -> Result<(), StoreError> {
        outbox::record(db, due.id, due.attempts, attempt).await?;
        if attempt.answered == Some(StatusCode::GONE.as_u16()) {
            let reason = "the receiver said that it is gone (410)";
            outbox::webhooks::disable(db, target.webhook, reason).await?;
        }
        Ok(())
    }

    async fn release(&self, db: &Db, target: &Target, pause: Duration) -> Result<(), StoreError> {
        outbox::webhooks::release(db, target.webhook, pause).await
    }
}
