//! A stream of events, read as it comes.

use std::time::Duration;

use serde_json::Value;

/// How long a test waits for something; far beyond any real wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: Option<u64>,
    pub json: Value,
}

impl Event {
    pub fn kind(&self) -> &str {
        self.json["type"].as_str().expect("every event has a type")
    }

    pub fn is_token(&self) -> bool {
        self.kind() == "token" || self.kind().ends_with("_token")
    }
}

/// See the module.
pub struct Events {
    response: reqwest::Response,
    buffer: Vec<u8>,
    /// Everything as it came, network read by network read.
    pub reads: Vec<bytes::Bytes>,
    /// How many comments came between the events.
    pub heartbeats: usize,
}

impl Events {
    pub fn new(response: reqwest::Response) -> Self {
        Self { response, buffer: Vec::new(), reads: Vec::new(), heartbeats: 0 }
    }

    /// The next event; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        let next = tokio::time::timeout(TIMEOUT, self.try_next());
        next.await.expect("an event in time").expect("a stream that is not torn")
    }

    /// The same from a server that may die. Waits for as long as it takes.
    ///
    /// # Errors
    /// When the connection was lost; half an event may have been, too.
    pub async fn try_next(&mut self) -> Result<Option<Event>, reqwest::Error> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let frame = String::from_utf8(frame).expect("ASCII");
                if let Some(event) = parse(&frame) {
                    return Ok(Some(event));
                }
                self.heartbeats += 1;
                continue;
            }
            match self.response.chunk().await? {
                Some(bytes) => {
                    self.buffer.extend_from_slice(&bytes);
                    self.reads.push(bytes);
                }
                None => {
                    assert!(self.buffer.is_empty(), "the stream ended inside an event");
                    return Ok(None);
                }
            }
        }
    }

    /// Reads on to the first event of a type, and gives it.
    pub async fn until(&mut self, kind: &str) -> Event {
        while let Some(event) = self.next().await {
            if event.kind() == kind {
                return event;
            }
        }
        panic!("the stream ended without {kind}");
    }

    /// Reads to the end.
    pub async fn rest(&mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}

/// The first event of a type.
#[track_caller]
pub fn find<'a>(events: &'a [Event], kind: &str) -> &'a Value {
    &events.iter().find(|event| event.kind() == kind).unwrap_or_else(|| panic!("no {kind}")).json
}

/// The types of the events in their order, without tokens.
pub fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().filter(|event| !event.is_token()).map(Event::kind).collect()
}

fn parse(frame: &str) -> Option<Event> {
    let mut event = Event { id: None, json: Value::Null };
    for line in frame.lines() {
        if let Some(id) = line.strip_prefix("id: ") {
            event.id = Some(id.parse().expect("a number"));
        } else if let Some(data) = line.strip_prefix("data: ") {
            event.json = serde_json::from_str(data).expect("JSON on one line");
        } else {
            assert!(line.is_empty() || line.starts_with(':'), "an unexpected line: {line}");
        }
    }
    (!event.json.is_null()).then_some(event)
}
