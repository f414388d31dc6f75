//! Questions, runs and conversations on the screen, over replies that the tests make up.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};

use super::acting::open;
use super::asking::reply;
use super::draw::draw;
use super::effects::{Effect, Reply};
use super::input::input;
use super::panes::Pane;
use super::state::{Item, Prompt, State, Thread, Turn};
use crate::terminal::chat::settings::Settings;
use crate::terminal::files::Attached;
use crate::terminal::live::piece::Costs;
use crate::terminal::session::{Place, Step, Trouble};
use crate::terminal::text::{Background, Depth, Frames, Theme};

pub(super) fn state() -> State {
    let theme = Theme::new(Depth::None, Background::Auto, Frames::Unicode);
    State::new(theme, Place::Server("https://council".to_owned()), Settings::default())
}

pub(super) fn key(state: &mut State, code: KeyCode) -> Vec<Effect> {
    input(state, Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

pub(super) fn ctrl(state: &mut State, letter: char) -> Vec<Effect> {
    input(state, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)))
}

/// Types a line, and Enter.
pub(super) fn line(state: &mut State, text: &str) -> Vec<Effect> {
    text.chars().for_each(|c| drop(key(state, KeyCode::Char(c))));
    key(state, KeyCode::Enter)
}

pub(super) fn screen(state: &mut State, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    terminal.backend().to_string()
}

pub(super) fn tell(state: &mut State, conversation: &str, event: Value) {
    let step = Step::Event { seq: None, event };
    reply(state, Reply::Step { conversation: conversation.to_owned(), step });
}

/// Asks, and returns the id of the conversation.
pub(super) fn ask(state: &mut State, question: &str) -> String {
    match line(state, question).as_slice() {
        [Effect::Ask { conversation, .. }] => conversation.clone(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn begin(state: &mut State, conversation: &str) {
    tell(
        state,
        conversation,
        json!({"type": "run_started", "run_id": "r1", "conversation_id": conversation, "message_id": "m"}),
    );
    let members = json!([{"model": "a/one", "member": "a/one"}, {"model": "b/two", "member": "b/two"}]);
    tell(state, conversation, json!({"type": "stage1_start", "members": members}));
}

pub(super) fn items(ids: &[&str]) -> Vec<Item> {
    let item = |id: &&str| Item { id: (*id).to_owned(), title: format!("About {id}"), ..Item::default() };
    ids.iter().map(item).collect()
}

pub(super) fn listed(state: &mut State, ids: &[&str]) {
    reply(state, Reply::Listed { query: String::new(), items: Ok(items(ids)) });
}

#[test]
fn a_question_is_followed_from_the_first_word_to_the_final_answer() {
    let mut state = state();
    let id = ask(&mut state, "Why is the sky blue?");
    begin(&mut state, &id);
    tell(
        &mut state,
        &id,
        json!({"type": "stage1_token", "model": "a/one", "member": "a/one", "content": "It scatters."}),
    );
    let shown = screen(&mut state, 130, 30);
    assert!(shown.contains("[1 Answers]") && shown.contains("Why is the sky blue?"), "{shown}");
    assert!(shown.contains("It scatters.") && shown.contains("writing"), "{shown}");
    assert!(shown.contains("following"), "{shown}");
    let one = shown.lines().position(|row| row.contains("a/one")).unwrap();
    assert!(shown.lines().nth(one).unwrap().contains("b/two"), "side by side: {shown}");
    tell(&mut state, &id, json!({"type": "stage3_start"}));
    tell(
        &mut state,
        &id,
        json!({"type": "stage3_complete", "data": {"model": "c/chair", "response": "Because of Rayleigh."}}),
    );
    tell(&mut state, &id, json!({"type": "complete"}));
    reply(&mut state, Reply::Ended { conversation: id });
    let shown = screen(&mut state, 120, 30);
    assert!(shown.contains("[3 Final]") && shown.contains("Because of Rayleigh."), "{shown}");
    assert!(!state.is_live());
}

#[test]
fn the_seconds_of_a_member_that_is_asked_again_begin_anew() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    begin(&mut state, &id);
    let title = |state: &mut State| {
        let shown = screen(state, 80, 30);
        shown.lines().find(|line| line.contains("a/one")).unwrap().to_owned()
    };
    title(&mut state);
    state.now += Duration::from_secs(60);
    assert!(title(&mut state).contains("60 s"));
    tell(
        &mut state,
        &id,
        json!({"type": "stage1_error", "model": "a/one", "member": "a/one", "error": "slow"}),
    );
    title(&mut state);
    tell(
        &mut state,
        &id,
        json!({"type": "member_retried", "stage": "stage1", "model": "a/one", "member": "a/one"}),
    );
    let shown = title(&mut state);
    assert!(shown.contains("waiting") && !shown.contains("60 s"), "{shown}");
}

#[test]
fn a_refused_question_is_there_to_be_asked_again() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    let trouble = Trouble::OverBudget("$5.00 of $5.00 are spent this month".to_owned());
    reply(&mut state, Reply::Refused { conversation: id, trouble });
    assert_eq!(state.area.lines(), ["Why?"]);
    assert_eq!(state.open, None);
    let shown = screen(&mut state, 80, 20);
    assert!(shown.contains("$5.00 of $5.00 are spent"), "{shown}");
}

#[test]
fn a_refused_question_is_not_lost_where_somebody_types_or_reads_elsewhere_by_then() {
    let mut state = state();
    let id = ask(&mut state, "//etc/hosts is empty, why?");
    listed(&mut state, &["x1"]);
    state.list.selected = state.list.items.iter().position(|item| item.id == "x1").unwrap();
    open(&mut state);
    input(&mut state, Event::Paste("And how?".to_owned()));
    let trouble = Trouble::NotReachable("the server is shutting down".to_owned());
    reply(&mut state, Reply::Refused { conversation: id, trouble });
    assert_eq!(state.area.lines(), ["//etc/hosts is empty, why?", "", "And how?"]);
    assert_eq!(state.open.as_deref(), Some("x1"));
}

#[test]
fn a_file_goes_with_the_questions_of_the_conversation_that_it_was_named_in() {
    let mut state = state();
    let named = [Effect::Attach { file: "notes.md".to_owned(), already: 0, to: None }];
    assert_eq!(line(&mut state, "/attach notes.md"), named);
    let files = || vec![Attached { id: "7".to_owned(), name: "notes.md".to_owned() }];
    reply(&mut state, Reply::Attached { files: files(), to: None });
    assert!(screen(&mut state, 120, 30).contains("With each question of this conversation: notes.md."));
    let asked = line(&mut state, "Why?");
    let [Effect::Ask { conversation, body, .. }] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(body["attachments"], json!([{"id": "7", "filename": "notes.md"}]));
    // A file for another conversation than the one that is open by now is not added.
    let other = Reply::Attached { files: files(), to: Some("elsewhere".to_owned()) };
    reply(&mut state, other);
    assert!(screen(&mut state, 120, 30).contains("The file was not added"));
    listed(&mut state, &["x1", conversation]);
    state.list.selected = 0;
    open(&mut state);
    assert!(state.settings.files.is_empty());
    // Nor does the next question take over those of a conversation that was deleted.
    reply(&mut state, Reply::Attached { files: files(), to: Some("x1".to_owned()) });
    reply(&mut state, Reply::Deleted { conversation: conversation.clone() });
    assert_eq!(state.settings.files.len(), 1);
    reply(&mut state, Reply::Deleted { conversation: "x1".to_owned() });
    assert!(state.settings.files.is_empty());
}

#[test]
fn a_question_waits_until_the_last_one_is_answered() {
    let mut state = state();
    let id = ask(&mut state, "First?");
    begin(&mut state, &id);
    assert_eq!(line(&mut state, "Second?"), []);
    assert_eq!(state.area.lines(), ["Second?"], "what was typed stays");
}

#[test]
fn ctrl_c_stops_the_run_and_the_second_one_leaves() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    begin(&mut state, &id);
    assert_eq!(ctrl(&mut state, 'c'), [Effect::Cancel { run: "r1".to_owned() }]);
    assert_eq!(ctrl(&mut state, 'c'), [Effect::Leave { stop: vec![], code: 130 }]);
    key(&mut state, KeyCode::Char('x'));
    assert_eq!(ctrl(&mut state, 'c'), [Effect::Cancel { run: "r1".to_owned() }], "another key lies between");
}

#[test]
fn who_leaves_while_a_run_goes_on_is_asked_what_becomes_of_it() {
    let mut state = state();
    assert_eq!(ctrl(&mut state, 'q'), [Effect::Leave { stop: vec![], code: 0 }]);
    let id = ask(&mut state, "Why?");
    begin(&mut state, &id);
    assert_eq!(ctrl(&mut state, 'q'), []);
    let shown = screen(&mut state, 80, 20);
    assert!(shown.contains("The server continues it."), "{shown}");
    assert_eq!(key(&mut state, KeyCode::Char('s')), [Effect::Leave { stop: vec!["r1".to_owned()], code: 0 }]);
    ctrl(&mut state, 'q');
    tell(&mut state, &id, json!({"type": "complete"}));
    let ended = reply(&mut state, Reply::Ended { conversation: id });
    assert_eq!(ended, [Effect::Leave { stop: vec![], code: 0 }], "nothing is left to decide");
}

#[test]
fn a_lost_server_is_said_and_come_back_to() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    begin(&mut state, &id);
    reply(&mut state, Reply::Step { conversation: id.clone(), step: Step::Lost("no route".to_owned()) });
    assert!(screen(&mut state, 80, 20).contains("no route; trying again"));
    reply(&mut state, Reply::Step { conversation: id.clone(), step: Step::Back });
    assert!(!screen(&mut state, 80, 20).contains("trying again"));
    let gone = Step::Gone(Trouble::NotReachable("it is gone".to_owned()));
    reply(&mut state, Reply::Step { conversation: id.clone(), step: gone });
    assert!(screen(&mut state, 80, 20).contains("it is gone. F5 reloads it."));
    let again = key(&mut state, KeyCode::F(5));
    assert!(again.contains(&Effect::Open { conversation: id }), "{again:?}");
}

#[test]
fn a_stored_conversation_is_read_and_a_run_in_it_followed() {
    let mut state = state();
    listed(&mut state, &["x", "y"]);
    state.pane = Pane::List;
    key(&mut state, KeyCode::Down);
    assert_eq!(key(&mut state, KeyCode::Enter), [Effect::Open { conversation: "y".to_owned() }]);
    let stored = json!({"id": "y", "title": "About y", "messages": [
        {"role": "user", "content": "One?"},
        {"role": "assistant", "id": "m1", "status": "complete", "run_id": "r1",
         "stage1": [{"model": "a/one", "response": "First."}], "stage3": {"model": "c", "response": "The first."}},
        {"role": "user", "content": "Two?"},
        {"role": "assistant", "id": "m2", "status": "running", "run_id": "r2"},
    ]});
    let effects = reply(&mut state, Reply::Opened { conversation: "y".to_owned(), stored: Ok(stored) });
    assert_eq!(effects, [Effect::Follow { conversation: "y".to_owned(), run: "r2".to_owned() }]);
    let shown = screen(&mut state, 80, 24);
    assert!(shown.contains("2 of 2") && shown.contains("Two?"), "{shown}");
    key(&mut state, KeyCode::Char('['));
    key(&mut state, KeyCode::Char('3'));
    let shown = screen(&mut state, 80, 24);
    assert!(shown.contains("One?") && shown.contains("The first."), "{shown}");
    let copied = key(&mut state, KeyCode::Char('y'));
    assert!(matches!(copied.as_slice(), [Effect::Copy { text, .. }] if text == "The first."), "{copied:?}");
}

#[test]
fn a_question_on_its_way_stays_in_the_list() {
    let mut state = state();
    listed(&mut state, &["x"]);
    let id = ask(&mut state, "Why?");
    listed(&mut state, &["x"]);
    assert_eq!(state.list.items.len(), 2, "the server does not know of it yet");
    assert_eq!(state.list.items[state.list.selected].id, id);
    listed(&mut state, &["x", &id]);
    assert_eq!(state.list.items.len(), 2);
    assert_eq!(state.list.items[state.list.selected].id, id);
}

#[test]
fn a_question_that_is_on_its_way_is_stopped_as_soon_as_its_run_is_known() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    assert_eq!(ctrl(&mut state, 'c'), [], "there is no run to name yet");
    let event = json!({"type": "run_started", "run_id": "r1", "conversation_id": id, "message_id": "m"});
    let step = Step::Event { seq: None, event };
    let effects = reply(&mut state, Reply::Step { conversation: id, step });
    assert_eq!(effects, [Effect::Cancel { run: "r1".to_owned() }]);
}

/// A conversation that was read from the server, with one answered question.
fn read(state: &mut State, id: &str) {
    state.threads.insert(id.to_owned(), Thread::default());
    state.open = Some(id.to_owned());
    let stored = json!({"messages": [{"role": "user", "content": "One?"},
        {"role": "assistant", "id": "m", "run_id": "r1", "status": "failed", "metadata": {"costs": {"total_cost": 0.5}}}]});
    reply(state, Reply::Opened { conversation: id.to_owned(), stored: Ok(stored) });
}

#[test]
fn what_is_asked_again_comes_in_the_place_of_the_run_before() {
    let mut state = state();
    read(&mut state, "x");
    state.pane = Pane::Reading;
    let retry = Effect::Retry { conversation: "x".to_owned(), run: "r1".to_owned() };
    assert_eq!(key(&mut state, KeyCode::Char('r')), [retry]);
    let trouble = Trouble::Failed("nothing failed".to_owned());
    reply(&mut state, Reply::Trouble(trouble));
    assert_eq!(
        state.thread().unwrap().turn().unwrap().run.run_id.as_deref(),
        Some("r1"),
        "it stays as it was"
    );
    reply(&mut state, Reply::Again { conversation: "x".to_owned(), run: "r1".to_owned() });
    assert_eq!(state.thread().unwrap().turns.len(), 1);
    assert!(state.is_live());
}

#[test]
fn a_conversation_that_is_not_listed_stays_open_until_it_is_deleted() {
    let mut state = state();
    read(&mut state, "archived");
    listed(&mut state, &["x"]);
    assert_eq!(state.open.as_deref(), Some("archived"));
    reply(&mut state, Reply::Deleted { conversation: "archived".to_owned() });
    assert_eq!(state.open, None);
}

#[test]
fn a_run_that_cannot_be_followed_leaves_its_question_where_it_was() {
    let mut state = state();
    read(&mut state, "x");
    let gone = Step::Gone(Trouble::NotReachable("it is away".to_owned()));
    reply(&mut state, Reply::Step { conversation: "x".to_owned(), step: gone });
    assert_eq!(state.thread().unwrap().turns.len(), 1);
    assert!(screen(&mut state, 80, 20).contains("it is away. F5 reloads it."));
}

#[test]
fn what_is_not_known_is_not_said_to_have_cost_nothing() {
    let mut state = state();
    read(&mut state, "x");
    line(&mut state, "/cost");
    assert!(screen(&mut state, 80, 20).contains("has cost $0.5000."));
    state.threads.get_mut("x").unwrap().turns.push(Turn::default());
    line(&mut state, "/cost");
    assert!(screen(&mut state, 80, 20).contains("at least $0.5000."));
    state.threads.get_mut("x").unwrap().turns.remove(0);
    line(&mut state, "/cost");
    assert!(screen(&mut state, 80, 20).contains("is not known."));
}

#[test]
fn a_run_that_was_asked_again_counts_once_in_what_a_conversation_has_cost() {
    let mut state = state();
    read(&mut state, "x");
    let id = || "x".to_owned();
    reply(&mut state, Reply::Again { conversation: id(), run: "r1".to_owned() });
    let costs = json!({"total_cost": 0.25, "total_tokens": 40});
    for event in [
        json!({"type": "run_started", "run_id": "r2", "conversation_id": "x", "message_id": "m"}),
        json!({"type": "costs_complete", "data": costs}),
        json!({"type": "complete"}),
    ] {
        tell(&mut state, "x", event);
    }
    reply(&mut state, Reply::Ended { conversation: id() });
    assert_eq!(line(&mut state, "/cost"), []);
    assert!(screen(&mut state, 80, 20).contains("has cost $0.7500."));
    // Read again, its message names the run before, whose cost is known.
    let stored = json!({"messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "id": "m",
        "run_id": "r2", "status": "complete", "earlier_runs": ["r1"], "metadata": {"costs": costs}}]});
    reply(&mut state, Reply::Opened { conversation: id(), stored: Ok(stored.clone()) });
    assert_eq!(line(&mut state, "/cost"), []);
    assert!(screen(&mut state, 80, 20).contains("has cost $0.7500."));
    // The reply to the request to ask again may come after that.
    reply(&mut state, Reply::Again { conversation: id(), run: "r1".to_owned() });
    assert_eq!(state.thread().unwrap().turns[0].replaced.len(), 1);
}

#[test]
fn the_costs_of_runs_that_were_replaced_are_read_when_they_are_asked_for() {
    let mut state = state();
    state.threads.insert("x".to_owned(), Thread::default());
    state.open = Some("x".to_owned());
    let stored = json!({"messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "id": "m",
        "run_id": "r3", "status": "complete", "earlier_runs": ["r1", "r2"],
        "metadata": {"costs": {"total_cost": 0.25}}}]});
    reply(&mut state, Reply::Opened { conversation: "x".to_owned(), stored: Ok(stored) });
    let unread = |runs: &[&str]| Effect::Costs {
        conversation: "x".to_owned(),
        runs: runs.iter().map(|run| (*run).to_owned()).collect(),
    };
    let known = |run: &str, usd: f64| Reply::Costs {
        conversation: "x".to_owned(),
        costs: vec![(run.to_owned(), Costs { total: Some(usd), ..Costs::default() })],
    };
    assert_eq!(line(&mut state, "/cost"), [unread(&["r1", "r2"])]);
    reply(&mut state, known("r1", 0.5));
    assert!(screen(&mut state, 80, 20).contains("has cost at least $0.7500."));
    assert_eq!(line(&mut state, "/cost"), [unread(&["r2"])]);
    reply(&mut state, known("r2", 1.0));
    assert!(screen(&mut state, 80, 20).contains("has cost $1.75"));
}

#[test]
fn an_offer_waits_for_a_key() {
    for (letter, take) in [('t', true), ('a', false)] {
        let mut state = state();
        let id = ask(&mut state, "Why?");
        tell(
            &mut state,
            &id,
            json!({"type": "run_started", "run_id": "r1", "conversation_id": id, "message_id": "m"}),
        );
        tell(
            &mut state,
            &id,
            json!({"type": "cache_offer", "similarity": 0.97,
            "cached_query": "Why blue?", "created_at": "2026-01-02T03:04:05Z", "cost_saved": 0.25}),
        );
        let shown = screen(&mut state, 90, 24);
        assert!(shown.contains("Why blue?") && shown.contains("97 % alike"), "{shown}");
        assert_eq!(key(&mut state, KeyCode::Char(letter)), [Effect::Offer { run: "r1".to_owned(), take }]);
        assert!(!screen(&mut state, 90, 24).contains("Why blue?"));
    }
}

#[test]
fn a_question_is_corrected_while_it_is_answered() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    state.pane = Pane::Reading;
    key(&mut state, KeyCode::Char('c'));
    assert!(state.popup.is_none(), "its run is not known yet");
    assert!(screen(&mut state, 110, 20).contains("Nothing is being answered here."));
    begin(&mut state, &id);
    key(&mut state, KeyCode::Char('c'));
    assert!(screen(&mut state, 110, 20).contains("Add to the question"));
    let asks = Prompt::Correction("r1".to_owned());
    let value = "The second edition.".to_owned();
    assert_eq!(line(&mut state, &value), [Effect::Change { asks, value }]);
    key(&mut state, KeyCode::Char('c'));
    assert_eq!(key(&mut state, KeyCode::Enter), [], "nothing is no correction");
    tell(&mut state, &id, json!({"type": "complete"}));
    reply(&mut state, Reply::Ended { conversation: id });
    key(&mut state, KeyCode::Char('c'));
    assert!(state.popup.is_none());
}
