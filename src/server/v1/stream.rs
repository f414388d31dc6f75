//! An answer as `text/event-stream`. Each API names its events itself ([`StreamFormat`]); no comments and
//! no ids are sent, because some clients break on them.

use std::collections::VecDeque;

use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};
use actix_web_lab::sse::{self, Sse};
use futures_util::stream::{self, Stream};
use serde_json::Value;

use super::follow::{Follower, RunView, Update};
use super::followed_run::Step;
use crate::runs::Frame;
use crate::server::app::App;
use crate::shutdown::StreamGuard;

/// How an API formats what happens.
pub(super) trait StreamFormat {
    /// What is sent at once.
    fn open(&mut self) -> Vec<sse::Event>;
    /// What an event of the run becomes.
    fn run_event(&mut self, view: RunView<'_>, frame: &Frame, steps: Vec<Step>) -> Vec<sse::Event>;
    /// The run waits for a place.
    fn queued(&mut self) -> Vec<sse::Event>;
    /// A heartbeat, in a silence.
    fn heartbeat(&mut self) -> Vec<sse::Event>;
    /// This server shuts down, and the run goes on.
    fn shutdown(&mut self) -> Vec<sse::Event>;
}

/// An event without a name.
pub(super) fn unnamed(json: &Value) -> sse::Event {
    sse::Event::Data(sse::Data::new(json.to_string()))
}

/// A run on its way to a client, in an API's format.
struct FormattedStream<F> {
    follower: Follower,
    format: F,
    queue: VecDeque<sse::Event>,
    is_over: bool,
    _counted: StreamGuard,
}

/// Answers with what happens, in this format.
pub(super) fn respond<F: StreamFormat + 'static>(
    app: &App,
    request: &HttpRequest,
    follower: Follower,
    mut format: F,
) -> HttpResponse {
    let queue = format.open().into();
    let counted = app.shutdown.register_stream();
    respond_with(
        request,
        events(FormattedStream { follower, format, queue, is_over: false, _counted: counted }),
    )
}

/// Answers with these events.
pub(super) fn respond_with(
    request: &HttpRequest,
    events: impl Stream<Item = sse::Event> + 'static,
) -> HttpResponse {
    let mut response = Sse::from_infallible_stream(events).respond_to(request).map_into_boxed_body();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    // nginx would buffer the stream otherwise.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn events<F: StreamFormat>(formatted: FormattedStream<F>) -> impl Stream<Item = sse::Event> {
    stream::unfold(formatted, |mut formatted| async move {
        loop {
            if let Some(event) = formatted.queue.pop_front() {
                return Some((event, formatted));
            }
            if formatted.is_over {
                return None;
            }
            formatted.fill_queue().await;
        }
    })
}

impl<F: StreamFormat> FormattedStream<F> {
    async fn fill_queue(&mut self) {
        let events = match self.follower.next().await {
            Some(Update::Event(frame, steps)) => {
                self.is_over = frame.ends;
                self.format.run_event(self.follower.view(), &frame, steps)
            }
            Some(Update::Queued) => self.format.queued(),
            Some(Update::Silence) => {
                self.follower.note_sent();
                self.format.heartbeat()
            }
            Some(Update::Shutdown) => {
                self.is_over = true;
                self.format.shutdown()
            }
            None => {
                self.is_over = true;
                Vec::new()
            }
        };
        if !events.is_empty() {
            self.follower.note_sent();
        }
        self.queue.extend(events);
    }
}
