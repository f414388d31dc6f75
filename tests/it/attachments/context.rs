//! Files that are too long for the context of a model: what its member is given of them, and where that is said.

use serde_json::{Value, json};

use super::files::taken;
use crate::support::app::{TestApp, User};
use crate::support::events::Event;
use crate::support::model_server::{AskedFor, RecordedRequest, Script};

/// The member whose context is short.
const SMALL: &str = "m/one";
/// The characters that it can read in a council: 5,100 tokens are three quarters of what its answer leaves of 8,000.
const ROOM: usize = 5_100 * 4;

async fn with_a_small_member() -> TestApp {
    let app = TestApp::start().await;
    let context = |id: &str| if id == SMALL { 8_000 } else { 200_000 };
    let list: Vec<Value> = ["m/one", "m/two", "m/three", "m/four", "m/chair", "m/title"]
        .map(|id| json!({"id": id, "name": id, "context_length": context(id)}))
        .into();
    app.models.models(Script::raw("application/json", json!({"data": list}).to_string()));
    app.app.models.refresh_models().await;
    app
}

/// A text of so many characters, each word of which says where it stands.
fn text(characters: usize) -> String {
    (0..characters / 10).map(|place| format!("{place:>9} ")).collect()
}

/// What was asked of this model last when it was to answer, after so many calls.
fn asked(app: &TestApp, model: &str, calls: usize) -> RecordedRequest {
    let records = app.models.records().split_off(calls);
    let mut answers = records.into_iter().map(|record| record.request);
    answers.rfind(|asked| asked.model == model && asked.asked_for() == AskedFor::Answer).unwrap()
}

/// Asks in this conversation, and gives its last message.
async fn ask(ann: &User<'_>, conversation: &str, question: Value) -> Value {
    let run = ann.post(&format!("/api/conversations/{conversation}/message"), question).await.ok();
    assert_eq!(run["status"], "complete", "{run}");
    let stored = ann.get(&format!("/api/conversations/{conversation}")).await.ok();
    stored["messages"].as_array().unwrap().last().unwrap().clone()
}

/// How much of the files each of these has read, where that is said: of how many characters, and how many.
fn files_read(said: &Value) -> Vec<Option<(usize, usize)>> {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let of = |one: &Value| {
        let files = one.get("files_read")?;
        Some((number(&files["characters"]), number(&files["characters_read"])))
    };
    said.as_array().unwrap().iter().map(of).collect()
}

#[tokio::test]
async fn a_member_with_a_short_context_reads_the_beginning_and_its_card_says_so() {
    let app = with_a_small_member().await;
    let ann = app.user("ann");
    let file = taken(&ann, "long.txt", text(60_000).as_bytes()).await;
    let id = ann.conversation().await;
    let message = ask(&ann, &id, json!({"content": "What is it about?", "attachments": [file]})).await;

    let read = files_read(&message["stage1"]);
    let Some((60_000, characters)) = read[0] else { panic!("{read:?}") };
    assert!(read[1..].iter().all(Option::is_none), "{read:?}");
    let (small, large) = (asked(&app, SMALL, 0), asked(&app, "m/two", 0));
    let cut = format!("; the first {characters} of its 60000 characters] BEGIN");
    assert!(small.prompt().contains(&cut), "{}", small.prompt());
    assert_eq!(small.prompt().chars().count(), ROOM, "as much as there is room for");
    let beginning: String = text(60_000).chars().take(characters).collect();
    assert!(small.prompt().contains(&format!("\n\n{beginning}\nEND ")));
    assert!(small.prompt().contains("What is it about?"));
    assert!(large.prompt().contains(&text(60_000)) && !large.prompt().contains("; the first "));

    let run = message["run_id"].as_str().unwrap();
    let events = ann.events(run, 0).await.rest().await;
    let complete = |event: &&Event| event.kind() == "stage1_model_complete" && event.json["model"] == SMALL;
    let told = &events.iter().find(complete).unwrap().json["data"];
    assert_eq!(told["files_read"], json!({"characters": 60_000, "characters_read": characters}));
    let note = format!("> Read the first {characters} of 60000 characters of the files.");
    let markdown = ann.get(&format!("/api/conversations/{id}/export")).await.text;
    assert_eq!(markdown.matches(&note).count(), 1, "{markdown}");
    app.close().await;
}

#[tokio::test]
async fn earlier_turns_are_left_out_before_files_and_the_last_file_before_the_first() {
    let app = with_a_small_member().await;
    let ann = app.user("ann");
    let first = taken(&ann, "first.txt", text(12_000).as_bytes()).await;
    let last = taken(&ann, "last.txt", format!("{}?", text(12_000)).as_bytes()).await;
    let id = ann.conversation().await;
    ask(&ann, &id, json!({"content": "Why? ".repeat(200)})).await;
    let calls = app.models.records().len();
    let message = ask(&ann, &id, json!({"content": "And now?", "attachments": [first, last]})).await;

    let (small, large) = (asked(&app, SMALL, calls), asked(&app, "m/two", calls));
    let messages = |request: &RecordedRequest| request.body["messages"].as_array().unwrap().len();
    assert_eq!((messages(&small), messages(&large)), (1, 3));
    let Some((24_001, characters)) = files_read(&message["stage1"])[0] else { panic!("{message}") };
    assert!(small.prompt().contains("[File 1 of 2 that came with the question] BEGIN"), "{}", small.prompt());
    let cut = format!("[File 2 of 2 that came with the question; the first {} of its", characters - 12_000);
    assert!(small.prompt().contains(&cut), "{}", small.prompt());
    assert!(!large.prompt().contains("; the first "), "{}", large.prompt());

    // With files that fit beside the question, the earlier turns alone are left out.
    let calls = app.models.records().len();
    let short = taken(&ann, "short.txt", text(19_000).as_bytes()).await;
    let message = ask(&ann, &id, json!({"content": "And then?", "attachments": [short]})).await;
    assert!(files_read(&message["stage1"]).iter().all(Option::is_none), "{message}");
    assert!(messages(&asked(&app, SMALL, calls)) < messages(&asked(&app, "m/two", calls)));
    assert!(asked(&app, SMALL, calls).prompt().contains(&text(19_000)));
    app.close().await;
}

#[tokio::test]
async fn a_question_that_is_too_long_by_itself_stays_whole() {
    let app = with_a_small_member().await;
    let ann = app.user("ann");
    let file = taken(&ann, "long.txt", text(30_000).as_bytes()).await;
    let id = ann.conversation().await;
    let question = text(30_000);
    let message = ask(&ann, &id, json!({"content": question, "attachments": [file]})).await;
    let small = asked(&app, SMALL, 0);
    assert!(small.prompt().contains("; the first 0 of its 30000 characters]"), "{}", small.prompt());
    assert!(small.prompt().contains(question.trim()));
    assert_eq!(files_read(&message["stage1"])[0], Some((30_000, 0)));
    app.close().await;
}

#[tokio::test]
async fn every_format_gives_it_as_much_as_it_can_read() {
    let app = with_a_small_member().await;
    app.models.rule(|request| {
        let begins = |words: &str| request.prompt().starts_with(words);
        if begins("Say whether the question") {
            Some(Script::answer("SHOULD_DECOMPOSE: YES\nCONFIDENCE: 0.9\nREASONING: It has two parts."))
        } else if begins("Split the question") {
            Some(Script::answer("1. What is it about?\n2. What does it cost?"))
        } else {
            None
        }
    });
    let ann = app.user("ann");
    let file = taken(&ann, "long.txt", text(60_000).as_bytes()).await;
    for (mut question, first) in [
        (json!({"mode": "debate"}), "/rounds/0/responses"),
        (json!({"mode": "debate", "debate_style": "all_to_all", "use_react": false}), "/rounds/0/responses"),
        (json!({"mode": "arena"}), "/rounds/0/responses"),
        (json!({"mode": "decomposition"}), "/decomposition/sub_results/0/responses"),
    ] {
        let calls = app.models.records().len();
        let id = ann.conversation().await;
        question["content"] = json!("What is it about, and what does it cost?");
        question["attachments"] = json!([file]);
        let message = ask(&ann, &id, question.clone()).await;
        let read = files_read(message.pointer(first).unwrap_or_else(|| panic!("{message}")));
        let Some((60_000, characters)) = read[0] else { panic!("{question}: {read:?}") };
        assert!(read[1..].iter().all(Option::is_none), "{question}: {read:?}");
        assert!((ROOM - 3_000..ROOM + 1_200).contains(&characters), "{question}: {characters}");
        let records = app.models.records().split_off(calls);
        let opened = records
            .iter()
            .map(|record| &record.request)
            .filter(|asked| asked.prompt().starts_with("The question below comes with these files."));
        for asked in opened {
            let is_cut = asked.prompt().contains("; the first ");
            assert_eq!(is_cut, asked.model == SMALL, "{question}: {}", asked.model);
        }
        let note = format!("> Read the first {characters} of 60000 characters of the files.");
        let markdown = ann.get(&format!("/api/conversations/{id}/export")).await.text;
        assert!(markdown.contains(&note), "{question}: {markdown}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_question_from_before_is_asked_again_with_all_of_its_files() {
    let app = with_a_small_member().await;
    let ann = app.user("ann");
    let file = taken(&ann, "long.txt", text(60_000).as_bytes()).await;
    let id = ann.conversation().await;
    let message = ask(&ann, &id, json!({"content": "What is it about?", "attachments": [file]})).await;
    sqlx::query("UPDATE runs SET plan = plan - 'fits_files'")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let calls = app.models.records().len();
    let retry = format!("/api/runs/{}/retry", message["run_id"].as_str().unwrap());
    let again = ann.post(&retry, json!({"from": "stage1"})).await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.models
        .until(|records| {
            let mut later = records.iter().skip(calls);
            later.any(|record| record.request.asked_for() == AskedFor::Synthesis)
        })
        .await;
    assert!(asked(&app, SMALL, calls).prompt().contains(&text(60_000)));
    app.close().await;
}
