//! The commands for people at a terminal, as the real program: against a server, in its own process, piped, and in a real
//! terminal (tmux).

mod chat;
mod lists;
mod piped;
mod places;
mod screen;
mod tui;
mod watched;

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::process::Program;

/// The program of somebody who has a token of this server's user.
async fn program(app: &TestApp, user: &str) -> Program {
    Program::plain().env("LLM_COUNCIL_SERVER", &app.url("")).env("LLM_COUNCIL_TOKEN", &token(app, user).await)
}

async fn token(app: &TestApp, user: &str) -> String {
    let made = app.user(user).post("/api/tokens", json!({"name": "terminal"})).await.ok();
    made["token"].as_str().unwrap().to_owned()
}
