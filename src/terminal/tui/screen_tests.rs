//! Keys, clicks and screens of any size, over replies that the tests make up.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use serde_json::json;

use super::asking::reply;
use super::effects::{Effect, Reply};
use super::input::input;
use super::panes::{Pane, Tab};
use super::state::{Link, Popup, Prompt, State};
use super::tests::{ask, begin, ctrl, items, key, line, listed, screen, state, tell};
use crate::terminal::session::{Place, Trouble};

#[test]
fn the_marked_line_of_a_list_is_in_sight_on_a_low_screen() {
    let mut state = state();
    let members = (1..8).map(|n| format!("m/{n}")).collect();
    state.popup = Some(Popup::Skip { members, at: 6 });
    let shown = screen(&mut state, 40, 6);
    assert!(shown.contains("▸ m/7"), "{shown}");
    state.popup = Some(Popup::Options { at: 7 });
    let shown = screen(&mut state, 30, 7);
    assert!(shown.contains("▸ [ ] The web"), "{shown}");
}

#[test]
fn the_keys_of_an_offer_are_in_sight_below_a_long_question() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    tell(&mut state, &id, json!({"type": "run_started", "run_id": "r1", "conversation_id": id}));
    let long = "Why is the sky blue? ".repeat(200);
    tell(&mut state, &id, json!({"type": "cache_offer", "similarity": 1.0, "cached_query": long}));
    for (columns, rows) in [(90, 24), (40, 8)] {
        let shown = screen(&mut state, columns, rows);
        assert!(shown.contains("Why is the sky") && shown.contains("take that answer"), "{shown}");
    }
}

#[test]
fn options_are_switched_by_keys_and_commands() {
    let mut state = state();
    key(&mut state, KeyCode::F(2));
    assert_eq!(state.settings.prompt(), "debate");
    line(&mut state, "/rounds 4");
    line(&mut state, "/set quorum=2");
    assert_eq!(state.settings.prompt(), "debate·4 rounds");
    assert_eq!(key(&mut state, KeyCode::F(3)), [Effect::Presets]);
    let presets = super::effects::presets(&json!({"presets": [{"id": "p", "name": "Fast"}]}));
    reply(&mut state, Reply::Presets(presets));
    assert!(screen(&mut state, 80, 30).contains("Preset: Fast"));
    key(&mut state, KeyCode::Char('k'));
    for _ in 0..8 {
        key(&mut state, KeyCode::Char('j'));
    }
    key(&mut state, KeyCode::Char(' '));
    key(&mut state, KeyCode::Esc);
    assert_eq!(state.settings.preset.as_ref().unwrap().name, "Fast");
    let Effect::Ask { body, .. } = line(&mut state, "Why?").remove(0) else { panic!() };
    assert_eq!(
        (&body["mode"], &body["quorum"], &body["preset_id"]),
        (&json!("debate"), &json!(2), &json!("p"))
    );
    line(&mut state, "/debat on");
    assert!(screen(&mut state, 100, 20).contains("did you mean /debate?"));
}

#[test]
fn conversations_are_searched_renamed_tagged_and_deleted() {
    let mut state = state();
    listed(&mut state, &["x", "y"]);
    state.pane = Pane::List;
    key(&mut state, KeyCode::Char('/'));
    assert_eq!(line(&mut state, "#law"), [Effect::List { query: "#law".to_owned() }]);
    reply(&mut state, Reply::Listed { query: String::new(), items: Ok(items(&["late"])) });
    assert_eq!(state.list.items.len(), 2, "what was asked for before is passed over");
    reply(&mut state, Reply::Listed { query: "#law".to_owned(), items: Ok(items(&["y"])) });
    assert!(screen(&mut state, 110, 20).contains("Found: #law"));
    key(&mut state, KeyCode::Char('t'));
    ctrl(&mut state, 'u');
    let title = Prompt::Title("y".to_owned());
    assert_eq!(line(&mut state, "Laws"), [Effect::Change { asks: title, value: "Laws".to_owned() }]);
    key(&mut state, KeyCode::Char('#'));
    let tags = Prompt::Tags("y".to_owned());
    assert_eq!(line(&mut state, "a b"), [Effect::Change { asks: tags, value: "a b".to_owned() }]);
    key(&mut state, KeyCode::Char('d'));
    assert_eq!(key(&mut state, KeyCode::Char('n')), [], "only y deletes");
    assert_eq!(key(&mut state, KeyCode::Char('y')), [Effect::Delete { conversation: "y".to_owned() }]);
    assert_eq!(key(&mut state, KeyCode::Esc), [Effect::List { query: String::new() }], "all of them again");
}

#[test]
fn a_text_of_a_megabyte_is_shown_from_its_end_while_it_is_written_and_whole_afterwards() {
    let mut state = state();
    let id = ask(&mut state, "Why?");
    begin(&mut state, &id);
    let text = "one **two** `three` four five six seven eight\n".repeat(20_000) + "the end";
    tell(
        &mut state,
        &id,
        json!({"type": "stage1_token", "model": "a/one", "member": "a/one", "content": text}),
    );
    assert!(screen(&mut state, 100, 30).contains("the end"));
    key(&mut state, KeyCode::Esc);
    key(&mut state, KeyCode::Char('f'));
    screen(&mut state, 100, 30);
    tell(&mut state, &id, json!({"type": "stage1_complete", "data": [{"model": "a/one", "response": text}]}));
    key(&mut state, KeyCode::Char('g'));
    let shown = screen(&mut state, 100, 30);
    assert!(shown.contains("one *two*") && shown.contains("more lines"), "{shown}");
}

#[test]
fn a_click_does_what_stands_there() {
    let mut state = state();
    listed(&mut state, &["x", "y"]);
    screen(&mut state, 120, 30);
    let click = |state: &mut State, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        input(state, Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    };
    assert_eq!(click(&mut state, 5, 2), [Effect::Open { conversation: "y".to_owned() }]);
    let id = "y".to_owned();
    let stored = json!({"messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "id": "m", "status": "complete"}]});
    reply(&mut state, Reply::Opened { conversation: id, stored: Ok(stored) });
    let shown = screen(&mut state, 120, 30);
    let row = shown.lines().position(|row| row.contains("[3 Final]")).unwrap();
    let column = shown.lines().nth(row).unwrap().chars().position(|c| c == '4').unwrap();
    // Rows of the backend stand in quotes.
    click(&mut state, u16::try_from(column - 1).unwrap(), u16::try_from(row).unwrap());
    assert_eq!(state.thread().unwrap().tab, Tab::Process);
    click(&mut state, 60, 26);
    assert_eq!(state.pane, Pane::Writing);
}

#[test]
fn a_narrow_screen_shows_one_part_after_the_other() {
    let mut state = state();
    listed(&mut state, &["x"]);
    assert!(!screen(&mut state, 40, 15).contains("Conversations"));
    key(&mut state, KeyCode::Esc);
    key(&mut state, KeyCode::Esc);
    assert_eq!(state.pane, Pane::List);
    let shown = screen(&mut state, 40, 15);
    assert!(shown.contains("About x") && !shown.contains("Ask"), "{shown}");
    key(&mut state, KeyCode::F(1));
    assert!(screen(&mut state, 40, 15).contains("Keys (Esc closes)"));
    assert!(screen(&mut state, 19, 5).contains("small."));
}

#[test]
fn without_keeping_there_is_no_list_and_no_complaint() {
    let mut state = state();
    state.place = Place::Ephemeral;
    let trouble = Trouble::Wrong(vec!["nothing is listed".to_owned()]);
    reply(&mut state, Reply::Listed { query: String::new(), items: Err(trouble) });
    assert_eq!(state.message, None);
    assert!(screen(&mut state, 120, 20).contains("nothing is"));
}

#[test]
fn what_is_pasted_is_a_question_and_steers_nothing() {
    let mut state = state();
    state.pane = Pane::List;
    input(&mut state, Event::Paste("two\nlines\u{1b}[2J".to_owned()));
    assert_eq!(state.pane, Pane::Writing);
    assert_eq!(state.area.lines().len(), 2);
    assert!(!state.area.lines().concat().contains('\u{1b}'));
    assert!(matches!(state.thread().map(|thread| &thread.link), None | Some(Link::None)));
}

fn any_key() -> impl Strategy<Value = Event> {
    let letter = prop::sample::select("abcefghijklnpqrstxyY#/?[]1234 \u{fc}".chars().collect::<Vec<_>>());
    let code = prop_oneof![
        letter.prop_map(KeyCode::Char),
        (1u8..6).prop_map(KeyCode::F),
        prop::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Backspace,
        ]),
    ];
    let modifiers = prop::sample::select(vec![KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT]);
    (code, modifiers).prop_map(|(code, modifiers)| Event::Key(KeyEvent::new(code, modifiers)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn whatever_is_pressed_and_said_the_screen_stands(
        keys in prop::collection::vec(any_key(), 0..30),
        text in "[a-z \u{1b}\u{202e}漢👍\n|`#*-]{0,200}",
        columns in 1u16..160,
        rows in 1u16..50,
    ) {
        let mut state = state();
        listed(&mut state, &["x", "y", &text]);
        let id = ask(&mut state, "Why?");
        begin(&mut state, &id);
        for event in keys {
            input(&mut state, event);
            tell(&mut state, &id, json!({"type": "stage1_token", "model": "a/one", "member": "a/one", "content": text}));
            let shown = screen(&mut state, columns, rows);
            prop_assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
        }
        if let Some(Popup::Prompt { area, .. }) = &state.popup {
            prop_assert_eq!(area.lines().len(), 1);
        }
    }
}
