//! Scripts get the same output every time, and codes that say what happened.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use super::{program, token};
use crate::support::app::TestApp;
use crate::support::model_server::{ModelServer, Script};
use crate::support::process::{Ended, Program};

/// What would steer a terminal.
const HOSTILE: &str = "harm\u{1b}[2J\u{1b}]0;owned\u{7}less \u{9b}31m\u{202e}text\tin a cell";

fn json_lines(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_stored_message_the_events_and_the_answer_alone_are_printed() {
    let app = TestApp::start().await;
    app.models.script("m/chair", [Script::answer("It scatters."), Script::answer("It scatters.")]);
    let program = program(&app, "ann").await;

    let ended = program.run(&["query", "Why is the sky blue?", "--json"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let message: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(message["role"], "assistant");
    assert_eq!(message["stage3"]["response"], "It scatters.");
    let list = app.user("ann").get("/api/conversations").await.ok();
    let conversation = list[0]["id"].as_str().unwrap();
    let stored = app.user("ann").get(&format!("/api/conversations/{conversation}")).await.ok();
    assert_eq!(stored["messages"][1], message, "as the API has it");

    let ended = program.run(&["query", "--jsonl", "Why is the sky blue?"]).await;
    let events = json_lines(&ended);
    assert_eq!(events[0]["type"], "run_started");
    assert_eq!(events.last().unwrap()["type"], "complete");

    let ended = program.run_with_input(&["query", "--jsonl", "-f", "-", "Review this:"], "+ a line\n").await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let asked = app.models.records().into_iter().rfind(|record| record.request.model == "m/one").unwrap();
    assert!(asked.request.prompt().contains("Review this:\n\n+ a line"), "{}", asked.request.prompt());

    let ended = program.run(&["query", "--simple", "Why is the sky blue?"]).await;
    assert_eq!(ended.stderr, "", "nothing is said where nobody watches");
    assert!(!ended.stdout.contains("##") && ended.stdout.ends_with('\n'), "{}", ended.stdout);
    app.close().await;
}

#[tokio::test]
async fn what_is_piped_is_markdown_in_the_order_of_the_seats_without_a_character_that_steers() {
    let app = TestApp::start().await;
    app.models.script("m/two", [Script::answer(HOSTILE)]);
    app.models.script("m/three", [Script::status(400, "{}"), Script::status(400, "{}")]);
    app.models.script("m/chair", [Script::answer(HOSTILE)]);
    let ended = program(&app, "ann").await.run(&["Why is the sky blue?"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let headings: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("## ")).collect();
    let at = |name: &str| headings.iter().position(|line| line.contains(name)).unwrap();
    assert!(at("m/one") < at("m/two") && at("m/two") < at("m/three") && at("m/three") < at("m/four"));
    assert!(headings[at("m/three")].contains("failed"), "{headings:?}");
    assert!(at("Ranking") < at("m/chair") && at("m/chair") < at("Cost"), "{headings:?}");
    assert!(ended.stdout.contains("| Place | Member |"), "{}", ended.stdout);
    assert!(ended.stdout.contains("harmless text"), "{}", ended.stdout);
    assert!(ended.stdout.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    assert!(!ended.stdout.contains('\u{202e}'));
    app.close().await;
}

#[tokio::test]
async fn an_export_and_json_have_no_character_that_steers_either() {
    let app = TestApp::start().await;
    app.models.script("m/chair", [Script::answer(HOSTILE)]);
    let program = program(&app, "ann").await;
    let asked = program.run(&["query", "Why?", "--jsonl"]).await;
    let id = json_lines(&asked)[0]["conversation_id"].as_str().unwrap().to_owned();
    let exported = program.run(&["export", &id]).await;
    let as_json = program.run(&["export", &id, "--json"]).await;
    for ended in [&asked, &exported, &as_json] {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')),
            "{}",
            ended.stdout
        );
        assert!(!ended.stdout.contains('\u{202e}'), "{}", ended.stdout);
    }
    assert!(exported.stdout.contains("in a cell"), "{}", exported.stdout);
    let kept: Value = serde_json::from_str(&as_json.stdout).unwrap();
    assert!(kept.to_string().contains("in a cell"), "{kept}");
    app.close().await;
}

#[tokio::test]
async fn the_code_says_what_came_of_it() {
    let app = TestApp::start().await;
    let program = program(&app, "ann").await;
    let code = async |args: &[&str]| {
        let ended = program.run(args).await;
        assert!(ended.stdout.is_empty(), "{args:?}: {}", ended.stdout);
        (ended.code.unwrap(), ended.stderr)
    };
    let (failed, _) = code(&["query", "x", "--server", "http://127.0.0.1:1"]).await;
    assert_eq!(failed, 3);
    for (args, words) in [
        (&["query"][..], "the question is empty"),
        (&["query", "Why?", "--rounds", "3"], "--debate"),
        (&["query", "Why?", "--debate", "--rounds", "9"], "num_rounds must be from 2 to 3"),
        (&["query", "Why?", "--preset", "nobody's"], "there is no preset"),
        (&["query", "-f", "missing.md"], "missing.md"),
        (&["query", "Why?", "-o", "missing/answer.md"], "missing/answer.md"),
        (&["query", "Why?", "-o", "."], ". cannot be written: it is a folder"),
        (&["query", "Why?", "--max-cost", "NaN"], "write an amount in US dollars"),
    ] {
        let (wrong, told) = code(args).await;
        assert!(wrong == 2 && told.contains(words), "{args:?}: {wrong} {told}");
    }
    let (over, told) = code(&["query", "Why?", "--max-cost", "0"]).await;
    assert!(over == 5 && told.contains("--max-cost"), "{over} {told}");
    let nobody = Program::plain().env("LLM_COUNCIL_SERVER", &app.url(""));
    let ended = nobody.run(&["query", "Why?"]).await;
    assert!(ended.code == Some(4) && ended.stderr.contains("login"), "{ended:?}");
    assert_eq!(app.models.records().len(), 0, "nothing was asked");

    app.admin().put("/api/budget", json!({})).await;
    app.models.rule(|_| Some(Script::status(400, "{}")));
    let ended = program.run(&["query", "Why?"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("llm-council: "), "{}", ended.stderr);
    app.close().await;
}

#[tokio::test]
async fn a_failed_member_is_a_code_of_its_own_where_that_is_asked_for() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/two").then(|| Script::status(400, "{}")));
    let program = program(&app, "ann").await;
    assert_eq!(program.run(&["query", "Why?", "--simple"]).await.code, Some(0));
    assert_eq!(program.run(&["query", "Why?", "--simple", "--strict"]).await.code, Some(6));
    app.close().await;
}

#[tokio::test]
async fn a_page_to_sign_in_is_recognised_and_explained() {
    let proxy = TestApp::start().await;
    proxy.models.others(|_| Some(Script::raw("text/html", "<html><form>Sign in</form></html>")));
    let address = proxy.models.base_url();
    let program = Program::plain()
        .env("LLM_COUNCIL_SERVER", address.trim_end_matches("/v1"))
        .env("LLM_COUNCIL_TOKEN", "lc_anything");
    let ended = program.run(&["query", "Why?"]).await;
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stderr.contains("page to sign in"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("lc_"), "{}", ended.stderr);
    proxy.close().await;
}

#[tokio::test]
async fn what_a_gateway_refuses_on_a_page_is_no_page_to_sign_in() {
    let gateway = ModelServer::start().await;
    let program = Program::plain()
        .env("LLM_COUNCIL_SERVER", gateway.base_url().trim_end_matches("/v1"))
        .env("LLM_COUNCIL_TOKEN", "lc_anything");
    for (status, code) in [(413_u16, 1), (502, 3), (504, 3)] {
        gateway.others(move |_| {
            let page = Script::status(status, "<html><h1>nginx</h1></html>");
            Some(page.header("content-type", "text/html").header("retry-after", "0"))
        });
        let ended = program.run(&["query", "Why?"]).await;
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stderr.contains(&status.to_string()), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn a_file_is_whole_or_not_there() {
    let app = TestApp::start().await;
    let program = program(&app, "ann").await;
    let ended = program.run(&["query", "Why?", "-o", "answer.md"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{}", ended.stderr);
    let written = std::fs::read_to_string(program.home().join("answer.md")).unwrap();
    assert!(written.contains("## m/one"), "{written}");
    app.models.rule(|_| Some(Script::status(400, "{}")));
    assert_eq!(program.run(&["query", "Why?", "--simple", "-o", "none.md"]).await.code, Some(1));
    let names: Vec<_> =
        std::fs::read_dir(program.home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    app.close().await;
}

#[tokio::test]
async fn a_device_stays_a_device_and_a_link_a_link() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/chair").then(|| Script::answer("It scatters.")));
    let program = program(&app, "ann").await;
    let at = |name: &str| program.home().join(name);
    symlink("/dev/stdout", at("device")).unwrap();
    let ended = program.run(&["query", "Why?", "--simple", "-o", "device"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "It scatters.\n"), "{}", ended.stderr);
    assert!(at("device").is_symlink());

    std::fs::create_dir(at("kept")).unwrap();
    std::fs::write(at("kept/answer.md"), "an earlier answer, which was longer than the new one").unwrap();
    std::fs::set_permissions(at("kept/answer.md"), Permissions::from_mode(0o600)).unwrap();
    symlink("kept/answer.md", at("link.md")).unwrap();
    let ended = program.run(&["query", "Why?", "--simple", "-o", "link.md"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{}", ended.stderr);
    assert!(at("link.md").is_symlink());
    assert_eq!(std::fs::read_to_string(at("kept/answer.md")).unwrap(), "It scatters.\n");
    let mode = std::fs::metadata(at("kept/answer.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it is no more readable than before");
    app.close().await;
}

#[tokio::test]
async fn a_token_is_kept_for_its_owner_alone_after_it_was_tried() {
    let app = TestApp::start().await;
    let home = Program::plain();
    let home = home.clone().env("HOME", home.home().to_str().unwrap());
    let refused = home.run_with_input(&["login", &app.url("")], "lc_nothing\n").await;
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(!home.home().join(".config").exists());
    let token = token(&app, "ann").await;
    let ended = home.run_with_input(&["login", &app.url("")], &format!("{token}\n")).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("as ann") && !ended.stdout.contains(&token), "{}", ended.stdout);
    assert_eq!(home.run(&["query", "Why?", "--simple"]).await.code, Some(0));
    let otherwise = app.url("").replace("http://", "HTTP://");
    let ended = home.run(&["query", "Why?", "--simple", "--server", &otherwise]).await;
    assert_eq!(ended.code, Some(0), "it is the same server: {ended:?}");
    app.close().await;
}

#[tokio::test]
async fn a_token_is_kept_even_where_nobody_reads_that_it_was() {
    let app = TestApp::start().await;
    let home = Program::plain();
    let home = home.clone().env("HOME", home.home().to_str().unwrap());
    let token = token(&app, "ann").await;
    let ended = home.talk(&["login", &app.url("")]).say_unread(&token).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(141), ""), "{ended:?}");
    assert_eq!(home.run(&["query", "Why?", "--simple"]).await.code, Some(0));
    app.close().await;
}

#[tokio::test]
async fn a_profile_that_is_named_is_asked_with_its_own_token() {
    let app = TestApp::start().await;
    let home = Program::plain();
    let home = home.clone().env("HOME", home.home().to_str().unwrap());
    let token = token(&app, "ann").await;
    let url = app.url("");
    let ended = home.run_with_input(&["login", &url, "--profile", "lab"], &token).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let at_work = home.env("LLM_COUNCIL_SERVER", "http://127.0.0.1:9").env("LLM_COUNCIL_TOKEN", "lc_of_work");
    let ended = at_work.run(&["query", "Why?", "--simple", "--profile", "lab"]).await;
    assert_eq!(ended.code, Some(0), "another server's token is not sent to it: {ended:?}");
    app.close().await;
}

#[tokio::test]
async fn a_token_for_this_machine_passes_no_proxy() {
    let app = TestApp::start().await;
    let proxy = ModelServer::start().await;
    let address = proxy.base_url();
    let program = program(&app, "ann").await.env("HTTP_PROXY", address.trim_end_matches("/v1"));
    let ended = program.run(&["query", "Why?", "--simple"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_that_the_settings_have_offered_is_taken() {
    let app = TestApp::start().await;
    let defaults = json!({"default_options": {"use_cache": true, "cache_mode": "offer"}});
    app.user("ann").put("/api/config", defaults).await.ok();
    let program = program(&app, "ann").await;
    let first = program.run(&["query", "Why?", "--simple"]).await;
    assert_eq!(first.code, Some(0), "{first:?}");
    let calls = app.models.records().len();
    let again = program.run(&["query", "Why?", "--simple"]).await;
    assert_eq!((again.code, again.stdout), (Some(0), first.stdout), "{}", again.stderr);
    assert_eq!(app.models.records().len(), calls, "nobody was asked again");
    app.close().await;
}

#[tokio::test]
async fn a_debate_is_stored_as_clients_of_debates_read_it() {
    let app = TestApp::start().await;
    app.models.rule(|request| (request.model == "m/chair").then(|| Script::answer("Neither.")));
    let program = program(&app, "ann").await;
    let ended = program.run(&["query", "--debate", "--rounds", "3", "--json", "Tabs or spaces?"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let message: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&message["role"], &message["mode"]), (&json!("assistant"), &json!("debate")));
    let rounds = message["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 3, "{message:#}");
    for (at, round) in rounds.iter().enumerate() {
        assert_eq!(round["round_number"], at + 1, "{round:#}");
        assert!(round["round_type"].is_string(), "{round:#}");
        let responses = round["responses"].as_array().unwrap();
        assert_eq!(responses.len(), 4, "{round:#}");
        for response in responses {
            for field in ["label", "model", "member", "text"] {
                assert!(response[field].is_string(), "{field}: {response:#}");
            }
            assert!(response["usage"].is_object(), "{response:#}");
        }
    }
    assert_eq!(message["synthesis"]["model"], "m/chair");
    assert_eq!(message["synthesis"]["response"], "Neither.");
    app.close().await;
}
