//! The effect of each action on the screen, and the requests that it needs. Nothing here waits.

use ratatui_textarea::WrapMode;

use super::asking;
use super::commands::{CommandResult, execute, set};
use super::effects::Effect;
use super::keys::Action;
use super::options;
use super::panes::{Pane, Tab};
use super::reading::as_text;
use super::state::{Link, Popup, Prompt, State, Thread, area};
use crate::terminal::chat::command::{Line, parse};
use crate::terminal::exit;
use crate::terminal::live::LiveRun;
use crate::terminal::query::{STOPPING, for_pipe};
use crate::terminal::session::Place;
use crate::terminal::text::one_line;

/// Performs the action of a key or a click.
pub fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => state.popup = Some(Popup::Help { top: 0 }),
        Action::NextPane => state.pane = turned(state.pane, 1),
        Action::PreviousPane => state.pane = turned(state.pane, 2),
        Action::Begin => {
            state.open = None;
            state.settings.files.clear();
            state.pane = Pane::Writing;
        }
        Action::Interrupt => return interrupt(state, false),
        Action::Leave if state.is_live() => state.popup = Some(Popup::Leave),
        Action::Leave => return leave(Vec::new()),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Refresh => return refresh(state),
        Action::Format => return set(state, &options::next_format(&state.settings)),
        Action::Options => {
            state.popup = Some(Popup::Options { at: 0 });
            return vec![Effect::Presets];
        }
        Action::List => state.pane = Pane::List,
        Action::Search => state.popup = Some(prompt(Prompt::Search, "")),
        Action::Show(tab) => show(state, |_| tab),
        Action::NextTab => show(state, |tab| Tab::ALL[(tab as usize + 1) % Tab::ALL.len()]),
        Action::PreviousTab => {
            show(state, |tab| Tab::ALL[(tab as usize + Tab::ALL.len() - 1) % Tab::ALL.len()]);
        }
        Action::Up => return up(state, 1),
        Action::Down => return down(state, 1),
        Action::PageUp => return up(state, state.page),
        Action::PageDown => return down(state, state.page),
        Action::Top => return up(state, usize::MAX),
        Action::Bottom => return down(state, usize::MAX / 2),
        Action::Follow => {
            if let Some(thread) = state.thread_mut() {
                thread.follows = !thread.follows;
            }
        }
        Action::NextTurn => turn(state, |shown| shown + 1),
        Action::PreviousTurn => turn(state, |shown| shown.saturating_sub(1)),
        Action::Copy => return copy(state),
        Action::CopyShown => return copy_shown(state),
        Action::Stop => {
            return stop(state).unwrap_or_else(|| {
                state.say("Nothing is running here.");
                Vec::new()
            });
        }
        Action::Retry => return retry(state),
        Action::Skip => skip(state),
        Action::Correct => correct(state),
        Action::Title => prompted(state, Prompt::Title),
        Action::Tags => prompted(state, Prompt::Tags),
        Action::Export => prompted(state, Prompt::Export),
        Action::Write => state.pane = Pane::Writing,
        Action::Open => return open(state),
        Action::Delete => {
            if let Some(item) = state.list.items.get(state.list.selected) {
                state.popup = Some(Popup::Delete(item.id.clone(), item.title.clone()));
            }
        }
        Action::Send => return send(state),
        Action::NewLine => state.area.insert_newline(),
        Action::Back => return back(state),
    }
    Vec::new()
}

fn turned(pane: Pane, by: usize) -> Pane {
    const ORDER: [Pane; 3] = [Pane::List, Pane::Reading, Pane::Writing];
    let at = ORDER.iter().position(|one| *one == pane).unwrap_or_default();
    ORDER[(at + by) % ORDER.len()]
}

fn refresh(state: &mut State) -> Vec<Effect> {
    let mut effects = vec![Effect::List { query: state.list.query.clone() }];
    state.list.is_loading = true;
    if let Some((id, thread)) = state.open.clone().zip(state.thread())
        && thread.link == Link::None
        && state.place != Place::Ephemeral
    {
        effects.push(Effect::Open { conversation: id });
    }
    effects
}

fn show(state: &mut State, next: impl Fn(Tab) -> Tab) {
    if let Some(thread) = state.thread_mut() {
        thread.tab = next(thread.tab);
        thread.top = 0;
        thread.follows = false;
    }
}

fn up(state: &mut State, lines: usize) -> Vec<Effect> {
    if state.pane == Pane::List {
        state.list.selected = state.list.selected.saturating_sub(lines);
    } else if let Some(thread) = state.thread_mut() {
        thread.top = thread.top.saturating_sub(lines);
        thread.follows = false;
    }
    Vec::new()
}

fn down(state: &mut State, lines: usize) -> Vec<Effect> {
    if state.pane == Pane::List {
        let last = state.list.items.len().saturating_sub(1);
        state.list.selected = state.list.selected.saturating_add(lines).min(last);
    } else if let Some(thread) = state.thread_mut() {
        // Drawing limits this to the last page.
        thread.top = thread.top.saturating_add(lines);
        thread.follows = false;
    }
    Vec::new()
}

fn turn(state: &mut State, to: impl Fn(usize) -> usize) {
    if let Some(thread) = state.thread_mut() {
        thread.show(to(thread.shown), thread.tab);
    }
}

fn copy(state: &mut State) -> Vec<Effect> {
    let answer = state.thread().and_then(Thread::turn).map(|turn| turn.run.final_answer.piece.text.trim());
    match answer.filter(|answer| !answer.is_empty()) {
        Some(answer) => vec![Effect::Copy { text: for_pipe(answer), says: "The final answer is copied." }],
        None => {
            state.complain("There is no final answer yet.");
            Vec::new()
        }
    }
}

fn copy_shown(state: &State) -> Vec<Effect> {
    let shown = state.thread().and_then(|thread| Some(as_text(thread.turn()?, thread.tab)));
    let copy = |text: String| Effect::Copy { text: for_pipe(&text), says: "What the tab shows is copied." };
    shown.map(copy).into_iter().collect()
}

fn retry(state: &mut State) -> Vec<Effect> {
    let last = state.open.clone().zip(state.thread().and_then(|thread| thread.turns.last()));
    let run = last.and_then(|(conversation, turn)| {
        (!turn.run.status.is_live()).then_some(())?;
        Some((conversation, turn.run.run_id.clone()?))
    });
    let Some((conversation, run)) = run else {
        state.complain("There is no run here that could be tried again.");
        return Vec::new();
    };
    vec![Effect::Retry { conversation, run }]
}

fn skip(state: &mut State) {
    let open = |run: &LiveRun| {
        let answers = run.answers.iter().map(|answer| &answer.piece);
        let open = answers.chain(run.reviews.iter().map(|review| &review.piece));
        open.filter(|piece| piece.status.is_open()).map(|piece| piece.seat.member.clone()).collect::<Vec<_>>()
    };
    let members = state.thread().and_then(Thread::live).map(open).unwrap_or_default();
    if members.is_empty() {
        state.say("No member is still at work.");
    } else {
        state.popup = Some(Popup::Skip { members, at: 0 });
    }
}

/// Asks what is to be added to the question that is being answered; the server decides until when that is possible.
fn correct(state: &mut State) {
    match state.thread().and_then(Thread::live).and_then(|run| run.run_id.clone()) {
        Some(run) => state.popup = Some(prompt(Prompt::Correction(run), "")),
        None => state.say("Nothing is being answered here."),
    }
}

fn prompt(asks: Prompt, text: &str) -> Popup {
    let mut typed = area(&one_line(text));
    typed.set_wrap_mode(WrapMode::None);
    Popup::Prompt { asks, area: Box::new(typed) }
}

/// Asks for the title, the tags or a file of the conversation that is selected or open.
fn prompted(state: &mut State, asks: fn(String) -> Prompt) {
    let of_list = state.list.items.get(state.list.selected).filter(|_| state.pane == Pane::List);
    let id = of_list.map(|item| item.id.clone()).or_else(|| state.open.clone());
    let Some(id) = id else {
        state.complain("There is no conversation yet: the first question begins it.");
        return;
    };
    let item = state.list.items.iter().find(|item| item.id == id);
    let title = item.map(|item| item.title.clone());
    let title =
        title.or_else(|| state.threads.get(&id).map(|thread| thread.title.clone())).unwrap_or_default();
    let tags = item.map(|item| item.tags.join(" ")).unwrap_or_default();
    let asks = asks(id);
    let known = match &asks {
        Prompt::Title(_) => title,
        Prompt::Tags(_) => tags,
        Prompt::Export(_) => format!("{}.md", file_name(&title)),
        Prompt::Search | Prompt::Correction(_) => String::new(),
    };
    state.popup = Some(prompt(asks, &known));
}

/// The title as a file name that is valid on every system.
fn file_name(title: &str) -> String {
    let kept: String = one_line(title)
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '-' { c } else { ' ' })
        .take(60)
        .collect();
    let name = kept.split_whitespace().collect::<Vec<_>>().join("-");
    if name.is_empty() { "conversation".to_owned() } else { name }
}

/// Opens the conversation that is selected.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let Some(item) = state.list.items.get(state.list.selected).cloned() else { return Vec::new() };
    if state.open.as_ref() != Some(&item.id) {
        state.settings.files.clear();
    }
    state.open = Some(item.id.clone());
    state.pane = Pane::Reading;
    let known = state.threads.entry(item.id.clone()).or_default();
    known.title = item.title;
    // The run that is followed is newer than the stored message.
    if known.link == Link::None { vec![Effect::Open { conversation: item.id }] } else { Vec::new() }
}

fn send(state: &mut State) -> Vec<Effect> {
    let typed = state.take_typed();
    match parse(&typed) {
        Ok(Line::Empty) => Vec::new(),
        Ok(Line::Command(command)) => match execute(state, command) {
            CommandResult::Effects(effects) => effects,
            CommandResult::As(action) => act(state, action),
        },
        Ok(Line::Question(question)) => asking::ask(state, question),
        Err(problem) => {
            state.area = area(&typed);
            state.complain(problem);
            Vec::new()
        }
    }
}

/// Goes one step back.
fn back(state: &mut State) -> Vec<Effect> {
    match state.pane {
        Pane::Writing => state.pane = Pane::Reading,
        Pane::Reading => state.pane = Pane::List,
        Pane::List if state.list.query.is_empty() => state.pane = Pane::Reading,
        Pane::List => return search(state, ""),
    }
    Vec::new()
}

/// Stops the run; twice leaves at once.
pub(super) fn interrupt(state: &mut State, is_second: bool) -> Vec<Effect> {
    if is_second {
        return vec![Effect::Leave { stop: Vec::new(), code: exit::CANCELLED }];
    }
    if state.popup.take().is_some() {
        return Vec::new();
    }
    stop(state).unwrap_or_else(|| {
        state.say("Nothing is running here. Ctrl-C again leaves.");
        Vec::new()
    })
}

/// Stops the run that is read; if it has no id yet, as soon as it has one. Silent where nothing runs.
fn stop(state: &mut State) -> Option<Vec<Effect>> {
    let run = state.thread().and_then(Thread::live).map(|run| run.run_id.clone())?;
    if let Some(thread) = state.thread_mut() {
        thread.stopping = run.is_none();
    }
    state.say(STOPPING);
    Some(run.map(|run| Effect::Cancel { run }).into_iter().collect())
}

/// Leaves after these runs are stopped.
pub(super) fn leave(stop: Vec<String>) -> Vec<Effect> {
    vec![Effect::Leave { stop, code: exit::ANSWERED }]
}

/// Lists the conversations that contain these words, or all without words.
pub(super) fn search(state: &mut State, query: &str) -> Vec<Effect> {
    query.clone_into(&mut state.list.query);
    state.list.selected = 0;
    state.list.is_loading = true;
    state.pane = Pane::List;
    vec![Effect::List { query: query.to_owned() }]
}

/// Scrolls this pane, whichever has the focus.
pub(super) fn wheeled(state: &mut State, pane: Pane, is_up: bool, lines: usize) -> Vec<Effect> {
    let kept = std::mem::replace(&mut state.pane, pane);
    let effects = if is_up { up(state, lines) } else { down(state, lines) };
    state.pane = kept;
    effects
}
