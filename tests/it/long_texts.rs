//! Long texts: what a model is sent, piece by piece, and what reviewers read.

use std::sync::Arc;
use std::time::Duration;

use llm_council::council::stages::answers::ANSWER;
use llm_council::llm::{
    ChatMessage, ChatRequest, Image, Models as _, NoSink, ProviderSettings, Registry, RetryPolicy, Text,
    openai_compatible,
};
use serde_json::json;

use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, ModelServer, Script, plausible};
use crate::support::ranked::{MEMBERS, ask_with as ask};

#[tokio::test]
async fn a_long_request_arrives_whole_also_when_it_is_sent_again() {
    let words = "Ein \"Satz\" mit Ümläuten, \t漢字 und \\ am Ende.\n".repeat(4_000);
    let long = Text::from(words.as_str());
    let picture = Arc::new(Image::new("a", "png", (1, 1), &[7; 100_000]));
    let asked = ChatMessage {
        images: vec![Arc::clone(&picture)],
        ..ChatMessage::user(Text::joined([&long, &Text::from("Why?"), &long], "\n\n"))
    };
    let messages = vec![ChatMessage::system("Be brief."), asked];
    let server = ModelServer::start().await;
    server.script("m", [Script::status(503, "busy"), Script::answer("So.")]);
    let settings = ProviderSettings {
        base_url: Some(server.base_url()),
        retry: RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() },
        ..ProviderSettings::new("gate", &openai_compatible::KIND)
    };
    let registry = Registry::new(vec![settings], "gate").expect("good settings");
    let request = ChatRequest::new("m", &ANSWER, messages);
    let reply = registry.chat(&request, &mut NoSink).await.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.tries), ("So.", 2));
    for record in server.records() {
        let request = record.request;
        assert_eq!(request.header("content-length"), Some(&*request.bytes.len().to_string()));
        assert_eq!(request.header("transfer-encoding"), None);
        assert_eq!(request.body["messages"][0]["content"], "Be brief.");
        let content = &request.body["messages"][1]["content"];
        assert!(content[0]["text"] == format!("{words}\n\nWhy?\n\n{words}"), "another text arrived");
        assert!(content[1]["image_url"]["url"] == **picture.url(), "another picture arrived");
        assert_eq!(request.body["stream"], true);
    }
}

#[tokio::test]
async fn reviewers_read_all_of_long_answers() {
    let text = |model: &str| format!("The answer of {model}: \"ä\", 漢字.\n").repeat(2_000);
    let app = TestApp::start().await;
    app.models.rule(move |request| {
        let answers = request.asked_for() == AskedFor::Answer;
        Some(if answers { Script::answer(&text(&request.model)).in_chunks(50) } else { plausible(request) })
    });
    let (_, stored) = ask(&app, json!({})).await;
    let reviews: Vec<_> = app
        .models
        .records()
        .into_iter()
        .filter(|record| record.request.asked_for() == AskedFor::Review)
        .collect();
    assert_eq!(reviews.len(), 3);
    for (answer, member) in stored["stage1"].as_array().unwrap().iter().zip(MEMBERS) {
        assert!(answer["response"] == text(member).trim_end(), "{member}: another text is stored");
        for review in &reviews {
            let reviewer = &review.request.model;
            assert!(
                review.request.prompt().contains(text(member).trim_end()),
                "{reviewer} has not read {member}"
            );
        }
    }
    app.close().await;
}
