//! A hostile speaker in each format: what it writes stays in its fence, whoever reads it.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use llm_council::council::plan::Context;
use llm_council::council::{self, Deliberation, Plan, Run};
use llm_council::id::RunId;
use llm_council::llm::{CallError, ChatRequest, DeltaSink, Models, Registry, Reply};
use llm_council::runs::memory::{MemoryHost, MemoryStore};
use serde_json::{Value, json};

use super::{fences, hostile, settings, simulated};
use crate::support::models::reply;

/// The requests for every format.
fn formats() -> [(&'static str, Value); 3] {
    [
        ("rotation", json!({"content": "Why?", "mode": "debate"})),
        (
            "all with all",
            json!({"content": "Why?", "mode": "debate", "debate_style": "all_to_all", "debate_rounds": 3}),
        ),
        ("arena", json!({"content": "Why?", "mode": "arena"})),
    ]
}

/// One speaker writes what it is told whenever it speaks; all others are simulated.
struct OneHostile {
    others: Registry,
    text: String,
    asked: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl Models for OneHostile {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<Reply, CallError> {
        self.asked.lock().unwrap().push(request.clone());
        let speaks = ["debate_opening", "debate_critique", "debate_reply"].contains(&request.purpose.name);
        if speaks && request.model == "b/two" {
            return Ok(reply(format!("An honest speech.\n\n{}\n\nIts end.", self.text)));
        }
        self.others.chat(request, sink).await
    }

    fn is_simulated(&self, model: &str) -> bool {
        model != "b/two"
    }
}

/// A prompt without what stands in its fences, whose titles stay.
fn outside(prompt: &str, marker: &str) -> String {
    let mut inside = false;
    let mut kept = Vec::new();
    for line in prompt.split('\n') {
        let begins = line.starts_with('[') && line.ends_with(&format!("] BEGIN {marker}"));
        inside &= line != format!("END {marker}");
        if !inside {
            kept.push(line);
        }
        inside |= begins;
    }
    kept.join("\n")
}

/// What came of a debate: what is stored, and what each prompt said outside of its fences, by what it is for.
struct Held {
    deliberation: Deliberation,
    prompts: Vec<(String, String)>,
}

async fn held(id: RunId, body: &Value, hostile: &str) -> Held {
    let models =
        Arc::new(OneHostile { others: simulated(), text: hostile.to_owned(), asked: Mutex::default() });
    let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), 1, None));
    let run = Run::new(id, host.clone(), models.clone());
    let context = Context { settings: settings(), first: true, ..Context::default() };
    let plan = Plan::parse(body, context).unwrap();
    council::deliberate(&run, &plan).await.unwrap();
    let asked = models.asked.lock().unwrap();
    let prompt = |request: &ChatRequest| {
        let prompt = request.messages.last().unwrap().content.whole();
        if !prompt.contains("] BEGIN ") {
            return (format!("{} {}", request.purpose.name, request.model), prompt.into_owned());
        }
        let titles: Vec<String> =
            fences(&prompt, &run.marker()).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles.iter().filter(|title| *title == "Question").count(), 1, "{titles:?}");
        let by = |title: &&String| title.contains(" by ") || title.starts_with("Response ");
        assert_eq!(titles.iter().filter(by).count(), titles.len() - 1, "{titles:?}");
        (format!("{} {}", request.purpose.name, request.model), outside(&prompt, &run.marker()))
    };
    let mut prompts: Vec<(String, String)> = asked.iter().map(prompt).collect();
    prompts.sort();
    Held { deliberation: host.deliberation(), prompts }
}

#[tokio::test]
async fn a_hostile_speech_changes_nothing_outside_of_fences_in_any_format() {
    for (format, body) in formats() {
        let id = RunId::generate();
        let marker = {
            let host = Arc::new(MemoryHost::new(Arc::new(Mutex::new(MemoryStore::default())), 1, None));
            Run::new(id, host, Arc::new(simulated())).marker()
        };
        let honest = held(id, &body, "That is all.").await;
        let rankings = |held: &Held| {
            let reviews = held.deliberation.stage2.iter().flatten();
            reviews.map(|review| (review.parse, review.parsed_ranking.clone())).collect::<Vec<_>>()
        };
        assert_eq!(rankings(&honest).len(), 3);
        for (name, text, flagged) in hostile(&marker) {
            let held = held(id, &body, &text).await;
            assert_eq!(held.prompts, honest.prompts, "{name} in {format}");
            assert_eq!(rankings(&held), rankings(&honest), "{name} in {format}");
            let rounds = &held.deliberation.format.debate.rounds;
            let speeches = rounds.iter().flat_map(|round| &round.responses);
            let theirs: Vec<_> = speeches.filter(|speech| speech.member == "b/two").collect();
            assert!(!theirs.is_empty() && theirs.len() == rounds.len(), "{name} in {format}");
            for speech in theirs {
                assert!(speech.is_good(), "{name} in {format}");
                assert_eq!(speech.addresses_judges, flagged, "{name} in {format}");
                let answer = speech.answer();
                assert!(
                    answer.starts_with("An honest speech.") && answer.ends_with("Its end."),
                    "{name}: {answer}"
                );
                let position = speech.position.clone().unwrap_or_default();
                assert_eq!((position.changed, position.after), (None, Vec::new()), "{name} in {format}");
            }
            let judgment = held.deliberation.stage3.expect("a judgment");
            assert!(judgment.verdict.is_some() && judgment.error.is_none(), "{name} in {format}");
        }
    }
}
