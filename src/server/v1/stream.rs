//! An answer as `text/event-stream`. Each API names its events itself ([`Voice`]); no comments and
//! no ids are sent, because some clients break on them.

use std::collections::VecDeque;

use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};
use actix_web_lab::sse::{self, Sse};
use futures_util::stream::{self, Stream};
use serde_json::Value;

use super::course::Step;
use super::follow::{Follower, Heard, Told};
use crate::runs::Frame;
use crate::server::app::App;
use crate::shutdown::StreamGuard;

/// How an API renders what happens.
pub(super) trait Voice {
    /// What is sent at once.
    fn open(&mut self) -> Vec<sse::Event>;
    /// What an event of the run becomes.
    fn hear(&mut self, told: Told<'_>, frame: &Frame, steps: Vec<Step>) -> Vec<sse::Event>;
    /// The run waits for a place.
    fn queued(&mut self) -> Vec<sse::Event>;
    /// A heartbeat, which says nothing.
    fn silence(&mut self) -> Vec<sse::Event>;
    /// This server shuts down, and the run goes on.
    fn leave(&mut self) -> Vec<sse::Event>;
}

/// An event without a name.
pub(super) fn unnamed(json: &Value) -> sse::Event {
    sse::Event::Data(sse::Data::new(json.to_string()))
}

struct Speaker<V> {
    follower: Follower,
    voice: V,
    queue: VecDeque<sse::Event>,
    is_over: bool,
    _counted: StreamGuard,
}

/// Answers with what happens, as this voice renders it.
pub(super) fn respond<V: Voice + 'static>(
    app: &App,
    request: &HttpRequest,
    follower: Follower,
    mut voice: V,
) -> HttpResponse {
    let queue = voice.open().into();
    let counted = app.shutdown.register_stream();
    respond_with(request, spoken(Speaker { follower, voice, queue, is_over: false, _counted: counted }))
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

fn spoken<V: Voice>(speaker: Speaker<V>) -> impl Stream<Item = sse::Event> {
    stream::unfold(speaker, |mut speaker| async move {
        loop {
            if let Some(event) = speaker.queue.pop_front() {
                return Some((event, speaker));
            }
            if speaker.is_over {
                return None;
            }
            speaker.listen().await;
        }
    })
}

impl<V: Voice> Speaker<V> {
    async fn listen(&mut self) {
        let events = match self.follower.next().await {
            Some(Heard::Event(frame, steps)) => {
                self.is_over = frame.ends;
                self.voice.hear(self.follower.told(), &frame, steps)
            }
            Some(Heard::Queued) => self.voice.queued(),
            Some(Heard::Silence) => {
                self.follower.spoke();
                self.voice.silence()
            }
            Some(Heard::Leaves) => {
                self.is_over = true;
                self.voice.leave()
            }
            None => {
                self.is_over = true;
                Vec::new()
            }
        };
        if !events.is_empty() {
            self.follower.spoke();
        }
        self.queue.extend(events);
    }
}
