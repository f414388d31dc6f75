//! A conversation in a terminal, and one that is piped in.

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
