//! A long conversation: whoever is told the earlier turns is told the newest that its model has room for.

use serde_json::{Value, json};

use crate::support::app::{TestApp, User};
use crate::support::events::{find, kinds};
use crate::support::model_server::{AskedFor, RecordedRequest, Script, text_of};

/// Those who can read little: a member, and the chairman, who is also asked for small things.
const SMALL: [&str; 2] = ["m/one", "m/chair"];
/// How much that is, in tokens.
const CONTEXT: usize = 8_000;
/// The beginning of the first question, which alone is longer.
const LONG: &str = "Long? Long? ";
/// The second one.
const SHORT: &str = "Short?";

/// Everything that a model is sent.
fn sent(request: &RecordedRequest) -> String {
    let messages = request.body["messages"].as_array().into_iter().flatten();
    messages.map(|message| text_of(&message["content"])).collect::<Vec<_>>().join("\n")
}

fn is_small(request: &RecordedRequest) -> bool {
    SMALL.contains(&request.model.as_str())
}

fn is_too_long(request: &RecordedRequest) -> bool {
    is_small(request) && sent(request).chars().count() > 4 * CONTEXT
}

/// A conversation of a long turn and a short one.
async fn conversation(ann: &User<'_>) -> String {
    let id = ann.conversation().await;
    for question in [LONG.repeat(3_000).as_str(), SHORT] {
        ann.ask(&id, json!({"content": question})).await.rest().await;
    }
    id
}

/// From now on some can read little, and refuse what is longer; else they say this.
async fn shorten(app: &TestApp, said: impl Fn(&RecordedRequest) -> Option<Script> + Send + Sync + 'static) {
    let list: Vec<Value> = ["m/one", "m/two", "m/three", "m/four", "m/chair", "m/title"]
        .map(|id| {
            let context = if SMALL.contains(&id) { CONTEXT } else { 200_000 };
            json!({"id": id, "name": id, "context_length": context})
        })
        .into();
    app.models.models(Script::raw("application/json", json!({"data": list}).to_string()));
    app.app.models.refresh_models().await;
    app.models.rule(move |request| {
        let too_long = r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#;
        if is_too_long(request) { Some(Script::status(400, too_long)) } else { said(request) }
    });
}

/// What was asked after so many calls.
fn asked(app: &TestApp, calls: usize) -> Vec<RecordedRequest> {
    app.models.records().into_iter().skip(calls).map(|record| record.request).collect()
}

#[tokio::test]
async fn reviewers_and_writers_with_a_short_context_are_told_the_newest_turns_that_fit() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    ann.put("/api/config", json!({"multi_chairman_models": ["m/two", "m/one"]})).await.ok();
    let one = [("m/one", AskedFor::Answer), ("m/one", AskedFor::Review), ("m/one", AskedFor::Critique)];
    let chair = [AskedFor::Synthesis, AskedFor::Revision, AskedFor::Attack].map(|kind| ("m/chair", kind));
    let alone = (json!({"use_refinement": true, "use_adversary": true}), [one, chair].concat());
    let several = vec![("m/one", AskedFor::Synthesis), ("m/chair", AskedFor::Selection)];
    let several = (json!({"use_multi_chairman": true}), several);
    let conversations = [conversation(&ann).await, conversation(&ann).await];
    shorten(&app, |_| None).await;
    for (id, (mut question, readers)) in conversations.iter().zip([alone, several]) {
        let calls = app.models.records().len();
        question["content"] = json!("And now?");
        let events = ann.ask(id, question).await.rest().await;
        let asked = asked(&app, calls);
        for (model, kind) in readers {
            let reads = |request: &RecordedRequest| request.model == model && request.asked_for() == kind;
            assert!(asked.iter().any(reads), "{model} is asked for {kind:?}");
        }
        for request in &asked {
            let (text, who) = (sent(request), (&request.model, request.asked_for()));
            assert!(text.contains("And now?") && text.contains(SHORT), "{who:?}");
            assert_eq!(text.contains(LONG), !is_small(request), "{who:?}");
        }
        let reviews = find(&events, "stage2_complete")["data"].as_array().unwrap();
        assert!(reviews.len() == 4 && reviews.iter().all(|review| review["error"].is_null()), "{reviews:?}");
        assert_eq!(find(&events, "stage3_complete")["data"]["notes"], Value::Null);
    }
    app.close().await;
}

#[tokio::test]
async fn answers_that_do_not_fit_by_themselves_are_whole_and_a_stand_in_writes() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = conversation(&ann).await;
    let calls = app.models.records().len();
    let answer = ["It is long."; 1_000].join(" ");
    let text = format!("{answer}\n\nCONFIDENCE: 8");
    shorten(&app, move |request| (request.asked_for() == AskedFor::Answer).then(|| Script::answer(&text)))
        .await;
    let question = json!({"content": "And now?", "models": ["m/two", "m/three", "m/four"]});
    let events = ann.ask(&id, question).await.rest().await;
    let mut asked = asked(&app, calls);
    asked.retain(|request| request.asked_for() == AskedFor::Synthesis);
    let small: Vec<bool> = asked.iter().map(is_small).collect();
    assert_eq!(small, [true, true, false], "the chairman, without the reviews, and the stand-in");
    for request in &asked {
        let text = sent(request);
        assert_eq!(text.matches(&answer).count(), 3, "{}", request.model);
        assert_eq!(text.contains(SHORT), !is_small(request), "{}", request.model);
        assert_eq!(text.contains(LONG), !is_small(request), "{}", request.model);
    }
    assert_eq!(find(&events, "stage3_complete")["data"]["fallback_for"], "m/chair");
    app.close().await;
}

#[tokio::test]
async fn in_no_format_is_anybody_sent_earlier_turns_that_it_would_refuse() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let formats = [
        json!({"mode": "debate"}),
        json!({"mode": "debate", "debate_style": "all_to_all", "use_react": false}),
        json!({"mode": "arena"}),
        json!({"mode": "decomposition"}),
    ];
    let mut conversations = Vec::new();
    for _ in &formats {
        conversations.push(conversation(&ann).await);
    }
    shorten(&app, |request| {
        let begins = |words: &str| request.prompt().starts_with(words);
        if begins("Say whether the question") {
            Some(Script::answer("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9\nREASONING: It has two parts."))
        } else if begins("Split the question") {
            Some(Script::answer("1. What is it?\n2. What does it cost?"))
        } else {
            None
        }
    })
    .await;
    for (id, format) in conversations.iter().zip(&formats) {
        let calls = app.models.records().len();
        let mut question = format.clone();
        question["content"] = json!("What is it, and what does it cost?");
        let events = ann.ask(id, question).await.rest().await;
        assert_eq!(kinds(&events).last(), Some(&"complete"), "{format}");
        let asked = asked(&app, calls);
        let refused: Vec<&str> =
            asked.iter().filter(|request| is_too_long(request)).map(RecordedRequest::prompt).collect();
        assert!(refused.is_empty(), "{format}: {refused:?}");
        let told = |model: &str, turn: &str| {
            asked.iter().any(|request| request.model == model && sent(request).contains(turn))
        };
        assert!(told("m/one", SHORT) && told("m/two", LONG), "{format}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_question_from_before_is_asked_again_with_all_of_its_earlier_turns() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let id = conversation(&ann).await;
    shorten(&app, |_| None).await;
    ann.ask(&id, json!({"content": "And now?"})).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    let message = stored["messages"].as_array().unwrap().last().unwrap().clone();
    sqlx::query("UPDATE runs SET plan = plan - 'fits_turns'")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let calls = app.models.records().len();
    let retry = format!("/api/runs/{}/retry", message["run_id"].as_str().unwrap());
    let again = ann.post(&retry, json!({"from": "stage2"})).await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.models
        .until(|records| {
            let mut later = records.iter().skip(calls);
            later.any(|record| record.request.asked_for() == AskedFor::Synthesis)
        })
        .await;
    let asked = asked(&app, calls);
    for kind in [AskedFor::Review, AskedFor::Synthesis] {
        let request = asked.iter().find(|request| is_small(request) && request.asked_for() == kind).unwrap();
        assert!(sent(request).contains(LONG), "{kind:?}");
    }
    app.close().await;
}
