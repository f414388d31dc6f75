//! A conversation in a terminal, and one that is piped in.

use serde_json::json;

use super::{program, screen};
use crate::support::app::TestApp;
use crate::support::model_server::Script;

#[tokio::test]
async fn questions_that_are_piped_in_belong_to_one_conversation() {
    let app = TestApp::start().await;
    app.models.script("m/chair", [Script::answer("It scatters."), Script::answer("Less of it.")]);
    let program = program(&app, "ann").await;
    let ended = program.run_with_input(&["chat"], "Why is the sky blue?\nAnd at dusk?\n/cost\n").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let stored =
        app.user("ann").get(&format!("/api/conversations/{}", list[0]["id"].as_str().unwrap())).await.ok();
    assert_eq!(stored["messages"].as_array().unwrap().len(), 4);
    let wrong = program.run_with_input(&["chat"], "/nosuch\n").await;
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    app.close().await;
}

#[tokio::test]
async fn a_chat_is_led_by_keys_and_commands() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/chair").then(|| Script::answer("It **scatters**.")));
    let screen = screen::ask(&app, &["chat"], 80, 40).await;
    screen.until(|text| text.contains("/help") && text.contains("council>")).await;
    screen.keys(&["/debat on", "Enter"]);
    screen.until(|text| text.contains("/debate")).await;
    screen.keys(&["/debate on", "Enter"]);
    screen.until(|text| text.contains("debate>")).await;
    screen.keys(&["/debate off", "Enter"]);
    screen.keys(&["Why is the sky blue?", "Enter"]);
    screen.until(|text| text.contains("It scatters.") && text.matches("council>").count() > 1).await;
    screen.resize(40, 15);
    screen.resize(80, 40);
    screen.keys(&["/exit", "Enter"]);
    screen.until(|text| text.contains("ended with 0")).await;
    app.close().await;
}

#[tokio::test]
async fn a_chat_without_a_database_is_held_also_where_a_server_is_set() {
    let app = TestApp::start().await;
    let screen = screen::ask(&app, &["chat", "--ephemeral"], 80, 30).await;
    screen.until(|text| text.contains("nothing is kept") && text.contains("council>")).await;
    screen.keys(&["Why is the sky blue?", "Enter"]);
    screen.until(|text| text.contains("Simulated answer") && is_prompted(text)).await;
    screen.keys(&["/history", "Enter"]);
    screen.until(|text| text.contains("nothing is listed") && is_prompted(text)).await;
    screen.keys(&["/exit", "Enter"]);
    screen.until(|text| text.contains("ended with 0")).await;
    assert_eq!(app.user("ann").get("/api/conversations").await.ok(), json!([]));
    app.close().await;
}

/// Whether the next line can be typed: what comes before that is not the editor's.
fn is_prompted(screen: &str) -> bool {
    screen.trim_end().ends_with('>')
}

/// Everything that can be typed, in one sitting.
#[tokio::test]
async fn every_command_answers_in_a_terminal() {
    let app = TestApp::start().await;
    app.models.rule(|request| match request.model.as_str() {
        "m/chair" => Some(Script::answer("It scatters.")),
        "m/title" => Some(Script::answer("The blue sky")),
        _ => None,
    });
    let made = json!({"name": "fast", "settings": {}});
    app.user("ann").post("/api/settings/presets", made).await.ok();
    let screen = screen::ask(&app, &["chat"], 100, 50).await;
    screen.until(|text| text.contains("council>")).await;
    screen.keys(&["Why is the sky blue?", "Enter"]);
    screen.until(|text| text.contains("It scatters.") && is_prompted(text)).await;
    let file = screen.home().join("answer.md").display().to_string();
    let save = format!("/save {file}");
    let lines: [(&str, &str); 25] = [
        ("/help", "Everything else is a question"),
        ("/title", "Title: The blue sky"),
        ("/title The sky", "Title: The sky"),
        ("/history", "The sky"),
        ("/use 1", "Going on with: The sky"),
        ("/arena on", "arena>"),
        ("/rounds 2", "arena·2 rounds>"),
        ("/arena off", "The next question: council."),
        ("/debate on", "debate>"),
        ("/debate off", "The next question: council."),
        ("/mode decomposition", "decomposition>"),
        ("/mode council", "The next question: council."),
        ("/stream on", "council·stream>"),
        ("/stream off", "Members are asked at once."),
        ("/react on", "council·react>"),
        ("/research on", "council·react·research>"),
        ("/search on", "council·react·research·search>"),
        ("/models", "m/chair writes the answer"),
        ("/models m/one,m/two", "2 models>"),
        ("/preset", "fast"),
        ("/preset fast", "Preset: fast."),
        ("/verbose 2", "level 2"),
        ("/set quorum=1", "quorum = 1"),
        ("/cost", "In all:"),
        (&save, "Saved:"),
    ];
    for (line, answer) in lines {
        screen.keys(&["C-l", line]);
        screen.until(|text| text.contains(line)).await;
        screen.keys(&["Enter"]);
        screen.until(|text| text.contains(answer) && is_prompted(text)).await;
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "It scatters.\n");
    for (line, answer) in [
        ("/export", "# The sky"),
        ("/retry", "nothing of this run failed"),
        ("/new", "begins a conversation of its own"),
    ] {
        screen.keys(&["C-l", line, "Enter"]);
        screen.until(|text| text.contains(line) && text.contains(answer) && is_prompted(text)).await;
    }
    screen.keys(&["/exit", "Enter"]);
    screen.until(|text| text.contains("ended with 0")).await;
    app.close().await;
}
