//! A client that does not give up: it asks a question under an idempotency key and reads the run's
//! events to the end, from whichever server there is, through refusals, cuts and restarts.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use super::events::{Event, Events};

/// The pause before it tries again.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a stream may be without a byte. The servers under test send a heartbeat each second.
const SILENCE: Duration = Duration::from_secs(100);

/// Where the server is; nothing while there is none.
pub type Place = watch::Receiver<Option<String>>;

/// Somebody with one question.
pub struct Follower {
    client: reqwest::Client,
    place: Place,
    user: String,
    question: String,
    /// The request's other fields.
    options: Value,
    /// Gets the type of every structural event as it is read.
    observer: Option<broadcast::Sender<String>>,
}

/// What a follower has received, over all its connections.
#[derive(Debug, Default)]
pub struct Transcript {
    pub user: String,
    pub conversation: String,
    pub run: String,
    /// The numbered events, in the order in which they came.
    pub events: Vec<Event>,
    pub heartbeats: usize,
    /// How many connections delivered an event.
    pub connections: usize,
    /// The answers that were 503.
    pub refusals: Vec<Value>,
}

impl Follower {
    pub fn new(place: Place, user: &str, question: &str) -> Self {
        let client = reqwest::Client::builder().tls_certs_only([]).no_proxy().build().expect("a client");
        let (user, question) = (user.to_owned(), question.to_owned());
        Self { client, place, user, question, options: json!({}), observer: None }
    }

    /// Asks with these fields beside the question.
    pub fn asking(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// Reports the type of every structural event as it is read.
    pub fn reporting_to(mut self, observer: broadcast::Sender<String>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Asks, and reads to the run's last event.
    ///
    /// # Panics
    /// When a server answers anything but success or 503.
    pub async fn follow(mut self) -> Transcript {
        let mut transcript = Transcript { user: self.user.clone(), ..Transcript::default() };
        transcript.conversation = self.conversation(&mut transcript).await;
        loop {
            // Until it knows its run it asks again, which the key makes the same question.
            let response = match transcript.events.last().and_then(|event| event.id) {
                None => {
                    let path = format!("/api/conversations/{}/message/stream", transcript.conversation);
                    let mut body = self.options.clone();
                    body["content"] = json!(self.question);
                    let key = self.question.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
                    self.send(&mut transcript, "POST", &path, &[("idempotency-key", key)], body.to_string())
                        .await
                }
                Some(last) => {
                    let path = format!("/api/runs/{}/events", transcript.run);
                    let place = [("last-event-id", last.to_string())];
                    self.send(&mut transcript, "GET", &path, &place, String::new()).await
                }
            };
            if self.read(Events::new(response), &mut transcript).await {
                return transcript;
            }
        }
    }

    async fn conversation(&mut self, transcript: &mut Transcript) -> String {
        loop {
            let response = self.send(transcript, "POST", "/api/conversations", &[], "{}".to_owned()).await;
            // The answer may be cut: nobody misses that conversation.
            if let Ok(text) = response.text().await {
                let json: Value = serde_json::from_str(&text).expect("JSON");
                return json["id"].as_str().expect("an id").to_owned();
            }
        }
    }

    /// Sends until there is a success.
    async fn send(
        &mut self,
        transcript: &mut Transcript,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: String,
    ) -> reqwest::Response {
        loop {
            let base = self.place.wait_for(Option::is_some).await.expect("a server some time").clone();
            let base = base.expect("it was waited for");
            let mut request = self
                .client
                .request(method.parse().expect("a method"), format!("{base}{path}"))
                .header("remote-user", &self.user)
                .header("content-type", "application/json")
                .body(body.clone());
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            match request.send().await {
                Ok(response) if response.status() == 200 => return response,
                Ok(response) => {
                    let status = response.status();
                    let text = response.text().await.unwrap_or_default();
                    assert_eq!(status, 503, "{method} {path}: {text}");
                    transcript.refusals.push(serde_json::from_str(&text).expect("problem details"));
                }
                // There is no server now.
                Err(_) => {}
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Reads a stream to its end, however it ends; returns whether that was the run's end.
    async fn read(&self, mut stream: Events, transcript: &mut Transcript) -> bool {
        let mut received = 0;
        let over = loop {
            let next = tokio::time::timeout(SILENCE, stream.try_next());
            let Ok(next) = next.await else {
                panic!("{} was silent for a minute after {:?}", transcript.run, transcript.events.last());
            };
            let Ok(Some(event)) = next else { break false };
            if event.id.is_none() {
                let of_the_server = ["server_shutdown", "run_queued"].contains(&event.kind());
                assert!(of_the_server, "every event of the run has a number: {event:?}");
                continue;
            }
            if let Some(run) = event.json["run_id"].as_str() {
                transcript.run = run.to_owned();
            }
            received += 1;
            let over = ["complete", "error", "cancelled"].contains(&event.kind());
            if let Some(observer) = self.observer.as_ref().filter(|_| !event.is_token()) {
                // Nobody may be listening.
                observer.send(event.kind().to_owned()).ok();
            }
            transcript.events.push(event);
            if over {
                break true;
            }
        };
        transcript.heartbeats += stream.heartbeats;
        transcript.connections += usize::from(received > 0);
        over
    }
}

impl Transcript {
    /// The text of each call as a reader sees it in the end.
    pub fn texts(&self) -> BTreeMap<String, String> {
        texts(&self.events)
    }
}

/// The structural events, without their numbers: what must come exactly once.
pub fn structure(events: &[Event]) -> Vec<&Value> {
    events.iter().filter(|event| !event.is_token()).map(|event| &event.json).collect()
}

/// Joins the tokens of each call, as a client does: a call that is made again starts with empty text. Each is
/// under its key in the ledger.
pub fn texts(events: &[Event]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    // The call that a model was last heard of with in a stage.
    let mut calls: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for event in events {
        let json = &event.json;
        let model =
            ["model", "chairman_model", "adversary_model"].iter().find_map(|name| json[name].as_str());
        let model = model.unwrap_or_default();
        if event.kind() == "call_restarted" {
            let stage = json["stage"].as_str().expect("a stage");
            let text = calls.get(&(stage, model)).and_then(|call| texts.get_mut(call));
            text.into_iter().for_each(String::clear);
        } else if let Some((stage, call)) = call_of(event, model) {
            if event.is_token() {
                let text = texts.entry(call.clone()).or_default();
                let piece = json.get("content").or_else(|| json.get("token"));
                text.push_str(piece.and_then(Value::as_str).expect("a piece of text"));
            }
            calls.insert((stage, model), call);
        }
    }
    texts
}

/// The stages of a debate's rounds.
const ROUNDS: [&str; 10] =
    ["round1", "round2", "round3", "round4", "round5", "round6", "round7", "round8", "round9", "round10"];

/// The call whose text an event begins or shows a piece of, with its stage.
fn call_of(event: &Event, model: &str) -> Option<(&'static str, String)> {
    Some(match event.kind() {
        "stage1_token" => ("stage1", format!("stage1/{model}")),
        "token" | "position_token" | "debate_critique_token" | "rebuttal_token" => {
            let round = event.json["round_number"].as_u64().expect("the number of a round");
            (ROUNDS[usize::try_from(round).expect("a few") - 1], format!("round{round}/{model}"))
        }
        "judgment_start" | "judgment_token" | "synthesis_start" | "synthesis_token" | "merge_start"
        | "merge_token" | "stage3_start" | "stage3_token" => ("stage3", format!("stage3/{model}")),
        "selection_start" | "selection_token" => ("stage3", format!("multi_chairman/select/{model}")),
        "revision_start" | "revision_token" => {
            ("refinement", format!("refine/{}/revision", event.json["iteration"]))
        }
        "adversary_start" | "adversary_token" => ("adversary", "adversary/attack".to_owned()),
        "adversary_revision_start" | "adversary_revision_token" => {
            ("adversary", "adversary/revision".to_owned())
        }
        _ => return None,
    })
}

/// Checks that two streams have the same structural events, each once and in one order.
///
/// # Panics
/// When they have not, showing where they part.
#[track_caller]
pub fn assert_same_structure(one: &[Event], other: &[Event], what: &str) {
    let (left, right) = (structure(one), structure(other));
    let parted = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let rest = |side: &[&Value]| side[parted..].iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        left.len() == parted && right.len() == parted,
        "{what}: after {parted} events {:#?} instead of {:#?}",
        rest(&left),
        rest(&right)
    );
}
