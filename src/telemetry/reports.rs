//! Error reports to Sentry, and what is taken out of them before they leave.
//!
//! This is done in the transport and not in `before_send`, because traces do not pass through that.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use secrecy::ExposeSecret as _;
use sentry::protocol::{EnvelopeItem, Request, User};
use sentry::transports::ReqwestHttpTransportOptions;
use sentry::types::Dsn;
use sentry::{Client, ClientOptions, Envelope, Transport, TransportFactory, TransportOptions};

use super::{TelemetryError, user_hash};
use crate::config;

/// The request headers that help to understand an error and identify nobody.
const HEADERS_KEPT: [&str; 2] = ["content-type", "content-length"];

/// A report that Sentry does not accept in this time is given up.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// How many reports are sent in a minute. A fault that hits every request would send the same report a thousand times,
/// and use up Sentry's quota.
const MAX_PER_MINUTE: u32 = 30;
const MINUTE: Duration = Duration::from_secs(60);

/// The client for the configured DSN; none without one.
pub(super) fn client(settings: &config::Sentry) -> Result<Option<Arc<Client>>, TelemetryError> {
    let Some(dsn) = &settings.dsn else { return Ok(None) };
    // The builder's own `dsn` panics on a wrong one.
    let dsn = dsn.expose_secret();
    dsn.parse::<Dsn>().map_err(|_| TelemetryError::Dsn)?;
    // Made here, as Sentry's own attempt panics on a machine without CA certificates.
    let http =
        reqwest::Client::builder().timeout(SEND_TIMEOUT).build().map_err(TelemetryError::HttpClient)?;

    let rate = settings.traces_sample_rate;
    let options = ClientOptions::new()
        .dsn(dsn)
        .release(concat!(env!("CARGO_PKG_NAME"), "@", env!("CARGO_PKG_VERSION")))
        // Not the plain rate: that applies only where the request's own headers do not decide, and anybody can set
        // those.
        .traces_sampler(move |_| rate)
        .attach_stacktrace(true)
        .environment(settings.environment.clone())
        .send_default_pii(false)
        .auto_session_tracking(false)
        .transport(ScrubbedFactory { http });
    Ok(Some(Arc::new(Client::with_options(sentry::apply_defaults(options)))))
}

/// Begins the count of dropped reports at 0, so that the first one shows as an increase.
pub(super) fn begin_metrics() {
    metrics::describe_counter!(
        "llm_council_reports_dropped_total",
        "Error reports dropped by the limit per minute."
    );
    metrics::counter!("llm_council_reports_dropped_total").increment(0);
}

struct ScrubbedFactory {
    http: reqwest::Client,
}

impl TransportFactory for ScrubbedFactory {
    fn create_transport_with_options(&self, options: TransportOptions) -> Arc<dyn Transport> {
        let wire = ReqwestHttpTransportOptions::from(options).with_client(self.http.clone()).build();
        Arc::new(Scrubbed { wire: Box::new(wire), burst: Mutex::default() })
    }
}

/// Removes what must not leave from everything, and limits bursts.
struct Scrubbed {
    wire: Box<dyn Transport>,
    burst: Mutex<Burst>,
}

/// The count of reports in one minute.
#[derive(Debug, Default)]
struct Burst {
    began: Option<Instant>,
    sent: u32,
    /// Since the last one that was sent.
    dropped: u64,
}

impl Burst {
    /// Whether one more may be sent, and how many before it were not.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.began.is_none_or(|began| now - began >= MINUTE) {
            (self.began, self.sent) = (Some(now), 0);
        }
        if self.sent < MAX_PER_MINUTE {
            self.sent += 1;
            return Some(std::mem::take(&mut self.dropped));
        }
        self.dropped += 1;
        None
    }
}

impl Scrubbed {
    /// The item as it may leave; `None` for kinds that are never sent, and for reports over the limit. Traces are
    /// sampled, so only reports are counted.
    fn admit(&self, item: EnvelopeItem) -> Option<EnvelopeItem> {
        let item = scrub(item)?;
        if !matches!(item, EnvelopeItem::Event(_)) {
            return Some(item);
        }
        let admitted = self.burst.lock().unwrap_or_else(PoisonError::into_inner).admit(Instant::now());
        match admitted {
            None => {
                metrics::counter!("llm_council_reports_dropped_total").increment(1);
                None
            }
            Some(dropped) => Some(with_note(item, dropped)),
        }
    }
}

impl Transport for Scrubbed {
    fn send_envelope(&self, envelope: Envelope) {
        let mut scrubbed = Envelope::new().with_headers(envelope.headers().clone());
        let mut is_empty = true;
        for item in envelope.into_items().filter_map(|item| self.admit(item)) {
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

/// The report with how many before it were left out.
fn with_note(item: EnvelopeItem, dropped: u64) -> EnvelopeItem {
    if let EnvelopeItem::Event(mut event) = item {
        if dropped > 0 {
            event.extra.insert("reports_dropped_before".to_owned(), dropped.into());
        }
        EnvelopeItem::Event(event)
    } else {
        item
    }
}

/// The item without what must not leave; `None` for kinds of items that are never sent.
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
    let id = user.id.filter(|id| user_hash::is_one(id))?;
    Some(User { id: Some(id), ..User::default() })
}

/// Removes the address, which holds ids. The route's pattern is the report's transaction.
fn scrub_request(request: Request) -> Request {
    let headers = request
        .headers
        .into_iter()
        .filter(|(name, _)| HEADERS_KEPT.contains(&name.to_ascii_lowercase().as_str()))
        .collect();
    Request { method: request.method, headers, ..Request::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_cut_and_the_next_report_says_how_many_are_missing() {
        let (mut burst, began) = (Burst::default(), Instant::now());
        for _ in 0..MAX_PER_MINUTE {
            assert_eq!(burst.admit(began), Some(0));
        }
        for _ in 0..1000 {
            assert_eq!(burst.admit(began + MINUTE / 2), None);
        }
        assert_eq!(burst.admit(began + MINUTE), Some(1000));
        assert_eq!(burst.admit(began + MINUTE), Some(0));
    }
}
