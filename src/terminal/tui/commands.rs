//! Commands that are typed: the same as in a chat, unless the screen has a better way.

use super::effects::Effect;
use super::keys::Action;
use super::state::{Prompt, State, Thread};
use crate::terminal::chat::command::{Command, Setting};
use crate::terminal::chat::save_new;
use crate::terminal::query::for_pipe;

/// The result of a command.
pub enum CommandResult {
    Effects(Vec<Effect>),
    /// Does the same as the key for this action.
    As(Action),
}

/// Executes a command.
pub fn execute(state: &mut State, command: Command) -> CommandResult {
    let effects = match command {
        Command::Help => return CommandResult::As(Action::Help),
        Command::New => return CommandResult::As(Action::Begin),
        Command::History => return CommandResult::As(Action::List),
        Command::Use(number) if number <= state.list.items.len() => {
            state.list.selected = number - 1;
            return CommandResult::As(Action::Open);
        }
        Command::Use(number) => {
            state.complain(format!("There is no number {number}: {} are listed.", state.list.items.len()));
            Vec::new()
        }
        Command::Title(None) => {
            let title = state.thread().map(|thread| thread.title.clone());
            state.say(title.unwrap_or_else(|| "There is no conversation yet.".to_owned()));
            Vec::new()
        }
        Command::Title(Some(value)) => match state.open.clone() {
            Some(id) => vec![Effect::Change { asks: Prompt::Title(id), value }],
            None => no_conversation(state),
        },
        Command::Set(setting) => set(state, &setting),
        Command::ShowModels => {
            let members = state.settings.models().map(|models| models.join(", "));
            state.say(members.unwrap_or_else(|| "The council in your settings answers.".to_owned()));
            Vec::new()
        }
        Command::ShowPresets => return CommandResult::As(Action::Options),
        Command::Preset(name) => vec![Effect::Preset { name }],
        Command::ShowFiles => {
            state.say(state.settings.attached());
            Vec::new()
        }
        Command::Attach(file) => {
            vec![Effect::Attach { file, already: state.settings.files.len(), to: state.open.clone() }]
        }
        Command::Cost => cost(state),
        Command::Save(path) => {
            let answer = state.thread().and_then(Thread::turn);
            let answer = answer.map(|turn| for_pipe(turn.run.final_answer.piece.text.trim()));
            match answer.filter(|answer| !answer.is_empty()) {
                Some(answer) => match save_new(&path, &format!("{answer}\n")) {
                    Ok(said) => state.say(said),
                    Err(trouble) => state.complain(trouble.to_string()),
                },
                None => state.complain("There is no answer yet to save."),
            }
            Vec::new()
        }
        // The typed file name decides the format.
        Command::Export(_) => return CommandResult::As(Action::Export),
        Command::Retry => return CommandResult::As(Action::Retry),
        Command::Exit => return CommandResult::As(Action::Leave),
    };
    CommandResult::Effects(effects)
}

/// Says what the conversation has cost, once the costs of runs that were replaced are read.
fn cost(state: &mut State) -> Vec<Effect> {
    let Some((conversation, thread)) = state.open.clone().zip(state.thread()) else {
        state.say("Nothing was asked yet.");
        return Vec::new();
    };
    let unread = thread.turns.iter().flat_map(|turn| &turn.replaced).filter(|run| run.costs.is_none());
    let runs: Vec<String> = unread.map(|run| run.run_id.clone()).collect();
    if !runs.is_empty() {
        return vec![Effect::Costs { conversation, runs }];
    }
    let said = thread.cost();
    state.say(said);
    Vec::new()
}

/// Changes how the next question is asked.
pub fn set(state: &mut State, setting: &Setting) -> Vec<Effect> {
    match state.settings.apply(setting) {
        Ok(said) => state.say(said),
        Err(problem) => state.complain(problem),
    }
    Vec::new()
}

fn no_conversation(state: &mut State) -> Vec<Effect> {
    state.complain("There is no conversation yet: the first question begins it.");
    Vec::new()
}
