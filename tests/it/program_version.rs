//! Which version answers, over HTTP and at a terminal.

use crate::support::app::TestApp;
use crate::support::process::Program;

#[tokio::test]
async fn a_server_says_its_version_its_commit_and_when_it_was_built() {
    let app = TestApp::start().await;
    let told = app.user("ann").get("/api/version").await.ok();
    assert_eq!(told["version"], env!("CARGO_PKG_VERSION"));
    let (commit, short) = (told["git_commit"].as_str().unwrap(), told["git_commit_short"].as_str().unwrap());
    assert!(commit.starts_with(short) && !short.is_empty(), "{told}");
    let time = told["build_time"].as_str().unwrap();
    assert!(time == "unknown" || time.parse::<jiff::Timestamp>().is_ok(), "{told}");
    assert_eq!(app.user("ann").without_identity().get("/api/version").await.status, 401);
    app.close().await;
}

#[tokio::test]
async fn the_program_says_the_same_at_a_terminal() {
    let ended = Program::plain().run(&["--version"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let start = format!("llm-council {} (commit ", env!("CARGO_PKG_VERSION"));
    assert!(ended.stdout.starts_with(&start) && ended.stdout.contains(", built "), "{}", ended.stdout);
}
