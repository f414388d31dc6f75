//! The commands for people at a terminal, as the real program: against a server, in its own process, piped, and in a real
//! terminal (tmux).

mod chat;
mod files;
mod lists;
mod piped;
mod places;
mod screen;
mod tui;
mod watched;

use std::net::TcpListener;

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{Gate, ModelServer, Script};
use crate::support::process::{Process, Program};

/// The program of somebody who has a token of this server's user.
async fn program(app: &TestApp, user: &str) -> Program {
    Program::plain().env("LLM_COUNCIL_SERVER", &app.url("")).env("LLM_COUNCIL_TOKEN", &token(app, user).await)
}

/// A server whose chairman waits: it can be killed in the middle of a run, and started again where it was.
struct Losable {
    _db: TestDb,
    models: ModelServer,
    gate: Gate,
    council: Program,
    server: Option<Process>,
    url: String,
    token: String,
}

impl Losable {
    async fn start() -> Self {
        let db = TestDb::new().await;
        let models = ModelServer::start().await;
        let gate = Gate::new();
        let held = gate.clone();
        models.rule(move |request| {
            (request.model == "m/chair").then(|| Script::answer("At last.").hold(&held))
        });
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let council = Program::council(&db, &models)
            .set("server.port", &port.to_string())
            .set("runs.lease_seconds", "5")
            // Readers that come back to a silent run see soon that they have.
            .set("server.heartbeat_seconds", "1");
        let server = council.serve().await;
        let made = server.user("ann").post("/api/tokens", json!({"name": "terminal"})).await.ok();
        let token = made["token"].as_str().unwrap().to_owned();
        let url = server.base().to_owned();
        Self { _db: db, models, gate, council, server: Some(server), url, token }
    }

    /// Kills the server once the chairman is asked.
    async fn lose(&mut self) {
        self.models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
        self.server.take().unwrap().kill();
    }

    /// It is there again, and the chairman writes.
    async fn bring_back(&mut self) {
        self.server = Some(self.council.serve().await);
        self.gate.open();
    }
}

async fn token(app: &TestApp, user: &str) -> String {
    let made = app.user(user).post("/api/tokens", json!({"name": "terminal"})).await.ok();
    made["token"].as_str().unwrap().to_owned()
}
