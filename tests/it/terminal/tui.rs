//! The whole council on one screen, in a real terminal.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use super::Losable;
use super::screen::{Screen, ask};
use crate::support::app::TestApp;
use crate::support::model_server::{AskedFor, Gate, RecordedRequest, Script, plausible};

/// The line without what is another in each run: times, ports and ids.
fn steady(line: &str) -> String {
    let zeros =
        |text: &str| text.chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect::<String>();
    let run = line.split_once("Run: ").and_then(|(before, id)| Some((before, id.split_at_checked(36)?)));
    if let Some((before, (id, after))) = run {
        return format!("{before}Run: {}{after}", zeros(id));
    }
    let port =
        line.split_once("127.0.0.1:").and_then(|(before, port)| Some((before, port.split_at_checked(5)?)));
    if let Some((before, (port, after))) = port {
        return format!("{before}127.0.0.1:{}{after}", zeros(port));
    }
    line.split_inclusive(" s")
        .map(|part| match part.strip_suffix(" s").and_then(|rest| rest.rsplit_once(' ')) {
            Some((before, time)) if time.contains('.') && time.parse::<f64>().is_ok() => {
                format!("{before} {} s", zeros(time))
            }
            _ => part.to_owned(),
        })
        .collect()
}

fn all_steady(text: &str) -> String {
    text.trim_end().lines().map(|line| steady(line.trim_end()) + "\n").collect()
}

/// Waits until the screen is the one that a person has looked at: in the middle of drawing, something of the one before
/// still stands there. `UPDATE_SCREENS=1` writes it anew.
async fn as_looked_at(screen: &Screen, name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/terminal/screens").join(name);
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        // By then it is drawn; whoever looks at it sees whether.
        tokio::time::sleep(Duration::from_secs(2)).await;
        std::fs::write(&path, all_steady(&screen.until(|_| true).await)).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    println!("waiting for {name}:\n{wanted}");
    screen.until(|text| all_steady(text) == wanted).await;
}

/// What the chairman and the titles' model say.
fn said(request: &RecordedRequest) -> Option<Script> {
    match request.model.as_str() {
        "m/chair" => Some(Script::answer("Blue light scatters **more** than red light.")),
        "m/title" => Some(Script::answer("The blue sky")),
        _ => None,
    }
}

/// The screen, as soon as it takes keys.
async fn shown(app: &TestApp) -> Screen {
    let screen = ask(app, &["tui"], 110, 32).await;
    screen.until(|text| text.contains("A new conversation") && text.contains("No conversations yet")).await;
    screen
}

/// From writing to reading. The terminal takes what follows Escape at once for Alt and that key.
async fn reading(screen: &Screen) {
    screen.keys(&["Escape"]);
    screen.until(|text| !text.contains("● Ask")).await;
}

async fn left(screen: &Screen, keys: &[&str]) {
    screen.keys(keys);
    screen.until(|text| text.contains("ended with 0")).await;
}

#[tokio::test]
async fn a_question_is_asked_followed_and_read_on_one_screen() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", AskedFor::Answer) => {
            Some(Script::answer("").text("It scatters, ").hold(&held).text("and that is all."))
        }
        _ => said(request),
    });
    let screen = shown(&app).await;
    screen.keys(&["Why is the sky blue?", "Enter"]);
    screen.shows(&["It scatters,", "[1 Answers]", "following"]).await;
    screen.shows(&["3 of 4 have answered", "m/one", "m/four"]).await;
    gate.open();
    screen.shows(&["[3 Final]", "more than red light"]).await;
    as_looked_at(&screen, "final.txt").await;
    reading(&screen).await;
    screen.keys(&["1"]);
    as_looked_at(&screen, "answers.txt").await;
    screen.keys(&["2"]);
    screen.shows(&["[2 Reviews]", "Ballots", "Response A is by"]).await;
    screen.keys(&["4"]);
    as_looked_at(&screen, "process.txt").await;
    screen.keys(&["?"]);
    as_looked_at(&screen, "keys.txt").await;
    screen.keys(&["Escape"]);
    screen.until(|text| !text.contains("Keys (Esc closes)")).await;
    screen.keys(&["3"]);
    screen.resize(40, 15);
    as_looked_at(&screen, "narrow.txt").await;
    screen.resize(110, 32);
    screen.shows(&["Conversations", "more than red light"]).await;
    left(&screen, &["q"]).await;
    app.close().await;
}

#[tokio::test]
async fn a_run_is_stopped_and_the_next_question_has_other_options() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| (request.model == "m/two").then(|| Script::answer("x").hold(&held)));
    let screen = shown(&app).await;
    screen.keys(&["Why?", "Enter"]);
    screen.until(|text| text.contains("3 of 4 have answered")).await;
    screen.keys(&["C-c"]);
    screen.until(|text| text.contains("The run was stopped.")).await;
    gate.open();
    screen.keys(&["/debat on", "Enter"]);
    screen.until(|text| text.contains("did you mean /debate?")).await;
    screen.keys(&["C-u", "/debate on", "Enter"]);
    screen.until(|text| text.contains("F2 debate")).await;
    screen.keys(&["F2"]);
    screen.until(|text| text.contains("F2 arena")).await;
    screen.keys(&["F3"]);
    screen.until(|text| text.contains("[x] Format: arena")).await;
    screen.keys(&["Space"]);
    screen.until(|text| text.contains("[x] Format: council")).await;
    screen.keys(&["Escape"]);
    screen.until(|text| !text.contains("[x] Format")).await;
    screen.keys(&["Again?", "Enter"]);
    screen.until(|text| text.contains("2 of 2") && text.contains("[3 Final]")).await;
    left(&screen, &["C-q"]).await;
    app.close().await;
}

#[tokio::test]
async fn a_question_is_corrected_while_it_is_answered() {
    let app = TestApp::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    app.models.rule(move |request| match (request.model.as_str(), request.asked_for()) {
        ("m/two", AskedFor::Answer) => Some(Script::answer("").text("A ").hold(&held).text("swan.")),
        _ => said(request),
    });
    let screen = shown(&app).await;
    screen.keys(&["Which bird?", "Enter"]);
    screen.until(|text| text.contains("3 of 4 have answered")).await;
    reading(&screen).await;
    screen.keys(&["c"]);
    screen.until(|text| text.contains("Add to the question")).await;
    screen.keys(&["In winter.", "Enter"]);
    screen.until(|text| text.contains("The question is corrected.")).await;
    gate.open();
    // What comes after the final answer belongs to the run.
    screen.until(|text| text.contains("more than red light") && !text.contains("following")).await;
    screen.keys(&["c"]);
    screen.until(|text| text.contains("Nothing is being answered here.")).await;
    let list = app.user("ann").get("/api/conversations").await.ok();
    let path = format!("/api/conversations/{}", list[0]["id"].as_str().unwrap());
    let stored = app.user("ann").get(&path).await.ok();
    assert_eq!(stored["messages"][1]["metadata"]["corrections"][0]["text"], "In winter.", "{stored}");
    left(&screen, &["q"]).await;
    app.close().await;
}

#[tokio::test]
async fn what_a_conversation_has_cost_includes_a_run_that_was_asked_again() {
    let app = TestApp::start().await;
    app.models.rule(|request| {
        Some(plausible(request).usage(json!({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25})))
    });
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let asked = json!({"content": "Why is the sky blue?"});
    let first = ann.post(&format!("/api/conversations/{id}/message"), asked).await.ok();
    let path = format!("/api/runs/{}/retry", first["run_id"].as_str().unwrap());
    let again = ann.post(&path, json!({"from": "stage3"})).await.ok();
    ann.events(again["run_id"].as_str().unwrap(), 0).await.rest().await;
    let screen = ask(&app, &["tui", "--conversation", &id], 110, 32).await;
    screen.shows(&["Why is the sky blue?", "[3 Final]"]).await;
    screen.keys(&["/cost", "Enter"]);
    // Ten calls, and the final answer once more.
    screen.shows(&["This conversation has cost $2.75"]).await;
    left(&screen, &["C-q"]).await;
    app.close().await;
}

#[tokio::test]
async fn conversations_are_switched_searched_named_and_deleted() {
    let app = TestApp::start().await;
    app.models.rule(said);
    let screen = shown(&app).await;
    screen.keys(&["Why is the sky blue?", "Enter"]);
    screen.until(|text| text.contains("[3 Final]")).await;
    screen.keys(&["C-n"]);
    screen.until(|text| text.contains("A new conversation")).await;
    screen.keys(&["Who wrote Faust?", "Enter"]);
    screen.until(|text| text.contains("Who wrote Faust?") && text.contains("[3 Final]")).await;
    reading(&screen).await;
    screen.keys(&["t", "C-u", "Faust", "Enter"]);
    screen.until(|text| text.contains("▸ Faust")).await;
    screen.keys(&["#", "books", "Enter"]);
    screen.until(|text| text.contains("#books")).await;
    screen.keys(&["Escape"]);
    screen.until(|text| text.contains("● Conversations")).await;
    screen.keys(&["/", "#books", "Enter"]);
    screen.until(|text| text.contains("Found: #books") && !text.contains("The blue sky")).await;
    screen.keys(&["Escape"]);
    screen.until(|text| text.contains("The blue sky") && text.contains("Faust")).await;
    screen.keys(&["Down", "Enter"]);
    screen.until(|text| text.contains("Why is the sky blue?")).await;
    screen.keys(&["Escape"]);
    screen.until(|text| text.contains("● Conversations")).await;
    screen.keys(&["d"]);
    screen.until(|text| text.contains("Delete \"The blue sky\"?")).await;
    screen.keys(&["y"]);
    screen.until(|text| text.contains("Deleted.") && !text.contains("The blue sky")).await;
    let list = app.user("ann").get("/api/conversations").await.ok();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list[0]["tags"], json!(["books"]));
    left(&screen, &["q"]).await;
    app.close().await;
}

#[tokio::test]
async fn the_screen_reconnects_to_a_server_that_was_killed() {
    let mut lost = Losable::start().await;
    let env = [("LLM_COUNCIL_SERVER", lost.url.as_str()), ("LLM_COUNCIL_TOKEN", lost.token.as_str())];
    let screen = Screen::run(&env, &["tui"], 100, 30);
    screen.until(|text| text.contains("No conversations yet")).await;
    screen.keys(&["Why?", "Enter"]);
    lost.lose().await;
    screen.until(|text| text.contains("cannot be reached")).await;
    lost.bring_back().await;
    screen.until(|text| text.contains("[3 Final]") && text.contains("At last.")).await;
    screen.until(|text| !text.contains('⋯')).await;
    left(&screen, &["C-q"]).await;
}

#[tokio::test]
async fn the_shell_is_a_key_away_and_the_screen_comes_back() {
    let app = TestApp::start().await;
    let screen = ask(&app, &["tui"], 80, 24).await;
    screen.until(|text| text.contains("A new conversation")).await;
    left(&screen, &["C-q"]).await;
    let program = env!("CARGO_BIN_EXE_llm-council");
    let (url, token) = (app.url(""), super::token(&app, "ann").await);
    let env = [("LLM_COUNCIL_SERVER", url.as_str()), ("LLM_COUNCIL_TOKEN", token.as_str())];
    let shell = Screen::shell(&env, 80, 24);
    shell.keys(&[&format!("{program} tui"), "Enter"]);
    shell.until(|text| text.contains("A new conversation")).await;
    shell.keys(&["half a question", "C-z"]);
    shell.until(|text| !text.contains("A new conversation") && text.contains("Stopped")).await;
    shell.keys(&["fg", "Enter"]);
    shell.until(|text| text.contains("A new conversation") && text.contains("half a question")).await;
    shell.keys(&["C-q"]);
    shell.until(|text| !text.contains("A new conversation")).await;
    app.close().await;
}
