//! A run's events as `text/event-stream`, in the dialect existing clients read: the type inside
//! the JSON, one event one write, ASCII only, comments as heartbeats.

use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};
use actix_web_lab::sse::{self, Sse};
use bytestring::ByteString;
use futures_util::stream::{self, Stream};

use super::app::App;
use crate::council::{AnyEvent, RunEvent};
use crate::runs::frame::{self, Frame};
use crate::runs::{Next, Subscription};
use crate::shutdown::{Shutdown, StreamGuard};
use crate::store::StoreError;

/// Answers with the events of a subscription, until the run or this server ends.
pub fn respond(app: &App, request: &HttpRequest, subscription: Subscription) -> HttpResponse {
    let reader = Reader {
        subscription,
        batch: Vec::new().into_iter(),
        shutdown: app.shutdown.clone(),
        _counted: app.shutdown.register_stream(),
        over: false,
        is_cut_off: false,
    };
    let run = reader.subscription.run();
    let mut response = Sse::from_infallible_stream(events(reader))
        .with_keep_alive(app.config.server.heartbeat())
        .respond_to(request)
        .map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    // nginx would buffer the stream otherwise.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    if let Ok(run) = HeaderValue::from_str(&run.to_string()) {
        headers.insert(HeaderName::from_static("x-run-id"), run);
    }
    response
}

struct Reader {
    subscription: Subscription,
    batch: std::vec::IntoIter<Frame>,
    shutdown: Shutdown,
    _counted: StreamGuard,
    over: bool,
    /// The log cannot be read, which is logged once.
    is_cut_off: bool,
}

fn events(reader: Reader) -> impl Stream<Item = sse::Event> {
    stream::unfold(reader, |mut reader| async move {
        let event = reader.next().await?;
        Some((event, reader))
    })
}

impl Reader {
    async fn next(&mut self) -> Option<sse::Event> {
        if self.over {
            return None;
        }
        loop {
            if let Some(frame) = self.batch.next() {
                self.over = frame.ends;
                return Some(event(&frame));
            }
            let shutdown = self.shutdown.clone();
            let next = tokio::select! {
                biased;
                next = self.subscription.next() => next,
                () = shutdown.stopping() => {
                    self.over = true;
                    return Some(self.shutdown_event());
                }
            };
            let was_cut_off = std::mem::replace(&mut self.is_cut_off, next.is_err());
            match next {
                Ok(Some(Next::Frames(frames))) => self.batch = frames.into_iter(),
                Ok(Some(Next::Queued(position))) => {
                    let run_id = self.subscription.run();
                    return Some(unnumbered(&RunEvent::RunQueued { run_id, position }.into()));
                }
                // The reader's data is being erased or has been, or they are blocked: nothing more will come.
                Ok(None) | Err(StoreError::Erasing | StoreError::Blocked | StoreError::NotFound) => {
                    return None;
                }
                Err(error) => {
                    // The stream stays open on its heartbeats; the log is asked again.
                    if !was_cut_off {
                        tracing::warn!(run.id = %self.subscription.run(), error = &error as &dyn std::error::Error, "a stream cannot read the event log");
                    }
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            }
        }
    }

    fn shutdown_event(&self) -> sse::Event {
        let event = AnyEvent::from(RunEvent::ServerShutdown {
            message: "this server is restarting; the run goes on, reconnect to it".to_owned(),
            run_id: self.subscription.run(),
            last_event_id: self.subscription.position(),
        });
        unnumbered(&event)
    }
}

/// An event of this stream alone, not of the run's log.
fn unnumbered(event: &AnyEvent) -> sse::Event {
    sse::Event::Data(sse::Data::new(text(frame::encode(event))))
}

fn event(frame: &Frame) -> sse::Event {
    sse::Event::Data(sse::Data::new(text(frame.json.clone())).id(frame.seq.to_string()))
}

fn text(json: bytes::Bytes) -> ByteString {
    // Frames are ASCII by construction; anything else would be a fault of the log.
    ByteString::try_from(json).unwrap_or_else(|_| ByteString::from_static("null"))
}
