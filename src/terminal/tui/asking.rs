//! A question on its way: what the screen shows before events arrive, as they do, and if none do.

use std::collections::HashMap;

use serde_json::Value;

use super::effects::{Effect, Reply};
use super::panes::Tab;
use super::state::{Item, Link, Popup, Replaced, State, Thread, Turn, area, text};
use crate::terminal::chat::settings::Preset;
use crate::terminal::exit;
use crate::terminal::live::piece::Costs;
use crate::terminal::live::{LiveRun, RunStatus};
use crate::terminal::query;
use crate::terminal::session::{Place, Step, Trouble};
use crate::terminal::text::{one_line, truncate};

/// The most columns of the provisional title of a new conversation.
const TITLE_COLUMNS: usize = 40;

/// Asks in the conversation that is open, or begins one.
pub fn ask(state: &mut State, question: String) -> Vec<Effect> {
    if state.thread().is_some_and(|thread| thread.link != Link::None) {
        state.complain("The last question is still being answered: wait, or stop it with Ctrl-C.");
        state.area = area(&as_typed(&question));
        return Vec::new();
    }
    let begins = state.open.is_none();
    let conversation = state.open.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let body = query::with_question(state.settings.fields(), &question, false);
    let thread = state.threads.entry(conversation.clone()).or_default();
    if thread.title.is_empty() {
        thread.title = truncate(&one_line(&question), TITLE_COLUMNS).into_owned();
    }
    thread.turns.push(Turn { question, ..Turn::default() });
    follow(thread);
    if begins {
        let item =
            Item { id: conversation.clone(), title: thread.title.clone(), running: true, ..Item::default() };
        if state.list.query.is_empty() {
            state.list.items.insert(0, item);
            state.list.selected = 0;
            state.list.problem = None;
        }
    }
    state.open = Some(conversation.clone());
    vec![Effect::Ask { conversation, begins, body }]
}

/// Asks again what failed in this run: the new run takes its place.
fn again(state: &mut State, conversation: &str, run: String) {
    let Some(thread) = state.threads.get_mut(conversation) else { return };
    if let Some(turn) = thread.turns.last_mut() {
        let earlier = std::mem::take(turn);
        let mut replaced = earlier.replaced;
        // Where the conversation was read again meanwhile, it already names the run among those before.
        if earlier.run.run_id.as_ref() == Some(&run) {
            replaced.push(Replaced { run_id: run, costs: earlier.run.costs.clone() });
        }
        *turn = Turn { question: earlier.question, replaced, ..Turn::default() };
    }
    follow(thread);
}

/// Says what the conversation has cost, now that the costs of these runs are known.
fn priced(state: &mut State, conversation: &str, costs: Vec<(String, Costs)>) {
    let Some(thread) = state.threads.get_mut(conversation) else { return };
    let mut costs: HashMap<String, Costs> = costs.into_iter().collect();
    for replaced in thread.turns.iter_mut().flat_map(|turn| &mut turn.replaced) {
        if let Some(costs) = costs.remove(&replaced.run_id) {
            replaced.costs = Some(costs);
        }
    }
    let said = thread.cost();
    if state.open.as_deref() == Some(conversation) {
        state.say(said);
    }
}

/// A conversation was deleted; it must not be continued.
fn deleted(state: &mut State, conversation: &str) -> Vec<Effect> {
    state.threads.remove(conversation);
    if state.open.take_if(|open| open == conversation).is_some() {
        // They were for its next question.
        state.settings.files.clear();
    }
    state.say("Deleted.");
    vec![Effect::List { query: state.list.query.clone() }]
}

/// Shows the last turn, and follows its progress.
fn follow(thread: &mut Thread) {
    thread.show(usize::MAX, Tab::Answers);
    thread.follows = true;
    thread.link = Link::Following;
    thread.stopping = false;
    thread.begun.clear();
}

/// Applies a reply.
pub fn reply(state: &mut State, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Listed { query, items } => listed(state, &query, items),
        Reply::Opened { conversation, stored } => return opened(state, &conversation, stored),
        Reply::Refused { conversation, trouble } => refused(state, &conversation, &trouble),
        Reply::Step { conversation, step } => return stepped(state, &conversation, step),
        Reply::Again { conversation, run } => again(state, &conversation, run),
        Reply::Costs { conversation, costs } => priced(state, &conversation, costs),
        Reply::Deleted { conversation } => return deleted(state, &conversation),
        Reply::Ended { conversation } => return ended(state, &conversation),
        Reply::Presets(presets) => state.presets = presets,
        Reply::Preset(preset) => with_preset(state, preset),
        Reply::Attached { files, to } if to == state.open => {
            let said = state.settings.attach(files);
            state.say(said);
        }
        Reply::Attached { .. } => {
            state.complain("The file was not added: another conversation is open by now.");
        }
        Reply::Done { said, is_new } => {
            if !said.is_empty() {
                state.say(said);
            }
            if is_new {
                return vec![Effect::List { query: state.list.query.clone() }];
            }
        }
        Reply::Trouble(trouble) => state.complain(trouble.to_string()),
        Reply::Left(_) => {}
    }
    Vec::new()
}

fn listed(state: &mut State, query: &str, items: Result<Vec<Item>, Trouble>) {
    // The reply to a search that has changed since.
    if query != state.list.query {
        return;
    }
    state.list.is_loading = false;
    match items {
        Ok(mut items) => {
            // A question that is on its way has no conversation at the server yet.
            let known = std::mem::take(&mut state.list.items);
            let is_asked =
                |item: &Item| state.threads.get(&item.id).is_some_and(|thread| thread.link != Link::None);
            let missing = known.iter().filter(|item| query.is_empty() && is_asked(item));
            let missing = missing.filter(|item| !items.iter().any(|listed| listed.id == item.id));
            let missing: Vec<Item> = missing.cloned().collect();
            items.splice(0..0, missing);
            let selected = known.get(state.list.selected).map(|item| item.id.clone());
            let at = items.iter().position(|item| Some(&item.id) == selected.as_ref());
            for item in &items {
                if let Some(thread) = state.threads.get_mut(&item.id) {
                    thread.title.clone_from(&item.title);
                }
            }
            state.list.items = items;
            state.list.selected = at.unwrap_or(0);
            state.list.problem = None;
        }
        Err(trouble) => {
            // Nothing is kept there, so this is not an error.
            if state.place != Place::Ephemeral {
                state.complain(trouble.to_string());
            }
            state.list.problem = Some(trouble.to_string());
        }
    }
}

fn opened(state: &mut State, conversation: &str, stored: Result<Value, Trouble>) -> Vec<Effect> {
    let stored = match stored {
        Ok(stored) => stored,
        Err(trouble) => {
            state.complain(trouble.to_string());
            return Vec::new();
        }
    };
    let Some(thread) = state.threads.get_mut(conversation) else { return Vec::new() };
    if thread.link != Link::None {
        return Vec::new();
    }
    let title = text(&stored, "title");
    if !title.is_empty() {
        thread.title = title;
    }
    // What is known of their costs need not be read once more.
    let known: HashMap<String, Costs> = thread.turns.drain(..).flat_map(costs_by_run).collect();
    for message in stored.get("messages").and_then(Value::as_array).into_iter().flatten() {
        if text(message, "role") == "user" {
            thread.turns.push(Turn { question: text(message, "content"), ..Turn::default() });
            continue;
        }
        let run = LiveRun::of_message(message);
        let earlier = message.get("earlier_runs").and_then(Value::as_array).into_iter().flatten();
        let earlier = earlier.filter_map(Value::as_str);
        let replaced = |id: &str| Replaced { run_id: id.to_owned(), costs: known.get(id).cloned() };
        let replaced: Vec<Replaced> = earlier.map(replaced).collect();
        match thread.turns.last_mut() {
            Some(turn) if turn.run == LiveRun::default() => {
                turn.run = run;
                turn.replaced = replaced;
            }
            // An imported conversation may have several answers to a question.
            Some(turn) => {
                let question = turn.question.clone();
                thread.turns.push(Turn { question, run, replaced, problem: None });
            }
            None => thread.turns.push(Turn { run, replaced, ..Turn::default() }),
        }
    }
    thread.show(usize::MAX, Tab::Final);
    let last = thread.turns.last().filter(|turn| turn.run.status.is_live());
    let Some(run) = last.and_then(|turn| turn.run.run_id.clone()) else { return Vec::new() };
    // Its events repeat everything from the beginning.
    if let Some(turn) = thread.turns.last_mut() {
        turn.run = LiveRun::default();
    }
    follow(thread);
    vec![Effect::Follow { conversation: conversation.to_owned(), run }]
}

/// What the runs of a turn have cost, each by its id, as far as it is known.
fn costs_by_run(turn: Turn) -> impl Iterator<Item = (String, Costs)> {
    let last = turn.run.run_id.clone().zip(turn.run.costs.clone());
    turn.replaced.into_iter().filter_map(|replaced| Some((replaced.run_id, replaced.costs?))).chain(last)
}

/// A question as it was typed: one that begins with a slash has another before it.
fn as_typed(question: &str) -> String {
    let slash = if question.starts_with('/') { "/" } else { "" };
    format!("{slash}{question}")
}

/// The question was refused: its text returns to the composer, before what was typed since, to be changed and asked
/// again.
fn refused(state: &mut State, conversation: &str, trouble: &Trouble) {
    state.complain(trouble.to_string());
    let Some(thread) = state.threads.get_mut(conversation) else { return };
    thread.link = Link::None;
    let turn = thread.turns.pop().unwrap_or_default();
    let is_first = thread.turns.is_empty();
    thread.show(usize::MAX, Tab::Final);
    let question = as_typed(&turn.question);
    let since = state.take_typed();
    let both = if since.is_empty() { question } else { format!("{question}\n\n{since}") };
    state.area = area(&both);
    if is_first {
        state.threads.remove(conversation);
        state.list.items.retain(|item| item.id != conversation);
        state.open.take_if(|open| open == conversation);
    }
}

fn stepped(state: &mut State, conversation: &str, step: Step) -> Vec<Effect> {
    let Some(thread) = state.threads.get_mut(conversation) else { return Vec::new() };
    match step {
        Step::Event { event, .. } => {
            thread.link = Link::Following;
            let Some(turn) = thread.turns.last_mut() else { return Vec::new() };
            turn.run.apply(&event);
            if thread.stopping
                && let Some(run) = turn.run.run_id.clone()
            {
                thread.stopping = false;
                return vec![Effect::Cancel { run }];
            }
            if let Some(title) = &turn.run.title {
                thread.title.clone_from(title);
                if let Some(item) = state.list.items.iter_mut().find(|item| item.id == conversation) {
                    item.title.clone_from(title);
                }
            }
            if thread.follows {
                let tab = Tab::of(&turn.run);
                if tab != thread.tab {
                    thread.tab = tab;
                    thread.top = 0;
                }
            }
        }
        Step::Lost(why) => thread.link = Link::Lost(why),
        Step::Back => thread.link = Link::Following,
        Step::Gone(trouble) => {
            thread.link = Link::None;
            if let Some(turn) = thread.turns.last_mut() {
                turn.problem = Some(format!("{trouble}. F5 reloads it."));
            }
            state.complain(trouble.to_string());
        }
    }
    Vec::new()
}

/// The stream is over. A turn that was followed to its end is shown from its beginning.
fn ended(state: &mut State, conversation: &str) -> Vec<Effect> {
    let is_open = state.open.as_deref() == Some(conversation);
    if let Some(thread) = state.threads.get_mut(conversation) {
        thread.link = Link::None;
        if thread.follows {
            thread.follows = false;
            thread.top = 0;
        }
        let status = thread.turns.last().map(|turn| turn.run.status);
        let title = thread.title.clone();
        match (status, is_open) {
            (Some(RunStatus::Cancelled), true) => state.say("Stopped."),
            (Some(RunStatus::Complete), false) => state.say(format!("Answered: {title}")),
            _ => {}
        }
    }
    if matches!(state.popup, Some(Popup::Leave)) && !state.is_live() {
        return vec![Effect::Leave { stop: Vec::new(), code: exit::ANSWERED }];
    }
    if state.place == Place::Ephemeral {
        return Vec::new();
    }
    vec![Effect::List { query: state.list.query.clone() }]
}

/// Asks with this preset from now on.
pub fn with_preset(state: &mut State, preset: Preset) {
    state.say(format!("Preset: {}.", preset.name));
    state.settings.preset = Some(preset);
}
