//! Whole chats, over a council that stands in memory.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::stream;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::command::{COMMANDS, Command, Line, Setting, nearest, parse};
use super::input::{Input, InputEvent};
use super::settings::Settings;
use super::{Arguments, Chat, Printer, begin_chat};
use crate::terminal::arguments::{Council, Output};
use crate::terminal::profile::Profiles;
use crate::terminal::session::{Following, Method, Place, Question, Session, Step, Trouble};

#[derive(Default)]
struct Fake {
    asked: Mutex<Vec<Question>>,
    requests: Mutex<Vec<String>>,
    /// Every question is refused.
    refuses: bool,
    /// Every run fails.
    fails: bool,
    /// The connection is lost before a run that exists can be followed.
    is_lost: bool,
}

fn steps(run: &str, answer: &str, fails: bool) -> Following {
    let last = if fails {
        json!({"type": "error", "message": "Nobody answered."})
    } else {
        json!({"type": "complete"})
    };
    let events = vec![
        json!({"type": "run_started", "run_id": run, "conversation_id": "c", "message_id": "m"}),
        json!({"type": "stage3_complete", "data": {"model": "a/one", "response": answer}}),
        json!({"type": "costs_complete", "data": {"total_cost": 0.25, "total_tokens": 1000, "unknown_cost_calls": 0}}),
        last,
    ];
    Following::new(stream::iter(events.into_iter().map(|event| Step::Event { seq: None, event })))
}

#[async_trait]
impl Session for Fake {
    fn place(&self) -> &Place {
        &Place::Here
    }

    async fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Trouble> {
        let said = body.map(|body| format!(" {body}")).unwrap_or_default();
        self.requests.lock().unwrap().push(format!("{method} {path}{said}"));
        Ok(match path {
            "/api/config" => {
                json!({"council_models": [{"model": "a/one", "alias": "One"}, "b/two"], "chairman_model": "c/three",
                       "attachments": {"max_per_question": 2, "max_bytes": 100}})
            }
            "/api/settings/presets" => json!({"presets": [{"id": "p1", "name": "fast", "shared": true}]}),
            path if path.starts_with("/api/conversations?") => json!([
                {"id": "x1", "title": "First\u{1b}[2J", "updated_at": "2026-01-02T03:04:05", "running": false},
                {"id": "x2", "title": "Second", "updated_at": "2026-01-02T03:04:05", "running": true},
            ]),
            "/api/runs/r1/retry" => json!({"run_id": "r2", "replaces": "r1"}),
            "/api/runs/r2/retry" => json!({"run_id": "r3", "replaces": "r2"}),
            path if path.starts_with("/api/conversations/") => json!({"title": "Kept", "messages": [
                {"role": "user", "id": "q", "content": "Why?"},
                {"role": "assistant", "id": "m", "run_id": "r9", "status": "complete", "stage3": {"model": "a/one", "response": "all:\n\tmake it"}},
            ]}),
            path => return Err(Trouble::NotFound(format!("{path} is not there"))),
        })
    }

    async fn upload(&self, name: &str, bytes: Vec<u8>) -> Result<Value, Trouble> {
        let id = bytes.len().to_string();
        Ok(json!({"id": id, "filename": name, "state": "ready"}))
    }

    async fn text(&self, path: &str) -> Result<String, Trouble> {
        Ok(format!("text of {path}\n"))
    }

    async fn ask(&self, question: Question) -> Result<Following, Trouble> {
        if self.refuses {
            return Err(Trouble::Wrong(vec!["mode is unknown".to_owned()]));
        }
        self.asked.lock().unwrap().push(question);
        Ok(steps("r1", "An answer.", self.fails))
    }

    async fn follow(&self, run: &str, _after: u64) -> Result<Following, Trouble> {
        if self.is_lost {
            return Err(Trouble::NotReachable("it is away".to_owned()));
        }
        Ok(steps(run, "A better answer.", false))
    }
}

/// What a person types, line by line.
struct Typed(VecDeque<InputEvent>);

#[async_trait]
impl Input for Typed {
    async fn next(&mut self, _prompt: &str) -> io::Result<InputEvent> {
        Ok(self.0.pop_front().unwrap_or(InputEvent::End))
    }
}

#[derive(Clone, Default)]
struct Heap(Arc<Mutex<Vec<u8>>>);

impl Write for Heap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Heap {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

struct Talked {
    code: Result<u8, Trouble>,
    said: String,
    complaints: String,
    bodies: Vec<Value>,
    questions: Vec<Question>,
    requests: Vec<String>,
}

async fn talk(fake: Fake, alone: bool, lines: &[&str]) -> Talked {
    let typed = lines.iter().map(|line| InputEvent::Line((*line).to_owned())).collect();
    talk_of(fake, alone, Settings::default(), typed).await
}

async fn talk_of(fake: Fake, alone: bool, settings: Settings, typed: VecDeque<InputEvent>) -> Talked {
    let folder = tempfile::tempdir().unwrap();
    let output =
        Output { simple: true, quiet: true, output: Some(folder.path().join("out")), ..Output::default() };
    let (said, complaints) = (Heap::default(), Heap::default());
    let printer = Printer { output: Box::new(said.clone()), errors: Box::new(complaints.clone()), alone };
    let fake = Arc::new(fake);
    let code = Chat::new(fake.clone(), settings, output, printer).run(&mut Typed(typed)).await;
    let questions = fake.asked.lock().unwrap().clone();
    let requests = fake.requests.lock().unwrap().clone();
    let bodies = questions.iter().map(|question| Value::Object(question.body.clone())).collect();
    Talked { code, said: said.text(), complaints: complaints.text(), bodies, questions, requests }
}

#[tokio::test]
async fn the_first_question_begins_a_conversation_and_later_ones_belong_to_it() {
    let talked = talk(Fake::default(), false, &["Why?", "And why that?", "/new", "Else?"]).await;
    assert_eq!(talked.code, Ok(0));
    let [first, second, third] = &talked.questions[..] else { panic!("{:?}", talked.questions) };
    assert!(first.begins && !second.begins && third.begins);
    assert_eq!(first.conversation, second.conversation);
    assert_ne!(first.conversation, third.conversation);
    assert_eq!(talked.bodies[0], json!({"content": "Why?"}));
}

#[tokio::test]
async fn a_refused_question_begins_no_conversation() {
    let talked = talk(Fake { refuses: true, ..Fake::default() }, true, &["Why?", "/title", "/cost"]).await;
    assert_eq!(talked.code, Ok(2));
    assert!(
        talked.complaints.contains("llm-council: nothing was asked: mode is unknown"),
        "{}",
        talked.complaints
    );
    assert!(talked.complaints.contains("there is no conversation yet"), "{}", talked.complaints);
    assert_eq!(talked.said, "Nothing was asked yet.\n");
}

#[tokio::test]
async fn nothing_is_sent_for_a_wrong_command() {
    let lines =
        ["/debtae on", "/debate maybe", "/rounds 3", "/set nonsense", "/verbose 9", "/use 0", "/help me"];
    let talked = talk(Fake::default(), true, &lines).await;
    assert_eq!(talked.code, Ok(2));
    assert!(talked.questions.is_empty() && talked.requests.is_empty());
    assert!(talked.complaints.contains("did you mean /debate?"), "{}", talked.complaints);
    assert_eq!(talked.complaints.lines().count(), lines.len(), "{}", talked.complaints);
}

#[tokio::test]
async fn commands_say_how_the_next_question_is_asked() {
    let lines = [
        "/debate on",
        "/rounds 3",
        "/react on",
        "/models a/one, b/two",
        "/set quorum=2",
        "/stream on",
        "/preset fast",
        "Why?",
        "/debate off",
        "/models default",
        "/stream off",
        "/preset none",
        "//etc?",
    ];
    let talked = talk(Fake::default(), false, &lines).await;
    assert_eq!(
        talked.bodies[0],
        json!({"mode": "debate", "num_rounds": 3, "use_react": true, "models": ["a/one", "b/two"], "quorum": 2,
            "one_at_a_time": true, "preset_id": "p1", "content": "Why?"})
    );
    assert_eq!(
        talked.bodies[1],
        json!({"mode": "council", "use_react": true, "quorum": 2, "content": "/etc?"})
    );
}

#[tokio::test]
async fn files_go_with_the_questions_of_a_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, vec![b'a'; bytes]).unwrap();
        format!("/attach {}", path.display())
    };
    let (notes, more) = (file("notes.md", 7), file("more.md", 8));
    let (empty, long, folder) = (file("empty.md", 0), file("long.md", 101), file("x", 1).replace("/x", ""));
    let lines = [
        "/attach",
        &empty,
        &long,
        &folder,
        "/attach ~/missing.md",
        &notes,
        &notes,
        "Why?",
        &more,
        "And this?",
    ];
    let talked =
        talk(Fake::default(), false, &[&lines[..], &[&file("third.md", 9), "/new", "Else?"]].concat()).await;
    assert_eq!(talked.bodies[0]["attachments"], json!([{"id": "7", "filename": "notes.md"}]));
    assert_eq!(talked.bodies[1]["attachments"].as_array().unwrap().len(), 2);
    assert_eq!(talked.bodies[2], json!({"content": "Else?"}));
    assert!(
        talked.said.contains("With each question of this conversation: notes.md, more.md.\n"),
        "{}",
        talked.said
    );
    for said in
        ["empty.md is empty", "has 101 bytes, and at most 100 are taken", "is not a file", "missing.md: "]
    {
        assert!(talked.complaints.contains(said), "{said}: {}", talked.complaints);
    }
    assert!(talked.complaints.contains("at most 2 files can go with one question"), "{}", talked.complaints);
    let talked = talk(Fake::default(), false, &[&notes, "/set attachments=1", "/attach none", "Why?"]).await;
    assert_eq!(talked.bodies[0], json!({"content": "Why?"}));
    assert!(talked.complaints.contains("use /attach FILE"), "{}", talked.complaints);
}

#[tokio::test]
async fn a_conversation_of_the_history_is_gone_on_with() {
    let talked =
        talk(Fake::default(), false, &["/history", "/use 2", "More?", "/use 7", "/title New name"]).await;
    assert!(talked.said.contains("  2  2026-01-02 03:04  Second (running)"), "{}", talked.said);
    assert!(!talked.said.contains('\u{1b}'));
    assert!(talked.said.contains("Going on with: Kept. Asked last: Why?"), "{}", talked.said);
    assert_eq!(talked.questions[0].conversation, "x2");
    assert!(!talked.questions[0].begins);
    assert!(talked.complaints.contains("there is no number 7: /history shows 2"), "{}", talked.complaints);
    assert!(talked.requests.contains(&"PATCH /api/conversations/x2 {\"title\":\"New name\"}".to_owned()));
}

#[tokio::test]
async fn a_failed_run_can_be_tried_again_and_what_it_cost_is_counted() {
    let fake = Fake { fails: true, ..Fake::default() };
    let talked = talk(fake, true, &["Why?", "/retry", "/cost", "/export json"]).await;
    assert_eq!(talked.code, Ok(1));
    assert!(talked.complaints.contains("Nobody answered."), "{}", talked.complaints);
    assert_eq!(talked.requests, ["POST /api/runs/r1/retry {}"]);
    assert!(talked.said.contains("$0.2500, 1.0k tokens  Why?\n"), "{}", talked.said);
    assert!(talked.said.contains("In all: $0.5000, 2.0k tokens"), "{}", talked.said);
    assert!(talked.said.contains("/export?format=json"), "{}", talked.said);
    let talked = talk(Fake::default(), false, &["/retry", "/cost"]).await;
    assert!(talked.complaints.contains("there is no run yet"), "{}", talked.complaints);
}

#[tokio::test]
async fn a_run_that_was_begun_again_is_counted_even_where_it_cannot_be_followed() {
    let fake = Fake { fails: true, is_lost: true, ..Fake::default() };
    let talked = talk(fake, true, &["Why?", "/retry", "/cost", "/retry"]).await;
    assert!(talked.complaints.contains("it is away"), "{}", talked.complaints);
    assert!(talked.said.contains("cost unknown, 0 tokens  (tried again)\n"), "{}", talked.said);
    assert!(talked.said.contains("In all: at least $0.2500, 1.0k tokens"), "{}", talked.said);
    let requests = ["POST /api/runs/r1/retry {}", "POST /api/runs/r2/retry {}"];
    assert_eq!(talked.requests, requests, "it has replaced the run before");
}

#[tokio::test]
async fn the_last_answer_is_saved_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer.md");
    let save = format!("/save {}", path.display());
    let talked = talk(Fake::default(), false, &[&save, "Why?", &save, "/use 1", &save]).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "An answer.\n");
    assert!(talked.complaints.contains("there is no answer yet"), "{}", talked.complaints);
    assert!(talked.complaints.contains("is there already"), "{}", talked.complaints);
    let other = folder.path().join("other.md");
    talk(Fake::default(), false, &["/use 1", &format!("/save {}", other.display())]).await;
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "all:\n\tmake it\n", "tabs stay");
}

#[tokio::test]
async fn ctrl_c_says_how_to_leave_and_the_end_leaves() {
    let typed = [
        InputEvent::Interrupt { idle: false },
        InputEvent::Interrupt { idle: true },
        InputEvent::End,
        InputEvent::Line("Why?".to_owned()),
    ];
    let talked = talk_of(Fake::default(), false, Settings::default(), typed.into()).await;
    assert_eq!((talked.code, talked.complaints.as_str()), (Ok(0), "Ctrl-D or /exit leaves.\n"));
    assert!(talked.questions.is_empty());
    let typed = [InputEvent::Terminated];
    assert_eq!(talk_of(Fake::default(), false, Settings::default(), typed.into()).await.code, Ok(130));
    assert_eq!(talk(Fake::default(), true, &["/exit", "Why?"]).await.questions.len(), 0);
}

#[tokio::test]
async fn an_offer_is_taken_where_nobody_sits_there() {
    let lines = ["/set use_cache=true", "/set cache_mode=offer", "Why?"];
    assert_eq!(talk(Fake::default(), true, &lines).await.said, "");
    assert_eq!(talk(Fake::default(), true, &lines).await.bodies[0]["cache_mode"], "serve");
    assert_eq!(talk(Fake::default(), false, &lines).await.bodies[0]["cache_mode"], "offer");
}

fn council(flags: &[&str]) -> Council {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        council: Council,
    }
    <Line as clap::Parser>::parse_from([&["chat"], flags].concat()).council
}

#[tokio::test]
async fn a_chat_begins_as_the_file_says_and_then_the_command_line() {
    let profiles: Profiles = toml::from_str(
        "[chat]\nmode = \"debate\"\nnum_rounds = 3\nverbose = 1\npreset = \"fast\"\nuse_react = true\n",
    )
    .unwrap();
    let settings = begin_chat(&Fake::default(), &Arguments::default(), &profiles).await.unwrap();
    assert_eq!(settings.prompt(), "fast·debate·3 rounds·react");
    let arguments = Arguments { council: council(&["--arena", "--no-react"]), ..Arguments::default() };
    let settings = begin_chat(&Fake::default(), &arguments, &profiles).await.unwrap();
    assert_eq!(
        Value::Object(settings.fields()),
        json!({"mode": "arena", "verbosity": 1, "use_react": false, "preset_id": "p1"})
    );
    let arguments = Arguments { council: council(&["--debate"]), ..Arguments::default() };
    let settings = begin_chat(&Fake::default(), &arguments, &Profiles::default()).await.unwrap();
    assert_eq!(settings.prompt(), "debate·stream");
    let wrong: Profiles = toml::from_str("[chat]\ncontent = \"?\"\nverbose = 7\n").unwrap();
    let Err(Trouble::Wrong(problems)) = begin_chat(&Fake::default(), &Arguments::default(), &wrong).await
    else {
        panic!()
    };
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[tokio::test]
async fn it_greets_with_where_it_asks_and_whom() {
    let said = Heap::default();
    let printer = Printer { output: Box::new(said.clone()), errors: Box::new(Heap::default()), alone: false };
    let mut chat = Chat::new(Arc::new(Fake::default()), Settings::default(), Output::default(), printer);
    chat.greet().await.unwrap();
    let line = "Asking this machine. The council: One, b/two; c/three writes the answer. /help lists the commands.\n";
    assert_eq!(said.text(), line);
}

fn after(commands: &[&str]) -> Settings {
    let mut settings = Settings::default();
    for line in commands {
        let Ok(Line::Command(Command::Set(setting))) = parse(line) else { panic!("{line}") };
        settings.apply(&setting).unwrap();
    }
    settings
}

#[test]
fn the_prompt_names_what_is_on() {
    assert_eq!(after(&[]).prompt(), "council");
    assert_eq!(after(&["/debate on", "/rounds 3", "/react on"]).prompt(), "debate·3 rounds·react");
    assert_eq!(after(&["/arena on", "/search on", "/stream on"]).prompt(), "arena·stream·search");
    assert_eq!(after(&["/models a,b", "/research on", "/research off"]).prompt(), "council·2 models");
    assert_eq!(after(&["/set mode=\u{1b}[2J"]).prompt().find('\u{1b}'), None);
}

#[test]
fn rounds_go_with_their_format_and_follow_the_style() {
    let fields = |commands: &[&str]| Value::Object(after(commands).fields());
    assert_eq!(fields(&["/arena on", "/rounds 4"]), json!({"mode": "arena", "arena_rounds": 4}));
    assert_eq!(fields(&["/arena on", "/rounds 4", "/mode debate"]), json!({"mode": "debate"}));
    assert_eq!(
        fields(&["/debate on", "/rounds 2", "/set debate_style=all_to_all"]),
        json!({"mode": "debate", "debate_style": "all_to_all", "debate_rounds": 2})
    );
    assert_eq!(fields(&["/debate on", "/arena off"]), json!({"mode": "debate"}));
    assert_eq!(fields(&["/set quorum=2", "/set quorum=null"]), json!({}));
    let mut settings = after(&[]);
    assert!(settings.apply(&Setting::Rounds(3)).unwrap_err().contains("/debate on"));
    assert!(settings.apply(&Setting::Field("content".to_owned(), json!("x"))).is_err());
    assert_eq!(settings, Settings::default());
}

#[test]
fn the_nearest_command_is_named() {
    for (typed, meant) in
        [("debtae", "debate"), ("hist", "history"), ("exti", "exit"), ("quit", "exit"), ("modles", "models")]
    {
        assert_eq!(nearest(typed), Some(meant), "{typed}");
    }
    assert_eq!(nearest("weather"), None);
    assert!(parse("/\u{1b}[2J").unwrap_err().find('\u{1b}').is_none());
}

#[test]
fn every_command_that_help_names_is_known() {
    for (name, takes, _) in COMMANDS.iter() {
        let word = takes.trim_matches(['[', ']']).split('|').next().unwrap();
        let word = match word {
            "0-3" | "N" => "1",
            "FIELD=VALUE" => "a=b",
            word => word,
        };
        assert!(matches!(parse(&format!("/{name} {word}")), Ok(Line::Command(_))), "{name} {word}");
    }
}

proptest! {
    #[test]
    fn every_line_is_a_question_a_command_or_a_sentence_that_says_why_not(line in "\\PC{0,40}") {
        match parse(&line) {
            Ok(Line::Question(question)) => prop_assert!(!question.trim().is_empty() && line.contains(&question)),
            Ok(Line::Empty) => prop_assert!(line.trim().is_empty()),
            Ok(Line::Command(_)) => prop_assert!(line.trim().starts_with('/')),
            Err(problem) => prop_assert!(line.trim().starts_with('/') && !problem.contains('\n')),
        }
    }

    #[test]
    fn a_refused_setting_changes_nothing_and_one_that_holds_can_be_said_twice(
        lines in prop::collection::vec(
            "/(debate|arena|stream|react|research|search) (on|off)|/rounds [1-9]|/mode (council|debate|arena|decomposition)|/models (a|a,b|default)|/verbose [0-3]|/set (quorum|mode|debate_style|content)=(2|null|arena|all_to_all)",
            0..12,
        ),
    ) {
        let mut settings = Settings::default();
        for line in &lines {
            let Ok(Line::Command(Command::Set(setting))) = parse(line) else { return Err(TestCaseError::fail(line.clone())) };
            let before = settings.clone();
            match settings.apply(&setting) {
                Ok(_) => {
                    let once = settings.clone();
                    prop_assert!(settings.apply(&setting).is_ok());
                    prop_assert_eq!(&settings, &once);
                }
                Err(_) => prop_assert_eq!(&settings, &before),
            }
            prop_assert!(!settings.fields().contains_key("content"));
            let prompt = settings.prompt();
            prop_assert!(!prompt.is_empty() && !prompt.contains('\n'));
        }
    }
}
