//! Every key, what it does, and how the list of keys describes it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::panes::{Pane, Tab};
use crate::terminal::live::features::NEXT_FORMAT;

/// What a person can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Help,
    NextPane,
    PreviousPane,
    Begin,
    Interrupt,
    Leave,
    Suspend,
    Redraw,
    Refresh,
    Format,
    Options,
    /// Goes to the conversations.
    List,
    Search,
    Show(Tab),
    NextTab,
    PreviousTab,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Follow,
    NextTurn,
    PreviousTurn,
    Copy,
    CopyShown,
    Export,
    Stop,
    Retry,
    Skip,
    Correct,
    Title,
    Tags,
    Write,
    Open,
    Delete,
    Send,
    NewLine,
    /// Goes one step back.
    Back,
}

/// The pane in which a key does this; every pane if `None`.
type When = Option<Pane>;

/// A line of the list of keys.
pub struct Binding {
    pub when: When,
    keys: &'static [(KeyCode, KeyModifiers)],
    /// The key as it is written in the list.
    pub shown: &'static str,
    pub action: Action,
    pub says: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;

const fn c(key: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(key), NONE)
}

const fn ctrl(key: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(key), CTRL)
}

const fn alt(key: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(key), ALT)
}

const fn k(code: KeyCode) -> (KeyCode, KeyModifiers) {
    (code, NONE)
}

const fn b(
    when: When,
    keys: &'static [(KeyCode, KeyModifiers)],
    shown: &'static str,
    action: Action,
    says: &'static str,
) -> Binding {
    Binding { when, keys, shown, action, says }
}

const READ: When = Some(Pane::Reading);
const LIST: When = Some(Pane::List);
const WRITE: When = Some(Pane::Writing);

/// All keys, in the order in which they are listed. Of two that fit, that of the pane wins.
pub const KEYS: &[Binding] = &[
    b(None, &[k(KeyCode::F(1))], "F1", Action::Help, "these keys"),
    b(None, &[k(KeyCode::Tab)], "Tab", Action::NextPane, "the next pane"),
    b(None, &[k(KeyCode::BackTab)], "Shift-Tab", Action::PreviousPane, "the one before"),
    b(None, &[k(KeyCode::F(2))], "F2", Action::Format, NEXT_FORMAT),
    b(None, &[k(KeyCode::F(3))], "F3", Action::Options, "options and presets"),
    b(None, &[k(KeyCode::F(5))], "F5", Action::Refresh, "reload the conversations; reconnect to a run"),
    b(None, &[ctrl('n')], "Ctrl-N", Action::Begin, "a new conversation"),
    b(None, &[ctrl('s')], "Ctrl-S", Action::Search, "search the conversations"),
    b(None, &[alt('1')], "Alt-1", Action::Show(Tab::Answers), "answers, from everywhere"),
    b(None, &[alt('2')], "Alt-2", Action::Show(Tab::Reviews), "reviews"),
    b(None, &[alt('3')], "Alt-3", Action::Show(Tab::Final), "the final answer"),
    b(None, &[alt('4')], "Alt-4", Action::Show(Tab::Process), "what goes on, and what it costs"),
    b(None, &[k(KeyCode::PageUp)], "PgUp", Action::PageUp, "a page up"),
    b(None, &[k(KeyCode::PageDown)], "PgDn", Action::PageDown, "a page down"),
    b(None, &[ctrl('c')], "Ctrl-C", Action::Interrupt, "stop the run; twice: leave at once"),
    b(None, &[ctrl('l')], "Ctrl-L", Action::Redraw, "draw the screen again"),
    b(None, &[ctrl('z')], "Ctrl-Z", Action::Suspend, "back to the shell; `fg` comes back"),
    b(None, &[ctrl('q')], "Ctrl-Q", Action::Leave, "leave"),
    b(READ, &[c('1')], "1", Action::Show(Tab::Answers), "answers"),
    b(READ, &[c('2')], "2", Action::Show(Tab::Reviews), "reviews"),
    b(READ, &[c('3')], "3", Action::Show(Tab::Final), "the final answer"),
    b(READ, &[c('4')], "4", Action::Show(Tab::Process), "what goes on, and what it costs"),
    b(READ, &[k(KeyCode::Right), c('l')], "Right, l", Action::NextTab, "the next tab"),
    b(READ, &[k(KeyCode::Left), c('h')], "Left, h", Action::PreviousTab, "the one before"),
    b(READ, &[k(KeyCode::Up), c('k')], "Up, k", Action::Up, "a line up"),
    b(READ, &[k(KeyCode::Down), c('j')], "Down, j", Action::Down, "a line down"),
    b(READ, &[c(' ')], "Space", Action::PageDown, "a page down"),
    b(READ, &[c('b')], "b", Action::PageUp, "a page up"),
    b(READ, &[k(KeyCode::Home), c('g')], "Home, g", Action::Top, "the beginning"),
    b(READ, &[k(KeyCode::End), c('G')], "End, G", Action::Bottom, "the end"),
    b(READ, &[c('f')], "f", Action::Follow, "follow what goes on, or scroll"),
    b(READ, &[c(']'), c('n')], "], n", Action::NextTurn, "the next question"),
    b(READ, &[c('['), c('p')], "[, p", Action::PreviousTurn, "the one before"),
    b(READ, &[c('y')], "y", Action::Copy, "copy the final answer"),
    b(READ, &[c('Y')], "Y", Action::CopyShown, "copy what the tab shows"),
    b(READ, &[c('e')], "e", Action::Export, "export the conversation to a file"),
    b(READ, &[c('x')], "x", Action::Stop, "stop the run"),
    b(READ, &[c('s')], "s", Action::Skip, "go on without a member"),
    b(READ, &[c('c')], "c", Action::Correct, "correct the question while its members answer"),
    b(READ, &[c('r')], "r", Action::Retry, "ask again what failed"),
    b(READ, &[c('t')], "t", Action::Title, "change the title"),
    b(READ, &[c('#')], "#", Action::Tags, "change the tags"),
    b(READ, &[k(KeyCode::Enter), c('i')], "Enter, i", Action::Write, "write"),
    b(READ, &[k(KeyCode::Esc)], "Esc", Action::Back, "to the conversations"),
    b(READ, &[c('?')], "?", Action::Help, "these keys"),
    b(READ, &[c('q')], "q", Action::Leave, "leave"),
    b(LIST, &[k(KeyCode::Up), c('k')], "Up, k", Action::Up, "the conversation before"),
    b(LIST, &[k(KeyCode::Down), c('j')], "Down, j", Action::Down, "the next one"),
    b(LIST, &[k(KeyCode::Home), c('g')], "Home, g", Action::Top, "the first"),
    b(LIST, &[k(KeyCode::End), c('G')], "End, G", Action::Bottom, "the last"),
    b(LIST, &[k(KeyCode::Enter), k(KeyCode::Right), c('l')], "Enter, l", Action::Open, "open it"),
    b(LIST, &[c('/')], "/", Action::Search, "search; #tag for a tag"),
    b(LIST, &[c('n')], "n", Action::Begin, "a new conversation"),
    b(LIST, &[c('t')], "t", Action::Title, "change its title"),
    b(LIST, &[c('#')], "#", Action::Tags, "change its tags"),
    b(LIST, &[c('d'), k(KeyCode::Delete)], "d", Action::Delete, "delete it"),
    b(LIST, &[k(KeyCode::Esc)], "Esc", Action::Back, "all conversations; then on to reading"),
    b(LIST, &[c('?')], "?", Action::Help, "these keys"),
    b(LIST, &[c('q')], "q", Action::Leave, "leave"),
    b(WRITE, &[k(KeyCode::Enter)], "Enter", Action::Send, "ask; a line that begins with / is a command"),
    b(
        WRITE,
        &[(KeyCode::Enter, ALT), (KeyCode::Enter, KeyModifiers::SHIFT), ctrl('j')],
        "Alt-Enter, Ctrl-J",
        Action::NewLine,
        "another line",
    ),
    b(WRITE, &[k(KeyCode::Esc)], "Esc", Action::Back, "to the deliberation"),
];

/// The action of this key in this pane; `None` if it has none or is text input.
#[must_use]
pub fn action(pane: Pane, key: KeyEvent) -> Option<Action> {
    // Whether a capital letter comes with Shift differs between terminals.
    let is_letter = matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab);
    let without = if is_letter { key.modifiers - KeyModifiers::SHIFT } else { key.modifiers };
    let pressed = (key.code, without);
    let fits =
        |when: When| KEYS.iter().find(|binding| binding.when == when && binding.keys.contains(&pressed));
    fits(Some(pane)).or_else(|| fits(None)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things_in_one_place() {
        for (at, one) in KEYS.iter().enumerate() {
            for other in KEYS.iter().skip(at + 1).filter(|other| other.when == one.when) {
                let same = one.keys.iter().find(|key| other.keys.contains(key));
                assert_eq!(same, None, "{} and {}", one.says, other.says);
            }
        }
    }

    #[test]
    fn nothing_that_is_typed_does_anything_else_while_one_writes() {
        for typed in ('!'..='~').chain([' ', 'ä', '漢']) {
            for shift in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
                assert_eq!(action(Pane::Writing, KeyEvent::new(KeyCode::Char(typed), shift)), None);
            }
        }
    }
}
