//! What a line of a chat says: a question, or a command that begins with a slash. Pure.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::terminal::live::asked::{Format, Switch};
use crate::terminal::live::features::{FORMAT_NAMES, FORMATS, ROUNDS, SWITCHES};
use crate::terminal::text::one_line;

/// A change of how the next question is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    Format(Format, bool),
    Rounds(u8),
    Stream(bool),
    Switch(Switch, bool),
    /// These members are asked, or those of the settings.
    Models(Option<Vec<String>>),
    NoPreset,
    NoFiles,
    Verbose(u8),
    /// Any field of a request; `null` removes it.
    Field(String, Value),
}

/// How a conversation is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    Markdown,
    Json,
}

/// A command.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Help,
    New,
    History,
    /// The conversation of this number in the history, from 1.
    Use(usize),
    /// Says the title, or changes it.
    Title(Option<String>),
    Set(Setting),
    /// Says who answers.
    ShowModels,
    /// Says which presets there are.
    ShowPresets,
    /// The preset of this name.
    Preset(String),
    /// Says which files go with questions.
    ShowFiles,
    /// This file goes with the questions of this conversation from here on.
    Attach(String),
    Cost,
    Save(String),
    Export(Export),
    Retry,
    Exit,
}

/// A line that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Empty,
    Question(String),
    Command(Command),
}

/// A command that can be typed: its name, its arguments, and what it does.
pub type Typed = (&'static str, &'static str, &'static str);

/// All commands that can be typed.
pub static COMMANDS: LazyLock<Vec<Typed>> = LazyLock::new(|| {
    let conversations = [
        ("help", "", "what can be typed"),
        ("new", "", "the next question begins a conversation of its own"),
        ("history", "", "your latest conversations, with numbers for /use"),
        ("use", "N", "go on with the conversation of this number"),
        ("title", "[TEXT]", "the conversation's title, or a new one"),
    ];
    let formats = FORMATS.iter().filter_map(|format| Some((format.name, "on|off", format.command?)));
    let ways = [
        ROUNDS,
        ("mode", FORMAT_NAMES, "the format"),
        ("stream", "on|off", "members one after another, word by word"),
    ];
    let switches = SWITCHES.iter().map(|switch| (switch.word, "on|off", switch.command));
    let others = [
        ("models", "[a,b,c|default]", "who answers"),
        ("preset", "[NAME|none]", "a preset, by its name"),
        ("attach", "[FILE|none]", "a file that goes with the questions of this conversation"),
        ("verbose", "0-3", "how much is told of what goes on"),
        ("set", "FIELD=VALUE", "any field of a request (docs/options.md); null forgets it"),
        ("cost", "", "what this chat has cost, by run"),
        ("save", "FILE", "the last answer as Markdown"),
        ("export", "[markdown|json]", "the whole conversation"),
        ("retry", "", "ask again what failed in the last run"),
        ("exit", "", "leave (Ctrl-D does too)"),
    ];
    conversations.into_iter().chain(formats).chain(ways).chain(switches).chain(others).collect()
});

/// Reads this line. A second slash makes it a question that begins with a slash.
///
/// # Errors
/// What is wrong with a command; nothing is sent then.
pub fn parse(line: &str) -> Result<Line, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Line::Empty);
    }
    let Some(said) = line.strip_prefix('/') else { return Ok(Line::Question(line.to_owned())) };
    if said.starts_with('/') {
        return Ok(Line::Question(said.to_owned()));
    }
    let (name, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
    command(&name.to_lowercase(), rest.trim()).map(Line::Command)
}

fn command(name: &str, rest: &str) -> Result<Command, String> {
    let Some((_, takes, _)) = COMMANDS.iter().find(|(known, ..)| *known == name) else {
        return Err(unknown(name));
    };
    let usage = || match *takes {
        "" => format!("/{name} stands alone"),
        takes => format!("write /{name} {takes}"),
    };
    let alone = |command: Command| if rest.is_empty() { Ok(command) } else { Err(usage()) };
    let number = || rest.parse::<u8>().map_err(|_| usage());
    let switched = |setting: &dyn Fn(bool) -> Setting| match rest.to_lowercase().as_str() {
        "on" => Ok(Command::Set(setting(true))),
        "off" => Ok(Command::Set(setting(false))),
        _ => Err(usage()),
    };
    match name {
        "help" => alone(Command::Help),
        "new" => alone(Command::New),
        "history" => alone(Command::History),
        "use" => {
            let number = rest.parse().ok().filter(|number| *number > 0);
            number.map(Command::Use).ok_or_else(|| format!("{}, a number of /history", usage()))
        }
        "title" => Ok(Command::Title((!rest.is_empty()).then(|| rest.to_owned()))),
        "rounds" => match number()? {
            0 => Err(usage()),
            rounds => Ok(Command::Set(Setting::Rounds(rounds))),
        },
        "mode" => {
            let rest = rest.to_lowercase();
            let format = FORMATS.into_iter().find(|format| format.name == rest);
            format.map(|format| Command::Set(Setting::Format(format, true))).ok_or_else(usage)
        }
        "stream" => switched(&Setting::Stream),
        "models" => match rest {
            "" => Ok(Command::ShowModels),
            "default" => Ok(Command::Set(Setting::Models(None))),
            models => {
                let models: Vec<String> = models.split(',').map(|model| model.trim().to_owned()).collect();
                if models.iter().any(|model| model.is_empty() || model.contains(char::is_whitespace)) {
                    return Err(format!("{}, with commas between them", usage()));
                }
                Ok(Command::Set(Setting::Models(Some(models))))
            }
        },
        "preset" => Ok(match rest {
            "" => Command::ShowPresets,
            "none" => Command::Set(Setting::NoPreset),
            name => Command::Preset(name.to_owned()),
        }),
        "attach" => Ok(match rest {
            "" => Command::ShowFiles,
            "none" => Command::Set(Setting::NoFiles),
            file => Command::Attach(file.to_owned()),
        }),
        "verbose" => match number()? {
            level @ 0..=3 => Ok(Command::Set(Setting::Verbose(level))),
            _ => Err(usage()),
        },
        "set" => match rest.split_once('=') {
            Some((field, value)) if !field.trim().is_empty() => {
                let value = value.trim();
                // `true`, numbers and lists as they are; everything else is a text.
                let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
                Ok(Command::Set(Setting::Field(field.trim().to_owned(), value)))
            }
            _ => Err(format!("{}, as /set quorum=3", usage())),
        },
        "cost" => alone(Command::Cost),
        "save" if rest.is_empty() => Err(usage()),
        "save" => Ok(Command::Save(rest.to_owned())),
        "export" => match rest.to_lowercase().as_str() {
            "" | "markdown" | "md" => Ok(Command::Export(Export::Markdown)),
            "json" => Ok(Command::Export(Export::Json)),
            _ => Err(usage()),
        },
        "retry" => alone(Command::Retry),
        "exit" => alone(Command::Exit),
        name => {
            if let Some(format) = FORMATS.into_iter().find(|format| format.name == name) {
                return switched(&|on| Setting::Format(format, on));
            }
            let switch =
                SWITCHES.into_iter().find(|switch| switch.word == name).ok_or_else(|| unknown(name))?;
            switched(&|on| Setting::Switch(switch, on))
        }
    }
}

fn unknown(name: &str) -> String {
    let meant = nearest(name).map(|near| format!("; did you mean /{near}?")).unwrap_or_default();
    let name = one_line(name);
    format!("there is no command /{name}{meant} (/help lists them; // begins a question with a slash)")
}

/// The command that was probably meant.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let names = COMMANDS.iter().map(|(known, ..)| *known);
    let begun = names.clone().find(|known| name.chars().count() > 1 && known.starts_with(name));
    begun.or_else(|| {
        let far = |known: &str| strsim::damerau_levenshtein(known, name);
        // At most a third of the letters may differ: anything further away was not meant.
        let close =
            names.map(|known| (far(known), known)).filter(|(far, known)| *far <= known.len().div_ceil(3));
        close.min_by_key(|(far, _)| *far).map(|(_, known)| known)
    })
}
