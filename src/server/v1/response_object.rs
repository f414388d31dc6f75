//! A response, as an object and in typed events.
//!
//! An event's `sequence_number` is the number of the run's event that it is made from, times [`STRIDE`], plus its place
//! among those made from it. So it is the same for every reader, and a client that has lost a stream goes on after the
//! last number it saw.

#![expect(
    clippy::needless_pass_by_value,
    reason = "JSON that was just made goes into another JSON: nobody else wants it"
)]

use actix_web_lab::sse;
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::council_object::{Cited, cited, council, response_usage};
use super::follow::{Requested, RunView};
use super::followed_run::{End, FollowedRun, Step};
use super::refusal::Refusal;
use super::stream::StreamFormat;
use crate::id::RunId;
use crate::runs::Frame;
use crate::store::RunStatus;
use crate::store::runs::AskedByProgram;

/// How many events one of the run's may become.
const STRIDE: u64 = 1000;
/// From this place on, events only serve as heartbeats.
const SILENCES: u64 = 900;
/// The most citations in a response.
const MOST_CITED: usize = 400;

/// The prefixes of the ids of responses, and of what is in their output.
const RESPONSE: &str = "resp_";
const REASONING: &str = "rs_";
const MESSAGE: &str = "msg_";

/// The id of a response.
pub(super) fn id(run: RunId) -> String {
    format!("{RESPONSE}{}", run.0.simple())
}

/// The run of a response.
pub(super) fn run_of(id: &str) -> Option<RunId> {
    run_after(RESPONSE, id)
}

/// The run whose answer is the message with this id.
pub(super) fn run_of_message(id: &str) -> Option<RunId> {
    run_after(MESSAGE, id)
}

/// Whether this is the id of reasoning.
pub(super) fn is_reasoning(id: &str) -> bool {
    id.starts_with(REASONING)
}

fn run_after(prefix: &str, id: &str) -> Option<RunId> {
    let simple = id.strip_prefix(prefix)?;
    let uuid = Uuid::parse_str(simple).ok()?;
    (uuid.simple().to_string() == simple).then_some(RunId(uuid))
}

/// A response in this state; `output`, `usage` and the error as far as they are known.
fn object(requested: &Requested, status: &str, output: Vec<Value>, usage: Value, error: Value) -> Value {
    let request = &requested.kept;
    let kept = |name: &str| request.get(name).cloned().unwrap_or(Value::Null);
    json!({
        "id": id(requested.run),
        "object": "response",
        "created_at": requested.at.as_second(),
        "completed_at": null,
        "status": status,
        "background": request["background"] == true,
        "error": error,
        "incomplete_details": null,
        "instructions": kept("instructions"),
        "max_output_tokens": kept("max_output_tokens"),
        "max_tool_calls": null,
        "metadata": request.get("metadata").cloned().unwrap_or_else(|| json!({})),
        "model": kept("model"),
        "output": output,
        "parallel_tool_calls": false,
        "previous_response_id": kept("previous_response_id"),
        "prompt_cache_key": null,
        "reasoning": {"effort": null, "summary": "auto"},
        "safety_identifier": null,
        "service_tier": "default",
        "store": request["store"] != false,
        "temperature": request.get("temperature").filter(|value| !value.is_null()).cloned().unwrap_or(json!(1.0)),
        "text": {"format": request.get("format").filter(|format| !format.is_null()).cloned().unwrap_or_else(|| json!({"type": "text"}))},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "truncation": "disabled",
        "usage": usage,
        "user": kept("user"),
    })
}

/// Sets when a response was completed. A stream does not: its events are the same whenever they are read.
pub(super) fn say_when(response: &mut Value, finished_at: Option<Timestamp>) {
    if response["status"] == "completed" {
        response["completed_at"] = json!(finished_at.map(Timestamp::as_second));
    }
}

/// A response of which nothing is known yet except that it is in progress.
pub(super) fn under_way(asked: &AskedByProgram) -> Value {
    let status = if asked.status == RunStatus::Queued { "queued" } else { "in_progress" };
    object(&asked.into(), status, Vec::new(), Value::Null, Value::Null)
}

/// Translates a run into typed events, and remembers the response so far.
pub(super) struct Typed {
    requested: Requested,
    includes_council: bool,
    /// Events up to this number were seen before.
    after: Option<u64>,
    /// What the numbers of the events are counted from.
    base: u64,
    place: u64,
    silences: u64,
    progress: String,
    has_message: bool,
    /// How it ended, once it has.
    last: Option<Value>,
}

impl Typed {
    pub fn new(requested: Requested, includes_council: bool, after: Option<u64>) -> Self {
        Self {
            requested,
            includes_council,
            after,
            base: 0,
            place: 0,
            silences: 0,
            progress: String::new(),
            has_message: false,
            last: None,
        }
    }

    fn in_progress(&self) -> Value {
        object(&self.requested, "in_progress", Vec::new(), Value::Null, Value::Null)
    }

    /// The whole response, once the run is over.
    pub fn into_object(self) -> Option<Value> {
        self.last
    }

    fn reasoning_id(&self) -> String {
        format!("{REASONING}{}", self.requested.run.0.simple())
    }

    fn message_id(&self) -> String {
        format!("{MESSAGE}{}", self.requested.run.0.simple())
    }

    /// The index of the message in the output.
    fn message_index(&self) -> usize {
        usize::from(!self.progress.is_empty())
    }

    fn reasoning(&self) -> Value {
        let summary = [json!({"type": "summary_text", "text": self.progress})];
        json!({"id": self.reasoning_id(), "type": "reasoning", "summary": summary})
    }

    fn message(&self, status: &str, content: &[Value]) -> Value {
        json!({
            "id": self.message_id(), "type": "message", "status": status, "role": "assistant", "content": content,
        })
    }

    fn output(&self, message: Option<Value>) -> Vec<Value> {
        let reasoning = (!self.progress.is_empty()).then(|| self.reasoning());
        reasoning.into_iter().chain(message).collect()
    }

    /// An event under the next number; nothing where it was seen before.
    fn event(&mut self, kind: &str, json: Value) -> Option<sse::Event> {
        let number = self.base + self.place;
        self.place = (self.place + 1).min(SILENCES - 1);
        self.after.is_none_or(|after| number > after).then(|| typed(number, kind, json))
    }

    /// An event that is no part of the response, for every reader: a reader that has seen higher numbers gets it under
    /// the last of them.
    fn sign(&self, number: u64, kind: &str, json: Value) -> sse::Event {
        typed(number.max(self.after.unwrap_or_default()), kind, json)
    }

    fn state(&mut self, kind: &str, response: Value) -> Option<sse::Event> {
        self.event(kind, json!({"response": response}))
    }

    /// The fields that locate the summary of the reasoning.
    fn in_summary(&self, name: &str, value: Value) -> Value {
        json!({"item_id": self.reasoning_id(), "output_index": 0, "summary_index": 0, name: value})
    }

    /// The fields that locate the text.
    fn in_text(&self, name: &str, value: Value) -> Value {
        json!({
            "item_id": self.message_id(), "output_index": self.message_index(), "content_index": 0, name: value,
        })
    }

    fn progress(&mut self, line: &str) -> Vec<Option<sse::Event>> {
        let mut events = Vec::new();
        // Progress during the writing is not reported: the reasoning is closed by then.
        if self.has_message {
            return events;
        }
        if self.progress.is_empty() {
            let item = json!({"id": self.reasoning_id(), "type": "reasoning", "summary": []});
            events.push(self.event("response.output_item.added", json!({"output_index": 0, "item": item})));
            let part = self.in_summary("part", json!({"type": "summary_text", "text": ""}));
            events.push(self.event("response.reasoning_summary_part.added", part));
        }
        let line = format!("{line}\n");
        self.progress.push_str(&line);
        let delta = self.in_summary("delta", json!(line));
        events.push(self.event("response.reasoning_summary_text.delta", delta));
        events
    }

    /// Closes the reasoning and opens the message.
    fn begin_message(&mut self) -> Vec<Option<sse::Event>> {
        let mut events = self.end_reasoning();
        self.has_message = true;
        let item = self.message("in_progress", &[]);
        let index = self.message_index();
        events.push(self.event("response.output_item.added", json!({"output_index": index, "item": item})));
        let part = self.in_text("part", text_part("", &[]));
        events.push(self.event("response.content_part.added", part));
        events
    }

    fn end_reasoning(&mut self) -> Vec<Option<sse::Event>> {
        if self.progress.is_empty() || self.has_message {
            return Vec::new();
        }
        let text = self.in_summary("text", json!(self.progress));
        let part = self.in_summary("part", json!({"type": "summary_text", "text": self.progress}));
        let item = json!({"output_index": 0, "item": self.reasoning()});
        vec![
            self.event("response.reasoning_summary_text.done", text),
            self.event("response.reasoning_summary_part.done", part),
            self.event("response.output_item.done", item),
        ]
    }

    fn text(&mut self, piece: &str) -> Vec<Option<sse::Event>> {
        let mut events = if self.has_message { Vec::new() } else { self.begin_message() };
        let mut delta = self.in_text("delta", json!(piece));
        delta["logprobs"] = json!([]);
        events.push(self.event("response.output_text.delta", delta));
        events
    }

    fn end(&mut self, view: RunView<'_>, end: End) -> Vec<Option<sse::Event>> {
        let followed = view.followed;
        let usage = followed.costs().map_or(Value::Null, |_| response_usage(followed));
        match end {
            End::Complete => self.complete(view, usage),
            End::Failed(why) => {
                let mut events = self.end_reasoning();
                let error = json!({"code": "server_error", "message": why});
                let mut failed = object(&self.requested, "failed", self.output(None), usage, error);
                self.add_council(view, &mut failed);
                self.last = Some(failed.clone());
                events.push(self.state("response.failed", failed));
                events
            }
            // OpenAI's `error` has no code for who stopped it.
            End::Cancelled(_) => {
                let mut events = self.end_reasoning();
                let cancelled = object(&self.requested, "cancelled", self.output(None), usage, Value::Null);
                self.last = Some(cancelled.clone());
                events.push(self.state("response.incomplete", cancelled));
                events
            }
        }
    }

    fn complete(&mut self, view: RunView<'_>, usage: Value) -> Vec<Option<sse::Event>> {
        let followed = view.followed;
        let (text, answer, is_cut) = (followed.text(), followed.answer(), followed.is_cut());
        let council = self.includes_council.then(|| council(view));
        let annotated = annotations(followed, text);
        let events = self.answered(text, is_cut, (&annotated, usage.clone(), council.clone()));
        // A stream ends with what its deltas said, a text that was taken back too; the response is the answer alone.
        if answer != text {
            let item = self.item(answer, is_cut, &annotations(followed, answer));
            self.last = Some(self.whole(item, is_cut, usage, council));
        }
        events
    }

    /// The end of an answer that is whole, or was cut at its longest.
    fn answered(
        &mut self,
        text: &str,
        is_cut: bool,
        (annotations, usage, council): (&[Value], Value, Option<Value>),
    ) -> Vec<Option<sse::Event>> {
        let mut events = if self.has_message { Vec::new() } else { self.begin_message() };
        for (place, annotation) in annotations.iter().enumerate() {
            let mut added = self.in_text("annotation", annotation.clone());
            added["annotation_index"] = json!(place);
            events.push(self.event("response.output_text.annotation.added", added));
        }
        let mut done = self.in_text("text", json!(text));
        done["logprobs"] = json!([]);
        events.push(self.event("response.output_text.done", done));
        let in_part = self.in_text("part", text_part(text, annotations));
        events.push(self.event("response.content_part.done", in_part));
        let item = self.item(text, is_cut, annotations);
        let index = self.message_index();
        let done = json!({"output_index": index, "item": item});
        events.push(self.event("response.output_item.done", done));
        let whole = self.whole(item, is_cut, usage, council);
        self.last = Some(whole.clone());
        events.push(self.state(&format!("response.{}", status(is_cut)), whole));
        events
    }

    /// The message with this text.
    fn item(&self, text: &str, is_cut: bool, annotations: &[Value]) -> Value {
        self.message(status(is_cut), &[text_part(text, annotations)])
    }

    /// The response with this message.
    fn whole(&self, item: Value, is_cut: bool, usage: Value, council: Option<Value>) -> Value {
        let output = self.output(Some(item));
        let mut whole = object(&self.requested, status(is_cut), output, usage, Value::Null);
        if is_cut {
            whole["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        if let Some(council) = council {
            whole["council"] = council;
        }
        whole
    }

    /// A reply of a single model, in one piece, and its usage.
    pub fn one_reply(&mut self, text: &str, is_cut: bool, usage: Value) -> Vec<sse::Event> {
        (self.base, self.place) = (STRIDE, 0);
        let mut events = self.text(text);
        events.extend(self.answered(text, is_cut, (&[], usage, None)));
        events.into_iter().flatten().collect()
    }

    /// The failure of such a reply.
    pub fn no_reply_because(&mut self, refusal: &Refusal) -> Vec<sse::Event> {
        (self.base, self.place) = (STRIDE, 0);
        let error = json!({"code": "server_error", "message": refusal.message()});
        let failed = object(&self.requested, "failed", Vec::new(), Value::Null, error);
        self.state("response.failed", failed).into_iter().collect()
    }

    fn add_council(&self, view: RunView<'_>, response: &mut Value) {
        if self.includes_council {
            response["council"] = council(view);
        }
    }
}

fn typed(number: u64, kind: &str, mut json: Value) -> sse::Event {
    json["type"] = json!(kind);
    json["sequence_number"] = json!(number);
    sse::Event::Data(sse::Data::new(json.to_string()).event(kind.to_owned()))
}

/// The state of an answer, and of its response.
fn status(is_cut: bool) -> &'static str {
    if is_cut { "incomplete" } else { "completed" }
}

/// The text of a message.
fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({"type": "output_text", "text": text, "annotations": annotations, "logprobs": []})
}

fn annotations(followed: &FollowedRun, text: &str) -> Vec<Value> {
    let annotation = |Cited { start, end, url, title }: Cited| json!({"type": "url_citation", "start_index": start, "end_index": end, "url": url, "title": title});
    cited(followed, text).into_iter().take(MOST_CITED).map(annotation).collect()
}

impl StreamFormat for Typed {
    fn open(&mut self) -> Vec<sse::Event> {
        let response = self.in_progress();
        let created = self.state("response.created", response.clone());
        let begun = self.state("response.in_progress", response);
        [created, begun].into_iter().flatten().collect()
    }

    fn run_event(&mut self, view: RunView<'_>, frame: &Frame, steps: Vec<Step>) -> Vec<sse::Event> {
        (self.base, self.place, self.silences) = (frame.seq * STRIDE, 0, 0);
        let mut events = Vec::new();
        if self.includes_council && !frame.is_token() {
            let event: Value = serde_json::from_slice(&frame.json).unwrap_or_default();
            let kind = format!("council.{}", event["type"].as_str().unwrap_or("event"));
            events.push(self.event(&kind, json!({"event": event})));
        }
        for step in steps {
            events.extend(match step {
                Step::Progress(line) => self.progress(&line),
                Step::Text(piece) => self.text(&piece),
                Step::End(end) => self.end(view, end),
            });
        }
        events.into_iter().flatten().collect()
    }

    fn queued(&mut self) -> Vec<sse::Event> {
        self.heartbeat()
    }

    fn heartbeat(&mut self) -> Vec<sse::Event> {
        let number = self.base + SILENCES + self.silences;
        self.silences = (self.silences + 1).min(STRIDE - SILENCES - 2);
        let (kind, json) = if self.has_message {
            let mut delta = self.in_text("delta", json!(""));
            delta["logprobs"] = json!([]);
            ("response.output_text.delta", delta)
        } else if self.progress.is_empty() {
            ("response.in_progress", json!({"response": self.in_progress()}))
        } else {
            ("response.reasoning_summary_text.delta", self.in_summary("delta", json!("")))
        };
        vec![self.sign(number, kind, json)]
    }

    fn shutdown(&mut self) -> Vec<sse::Event> {
        let refusal = Refusal::still_running();
        let json = json!({"code": "restarting", "message": refusal.message(), "param": null});
        vec![self.sign(self.base + STRIDE - 1, "error", json)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_responses_id_is_its_runs_in_one_spelling() {
        let run = RunId::generate();
        assert_eq!(run_of(&id(run)), Some(run));
        for wrong in
            ["", "resp_", "resp_1", &run.to_string(), &format!("resp_{run}"), &id(run).to_uppercase()]
        {
            assert_eq!(run_of(wrong), None, "{wrong}");
        }
    }
}
