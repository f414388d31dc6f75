//! A chat completion, whole and in chunks.

#![expect(
    clippy::needless_pass_by_value,
    reason = "JSON that was just made goes into another JSON: nobody else wants it"
)]

use actix_web_lab::sse;
use serde_json::{Value, json};

use super::council_object::{chat_usage, cited, council};
use super::follow::RunView;
use super::followed_run::{End, FollowedRun, Step};
use super::refusal::Refusal;
use super::stream::{StreamFormat, unnamed};
use crate::id::RunId;
use crate::runs::Frame;

/// What every chunk of one completion has in common.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub id: String,
    /// Seconds since 1970.
    pub created: i64,
    pub model: String,
}

impl Head {
    /// Of a run that was asked for under this model's name.
    pub fn of(run: RunId, created: i64, model: &str) -> Self {
        Self { id: format!("chatcmpl-{}", run.0.simple()), created, model: model.to_owned() }
    }

    /// A whole completion.
    pub fn completion(&self, message: Value, finish_reason: &str, usage: Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [
                {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": null}
            ],
            "usage": usage,
        })
    }

    /// A chunk of one.
    pub fn chunk(&self, delta: Value, finish_reason: Option<&str>) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": null}],
        })
    }

    /// The chunk that tells the usage and nothing else.
    pub fn usage(&self, usage: Value) -> Value {
        let mut chunk = self.chunk(Value::Null, None);
        chunk["choices"] = json!([]);
        chunk["usage"] = usage;
        chunk
    }
}

/// The last line of a stream.
pub(super) fn done() -> sse::Event {
    sse::Event::Data(sse::Data::new("[DONE]"))
}

/// Why the answer ends where it does.
fn finish_reason(followed: &FollowedRun) -> &'static str {
    if followed.is_cut() { "length" } else { "stop" }
}

fn annotations(followed: &FollowedRun, text: &str) -> Vec<Value> {
    let annotation = |cited: super::council_object::Cited| {
        json!({"type": "url_citation", "url_citation": {
            "start_index": cited.start, "end_index": cited.end, "url": cited.url, "title": cited.title,
        }})
    };
    cited(followed, text).into_iter().map(annotation).collect()
}

/// The completion of a run that is over.
///
/// # Errors
/// When it came to no answer.
pub(super) fn whole(
    head: &Head,
    view: RunView<'_>,
    progress: &str,
    includes_council: bool,
) -> Result<Value, Refusal> {
    let followed = view.followed;
    match followed.end() {
        Some(End::Complete) => {}
        Some(End::Cancelled(why)) => return Err(Refusal::cancelled(why.as_deref())),
        Some(End::Failed(why)) => return Err(Refusal::no_answer(why)),
        None => return Err(Refusal::still_running()),
    }
    let mut message = json!({"role": "assistant", "content": followed.answer(), "refusal": null});
    if !progress.is_empty() {
        message["reasoning_content"] = json!(progress);
        message["reasoning"] = json!(progress);
    }
    let annotations = annotations(followed, followed.answer());
    if !annotations.is_empty() {
        message["annotations"] = json!(annotations);
    }
    let mut completion = head.completion(message, finish_reason(followed), chat_usage(followed));
    if includes_council {
        completion["council"] = council(view);
    }
    Ok(completion)
}

/// Translates a run into chunks.
pub(super) struct Chunks {
    pub head: Head,
    pub includes_usage: bool,
    pub includes_council: bool,
    /// The answer has begun.
    has_text: bool,
}

impl Chunks {
    pub fn new(head: Head, includes_usage: bool, includes_council: bool) -> Self {
        Self { head, includes_usage, includes_council, has_text: false }
    }

    pub fn event(&self, mut chunk: Value) -> sse::Event {
        if self.includes_usage && chunk.get("usage").is_none() {
            chunk["usage"] = Value::Null;
        }
        unnamed(&chunk)
    }

    fn delta(&self, delta: Value) -> sse::Event {
        self.event(self.head.chunk(delta, None))
    }

    /// The end after everything else was said.
    fn complete(&self, view: RunView<'_>) -> Vec<sse::Event> {
        let mut events = Vec::new();
        let annotations = annotations(view.followed, view.followed.text());
        if !annotations.is_empty() {
            events.push(self.delta(json!({"annotations": annotations})));
        }
        let mut last = self.head.chunk(json!({}), Some(finish_reason(view.followed)));
        if self.includes_council {
            last["council"] = council(view);
        }
        events.push(self.event(last));
        if self.includes_usage {
            events.push(self.event(self.head.usage(chat_usage(view.followed))));
        }
        events.push(done());
        events
    }
}

/// An error in the middle of a stream, which ends it.
pub(super) fn failure(refusal: &Refusal) -> sse::Event {
    unnamed(&json!({"error": refusal.object()}))
}

impl StreamFormat for Chunks {
    fn open(&mut self) -> Vec<sse::Event> {
        vec![self.delta(json!({"role": "assistant", "content": ""}))]
    }

    fn run_event(&mut self, view: RunView<'_>, _: &Frame, steps: Vec<Step>) -> Vec<sse::Event> {
        let mut events = Vec::new();
        for step in steps {
            match step {
                // Programs, and their parsers, take anything after the first piece of text for a part of the answer.
                Step::Progress(_) if self.has_text => {}
                Step::Progress(line) => {
                    let line = format!("{line}\n");
                    events.push(self.delta(json!({"reasoning_content": line, "reasoning": line})));
                }
                Step::Text(text) => {
                    self.has_text = true;
                    events.push(self.delta(json!({"content": text})));
                }
                Step::End(End::Complete) => events.extend(self.complete(view)),
                Step::End(End::Failed(why)) => events.push(failure(&Refusal::no_answer(why))),
                Step::End(End::Cancelled(why)) => events.push(failure(&Refusal::cancelled(why.as_deref()))),
            }
        }
        events
    }

    fn queued(&mut self) -> Vec<sse::Event> {
        let line = "waiting for a place\n";
        vec![self.delta(json!({"reasoning_content": line, "reasoning": line}))]
    }

    fn heartbeat(&mut self) -> Vec<sse::Event> {
        vec![self.delta(json!({}))]
    }

    fn shutdown(&mut self) -> Vec<sse::Event> {
        vec![failure(&Refusal::still_running())]
    }
}
