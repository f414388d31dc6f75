//! The council for programs that speak OpenAI's API, over raw HTTP.

mod access;
mod chat;
mod chores;
mod compliance;
mod files;
mod forms;
mod joining;
mod models;
mod random;
mod responses;

use serde_json::{Value, json};

use crate::support::app::{Answer, TestApp, User};

pub const CHAT: &str = "/v1/chat/completions";
pub const RESPONSES: &str = "/v1/responses";

/// A program with a token of Ann's, at an address where the proxy lives.
pub async fn program(app: &TestApp) -> User<'_> {
    program_of(app, "ann", &["read", "ask"]).await
}

/// A program with such a token.
pub async fn program_of<'a>(app: &'a TestApp, user: &str, permissions: &[&str]) -> User<'a> {
    let body = json!({"name": "program", "permissions": permissions});
    let token = app.user(user).post("/api/tokens", body).await.ok();
    let secret = token["token"].as_str().unwrap();
    app.user("").without_identity().with("authorization", &format!("Bearer {secret}"))
}

/// The body of a question.
pub fn asks(question: &str) -> Value {
    json!({"model": "council", "messages": [{"role": "user", "content": question}]})
}

/// The same with more in it.
pub fn asks_with(question: &str, more: &Value) -> Value {
    let mut body = asks(question);
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// A response's body.
pub fn wants(question: &str, more: &Value) -> Value {
    let mut body = json!({"model": "council", "input": question});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// The error of a refusal in OpenAI's shape, as (status, code, param).
#[track_caller]
pub fn refused(answer: &Answer) -> (u16, String, Value) {
    assert_eq!(answer.header("content-type"), "application/json", "{}", answer.text);
    let error = answer.json()["error"].clone();
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    assert!(error["type"].is_string() && error.get("param").is_some(), "{error}");
    assert!(!answer.header("x-request-id").is_empty());
    assert!(matches!(answer.header("x-should-retry"), "true" | "false"), "{:?}", answer.headers);
    (answer.status, error["code"].as_str().unwrap().to_owned(), error["param"].clone())
}

/// An event of a stream.
#[derive(Debug, Clone)]
pub struct Sent {
    /// What stands on the `event:` line, if one is there.
    pub name: Option<String>,
    pub data: String,
}

impl Sent {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }

    pub fn number(&self) -> u64 {
        self.json()["sequence_number"].as_u64().expect("every typed event has a number")
    }
}

/// A stream as it comes, strictly: no comments, no ids, one line of data.
pub struct Stream {
    response: reqwest::Response,
    buffer: String,
}

impl Stream {
    pub async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{}", response.text().await.unwrap_or_default());
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, buffer: String::new() }
    }

    /// A header of the answer.
    pub fn header(&self, name: &str) -> &str {
        self.response.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub async fn next(&mut self) -> Option<Sent> {
        loop {
            if let Some((frame, rest)) = self.buffer.split_once("\n\n") {
                let sent = parse(frame);
                self.buffer = rest.to_owned();
                return Some(sent);
            }
            let read = tokio::time::timeout(std::time::Duration::from_secs(60), self.response.chunk());
            match read.await.expect("bytes in time").expect("a stream that is not torn") {
                Some(bytes) => self.buffer.push_str(std::str::from_utf8(&bytes).unwrap()),
                None => {
                    assert!(self.buffer.is_empty(), "the stream ended inside an event: {}", self.buffer);
                    return None;
                }
            }
        }
    }

    pub async fn rest(mut self) -> Vec<Sent> {
        let mut all = Vec::new();
        while let Some(sent) = self.next().await {
            all.push(sent);
        }
        all
    }

    /// Reads on to an event that holds these words.
    pub async fn until(&mut self, words: &str) -> Sent {
        while let Some(sent) = self.next().await {
            if sent.data.contains(words) {
                return sent;
            }
        }
        panic!("the stream ended without {words}");
    }
}

fn parse(frame: &str) -> Sent {
    let mut sent = Sent { name: None, data: String::new() };
    for line in frame.lines() {
        if let Some(data) = line.strip_prefix("data: ") {
            assert!(sent.data.is_empty(), "one line of data: {frame}");
            sent.data = data.to_owned();
        } else if let Some(name) = line.strip_prefix("event: ") {
            sent.name = Some(name.to_owned());
        } else {
            panic!("strict clients break on this line: {line:?}");
        }
    }
    sent
}

/// Streams an answer to this body.
pub async fn stream(user: &User<'_>, path: &str, body: &Value) -> Stream {
    let request = user.request("POST", path).header("content-type", "application/json");
    Stream::open(request.body(body.to_string())).await
}

/// How many runs there are.
pub async fn runs(app: &TestApp) -> i64 {
    count(app, "SELECT count(*) FROM runs WHERE program IS NOT NULL").await
}

pub async fn count(app: &TestApp, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(&mut app.db.superuser().await).await.unwrap()
}
