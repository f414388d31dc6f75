//! What the scripted server answers to one request, and every way in which it can go wrong.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::{RecordedRequest, bedrock, embeddings};

/// Holds scripts back until it is opened; clones are one gate.
#[derive(Debug, Clone)]
pub struct Gate(watch::Sender<bool>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Lets everybody through, from now on.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn opened(&self) {
        let mut state = self.0.subscribe();
        state.wait_for(|open| *open).await.expect("the gate is held here");
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// One thing a connection does.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Send(Vec<u8>),
    Pause(Duration),
    Hold(Gate),
    /// Nothing more, until the client goes.
    Stall,
    /// Close the connection here.
    Cut,
}

/// A response as it goes out.
pub(super) struct Rendered {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub steps: Vec<Step>,
    /// The body ends where the connection does: a cut then looks like an end.
    pub close_delimited: bool,
}

/// A part of an answer, in order.
#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Reasoning(String),
    /// A `delta` as it stands.
    Delta(Value),
    /// A whole payload as it stands.
    Event(String),
    /// A failure in the middle, as Bedrock names it.
    Exception(String, String),
    /// A failure of Bedrock's connection: a code.
    ConnectionError(String),
    /// An event of Bedrock as it stands.
    Converse(&'static str, Value),
    Do(Step),
}

/// What stands in the place of an answer in words.
#[derive(Debug, Clone)]
enum Instead {
    /// A body as it stands.
    Raw(Vec<u8>),
    /// A vector, in the form of whoever is asked for it.
    Vector(Vec<f32>),
}

/// What to answer. Built from [`Script::answer`], [`Script::status`] or [`Script::raw`].
#[derive(Debug, Clone)]
pub struct Script {
    status: u16,
    headers: Vec<(String, String)>,
    parts: Vec<Part>,
    instead: Option<Box<Instead>>,
    finish: Option<String>,
    usage: Option<Value>,
    done: bool,
    whole: bool,
    delay: Duration,
    write_bytes: Option<usize>,
    cut_at: Option<usize>,
    close_delimited: bool,
    served_by: Option<String>,
}

impl Script {
    fn empty() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            parts: Vec::new(),
            instead: None,
            finish: Some("stop".into()),
            usage: Some(json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})),
            done: true,
            whole: false,
            delay: Duration::ZERO,
            write_bytes: None,
            cut_at: None,
            close_delimited: false,
            served_by: None,
        }
    }

    /// A good answer, streamed word by word or whole, as the request asks.
    pub fn answer(text: &str) -> Self {
        Self::empty().text(text)
    }

    /// A vector, in the form of whoever is asked for it.
    pub fn embedding(vector: impl Into<Vec<f32>>) -> Self {
        let usage = json!({"prompt_tokens": 10, "total_tokens": 10});
        Self { instead: Some(Box::new(Instead::Vector(vector.into()))), usage: Some(usage), ..Self::empty() }
    }

    /// A status with a body, which is JSON if it looks so.
    pub fn status(status: u16, body: &str) -> Self {
        let content_type = if body.starts_with(['{', '[']) { "application/json" } else { "text/plain" };
        Self { status, ..Self::raw(content_type, body) }
    }

    /// A body as it stands, with status 200.
    pub fn raw(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { instead: Some(Box::new(Instead::Raw(body.into()))), ..Self::empty() }
            .header("content-type", content_type)
    }

    /// More text, word by word.
    pub fn text(mut self, text: &str) -> Self {
        self.parts.extend(text.split_inclusive(' ').map(|word| Part::Text(word.to_owned())));
        self
    }

    /// The text of the whole answer so far in `n` pieces instead of words.
    pub fn in_chunks(mut self, n: usize) -> Self {
        let text: Vec<char> =
            self.joined(|part| if let Part::Text(text) = part { Some(text) } else { None }).chars().collect();
        self.parts.retain(|part| !matches!(part, Part::Text(_)));
        let size = text.len().div_ceil(n.max(1)).max(1);
        self.parts.extend(text.chunks(size).map(|piece| Part::Text(piece.iter().collect())));
        self
    }

    /// Reasoning, word by word.
    pub fn reasoning(mut self, text: &str) -> Self {
        self.parts.extend(text.split_inclusive(' ').map(|word| Part::Reasoning(word.to_owned())));
        self
    }

    /// One `delta` as it stands.
    pub fn delta(mut self, delta: Value) -> Self {
        self.parts.push(Part::Delta(delta));
        self
    }

    /// A tool call in three parts: name, then the arguments in two halves.
    pub fn tool_call(self, index: u32, id: &str, name: &str, arguments: &str) -> Self {
        let mut half = arguments.len() / 2;
        while !arguments.is_char_boundary(half) {
            half -= 1;
        }
        let (first, second) = arguments.split_at(half);
        let call = |rest: Value| json!({"tool_calls": [rest]});
        self.delta(call(json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}})))
            .delta(call(json!({"index": index, "function": {"arguments": first}})))
            .delta(call(json!({"index": index, "function": {"arguments": second}})))
    }

    /// Tool calls, each whole and all in one piece. Without an index, as some servers send them; a call whose id is empty
    /// has none.
    pub fn whole_calls(self, calls: &[(&str, &str, &str)]) -> Self {
        let calls: Vec<Value> = calls
            .iter()
            .map(|(id, name, arguments)| {
                let mut call =
                    json!({"type": "function", "function": {"name": name, "arguments": arguments}});
                if !id.is_empty() {
                    call["id"] = json!(id);
                }
                call
            })
            .collect();
        self.delta(json!({ "tool_calls": calls })).finish("tool_calls")
    }

    /// A search as models ask for it, in pieces.
    pub fn search(self, id: &str, query: &str) -> Self {
        self.tool_call(0, id, "search_web", &json!({ "query": query }).to_string()).finish("tool_calls")
    }

    /// One payload as it stands: malformed JSON, an error object.
    pub fn event(mut self, payload: &str) -> Self {
        self.parts.push(Part::Event(payload.to_owned()));
        self
    }

    /// A failure in the middle, as Bedrock has them (`throttlingException`).
    pub fn exception(mut self, kind: &str, message: &str) -> Self {
        self.parts.push(Part::Exception(kind.to_owned(), message.to_owned()));
        self
    }

    /// A failure of Bedrock's connection itself.
    pub fn connection_error(mut self, code: &str) -> Self {
        self.parts.push(Part::ConnectionError(code.to_owned()));
        self
    }

    /// One event of Bedrock as it stands.
    pub fn converse(mut self, kind: &'static str, event: Value) -> Self {
        self.parts.push(Part::Converse(kind, event));
        self
    }

    /// A refusal of Bedrock.
    pub fn refusal(status: u16, name: &str, message: &str) -> Self {
        Self::status(status, &json!({ "message": message }).to_string())
            .header("x-amzn-errortype", &format!("{name}:http://internal.amazon.com/coral/x/"))
    }

    /// Waits for a gate here.
    pub fn hold(mut self, gate: &Gate) -> Self {
        self.parts.push(Part::Do(Step::Hold(gate.clone())));
        self
    }

    /// Goes silent here, until the client goes.
    pub fn stall(mut self) -> Self {
        self.parts.push(Part::Do(Step::Stall));
        self
    }

    /// Closes the connection here.
    pub fn cut(mut self) -> Self {
        self.parts.push(Part::Do(Step::Cut));
        self
    }

    /// Waits here.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.parts.push(Part::Do(Step::Pause(pause)));
        self
    }

    /// Waits before each piece of text and reasoning.
    pub fn paced(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Closes the connection after so many bytes of the body.
    pub fn cut_at_byte(mut self, at: usize) -> Self {
        self.cut_at = Some(at);
        self
    }

    /// Sends the body in writes of so many bytes, through characters and lines alike.
    pub fn in_writes_of(mut self, bytes: usize) -> Self {
        self.write_bytes = Some(bytes.max(1));
        self
    }

    /// Lets the body end with the connection, so that a cut looks like an end.
    pub fn close_delimited(mut self) -> Self {
        self.close_delimited = true;
        self
    }

    /// Answers one JSON document even if a stream is asked for.
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    pub fn without_done(mut self) -> Self {
        self.done = false;
        self
    }

    pub fn without_finish(mut self) -> Self {
        self.finish = None;
        self
    }

    pub fn finish(mut self, reason: &str) -> Self {
        self.finish = Some(reason.to_owned());
        self
    }

    pub fn usage(mut self, usage: Value) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Names another model than the one that was asked.
    pub fn served_by(mut self, model: &str) -> Self {
        self.served_by = Some(model.to_owned());
        self
    }

    pub fn without_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// Sets a response header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn joined(&self, pick: impl Fn(&Part) -> Option<&String>) -> String {
        self.parts.iter().filter_map(pick).map(String::as_str).collect()
    }

    pub(super) fn render(&self, request: &RecordedRequest) -> Rendered {
        let stream = request.body.get("stream").and_then(Value::as_bool) == Some(true) && !self.whole;
        let model = self.served_by.as_deref().unwrap_or(&request.model);
        let is_converse = bedrock::model_of(&request.path).is_some();
        let mut headers = self.headers.clone();
        let controls = self
            .parts
            .iter()
            .filter_map(|part| if let Part::Do(step) = part { Some(step.clone()) } else { None });
        let (content_type, steps) = match self.instead.as_deref() {
            Some(Instead::Raw(body)) => {
                ("text/plain", std::iter::once(Step::Send(body.clone())).chain(controls).collect())
            }
            Some(Instead::Vector(vector)) => {
                let (document, more) = embeddings::document(request, model, vector, self.usage.as_ref());
                headers.extend(more);
                let whole = Step::Send(document.to_string().into_bytes());
                ("application/json", controls.chain([whole]).collect())
            }
            None if is_converse && bedrock::is_whole(request) => {
                ("application/json", self.converse_document())
            }
            None if is_converse => ("application/vnd.amazon.eventstream", self.frames()),
            None if stream => ("text/event-stream", self.events(model)),
            None => ("application/json", self.document(model)),
        };
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("content-type".into(), content_type.into()));
        }
        let steps = recut(steps, self.write_bytes, self.cut_at);
        Rendered { status: self.status, headers, steps, close_delimited: self.close_delimited }
    }

    fn events(&self, model: &str) -> Vec<Step> {
        let event = |payload: &str| Step::Send(format!("data: {payload}\n\n").into_bytes());
        let chunk = |delta: Value, finish: Option<&str>| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            event(&json!({"id": "gen-1", "object": "chat.completion.chunk", "model": model, "choices": [choice]}).to_string())
        };
        let mut steps = vec![chunk(json!({"role": "assistant", "content": null}), None)];
        for part in &self.parts {
            if !self.delay.is_zero() && matches!(part, Part::Text(_) | Part::Reasoning(_)) {
                steps.push(Step::Pause(self.delay));
            }
            steps.push(match part {
                Part::Text(text) => chunk(json!({"content": text}), None),
                Part::Reasoning(text) => chunk(json!({"reasoning": text, "content": ""}), None),
                Part::Delta(delta) => chunk(delta.clone(), None),
                Part::Event(payload) => event(payload),
                Part::Exception(_, message) => event(&json!({"error": {"message": message}}).to_string()),
                Part::ConnectionError(code) => event(&json!({"error": {"message": code}}).to_string()),
                Part::Converse(..) => continue,
                Part::Do(step) => step.clone(),
            });
        }
        if let Some(reason) = &self.finish {
            steps.push(chunk(json!({}), Some(reason)));
        }
        if let Some(usage) = &self.usage {
            steps.push(event(&json!({"model": model, "choices": [], "usage": usage}).to_string()));
        }
        if self.done {
            steps.push(event("[DONE]"));
        }
        steps
    }

    /// The same as Bedrock streams it.
    fn frames(&self) -> Vec<Step> {
        let mut steps = vec![bedrock::event("messageStart", &json!({"role": "assistant"}))];
        for part in &self.parts {
            if !self.delay.is_zero() && matches!(part, Part::Text(_) | Part::Reasoning(_)) {
                steps.push(Step::Pause(self.delay));
            }
            match part {
                Part::Text(text) => steps.push(bedrock::of_block(0, &json!({ "text": text }))),
                Part::Reasoning(text) => {
                    steps.push(bedrock::of_block(1, &json!({"reasoningContent": {"text": text}})));
                }
                Part::Delta(delta) => steps.extend(bedrock::of_delta(delta)),
                Part::Event(payload) => steps.push(Step::Send(payload.clone().into_bytes())),
                Part::Exception(kind, message) => steps.push(bedrock::exception(kind, message)),
                Part::ConnectionError(code) => steps.push(bedrock::error(code, "the connection is given up")),
                Part::Converse(kind, event) => steps.push(bedrock::event(kind, event)),
                Part::Do(step) => steps.push(step.clone()),
            }
        }
        if let Some(reason) = &self.finish {
            let reason = bedrock::stop_reason(reason);
            steps.push(bedrock::event("messageStop", &json!({ "stopReason": reason })));
        }
        if let Some(counts) = &self.usage {
            let metadata = json!({"usage": bedrock::usage(counts), "metrics": {"latencyMs": 1}});
            steps.push(bedrock::event("metadata", &metadata));
        }
        steps
    }

    /// The same as Bedrock answers in one piece.
    fn converse_document(&self) -> Vec<Step> {
        let text = self.joined(|part| if let Part::Text(text) = part { Some(text) } else { None });
        let document =
            bedrock::document(&[json!({ "text": text })], self.finish.as_deref(), self.usage.as_ref());
        let controls = self.parts.iter();
        let controls =
            controls.filter_map(|part| if let Part::Do(step) = part { Some(step.clone()) } else { None });
        controls.chain([Step::Send(document.to_string().into_bytes())]).collect()
    }

    /// The same as one document. Whatever the script does in the middle happens in the middle.
    fn document(&self, model: &str) -> Vec<Step> {
        let text = self.joined(|part| if let Part::Text(text) = part { Some(text) } else { None });
        let reasoning = self.joined(|part| if let Part::Reasoning(text) = part { Some(text) } else { None });
        let mut message = json!({"role": "assistant", "content": text});
        if !reasoning.is_empty() {
            message["reasoning"] = reasoning.into();
        }
        let calls: Vec<Value> = self
            .parts
            .iter()
            .filter_map(
                |part| if let Part::Delta(delta) = part { delta["tool_calls"].as_array() } else { None },
            )
            .flatten()
            .cloned()
            .collect();
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": self.finish});
        let mut document =
            json!({"id": "gen-1", "object": "chat.completion", "model": model, "choices": [choice]});
        if let Some(usage) = &self.usage {
            document["usage"] = usage.clone();
        }
        let mut body = document.to_string().into_bytes();
        let rest = body.split_off(body.len() / 2);
        let mut steps = vec![Step::Send(body)];
        steps.extend(
            self.parts
                .iter()
                .filter_map(|part| if let Part::Do(step) = part { Some(step.clone()) } else { None }),
        );
        steps.push(Step::Send(rest));
        steps
    }
}

/// Applies the size of writes and the byte to cut at.
fn recut(steps: Vec<Step>, write_bytes: Option<usize>, cut_at: Option<usize>) -> Vec<Step> {
    let mut out = Vec::new();
    let mut left = cut_at.unwrap_or(usize::MAX);
    for step in steps {
        let Step::Send(mut bytes) = step else {
            out.push(step);
            continue;
        };
        let is_cut = bytes.len() > left;
        bytes.truncate(left);
        left -= bytes.len();
        out.extend(bytes.chunks(write_bytes.unwrap_or(usize::MAX)).map(|piece| Step::Send(piece.to_vec())));
        if is_cut {
            out.push(Step::Cut);
            break;
        }
    }
    out
}
