//! Handles keys, clicks and pasted text.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;
use ratatui_textarea::{Input, TextArea};

use super::acting::{act, interrupt, leave, open, search, wheeled};
use super::asking::with_preset;
use super::commands::set;
use super::effects::Effect;
use super::keys::{Action, action};
use super::options;
use super::panes::Pane;
use super::state::{Popup, Prompt, State, Target, Thread};
use crate::terminal::text::{harmless, one_line};

/// How many lines the wheel scrolls.
const WHEEL: usize = 3;

/// Handles an event of the terminal.
pub fn input(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(state, key),
        Event::Paste(text) => {
            let text = harmless(&text).into_owned();
            match &mut state.popup {
                Some(Popup::Prompt { area, .. }) => drop(area.insert_str(one_line(&text))),
                Some(_) => {}
                None => {
                    state.pane = Pane::Writing;
                    state.area.insert_str(text);
                }
            }
            Vec::new()
        }
        Event::Mouse(mouse) => clicked(state, mouse),
        Event::Key(_) | Event::Resize(..) | Event::FocusGained | Event::FocusLost => Vec::new(),
    }
}

fn pressed(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let is_interrupt = action(state.pane, key) == Some(Action::Interrupt);
    let before = std::mem::replace(&mut state.interrupted, is_interrupt);
    state.message = None;
    if is_interrupt {
        return interrupt(state, before);
    }
    if state.popup.is_some() {
        return in_popup(state, key);
    }
    if let Some(effects) = to_offer(state, key) {
        return effects;
    }
    match action(state.pane, key) {
        Some(action) => act(state, action),
        None => {
            if state.pane == Pane::Writing {
                typed(&mut state.area, key);
            }
            Vec::new()
        }
    }
}

/// A key in an editor, with the meaning that it has in a shell.
fn typed(area: &mut TextArea<'static>, key: KeyEvent) {
    match (key.code, key.modifiers) {
        (KeyCode::Char('u'), KeyModifiers::CONTROL) => drop(area.delete_line_by_head()),
        _ => drop(area.input(Input::from(key))),
    }
}

/// The effect of a key on a waiting offer; `None` if there is no offer.
#[expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]
fn to_offer(state: &mut State, key: KeyEvent) -> Option<Vec<Effect>> {
    let thread = state.thread_mut()?;
    thread.offer()?;
    let run = thread.live()?.run_id.clone()?;
    let take = match key.code {
        KeyCode::Char('t') => Some(true),
        KeyCode::Char('a') => Some(false),
        KeyCode::Esc => None,
        // Other keys are meant for the screen behind it.
        _ => return action(state.pane, key).map(|action| act(state, action)).or(Some(Vec::new())),
    };
    thread.offer_seen = Some(run.clone());
    Some(match take {
        Some(take) => vec![Effect::Offer { run, take }],
        None => {
            state.say("Without an answer the council is asked in a minute.");
            Vec::new()
        }
    })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a key that is not named means nothing here")]
fn in_popup(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    let Some(mut popup) = state.popup.take() else { return Vec::new() };
    if key.code == KeyCode::Esc {
        return Vec::new();
    }
    match &mut popup {
        Popup::Help { top } => match key.code {
            KeyCode::Up | KeyCode::Char('k') => *top = top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *top += 1,
            KeyCode::PageUp | KeyCode::Char('b') => *top = top.saturating_sub(state.page),
            KeyCode::PageDown | KeyCode::Char(' ') => *top += state.page,
            KeyCode::Home => *top = 0,
            // Drawing limits this to the last page.
            KeyCode::End => *top = usize::MAX / 2,
            _ => return Vec::new(),
        },
        Popup::Options { at } => match key.code {
            KeyCode::Up | KeyCode::Char('k') => *at = at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *at += 1,
            KeyCode::Enter | KeyCode::Char(' ') => switch(state, *at),
            _ => {}
        },
        Popup::Skip { members, at } => match key.code {
            KeyCode::Up | KeyCode::Char('k') => *at = at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *at = (*at + 1).min(members.len().saturating_sub(1)),
            KeyCode::Enter => {
                let run = state.thread().and_then(Thread::live).and_then(|run| run.run_id.clone());
                let skipped = run.zip(members.get(*at).cloned());
                return skipped.map(|(run, member)| Effect::Skip { run, member }).into_iter().collect();
            }
            _ => {}
        },
        Popup::Prompt { asks, area } => match key.code {
            KeyCode::Enter => return asked(state, asks.clone(), area.lines().concat().trim()),
            _ => typed(area, key),
        },
        Popup::Delete(id, _) => {
            if key.code == KeyCode::Char('y') {
                return vec![Effect::Delete { conversation: std::mem::take(id) }];
            }
        }
        Popup::Leave => match key.code {
            KeyCode::Char('l') => return leave(Vec::new()),
            KeyCode::Char('s') => {
                let live = state.threads.values().filter_map(Thread::live);
                return leave(live.filter_map(|run| run.run_id.clone()).collect());
            }
            _ => {}
        },
    }
    state.popup = Some(popup);
    Vec::new()
}

fn switch(state: &mut State, at: usize) {
    let mut rows = options::rows(&state.settings, &state.presets);
    if at >= rows.len() {
        return;
    }
    match rows.swap_remove(at).change {
        options::Change::Set(setting) => drop(set(state, &setting)),
        options::Change::Preset(preset) => with_preset(state, preset),
    }
}

/// Handles a line that was prompted for.
fn asked(state: &mut State, asks: Prompt, value: &str) -> Vec<Effect> {
    match asks {
        Prompt::Search => search(state, value),
        Prompt::Export(conversation) if !value.is_empty() => {
            vec![Effect::Export { conversation, file: value.to_owned() }]
        }
        Prompt::Tags(_) => vec![Effect::Change { asks, value: value.to_owned() }],
        Prompt::Title(_) | Prompt::Correction(_) if !value.is_empty() => {
            vec![Effect::Change { asks, value: value.to_owned() }]
        }
        Prompt::Title(_) | Prompt::Export(_) | Prompt::Correction(_) => Vec::new(),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named means nothing here")]
fn clicked(state: &mut State, mouse: MouseEvent) -> Vec<Effect> {
    let at = Position::new(mouse.column, mouse.row);
    let target = state.targets.iter().rev().find(|(area, _)| area.contains(at)).map(|(_, target)| *target);
    let pane = state.targets.iter().rev().find_map(|(area, target)| match target {
        Target::Pane(pane) if area.contains(at) => Some(*pane),
        Target::Pane(_) | Target::Item(_) | Target::Tab(_) | Target::Key(_) => None,
    });
    match mouse.kind {
        MouseEventKind::ScrollUp => wheel(state, pane, KeyCode::Up),
        MouseEventKind::ScrollDown => wheel(state, pane, KeyCode::Down),
        MouseEventKind::Down(MouseButton::Left) if state.popup.is_none() => match target {
            None => Vec::new(),
            Some(Target::Pane(pane)) => {
                state.pane = pane;
                Vec::new()
            }
            Some(Target::Item(at)) => {
                state.list.selected = at;
                open(state)
            }
            Some(Target::Tab(tab)) => act(state, Action::Show(tab)),
            Some(Target::Key(action)) => act(state, action),
        },
        _ => Vec::new(),
    }
}

/// Scrolls the pane under the pointer, whichever has the focus.
fn wheel(state: &mut State, pane: Option<Pane>, direction: KeyCode) -> Vec<Effect> {
    if state.popup.is_some() {
        return (0..WHEEL)
            .flat_map(|_| in_popup(state, KeyEvent::new(direction, KeyModifiers::NONE)))
            .collect();
    }
    let Some(pane) = pane else { return Vec::new() };
    wheeled(state, pane, direction == KeyCode::Up, WHEEL)
}
