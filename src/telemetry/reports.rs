//! Error reports to Sentry, and what is taken out of them before they leave.
//!
//! The taking out is done on the way to the wire and not in `before_send`, because traces do not
//! pass there.

use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use sentry::protocol::{EnvelopeItem, Request, User};
use sentry::transports::ReqwestHttpTransportOptions;
use sentry::types::Dsn;
use sentry::{Client, ClientOptions, Envelope, Transport, TransportFactory, TransportOptions};

use super::{TelemetryError, USER_HASH_DIGITS};
use crate::config;

/// The request headers that help to understand an error and identify nobody.
const HEADERS_KEPT: [&str; 3] = ["content-type", "content-length", "user-agent"];

/// A report that the other side does not take in this time is given up.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The client for the configured DSN; none without one.
pub(super) fn client(settings: &config::Sentry) -> Result<Option<Arc<Client>>, TelemetryError> {
    let Some(dsn) = &settings.dsn else { return Ok(None) };
    // The builder's own `dsn` panics on a wrong one.
    let dsn = dsn.expose_secret();
    dsn.parse::<Dsn>().map_err(|_| TelemetryError::Dsn)?;
    // Made here, as Sentry's own attempt panics on a machine without CA certificates.
    let http =
        reqwest::Client::builder().timeout(SEND_TIMEOUT).build().map_err(TelemetryError::HttpClient)?;

    let mut options = ClientOptions::new()
        .dsn(dsn)
        .release(concat!(env!("CARGO_PKG_NAME"), "@", env!("CARGO_PKG_VERSION")))
        .traces_sample_rate(settings.traces_sample_rate)
        .attach_stacktrace(true)
        .send_default_pii(false)
        .auto_session_tracking(false)
        .transport(ScrubbedFactory { http });
    if let Some(environment) = &settings.environment {
        options = options.environment(environment.clone());
    }
    Ok(Some(Arc::new(Client::with_options(sentry::apply_defaults(options)))))
}

struct ScrubbedFactory {
    http: reqwest::Client,
}

impl TransportFactory for ScrubbedFactory {
    fn create_transport_with_options(&self, options: TransportOptions) -> Arc<dyn Transport> {
        let wire = ReqwestHttpTransportOptions::from(options).with_client(self.http.clone()).build();
        Arc::new(Scrubbed { wire: Box::new(wire) })
    }
}

/// Takes out of everything what must not leave.
struct Scrubbed {
    wire: Box<dyn Transport>,
}

impl Transport for Scrubbed {
    fn send_envelope(&self, envelope: Envelope) {
        let mut scrubbed = Envelope::new().with_headers(envelope.headers().clone());
        let mut is_empty = true;
        for item in envelope.into_items().filter_map(scrub) {
            scrubbed.add_item(item);
            is_empty = false;
        }
        if !is_empty {
            self.wire.send_envelope(scrubbed);
        }
    }

    fn flush(&self, timeout: Duration) -> bool {
        self.wire.flush(timeout)
    }

    fn shutdown(&self, timeout: Duration) -> bool {
        self.wire.shutdown(timeout)
    }
}

/// The item without what must not leave; nothing for kinds of items that are never sent.
fn scrub(item: EnvelopeItem) -> Option<EnvelopeItem> {
    if let EnvelopeItem::Event(mut event) = item {
        event.server_name = None;
        event.user = event.user.take().and_then(scrub_user);
        event.request = event.request.take().map(scrub_request);
        Some(EnvelopeItem::Event(event))
    } else if let EnvelopeItem::Transaction(mut transaction) = item {
        transaction.server_name = None;
        transaction.user = transaction.user.take().and_then(scrub_user);
        transaction.request = transaction.request.take().map(scrub_request);
        Some(EnvelopeItem::Transaction(transaction))
    } else if let EnvelopeItem::ClientReport(report) = item {
        Some(EnvelopeItem::ClientReport(report))
    } else {
        None
    }
}

/// Only a hash that `Telemetry::user_hash` could have made.
fn scrub_user(user: User) -> Option<User> {
    let is_hash = |id: &String| {
        id.len() == USER_HASH_DIGITS && id.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
    };
    let id = user.id.filter(is_hash)?;
    Some(User { id: Some(id), ..User::default() })
}

fn scrub_request(request: Request) -> Request {
    let url = request.url.map(|mut url| {
        url.set_query(None);
        url.set_fragment(None);
        url
    });
    let headers = request
        .headers
        .into_iter()
        .filter(|(name, _)| HEADERS_KEPT.contains(&name.to_ascii_lowercase().as_str()))
        .collect();
    Request { url, method: request.method, headers, ..Request::default() }
}
