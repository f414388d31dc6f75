//! Takes what is due from the outbox and sends it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use url::Url;

use super::address::{Addresses, Guarded, System, UrlProblem, check_url, literal};
use super::{body, pauses, signature};
use crate::id::DeliveryId;
use crate::store::webhooks::{self, Attempt, DeliveryStatus, Due, Target};
use crate::store::{Db, StoreError};

/// How often the outbox is looked at.
const EVERY: Duration = Duration::from_secs(2);
/// Webhooks that are told something at the same time, by one server.
const AT_ONCE: usize = 8;
/// How long one attempt may take, from the look-up of the name to the receiver's status.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server has a webhook for itself: longer than all that it claims of it takes.
const LEASE: Duration = Duration::from_secs(90);
/// A webhook that has just failed is left alone for so long, whatever else it is to be told.
const REST: Duration = Duration::from_secs(5);
/// How much of what failed is shown, in characters.
const ERROR_CHARS: usize = 300;
const USER_AGENT: &str = concat!("llm-council-webhooks/", env!("CARGO_PKG_VERSION"));

/// See the module.
#[derive(Debug, Clone)]
pub struct Sender {
    secure: Arc<Addresses>,
    /// Without TLS, only into networks that the operator allows.
    plain: Arc<Addresses>,
    page: Option<Url>,
}

/// The clients, which only whoever sends needs: to set one up is to read the machine's certificates.
struct Clients {
    secure: Client,
    plain: Client,
}

impl Sender {
    /// `allowed` are networks beside the public internet, `page` is where people reach this server.
    #[must_use]
    pub fn new(allowed: Vec<ipnetwork::IpNetwork>, page: Option<Url>) -> Self {
        let secure = Arc::new(Addresses::public_and(allowed.clone()));
        Self { secure, plain: Arc::new(Addresses::only(allowed)), page }
    }

    /// Whether something can be sent to this address, as far as can be said before.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self, url: &str) -> Result<(), UrlProblem> {
        check_url(url, &self.secure, &self.plain).map(drop)
    }

    /// Sends what is due, until it is dropped. Any number of servers may do so side by side.
    pub async fn work(self, db: Db) {
        let clients = match (client(self.secure.clone()), client(self.plain.clone())) {
            (Ok(secure), Ok(plain)) => Clients { secure, plain },
            (Err(error), _) | (_, Err(error)) => {
                return tracing::error!(%error, "webhooks cannot be sent: there is no HTTP client");
            }
        };
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut sending = FuturesUnordered::new();
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                Some(()) = sending.next() => {}
            }
            while sending.len() < AT_ONCE {
                match webhooks::claim(&db, LEASE).await {
                    Ok(Some(target)) => sending.push(self.tell(&db, &clients, target)),
                    Ok(None) => break,
                    Err(error) => {
                        tracing::warn!(%error, "the outbox of webhooks could not be read; trying again");
                        break;
                    }
                }
            }
        }
    }

    /// Tells a webhook what is due, one thing after the other, until one fails.
    async fn tell(&self, db: &Db, clients: &Clients, target: Target) {
        if let Err(error) = self.try_tell(db, clients, &target).await {
            // The lease runs out, and whatever was not recorded is sent once more.
            tracing::warn!(webhook = %target.webhook, %error, "what came of a delivery could not be recorded");
        }
    }

    async fn try_tell(&self, db: &Db, clients: &Clients, target: &Target) -> Result<(), StoreError> {
        for due in &target.due {
            let attempt = self.attempt(clients, target, due).await;
            webhooks::record(db, due.id, due.attempts, &attempt).await?;
            if attempt.answered == Some(StatusCode::GONE.as_u16()) {
                webhooks::disable(db, target.webhook, "the receiver said that it is gone (410)").await?;
            }
            if attempt.status != DeliveryStatus::Delivered {
                tracing::info!(webhook = %target.webhook, delivery = %due.id, attempt = due.attempts + 1,
                    answered = attempt.answered, error = attempt.error, "a webhook was not delivered");
                return webhooks::release(db, target.webhook, REST).await;
            }
        }
        webhooks::release(db, target.webhook, Duration::ZERO).await
    }

    async fn attempt(&self, clients: &Clients, target: &Target, due: &Due) -> Attempt {
        let failed = match tokio::time::timeout(TIMEOUT, self.send(clients, target, due)).await {
            Ok(Ok(answer)) if answer.status.is_success() => {
                return Attempt {
                    status: DeliveryStatus::Delivered,
                    again_in: None,
                    answered: Some(answer.status.as_u16()),
                    error: None,
                };
            }
            Ok(Ok(answer)) => Failed {
                answered: Some(answer.status.as_u16()),
                asked: answer.retry_after,
                error: refusal(answer.status),
            },
            Ok(Err(error)) => Failed { answered: None, asked: None, error },
            Err(_) => Failed {
                answered: None,
                asked: None,
                error: format!("there was no answer within {} seconds", TIMEOUT.as_secs()),
            },
        };
        let again_in = pauses::pause(due.attempts.saturating_add(1), failed.asked, jitter(due.id));
        Attempt {
            status: if again_in.is_some() { DeliveryStatus::Pending } else { DeliveryStatus::Failed },
            again_in,
            answered: failed.answered,
            error: Some(failed.error),
        }
    }

    /// What the receiver answered, or why it was not reached, for people.
    async fn send(&self, clients: &Clients, target: &Target, due: &Due) -> Result<Answer, String> {
        let url = Url::parse(&target.url).map_err(|error| format!("the address cannot be read: {error}"))?;
        let (client, addresses) = if url.scheme() == "https" {
            (&clients.secure, &self.secure)
        } else {
            (&clients.plain, &self.plain)
        };
        // Names are checked where they are looked up.
        if literal(&url).is_some_and(|address| !addresses.allow(address)) {
            return Err("the address is in a network that this server does not send to".to_owned());
        }
        let body = body::body(due, target.is_instance, self.page.as_ref());
        let body = serde_json::to_vec(&body).expect("a body is plain data with string keys");
        let (id, now) = (due.id.to_string(), Timestamp::now().as_second());
        let answer = client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", now)
            .header("webhook-signature", signature::sign(&target.secret, &id, now, &body))
            .body(body)
            .send()
            .await
            .map_err(|error| reason(&error))?;
        // The receiver's body is not read: nothing in it matters, and it may be endless.
        Ok(Answer { status: answer.status(), retry_after: retry_after(answer.headers()) })
    }
}

struct Answer {
    status: StatusCode,
    retry_after: Option<Duration>,
}

struct Failed {
    answered: Option<u16>,
    asked: Option<Duration>,
    error: String,
}

fn client(addresses: Arc<Addresses>) -> Result<Client, reqwest::Error> {
    Client::builder()
        .user_agent(USER_AGENT)
        .dns_resolver(Guarded { addresses, lookup: System })
        // A proxy would look names up by itself, and connect to what nobody has checked.
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(TIMEOUT)
        // Each delivery looks its name up and checks the addresses.
        .pool_max_idle_per_host(0)
        .build()
}

fn refusal(status: StatusCode) -> String {
    if status.is_redirection() {
        format!("the receiver answered {status}; redirects are not followed")
    } else {
        format!("the receiver answered {status}")
    }
}

/// Seconds; dates are not understood here, and mean the usual pause.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// The innermost cause is the one that helps; the address is known to whoever reads it.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text: String = cause.to_string().chars().filter(|c| !c.is_control()).take(ERROR_CHARS).collect();
    format!("the receiver could not be reached: {text}")
}

/// The same for all attempts of a delivery, 0 to 1.
fn jitter(id: DeliveryId) -> f64 {
    f64::from(id.0.as_bytes()[15]) / 255.0
}
