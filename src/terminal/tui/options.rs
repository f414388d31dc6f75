//! How the next question is asked, as a list of what can be switched.

use serde_json::Value;

use crate::terminal::chat::command::Setting;
use crate::terminal::chat::settings::{Preset, Settings};
use crate::terminal::live::asked::{COUNCIL, Format, Switch};
use crate::terminal::live::features::{FORMATS, SWITCHES};
use crate::terminal::text::one_line;

/// A line of the list.
pub struct Row {
    pub is_on: bool,
    pub says: String,
    pub change: Change,
}

/// What switching it does.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Set(Setting),
    Preset(Preset),
}

/// Everything that can be switched.
#[must_use]
pub fn rows(settings: &Settings, presets: &[Preset]) -> Vec<Row> {
    let fields = settings.fields();
    let is_on = |field: &str| fields.get(field) == Some(&Value::Bool(true));
    let mode = fields.get("mode").and_then(Value::as_str);
    let format = |format: Format| Row {
        is_on: mode.unwrap_or(COUNCIL.name) == format.name,
        says: format!("Format: {}", format.name),
        change: Change::Set(Setting::Format(format, true)),
    };
    let switch = |switch: Switch| {
        let on = is_on(switch.field);
        Row { is_on: on, says: switch.says.to_owned(), change: Change::Set(Setting::Switch(switch, !on)) }
    };
    let stream = Row {
        is_on: settings.stream,
        says: "One member answers after another".to_owned(),
        change: Change::Set(Setting::Stream(!settings.stream)),
    };
    let preset = |preset: &Preset| {
        let on = settings.preset.as_ref().is_some_and(|now| now.id == preset.id);
        let change = if on { Change::Set(Setting::NoPreset) } else { Change::Preset(preset.clone()) };
        Row { is_on: on, says: format!("Preset: {}", one_line(&preset.name)), change }
    };
    let formats = FORMATS.into_iter().map(format);
    formats
        .chain([stream])
        .chain(SWITCHES.into_iter().map(switch))
        .chain(presets.iter().map(preset))
        .collect()
}

/// The format after this one.
#[must_use]
pub fn next_format(settings: &Settings) -> Setting {
    let fields = settings.fields();
    let mode = fields.get("mode").and_then(Value::as_str).unwrap_or(COUNCIL.name);
    let at = FORMATS.iter().position(|format| format.name == mode).unwrap_or_default();
    Setting::Format(FORMATS[(at + 1) % FORMATS.len()], true)
}
