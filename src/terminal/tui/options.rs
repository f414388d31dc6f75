//! How the next question is asked, as a list of what can be switched.

use serde_json::Value;

use crate::terminal::chat::command::{Flag, Format, Setting};
use crate::terminal::chat::settings::{Preset, Settings};
use crate::terminal::text::one_line;

/// A line of it.
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

/// All that can be switched.
#[must_use]
pub fn rows(settings: &Settings, presets: &[Preset]) -> Vec<Row> {
    let fields = settings.fields();
    let is_on = |field: &str| fields.get(field) == Some(&Value::Bool(true));
    let mode = fields.get("mode").and_then(Value::as_str);
    let format = |format: Format| Row {
        is_on: mode.unwrap_or("council") == format.name(),
        says: format!("Format: {}", format.name()),
        change: Change::Set(Setting::Format(format, true)),
    };
    let flag = |flag: Flag| {
        let on = is_on(flag.field());
        Row { is_on: on, says: flag.says().to_owned(), change: Change::Set(Setting::Flag(flag, !on)) }
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
    let formats = Format::ALL.into_iter().map(format);
    let flags = [Flag::React, Flag::Research, Flag::Search].into_iter().map(flag);
    formats.chain([stream]).chain(flags).chain(presets.iter().map(preset)).collect()
}

/// The format after this one.
#[must_use]
pub fn next_format(settings: &Settings) -> Setting {
    let fields = settings.fields();
    let mode = fields.get("mode").and_then(Value::as_str).unwrap_or("council");
    let at = Format::ALL.iter().position(|format| format.name() == mode).unwrap_or_default();
    Setting::Format(Format::ALL[(at + 1) % Format::ALL.len()], true)
}
