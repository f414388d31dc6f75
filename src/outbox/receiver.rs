//! One receiver and what it answers: whom to connect to, and how.

use std::sync::Arc;
use std::time::Duration;

use ipnetwork::IpNetwork;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, StatusCode};
use url::Url;

use super::address::{Addresses, Guarded, System, UrlProblem, check_url, literal};

/// How long one attempt may take, from the look-up of the name to the receiver's status.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of what failed is shown, in characters.
const ERROR_CHARS: usize = 300;

/// Where messages of one kind may go.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    secure: Arc<Addresses>,
    /// Addresses without TLS: only in networks that the operator allows.
    plain: Arc<Addresses>,
}

impl Reach {
    /// The public internet, and the networks that the configuration allows by `key`.
    pub fn new(allowed: Vec<IpNetwork>, key: &'static str) -> Self {
        let secure = Arc::new(Addresses::public_and(allowed.clone(), key));
        Self { secure, plain: Arc::new(Addresses::only(allowed, key)) }
    }

    /// Whether something can be sent to this address, as far as can be said before.
    pub fn check(&self, url: &str) -> Result<Url, UrlProblem> {
        check_url(url, &self.secure, &self.plain)
    }

    /// The HTTP clients, needed only for sending: setting one up reads the machine's certificates.
    pub fn clients(&self, user_agent: &str) -> Result<Clients, reqwest::Error> {
        Ok(Clients {
            reach: self.clone(),
            secure: client(self.secure.clone(), user_agent)?,
            plain: client(self.plain.clone(), user_agent)?,
        })
    }
}

/// See [`Reach::clients`].
#[derive(Debug)]
pub(super) struct Clients {
    reach: Reach,
    secure: Client,
    plain: Client,
}

impl Clients {
    /// What the receiver answered to a `POST`, or why it was not reached, for people.
    pub async fn post(
        &self,
        url: Url,
        fill: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, String> {
        let (client, addresses) = if url.scheme() == "https" {
            (&self.secure, &self.reach.secure)
        } else {
            (&self.plain, &self.reach.plain)
        };
        // Names are checked where they are looked up.
        if literal(&url).is_some_and(|address| !addresses.allow(address)) {
            return Err("the address is in a network that this server does not send to".to_owned());
        }
        let answer = fill(client.post(url)).send().await.map_err(|error| reason(&error))?;
        // The receiver's body is not read: nothing in it matters, and it may be endless.
        Ok(Answer { status: answer.status(), retry_after: retry_after(answer.headers()) })
    }
}

/// What a receiver says.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: StatusCode,
    /// How long it asks to be left alone.
    pub retry_after: Option<Duration>,
}

fn client(addresses: Arc<Addresses>, user_agent: &str) -> Result<Client, reqwest::Error> {
    Client::builder()
        .user_agent(user_agent)
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

/// Seconds; dates are not understood here, and mean the usual pause.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// The innermost cause is the one that helps; the reader of the log knows the address.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text: String = cause.to_string().chars().filter(|c| !c.is_control()).take(ERROR_CHARS).collect();
    format!("the receiver could not be reached: {text}")
}
