//! Debates and arenas over HTTP: how often they ask, in which order, what each speaker reads, what is told and
//! stored of it, and what happens when models fail.

mod again;
mod broken;
mod counts;
mod failures;
mod reading;
mod requests;
mod told;

use serde_json::{Value, json};

use crate::hostile::{fences, marker_of};
use crate::support::app::{TestApp, User};
use crate::support::events::Event;
use crate::support::model_server::{Record, RecordedRequest, Script};

/// As many members as a council can have.
pub const MODELS: [&str; 7] = ["m/one", "m/two", "m/three", "m/four", "m/five", "m/six", "m/seven"];

/// A way of debating: what asks for it, and the types of its rounds.
#[derive(Debug, Clone)]
pub struct Format {
    pub options: Value,
    pub rounds: Vec<&'static str>,
}

pub fn rotation(include_rebuttal: bool) -> Format {
    let mut rounds = vec!["position", "critique", "rebuttal"];
    rounds.truncate(if include_rebuttal { 3 } else { 2 });
    Format { options: json!({"mode": "debate", "include_rebuttal": include_rebuttal}), rounds }
}

/// With so many rounds as requests count them.
pub fn all_to_all(debate_rounds: usize) -> Format {
    let in_turn = ["critique", "defense"].into_iter().cycle().take(debate_rounds);
    let options = json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": debate_rounds});
    Format { options, rounds: ["initial"].into_iter().chain(in_turn).collect() }
}

pub fn arena(arena_rounds: usize) -> Format {
    let rebuttals = vec!["rebuttal"; arena_rounds - 2];
    Format {
        options: json!({"mode": "arena", "arena_rounds": arena_rounds}),
        rounds: [vec!["opening"], rebuttals, vec!["closing"]].concat(),
    }
}

/// Each with three rounds.
pub fn every() -> [Format; 3] {
    [rotation(true), all_to_all(2), arena(3)]
}

impl Format {
    pub fn is_rotation(&self) -> bool {
        self.rounds[0] == "position"
    }

    pub fn is_all_to_all(&self) -> bool {
        self.rounds[0] == "initial"
    }

    /// What the others call the nth speaker, from 0.
    pub fn label(&self, nth: usize) -> String {
        let letter = char::from(b'A' + u8::try_from(nth).unwrap());
        if self.is_rotation() { letter.to_string() } else { format!("Participant {letter}") }
    }

    /// A request to so many members with more options.
    pub fn request(&self, members: usize, more: &Value) -> Value {
        let mut body = json!({"content": "Why does it rain?", "models": MODELS[..members]});
        for options in [&self.options, more] {
            body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        }
        body
    }

    /// Whether whoever speaks in this round, from 1, is asked whether it has moved.
    pub fn asks_position(&self, round: usize) -> bool {
        matches!(self.rounds[round - 1], "rebuttal" | "closing" | "defense")
    }

    /// What an event is called that tells the end of a speech in this round, from 1.
    pub fn said(&self, round: usize) -> &'static str {
        let rotation = ["position_complete", "debate_critique_complete", "rebuttal_complete"];
        if self.is_rotation() { rotation[round - 1] } else { "model_complete" }
    }

    /// Its event for the end of the judgment.
    pub fn judged(&self) -> &'static str {
        if self.is_rotation() { "judgment_complete" } else { "synthesis_complete" }
    }
}

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// To speak in this round, from 1.
    Round(usize),
    Judgment,
    Ballot,
    Repair,
    Title,
}

pub fn asked(request: &RecordedRequest) -> Asked {
    let prompt = request.prompt();
    if prompt.starts_with("Write a title") {
        Asked::Title
    } else if prompt.starts_with("You are judging") {
        Asked::Ballot
    } else if prompt.starts_with("You have reviewed") {
        Asked::Repair
    } else if prompt.starts_with("You are the chairman") {
        Asked::Judgment
    } else {
        assert!(prompt.starts_with("You are ") && prompt.contains(", one of several"), "{prompt}");
        Asked::Round(1 + latest_round(prompt))
    }
}

/// The last round of which something stands in a prompt, left out or not.
fn latest_round(prompt: &str) -> usize {
    let read = |line: &str| {
        let (_, rest) = line.strip_prefix('[')?.split_once(", round ")?;
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    prompt.lines().filter_map(read).max().unwrap_or(0)
}

/// The seat of a model, from 0; the chairman and whoever makes titles has none.
pub fn seat(model: &str) -> usize {
    MODELS.iter().position(|one| *one == model).unwrap_or(MODELS.len())
}

/// What a seat says in a round. It names nobody.
pub fn sentence(round: usize, seat: usize) -> String {
    format!("Sentence {round}.{seat} of the debate.")
}

/// What it says of another in a debate of all with all.
pub fn of_another(round: usize, seat: usize, label: &str) -> String {
    format!("Sentence {round}.{seat} about {label}.")
}

/// The headings that a prompt asks for.
fn headings(prompt: &str) -> Vec<&str> {
    prompt.lines().filter_map(|line| line.strip_prefix("## Critique of ")).collect()
}

/// The whole text of a speaker.
pub fn speech(request: &RecordedRequest, round: usize) -> String {
    let (prompt, seat) = (request.prompt(), seat(&request.model));
    let said = sentence(round, seat);
    let sections: Vec<String> = headings(prompt)
        .into_iter()
        .map(|label| format!("## Critique of {label}\n\n{}", of_another(round, seat, label)))
        .collect();
    let mut text = if !sections.is_empty() {
        format!("{said}\n\n{}", sections.join("\n\n"))
    } else if prompt.contains("## Addressing Critiques") {
        format!("## Addressing Critiques\n\nGranted in {round}.{seat}.\n\n## Revised Response\n\n{said}")
    } else {
        said
    };
    if prompt.contains("POSITION: UNCHANGED") {
        // The one before it, of the first the second.
        let other = if seat == 0 { 'B' } else { char::from(b'A' + u8::try_from(seat - 1).unwrap()) };
        text.push_str(&format!("\n\nPOSITION: CHANGED after {other}: it rains."));
    }
    text
}

pub const JUDGMENT: &str = "It rains because water falls.";

/// What a model says that does as it is asked. Each call costs $0.25.
pub fn speak(request: &RecordedRequest) -> Script {
    let text = match asked(request) {
        Asked::Round(round) => speech(request, round),
        Asked::Judgment => format!(
            "{JUDGMENT}\n\nDEBATE NOTES:\nMOST CONVINCING: B, by far\nSETTLED: that it rains\nOPEN: how much\n\
             MINORITY: it is dry"
        ),
        Asked::Ballot | Asked::Repair => {
            let labels = request.labels();
            let lines: Vec<String> = (1..).zip(&labels).map(|(at, label)| format!("{at}. {label}")).collect();
            format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
        }
        Asked::Title => "A Title of Rain".to_owned(),
    };
    Script::answer(&text).usage(usage())
}

pub fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.25})
}

/// An app whose models debate.
pub async fn debating() -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(|request| Some(speak(request)));
    app
}

/// An app whose models debate, but for those for which there is another script.
pub async fn debating_but(
    other: impl Fn(&RecordedRequest, Asked) -> Option<Script> + Send + Sync + 'static,
) -> TestApp {
    let app = TestApp::start().await;
    app.models.rule(move |request| Some(other(request, asked(request)).unwrap_or_else(|| speak(request))));
    app
}

/// A refusal that nobody tries again after.
pub fn refusal() -> Script {
    Script::status(400, r#"{"error":{"message":"not today"}}"#)
}

/// A debate that is over.
pub struct Debated {
    pub conversation: String,
    pub events: Vec<Event>,
    /// The assistant's message.
    pub stored: Value,
}

impl Debated {
    /// Asks in a conversation, and reads to the end.
    pub async fn ask(user: &User<'_>, conversation: &str, body: Value) -> Self {
        let events = user.ask(conversation, body).await.rest().await;
        Self::over(user, conversation, events).await
    }

    /// Asks in a new conversation.
    pub async fn of(app: &TestApp, body: Value) -> Self {
        let ann = app.user("ann");
        let id = ann.conversation().await;
        Self::ask(&ann, &id, body).await
    }

    /// With what is stored of it now.
    pub async fn over(user: &User<'_>, conversation: &str, events: Vec<Event>) -> Self {
        let whole = user.get(&format!("/api/conversations/{conversation}")).await.ok();
        let stored = whole["messages"].as_array().unwrap().last().unwrap().clone();
        Self { conversation: conversation.to_owned(), events, stored }
    }

    /// The events of a type.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event.kind() == kind).map(|event| &event.json).collect()
    }

    /// The only event of a type.
    #[track_caller]
    pub fn one(&self, kind: &str) -> &Value {
        let all = self.all(kind);
        assert_eq!(all.len(), 1, "{kind}: {all:#?}");
        all[0]
    }

    /// What ended the run.
    pub fn end(&self) -> &Value {
        &self.events.last().unwrap().json
    }

    /// The statements of a round, from 1.
    #[track_caller]
    pub fn round(&self, round: usize) -> &Vec<Value> {
        self.stored["rounds"][round - 1]["responses"].as_array().expect("a round")
    }
}

/// A stated field of each of these.
pub fn column<'v>(rows: impl IntoIterator<Item = &'v Value>, field: &str) -> Vec<&'v Value> {
    rows.into_iter().map(|row| &row[field]).collect()
}

/// The requests for this, in the members' order.
pub fn requests(records: &[Record], wanted: Asked) -> Vec<RecordedRequest> {
    let all = records.iter().map(|record| record.request.clone());
    let mut requests: Vec<RecordedRequest> = all.filter(|request| asked(request) == wanted).collect();
    requests.sort_by_key(|request| seat(&request.model));
    requests
}

/// What a prompt holds in fences: titles and texts.
pub fn read_in(request: &RecordedRequest) -> Vec<(String, String)> {
    fences(request.prompt(), marker_of(request.prompt()))
}

/// The titles alone.
pub fn titles_in(request: &RecordedRequest) -> Vec<String> {
    read_in(request).into_iter().map(|(title, _)| title).collect()
}
