//! Models without a wire: answers made by a closure, every call counted.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use llm_council::llm::{CallError, ChatRequest, Chunk, Citation, DeltaSink, Models, Reply, Role, Usage};

type Script = dyn Fn(&ChatRequest) -> Result<Reply, CallError> + Send + Sync;
type Hold = dyn Fn(&ChatRequest) -> bool + Send + Sync;

/// See the module.
pub struct Scripted {
    script: Box<Script>,
    hold: Box<Hold>,
    calls: Mutex<BTreeMap<String, usize>>,
}

impl Scripted {
    pub fn new(script: impl Fn(&ChatRequest) -> Result<Reply, CallError> + Send + Sync + 'static) -> Self {
        Self { script: Box::new(script), hold: Box::new(|_| false), calls: Mutex::default() }
    }

    /// Lets a call wait, before its first word, for as long as `hold` says so.
    pub fn held(self, hold: impl Fn(&ChatRequest) -> bool + Send + Sync + 'static) -> Self {
        Self { hold: Box::new(hold), ..self }
    }

    /// How often each model was asked for each purpose.
    pub fn calls(&self) -> BTreeMap<String, usize> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Models for Scripted {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        *self
            .calls
            .lock()
            .unwrap()
            .entry(format!("{} {}", request.purpose.name, request.model))
            .or_default() += 1;
        sink.sent();
        tokio::task::yield_now().await;
        while (self.hold)(request) {
            tokio::task::yield_now().await;
        }
        let result = (self.script)(request);
        if let Ok(reply) = &result {
            for word in reply.text.split_inclusive(' ') {
                sink.push(&Chunk::Text(word.to_owned())).await;
                tokio::task::yield_now().await;
            }
        }
        result
    }

    fn is_simulated(&self, _: &str) -> bool {
        false
    }
}

/// A reply with this text, and a cost that adds up exactly.
pub fn reply(text: impl Into<String>) -> Reply {
    Reply {
        text: text.into(),
        usage: Some(Usage { total_tokens: 10, cost_usd: Some(0.25), ..Usage::default() }),
        latency_ms: 5,
        tries: 1,
        ..Reply::default()
    }
}

/// What a user asks last: tools may have spoken since.
pub fn prompt_of(request: &ChatRequest) -> String {
    let last = request.messages.iter().rev().find(|message| message.role == Role::User);
    last.map(|message| message.content.to_string()).unwrap_or_default()
}

/// A search that finds two pages: one of its own, and one that every search finds.
pub fn found(request: &ChatRequest) -> Reply {
    let query = prompt_of(request);
    let page = |url: String, title: &str| Citation {
        url,
        title: Some(title.to_owned()),
        snippet: Some(format!("About {query}.")),
        published: None,
    };
    let citations = vec![
        page(format!("https://found.example/{}", query.replace(' ', "-")), &query),
        page("https://found.example/".to_owned(), "Everything"),
    ];
    Reply { citations, ..reply("") }
}

/// What a well-behaved model says.
pub fn sensible(request: &ChatRequest) -> Reply {
    match request.purpose.name {
        "answer" => reply(format!("Answer by {}\n\nCONFIDENCE: 8", request.model)),
        "review" | "ballot_repair" | "sub_ballot" => {
            let labels = labels_in(&prompt_of(request));
            let list: Vec<String> =
                labels.iter().enumerate().map(|(i, label)| format!("{}. {label}", i + 1)).collect();
            reply(format!("All are fair.\n\nFINAL RANKING:\n{}", list.join("\n")))
        }
        "synthesis" => reply("The council says so.\n\nCOUNCIL NOTES:\nAGREEMENT: all agree"),
        "title" => reply("A Good Title"),
        "routing" => reply("CATEGORY: CODING\nCONFIDENCE: 0.9\nREASONING: It is about code."),
        "selection" => reply(
            "EVALUATION:\nBoth are fair.\n\nSELECTED: A\n\nREASONING:\nIt is complete.\n\nFINAL RESPONSE:\nThe first draft says so.",
        ),
        "critique" => {
            reply("It leaves out the case of an empty list, and gives no figure for the cost. Add both.")
        }
        "revision" => reply("The council says so, with figures."),
        "adversary" => reply("It may be wrong about the cost.\n\nSEVERITY: minor"),
        "debate_opening" => reply(format!("Opening by {}", request.model)),
        "debate_critique" => reply(critique(request)),
        "debate_reply" => reply(counter(request)),
        "debate_judgment" => reply("The debate says so.\n\nDEBATE NOTES:\nSETTLED: all of it"),
        "complexity" => reply("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9\nREASONING: It has two parts."),
        "split" => reply("1. What is it?\n2. Why is it so?"),
        "sub_answer" => reply(format!("A part by {}\n\nCONFIDENCE: {}", request.model, request.model.len())),
        "merge" => reply("Both parts say so."),
        "search" => found(request),
        other => reply(format!("A scripted {other}.")),
    }
}

/// What a speaker says of others, under the headings that it was asked for.
fn critique(request: &ChatRequest) -> String {
    let prompt = prompt_of(request);
    let headings = prompt.lines().filter(|line| line.starts_with("## Critique of "));
    let sections = headings.map(|heading| format!("\n\n{heading}\nIt is thin."));
    format!("Critique by {}{}", request.model, sections.collect::<String>())
}

/// What it says to its critics, and whether they have changed its position.
fn counter(request: &ChatRequest) -> String {
    let prompt = prompt_of(request);
    let position = if request.model.ends_with('o') { "CHANGED after A: it is thin" } else { "UNCHANGED" };
    let answer = format!("Reply by {}", request.model);
    let text = if prompt.contains("## Revised Response") {
        format!("## Addressing Critiques\nGranted.\n\n## Revised Response\n{answer}")
    } else {
        answer
    };
    format!("{text}\n\nPOSITION: {position}")
}

/// The labels that a prompt names, in alphabetical order.
pub fn labels_in(prompt: &str) -> Vec<String> {
    let all = (b'A'..=b'G').map(|letter| format!("Response {}", letter as char));
    all.filter(|label| prompt.contains(label.as_str())).collect()
}
