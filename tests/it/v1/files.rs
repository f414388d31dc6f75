//! Pictures and files that programs send within their messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{CHAT, RESPONSES, asks, count, program, program_of, refused, runs};
use crate::attachments::files::{pdf, taken};
use crate::attachments::pictures::png;
use crate::support::app::{TestApp, User};
use crate::support::model_server::{AskedFor, RecordedRequest};

/// A member and the chairman see; three members do not.
const SEEING: &str = "image_models = [\"m/one\", \"m/ch*\"]\n";

fn address(bytes: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(bytes))
}

fn image(bytes: &[u8]) -> Value {
    json!({"type": "image_url", "image_url": {"url": address(bytes), "detail": "auto"}})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn user(parts: &[Value]) -> Value {
    json!({"role": "user", "content": parts})
}

fn chat(messages: &[Value]) -> Value {
    json!({"model": "council", "messages": messages})
}

/// The addresses of the pictures that a model was shown.
fn shown(request: &RecordedRequest) -> Vec<&str> {
    let messages = request.body["messages"].as_array().into_iter().flatten();
    let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
    parts.filter_map(|part| part["image_url"]["url"].as_str()).collect()
}

/// What the member that sees was shown with the question that says this.
fn shown_with(app: &TestApp, question: &str) -> Vec<String> {
    let records = app.models.records();
    let asked = |request: &&RecordedRequest| {
        request.model == "m/one"
            && request.asked_for() == AskedFor::Answer
            && request.prompt().contains(question)
    };
    let request = records.iter().map(|record| &record.request).find(asked);
    shown(request.unwrap_or_else(|| panic!("nobody was asked {question}")))
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The names of the files of each question of the one conversation that Ann has.
async fn names(ann: &User<'_>) -> Vec<Vec<String>> {
    let list = ann.get("/api/conversations").await.ok();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let stored = ann.get(&format!("/api/conversations/{}", list[0]["id"].as_str().unwrap())).await.ok();
    let questions = stored["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let files = questions.map(|question| question["attachments"].as_array().cloned().unwrap_or_default());
    files
        .map(|files| files.iter().map(|file| file["filename"].as_str().unwrap().to_owned()).collect())
        .collect()
}

#[tokio::test]
async fn a_picture_is_shown_to_who_sees_and_goes_along_as_the_chat_goes_on() {
    let app = TestApp::with(SEEING).await;
    let (ann, tool) = (app.user("ann"), program(&app).await);
    let photo = png((40, 30), b"pixels");
    let first = user(&[text("Where is this?"), image(&photo)]);
    let answer = tool.post(CHAT, chat(std::slice::from_ref(&first))).await.ok();
    assert_eq!(shown_with(&app, "Where is this?"), [address(&photo)]);
    let unseen = app.models.records().iter().filter(|record| record.request.model == "m/two").count();
    assert!(
        unseen > 0
            && app
                .models
                .records()
                .iter()
                .all(|record| { record.request.model != "m/two" || shown(&record.request).is_empty() })
    );

    // The program sends it again with whatever is asked next.
    let said = json!({"role": "assistant", "content": answer["choices"][0]["message"]["content"]});
    let next = chat(&[first, said, user(&[text("And who is in it?")])]);
    tool.post(CHAT, next).await.ok();
    assert_eq!(shown_with(&app, "And who is in it?"), [address(&photo)]);
    assert_eq!(names(&ann).await, [["image-1.png"], ["image-1.png"]], "in one conversation");
    let files = ann.get("/api/attachments").await.ok();
    assert_eq!((&files["total"], &files["attachments"][0]["filename"]), (&json!(1), &json!("image-1.png")));
    let path = format!("/api/attachments/{}/content", files["attachments"][0]["id"].as_str().unwrap());
    assert_eq!(ann.request("GET", &path).send().await.unwrap().bytes().await.unwrap()[..], photo);
    app.close().await;
}

#[tokio::test]
async fn documents_are_read_and_what_is_there_keeps_its_name() {
    let app = TestApp::with(SEEING).await;
    let (ann, tool) = (app.user("ann"), program(&app).await);
    let photo = png((40, 30), b"holiday");
    taken(&ann, "holiday.png", &photo).await;
    let notes = taken(&ann, "notes.md", b"The meeting is on Friday.").await;
    let document = STANDARD.encode(pdf(&["The fee is 40 euros."]));
    let question = user(&[
        text("What does it cost, and when?"),
        json!({"type": "file", "file": {"filename": "offer.pdf", "file_data": format!("data:application/pdf;base64,{document}")}}),
        json!({"type": "file", "file": {"file_id": notes}}),
        image(&photo),
        image(&photo),
    ]);
    tool.post(CHAT, chat(&[question])).await.ok();
    let records = app.models.records();
    // Its title is asked for at the same time.
    let member = records.iter().find(|record| record.request.model == "m/one").expect("a member was asked");
    let prompt = member.request.prompt();
    assert!(
        prompt.contains("The fee is 40 euros.") && prompt.contains("The meeting is on Friday."),
        "{prompt}"
    );
    assert_eq!(
        names(&ann).await,
        [["offer.pdf", "notes.md", "image-2.png"]],
        "the same picture twice is one"
    );
    let files = ann.get("/api/attachments").await.ok();
    let kept: Vec<&str> = files["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["filename"].as_str().unwrap())
        .collect();
    assert!(kept.contains(&"holiday.png") && kept.len() == 3, "{kept:?}");
    app.close().await;
}

#[tokio::test]
async fn a_response_takes_the_files_of_the_one_before_along() {
    let app = TestApp::with(SEEING).await;
    let (ann, tool) = (app.user("ann"), program(&app).await);
    let photo = png((40, 30), b"pixels");
    let parts = json!([
        {"type": "input_text", "text": "Where is this?"},
        {"type": "input_image", "image_url": address(&photo), "detail": "auto"},
        {"type": "input_file", "filename": "list.csv", "file_data": STANDARD.encode("Lisbon,7\n")},
    ]);
    let first = json!({"model": "council", "input": [{"role": "user", "content": parts}]});
    let response = tool.post(RESPONSES, first).await.ok();
    let next = json!({"model": "council", "input": "And what is the number?", "previous_response_id": response["id"]});
    tool.post(RESPONSES, next).await.ok();
    assert_eq!(shown_with(&app, "And what is the number?"), [address(&photo)]);
    assert_eq!(names(&ann).await, [["image-1.png", "list.csv"], ["image-1.png", "list.csv"]]);
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_taken_is_named_by_its_place_and_nothing_is_kept() {
    let app = TestApp::with(SEEING).await;
    let tool = program(&app).await;
    let elsewhere = json!({"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}});
    let program_file =
        json!({"type": "file", "file": {"filename": "a.exe", "file_data": STANDARD.encode(b"\x7fELF\0")}});
    let sound = json!({"type": "input_audio", "input_audio": {"data": "", "format": "wav"}});
    let both =
        chat(&[user(&[text("Why?"), elsewhere, program_file, image(&png((4, 3), b""))]), user(&[sound])]);
    let answer = tool.post(CHAT, both).await;
    assert_eq!(refused(&answer), (400, "invalid_value".to_owned(), json!("messages[0].content[1]")));
    for words in ["fetches nothing from elsewhere", "messages[1].content[0] is sound"] {
        assert!(answer.text.contains(words), "{words}: {}", answer.text);
    }

    let theirs = taken(&app.user("ben"), "secret.txt", b"Ben's").await;
    let named = json!({"type": "file", "file": {"file_id": theirs}});
    let answer = tool.post(CHAT, chat(&[user(&[text("Why?"), named])])).await;
    assert_eq!(refused(&answer), (400, "invalid_value".to_owned(), json!("messages[0].content[1]")));
    assert!(answer.text.contains("is not one of your files"), "{}", answer.text);

    let many: Vec<Value> = (0..6u8).map(|number| image(&png((4, 3), &[number]))).collect();
    let answer = tool.post(CHAT, chat(&[user(&[&[text("Why?")], many.as_slice()].concat())])).await;
    assert_eq!(refused(&answer), (400, "invalid_value".to_owned(), json!("messages")));
    assert!(answer.text.contains("6 pictures; at most 5"), "{}", answer.text);

    assert_eq!(runs(&app).await, 0);
    assert_eq!(count(&app, "SELECT count(*) FROM conversations").await, 0);
    app.close().await;
}

#[tokio::test]
async fn of_more_files_than_may_come_none_is_kept() {
    let app = TestApp::with(SEEING).await;
    let tool = program(&app).await;
    let data = |number: u32| {
        let data = STANDARD.encode(format!("No. {number}"));
        json!({"type": "file", "file": {"file_data": data}})
    };
    let name = |number: u32| json!({"type": "input_file", "file_id": format!("{number:05}")});
    let eleven: Vec<Value> = (0..11).map(data).collect();
    // If each were compared with all others, nobody would be answered for a while.
    let body_full: Vec<Value> = (0..18_000).map(name).collect();
    for (files, words) in [(eleven, "has 11 files; at most 10"), (body_full, "has 18000 files; at most 10")] {
        let answer = tool.post(CHAT, chat(&[user(&[&[text("Why?")], files.as_slice()].concat())])).await;
        assert_eq!(refused(&answer), (400, "invalid_value".to_owned(), json!("messages")));
        assert!(answer.text.contains(words), "{}", answer.text);
    }
    assert_eq!(app.user("ann").get("/api/attachments").await.ok()["total"], 0);
    assert_eq!(runs(&app).await, 0);
    app.close().await;
}

#[tokio::test]
async fn of_earlier_pictures_the_latest_go_along_and_the_others_are_named() {
    let app = TestApp::with(SEEING).await;
    let tool = program(&app).await;
    let pictures: Vec<Vec<u8>> = (0..7u8).map(|number| png((4, 3), &[number])).collect();
    let mut messages = Vec::new();
    for picture in &pictures[..6] {
        messages.push(user(&[text("Look."), image(picture)]));
        messages.push(json!({"role": "assistant", "content": "Seen."}));
    }
    messages.push(user(&[text("What is the latest?"), image(&pictures[6])]));
    let answer = tool.post(CHAT, chat(&messages)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("x-ignored-parameters"), "messages[0].content[1], messages[2].content[1]");
    let latest: Vec<String> = pictures[2..].iter().map(|picture| address(picture)).collect();
    assert_eq!(shown_with(&app, "What is the latest?"), latest);
    app.close().await;
}

#[tokio::test]
async fn the_same_request_is_one_run_and_another_picture_is_another() {
    let app = TestApp::with(SEEING).await;
    let tool = program(&app).await;
    let with = |more: &[u8]| chat(&[user(&[text("Where is this?"), image(&png((4, 3), more))])]);
    let (one, same) = tokio::join!(tool.post(CHAT, with(b"a")), tool.post(CHAT, with(b"a")));
    assert_eq!(one.ok()["id"], same.ok()["id"]);
    let other = tool.post(CHAT, with(b"b")).await;
    assert_ne!(other.ok()["id"], one.ok()["id"]);
    assert_eq!((runs(&app).await, other.header("x-run-joined")), (2, ""));
    app.close().await;
}

#[tokio::test]
async fn a_body_may_be_as_long_as_its_files_may_and_no_longer() {
    let app = TestApp::with(
        "[server]\nbody_limit_bytes = 2000\n[attachments]\nmax_bytes = 3000\nmax_per_question = 2\n",
    )
    .await;
    let tool = program(&app).await;
    let file = |bytes: usize| json!({"type": "file", "file": {"filename": "a.txt", "file_data": STANDARD.encode("a".repeat(bytes))}});
    tool.post(CHAT, chat(&[user(&[text("Why?"), file(3000)])])).await.ok();
    let answer = tool.post(CHAT, chat(&[user(&[text("Why?"), file(3001)])])).await;
    assert_eq!(refused(&answer).2, json!("messages[0].content[1]"));
    let answer = tool.post(CHAT, chat(&[user(&[text("Why?"), file(9000)])])).await;
    assert_eq!(refused(&answer).0, 413, "{}", answer.text);
    // The room is for files, and for nothing else.
    let answer = tool.post(CHAT, chat(&[user(&[text(&"Why? ".repeat(500)), file(30)])])).await;
    assert_eq!(refused(&answer).0, 413, "{}", answer.text);
    // Nobody knows how much room one would take that does not say how long it is.
    let unsaid = async |bytes: usize| {
        let body = chat(&[user(&[text("Why?"), file(bytes)])]).to_string();
        let body = reqwest::Body::wrap_stream(futures_util::stream::iter([Ok::<_, std::io::Error>(body)]));
        let request = tool.request("POST", CHAT).header("content-type", "application/json").body(body);
        crate::support::app::read(request).await
    };
    assert_eq!(refused(&unsaid(3000).await).0, 413);
    unsaid(30).await.ok();
    app.close().await;

    let off = TestApp::with("[server]\nbody_limit_bytes = 2000\n[attachments]\nmax_bytes = 0\n").await;
    let tool = program(&off).await;
    let answer = tool.post(CHAT, chat(&[user(&[text("Why?"), file(3)])])).await;
    assert!(refused(&answer).0 == 400 && answer.text.contains("this server takes none"), "{}", answer.text);
    assert_eq!(refused(&tool.post(CHAT, chat(&[user(&[text("Why?"), file(3000)])])).await).0, 413);
    off.close().await;
}

#[tokio::test]
async fn a_chore_passes_them_over_and_a_seat_refuses_them() {
    let app = TestApp::with(&format!("{SEEING}[programs]\nsingle_seats = true\n")).await;
    let tool = program(&app).await;
    let title = "Provide a concise, 5-word-or-less title for the conversation";
    let answer = tool.post(CHAT, chat(&[user(&[text(title), image(&png((4, 3), b""))])])).await;
    assert_eq!((answer.status, answer.header("x-ignored-parameters")), (200, "messages[0].content[1]"));
    let mut seat = chat(&[user(&[text("Why?"), image(&png((4, 3), b""))])]);
    seat["model"] = "seat/m/one".into();
    let answer = tool.post(CHAT, seat).await;
    assert_eq!(refused(&answer), (400, "invalid_value".to_owned(), json!("messages[0].content[1]")));
    assert_eq!(app.user("ann").get("/api/attachments").await.ok()["total"], 0, "nothing was kept of either");
    app.close().await;
}

#[tokio::test]
async fn a_token_that_may_not_ask_uploads_nothing() {
    let app = TestApp::with(SEEING).await;
    let reader = program_of(&app, "ann", &["read"]).await;
    let answer = reader.post(CHAT, chat(&[user(&[text("Why?"), image(&png((4, 3), b""))])])).await;
    assert_eq!(refused(&answer).0, 403);
    assert_eq!(app.user("ann").get("/api/attachments").await.ok()["total"], 0);
    assert_eq!(reader.post(CHAT, asks("Why?")).await.status, 403);
    app.close().await;
}
