//! What is listed, for people and for programs.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::program;
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

#[tokio::test]
async fn runs_models_presets_and_tokens_are_listed() {
    let app = TestApp::start().await;
    let program = program(&app, "ann").await;
    assert!(program.run(&["runs"]).await.stdout.starts_with("No runs yet"));
    assert_eq!(program.run(&["query", "Why?", "--simple"]).await.code, Some(0));
    let runs = program.run(&["runs"]).await;
    assert!(runs.stdout.contains("council") && runs.stdout.contains("complete"), "{runs:?}");
    let as_json: Value = serde_json::from_str(&program.run(&["runs", "--json"]).await.stdout).unwrap();
    assert_eq!(as_json.as_array().unwrap().len(), 1);
    let tokens = program.run(&["token", "list"]).await;
    assert!(tokens.code == Some(4) && tokens.stderr.contains("in the browser"), "{tokens:?}");
    assert_eq!(program.run(&["models"]).await.code, Some(0));
    assert!(program.run(&["presets"]).await.stdout.starts_with("No presets yet"));
    let usage = program.run(&["usage"]).await;
    assert_eq!(usage.code, Some(4), "a token is never an administrator's: {usage:?}");
    assert!(
        usage.stderr.contains("for administrators") && usage.stderr.contains("usage --here"),
        "{usage:?}"
    );

    let list = app.user("ann").get("/api/conversations").await.ok();
    let exported = program.run(&["export", list[0]["id"].as_str().unwrap()]).await;
    assert!(exported.stdout.contains("Why?"), "{exported:?}");
    assert_eq!(program.run(&["export", "00000000-0000-4000-8000-000000000000"]).await.code, Some(1));
    app.close().await;
}

#[tokio::test]
async fn a_token_is_made_for_reading_alone_where_that_is_asked_for() {
    let db = TestDb::new().await;
    let models = ModelServer::start().await;
    let here = Program::council(&db, &models);
    let monitor = ["token", "new", "monitor", "--days", "7", "--read-only"];
    for arguments in [&["token", "new", "laptop"][..], &monitor] {
        let made = here.run(&[arguments, &["--user", "ann"]].concat()).await;
        assert!(made.code == Some(0) && made.stdout.starts_with("lc_"), "{made:?}");
    }
    let listed = here.run(&["token", "list", "--user", "ann"]).await;
    let row = |name: &str| listed.stdout.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(row("laptop").contains("  read, ask  "), "{listed:?}");
    assert!(row("monitor").contains("  read  "), "{listed:?}");
}

#[tokio::test]
async fn a_list_that_has_several_pages_is_listed_whole() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let many = "INSERT INTO tokens (id, user_id, name, hash, permissions)
                SELECT gen_random_uuid(), 'ann', 'token ' || n, int4send(n), '{read}' FROM generate_series(1, 501) n";
    sqlx::raw_sql(many).execute(&mut db.superuser().await).await.unwrap();
    let listed = Program::council(&db, &models).run(&["token", "list", "--user", "ann", "--json"]).await;
    let tokens: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    let names: BTreeSet<&str> = tokens.iter().map(|token| token["name"].as_str().unwrap()).collect();
    assert_eq!((tokens.len(), names.len()), (501, 501), "each once");
}

/// No token may see it, so it is asked where the database is.
#[tokio::test]
async fn what_everybody_used_is_listed_on_the_servers_machine() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let here = Program::council(&db, &models);
    assert_eq!(here.run(&["query", "Why?", "--simple", "--user", "ann"]).await.code, Some(0));
    let usage = here.run(&["usage", "--here", "--user", "local"]).await;
    assert!(usage.code == Some(0) && usage.stdout.contains("ann"), "{usage:?}");
    let refused = here.run(&["usage", "--here", "--user", "ann"]).await;
    assert!(refused.code == Some(4) && refused.stderr.contains("--user local"), "{refused:?}");
}

#[tokio::test]
async fn all_that_is_stored_of_somebody_is_saved_to_a_file_of_its_own() {
    let app = TestApp::start().await;
    let program = program(&app, "ann").await;
    assert_eq!(program.run(&["query", "Why?", "--simple"]).await.code, Some(0));
    let saved = program.run(&["export", "--all", "mine.zip"]).await;
    assert_eq!(saved.code, Some(0), "{saved:?}");
    let file = std::fs::File::open(program.home().join("mine.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut index = archive.by_name("index.json").unwrap();
    let index: Value = serde_json::from_reader(&mut index).unwrap();
    assert_eq!(index["counts"]["conversations"], 1, "{index}");

    let again = program.run(&["export", "--all", "mine.zip"]).await;
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains("is there already"), "{again:?}");
    // Nobody who is let in: and no file.
    let nobody = program.env("LLM_COUNCIL_TOKEN", "llmc_of_nobody");
    let refused = nobody.run(&["export", "--all", "none.zip"]).await;
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(!nobody.home().join("none.zip").exists());
    for wrong in [&["export"][..], &["export", "some-id", "--all", "other.zip"]] {
        assert_eq!(nobody.run(wrong).await.code, Some(2));
    }
    app.close().await;
}

#[tokio::test]
async fn an_interrupt_leaves_no_part_of_what_was_to_be_saved() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let program = Program::plain()
        .env("LLM_COUNCIL_SERVER", &format!("http://{}", server.local_addr().unwrap()))
        .env("LLM_COUNCIL_TOKEN", "lc_anything");
    let saving = program.begin(&["export", "--all", "mine.zip"]);
    let (mut asked, _) = server.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        assert_ne!(asked.read_buf(&mut request).await.unwrap(), 0, "a whole request");
    }
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nContent-Length: 8\r\n\r\nhalf";
    asked.write_all(half.as_bytes()).await.unwrap();
    saving.signal("SIGINT");
    let ended = saving.ended_with_output().await;
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(!program.home().join("mine.zip").exists());
}

#[tokio::test]
async fn shells_and_manuals_are_served() {
    let program = Program::plain();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = program.run(&["completions", shell]).await;
        assert!(ended.code == Some(0) && ended.stdout.contains("llm-council"), "{shell}");
    }
    // Both are more than a pipe takes, so the reader has left before all is written.
    for args in [&["completions", "bash"][..], &["openapi"]] {
        let mut printing = program.begin(args);
        printing.close_output();
        let ended = printing.ended_with_output().await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(141), ""), "{args:?}");
    }
    assert_eq!(program.run(&["man", "pages"]).await.code, Some(0));
    let page = std::fs::read_to_string(program.home().join("pages/llm-council-query.1")).unwrap();
    assert!(page.contains("max\\-cost"), "{page}");
    let help = program.run(&["query", "--help"]).await;
    let first = help.stdout.lines().next().unwrap();
    assert!(first.starts_with("llm-council query \""), "examples come first: {first}");
}
